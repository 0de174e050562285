/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the texts of a report: signature, options, machine, environment and verdict. */
#include "config.h"
#include "memstor/loaded/private.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/metric.h"

/* Attribute and text of each element of that path, unless they are not wanted. */
static int add_pairs(struct loading *loading, const char *path, bool (*is_wanted)(const struct loading *loading, const char *name),
	const struct loaded_text *pairs, size_t *count)
{
	for (const struct report_node *node = report_read_find(loading->report, path); node; node = report_read_next(node)) {
		const char *name = report_read_attribute(node, "name");

		if (!name)
			return loaded_refuse(loading, node, "<%s> has no name", node->name);
		if (!is_wanted || is_wanted(loading, name))
			((struct loaded_text *)pairs)[(*count)++] = (struct loaded_text){name, node->text};
	}
	return 0;
}

static size_t count_of(const struct loading *loading, const char *path)
{
	const struct report_node *node = report_read_find(loading->report, path);

	return node ? loaded_count(node->parent, node->name) : 0;
}

static int take_pairs(struct loading *loading, const char *path, const struct loaded_text **pairs, size_t *count)
{
	*pairs = arena_array(&loading->arena, count_of(loading, path), sizeof(**pairs));
	return *pairs ? add_pairs(loading, path, NULL, *pairs, count) : -ENOMEM;
}

static void take_signature(struct loading *loading)
{
	struct loaded *loaded = &loading->loaded;
	const struct report_node *signature = report_read_find(loading->report, "signature");

	loaded->uuid = report_read_text(signature, "uuid");
	loaded->wall_start = report_read_text(signature, "wall_start");
	loaded->cpu_model = report_read_text(loading->report, "machine_info/modelname");
	loaded->boot_id = report_read_text(signature, "host/boot_id");
	if (loaded->is_original) {
		loaded_take_original_signature(loading, signature);
		return;
	}
	loaded->tool = report_read_text(signature, "tool");
	loaded->tool_version = report_read_text(signature, "tool_version");
	loaded->report_version = report_read_text(signature, "report_version");
	loaded->hostname = report_read_text(signature, "host/hostname");
	loaded->release = report_read_text(signature, "host/release");
	loaded->arch = report_read_text(signature, "host/arch");
}

static int compare_values(const void *a, const void *b)
{
	return strcmp(((const struct loaded_text *)a)->value, ((const struct loaded_text *)b)->value);
}

/* A tool that writes to a target does not measure swap, and without a major fault nothing came from one. */
static bool is_swap_used(const struct loading *loading)
{
	const struct report_node *phase = report_read_find(loading->report, "result/phases/phase");
	const char *swap = loaded_option(&loading->loaded, "swap");

	if (report_read_find(loading->report, "storage") || (swap && !strcmp(swap, "none")))
		return false;
	for (; phase; phase = report_read_next(phase)) {
		if (strcmp(report_read_text(phase, schema_major_faults), "0") != 0)
			return true;
	}
	return !report_read_find(loading->report, "result/phases/phase");
}

/* A run with a swap of its own uses that, which is before all others of the machine. */
static bool is_own_swap(const struct loading *loading, const struct report_node *area)
{
	const struct report_node *other = report_read_find(loading->report, "machine_info/swap/swap_area");
	double priority, own;

	if (!loaded_option(&loading->loaded, "swap"))
		return true;
	own = report_read_double(area, "priority", &priority) ? 0 : trunc(priority);
	for (; other; other = report_read_next(other)) {
		if ((report_read_double(other, "priority", &priority) ? 0 : trunc(priority)) > own)
			return false;
	}
	return true;
}

static void add_fact(struct loading *loading, const char *name, const char *value)
{
	loaded_add_text(loading->loaded.machine, &loading->loaded.machine_count, name, value);
}

/* The areas that the run may have used, as "zram lzo-rle 8589930496": the path says only which of several devices was free.
 * They are named by number only when their order is that of their texts: the kernel's is by the time of swapon. */
static void add_swaps(struct loading *loading)
{
	const struct report_node *area = report_read_find(loading->report, "machine_info/swap/swap_area");
	struct loaded_text *first = (struct loaded_text *)loading->loaded.machine + loading->loaded.machine_count;
	size_t count = 0;

	for (; area && is_swap_used(loading); area = report_read_next(area)) {
		const char *algorithm = report_read_text(area, "algorithm");

		if (is_own_swap(loading, area))
			first[count++].value = arena_format(&loading->arena, "%.160s%s%.160s %.32s",
				report_read_text(area, "backing"), algorithm[0] ? " " : "", algorithm,
				report_read_text(area, "size_bytes"));
	}
	qsort(first, count, sizeof(*first), compare_values);
	for (size_t i = 0; i < count; i++)
		first[i].name = arena_format(&loading->arena, "swap_area.%zu", i + 1);
	loading->loaded.machine_count += count;
}

/* A setting that an option of the run gave is no fact of the machine: the option is compared. Read-ahead of swap: another
 * program that runs under pressure sets it for the whole machine while it runs. */
static bool is_setting_used(const struct loading *loading, const char *name)
{
	if (!strncmp(name, "vm.", 3) && loaded_option(&loading->loaded, name + 3))
		return false;
	return strcmp(name, "vm.page-cluster") != 0 || is_swap_used(loading);
}

/* Facts that decide a number, and none that differs between two runs on one machine. */
static int take_machine(struct loading *loading)
{
	static const char machine_settings[] = "machine_info/settings/setting", storage_settings[] = "storage/settings/setting";
	static const char *const same[] = {
		"hypervisor", "cores", "hardware_threads", "page_bytes", "memory_bytes"};
	/* Where it was written to; not the path, which may be of a folder made for the run. */
	static const char *const of_storage[] = {
		"kind", "file_system", "device", "memory_align_bytes", "offset_align_bytes", "fs_block_bytes"};
	struct loaded *loaded = &loading->loaded;
	const struct report_node *report = loading->report, *machine = report_read_find(report, "machine_info");
	const struct report_node *numa = report_read_find(report, "machine_info/numa");
	const struct report_node *storage = report_read_find(report, "storage");
	size_t room = 24 + count_of(loading, machine_settings) + count_of(loading, "machine_info/swap/swap_area") +
		count_of(loading, storage_settings);
	int err;

	loaded->machine = arena_array(&loading->arena, room, sizeof(*loaded->machine));
	if (!loaded->machine)
		return -ENOMEM;
	add_fact(loading, "cpu_model", loaded->cpu_model);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		add_fact(loading, same[i], report_read_text(machine, same[i]));
	/* The limit of a run's own cgroup follows from its --ram; any other is the machine as the run found it. */
	if (!loaded_option(loaded, "ram"))
		add_fact(loading, "cgroup_limit_bytes", report_read_text(report, "machine_info/cgroup/limit_bytes"));
	add_fact(loading, "release", loaded->release);
	add_fact(loading, "arch", loaded->arch);
	add_fact(loading, "time_source",
		report_read_text(report, loaded->is_original ? "signature/params/tsops" : "machine_info/time_source/method"));
	if (numa)
		add_fact(loading, "numa_nodes", arena_format(&loading->arena, "%zu", loaded_count(numa, "numa_node")));
	add_swaps(loading);
	err = add_pairs(loading, machine_settings, is_setting_used, loaded->machine, &loaded->machine_count);
	for (size_t i = 0; storage && i < sizeof(of_storage) / sizeof(of_storage[0]); i++)
		add_fact(loading, arena_format(&loading->arena, "storage.%s", of_storage[i]),
			report_read_text(storage, of_storage[i]));
	return err ? err : add_pairs(loading, storage_settings, is_setting_used, loaded->machine, &loaded->machine_count);
}

static int take_checks(struct loading *loading, const char *path, const struct loaded_check **checks, size_t *count)
{
	const struct report_node *node = report_read_find(loading->report, path);
	struct loaded_check *array = arena_array(&loading->arena, count_of(loading, path), sizeof(*array));

	if (!array)
		return -ENOMEM;
	*checks = array;
	for (; node; node = report_read_next(node)) {
		const char *code = report_read_attribute(node, "code");

		if (!code)
			return loaded_refuse(loading, node, "<%s> has no code", node->name);
		array[(*count)++] = (struct loaded_check){code,
			strcmp(node->name, "check") ? node->text : report_read_text(node, "measured"),
			report_read_text(node, "advice"), report_read_text(node, "finding")};
	}
	return 0;
}

static int take_verdict(struct loading *loading)
{
	struct loaded *loaded = &loading->loaded;
	const struct report_node *verdict = report_read_find(loading->report, "verdict");
	const char *status = verdict ? report_read_attribute(verdict, "status") : NULL;
	bool is_interrupted = strcmp(report_read_text(loading->report, "signature/interrupted"), "1") == 0;

	if (!verdict) {
		loaded->status = is_interrupted ? "interrupted" : "ok";
		return 0;
	}
	if (!status || !loaded_is_status(status))
		return loaded_refuse(loading, verdict,
			"status=\"%.40s\" of <verdict>: allowed are ok, interrupted and untrustworthy",
			status ? status : "");
	loaded->status = status;
	return take_checks(loading, "verdict/reason", &loaded->reasons, &loaded->reason_count);
}

int loaded_take_texts(struct loading *loading)
{
	struct loaded *loaded = &loading->loaded;
	int err;

	take_signature(loading);
	err = loaded->is_original
		      ? loaded_take_original_options(loading)
		      : take_pairs(loading, "signature/options/option", &loaded->options, &loaded->option_count);
	if (!err)
		err = take_pairs(loading, "signature/labels/label", &loaded->labels, &loaded->label_count);
	if (!err)
		err = take_machine(loading);
	if (!err)
		err = take_checks(loading, "environment/check", &loaded->checks, &loaded->check_count);
	return err ? err : take_verdict(loading);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was run, where, and what it is worth: the texts of a report. */
#include "config.h"
#include "memstor/loaded/private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/metric.h"

static int take_pairs(struct loading *loading, const char *list, const char *element,
	const struct loaded_text **pairs, size_t *count)
{
	const struct report_node *parent = report_read_find(loading->report, list);
	struct loaded_text *array = loaded_array(loading, loaded_count(parent, element), sizeof(*array));
	const struct report_node *node = parent ? report_read_find(parent, element) : NULL;

	if (!array)
		return -ENOMEM;
	*pairs = array;
	for (; node; node = report_read_next(node)) {
		const char *name = report_read_attribute(node, "name");

		if (!name)
			return loaded_refuse(loading, node, "<%s> has no name", element);
		array[(*count)++] = (struct loaded_text){name, node->text};
	}
	return 0;
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

/* "zram lzo-rle 8589930496": the path says only which of several devices was free. */
static int add_swap(struct loading *loading, const struct report_node *area, struct loaded_text *fact)
{
	const char *algorithm = report_read_text(area, "algorithm");
	char text[512];
	int used = snprintf(text, sizeof(text), "%.160s%s%.160s %.32s", report_read_text(area, "backing"),
		algorithm[0] ? " " : "", algorithm, report_read_text(area, "size_bytes"));

	fact->value = arena_text(&loading->arena, text, (size_t)used);
	return fact->value ? 0 : -ENOMEM;
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

static long priority_of(const struct report_node *area)
{
	double priority;

	return report_read_double(area, "priority", &priority) ? 0 : (long)priority;
}

/* A run with a swap of its own uses that, which is before all others of the machine. */
static bool is_own_swap(const struct loading *loading, const struct report_node *area)
{
	const struct report_node *other = report_read_find(loading->report, "machine_info/swap/swap_area");
	const char *swap = loaded_option(&loading->loaded, "swap");

	if (!swap)
		return true;
	for (; other; other = report_read_next(other)) {
		if (priority_of(other) > priority_of(area))
			return false;
	}
	return true;
}

/* The areas that the run may have used. They are named by number only when their order is that of their texts: the
 * kernel's is by the time of swapon. */
static int add_swaps(struct loading *loading, struct loaded_text *facts, size_t *count)
{
	const struct report_node *area = report_read_find(loading->report, "machine_info/swap/swap_area");
	size_t first = *count;
	char name[32];

	for (; area && is_swap_used(loading); area = report_read_next(area)) {
		int err = is_own_swap(loading, area) ? add_swap(loading, area, &facts[(*count)++]) : 0;

		if (err)
			return err;
	}
	qsort(facts + first, *count - first, sizeof(*facts), compare_values);
	for (size_t i = first; i < *count; i++) {
		int used = snprintf(name, sizeof(name), "swap_area.%zu", i - first + 1);

		facts[i].name = arena_text(&loading->arena, name, (size_t)used);
		if (!facts[i].name)
			return -ENOMEM;
	}
	return 0;
}

/* The limit of a run's own cgroup follows from its --ram; any other is the machine as the run found it. */
static const char *foreign_limit(const struct loading *loading)
{
	if (loaded_option(&loading->loaded, "ram"))
		return "";
	return report_read_text(loading->report, "machine_info/cgroup/limit_bytes");
}

static int add_nodes(struct loading *loading, struct loaded_text *facts, size_t *count)
{
	const struct report_node *numa = report_read_find(loading->report, "machine_info/numa");
	char text[32];
	const char *value;
	int used = snprintf(text, sizeof(text), "%zu", loaded_count(numa, "numa_node"));

	if (!numa)
		return 0;
	value = arena_text(&loading->arena, text, (size_t)used);
	if (!value)
		return -ENOMEM;
	loaded_add_text(facts, count, "numa_nodes", value);
	return 0;
}

/* Where it was written to; not the path, which may be of a folder made for the run. */
static int add_storage(struct loading *loading, struct loaded_text *facts, size_t *count)
{
	static const char *const names[] = {
		"kind", "file_system", "device", "memory_align_bytes", "offset_align_bytes", "fs_block_bytes"};
	const struct report_node *storage = report_read_find(loading->report, "storage");
	char name[48];

	for (size_t i = 0; storage && i < sizeof(names) / sizeof(names[0]); i++) {
		int used = snprintf(name, sizeof(name), "storage.%s", names[i]);
		const char *copy = arena_text(&loading->arena, name, (size_t)used);

		if (!copy)
			return -ENOMEM;
		loaded_add_text(facts, count, copy, report_read_text(storage, names[i]));
	}
	return 0;
}

/* Read-ahead of swap. Another program that runs under pressure sets it for the whole machine while it runs. */
static bool is_setting_used(const struct loading *loading, const char *name)
{
	return strcmp(name, "vm.page-cluster") != 0 || is_swap_used(loading);
}

static int add_settings(struct loading *loading, const struct report_node *settings, struct loaded_text *facts,
	size_t *count)
{
	for (const struct report_node *node = settings ? report_read_find(settings, "setting") : NULL; node;
		node = report_read_next(node)) {
		const char *name = report_read_attribute(node, "name");

		if (!name)
			return loaded_refuse(loading, node, "<setting> has no name");
		if (is_setting_used(loading, name))
			facts[(*count)++] = (struct loaded_text){name, node->text};
	}
	return 0;
}

/* Facts that decide a number, and none that differs between two runs on one machine. */
static int take_machine(struct loading *loading)
{
	static const char *const same[] = {
		"hypervisor", "cores", "hardware_threads", "page_bytes", "memory_bytes"};
	struct loaded *loaded = &loading->loaded;
	const struct report_node *machine = report_read_find(loading->report, "machine_info");
	const struct report_node *settings = machine ? report_read_find(machine, "settings") : NULL;
	const struct report_node *swap = machine ? report_read_find(machine, "swap") : NULL;
	const struct report_node *queue = report_read_find(loading->report, "storage/settings");
	size_t room = 24 + loaded_count(settings, "setting") + loaded_count(swap, "swap_area") +
		      loaded_count(queue, "setting");
	struct loaded_text *facts = loaded_array(loading, room, sizeof(*facts));
	size_t *count = &loaded->machine_count;
	int err;

	if (!facts)
		return -ENOMEM;
	loaded->machine = facts;
	loaded_add_text(facts, count, "cpu_model", loaded->cpu_model);
	for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++)
		loaded_add_text(facts, count, same[i], report_read_text(machine, same[i]));
	loaded_add_text(facts, count, "cgroup_limit_bytes", foreign_limit(loading));
	loaded_add_text(facts, count, "release", loaded->release);
	loaded_add_text(facts, count, "arch", loaded->arch);
	loaded_add_text(facts, count, "time_source",
		report_read_text(loading->report,
			loaded->is_original ? "signature/params/tsops" : "machine_info/time_source/method"));
	err = add_nodes(loading, facts, count);
	if (!err)
		err = add_swaps(loading, facts, count);
	if (!err)
		err = add_settings(loading, settings, facts, count);
	if (!err)
		err = add_storage(loading, facts, count);
	return err ? err : add_settings(loading, queue, facts, count);
}

static int take_checks(struct loading *loading, const char *list, const char *element,
	const struct loaded_check **checks, size_t *count)
{
	const struct report_node *parent = report_read_find(loading->report, list);
	struct loaded_check *array = loaded_array(loading, loaded_count(parent, element) + 1, sizeof(*array));
	const struct report_node *node = parent ? report_read_find(parent, element) : NULL;

	if (!array)
		return -ENOMEM;
	*checks = array;
	for (; node; node = report_read_next(node)) {
		const char *code = report_read_attribute(node, "code");

		if (!code)
			return loaded_refuse(loading, node, "<%s> has no code", element);
		array[(*count)++] = (struct loaded_check){code,
			strcmp(element, "check") ? node->text : report_read_text(node, "measured"),
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
	if (!status || (strcmp(status, "ok") && strcmp(status, "interrupted") && strcmp(status, "untrustworthy")))
		return loaded_refuse(loading, verdict,
			"status=\"%.40s\" of <verdict>: allowed are ok, interrupted and untrustworthy",
			status ? status : "");
	loaded->status = status;
	return take_checks(loading, "verdict", "reason", &loaded->reasons, &loaded->reason_count);
}

int loaded_take_texts(struct loading *loading)
{
	struct loaded *loaded = &loading->loaded;
	int err;

	take_signature(loading);
	err = loaded->is_original
		      ? loaded_take_original_options(loading)
		      : take_pairs(loading, "signature/options", "option", &loaded->options, &loaded->option_count);
	if (!err)
		err = take_pairs(loading, "signature/labels", "label", &loaded->labels, &loaded->label_count);
	if (!err)
		err = take_machine(loading);
	if (!err)
		err = take_checks(loading, "environment", "check", &loaded->checks, &loaded->check_count);
	return err ? err : take_verdict(loading);
}

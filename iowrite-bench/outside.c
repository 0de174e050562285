/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/outside.h"

#include <dirent.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/sysfs.h"
#include "common/units.h"
#include "iowrite-bench/dirty.h"

#define BALLOON_DRIVER "/sys/bus/virtio/drivers/virtio_balloon"
#define REPORTING_ORDER "/sys/module/page_reporting/parameters/page_reporting_order"
#define REPORTING_FEATURE 5  /* VIRTIO_BALLOON_F_REPORTING */
#define LARGEST_ORDER 63     /* page_reporting_order is -1 until a device has registered */

struct found {
	struct outside_reason *reasons;
	size_t count;
};

__attribute__((format(printf, 3, 4)))
static void add(struct found *found, const char *code, const char *format, ...)
{
	struct outside_reason *reason = &found->reasons[found->count];
	va_list arguments;

	if (found->count == OUTSIDE_MAX)
		return;
	reason->code = code;
	va_start(arguments, format);
	vsnprintf(reason->text, sizeof(reason->text), format, arguments);
	va_end(arguments);
	found->count++;
}

/* Dirty bytes below which a group of the unified hierarchy is not throttled: the machine's, by the group's share of
 * the memory (domain_dirty_limits). 0 = not known, or it has no thresholds of its own. */
static uint64_t group_freerun(const struct outside_question *question)
{
	const struct machine *machine = question->machine;
	struct dirty_state state;
	struct dirty dirty;
	int rc;

	if (machine->cgroup_version != 2 || !machine->available_bytes ||
		machine->cgroup_limit_bytes >= machine->available_bytes || dirty_open(question->root, &dirty))
		return 0;
	rc = dirty_read(&dirty, &state);
	dirty_close(&dirty);
	if (rc)
		return 0;
	return (uint64_t)(((double)state.background_threshold + (double)state.threshold) / 2 /
			  (double)machine->available_bytes * (double)machine->cgroup_limit_bytes);
}

static void look_at_cgroup(const struct outside_question *question, struct found *found)
{
	uint64_t limit = question->machine->cgroup_limit_bytes, freerun;
	char limit_text[UNITS_TEXT], bytes_text[UNITS_TEXT];

	if (limit == UINT64_MAX)
		return;
	units_format_size(question->bytes, bytes_text, sizeof(bytes_text));
	if (question->bytes > limit) {
		units_format_size(limit, limit_text, sizeof(limit_text));
		add(found, "cgroup-limit", "the memory cgroup may hold %s, and %s are written: its pages are reclaimed",
			limit_text, bytes_text);
		return;
	}
	freerun = group_freerun(question);
	if (freerun && question->bytes > freerun) {
		units_format_size(freerun, limit_text, sizeof(limit_text));
		add(found, "cgroup-limit", "the memory cgroup is throttled from some %s dirty on, before the machine "
			"is, and %s are written", limit_text, bytes_text);
	}
}

static bool has_feature(const char *root, const char *device, size_t feature)
{
	char path[512], bits[160];

	snprintf(path, sizeof(path), "%s/%s/features", BALLOON_DRIVER, device);
	return !sysfs_read(root, path, bits, sizeof(bits)) && strlen(bits) > feature && bits[feature] == '1';
}

/* Devices that the driver holds; *reports: one that tells the host which pages are free. */
static unsigned count_balloons(const char *root, bool *reports)
{
	const struct dirent *entry;
	unsigned count = 0;
	char path[4096];
	DIR *dir;

	snprintf(path, sizeof(path), "%s%s", root, BALLOON_DRIVER);
	dir = opendir(path);
	*reports = false;
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "virtio", 6) || entry->d_name[6] < '0' || entry->d_name[6] > '9')
			continue;
		count++;
		*reports = *reports || has_feature(root, entry->d_name, REPORTING_FEATURE);
	}
	if (dir)
		closedir(dir);
	return count;
}

/* Warm memory is held by the run, cold memory is cold: only memory as it is may have been given back to the host. */
static void look_at_memory(const struct outside_question *question, struct found *found)
{
	bool reports;
	uint64_t order;

	if (question->memory != MODEL_AS_IS)
		return;
	if (count_balloons(question->root, &reports))
		add(found, "balloon", "the host may take free memory (virtio_balloon), and what it takes is cold");
	if (!sysfs_read_u64(question->root, REPORTING_ORDER, &order) && order <= LARGEST_ORDER)
		reports = true; /* another driver's, as Hyper-V's */
	if (reports)
		add(found, "page-reporting", "free memory goes back to the host and is cold after seconds");
}

static void look_at_device(const struct outside_question *question, struct found *found)
{
	static const enum system_parameter rates[] = {SYSTEM_BW_SYNC, SYSTEM_BW_DEV};

	for (size_t i = 0; question->system && i < sizeof(rates) / sizeof(rates[0]); i++) {
		const struct system_value *rate = &question->system->parameters[rates[i]];

		/* Of an unknown value it says why it is not known. */
		if (isfinite(rate->value) && rate->unstable[0]) {
			add(found, "unstable-device", "%s was not stable when it was calibrated: %s",
				system_row(rates[i])->name, rate->unstable);
			return;
		}
	}
}

size_t outside_model(const struct outside_question *question, struct outside_reason reasons[OUTSIDE_MAX])
{
	struct found found = {reasons, 0};

	look_at_cgroup(question, &found);
	if (question->writers > 1)
		add(&found, "several-writers", "%u threads write at once, the models know of one", question->writers);
	look_at_memory(question, &found);
	look_at_device(question, &found);
	return found.count;
}

void outside_write(struct report *report, const struct outside_reason *reasons, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		report_begin(report, "outside_model");
		report_attribute(report, "code", reasons[i].code);
		report_content(report, reasons[i].text);
		report_end(report);
	}
}

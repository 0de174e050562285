/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/run/disks.h"

#include <stdio.h>
#include <string.h>
#include "common/base/clock.h"
#include "common/base/sysfs.h"
#include "common/kernel/swap.h"

static void watch_path(const char *path, struct pmbench_result *result)
{
	struct durability durability;
	char folder[256];

	/* A file that does not exist yet, or was unlinked, is on the device of its folder. */
	snprintf(folder, sizeof(folder), "%s", path);
	if (strrchr(folder, '/'))
		strrchr(folder, '/')[1] = '\0';
	else
		snprintf(folder, sizeof(folder), ".");
	if (!durability_read_path("", path, &durability) && !durability_read_path("", folder, &durability))
		return;
	traffic_watch(&durability, &result->traffic);
	limits_read_io("", &durability, &result->limits);
}

static void watch_areas(struct pmbench_result *result)
{
	struct swap_area areas[SWAP_AREAS];
	size_t count;

	if (swap_list("", areas, SWAP_AREAS, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		bool is_first = true;

		for (size_t k = 0; k < count; k++)
			is_first = is_first && areas[i].priority >= areas[k].priority;
		if (is_first)
			watch_path(areas[i].path, result);
	}
}

static int count(const struct control *control, struct pmbench_result *result)
{
	const struct pmbench_plan *plan = result->plan;
	struct traffic_counts counts = {0};
	uint64_t in, out;
	int rc = traffic_read("", &result->traffic, &counts);

	if (!rc)
		rc = sysfs_read_field("", "/proc/vmstat", "pswpin", 10, &in);
	if (!rc)
		rc = sysfs_read_field("", "/proc/vmstat", "pswpout", 10, &out);
	/* A process without an id has not started yet. */
	for (unsigned i = 0; i < plan->processes && !rc && plan->options->mapping.kind == MAPPING_FILE; i++) {
		unsigned id = control->slots[plan->process[i].first].status.process_id;

		rc = id ? traffic_read_process("", id, &counts) : 0;
	}
	if (rc)
		return rc;
	counts.own_bytes += (in + out) * result->machine.page_bytes;
	traffic_add(&result->traffic, &counts);
	return 0;
}

void pm_disks_find(const struct control *control, const char *cgroup_dir, struct pmbench_result *result)
{
	const struct pmbench_options *options = result->plan->options;
	const struct pressure_swap *swap = &options->pressure.swap;

	snprintf(result->limits.cgroup2_dir, sizeof(result->limits.cgroup2_dir), "%s", cgroup_dir ? cgroup_dir : "");
	limits_read_cpu("", &result->limits);
	if (options->mapping.kind == MAPPING_FILE)
		watch_path(options->mapping.path, result);
	else if (swap->kind == PRESSURE_SWAP_KEEP)
		watch_areas(result);
	else if (swap->path[0])
		watch_path(swap->path, result);
	/* Pages made dirty from here on and written within the window count as the run's own. */
	(void)count(control, result);
}

void pm_disks_begin(const struct control *control, struct pmbench_result *result)
{
	result->has_traffic = !count(control, result);
	traffic_begin(&result->traffic);
	limits_read_stops("", &result->limits, &result->quota_stops);
	result->quota_window_ns = clock_ns(CLOCK_MONOTONIC);
}

void pm_disks_end(const struct control *control, struct pmbench_result *result)
{
	struct limits_stops stops;

	result->has_traffic = result->has_traffic && !count(control, result);
	(void)traffic_end(&result->traffic);
	limits_read_stops("", &result->limits, &stops);
	limits_stops_since(&result->quota_stops, &stops);
	result->quota_stops = stops;
	result->quota_window_ns = clock_ns(CLOCK_MONOTONIC) - result->quota_window_ns;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sources: Documentation/admin-guide/cgroup-v2.rst, cgroup-v1/blkio-controller.rst and scheduler/sched-bwc.rst. */
#include "config.h"
#include "common/run/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/sysfs.h"
#include "common/kernel/cgroup.h"
#include "schema/shared.h"

#define TEXT_LIMIT (1u << 20)
#define NS_PER_US 1000u
#define WEIGHT_DEFAULT "100"

static const char *const io_files[] = {"io.max", "io.latency", "io.weight"};
static const char *const blkio_files[] = {"blkio.throttle.read_bps_device", "blkio.throttle.write_bps_device",
	"blkio.throttle.read_iops_device", "blkio.throttle.write_iops_device"};

/* --- walk from this process's cgroup upwards --- */

struct limits_walk {
	char dir[CGROUP_DIR]; /* without root; "" = above the hierarchy's mount */
	size_t top;           /* length of the mount point */
};

static bool begin(const char *root, const char *controller, const struct limits *limits, struct limits_walk *walk)
{
	struct cgroup_place place;

	if (cgroup_find_hierarchy(root, controller, &place))
		return false;
	snprintf(walk->dir, sizeof(walk->dir), "%s", place.dir);
	walk->top = strlen(place.mount_point);
	if (!controller && !strncmp(limits->cgroup2_dir, place.mount_point, walk->top) && limits->cgroup2_dir[walk->top] == '/')
		snprintf(walk->dir, sizeof(walk->dir), "%s", limits->cgroup2_dir);
	return true;
}

static bool next(struct limits_walk *walk)
{
	char *slash = strrchr(walk->dir, '/');

	if (strlen(walk->dir) <= walk->top || !slash)
		return false;
	*slash = '\0';
	return strlen(walk->dir) >= walk->top;
}

/* --- the list --- */

static void add(const struct limits_walk *walk, const char *name, const char *device, const char *value, double cpus,
	struct limits *limits)
{
	size_t length = strlen(walk->dir);
	struct limit limit = {.cpus = cpus};

	snprintf(limit.name, sizeof(limit.name), "%s", name);
	snprintf(limit.cgroup, sizeof(limit.cgroup), "%s",
		walk->dir + (length < sizeof(limit.cgroup) ? 0 : length - sizeof(limit.cgroup) + 1));
	snprintf(limit.device, sizeof(limit.device), "%s", device);
	snprintf(limit.value, sizeof(limit.value), "%s", value);
	for (size_t i = 0; i < limits->count; i++) {
		const struct limit *known = &limits->all[i];

		if (!strcmp(known->name, limit.name) && !strcmp(known->cgroup, limit.cgroup) &&
			!strcmp(known->device, limit.device) && !strcmp(known->value, limit.value))
			return;
	}
	if (limits->count < LIMITS_MAX)
		limits->all[limits->count++] = limit;
}

/* --- CPU time --- */

/* Reads "max 100000" or "50000 100000"; version 1 has two files, and -1 for no quota. Returns the number of CPUs, 0 = no quota. */
static double read_quota(const char *root, const char *dir, bool is_v2, char *value, size_t length)
{
	char first[64], second[32] = "";
	uint64_t quota, period;
	const char *rest;

	if (is_v2) {
		if (sysfs_read(root, SYSFS_PATH("%s/cpu.max", dir), value, length))
			return 0;
	} else {
		if (sysfs_read(root, SYSFS_PATH("%s/cpu.cfs_quota_us", dir), first, sizeof(first)))
			return 0;
		(void)sysfs_read(root, SYSFS_PATH("%s/cpu.cfs_period_us", dir), second, sizeof(second));
		snprintf(value, length, "%s %s", first, second);
	}
	rest = sysfs_scan_u64(value, &quota);
	return rest && *rest == ' ' && sysfs_scan_u64(rest + 1, &period) && period ? (double)quota / (double)period : 0;
}

void limits_read_cpu(const char *root, struct limits *limits)
{
	static const char *const names[] = {"cpu.cfs_quota_us", "cpu.max"};
	struct limits_walk walk;
	char value[96];

	for (int is_v2 = 0; is_v2 < 2; is_v2++) {
		if (!begin(root, is_v2 ? NULL : "cpu", limits, &walk))
			continue;
		do {
			double cpus = read_quota(root, walk.dir, is_v2, value, sizeof(value));

			if (cpus > 0)
				add(&walk, names[is_v2], "", value, cpus, limits);
		} while (next(&walk));
	}
}

void limits_read_stops(const char *root, const struct limits *limits, struct limits_stops *stops)
{
	struct limits_walk walk;
	char value[96];

	*stops = (struct limits_stops){0};
	for (int is_v2 = 0; is_v2 < 2; is_v2++) {
		if (!begin(root, is_v2 ? NULL : "cpu", limits, &walk))
			continue;
		do {
			const char *path = SYSFS_PATH("%s/cpu.stat", walk.dir);
			uint64_t periods, time;

			if (read_quota(root, walk.dir, is_v2, value, sizeof(value)) <= 0 ||
				sysfs_read_field(root, path, "nr_throttled", 10, &periods) ||
				sysfs_read_field(root, path, is_v2 ? "throttled_usec" : "throttled_time", 10, &time))
				continue;
			stops->periods += periods;
			stops->ns += time * (is_v2 ? NS_PER_US : 1);
		} while (next(&walk));
	}
}

void limits_stops_since(const struct limits_stops *earlier, struct limits_stops *stops)
{
	stops->periods -= earlier->periods;
	stops->ns -= earlier->ns;
}

/* --- I/O --- */

/* Parses a line "8:0 wbps=1048576 wiops=max", which begins with a disk's number; "default 100" of a weight applies to all disks. */
static void add_line(const struct limits_walk *walk, const char *name, char *line, const struct durability *durability,
	char numbers[DURABILITY_LAYERS][24], struct limits *limits)
{
	bool is_weight = !strcmp(name, "io.weight");
	char *value = strchr(line, ' ');

	if (!value)
		return;
	*value++ = '\0';
	if (is_weight && !strcmp(value, WEIGHT_DEFAULT))
		return;
	if (is_weight && !strcmp(line, "default"))
		add(walk, name, "", value, 0, limits);
	for (size_t i = 0; i < durability->count; i++) {
		if (!strcmp(line, numbers[i]) && strcmp(durability->layers[i].name, limits->own_disk) != 0)
			add(walk, name, durability->layers[i].name, value, 0, limits);
	}
}

static void read_file(const char *root, const struct limits_walk *walk, const char *name, const struct durability *durability,
	char numbers[DURABILITY_LAYERS][24], struct limits *limits)
{
	char *text, *rest, *line;
	size_t length;

	if (sysfs_slurp(root, SYSFS_PATH("%s/%s", walk->dir, name), TEXT_LIMIT, &text, &length))
		return;
	rest = text;
	while ((line = strsep(&rest, "\n")))
		add_line(walk, name, line, durability, numbers, limits);
	free(text);
}

void limits_read_io(const char *root, const struct durability *durability, struct limits *limits)
{
	char numbers[DURABILITY_LAYERS][24] = {""};
	struct limits_walk walk;

	for (size_t i = 0; i < durability->count; i++) {
		if (sysfs_read(root, SYSFS_PATH("/sys/block/%s/dev", durability->layers[i].name), numbers[i], sizeof(numbers[i])))
			numbers[i][0] = '\0';
	}
	if (begin(root, "blkio", limits, &walk)) {
		do {
			for (size_t i = 0; i < sizeof(blkio_files) / sizeof(blkio_files[0]); i++)
				read_file(root, &walk, blkio_files[i], durability, numbers, limits);
		} while (next(&walk));
	}
	if (begin(root, NULL, limits, &walk)) {
		do {
			for (size_t i = 0; i < sizeof(io_files) / sizeof(io_files[0]); i++)
				read_file(root, &walk, io_files[i], durability, numbers, limits);
		} while (next(&walk));
	}
}

void limits_own_disk(struct limits *limits, const char *disk)
{
	size_t kept = 0;

	snprintf(limits->own_disk, sizeof(limits->own_disk), "%s", disk);
	for (size_t i = 0; i < limits->count; i++) {
		if (strcmp(limits->all[i].device, disk) != 0)
			limits->all[kept++] = limits->all[i];
	}
	limits->count = kept;
}

/* --- text and report --- */

const struct limit *limits_of_io(const struct limits *limits)
{
	for (size_t i = 0; i < limits->count; i++) {
		if (limits->all[i].cpus <= 0)
			return &limits->all[i];
	}
	return NULL;
}

const struct limit *limits_of_calibration(const struct limits *limits)
{
	for (size_t i = 0; i < limits->count; i++) {
		if (limits->all[i].cpus < 1)
			return &limits->all[i];
	}
	return NULL;
}

void limits_text(const struct limit *limit, char *text, size_t length)
{
	snprintf(text, length, "%s of %s is %s%s%s", limit->name, limit->cgroup, limit->value, limit->device[0] ? " for " : "",
		limit->device);
}

void limits_fix(const struct limit *limit, char *text, size_t length)
{
	static const struct {
		const char *name, *none;
	} files[] = {{"cpu.max", "max"}, {"cpu.cfs_quota_us", "-1"}, {"io.max", "rbps=max wbps=max riops=max wiops=max"},
		{"io.latency", "target=0"}, {"io.weight", WEIGHT_DEFAULT}};
	const char *none = "0"; /* for blkio.throttle */

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (!strcmp(limit->name, files[i].name))
			none = files[i].none;
	}
	if (limit->device[0])
		snprintf(text, length, "echo \"$(cat /sys/block/%s/dev) %s\" > %s/%s", limit->device, none, limit->cgroup,
			limit->name);
	else
		snprintf(text, length, "echo %s > %s/%s", none, limit->cgroup, limit->name);
}

bool limits_stops_text(const struct limits *limits, const struct limits_stops *stops, char *text, size_t length)
{
	char quota[sizeof(struct limit)] = "";

	for (size_t i = 0; i < limits->count && !quota[0]; i++) {
		if (limits->all[i].cpus > 0)
			limits_text(&limits->all[i], quota, sizeof(quota));
	}
	if (!stops->periods)
		return false;
	snprintf(text, length, "the CPU quota stopped the run in %" PRIu64 " periods, for %.2f s in all (%s): remove the quota",
		stops->periods, (double)stops->ns / 1e9, quota);
	return true;
}

bool limits_explain(const struct limits_stops *stops, uint64_t window_ns, const struct contention_finding *finding)
{
	double percent = window_ns ? 100 * (double)stops->ns / (double)window_ns : 0;

	return stops->periods && finding->percent - finding->own_percent - percent <= CONTENTION_PERCENT;
}

void limits_rows(struct report *report, const struct field *field, const void *from)
{
	const struct limits *limits = from;

	for (size_t i = 0; i < limits->count; i++) {
		const struct limit *limit = &limits->all[i];

		FIELD_ROW(report, field, cgroup_limit, .name = limit->name, .cgroup_dir = limit->cgroup,
			.device = FIELD_UNLESS_EMPTY(limit->device), .value = limit->value);
	}
}

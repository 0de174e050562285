/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/facts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/sysfs.h"
#include "common/storage.h"

#define NS_PER_CENTISECOND 1e7
#define DRIFT 0.1
#define PRINT(field, ...) snprintf(field, sizeof(field), __VA_ARGS__)

static void set(struct system *system, enum system_parameter parameter, double number, const char *method)
{
	struct system_value *value = &system->parameters[parameter];

	*value = (struct system_value){.value = number, .low = NAN, .high = NAN};
	PRINT(value->method, "%s", method);
}

static void set_time(const char *root, const char *path, enum system_parameter parameter, struct system *system)
{
	uint64_t centiseconds;

	if (!sysfs_read_u64(root, path, &centiseconds))
		set(system, parameter, (double)centiseconds * NS_PER_CENTISECOND, path);
	else
		PRINT(system->parameters[parameter].unstable, "%s cannot be read", path);
}

/* Of a threshold and its ratio the kernel keeps the other at 0. */
static const char *threshold_method(const char *root, const char *path)
{
	uint64_t bytes;

	return !sysfs_read_u64(root, path, &bytes) && !bytes ? FACTS_SHARE : "/proc/vmstat";
}

static void set_place(const char *root, const struct target *target, struct system *system)
{
	char release[96] = "", version[96] = "";
	struct storage storage;
	struct timespec now;
	struct tm utc;

	sysfs_read(root, "/proc/sys/kernel/osrelease", release, sizeof(release));
	sysfs_read(root, "/proc/sys/kernel/version", version, sizeof(version));
	PRINT(system->kernel, "%.60s %.60s", release, version);
	storage_read(root, target->device, &storage);
	PRINT(system->device, "%s", storage.device);
	PRINT(system->file_system, "%s", target->file_system);
	clock_gettime(CLOCK_REALTIME, &now);
	if (gmtime_r(&now.tv_sec, &utc))
		strftime(system->date, sizeof(system->date), "%Y-%m-%dT%H:%M:%SZ", &utc);
}

void facts_read(const char *root, const struct target *target, const struct dirty_state *dirty, struct system *system)
{
	set_place(root, target, system);
	set(system, SYSTEM_BLOCK, target->has_direct ? target->offset_align : target->fs_block,
		target->has_direct ? "statx(2), or the device's logical block" : "no O_DIRECT: st_blksize");
	set(system, SYSTEM_FS_BLOCK, target->fs_block, "st_blksize");
	set(system, SYSTEM_PAGE, (double)sysconf(_SC_PAGESIZE), "sysconf(3)");
	set(system, SYSTEM_LIMIT_BG, (double)dirty->background_threshold,
		threshold_method(root, "/proc/sys/vm/dirty_background_bytes"));
	set(system, SYSTEM_LIMIT_HARD, (double)dirty->threshold, threshold_method(root, "/proc/sys/vm/dirty_bytes"));
	set_time(root, "/proc/sys/vm/dirty_expire_centisecs", SYSTEM_DIRTY_EXPIRE, system);
	set_time(root, "/proc/sys/vm/dirty_writeback_centisecs", SYSTEM_DIRTY_WRITEBACK, system);
}

static void compare(struct system_value *value, uint64_t now)
{
	double off = fabs((double)now / value->value - 1);

	if (off > DRIFT)
		PRINT(value->unstable, "was off by %.0f %% at the end: memory became free or used, or it was set", 100 * off);
}

void facts_compare(const struct dirty_state *dirty, struct system *system)
{
	compare(&system->parameters[SYSTEM_LIMIT_BG], dirty->background_threshold);
	compare(&system->parameters[SYSTEM_LIMIT_HARD], dirty->threshold);
}

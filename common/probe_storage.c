/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing past the page cache, many requests in flight, and what decides when writes are throttled. */
#include "config.h"
#include "common/probe_private.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/balloon.h"
#include "common/cgroup.h"
#include "common/sysfs.h"
#include "common/units.h"
#include "common/vmcounters.h"

#define DIRTY_BYTES "/proc/sys/vm/dirty_bytes"
#define BLKIO_FILE "blkio.throttle.write_bps_device"

#ifndef IORING_SETUP_SINGLE_ISSUER /* Linux 6.0 */
#define IORING_SETUP_SINGLE_ISSUER (1u << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN /* Linux 6.1 */
#define IORING_SETUP_DEFER_TASKRUN (1u << 13)
#endif

void probe_o_direct(const struct probe_host *host, struct probe_answer *answer)
{
	struct probe_direct direct = {0};
	int err = host->hooks->direct(answer->path, &direct);
	const char *filesystem = direct.filesystem[0] ? direct.filesystem : "a file system of another kind";

	if (err == -EACCES || err == -EPERM || err == -EROFS || err == -ENOSPC || err == -EDQUOT) {
		/* Says nothing about the file system. */
		probe_say(answer, PROBE_MISSING, "%s: %s: %s", filesystem, direct.step, strerror(-err));
		probe_mean(answer, "this user cannot write here");
		if (err == -EACCES || err == -EPERM)
			probe_fix_privilege(host, answer);
	} else if (err) {
		probe_say(answer, PROBE_MISSING, "%s: %s: %s", filesystem, direct.step, strerror(-err));
	} else if (direct.is_cached) {
		probe_say(answer, PROBE_MISSING, "%s: accepted, but its files are memory", filesystem);
	} else if (direct.has_alignment && !direct.memory_bytes) {
		probe_say(answer, PROBE_MISSING, "%s: accepted, but the kernel says that it is not direct", filesystem);
	} else if (!direct.has_alignment) {
		probe_say(answer, PROBE_LIMITED, "%s: works in whole pages, alignment unknown", filesystem);
	} else {
		probe_say(answer, PROBE_OK, "%s, memory aligned to %u bytes, offsets to %u", filesystem,
			direct.memory_bytes, direct.offset_bytes);
	}
}

static void refused_ring(const struct probe_host *host, int err, struct probe_answer *answer)
{
	static const char sysctl[] = "/proc/sys/kernel/io_uring_disabled";
	char disabled[16] = "0";

	(void)sysfs_read(host->root, sysctl, disabled, sizeof(disabled));
	if (err == -EPERM && strcmp(disabled, "0")) {
		probe_say(answer, PROBE_MISSING, "kernel.io_uring_disabled=%s", disabled);
		probe_fix(answer, "sysctl kernel.io_uring_disabled=0");
	} else if ((err == -EPERM || err == -ENOSYS) && host->is_filtered) {
		probe_say(answer, PROBE_MISSING, "%s: a seccomp filter is on this process", strerror(-err));
		probe_fix(answer, "docker run --security-opt seccomp=unconfined");
	} else if (err == -ENOMEM) {
		/* Before Linux 5.12 rings counted as locked memory. */
		probe_say(answer, PROBE_MISSING, "%s", strerror(-err));
		probe_fix(answer, "ulimit -l unlimited");
	} else if (err == -ENOSYS) {
		probe_say(answer, PROBE_MISSING, "not in this kernel");
	} else {
		probe_say(answer, PROBE_MISSING, "%s", strerror(-err));
	}
}

void probe_io_uring(const struct probe_host *host, struct probe_answer *answer)
{
	int err = host->hooks->uring(0);

	if (err)
		refused_ring(host, err, answer);
	else
		probe_say(answer, PROBE_OK, "a ring was set up");
}

/* A row of its own: a program that waits for one request at a time is no worse without it. */
void probe_io_uring_deferred(const struct probe_host *host, struct probe_answer *answer)
{
	int err = host->hooks->uring(0);

	if (err) {
		answer->status = PROBE_NOTHING; /* the row before has said it */
		return;
	}
	err = host->hooks->uring(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	if (!err)
		probe_say(answer, PROBE_OK, "completions can be deferred");
	else if (err == -EINVAL)
		probe_say(answer, PROBE_LIMITED, "not in this kernel");
	else
		probe_say(answer, PROBE_LIMITED, "%s", strerror(-err));
}

/* "background 512 MiB, limit 1 GiB", as the kernel has them now; false when it does not tell. */
static bool read_thresholds(const struct probe_host *host, char *text, size_t length)
{
	struct vmcounters *counters = calloc(1, sizeof(*counters));
	uint64_t background, limit;
	char low[UNITS_TEXT], high[UNITS_TEXT];
	bool is_known = counters && !vmcounters_read(host->root, NULL, VMCOUNTERS_VMSTAT, counters) &&
			vmcounters_get(counters, "vmstat.nr_dirty_background_threshold", &background) &&
			vmcounters_get(counters, "vmstat.nr_dirty_threshold", &limit);

	if (is_known)
		snprintf(text, length, "background %s, limit %s",
			units_format_size(background * host->machine->page_bytes, low, sizeof(low)),
			units_format_size(limit * host->machine->page_bytes, high, sizeof(high)));
	free(counters);
	return is_known;
}

void probe_dirty_thresholds(const struct probe_host *host, struct probe_answer *answer)
{
	int err = host->hooks->is_writable(DIRTY_BYTES);
	char text[128] = "not in /proc/vmstat";

	read_thresholds(host, text, sizeof(text));
	if (!err) {
		probe_say(answer, PROBE_OK, "%s; can be set", text);
		return;
	}
	probe_say(answer, PROBE_LIMITED, "%s; cannot be set: %s", text, strerror(-err));
	if (err == -EACCES || err == -EPERM || err == -EROFS)
		probe_fix_privilege(host, answer);
}

static bool has_blkio(const struct probe_host *host)
{
	struct cgroup_place place;
	char path[CGROUP_DIR + 128];

	return !cgroup_find_hierarchy(host->root, "blkio", &place) &&
	       snprintf(path, sizeof(path), "%s%s/" BLKIO_FILE, host->root, place.dir) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

/* Write-back belongs to the group that made the pages dirty only where it has both controllers. */
static bool has_io_max(const struct probe_host *host)
{
	struct cgroup_place place;
	char path[CGROUP_DIR + 64], controllers[512];

	if (cgroup_find_hierarchy(host->root, NULL, &place))
		return false;
	snprintf(path, sizeof(path), "%s/cgroup.controllers", place.mount_point);
	return !sysfs_read(host->root, path, controllers, sizeof(controllers)) && sysfs_has_word(controllers, " ", "io") &&
	       sysfs_has_word(controllers, " ", "memory");
}

void probe_io_throttle(const struct probe_host *host, struct probe_answer *answer)
{
	if (has_blkio(host))
		probe_say(answer, PROBE_OK, "blkio (cgroup version 1)");
	else if (has_io_max(host))
		probe_say(answer, PROBE_OK, "io.max (cgroup version 2)");
	else
		probe_say(answer, PROBE_MISSING, "neither blkio nor io and memory in version 2");
}

void probe_cold_memory(const struct probe_host *host, struct probe_answer *answer)
{
	struct balloon balloon;

	balloon_look(host->root, &balloon);
	if (balloon.reports_pages)
		probe_say(answer, PROBE_NOTE, "free pages go back to the hypervisor (page reporting)");
	else if (balloon.count)
		probe_say(answer, PROBE_NOTE, "the hypervisor may take free pages (virtio_balloon)");
	else
		probe_say(answer, PROBE_OK, "no balloon, no page reporting");
}

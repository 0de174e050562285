/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes of direct I/O, of many requests in flight, and of the thresholds of write throttling. */
#include "config.h"
#include "common/probe/probe_checks.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/kernel/cgroup.h"
#include "common/kernel/counters.h"

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
		/* This error tells nothing about the file system. */
		probe_say(answer, PROBE_MISSING, "%s: %s: %s", filesystem, direct.step, strerror(-err));
		probe_mean(answer, "this user cannot write here");
		if (err == -EACCES || err == -EPERM)
			probe_fix_privilege(host, answer);
	} else if (err) {
		probe_say(answer, PROBE_MISSING, "%s: %s: %s", filesystem, direct.step, strerror(-err));
	} else if (direct.is_cached) {
		probe_say(answer, PROBE_MISSING, "%s: accepted, but its files are in memory", filesystem);
	} else if (direct.has_alignment && !direct.memory_bytes) {
		probe_say(answer, PROBE_MISSING, "%s: accepted, but the kernel reports that it is not direct", filesystem);
	} else if (!direct.has_alignment) {
		probe_say(answer, PROBE_LIMITED, "%s: works in whole pages, alignment unknown", filesystem);
	} else {
		probe_say(answer, PROBE_OK, "%s, memory aligned to %u bytes, offsets to %u", filesystem,
			direct.memory_bytes, direct.offset_bytes);
	}
}

void probe_io_uring(const struct probe_host *host, struct probe_answer *answer)
{
	int err = host->hooks->uring(0);
	char disabled[16] = "0";

	(void)sysfs_read(host->root, "/proc/sys/kernel/io_uring_disabled", disabled, sizeof(disabled));
	if (!err) {
		probe_say(answer, PROBE_OK, "a ring was set up");
	} else if (err == -EPERM && strcmp(disabled, "0")) {
		probe_say(answer, PROBE_MISSING, "kernel.io_uring_disabled=%s", disabled);
		probe_fix(answer, "sysctl kernel.io_uring_disabled=0");
	} else if ((err == -EPERM || err == -ENOSYS) && host->is_filtered) {
		probe_say(answer, PROBE_MISSING, "%s: a seccomp filter is on this process", strerror(-err));
		probe_fix(answer, "docker run --security-opt seccomp=unconfined");
	} else if (err == -ENOMEM) {
		/* Kernels before 5.12 count rings as locked memory. */
		probe_say(answer, PROBE_MISSING, "%s", strerror(-err));
		probe_fix(answer, "ulimit -l unlimited");
	} else {
		probe_say(answer, PROBE_MISSING, "%s", err == -ENOSYS ? "not in this kernel" : strerror(-err));
	}
}

/* This is a row of its own because a program that waits for one request at a time does not need it. */
void probe_io_uring_deferred(const struct probe_host *host, struct probe_answer *answer)
{
	int err = host->hooks->uring(0);

	if (err) {
		answer->status = PROBE_NOTHING; /* the row io_uring has the reason */
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

/* Reports the present thresholds: "background 512 MiB, limit 1 GiB". */
void probe_dirty_thresholds(const struct probe_host *host, struct probe_answer *answer)
{
	struct vmcounters *counters = calloc(1, sizeof(*counters));
	char text[128] = "not in /proc/vmstat", low[UNITS_TEXT], high[UNITS_TEXT];
	int err = host->hooks->is_writable(DIRTY_BYTES);
	uint64_t background, limit;

	if (counters && !vmcounters_read(host->root, NULL, VMCOUNTERS_VMSTAT, counters) &&
		vmcounters_get(counters, "vmstat.nr_dirty_background_threshold", &background) &&
		vmcounters_get(counters, "vmstat.nr_dirty_threshold", &limit))
		snprintf(text, sizeof(text), "background %s, limit %s",
			units_format_size(background * host->machine->page_bytes, low, sizeof(low)),
			units_format_size(limit * host->machine->page_bytes, high, sizeof(high)));
	free(counters);
	if (!err) {
		probe_say(answer, PROBE_OK, "%s; can be set", text);
		return;
	}
	probe_say(answer, PROBE_LIMITED, "%s; cannot be set: %s", text, strerror(-err));
	if (err == -EACCES || err == -EPERM || err == -EROFS)
		probe_fix_privilege(host, answer);
}

void probe_io_throttle(const struct probe_host *host, struct probe_answer *answer)
{
	struct cgroup_place place;
	char controllers[512];

	if (!cgroup_find_hierarchy(host->root, "blkio", &place) &&
		!access(SYSFS_PATH("%s%s/" BLKIO_FILE, host->root, place.dir), F_OK))
		probe_say(answer, PROBE_OK, "blkio (cgroup version 1)");
	/* Write-back belongs to the cgroup that made the pages dirty only where the cgroup has both controllers. */
	else if (!cgroup_find_hierarchy(host->root, NULL, &place) &&
		!sysfs_read(host->root, SYSFS_PATH("%s/cgroup.controllers", place.mount_point), controllers, sizeof(controllers)) &&
		sysfs_has_word(controllers, " ", "io") && sysfs_has_word(controllers, " ", "memory"))
		probe_say(answer, PROBE_OK, "io.max (cgroup version 2)");
	else
		probe_say(answer, PROBE_MISSING, "neither blkio nor io and memory in version 2");
}

void probe_cold_memory(const struct probe_host *host, struct probe_answer *answer)
{
	struct balloon balloon;

	balloon_read(host->root, &balloon);
	if (balloon.reports_pages)
		probe_say(answer, PROBE_NOTE, "free pages go back to the hypervisor (page reporting)");
	else if (balloon.count)
		probe_say(answer, PROBE_NOTE, "the hypervisor may take free pages (virtio_balloon)");
	else
		probe_say(answer, PROBE_OK, "no balloon, no page reporting");
}

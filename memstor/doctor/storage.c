/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing past the page cache, and many requests in flight. */
#include "config.h"
#include "memstor/doctor/doctor.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <string.h>

#include "common/sysfs.h"

#ifndef IORING_SETUP_SINGLE_ISSUER /* Linux 6.0 */
#define IORING_SETUP_SINGLE_ISSUER (1u << 12)
#endif
#ifndef IORING_SETUP_DEFER_TASKRUN /* Linux 6.1 */
#define IORING_SETUP_DEFER_TASKRUN (1u << 13)
#endif

void doctor_o_direct(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	struct doctor_direct direct = {0};
	int err = host->hooks->direct(path, &direct);
	const char *filesystem = direct.filesystem[0] ? direct.filesystem : "a file system of another kind";

	if (err == -EACCES || err == -EPERM || err == -EROFS || err == -ENOSPC || err == -EDQUOT) {
		/* Says nothing about the file system. */
		doctor_say(finding, DOCTOR_MISSING, "%s: %s: %s", filesystem, direct.step, strerror(-err));
		doctor_mean(finding, "iowrite-bench and ssd-workloads cannot write here");
		if (err == -EACCES || err == -EPERM)
			doctor_mend_privilege(host, finding);
	} else if (err) {
		doctor_say(finding, DOCTOR_MISSING, "%s: %s: %s", filesystem, direct.step, strerror(-err));
	} else if (direct.is_cached) {
		doctor_say(finding, DOCTOR_MISSING, "%s: accepted, but its files are memory", filesystem);
	} else if (direct.has_alignment && !direct.memory_bytes) {
		doctor_say(finding, DOCTOR_MISSING, "%s: accepted, but the kernel says that it is not direct", filesystem);
	} else if (!direct.has_alignment) {
		doctor_say(finding, DOCTOR_LIMITED, "%s: works in whole pages, alignment unknown", filesystem);
	} else {
		doctor_say(finding, DOCTOR_OK, "%s, memory aligned to %u bytes, offsets to %u", filesystem,
			direct.memory_bytes, direct.offset_bytes);
	}
}

static void refused_ring(const struct doctor_host *host, int err, struct doctor_finding *finding)
{
	static const char sysctl[] = "/proc/sys/kernel/io_uring_disabled";
	char disabled[16] = "0";

	(void)sysfs_read(host->root, sysctl, disabled, sizeof(disabled));
	if (err == -EPERM && strcmp(disabled, "0")) {
		doctor_say(finding, DOCTOR_MISSING, "kernel.io_uring_disabled=%s", disabled);
		doctor_mend(finding, "sysctl kernel.io_uring_disabled=0");
	} else if ((err == -EPERM || err == -ENOSYS) && host->is_filtered) {
		doctor_say(finding, DOCTOR_MISSING, "%s: a seccomp filter is on this process", strerror(-err));
		doctor_mend(finding, "docker run --security-opt seccomp=unconfined");
	} else if (err == -ENOMEM) {
		/* Before Linux 5.12 rings counted as locked memory. */
		doctor_say(finding, DOCTOR_MISSING, "%s", strerror(-err));
		doctor_mend(finding, "ulimit -l unlimited");
	} else if (err == -ENOSYS) {
		doctor_say(finding, DOCTOR_MISSING, "not in this kernel");
	} else {
		doctor_say(finding, DOCTOR_MISSING, "%s", strerror(-err));
	}
}

void doctor_io_uring(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	int err = host->hooks->uring(0);

	(void)path;
	if (err)
		refused_ring(host, err, finding);
	else
		doctor_say(finding, DOCTOR_OK, "a ring was set up");
}

/* A row of its own: who waits for one request at a time, as iowrite-bench does, is no worse without it. */
void doctor_io_uring_deferred(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	int err = host->hooks->uring(0);

	(void)path;
	if (err) {
		finding->status = DOCTOR_NOTHING; /* the row before has said it */
		return;
	}
	err = host->hooks->uring(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
	if (!err)
		doctor_say(finding, DOCTOR_OK, "completions can be deferred");
	else if (err == -EINVAL)
		doctor_say(finding, DOCTOR_LIMITED, "not in this kernel");
	else
		doctor_say(finding, DOCTOR_LIMITED, "%s", strerror(-err));
}

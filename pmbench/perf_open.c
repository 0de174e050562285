/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/perf_open.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "common/sysfs.h"

int perf_open_self(const struct perf_event_attr *attr)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void perf_open_reason(int err, char *reason, size_t length)
{
	char paranoid[16] = "unknown";

	if (err == -ENOSYS || err == -ENOENT) {
		snprintf(reason, length, "perf_event_open: %s (the kernel has no such perf events)", strerror(-err));
	} else if (err == -EACCES || err == -EPERM) {
		(void)sysfs_read("", "/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid));
		snprintf(reason, length,
			"perf_event_open: %s (kernel.perf_event_paranoid=%s; set it to 2 or run as root)", strerror(-err),
			paranoid);
	} else {
		snprintf(reason, length, "perf_event_open: %s", strerror(-err));
	}
}

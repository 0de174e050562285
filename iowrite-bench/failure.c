/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
	int error;
	const char *what, *remedy;
} known[] = {
	{ENOSPC, "became full", "free some or write less"},
	{EDQUOT, "is at its quota's end", "free some or write less"},
	{EFBIG, "may not become so large", "raise ulimit -f or write less"},
	{EROFS, "became read-only", "see the kernel's log, and remount it"},
	{ESTALE, "was changed by another process", "end that process and run again"},
	{EIO, "gave an error of its device", "see the kernel's log"},
	{ENOMEM, "needs memory that is not to be had", "write less at a time, or with fewer threads"},
	{ENOSYS, "cannot be written to so: the kernel does not have it", "leave this method out"},
	{EPERM, "may not be written to so", "a seccomp filter or kernel.io_uring_disabled may forbid it; leave this method out"},
	{EOPNOTSUPP, "cannot be written to so: its file system does not have it", "leave this out"},
	{EINVAL, "refuses such writes", "another size or mode may do"},
};

static const char *stage_name(enum measure_stage stage)
{
	static const char *const names[] = {[MEASURE_PREPARE] = "preparing", [MEASURE_WRITE] = "writing",
		[MEASURE_SYNC] = "syncing", [MEASURE_CLOSE] = "closing"};

	return names[stage];
}

void failure_text(const char *path, enum measure_stage stage, int error, char *text, size_t length)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (known[i].error != error)
			continue;
		snprintf(text, length, "%s %s while %s: %s (%s)", path, known[i].what, stage_name(stage), known[i].remedy,
			strerror(error));
		return;
	}
	snprintf(text, length, "%s failed while %s: %s", path, stage_name(stage), strerror(error));
}

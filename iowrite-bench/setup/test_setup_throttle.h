/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An open test setup, and the limit of its slow device. The functions return diag_exit codes, after one line when not 0. */
#ifndef IOWRITE_BENCH_SETUP_TEST_SETUP_THROTTLE_H
#define IOWRITE_BENCH_SETUP_TEST_SETUP_THROTTLE_H

#include "common/kernel/cgroup.h"
#include "common/kernel/swap.h"
#include "common/storage/target.h"
#include "common/undo/undo.h"

struct test_setup_slow {
	struct target image; /* nameless */
	bool has_image;
	int mount_fd;        /* -1 = not mounted */
	char device[LOOPDEV_PATH];
	char folder[32];
	struct undo_action throttle[2]; /* lines of version 1: of the root, and of this process's own group */
	size_t throttles;
	/* Version 2: the cgroup with the limit, and the limited device; "" = none. Undo removes it. */
	char leaf[CGROUP_DIR];
	dev_t limited;
	char home[CGROUP_DIR]; /* this process's former one; "" = it is there */
};

#define TEST_SETUP_WARNED 16 /* pairs of thresholds with one warning each; further ones warn at each change */

struct test_setup {
	const char *root; /* as in common/base/sysfs.h, of the cgroups */
	struct undo *undo;
	uint64_t warned[TEST_SETUP_WARNED][2]; /* of: background and limit */
	size_t warned_count;
	struct test_setup_slow slow;
};

/* Limits the bytes per second of all writes to the device by this process, and of write-back. */
int test_setup_throttle(struct test_setup *setup, dev_t device, uint64_t bytes_per_second);
/* Removes the limit: dirty pages are then written at full speed. */
int test_setup_unthrottle(struct test_setup *setup);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The test setup for a scenario: small dirty thresholds, so that throttling begins after hundreds of MiB and not after
 * gigabytes, and on request a slow device (a throttled loop device with its own file system). Needs root.
 * Everything is restored by test_setup_close, and by common/undo/undo.h when the program dies.
 *
 * The thresholds are the whole machine's: they throttle the writes of every program, of which each pair of thresholds
 * warns once. After they were lowered the kernel's own limit (global_dirty_limit in mm/page-writeback.c) is still the old,
 * larger one: it sinks by a 32nd of the difference each 200 ms, and only while a writer is throttled. A first scenario after
 * lowering should be warmed up by writes over the limit, or the limit in force be read and given to the models
 * (throttle_state.h).
 *
 * The slow device is limited by blkio (cgroups version 1) or io.max (version 2); it lets bursts through, of some
 * 100 ms of its rate: good for buffered writes of megabytes, not for the latency of small ones.
 */
#ifndef IOWRITE_BENCH_SETUP_TEST_SETUP_H
#define IOWRITE_BENCH_SETUP_TEST_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/units.h"

/* What a new file system keeps for itself, its journal, and what target_open leaves to others. */
#define TEST_SETUP_MORE_BYTES (256 * UNITS_MIB)

/*
 * How large a slow device is to be for a file of that many bytes, of which dirty_bytes are dirty at most (0 = all of them),
 * where free_bytes are free; bytes, whole MiB. ext4 writes back on its own account what is dirty when less than
 * twice of it is free, and at one and a half times gives up delayed allocation (ext4_nonda_switch in fs/ext4/inode.c):
 * writes cost 15 to 50 ms then instead of 6, and are no affair of the thresholds. What is dirty still counts as free: once
 * more beside the file would do, and twice is wanted, since what the file before has given back is free only when it is
 * committed. Never more of it than half of what else is free, and never less than the file and TEST_SETUP_MORE_BYTES.
 */
uint64_t test_setup_slow_size(uint64_t file_bytes, uint64_t dirty_bytes, uint64_t free_bytes);

/* What this host lacks for thresholds or a slow device, by the table of probes (common/probe/probe.h). 0, or -ENOTSUP and in why
 * "PROBE: VALUE: FIX". */
int test_setup_lacks(bool has_thresholds, bool has_slow_device, char *why, size_t length);
#define TEST_SETUP_WHY 320

struct test_setup;
struct undo;

struct test_setup_request {
	uint64_t background_bytes, dirty_bytes; /* thresholds; 0 = as they are */
	uint64_t slow_bytes_per_second;         /* 0 = no slow device */
	uint64_t slow_size_bytes;               /* of its file system, and of the space that its image takes */
	const char *slow_folder;                /* where its image lies; NULL = the working folder */
};

/* Before there are threads (common/undo/undo.h). 0 or a diag_exit code after one line; then nothing is changed. */
int test_setup_open(const struct test_setup_request *request, struct test_setup **setup);
/* Other thresholds; 0, 0 = as they were before test_setup_open. 0 or a diag_exit code after one line. */
int test_setup_thresholds(struct test_setup *setup, uint64_t background_bytes, uint64_t dirty_bytes);
/* The folder on the slow device, NULL when there is none: "/proc/self/fd/7", a name for this process alone. Its files are
 * to be closed before test_setup_close. */
const char *test_setup_folder(const struct test_setup *setup);
/* For what else is to be undone with it. */
struct undo *test_setup_undo(const struct test_setup *setup);
/* DIAG_EXIT_OK, or DIAG_EXIT_HOST after a line for what could not be restored. NULL is OK. */
int test_setup_close(struct test_setup *setup);

#endif

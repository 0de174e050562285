/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The test setup for a scenario: small dirty thresholds, so that throttling begins after hundreds of MiB and not after
 * gigabytes, and on request a slow device (a throttled loop device with its own file system). Needs root.
 * Everything is restored by test_setup_close, and by common/undo/undo.h when the program dies.
 *
 * The thresholds are the whole machine's: they throttle the writes of every program, and each pair of thresholds
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

/* Space for a new file system's own structures, its journal, and the part that target_open leaves free. */
#define TEST_SETUP_MORE_BYTES (256 * UNITS_MIB)

/*
 * Returns the size of a slow device, in whole MiB, for a file of file_bytes, of which at most dirty_bytes are dirty (0 = all of
 * them), where free_bytes are free. ext4 starts write-back by itself when less than twice the dirty bytes are free, and gives
 * up delayed allocation at one and a half times (ext4_nonda_switch in fs/ext4/inode.c): writes then cost 15 to 50 ms instead of
 * 6. Dirty bytes count as free: once more would do, and twice is added because space that the file before has freed is free
 * only after a commit. At most half of the other free space is added; the file and TEST_SETUP_MORE_BYTES are the least.
 */
uint64_t test_setup_slow_size(uint64_t file_bytes, uint64_t dirty_bytes, uint64_t free_bytes);

/* Checks what thresholds or a slow device need on this host, by the table of probes (common/probe/probe.h). Returns 0, or
 * -ENOTSUP and "PROBE: VALUE: FIX" in why. */
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

/* Call it before there are threads (common/undo/undo.h). Returns 0, or a diag_exit code after one line with nothing changed. */
int test_setup_open(const struct test_setup_request *request, struct test_setup **setup);
/* Sets thresholds; 0, 0 = as they were before test_setup_open. Returns 0 or a diag_exit code after one line. */
int test_setup_thresholds(struct test_setup *setup, uint64_t background_bytes, uint64_t dirty_bytes);
/* Returns the folder on the slow device, NULL when there is none: "/proc/self/fd/7", a name for this process alone. Its files
 * are to be closed before test_setup_close. */
const char *test_setup_folder(const struct test_setup *setup);
/* Returns the list of changes to be undone, for further ones. */
struct undo *test_setup_undo(const struct test_setup *setup);
/* Returns DIAG_EXIT_OK, or DIAG_EXIT_HOST after a line for what could not be restored. setup may be NULL. */
int test_setup_close(struct test_setup *setup);

#endif

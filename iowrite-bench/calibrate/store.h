/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long a disk was busy for others, as far as it can be told without knowing who they are. PSI (io) cannot tell it:
 * the calibration's own waits are in it, and it waits all the time. But the disk counts the bytes that it moved, and the
 * kernel those that this process has caused: reads when they are submitted, writes when a page becomes dirty or a direct
 * write is submitted, and dirty pages that were thrown away (/proc/self/io). What was moved beyond was others'. It is
 * what is surely theirs: blocks that the file system writes of its own are taken to be ours, up to FOREIGN_METADATA for
 * each write, cut or sync that is not buffered, and so is what of ours may still be dirty. Bytes are turned into time by
 * the disk's busy time.
 */
#ifndef IOWRITE_BENCH_CALIBRATE_STORE_H
#define IOWRITE_BENCH_CALIBRATE_STORE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/storage.h"
#include "common/target.h"
#include "iowrite-bench/calibrate/session.h"
#include "iowrite-bench/measure_private.h"
#include "iowrite-bench/memory.h"
#include "iowrite-bench/throttle_state.h"
#include "iowrite-bench/method.h"
#include "iowrite-bench/pin.h"
#include "iowrite-bench/test_setup.h"

/* Journal, inode and bitmaps: some blocks each, and a commit. */
#define FOREIGN_METADATA 65536

/* All since the machine or the process began. */
struct foreign_counts {
	uint64_t moved_bytes;  /* by the disk, either way */
	uint64_t busy_ns;
	uint64_t own_bytes, cancelled_bytes; /* caused by us; dirty, and thrown away */
	uint64_t own_syncs;    /* of these, and of what else a file system writes for */
	uint64_t pending_bytes; /* now: dirty or in write-back, of all */
};

struct foreign {
	struct foreign_counts last;
	bool has_last;
	double ahead_bytes; /* ours, that the disk has not moved yet */
	double ns;
};

/* Time that the disk was busy for others since the first call. */
uint64_t foreign_add(struct foreign *foreign, const struct foreign_counts *now);
/* Of a disk by the kernel's name, below root as in common/sysfs.h; own_syncs and pending_bytes are left alone. 0 or
 * -errno. */
int foreign_read(const char *root, const char *disk, struct foreign_counts *counts);

/* The real hooks: CLOCK_MONOTONIC, an open target, this machine's memory and kernel. */

struct device {
	const struct target *target;
	const struct pin *pin;  /* the writer's, NULL = none */
	struct test_setup *stage;    /* the caller's, NULL = thresholds stay */
	int fds[OP_MODES];      /* -1 = this mode is not possible here */
	char *data;             /* data_bytes of it, twice */
	uint64_t data_bytes;
	struct content content;
	uint64_t data_at;       /* what the next write begins with */
	struct memory_pool feed;
	struct dirty dirty;
	struct foreign foreign;
	uint64_t syncs;         /* what the file system writes blocks of its own for */
	struct throttle_state *throttle;    /* NULL = none: no stage, or no tracing */
	struct storage storage;
	char written_path[96];  /* debugfs: BdiWritten; "" = /proc/vmstat is taken */
	const struct method *stream;
	void *stream_state;
	uint64_t stream_at;
	pthread_t flusher;
	bool has_flusher;
	atomic_bool is_flushing;
	int flush_error;
};

/* largest_bytes: of one write. Every page of the data is touched. 0 or a diag_exit code after one line. */
int device_open(const struct target *target, struct test_setup *stage, uint64_t largest_bytes, struct device *device);
void device_close(struct device *device);
/* Whether what O_DIRECT writes stays out of the page cache: file systems that cannot do it write through it and say
 * nothing. Writes to the target's beginning. */
bool device_is_direct(const struct device *device);
void device_hooks(struct device *device, struct calibrate_hooks *hooks);

/* In the files beside. device_library.c: */
int device_lib_open(void *state, uint64_t *buffer_bytes, bool *has_first_rule);
int device_lib_write(void *state, uint64_t size, unsigned times);
int device_lib_flush(void *state);
int device_lib_close(void *state);
/* device_kernel.c: */
void device_find_counters(struct device *device);
uint64_t device_others_ns(void *state);
uint64_t device_foreign_ns(void *state);
int device_settle(void *state);
int device_flush(void *state);
bool device_is_flushing(void *state);
void device_control(void *state, struct model_control *control);
int device_flush_wait(void *state);
int device_look(void *state, struct dirty_state *dirty, uint64_t *written_bytes);
int device_thresholds(void *state, uint64_t background_bytes, uint64_t dirty_bytes);

#endif

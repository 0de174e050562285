/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ways to write: one table. A method is opened on a descriptor whose mode (O_SYNC, O_DIRECT ...) was chosen by
 * its caller, and writes from one buffer of data that it does not own. Its write is called by the measured loop:
 * nothing is allocated or printed there.
 */
#ifndef IOWRITE_BENCH_WRITE_METHOD_H
#define IOWRITE_BENCH_WRITE_METHOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum method_buffering { METHOD_LIBC_DEFAULT, METHOD_FULL, METHOD_UNBUFFERED };

struct method_setup {
	int fd;                    /* opened for this method; method_close closes it */
	const void *data;          /* largest_bytes of it, aligned for O_DIRECT */
	uint64_t largest_bytes;    /* of one write */
	uint64_t file_bytes;       /* of the file at the end: what mmap maps */
	int rwf_flags;             /* RWF_DSYNC ...: only where has_rwf */
	enum method_buffering buffering; /* fwrite: setvbuf(3) */
	size_t buffer_bytes;             /* fwrite with METHOD_FULL */
};

struct method {
	const char *name;    /* "pwrite" */
	const char *meaning;
	bool has_direct;     /* O_DIRECT makes sense */
	bool has_rwf;        /* takes RWF_ flags */
	bool is_mapped;      /* the file has its length before the first write */
	bool is_sequential;  /* writes where the last one ended: a seek costs a call more */
	/* Returns 0 or -errno; `close` frees *state. */
	int (*open)(const struct method_setup *setup, void **state);
	/* Returns the bytes written, or -errno. */
	int64_t (*write)(void *state, uint64_t offset, uint64_t size);
	/* Passes the bytes that the process itself holds back to the kernel: fflush(3). NULL = it holds none. */
	int (*flush)(void *state);
	/* Returns where byte 0 of the file is in memory. NULL = the file is not mapped. */
	char *(*mapping)(void *state);
	/* Also closes the descriptor. Returns 0, or the -errno of writes that closing caused. */
	int (*close)(void *state);
};

/* Ended by a row without a name. */
extern const struct method methods[];
const struct method *method_of(const char *name); /* NULL = none */

/* The ways to make each write durable: one table. */
struct method_sync {
	const char *name;    /* "fsync" */
	const char *meaning;
	int rwf_flags;       /* done by the write itself: sync is NULL then, and method.has_rwf is needed */
	bool needs_mapping;  /* only of a method with one */
	/* Returns 0 or -errno; NULL = no sync. The range is that of all writes since the last one; map: method.mapping's. */
	int (*sync)(int fd, char *map, uint64_t offset, uint64_t size);
	bool is_whole;       /* the file's times are written, too */
	bool leaves_cache;   /* the device's write cache is not flushed: nothing is durable */
};
extern const struct method_sync method_syncs[];
const struct method_sync *method_sync_of(const char *name);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine uffd-wp: pages of cooperating processes are write protected by userfaultfd, and scanned for pages written since the
 * last scan. Each process hands over a userfaultfd through the library that is preloaded into it (memtrace/writes_uffd.h); the
 * kernel resolves the faults itself.
 *
 * Private memory that may be written to is scanned. A page of it that the process has only read is a page of its file or the
 * kernel's zero page; neither counts as written.
 */
#ifndef MEMTRACE_WRITES_H
#define MEMTRACE_WRITES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memtrace/trace_file.h"

#define WRITES_HZ 10

struct writes;

/* Returns NULL if this kernel supports the engine, else the reason why not, in one line. */
const char *writes_why_not(void);
/* Listens for processes, and sets LD_PRELOAD and MEMTRACE_WRITES for the command that is started next. Returns a descriptor, or
 * -errno; -ENOENT if the library is neither in the program's directory nor installed. */
int writes_listen(void);
/* Creates the scanner, which owns the descriptor, on errors as well. Returns 0 or -errno. */
int writes_new(int listen_fd, struct writes **writes);
int writes_fd(const struct writes *writes); /* readable: call writes_accept */

/* Takes a page that was written since the last scan: TRACE_STORE, tid is its process. Returns 0, or an error that ends the scan. */
typedef int writes_take_fn(void *context, const struct trace_sample *sample);

/* A result of PAGEMAP_SCAN. */
struct writes_region {
	uint64_t begin, end, categories;
};

/* Passes each page of the regions to take. Returns 0 or the result of take. */
int writes_pages(const struct writes_region *regions, size_t count, uint64_t page_bytes, const struct trace_sample *sample,
	writes_take_fn *take, void *context);
/* Handles the message of one process that begins, forked or ends; take is that of writes_scan, for a process that ends.
 * Processes of other users are ignored. Returns 0, -ENOMEM, or the result of take. */
int writes_accept(struct writes *writes, writes_take_fn *take, void *context);
/* Passes every page that was written since the previous scan, in all processes, to take, and protects it again; take NULL only
 * protects. The time is CLOCK_MONOTONIC at the beginning of the process's scan. Returns 0, -ENOMEM, or the result of take. */
int writes_scan(struct writes *writes, writes_take_fn *take, void *context);
uint64_t writes_joined(const struct writes *writes); /* programs and processes that have handed over a descriptor */
void writes_free(struct writes *writes);

#endif

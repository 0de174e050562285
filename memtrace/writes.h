/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The engine uffd-wp: pages of cooperating processes are write protected by userfaultfd, and scanned for those that were written
 * since. Each process hands over a userfaultfd by the library that is preloaded into it (memtrace/writes_uffd.h); the kernel
 * resolves the faults itself.
 *
 * Scanned is private memory that may be written to. In it a page that the process has read only is one of its file or the
 * kernel's page of zeros; neither counts as written.
 */
#ifndef MEMTRACE_WRITES_H
#define MEMTRACE_WRITES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memtrace/trace_file.h"

#define WRITES_HZ 10

struct writes;

/* NULL = this kernel can do it, or what is missing, in one line. */
const char *writes_why_not(void);
/* Listens for processes, and sets LD_PRELOAD and MEMTRACE_WRITES for the command that is started next: a descriptor, or -errno:
 * -ENOENT the library is neither beside the program nor installed. */
int writes_listen(void);
/* Takes the descriptor, on errors as well. 0 or -errno. */
int writes_new(int listen_fd, struct writes **writes);
int writes_fd(const struct writes *writes); /* readable: writes_accept */

/* A page that was written since the last scan: TRACE_STORE, tid is its process. 0, or an error that ends the scan. */
typedef int writes_take_fn(void *context, const struct trace_sample *sample);

/* What PAGEMAP_SCAN answers with. */
struct writes_region {
	uint64_t begin, end, categories;
};

/* Each page of the regions. 0 or what take returned. */
int writes_pages(const struct writes_region *regions, size_t count, uint64_t page_bytes, const struct trace_sample *sample,
	writes_take_fn *take, void *context);
/* One process that begins, forked or ends; take as of writes_scan, for one that ends. Of another user's nothing is taken. */
int writes_accept(struct writes *writes, writes_take_fn *take, void *context);
/* Every page that was written since the scan before, in all processes, and protects it again; take NULL: protects only. The time
 * is CLOCK_MONOTONIC when the scan of the process began. 0, -ENOMEM, or what take returned. */
int writes_scan(struct writes *writes, writes_take_fn *take, void *context);
uint64_t writes_joined(const struct writes *writes); /* programs and processes that handed over a descriptor so far */
void writes_free(struct writes *writes);

#endif

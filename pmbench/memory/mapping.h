/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory under test: its mapping and its content. */
#ifndef PMBENCH_MEMORY_MAPPING_H
#define PMBENCH_MEMORY_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mapping_kind { MAPPING_ANONYMOUS, MAPPING_SHARED, MAPPING_MEMFD, MAPPING_FILE, MAPPING_HUGETLB };
/* CONTENT_NONE: nothing is written before the run. */
enum mapping_content { CONTENT_NONE, CONTENT_RANDOM, CONTENT_POINTER, CONTENT_ZERO, CONTENT_RATIO };

struct mapping_request {
	enum mapping_kind kind;
	char path[256];               /* of file:PATH; a new file is created and removed, an existing file is
	                                 opened read-only if the run neither writes nor initialises (the plan refuses
	                                 other runs); links are followed as in report_draft_place */
	enum mapping_content content; /* of --content; CONTENT_RANDOM with -i */
	double compressible_percent;  /* P of ratio:P, the percentage of each page that is zero */
	bool wants_thp;               /* MADV_HUGEPAGE, otherwise MADV_NOHUGEPAGE */
	bool is_in_order;             /* file: pages are accessed sequentially; otherwise MADV_RANDOM is set, since
	                                 the kernel would read megabytes around each fault */
};

struct mapping {
	struct mapping_request request;
	void *base;
	size_t bytes;        /* as requested */
	size_t mapped_bytes; /* hugetlb: rounded up to whole huge pages */
	int fd;              /* -1 = none */
	bool is_unlinked;
};

/* "anon" "shared" "memfd" "file:PATH" "hugetlb"; "random" "ptr" "zero" "none" "ratio:P" with P in percent.
 * Set the kind (and path) or the content of the request. Return 0, or -EINVAL or -ERANGE and in *why (static text) what is
 * allowed. */
int mapping_parse_kind(const char *text, struct mapping_request *request, const char **why);
int mapping_parse_content(const char *text, struct mapping_request *request, const char **why);
const char *mapping_kind_name(enum mapping_kind kind);
const char *mapping_content_name(enum mapping_content content);

/* Returns the size of the kernel's default huge pages; 0 = it has none. */
size_t mapping_huge_page_bytes(void);

/* Returns whether the pages need swap when memory is short. Pages of a file are written back to it (except on tmpfs), and huge
 * pages are reserved beforehand. */
bool mapping_is_swapped(const struct mapping_request *request);

/* Checks whether each of `processes` processes can map this; changes nothing. Returns 0, or -errno and in why one line
 * (what is missing, how to fix it): missing huge pages, an existing file that would be written, no free space, a device.
 * The plan checks the amount of memory. */
int mapping_check(const struct mapping_request *request, size_t bytes, unsigned processes, bool is_writable, char *why,
	size_t length);

/* Maps bytes (a multiple of the page size) and calls madvise; touches no page, but allocates the blocks of a new
 * file. A new file is unlinked before it is sized, so that it does not outlive the process. An existing file is opened
 * for reading only. Returns 0 or -errno, without a message; -EEXIST if the file exists and is_writable is set. */
int mapping_open(const struct mapping_request *request, size_t bytes, bool is_writable, struct mapping *mapping);
/* Fills every byte according to the content; seed is that of the random words. CONTENT_NONE touches nothing; for other
 * contents the mapping must be writable. */
void mapping_fill(struct mapping *mapping, uint64_t seed);
/* Stores in *pages how many pages of the set map the shared zero page: exact by PAGEMAP_SCAN (Linux 6.7, no privilege),
 * otherwise extrapolated from the page frame numbers (CAP_SYS_ADMIN) of at most 4096 pages. Returns 0, or -errno if
 * neither is available (-EPERM: the numbers are hidden). */
int mapping_zero_pages(const struct mapping *mapping, size_t set_bytes, uint64_t *pages);
/* Returns the number of pages of the mapped file that are in the page cache; UINT64_MAX = unknown or no file: mincore(2) is valid
 * only for the owner of the file and for users who may write it. Touches none of them. */
uint64_t mapping_cached_pages(const struct mapping *mapping);
/* Returns the bytes of the mapping that are in transparent huge pages (smaps). */
uint64_t mapping_huge_bytes(const struct mapping *mapping);
/* Returns read_ahead_kb of the file's device in KiB; UINT64_MAX = unknown or no file. root as in common/base/sysfs.h. */
uint64_t mapping_read_ahead_kb(const char *root, const struct mapping *mapping);
void mapping_close(struct mapping *mapping);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The memory under test: what is mapped, what is in it. */
#ifndef PMBENCH_MAPPING_H
#define PMBENCH_MAPPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mapping_kind { MAPPING_ANONYMOUS, MAPPING_SHARED, MAPPING_MEMFD, MAPPING_FILE, MAPPING_HUGETLB };
/* NONE: nothing is written before the run. */
enum mapping_content { CONTENT_NONE, CONTENT_RANDOM, CONTENT_POINTER, CONTENT_ZERO, CONTENT_RATIO };

struct mapping_request {
	enum mapping_kind kind;
	char path[256];               /* file:PATH; created and removed, or an existing file opened read-only when
	                                 the run never writes and never initialises (plan refuses otherwise); links
	                                 are followed as in report_draft_place */
	enum mapping_content content; /* --content, or random by -i */
	double compressible_percent;  /* ratio:P, share of each page that is zero */
	bool wants_thp;               /* MADV_HUGEPAGE; otherwise MADV_NOHUGEPAGE */
	bool is_in_order;             /* file: pages are accessed one after the other; otherwise MADV_RANDOM, or the
	                                 kernel reads megabytes around each fault */
};

struct mapping {
	struct mapping_request request;
	void *base;
	size_t bytes;        /* as asked for */
	size_t mapped_bytes; /* hugetlb: rounded up to whole huge pages */
	int fd;              /* -1 = none */
	bool is_unlinked;
};

struct mapping_cache { /* file: what of it the page cache holds */
	bool is_known;      /* mincore(2) tells only who owns the file or may write it */
	uint64_t resident_pages;
};

/* "anon" "shared" "memfd" "file:PATH" "hugetlb"; "random" "ptr" "zero" "none" "ratio:P" with P in percent.
 * 0, -EINVAL or -ERANGE; *why (static text) says what is allowed. Nothing else of the request is changed. */
int mapping_parse_kind(const char *text, struct mapping_request *request, const char **why);
int mapping_parse_content(const char *text, struct mapping_request *request, const char **why);
const char *mapping_kind_name(enum mapping_kind kind);
const char *mapping_content_name(enum mapping_content content);

/* The size of the kernel's own huge pages; 0 = it has none. */
size_t mapping_huge_page_bytes(void);

/* Can `processes` processes each map this? Touches nothing. -errno with one line in why (what is missing, how to
 * fix it): huge pages that are not there, a file that exists and would be written, no space, a device. Memory
 * itself is the plan's business. */
int mapping_check(const struct mapping_request *request, size_t bytes, unsigned processes, bool is_writable, char *why,
	size_t length);

/* Maps bytes (a multiple of the page size) with madvise set; nothing is touched, except that the blocks of a new
 * file are allocated. A new file is unlinked before it is sized, so that nothing of it survives the process. An
 * existing file is only ever opened for reading: -EEXIST when is_writable. Silent: 0 or -errno. */
int mapping_open(const struct mapping_request *request, size_t bytes, bool is_writable, struct mapping *mapping);
/* Fills every byte as the content says; seed gives the random words. CONTENT_NONE touches nothing; otherwise the
 * mapping must have been opened writable. */
void mapping_fill(struct mapping *mapping, uint64_t seed);
/* How many of the set's pages are mapped by the shared zero page, through pages: exactly by PAGEMAP_SCAN (Linux
 * 6.7, no privilege), otherwise by page frame numbers (CAP_SYS_ADMIN) of at most 4096 pages, scaled. -errno when
 * neither is there (-EPERM: numbers are hidden). */
int mapping_zero_pages(const struct mapping *mapping, size_t set_bytes, uint64_t *pages);
/* Counts the mapping's pages in the page cache. Touches none of them. */
void mapping_look_at_cache(const struct mapping *mapping, struct mapping_cache *cache);
/* Bytes of the mapping in transparent huge pages (smaps). */
uint64_t mapping_huge_bytes(const struct mapping *mapping);
/* read_ahead_kb of the file's device, -1 = unknown or no file. root as in common/sysfs.h. */
int64_t mapping_read_ahead_kb(const char *root, const struct mapping *mapping);
void mapping_close(struct mapping *mapping);

#endif

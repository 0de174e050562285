/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which mapping of which process an address belonged to, and what it was called, from the events of a recording. */
#ifndef MEMTRACE_REGIONS_H
#define MEMTRACE_REGIONS_H

#include <stddef.h>
#include <stdint.h>

#include "memtrace/objects.h"
#include "memtrace/trace_file.h"

struct regions;

/* A mapping, for as long as the recording is loaded. */
struct region {
	uint64_t begin, end; /* addresses */
	uint64_t from_ns;    /* when it was made */
	uint64_t offset;     /* of its first byte in the file */
	const char *name;    /* the file, "//anon", "[stack]", "[heap]" */
	uint32_t pid;
};

int regions_new(struct regions **regions); /* 0 or -ENOMEM */
/* Every event of the recording, in any order; a question is answered from the mappings before the last regions_sort, and may
 * not follow the event of a thread before it. 0 or -ENOMEM. */
int regions_add(struct regions *regions, const struct trace_event *event);
int regions_sort(struct regions *regions); /* 0 or -ENOMEM */
/* The process of a thread at that time; 0 = unknown. */
uint32_t regions_process(const struct regions *regions, uint32_t tid, uint64_t time_ns);
/* The name of a thread at that time, "" = unknown. */
const char *regions_thread_name(const struct regions *regions, uint32_t tid, uint64_t time_ns);
/* The mapping that held the address then: of the process, or of the one that it was forked from. A stack grows downwards
 * without an event: what is close below it belongs to it. NULL = none is known. */
const struct region *regions_find(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time_ns);
/* The same, and from where to below where every address has the same answer at that time. */
struct region_span {
	uint64_t begin, end;
};
const struct region *regions_find_span(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time_ns,
	struct region_span *span);
/* What an address is called: an object's name, else its mapping's. The mappings of code are asked for by regions_find. */
enum region_kind { REGION_NONE, REGION_RANGE, REGION_OBJECT, REGION_ALLOCATION, REGION_MAPPING, REGION_KINDS };
const char *region_kind_name(enum region_kind kind); /* "range": of --range; "object": named by the program; "mapping" */
struct region_name {
	enum region_kind kind; /* NONE, OBJECT, ALLOCATION or MAPPING */
	const char *text;      /* "unknown" = NONE */
	uint64_t begin, end;   /* of the object */
	uint64_t element;      /* bytes of one; 0 = not given */
};
struct region_name regions_name(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time_ns,
	struct region_span *span);
/* For what names allocations. A text that lives as long as the regions, or NULL. */
struct objects *regions_objects(struct regions *regions);
const char *regions_text(struct regions *regions, const char *text);
void regions_free(struct regions *regions);

#endif

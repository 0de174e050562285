/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the mapping and process that an address belonged to, and its name, from the events of a recording. */
#ifndef MEMTRACE_NAMES_REGIONS_H
#define MEMTRACE_NAMES_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memtrace/file/trace_file.h"
#include "memtrace/names/objects.h"

struct regions;

/* A mapping; valid as long as the regions. */
struct region {
	uint64_t begin, end; /* addresses */
	uint64_t from_ns;    /* when it was created */
	uint64_t offset;     /* of its first byte in the file */
	const char *name;    /* the file, "//anon", "[stack]", "[heap]" */
	uint32_t pid;
};

int regions_new(struct regions **regions); /* 0 or -ENOMEM */
/* Adds an event; all events of the recording are added, in any order. Queries use the mappings added before the last
 * regions_sort; regions_sort must be called between adding an event of a thread and the next query. Returns 0 or -ENOMEM. */
int regions_add(struct regions *regions, const struct trace_event *event);
int regions_sort(struct regions *regions); /* 0 or -ENOMEM */
/* Returns the process of a thread at that time; 0 = unknown. */
uint32_t regions_process(const struct regions *regions, uint32_t tid, uint64_t time_ns);
/* Returns the name of a thread at that time; "" = unknown. */
const char *regions_thread_name(const struct regions *regions, uint32_t tid, uint64_t time_ns);
/* Returns the mapping that contained the address at that time, of the process or of the one that it was forked from, or NULL if
 * none is known. A stack grows downwards without an event: addresses close below it belong to it. */
const struct region *regions_find(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time_ns);
/* Does the same; span receives the addresses (end excluded) that have the same answer at that time. */
struct region_span {
	uint64_t begin, end;
};
const struct region *regions_find_span(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time_ns,
	struct region_span *span);
/* Computes the size of all mappings whose name is wanted, as if none was ever removed; memory of a process that was mapped
 * twice counts once. A stack may have grown beyond it. Returns 0 or -ENOMEM. */
struct regions_size {
	uint64_t all, most; /* bytes of all processes, and the most of one */
	size_t processes;   /* number of processes with such mappings; others may share those of the process that forked them */
};
int regions_size(const struct regions *regions, bool (*is_wanted)(const void *data, const char *name), const void *data,
	struct regions_size *size);
/* Finds the name of an address: that of an object, else that of its mapping. regions_find finds mappings of code. */
enum region_kind { REGION_NONE, REGION_RANGE, REGION_OBJECT, REGION_ALLOCATION, REGION_MAPPING, REGION_KINDS };
const char *region_kind_name(enum region_kind kind); /* "range": of --range; "object": named by the program; "mapping" */
struct region_name {
	enum region_kind kind; /* NONE, OBJECT, ALLOCATION or MAPPING */
	const char *text;      /* "unknown" = NONE */
	uint64_t begin, end;   /* of the object */
	uint64_t element;      /* bytes of an element; 0 = not given */
};
/* Tells whether memtrace maps this into the programs that it records. */
bool region_is_own(const struct region_name *name);
struct region_name regions_name(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time_ns,
	struct region_span *span);
/* Access for naming allocations. regions_text returns a copy that lives as long as the regions, or NULL. */
struct objects *regions_objects(struct regions *regions);
const char *regions_text(struct regions *regions, const char *text);
void regions_free(struct regions *regions);

#endif

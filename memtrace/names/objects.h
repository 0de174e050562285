/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of address ranges over time: names set by a program through the control file, and allocations.
 *
 * If several ranges contain an address at a time, the newest counts. Freed memory is a range without a name. A lookup costs the
 * square of the logarithm of the number of ranges, however often memory is allocated again or a name is forgotten.
 */
#ifndef MEMTRACE_NAMES_OBJECTS_H
#define MEMTRACE_NAMES_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object {
	uint64_t begin, end;      /* addresses */
	uint64_t from_ns, until_ns; /* the range has its name from from_ns to before until_ns, which objects_sort may set */
	uint64_t element;         /* bytes of an element; 0 = not given */
	uint64_t site;            /* return address of an allocation's call; else 0 */
	uint64_t outer;           /* that of its caller; 0 = not known */
	const char *name;         /* NULL: no name here, or an allocation that is not named yet */
	uint32_t pid;             /* 0 = any process */
	uint32_t order;           /* set by objects_add: orders events of one time */
};

struct object_end { /* the name of all ranges with this name ends */
	const char *name;
	uint64_t time_ns;
	uint32_t order;
};

struct objects { /* zeroed: none */
	struct object *list;      /* by time once sorted */
	struct object_end *ends;
	size_t count, capacity, end_count, end_capacity;
	bool has_names;
	/* Set by objects_sort. */
	struct object_key *keys;  /* addresses at which an answer may change, rising */
	size_t key_count, leaves; /* of a tree over the keys, a power of two */
	size_t *starts;           /* by node of the tree: index in nodes */
	uint32_t *nodes;          /* indices of list, rising, of each node in turn */
	/* A tree over nodes, with the latest until_ns of each part; NULL = no range ends. */
	uint64_t *latest;
	size_t latest_leaves;     /* a power of two */
};

/* Adds a range; name is kept by reference. objects_sort must be called again. Returns 0 or -ENOMEM. */
int objects_add(struct objects *objects, const struct object *object);
/* Ends the name of all ranges that have this name at time_ns and were added before; name is kept by reference. objects_sort must be
 * called again. Returns 0 or -ENOMEM. */
int objects_forget(struct objects *objects, const char *name, uint64_t time_ns);
int objects_sort(struct objects *objects); /* returns 0 or -ENOMEM */
/* Returns the newest range of exactly this process (0: ranges of any process) that contained the address at that time, or NULL
 * if there is none; the range may have no name. *begin and *end, set by the caller, are reduced to addresses that have the same
 * answer at that time. */
const struct object *objects_find(const struct objects *objects, uint32_t pid, uint64_t address, uint64_t time_ns,
	uint64_t *begin, uint64_t *end);
void objects_free(struct objects *objects);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of ranges of addresses over time: those that a program gave through the control file, and its allocations.
 *
 * Of all ranges that held an address at a time the newest one counts. What is freed is a range without a name, so a question
 * costs the square of the logarithm of their number, however often an address was allocated again.
 */
#ifndef MEMTRACE_OBJECTS_H
#define MEMTRACE_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object {
	uint64_t begin, end;      /* addresses */
	uint64_t from_ns, until_ns; /* has this name from from_ns to before until_ns */
	uint64_t element;         /* bytes of one; 0 = not given */
	uint64_t site;            /* of an allocation: where the call returns to; otherwise 0 */
	const char *name;         /* NULL: nothing has a name here; or an allocation that is not named yet */
	uint32_t pid;             /* 0 = any process */
};

struct objects { /* zeroed: none */
	struct object *list;      /* by time once sorted */
	size_t count, room;
	bool has_names;
	/* Of objects_sort. */
	struct object_key *keys;  /* where an answer may change, rising */
	size_t key_count, leaves; /* of a tree over the keys, a power of two */
	size_t *starts;           /* by node of the tree: index in nodes */
	uint32_t *nodes;          /* indices of list, rising, of each node in turn */
};

/* name is kept by reference. 0, or -ENOMEM; the last objects_sort no longer holds. */
int objects_add(struct objects *objects, const struct object *object);
/* The ranges of this name have it until then. */
void objects_forget(struct objects *objects, const char *name, uint64_t time_ns);
int objects_sort(struct objects *objects); /* 0 or -ENOMEM */
/* The newest range of exactly this process (0: of those of any) that held the address then; it may have no name. NULL = none.
 * begin and end, as they come, are cut to where every address has the same answer at that time. */
const struct object *objects_find(const struct objects *objects, uint32_t pid, uint64_t address, uint64_t time_ns,
	uint64_t *begin, uint64_t *end);
void objects_free(struct objects *objects);

#endif

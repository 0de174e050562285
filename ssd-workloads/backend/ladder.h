/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which backend can be had here: io_uring, else threads with pwrite, and why not the one before. */
#ifndef SSD_WORKLOADS_BACKEND_LADDER_H
#define SSD_WORKLOADS_BACKEND_LADDER_H

#include <stddef.h>

#include "ssd-workloads/backend/backend.h"

#define LADDER_RUNGS 2

struct ladder {
	const struct backend_ops *ops; /* the rung that holds, NULL = none */
	size_t count;                  /* rungs that were tried, the one that holds last */
	struct ladder_try {
		const char *name;
		int error;             /* 0 or -errno */
		const char *why;       /* NULL when it holds */
	} tries[LADDER_RUNGS];
	char features[160];
};

/* "uring", "threads"; NULL when there is no such rung. */
const struct backend_ops *ladder_find(const char *name);
/* Opens and closes each from `first` on (NULL = the top) until one holds; only (NULL = none) is the one that must.
 * setups: of each worker (1 at least), for all are open at once in the run; features are what each of them has.
 * DIAG_EXIT_OK, or DIAG_EXIT_HOST after one line that names the rung and the reason. */
int ladder_choose(const struct backend_setup *setups, size_t count, const char *first, const char *only,
	struct ladder *ladder);

#endif

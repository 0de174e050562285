/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which backend is available here: io_uring, else threads with pwrite, and why not the one before. */
#ifndef SSD_WORKLOADS_BACKEND_CHOOSE_H
#define SSD_WORKLOADS_BACKEND_CHOOSE_H

#include <stddef.h>

#include "ssd-workloads/backend/backend.h"

#define BACKEND_KINDS 2

struct backend_choice {
	const struct backend_ops *ops; /* the one that is used, NULL = none */
	size_t count;                  /* that were tried, the one that is used last */
	struct backend_attempt {
		const char *name;
		int error;             /* 0 or -errno */
		const char *why;       /* NULL of the one that is used */
	} tries[BACKEND_KINDS];
	char features[160];
};

/* "uring", "threads"; NULL when there is none of this name. */
const struct backend_ops *backend_find(const char *name);
/* Opens and closes each from `first` on (NULL = the top) until one holds; only (NULL = none) is the one that must.
 * setups: of each worker (1 at least), for all are open at once in the run; features are what each of them has.
 * DIAG_EXIT_OK, or DIAG_EXIT_HOST after one line that names the backend and the reason. */
int backend_choose(const struct backend_setup *setups, size_t count, const char *first, const char *only,
	struct backend_choice *choice);

#endif

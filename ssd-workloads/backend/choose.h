/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Choice of the first available backend, io_uring or else threads with pwrite, and the reasons why earlier ones are not
 * available. */
#ifndef SSD_WORKLOADS_BACKEND_CHOOSE_H
#define SSD_WORKLOADS_BACKEND_CHOOSE_H

#include <stddef.h>

#include "ssd-workloads/backend/backend.h"

#define BACKEND_KINDS 2

struct backend_choice {
	const struct backend_ops *ops; /* the backend in use, NULL = none */
	size_t count;                  /* number of tries; the backend in use is the last */
	struct backend_attempt {
		const char *name;
		int error;             /* 0 or -errno */
		const char *why;       /* NULL for the backend in use */
	} tries[BACKEND_KINDS];
	char features[160];
};

/* Returns the backend "uring" or "threads"; NULL if there is none of this name. */
const struct backend_ops *backend_find(const char *name);
/* Opens and closes each backend from `first` on (NULL = the first) until one works; if `only` is not NULL, that one must. setups
 * has one row per worker (at least 1), since all are open at once in the run; features are those that each of them has. Returns
 * DIAG_EXIT_OK, or DIAG_EXIT_HOST after an error message that names the backend and the reason. */
int backend_choose(const struct backend_setup *setups, size_t count, const char *first, const char *only,
	struct backend_choice *choice);

#endif

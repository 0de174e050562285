/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether two calibrations of one place agree: within a tenth in everything that a model uses. */
#ifndef IOWRITE_BENCH_CALIBRATE_AGREE_H
#define IOWRITE_BENCH_CALIBRATE_AGREE_H

#include <stdbool.h>
#include <stddef.h>

#include "iowrite-bench/system.h"

#define AGREE_WITHIN 0.1

struct agree_finding {
	char name[48];        /* "bw_dev", "direct.append 4096" */
	const char *unit;     /* as system_row has it */
	double before, now;   /* NAN = not known */
	const char *why;      /* of the one that is unstable, NULL = none of the two was known to be */
	bool is_the_older;    /* whose reason it is */
};

struct agree {
	size_t compared, count;
	struct agree_finding *findings;
};

/* Also marks what differs in `now` as unstable, where it was not. 0 or -ENOMEM. */
int agree_make(const struct system *before, struct system *now, struct agree *agree);
void agree_free(struct agree *agree);
/* A line for each, and one for all. */
void agree_print(const struct agree *agree, const char *path);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether two calibrations of one place agree: within a tenth of the older one in everything that a model uses,
 * parameters, of each size of the curves the median and, where both have it, the mean, what is read off their lines, and
 * the throttled writes' bands. What only one of the two knows is a finding, too, with the other's reason.
 */
#ifndef IOWRITE_BENCH_CALIBRATE_COMPARE_H
#define IOWRITE_BENCH_CALIBRATE_COMPARE_H

#include "iowrite-bench/system.h"

#define AGREE_WITHIN 0.1
#define AGREE_NAME 64
#define AGREE_WHY SYSTEM_WHY /* as system_value's */

struct agree_finding {
	char name[AGREE_NAME]; /* "bw_dev", "direct.append 4096", "direct.append 4096 mean", "throttled 8 MiB p90" */
	const char *unit;      /* as system_row has it */
	double before, now;    /* NAN = not known */
	double change;         /* as part of the older value; infinite = that is 0, NAN = only one is known */
	char why[AGREE_WHY];   /* of the one that is unstable or has it not; "" = none of the two was known to be */
	bool is_the_older;     /* whose reason it is */
};

struct agree {
	size_t compared, count;
	struct agree_finding *findings;
};

/* Also marks what differs, and what `before` has not, in `now` as unstable, where it was not. 0 or -ENOMEM. */
int agree_make(const struct system *before, struct system *now, struct agree *agree);
void agree_free(struct agree *agree);
/* A line for each, and one for all. */
void agree_print(const struct agree *agree, const char *path);

#endif

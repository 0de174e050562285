/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far a prediction is from what was measured. All in percent (docs/report-iowrite.md, scenario/model). */
#ifndef IOWRITE_BENCH_EVALUATE_ERRORS_H
#define IOWRITE_BENCH_EVALUATE_ERRORS_H

#include "iowrite-bench/evaluate/measured.h"
#include "iowrite-bench/predict/predict.h"

struct errors {
	/* mean of |p - m| / m, as far as the clock can tell (measured_error). p is what the model calls typical
	 * (model/model.h), where it does: the best answer to this question, as the mean is to that of the total. */
	double per_write;
	double unresolved; /* what the mean of |p - m| / m is more: up to a step of the clock each */
	double mean_write; /* mean of |p - M| / M, M the mean of all writes of that size */
	double total;      /* signed: (sum of p - sum of m) / sum of m */
	double curve_gap;  /* mean of |sum of p so far - sum of m so far| / sum of m */
	double coverage;   /* of the writes with a band: those with m inside of it; NAN = none has one */
	/* Mean loss of the band's ends as quantiles of 10 and 90 %, of the mean m of these writes: what a band that is
	 * wide enough for everything pays for it. NAN = none has one. */
	double pinball;
};

/* prediction has as many writes as measured. */
void errors_make(const struct measured *measured, const struct prediction *prediction, struct errors *errors);

#endif

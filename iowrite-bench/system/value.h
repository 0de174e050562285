/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One calibrated number and how far it can be trusted. */
#ifndef IOWRITE_BENCH_SYSTEM_VALUE_H
#define IOWRITE_BENCH_SYSTEM_VALUE_H

#define SYSTEM_WHY 192 /* bytes of a reason */

struct system_value {
	double value;
	double low, high;       /* 95 % interval of the median, by order statistics; NAN = not estimated */
	unsigned n;             /* samples; 0 = not measured but read or computed */
	char method[64];        /* "median of 5 block medians", "/proc/vmstat", ... */
	char unstable[SYSTEM_WHY]; /* why it is unstable, or unknown; "" = stable */
	/* Statistics of all samples (estimate.h); p95 = 0: not estimated. */
	double mean, p5, p25, p75, p95;
	double mean_low, mean_high; /* 95 % interval of the mean; NAN = not estimated */
	unsigned outliers;          /* samples far from the median; they are part of the mean */
	double outlier_percent;     /* their share of the sum of all samples */
	unsigned left_out;          /* further samples, not used: other processes competed, or this one was stopped */
};

#endif

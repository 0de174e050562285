/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All latencies of a kind: exact moments, and counts under histogram_hdr. Has one writer. */
#ifndef COMMON_HOT_LATENCY_H
#define COMMON_HOT_LATENCY_H

#include "common/hot/bucket.h"

struct latency {          /* some 40 KiB; latency_clear (common/stats/latency.h) before the first */
	uint64_t count;
	double sum_ns, sum_squares_ns2;
	uint64_t min_ns, max_ns; /* UINT64_MAX and 0 while count is 0 */
	uint64_t counts[BUCKET_HDR_COUNT];
};

KEEP_INLINE void latency_add(struct latency *latency, uint64_t ns, uint64_t times)
{
	latency->count += times;
	latency->sum_ns += (double)ns * (double)times;
	latency->sum_squares_ns2 += (double)ns * (double)ns * (double)times;
	if (ns < latency->min_ns)
		latency->min_ns = ns;
	if (ns > latency->max_ns)
		latency->max_ns = ns;
	latency->counts[bucket_hdr(ns)] += times;
}

#endif

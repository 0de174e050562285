/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An objective: a statistic of a latency that has to stay below a bound, as people write it. */
#ifndef IOWRITE_BENCH_RUN_SLO_H
#define IOWRITE_BENCH_RUN_SLO_H

#include <stdbool.h>

#include "common/histogram.h"

enum slo_of { SLO_BOTH /* write and sync of one operation */, SLO_WRITE, SLO_SYNC };
enum slo_statistic { SLO_PERCENTILE, SLO_MEAN, SLO_MAX };

struct slo {
	const char *text; /* as given */
	enum slo_of of;
	enum slo_statistic statistic;
	double percent;   /* of SLO_PERCENTILE */
	double limit_ns;
	bool is_strict;   /* <, not <= */
};

/* "[write:|sync:|write+sync:]p99<10ms", with pNN or pNN.N, mean or max, and < or <=. 0, or -EINVAL and *why (static
 * text). text must outlive it. */
int slo_parse(const char *text, struct slo *slo, const char **why);

/* NAN when nothing was measured. */
double slo_reached_ns(const struct slo *slo, const struct histogram_layout *layout, const uint64_t *counts,
	const struct histogram_moments *moments);
/* What was not measured meets nothing. */
bool slo_is_met(const struct slo *slo, double reached_ns);

#endif

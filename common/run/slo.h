/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objectives (--slo): a statistic of a latency that has to stay below a limit, and whether a measured latency meets it. */
#ifndef COMMON_RUN_SLO_H
#define COMMON_RUN_SLO_H

#include <stdbool.h>
#include <stddef.h>

#include "common/hot/latency.h"
#include "schema/shared.h"

#define SLOS_MAX 16 /* of one command line */

enum slo_statistic { SLO_PERCENTILE, SLO_MEAN, SLO_MAX };

struct slo {
	const char *text; /* as given */
	unsigned of;      /* index of the latency in the program's names */
	enum slo_statistic statistic;
	double percent;   /* of SLO_PERCENTILE */
	double limit_ns;
	bool is_strict;   /* <, not <= */
};

/* Parses "[NAME:]p99<10ms", with pNN or pNN.N, mean or max, and < or <=. names: the latencies that a program has, ended by
 * NULL; the first one is meant where the text names none. Returns 0, or -EINVAL and *why (static text), which is unchanged when
 * the text does not have this form. text must outlive slo. */
int slo_parse(const char *text, const char *const *names, struct slo *slo, const char **why);

/* Returns the statistic of a latency; NAN when nothing was measured. */
double slo_value(const struct slo *slo, const struct latency *latency);
/* False for NAN. */
bool slo_is_met(const struct slo *slo, double value_ns);
/* Decides the objective for a report. doubt: a reason why the latency is meaningless (durability_doubt), which makes the
 * objective undecided; NULL = none. It must outlive the objective. */
void slo_decide(const struct slo *slo, const struct latency *latency, const char *doubt, struct objective_values *objective);
/* Returns "met", "MISSED" or "UNDECIDED". */
const char *slo_word(const struct objective_values *objective);

#endif

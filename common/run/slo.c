/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/run/slo.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/base/units.h"
#include "common/stats/latency.h"

int slo_parse(const char *text, const char *const *names, struct slo *slo, const char **why)
{
	struct slo found = {.text = text};
	const char *statistic = text, *sign;
	char word[16];
	uint64_t limit;

	for (unsigned i = 0; names[i]; i++) {
		size_t length = strlen(names[i]);

		if (strncmp(text, names[i], length) || text[length] != ':')
			continue;
		found.of = i;
		statistic = text + length + 1;
		break;
	}
	sign = strchr(statistic, '<');
	if (!sign || sign - statistic >= (ptrdiff_t)sizeof(word))
		return -EINVAL;
	snprintf(word, sizeof(word), "%.*s", (int)(sign - statistic), statistic);
	found.statistic = !strcmp(word, "mean") ? SLO_MEAN : !strcmp(word, "max") ? SLO_MAX : SLO_PERCENTILE;
	if (found.statistic == SLO_PERCENTILE &&
		(word[0] != 'p' || units_parse_double(word + 1, 0, 100, &found.percent))) {
		*why = "the statistic must be mean, max or p with 0 to 100, as p99.9";
		return -EINVAL;
	}
	found.is_strict = sign[1] != '=';
	if (units_parse_duration(sign + 1 + !found.is_strict, &limit) || !limit) {
		*why = "the bound must be a time above 0, as 10ms or 1.5s";
		return -EINVAL;
	}
	found.limit_ns = (double)limit;
	*slo = found;
	return 0;
}

double slo_value(const struct slo *slo, const struct latency *latency)
{
	return !latency->count		     ? NAN
	       : slo->statistic == SLO_MEAN ? latency->sum_ns / (double)latency->count
	       : slo->statistic == SLO_MAX  ? (double)latency->max_ns
					    : latency_percentile(latency, slo->percent);
}

bool slo_is_met(const struct slo *slo, double value_ns)
{
	return slo->is_strict ? value_ns < slo->limit_ns : value_ns <= slo->limit_ns;
}

void slo_decide(const struct slo *slo, const struct latency *latency, const char *doubt, struct objective_values *objective)
{
	double reached_ns = slo_value(slo, latency);

	*objective = (struct objective_values){.text = slo->text, .limit_ns = slo->limit_ns, .reached_ns = reached_ns,
		.is_met = !doubt && slo_is_met(slo, reached_ns), .undecided = doubt};
}

const char *slo_word(const struct objective_values *objective)
{
	return objective->undecided ? "UNDECIDED" : objective->is_met ? "met" : "MISSED";
}

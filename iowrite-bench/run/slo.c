/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/slo.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"

static const char shape[] = "must be [write:|sync:|write+sync:]STATISTIC<TIME as in 'p99<10ms' or 'sync:max<=1s'";

static const char *take_of(const char *text, struct slo *slo)
{
	static const struct {
		const char *prefix;
		enum slo_of of;
	} known[] = {{"write+sync:", SLO_BOTH}, {"write:", SLO_WRITE}, {"sync:", SLO_SYNC}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i].prefix);

		if (strncmp(text, known[i].prefix, length))
			continue;
		slo->of = known[i].of;
		return text + length;
	}
	slo->of = SLO_BOTH;
	return text;
}

static int take_statistic(const char *text, size_t length, struct slo *slo, const char **why)
{
	char word[16];

	if (length >= sizeof(word))
		return -EINVAL;
	snprintf(word, sizeof(word), "%.*s", (int)length, text);
	if (!strcmp(word, "mean") || !strcmp(word, "max")) {
		slo->statistic = word[1] == 'e' ? SLO_MEAN : SLO_MAX;
		return 0;
	}
	*why = "the statistic must be mean, max or p with 0 to 100, as p99.9";
	slo->statistic = SLO_PERCENTILE;
	return word[0] == 'p' && !units_parse_double(word + 1, 0, 100, &slo->percent) ? 0 : -EINVAL;
}

int slo_parse(const char *text, struct slo *slo, const char **why)
{
	struct slo found = {.text = text};
	const char *statistic = take_of(text, &found), *sign = strchr(statistic, '<');
	uint64_t limit;
	int rc;

	*why = shape;
	if (!sign)
		return -EINVAL;
	rc = take_statistic(statistic, (size_t)(sign - statistic), &found, why);
	if (rc)
		return rc;
	found.is_strict = sign[1] != '=';
	if (units_parse_duration(sign + 1 + !found.is_strict, &limit) || !limit) {
		*why = "the bound must be a time above 0, as 10ms or 1.5s";
		return -EINVAL;
	}
	found.limit_ns = (double)limit;
	*slo = found;
	return 0;
}

double slo_reached_ns(const struct slo *slo, const struct histogram_layout *layout, const uint64_t *counts,
	const struct histogram_moments *moments)
{
	if (!moments->count)
		return NAN;
	if (slo->statistic == SLO_MEAN)
		return moments->sum_ns / (double)moments->count;
	if (slo->statistic == SLO_MAX)
		return moments->max_ns;
	return histogram_percentile(layout, counts, moments, slo->percent);
}

bool slo_is_met(const struct slo *slo, double reached_ns)
{
	return slo->is_strict ? reached_ns < slo->limit_ns : reached_ns <= slo->limit_ns;
}

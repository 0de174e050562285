/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interference of the streams as a host sees it: the slowdown against running alone; stalls that both streams have at the same time
 * (shared cause: device or below) or one has alone; whether writes are slower when more of the other stream's are in flight
 * (Spearman). None of these proves a cause.
 */
#include "config.h"
#include "ssd-workloads/analyze/figure.h"

#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#define STALL_FACTOR 5.0 /* over the stream's median */

struct episode {
	uint64_t begin_ns, end_ns;
};

struct side { /* of a stream */
	struct writes writes;
	struct writes_summary summary;
	double stall_ns;
	size_t episode_count;
	struct episode *episodes;  /* by time, without overlaps */
	uint64_t stalled_ns, window_ns; /* window: the time that the records cover */
};

/* Overlapping stalls are one episode, from the first begin to the last end. */
static int find_episodes(struct side *side)
{
	side->episodes = reallocarray(NULL, side->writes.count + 1, sizeof(*side->episodes));
	if (!side->episodes)
		return -ENOMEM;
	for (size_t i = 0; i < side->writes.count; i++) {
		const struct write *write = &side->writes.list[i];
		struct episode *last = side->episode_count ? &side->episodes[side->episode_count - 1] : NULL;

		if ((double)write->response_ns <= side->stall_ns)
			continue;
		if (last && write->record->prep_ns <= last->end_ns) {
			if (write->record->reap_ns > last->end_ns)
				last->end_ns = write->record->reap_ns;
			continue;
		}
		side->episodes[side->episode_count++] = (struct episode){write->record->prep_ns, write->record->reap_ns};
	}
	for (size_t i = 0; i < side->writes.count; i++) {
		uint64_t ns = side->writes.list[i].record->reap_ns - side->writes.list[0].record->prep_ns;

		side->window_ns = ns > side->window_ns ? ns : side->window_ns;
	}
	for (size_t i = 0; i < side->episode_count; i++)
		side->stalled_ns += side->episodes[i].end_ns - side->episodes[i].begin_ns;
	return 0;
}

static size_t count_common(const struct side *side, const struct side *other)
{
	size_t common = 0, at = 0;

	for (size_t i = 0; i < side->episode_count; i++) {
		while (at < other->episode_count && other->episodes[at].end_ns < side->episodes[i].begin_ns)
			at++;
		common += at < other->episode_count && other->episodes[at].begin_ns <= side->episodes[i].end_ns;
	}
	return common;
}

/* Stores NAN if one of the two is constant, or if there are too few writes. */
static int correlate(const struct side *side, double *rho)
{
	size_t count = side->writes.count;
	double *values = reallocarray(NULL, 4 * count + 1, sizeof(*values));
	bool has_spread[2] = {false, false};

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		values[i] = side->writes.list[i].record->inflight_other;
		values[count + i] = (double)side->writes.list[i].response_ns;
		has_spread[0] = has_spread[0] || values[i] != values[0];
		has_spread[1] = has_spread[1] || values[count + i] != values[count];
	}
	*rho = NAN;
	if (count > 2 && has_spread[0] && has_spread[1])
		*rho = gsl_stats_spearman(values, 1, values + count, 1, count, values + 2 * count);
	free(values);
	return 0;
}

static int add_row(const struct figure_input *input, enum mix_stream stream, struct side sides[MIX_STREAMS],
	struct figure_table *table)
{
	const struct side *side = &sides[stream], *other = &sides[MIX_STREAMS - 1 - stream];
	const struct writes_summary *own = &side->summary;
	struct writes_summary alone = {.mean = 0};
	double rho = NAN;
	char ratios[4][FIGURE_NUMBER], correlation[FIGURE_NUMBER] = "-", common[FIGURE_NUMBER] = "-", share[FIGURE_NUMBER];
	int rc = correlate(side, &rho);

	if (!rc && input->alone[stream].dump)
		rc = writes_summary_of(input->alone[stream].dump, stream, &alone);
	if (rc)
		return rc;
	if (!isnan(rho))
		snprintf(correlation, sizeof(correlation), "%.4f", rho);
	if (other->writes.count)
		snprintf(common, sizeof(common), "%zu", count_common(side, other));
	return figure_table_add(table, "%s\t%zu\t%.0f\t%.0f\t%.0f\t%.0f\t%s\t%s\t%s\t%s\t%.0f\t%zu\t%s\t%s\t%s",
		mix_stream_name(stream), side->writes.count, own->mean, own->median, own->p99, own->p999,
		figure_quotient(ratios[0], 4, own->mean, alone.mean), figure_quotient(ratios[1], 4, own->median, alone.median),
		figure_quotient(ratios[2], 4, own->p99, alone.p99), figure_quotient(ratios[3], 4, own->p999, alone.p999),
		side->stall_ns, side->episode_count, common,
		figure_quotient(share, 4, 100 * (double)side->stalled_ns, (double)side->window_ns), correlation);
}

int figure_interference(const struct figure_input *input, struct figure_table *table, const char **why)
{
	struct side sides[MIX_STREAMS] = {{.stall_ns = 0}};
	int rc = 0;

	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++) {
		struct side *side = &sides[stream];

		rc = writes_of(input->dump, (enum mix_stream)stream, &side->writes);
		if (!rc)
			rc = writes_summarize(&side->writes, &side->summary);
		side->stall_ns = STALL_FACTOR * side->summary.median;
		if (!rc)
			rc = find_episodes(side);
	}
	for (int stream = 0; stream < MIX_STREAMS && !rc; stream++) {
		if (sides[stream].writes.count)
			rc = add_row(input, (enum mix_stream)stream, sides, table);
	}
	for (int stream = 0; stream < MIX_STREAMS; stream++) {
		writes_free(&sides[stream].writes);
		free(sides[stream].episodes);
	}
	*why = "holds no write that was completed";
	return rc || table->row_count ? rc : -ENODATA;
}

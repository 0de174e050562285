/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/hot/rng.h"
#include "common/stats/stats.h"

#define LEVEL 0.95
#define ROUNDS 2000u
#define RUNS_MIN 2u   /* one run shows no spread */

const char *baseline_statistic_name(enum baseline_statistic statistic)
{
	static const char *const names[] = {
		[BASELINE_MEAN] = "mean", [BASELINE_P50] = "p50", [BASELINE_P99] = "p99", [BASELINE_P999] = "p99.9",
		[BASELINE_COMMIT + BASELINE_MEAN] = "commit.mean", [BASELINE_COMMIT + BASELINE_P50] = "commit.p50",
		[BASELINE_COMMIT + BASELINE_P99] = "commit.p99", [BASELINE_COMMIT + BASELINE_P999] = "commit.p99.9",
		[BASELINE_THROUGHPUT] = "throughput"};

	return names[statistic];
}

void baseline_plan_make(const struct workload *workload, bool has_baselines, unsigned runs, struct baseline_plan *plan)
{
	*plan = (struct baseline_plan){.cell_count = 1, .cells = {*workload}, .runs = runs,
		.names = {"mix", "log-alone", "checkpoint-alone"}};
	if (!has_baselines || !workload->streams[MIX_LOG].depth || !workload->streams[MIX_CHECKPOINT].depth)
		return;
	for (int i = 0; i < MIX_STREAMS; i++)
		workload_alone(workload, (enum mix_stream)i, &plan->cells[plan->cell_count++]);
}

void baseline_plan_add(struct baseline_plan *plan, const char *name)
{
	plan->names[plan->cell_count] = name;
	plan->cells[plan->cell_count++] = plan->cells[0];
}

size_t baseline_cell_of(const struct baseline_plan *plan, enum mix_stream stream)
{
	return plan->cell_count == BASELINE_CELLS ? 1 + (size_t)stream : plan->cell_count - 1;
}

size_t baseline_order(const struct baseline_plan *plan, uint64_t seed, size_t step)
{
	size_t order[BASELINE_CELLS] = {0}, swapped;
	struct rng rng;

	/* Each repetition has its own random stream, so that any step can be computed alone. */
	rng_seed(&rng, seed, step / plan->cell_count);
	for (size_t i = 0; i < plan->cell_count; i++)
		order[i] = i;
	for (size_t i = plan->cell_count - 1; i > 0; i--) {
		size_t other = (size_t)rng_below(&rng, i + 1);

		swapped = order[i];
		order[i] = order[other];
		order[other] = swapped;
	}
	return order[step % plan->cell_count];
}

/* Collects the positive values of a cell's repetitions. Returns their number. */
static size_t gather(const struct baseline_plan *plan, const struct baseline_sample (*samples)[MIX_STREAMS], size_t cell,
	int stream, int statistic, double *values)
{
	size_t count = 0;

	for (unsigned run = 0; run < plan->runs; run++) {
		double value = samples[cell * plan->runs + run][stream].values[statistic];

		if (isfinite(value) && value > 0)
			values[count++] = value;
	}
	return count;
}

static int compare(const double *alone, size_t alone_count, const double *mix, size_t mix_count, uint64_t seed,
	struct baseline_ratio *ratio)
{
	struct stats_interval interval = {.low = NAN, .high = NAN};
	int rc;

	if (!alone_count || !mix_count)
		return 0;
	rc = stats_median(alone, alone_count, &ratio->alone);
	if (!rc)
		rc = stats_median(mix, mix_count, &ratio->mix);
	if (!rc && alone_count >= RUNS_MIN && mix_count >= RUNS_MIN)
		rc = stats_ratio_bootstrap(alone, alone_count, mix, mix_count, LEVEL, ROUNDS, seed, &interval, NULL);
	if (rc)
		return rc;
	ratio->ratio = ratio->mix / ratio->alone;
	ratio->low = interval.low;
	ratio->high = interval.high;
	ratio->is_known = true;
	return 0;
}

int baseline_compare(const struct baseline_plan *plan, const struct baseline_sample (*samples)[MIX_STREAMS], uint64_t seed,
	struct baseline_result *result)
{
	static const struct baseline_ratio unknown = {false, NAN, NAN, NAN, NAN, NAN};
	double *values = calloc(2 * (size_t)plan->runs + 1, sizeof(*values)), *mix = values ? values + plan->runs : NULL;
	int rc = 0;

	if (!values)
		return -ENOMEM;
	*result = (struct baseline_result){.runs = plan->runs};
	for (int i = 0; i < MIX_STREAMS * BASELINE_STATISTICS && !rc; i++) {
		int stream = i / BASELINE_STATISTICS, statistic = i % BASELINE_STATISTICS;
		struct baseline_ratio *ratio = &result->ratios[stream][statistic];

		*ratio = unknown;
		if (plan->cell_count == BASELINE_CELLS) {
			size_t alone_count = gather(plan, samples, 1 + (size_t)stream, stream, statistic, values);

			rc = compare(values, alone_count, mix, gather(plan, samples, 0, stream, statistic, mix), seed, ratio);
		}
	}
	free(values);
	return rc;
}

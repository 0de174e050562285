/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common/diag.h"

int run_result_init(struct run_result *result, const struct run_plan *plan, struct frame *frame)
{
	struct run_result fresh = {.plan = plan, .frame = frame};

	fresh.cells = calloc(plan->measured_count ? plan->measured_count : 1, sizeof(*fresh.cells));
	if (!fresh.cells)
		return -ENOMEM;
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct run_cell *cell = &plan->cells[i];
		struct run_measured *measured = &fresh.cells[fresh.cell_count];

		if (cell->skipped[0])
			continue;
		measured->cell = cell;
		measured->round_rates = calloc(plan->rounds, sizeof(*measured->round_rates));
		measured->has_flush = cell->method->flush != NULL;
		if (!measured->round_rates || tally_init(&measured->tally, cell->sync->sync != NULL)) {
			free(measured->round_rates);
			measured->round_rates = NULL;
			run_result_free(&fresh);
			return -ENOMEM;
		}
		fresh.cell_count++;
	}
	*result = fresh;
	return 0;
}

void run_result_free(struct run_result *result)
{
	for (size_t i = 0; i < result->cell_count; i++) {
		tally_free(&result->cells[i].tally);
		free(result->cells[i].round_rates);
	}
	free(result->cells);
	series_close(&result->series);
	result->cells = NULL;
	result->cell_count = 0;
}

static const struct tally_latency *latency_of(const struct run_measured *measured, const struct slo *slo)
{
	static const enum tally_of parts[] = {
		[SLO_BOTH] = TALLY_BOTH, [SLO_WRITE] = TALLY_WRITE, [SLO_SYNC] = TALLY_SYNC};

	return tally_latency(&measured->tally, parts[slo->of]);
}

bool run_result_concerns(const struct run_measured *measured, const struct slo *slo)
{
	return latency_of(measured, slo) != NULL;
}

double run_result_reached_ns(const struct run_measured *measured, const struct slo *slo)
{
	const struct tally_latency *latency = latency_of(measured, slo);

	return latency ? slo_reached_ns(slo, &histogram_hdr, latency->counts, &latency->moments) : NAN;
}

void run_result_judge(struct run_result *result)
{
	const struct run_options *options = result->plan->options;

	result->missed = 0;
	for (size_t i = 0; i < result->cell_count; i++) {
		const struct run_measured *measured = &result->cells[i];

		for (size_t k = 0; k < options->slo_count; k++) {
			const struct slo *slo = &options->slos[k];

			if (run_result_concerns(measured, slo) &&
				!slo_is_met(slo, run_result_reached_ns(measured, slo)))
				result->missed++;
		}
	}
}

int run_result_code(const struct run_result *result)
{
	for (size_t i = 0; i < result->cell_count; i++) {
		/* What another process has done to the file is no fault of the host. */
		if (result->cells[i].failure[0] && result->cells[i].error != ESTALE)
			return DIAG_EXIT_HOST;
	}
	if (result->is_interrupted || result->frame->reason_count)
		return DIAG_EXIT_UNTRUSTED;
	return result->missed ? DIAG_EXIT_NEGATIVE : DIAG_EXIT_OK;
}

double run_result_rate(const struct run_measured *measured, uint64_t amount)
{
	return measured->run_s > 0 ? (double)amount / measured->run_s : NAN;
}

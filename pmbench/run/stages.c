/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/run/stages.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "common/base/units.h"

static double seconds(const struct pmbench_result *result, uint64_t ticks)
{
	return (double)ticks / result->timebase.start.khz / 1e3;
}

static void print_ready(const struct control *control, const struct pmbench_result *result)
{
	const struct pmbench_plan *plan = result->plan;

	for (unsigned i = 0; i < plan->processes; i++) {
		uint64_t init_ns = control->slots[plan->process[i].first].status.init_ns;

		if (init_ns)
			printf("Initialization took %.4f ms\n", (double)init_ns / 1e6);
	}
	for (size_t i = 0; i < control->count; i++) {
		const struct control_status *status = &control->slots[i].status;
		uint64_t bytes = plan->process[plan->thread[i].process].set_bytes;

		printf("[%zu] num_pages: %" PRIu64 " (%" PRIu64 " MiB), shape: %.4f\n", i + 1,
			bytes / (uint64_t)sysconf(_SC_PAGESIZE), bytes >> 20, plan->phases[0].pattern.shape);
		printf("[%zu] Pattern generation overhead: %.4f usec per drawing\n", i + 1,
			seconds(result, status->draw_ticks) * 1e6 / (double)status->draws);
	}
}

static void print_warming(const struct control *control, const struct pmbench_plan *plan)
{
	char limit[32];

	if (plan->options->warmup == WARMUP_TIME)
		printf("Warming up for %s\n", units_format_duration((double)plan->options->warmup_ns, limit, sizeof(limit)));
	if (plan->options->warmup != WARMUP_PATTERN)
		return;
	for (size_t i = 0; i < control->count; i++)
		printf("[%zu] Performing %" PRIu64 " page accesses for warmup\n", i + 1,
			plan_warmup_accesses(plan->phases[0].pattern.kind,
				plan->process[plan->thread[i].process].set_bytes / (uint64_t)sysconf(_SC_PAGESIZE)));
	printf("The warmup ends after %s at the latest (--warmup-limit)\n",
		units_format_duration((double)plan->warmup_limit_ns, limit, sizeof(limit)));
}

static void print_warm(const struct control *control, const struct pmbench_result *result)
{
	for (size_t i = 0; i < control->count; i++) {
		const struct control_status *status = &control->slots[i].status;

		if (!status->warm_accesses)
			continue;
		if (result->plan->options->warmup == WARMUP_TIME || status->is_warmup_cut)
			printf("[%zu] Performed %" PRIu64 " page accesses for warmup\n", i + 1, status->warm_accesses);
		printf("[%zu] Warmup done - took %.0f us\n", i + 1, seconds(result, status->warm_ticks) * 1e6);
	}
	for (size_t i = 0; i < control->count; i++)
		printf("[%zu] Starting main benchmark\n", i + 1);
}

static void print_done(const struct control *control, const struct pmbench_result *result)
{
	for (size_t i = 0; i < control->count; i++) {
		const struct control_status *status = &control->slots[i].status;
		double took = seconds(result, status->end_ticks - status->begin_ticks);
		enum control_state state = control_get_state(&control->slots[i]);

		if (state != THREAD_DONE && state != THREAD_UNMAPPED)
			continue;
		printf("[%zu] Benchmark done - took %.3f sec for %" PRIu64 " page access\n", i + 1, took, status->accesses);
		printf("  (Average %.3f usec per page access)\n",
			status->accesses ? took * 1e6 / (double)status->accesses : 0.0);
	}
	printf("All threads joined\n");
	if (result->is_interrupted)
		printf("Benchmark interrupted during run - partial report will be generated\n");
}

void stages_print(enum run_stage stage, const struct control *control, const struct pmbench_result *result)
{
	const struct pmbench_options *options = result->plan->options;

	if (options->is_quiet || options->is_brief || !options_prints_text(options))
		return;
	switch (stage) {
	case STAGE_INITIALIZING:
		if (options->mapping.content != CONTENT_NONE)
			printf("Initializing memory map...\n");
		break;
	case STAGE_READY:
		print_ready(control, result);
		break;
	case STAGE_WARMING:
		print_warming(control, result->plan);
		break;
	case STAGE_WARM:
		print_warm(control, result);
		break;
	case STAGE_DONE:
		print_done(control, result);
		break;
	}
	fflush(stdout);
}

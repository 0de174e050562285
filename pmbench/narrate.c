/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/narrate.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "common/units.h"

static bool is_silent(const struct narrator *narrator)
{
	const struct pmbench_options *options = narrator->plan->options;

	return options->is_quiet || options->is_brief || !options_prints_text(options);
}

static double seconds(const struct narrator *narrator, uint64_t ticks)
{
	return (double)ticks / narrator->timebase->start.khz / 1e3;
}

static bool has_done(const struct control_slot *slot)
{
	return control_get_state(slot) == THREAD_DONE || control_get_state(slot) == THREAD_UNMAPPED;
}

void narrate_initializing(const struct narrator *narrator)
{
	if (is_silent(narrator) || narrator->plan->options->mapping.content == CONTENT_NONE)
		return;
	printf("Initializing memory map...\n");
	fflush(stdout);
}

void narrate_ready(const struct narrator *narrator)
{
	const struct pmbench_plan *plan = narrator->plan;

	if (is_silent(narrator))
		return;
	for (unsigned i = 0; i < plan->processes; i++) {
		uint64_t init_ns = narrator->control->slots[plan->process[i].first].status.init_ns;

		if (init_ns)
			printf("Initialization took %.4f ms\n", (double)init_ns / 1e6);
	}
	for (size_t i = 0; i < narrator->control->count; i++) {
		const struct control_status *status = &narrator->control->slots[i].status;
		uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
		uint64_t bytes = plan->process[plan->thread[i].process].set_bytes;

		printf("[%zu] num_pages: %" PRIu64 " (%" PRIu64 " MiB), shape: %.4f\n", i + 1, bytes / page_bytes,
			bytes >> 20, plan->phases[0].pattern.shape);
		printf("[%zu] Pattern generation overhead: %.4f usec per drawing\n", i + 1,
			seconds(narrator, status->draw_ticks) * 1e6 / (double)status->draws);
	}
	fflush(stdout);
}

void narrate_warming(const struct narrator *narrator)
{
	const struct pmbench_plan *plan = narrator->plan;
	char limit[32];

	if (is_silent(narrator) || plan->options->warmup == WARMUP_NONE)
		return;
	if (plan->options->warmup == WARMUP_TIME) {
		printf("Warming up for %s\n",
			units_format_duration((double)plan->options->warmup_ns, limit, sizeof(limit)));
		fflush(stdout);
		return;
	}
	for (size_t i = 0; i < narrator->control->count; i++)
		printf("[%zu] Performing %" PRIu64 " page accesses for warmup\n", i + 1,
			plan_warmup_accesses(plan->phases[0].pattern.kind,
				plan->process[plan->thread[i].process].set_bytes / (uint64_t)sysconf(_SC_PAGESIZE)));
	printf("The warmup ends after %s at the latest (--warmup-limit)\n",
		units_format_duration((double)plan->warmup_limit_ns, limit, sizeof(limit)));
	fflush(stdout);
}

void narrate_warm(const struct narrator *narrator)
{
	if (is_silent(narrator))
		return;
	for (size_t i = 0; i < narrator->control->count; i++) {
		const struct control_status *status = &narrator->control->slots[i].status;

		if (!status->warm_accesses)
			continue;
		if (narrator->plan->options->warmup == WARMUP_TIME || status->is_warmup_cut)
			printf("[%zu] Performed %" PRIu64 " page accesses for warmup\n", i + 1, status->warm_accesses);
		printf("[%zu] Warmup done - took %.0f us\n", i + 1, seconds(narrator, status->warm_ticks) * 1e6);
	}
	fflush(stdout);
}

void narrate_start(const struct narrator *narrator)
{
	if (is_silent(narrator))
		return;
	for (size_t i = 0; i < narrator->control->count; i++)
		printf("[%zu] Starting main benchmark\n", i + 1);
	fflush(stdout);
}

void narrate_done(const struct narrator *narrator, bool is_interrupted)
{
	if (is_silent(narrator))
		return;
	for (size_t i = 0; i < narrator->control->count; i++) {
		const struct control_status *status = &narrator->control->slots[i].status;
		double took = seconds(narrator, status->end_ticks - status->begin_ticks);

		if (!has_done(&narrator->control->slots[i]))
			continue;
		printf("[%zu] Benchmark done - took %.3f sec for %" PRIu64 " page access\n", i + 1, took, status->accesses);
		printf("  (Average %.3f usec per page access)\n",
			status->accesses ? took * 1e6 / (double)status->accesses : 0.0);
	}
	printf("All threads joined\n");
	if (is_interrupted)
		printf("Benchmark interrupted during run - partial report will be generated\n");
	fflush(stdout);
}

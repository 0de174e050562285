/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/gather.h"

#include <errno.h>

#include "iowrite-bench/failure.h"

static uint64_t add_times(const struct gather_round *round, struct run_measured *measured)
{
	uint64_t begin = UINT64_MAX, end = 0, between = UINT64_MAX, flush = 0, closing = 0, count = 0;

	for (unsigned i = 0; i < round->count; i++) {
		const struct measurement *found = &round->found[i];

		flush = found->flush_ns > flush ? found->flush_ns : flush;
		closing = found->close_ns > closing ? found->close_ns : closing;
		measured->faults += found->faults;
		measured->fill_ns += found->fill_ns;
		count += found->count;
		measured->unfed_bytes += found->unfed_bytes;
		if (!found->count)
			continue;
		begin = found->begin_ns < begin ? found->begin_ns : begin;
		end = found->end_ns > end ? found->end_ns : end;
		between = found->between_ns < between ? found->between_ns : between;
	}
	if (!end)
		return 0;
	measured->run_s += (double)(end - begin - between) / 1e9;
	if (end - begin > between)
		measured->round_rates[measured->rounds] = (double)count * 1e9 / (double)(end - begin - between);
	measured->flush_ns = (measured->flush_ns * measured->rounds + flush) / (measured->rounds + 1);
	measured->close_ns = (measured->close_ns * measured->rounds + closing) / (measured->rounds + 1);
	measured->rounds++;
	/* It is the whole machine's, and the same in each. */
	measured->busy.waited_ns += round->found[0].busy.waited_ns;
	measured->busy.whole_ns += round->found[0].busy.whole_ns;
	return end;
}

static void take_contention(const struct gather_round *round, struct run_measured *measured)
{
	struct contention_finding finding;

	if (contention_find(&round->found[0].contention, sizeof(round->found[0]), round->count, &finding) &&
		!(measured->is_disturbed && measured->contention.percent > finding.percent)) {
		measured->is_disturbed = true;
		measured->contention = finding;
	}
}

static void take_dirty(const struct gather_round *round, struct run_measured *measured)
{
	const struct measurement *found = &round->found[0];

	if (!round->jobs[0].dirty || !found->count)
		return;
	if (!measured->has_dirty)
		measured->dirty_before_bytes = found->before.dirty;
	measured->has_dirty = true;
	measured->dirty_after_bytes = found->after.dirty;
}

static void take_failure(const struct gather_round *round, struct run_measured *measured)
{
	for (unsigned i = 0; i < round->count && !measured->failure[0]; i++) {
		const struct measurement *found = &round->found[i];

		/* Whoever was told to stop says so by this. */
		if (!found->error || (found->error == EINTR && round->is_stopped))
			continue;
		measured->error = found->error;
		failure_text(round->jobs[i].target->path, found->failed_at, found->error, measured->failure,
			sizeof(measured->failure));
	}
}

uint64_t gather(const struct gather_round *round, struct run_measured *measured)
{
	uint64_t end_ns = add_times(round, measured);

	take_contention(round, measured);
	take_dirty(round, measured);
	take_failure(round, measured);
	return end_ns;
}

void gather_outside(const struct run_plan *plan, const struct machine *machine, const struct system *system,
	struct run_measured *measured)
{
	const struct run_options *options = plan->options;
	const struct outside_question question = {
		.root = "",
		.machine = machine,
		.system = system,
		.writers = options->threads,
		.memory = options->memory,
		.bytes = plan->size_bytes * options->threads,
	};
	const struct outside_measurement seen = {
		.writers = options->threads,
		.memory = options->memory,
		.is_direct = measured->cell->mode >= OP_DIRECT,
		.busy = measured->busy,
		.bytes = measured->tally.bytes,
		.unfed_bytes = measured->unfed_bytes,
	};

	if (measured->cell->mode == OP_BUFFERED)
		outside_model(&question, &measured->outside);
	outside_measured(&seen, &measured->outside);
}

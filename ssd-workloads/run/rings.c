/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/rings.h"

#include <math.h>

#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/kernel/cgroup.h"
#include "ssd-workloads/engine/prepare.h"

#define RING_LEAST 4096u
#define MARGIN 2.0 /* over the peak of the trial */
#define MARGIN_CEILING 1.5 /* over the rate that the fastest write allows: the run's may be faster */
#define CHEAP (1u << 20) /* records of a stream, 64 MiB: up to this size rings follow the ceiling, not the peak */
#define MARGIN_AGAIN 1.5
#define TRIAL_LEAST_NS (UNITS_NS_PER_SEC / 10)
#define TRIAL_MOST_NS UNITS_NS_PER_SEC
#define WORKER_BYTES (1u << 20) /* of a worker without its blocks and its ring: counts, ack_log, stack */

uint64_t rings_held_ns(const struct ssd_run_options *options)
{
	return options->runtime_ns < options->record_ns ? options->runtime_ns : options->record_ns;
}

uint64_t rings_trial_ns(const struct ssd_run_options *options)
{
	uint64_t ns = options->runtime_ns / 10;

	ns = ns < TRIAL_MOST_NS ? ns : TRIAL_MOST_NS;
	return ns > TRIAL_LEAST_NS ? ns : TRIAL_LEAST_NS;
}

static uint64_t power_of_two(double records)
{
	uint64_t power = RING_LEAST;

	while ((double)power < records && power < 1ull << 62)
		power *= 2;
	return power;
}

uint64_t rings_wanted(const struct engine_rate *rate, unsigned workers, uint64_t ns)
{
	double seconds = (double)ns / (double)UNITS_NS_PER_SEC;
	double cheap = fmin(MARGIN_CEILING * rate->ceiling * seconds, (double)CHEAP / (workers ? workers : 1));

	return power_of_two(fmax(MARGIN * rate->peak * seconds, cheap));
}

uint64_t rings_wanted_again(uint64_t emitted, uint64_t measured_ns, uint64_t ns)
{
	return measured_ns ? power_of_two(MARGIN_AGAIN * (double)emitted * (double)ns / (double)measured_ns) : RING_LEAST;
}

void rings_of_device(const struct ssd_run_plan *plan, uint64_t capacity[MIX_STREAMS])
{
	const struct sim_params *params = &plan->options->device.params;
	double seconds = (double)rings_held_ns(plan->options) / (double)UNITS_NS_PER_SEC;
	double pages = (double)params->channels * 1e9 / (double)(sim_transfer_ns(params) + 1);

	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct workload_stream *stream = &plan->workload.streams[i];
		double writes = pages * params->page_bytes / stream->block_bytes;

		if (stream->workers)
			capacity[i] = power_of_two(fmin(seconds * writes, (double)(1u << 24)) / stream->workers);
	}
}

bool rings_raise(const struct engine_result *engine, uint64_t ns, uint64_t capacity[MIX_STREAMS])
{
	bool is_raised = false;

	for (size_t i = 0; i < engine->worker_count; i++) {
		const struct engine_worker *worker = &engine->workers[i];
		uint64_t wanted = rings_wanted_again(worker->ring.emitted + worker->ring.dropped,
			engine->end_ns - engine->begin_ns, ns);

		if (wanted <= capacity[worker->stream])
			continue;
		capacity[worker->stream] = wanted;
		is_raised = true;
	}
	return is_raised;
}

/* --- memory --- */

uint64_t rings_memory(const char *root)
{
	return available_memory(root) / 4 * 3;
}

static double bytes_of(const uint64_t capacity[MIX_STREAMS], const unsigned workers[MIX_STREAMS], int which)
{
	return (double)capacity[which] * workers[which] * sizeof(struct record);
}

double rings_fit(uint64_t capacity[MIX_STREAMS], const unsigned workers[MIX_STREAMS], uint64_t memory_bytes)
{
	uint64_t wanted[MIX_STREAMS];
	double part = 1;

	for (int i = 0; i < MIX_STREAMS; i++)
		wanted[i] = capacity[i];
	while (bytes_of(capacity, workers, MIX_LOG) + bytes_of(capacity, workers, MIX_CHECKPOINT) > (double)memory_bytes) {
		int larger = bytes_of(capacity, workers, MIX_LOG) > bytes_of(capacity, workers, MIX_CHECKPOINT) ? MIX_LOG
													      : MIX_CHECKPOINT;

		if (capacity[larger] <= RING_LEAST)
			return 0;
		capacity[larger] /= 2;
	}
	for (int i = 0; i < MIX_STREAMS; i++) {
		if (workers[i])
			part = fmin(part, (double)capacity[i] / (double)wanted[i]);
	}
	return part;
}

/* A ring beyond the memory would end this or another process. The smallest rings were tried before the first write. */
void rings_shorten(const struct ssd_run_plan *plan, uint64_t memory_bytes, uint64_t capacity[MIX_STREAMS], bool *is_short)
{
	const unsigned workers[MIX_STREAMS] = {plan->workload.streams[MIX_LOG].workers,
		plan->workload.streams[MIX_CHECKPOINT].workers};
	char left[UNITS_TEXT];

	memory_bytes /= plan->baselines.cell_count * plan->baselines.runs > 1 ? 2 : 1;
	if (rings_fit(capacity, workers, memory_bytes) >= 1)
		return;
	if (!*is_short)
		diag_warn("rings of records are shortened to %s, the memory that is available: they may hold less than --records",
			units_format_size(memory_bytes, left, sizeof(left)));
	*is_short = true;
}

int rings_check(const struct ssd_run_plan *plan, uint64_t memory_bytes)
{
	char needed[UNITS_TEXT], left[UNITS_TEXT];
	double bytes = 0;

	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct workload_stream *stream = &plan->workload.streams[i];

		bytes += stream->workers * (WORKER_BYTES + (plan->options->record_ns ? RING_LEAST * sizeof(struct record) : 0.0));
		bytes += (double)stream->depth * stream->block_bytes;
	}
	if (bytes <= (double)memory_bytes)
		return DIAG_EXIT_OK;
	diag_error(0, "at least %s of memory are needed, %s are available (free memory, limits of the cgroup); use fewer "
		      "--workers, smaller blocks or a higher limit", units_format_size((uint64_t)bytes, needed, sizeof(needed)),
		units_format_size(memory_bytes, left, sizeof(left)));
	return DIAG_EXIT_HOST;
}

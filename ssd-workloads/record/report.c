/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report says of the records. */
#include "config.h"
#include "ssd-workloads/run/report.h"

#include <math.h>

#include "common/report.h"

struct sums {
	uint64_t emitted, kept, overwritten, dropped;
	const struct engine_result *fired; /* the first that was frozen, NULL = none */
};

static void add(struct sums *sums, const struct engine_result *engine)
{
	for (size_t i = 0; i < engine->worker_count; i++) {
		const struct ring *ring = &engine->workers[i].ring;

		sums->emitted += ring->emitted;
		sums->kept += ring_count(ring);
		sums->overwritten += ring_overwritten(ring);
		sums->dropped += ring->dropped;
	}
	if (!sums->fired && engine->control.fired_ns)
		sums->fired = engine;
}

double run_records_held(const struct run_result *result)
{
	const struct run_options *options = result->plan->options;
	double least = NAN;

	for (size_t i = 0; i < result->repetition_count; i++) {
		const struct engine_result *engine = &result->repetitions[i].engine;
		uint64_t last = engine->control.fired_ns ? engine->control.fired_ns : engine->end_ns;

		for (size_t k = 0; k < engine->worker_count && !result->repetitions[i].cell; k++) {
			const struct ring *ring = &engine->workers[k].ring;
			uint64_t first = ring_overwritten(ring) ? ring_first_ns(ring) : last;

			if (first < last && last - first < options->record_ns)
				least = fmin(isnan(least) ? INFINITY : least, (double)(last - first) / 1e9);
		}
	}
	return least;
}

static void write_freeze(struct report *report, const struct run_options *options, const struct engine_result *fired)
{
	report_begin(report, "freeze");
	report_text(report, "condition", options->freeze_text);
	report_u64(report, "post", options->post);
	if (fired) {
		const struct ring_control *control = &fired->control;

		report_double(report, "fired_s", control->fired_ns > fired->begin_ns ?
							 (double)(control->fired_ns - fired->begin_ns) / 1e9 : 0);
		report_text(report, "fired_stream", mix_stream_name((enum mix_stream)control->fired_stream));
		report_u64(report, "fired_sequence", control->fired_sequence);
	}
	report_end(report);
}

void report_write_records(struct report *report, const struct run_result *result)
{
	const struct run_options *options = result->plan->options;
	struct sums sums = {0};

	if (!options->record_ns)
		return;
	for (size_t i = 0; i < result->repetition_count; i++)
		add(&sums, &result->repetitions[i].engine);
	report_begin(report, "records");
	report_u64(report, "emitted", sums.emitted);
	report_u64(report, "kept", sums.kept);
	report_u64(report, "overwritten", sums.overwritten);
	report_u64(report, "dropped", sums.dropped);
	report_double(report, "held_s", run_records_held(result));
	if (options->freeze_text)
		write_freeze(report, options, sums.fired);
	report_end(report);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/trial.h"

#include <errno.h>
#include <stdlib.h>

#include "common/diag.h"
#include "iowrite-bench/failure.h"
#include "iowrite-bench/scenario.h"

/* Looking takes tens of microseconds and what is in the caches: small writes are not worth it each time. */
#define LOOK_EACH_BYTES (1u << 20)
#define LOOK_EVERY_NS 10000000

static int measure_it(const struct trial_setup *setup, const struct op *ops, size_t count,
	struct measurement *measurement)
{
	const struct scenario *scenario = setup->scenario;
	struct measure_job job = {
		.target = setup->target,
		.method = scenario_method(scenario),
		.sync = method_sync_of("none"),
		.mode = scenario->mode,
		.regime = scenario->regime,
		.ops = ops,
		.count = count,
		.memory = setup->memory,
		.buffering = METHOD_LIBC_DEFAULT,
		.is_uncached = scenario_is_uncached(scenario),
		.dirty = setup->dirty,
		.rest_ns = scenario->mode == OP_BUFFERED ? MEASURE_REST_NS : 0,
		.look_every_ns = scenario_smallest(scenario) >= LOOK_EACH_BYTES ? 0 : LOOK_EVERY_NS,
		.stop = setup->stop,
	};

	return measure(&job, measurement);
}

/* Not all of it was written. */
static int explain(const struct trial_setup *setup, const struct measurement *measurement, size_t wanted,
	struct frame *frame, struct evaluate_result *result)
{
	const char *id = setup->scenario->id;
	char text[FAILURE_TEXT];

	if (!measurement->error || *setup->stop)
		return result_skip(result, id, "interrupted after %zu of %zu writes", measurement->count, wanted);
	result->has_failed = true;
	failure_text(setup->target->path, measurement->failed_at, measurement->error, text, sizeof(text));
	frame_reason(frame, "write-failed", "%s: after %zu of %zu writes %s", id, measurement->count, wanted, text);
	return result_skip(result, id, "ended after %zu of %zu writes", measurement->count, wanted);
}

static int keep(const struct trial_setup *setup, const struct op *ops, size_t count, struct frame *frame,
	struct evaluate_result *result)
{
	struct model_control control = {0};
	struct measurement measurement;
	int rc;

	gauge_read(setup->gauge, setup->dirty, &control);
	if (measure_it(setup, ops, count, &measurement)) {
		/* measure() has said why. */
		if (!*setup->stop) {
			result->has_failed = true;
			frame_reason(frame, "not-prepared", "%s could not be prepared", setup->scenario->id);
		}
		return result_skip(result, setup->scenario->id,
			*setup->stop ? "interrupted before the first write" : "could not be prepared");
	}
	if (measurement.count < count || measurement.error) {
		rc = explain(setup, &measurement, count, frame, result);
	} else {
		outside_distrust(frame, setup->scenario->id, scenario_bytes(setup->scenario), measurement.unfed_bytes);
		rc = trial_judge(setup, &measurement, &control, frame, result);
	}
	measure_free(&measurement);
	return rc;
}

int trial_run(const struct trial_setup *setup, struct frame *frame, struct evaluate_result *result)
{
	struct op *ops;
	size_t count;
	int rc = scenario_ops(setup->scenario, &ops, &count);

	if (!rc) {
		rc = keep(setup, ops, count, frame, result);
		free(ops);
	}
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "cannot evaluate %s", setup->scenario->id);
	return DIAG_EXIT_HOST;
}

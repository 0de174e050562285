/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/trial.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/sysfs.h"
#include "iowrite-bench/evaluate/warmup.h"
#include "iowrite-bench/scenario.h"

/* Looking takes tens of microseconds and what is in the caches: small writes are not worth it each time. */
#define LOOK_EACH_BYTES (1u << 20)
#define LOOK_EVERY_NS 10000000

/* Microseconds since the machine began in which some task waited for a CPU; NAN when the kernel does not count them. */
static double waited_us(void)
{
	char line[128];
	const char *total;
	uint64_t us;

	if (sysfs_read("", "/proc/pressure/cpu", line, sizeof(line)))
		return NAN;
	total = strstr(line, "total=");
	return total && sysfs_scan_u64(total + strlen("total="), &us) ? (double)us : NAN;
}

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
		/* O_DIRECT over cached pages has to throw them out first. */
		.is_uncached = scenario->misplaced || (scenario->mode >= OP_DIRECT && scenario->regime == OP_OVERWRITE),
		.dirty = setup->dirty,
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

	if (!measurement->error || *setup->stop)
		return result_skip(result, id, "interrupted after %zu of %zu writes", measurement->count, wanted);
	frame_reason(frame, "write-failed", "%s ended after %zu of %zu writes: %s", id, measurement->count, wanted,
		strerror(measurement->error));
	return result_skip(result, id, "ended after %zu of %zu writes: %s", measurement->count, wanted,
		strerror(measurement->error));
}

static int keep(const struct trial_setup *setup, const struct op *ops, size_t count, struct frame *frame,
	struct evaluate_result *result)
{
	double waited = waited_us(), began = (double)report_monotonic_ns();
	struct trial_around around = {NAN, NAN};
	struct measurement measurement;
	int rc;

	warmup_estimate("", &frame->storage, &around.estimate);
	if (measure_it(setup, ops, count, &measurement)) {
		/* measure() has said why. */
		if (!*setup->stop)
			frame_reason(frame, "not-prepared", "%s could not be prepared", setup->scenario->id);
		return result_skip(result, setup->scenario->id,
			*setup->stop ? "interrupted before the first write" : "could not be prepared");
	}
	around.waited_percent = 100 * (waited_us() - waited) * 1000 / ((double)report_monotonic_ns() - began);
	if (measurement.count < count || measurement.error)
		rc = explain(setup, &measurement, count, frame, result);
	else
		rc = trial_judge(setup, &measurement, &around, frame, result);
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/measure.h"

#include <stdlib.h>

#include "common/clock.h"
#include "common/diag.h"
#include "iowrite-bench/bench.h"

static int prepare(struct bench *bench, const struct measure_job *job)
{
	int rc = bench_begin(bench, job);

	if (!rc)
		rc = bench_prepare_file(bench, bench->file_bytes);
	if (rc)
		return rc;
	bench_settle(bench);
	rc = bench_prepare_memory(bench, feed_most());
	if (rc)
		return rc;
	bench_settle_again(bench);
	return bench_prepare_writing(bench);
}

int measure(const struct measure_job *job, struct measurement *measurement)
{
	struct busy_mark begin, end;
	struct bench bench;
	int rc = prepare(&bench, job);

	if (rc) {
		diag_error(rc, "cannot prepare %s for %s %s", job->target->path, op_mode_name(job->mode),
			job->method->name);
	} else {
		busy_mark("", clock_ns(CLOCK_MONOTONIC), &begin);
		bench_write(&bench);
		bench_close(&bench);
		busy_mark("", clock_ns(CLOCK_MONOTONIC), &end);
		busy_add(&begin, &end, &bench.found.busy);
	}
	bench_end(&bench);
	if (rc || job->stream) {
		free(bench.found.records);
		bench.found.records = NULL;
	}
	if (!rc)
		*measurement = bench.found;
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

void measure_free(struct measurement *measurement)
{
	free(measurement->records);
	*measurement = (struct measurement){0};
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/bench.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/diag.h"

#define CLOCK_SAMPLES 1001
#define FILL_BYTES (4ull << 20)
#define GIVEN_AHEAD (8ull << 20) /* what the feed gives beside (feed.c) */

static int measure_clock(struct bench *bench)
{
	double *gaps = calloc(CLOCK_SAMPLES, sizeof(*gaps));

	if (!gaps)
		return -ENOMEM;
	for (int i = 0; i < CLOCK_SAMPLES; i++) {
		uint64_t begin = bench_now(bench);

		gaps[i] = (double)(bench_now(bench) - begin);
	}
	bench->clock_ns = bench_median(gaps, CLOCK_SAMPLES);
	free(gaps);
	return 0;
}

int bench_open(const struct calibrate_hooks *hooks, const struct calibrate_plan *plan, struct bench *bench)
{
	int rc;

	*bench = (struct bench){.hooks = hooks, .plan = plan, .bytes_left = plan->max_bytes};
	rc = collector_new(&bench->collector);
	if (!rc)
		rc = measure_clock(bench);
	if (rc)
		bench_close(bench);
	return rc;
}

void bench_close(struct bench *bench)
{
	for (size_t i = 0; i < bench->run_count; i++) {
		free(bench->runs[i].ops);
		free(bench->runs[i].ns);
	}
	collector_free(bench->collector);
	bench->collector = NULL;
	bench->run_count = 0;
}

int bench_told(const struct bench *bench, int rc, const char *what)
{
	(void)bench;
	if (rc && rc != -EINTR && rc != -EDQUOT)
		diag_error(rc, "cannot %s", what);
	return rc;
}

/* --- writes and reads --- */

static int refuse_write(const struct bench *bench, int rc, enum op_mode mode, uint64_t offset, uint64_t size)
{
	(void)bench;
	if (rc != -EINTR)
		diag_error(rc, "cannot write %llu bytes at %llu (%s)", (unsigned long long)size,
			(unsigned long long)offset, op_mode_name(mode));
	/* The disk's quota is a failure, the cap is not. */
	return rc == -EDQUOT ? -ENOSPC : rc;
}

static int write_whole(struct bench *bench, enum op_mode mode, uint64_t offset, uint64_t size)
{
	for (uint64_t done = 0; done < size;) {
		int64_t written = bench->hooks->write(bench->hooks->state, mode, offset + done, size - done);

		if (written <= 0)
			return refuse_write(bench, written ? (int)written : -EIO, mode, offset + done, size - done);
		done += (uint64_t)written;
	}
	return 0;
}

static int may_write(struct bench *bench, uint64_t bytes)
{
	if (bench->hooks->is_stopped(bench->hooks->state))
		return -EINTR;
	if (bytes > bench->bytes_left)
		return -EDQUOT;
	bench->bytes_left -= bytes;
	return 0;
}

static double since(const struct bench *bench, uint64_t begin, uint64_t end)
{
	return fmax(1, (double)(end - begin) - bench->clock_ns);
}

int bench_write_batch(struct bench *bench, enum op_mode mode, uint64_t offset, uint64_t size, unsigned count, double *ns)
{
	int rc = may_write(bench, size * count);
	uint64_t begin, end;

	begin = bench_now(bench);
	for (unsigned i = 0; i < count && !rc; i++)
		rc = write_whole(bench, mode, offset + i * size, size);
	end = bench_now(bench);
	if (!rc)
		*ns = since(bench, begin, end) / count;
	return rc;
}

int bench_write(struct bench *bench, enum op_mode mode, uint64_t offset, uint64_t size, double *ns)
{
	return bench_write_batch(bench, mode, offset, size, 1, ns);
}

int bench_read(struct bench *bench, uint64_t offset, uint64_t size, double *ns)
{
	uint64_t begin, end;
	int64_t got;

	if (bench->hooks->is_stopped(bench->hooks->state))
		return -EINTR;
	begin = bench_now(bench);
	got = bench->hooks->read(bench->hooks->state, offset, size);
	end = bench_now(bench);
	if (got != (int64_t)size)
		return bench_told(bench, got < 0 ? (int)got : -EIO, "read back what was written");
	*ns = since(bench, begin, end);
	return 0;
}

int bench_fill(struct bench *bench, enum op_mode mode, uint64_t begin, uint64_t end)
{
	uint64_t step = FILL_BYTES < bench->plan->largest_bytes ? FILL_BYTES : bench->plan->largest_bytes;
	double ns;
	int rc = 0;

	for (uint64_t at = begin; at < end && !rc; at += step) {
		uint64_t size = end - at < step ? end - at : step;

		if (mode == OP_BUFFERED)
			bench_give(bench, size);
		rc = bench_write(bench, mode, at, size, &ns);
	}
	return rc;
}

int bench_fresh(struct bench *bench)
{
	const struct calibrate_hooks *hooks = bench->hooks;
	int rc = bench_told(bench, hooks->cut(hooks->state, bench->plan->written_bytes), "cut the file");

	return rc ? rc : bench_told(bench, hooks->settle(hooks->state), "wait for the kernel's write-back");
}

static void rewarm(struct bench *bench)
{
	if (bench->plan->is_fed)
		bench->hooks->rewarm(bench->hooks->state);
}

int bench_leave(struct bench *bench, int rc)
{
	int cut = bench_told(bench, bench->hooks->cut(bench->hooks->state, bench->plan->written_bytes), "cut the file");

	rewarm(bench);
	return rc ? rc : cut;
}

/* --- memory --- */

int bench_warm(struct bench *bench, uint64_t bytes)
{
	bench->given = 0;
	if (!bench->plan->is_fed)
		return 0;
	return bench_told(bench, bench->hooks->warm(bench->hooks->state, bytes + 4 * GIVEN_AHEAD), "get memory to warm");
}

/* A little ahead, and not before each of a thousand small writes. */
void bench_give(struct bench *bench, uint64_t size)
{
	if (!bench->plan->is_fed)
		return;
	if (bench->given < size + GIVEN_AHEAD / 2) {
		bench->hooks->give(bench->hooks->state, size);
		bench->given += size + GIVEN_AHEAD;
	}
	bench->given -= size;
}

/* --- samples --- */

bool bench_is_late(const struct bench *bench)
{
	return bench_now(bench) >= bench->block_end_ns;
}

void bench_point(struct bench *bench, enum op_mode mode, enum op_regime regime, uint64_t size, double ns)
{
	const struct collector_key key = {COLLECTOR_POINT, mode, regime, size, "median of block medians", 0, false};

	collector_add(bench->collector, &key, ns);
}

void bench_parameter(struct bench *bench, enum system_parameter parameter, double value, const char *method)
{
	const struct collector_key key = {.parameter = parameter, .method = method};

	collector_add(bench->collector, &key, value);
}

void bench_fact(struct bench *bench, enum system_parameter parameter, double value, const char *method)
{
	const struct collector_key key = {.parameter = parameter, .method = method, .is_fact = true};

	collector_add(bench->collector, &key, value);
}

double bench_median(double *values, size_t count)
{
	if (!count)
		return NAN;
	gsl_sort(values, 1, count);
	return gsl_stats_median_from_sorted_data(values, 1, count);
}

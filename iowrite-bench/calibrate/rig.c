/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/rig.h"

#include <errno.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "common/diag.h"
#include "iowrite-bench/before.h"

#define CLOCK_SAMPLES 1001
#define GIVEN_AHEAD (32ull << 20) /* room for what the feed gives beside (feed.c) */

static int measure_clock(struct rig *rig)
{
	double *gaps = calloc(CLOCK_SAMPLES, sizeof(*gaps));

	if (!gaps)
		return -ENOMEM;
	for (int i = 0; i < CLOCK_SAMPLES; i++) {
		uint64_t begin = rig_now(rig);

		gaps[i] = (double)(rig_now(rig) - begin);
	}
	rig->clock_ns = rig_median(gaps, CLOCK_SAMPLES);
	free(gaps);
	return 0;
}

int rig_open(const struct calibrate_hooks *hooks, const struct calibrate_plan *plan, struct rig *rig)
{
	int rc;

	*rig = (struct rig){.hooks = hooks, .plan = plan, .bytes_left = plan->max_bytes - plan->burst_bytes};
	rc = collector_new(&rig->collector);
	if (!rc)
		rc = measure_clock(rig);
	if (rc)
		rig_close(rig);
	return rc;
}

void rig_close(struct rig *rig)
{
	for (size_t i = 0; i < rig->run_count; i++) {
		free(rig->runs[i].ops);
		free(rig->runs[i].ns);
	}
	collector_free(rig->collector);
	rig->collector = NULL;
	rig->run_count = 0;
}

int rig_told(const struct rig *rig, int rc, const char *what)
{
	(void)rig;
	if (rc && rc != -EINTR && rc != -EDQUOT)
		diag_error(rc, "cannot %s", what);
	return rc;
}

/* --- writes and reads --- */

static int refuse_write(const struct rig *rig, int rc, enum op_mode mode, uint64_t offset, uint64_t size)
{
	(void)rig;
	if (rc != -EINTR)
		diag_error(rc, "cannot write %llu bytes at %llu (%s)%s", (unsigned long long)size,
			(unsigned long long)offset, op_mode_name(mode),
			rc == -ENOSPC || rc == -EDQUOT ? ", free some room or take a smaller --size" : "");
	/* The disk's quota is a failure, the cap is not. */
	return rc == -EDQUOT ? -ENOSPC : rc;
}

static int write_whole(struct rig *rig, enum op_mode mode, uint64_t offset, uint64_t size)
{
	for (uint64_t done = 0; done < size;) {
		int64_t written = rig->hooks->write(rig->hooks->state, mode, offset + done, size - done);

		if (written <= 0)
			return refuse_write(rig, written ? (int)written : -EIO, mode, offset + done, size - done);
		done += (uint64_t)written;
	}
	return 0;
}

static int may_write(struct rig *rig, uint64_t bytes)
{
	if (rig->hooks->is_stopped(rig->hooks->state))
		return -EINTR;
	if (bytes > rig->bytes_left)
		return -EDQUOT;
	rig->bytes_left -= bytes;
	return 0;
}

static double since(const struct rig *rig, uint64_t begin, uint64_t end)
{
	return fmax(1, (double)(end - begin) - rig->clock_ns);
}

void rig_ready(struct rig *rig, uint64_t bytes)
{
	if (rig->hooks->fill)
		rig->hooks->fill(rig->hooks->state, bytes);
	rig->ready_bytes = bytes;
}

int rig_write_batch(struct rig *rig, enum op_mode mode, uint64_t offset, uint64_t size, unsigned count, double *ns)
{
	int rc = may_write(rig, size * count);
	uint64_t begin, end;

	if (rig->ready_bytes != size * count)
		rig_ready(rig, size * count);
	rig->ready_bytes = 0;
	begin = rig_now(rig);
	for (unsigned i = 0; i < count && !rc; i++)
		rc = write_whole(rig, mode, offset + i * size, size);
	end = rig_now(rig);
	if (!rc)
		*ns = since(rig, begin, end) / count;
	return rc;
}

int rig_write(struct rig *rig, enum op_mode mode, uint64_t offset, uint64_t size, double *ns)
{
	return rig_write_batch(rig, mode, offset, size, 1, ns);
}

int rig_read(struct rig *rig, uint64_t offset, uint64_t size, double *ns)
{
	uint64_t begin, end;
	int64_t got;

	if (rig->hooks->is_stopped(rig->hooks->state))
		return -EINTR;
	begin = rig_now(rig);
	got = rig->hooks->read(rig->hooks->state, offset, size);
	end = rig_now(rig);
	if (got != (int64_t)size)
		return rig_told(rig, got < 0 ? (int)got : -EIO, "read back what was written");
	*ns = since(rig, begin, end);
	return 0;
}

int rig_fill(struct rig *rig, enum op_mode mode, uint64_t begin, uint64_t end, uint64_t write_bytes)
{
	uint64_t step = before_chunk(write_bytes);
	double ns;
	int rc = 0;

	for (uint64_t at = begin; at < end && !rc; at += step) {
		uint64_t size = end - at < step ? end - at : step;

		if (mode == OP_BUFFERED)
			rig_give(rig, size);
		rc = rig_write(rig, mode, at, size, &ns);
	}
	return rc;
}

int rig_fresh(struct rig *rig)
{
	const struct calibrate_hooks *hooks = rig->hooks;
	int rc = rig_told(rig, hooks->cut(hooks->state, rig->plan->written_bytes), "cut the file");

	return rc ? rc : rig_told(rig, hooks->settle(hooks->state), "wait for the kernel's write-back");
}

int rig_room(struct rig *rig, uint64_t bytes)
{
	const struct calibrate_hooks *hooks = rig->hooks;

	return rig_told(rig, hooks->room(hooks->state, rig->plan->written_bytes, bytes), "warm the room behind the file");
}

int rig_uncached(struct rig *rig)
{
	const struct calibrate_hooks *hooks = rig->hooks;
	int rc = rig_fresh(rig);

	if (!rc)
		rc = rig_told(rig, hooks->sync(hooks->state), "sync the file");
	return rc ? rc : rig_told(rig, hooks->forget(hooks->state, rig->plan->written_bytes), "empty the cache");
}

static void rewarm(struct rig *rig)
{
	if (rig->plan->is_fed)
		rig->hooks->rewarm(rig->hooks->state);
}

int rig_leave(struct rig *rig, int rc)
{
	int cut = rig->hooks->cut(rig->hooks->state, rig->plan->written_bytes);

	rewarm(rig);
	return rc ? rc : rig_told(rig, cut, "cut the file");
}

/* --- memory --- */

int rig_warm(struct rig *rig, uint64_t bytes)
{
	if (!rig->plan->is_fed)
		return 0;
	return rig_told(rig, rig->hooks->warm(rig->hooks->state, bytes + GIVEN_AHEAD), "get memory to warm");
}

void rig_give(struct rig *rig, uint64_t size)
{
	if (rig->plan->is_fed)
		rig->hooks->give(rig->hooks->state, size);
}

/* --- samples --- */

bool rig_is_late(const struct rig *rig)
{
	return rig_now(rig) >= rig->block_end_ns;
}

void rig_point(struct rig *rig, enum op_mode mode, enum op_regime regime, uint64_t size, double ns)
{
	const struct collector_key key = {COLLECTOR_POINT, mode, regime, size, "median of block medians", 0, false};

	collector_add(rig->collector, &key, ns);
}

void rig_parameter(struct rig *rig, enum system_parameter parameter, double value, const char *method)
{
	const struct collector_key key = {.parameter = parameter, .method = method};

	collector_add(rig->collector, &key, value);
}

void rig_fact(struct rig *rig, enum system_parameter parameter, double value, const char *method)
{
	const struct collector_key key = {.parameter = parameter, .method = method, .is_fact = true};

	collector_add(rig->collector, &key, value);
}

double rig_median(double *values, size_t count)
{
	if (!count)
		return NAN;
	gsl_sort(values, 1, count);
	return gsl_stats_median_from_sorted_data(values, 1, count);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory as it is: the page cache grows without warm memory until the host must back it. First come pages that were used
 * a while ago, then, in a virtual machine, such as nobody has touched or that the host took back. Two stretches of the
 * logarithms of the rates with least squares; where they differ by less than a half nothing cold was met.
 */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CHUNK (4ull << 20)
#define MOST (1ull << 30)
#define ENOUGH 24        /* slow chunks in a row */
#define WARM_CHUNKS 8
#define COLDER 0.6

struct cold {
	double *rates;
	size_t count, room;
	double warm;
};

static int measure_warm(struct rig *rig, uint64_t at, double *rate)
{
	double rates[WARM_CHUNKS];
	int rc = rig_warm(rig, WARM_CHUNKS * CHUNK);

	for (size_t i = 0; i < WARM_CHUNKS && !rc; i++) {
		double ns;

		rig_give(rig, CHUNK);
		rc = rig_write(rig, OP_BUFFERED, at + i * CHUNK, CHUNK, &ns);
		rates[i] = rc ? 0 : rig_rate(CHUNK, ns);
	}
	rc = rig_leave(rig, rc);
	if (!rc)
		*rate = rig_median(rates, WARM_CHUNKS);
	return rc;
}

static bool is_cold_for_long(const struct cold *cold)
{
	if (cold->count < 2 * ENOUGH)
		return false;
	for (size_t i = cold->count - ENOUGH; i < cold->count; i++) {
		if (cold->rates[i] > COLDER * cold->rates[0])
			return false;
	}
	return true;
}

static double squares(const double *rates, size_t begin, size_t end)
{
	double sum = 0, square = 0, n = (double)(end - begin);

	for (size_t i = begin; i < end; i++) {
		sum += log(rates[i]);
		square += log(rates[i]) * log(rates[i]);
	}
	return n > 0 ? square - sum * sum / n : 0;
}

/* Where the second stretch begins. */
static size_t find_break(const struct cold *cold)
{
	double least = INFINITY;
	size_t best = 0;

	for (size_t at = 0; at < cold->count; at++) {
		double error = squares(cold->rates, 0, at) + squares(cold->rates, at, cold->count);

		if (error < least) {
			least = error;
			best = at;
		}
	}
	return best;
}

static double median_of(const double *rates, size_t begin, size_t end)
{
	double copy[MOST / CHUNK];

	for (size_t i = begin; i < end; i++)
		copy[i - begin] = rates[i];
	return rig_median(copy, end - begin);
}

static void judge(struct rig *rig, const struct cold *cold)
{
	size_t at = find_break(cold);

	if (at && !(median_of(cold->rates, at, cold->count) < COLDER * median_of(cold->rates, 0, at)))
		at = 0;
	/* One stretch alone is cold when it is slower than warm memory is. */
	if (!at && !(median_of(cold->rates, 0, cold->count) < COLDER * cold->warm))
		at = cold->count;
	for (size_t i = at; i < cold->count; i++)
		rig_parameter(rig, SYSTEM_BW_CACHE_COLD, cold->rates[i], "median of block medians, 4 MiB writes");
	/* Later ones find what the calibration itself has warmed. */
	if (!rig->has_warm_pool && at < cold->count)
		rig_fact(rig, SYSTEM_WARM_POOL, (double)(at * CHUNK), "until write(2) became slow, once");
	rig->has_warm_pool = true;
}

static uint64_t most(const struct calibrate_plan *plan)
{
	uint64_t bytes = calibrate_plan_room(plan) < plan->dirty_bytes ? calibrate_plan_room(plan) : plan->dirty_bytes;

	return bytes < MOST ? bytes : MOST;
}

int probe_cold(struct rig *rig, const struct probe *probe)
{
	uint64_t begin = rig->plan->written_bytes, at = begin, end = begin + most(rig->plan);
	struct cold cold = {.room = MOST / CHUNK};
	int rc = rig_fresh(rig);

	(void)probe;
	cold.rates = calloc(cold.room, sizeof(*cold.rates));
	if (!cold.rates)
		return rig_told(rig, -ENOMEM, "keep samples");
	for (; at + CHUNK <= end && !rc && !is_cold_for_long(&cold) && !(at > begin && rig_is_late(rig)); at += CHUNK) {
		double ns;

		rc = rig_write(rig, OP_BUFFERED, at, CHUNK, &ns);
		if (!rc)
			cold.rates[cold.count++] = rig_rate(CHUNK, ns);
	}
	if (!rc)
		rc = rig_fresh(rig);
	if (!rc)
		rc = measure_warm(rig, begin, &cold.warm);
	if (!rc && cold.count)
		judge(rig, &cold);
	free(cold.rates);
	return rc;
}

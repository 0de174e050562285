/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/series.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "common/arena.h"
#include "pmbench/classify.h"

#define SERIES_PARTS (VMCOUNTERS_MEMINFO | VMCOUNTERS_VMSTAT | VMCOUNTERS_PSI | VMCOUNTERS_CGROUP | VMCOUNTERS_STAT)

static void add_half(struct series_totals *totals, const struct access_half *half)
{
	for (unsigned i = 0; i < BUCKET_LOG16_COUNT; i++) {
		uint64_t count = keep_read(&half->count[i]);

		totals->count[i] += count;
		totals->accesses += count;
	}
	totals->accesses += keep_read(&half->touched);
	totals->sum_ticks += keep_read(&half->sum_ticks);
	if (keep_read(&half->max_ticks) > totals->max_ticks)
		totals->max_ticks = keep_read(&half->max_ticks);
}

static void read_totals(const struct control *control, struct series_totals *totals)
{
	memset(totals, 0, sizeof(*totals));
	for (size_t i = 0; i < control->count; i++) {
		const struct control_slot *slot = &control->slots[i];

		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++)
			add_half(totals, &slot->page[ACCESS_ALL].half[direction]);
		totals->minor += classify_count(&slot->page[ACCESS_MINOR]);
		totals->major += classify_count(&slot->page[ACCESS_MAJOR]);
	}
}

void series_begin(struct series *series, const struct control *control, const struct timebase *timebase,
	const char *cgroup_dir)
{
	memset(series, 0, sizeof(*series));
	series->control = control;
	series->timebase = timebase;
	series->cgroup_dir = cgroup_dir;
	vmcounters_read("", cgroup_dir, SERIES_PARTS, &series->counters);
	read_totals(control, &series->last);
	series->begin_ns = series->last_ns = ticks_perfc();
}

static struct result_interval *new_row(struct series *series)
{
	struct result_interval *row;

	if (arena_grow(&series->intervals, &series->room, series->count, sizeof(*series->intervals)))
		return NULL;
	row = &series->intervals[series->count];
	memset(row, 0, sizeof(*row));
	row->count = malloc(BUCKET_LOG16_COUNT * sizeof(*row->count));
	row->delta = malloc(sizeof(*row->delta));
	if (row->count && row->delta)
		return row;
	free(row->count);
	free(row->delta);
	return NULL;
}

/* Of hundreds of counters some dozens change: a run of days must not hold the others in memory. */
static struct vmcounters *keep_changed(struct vmcounters *delta)
{
	struct vmcounters *smaller;
	size_t kept = 0;

	for (size_t i = 0; i < delta->count; i++)
		if (delta->values[i].value)
			delta->values[kept++] = delta->values[i];
	delta->count = kept;
	smaller = realloc(delta, offsetof(struct vmcounters, values) + kept * sizeof(delta->values[0]));
	return smaller ? smaller : delta;
}

static void fill_row(struct result_interval *row, const struct series_totals *now, const struct series_totals *before,
	const struct timebase *timebase)
{
	/* The interval's own extremes are only known by their buckets and by the run's longest so far. */
	struct histogram_moments moments = {.max_ns = (double)timebase_to_ns(timebase, now->max_ticks)};

	memcpy(row->count, now->count, sizeof(now->count));
	histogram_subtract(&histogram_log16, row->count, before->count);
	row->accesses = now->accesses - before->accesses;
	row->minor = now->minor - before->minor;
	row->major = now->major - before->major;
	moments.count = histogram_total(&histogram_log16, row->count);
	row->mean_ns = moments.count ? (double)(now->sum_ticks - before->sum_ticks) * 1e6 / timebase->start.khz /
			(double)moments.count : 0;
	row->p50_ns = histogram_percentile(&histogram_log16, row->count, &moments, 50);
	row->p99_ns = histogram_percentile(&histogram_log16, row->count, &moments, 99);
}

static void reopen_last_row(struct series *series)
{
	struct result_interval *row = &series->intervals[--series->count];

	free(row->count);
	free(row->delta);
	series->last = series->before.totals;
	series->last_ns = series->before.ns;
	series->counters = series->before.counters;
}

int series_take(struct series *series)
{
	struct result_interval *row;
	struct series_totals now;
	struct vmcounters *counters;
	uint64_t now_ns;

	if (series->count == SERIES_ROWS_MAX)
		reopen_last_row(series);
	row = new_row(series);
	if (!row)
		return -ENOMEM;
	counters = malloc(sizeof(*counters));
	if (!counters) {
		free(row->count);
		free(row->delta);
		return -ENOMEM;
	}
	read_totals(series->control, &now);
	now_ns = ticks_perfc();
	vmcounters_read("", series->cgroup_dir, SERIES_PARTS, counters);
	fill_row(row, &now, &series->last, series->timebase);
	row->time_s = (double)(now_ns - series->begin_ns) / 1e9;
	row->seconds = (double)(now_ns - series->last_ns) / 1e9;
	vmcounters_delta(&series->counters, counters, row->delta);
	row->delta = keep_changed(row->delta);
	series->before.ns = series->last_ns;
	series->before.totals = series->last;
	series->before.counters = series->counters;
	series->counters = *counters;
	series->last = now;
	series->last_ns = now_ns;
	series->count++;
	free(counters);
	return 0;
}

int series_end(struct series *series, uint64_t interval_ns)
{
	if (series->count && ticks_perfc() - series->last_ns < interval_ns / 2)
		reopen_last_row(series);
	return series_take(series);
}

const struct result_interval *series_latest(const struct series *series)
{
	return series->count ? &series->intervals[series->count - 1] : NULL;
}

void series_hand_over(struct series *series, struct pmbench_result *result)
{
	result->intervals = series->intervals;
	result->interval_count = series->count;
	series->intervals = NULL;
	series->count = series->room = 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conclusions from samples about all accesses: numbers, order, and possible buckets. */
#include "config.h"
#include "memtrace/analyze/analysis.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define THREADS 256
#define PAUSE_NS 1000000u /* least time between bursts; an instruction takes less */

struct last_of_thread { /* last sample of a thread */
	uint64_t bucket, time_ns;
	uint32_t tid;
};

struct ordering {
	struct order order;
	const struct analysis_run *run;
	struct last_of_thread threads[THREADS];
};

static int take_order(void *data, const struct access *batch, size_t count)
{
	struct ordering *ordering = data;

	for (size_t i = 0; i < count; i++) {
		struct last_of_thread *last = &ordering->threads[batch[i].tid % THREADS];
		uint64_t bucket = batch[i].place >> ordering->run->shift;
		bool is_pause = ordering->run->source->is_bursts && batch[i].time_ns - last->time_ns > PAUSE_NS;

		if (last->bucket && last->tid == batch[i].tid && !is_pause)
			order_add(&ordering->order, (int64_t)(bucket - last->bucket));
		*last = (struct last_of_thread){bucket, batch[i].time_ns, batch[i].tid};
	}
	return 0;
}

static int find_order(const struct analysis_run *run, const struct buckets *sorted, enum order_kind *kind)
{
	struct ordering *ordering = calloc(1, sizeof(*ordering));
	int err;

	if (!ordering)
		return -ENOMEM;
	ordering->run = run;
	err = source_read(run->source, take_order, ordering);
	if (!err) {
		order_expect(&ordering->order, sorted->slots, sorted->count);
		*kind = order_kind(&ordering->order, run->source->is_bursts);
	}
	free(ordering);
	return err;
}

int analysis_sample(struct analysis_run *run, struct buckets *buckets, struct analysis_sampled *sampled)
{
	double size;
	uint32_t *samples = NULL;
	int err;

	err = analysis_buckets(run, run->source, buckets);
	*sampled = (struct analysis_sampled){.order = ORDER_UNSEEN};
	if (!err)
		err = buckets_sort(buckets);
	if (!err)
		samples = buckets_samples(buckets);
	if (!err)
		err = samples ? spectrum_make(samples, buckets->count, &sampled->spectrum) : -ENOMEM;
	free(samples);
	if (!err && run->source->period != 1)
		err = find_order(run, buckets, &sampled->order);
	if (err)
		return err;
	size = (double)(source_size(run->source) >> run->shift);
	sampled->most = size > 0 ? fmax(size, (double)buckets->count) : INFINITY;
	sampled->accesses = analysis_accesses(run->source, run->source->selected).high;
	sampled->buckets = estimate_buckets(&sampled->spectrum, sampled->accesses, sampled->most,
		sampled->order == ORDER_INDEPENDENT);
	if (run->source->period == 1)
		sampled->buckets.low = sampled->buckets.value = sampled->buckets.high = (double)buckets->count;
	else if (run->source->is_bursts && sampled->order == ORDER_DEPENDENT)
		sampled->indication = "accesses of a burst depend on each other, so that samples are fewer than they seem";
	return 0;
}

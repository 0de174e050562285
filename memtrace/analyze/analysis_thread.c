/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Analyses that distinguish threads: stride and sharing. */
#include "config.h"
#include "memtrace/analyze/analysis.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers threads from 0 in the order of their first samples; the numbers leave two bits free. */
static int number_thread(struct buckets *threads, uint32_t tid, uint32_t *number, bool *is_new)
{
	struct bucket *found;
	uint64_t key = (uint64_t)tid + 1;
	int err = buckets_add(threads, &key, 1, &found);

	*is_new = !err && found->extra == BUCKETS_NEW;
	if (*is_new)
		found->extra = (uint32_t)threads->count - 1;
	*number = err ? 0 : found->extra;
	return err;
}

/* --- stride --- */

#define NEAR (1 << 20) /* strides up to this are counted individually */
#define FAR_PAGE 4096
#define BURST_GAP_NS 5000000 /* two samples further apart belong to two bursts */

struct last {
	uint64_t address, time_ns;
};

struct strides {
	bool is_every_access;
	struct buckets threads; /* extra: the number, an index of last */
	struct last *last;      /* by thread */
	size_t capacity;
	uint32_t *near;         /* by stride + NEAR */
	uint64_t pairs, same, forward, backward, far;
};

static int take_stride(void *data, const struct access *batch, size_t count)
{
	struct strides *strides = data;
	uint32_t tid = 0, index = 0;
	bool is_known = false;

	for (size_t i = 0; i < count; i++) {
		struct last before;
		int64_t stride;

		if (!is_known || batch[i].tid != tid) {
			bool is_new;
			int err = number_thread(&strides->threads, batch[i].tid, &index, &is_new);

			if (!err && is_new)
				err = arena_grow(&strides->last, &strides->capacity, index, sizeof(*strides->last));
			if (err)
				return err;
			tid = batch[i].tid;
			is_known = true;
			if (is_new)
				strides->last[index] = (struct last){0};
		}
		before = strides->last[index];
		strides->last[index] = (struct last){batch[i].address, batch[i].time_ns};
		if (!before.address || (!strides->is_every_access && batch[i].time_ns - before.time_ns > BURST_GAP_NS))
			continue;
		stride = (int64_t)(batch[i].address - before.address);
		strides->pairs++;
		strides->same += !stride;
		strides->forward += stride > 0 && stride <= FAR_PAGE;
		strides->backward += stride < 0 && stride >= -FAR_PAGE;
		strides->far += stride > FAR_PAGE || stride < -FAR_PAGE;
		if (stride >= -NEAR && stride <= NEAR)
			strides->near[stride + NEAR]++;
	}
	return 0;
}

static int make_stride_rows(struct analysis_run *run, const struct strides *strides, struct mt_strides_values *values)
{
	size_t most = run->options->rows < 1000 ? (size_t)run->options->rows : 1000, count = 0;
	struct mt_stride_values *rows = analysis_allocate(run, most, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (int64_t stride = -NEAR; stride <= NEAR && most; stride++) {
		uint32_t times = strides->near[stride + NEAR];
		size_t at = count;

		if (!times || (count == most && times <= rows[most - 1].count))
			continue;
		while (at && rows[at - 1].count < times)
			at--;
		count += count < most;
		memmove(&rows[at + 1], &rows[at], (count - 1 - at) * sizeof(*rows));
		rows[at] = (struct mt_stride_values){(double)stride, times, analysis_percent(times, (double)strides->pairs)};
	}
	values->stride = FIELD_MANY(rows, count);
	return 0;
}

int analysis_stride(struct analysis_run *run, const char **why)
{
	struct mt_strides_values *values = run->values;
	struct strides strides = {.is_every_access = run->source->is_every_access,
		.near = run->source->is_successive ? calloc(2 * NEAR + 1, sizeof(*strides.near)) : NULL};
	int err = strides.near ? source_read(run->source, take_stride, &strides) : run->source->is_successive ? -ENOMEM : -ENODATA;

	*why = "its samples are not of successive accesses, which stride needs; record with -e burst";
	if (!err) {
		double pairs = (double)strides.pairs;

		*values = (struct mt_strides_values){.pairs = strides.pairs,
			.same_percent = analysis_percent((double)strides.same, pairs),
			.forward_percent = analysis_percent((double)strides.forward, pairs),
			.backward_percent = analysis_percent((double)strides.backward, pairs),
			.far_percent = analysis_percent((double)strides.far, pairs)};
		err = make_stride_rows(run, &strides, values);
	}
	buckets_free(&strides.threads);
	free(strides.last);
	free(strides.near);
	return err;
}

/* --- sharing --- */

/* The extra of a line: bits, and the number of its thread while it is not shared. */
#define STORED (1u << 31)
#define SHARED (1u << 30)
#define WORD_SHIFT 3

struct line {
	uint64_t key, first_words, other_words; /* a bit for each 8 bytes of a line of up to 512 bytes */
	uint64_t samples, stores;
	uint32_t first, second, name;
	bool has_more;
};

/* The first pass finds the shared lines and chooses those with the most samples; the second counts these. */
struct sharing {
	struct analysis_run *run;
	struct buckets buckets, threads, chosen; /* threads: extra is the number; chosen: of lines */
	struct line *lines;
	size_t count;
	uint64_t stores;
	uint32_t tid, number; /* of the last sample */
};

static int find_shared(void *data, const struct access *batch, size_t count)
{
	struct sharing *sharing = data;
	struct bucket *found[SOURCE_BATCH];
	bool is_new;
	int err = source_count(&sharing->buckets, batch, count, sharing->run->shift, found);

	for (size_t i = 0; i < count && !err; i++) {
		uint32_t stored = trace_is_store(batch[i].kind) ? STORED : 0, *extra = &found[i]->extra;

		if (!sharing->threads.count || batch[i].tid != sharing->tid) {
			sharing->tid = batch[i].tid;
			err = number_thread(&sharing->threads, sharing->tid, &sharing->number, &is_new);
		}
		sharing->stores += stored != 0;
		if (*extra == BUCKETS_NEW)
			*extra = sharing->number;
		else if ((*extra & ~STORED) != sharing->number)
			*extra = (*extra & STORED) | SHARED;
		*extra |= stored;
	}
	return err;
}

/* Lines that are only read may be shared freely. */
static bool is_candidate(uint32_t extra)
{
	return (extra & (STORED | SHARED)) == (STORED | SHARED);
}

static int choose_lines(struct sharing *sharing, uint64_t *candidates)
{
	const struct bucket **hot = NULL;
	int err;

	*candidates = 0;
	for (size_t i = 0; i < sharing->buckets.size; i++)
		*candidates += sharing->buckets.slots[i].key && is_candidate(sharing->buckets.slots[i].extra);
	sharing->count = sharing->run->options->rows < *candidates ? (size_t)sharing->run->options->rows : (size_t)*candidates;
	sharing->lines = calloc(sharing->count + 1, sizeof(*sharing->lines));
	hot = buckets_hot(&sharing->buckets, is_candidate, sharing->count);
	err = sharing->lines && hot ? 0 : -ENOMEM;
	for (size_t i = 0; i < sharing->count && !err; i++) {
		struct bucket *found;

		sharing->lines[i].key = hot[i]->key;
		err = buckets_add(&sharing->chosen, &hot[i]->key, 1, &found);
		if (!err)
			found->extra = (uint32_t)i;
	}
	free(hot);
	return err;
}

static int take_shared(void *data, const struct access *batch, size_t count)
{
	struct sharing *sharing = data;
	uint64_t inside = (1ull << sharing->run->shift) - 1;

	for (size_t i = 0; i < count; i++) {
		const struct bucket *bucket = buckets_find(&sharing->chosen, batch[i].place >> sharing->run->shift);
		uint64_t word = 1ull << ((batch[i].place & inside) >> WORD_SHIFT & 63);
		struct line *line;

		if (!bucket)
			continue;
		line = &sharing->lines[bucket->extra];
		if (!line->samples++) {
			line->first = batch[i].tid;
			line->name = batch[i].name;
		}
		line->stores += trace_is_store(batch[i].kind);
		if (batch[i].tid == line->first) {
			line->first_words |= word;
			continue;
		}
		if (!line->second)
			line->second = batch[i].tid;
		line->has_more |= batch[i].tid != line->second;
		line->other_words |= word;
	}
	return 0;
}

static int make_lines(struct analysis_run *run, const struct sharing *sharing, struct mt_sharing_values *values)
{
	struct mt_line_values *rows = analysis_allocate(run, sharing->count, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < sharing->count; i++) {
		const struct line *line = &sharing->lines[i];

		rows[i] = (struct mt_line_values){.address = analysis_hex(run, analysis_address(run, line->key)),
			.region = run->source->names[line->name].text,
			.sharing = line->first_words & line->other_words ? "true" : "false", .samples = line->samples,
			.stores = line->stores, .first_thread = line->first, .second_thread = line->second,
			.has_more_threads = line->has_more};
		if (!rows[i].address)
			return -ENOMEM;
	}
	values->shared_line = FIELD_MANY(rows, sharing->count);
	return 0;
}

int analysis_sharing(struct analysis_run *run, const char **why)
{
	struct mt_sharing_values *values = run->values;
	struct sharing sharing = {.run = run};
	int err = source_read(run->source, find_shared, &sharing);

	if (!err && !sharing.stores) {
		*why = "has no samples that are known to be stores, which sharing needs";
		err = -ENODATA;
	}
	if (!err) {
		*values = (struct mt_sharing_values){.bucket_bytes = 1ull << run->shift, .touched_buckets = sharing.buckets.count};
		err = choose_lines(&sharing, &values->candidates);
	}
	buckets_free(&sharing.buckets);
	if (!err)
		err = source_read(run->source, take_shared, &sharing);
	if (!err)
		err = make_lines(run, &sharing, values);
	buckets_free(&sharing.threads);
	buckets_free(&sharing.chosen);
	free(sharing.lines);
	return err;
}

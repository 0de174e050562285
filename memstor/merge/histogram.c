/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds histograms of one type, class and layout; leaves out those that not all inputs have. */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/report_common.h"

/* The original's histogram has the buckets of log16 (docs/report.md). */
static const struct histogram_layout *layout_of(const char *name)
{
	if (!strcmp(name, "hdr"))
		return &histogram_hdr;
	return !strcmp(name, "log16") || !strcmp(name, "original") ? &histogram_log16 : NULL;
}

static int check_buckets(
	struct merge *merge, const struct loaded_histogram *histogram, const struct histogram_layout *layout)
{
	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &histogram->buckets[i];
		uint64_t lo = 0, hi = 0;

		if (bucket->lo_ns >= 0 && bucket->lo_ns < 0x1p63)
			layout->edges(layout->index((uint64_t)bucket->lo_ns), &lo, &hi);
		if (bucket->lo_ns != (double)lo || (isinf(bucket->hi_ns) ? hi != UINT64_MAX : bucket->hi_ns != (double)hi))
			return merge_refuse(merge, -EBADMSG, NULL,
				"histogram %s %s %s: a bucket from %.0f to %.0f ns is not in this layout", histogram->type,
				histogram->class, histogram->layout, bucket->lo_ns, bucket->hi_ns);
	}
	return 0;
}

static int add_histogram(struct merge *merge, const struct loaded_histogram *histogram)
{
	const struct histogram_layout *layout = layout_of(histogram->layout);
	struct merge_histogram *found = NULL;
	struct loaded_histogram sum;
	size_t order = merge->histogram_count;
	int err;

	if (!layout)
		return 0;
	err = check_buckets(merge, histogram, layout);
	if (err)
		return err;
	for (size_t i = merge->histogram_count; i-- > 0;) {
		struct merge_histogram *other = &merge->histograms[i];

		if (strcmp(other->class, histogram->class))
			continue;
		order = other->class_order;
		if (!strcmp(other->layout, layout->name) && !strcmp(other->type, histogram->type))
			found = other;
	}
	if (!found) {
		if (!merge_grow(merge, &merge->histograms, merge->histogram_count, &merge->histogram_room, sizeof(*found)))
			return -ENOMEM;
		found = &merge->histograms[merge->histogram_count++];
		*found = (struct merge_histogram){.type = arena_copy(&merge->arena, histogram->type),
			.class = arena_copy(&merge->arena, histogram->class), .layout = layout->name, .class_order = order,
			.has_summary = true};
	}
	err = metric_merge((const struct loaded_histogram *const[]){&found->sum, histogram}, 2, &sum);
	if (err == -EOVERFLOW)
		return merge_refuse(merge, err, NULL,
			"with this report the counts of a histogram are more than 2^64-1 and cannot be added exactly");
	if (err)
		return err;
	metric_merge_free(&found->sum);
	found->sum = sum;
	found->inputs++;
	found->has_summary &= !histogram->count || (!isnan(histogram->mean_ns) && !isnan(histogram->min_ns) &&
							  !isnan(histogram->max_ns));
	return 0;
}

/* An input without any of a type has none of it to add, as a run of reads alone no writes. */
static int count_type(struct merge *merge, const char *name)
{
	size_t i = 0;

	while (i < merge->type_count && strcmp(merge->types[i].name, name))
		i++;
	if (i == merge->type_count) {
		if (!merge_grow(merge, &merge->types, merge->type_count, &merge->type_room, sizeof(*merge->types)))
			return -ENOMEM;
		merge->types[merge->type_count++] = (struct merge_type){arena_copy(&merge->arena, name), 0, 0};
	}
	merge->types[i].inputs += merge->types[i].seen <= merge->inputs;
	merge->types[i].seen = merge->inputs + 1;
	return 0;
}

int merge_add_histograms(struct merge *merge, const struct loaded *loaded)
{
	int err = 0;

	merge->with_histograms += loaded->histogram_count > 0;
	for (size_t i = 0; i < loaded->histogram_count && !err; i++) {
		err = count_type(merge, loaded->histograms[i].type);
		if (!err)
			err = add_histogram(merge, &loaded->histograms[i]);
	}
	return err;
}

bool merge_has_all(const struct merge *merge, const struct merge_histogram *histogram)
{
	size_t without = 0;

	for (size_t i = 0; i < merge->type_count; i++) {
		if (!strcmp(merge->types[i].name, histogram->type))
			without = merge->with_histograms - merge->types[i].inputs;
	}
	return histogram->inputs + without == merge->inputs;
}

void merge_settle_histograms(struct merge *merge)
{
	for (size_t i = 0; i < merge->histogram_count; i++) {
		const struct merge_histogram *histogram = &merge->histograms[i];

		if (merge_has_all(merge, histogram))
			continue;
		merge_omit(merge,
			arena_format(&merge->arena, "histogram %s %s %s", histogram->type, histogram->class, histogram->layout),
			arena_format(&merge->arena, "%zu of %zu files have it", histogram->inputs, merge->inputs));
	}
}

/* In the order of their classes, but reads before writes and the coarse layout before the fine one, as pmbench has
 * them. */
static int compare(const void *a, const void *b)
{
	const struct merge_histogram *first = *(const struct merge_histogram *const *)a;
	const struct merge_histogram *second = *(const struct merge_histogram *const *)b;
	int order = !strcmp(second->type, "read") - !strcmp(first->type, "read");

	if (!order)
		order = (first->class_order > second->class_order) - (first->class_order < second->class_order);
	return order ? order : -strcmp(first->layout, second->layout);
}

static void write_buckets(struct report *report, const struct field *field, const void *from)
{
	const struct loaded_histogram *histogram = from;

	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &histogram->buckets[i];

		FIELD_ROW(report, field, bucket, (uint64_t)bucket->lo_ns,
			isinf(bucket->hi_ns) ? FIELD_NO_COUNT : (uint64_t)bucket->hi_ns, bucket->count);
	}
}

void merge_write_histogram(struct report *report, const char *type, const char *class, const char *layout,
	const struct loaded_histogram *histogram, bool has_summary, bool has_buckets)
{
	const struct summary_values summary = {.count = histogram->count,
		.min_ns = histogram->min_ns,
		.mean_ns = histogram->mean_ns,
		.stddev_ns = histogram->stddev_ns,
		.p50_ns = loaded_known_percentile(histogram, 50),
		.p90_ns = loaded_known_percentile(histogram, 90),
		.p95_ns = loaded_known_percentile(histogram, 95),
		.p99_ns = loaded_known_percentile(histogram, 99),
		.p999_ns = loaded_known_percentile(histogram, 99.9),
		.p9999_ns = loaded_known_percentile(histogram, 99.99),
		.max_ns = histogram->max_ns};
	const struct latency_histogram_values values = {type, class, layout, "ns",
		has_summary ? FIELD_ONE(&summary) : FIELD_NONE, has_buckets ? FIELD_BY(write_buckets, histogram) : FIELD_NONE};

	FIELD_WRITE(report, "latency_histogram", latency_histogram, &values);
}

void merge_write_statistics(struct merge *merge, struct report *report)
{
	const struct merge_histogram **sorted = calloc(merge->histogram_count + 1, sizeof(*sorted));
	size_t count = 0;

	merge->arena.is_short |= !sorted;
	for (size_t i = 0; sorted && i < merge->histogram_count; i++) {
		if (merge_has_all(merge, &merge->histograms[i]))
			sorted[count++] = &merge->histograms[i];
	}
	if (sorted && merge->histogram_count) {
		qsort(sorted, count, sizeof(*sorted), compare);
		report_begin(report, "statistics");
		for (size_t i = 0; i < count; i++)
			merge_write_original_histogram(report, sorted[i]);
		for (size_t i = 0; i < count && !merge->is_original; i++)
			merge_write_histogram(report, sorted[i]->type, sorted[i]->class, sorted[i]->layout, &sorted[i]->sum,
				sorted[i]->has_summary, true);
		report_end(report);
	}
	free(sorted);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts are added; mean and deviation are combined pair by pair, without the squares that would round them away. */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The original's histogram has the buckets of log16 (docs/report.md). */
static const struct histogram_layout *counted_as(const struct loaded_histogram *histogram)
{
	return strcmp(histogram->layout, "original") == 0 ? &histogram_log16 : merge_layout(histogram->layout);
}

static struct merge_histogram *find(struct merge *merge, const struct loaded_histogram *histogram,
	const struct histogram_layout *layout)
{
	struct merge_histogram *found = merge->histograms;

	for (size_t i = 0; i < merge->histogram_count; i++, found++) {
		if (found->layout == layout && strcmp(found->type, histogram->type) == 0 &&
			strcmp(found->class, histogram->class) == 0)
			return found;
	}
	if (merge->histogram_count == MERGE_HISTOGRAMS_MAX)
		return NULL;
	*found = (struct merge_histogram){.type = merge_text(merge, histogram->type),
		.class = merge_text(merge, histogram->class),
		.layout = layout,
		.counts = merge_array(merge, layout->buckets, sizeof(*found->counts)),
		.has_summary = true,
		.has_deviation = true};
	if (!found->counts)
		return NULL;
	merge->histogram_count++;
	return found;
}

static int refuse_bucket(
	struct merge *merge, const struct loaded_histogram *histogram, const struct loaded_bucket *bucket)
{
	return merge_refuse(merge, -EBADMSG, NULL, "histogram %s %s %s: a bucket from %.0f to %.0f ns is not in this layout",
		histogram->type, histogram->class, histogram->layout, bucket->lo_ns, bucket->hi_ns);
}

static int add_counts(struct merge *merge, struct merge_histogram *sum, const struct loaded_histogram *histogram)
{
	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &histogram->buckets[i];
		unsigned index = 0;
		uint64_t lo = 0, hi = 0;
		bool is_open = isinf(bucket->hi_ns);

		if (bucket->lo_ns >= 0 && bucket->lo_ns < 0x1p63) {
			index = sum->layout->index((uint64_t)bucket->lo_ns);
			sum->layout->edges(index, &lo, &hi);
		}
		if (bucket->lo_ns != (double)lo || (is_open ? hi != UINT64_MAX : bucket->hi_ns != (double)hi))
			return refuse_bucket(merge, histogram, bucket);
		/* No bucket holds more than all of them together. */
		sum->counts[index] += bucket->count;
	}
	return 0;
}

/* Chan, Golub, LeVeque: Updating Formulae and a Pairwise Algorithm for Computing Sample Variances (1979). */
static void add_moments(struct merge_histogram *sum, const struct loaded_histogram *histogram)
{
	long double before = sum->count, more = histogram->count, all = before + more;
	long double squares = histogram->count > 1
				      ? (long double)histogram->stddev_ns * histogram->stddev_ns * (more - 1)
				      : 0;
	long double apart = histogram->mean_ns - sum->mean_ns;

	if (histogram->count == 0)
		return;
	if (sum->contributors++ == 0) {
		sum->mean_ns = histogram->mean_ns;
		sum->squares_ns2 = squares;
		sum->min_ns = histogram->min_ns;
		sum->max_ns = histogram->max_ns;
		sum->only_stddev_ns = histogram->stddev_ns;
	} else {
		sum->mean_ns += apart * more / all;
		sum->squares_ns2 += squares + apart * apart * before * more / all;
		sum->min_ns = fmin(sum->min_ns, histogram->min_ns);
		sum->max_ns = fmax(sum->max_ns, histogram->max_ns);
	}
	sum->has_deviation &= !isnan(histogram->stddev_ns);
	sum->has_summary &=
		!isnan(histogram->mean_ns) && !isnan(histogram->min_ns) && !isnan(histogram->max_ns);
}

static int add_histogram(struct merge *merge, const struct loaded_histogram *histogram)
{
	const struct histogram_layout *layout = counted_as(histogram);
	struct merge_histogram *sum;
	uint64_t count;
	int err;

	if (!layout)
		return 0;
	sum = find(merge, histogram, layout);
	if (!sum && merge->is_short)
		return -ENOMEM;
	if (!sum)
		return merge_refuse(merge, -EINVAL, NULL, "more than %d different histograms", MERGE_HISTOGRAMS_MAX);
	count = sum->count;
	err = merge_sum(merge, "counts of a histogram", &count, histogram->count);
	if (!err)
		err = add_counts(merge, sum, histogram);
	if (err)
		return err;
	add_moments(sum, histogram);
	sum->count = count;
	sum->inputs++;
	return 0;
}

static bool has_type(const struct loaded *loaded, const char *type)
{
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		if (strcmp(loaded->histograms[i].type, type) == 0)
			return true;
	}
	return false;
}

int merge_add_histograms(struct merge *merge, const struct loaded *loaded)
{
	bool has_reads = has_type(loaded, "read"), has_writes = has_type(loaded, "write");
	int err = 0;

	/* One direction alone: a run of pure reads or writes, which has none of the other to add. */
	merge->without_reads += !has_reads && has_writes;
	merge->without_writes += has_reads && !has_writes;
	for (size_t i = 0; i < loaded->histogram_count && !err; i++)
		err = add_histogram(merge, &loaded->histograms[i]);
	return err;
}

bool merge_is_complete(const struct merge *merge, const struct merge_histogram *histogram)
{
	size_t inputs = histogram->inputs;

	if (strcmp(histogram->type, "read") == 0)
		inputs += merge->without_reads;
	else if (strcmp(histogram->type, "write") == 0)
		inputs += merge->without_writes;
	return inputs == merge->inputs;
}

void merge_make_omissions(struct merge *merge)
{
	for (size_t i = 0; i < merge->histogram_count; i++) {
		const struct merge_histogram *histogram = &merge->histograms[i];
		const char *name;

		if (merge_is_complete(merge, histogram))
			continue;
		name = merge_format(merge, "histogram %s %s %s", histogram->type, histogram->class,
			histogram->layout->name);
		merge_omit(merge, name,
			merge_format(merge, "%zu of %zu files have it", histogram->inputs, merge->inputs));
	}
}

void merge_summarize(const struct merge_histogram *histogram, struct histogram_summary *summary)
{
	struct histogram_moments moments = {.count = histogram->count,
		.sum_ns = 0,
		.sum_squares_ns2 = NAN,
		.min_ns = histogram->min_ns,
		.max_ns = histogram->max_ns};
	long double variance = histogram->squares_ns2 / (histogram->count > 1 ? histogram->count - 1 : 1);

	histogram_summarize(histogram->layout, histogram->counts, &moments, summary);
	if (histogram->count == 0)
		return;
	summary->mean_ns = (double)histogram->mean_ns;
	if (!histogram->has_deviation)
		summary->stddev_ns = NAN;
	else if (histogram->contributors == 1)
		summary->stddev_ns = histogram->only_stddev_ns;
	else
		summary->stddev_ns = (double)sqrtl(variance);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads <statistics>, and computes percentiles of histograms. */
#include "config.h"
#include "memstor/loaded/private.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/histogram.h"
#include "common/units.h"

/* What both ends of an open bucket are taken for when no maximum is known. */
static double clamp(double value, const struct loaded_histogram *histogram)
{
	return fmin(fmax(value, histogram->min_ns), histogram->max_ns);
}

double loaded_percent(const char *name)
{
	char digits[16];
	size_t length = name[0] == 'p' ? strspn(name + 1, "0123456789") : 0;
	double percent;

	/* p5 and p50 are whole percents, from p99 on more nines are decimals. */
	if (length < 1 || length > 12 || strcmp(name + 1 + length, "_ns"))
		return NAN;
	snprintf(digits, sizeof(digits), "%.2s%s%.*s", name + 1, length > 2 ? "." : "", length > 2 ? (int)length - 2 : 0,
		name + 3);
	if (length == 1)
		digits[1] = '\0';
	return units_parse_double(digits, 0, 100, &percent) ? NAN : percent;
}

static double find_percentile(const struct loaded_histogram *histogram, double percent, bool is_stated)
{
	double rank = histogram_rank(histogram->count, percent);
	uint64_t below = 0;

	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &histogram->buckets[i];
		double low = clamp(bucket->lo_ns, histogram), high = clamp(bucket->hi_ns, histogram);

		if ((double)(below + bucket->count) < rank) {
			below += bucket->count;
			continue;
		}
		if (isinf(high))
			high = low;
		if (is_stated && percent > 0 && percent < 100 && histogram_is_vague(bucket->lo_ns, low, high))
			return NAN;
		return fmin(low + (high - low) * (rank - (double)below) / (double)bucket->count,
			is_stated ? histogram_percentile_limit(histogram->mean_ns, percent) : NAN);
	}
	/* Rounding alone can leave the rank above the last bucket. */
	if (histogram->bucket_count == 0)
		return NAN;
	return isnan(histogram->max_ns) ? histogram->buckets[histogram->bucket_count - 1].lo_ns : histogram->max_ns;
}

double loaded_percentile(const struct loaded_histogram *histogram, double percent)
{
	return find_percentile(histogram, percent, false);
}

double loaded_known_percentile(const struct loaded_histogram *histogram, double percent)
{
	return find_percentile(histogram, percent, true);
}

/* Buckets without a count are left out. */
static int take_buckets(
	struct loading *loading, const struct report_node *parent, struct loaded_histogram *histogram)
{
	struct loaded_bucket *buckets =
		arena_array(&loading->arena, loaded_count(parent, "bucket"), sizeof(*buckets));
	uint64_t before = 0;
	bool is_open = false;

	if (!buckets)
		return -ENOMEM;
	histogram->buckets = buckets;
	for (const struct report_node *node = parent->child; node; node = node->next) {
		struct loaded_bucket *bucket = &buckets[histogram->bucket_count];
		uint64_t lo, hi = UINT64_MAX;
		int err;

		if (strcmp(node->name, "bucket") != 0)
			continue;
		err = loaded_attribute_u64(loading, node, "lo", &lo);
		if (!err && report_read_attribute(node, "hi"))
			err = loaded_attribute_u64(loading, node, "hi", &hi);
		if (!err)
			err = loaded_attribute_u64(loading, node, "count", &bucket->count);
		if (err)
			return err;
		if (is_open)
			return loaded_refuse(loading, node, "a <bucket> behind the one without hi, which is the last");
		if (lo < before)
			return loaded_refuse(loading, node,
				"<bucket> from %llu begins below the end of the one before it, %llu", (unsigned long long)lo,
				(unsigned long long)before);
		if (hi <= lo)
			return loaded_refuse(loading, node, "<bucket> ends at %llu and begins at %llu: it must end above",
				(unsigned long long)hi, (unsigned long long)lo);
		is_open = !report_read_attribute(node, "hi");
		before = hi;
		if (__builtin_add_overflow(histogram->count, bucket->count, &histogram->count))
			return loaded_refuse(loading, node, "the counts of the buckets add up to more than 2^64-1");
		bucket->lo_ns = (double)lo;
		bucket->hi_ns = is_open ? INFINITY : (double)hi;
		histogram->bucket_count += bucket->count > 0;
	}
	return 0;
}

static int take_summary(
	struct loading *loading, const struct report_node *parent, struct loaded_histogram *histogram)
{
	const struct {
		const char *name;
		double *value;
	} parts[] = {
		{"min_ns", &histogram->min_ns},
		{"mean_ns", &histogram->mean_ns},
		{"stddev_ns", &histogram->stddev_ns},
		{"max_ns", &histogram->max_ns},
	};
	const struct report_node *summary = report_read_find(parent, "summary");
	uint64_t count;
	int err = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		*parts[i].value = NAN;
		if (summary && !err)
			err = loaded_child_double(loading, summary, parts[i].name, parts[i].value);
	}
	if (err || !summary)
		return err;
	err = loaded_child_u64(loading, summary, "count", &count);
	if (!err && count != histogram->count)
		err = loaded_refuse(loading, summary, "the buckets hold %llu in all, the <summary> says %llu",
			(unsigned long long)histogram->count, (unsigned long long)count);
	if (!err && histogram->min_ns > histogram->max_ns)
		err = loaded_refuse(loading, summary, "min_ns is above max_ns");
	return err;
}

int loaded_make_histogram(
	struct loading *loading, const struct report_node *node, struct loaded_histogram *histogram)
{
	const struct {
		const char *name, **value;
	} names[] = {{"type", &histogram->type}, {"class", &histogram->class}, {"layout", &histogram->layout}};
	const char *unit = report_read_attribute(node, "unit");
	int err;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		*names[i].value = report_read_attribute(node, names[i].name);
		if (!*names[i].value)
			return loaded_refuse(loading, node, "<%s> has no %s", node->name, names[i].name);
	}
	if (!unit || strcmp(unit, "ns") != 0)
		return loaded_refuse(loading, node, "unit=\"%.40s\" of <%s>: allowed is ns", unit ? unit : "", node->name);
	err = take_buckets(loading, node, histogram);
	return err ? err : take_summary(loading, node, histogram);
}

/* hdr is finer than log16; of what is not known, the first is taken. */
static int fineness(const struct loaded_histogram *histogram)
{
	return strcmp(histogram->layout, "hdr") == 0;
}

/* Behind those of the same type and class that are as fine; -EEXIST when one of the same layout is there. */
static int insert(struct loaded_histogram *list, size_t *count, const struct loaded_histogram *new)
{
	size_t at = *count;

	for (size_t i = 0; i < *count; i++) {
		bool is_same = !strcmp(list[i].type, new->type) && !strcmp(list[i].class, new->class);

		if (is_same && !strcmp(list[i].layout, new->layout))
			return -EEXIST;
		if (is_same && fineness(new) > fineness(&list[i]) && at > i)
			at = i;
	}
	memmove(&list[at + 1], &list[at], (*count - at) * sizeof(*list));
	list[at] = *new;
	(*count)++;
	return 0;
}

int loaded_take_histograms(struct loading *loading)
{
	const struct report_node *statistics = report_read_find(loading->report, "statistics");
	bool is_ours = loaded_count(statistics, "latency_histogram") > 0;
	const char *element = is_ours ? "latency_histogram" : "histogram";
	size_t room = loaded_count(statistics, element);
	struct loaded_histogram *list = arena_array(&loading->arena, room, sizeof(*list));
	const struct report_node *node = statistics ? report_read_find(statistics, element) : NULL;

	if (!list)
		return -ENOMEM;
	if (room > LOADED_HISTOGRAMS_MAX)
		return loaded_refuse(loading, statistics, "%zu histograms: allowed are %d", room, LOADED_HISTOGRAMS_MAX);
	loading->loaded.histograms = list;
	for (; node; node = report_read_next(node)) {
		struct loaded_histogram new = {0};
		int err = is_ours ? loaded_make_histogram(loading, node, &new)
				  : loaded_make_original(loading, node, &new);

		if (err)
			return err;
		if (insert(list, &loading->loaded.histogram_count, &new))
			return loaded_refuse(loading, node, "a second <%s> of type %.40s, class %.40s, layout %.40s", element,
				new.type, new.class, new.layout);
	}
	return 0;
}

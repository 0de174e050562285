/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/validate/laws.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "memstor/validate/judging.h"

#define TOLERANCE 1e-9

void laws_broken(const struct judging *judging, const struct report_node *node, const char *format, ...)
{
	va_list arguments;
	char text[512];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	judging->found(judging->data, node->line, text);
}

bool laws_is_near(double a, double b)
{
	return fabs(a - b) <= TOLERANCE * fmax(fabs(a), fabs(b));
}

const struct loaded_histogram *laws_histogram(
	const struct loaded *loaded, const char *type, const char *class, const char *layout)
{
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		if (!strcmp(histogram->type, type) && !strcmp(histogram->class, class) &&
			!strcmp(histogram->layout, layout))
			return histogram;
	}
	return NULL;
}

static void judge_percentiles(
	const struct judging *judging, const struct report_node *summary, const struct loaded_histogram *histogram)
{
	static const struct {
		const char *name;
		double percent;
	} rows[] = {{"p50_ns", 50}, {"p90_ns", 90}, {"p95_ns", 95}, {"p99_ns", 99}, {"p999_ns", 99.9},
		{"p9999_ns", 99.99}};
	const char *before_name = "min_ns";
	double before = histogram->min_ns;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double value, counted = loaded_percentile(histogram, rows[i].percent);

		if (report_read_double(summary, rows[i].name, &value))
			continue;
		if (value < before)
			laws_broken(judging, summary, "%s is %.15g, below %s, %.15g: percentiles rise", rows[i].name, value,
				before_name, before);
		else if (!laws_is_near(value, counted))
			laws_broken(judging, summary, "%s is %.15g, the buckets say %.15g", rows[i].name, value, counted);
		before = value;
		before_name = rows[i].name;
	}
	if (before > histogram->max_ns)
		laws_broken(judging, summary, "%s is %.15g, above max_ns, %.15g", before_name, before, histogram->max_ns);
}

static void judge_summary(
	const struct judging *judging, const struct report_node *node, const struct loaded_histogram *histogram)
{
	const struct report_node *summary = report_read_find(node, "summary");
	const struct loaded_bucket *first = histogram->buckets, *last = first + histogram->bucket_count - 1;
	double low = histogram->min_ns, high = histogram->max_ns, mean = histogram->mean_ns;

	if (!summary || histogram->bucket_count == 0)
		return;
	if (low < first->lo_ns || low > first->hi_ns)
		laws_broken(judging, summary, "min_ns is %.15g, the first bucket goes from %.15g to %.15g", low, first->lo_ns,
			first->hi_ns);
	if (high < last->lo_ns || high > last->hi_ns)
		laws_broken(judging, summary, "max_ns is %.15g, the last bucket goes from %.15g to %.15g", high, last->lo_ns,
			last->hi_ns);
	if ((mean < low && !laws_is_near(mean, low)) || (mean > high && !laws_is_near(mean, high)))
		laws_broken(judging, summary, "mean_ns is %.15g, outside min_ns to max_ns, %.15g to %.15g", mean, low, high);
	judge_percentiles(judging, summary, histogram);
}

static void judge_summaries(const struct judging *judging)
{
	const struct report_node *node = report_read_find(judging->report, "statistics/latency_histogram");

	for (; node; node = report_read_next(node)) {
		const struct loaded_histogram *histogram = laws_histogram(judging->loaded,
			report_read_attribute(node, "type"), report_read_attribute(node, "class"),
			report_read_attribute(node, "layout"));

		judge_summary(judging, node, histogram);
	}
}

/* The count of the bucket that begins at lo; *at moves on and never back. */
static uint64_t count_at(const struct loaded_histogram *histogram, double lo, size_t *at)
{
	while (*at < histogram->bucket_count && histogram->buckets[*at].lo_ns < lo)
		(*at)++;
	return *at < histogram->bucket_count && histogram->buckets[*at].lo_ns == lo ? histogram->buckets[*at].count : 0;
}

static void judge_class_sums(const struct judging *judging)
{
	static const char *const classes[] = {"hit", "minor", "major"};
	const struct report_node *node = report_read_find(judging->report, "statistics/latency_histogram");

	for (; node; node = report_read_next(node)) {
		const char *type = report_read_attribute(node, "type"), *layout = report_read_attribute(node, "layout");
		const struct loaded_histogram *all = laws_histogram(judging->loaded, type, "all", layout), *parts[3];
		size_t at[3] = {0};
		uint64_t total = 0;
		bool are_there = strcmp(report_read_attribute(node, "class"), "all") == 0;

		for (size_t i = 0; i < 3; i++) {
			parts[i] = laws_histogram(judging->loaded, type, classes[i], layout);
			are_there &= parts[i] != NULL;
			total += parts[i] ? parts[i]->count : 0;
		}
		if (are_there && total != all->count)
			laws_broken(judging, node, "hit, minor and major hold %" PRIu64 ", all holds %" PRIu64, total, all->count);
		for (size_t b = 0; are_there && total == all->count && b < all->bucket_count; b++) {
			double lo = all->buckets[b].lo_ns;
			uint64_t sum = 0;

			for (size_t i = 0; i < 3; i++)
				sum += count_at(parts[i], lo, &at[i]);
			if (sum == all->buckets[b].count)
				continue;
			laws_broken(judging, node,
				"hit, minor and major hold %" PRIu64 " in the bucket from %.0f, all holds %" PRIu64, sum,
				lo, all->buckets[b].count);
			break;
		}
	}
}

/* The same counts under the original's elements. */
static void judge_original_sums(const struct judging *judging)
{
	const struct report_node *node = report_read_find(judging->report, "statistics/histogram");

	for (; node && judging->loaded->histogram_count && !judging->loaded->is_original; node = report_read_next(node)) {
		const char *type = report_read_attribute(node, "type");
		const struct loaded_histogram *all = laws_histogram(judging->loaded, type ? type : "", "all", "log16");
		uint64_t sum = 0, value;

		for (const struct report_node *bucket = report_read_find(node, "histo_bucket"); bucket;
			bucket = report_read_next(bucket))
			sum += report_read_u64(bucket, "sum_count", &value) ? 0 : value;
		if (all && sum != all->count)
			laws_broken(judging, node, "<histogram> holds %" PRIu64 ", <latency_histogram> holds %" PRIu64, sum,
				all->count);
	}
}

struct threads {
	unsigned count;
	bool are_complete;
	uint64_t samples, backwards;
};

static struct threads count_threads(const struct judging *judging)
{
	const struct report_node *thread = report_read_find(judging->report, "result/result_thread");
	struct threads threads = {.are_complete = true};

	for (; thread; thread = report_read_next(thread)) {
		const struct report_node *complete = report_read_find(thread, "thread_details/is_complete");
		uint64_t value;

		threads.count++;
		threads.are_complete &= !complete || !strcmp(complete->text, "true");
		threads.samples += report_read_u64(thread, "result_details/details_samples", &value) ? 0 : value;
		threads.backwards += report_read_u64(thread, "thread_details/backwards", &value) ? 0 : value;
	}
	return threads;
}

/* A latency below zero is an access that is in no histogram; of a lost thread either may be behind. */
static void judge_accesses(const struct judging *judging)
{
	const struct report_node *result = report_read_find(judging->report, "result");
	const struct report_node *jobs = report_read_find(judging->report, "signature/params/jobs");
	struct threads threads = count_threads(judging);
	uint64_t accesses, counted = 0, value;

	if (!result || !threads.count)
		return;
	if (jobs && !report_read_u64(judging->report, "signature/params/jobs", &value) && value != threads.count)
		laws_broken(judging, jobs, "<jobs> is %" PRIu64 ", there are %u <result_thread>", value, threads.count);
	if (report_read_u64(result, "totals/accesses", &accesses))
		accesses = threads.samples;
	if (accesses != threads.samples)
		laws_broken(judging, result, "the threads had %" PRIu64 " accesses, <totals> says %" PRIu64, threads.samples,
			accesses);
	for (size_t i = 0; i < judging->loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &judging->loaded->histograms[i];

		if (!strcmp(histogram->class, "all") && strcmp(histogram->layout, "hdr"))
			counted += histogram->count;
	}
	if (judging->loaded->histogram_count == 0 || !threads.are_complete ||
		strcmp(judging->loaded->status, "interrupted") == 0)
		return;
	if (counted > accesses || accesses - counted > threads.backwards)
		laws_broken(judging, result, "the histograms hold %" PRIu64 " of %" PRIu64 " accesses, %" PRIu64 " were backwards",
			counted, accesses, threads.backwards);
}

static void judge_series(const struct judging *judging)
{
	const struct report_node *node = report_read_find(judging->report, "series/interval");
	const struct loaded_interval *interval = judging->loaded->intervals;
	const char *cell = "", *repetition = "";
	double before = 0;

	for (; node; node = report_read_next(node), interval++) {
		uint64_t accesses;

		/* Each cell and repetition has its own time. */
		if (strcmp(interval->cell, cell) != 0 || strcmp(interval->repetition, repetition) != 0)
			before = 0;
		cell = interval->cell;
		repetition = interval->repetition;
		if (interval->time_s < before)
			laws_broken(judging, node, "time_s is %.15g, below that of the interval before, %.15g", interval->time_s,
				before);
		before = interval->time_s;
		if (interval->histogram && !report_read_u64(node, "accesses", &accesses) &&
			interval->histogram->count > accesses)
			laws_broken(judging, node, "the histogram holds %" PRIu64 ", the interval had %" PRIu64 " accesses",
				interval->histogram->count, accesses);
	}
}

static void judge_clock(const struct judging *judging)
{
	const struct report_node *end = report_read_find(judging->report, "signature/monotonic_end_ns");
	uint64_t start_ns, end_ns;

	if (report_read_u64(judging->report, "signature/monotonic_start_ns", &start_ns) ||
		report_read_u64(judging->report, "signature/monotonic_end_ns", &end_ns))
		return;
	if (end_ns < start_ns)
		laws_broken(judging, end, "monotonic_end_ns is %" PRIu64 ", before monotonic_start_ns, %" PRIu64, end_ns, start_ns);
}

void validate_laws(const struct loaded *loaded, void (*found)(void *data, unsigned line, const char *text), void *data)
{
	static void (*const laws[])(const struct judging *) = {
		judge_clock, judge_accesses, judge_original_sums, judge_class_sums, judge_summaries, laws_judge_cells,
		laws_judge_evaluation, laws_judge_trace, laws_judge_streams, judge_series};
	struct judging judging = {
		loaded, report_read_find(report_read_root(loaded->document), "report"), found, data};

	for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++)
		laws[i](&judging);
}

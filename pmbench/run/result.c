/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/run/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void result_free(struct pmbench_result *result)
{
	for (int class = 0; class < RESULT_CLASSES; class ++) {
		for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++) {
			free(result->total[class][direction].hdr);
			result->total[class][direction].hdr = NULL;
		}
	}
	for (size_t i = 0; i < result->interval_count; i++) {
		free(result->intervals[i].count);
		free(result->intervals[i].delta);
	}
	free(result->intervals);
	free(result->threads);
	free(result->snapshots);
	result->intervals = NULL;
	result->interval_count = 0;
	result->threads = NULL;
	result->thread_count = 0;
	result->snapshots = NULL;
	memset(result->has_snapshot, 0, sizeof(result->has_snapshot));
}

bool result_has_histograms(const struct pmbench_result *result)
{
	return result->plan->options->access == ACCESS_HISTO;
}

bool result_is_classified(const struct pmbench_result *result)
{
	return result_has_histograms(result) && result->plan->options->classify != CLASSIFY_NONE;
}

bool result_has_direction(const struct pmbench_result *result, enum access_direction direction)
{
	unsigned ratio = result->plan->options->ratio;

	return direction == ACCESS_READ ? ratio > 0 : ratio < 100;
}

uint64_t result_inexact(const struct pmbench_result *result)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < result->thread_count; i++)
		sum += (uint64_t)llabs(result->threads[i].details.inexact_faults);
	return sum;
}

uint64_t result_accesses(const struct pmbench_result *result)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < result->thread_count; i++)
		sum += result->threads[i].accesses;
	return sum;
}

time_t result_reported_on(const struct pmbench_result *result)
{
	const struct report_signature *signature = &result->signature;
	uint64_t ran_ns = signature->monotonic_end_ns > signature->monotonic_start_ns ?
		signature->monotonic_end_ns - signature->monotonic_start_ns : 0;

	return signature->wall_start.tv_sec +
	       (time_t)(((uint64_t)signature->wall_start.tv_nsec + ran_ns) / UNITS_NS_PER_SEC);
}

/* the finest counts of a histogram, or the sum of both directions */
struct fine_counts {
	const struct histogram_layout *layout;
	const uint64_t *count;
	uint64_t *sum; /* buffer that count points to for the sum; NULL = none */
	struct histogram_moments moments;
};

static const uint64_t *finest(const struct result_histogram *histogram)
{
	return histogram->hdr ? histogram->hdr : histogram->count;
}

/* The merge cannot overflow, because the counts are of one run (common/stats/histogram.h). */
static int gather(const struct pmbench_result *result, enum result_class class, unsigned direction,
	struct fine_counts *fine)
{
	const struct result_histogram *parts = result->total[class];

	*fine = (struct fine_counts){.layout = parts[0].hdr ? &histogram_hdr : &histogram_log16};
	if (direction != RESULT_BOTH) {
		fine->count = finest(&parts[direction]);
		fine->moments = parts[direction].moments;
		return 0;
	}
	fine->count = fine->sum = calloc(fine->layout->buckets, sizeof(*fine->sum));
	if (!fine->sum)
		return -ENOMEM;
	for (unsigned i = 0; i < ACCESS_DIRECTIONS; i++) {
		histogram_merge(fine->layout, fine->sum, finest(&parts[i]));
		histogram_moments_add(&fine->moments, &parts[i].moments);
	}
	return 0;
}

int result_summary(const struct pmbench_result *result, enum result_class class, unsigned direction,
	struct histogram_summary *summary)
{
	struct fine_counts fine;
	int error = gather(result, class, direction, &fine);

	if (error)
		return error;
	histogram_summarize(fine.layout, fine.count, &fine.moments, summary);
	free(fine.sum);
	return 0;
}

static void cut_edges(const struct result_histogram *histogram, unsigned bucket, double *low, double *high)
{
	const struct histogram_layout *layout = histogram->hdr ? &histogram_hdr : &histogram_log16;
	uint64_t lo, hi;

	layout->edges(bucket, &lo, &hi);
	*low = fmin(fmax((double)lo, histogram->moments.min_ns), histogram->moments.max_ns);
	*high = fmin(fmax((double)hi, *low), histogram->moments.max_ns);
}

/* Distributes the exact sum over the buckets: each count gets the middle of its bucket, and the difference to the sum is shared in
 * proportion to the widths. Wide buckets (above 8 ms, below 256 ns) take most of it, and the total never exceeds the sum. */
static double time_over(const struct result_histogram *histogram, double limit_ns)
{
	unsigned buckets = histogram->hdr ? BUCKET_HDR_COUNT : BUCKET_LOG16_COUNT;
	double middles = 0, widths = 0, over = 0, low, high, lean;
	const uint64_t *counts = finest(histogram);

	for (unsigned i = 0; i < buckets; i++) {
		cut_edges(histogram, i, &low, &high);
		middles += counts[i] ? (double)counts[i] * (low + high) / 2 : 0;
		widths += counts[i] ? (double)counts[i] * (high - low) / 2 : 0;
	}
	lean = widths > 0 ? fmin(fmax((histogram->moments.sum_ns - middles) / widths, -1), 1) : 0;
	for (unsigned i = 0; i < buckets; i++) {
		double share, from;

		cut_edges(histogram, i, &low, &high);
		if (!counts[i] || high < limit_ns)
			continue;
		from = fmax(low, limit_ns);
		share = low < limit_ns ? (high - limit_ns) / (high - low) : 1;
		over += (double)counts[i] * share * ((from + high) / 2 + lean * (high - from) / 2);
	}
	return over;
}

double result_time_over_percent(const struct pmbench_result *result, double ns)
{
	enum result_class first = result_is_classified(result) ? RESULT_HIT : RESULT_ALL, last = first;
	double over_ns = 0, run_ns = 0;

	/* The sum of each class is exact, too, and fewer accesses of a class are in wide buckets. */
	if (first == RESULT_HIT)
		last = RESULT_MAJOR;
	for (size_t i = 0; i < result->thread_count; i++)
		run_ns += (double)result->threads[i].details.run_ns;
	for (unsigned class = first; class <= last; class++) {
		for (unsigned direction = 0; direction < ACCESS_DIRECTIONS; direction++)
			over_ns += time_over(&result->total[class][direction], ns);
	}
	return run_ns > 0 ? fmin(100, over_ns / run_ns * 100) : NAN;
}

bool result_counted(const struct pmbench_result *result, const char *name, uint64_t *difference)
{
	uint64_t before, after;

	if (!result->has_snapshot[SNAPSHOT_PRE_RUN] || !result->has_snapshot[SNAPSHOT_POST_RUN] ||
		!vmcounters_get(&result->snapshots[SNAPSHOT_PRE_RUN], name, &before) ||
		!vmcounters_get(&result->snapshots[SNAPSHOT_POST_RUN], name, &after))
		return false;
	*difference = after - before;
	return true;
}

bool result_swap_bandwidth(const struct pmbench_result *result, double *in, double *out)
{
	double page_bytes = result->machine.page_bytes;
	uint64_t ins, outs;

	if (!(result->run_seconds > 0) || !result_counted(result, "vmstat.pswpin", &ins) ||
		!result_counted(result, "vmstat.pswpout", &outs))
		return false;
	*in = (double)ins * page_bytes / result->run_seconds;
	*out = (double)outs * page_bytes / result->run_seconds;
	return true;
}

int result_overhead(const struct pmbench_result *result, struct pm_paging_overhead_values *overhead)
{
	double media_ns = result->plan->options->media_latency_us * 1e3;
	struct histogram_summary summary;
	struct fine_counts fine;
	int error;

	if (!(media_ns > 0))
		return -EINVAL;
	error = gather(result, RESULT_MAJOR, RESULT_BOTH, &fine);
	if (error)
		return error;
	if (!result_is_classified(result) || !fine.moments.count)
		error = -ENODATA;
	else
		error = result_summary(result, RESULT_ALL, RESULT_BOTH, &summary);
	if (!error) {
		overhead->media_latency_ns = media_ns;
		overhead->access_mean_ns = summary.mean_ns;
		overhead->major_mode_ns = histogram_mode(fine.layout, fine.count);
		overhead->major_mean_ns = fine.moments.sum_ns / (double)fine.moments.count;
		overhead->os_overhead_ns = overhead->major_mean_ns - media_ns;
		overhead->os_overhead_percent = overhead->os_overhead_ns / media_ns * 100;
	}
	free(fine.sum);
	return error;
}

void result_params(const struct pmbench_result *result, struct pm_params_values *params)
{
	const struct pmbench_plan *plan = result->plan;
	const struct pmbench_options *options = plan->options;
	const struct pattern_spec *pattern = &plan->phases[0].pattern;

	*params = (struct pm_params_values){
		.duration = (plan->duration_ns + UNITS_NS_PER_SEC / 2) / UNITS_NS_PER_SEC,
		.mapsize = plan->process[0].map_bytes / UNITS_MIB,
		.setsize = plan->process[0].set_bytes / UNITS_MIB,
		.initialize = options->mapping.content != CONTENT_NONE || options->is_initialized,
		.shape = pattern->shape,
		.delay = options->delay_ticks,
		.quiet = options->is_quiet,
		.cold = options->is_cold || options->warmup == WARMUP_NONE,
		.jobs = plan->threads,
		.offset = options->offset,
		.ratio = options->ratio,
		.pattern = pattern_name(pattern->kind),
		.access = result_has_histograms(result) ? "histo" : "touch",
		.tsops = timebase_method_name(result->timebase.method),
	};
}

/* the original's columns: five of meminfo in KiB, then five of vmstat */
static const struct {
	const char *counter;
	unsigned divisor;
} memory_columns[RESULT_MEMORY_COLUMNS] = {
	{"meminfo.MemFree", 1024},
	{"meminfo.Buffers", 1024},
	{"meminfo.Cached", 1024},
	{"meminfo.Active", 1024},
	{"meminfo.Inactive", 1024},
	{"vmstat.pgpgin", 1},
	{"vmstat.pgpgout", 1},
	{"vmstat.pswpin", 1},
	{"vmstat.pswpout", 1},
	{"vmstat.pgmajfault", 1},
};

bool result_memory_value(const struct vmcounters *before, const struct vmcounters *counters, unsigned column, int64_t *value)
{
	uint64_t least = 0, raw;

	if (!vmcounters_get(counters, memory_columns[column].counter, &raw) ||
		(before && !vmcounters_get(before, memory_columns[column].counter, &least)))
		return false;
	*value = (int64_t)(raw - least) / (int64_t)memory_columns[column].divisor;
	return true;
}

enum result_snapshot result_next_snapshot(const struct pmbench_result *result, enum result_snapshot snapshot)
{
	int next = (int)snapshot + 1;

	while (next < SNAPSHOTS && !result->has_snapshot[next])
		next++;
	return (enum result_snapshot)next;
}

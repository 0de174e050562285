/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds between the repetitions of ssd-workloads run, their streams, histograms, intervals and records. */
#include "config.h"
#include "memstor/validate/judging.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/units.h"

static const struct report_node *plan_of(const struct judging *judging, const char *stream)
{
	const struct report_node *node = report_read_find(judging->report, "result/workload/stream_plan");

	for (; node; node = report_read_next(node)) {
		const char *own = report_read_attribute(node, "stream");

		if (own && !strcmp(own, stream))
			return node;
	}
	return NULL;
}

static void judge_bytes(const struct judging *judging, const struct report_node *result, const struct report_node *plan,
	uint64_t operations)
{
	uint64_t size, bytes, whole;

	if (report_read_u64(plan, "block_bytes", &size) || report_read_u64(result, "bytes", &bytes) ||
		__builtin_mul_overflow(size, operations, &whole))
		return;
	if (bytes != whole)
		laws_broken(judging, result, "%" PRIu64 " writes of %" PRIu64 " bytes are %" PRIu64 " bytes, not %" PRIu64,
			operations, size, whole, bytes);
}

/* Each stream's time ends with its own last write: both rates are of it, and it is no longer than the repetition. */
static void judge_rates(const struct judging *judging, const struct report_node *result, double seconds)
{
	double operations = report_read_number(result, "operations");
	double per_second = report_read_number(result, "operations_per_second");
	double bytes = report_read_number(result, "bytes");
	double bytes_per_second = report_read_number(result, "bytes_per_second");
	double own = operations / per_second;

	if (!(operations > 0) || !(per_second > 0))
		return;
	if (!isnan(bytes_per_second) && !laws_is_near(bytes_per_second, bytes / own))
		laws_broken(judging, result, "bytes_per_second is %.15g, but operations_per_second says %.15g", bytes_per_second,
			bytes / own);
	if (own > seconds && !laws_is_near(own, seconds))
		laws_broken(judging, result, "%.15g operations at %.15g a second are %.15g s, the repetition had %.15g s",
			operations, per_second, own, seconds);
}

/* Each write that counts has a response and a service time. */
static void judge_summaries(const struct judging *judging, const struct report_node *result, uint64_t operations)
{
	static const char *const names[] = {"response", "service"};

	for (size_t i = 0; i < 2; i++) {
		const struct report_node *summary = report_read_find(result, names[i]);
		uint64_t count;

		if (summary && !report_read_u64(summary, "count", &count) && count != operations)
			laws_broken(judging, summary, "<%s> is of %" PRIu64 " writes, there were %" PRIu64, names[i], count,
				operations);
	}
}

static void judge_errors(const struct judging *judging, const struct report_node *result)
{
	const struct report_node *node = report_read_find(result, "io_error");
	uint64_t failed, sum = 0;

	if (report_read_u64(result, "failed", &failed))
		return;
	for (; node; node = report_read_next(node)) {
		const char *count = report_read_attribute(node, "count");
		uint64_t value;

		if (!count || units_parse_u64(count, 0, UINT64_MAX, &value))
			return;
		sum += value;
	}
	if (sum != failed)
		laws_broken(judging, result, "%" PRIu64 " writes failed, the errors by name are %" PRIu64, failed, sum);
}

static void judge_result(const struct judging *judging, const struct report_node *repetition, const struct report_node *result)
{
	const char *stream = report_read_attribute(result, "stream");
	const struct report_node *plan = stream ? plan_of(judging, stream) : NULL;
	double depth, achieved = report_read_number(result, "depth_achieved");
	uint64_t operations;

	if (report_read_u64(result, "operations", &operations))
		return;
	judge_rates(judging, result, report_read_number(repetition, "seconds"));
	judge_summaries(judging, result, operations);
	judge_errors(judging, result);
	if (!plan) {
		laws_broken(judging, result, "there is no <stream_plan> of %.100s", stream ? stream : "");
		return;
	}
	judge_bytes(judging, result, plan, operations);
	depth = report_read_number(plan, "depth");
	if (achieved > depth && !laws_is_near(achieved, depth))
		laws_broken(judging, result, "depth_achieved is %.15g of %.15g", achieved, depth);
}

/* A write carries several commits, and a pass of many writes has one sync. */
static bool is_of_writes(const char *type)
{
	return strcmp(type, "commit") != 0 && strcmp(type, "sync") != 0;
}

/* The histograms of a stream are over all of its repetitions. */
static void judge_histograms(const struct judging *judging)
{
	const struct report_node *result = report_read_find(judging->report, "result");

	for (size_t i = 0; i < judging->loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &judging->loaded->histograms[i];
		const struct loaded_subject *stream = loaded_subject(judging->loaded, histogram->class);
		double operations = stream ? loaded_subject_value(stream, "operations") : NAN;

		if (!stream)
			laws_broken(judging, result, "there is no stream %.100s, but a histogram of it", histogram->class);
		else if (is_of_writes(histogram->type) && (double)histogram->count != operations)
			laws_broken(judging, result, "%.100s had %.15g writes, its histogram of type %.40s holds %" PRIu64,
				histogram->class, operations, histogram->type, histogram->count);
	}
}

static double interval_operations(const struct loaded_interval *interval)
{
	for (size_t i = 0; i < interval->value_count; i++) {
		if (!strcmp(interval->values[i].name, "operations"))
			return interval->values[i].value;
	}
	return 0;
}

/* No stream has more writes in its intervals than in all. */
static void judge_intervals(const struct judging *judging)
{
	const struct report_node *series = report_read_find(judging->report, "series");

	for (size_t i = 0; i < judging->loaded->subject_count && series; i++) {
		const struct loaded_subject *stream = &judging->loaded->subjects[i];
		double operations = loaded_subject_value(stream, "operations"), sum = 0;

		for (size_t j = 0; j < judging->loaded->interval_count; j++) {
			if (!strcmp(judging->loaded->intervals[j].cell, stream->id))
				sum += interval_operations(&judging->loaded->intervals[j]);
		}
		if (sum > operations)
			laws_broken(judging, series, "the intervals of %.100s have %.15g writes, the stream %.15g", stream->id, sum,
				operations);
	}
}

static void judge_baselines(const struct judging *judging)
{
	const struct report_node *node = report_read_find(judging->report, "result/baselines/interference");

	for (; node; node = report_read_next(node)) {
		double value = report_read_number(node, "value"), low = report_read_number(node, "low");
		double high = report_read_number(node, "high");
		bool is_rate = report_read_find(node, "mix_per_second") != NULL;
		double ratio = is_rate ? report_read_number(node, "mix_per_second") /
						report_read_number(node, "alone_per_second")
				       : report_read_number(node, "mix_ns") / report_read_number(node, "alone_ns");

		if (!laws_is_near(value, ratio))
			laws_broken(judging, node, "value is %.15g, the mix over alone %.15g", value, ratio);
		if (low > high)
			laws_broken(judging, node, "low is %.15g, above high, %.15g", low, high);
	}
}

static void judge_records(const struct judging *judging)
{
	const struct report_node *node = report_read_find(judging->report, "result/records");
	uint64_t emitted, kept, overwritten;

	if (!node || report_read_u64(node, "emitted", &emitted) || report_read_u64(node, "kept", &kept) ||
		report_read_u64(node, "overwritten", &overwritten))
		return;
	if (kept > emitted || emitted - kept != overwritten)
		laws_broken(judging, node, "%" PRIu64 " records were emitted, %" PRIu64 " are kept and %" PRIu64 " overwritten",
			emitted, kept, overwritten);
}

void laws_judge_streams(const struct judging *judging)
{
	const struct report_node *node = report_read_find(judging->report, "result/repetition");

	if (strcmp(report_read_root(judging->loaded->document)->name, "ssdworkloads") != 0)
		return;
	for (; node; node = report_read_next(node)) {
		const struct report_node *result = report_read_find(node, "stream_result");

		for (; result; result = report_read_next(result))
			judge_result(judging, node, result);
	}
	judge_histograms(judging);
	judge_intervals(judging);
	judge_baselines(judging);
	judge_records(judging);
}

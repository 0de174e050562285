/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/text.h"

#include <math.h>
#include <string.h>

#include "common/units.h"
#include "ssd-workloads/engine/threads.h"
#include "ssd-workloads/run/report.h"

#define OTHER_CPU_PART 0.05 /* of the streams' */

static void print_time(FILE *out, double ns)
{
	char text[UNITS_TEXT];

	fprintf(out, " %8s", isnan(ns) ? "-" : units_format_duration_even(ns, text, sizeof(text)));
}

static void print_latency(FILE *out, const char *stream, const char *what, const struct latency *latency)
{
	struct histogram_summary summary;

	if (!latency->count)
		return;
	latency_summarize(latency, &summary);
	fprintf(out, "%-11s %-8s", stream, what);
	print_time(out, summary.mean_ns);
	print_time(out, summary.p50_ns);
	print_time(out, summary.p90_ns);
	print_time(out, summary.p99_ns);
	print_time(out, summary.p999_ns);
	print_time(out, summary.max_ns);
	fprintf(out, "\n");
}

static void print_rates(FILE *out, const struct run_repetition *repetition, enum mix_stream which)
{
	const struct engine_stream *stream = &repetition->engine.streams[which];
	const struct counts *counts = stream->counts;
	double count = (double)counts->operations, seconds = stream->seconds;
	char commits[32] = "-";

	if (!stream->is_run || !counts->operations)
		return;
	if (counts->latencies[COUNTS_COMMIT].count)
		snprintf(commits, sizeof(commits), "%.0f", (double)counts->latencies[COUNTS_COMMIT].count / seconds);
	fprintf(out, "%-16s %3u %-11s %10.0f %10s %10.1f %7.1f %7.1f %8.2f  %s\n", run_cell_name(repetition->cell),
		repetition->run + 1, mix_stream_name(which), count / seconds, commits,
		(double)counts->bytes / seconds / 1e6,
		(double)counts->sum_inflight / count, count / (double)counts->batches, stream->cpu_ns / count / 1e3,
		latency_verdict_name(stream->steady.verdict));
}

/* --- the disk and the machine, beside the streams --- */

struct span {
	const struct counters *from, *to;
	double seconds;
};

static bool span_of(const struct engine_result *engine, struct span *span)
{
	if (engine->sample_count < 2)
		return false;
	span->from = &engine->samples[0];
	span->to = &engine->samples[engine->sample_count - 1];
	span->seconds = (double)(span->to->time_ns - span->from->time_ns) / (double)UNITS_NS_PER_SEC;
	return span->seconds > 0;
}

static double moved(const struct span *span, unsigned index)
{
	return (double)(span->to->disk[index] - span->from->disk[index]);
}

static void print_disk(FILE *out, const struct span *span)
{
	double writes = moved(span, COUNTERS_WRITE_IOS), merges = moved(span, COUNTERS_WRITE_MERGES);

	if (!span->from->has_disk || !span->to->has_disk) {
		fprintf(out, " %10s %8s %7s %7s %8s %8s", "-", "-", "-", "-", "-", "-");
		return;
	}
	fprintf(out, " %10.0f %8.1f %7.1f %7.1f", writes / span->seconds,
		moved(span, COUNTERS_WRITE_SECTORS) * COUNTERS_SECTOR / span->seconds / 1e6,
		writes + merges > 0 ? 100 * merges / (writes + merges) : 0,
		moved(span, COUNTERS_TIME_IN_QUEUE_MS) / span->seconds / 1e3);
	print_time(out, writes > 0 ? moved(span, COUNTERS_WRITE_TICKS_MS) / writes * 1e6 : NAN);
	fprintf(out, " %8.0f", moved(span, COUNTERS_FLUSH_IOS) / span->seconds);
}

static void print_share(FILE *out, const struct span *span, uint64_t from_us, uint64_t to_us)
{
	if (span->from->has_pressure && span->to->has_pressure)
		fprintf(out, " %7.1f", (double)(to_us - from_us) / span->seconds / 1e4);
	else
		fprintf(out, " %7s", "-");
}

/* Of the whole disk and machine, other processes included. */
static void print_surroundings(FILE *out, const struct run_result *result)
{
	struct span span;

	fprintf(out, "\n%-16s %3s %10s %8s %7s %7s %8s %8s %7s %7s %7s\n", "disk, pressure", "run", "requests/s", "MB/s", "merged%",
		"depth", "request", "flush/s", "IO some", "IO full", "CPU some");
	for (size_t i = 0; i < result->repetition_count; i++) {
		const struct run_repetition *repetition = &result->repetitions[i];

		if (!span_of(&repetition->engine, &span))
			continue;
		fprintf(out, "%-16s %3u", run_cell_name(repetition->cell), repetition->run + 1);
		print_disk(out, &span);
		print_share(out, &span, span.from->io_some_us, span.to->io_some_us);
		print_share(out, &span, span.from->io_full_us, span.to->io_full_us);
		print_share(out, &span, span.from->cpu_some_us, span.to->cpu_some_us);
		fprintf(out, "\n");
	}
}

/* What no stream's number has, where it is worth a line. */
static void print_other_cpu(FILE *out, const struct run_repetition *repetition)
{
	const struct engine_result *engine = &repetition->engine;
	double streams = 0, count = 0;

	for (int which = 0; which < MIX_STREAMS; which++) {
		streams += engine->streams[which].cpu_ns;
		count += (double)engine->streams[which].counts->operations;
	}
	if (count > 0 && engine->other_cpu_ns > OTHER_CPU_PART * streams)
		fprintf(out, "%-16s %3u in no stream's CPU time: %.2f us a write (threads of the kernel, a trace's reader)\n",
			run_cell_name(repetition->cell), repetition->run + 1, engine->other_cpu_ns / count / 1e3);
}

static void print_check(FILE *out, size_t cell, const char *where, const struct durability_check *check)
{
	if (check->status != DURABILITY_UNASKED && check->status != DURABILITY_NOT_CONFIRMED)
		fprintf(out, "%s%s: durability check: %s: %s\n", run_cell_name(cell), where, durability_status_name(check->status),
			check->why);
}

/* Whether what was acknowledged as durable can be. What is not confirmed is among the reasons. */
static void print_durability(FILE *out, const struct run_result *result)
{
	for (size_t i = 0; i < result->plan->baselines.cell_count; i++) {
		print_check(out, i, "", &result->durability[i]);
		print_check(out, i, ", checkpoint target", &result->checkpoint_durability[i]);
	}
}

/* Of the mix, all repetitions together. */
static void print_latencies(FILE *out, const struct run_result *result)
{
	static const char *const names[] = {
		[COUNTS_RESPONSE] = "response", [COUNTS_SERVICE] = "service", [COUNTS_COMMIT] = "commit", [COUNTS_SYNC] = "sync"};

	fprintf(out, "\n%-11s %-8s %8s %8s %8s %8s %8s %8s\n", "stream", "latency", "mean", "p50", "p90", "p99", "p99.9",
		"max");
	for (int which = 0; which < MIX_STREAMS; which++) {
		struct counts *total = counts_new(0);

		for (size_t i = 0; i < result->repetition_count && total; i++) {
			if (!result->repetitions[i].cell)
				counts_merge(total, result->repetitions[i].engine.streams[which].counts);
		}
		for (int i = 0; i < COUNTS_LATENCIES && total; i++)
			print_latency(out, mix_stream_name((enum mix_stream)which), names[i], &total->latencies[i]);
		counts_free(total);
	}
}

static bool print_ratio(FILE *out, enum mix_stream which, enum baseline_statistic statistic, const struct baseline_ratio *ratio)
{
	fprintf(out, "%-11s %-12s %.2f", mix_stream_name(which), baseline_statistic_name(statistic), ratio->ratio);
	if (isfinite(ratio->low))
		fprintf(out, " (%.2f to %.2f)", ratio->low, ratio->high);
	fprintf(out, "\n");
	return isfinite(ratio->low);
}

static void print_baselines(FILE *out, const struct baseline_result *baselines)
{
	size_t known = 0, bare = 0;

	fprintf(out, "\n%-11s %-12s %s\n", "stream", "statistic", "with the other stream over alone (95 %)");
	for (int which = 0; which < MIX_STREAMS; which++) {
		for (int i = 0; i < BASELINE_STATISTICS; i++) {
			const struct baseline_ratio *ratio = &baselines->ratios[which][i];

			if (!ratio->is_known)
				continue;
			known++;
			bare += !print_ratio(out, (enum mix_stream)which, (enum baseline_statistic)i, ratio);
		}
	}
	if (!known)
		fprintf(out, "no comparison: the mix and a stream alone were not both measured\n");
	else if (bare)
		fprintf(out, "no interval: one repetition shows no spread; use --runs=5\n");
}

/* Without the kernel's events two parts are all that is known. */
static void print_split(FILE *out, const struct run_split *split)
{
	int first = split->why_not ? SPLIT_QUEUE : 0, end = split->why_not ? SPLIT_DEVICE + 1 : SPLIT_PARTS;

	fprintf(out, "\n%-11s %-8s", "stream", "mean of");
	for (int part = first; part < end && !split->why_not; part++)
		fprintf(out, " %8s", split_part_name((enum split_part)part));
	if (split->why_not)
		fprintf(out, " %8s  device or below  not traced: %s", split_part_name(SPLIT_QUEUE), split->why_not);
	fprintf(out, "\n");
	for (int which = 0; which < MIX_STREAMS; which++) {
		const double *means = split->mean_ns[which];
		double sum = 0;

		for (int part = first; part < end; part++)
			sum += means[part];
		if (!(sum > 0)) /* not a number: it did not run */
			continue;
		fprintf(out, "%-11s %-8s", mix_stream_name((enum mix_stream)which), "parts");
		for (int part = first; part < end; part++) {
			fprintf(out, "%s", split->why_not && part == SPLIT_DEVICE ? "        " : "");
			print_time(out, means[part]);
		}
		fprintf(out, "\n");
	}
	if (!split->why_not)
		fprintf(out, "%llu writes traced, %llu of them in requests with others; %llu not found, %llu events lost\n",
			(unsigned long long)split->counts.joined, (unsigned long long)split->counts.merged,
			(unsigned long long)split->counts.unjoined, (unsigned long long)split->counts.lost_events);
}

static void print_records(FILE *out, const struct run_result *result)
{
	double held = run_records_held(result);

	if (!isnan(held))
		fprintf(out, "records: the last %.2f s are kept, less than --records: %s\n", held,
			result->has_short_rings ? "no more memory was available" : "more was written than a trial had shown");
}

/* How far it came. */
static void print_interruption(FILE *out, const struct run_result *result)
{
	const struct baseline_plan *baselines = &result->plan->baselines;
	size_t steps = baselines->cell_count * baselines->runs;
	char done[UNITS_TEXT], planned[UNITS_TEXT];
	uint64_t measured_ns = 0;

	for (size_t i = 0; i < result->repetition_count; i++)
		measured_ns += result->repetitions[i].engine.end_ns - result->repetitions[i].engine.begin_ns;
	fprintf(out, "Note: User interruption ended the run earlier than scheduled: %s of %s measured",
		units_format_duration((double)measured_ns, done, sizeof(done)),
		units_format_duration((double)(steps * result->plan->options->runtime_ns), planned, sizeof(planned)));
	if (steps > 1)
		fprintf(out, ", in %zu of %zu repetitions", result->repetition_count, steps);
	fprintf(out, ".\n");
}

void run_text(FILE *out, const struct run_result *result)
{
	const struct frame *frame = result->frame;
	char name[64];

	workload_name(&result->plan->workload, name, sizeof(name));
	fprintf(out, "%s (%s) on %s by %s: %s\n", name, result->plan->workload.mix->method, frame->target.path,
		result->backend.ops->name, result->backend.features);
	fprintf(out, "%-16s %3s %-11s %10s %10s %10s %7s %7s %8s  %s\n", "cell", "run", "stream", "IO/s",
		"commits/s", "MB/s", "depth", "batch", "CPU us", "throughput");
	for (size_t i = 0; i < result->repetition_count; i++) {
		for (int which = 0; which < MIX_STREAMS; which++)
			print_rates(out, &result->repetitions[i], (enum mix_stream)which);
		print_other_cpu(out, &result->repetitions[i]);
	}
	print_surroundings(out, result);
	print_durability(out, result);
	print_latencies(out, result);
	if (result->has_baselines)
		print_baselines(out, &result->baselines);
	print_split(out, &result->split);
	print_records(out, result);
	if (result->has_verify)
		verify_print(out, &result->verify);
	if (result->is_interrupted)
		print_interruption(out, result);
	for (size_t i = 0; i < frame->check_count; i++) {
		if (!strcmp(frame->checks[i].code, "not-steady"))
			fprintf(out, "not-steady: %s: %s\n", frame->checks[i].value, frame->checks[i].advice);
	}
	for (size_t i = 0; i < frame->reason_count; i++)
		fprintf(out, "WARNING: %s: %s\n", frame->reasons[i].code, frame->reasons[i].text);
}

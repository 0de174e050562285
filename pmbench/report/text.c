/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The original's text: its readers, such as LKP's parser, match these lines, so every character must stay the same. */
#include "config.h"
#include "pmbench/report/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "pmbench/report/findings.h"
#include "pmbench/report/report.h"

#define OPTIONS_COLUMNS 100

static void print_signature(FILE *out, const struct pmbench_result *result)
{
	const struct pmbench_options *options = result->plan->options;
	const struct machine *machine = &result->machine;
	time_t when = result_reported_on(result);
	struct pm_params_values params;
	char date[64];
	struct tm local;

	localtime_r(&when, &local);
	strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y", &local);
	fprintf(out, "\n------------- Benchmark signature -------------\n");
	fprintf(out, "pmbench version: %s%s\n", REPORT_PMBENCH_VERSION, REPORT_PMBENCH_OPTIONS);
	fprintf(out, "OS/kernel type : %s %s %s\n", machine->os_name, machine->os_release, machine->arch);
	fprintf(out, "Reported on    : %s\n", date);
	fprintf(out, "Benchmark UUID : %s\n", result->signature.uuid);
	result_params(result, &params);
	fprintf(out, "Parameters used:\n");
	fprintf(out, "  duration_sec = %" PRIu64 "\n", params.duration);
	fprintf(out, "  mapsize_mib  = %" PRIu64 "\n", params.mapsize);
	fprintf(out, "  setsize_mib  = %" PRIu64 "\n", params.setsize);
	fprintf(out, "  initialize   = %" PRIu64 "\n", params.initialize);
	fprintf(out, "  shape        = %f\n", params.shape);
	fprintf(out, "  delay        = %" PRIu64 "\n", params.delay);
	fprintf(out, "  quiet        = %" PRIu64 "\n", params.quiet);
	fprintf(out, "  cold         = %" PRIu64 "\n", params.cold);
	fprintf(out, "  jobs         = %" PRIu64 "\n", params.jobs);
	if (params.offset < 0)
		fprintf(out, "  offset       = random\n");
	else
		fprintf(out, "  offset       = %" PRId64 "\n", params.offset);
	fprintf(out, "  ratio        = %" PRIu64 "%%\n", params.ratio);
	fprintf(out, "  threshold    = %" PRIu64 "\n", options->threshold_ns);
	fprintf(out, "  wrneedsrd    = %d\n", options->write_needs_read);
	fprintf(out, "  pattern      = %s\n", params.pattern);
	fprintf(out, "  access       = %s\n", params.access);
	fprintf(out, "  tsops        = %s\n", params.tsops);
	if (result->is_interrupted)
		fprintf(out, "\nNote: User interruption ended the benchmark earlier than scheduled.\n");
}

static void print_machine(FILE *out, const struct pmbench_result *result)
{
	const struct machine *machine = &result->machine;

	fprintf(out, "\n------------- Machine information -------------\n");
	if (machine->cpu_model[0])
		fprintf(out, "CPU model name: %s\n", machine->cpu_model);
	else
		fprintf(out, "CPU model string unsupported.\n");
	fprintf(out, "rdtsc/perfc frequency: %llu K cycles per second\n",
		(unsigned long long)llround(result->timebase.start.khz));
	fprintf(out, " -- TLB info --\n");
	fprintf(out, " -- Cache info --\n");
	for (size_t i = 0; i < machine->cache_count; i++) {
		const struct machine_cache *cache = &machine->caches[i];

		fprintf(out, "%s: lvl %u, %" PRIu64 " KB, sets:%u, linesz:%u, part:%" PRIu64 ", ways:%u\n",
			report_cache_kind(cache), cache->level, cache->capacity_bytes / 1024, cache->sets, cache->line_bytes,
			report_cache_partitions(cache), cache->ways);
	}
}

static void print_latency(FILE *out, const char *label, double ns, double khz)
{
	fprintf(out, "%s: %0.4f us (%lld clks)\n", label, ns / 1e3,
		isfinite(ns) ? (long long)(ns * khz / 1e6) : 0ll);
}

static void print_averages(FILE *out, const struct pmbench_result *result)
{
	static const char samples[] = "    Total samples count: %" PRIu64 "\n";
	double khz = result->timebase.start.khz;

	fprintf(out, "\n----------- Average access latency ------------\n");
	for (size_t i = 0; i < result->thread_count; i++) {
		const struct result_thread *thread = &result->threads[i];
		const struct pm_thread_details_values *details = &thread->details;

		fprintf(out, "Thread %zu/%zu:\n", i + 1, result->thread_count);
		print_latency(out, "Net average page latency (Arith. mean)", details->net_ns, khz);
		fprintf(out, "--- Measurement details ---\n");
		print_latency(out, "  Page latency during benchmark (inc. gen)", details->latency_ns, khz);
		fprintf(out, samples, thread->accesses);
		print_latency(out, "  Pattern generation overhead per drawing ", details->overhead_ns, khz);
		fprintf(out, samples, thread->overhead_draws);
		if (!thread->warmup_accesses)
			continue;
		print_latency(out, "  Page latency during warmup              ",
			(double)details->warmup_ns / (double)thread->warmup_accesses, khz);
		fprintf(out, samples, thread->warmup_accesses);
	}
}

static void print_histogram(FILE *out, const uint64_t *counts)
{
	uint64_t total = counts[0];

	fprintf(out, "2^(00,08) ns: %" PRIu64 "\n", counts[0]);
	for (unsigned power = 8; power < 23; power++) {
		const uint64_t *hexes = &counts[1 + 16 * (power - 8)];
		uint64_t sum = 0;

		for (unsigned i = 0; i < 16; i++)
			sum += hexes[i];
		fprintf(out, "2^(%02u,%02u) ns: %" PRIu64 "  [", power, power + 1, sum);
		for (unsigned i = 0; i < 16; i++)
			fprintf(out, "%s%" PRIu64, i ? ", " : "", hexes[i]);
		fprintf(out, "]\n");
		total += sum;
	}
	for (unsigned power = 23; power <= 30; power++) {
		uint64_t count = counts[241 + power - 23];

		fprintf(out, "2^(%02u,%02u) ns: %" PRIu64 "\n", power, power < 30 ? power + 1 : 32, count);
		total += count;
	}
	fprintf(out, "Total samples: %" PRIu64 "\n\n", total);
}

static void print_statistics(FILE *out, const struct pmbench_result *result)
{
	static const char *const titles[] = {
		[ACCESS_READ] = "Read:",
		[ACCESS_WRITE] = "Write:",
	};

	fprintf(out, "\n----------------- Statistics ------------------\n");
	if (!result_has_histograms(result)) {
		fprintf(out, "touch_report: nothing to report\n");
		return;
	}
	fprintf(out, "# Access latency histogram\n");
	for (int i = 0; i < ACCESS_DIRECTIONS; i++) {
		if (!result_has_direction(result, (enum access_direction)i))
			continue;
		fprintf(out, "%s\n", titles[i]);
		print_histogram(out, result->total[RESULT_ALL][i].count);
	}
}

/* Prints the counters, or their change since `before`. */
static void print_memory_row(
	FILE *out, const char *label, const struct vmcounters *before, const struct vmcounters *counters)
{
	fprintf(out, "%-11s", label);
	for (unsigned i = 0; i < RESULT_MEMORY_COLUMNS; i++) {
		int width = i < 5 ? 8 : 9;
		int64_t value;

		if (i)
			fputc(' ', out);
		if (result_memory_value(before, counters, i, &value))
			fprintf(out, "%*" PRId64, width, value);
		else
			fprintf(out, "%*s", width, "n/a");
	}
	fputc('\n', out);
}

static void print_memory(FILE *out, const struct pmbench_result *result)
{
	static const char *const labels[SNAPSHOTS] = {
		[SNAPSHOT_PRE_WARMUP] = "pre-warmup:",
		[SNAPSHOT_PRE_RUN] = "pre-run   :",
		[SNAPSHOT_MID_RUN] = "mid-run   :",
		[SNAPSHOT_POST_RUN] = "post-run  :",
		[SNAPSHOT_POST_UNMAP] = "post unmap:",
	};

	fprintf(out, "\n---------- System memory information ----------\n");
	fprintf(out,
		"            free(K) buffer(K) cache(K) active(K) inactv(K) pgpgin   pgpgout    pswpin   "
		"pswpout pgmajfaut\n");
	for (int i = 0; i < SNAPSHOTS; i++) {
		enum result_snapshot next = result_next_snapshot(result, (enum result_snapshot)i);

		if (!result->has_snapshot[i])
			continue;
		print_memory_row(out, labels[i], NULL, &result->snapshots[i]);
		if (next != SNAPSHOTS)
			print_memory_row(out, "  (delta) :", &result->snapshots[i], &result->snapshots[next]);
	}
}

/* The original's parameters lack the new options; with this list a run can be repeated without its report. */
static void print_options(FILE *out, const struct report_signature *signature)
{
	int column = 0;

	fprintf(out, "\n---------------- All options ------------------\n");
	for (size_t i = 0; i < signature->option_count; i++) {
		const struct named_text_values *option = &signature->options[i];
		int width = (int)(strlen(option->name) + strlen(option->value)) + 2;

		if (column && column + width > OPTIONS_COLUMNS) {
			fprintf(out, "\n");
			column = 0;
		}
		column += fprintf(out, "%s%s=%s", column ? " " : "", option->name, option->value);
	}
	fprintf(out, "\nseed used: %" PRIu64 "\n", signature->seed);
}

void text_result(FILE *out, const struct pmbench_result *result)
{
	if (result->plan->options->is_brief) {
		findings_brief(out, result);
		return;
	}
	print_signature(out, result);
	print_machine(out, result);
	print_averages(out, result);
	print_statistics(out, result);
	print_memory(out, result);
	print_options(out, &result->signature);
	findings_print(out, result);
}

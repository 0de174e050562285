/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the output that the original lacks. No line may begin like one of the original's that parsers match. */
#include "config.h"
#include "pmbench/report/findings.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/cli/grid.h"

#define CELL 32

/* Writes "-" for a value that does not exist. */
static const char *duration(double ns, char *buffer)
{
	return isfinite(ns) ? units_format_duration(ns, buffer, CELL) : "-";
}

static const char *rate(double per_second, char *buffer)
{
	return units_format(per_second, "1/s", buffer, CELL);
}

static void print_title(FILE *out, const char *title)
{
	int dashes = 45 - (int)strlen(title);

	fprintf(out, "\n%.*s %s %.*s\n", dashes / 2, "-----------------------------------------------", title,
		dashes - dashes / 2, "-----------------------------------------------");
}

/* Marks in a table that require a note below it. */
enum note { NOTE_COARSE = 1, NOTE_ONE_BUCKET = 2 };

/* A percentile finer than the clock's steps is only the position of a step, and is marked; without --hdr one below 256 ns is
 * unknown. */
static unsigned add_percentile(struct grid *grid, const struct pmbench_result *result, uint64_t count, double ns)
{
	bool is_coarse = isfinite(ns) && timebase_step_ns(&result->timebase) > ns / 10;
	char cell[CELL];

	if (count && isnan(ns)) {
		grid_text(grid, "<256 ns ");
		return NOTE_ONE_BUCKET;
	}
	grid_text(grid, "%s%c", units_format(ns, "ns", cell, sizeof(cell)), is_coarse ? '*' : ' ');
	return is_coarse ? NOTE_COARSE : 0;
}

static unsigned add_class(struct grid *grid, const struct pmbench_result *result, enum result_class class,
	unsigned direction, uint64_t whole)
{
	static const char *const names[RESULT_CLASSES] = {
		[RESULT_ALL] = "all",
		[RESULT_HIT] = "hit",
		[RESULT_MINOR] = "minor fault",
		[RESULT_MAJOR] = "major fault",
	};
	struct histogram_summary summary;
	unsigned notes = 0;
	double percent;

	grid_text(grid, "  %s", names[class]);
	if (result_summary(result, class, direction, &summary)) {
		grid_text(grid, "not enough memory to add them up");
		grid_end_row(grid);
		return 0;
	}
	grid_text(grid, "%" PRIu64, summary.count);
	percent = whole ? (double)summary.count / (double)whole * 100 : 0;
	if (summary.count && percent < 0.005)
		grid_text(grid, "<0.01%%");
	else if (summary.count < whole && percent >= 99.995)
		grid_text(grid, ">99.99%%");
	else
		grid_text(grid, "%.2f%%", percent);
	GRID_VALUES(grid, summary.mean_ns);
	notes |= add_percentile(grid, result, summary.count, summary.p50_ns);
	notes |= add_percentile(grid, result, summary.count, summary.p90_ns);
	notes |= add_percentile(grid, result, summary.count, summary.p99_ns);
	notes |= add_percentile(grid, result, summary.count, summary.p999_ns);
	GRID_VALUES(grid, summary.max_ns);
	return notes;
}

static unsigned add_direction(struct grid *grid, const struct pmbench_result *result, unsigned direction, const char *title)
{
	struct histogram_summary all;
	unsigned notes = 0;

	if (result_summary(result, RESULT_ALL, direction, &all))
		all.count = 0;
	grid_text(grid, "%s", title);
	grid_end_row(grid);
	if (result_is_classified(result)) {
		notes |= add_class(grid, result, RESULT_HIT, direction, all.count);
		notes |= add_class(grid, result, RESULT_MINOR, direction, all.count);
		notes |= add_class(grid, result, RESULT_MAJOR, direction, all.count);
	}
	return notes | add_class(grid, result, RESULT_ALL, direction, all.count);
}

static const struct grid_column class_columns[] = {{"", NULL}, {"count", "#"}, {"share", ""}, {"mean", "ns"}, {"p50 ", "ns"},
	{"p90 ", "ns"}, {"p99 ", "ns"}, {"p99.9 ", "ns"}, {"max", "ns"}, {NULL, NULL}};

static void print_exactness(FILE *out, const struct pmbench_result *result)
{
	uint64_t kernel = 0, multiple = 0, inexact = result_inexact(result);
	size_t lost = 0;

	for (size_t i = 0; i < result->thread_count; i++) {
		const struct pm_thread_details_values *details = &result->threads[i].details;

		multiple += details->multiple_fault_accesses;
		kernel += details->kernel_minor_faults + details->kernel_major_faults;
		lost += !details->is_complete;
	}
	if (!result_is_classified(result))
		fprintf(out, "Classification: none (--classify none)\n");
	else if (inexact)
		fprintf(out,
			"Classification: INEXACT by %" PRIu64 " of the %" PRIu64
			" faults that the kernel counted\n",
			inexact, kernel);
	else if (lost)
		fprintf(out, "Classification: not checked, %zu of %zu threads were lost with their counts\n", lost,
			result->thread_count);
	else
		fprintf(out, "Classification: exact, all %" PRIu64 " faults that the kernel counted\n",
			kernel);
	if (multiple)
		fprintf(out, "%" PRIu64 " access%s had more than one fault and count%s once, as the most severe.\n", multiple,
			multiple == 1 ? "" : "es", multiple == 1 ? "s" : "");
}

static void print_class_notes(FILE *out, const struct pmbench_result *result, unsigned notes)
{
	char cell[CELL];

	if (notes & NOTE_ONE_BUCKET)
		fprintf(out, "<256 ns: one bucket of the histogram; --hdr distinguishes such latencies.\n");
	if (notes & NOTE_COARSE)
		fprintf(out, "* The clock moves in steps of %s, more than a tenth of this: read the mean.\n",
			duration(timebase_step_ns(&result->timebase), cell));
}

static void print_classes(FILE *out, const struct pmbench_result *result)
{
	struct grid grid = {.columns = class_columns};
	unsigned notes = 0;

	print_title(out, "Classes of accesses");
	if (result_has_direction(result, ACCESS_READ))
		notes |= add_direction(&grid, result, ACCESS_READ, "Reads");
	if (result_has_direction(result, ACCESS_WRITE))
		notes |= add_direction(&grid, result, ACCESS_WRITE, "Writes");
	if (result_has_direction(result, ACCESS_READ) && result_has_direction(result, ACCESS_WRITE))
		notes |= add_direction(&grid, result, RESULT_BOTH, "Both");
	grid_print(&grid, out);
	print_exactness(out, result);
	print_class_notes(out, result, notes);
}

static void print_time_over(FILE *out, const struct pmbench_result *result)
{
	fprintf(out, "Time over 100 us : %.1f %% of the run, over 1 ms %.1f %%\n",
		result_time_over_percent(result, 1e5), result_time_over_percent(result, 1e6));
}

static void print_status(FILE *out, const struct pmbench_result *result)
{
	fprintf(out, "Result           : %s\n", result->status);
	for (size_t i = 0; i < result->reason_count; i++)
		fprintf(out, "WARNING: %s: %s\n", result->reasons[i].code, result->reasons[i].text);
}

static void print_rates(FILE *out, const struct pmbench_result *result)
{
	double swap_in, swap_out;
	char a[CELL], b[CELL];

	print_title(out, "Rates and clock");
	fprintf(out, "Accesses         : %s (%" PRIu64 " in %s)\n", rate(result->accesses_per_second, a),
		result_accesses(result), duration(result->run_seconds * 1e9, b));
	fprintf(out, "Faults           : %s\n", rate(result->faults_per_second, a));
	if (result_has_histograms(result) && result->run_seconds > 0)
		print_time_over(out, result);
	if (result_swap_bandwidth(result, &swap_in, &swap_out) && (swap_in > 0 || swap_out > 0))
		fprintf(out, "Swap bandwidth   : %s in, %s out (of the whole machine)\n",
			units_format(swap_in, "B/s", a, sizeof(a)), units_format(swap_out, "B/s", b, sizeof(b)));
}

static void print_clock(FILE *out, const struct pmbench_result *result)
{
	const struct timebase *timebase = &result->timebase;
	uint64_t over = 0, backwards = 0;
	char cell[CELL];

	fprintf(out, "Clock            : %s, %.3f MHz +- %.3f ppm", timebase_method_name(timebase->method),
		timebase->start.khz / 1e3, timebase->start.uncertainty_ppm);
	if (timebase->end.khz != 0)
		fprintf(out, ", drift %.3f ppm", timebase_drift_ppm(timebase));
	fprintf(out, "\n");
	if (result_has_histograms(result)) {
		fprintf(out, "Clock step       : %s\n", duration(timebase_step_ns(timebase), cell));
		fprintf(out, "Timer overhead   : %s", duration(timebase->overhead_ns, cell));
		if (timebase->overhead_store_ns != timebase->overhead_ns)
			fprintf(out, " around a read, %s around a write", duration(timebase->overhead_store_ns, cell));
		fprintf(out, " (in every sample, not subtracted)\n");
	}
	for (size_t i = 0; i < result->thread_count; i++) {
		over += result->threads[i].details.over_threshold;
		backwards += result->threads[i].details.backwards;
	}
	if (result->plan->options->threshold_ns)
		fprintf(out, "Over %-11s : %" PRIu64 " access%s\n",
			duration((double)result->plan->options->threshold_ns, cell), over, over == 1 ? "" : "es");
	if (backwards)
		fprintf(out, "Clock backwards  : %" PRIu64 " latenc%s below zero, not in the histograms\n",
			backwards, backwards == 1 ? "y" : "ies");
}

static void print_conditions(FILE *out, const struct pmbench_result *result)
{
	double run_delay_ns = 0, time_ns = 0;
	uint64_t involuntary = 0;
	char cell[CELL];

	for (size_t i = 0; i < result->thread_count; i++) {
		const struct contention *contention = &result->threads[i].contention;

		if (!contention->is_known)
			continue;
		run_delay_ns += (double)contention->run_delay_ns;
		time_ns += (double)contention->time_ns;
		involuntary += contention->involuntary;
	}
	if (time_ns > 0)
		fprintf(out, "Waiting for a CPU: %.2f %% of the time, %" PRIu64 " involuntary context switches\n",
			run_delay_ns / time_ns * 100, involuntary);
	fprintf(out, "Locked pages     : %" PRIu64 " of the tool itself (PSS)", result->infrastructure_pages);
	if (result->plan->options->wants_hdr)
		fprintf(out, "; --hdr counts in %zu pages",
			result->thread_count * ACCESS_CLASSES * sizeof(struct access_hdr) / KEEP_PAGE_BYTES);
	fprintf(out, "\n");
	if (result->has_steady && result->steady.is_steady)
		fprintf(out, "Steady           : from %s on, throughput varies by %.1f %% and changes by %.1f %%\n",
			duration(result->steady.from_s * 1e9, cell), result->steady.cv_percent, result->steady.slope_percent);
	else if (result->has_steady)
		fprintf(out, "Steady           : NO, throughput varies by %.1f %% and changes by %.1f %%\n",
			result->steady.cv_percent, result->steady.slope_percent);
}

static void print_overhead(FILE *out, const struct pmbench_result *result)
{
	struct pm_paging_overhead_values overhead;
	char cell[CELL];
	int error = result_overhead(result, &overhead);

	if (error == -EINVAL)
		return;
	print_title(out, "Paging overhead");
	if (error) {
		fprintf(out, "Not available: %s\n",
			error == -ENODATA ? "no major fault was measured" : strerror(-error));
		return;
	}
	fprintf(out, "Average latency of all accesses including hits: %s\n",
		duration(overhead.access_mean_ns, cell));
	fprintf(out, "Most frequent major-fault latency             : %s\n",
		duration(overhead.major_mode_ns, cell));
	fprintf(out, "Average latency of all major faults           : %s\n",
		duration(overhead.major_mean_ns, cell));
	fprintf(out, "Average OS overhead for major faults          : %s", duration(overhead.os_overhead_ns, cell));
	fprintf(out, " (with %s of media latency)\n", duration(overhead.media_latency_ns, cell));
	fprintf(out, "OS overhead as percentage of media latency    : %.1f %%\n", overhead.os_overhead_percent);
}

static void print_phases(FILE *out, const struct pmbench_result *result)
{
	static const struct grid_column columns[] = {{"", "#"}, {"pattern", NULL}, {"begin", "s"}, {"end", "s"}, {"accesses", "#"},
		{"minor", "#"}, {"major", "#"}, {"mean", "ns"}, {NULL, NULL}};
	struct grid grid = {.columns = columns};

	if (result->plan->phase_count < 2)
		return;
	print_title(out, "Phases");
	for (unsigned i = 0; i < result->plan->phase_count; i++) {
		const struct pm_phase_values *phase = &result->phases[i];

		GRID_VALUES(&grid, i + 1);
		grid_text(&grid, "%s", pattern_name(result->plan->phases[i].pattern.kind));
		GRID_VALUES(&grid, phase->begin_s, phase->end_s, (double)phase->accesses, (double)phase->minor_faults,
			(double)phase->major_faults,
			phase->mean_ns);
	}
	grid_print(&grid, out);
}

static void print_split(FILE *out, const struct pmbench_result *result)
{
	static const struct grid_column columns[] = {{"medians", NULL}, {"count", "#"}, {"entry", "ns"}, {"handling", "ns"},
		{"exit", "ns"}, {"total", "ns"}, {NULL, NULL}};
	static const char *const names[KERNEL_SPLIT_KINDS] = {
		[KERNEL_SPLIT_MINOR] = "minor fault", [KERNEL_SPLIT_MAJOR] = "major fault"};
	struct grid grid = {.columns = columns};
	char cell[CELL];

	if (!result->plan->options->wants_kernel_split)
		return;
	print_title(out, "Inside a fault");
	if (!result->split.is_available) {
		fprintf(out, "Not available: %s\n", result->split.reason);
		return;
	}
	for (int kind = 0; kind < KERNEL_SPLIT_KINDS; kind++) {
		const struct pm_fault_parts_values *parts = &result->split.parts[kind];

		if (!parts->count)
			continue;
		grid_text(&grid, "%s", names[kind]);
		GRID_VALUES(&grid, (double)parts->count, parts->entry_ns, parts->handle_ns, parts->exit_ns, parts->total_ns);
	}
	grid_print(&grid, out);
	if (result->split.cost_ns_per_fault > 0)
		fprintf(out, "The stamps add %s to each fault, in these parts and in all latencies of faults above.\n",
			duration(result->split.cost_ns_per_fault, cell));
}

static void print_pressure(FILE *out, const struct pmbench_result *result)
{
	char cell[CELL];

	if (!pressure_is_wanted(&result->plan->options->pressure))
		return;
	print_title(out, "Pressure");
	fprintf(out, "Set up in        : %s\n", duration((double)result->pressure.setup_ns, cell));
	fprintf(out, "Restored in      : %s, %s\n", duration((double)result->pressure.teardown_ns, cell),
		result->pressure.is_restored ? "complete"
				    : "NOT complete: run pmbench --recover");
}

void findings_print(FILE *out, const struct pmbench_result *result)
{
	if (result_has_histograms(result))
		print_classes(out, result);
	print_rates(out, result);
	print_clock(out, result);
	print_conditions(out, result);
	print_overhead(out, result);
	print_phases(out, result);
	print_split(out, result);
	print_pressure(out, result);
	print_title(out, "Verdict");
	print_status(out, result);
	for (size_t i = 0; i < result->check_count; i++) {
		const struct machine_check *check = &result->checks[i];

		fprintf(out, "NOTE: %s", check->code);
		if (check->value[0])
			fprintf(out, " (%s)", check->value);
		if (check->finding)
			fprintf(out, ": %s", check->finding);
		fprintf(out, "\n      %s\n", check->advice);
	}
}

void findings_brief(FILE *out, const struct pmbench_result *result)
{
	bool has_reads = result_has_direction(result, ACCESS_READ), has_writes = result_has_direction(result, ACCESS_WRITE);
	struct grid grid = {.columns = class_columns};
	unsigned notes = 0;
	char a[CELL], b[CELL];

	fprintf(out, "Accesses         : %s (%" PRIu64 " in %s), faults %s\n", rate(result->accesses_per_second, a),
		result_accesses(result), duration(result->run_seconds * 1e9, b), rate(result->faults_per_second, (char[CELL]){0}));
	if (result_has_histograms(result)) {
		print_time_over(out, result);
		notes = add_direction(&grid, result, has_reads && has_writes ? RESULT_BOTH : has_reads ? ACCESS_READ : ACCESS_WRITE,
			has_reads && has_writes ? "Reads and writes" : has_reads ? "Reads" : "Writes");
		grid_print(&grid, out);
		print_class_notes(out, result, notes);
	}
	print_status(out, result);
	for (size_t i = 0; i < result->check_count; i++)
		fprintf(out, "%s%s%s", i ? ", " : "Notes            : ", result->checks[i].code,
			i + 1 < result->check_count ? "" : " (-f FILE has them)\n");
}

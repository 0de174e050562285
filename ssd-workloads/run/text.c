/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/base/units.h"
#include "common/cli/grid.h"
#include "ssd-workloads/engine/threads.h"
#include "ssd-workloads/run/report.h"

#define OTHER_CPU_PART 0.05 /* of the streams' CPU time */

static void print_rates(FILE *out, const struct ssd_run_result *result)
{
	static const struct grid_column columns[] = {{"cell", NULL}, {"run", "#"}, {"stream", NULL},
		{"IO/s", ""}, {"commits/s", ""}, {"MB/s", ""},
		{"depth", ""}, {"batch", ""}, {"CPU us", ""}, {"throughput", NULL}, {NULL, NULL}};
	struct grid grid = {.columns = columns};

	for (size_t i = 0; i < result->repetition_count * MIX_STREAMS; i++) {
		const struct run_repetition *repetition = &result->repetitions[i / MIX_STREAMS];
		const struct engine_stream *stream = &repetition->engine.streams[i % MIX_STREAMS];
		const struct counts *counts = stream->counts;
		double count = (double)counts->operations, seconds = stream->seconds;
		double commits = (double)counts->latencies[COUNTS_COMMIT].count;

		if (!stream->is_run || !counts->operations)
			continue;
		grid_text(&grid, "%s", result->plan->baselines.names[repetition->cell]);
		GRID_VALUES(&grid, repetition->run + 1);
		grid_text(&grid, "%s", mix_stream_name(i % MIX_STREAMS));
		GRID_VALUES(&grid, count / seconds, commits > 0 ? commits / seconds : NAN, (double)counts->bytes / seconds / 1e6,
			(double)counts->sum_inflight / count, count / (double)counts->batches, stream->cpu_ns / count / 1e3);
		grid_text(&grid, "%s", latency_verdict_name(stream->steady.verdict));
	}
	grid_print(&grid, out);
}

/* --- disk and machine --- */

static double disk_difference(const struct counters *from, const struct counters *to, unsigned index)
{
	return (double)(to->disk[index] - from->disk[index]);
}

static double seconds_between(const struct counters *from, const struct counters *to)
{
	return (double)(to->time_ns - from->time_ns) / (double)UNITS_NS_PER_SEC;
}

/* place: the place on this disk */
static void add_disk(struct grid *disks, const struct ssd_run_result *result, const struct run_repetition *repetition, size_t place,
	const struct counters *from, const struct counters *to)
{
	/* NAN makes every quotient unknown. */
	double seconds = from->has_disk && to->has_disk ? seconds_between(from, to) : NAN;
	double writes = disk_difference(from, to, COUNTERS_WRITE_IOS) / seconds;
	double merges = disk_difference(from, to, COUNTERS_WRITE_MERGES) / seconds;
	char name[RUN_PLACE_NAME];

	ssd_run_result_name_place(result, repetition->cell, place, name);
	grid_text(disks, "%s", name);
	GRID_VALUES(disks, repetition->run + 1, writes,
		disk_difference(from, to, COUNTERS_WRITE_SECTORS) * COUNTERS_SECTOR / seconds / 1e6,
		writes + merges == 0 ? 0 : 100 * merges / (writes + merges),
		disk_difference(from, to, COUNTERS_TIME_IN_QUEUE_MS) / seconds / 1e3,
		disk_difference(from, to, COUNTERS_WRITE_TICKS_MS) / seconds / writes * 1e6,
		disk_difference(from, to, COUNTERS_FLUSH_IOS) / seconds);
}

/* The numbers are of the whole disk and machine. */
static void print_surroundings(FILE *out, const struct ssd_run_result *result)
{
	static const struct grid_column disk[] = {{"disk", NULL}, {"run", "#"}, {"requests/s", ""}, {"MB/s", ""}, {"merged %", ""},
		{"depth", ""}, {"request", "ns"}, {"flush/s", ""}, {NULL, NULL}};
	static const struct grid_column pressure[] = {{"pressure", NULL}, {"run", "#"}, {"IO some %", ""}, {"IO full %", ""},
		{"CPU some %", ""}, {NULL, NULL}};
	struct grid disks = {.columns = disk}, pressures = {.columns = pressure};

	for (size_t i = 0; i < result->repetition_count; i++) {
		const struct run_repetition *repetition = &result->repetitions[i];
		const struct counters *from = repetition->engine.samples, *to;
		const struct counters *second = repetition->engine.second_samples;
		double pressure_s;

		if (repetition->engine.sample_count < 2)
			continue;
		to = from + repetition->engine.sample_count - 1;
		if (to->time_ns <= from->time_ns)
			continue;
		add_disk(&disks, result, repetition, 0, from, to);
		if (layout_stripes(&result->plan->layout) > 1)
			add_disk(&disks, result, repetition, 1, &second[0], &second[1]);
		pressure_s = from->has_pressure && to->has_pressure ? seconds_between(from, to) : NAN;
		grid_text(&pressures, "%s", result->plan->baselines.names[repetition->cell]);
		GRID_VALUES(&pressures, repetition->run + 1, (double)(to->io_some_us - from->io_some_us) / pressure_s / 1e4,
			(double)(to->io_full_us - from->io_full_us) / pressure_s / 1e4,
			(double)(to->cpu_some_us - from->cpu_some_us) / pressure_s / 1e4);
	}
	fputc('\n', out);
	grid_print(&disks, out);
	fputc('\n', out);
	grid_print(&pressures, out);
}

static void print_policies(FILE *out, const struct ssd_run_result *result)
{
	static const struct grid_column policies[] = {{"policy", NULL}, {"run", "#"}, {"activated", "#"}, {"active", "ns"},
		{NULL, NULL}};
	static const struct grid_column handles[] = {{"pages of", NULL}, {"run", "#"}, {"programs", "#"}, {"copies", "#"},
		{"WA", ""}, {NULL, NULL}};
	struct grid above = {.columns = policies}, below = {.columns = handles};
	size_t count = result->plan->target_count;

	for (size_t i = 0; i < result->repetition_count * count; i++) {
		const struct run_repetition *repetition = &result->repetitions[i / count];
		const struct engine_device *device = &repetition->engine.device[i % count];
		const struct sim_totals *totals = &device->totals;
		const char *title = i % count ? result->plan->places[i % count].title : "";

		for (int kind = 0; kind < SIM_POLICY_KINDS && device->policies && device->is_used; kind++) {
			const struct sim_policy *policy = &device->policies->list[kind];

			if (!policy->row)
				continue;
			grid_text(&above, "%s%s%s", policy->row->name, *title ? ", " : "", title);
			GRID_VALUES(&above, repetition->run + 1, (double)totals->policy_fired[kind],
				(double)totals->policy_active_ns[kind]);
		}
		for (unsigned handle = 0; handle < FTL_HANDLES && device->policies; handle++) {
			double programs = (double)totals->handle_programs[handle], copies = (double)totals->handle_copies[handle];

			if (programs + copies <= 0)
				continue;
			grid_text(&below, "%s%s%s", handle == FTL_REST ? "rest" : mix_stream_name((enum mix_stream)handle),
				*title ? ", " : "", title);
			GRID_VALUES(&below, repetition->run + 1, programs, copies, programs > 0 ? 1 + copies / programs : NAN);
		}
	}
	fputc('\n', out);
	grid_print(&above, out);
	fputc('\n', out);
	grid_print(&below, out);
}

static void print_devices(FILE *out, const struct ssd_run_result *result)
{
	static const struct grid_column columns[] = {{"device", NULL}, {"run", "#"}, {"pages", "#"},
		{"hits", "#"}, {"programs", "#"},
		{"copies/GC", ""}, {"WA", ""}, {"bus %", ""}, {"ways %", ""}, {"fill WA", ""}, {"fill", NULL}, {NULL, NULL}};
	struct grid grid = {.columns = columns};
	size_t count = result->plan->target_count;

	for (size_t i = 0; i < result->repetition_count * count; i++) {
		const struct run_repetition *repetition = &result->repetitions[i / count];
		const struct engine_device *device = &repetition->engine.device[i % count];
		const struct sim_totals *totals = &device->totals;
		double percent_ns = (double)(repetition->engine.end_ns - repetition->engine.begin_ns) / 100;
		char name[RUN_PLACE_NAME];

		if (!device->is_used)
			continue;
		ssd_run_result_name_place(result, repetition->cell, i % count, name);
		grid_text(&grid, "%s", name);
		GRID_VALUES(&grid, repetition->run + 1, (double)totals->slices, (double)totals->hits, (double)totals->programs,
			totals->gcs ? (double)totals->copies / (double)totals->gcs : NAN,
			totals->host_programs ? 1 + (double)totals->copies / (double)totals->host_programs : 1,
			(double)device->bus_busy_ns / percent_ns / device->buses,
			(double)device->way_busy_ns / percent_ns / device->ways, device->fill_amplification);
		grid_text(&grid, "%s", latency_verdict_name(device->fill_steady.verdict));
	}
	fputc('\n', out);
	grid_print(&grid, out);
}

/* Prints CPU time outside of the streams, if it exceeds OTHER_CPU_PART. */
static void print_other_cpu(FILE *out, const struct ssd_run_result *result, const struct run_repetition *repetition)
{
	const struct engine_result *engine = &repetition->engine;
	double streams = 0, count = 0;

	for (int which = 0; which < MIX_STREAMS; which++) {
		streams += engine->streams[which].cpu_ns;
		count += (double)engine->streams[which].counts->operations;
	}
	if (count > 0 && engine->other_cpu_ns > OTHER_CPU_PART * streams)
		fprintf(out, "%s %u: CPU time outside of the streams: %.2f us per write (kernel threads, trace reader)\n",
			result->plan->baselines.names[repetition->cell], repetition->run + 1, engine->other_cpu_ns / count / 1e3);
}

/* Prints whether acknowledged writes can be durable. Unconfirmed and missing durability is among the reasons instead. */
static void print_durability(FILE *out, const struct ssd_run_result *result)
{
	size_t places = result->plan->place_count;

	for (size_t i = 0; i < places * result->plan->baselines.cell_count; i++) {
		size_t place = i % places, cell = i / places;
		const struct durability_check *check = &result->durability[place][cell];
		char name[RUN_PLACE_NAME];

		ssd_run_result_name_place(result, cell, place, name);
		if (check->status != DURABILITY_UNASKED && check->status < DURABILITY_NOT_CONFIRMED)
			fprintf(out, "%s: durability check: %s: %s\n", name, durability_status_name(check->status), check->why);
	}
}

/* all repetitions of the mix together */
static void print_latencies(FILE *out, const struct ssd_run_result *result)
{
	static const struct grid_column columns[] = {{"stream", NULL}, {"latency", NULL}, {"mean", "ns"},
		{"p50", "ns"}, {"p90", "ns"},
		{"p99", "ns"}, {"p99.9", "ns"}, {"max", "ns"}, {NULL, NULL}};
	struct grid grid = {.columns = columns};

	for (int which = 0; which < MIX_STREAMS; which++) {
		struct counts *total = ssd_run_result_counts(result, 0, (enum mix_stream)which);

		for (int i = 0; i < COUNTS_LATENCIES && total; i++) {
			struct histogram_summary summary;

			if (!total->latencies[i].count)
				continue;
			latency_summarize(&total->latencies[i], &summary);
			grid_text(&grid, "%s", mix_stream_name((enum mix_stream)which));
			grid_text(&grid, "%s", counts_latency_name((enum counts_latency)i));
			GRID_VALUES(&grid, summary.mean_ns, summary.p50_ns, summary.p90_ns, summary.p99_ns, summary.p999_ns,
				summary.max_ns);
		}
		counts_free(total);
	}
	fputc('\n', out);
	grid_print(&grid, out);
}

static void print_baselines(FILE *out, const struct baseline_result *baselines)
{
	static const struct grid_column columns[] = {
		{"stream", NULL}, {"statistic", NULL}, {"with the other stream over alone (95 %)", NULL}, {NULL, NULL}};
	struct grid grid = {.columns = columns};
	size_t bare = 0;

	for (int i = 0; i < MIX_STREAMS * BASELINE_STATISTICS; i++) {
		const struct baseline_ratio *ratio = &baselines->ratios[i / BASELINE_STATISTICS][i % BASELINE_STATISTICS];

		if (!ratio->is_known)
			continue;
		grid_text(&grid, "%s", mix_stream_name(i / BASELINE_STATISTICS));
		grid_text(&grid, "%s", baseline_statistic_name(i % BASELINE_STATISTICS));
		if (isfinite(ratio->low))
			grid_text(&grid, "%.2f (%.2f to %.2f)", ratio->ratio, ratio->low, ratio->high);
		else
			grid_text(&grid, "%.2f", ratio->ratio);
		bare += !isfinite(ratio->low);
	}
	fputc('\n', out);
	if (!grid.count)
		fprintf(out, "no comparison: the mix and a stream alone were not both measured\n");
	grid_print(&grid, out);
	if (bare)
		fprintf(out, "no interval: one repetition shows no spread; use --runs=5\n");
}

static void print_counterfactuals(FILE *out, const struct ssd_run_result *result)
{
	static const struct grid_column columns[] = {{"stream", NULL}, {"without", NULL}, {"mean", "ns"}, {"then", "ns"},
		{"difference", "ns"}, {"attributed", "ns"}, {NULL, NULL}};
	struct grid grid = {.columns = columns};
	uint64_t writes = 0, attributed = 0;

	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct run_counterfactual *found = &result->counterfactuals[i];

		if (!found->is_known)
			continue;
		grid_text(&grid, "%s", mix_stream_name((enum mix_stream)i));
		grid_text(&grid, "%s", run_without_names[result->plan->options->without]);
		GRID_VALUES(&grid, found->mean_ns, found->without_ns, found->mean_ns - found->without_ns, found->attributed_ns);
		writes += found->writes;
		attributed += found->attributed_writes;
	}
	fputc('\n', out);
	grid_print(&grid, out);
	if (attributed < writes)
		fprintf(out, "attributed covers the last %" PRIu64 " of %" PRIu64 " writes, whose records are kept; increase "
			"--sim cache\n", attributed, writes);
}

/* Without the kernel's events only two parts are known. */
static void print_split(FILE *out, const struct run_split *split)
{
	static const struct grid_column columns[] = {{"parts of the mean", NULL}, {"batching", "ns"},
		{"submit", "ns"}, {"queue", "ns"},
		{"device", "ns"}, {"flush", "ns"}, {"reap", "ns"}, {NULL, NULL}};
	struct grid grid = {.columns = columns};

	for (int which = 0; which < MIX_STREAMS; which++) {
		double known[SPLIT_PARTS], sum = 0;

		for (int part = 0; part < SPLIT_PARTS; part++) {
			bool is_known = !split->why_not || part == SPLIT_QUEUE || part == SPLIT_DEVICE;

			known[part] = is_known ? split->mean_ns[which][part] : NAN;
			sum += is_known ? known[part] : 0;
		}
		if (!(sum > 0)) /* NAN: the stream did not run */
			continue;
		grid_text(&grid, "%s", mix_stream_name((enum mix_stream)which));
		grid_values(&grid, known, SPLIT_PARTS);
		if (split->why_not || isnan(split->sync_ns[which][SPLIT_FLUSH]))
			continue;
		grid_text(&grid, "%s sync", mix_stream_name((enum mix_stream)which));
		grid_values(&grid, split->sync_ns[which], SPLIT_PARTS);
	}
	fputc('\n', out);
	grid_print(&grid, out);
	if (split->why_not)
		fprintf(out, "device: from the submitting call to the completion; not traced: %s\n", split->why_not);
	else
		fprintf(out, "%llu writes traced, %llu of them in requests with others; %llu not found, %llu events lost\n",
			(unsigned long long)split->counts.joined, (unsigned long long)split->counts.merged,
			(unsigned long long)split->counts.unjoined, (unsigned long long)split->counts.lost_events);
	if (!split->why_not && split->counts.syncs + split->counts.unflushed)
		fprintf(out, "%llu syncs traced; %llu without a flush of the device: what these waited for is unknown\n",
			(unsigned long long)split->counts.syncs, (unsigned long long)split->counts.unflushed);
}

static void print_objectives(FILE *out, const struct ssd_run_result *result)
{
	char text[UNITS_TEXT];

	for (size_t i = 0; i < result->plan->options->slo_count; i++) {
		const struct objective_values *objective = &result->objectives[i];
		const char *why = objective->undecided;

		fprintf(out, "%s is %s: %s%s%s\n", objective->text, slo_word(objective),
			isnan(objective->reached_ns) ? "-" : units_format_duration(objective->reached_ns, text, sizeof(text)),
			why ? "; " : "", why ? why : "");
	}
}

static void print_interruption(FILE *out, const struct ssd_run_result *result)
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

void ssd_run_text(FILE *out, const struct ssd_run_result *result)
{
	const struct frame *frame = result->frame;
	double held_s = run_records_held(result);
	bool is_striped = layout_stripes(&result->plan->layout) > 1;
	char name[64];

	workload_name(&result->plan->workload, name, sizeof(name));
	fprintf(out, "%s (%s) on %s%s%s by %s: %s\n", name, result->plan->workload.mix->method, frame->target.path,
		is_striped ? " and " : "", is_striped ? result->plan->places[1].path : "", result->backend.ops->name,
		result->backend.features);
	print_rates(out, result);
	for (size_t i = 0; i < result->repetition_count; i++)
		print_other_cpu(out, result, &result->repetitions[i]);
	if (result->plan->options->device.preset) {
		print_devices(out, result);
		if (result->plan->options->device.policy_count)
			print_policies(out, result);
	} else {
		print_surroundings(out, result);
	}
	print_durability(out, result);
	print_latencies(out, result);
	if (result->has_baselines)
		print_baselines(out, &result->baselines);
	if (result->plan->options->without)
		print_counterfactuals(out, result);
	print_split(out, &result->split);
	if (!isnan(held_s))
		fprintf(out, "records: the last %.2f s are kept, less than --records: %s\n", held_s,
			result->has_short_rings ? "no more memory was available" : "the run wrote faster than the trial before it");
	print_objectives(out, result);
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

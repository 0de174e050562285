/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/finish.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/grid.h"
#include "common/stats/stats.h"
#include "iowrite-bench/model/kinds.h"
#include "iowrite-bench/predict/predict.h"
#include "iowrite-bench/system/curve.h"

#define LEAST_RATIOS 10
/* When thresholds are lowered the kernel's limit falls by 1/32 each 200 ms in which a writer is throttled
 * (domain_update_dirty_limit). */
#define LOWERED_NS 20000000000u
#define MIB 1048576.0

/* --- values and curves --- */

static int compare_points(const void *a, const void *b)
{
	const struct system_point *x = a, *y = b;

	return (x->size > y->size) - (x->size < y->size);
}

static int set_values(const struct samples *samples, struct system *system)
{
	int rc = 0;

	for (size_t i = 0; i < samples->count && !rc; i++) {
		const struct samples_key *key = &samples->all[i]->key;
		struct system_curve *curve = &system->curves[key->mode][key->regime];
		struct system_point *points;
		struct system_value value;

		rc = samples_value(samples->all[i], &value);
		if (!rc && key->parameter != SAMPLES_POINT)
			system->parameters[key->parameter] = value;
		if (rc || key->parameter != SAMPLES_POINT)
			continue;
		points = reallocarray(curve->points, curve->count + 1, sizeof(*points));
		if (!points)
			return -ENOMEM;
		curve->points = points;
		points[curve->count++] = (struct system_point){key->size, value};
	}
	for (int i = 0; i < OP_MODES * OP_REGIMES && !rc; i++) {
		struct system_curve *curve = &system->curves[i / OP_REGIMES][i % OP_REGIMES];

		if (!curve->count)
			continue;
		qsort(curve->points, curve->count, sizeof(*curve->points), compare_points);
		line_fit_curve(curve);
		rc = curve_pool(curve);
	}
	return rc;
}

/* --- bands --- */

/* Computes the band of one class: quantiles of the throttled writes' measured / predicted cost, divided by the ratio of the
 * sums. So the error of the model's mean does not count, which is large in these short runs, in which throttling is rarely
 * steady. Runs that began before from_ns are left out. */
static int set_band(const struct calibrate_session *session, const struct system *staged, uint64_t from_ns, size_t class,
	struct system_band *band)
{
	static const double parts[] = {0.1, 0.5, 0.9};
	double *const quantiles[] = {&band->p10, &band->p50, &band->p90};
	const struct session_run *runs = session->runs;
	double *ratios, measured_ns = 0, predicted_ns = 0, mean;
	size_t count = 0, capacity = 1;
	int rc = 0;

	for (size_t i = 0; i < session->run_count; i++)
		capacity += runs[i].class == class ? runs[i].count : 0;
	ratios = calloc(capacity, sizeof(*ratios));
	if (!ratios)
		return -ENOMEM;
	for (size_t i = 0; i < session->run_count && !rc; i++) {
		const struct session_run *run = &runs[i];
		const struct predict_setup setup = {.kind = model_kinds[MODEL_KERNEL],
			.model = {.mode = OP_BUFFERED, .regime = OP_APPEND,
				.memory = session->plan->is_pooled ? MODEL_WARM : MODEL_AS_IS, .dirty_bytes = run->before.dirty,
				.writeback_bytes = run->before.writeback, .control = run->control}};
		struct prediction prediction;
		const char *missing;

		if (run->class != class)
			continue;
		if (run->count)
			band->size = run->ops[0].size;
		band->think = run->think;
		/* A run without the kernel's rate limit would be modelled as steady; it is skipped if the last run has one. */
		if (run->begin_ns < from_ns ||
			(!(run->control.ratelimit > 0) && runs[session->run_count - 1].control.ratelimit > 0))
			continue;
		rc = predict(staged, &setup, run->ops, run->count, &prediction, &missing);
		if (rc) {
			/* There are no bands when the calibration lacks a value that the model needs. */
			rc = rc == -ENODATA ? 0 : rc;
			continue;
		}
		for (size_t k = 0; k < run->count; k++) {
			const struct model_cost *cost = &prediction.costs[k];

			if (cost->state != MODEL_THROTTLED || !(cost->ns > 0))
				continue;
			ratios[count++] = run->ns[k] / cost->ns;
			measured_ns += run->ns[k];
			predicted_ns += cost->ns;
		}
		predict_free(&prediction);
	}
	if (!rc && count >= LEAST_RATIOS) {
		mean = measured_ns / predicted_ns;
		/* Trims the smallest ratios: a few writes that the model throttles too early would outweigh all others. */
		rc = stats_relative_median(ratios, count, parts[0], &band->typical);
		band->typical /= mean;
		for (size_t i = 0; i < 3 && !rc; i++) {
			rc = stats_quantile(ratios, count, parts[i], quantiles[i]);
			*quantiles[i] /= mean;
		}
	}
	free(ratios);
	return rc;
}

/* Predictions use the thresholds of --stage, under which the writes were measured; `system` keeps the machine's. */
static int set_bands(const struct calibrate_session *session, struct system *system)
{
	bool is_staged = session->plan->is_staged;
	struct system *staged = system_with_limits(system, is_staged ? PLAN_STAGE_BACKGROUND : 0,
		is_staged ? PLAN_STAGE_THROTTLED : 0, "--stage");
	uint64_t from_ns = session->staged_ns + LOWERED_NS;
	int rc = staged ? 0 : -ENOMEM;

	/* When the kernel's limit in force is unknown, only runs after LOWERED_NS count, if there are any. */
	if (session->has_control || !is_staged || !session->run_count ||
		session->runs[session->run_count - 1].begin_ns < from_ns)
		from_ns = 0;
	for (size_t i = 0; i < SYSTEM_BANDS && !rc; i++)
		rc = set_band(session, staged, from_ns, i, &system->throttled[i]);
	free(staged);
	return rc;
}

/* --- missing values --- */

/* Returns why a probe has no result. */
static const char *reason_of(const struct schedule *schedule, size_t i)
{
	const struct schedule_row *row = &schedule->rows[i];

	if (row->state == SCHEDULE_LACKING)
		return row->why;
	if (row->state == SCHEDULE_CAPPED)
		return "more bytes than --max-bytes would have been written";
	if (schedule->is_failed)
		return "the calibration failed before";
	if (schedule->is_interrupted)
		return "the calibration was interrupted before";
	if (!row->turns)
		return row->stopped ? "the process was stopped in each of its blocks" : "--runtime was over before";
	return "no samples";
}

static const char *reason_of_parameter(const struct schedule *schedule, enum system_parameter parameter, size_t i)
{
	const struct schedule_row *row = &schedule->rows[i];

	if (!row->turns || row->state == SCHEDULE_CAPPED || schedule->is_failed || schedule->is_interrupted)
		return reason_of(schedule, i);
	switch (parameter) {
	case SYSTEM_SYNC_CACHE:
	case SYSTEM_BW_SYNC_LATE:
		return "the device did not become slower within --find-cache";
	case SYSTEM_BW_CACHE_COLD:
	case SYSTEM_WARM_POOL:
		return "no memory slower than host-backed memory was found";
	case SYSTEM_COEFF_BG:
	case SYSTEM_BW_SYNC:
		return "write-back ended before there were enough samples: give a larger --size";
	default:
		return reason_of(schedule, i);
	}
}

static void explain(const struct schedule *schedule, struct system *system)
{
	bool has_band = false;

	for (int i = 0; i < SYSTEM_BANDS; i++)
		has_band |= isfinite(system->throttled[i].p50);
	for (size_t i = 0; i < probe_count; i++) {
		const struct calibrate_probe *probe = &probes[i];
		struct system_curve *curve = &system->curves[probe->mode][probe->regime];

		for (size_t k = 0; k < probe->give_count; k++) {
			struct system_value *value = &system->parameters[probe->gives[k]];

			if (!isfinite(value->value))
				snprintf(value->unstable, sizeof(value->unstable), "%s",
					reason_of_parameter(schedule, probe->gives[k], i));
		}
		if (probe->is_curve && !curve->count)
			snprintf(curve->unknown, sizeof(curve->unknown), "%s", reason_of(schedule, i));
		if (probe->run == probe_throttled && !has_band)
			snprintf(system->throttled_unknown, sizeof(system->throttled_unknown), "%s",
				reason_of(schedule, i));
	}
}

int finish(struct calibrate_session *session, const struct schedule *schedule, struct system *system)
{
	struct system_value *bw_sync = &system->parameters[SYSTEM_BW_SYNC];
	int rc = set_values(&session->samples, system);

	system->parameters[SYSTEM_CLOCK] = (struct system_value){.value = session->clock_ns, .low = NAN, .high = NAN,
		.n = 1, .method = "median of 1001 gaps"};
	if (!rc)
		rc = set_bands(session, system);
	explain(schedule, system);
	/* The writes of other probes may have filled the device's cache before bw_sync was measured. */
	if (session->burst_rate > 0 && !bw_sync->unstable[0] &&
		bw_sync->value < (session->burst_rate + system_get(system, SYSTEM_BW_SYNC_LATE)) / 2)
		snprintf(bw_sync->unstable, sizeof(bw_sync->unstable), "measured after sync_cache: an idle device takes %.3g",
			session->burst_rate);
	return rc;
}

bool finish_contention(const struct schedule *schedule, char *text, size_t length)
{
	double whole = fmax(1, (double)schedule->measured_ns), cpus = (double)schedule->others_ns / whole;
	double disk = (double)schedule->foreign_ns / whole, most = SAMPLES_DISTURBED;
	char of_cpus[48] = "", of_disk[48] = "";

	if (cpus > most)
		snprintf(of_cpus, sizeof(of_cpus), "for the CPUs %.0f %%", 100 * cpus);
	if (disk > most)
		snprintf(of_disk, sizeof(of_disk), "for the disk %.0f %%", 100 * disk);
	snprintf(text, length, "other processes competed %s%s%s of the time (at most %.0f %%%s); stop them", of_cpus,
		of_cpus[0] && of_disk[0] ? " and " : "", of_disk, 100 * most, of_cpus[0] && of_disk[0] ? " each" : "");
	return of_cpus[0] || of_disk[0];
}

static size_t count_unstable(const struct system_curve *curve)
{
	size_t count = 0;

	for (size_t i = 0; i < curve->count; i++)
		count += curve->points[i].ns.unstable[0] != '\0';
	return count;
}

static void add_doubt(char why[FINISH_WHY], const char *text)
{
	size_t used = strlen(why);

	snprintf(why + used, FINISH_WHY - used, "%s%s", used ? ", " : "", text);
}

void finish_doubts(const struct system *system, char why[FINISH_WHY])
{
	static const enum system_parameter needs[] = {SYSTEM_BW_CACHE_WARM, SYSTEM_COEFF_BG, SYSTEM_BW_DEV, SYSTEM_BW_SYNC,
		SYSTEM_SC_W, SYSTEM_SC_SK, SYSTEM_LAT_RMW, SYSTEM_LIB_METACOST};
	char text[96];

	why[0] = '\0';
	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
		const struct system_value *value = &system->parameters[needs[i]];

		if (isfinite(value->value) && value->unstable[0])
			add_doubt(why, system_row(needs[i])->name);
	}
	for (int i = 0; i < OP_MODES * OP_REGIMES; i++) {
		const struct system_curve *curve = &system->curves[i / OP_REGIMES][i % OP_REGIMES];
		size_t unstable = count_unstable(curve), few = 0;

		for (size_t k = 0; k < curve->count; k++)
			few += curve->points[k].ns.n && curve->points[k].ns.n < CURVE_SAMPLES;
		if (2 * unstable <= curve->count && !few)
			continue;
		snprintf(text, sizeof(text), "%s (%zu of %zu sizes)", system_curve_name(i / OP_REGIMES, i % OP_REGIMES),
			unstable > few ? unstable : few, curve->count);
		add_doubt(why, text);
	}
}

/* --- tables --- */

/* Formats a value in a unit of system_row, with a prefix; "-" for NAN. Returns buffer, which has UNITS_TEXT bytes. */
static const char *tables_value(double value, const char *unit, char *buffer)
{
	if (!unit[0] && isfinite(value))
		snprintf(buffer, UNITS_TEXT, "%.3f", value);
	else
		units_format(value, strcmp(unit, "bytes/s") ? unit : "B/s", buffer, UNITS_TEXT);
	return buffer;
}

static void print_parameters(const struct system *system)
{
	static const struct grid_column columns[] = {
		{"parameter", NULL}, {"value", ""}, {"low", ""}, {"high", ""}, {"n", "#"}, {"method", NULL}, {NULL, NULL}};
	struct grid grid = {.columns = columns};
	char text[UNITS_TEXT];

	for (int i = 0; i < SYSTEM_PARAMETERS; i++) {
		const struct system_value *value = &system->parameters[i];
		const struct system_row *row = system_row(i);
		bool is_known = !isnan(value->value);

		if (!is_known && !value->unstable[0])
			continue;
		grid_text(&grid, "%s", row->name);
		grid_text(&grid, "%s", is_known ? tables_value(value->value, row->unit, text) : "unknown");
		grid_text(&grid, "%s", is_known ? tables_value(value->low, row->unit, text) : "");
		grid_text(&grid, "%s", is_known ? tables_value(value->high, row->unit, text) : "");
		GRID_VALUES(&grid, is_known ? value->n : NAN);
		grid_text(&grid, "%s%s%s", is_known ? value->method : "", is_known && value->unstable[0] ? "; UNSTABLE: " : "",
			value->unstable);
	}
	grid_print(&grid, stdout);
}

/* Writes "33 us + size / 1.2 GB/s, from 4 KiB ...". */
static void format_segments(const struct system_curve *curve, char *text, size_t length)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < curve->segment_count && used < length; i++) {
		const struct system_segment *segment = &curve->segments[i];
		char from[UNITS_TEXT], fixed[UNITS_TEXT], rate[UNITS_TEXT];

		used += (size_t)snprintf(text + used, length - used, "%s%s%s%s + size / %s", i ? ", from " : "",
			i ? units_format_size(segment->from_size, from, sizeof(from)) : "", i ? " " : "",
			units_format_duration(segment->fixed_ns, fixed, sizeof(fixed)),
			segment->ns_per_byte > 0 ? tables_value(1e9 / segment->ns_per_byte, "bytes/s", rate) : "infinite");
	}
}

/* Writes "; outliers: 12 of 310 samples, up to 42 % of a mean (4 KiB)", or "" without outliers. */
static void format_outliers(const struct system_curve *curve, char *text, size_t length)
{
	const struct system_point *most = &curve->points[0];
	unsigned samples = 0, outliers = 0;
	char size[UNITS_TEXT];

	for (size_t i = 0; i < curve->count; i++) {
		samples += curve->points[i].ns.n;
		outliers += curve->points[i].ns.outliers;
		if (curve->points[i].ns.outlier_percent > most->ns.outlier_percent)
			most = &curve->points[i];
	}
	text[0] = '\0';
	if (outliers)
		snprintf(text, length, "; outliers: %u of %u samples, up to %.0f %% of a mean (%s)", outliers, samples,
			most->ns.outlier_percent, units_format_size(most->size, size, sizeof(size)));
}

static void print_left_out(const struct system *system)
{
	unsigned count = 0;

	for (int i = 0; i < SYSTEM_PARAMETERS; i++)
		count += system->parameters[i].left_out;
	for (int i = 0; i < OP_MODES * OP_REGIMES; i++) {
		const struct system_curve *curve = &system->curves[i / OP_REGIMES][i % OP_REGIMES];

		for (size_t k = 0; k < curve->count; k++)
			count += curve->points[k].ns.left_out;
	}
	if (count)
		printf("\nnot used, because other processes competed for CPU or disk in their blocks, or the process was stopped: "
			"%u of the samples\n", count);
}

static void print_curves(const struct system *system)
{
	static const struct grid_column columns[] = {{"cost of a write", NULL}, {"sizes", "#"}, {"from", "bytes"}, {"to", "bytes"},
		{"of the first", "ns"}, {"line", NULL}, {NULL, NULL}};
	struct grid grid = {.columns = columns};

	for (int i = 0; i < OP_MODES * OP_REGIMES; i++) {
		const struct system_curve *curve = &system->curves[i / OP_REGIMES][i % OP_REGIMES];
		size_t unstable = count_unstable(curve);
		char line[200], why[48] = "", outliers[96];

		if (!curve->count && !curve->unknown[0])
			continue;
		grid_text(&grid, "%s", system_curve_name(i / OP_REGIMES, i % OP_REGIMES));
		if (!curve->count) {
			GRID_VALUES(&grid, NAN, NAN, NAN, NAN);
			grid_text(&grid, "unknown: %s", curve->unknown);
			continue;
		}
		GRID_VALUES(&grid, (double)curve->count, (double)curve->points[0].size,
			(double)curve->points[curve->count - 1].size,
			curve->points[0].ns.value);
		format_segments(curve, line, sizeof(line));
		if (unstable)
			snprintf(why, sizeof(why), "; UNSTABLE: %zu of the sizes", unstable);
		format_outliers(curve, outliers, sizeof(outliers));
		grid_text(&grid, "%s%s%s", line, outliers, why);
	}
	putchar('\n');
	grid_print(&grid, stdout);
}

static void print_bands(const struct system *system)
{
	static const struct grid_column columns[] = {{"size", "bytes"}, {"thinking", NULL}, {"p10", ""}, {"p50", ""},
		{"p90", ""}, {"typical", ""}, {NULL, NULL}};
	struct grid grid = {.columns = columns};

	puts("\nthrottled writes: cost by its mean, by size");
	if (system->throttled_unknown[0])
		printf("unknown  %s\n", system->throttled_unknown);
	for (size_t i = 0; i < SYSTEM_BANDS; i++) {
		const struct system_band *band = &system->throttled[i];

		if (!isfinite(band->p50))
			continue;
		GRID_VALUES(&grid, (double)band->size);
		grid_text(&grid, "%s", band->think > 0 ? "yes" : "");
		GRID_VALUES(&grid, band->p10, band->p50, band->p90, band->typical);
	}
	grid_print(&grid, stdout);
}

void tables_print(const struct system *system)
{
	printf("%s on %s, kernel %s, %s\n", system->file_system, system->device[0] ? system->device : "no device",
		system->kernel, system->date);
	if (system->writer[0])
		printf("writer %s\n", system->writer);
	if (system->partial[0])
		printf("PARTIAL: %s\n", system->partial);
	if (system->stopped[0])
		printf("STOPPED: %s\n", system->stopped);
	putchar('\n');
	print_parameters(system);
	print_curves(system);
	print_left_out(system);
	print_bands(system);
}

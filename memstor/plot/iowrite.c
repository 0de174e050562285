/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of iowrite-bench: evaluate (prediction, errors) and trace (kernel-trace). */
#include "config.h"
#include "memstor/plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"

#define JUMP 3.0      /* from one write to the next, as a factor */
#define JUMPS_FEW 40  /* single stalls are seen as such */
#define JUMPS_MANY 20 /* one write in this number */
#define ROWS_COLUMNS 13
#define SOURCES 3 /* of what is dirty: measured, the kernel's model, cawl */
#define WRITEBACK_LEAST (1. / 64) /* of the background threshold: less may be another program's */

enum { KERNEL, CAWL, NAIVE, MODELS = PLOT_MODELS };
static const char *const models[MODELS] = {[KERNEL] = "kernel", [CAWL] = "cawl", [NAIVE] = "naive"};

bool plot_model_is_wanted(const struct plot *plot, size_t model)
{
	return !plot->options->models.count || plot_list_has(&plot->options->models, models[model]);
}

const struct report_node *plot_model_find(const struct report_node *scenario, size_t model)
{
	const struct report_node *node = report_read_find(scenario, "model");

	for (; node; node = report_read_next(node)) {
		const char *name = report_read_attribute(node, "name");

		if (name && !strcmp(name, models[model]))
			break;
	}
	return node;
}

struct rows { /* of numbers; NAN = absent */
	size_t count, columns;
	double (*values)[ROWS_COLUMNS];
};

struct thresholds { /* of dirty pages, in bytes; NAN = not known */
	double background, freerun, limit;
};

/* Attributes of the children of parent that are called element, as rows, with room for one more; NAN = absent. */
static int take_rows(struct plot *plot, const struct report_node *parent, const char *element, const char *const *attributes,
	size_t columns, struct rows *rows)
{
	const struct report_node *first = report_read_find(parent, element);
	size_t count = 0;

	for (const struct report_node *node = first; node; node = report_read_next(node))
		count++;
	*rows = (struct rows){.columns = columns, .values = plot_keep(plot, count + 2, sizeof(*rows->values))};
	if (!rows->values)
		return plot_no_memory();
	for (const struct report_node *node = first; node; node = report_read_next(node), rows->count++) {
		for (size_t i = 0; i < columns; i++)
			rows->values[rows->count][i] = report_read_attribute_number(node, attributes[i]);
	}
	return DIAG_EXIT_OK;
}

static void put_rows(struct plot *plot, const char *name, const char *columns, const struct rows *rows)
{
	plot_block(plot, name, columns);
	for (size_t i = 0; i < rows->count; i++)
		plot_values(plot, rows->values[i], rows->columns);
}

static void extend(struct plot_extent *extent, const struct rows *rows, size_t column)
{
	for (size_t i = 0; i < rows->count; i++)
		plot_extent_add(extent, rows->values[i][column]);
}

static bool has_column(const struct rows *rows, size_t column)
{
	struct plot_extent extent = PLOT_EXTENT_NONE;

	extend(&extent, rows, column);
	return extent.low <= extent.high;
}

static void take_thresholds(const struct report_node *node, struct thresholds *thresholds)
{
	thresholds->background = report_read_number(node, "background_bytes");
	thresholds->freerun = report_read_number(node, "freerun_bytes");
	thresholds->limit = report_read_number(node, "limit_bytes");
}

static void put_thresholds(struct plot *plot, const struct thresholds *thresholds)
{
	plot_set(plot, "background", thresholds->background);
	plot_set(plot, "freerun", thresholds->freerun);
	plot_set(plot, "dirty_limit", thresholds->limit);
}

/* --- prediction --- */

enum { W_TIME, W_SIZE, W_MEASURED, W_KERNEL, W_CAWL, W_NAIVE, W_LOW, W_HIGH, W_DIRTY, W_WRITEBACK, W_MODEL_DIRTY,
	W_MODEL_WRITEBACK, W_CAWL_DIRTY, W_COLUMNS };
static const char *const write_attributes[W_COLUMNS] = {"time_s", "size", "measured_ns", "kernel_ns", "cawl_ns", "naive_ns",
	"low_ns", "high_ns", "dirty_bytes", "writeback_bytes", "predicted_dirty_bytes", "predicted_writeback_bytes",
	"cawl_dirty_bytes"};

/* "c2" is its first repetition, "c2:3" the third. */
static bool is_asked_for(const struct report_node *scenario, const char *asked)
{
	const char *id = report_read_attribute(scenario, "id"), *repetition = report_read_attribute(scenario, "repetition");
	size_t length = id ? strlen(id) : 0;

	if (!asked)
		return true;
	if (!id || strncmp(id, asked, length))
		return false;
	return !asked[length] || (asked[length] == ':' && repetition && !strcmp(asked + length + 1, repetition));
}

static void note_models(struct plot *plot, const struct report_node *scenario)
{
	double floor = report_read_number(scenario, "floor_percent");

	for (size_t i = 0; i < MODELS; i++) {
		const struct report_node *model = plot_model_find(scenario, i);
		double coverage = model ? report_read_number(model, "coverage_percent") : NAN;
		char band[64] = "";

		if (!model || !plot_model_is_wanted(plot, i))
			continue;
		if (!isnan(coverage))
			snprintf(band, sizeof(band), ", %.0f %% of the writes in the band", coverage);
		plot_note(plot, false, "%s: off by %.1f %% per write, %+.1f %% in all%s.", models[i],
			report_read_number(model, "per_write_error_percent"), report_read_number(model, "total_error_percent"),
			band);
	}
	if (!isnan(floor))
		plot_note(plot, false, "Floor: %.1f %% per write, with three costs chosen knowing the result.", floor);
}

static void note_outside(struct plot *plot, const struct report_node *scenario)
{
	const struct report_node *node = report_read_find(scenario, "outside_model");

	for (; node; node = report_read_next(node)) {
		const char *code = report_read_attribute(node, "code");

		plot_note(plot, true, "Model not valid: %s%s%.120s.", code ? code : "", node->text[0] ? ": " : "", node->text);
	}
}

static void make_title(struct plot *plot, const struct report_node *scenario)
{
	const char *figure = report_read_text(scenario, "figure");
	const char *id = report_read_attribute(scenario, "id");

	snprintf(plot->title, sizeof(plot->title), "Scenario %.40s%s%.20s%s: %.150s", id ? id : "",
		figure[0] ? " (figure " : "", figure, figure[0] ? " of CAWL)" : "",
		report_read_text(scenario, "meaning"));
}

/* What is dirty and being written, of the kernel or its model; cawl does not know what is being written. */
static double cached(const double *write, size_t dirty)
{
	double writeback = dirty == W_CAWL_DIRTY ? 0 : write[dirty + 1];

	return write[dirty] + (isnan(writeback) ? 0 : writeback);
}

struct begin { /* of the first write that goes with it; NAN = none does */
	double time_s, cached;
};

static const size_t sources[SOURCES] = {W_DIRTY, W_MODEL_DIRTY, W_CAWL_DIRTY};

/* When the kernel began to flush, and when to throttle: the points that the CAWL paper marks in its figures 6 to 8.
 * Flushing begins when what is dirty reaches the background threshold, which may be over when the write is: then it
 * shows in what is being written. Throttling begins when both reach the middle between it and the limit. */
static void find_begins(const struct rows *writes, const struct thresholds *thresholds, size_t source, struct begin *flush,
	struct begin *throttle)
{
	*flush = *throttle = (struct begin){NAN, NAN};
	for (size_t j = 0; j < writes->count; j++) {
		const double *write = writes->values[j];
		double all = cached(write, source), dirty = write[source];

		if (isnan(flush->time_s) && (dirty >= thresholds->background ||
						    all - dirty >= WRITEBACK_LEAST * thresholds->background))
			*flush = (struct begin){write[W_TIME], all};
		if (isnan(throttle->time_s) && all >= thresholds->freerun)
			*throttle = (struct begin){write[W_TIME], all};
	}
}

/* The scenario that is drawn and its writes, without those of models that are not wanted. 0 or a diag_exit code after one
 * line. */
static int take_scenario(struct plot *plot, const struct report_node **scenario, struct rows *writes)
{
	const struct loaded *loaded = plot->loaded[0];
	const char *asked = plot->options->scenario;
	const struct report_node *evaluation = plot_result_part(plot, 0, "evaluation", "iowrite-bench", "evaluate");
	const struct report_node *node = evaluation ? report_read_find(evaluation, "scenario") : NULL;
	char names[512] = "none";
	size_t used = 0;
	int rc;

	if (!evaluation)
		return DIAG_EXIT_USAGE;
	while (node && !is_asked_for(node, asked))
		node = report_read_next(node);
	if (!node && asked) {
		for (size_t i = 0; i < loaded->subject_count && used < sizeof(names); i++)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.40s", i ? ", " : "",
				loaded->subjects[i].id);
		return diag_usage("--scenario '%s': %s does not have it; it has: %s", asked, loaded->path, names);
	}
	rc = node ? take_rows(plot, node, "write", write_attributes, W_COLUMNS, writes) : DIAG_EXIT_OK;
	if (!rc && !writes->count)
		rc = diag_usage("%s: %s", loaded->path, node ? "the scenario has no writes" : "no scenario was measured");
	for (size_t i = 0; i < writes->count; i++) {
		for (size_t j = 0; j < MODELS; j++)
			writes->values[i][W_KERNEL + j] *= plot_model_is_wanted(plot, j) ? 1 : NAN;
	}
	*scenario = node;
	return rc;
}

static int compare_sizes(const void *a, const void *b)
{
	double one = ((const double *)a)[W_SIZE], other = ((const double *)b)[W_SIZE];

	return (one > other) - (one < other);
}

/* Means of what was predicted for each size. */
static void put_sizes(struct plot *plot, const struct rows *writes)
{
	plot_block(plot, "sizes", "size; means: kernel, cawl, naive, low, high");
	for (size_t i = 0, next; i < writes->count; i = next) {
		double row[1 + W_HIGH - W_KERNEL + 1] = {writes->values[i][W_SIZE]};

		for (next = i; next < writes->count && writes->values[next][W_SIZE] == row[0]; next++)
			;
		for (size_t column = W_KERNEL; column <= W_HIGH; column++) {
			double sum = 0;
			size_t count = 0;

			for (size_t j = i; j < next; j++) {
				bool is_there = isfinite(writes->values[j][column]);

				sum += is_there ? writes->values[j][column] : 0;
				count += is_there;
			}
			row[1 + column - W_KERNEL] = count ? sum / (double)count : NAN;
		}
		next += next == i; /* a size that is none */
		if (row[0] > 0)
			plot_values(plot, row, sizeof(row) / sizeof(row[0]));
	}
}

/* fwrite(3) costs as much as write(2) once per buffer and little in between: a line would cover the panel. */
static bool is_jumping(const struct rows *writes)
{
	for (size_t i = 0; i < MODELS; i++) {
		size_t jumps = 0;

		for (size_t j = 1; j < writes->count; j++)
			jumps += fabs(log(writes->values[j][W_KERNEL + i] / writes->values[j - 1][W_KERNEL + i])) > log(JUMP);
		if (jumps > JUMPS_FEW + writes->count / JUMPS_MANY)
			return true;
	}
	return false;
}

static void format_time(const struct begin *begin, char *text, size_t length)
{
	if (isfinite(begin->time_s))
		snprintf(text, length, "after %.3g s", begin->time_s);
	else
		snprintf(text, length, "never");
}

static void note_begins(struct plot *plot, const bool has[SOURCES], const struct begin *flush, const struct begin *throttle)
{
	const struct begin *begins[] = {flush, throttle};
	char text[200] = "", time[SOURCES][32];
	bool is_any = false;
	size_t used = 0;

	for (size_t i = 0; i < 2 && used < sizeof(text); i++) {
		for (size_t j = 0; j < SOURCES; j++) {
			format_time(&begins[i][j], time[j], sizeof(time[j]));
			is_any |= has[j] && isfinite(begins[i][j].time_s);
		}
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s %s%s%s%s%s%s%s%s",
				i ? ", throttling" : "Flushing begins",
			time[0], has[1] || has[2] ? " (" : "", has[1] ? "kernel's model: " : "", has[1] ? time[1] : "",
			has[1] && has[2] ? ", " : "", has[2] ? "cawl: " : "", has[2] ? time[2] : "", has[1] || has[2] ? ")" : "");
	}
	if (is_any && has[0])
		plot_note(plot, false, "%.190s.", text);
}

int plot_prediction_extract(struct plot *plot)
{
	const struct report_node *scenario = NULL;
	struct rows rows = {0}, *writes = &rows;
	struct thresholds thresholds;
	struct begin flush[SOURCES], throttle[SOURCES];
	struct plot_extent x = PLOT_EXTENT_NONE, y = PLOT_EXTENT_NONE, bytes = PLOT_EXTENT_NONE;
	int rc = take_scenario(plot, &scenario, writes);
	bool has[SOURCES], is_by_size = false;
	char name[32];

	if (rc)
		return rc;
	take_thresholds(scenario, &thresholds);
	for (size_t i = 0; i < SOURCES; i++)
		find_begins(writes, &thresholds, sources[i], &flush[i], &throttle[i]);
	for (size_t i = 0; i < writes->count; i++)
		is_by_size |= writes->values[i][W_SIZE] != writes->values[0][W_SIZE];
	make_title(plot, scenario);
	note_outside(plot, scenario);
	note_models(plot, scenario);
	has[0] = !strcmp(report_read_text(scenario, "mode"), "buffered") && has_column(writes, W_DIRTY);
	has[1] = has[0] && plot_model_is_wanted(plot, KERNEL) && has_column(writes, W_MODEL_DIRTY);
	has[2] = has[0] && plot_model_is_wanted(plot, CAWL) && has_column(writes, W_CAWL_DIRTY);
	if (is_by_size)
		qsort(writes->values, writes->count, sizeof(*writes->values), compare_sizes);
	else
		note_begins(plot, has, flush, throttle);
	put_rows(plot, "writes", "seconds, size, measured ns, kernel, cawl, naive, low, high, bytes dirty, being written, by the "
		"model, by cawl", writes);
	put_sizes(plot, writes);
	plot_block(plot, "cached", "seconds, bytes dirty and being written: measured, by the model, by cawl");
	for (size_t i = 0; i < SOURCES; i++) {
		plot_index(plot, i);
		/* It is not sampled at every write. */
		for (size_t j = 0; j < writes->count && has[i]; j++) {
			double all = cached(writes->values[j], sources[i]);

			plot_extent_add(&bytes, all);
			if (isfinite(all))
				plot_row(plot, writes->values[j][W_TIME], all);
		}
		plot_row(plot, NAN, NAN);
	}
	plot_block(plot, "begins", "seconds, bytes: flushing and throttling begin; measured, by the model, by cawl");
	for (size_t i = 0; i < SOURCES; i++) {
		plot_index(plot, i);
		plot_row(plot, has[i] ? flush[i].time_s : NAN, flush[i].cached);
		plot_row(plot, has[i] ? throttle[i].time_s : NAN, throttle[i].cached);
	}
	for (size_t i = 0; i < MODELS; i++) {
		snprintf(name, sizeof(name), "has_%s", models[i]);
		plot_set_count(plot, name, has_column(writes, W_KERNEL + i));
		extend(&y, writes, W_KERNEL + i);
	}
	extend(&y, writes, W_MEASURED);
	extend(&x, writes, is_by_size ? W_SIZE : W_TIME);
	plot_set_count(plot, "has_band", plot_model_is_wanted(plot, KERNEL) && has_column(writes, W_KERNEL) &&
						has_column(writes, W_LOW) && has_column(writes, W_HIGH));
	plot_set_count(plot, "has_cached", has[0]);
	plot_set_count(plot, "has_cached_kernel", has[1]);
	plot_set_count(plot, "has_cached_cawl", has[2]);
	plot_set_count(plot, "is_by_size", is_by_size);
	plot_set_count(plot, "is_jumping", is_jumping(writes));
	put_thresholds(plot, &thresholds);
	plot_set_extent(plot, "x", &x, NULL);
	plot_set_extent(plot, "y", &y, NULL);
	plot_set_extent(plot, "bytes", &bytes, NULL);
	return DIAG_EXIT_OK;
}

/* --- kernel-trace --- */

enum { PAUSE_NS = 1, PAUSE_TASK };
enum { RATE_FIRST = 1, RATE_LAST = 3 };
enum { TRACE_MEASURED = 1, TRACE_KERNEL, TRACE_DIRTY, TRACE_WRITEBACK };

static void note_events(struct plot *plot, const struct report_node *node, const struct rows *events)
{
	double lost = report_read_number(node, "lost_events"), paused = 0;
	size_t pauses = 0, without = 0;

	for (size_t i = 0; i < events->count; i++) {
		double ns = events->values[i][PAUSE_NS];

		pauses += ns > 0;
		without += !(ns > 0);
		paused += ns > 0 ? ns / 1e9 : 0;
	}
	plot_note(plot, false, "%zu pauses, %.3g s in all; %zu times there was none to make.", pauses, paused, without);
	if (lost > 0)
		plot_note(plot, true, "%.0f events were lost: the buffer of the trace was full.", lost);
}

int plot_trace_extract(struct plot *plot)
{
	static const char *const state_columns[] = {"time_s", "dirty_bytes", "writeback_bytes", "limit_bytes"};
	static const char *const pause_columns[] = {"time_s", "pause_ns", "task_bytes_per_second"};
	static const char *const rate_columns[] = {
		"time_s", "dirty_bytes_per_second", "balanced_bytes_per_second", "write_bytes_per_second"};
	static const char *const write_columns[] = {
		"time_s", "measured_ns", "kernel_ns", "predicted_dirty_bytes", "predicted_writeback_bytes"};
	const struct report_node *node = plot_result_part(plot, 0, "kernel_trace", "iowrite-bench", "trace");
	const char *scenario = loaded_option(plot->loaded[0], "scenario");
	struct rows states, pauses, rates, writes;
	struct thresholds thresholds;
	struct plot_extent x = PLOT_EXTENT_NONE, cache = PLOT_EXTENT_NONE, rate = PLOT_EXTENT_NONE, task = PLOT_EXTENT_NONE;
	struct plot_extent cost = PLOT_EXTENT_NONE, limit = PLOT_EXTENT_NONE;
	size_t beyond = 0;

	if (!node)
		return DIAG_EXIT_USAGE;
	if (take_rows(plot, node, "kernel_state", state_columns, 4, &states) ||
		take_rows(plot, node, "pause", pause_columns, 3, &pauses) ||
		take_rows(plot, node, "ratelimit", rate_columns, 4, &rates) ||
		take_rows(plot, node, "write", write_columns, 5, &writes))
		return DIAG_EXIT_HOST;
	if (states.count + writes.count == 0)
		return diag_usage("%s: the trace has neither events nor writes", plot->loaded[0]->path);
	take_thresholds(node, &thresholds);
	snprintf(plot->title, sizeof(plot->title), "Writes and the kernel's state%s%s%.100s",
		has_column(&writes, TRACE_KERNEL) ? ", measured and by the model" : "", scenario ? ": scenario " : "",
		scenario ? scenario : "");
	note_events(plot, node, &pauses);
	extend(&x, &states, 0);
	extend(&x, &writes, 0);
	extend(&x, &pauses, 0);
	extend(&x, &rates, 0);
	for (size_t i = 0; i < states.count; i++)
		plot_extent_add(&cache, states.values[i][1] + states.values[i][2]);
	for (size_t i = 0; i < writes.count; i++)
		plot_extent_add(&cache, writes.values[i][TRACE_DIRTY] + writes.values[i][TRACE_WRITEBACK]);
	plot_extent_add(&cache, thresholds.limit * 1.05);
	for (size_t i = RATE_FIRST; i <= RATE_LAST; i++)
		extend(&rate, &rates, i);
	extend(&task, &pauses, PAUSE_TASK);
	/* A task may do many times as much while little is dirty: the rest is not bent by that. */
	plot_extent_add(&rate, rates.count ? fmin(task.high, 3 * rate.high) : task.high);
	for (size_t i = 0; i < pauses.count; i++) {
		const double *pause = pauses.values[i];

		beyond += pause[PAUSE_TASK] > rate.high;
		plot_extent_add(&cost, pause[PAUSE_NS] > 0 ? pause[PAUSE_NS] : NAN);
	}
	if (beyond)
		plot_note(plot, false, "%zu of %zu limits of the task are higher than the panel of rates shows.", beyond,
			pauses.count);
	extend(&cost, &writes, TRACE_MEASURED);
	extend(&cost, &writes, TRACE_KERNEL);
	extend(&limit, &states, 3);
	/* What the last row says holds until the end. */
	if (rates.count && rates.values[rates.count - 1][0] < x.high) {
		memcpy(rates.values[rates.count], rates.values[rates.count - 1], sizeof(*rates.values));
		rates.values[rates.count++][0] = x.high;
	}
	put_rows(plot, "states", "seconds, dirty, writeback, limit", &states);
	put_rows(plot, "pauses", "seconds, pause ns, a task's bytes per second", &pauses);
	put_rows(plot, "rates", "seconds, bytes per second: dirtying, balanced, write-back", &rates);
	put_rows(plot, "writes", "seconds, measured ns, predicted; predicted dirty, being written", &writes);
	plot_set_count(plot, "has_predicted", has_column(&writes, TRACE_KERNEL));
	plot_set_count(plot, "has_predicted_cache", has_column(&writes, TRACE_DIRTY));
	/* The kernel raises it at once and lowers it slowly: shown where it is no straight line. */
	plot_set_count(plot, "is_limit_moving", limit.high > limit.low * 1.001);
	put_thresholds(plot, &thresholds);
	plot_set_extent(plot, "x", &x, NULL);
	plot_set_extent(plot, "cache", &cache, NULL);
	plot_set_extent(plot, "rate", &rate, NULL);
	plot_set_extent(plot, "cost", &cost, NULL);
	return DIAG_EXIT_OK;
}

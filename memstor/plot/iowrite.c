/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of iowrite-bench: evaluate (prediction, errors) and trace (kernel-trace). */
#include "config.h"
#include "memstor/plot/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"

#define JUMP 3.0      /* from one write to the next, as a factor */
#define JUMPS_FEW 40  /* single stalls are seen as such */
#define JUMPS_MANY 20 /* one write in this number */
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

const struct report_node *plot_iowrite_part(const struct plot *plot, const struct loaded *loaded, const char *command,
	const char *part)
{
	const struct report_node *result = report_read_find(report_read_root(loaded->document), "report/result");
	const struct report_node *node = result ? report_read_find(result, part) : NULL;

	if (!node)
		diag_error(0, "%s: no report of iowrite-bench %s, which is what %s draws", loaded->path, command,
			plot->options->kind->name);
	return node;
}

/* Attributes of the children of parent that are called element, as rows; NAN = absent. */
static int take_rows(const struct report_node *parent, const char *element, const char *const *attributes, size_t columns,
	struct plot_rows *rows)
{
	const struct report_node *first = report_read_find(parent, element);
	size_t count = 0;

	for (const struct report_node *node = first; node; node = report_read_next(node))
		count++;
	*rows = (struct plot_rows){.columns = columns, .values = calloc(count + 2, sizeof(*rows->values))};
	if (!rows->values)
		return plot_no_memory();
	for (const struct report_node *node = first; node; node = report_read_next(node), rows->count++) {
		for (size_t i = 0; i < columns; i++)
			rows->values[rows->count][i] = report_read_attribute_number(node, attributes[i]);
	}
	return DIAG_EXIT_OK;
}

static void put_rows(struct plot *plot, const char *name, const char *columns, const struct plot_rows *rows)
{
	plot_block(plot, name, columns);
	for (size_t i = 0; i < rows->count; i++)
		plot_values(plot, rows->values[i], rows->columns);
	plot_block_end(plot);
}

static void extend(struct plot_extent *extent, const struct plot_rows *rows, size_t column)
{
	for (size_t i = 0; i < rows->count; i++)
		plot_extent_add(extent, rows->values[i][column]);
}

static bool has_column(const struct plot_rows *rows, size_t column)
{
	struct plot_extent extent = PLOT_EXTENT_NONE;

	extend(&extent, rows, column);
	return extent.low <= extent.high;
}

static void take_thresholds(const struct report_node *node, struct plot_thresholds *thresholds)
{
	thresholds->background = report_read_number(node, "background_bytes");
	thresholds->freerun = report_read_number(node, "freerun_bytes");
	thresholds->limit = report_read_number(node, "limit_bytes");
}

static void put_thresholds(struct plot *plot, const struct plot_thresholds *thresholds)
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

static void refuse_scenario(const struct loaded *loaded, const char *asked)
{
	char names[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < loaded->subject_count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.40s", i ? ", " : "", loaded->subjects[i].id);
	diag_error(0, "--scenario '%s': %s has no such one; there are: %s", asked, loaded->path, used ? names : "none");
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

		plot_note(plot, true, "Outside the models: %s%s%.120s.", code ? code : "", node->text[0] ? ": " : "", node->text);
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

static const size_t sources[PLOT_SOURCES] = {W_DIRTY, W_MODEL_DIRTY, W_CAWL_DIRTY};

/* When the kernel began to flush, and when to throttle: the points that the CAWL paper marks in its figures 6 to 8.
 * Flushing begins when what is dirty reaches the background threshold, which may be over when the write is: then it
 * shows in what is being written. Throttling begins when both reach the middle between it and the limit. */
static void find_begins(struct plot_prediction *prediction)
{
	const struct plot_thresholds *thresholds = &prediction->thresholds;

	for (size_t i = 0; i < PLOT_SOURCES; i++) {
		struct plot_begin *flush = &prediction->flush[i], *throttle = &prediction->throttle[i];

		*flush = *throttle = (struct plot_begin){NAN, NAN};
		for (size_t j = 0; j < prediction->writes.count; j++) {
			const double *write = prediction->writes.values[j];
			double all = cached(write, sources[i]), dirty = write[sources[i]];

			if (isnan(flush->time_s) && (dirty >= thresholds->background ||
							    all - dirty >= WRITEBACK_LEAST * thresholds->background))
				*flush = (struct plot_begin){write[W_TIME], all};
			if (isnan(throttle->time_s) && all >= thresholds->freerun)
				*throttle = (struct plot_begin){write[W_TIME], all};
		}
	}
}

int plot_prediction_take(struct plot *plot, const struct loaded *loaded)
{
	struct plot_prediction *prediction = plot->state;
	const char *asked = plot->options->scenario;
	const struct report_node *evaluation = plot_iowrite_part(plot, loaded, "evaluate", "evaluation");
	const struct report_node *node = evaluation ? report_read_find(evaluation, "scenario") : NULL;
	int rc;

	if (!evaluation)
		return DIAG_EXIT_USAGE;
	while (node && !is_asked_for(node, asked))
		node = report_read_next(node);
	if (!node && asked) {
		refuse_scenario(loaded, asked);
		return DIAG_EXIT_USAGE;
	}
	rc = node ? take_rows(node, "write", write_attributes, W_COLUMNS, &prediction->writes) : DIAG_EXIT_OK;
	if (!rc && !prediction->writes.count)
		rc = diag_usage("%s: %s", loaded->path, node ? "the scenario has no writes" : "no scenario was measured");
	if (rc)
		return rc;
	for (size_t i = 0; i < prediction->writes.count; i++) {
		for (size_t j = 0; j < MODELS; j++)
			prediction->writes.values[i][W_KERNEL + j] *= plot_model_is_wanted(plot, j) ? 1 : NAN;
		prediction->is_by_size |= prediction->writes.values[i][W_SIZE] != prediction->writes.values[0][W_SIZE];
	}
	prediction->is_buffered = !strcmp(report_read_text(node, "mode"), "buffered");
	take_thresholds(node, &prediction->thresholds);
	find_begins(prediction);
	make_title(plot, node);
	note_outside(plot, node);
	note_models(plot, node);
	return DIAG_EXIT_OK;
}

void plot_prediction_free(struct plot *plot)
{
	free(((struct plot_prediction *)plot->state)->writes.values);
}

static int compare_sizes(const void *a, const void *b)
{
	double one = ((const double *)a)[W_SIZE], other = ((const double *)b)[W_SIZE];

	return (one > other) - (one < other);
}

/* Means of what was predicted for each size. */
static void put_sizes(struct plot *plot, const struct plot_rows *writes)
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
	plot_block_end(plot);
}

/* fwrite(3) costs what a write(2) does once in so many calls, and nothing in between: a line is a wall then. */
static bool is_jumping(const struct plot_rows *writes)
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

static void format_time(const struct plot_begin *begin, char *text, size_t length)
{
	if (isfinite(begin->time_s))
		snprintf(text, length, "after %.3g s", begin->time_s);
	else
		snprintf(text, length, "never");
}

static void note_begins(struct plot *plot, const bool has[PLOT_SOURCES])
{
	const struct plot_prediction *prediction = plot->state;
	const struct plot_begin *begins[] = {prediction->flush, prediction->throttle};
	char text[200] = "", time[PLOT_SOURCES][32];
	bool is_any = false;
	size_t used = 0;

	for (size_t i = 0; i < 2 && used < sizeof(text); i++) {
		for (size_t j = 0; j < PLOT_SOURCES; j++) {
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
	struct plot_prediction *prediction = plot->state;
	struct plot_rows *writes = &prediction->writes;
	struct plot_extent x = PLOT_EXTENT_NONE, y = PLOT_EXTENT_NONE, bytes = PLOT_EXTENT_NONE;
	bool has[PLOT_SOURCES] = {prediction->is_buffered && has_column(writes, W_DIRTY)};
	char name[32];

	has[1] = has[0] && plot_model_is_wanted(plot, KERNEL) && has_column(writes, W_MODEL_DIRTY);
	has[2] = has[0] && plot_model_is_wanted(plot, CAWL) && has_column(writes, W_CAWL_DIRTY);
	if (prediction->is_by_size)
		qsort(writes->values, writes->count, sizeof(*writes->values), compare_sizes);
	else
		note_begins(plot, has);
	put_rows(plot, "writes", "seconds, size, measured ns, kernel, cawl, naive, low, high, bytes dirty, being written, by the "
		"model, by cawl", writes);
	put_sizes(plot, writes);
	plot_block(plot, "cached", "seconds, bytes dirty and being written: measured, by the model, by cawl");
	for (size_t i = 0; i < PLOT_SOURCES; i++) {
		if (i)
			plot_next_index(plot);
		/* It is not looked at beside every write. */
		for (size_t j = 0; j < writes->count && has[i]; j++) {
			double all = cached(writes->values[j], sources[i]);

			plot_extent_add(&bytes, all);
			if (isfinite(all))
				plot_row(plot, writes->values[j][W_TIME], all);
		}
		plot_row(plot, NAN, NAN);
	}
	plot_block_end(plot);
	plot_block(plot, "begins", "seconds, bytes: flushing and throttling begin; measured, by the model, by cawl");
	for (size_t i = 0; i < PLOT_SOURCES; i++) {
		if (i)
			plot_next_index(plot);
		plot_row(plot, has[i] ? prediction->flush[i].time_s : NAN, prediction->flush[i].cached);
		plot_row(plot, has[i] ? prediction->throttle[i].time_s : NAN, prediction->throttle[i].cached);
	}
	plot_block_end(plot);
	for (size_t i = 0; i < MODELS; i++) {
		snprintf(name, sizeof(name), "has_%s", models[i]);
		plot_set_count(plot, name, has_column(writes, W_KERNEL + i));
		extend(&y, writes, W_KERNEL + i);
	}
	extend(&y, writes, W_MEASURED);
	extend(&x, writes, prediction->is_by_size ? W_SIZE : W_TIME);
	plot_set_count(plot, "has_band", plot_model_is_wanted(plot, KERNEL) && has_column(writes, W_KERNEL) &&
						has_column(writes, W_LOW) && has_column(writes, W_HIGH));
	plot_set_count(plot, "has_cached", has[0]);
	plot_set_count(plot, "has_cached_kernel", has[1]);
	plot_set_count(plot, "has_cached_cawl", has[2]);
	plot_set_count(plot, "is_by_size", prediction->is_by_size);
	plot_set_count(plot, "is_jumping", is_jumping(writes));
	put_thresholds(plot, &prediction->thresholds);
	plot_set_extent(plot, "x", &x, NULL);
	plot_set_extent(plot, "y", &y, NULL);
	plot_set_extent(plot, "bytes", &bytes, NULL);
	return DIAG_EXIT_OK;
}

/* --- kernel-trace --- */

enum { PAUSE_NS = 1, PAUSE_TASK };
enum { RATE_FIRST = 1, RATE_LAST = 3 };
enum { TRACE_MEASURED = 1, TRACE_KERNEL, TRACE_DIRTY, TRACE_WRITEBACK };

static void note_events(struct plot *plot, const struct report_node *node)
{
	const struct plot_trace *trace = plot->state;
	double lost = report_read_number(node, "lost_events"), paused = 0;
	size_t pauses = 0, without = 0;

	for (size_t i = 0; i < trace->pauses.count; i++) {
		double ns = trace->pauses.values[i][PAUSE_NS];

		pauses += ns > 0;
		without += !(ns > 0);
		paused += ns > 0 ? ns / 1e9 : 0;
	}
	plot_note(plot, false, "%zu pauses, %.3g s in all; %zu times there was none to make.", pauses, paused, without);
	if (lost > 0)
		plot_note(plot, true, "%.0f events were lost: the buffer of the trace was full.", lost);
}

int plot_trace_take(struct plot *plot, const struct loaded *loaded)
{
	static const char *const states[] = {"time_s", "dirty_bytes", "writeback_bytes", "limit_bytes"};
	static const char *const pauses[] = {"time_s", "pause_ns", "task_bytes_per_second"};
	static const char *const rates[] = {
		"time_s", "dirty_bytes_per_second", "balanced_bytes_per_second", "write_bytes_per_second"};
	static const char *const writes[] = {
		"time_s", "measured_ns", "kernel_ns", "predicted_dirty_bytes", "predicted_writeback_bytes"};
	struct plot_trace *trace = plot->state;
	const struct report_node *node = plot_iowrite_part(plot, loaded, "trace", "kernel_trace");
	const char *scenario = loaded_option(loaded, "scenario");
	int rc = node ? take_rows(node, "kernel_state", states, 4, &trace->states) : DIAG_EXIT_USAGE;

	if (!rc)
		rc = take_rows(node, "pause", pauses, 3, &trace->pauses);
	if (!rc)
		rc = take_rows(node, "ratelimit", rates, 4, &trace->rates);
	if (!rc)
		rc = take_rows(node, "write", writes, 5, &trace->writes);
	if (!rc && trace->states.count + trace->writes.count == 0)
		rc = diag_usage("%s: the trace has neither events nor writes", loaded->path);
	if (rc)
		return rc;
	take_thresholds(node, &trace->thresholds);
	snprintf(plot->title, sizeof(plot->title), "Writes as the kernel saw them%s%s%.100s",
		has_column(&trace->writes, TRACE_KERNEL) ? ", and as its model did" : "", scenario ? ": scenario " : "",
		scenario ? scenario : "");
	note_events(plot, node);
	return DIAG_EXIT_OK;
}

void plot_trace_free(struct plot *plot)
{
	struct plot_trace *trace = plot->state;

	free(trace->states.values);
	free(trace->pauses.values);
	free(trace->rates.values);
	free(trace->writes.values);
}

int plot_trace_extract(struct plot *plot)
{
	struct plot_trace *trace = plot->state;
	struct plot_extent x = PLOT_EXTENT_NONE, cache = PLOT_EXTENT_NONE, rate = PLOT_EXTENT_NONE, task = PLOT_EXTENT_NONE;
	struct plot_extent cost = PLOT_EXTENT_NONE, limit = PLOT_EXTENT_NONE;
	struct plot_rows *rates = &trace->rates;
	size_t beyond = 0;

	extend(&x, &trace->states, 0);
	extend(&x, &trace->writes, 0);
	extend(&x, &trace->pauses, 0);
	extend(&x, rates, 0);
	for (size_t i = 0; i < trace->states.count; i++)
		plot_extent_add(&cache, trace->states.values[i][1] + trace->states.values[i][2]);
	for (size_t i = 0; i < trace->writes.count; i++)
		plot_extent_add(&cache, trace->writes.values[i][TRACE_DIRTY] + trace->writes.values[i][TRACE_WRITEBACK]);
	plot_extent_add(&cache, trace->thresholds.limit * 1.05);
	for (size_t i = RATE_FIRST; i <= RATE_LAST; i++)
		extend(&rate, rates, i);
	extend(&task, &trace->pauses, PAUSE_TASK);
	/* A task may do many times as much while little is dirty: the rest is not bent by that. */
	plot_extent_add(&rate, rates->count ? fmin(task.high, 3 * rate.high) : task.high);
	for (size_t i = 0; i < trace->pauses.count; i++) {
		const double *pause = trace->pauses.values[i];

		beyond += pause[PAUSE_TASK] > rate.high;
		plot_extent_add(&cost, pause[PAUSE_NS] > 0 ? pause[PAUSE_NS] : NAN);
	}
	if (beyond)
		plot_note(plot, false, "%zu of %zu limits of the task are higher than the panel of rates shows.", beyond,
			trace->pauses.count);
	extend(&cost, &trace->writes, TRACE_MEASURED);
	extend(&cost, &trace->writes, TRACE_KERNEL);
	extend(&limit, &trace->states, 3);
	/* What the last row says holds until the end. */
	if (rates->count && rates->values[rates->count - 1][0] < x.high) {
		memcpy(rates->values[rates->count], rates->values[rates->count - 1], sizeof(*rates->values));
		rates->values[rates->count++][0] = x.high;
	}
	put_rows(plot, "states", "seconds, dirty, writeback, limit", &trace->states);
	put_rows(plot, "pauses", "seconds, pause ns, a task's bytes per second", &trace->pauses);
	put_rows(plot, "rates", "seconds, bytes per second: dirtying, balanced, write-back", rates);
	put_rows(plot, "writes", "seconds, measured ns, predicted; predicted dirty, being written", &trace->writes);
	plot_set_count(plot, "has_predicted", has_column(&trace->writes, TRACE_KERNEL));
	plot_set_count(plot, "has_predicted_cache", has_column(&trace->writes, TRACE_DIRTY));
	/* The kernel raises it at once and lowers it slowly: shown where it is no straight line. */
	plot_set_count(plot, "is_limit_moving", limit.high > limit.low * 1.001);
	put_thresholds(plot, &trace->thresholds);
	plot_set_extent(plot, "x", &x, NULL);
	plot_set_extent(plot, "cache", &cache, NULL);
	plot_set_extent(plot, "rate", &rate, NULL);
	plot_set_extent(plot, "cost", &cost, NULL);
	return DIAG_EXIT_OK;
}

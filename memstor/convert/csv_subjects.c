/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of iowrite-bench: a row a cell, or a model of a scenario; and what happened when, of each and of streams. */
#include "config.h"
#include "memstor/convert/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "memstor/convert/cell.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const cell_texts[] = {"method", "mode", "sync", "regime", "rw", "memory"};
static const char *const cell_values[] = {"size_bytes", "threads", "delay_ns", "operations", "bytes", "run_s",
	"operations_per_second", "bytes_per_second"};
static const char *const cell_ends[] = {"flush_ns", "close_ns", "cost_split.residual_percent"};
static const double percents[] = {50, 99, 99.9};

const char *const csv_cell_names[] = {"file", "uuid", "tool", "hostname", "wall_start", "status", "cell", "method", "mode",
	"sync", "regime", "rw", "memory", "size_bytes", "threads", "delay_ns", "operations", "bytes", "run_s",
	"operations_per_second", "bytes_per_second", "write_mean_ns", "write_p50_ns", "write_p99_ns", "write_p999_ns",
	"write_max_ns", "sync_mean_ns", "sync_p50_ns", "sync_p99_ns", "sync_p999_ns", "sync_max_ns", "flush_ns", "close_ns",
	"residual_percent", "failure", "outside_model"};
const size_t csv_cell_count = COUNT(csv_cell_names);

static const char *const scenario_texts[] = {"figure", "method", "mode", "regime", "memory"};
static const char *const scenario_values[] = {
	"delay_ns", "back_percent", "operations", "bytes", "measured_s", "floor_percent"};
static const char *const model_values[] = {"predicted_s", "per_write_error_percent", "mean_write_error_percent",
	"total_error_percent", "curve_gap_percent", "coverage_percent"};

const char *const csv_scenario_names[] = {"file", "uuid", "tool", "hostname", "wall_start", "status", "scenario",
	"repetition", "figure", "method", "mode", "regime", "memory", "delay_ns", "back_percent", "operations", "bytes",
	"measured_s", "floor_percent", "model", "predicted_s", "per_write_error_percent", "mean_write_error_percent",
	"total_error_percent", "curve_gap_percent", "coverage_percent"};
const size_t csv_scenario_count = COUNT(csv_scenario_names);

const char *const csv_subject_series_names[] = {"file", "uuid", "subject", "time_s", "seconds", "name", "value"};
const size_t csv_subject_series_count = COUNT(csv_subject_series_names);

static const char *attribute(const struct report_node *node, const char *name)
{
	const char *value = report_read_attribute(node, name);

	return value ? value : "";
}

static void begin_row(FILE *out, const struct loaded *loaded, const char *subject)
{
	convert_cell_add_text(out, loaded->path);
	convert_cell_add_text(out, loaded->uuid);
	convert_cell_add_text(out, loaded->tool);
	convert_cell_add_text(out, loaded->hostname);
	convert_cell_add_text(out, loaded->wall_start);
	convert_cell_add_text(out, loaded->status);
	convert_cell_add_text(out, subject);
}

void csv_add_histogram(FILE *out, const struct loaded *loaded, const char *type, const char *class)
{
	const struct loaded_histogram *histogram = loaded_histogram(loaded, type, class);

	convert_cell_add_number(out, histogram ? histogram->mean_ns : NAN);
	for (size_t i = 0; i < COUNT(percents); i++)
		convert_cell_add_number(out, histogram ? loaded_percentile(histogram, percents[i]) : NAN);
	convert_cell_add_number(out, histogram ? histogram->max_ns : NAN);
}

static void add_codes(FILE *out, const struct report_node *node)
{
	char codes[256] = "";
	size_t used = 0;

	for (node = report_read_find(node, "outside_model"); node && used < sizeof(codes); node = report_read_next(node))
		used += (size_t)snprintf(codes + used, sizeof(codes) - used, "%s%s", used ? " " : "", attribute(node, "code"));
	convert_cell_text(out, codes);
}

void csv_add_cells(FILE *out, const struct loaded *loaded)
{
	const struct report_node *node =
		report_read_find(report_read_root(loaded->document), "report/result/cells/cell");

	for (size_t i = 0; i < loaded->subject_count && node; i++, node = report_read_next(node)) {
		const struct loaded_subject *cell = &loaded->subjects[i];

		begin_row(out, loaded, cell->id);
		for (size_t j = 0; j < COUNT(cell_texts); j++)
			convert_cell_add_text(out, report_read_text(node, cell_texts[j]));
		for (size_t j = 0; j < COUNT(cell_values); j++)
			convert_cell_add_number(out, loaded_subject_value(cell, cell_values[j]));
		csv_add_histogram(out, loaded, "write", cell->id);
		csv_add_histogram(out, loaded, "sync", cell->id);
		for (size_t j = 0; j < COUNT(cell_ends); j++)
			convert_cell_add_number(out, loaded_subject_value(cell, cell_ends[j]));
		convert_cell_add_text(out, report_read_text(node, "failure"));
		add_codes(out, node);
		convert_cell_end(out);
	}
}

static void add_model(FILE *out, const struct loaded *loaded, const struct report_node *scenario,
	const struct report_node *model)
{
	begin_row(out, loaded, attribute(scenario, "id"));
	convert_cell_add_text(out, attribute(scenario, "repetition"));
	for (size_t i = 0; i < COUNT(scenario_texts); i++)
		convert_cell_add_text(out, report_read_text(scenario, scenario_texts[i]));
	for (size_t i = 0; i < COUNT(scenario_values); i++)
		convert_cell_add_text(out, report_read_text(scenario, scenario_values[i]));
	convert_cell_add_text(out, attribute(model, "name"));
	for (size_t i = 0; i < COUNT(model_values); i++) {
		convert_cell_text(out, report_read_text(model, model_values[i]));
		if (i + 1 < COUNT(model_values))
			convert_cell_next(out);
	}
	convert_cell_end(out);
}

void csv_add_scenarios(FILE *out, const struct loaded *loaded)
{
	const struct report_node *node =
		report_read_find(report_read_root(loaded->document), "report/result/evaluation/scenario");

	for (; node; node = report_read_next(node)) {
		const struct report_node *model = report_read_find(node, "model");

		for (; model; model = report_read_next(model))
			add_model(out, loaded, node, model);
	}
}

struct event { /* where a row of the series stands */
	FILE *out;
	const struct loaded *loaded;
	const char *subject, *time, *seconds;
};

static void add_event(const struct event *event, const char *name, const char *value)
{
	convert_cell_add_text(event->out, event->loaded->path);
	convert_cell_add_text(event->out, event->loaded->uuid);
	convert_cell_add_text(event->out, event->subject);
	convert_cell_add_text(event->out, event->time);
	convert_cell_add_text(event->out, event->seconds);
	convert_cell_add_text(event->out, name);
	convert_cell_text(event->out, value);
	convert_cell_end(event->out);
}

static void add_intervals(FILE *out, const struct loaded *loaded)
{
	char time[32], seconds[32], value[32], subject[128];

	for (size_t i = 0; i < loaded->interval_count; i++) {
		const struct loaded_interval *interval = &loaded->intervals[i];
		struct event event = {out, loaded, subject, time, seconds};

		snprintf(subject, sizeof(subject), "%.80s%s%.20s", interval->cell, interval->repetition[0] ? " repetition " : "",
			interval->repetition);

		convert_cell_format(interval->time_s, time, sizeof(time));
		convert_cell_format(interval->seconds, seconds, sizeof(seconds));
		for (size_t j = 0; j < interval->value_count; j++)
			add_event(&event, interval->values[j].name,
				convert_cell_format(interval->values[j].value, value, sizeof(value)));
		for (size_t j = 0; j < interval->counter_count; j++)
			add_event(&event, interval->counters[j].name,
				convert_cell_format(interval->counters[j].value, value, sizeof(value)));
	}
}

/* Elements whose attributes are what happened at their time_s: writes, states of the kernel, pauses. */
static void add_attributes(FILE *out, const struct loaded *loaded, const struct report_node *parent, const char *subject)
{
	static const char *const elements[] = {"write", "kernel_state", "pause", "ratelimit"};

	for (size_t i = 0; i < COUNT(elements); i++) {
		const struct report_node *node = report_read_find(parent, elements[i]);

		for (; node; node = report_read_next(node)) {
			struct event event = {out, loaded, subject, attribute(node, "time_s"), ""};
			char name[96];

			for (size_t j = 0; j < node->attribute_count; j++) {
				const char *const *pair = &node->attributes[2 * j];

				snprintf(name, sizeof(name), "%s.%.60s", elements[i], pair[0]);
				if (strcmp(pair[0], "time_s") != 0)
					add_event(&event, name, pair[1]);
			}
		}
	}
}

void csv_add_subject_series(FILE *out, const struct loaded *loaded)
{
	const struct report_node *result = report_read_find(report_read_root(loaded->document), "report/result");
	const struct report_node *trace = result ? report_read_find(result, "kernel_trace") : NULL;
	const struct report_node *node = result ? report_read_find(result, "evaluation/scenario") : NULL;
	char subject[128];

	add_intervals(out, loaded);
	for (; node; node = report_read_next(node)) {
		snprintf(subject, sizeof(subject), "%.80s repetition %.20s", attribute(node, "id"),
			attribute(node, "repetition"));
		add_attributes(out, loaded, node, subject);
	}
	if (trace)
		add_attributes(out, loaded, trace, "");
}

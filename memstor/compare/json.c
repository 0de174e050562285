/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memstor/compare/cells.h"

#define COMPARE_JSON_VERSION "1.0"

/* A document in the making: commas and indentation take care of themselves. */
struct json {
	FILE *out;
	unsigned depth;
	bool is_first;
};

static void write_string(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%c", *c);
		else if (*c < 0x20 || *c == 0x7f)
			fprintf(out, "\\u%04x", *c);
		else
			fputc(*c, out);
	}
	fputc('"', out);
}

/* name is NULL in an array. */
static void next(struct json *json, const char *name)
{
	if (json->depth)
		fprintf(json->out, "%s\n%*s", json->is_first ? "" : ",", (int)(2 * json->depth), "");
	json->is_first = false;
	if (name) {
		write_string(json->out, name);
		fputs(": ", json->out);
	}
}

static void begin(struct json *json, const char *name, char bracket)
{
	next(json, name);
	fputc(bracket, json->out);
	json->depth++;
	json->is_first = true;
}

static void end(struct json *json, char bracket)
{
	json->depth--;
	if (!json->is_first)
		fprintf(json->out, "\n%*s", (int)(2 * json->depth), "");
	fputc(bracket, json->out);
	json->is_first = false;
}

static void string(struct json *json, const char *name, const char *value)
{
	next(json, name);
	write_string(json->out, value);
}

/* The shortest that reads back to the same; null for what there is not, and for what has no bound. */
static void number(struct json *json, const char *name, double value)
{
	char text[32];

	next(json, name);
	if (!isfinite(value)) {
		fputs("null", json->out);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	fputs(text, json->out);
}

static void whole(struct json *json, const char *name, unsigned long long value)
{
	next(json, name);
	fprintf(json->out, "%llu", value);
}

static void truth(struct json *json, const char *name, bool value)
{
	next(json, name);
	fputs(value ? "true" : "false", json->out);
}

static void write_change(struct json *json, const struct compare_request *request, const struct compare_row *row)
{
	const struct metric *metric = compare_row_metric(request, row);
	const struct compare_change *change = &row->change;

	begin(json, NULL, '{');
	string(json, "metric", metric->name);
	string(json, "unit", metric->unit);
	string(json, "better", metric->better == METRIC_LOWER ? "lower" : "higher");
	whole(json, "base_runs", change->base_count);
	whole(json, "new_runs", change->new_count);
	number(json, "base", change->base);
	number(json, "new", change->new);
	number(json, "change", change->change);
	number(json, "low", change->low);
	number(json, "high", change->high);
	string(json, "basis", compare_basis_name(change->basis));
	number(json, "new_low", change->new_low);
	number(json, "new_high", change->new_high);
	number(json, "within_run_low", change->within_low);
	number(json, "within_run_high", change->within_high);
	number(json, "p_value", change->rank_p);
	number(json, "floor", expm1(change->floor.radius));
	number(json, "bucket", change->bucket);
	number(json, "margin", change->margin);
	string(json, "verdict", compare_verdict_name(change->verdict));
	truth(json, "holds", change->holds);
	end(json, '}');
}

static void write_shift(struct json *json, const struct compare_shift *shift)
{
	begin(json, NULL, '{');
	string(json, "histogram", shift->name);
	truth(json, "is_within_run", shift->is_within_run);
	whole(json, "base_runs", shift->base_runs);
	whole(json, "new_runs", shift->new_runs);
	whole(json, "base_samples", shift->base_samples);
	whole(json, "new_samples", shift->new_samples);
	begin(json, "shift", '[');
	for (size_t i = 0; i < COMPARE_QUANTILES; i++) {
		const struct compare_quantile *quantile = &shift->quantiles[i];

		begin(json, NULL, '{');
		number(json, "percent", quantile->percent);
		number(json, "base_ns", quantile->base_ns);
		number(json, "new_ns", quantile->new_ns);
		number(json, "change", quantile->change);
		number(json, "low", quantile->low);
		number(json, "high", quantile->high);
		end(json, '}');
	}
	end(json, ']');
	end(json, '}');
}

static void write_reports(struct json *json, const struct compare_set *set)
{
	static const char *const names[] = {"base_reports", "new_reports", "floor_reports"};

	for (size_t side = 0; side < COMPARE_SIDES; side++) {
		begin(json, names[side], '[');
		for (size_t i = 0; i < set->counts[side]; i++)
			string(json, NULL, set->runs[side][i]->path);
		end(json, ']');
	}
}

/* What the first run of the set was asked to do; what differs in the others is a note. */
static void write_options(struct json *json, const struct compare_set *set)
{
	const struct compare_run *run = set->runs[COMPARE_BASE][0];

	begin(json, "options", '[');
	for (size_t i = 0; i < run->options.count; i++) {
		if (!compare_is_condition(run->options.texts[i].name))
			continue;
		begin(json, NULL, '{');
		string(json, "name", run->options.texts[i].name);
		string(json, "value", run->options.texts[i].value);
		end(json, '}');
	}
	end(json, ']');
}

static void write_outcome(
	struct json *json, const struct compare_request *request, const struct compare_outcome *outcome)
{
	begin(json, NULL, '{');
	string(json, "title", outcome->set->title);
	string(json, "tool", outcome->set->tool);
	write_options(json, outcome->set);
	write_reports(json, outcome->set);
	begin(json, "metrics", '[');
	for (size_t i = 0; i < outcome->row_count; i++)
		write_change(json, request, &outcome->rows[i]);
	end(json, ']');
	begin(json, "quantiles", '[');
	for (size_t i = 0; i < outcome->shift_count; i++)
		write_shift(json, &outcome->shifts[i]);
	end(json, ']');
	begin(json, "gates", '[');
	for (size_t i = 0; i < request->gate_count; i++) {
		const struct compare_row *row = compare_gate_row(&request->gates[i], outcome);

		begin(json, NULL, '{');
		string(json, "gate", request->gates[i].text);
		string(json, "result", compare_gate_state_name(outcome->gates[i]));
		if (row) {
			bool is_change = request->gates[i].is_change;

			number(json, "value", is_change ? row->change.change : row->change.new);
			number(json, "low", is_change ? row->change.low : row->change.new_low);
			number(json, "high", is_change ? row->change.high : row->change.new_high);
		}
		end(json, '}');
	}
	end(json, ']');
	end(json, '}');
}

static void write_left_out(struct json *json, const struct compare_result *result)
{
	begin(json, "left_out", '[');
	for (size_t i = 0; i < result->runs.left_out_count; i++) {
		begin(json, NULL, '{');
		string(json, "report", result->runs.left_out[i].path);
		string(json, "why", result->runs.left_out[i].why);
		end(json, '}');
	}
	end(json, ']');
	begin(json, "unpaired", '[');
	for (size_t i = 0; i < result->sets.count; i++) {
		const struct compare_set *set = &result->sets.sets[i];

		if (set->is_paired)
			continue;
		begin(json, NULL, '{');
		string(json, "title", set->title);
		string(json, "tool", set->tool);
		write_reports(json, set);
		end(json, '}');
	}
	end(json, ']');
}

static void write_rule(struct json *json, const struct compare_rule *rule)
{
	number(json, "confidence", rule->level);
	number(json, "margin", rule->margin);
	string(json, "method", rule->method == COMPARE_BY_RANKS ? "ranks" : "bootstrap");
	whole(json, "seed", rule->seed);
}

static void write_note(void *context, const char *note)
{
	string(context, NULL, note);
}

void compare_print_json(FILE *out, const struct compare_request *request, const struct compare_result *result)
{
	struct json json = {out, 0, true};

	begin(&json, NULL, '{');
	string(&json, "comparison", COMPARE_JSON_VERSION);
	string(&json, "program", "memstor " PACKAGE_VERSION);
	write_rule(&json, &request->rule);
	string(&json, "overall", compare_verdict_name(result->overall));
	whole(&json, "exit_status", (unsigned long long)result->exit_code);
	whole(&json, "lost_sets", result->lost_sets);
	begin(&json, "sets", '[');
	for (size_t i = 0; i < result->outcome_count; i++)
		write_outcome(&json, request, &result->outcomes[i]);
	end(&json, ']');
	write_left_out(&json, result);
	begin(&json, "notes", '[');
	compare_each_note(request, result, write_note, &json);
	end(&json, ']');
	end(&json, '}');
	fputc('\n', out);
}

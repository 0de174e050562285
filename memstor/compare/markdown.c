/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GitHub's tables, and comma-separated values. */
#include "config.h"
#include "memstor/compare/print.h"

#include <math.h>
#include <string.h>

#include "common/units.h"
#include "memstor/compare/cells.h"

/* A bar would end the cell, '<' begin a tag. */
static void print_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("|\\`*_<[]", *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void print_cells(FILE *out, const struct compare_cells *cells)
{
	fputc('|', out);
	for (size_t i = 0; i < CELLS; i++) {
		fputc(' ', out);
		print_escaped(out, cells->text[i]);
		fputs(" |", out);
	}
	fputc('\n', out);
}

static void print_shift(FILE *out, const struct compare_shift *shift)
{
	char base[UNITS_TEXT + 1], new[UNITS_TEXT + 1], change[32], band[80];

	fprintf(out,
		"\n%s, shift of quantiles%s:\n\n| quantile | base | new | shift | band "
		"|\n|---:|---:|---:|---:|---:|\n",
		shift->name,
		shift->is_within_run ? " within the run, which says nothing about the next" : "");
	for (size_t i = 0; i < COMPARE_QUANTILES; i++) {
		const struct compare_quantile *quantile = &shift->quantiles[i];

		fprintf(out, "| %g %% | %s | %s | %s | %s |\n", quantile->percent,
			compare_format_quantile(quantile->base_ns, quantile->base_below_ns, base, sizeof(base)),
			compare_format_quantile(quantile->new_ns, quantile->new_below_ns, new, sizeof(new)),
			compare_format_change(quantile->change, change, sizeof(change)),
			compare_format_interval(quantile->low, quantile->high, band, sizeof(band)));
	}
}

static void print_outcome(FILE *out, const struct compare_request *request, const struct compare_outcome *outcome)
{
	struct compare_cells cells;
	const char *gap = "\n";

	fputs("### ", out);
	if (outcome->set->title[0]) {
		print_escaped(out, outcome->set->title);
		fputs(": ", out);
	}
	fprintf(out, "%s, %zu against %zu runs\n\n", outcome->set->tool, outcome->set->counts[COMPARE_BASE],
		outcome->set->counts[COMPARE_NEW]);
	compare_title_cells(&request->rule, &cells);
	print_cells(out, &cells);
	fputs("|---|---:|---:|---:|---:|---:|---|\n", out);
	for (size_t i = 0; i < outcome->row_count; i++) {
		compare_make_cells(request, &outcome->rows[i], &cells);
		print_cells(out, &cells);
	}
	for (size_t i = 0; i < outcome->shift_count; i++)
		print_shift(out, &outcome->shifts[i]);
	for (size_t i = 0; i < request->gate_count; i++) {
		const struct compare_gate *gate = &request->gates[i];
		const struct compare_row *row = compare_gate_row(gate, outcome);
		char text[3 * METRIC_NAME];

		if (gate->ways[0].set_length && !row)
			continue;
		fprintf(out, "%s- gate ", gap);
		print_escaped(out, gate->text);
		fprintf(out, ": **%s**", compare_gate_state_name(outcome->gates[i]));
		if (row)
			fprintf(out, ": %s", compare_format_gate(request, gate, row, text, sizeof(text)));
		fputc('\n', out);
		gap = "";
	}
	fputc('\n', out);
}

static void print_note(void *context, const char *note)
{
	FILE *out = context;

	fputs("- ", out);
	print_escaped(out, note);
	fputc('\n', out);
}

void compare_print_markdown(FILE *out, const struct compare_request *request, const struct compare_result *result)
{
	for (size_t i = 0; i < result->outcome_count; i++)
		print_outcome(out, request, &result->outcomes[i]);
	fputs("**Overall:** ", out);
	compare_print_overall(out, request, result);
	fputs("\n\n", out);
	if (request->gate_count) {
		fputs("**Gates:** ", out);
		compare_print_gates(out, request, result);
		fputs("\n\n", out);
	}
	compare_each_note(request, result, print_note, out);
}

static void print_quoted(FILE *out, const char *text)
{
	/* A table program takes what begins like a formula for one. */
	bool is_quoted = strpbrk(text, ",\"\r\n") != NULL;

	if (is_quoted)
		fputc('"', out);
	if (text[0] && strchr("=+-@", text[0]))
		fputc('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	if (is_quoted)
		fputc('"', out);
}

/* Empty when there is none; 17 digits give the same number back. */
static void print_number(FILE *out, double value)
{
	fputc(',', out);
	if (isinf(value))
		fputs(value < 0 ? "-inf" : "inf", out);
	else if (!isnan(value))
		fprintf(out, "%.17g", value);
}

static void print_line(FILE *out, const struct compare_request *request, const struct compare_set *set,
	const struct compare_row *row)
{
	const struct metric *metric = compare_row_metric(request, row);
	const struct compare_change *change = &row->change;

	print_quoted(out, set->title);
	fputc(',', out);
	print_quoted(out, set->tool);
	fprintf(out, ",%s,%s,%s,%zu,%zu", metric->name, metric->unit,
		metric->better == METRIC_LOWER ? "lower" : "higher", change->base_count, change->new_count);
	print_number(out, change->base);
	print_number(out, change->new);
	print_number(out, 100 * change->change);
	print_number(out, 100 * change->low);
	print_number(out, 100 * change->high);
	fprintf(out, ",%s", compare_basis_name(change->basis));
	print_number(out, change->rank_p);
	print_number(out, 100 * expm1(change->floor.radius));
	print_number(out, 100 * change->margin);
	fprintf(out, ",%s,%s\n", compare_verdict_name(change->verdict), change->holds ? "true" : "false");
}

void compare_print_csv(FILE *out, const struct compare_request *request, const struct compare_result *result)
{
	fputs("set,tool,metric,unit,better,base_runs,new_runs,base,new,change_percent,low_percent,high_"
	      "percent,basis,p_value,"
	      "floor_percent,margin_percent,verdict,holds\n",
		out);
	for (size_t i = 0; i < result->outcome_count; i++) {
		for (size_t k = 0; k < result->outcomes[i].row_count; k++)
			print_line(out, request, result->outcomes[i].set, &result->outcomes[i].rows[k]);
	}
}

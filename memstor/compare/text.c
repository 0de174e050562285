/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/print.h"

#include <string.h>

#include "common/diag.h"
#include "common/units.h"
#include "memstor/compare/cells.h"

struct widths {
	size_t cell[CELLS];
};

static const char *colour_of(enum compare_verdict verdict)
{
	static const char *const colours[] = {"\033[33m", "", "\033[32m", "\033[31m"};

	return colours[verdict];
}

static void print_coloured(FILE *out, const char *colour, const char *text)
{
	diag_colour(out, colour);
	fputs(text, out);
	diag_colour(out, colour[0] ? "\033[0m" : "");
}

static void measure(const struct compare_cells *cells, struct widths *widths)
{
	for (size_t i = 0; i < CELLS; i++) {
		size_t length = strlen(cells->text[i]);

		widths->cell[i] = length > widths->cell[i] ? length : widths->cell[i];
	}
}

/* One width for all sets, so that the eye can run down. */
static struct widths widths_of(const struct compare_request *request, const struct compare_result *result)
{
	struct widths widths = {{0}};
	struct compare_cells cells;

	compare_title_cells(&request->rule, &cells);
	measure(&cells, &widths);
	for (size_t i = 0; i < result->outcome_count; i++) {
		for (size_t k = 0; k < result->outcomes[i].row_count; k++) {
			compare_make_cells(request, &result->outcomes[i].rows[k], &cells);
			measure(&cells, &widths);
		}
	}
	return widths;
}

/* The metric and the verdict to the left, numbers to the right. */
static void print_cells(
	FILE *out, const struct compare_cells *cells, const struct widths *widths, const char *colour)
{
	for (size_t i = 0; i < CELLS; i++) {
		if (i == CELL_METRIC)
			fprintf(out, "  %-*s", (int)widths->cell[i], cells->text[i]);
		else if (i != CELL_VERDICT)
			fprintf(out, "  %*s", (int)widths->cell[i], cells->text[i]);
	}
	fputs("  ", out);
	print_coloured(out, colour, cells->text[CELL_VERDICT]);
	fputc('\n', out);
}

static void print_shift(FILE *out, const struct compare_rule *rule, const struct compare_shift *shift)
{
	char base[UNITS_TEXT + 1], new[UNITS_TEXT + 1], change[32], band[80];

	fprintf(out, "\n  %s: %llu samples of %zu run%s against %llu of %zu; %g %% band of all quantiles%s\n",
		shift->name, (unsigned long long)shift->base_samples, shift->base_runs,
		shift->base_runs == 1 ? "" : "s", (unsigned long long)shift->new_samples, shift->new_runs,
		100 * rule->level,
		shift->is_within_run ? " WITHIN THE RUN: it says nothing about the next run" : "");
	fprintf(out, "  %8s  %10s  %10s  %10s  %s\n", "quantile", "base", "new", "shift", "band");
	for (size_t i = 0; i < COMPARE_QUANTILES; i++) {
		const struct compare_quantile *quantile = &shift->quantiles[i];

		fprintf(out, "  %6g %%  %10s  %10s  %10s  %s\n", quantile->percent,
			compare_format_quantile(quantile->base_ns, quantile->base_below_ns, base, sizeof(base)),
			compare_format_quantile(quantile->new_ns, quantile->new_below_ns, new, sizeof(new)),
			compare_format_change(quantile->change, change, sizeof(change)),
			compare_format_interval(quantile->low, quantile->high, band, sizeof(band)));
	}
}

static void print_gates(FILE *out, const struct compare_request *request, const struct compare_outcome *outcome,
	bool is_coloured)
{
	static const enum compare_verdict colours[] = {COMPARE_FASTER, COMPARE_SLOWER, COMPARE_INCONCLUSIVE,
		COMPARE_NO_DIFFERENCE};

	const char *gap = "\n";

	for (size_t i = 0; i < request->gate_count; i++) {
		const struct compare_gate *gate = &request->gates[i];
		const struct compare_row *row = compare_gate_row(gate, outcome);
		const char *colour = is_coloured ? colour_of(colours[outcome->gates[i]]) : "";
		char text[3 * METRIC_NAME];

		if (gate->ways[0].set_length && !row)
			continue;
		fprintf(out, "%s  gate %s: ", gap, gate->text);
		print_coloured(out, colour, compare_gate_state_name(outcome->gates[i]));
		if (row)
			fprintf(out, ": %s", compare_format_gate(request, gate, row, text, sizeof(text)));
		fputc('\n', out);
		gap = "";
	}
}

static void print_outcome(FILE *out, const struct compare_request *request, const struct compare_outcome *outcome,
	const struct widths *widths, bool is_coloured)
{
	struct compare_cells cells;

	compare_print_heading(out, outcome->set);
	fputs("\n\n", out);
	compare_title_cells(&request->rule, &cells);
	print_cells(out, &cells, widths, "");
	for (size_t i = 0; i < outcome->row_count; i++) {
		compare_make_cells(request, &outcome->rows[i], &cells);
		print_cells(out, &cells, widths, is_coloured ? colour_of(outcome->rows[i].change.verdict) : "");
	}
	for (size_t i = 0; i < outcome->shift_count; i++)
		print_shift(out, &request->rule, &outcome->shifts[i]);
	print_gates(out, request, outcome, is_coloured);
	fputc('\n', out);
}

static void print_note(void *context, const char *note)
{
	FILE *out = context;

	fprintf(out, "note: %s\n", note);
}

void compare_print_text(FILE *out, const struct compare_request *request, const struct compare_result *result,
	bool is_coloured)
{
	struct widths widths = widths_of(request, result);

	for (size_t i = 0; i < result->outcome_count; i++)
		print_outcome(out, request, &result->outcomes[i], &widths, is_coloured);
	fputs("overall: ", out);
	diag_colour(out, is_coloured ? colour_of(result->overall) : "");
	compare_print_overall(out, request, result);
	diag_colour(out, is_coloured ? "\033[0m" : "");
	fputc('\n', out);
	if (request->gate_count) {
		fputs("gates: ", out);
		compare_print_gates(out, request, result);
		fputc('\n', out);
	}
	compare_each_note(request, result, print_note, out);
}

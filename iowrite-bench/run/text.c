/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/units.h"
#include "common/cli/grid.h"

#define PARTS 6 /* of an id */
#define RANKED_MAX 16 /* more than a preset has ways */

/* --- the parts of ids that differ: rows are named by them alone --- */

/* Returns the part of an id that begins at *at, and its length; moves *at to the next one. */
static const char *take_part(const char **at, size_t *length)
{
	const char *part = *at;

	*length = strcspn(part, ".");
	*at = part + *length + (part[*length] == '.');
	return part;
}

/* other replaces each part that is not wanted; NULL leaves it out. */
static void join(const char *id, const bool *wanted, const char *other, char *text, size_t length)
{
	size_t used = 0, size;

	text[0] = '\0';
	for (int i = 0; i < PARTS; i++) {
		const char *part = take_part(&id, &size);

		if (wanted[i])
			used += (size_t)snprintf(text + used, length - used, "%s%.*s", used ? "." : "", (int)size, part);
		else if (other)
			used += (size_t)snprintf(text + used, length - used, "%s%s", used ? "." : "", other);
	}
}

static void find_differing_parts(const struct iow_run_plan *plan, bool differs[PARTS])
{
	memset(differs, 0, PARTS * sizeof(*differs));
	for (size_t k = 1; k < plan->cell_count; k++) {
		const char *first = plan->cells[0].id, *other = plan->cells[k].id;

		for (int i = 0; i < PARTS; i++) {
			size_t length, other_length;
			const char *part = take_part(&first, &length), *other_part = take_part(&other, &other_length);

			differs[i] |= length != other_length || strncmp(part, other_part, length);
		}
	}
	/* One row is named by its size. */
	differs[PARTS - 1] |= plan->cell_count == 1;
}

static const char *duration(double ns, char *cell)
{
	return units_format(ns, "ns", cell, UNITS_TEXT);
}

/* --- the table --- */

static void print_heading(FILE *out, const struct iow_run_result *result, const bool differs[PARTS])
{
	const struct iow_run_plan *plan = result->plan;
	bool same[PARTS];
	char text[128];

	for (int i = 0; i < PARTS; i++)
		same[i] = plan->cell_count == 1 || !differs[i];
	join(plan->cells[0].id, same, "*", text, sizeof(text));
	fprintf(out, "%s on %s%s%s, %u round%s, %u thread%s", result->frame->target.path,
		result->frame->target.file_system, result->frame->storage.device[0] ? " of " : "",
		result->frame->storage.device, plan->rounds, plan->rounds == 1 ? "" : "s", plan->options->threads,
		plan->options->threads == 1 ? "" : "s");
	if (plan->options->files > 1)
		fprintf(out, ", %u files%s", plan->options->files, plan->options->threads == 1 ? "" : " each");
	fputc('\n', out);
	if (plan->options->preset)
		fprintf(out, "%s\n", plan->options->preset->meaning);
	fprintf(out, "%s\n", text);
}

static void add_latency(struct grid *grid, const struct latency *latency)
{
	struct histogram_summary summary = {.mean_ns = NAN, .p50_ns = NAN, .p99_ns = NAN, .p999_ns = NAN, .max_ns = NAN};

	if (latency)
		latency_summarize(latency, &summary);
	GRID_VALUES(grid, summary.mean_ns, summary.p50_ns, summary.p99_ns, summary.p999_ns, summary.max_ns);
}

/* Prints a row for the writes of each cell, and one for its syncs. */
static void print_cells(FILE *out, const struct iow_run_result *result, const bool differs[PARTS])
{
	static const struct grid_column columns[] = {{"", NULL}, {"of", NULL}, {"writes/s", ""}, {"MB/s", ""}, {"mean", "ns"},
		{"p50", "ns"}, {"p99", "ns"}, {"p99.9", "ns"}, {"max", "ns"}, {"", NULL}, {NULL, NULL}};
	struct grid grid = {.columns = columns};
	bool has_syncs = false;

	for (size_t i = 0; i < result->cell_count; i++)
		has_syncs |= result->cells[i].tally.of[TALLY_SYNC] != NULL;
	for (size_t i = 0; i < result->cell_count; i++) {
		const struct run_measured *measured = &result->cells[i];
		const struct tally *tally = &measured->tally;
		const struct latency *sync = tally->operations ? tally->of[TALLY_SYNC] : NULL;
		char label[128];

		join(measured->cell->id, differs, NULL, label, sizeof(label));
		grid_text(&grid, "%s", label);
		grid_text(&grid, "%s", has_syncs ? "write" : "");
		GRID_VALUES(&grid, iow_run_result_rate(measured, tally->operations),
			iow_run_result_rate(measured, tally->bytes) / 1e6);
		add_latency(&grid, tally->operations ? tally->of[TALLY_WRITE] : NULL);
		grid_text(&grid, "%s", measured->failure[0] ? "!" : "");
		if (!sync)
			continue;
		grid_text(&grid, "%s", "");
		grid_text(&grid, "sync");
		GRID_VALUES(&grid, NAN, NAN);
		add_latency(&grid, sync);
		grid_end_row(&grid);
	}
	fputc('\n', out);
	grid_print(&grid, out);
}

/* --- findings --- */

/* Prints why the models are not valid, once for all cells and only if a model is used, and what disturbed each cell. */
static void print_validity(FILE *out, const struct iow_run_result *result)
{
	const struct iow_run_options *options = result->plan->options;

	for (size_t i = 0; i < result->cell_count; i++) {
		const struct run_measured *measured = &result->cells[i];

		for (size_t k = 0; k < measured->validity.count; k++) {
			const struct validity_reason *reason = &measured->validity.reasons[k];
			bool is_new = options->system_path || options->memory == MODEL_COLD;

			for (size_t before = 0; before < i && is_new; before++)
				is_new = !validity_has(&result->cells[before].validity, reason);
			if (reason->is_measured)
				fprintf(out, "disturbed: %s: %s: %s\n", measured->cell->id, reason->code, reason->text);
			else if (is_new)
				fprintf(out, "model not valid: %s: %s\n", reason->code, reason->text);
		}
	}
}

static void print_verdict(FILE *out, const struct iow_run_result *result)
{
	const struct frame *frame = result->frame;

	fprintf(out, "verdict: %s%s\n", frame_status(frame), result->missed ? ", and an objective was missed" : "");
	for (size_t i = 0; i < frame->reason_count; i++) {
		/* Failures were printed to stderr when they occurred. */
		if (strcmp(frame->reasons[i].code, "failed-cells"))
			fprintf(out, "WARNING: %s: %s\n", frame->reasons[i].code, frame->reasons[i].text);
	}
	for (size_t i = 0; i < frame->check_count; i++)
		fprintf(out, "NOTE: %s%s%s%s: %s\n", frame->checks[i].code, frame->checks[i].value[0] ? " (" : "",
			frame->checks[i].value, frame->checks[i].value[0] ? ")" : "", frame->checks[i].advice);
}

static void print_findings(FILE *out, const struct iow_run_result *result)
{
	const struct iow_run_plan *plan = result->plan;
	char text[UNITS_TEXT], closing[UNITS_TEXT];
	bool has_failures = false;

	for (size_t i = 0; i < result->cell_count; i++)
		has_failures |= result->cells[i].failure[0] != '\0';
	fprintf(out, "\n%s", has_failures ? "! ended early: the error is on stderr and in the report\n" : "");
	for (size_t i = 0; i < result->cell_count; i++) {
		const struct run_measured *measured = &result->cells[i];
		const struct iow_cost_split_values *split = &measured->split;
		const struct durability_check *check = &measured->durability;
		const char *id = measured->cell->id;

		for (size_t k = 0; k < measured->objective_count; k++) {
			const struct objective_values *objective = &measured->objectives[k];

			fprintf(out, "%s: %s is %s: %s%s%s\n", id, objective->text,
				slo_word(objective), duration(objective->reached_ns, text), objective->undecided ? "; " : "",
				objective->undecided ? objective->undecided : "");
		}
		if (measured->cell->method->flush && measured->rounds)
			fprintf(out, "%s: flushed in %s and closed in %s at the end of a round\n", id,
				duration((double)measured->flush_ns, text), duration((double)measured->close_ns, closing));
		if (measured->tally.short_writes)
			fprintf(out, "%s: %" PRIu64 " writes needed more than one call\n", id,
				measured->tally.short_writes);
		/* The verdict names a durability that is not confirmed. */
		if (check->status != DURABILITY_UNASKED && check->status < DURABILITY_NOT_CONFIRMED)
			fprintf(out, "durability check: %s: %s: %s\n", id, durability_status_name(check->status), check->why);
		if (measured->has_split)
			fprintf(out, "%s: by the model %s the call is %.1f %%, copying %.1f %%, throttling %.1f %%, the device "
				"%.1f %%, unexplained %.1f %%\n", id, split->predicted_by, split->syscall_percent,
				split->copy_percent, split->throttle_percent, split->device_percent, split->residual_percent);
		if (measured->is_memory_hidden)
			fprintf(out, "%s: no cost split: it is unknown how much of the memory was cold; "
				"use --mem=warm or --mem=cold\n", id);
	}
	for (size_t i = 0; i < plan->cell_count; i++) {
		if (plan->cells[i].skipped[0])
			fprintf(out, "not measured: %s: %s\n", plan->cells[i].id, plan->cells[i].skipped);
	}
	print_validity(out, result);
	print_verdict(out, result);
}

/* --- ranking of a preset's ways --- */

struct ranked_measured {
	const struct run_measured *measured;
	double low, middle, high; /* commits a second, over the rounds */
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked_measured *x = a, *y = b;

	return (x->middle < y->middle) - (x->middle > y->middle);
}

static int compare_rates(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool is_of_group(const struct run_cell *a, const struct run_cell *b)
{
	return a->sync_every == b->sync_every && a->size.low == b->size.low && a->size.high == b->size.high &&
	       a->regime == b->regime && a->order == b->order && !strcmp(a->method_name, b->method_name);
}

static void print_group(FILE *out, const struct iow_run_result *result, size_t first)
{
	static const struct grid_column columns[] = {
		{"", NULL}, {"", NULL}, {"commits/s", ""}, {"lowest", ""}, {"highest", ""}, {"", NULL}, {NULL, NULL}};
	const struct preset *preset = result->plan->options->preset;
	const struct run_cell *cell = result->cells[first].cell;
	char low[UNITS_TEXT], high[UNITS_TEXT];
	struct ranked_measured list[RANKED_MAX] = {{NULL, 0, 0, 0}};
	struct grid grid = {.columns = columns, .indent = 2};
	size_t count = 0;

	for (size_t i = first; i < result->cell_count && count < RANKED_MAX; i++) {
		const struct run_measured *measured = &result->cells[i];
		const unsigned rounds = measured->rounds;
		double *rates = measured->round_rates, writes = measured->cell->sync_every;

		if (!is_of_group(cell, measured->cell) || !rounds)
			continue;
		qsort(rates, rounds, sizeof(*rates), compare_rates);
		list[count++] = (struct ranked_measured){measured, rates[0] / writes,
			(rates[(rounds - 1) / 2] + rates[rounds / 2]) / 2 / writes, rates[rounds - 1] / writes};
	}
	qsort(list, count, sizeof(*list), compare_ranked);
	units_format_size(cell->size.low, low, sizeof(low));
	units_format_size(cell->size.high, high, sizeof(high));
	fprintf(out, "\n%s by median commits/s, %u write%s of %s%s%s a commit, %u round%s\n", preset->ranked,
		cell->sync_every, cell->sync_every == 1 ? "" : "s", low, cell->size.low == cell->size.high ? "" : " to ",
		cell->size.low == cell->size.high ? "" : high, result->plan->rounds, result->plan->rounds == 1 ? "" : "s");
	for (size_t i = 0; i < count; i++) {
		grid_text(&grid, "%zu", i + 1);
		grid_text(&grid, "%s", list[i].measured->cell->way->name);
		GRID_VALUES(&grid, list[i].middle, list[i].low, list[i].high);
		grid_text(&grid, "%s", i && list[i].high >= list[i - 1].low ? "overlaps the one above: no difference shown" : "");
	}
	for (const struct preset_way *way = preset->ways; way->name; way++) {
		bool is_listed = false;

		for (size_t i = 0; i < count; i++)
			is_listed |= list[i].measured->cell->way == way;
		if (is_listed)
			continue;
		grid_text(&grid, "-");
		grid_text(&grid, "%s", way->name);
		GRID_VALUES(&grid, NAN, NAN, NAN);
		grid_text(&grid, "%s", way->mode ? "not measured" : "not available on Linux");
	}
	grid_print(&grid, out);
}

static void print_ranking(FILE *out, const struct iow_run_result *result)
{
	const struct preset *preset = result->plan->options->preset;

	for (size_t i = 0; preset && preset->ways && i < result->cell_count; i++) {
		bool is_first = true;

		for (size_t k = 0; k < i; k++)
			is_first &= !is_of_group(result->cells[k].cell, result->cells[i].cell);
		if (is_first)
			print_group(out, result, i);
	}
}

void iow_run_text(FILE *out, const struct iow_run_result *result)
{
	bool differs[PARTS];

	find_differing_parts(result->plan, differs);
	print_heading(out, result, differs);
	print_cells(out, result, differs);
	print_findings(out, result);
	print_ranking(out, result);
}

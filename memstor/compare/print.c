/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/compare.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/table.h"
#include "common/units.h"

#define COMPARE_JSON_VERSION "1.0"
#define DIFFERENCES_MAX 20

/* --- numbers as people read them ------------------------------------------------------------------------ */

/* "17.3 us", "1.23 M/s"; "<256 ns" where only the end of an open first bucket is known (below is not 0); "-" for NAN. */
static char *format_value(const char *unit, double value, double below, char *buffer, size_t length)
{
	bool is_below = below > 0;

	buffer[0] = '<';
	units_format(is_below ? below : value, unit, buffer + is_below, length - is_below);
	return buffer;
}

/* "+2.4 %", "-31 %", "+inf %"; "-" for NAN. */
static char *format_change(double fraction, char *buffer, size_t length)
{
	double percent = 100 * fraction, size = fabs(percent);

	if (isnan(fraction))
		snprintf(buffer, length, "-");
	else if (isinf(fraction))
		snprintf(buffer, length, "%cinf %%", fraction < 0 ? '-' : '+');
	else
		/* No "-0.00 %". */
		snprintf(buffer, length, "%+.*f %%", size < 9.995 ? 2 : size < 99.95 ? 1 : 0, size < 0.005 ? 0 : percent);
	return buffer;
}

/* "-1.2 .. +3.4 %". */
static char *format_interval(double low, double high, char *buffer, size_t length)
{
	char from[32], to[32];

	if (isnan(low)) {
		snprintf(buffer, length, "-");
		return buffer;
	}
	format_change(low, from, sizeof(from));
	format_change(high, to, sizeof(to));
	from[strlen(from) - 2] = '\0';
	snprintf(buffer, length, "%s .. %s", from, to);
	return buffer;
}

/* Without the A/A floor the change would not be inconclusive. */
static bool is_noisy(const struct compare_change *change)
{
	return change->verdict == COMPARE_INCONCLUSIVE && expm1(change->floor.radius) > change->margin;
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static const char *colour_of(enum compare_verdict verdict, bool is_coloured)
{
	static const char *const colours[] = {"\033[33m", "", "\033[32m", "\033[31m"};

	return is_coloured ? colours[verdict] : "";
}

/* --- the metrics ---------------------------------------------------------------------------------------- */

static void show_base(const void *data, char *text, size_t length)
{
	const struct compare_row *row = data;

	format_value(row->unit, row->change.base, row->change.base_below, text, length);
}

static void show_new(const void *data, char *text, size_t length)
{
	const struct compare_row *row = data;

	format_value(row->unit, row->change.new, row->change.new_below, text, length);
}

static void show_change(const void *data, char *text, size_t length)
{
	format_change(((const struct compare_row *)data)->change.change, text, length);
}

static void show_interval(const void *data, char *text, size_t length)
{
	const struct compare_change *change = &((const struct compare_row *)data)->change;
	char within[80];

	if (change->basis == COMPARE_NO_BASIS && !isnan(change->within_low))
		snprintf(text, length, "[%s]",
			format_interval(change->within_low, change->within_high, within, sizeof(within)));
	else
		format_interval(change->low, change->high, text, length);
}

/* Two digits that count, and no "0.000". */
static void show_p(const void *data, char *text, size_t length)
{
	double p = ((const struct compare_row *)data)->change.rank_p;

	if (isnan(p))
		snprintf(text, length, "-");
	else if (p < 0.0001)
		snprintf(text, length, "<0.0001");
	else
		snprintf(text, length, "%.*f", p < 0.001 ? 5 : p < 0.01 ? 4 : p < 0.1 ? 3 : 2, p);
}

static void show_verdict(const void *data, char *text, size_t length)
{
	const struct compare_change *change = &((const struct compare_row *)data)->change;
	const char *name = compare_verdict_names[change->verdict];
	char radius[32];

	if (compare_is_difference(change) && !change->holds)
		snprintf(text, length, "%s, may be chance", name);
	else if (change->basis == COMPARE_NO_BASIS)
		snprintf(text, length, "%s: too few runs", name);
	else if (change->basis == COMPARE_IDENTICAL)
		snprintf(text, length, "%s: identical", name);
	else if (!compare_is_difference(change) && !isnan(change->bucket))
		snprintf(text, length, "%s: one bucket", name);
	else if (change->verdict == COMPARE_NO_DIFFERENCE ? !isnan(change->floor.radius) : is_noisy(change))
		snprintf(text, length, "%s: floor %s", name,
			format_change(expm1(change->floor.radius), radius, sizeof(radius)) + 1);
	else
		snprintf(text, length, "%s", name);
}

#define BOTH (TABLE_JSON | TABLE_CSV)
#define VALUE (TABLE_JSON | TABLE_CSV | TABLE_RIGHT)
enum { INTERVAL = 12 };
#define AT(member) .offset = offsetof(struct compare_row, member)
static const struct table_column columns[] = {
	{"set", TABLE_STRING, TABLE_CSV, AT(set)},
	{"tool", TABLE_STRING, TABLE_CSV, AT(tool)},
	{"metric", TABLE_STRING, BOTH | TABLE_SHOWN, AT(metric)},
	{"unit", TABLE_STRING, BOTH, AT(unit)},
	{"better", TABLE_STRING, BOTH, AT(better)},
	{"base_runs", TABLE_WHOLE, VALUE, AT(base_runs)},
	{"new_runs", TABLE_WHOLE, VALUE, AT(new_runs)},
	{"base", TABLE_NUMBER, VALUE | TABLE_SHOWN, AT(change.base), .show = show_base},
	{"new", TABLE_NUMBER, VALUE | TABLE_SHOWN, AT(change.new), .show = show_new},
	{"change", TABLE_NUMBER, VALUE | TABLE_SHOWN | TABLE_PERCENT, AT(change.change), .show = show_change},
	{"low", TABLE_NUMBER, VALUE | TABLE_PERCENT, AT(change.low)},
	{"high", TABLE_NUMBER, VALUE | TABLE_PERCENT, AT(change.high)},
	[INTERVAL] = {"interval", TABLE_STRING, TABLE_RIGHT | TABLE_SHOWN, .show = show_interval},
	{"basis", TABLE_STRING, BOTH, AT(basis)},
	{"new_low", TABLE_NUMBER, TABLE_JSON | TABLE_RIGHT, AT(change.new_low)},
	{"new_high", TABLE_NUMBER, TABLE_JSON | TABLE_RIGHT, AT(change.new_high)},
	{"within_run_low", TABLE_NUMBER, TABLE_JSON | TABLE_RIGHT, AT(change.within_low)},
	{"within_run_high", TABLE_NUMBER, TABLE_JSON | TABLE_RIGHT, AT(change.within_high)},
	{"p_value", TABLE_NUMBER, VALUE | TABLE_SHOWN, AT(change.rank_p), .show = show_p, .heading = "p"},
	{"floor", TABLE_NUMBER, VALUE | TABLE_PERCENT, AT(floor)},
	{"bucket", TABLE_NUMBER, TABLE_JSON | TABLE_RIGHT, AT(change.bucket)},
	{"margin", TABLE_NUMBER, VALUE | TABLE_PERCENT, AT(change.margin)},
	{"verdict", TABLE_STRING, BOTH | TABLE_SHOWN, AT(verdict), .show = show_verdict},
	{"holds", TABLE_TRUTH, BOTH, AT(change.holds)},
	{0},
};
#undef AT
#define VERDICT (sizeof(columns) / sizeof(columns[0]) - 3)

/* All metrics of all sets, so that each column has one width; to be freed. heading: room for one. */
static int make_table(const struct compare_request *request, const struct compare_result *result, bool is_coloured,
	struct table *table, char heading[32])
{
	int err = 0;

	*table = (struct table){.columns = columns, .coloured = VERDICT, .indent = 2};
	snprintf(heading, 32, "%g %% interval", 100 * request->rule.level);
	table->headings[INTERVAL] = heading;
	for (size_t i = 0; i < result->outcome_count; i++) {
		const struct compare_outcome *outcome = &result->outcomes[i];

		for (size_t k = 0; k < outcome->row_count && !err; k++)
			err = table_add(table, &outcome->rows[k], colour_of(outcome->rows[k].change.verdict, is_coloured));
	}
	return err;
}

/* --- the shift of quantiles ----------------------------------------------------------------------------- */

/* A quantile as a row of metrics is. */
struct shift_row {
	struct compare_row row;
	double percent;
};

static void show_percent(const void *data, char *text, size_t length)
{
	snprintf(text, length, "%g %%", ((const struct shift_row *)data)->percent);
}

#define SHIFT (TABLE_JSON | TABLE_SHOWN | TABLE_RIGHT)
#define AT(member) .offset = offsetof(struct shift_row, member)
static const struct table_column shift_columns[] = {
	{"percent", TABLE_NUMBER, SHIFT, AT(percent), .show = show_percent, .heading = "quantile"},
	{"base_ns", TABLE_NUMBER, SHIFT, AT(row.change.base), .show = show_base, .heading = "base"},
	{"new_ns", TABLE_NUMBER, SHIFT, AT(row.change.new), .show = show_new, .heading = "new"},
	{"change", TABLE_NUMBER, SHIFT, AT(row.change.change), .show = show_change, .heading = "shift"},
	{"low", TABLE_NUMBER, TABLE_JSON, AT(row.change.low)},
	{"high", TABLE_NUMBER, TABLE_JSON, AT(row.change.high)},
	{"band", TABLE_STRING, TABLE_SHOWN | TABLE_RIGHT, .show = show_interval},
	{0},
};
#undef AT

static int shift_make(const struct compare_shift *shift, struct table *table, struct shift_row rows[COMPARE_QUANTILES])
{
	int err = 0;

	*table = (struct table){.columns = shift_columns, .indent = 2};
	for (size_t i = 0; i < COMPARE_QUANTILES && !err; i++) {
		const struct compare_quantile *quantile = &shift->quantiles[i];

		rows[i] = (struct shift_row){.percent = quantile->percent, .row = {.unit = "ns", .change = {.within_low = NAN,
			.base = quantile->base_ns, .base_below = quantile->base_below_ns, .new = quantile->new_ns,
			.new_below = quantile->new_below_ns, .change = quantile->change, .low = quantile->low,
			.high = quantile->high}}};
		err = table_add(table, &rows[i], "");
	}
	return err;
}

/* --- sentences ------------------------------------------------------------------------------------------ */

char *compare_format_difference(const struct compare_difference *difference, char *buffer, size_t length)
{
	bool has_floor = difference->aa != NULL;

	snprintf(buffer, length, "%.16s %.80s: %.180s in BASE, %.180s in NEW%s%.180s%s", difference->kind,
		difference->name, difference->base, difference->new, has_floor ? ", " : "",
		has_floor ? difference->aa : "", has_floor ? " in --floor" : "");
	return buffer;
}

static void write_text(FILE *out, const char *text, bool is_markdown)
{
	if (is_markdown)
		table_escape_markdown(out, text);
	else
		fputs(text, out);
}

/* "slower (3 slower, 1 faster, ...", and "passed (4 passed, 0 failed, 0 inconclusive)" of the gates. */
static void print_conclusion(FILE *out, const struct compare_request *request, const struct compare_result *result,
	bool is_markdown, bool is_coloured)
{
	const char *end = is_markdown ? "\n\n" : "\n";
	size_t states[4] = {0};

	fputs(is_markdown ? "**Overall:** " : "overall: ", out);
	diag_colour(out, colour_of(result->overall, is_coloured));
	fprintf(out, "%s (%zu slower, %zu faster, %zu no difference, %zu inconclusive",
		compare_verdict_names[result->overall], result->verdicts[COMPARE_SLOWER],
		result->verdicts[COMPARE_FASTER], result->verdicts[COMPARE_NO_DIFFERENCE],
		result->verdicts[COMPARE_INCONCLUSIVE]);
	if (result->lost_sets)
		fprintf(out, "; %zu set%s of BASE without runs in NEW", result->lost_sets, plural(result->lost_sets));
	fprintf(out, "; a change within %g %% counts as none)", 100 * request->rule.margin);
	diag_colour(out, is_coloured ? "\033[0m" : "");
	fputs(end, out);
	if (!request->gate_count)
		return;
	for (size_t i = 0; i < result->outcome_count; i++) {
		for (size_t k = 0; k < request->gate_count; k++)
			states[result->outcomes[i].gates[k]]++;
	}
	fprintf(out, "%s%s (%zu passed, %zu failed, %zu inconclusive)%s", is_markdown ? "**Gates:** " : "gates: ",
		result->exit_code == 0 ? "passed" : states[COMPARE_GATE_FAILED] ? "failed" : "inconclusive",
		states[COMPARE_GATE_PASSED], states[COMPARE_GATE_FAILED], states[COMPARE_GATE_UNDECIDED], end);
}

enum occurrence {
	NO_BASIS, IN_BRACKETS, WITHIN, FLOOR_ALONE, SAME_NUMBERS, NOISY, STUDENT, ONE_BUCKET, CHANCE, BOOTSTRAPPED, OCCURRENCES
};

static const char *const notes[] = {
	[NO_BASIS] = "there are too few runs for an interval: use 3 a side, or 4 for intervals that hold for any "
		     "distribution, or --floor",
	[IN_BRACKETS] = "intervals in brackets are of these two runs alone, from their series; --within-run lets them decide",
	[WITHIN] = "intervals are of these two runs alone, from their series: they say nothing about the next run",
	[FLOOR_ALONE] = "intervals of so few runs are the A/A floor's around the change",
	[SAME_NUMBERS] = "identical: BASE and NEW have the same numbers in every metric",
	[NOISY] = "the A/A floor is wider than the margin: a change as large as the margin cannot be distinguished from noise; "
		  "use less disturbed runs, or a larger --margin",
	[STUDENT] = "so few runs have no interval by ranks (4 a side have): theirs takes runs as log-normally distributed",
	[ONE_BUCKET] = "one bucket: every run is in the same bucket of the histogram, whose width is the margin there; "
		       "pmbench --hdr is finer",
	[CHANCE] = "may be chance: of many metrics some differ by chance; it does not count for the overall verdict",
	[BOOTSTRAPPED] = "intervals by bootstrap on runs where there are 5 a side",
};

/* Where notes go: an array of JSON, or lines. */
struct notes {
	struct json *json; /* NULL: out */
	FILE *out;
	bool is_markdown;
};

static void __attribute__((format(printf, 2, 3))) say(const struct notes *to, const char *format, ...)
{
	char note[800];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(note, sizeof(note), format, arguments);
	va_end(arguments);
	if (to->json) {
		json_text(to->json, NULL, note);
		return;
	}
	fputs(to->is_markdown ? "- " : "note: ", to->out);
	write_text(to->out, note, to->is_markdown);
	putc('\n', to->out);
}

/* What a reader must know of the numbers: one line each. */
static void say_notes(const struct compare_request *request, const struct compare_result *result, const struct notes *to)
{
	const struct compare_sets *sets = &result->sets;
	bool occurs[OCCURRENCES] = {[BOOTSTRAPPED] = request->rule.method == COMPARE_BY_BOOTSTRAP};
	char text[768];

	for (size_t i = 0; i < sets->difference_count && i < DIFFERENCES_MAX; i++)
		say(to, "different, but accepted: %s", compare_format_difference(&sets->differences[i], text, sizeof(text)));
	if (sets->difference_count > DIFFERENCES_MAX)
		say(to, "and %zu differences more", sets->difference_count - DIFFERENCES_MAX);
	for (size_t i = 0; i < sets->note_count; i++)
		say(to, "%s", sets->notes[i]);
	for (size_t i = 0; i < sets->count; i++) {
		const struct compare_set *set = &sets->sets[i];
		size_t aa = set->counts[COMPARE_AA];

		for (enum compare_side side = COMPARE_BASE; side < COMPARE_SIDES && !set->is_paired; side++) {
			if (set->counts[side])
				say(to, "only in %s, %zu run%s: %.300s", compare_side_names[side], set->counts[side],
					plural(set->counts[side]), set->title);
		}
		if (set->is_paired && aa && aa < COMPARE_FLOOR_RUNS)
			say(to, "%.300s%sa floor needs %d runs and has %zu: it is not used", set->title,
				set->title[0] ? ": " : "", COMPARE_FLOOR_RUNS, aa);
	}
	for (size_t i = 0; i < result->outcome_count; i++) {
		for (size_t k = 0; k < result->outcomes[i].row_count; k++) {
			const struct compare_change *change = &result->outcomes[i].rows[k].change;
			bool is_none = change->basis == COMPARE_NO_BASIS;

			occurs[NO_BASIS] |= is_none;
			occurs[IN_BRACKETS] |= is_none && !isnan(change->within_low);
			occurs[WITHIN] |= change->basis == COMPARE_WITHIN_RUN;
			occurs[FLOOR_ALONE] |= change->basis == COMPARE_FLOOR;
			occurs[SAME_NUMBERS] |= change->basis == COMPARE_IDENTICAL;
			occurs[NOISY] |= is_noisy(change);
			occurs[STUDENT] |= change->basis == COMPARE_STUDENT;
			occurs[ONE_BUCKET] |= !is_none && !isnan(change->bucket);
			occurs[CHANCE] |= compare_is_difference(change) && !change->holds;
		}
	}
	for (size_t i = 0; i < OCCURRENCES; i++) {
		if (occurs[i])
			say(to, "%s", notes[i]);
	}
}

/* --- text and Markdown ---------------------------------------------------------------------------------- */

static int print_shift(FILE *out, const struct compare_rule *rule, const struct compare_shift *shift, bool is_markdown)
{
	struct shift_row rows[COMPARE_QUANTILES];
	struct table table;
	int err = shift_make(shift, &table, rows);

	if (is_markdown)
		fprintf(out, "\n%s, shift of quantiles%s:\n\n", shift->name,
			shift->is_within_run ? " within the run, which says nothing about the next" : "");
	else
		fprintf(out, "\n  %s: %llu samples of %zu run%s against %llu of %zu; %g %% band of all quantiles%s\n",
			shift->name, (unsigned long long)shift->base_samples, shift->base_runs, plural(shift->base_runs),
			(unsigned long long)shift->new_samples, shift->new_runs, 100 * rule->level,
			shift->is_within_run ? " WITHIN THE RUN: it says nothing about the next run" : "");
	if (!err && is_markdown)
		table_print_markdown(&table, out);
	else if (!err)
		err = table_print(&table, out);
	table_free(&table);
	return err;
}

/* "p99<+5%: failed: +9.96 %, 95 % interval +9.34 .. +10.6 %", or of a value "5.52 us, ...". Markdown has no colours. */
static void print_set_gates(FILE *out, const struct compare_request *request, const struct compare_outcome *outcome,
	bool is_markdown, bool is_coloured)
{
	static const enum compare_verdict colours[] = {COMPARE_FASTER, COMPARE_SLOWER, COMPARE_INCONCLUSIVE,
		COMPARE_NO_DIFFERENCE};
	char value[METRIC_NAME], from[METRIC_NAME], to[METRIC_NAME];
	const char *gap = "\n";

	for (size_t i = 0; i < request->gate_count; i++) {
		const struct compare_gate *gate = &request->gates[i];
		const struct compare_row *row = compare_gate_row(gate, outcome);
		const struct compare_change *change = row ? &row->change : NULL;
		const char *colour = colour_of(colours[outcome->gates[i]], is_coloured);

		if (gate->ways[0].set_length && !row)
			continue;
		fprintf(out, "%s%s gate ", gap, is_markdown ? "-" : " ");
		write_text(out, gate->text, is_markdown);
		fputs(is_markdown ? ": **" : ": ", out);
		diag_colour(out, colour);
		fputs(compare_gate_state_names[outcome->gates[i]], out);
		diag_colour(out, colour[0] ? "\033[0m" : "");
		fputs(is_markdown ? "**" : "", out);
		if (row)
			fprintf(out, ": %s, ", gate->is_change ? format_change(change->change, value, sizeof(value))
				: format_value(row->unit, change->new, change->new_below, value, sizeof(value)));
		if (row && isnan(gate->is_change ? change->low : change->new_low))
			fputs("too few runs for an interval", out);
		else if (row && gate->is_change)
			fprintf(out, "%g %% interval %s", 100 * request->rule.level,
				format_interval(change->low, change->high, value, sizeof(value)));
		else if (row)
			fprintf(out, "%g %% interval %s .. %s", 100 * request->rule.level,
				format_value(row->unit, change->new_low, 0, from, sizeof(from)),
				format_value(row->unit, change->new_high, 0, to, sizeof(to)));
		putc('\n', out);
		gap = "";
	}
}

static void print_title(FILE *out, const struct compare_set *set, bool is_markdown)
{
	const size_t *counts = set->counts;

	fputs(is_markdown ? "### " : "", out);
	write_text(out, set->title, is_markdown);
	fprintf(out, "%s%s, %zu ", set->title[0] ? ": " : "", set->tool, counts[COMPARE_BASE]);
	if (is_markdown)
		fprintf(out, "against %zu runs", counts[COMPARE_NEW]);
	else
		fprintf(out, "run%s against %zu", plural(counts[COMPARE_BASE]), counts[COMPARE_NEW]);
	if (!is_markdown && counts[COMPARE_AA])
		fprintf(out, ", floor of %zu", counts[COMPARE_AA]);
	fputs("\n\n", out);
}

int compare_print_text(FILE *out, const struct compare_request *request, const struct compare_result *result,
	bool is_markdown, bool is_coloured)
{
	struct table table, part;
	char heading[32];
	size_t first = 0;
	int err = make_table(request, result, is_coloured, &table, heading);

	if (err)
		goto out;
	part = table;
	for (size_t i = 0; i < result->outcome_count && !err; i++) {
		const struct compare_outcome *outcome = &result->outcomes[i];

		print_title(out, outcome->set, is_markdown);
		part.rows = table.rows + first;
		part.count = outcome->row_count;
		if (is_markdown)
			table_print_markdown(&part, out);
		else
			err = table_print_part(&table, first, first + outcome->row_count, true, out);
		first += outcome->row_count;
		for (size_t k = 0; k < outcome->shift_count && !err; k++)
			err = print_shift(out, &request->rule, &outcome->shifts[k], is_markdown);
		print_set_gates(out, request, outcome, is_markdown, is_coloured);
		putc('\n', out);
	}
	print_conclusion(out, request, result, is_markdown, is_coloured);
	say_notes(request, result, &(struct notes){NULL, out, is_markdown});
out:
	table_free(&table);
	return err;
}

int compare_check_columns(const char *names, char *why, size_t length)
{
	struct table table = {.columns = columns};

	return table_choose(&table, names, why, length);
}

int compare_print_columns(FILE *out, const struct compare_request *request, const struct compare_result *result,
	const char *names, bool has_no_headings, bool is_coloured)
{
	struct table table;
	char heading[32], why[TABLE_TEXT];
	int err = make_table(request, result, is_coloured, &table, heading);

	table.has_no_headings = has_no_headings;
	table.indent = 0;
	if (!err)
		err = table_choose(&table, names, why, sizeof(why));
	if (!err)
		err = table_print(&table, out);
	table_free(&table);
	return err;
}

int compare_print_csv(FILE *out, const struct compare_request *request, const struct compare_result *result)
{
	struct table table;
	char heading[32];
	int err = make_table(request, result, false, &table, heading);

	if (!err)
		table_print_csv(&table, true, out);
	table_free(&table);
	return err;
}

/* --- JSON ----------------------------------------------------------------------------------------------- */

static int write_shift(struct json *json, const struct compare_shift *shift)
{
	struct shift_row rows[COMPARE_QUANTILES];
	struct table table;
	int err = shift_make(shift, &table, rows);

	json_begin(json, NULL, '{');
	json_text(json, "histogram", shift->name);
	json_truth(json, "is_within_run", shift->is_within_run);
	json_whole(json, "base_runs", shift->base_runs);
	json_whole(json, "new_runs", shift->new_runs);
	json_whole(json, "base_samples", shift->base_samples);
	json_whole(json, "new_samples", shift->new_samples);
	if (!err)
		table_print_json(&table, "shift", json);
	json_end(json, '}');
	table_free(&table);
	return err;
}

static void write_pair(struct json *json, const char *name, const char *text, const char *other, const char *value)
{
	json_begin(json, NULL, '{');
	json_text(json, name, text);
	json_text(json, other, value);
	json_end(json, '}');
}

static void write_reports(struct json *json, const struct compare_set *set)
{
	static const char *const names[] = {"base_reports", "new_reports", "floor_reports"};

	for (size_t side = 0; side < COMPARE_SIDES; side++) {
		json_begin(json, names[side], '[');
		for (size_t i = 0; i < set->counts[side]; i++)
			json_text(json, NULL, set->runs[side][i]->path);
		json_end(json, ']');
	}
}

/* part: the metrics of the outcome. options: what its first run was asked to do; what differs in the others is a note. */
static int write_outcome(struct json *json, const struct compare_request *request, const struct compare_outcome *outcome,
	const struct table *part)
{
	const struct loaded_texts *options = &outcome->set->runs[COMPARE_BASE][0]->options;
	int err = 0;

	json_begin(json, NULL, '{');
	json_text(json, "title", outcome->set->title);
	json_text(json, "tool", outcome->set->tool);
	json_begin(json, "options", '[');
	for (size_t i = 0; i < options->count; i++) {
		if (compare_is_condition(options->texts[i].name))
			write_pair(json, "name", options->texts[i].name, "value", options->texts[i].value);
	}
	json_end(json, ']');
	write_reports(json, outcome->set);
	table_print_json(part, "metrics", json);
	json_begin(json, "quantiles", '[');
	for (size_t i = 0; i < outcome->shift_count && !err; i++)
		err = write_shift(json, &outcome->shifts[i]);
	json_end(json, ']');
	json_begin(json, "gates", '[');
	for (size_t i = 0; i < request->gate_count; i++) {
		const struct compare_row *row = compare_gate_row(&request->gates[i], outcome);
		bool is_change = request->gates[i].is_change;

		json_begin(json, NULL, '{');
		json_text(json, "gate", request->gates[i].text);
		json_text(json, "result", compare_gate_state_names[outcome->gates[i]]);
		if (row) {
			json_number(json, "value", is_change ? row->change.change : row->change.new);
			json_number(json, "low", is_change ? row->change.low : row->change.new_low);
			json_number(json, "high", is_change ? row->change.high : row->change.new_high);
		}
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
	return err;
}

static void write_left_out(struct json *json, const struct compare_result *result)
{
	json_begin(json, "left_out", '[');
	for (size_t i = 0; i < result->runs.left_out_count; i++)
		write_pair(json, "report", result->runs.left_out[i].path, "why", result->runs.left_out[i].why);
	json_end(json, ']');
	json_begin(json, "unpaired", '[');
	for (size_t i = 0; i < result->sets.count; i++) {
		const struct compare_set *set = &result->sets.sets[i];

		if (set->is_paired)
			continue;
		json_begin(json, NULL, '{');
		json_text(json, "title", set->title);
		json_text(json, "tool", set->tool);
		write_reports(json, set);
		json_end(json, '}');
	}
	json_end(json, ']');
}

int compare_print_json(FILE *out, const struct compare_request *request, const struct compare_result *result)
{
	struct json json = {.out = out};
	struct table table, part;
	char heading[32];
	int err = make_table(request, result, false, &table, heading);

	part = table;
	json_begin(&json, NULL, '{');
	json_text(&json, "comparison", COMPARE_JSON_VERSION);
	json_text(&json, "program", "memstor " PACKAGE_VERSION);
	json_number(&json, "confidence", request->rule.level);
	json_number(&json, "margin", request->rule.margin);
	json_text(&json, "method", request->rule.method == COMPARE_BY_RANKS ? "ranks" : "bootstrap");
	json_whole(&json, "seed", request->rule.seed);
	json_text(&json, "overall", compare_verdict_names[result->overall]);
	json_whole(&json, "exit_status", (uint64_t)result->exit_code);
	json_whole(&json, "lost_sets", result->lost_sets);
	json_begin(&json, "sets", '[');
	for (size_t i = 0; i < result->outcome_count && !err; i++) {
		part.count = result->outcomes[i].row_count;
		err = write_outcome(&json, request, &result->outcomes[i], &part);
		part.rows += part.count;
	}
	json_end(&json, ']');
	write_left_out(&json, result);
	json_begin(&json, "notes", '[');
	say_notes(request, result, &(struct notes){.json = &json});
	json_end(&json, ']');
	json_end(&json, '}');
	table_free(&table);
	return err;
}

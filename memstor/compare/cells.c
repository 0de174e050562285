/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/cells.h"

#include <math.h>
#include <string.h>

#include "common/units.h"

const char *const compare_cell_titles[CELLS] = {"metric", "base", "new", "change", "interval", "p", "verdict"};

char *compare_format_value(const struct metric *metric, double value, char *buffer, size_t length)
{
	static const char *const prefixes[] = {"", "k", "M", "G", "T"};
	size_t prefix = 0;

	if (isnan(value)) {
		snprintf(buffer, length, "-");
		return buffer;
	}
	if (strcmp(metric->unit, "ns") == 0)
		return units_format_duration_even(value, buffer, length);
	/* Rounded first, so that it is never "1000 k". */
	while (prefix < 4 && fabs(value) >= 999.5) {
		value /= 1000;
		prefix++;
	}
	snprintf(buffer, length, "%.*f %s%s", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value, prefixes[prefix],
		metric->unit[0] == '1' ? metric->unit + 1 : metric->unit);
	return buffer;
}

/* In the open first bucket only its end is known. */
static char *format_median(const struct metric *metric, double median, double below, char *buffer, size_t length)
{
	buffer[0] = '<';
	compare_format_value(metric, below > 0 ? below : median, buffer + (below > 0), length - (below > 0));
	return buffer;
}

char *compare_format_quantile(double ns, double below_ns, char *buffer, size_t length)
{
	buffer[0] = '<';
	units_format_duration_even(below_ns > 0 ? below_ns : ns, buffer + (below_ns > 0), length - (below_ns > 0));
	return buffer;
}

static int decimals(double percent)
{
	return fabs(percent) < 9.995 ? 2 : fabs(percent) < 99.95 ? 1 : 0;
}

char *compare_format_change(double fraction, char *buffer, size_t length)
{
	double percent = 100 * fraction;

	if (isnan(fraction))
		snprintf(buffer, length, "-");
	else if (isinf(fraction))
		snprintf(buffer, length, "%cinf %%", fraction < 0 ? '-' : '+');
	else
		/* No "-0.00 %". */
		snprintf(buffer, length, "%+.*f %%", decimals(percent), fabs(percent) < 0.005 ? 0 : percent);
	return buffer;
}

char *compare_format_interval(double low, double high, char *buffer, size_t length)
{
	char from[32], to[32];

	if (isnan(low)) {
		snprintf(buffer, length, "-");
		return buffer;
	}
	compare_format_change(low, from, sizeof(from));
	compare_format_change(high, to, sizeof(to));
	from[strlen(from) - 2] = '\0';
	snprintf(buffer, length, "%s .. %s", from, to);
	return buffer;
}

static void format_interval(const struct compare_change *change, char *buffer, size_t length)
{
	char within[80];

	if (change->basis == COMPARE_NO_BASIS && !isnan(change->within_low))
		snprintf(buffer, length, "[%s]",
			compare_format_interval(change->within_low, change->within_high, within, sizeof(within)));
	else
		compare_format_interval(change->low, change->high, buffer, length);
}

/* Two digits that count, and no "0.000". */
static void format_p(double p, char *buffer, size_t length)
{
	if (isnan(p))
		snprintf(buffer, length, "-");
	else if (p < 0.0001)
		snprintf(buffer, length, "<0.0001");
	else
		snprintf(buffer, length, "%.*f", p < 0.001 ? 5 : p < 0.01 ? 4 : p < 0.1 ? 3 : 2, p);
}

/* The A/A floor alone keeps the change from being told. */
static bool is_noisy(const struct compare_change *change)
{
	return change->verdict == COMPARE_INCONCLUSIVE && expm1(change->floor.radius) > change->margin;
}

static void format_verdict(const struct compare_change *change, char *buffer, size_t length)
{
	const char *name = compare_verdict_name(change->verdict);
	bool is_difference = change->verdict == COMPARE_FASTER || change->verdict == COMPARE_SLOWER;
	char radius[32];

	if (is_difference && !change->holds)
		snprintf(buffer, length, "%s, may be chance", name);
	else if (change->basis == COMPARE_NO_BASIS)
		snprintf(buffer, length, "%s: too few runs", name);
	else if (change->basis == COMPARE_IDENTICAL)
		snprintf(buffer, length, "%s: identical", name);
	else if (change->verdict != COMPARE_FASTER && change->verdict != COMPARE_SLOWER && !isnan(change->bucket))
		snprintf(buffer, length, "%s: one bucket", name);
	else if (change->verdict == COMPARE_NO_DIFFERENCE ? !isnan(change->floor.radius) : is_noisy(change))
		snprintf(buffer, length, "%s: floor %s", name,
			compare_format_change(expm1(change->floor.radius), radius, sizeof(radius)) + 1);
	else
		snprintf(buffer, length, "%s", name);
}

void compare_title_cells(const struct compare_rule *rule, struct compare_cells *cells)
{
	for (size_t i = 0; i < CELLS; i++)
		snprintf(cells->text[i], sizeof(cells->text[i]), "%s", compare_cell_titles[i]);
	snprintf(cells->text[CELL_INTERVAL], sizeof(cells->text[0]), "%g %% interval", 100 * rule->level);
}

void compare_make_cells(
	const struct compare_request *request, const struct compare_row *row, struct compare_cells *cells)
{
	const struct metric *metric = compare_row_metric(request, row);
	const struct compare_change *change = &row->change;
	size_t length = sizeof(cells->text[0]);

	snprintf(cells->text[CELL_METRIC], length, "%s", metric->name);
	format_median(metric, change->base, change->base_below, cells->text[CELL_BASE], length);
	format_median(metric, change->new, change->new_below, cells->text[CELL_NEW], length);
	compare_format_change(change->change, cells->text[CELL_CHANGE], length);
	format_interval(change, cells->text[CELL_INTERVAL], length);
	format_p(change->rank_p, cells->text[CELL_P], length);
	format_verdict(change, cells->text[CELL_VERDICT], length);
}

char *compare_format_gate(const struct compare_request *request, const struct compare_gate *gate,
	const struct compare_row *row, char *buffer, size_t length)
{
	const struct compare_change *change = &row->change;
	const struct metric *metric = compare_row_metric(request, row);
	double low = gate->is_change ? change->low : change->new_low;
	char value[METRIC_NAME], from[METRIC_NAME], to[METRIC_NAME], interval[80] = "";

	if (gate->is_change) {
		compare_format_change(change->change, value, sizeof(value));
		compare_format_interval(change->low, change->high, interval, sizeof(interval));
	} else {
		format_median(metric, change->new, change->new_below, value, sizeof(value));
		snprintf(interval, sizeof(interval), "%.36s .. %.36s",
			compare_format_value(metric, change->new_low, from, sizeof(from)),
			compare_format_value(metric, change->new_high, to, sizeof(to)));
	}
	if (isnan(low))
		snprintf(buffer, length, "%s, no interval of so few runs", value);
	else
		snprintf(buffer, length, "%s, %g %% interval %s", value, 100 * request->rule.level, interval);
	return buffer;
}

char *compare_format_difference(const struct compare_difference *difference, char *buffer, size_t length)
{
	bool has_floor = difference->aa != NULL;

	snprintf(buffer, length, "%.16s %.80s: %.180s in BASE, %.180s in NEW%s%.180s%s", difference->kind,
		difference->name, difference->base, difference->new, has_floor ? ", " : "",
		has_floor ? difference->aa : "", has_floor ? " in --floor" : "");
	return buffer;
}

void compare_print_heading(FILE *out, const struct compare_set *set)
{
	size_t base = set->counts[COMPARE_BASE], new = set->counts[COMPARE_NEW];

	if (set->title[0])
		fprintf(out, "%s: ", set->title);
	fprintf(out, "%s, %zu run%s against %zu", set->tool, base, base == 1 ? "" : "s", new);
	if (set->counts[COMPARE_AA])
		fprintf(out, ", floor of %zu", set->counts[COMPARE_AA]);
}

void compare_print_overall(FILE *out, const struct compare_request *request, const struct compare_result *result)
{
	fprintf(out, "%s (%zu slower, %zu faster, %zu no difference, %zu inconclusive",
		compare_verdict_name(result->overall), result->verdicts[COMPARE_SLOWER],
		result->verdicts[COMPARE_FASTER], result->verdicts[COMPARE_NO_DIFFERENCE],
		result->verdicts[COMPARE_INCONCLUSIVE]);
	if (result->lost_sets)
		fprintf(out, "; %zu set%s of BASE without runs in NEW", result->lost_sets,
			result->lost_sets == 1 ? "" : "s");
	fprintf(out, "; a change within %g %% is none)", 100 * request->rule.margin);
}

void compare_print_gates(FILE *out, const struct compare_request *request, const struct compare_result *result)
{
	size_t states[4] = {0};

	for (size_t i = 0; i < result->outcome_count; i++) {
		for (size_t k = 0; k < request->gate_count; k++)
			states[result->outcomes[i].gates[k]]++;
	}
	fprintf(out, "%s (%zu passed, %zu failed, %zu inconclusive)",
		result->exit_code == 0 ? "passed" : states[COMPARE_GATE_FAILED] ? "failed" : "inconclusive",
		states[COMPARE_GATE_PASSED], states[COMPARE_GATE_FAILED], states[COMPARE_GATE_UNDECIDED]);
}

struct occurrence {
	bool is_student, is_floor_alone, is_within, has_within, is_none, is_bucket, is_chance, is_identical, is_noisy;
};

static struct occurrence what_occurs(const struct compare_result *result)
{
	struct occurrence occurs = {0};

	for (size_t i = 0; i < result->outcome_count; i++) {
		for (size_t k = 0; k < result->outcomes[i].row_count; k++) {
			const struct compare_change *change = &result->outcomes[i].rows[k].change;

			occurs.is_student |= change->basis == COMPARE_STUDENT;
			occurs.is_floor_alone |= change->basis == COMPARE_FLOOR;
			occurs.is_within |= change->basis == COMPARE_WITHIN_RUN;
			occurs.is_none |= change->basis == COMPARE_NO_BASIS;
			occurs.has_within |= change->basis == COMPARE_NO_BASIS && !isnan(change->within_low);
			occurs.is_bucket |= change->basis != COMPARE_NO_BASIS && !isnan(change->bucket);
			occurs.is_identical |= change->basis == COMPARE_IDENTICAL;
			occurs.is_noisy |= is_noisy(change);
			occurs.is_chance |= !change->holds && (change->verdict == COMPARE_FASTER ||
								      change->verdict == COMPARE_SLOWER);
		}
	}
	return occurs;
}

#define DIFFERENCES_MAX 20

static void note_differences(
	const struct compare_sets *sets, void (*say)(void *context, const char *note), void *context)
{
	char text[768], note[800];

	for (size_t i = 0; i < sets->difference_count && i < DIFFERENCES_MAX; i++) {
		snprintf(note, sizeof(note), "different, but let through: %s",
			compare_format_difference(&sets->differences[i], text, sizeof(text)));
		say(context, note);
	}
	if (sets->difference_count > DIFFERENCES_MAX) {
		snprintf(note, sizeof(note), "and %zu differences more", sets->difference_count - DIFFERENCES_MAX);
		say(context, note);
	}
}

static void note_unpaired(
	const struct compare_result *result, void (*say)(void *context, const char *note), void *context)
{
	char note[512];

	for (size_t i = 0; i < result->sets.count; i++) {
		const struct compare_set *set = &result->sets.sets[i];
		size_t aa = set->counts[COMPARE_AA];

		for (enum compare_side side = COMPARE_BASE; side < COMPARE_SIDES && !set->is_paired; side++) {
			if (set->counts[side] == 0)
				continue;
			snprintf(note, sizeof(note), "only in %s, %zu run%s: %.300s", compare_side_name(side),
				set->counts[side], set->counts[side] == 1 ? "" : "s", set->title);
			say(context, note);
		}
		if (set->is_paired && aa && aa < COMPARE_FLOOR_RUNS) {
			snprintf(note, sizeof(note),
				"%.300s%sa floor needs %d runs and has %zu: it is not used", set->title,
				set->title[0] ? ": " : "", COMPARE_FLOOR_RUNS, aa);
			say(context, note);
		}
	}
}

void compare_each_note(const struct compare_request *request, const struct compare_result *result,
	void (*say)(void *context, const char *note), void *context)
{
	struct occurrence occurs = what_occurs(result);

	note_differences(&result->sets, say, context);
	for (size_t i = 0; i < result->sets.note_count; i++)
		say(context, result->sets.notes[i]);
	note_unpaired(result, say, context);
	if (occurs.is_none)
		say(context, "so few runs have no interval, and what one run says of the next is not known: "
			     "give 3 a side, or 4 "
			     "for intervals that hold for any distribution, or --floor");
	if (occurs.has_within)
		say(context, "intervals in brackets are of these two runs alone, from their series; "
			     "--within-run lets them decide");
	if (occurs.is_within)
		say(context, "intervals are of these two runs alone, from their series: they say nothing "
			     "about the next run");
	if (occurs.is_floor_alone)
		say(context, "intervals of so few runs are the A/A floor's around the change");
	if (occurs.is_identical)
		say(context, "identical: BASE and NEW have the same numbers in every metric, so that there is no "
			     "change to judge");
	if (occurs.is_noisy)
		say(context, "the A/A floor is wider than the margin: a change as large as the margin could not be "
			     "told from noise; calmer runs, or a larger --margin");
	if (occurs.is_student)
		say(context, "so few runs have no interval by ranks (4 a side have): theirs takes runs as "
			     "log-normally distributed");
	if (occurs.is_bucket)
		say(context, "one bucket: every run is in the same bucket of the histogram, whose width is "
			     "the margin there; "
			     "pmbench --hdr is finer");
	if (occurs.is_chance)
		say(context, "may be chance: of so many metrics some differ by chance; it does not count for "
			     "the overall verdict");
	if (request->rule.method == COMPARE_BY_BOOTSTRAP)
		say(context, "intervals by bootstrap on runs where there are 5 a side");
}

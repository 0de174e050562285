/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor compare: reads the reports, makes the sets, decides the verdicts and writes the output. */
#include "config.h"
#include "memstor/compare/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/table.h"

#define LINES_MAX 20  /* of one kind on stderr */
#define NAMES_SHOWN 8 /* of one kind in a flag to paste */

static int read_groups(struct compare_request *request, struct compare_result *result)
{
	size_t shown = 0;
	int code = DIAG_EXIT_OK;

	for (enum compare_side side = COMPARE_BASE; side < COMPARE_SIDES && !code; side++)
		code = compare_read(&request->inputs[side], side, &request->wanted, &result->runs);
	for (; shown < result->runs.left_out_count && shown < LINES_MAX && !code; shown++) {
		const struct compare_left_out *left_out = &result->runs.left_out[shown];

		diag_warn("%s: left out: it %s", left_out->path, left_out->why);
	}
	if (!code && shown < result->runs.left_out_count)
		diag_warn("%zu more are left out", result->runs.left_out_count - shown);
	return code;
}

/* Appends to flag the refused names of one kind, or `all` if they are many or cannot be given one by one in a shell. */
static const char *add_names(struct compare_sets *sets, const char *flag, const char *kind, const char *all)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
	const char *names = flag;
	bool are_plain = true;
	size_t count = 0;

	for (size_t i = 0; i < sets->difference_count; i++) {
		const struct compare_difference *difference = &sets->differences[i];

		if (difference->is_allowed || strcmp(difference->kind, kind) != 0)
			continue;
		names = arena_format(&sets->arena, "%s%s%s", names, names[0] ? "," : "", difference->name);
		are_plain &= difference->name[0] && !difference->name[strspn(difference->name, plain)];
		count++;
	}
	if (!are_plain || count > NAMES_SHOWN)
		names = arena_format(&sets->arena, "%s%s%s", flag, flag[0] ? "," : "", all);
	return names;
}

/* Names what is not allowed to differ, and the flag that allows it. */
static int refuse_differences(struct compare_sets *sets)
{
	bool are_tools = false;
	size_t refused = 0;
	char text[768];

	for (size_t i = 0; i < sets->difference_count; i++) {
		if (sets->differences[i].is_allowed)
			continue;
		are_tools |= strcmp(sets->differences[i].kind, "tool") == 0;
		if (refused == 0)
			diag_error(0, "not compared: the runs differ in more than the measured values:");
		if (refused++ < LINES_MAX)
			diag_error(0, "  %s", compare_format_difference(&sets->differences[i], text, sizeof(text)));
	}
	if (!refused)
		return DIAG_EXIT_OK;
	if (refused > LINES_MAX)
		diag_error(0, "  and %zu more", refused - LINES_MAX);
	if (are_tools)
		diag_error(0, "runs of two tools are never compared");
	else
		diag_error(0, "to compare them anyway add --allow-different=%s",
			add_names(sets, add_names(sets, "", "option", "options"), "machine", "machine"));
	return COMPARE_EXIT_REFUSED;
}

/* Whether a run has an option, or a label or else a fact of the machine, of this name. */
static bool has_name(const struct compare_runs *runs, const char *name, bool is_label)
{
	for (size_t i = 0; i < runs->count; i++) {
		const struct compare_run *run = runs->runs[i];

		if (compare_text(&run->options, name) || compare_text(is_label ? &run->labels : &run->machine, name))
			return true;
	}
	return false;
}

static const char *list_texts(struct arena *arena, const char *names, const struct loaded_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++) {
		if (i == 0 || strcmp(texts->texts[i].name, texts->texts[i - 1].name) != 0)
			names = arena_format(arena, "%s%s%s", names, names[0] ? " " : "", texts->texts[i].name);
	}
	return names;
}

/* Notes reports that are in both groups. Returns 0 or -ENOMEM. */
static int note_same(const struct compare_runs *runs, struct compare_sets *sets)
{
	size_t same = 0, news = 0;
	char text[160];

	for (size_t i = 0; i < runs->count; i++) {
		const struct compare_run *run = runs->runs[i];
		bool is_same = false;

		for (size_t k = 0; k < runs->count && run->side == COMPARE_NEW && !is_same; k++)
			is_same = runs->runs[k]->side == COMPARE_BASE && compare_is_same_run(run, runs->runs[k]);
		same += is_same;
		news += run->side == COMPARE_NEW;
	}
	if (same == 0)
		return 0;
	snprintf(text, sizeof(text), "%zu of %zu report%s of NEW %s in BASE, too: a run compared with itself says nothing",
		same, news, news == 1 ? "" : "s", same == 1 ? "is" : "are");
	diag_warn("%s", text);
	return compare_note(sets, "%s", text);
}

/* Refuses names of --group-by and --allow-different that no run has. */
static int check_names(const struct compare_pairing *pairing, struct compare_runs *runs)
{
	const struct compare_run *first = runs->runs[0];

	for (size_t i = 0; i < pairing->group_by_count; i++) {
		if (!has_name(runs, pairing->group_by[i], true))
			return diag_usage("--group-by %s: no report has such a label or option", pairing->group_by[i]);
	}
	for (size_t i = 0; i < pairing->allowed_count; i++) {
		if (!has_name(runs, pairing->allowed[i], false))
			return diag_usage("--allow-different %s: no report has such an option or fact (options, machine, sets, or "
				"of %s: %s)", pairing->allowed[i], first->path,
				list_texts(&runs->arena, list_texts(&runs->arena, "", &first->options), &first->machine));
	}
	return DIAG_EXIT_OK;
}

static int pair_groups(const struct compare_request *request, struct compare_result *result)
{
	size_t counts[COMPARE_SIDES] = {0}, floor_runs = 0, used = 0;
	int code, err;

	for (size_t i = 0; i < result->runs.count; i++)
		counts[result->runs.runs[i]->side]++;
	for (enum compare_side side = COMPARE_BASE; side <= COMPARE_NEW; side++) {
		if (counts[side] == 0) {
			diag_error(0, "no run of %s can be compared: --force accepts interrupted and untrustworthy ones",
				compare_side_names[side]);
			return DIAG_EXIT_UNTRUSTED;
		}
	}
	code = check_names(&request->pairing, &result->runs);
	if (code)
		return code;
	err = compare_pair(&result->runs, &request->pairing, &result->sets);
	if (!err)
		code = refuse_differences(&result->sets);
	if (!err && !code)
		err = note_same(&result->runs, &result->sets);
	if (err)
		return diag_host(err, "cannot compare");
	if (code)
		return code;
	if (result->sets.paired_count == 0) {
		diag_error(0, "no set of BASE has runs in NEW");
		return COMPARE_EXIT_REFUSED;
	}
	for (size_t i = 0; i < result->sets.count; i++) {
		const struct compare_set *set = &result->sets.sets[i];

		floor_runs += set->counts[COMPARE_AA];
		used += set->is_paired && set->counts[COMPARE_AA] >= COMPARE_FLOOR_RUNS;
	}
	if (floor_runs && !used)
		return diag_usage("--floor: no compared set of options has %d runs", COMPARE_FLOOR_RUNS);
	return DIAG_EXIT_OK;
}

typedef int (*printer)(FILE *out, const struct compare_request *request, const struct compare_result *result);

static int write_format(const char *path, printer print, const struct compare_request *request,
	const struct compare_result *result)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int err = out ? print(out, request, result) : -ENOMEM;

	if (out && fclose(out) && !err)
		err = -ENOMEM;
	if (!err)
		err = report_file_write(path, text, size);
	free(text);
	if (!err)
		return DIAG_EXIT_OK;
	if (strcmp(path, "-") == 0)
		return diag_host(err, "cannot write to standard output");
	return diag_host(err, "%s: cannot be written", path);
}

static int print_markdown(FILE *out, const struct compare_request *request, const struct compare_result *result)
{
	return compare_print_text(out, request, result, true, false);
}

static int write_all(const struct compare_options *options, const struct compare_result *result)
{
	static const printer printers[] = {compare_print_json, compare_print_csv, print_markdown};
	bool is_coloured = options->colour == COMPARE_COLOUR_AUTO ? table_is_coloured()
								  : options->colour == COMPARE_COLOUR_ALWAYS;
	bool is_stdout_taken = false;
	int err = 0;

	for (size_t i = 0; i < COMPARE_FORMATS; i++) {
		const char *path = options->outputs[i];
		int code = path ? write_format(path, printers[i], &options->request, result) : DIAG_EXIT_OK;

		if (code)
			return code;
		is_stdout_taken |= path && strcmp(path, "-") == 0;
	}
	if (!is_stdout_taken && options->columns)
		err = compare_print_columns(stdout, &options->request, result, options->columns,
			options->has_no_headings, is_coloured);
	else if (!is_stdout_taken)
		err = compare_print_text(stdout, &options->request, result, false, is_coloured);
	if (!err)
		return DIAG_EXIT_OK;
	return diag_host(err, "cannot print the comparison");
}

int compare_groups(struct compare_options *options)
{
	struct compare_result result = {0};
	int code = read_groups(&options->request, &result);

	if (!code)
		code = pair_groups(&options->request, &result);
	if (!code)
		code = compare_decide(&options->request, &result);
	if (!code)
		code = write_all(options, &result);
	if (!code)
		code = result.exit_code;
	compare_result_free(&result);
	return code;
}

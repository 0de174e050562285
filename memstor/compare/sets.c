/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/compare.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options that are no condition of a measurement. */
static const char *const no_differences[] = {
	"seed", "label", "file", "json", "csv", "markdown", "ndjson", "output", "quiet", NULL};

/* Whether a name is among up to `count` names, which a NULL may terminate earlier. */
static bool is_among(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count && names[i]; i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

bool compare_is_condition(const char *option)
{
	return !is_among(option, no_differences, SIZE_MAX);
}

bool compare_is_named(const struct compare_pairing *pairing, const char *name)
{
	return is_among(name, pairing->allowed, pairing->allowed_count);
}

bool compare_is_allowed(const struct compare_pairing *pairing, const char *name, bool is_option)
{
	return (is_option ? pairing->are_options_allowed : pairing->is_machine_allowed) || compare_is_named(pairing, name);
}

static void print_projection(
	FILE *out, const struct compare_pairing *pairing, const struct compare_run *run, char after)
{
	for (size_t i = 0; i < pairing->group_by_count; i++) {
		const char *name = pairing->group_by[i], *value = compare_text(&run->labels, name);

		if (!value)
			value = compare_text(&run->options, name);
		fprintf(out, "%s=%s", name, value ? value : "none");
		if (after != ' ' || i + 1 < pairing->group_by_count)
			fputc(after, out);
	}
}

/*
 * How runs become sets, when --group-by does not say: first those with equal options, and of the rest, if
 * options may differ, those with the rest of their options equal; of the same step before of any.
 */
enum pass { PASS_EQUAL, PASS_STEP, PASS_RELAXED, PASSES };

/* Runs of one set have the same. */
static const char *make_key(struct arena *arena, const struct compare_pairing *pairing, const struct compare_run *run,
	enum pass pass)
{
	const char *step = compare_text(&run->labels, "step");
	struct arena_print print;
	FILE *out = arena_print(&print);

	if (!out)
		return NULL;
	fprintf(out, "%d%s\n", (int)pass, run->tool);
	print_projection(out, pairing, run, '\n');
	if (pass == PASS_STEP && step)
		fprintf(out, "%s\n", step);
	for (size_t i = 0; i < run->options.count && !pairing->group_by_count; i++) {
		const struct loaded_text *option = &run->options.texts[i];

		if (compare_is_condition(option->name) &&
			(pass == PASS_EQUAL || !compare_is_allowed(pairing, option->name, true)))
			fprintf(out, "%s=%s\n", option->name, option->value);
	}
	return arena_printed(arena, &print);
}

static int compare_keys(const void *a, const void *b)
{
	const struct compare_run *one = *(struct compare_run *const *)a, *other = *(struct compare_run *const *)b;
	int order = strcmp(one->key, other->key);

	if (order == 0)
		order = (int)one->side - (int)other->side;
	return order ? order : (one->index > other->index) - (one->index < other->index);
}

/* Runs of --floor with the options of no set belong to the one set that differs from them in what may differ. */
static int adopt_floor(struct compare_sets *sets, const struct compare_pairing *pairing, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct compare_run *run = sets->sorted[i];
		const char *relaxed, *key = NULL;
		bool is_one = true;

		if (run->side != COMPARE_AA || run->is_paired)
			continue;
		relaxed = make_key(&sets->arena, pairing, run, PASS_RELAXED);
		for (size_t k = 0; k < count && relaxed; k++) {
			const struct compare_run *other = sets->sorted[k];
			const char *own = other->side == COMPARE_BASE && other->is_paired
						  ? make_key(&sets->arena, pairing, other, PASS_RELAXED) : "";

			if (!own || strcmp(own, relaxed) != 0)
				continue;
			is_one = is_one && (!key || !strcmp(key, other->key));
			key = other->key;
		}
		if (key && is_one)
			run->key = key;
	}
	return sets->arena.is_short ? -ENOMEM : 0;
}

static int make_keys(struct compare_sets *sets, const struct compare_pairing *pairing, size_t count, enum pass pass)
{
	for (size_t i = 0; i < count; i++) {
		sets->sorted[i]->key = make_key(&sets->arena, pairing, sets->sorted[i], pass);
		if (!sets->sorted[i]->key)
			return -ENOMEM;
	}
	return 0;
}

/* Gives each run its key, and sorts sets->sorted by it. */
static int find_keys(struct compare_sets *sets, const struct compare_pairing *pairing, size_t count)
{
	bool is_relaxed = !pairing->group_by_count && (pairing->are_options_allowed || pairing->allowed_count);
	struct compare_run **runs = sets->sorted;
	size_t left = count;
	int err;

	for (enum pass pass = PASS_EQUAL; pass <= (is_relaxed ? PASS_RELAXED : PASS_EQUAL) && left; pass++) {
		size_t kept = 0;

		err = make_keys(sets, pairing, left, pass);
		if (err)
			return err;
		qsort(runs, left, sizeof(*runs), compare_keys);
		/* Runs whose key is in BASE and in NEW are paired by it; the others come to the front. */
		for (size_t first = 0, end; first < left; first = end) {
			bool is_in[COMPARE_SIDES] = {false};

			for (end = first; end < left && !strcmp(runs[end]->key, runs[first]->key); end++)
				is_in[runs[end]->side] = true;
			for (size_t i = first; i < end; i++) {
				struct compare_run *run = runs[i];

				run->is_paired = is_in[COMPARE_BASE] && is_in[COMPARE_NEW];
				if (run->is_paired)
					continue;
				runs[i] = runs[kept];
				runs[kept++] = run;
			}
		}
		left = kept;
	}
	/* Those that are not paired are distinguished by all of their options. */
	err = make_keys(sets, pairing, left, PASS_EQUAL);
	if (!err && is_relaxed)
		err = adopt_floor(sets, pairing, count);
	if (count && !err)
		qsort(runs, count, sizeof(*runs), compare_keys);
	return err;
}

static int compare_sets_by_first(const void *a, const void *b)
{
	const struct compare_set *one = a, *other = b;

	return (one->first > other->first) - (one->first < other->first);
}

/* Runs that are sorted by key and side fall into sets and groups. */
static int cut(struct compare_sets *sets, size_t run_count)
{
	sets->sets = arena_array(&sets->arena, run_count, sizeof(*sets->sets));
	if (!sets->sets)
		return -ENOMEM;
	for (size_t i = 0; i < run_count; i++) {
		struct compare_run *run = sets->sorted[i];
		bool is_new = i == 0 || strcmp(run->key, sets->sorted[i - 1]->key) != 0;
		struct compare_set *set = &sets->sets[is_new ? sets->count : sets->count - 1];

		if (is_new) {
			sets->count++;
			*set = (struct compare_set){.title = "", .tool = run->tool, .any = run, .first = run->index};
		}
		set->first = run->index < set->first ? run->index : set->first;
		if (set->counts[run->side]++ == 0)
			set->runs[run->side] = &sets->sorted[i];
	}
	qsort(sets->sets, sets->count, sizeof(*sets->sets), compare_sets_by_first);
	for (size_t i = 0; i < sets->count; i++) {
		struct compare_set *set = &sets->sets[i];

		set->is_paired = set->counts[COMPARE_BASE] && set->counts[COMPARE_NEW];
		sets->paired_count += set->is_paired;
	}
	return 0;
}

/* Either may be NULL: it has none. */
static bool is_same(const char *value, const char *other)
{
	return value && other ? !strcmp(value, other) : value == other;
}

/* Whether an option distinguishes the set from others: sets have different values, and the runs of each group the same. */
static bool is_distinct(const struct compare_sets *sets, const struct compare_set *set, const char *option)
{
	bool varies = false;

	for (size_t i = 1; i < sets->count && !varies; i++)
		varies = !is_same(compare_text(&sets->sets[0].any->options, option),
			compare_text(&sets->sets[i].any->options, option));
	for (size_t side = COMPARE_BASE; side <= COMPARE_NEW && varies; side++) {
		for (size_t i = 1; i < set->counts[side]; i++) {
			if (!is_same(compare_text(&set->runs[side][0]->options, option),
					compare_text(&set->runs[side][i]->options, option)))
				return false;
		}
	}
	return varies;
}

static bool is_step_of_all(const struct compare_set *set, const char *step)
{
	for (size_t side = 0; side < COMPARE_SIDES; side++) {
		for (size_t i = 0; i < set->counts[side]; i++) {
			if (!step || !is_same(step, compare_text(&set->runs[side][i]->labels, "step")))
				return false;
		}
	}
	return true;
}

bool compare_is_set_called(const struct compare_set *set, const char *text, size_t length)
{
	const char *step = compare_text(&set->any->labels, "step");

	if (strlen(set->title) == length && !memcmp(set->title, text, length))
		return true;
	return is_step_of_all(set, step) && strlen(step) == length && !memcmp(step, text, length);
}

/* The name of the step that memstor run gave it, and unless that is enough the options that distinguish the set. */
static int make_title(struct compare_sets *sets, const struct compare_pairing *pairing, struct compare_set *set,
	bool is_step_enough)
{
	const struct compare_run *run = set->any;
	const char *step = compare_text(&run->labels, "step"), *gap = "";
	bool has_step = !pairing->group_by_count && is_step_of_all(set, step);
	struct arena_print print;
	FILE *out = arena_print(&print);

	if (!out)
		return -ENOMEM;
	print_projection(out, pairing, run, ' ');
	if (has_step) {
		fprintf(out, "%s", step);
		gap = " ";
	}
	for (size_t i = 0; i < run->options.count && !pairing->group_by_count && !(has_step && is_step_enough); i++) {
		const struct loaded_text *option = &run->options.texts[i];
		const char *new = set->is_paired ? compare_text(&set->runs[COMPARE_NEW][0]->options, option->name) : NULL;

		if (!compare_is_condition(option->name) || !is_distinct(sets, set, option->name))
			continue;
		fprintf(out, "%s%s", gap, option->name);
		if (set->is_paired && !is_same(option->value, new))
			fprintf(out, "=%s->%s", option->value, new ? new : "none");
		else if (strcmp(option->value, "yes") != 0)
			fprintf(out, "=%s", option->value);
		gap = " ";
	}
	set->title = arena_printed(&sets->arena, &print);
	if (set->title && !set->title[0])
		set->title = "other options";
	return set->title ? 0 : -ENOMEM;
}

static int make_titles(struct compare_sets *sets, const struct compare_pairing *pairing)
{
	bool are_unlike = sets->count < 2 && !pairing->group_by_count;

	for (int is_step_enough = 1; is_step_enough >= 0 && !are_unlike; is_step_enough--) {
		are_unlike = true;
		for (size_t i = 0; i < sets->count; i++) {
			if (make_title(sets, pairing, &sets->sets[i], is_step_enough))
				return -ENOMEM;
			for (size_t j = 0; j < i; j++)
				are_unlike &= strcmp(sets->sets[i].title, sets->sets[j].title) ||
					      strcmp(sets->sets[i].tool, sets->sets[j].tool);
		}
	}
	return 0;
}

int compare_note(struct compare_sets *sets, const char *format, ...)
{
	va_list arguments;
	char text[512];

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (is_among(text, sets->notes, sets->note_count))
		return 0;
	if (arena_grow(&sets->notes, &sets->note_room, sets->note_count, sizeof(*sets->notes)))
		return -ENOMEM;
	sets->notes[sets->note_count++] = arena_copy(&sets->arena, text);
	return sets->arena.is_short ? -ENOMEM : 0;
}

int compare_pair(const struct compare_runs *runs, const struct compare_pairing *pairing, struct compare_sets *sets)
{
	int err;

	sets->sorted = arena_array(&sets->arena, runs->count, sizeof(*sets->sorted));
	if (!sets->sorted)
		return -ENOMEM;
	for (size_t i = 0; i < runs->count; i++)
		sets->sorted[i] = runs->runs[i];
	err = find_keys(sets, pairing, runs->count);
	if (!err)
		err = cut(sets, runs->count);
	if (!err)
		err = make_titles(sets, pairing);
	return err ? err : compare_differ(sets, pairing);
}

void compare_sets_free(struct compare_sets *sets)
{
	free(sets->notes);
	free(sets->differences);
	arena_free(&sets->arena);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/compare/compare.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_SHOWN 3
#define NAMES_MAX 256

/* Of a run: its options or facts of its machine. */
static const struct loaded_texts *texts_of(const struct compare_run *run, bool is_option)
{
	return is_option ? &run->options : &run->machine;
}

/* "4", "4 and 8": the values of a group, each once. */
static const char *values_of(struct arena *arena, struct compare_run *const *runs, size_t count, bool is_option,
	const char *name)
{
	struct arena_print print;
	FILE *out = arena_print(&print);

	for (size_t i = 0, shown = 0; i < count && shown <= VALUES_SHOWN && out; i++) {
		const struct loaded_texts *texts = texts_of(runs[i], is_option);
		const char *value;
		size_t before = 0;

		while (before < i && !loaded_texts_agree(texts_of(runs[before], is_option), texts, name))
			before++;
		if (before < i)
			continue;
		value = loaded_texts_join(arena, texts, name, " ");
		fputs(shown ? " and " : "", out);
		fputs(shown++ == VALUES_SHOWN ? "others" : value ? value : "none", out);
	}
	return arena_printed(arena, &print);
}

static int add_difference(struct compare_sets *sets, const struct compare_difference *difference)
{
	for (size_t i = 0; i < sets->difference_count; i++) {
		const struct compare_difference *known = &sets->differences[i];

		if (!strcmp(known->name, difference->name) && !strcmp(known->base, difference->base) &&
			!strcmp(known->new, difference->new) && !strcmp(known->kind, difference->kind) &&
			!strcmp(known->aa ? known->aa : "", difference->aa ? difference->aa : ""))
			return 0;
	}
	if (arena_grow(&sets->differences, &sets->difference_room, sets->difference_count, sizeof(*difference)))
		return -ENOMEM;
	sets->differences[sets->difference_count++] = *difference;
	return 0;
}

static bool varies_in(const struct compare_set *set, enum compare_side side, bool is_option, const char *name)
{
	for (size_t i = 1; i < set->counts[side]; i++) {
		if (!loaded_texts_agree(texts_of(set->runs[side][0], is_option), texts_of(set->runs[side][i], is_option), name))
			return true;
	}
	return false;
}

static int differ_in(struct compare_sets *sets, const struct compare_pairing *pairing, const struct compare_set *set,
	bool is_option)
{
	const struct loaded_texts *first = texts_of(set->runs[COMPARE_BASE][0], is_option);
	const char *names[NAMES_MAX];
	size_t count = 0;

	for (size_t g = 0; g < COMPARE_SIDES; g++) {
		for (size_t i = 0; i < set->counts[g]; i++)
			count = loaded_texts_differ(texts_of(set->runs[g][i], is_option), first, names, count, NAMES_MAX);
	}
	for (size_t i = 0; i < count; i++) {
		const char *values[COMPARE_SIDES] = {NULL};
		bool is_pool = varies_in(set, COMPARE_BASE, is_option, names[i]) ||
			       varies_in(set, COMPARE_NEW, is_option, names[i]);
		bool is_allowed = compare_is_allowed(pairing, names[i], is_option);

		if (is_option && !compare_is_condition(names[i]))
			continue;
		/* Without a name BASE may differ from NEW, but unlike measurements do not become one group. */
		if (is_option && is_pool)
			is_allowed = compare_is_named(pairing, names[i]);
		for (size_t g = 0; g < COMPARE_SIDES; g++) {
			if (set->counts[g] == 0)
				continue;
			values[g] = values_of(&sets->arena, set->runs[g], set->counts[g], is_option, names[i]);
			if (!values[g])
				return -ENOMEM;
		}
		if (add_difference(sets, &(struct compare_difference){is_option ? "option" : "machine", names[i],
				values[COMPARE_BASE], values[COMPARE_NEW], values[COMPARE_AA], is_allowed}))
			return -ENOMEM;
	}
	return 0;
}

static int differ_between(
	struct compare_sets *sets, const struct compare_pairing *pairing, const struct compare_set *set)
{
	const char *base = set->runs[COMPARE_BASE][0]->tool, *new = set->runs[COMPARE_NEW][0]->tool;
	const struct compare_difference tool = {"tool", "name", base, new, NULL, false};
	int err = strcmp(base, new) ? add_difference(sets, &tool) : 0;

	if (!err)
		err = differ_in(sets, pairing, set, true);
	return err ? err : differ_in(sets, pairing, set, false);
}

static size_t count_unlike(
	const struct compare_pairing *pairing, const struct compare_run *one, const struct compare_run *other)
{
	const char *names[NAMES_MAX];
	size_t count = loaded_texts_differ(&one->options, &other->options, names, 0, NAMES_MAX), unlike = 0;

	for (size_t i = 0; i < count; i++)
		unlike += compare_is_condition(names[i]) && !compare_is_allowed(pairing, names[i], true);
	return unlike + (strcmp(one->tool, other->tool) ? NAMES_MAX : 0);
}

/* Nothing is paired: why not. */
static int differ_from_nearest(struct compare_sets *sets, const struct compare_pairing *pairing)
{
	struct compare_set both = {.title = ""};
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < sets->count && !both.counts[COMPARE_BASE]; i++)
		both = sets->sets[i];
	both.counts[COMPARE_AA] = 0;
	for (size_t i = 0; i < sets->count && both.counts[COMPARE_BASE]; i++) {
		const struct compare_set *set = &sets->sets[i];
		size_t unlike;

		if (!set->counts[COMPARE_NEW])
			continue;
		unlike = count_unlike(pairing, both.runs[COMPARE_BASE][0], set->runs[COMPARE_NEW][0]);
		if (unlike < least) {
			least = unlike;
			both.runs[COMPARE_NEW] = set->runs[COMPARE_NEW];
			both.counts[COMPARE_NEW] = set->counts[COMPARE_NEW];
		}
	}
	return both.counts[COMPARE_BASE] && both.counts[COMPARE_NEW] ? differ_between(sets, pairing, &both) : 0;
}

/* NULL when they are not all the same, or not known. */
static const char *one_boot(const struct compare_set *set, enum compare_side side)
{
	const char *first = set->runs[side][0]->boot_id;

	for (size_t i = 0; i < set->counts[side]; i++) {
		if (strcmp(first, set->runs[side][i]->boot_id) != 0)
			return NULL;
	}
	return first[0] ? first : NULL;
}

/* ISO 8601 in UTC: the order of the texts is that of the times. */
static bool is_all_before(const struct compare_set *set, enum compare_side first, enum compare_side then)
{
	for (size_t i = 0; i < set->counts[first]; i++) {
		for (size_t j = 0; j < set->counts[then]; j++) {
			const char *one = set->runs[first][i]->wall_start, *other = set->runs[then][j]->wall_start;

			if (!one[0] || !other[0] || strcmp(one, other) >= 0)
				return false;
		}
	}
	return true;
}

static int note_confusions(struct compare_sets *sets, const struct compare_set *set)
{
	const char *base = one_boot(set, COMPARE_BASE), *new = one_boot(set, COMPARE_NEW);
	const struct compare_run *base_run = set->runs[COMPARE_BASE][0], *new_run = set->runs[COMPARE_NEW][0];
	bool is_ordered = is_all_before(set, COMPARE_BASE, COMPARE_NEW) ||
			  is_all_before(set, COMPARE_NEW, COMPARE_BASE);
	int err = 0;

	if (strcmp(base_run->tool_version, new_run->tool_version) != 0)
		err = compare_note(sets, "the versions of %.40s differ: %.40s, %.40s", set->tool,
			base_run->tool_version, new_run->tool_version);
	if (!err && base && new && strcmp(base, new) != 0)
		err = compare_note(sets,
			"BASE ran in one boot and NEW in another: every change includes differences between "
			"boots; use runs of several boots each, or --floor with them");
	else if (!err && is_ordered && set->counts[COMPARE_BASE] > 1 && set->counts[COMPARE_NEW] > 1)
		err = compare_note(sets,
			"all of one group ran before the other: every change includes a slow drift of the "
			"machine; interleave the runs to avoid it");
	return err;
}

int compare_differ(struct compare_sets *sets, const struct compare_pairing *pairing)
{
	int err = 0;

	if (sets->paired_count == 0)
		return differ_from_nearest(sets, pairing);
	for (size_t i = 0; i < sets->count && !err; i++) {
		if (!sets->sets[i].is_paired)
			continue;
		err = differ_between(sets, pairing, &sets->sets[i]);
		if (!err)
			err = note_confusions(sets, &sets->sets[i]);
	}
	return err;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which runs are compared with which: those of one set of parameters, that is of one tool with equal options
 * (or equal in what --group-by names), and what else differs in a set. Seeds, labels and the names of outputs
 * are no differences.
 */
#ifndef MEMSTOR_COMPARE_SETS_H
#define MEMSTOR_COMPARE_SETS_H

#include <stdbool.h>
#include <stddef.h>

#include "memstor/compare/run.h"
#include "memstor/compare/sets.h"

#define COMPARE_NAMES_MAX 64

struct compare_pairing {
	const char *group_by[COMPARE_NAMES_MAX]; /* labels or options */
	size_t group_by_count;
	const char *allowed[COMPARE_NAMES_MAX]; /* options and facts of the machine that may differ */
	size_t allowed_count;
	bool are_options_allowed, is_machine_allowed, are_sets_allowed;
};

struct compare_set {
	const char *title; /* what sets it apart from the others: "pattern=zipf ratio=80"; "" for the only one */
	const char *tool;
	struct compare_run **runs[COMPARE_SIDES];
	size_t counts[COMPARE_SIDES];
	bool is_paired; /* it has BASE and NEW */
};

struct compare_difference {
	const char *kind; /* "option" "machine" "tool" */
	const char *name;
	const char *base, *new; /* values, "4 and 8" when a group has several, "none" */
	const char *aa;         /* of --floor; NULL without */
	bool is_allowed;        /* by --allow-different */
};

struct compare_sets { /* zeroed: none */
	struct arena arena;
	struct compare_run **sorted;
	struct compare_set *sets; /* in the order of their first runs */
	size_t count, paired_count;
	struct compare_difference *differences;
	size_t difference_count, difference_room;
	const char **notes; /* what may be in a change besides the change */
	size_t note_count, note_room;
};

/* When no set has both BASE and NEW, the differences are those of the first set of BASE to the one of NEW
 * that is most like it. 0 or -ENOMEM. */
int compare_pair(const struct compare_runs *runs, const struct compare_pairing *pairing, struct compare_sets *sets);
void compare_sets_free(struct compare_sets *sets);

/* Whether the first bytes of text are its title, or the step of all of its runs. */
bool compare_is_set_called(const struct compare_set *set, const char *text, size_t length);

/* Whether an option says how something was measured, and not where to, under which name and from which seed. */
bool compare_is_condition(const char *option);

/* Adds a note, once. 0 or -ENOMEM. */
int compare_note(struct compare_sets *sets, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What differs inside sets though it should not; private to compare/sets.c. */
/* Whether --allow-different has the name itself. */
bool compare_is_named(const struct compare_pairing *pairing, const char *name);
/* Whether runs may differ in an option, or in a fact of the machine. */
bool compare_is_option_allowed(const struct compare_pairing *pairing, const char *option);
bool compare_is_fact_allowed(const struct compare_pairing *pairing, const char *fact);

/* Fills differences and notes. 0 or -ENOMEM. */
int compare_differ(struct compare_sets *sets, const struct compare_pairing *pairing);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A suite: named steps, each a program with its options, repetitions, needs and a time budget; memstor-suite(5) is
 * the format. Everything that the text alone can tell is checked here, nothing about the machine.
 */
#ifndef MEMSTOR_SUITE_SUITE_H
#define MEMSTOR_SUITE_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "memstor/suite/line.h"
#include "memstor/suite/need.h"

#define SUITE_TEXT_MAX ((size_t)256 << 10)
#define SUITE_STEPS_MAX 1000
#define SUITE_STEP_LINES_MAX 32
#define SUITE_NAME_MAX 64
#define SUITE_FOR_MAX 8
#define SUITE_NEEDS_MAX 16
#define SUITE_VARIABLES_MAX 64
#define SUITE_RUNS_MAX 1000
#define SUITE_BUDGET_OTHERWISE_NS (600 * UNITS_NS_PER_SEC)

struct suite_step {
	const char *name;        /* letters, digits and ._,+=%-: a folder's name, too */
	unsigned line;           /* of its words */
	size_t word_count;
	const char *const *words; /* the program and its arguments, NULL behind the last */
	bool is_command;         /* any program, by its name in PATH or its path: its end is its result */
	unsigned repeat, warmup; /* 1 to SUITE_RUNS_MAX, 0 to SUITE_RUNS_MAX */
	uint64_t budget_ns;      /* of one run */
	size_t need_count;
	const struct suite_need *needs;
};

struct suite {
	const char *about; /* one line, "" = none */
	size_t step_count;
	const struct suite_step *steps;
	struct arena arena; /* holds all of it */
};

/*
 * settings replace the values of `set` and `for` lines of their names; a list of `for` is divided at blanks. file is
 * for messages; folder is the value of $here, NULL = there is none. 0, -ENOMEM, or -EINVAL and one line in why that
 * begins with "FILE:LINE: " (or "--set ").
 */
int suite_parse(const char *file, const char *folder, const char *text, size_t size, const struct suite_scope *settings,
	struct suite *suite, char *why, size_t length);
void suite_free(struct suite *suite);

/* What a name of a step may be made of, for messages. */
#define SUITE_NAME_ALLOWED "letters, digits and ._,+=%-, beginning with a letter or digit, up to 64"
bool suite_is_name(const char *text);

#endif

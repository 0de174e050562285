/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A suite: named steps, each a program with its options, repetitions, requirements and a time budget. memstor-suite(5)
 * describes the format. Only the text is checked here, not the machine.
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
	const char *name;        /* letters, digits and ._,+=%-; also the name of a folder */
	unsigned line;           /* the line of its words */
	size_t word_count;
	const char *const *words; /* the program and its arguments, terminated by NULL */
	bool is_command;         /* any program, by its name in PATH or its path; its result is its exit status */
	unsigned repeat, warmup; /* repeat from 1, warmup from 0, both up to SUITE_RUNS_MAX */
	uint64_t budget_ns;      /* for one run */
	size_t need_count;
	const struct suite_need *needs;
};

struct suite {
	const char *about; /* one line, "" = none */
	size_t step_count;
	const struct suite_step *steps;
	struct arena arena; /* holds the texts and arrays */
};

/*
 * Parses a suite. settings replace the values of `set` and `for` lines of the same names; a list of `for` is split at
 * blanks. file is used in messages; folder is the value of $here, NULL = there is none. Returns 0, -ENOMEM, or -EINVAL and
 * one line in why that begins with "FILE:LINE: " (or "--set ").
 */
int suite_parse(const char *file, const char *folder, const char *text, size_t size, const struct suite_scope *settings,
	struct suite *suite, char *why, size_t length);
void suite_free(struct suite *suite);

/* The valid names of a step, for messages. suite_is_name checks a name. */
#define SUITE_NAME_ALLOWED "letters, digits and ._,+=%-, beginning with a letter or digit, up to 64"
bool suite_is_name(const char *text);

#endif

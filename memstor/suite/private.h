/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by suite.c and suite/step.c only. */
#ifndef MEMSTOR_SUITE_PRIVATE_H
#define MEMSTOR_SUITE_PRIVATE_H

#include "common/units.h"
#include "memstor/suite/suite.h"

#define SUITE_KEYWORDS 16
#define SUITE_KNOWN_MAX 128
#define BUDGET_MIN_NS 10000000ull
#define BUDGET_MAX_NS (168 * 3600 * UNITS_NS_PER_SEC)

enum { IN_HEAD = 1, IN_STEP = 2 };

struct suite_parser;

struct suite_keyword_row {
	const char *name;
	unsigned places;
	bool is_once;    /* at most once in the head and in each step */
	size_t min, max; /* number of words after it */
	const char *form;
	/* Called when the number of words is valid. Returns 0 or parser->error. NULL = the parser handles the line itself. */
	int (*take)(struct suite_parser *parser, struct suite_step *step, const struct suite_line *line);
};

struct suite_entry { /* a line of a step, read once its variables are known */
	const struct suite_keyword_row *row;
	const char *at;
	unsigned line;
};

struct suite_block { /* the step being read; line 0 = none */
	unsigned line;
	const char *name_at;
	unsigned seen[SUITE_KEYWORDS]; /* line of each keyword, 0 = not seen */
	size_t count;
	struct suite_entry entries[SUITE_STEP_LINES_MAX];
};

struct suite_loop { /* a `for` line of a step */
	const char *name;
	size_t count, now;
	const char **values;
};

struct suite_parser {
	const char *file, *end;
	unsigned line; /* the line that messages refer to */
	struct suite *suite;
	struct suite_step *steps; /* of the suite, SUITE_STEPS_MAX of them */
	const struct suite_scope *settings;
	bool is_used[SUITE_VARIABLES_MAX];      /* per setting */
	size_t known_count;
	const char *known[SUITE_KNOWN_MAX];     /* names that --set may use */
	struct suite_scope scope;
	struct suite_variable variables[SUITE_VARIABLES_MAX + SUITE_FOR_MAX];
	struct suite_step defaults;
	unsigned head_seen[SUITE_KEYWORDS];
	struct suite_block block;
	struct suite_line words; /* the line being read */
	char *why;
	size_t length;
	int error; /* the first error */
};

extern const struct suite_need suite_no_needs[1];

/* Reports an error in a line of the suite, unless there was one before. Returns parser->error. */
int suite_refuse(struct suite_parser *parser, unsigned line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Allocate from the suite's arena. If memory is short they set the error and return NULL or "". */
void *suite_allocate(struct suite_parser *parser, size_t size);
const char *suite_copy(struct suite_parser *parser, const char *text);
/* Returns the value that replaces that of a variable; NULL = none. Makes the name known for --set. */
const char *suite_setting(struct suite_parser *parser, const char *name);

/* Reads a line of the suite with the values of its variables into parser->words. Returns 0 or parser->error. */
int suite_read_words(struct suite_parser *parser, const char *at, unsigned line);
/* Makes the steps of the current block, if there is one. */
int suite_end_block(struct suite_parser *parser);

#endif

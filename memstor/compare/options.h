/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of memstor compare. */
#ifndef MEMSTOR_COMPARE_OPTIONS_H
#define MEMSTOR_COMPARE_OPTIONS_H

#include <stdbool.h>

#include "common/arena.h"
#include "common/command.h"
#include "memstor/compare/outcome.h"

enum compare_format { COMPARE_JSON, COMPARE_CSV, COMPARE_MARKDOWN, COMPARE_FORMATS };
enum compare_colour { COMPARE_COLOUR_AUTO, COMPARE_COLOUR_ALWAYS, COMPARE_COLOUR_NEVER };

#define COMPARE_HISTOGRAMS_MAX 16

struct compare_options {
	struct compare_request request;
	struct metric histograms[COMPARE_HISTOGRAMS_MAX];
	const char *outputs[COMPARE_FORMATS]; /* NULL = not wanted, "-" = stdout */
	enum compare_colour colour;
	const char *floors[COMPARE_GATES_MAX];
	size_t floor_count;
	int behind;     /* index of the first word behind "--", 0 = none */
	bool is_behind; /* that is being parsed */
	struct arena arena; /* words of --group-by and --allow-different */
};

extern const struct argp_option compare_option_table[];

/* 0 or a diag_exit code after one line; to be freed even so. */
int compare_options_parse(const struct command *command, int argc, char **argv, struct compare_options *options);
void compare_options_free(struct compare_options *options);

#endif

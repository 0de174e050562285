/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of memstor compare: command_compare, and what it gives to compare_groups. */
#ifndef MEMSTOR_COMPARE_OPTIONS_H
#define MEMSTOR_COMPARE_OPTIONS_H

#include "common/arena.h"
#include "memstor/commands.h"
#include "memstor/compare/outcome.h"

enum compare_format { COMPARE_JSON, COMPARE_CSV, COMPARE_MARKDOWN, COMPARE_FORMATS };
enum compare_colour { COMPARE_COLOUR_AUTO, COMPARE_COLOUR_ALWAYS, COMPARE_COLOUR_NEVER };

#define COMPARE_HISTOGRAMS_MAX 16

struct compare_options {
	struct compare_request request;
	struct metric histograms[COMPARE_HISTOGRAMS_MAX];
	const char *outputs[COMPARE_FORMATS]; /* NULL = not wanted, "-" = stdout */
	const char *columns; /* of the text: the metrics alone; NULL = everything */
	bool has_no_headings;
	enum compare_colour colour;
	size_t floor_count;
	struct arena arena; /* words of --group-by and --allow-different */
};

/* Reads the reports, compares and prints. A diag_exit code, or COMPARE_EXIT_REFUSED, after one line. */
int compare_groups(struct compare_options *options);

#endif

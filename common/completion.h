/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a shell's completion has to know of a program. The program says it itself when COMPLETION_ROWS is its only word,
 * so that it is never another version's (docs/adr/0018-completion.md); completion/memstor.* ask. One row a line, its
 * words apart by one blank, "-" for none:
 *
 *   command NAME                                    a subcommand; PROGRAM NAME --completion-rows prints its rows
 *   option --LONG -LETTER VALUE TIMES [CHOICE...]
 *   argument - - VALUE TIMES [CHOICE...]            in the order of the command line
 *
 * VALUE is none, text, list (words with commas between), file, folder, report or command (the rest of the line is a
 * command of its own); with a "?" behind it may be left out, and is given after "=" only. TIMES is once or many. A CHOICE
 * is one of the words that the value may be, or its beginning when it ends in ":" or "=".
 */
#ifndef COMMON_COMPLETION_H
#define COMMON_COMPLETION_H

#include "common/opt.h"

#define COMPLETION_ROWS "--completion-rows"

enum completion_value {
	COMPLETION_NONE,
	COMPLETION_TEXT,
	COMPLETION_LIST,
	COMPLETION_FILE,
	COMPLETION_FOLDER,
	COMPLETION_REPORT,
	COMPLETION_COMMAND,
};

/*
 * What a value's name in --help stands for. FILE, PATH, DIR, FOLDER, REPORT and COMMAND are known without being told, and
 * NAME,... is a list of what NAME stands for. Of words with bars between ("svg|png|pdf") those in lower case are the
 * choices; of a single word the same is true.
 */
struct completion_noun {
	const char *name; /* of the value ("SUITE"), or of one option ("--metric"), which comes first; NULL ends an array */
	enum completion_value value;
	/* The words it may be, counted from 0, NULL after the last one. NULL: any. */
	const char *(*choice)(size_t index);
};

/* Whether the program's only word asks for the rows. */
bool completion_is_wanted(int argc, char *const *argv);

/* nouns: the program's own, before those that are known; NULL = none. */
void completion_print_command(FILE *out, const char *name);
/* --help and --version, and --usage where it is understood. */
void completion_print_standard(FILE *out, bool has_usage);
/* The options of a command, those three among them. */
void completion_print_options(FILE *out, const struct opt *rows, const struct completion_noun *nouns);
/* A row for each word of "KIND FILE...", "[-o FILE] REPORT..." as --help prints it; "--", and words in brackets that
 * begin with "-" and what follows in these, have none. */
void completion_print_arguments(FILE *out, const char *text, const struct completion_noun *nouns);

#endif

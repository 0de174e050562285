/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options: one row each. The rows of a command define parsing and its messages, --help, the options in the manual page, the
 * shell's completion, the effective options in reports and the options that --replay takes from a report (common/cli/command.h).
 *
 * The rows of a command end with {0}. Values are written into one structure per command, which is zeroed before.
 */
#ifndef COMMON_CLI_OPT_H
#define COMMON_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/report/report_common.h"

#define OPT_TEXT 2048 /* the longest text of a value in a report, its NUL included */
#define OPT_WHOLE 32  /* of opt_format */

enum opt_type {
	OPT_END,
	OPT_TITLE,    /* no option: `help` is the title of the options that follow, in --help and in the manual */
	OPT_FLAG,     /* bool: becomes true; takes no value */
	OPT_UNSIGNED, /* unsigned, min to max */
	OPT_U64,      /* uint64_t, min to max */
	OPT_DOUBLE,   /* double, low to high */
	OPT_SIZE,     /* uint64_t: bytes, min to max (common/base/units.h); a number without a unit is in `unit`s, or bytes */
	OPT_TIME,     /* uint64_t: nanoseconds, min to max; a number without a unit is in seconds */
	OPT_CHOICE,   /* unsigned or an enum: the index in choices */
	OPT_STRING,   /* const char *: the text as it was typed, not empty */
	OPT_OWN,      /* parsed by `set` */
};

enum opt_flags {
	OPT_REPEATS = 1,     /* each one adds a value; without this flag the last one is used */
	OPT_ZERO = 2,        /* 0 is allowed below min, too */
	OPT_HIDDEN = 4,      /* not in --help, in the manual or offered by the shell */
	OPT_UNREPORTED = 8,  /* no effective option: output files, confirmations, options that exit without measuring */
	OPT_TYPED_ONLY = 16, /* reported, but never taken from a report by --replay: paths, options that write or make swap */
	OPT_FIRST = 32,      /* applied before all others because it may give their values: --preset, --replay */
	OPT_OUTPUT = 128,    /* the value names a file that is written: opt_claim_outputs */
	OPT_ARGUMENT = 64,   /* no option: the command's one argument, or all with OPT_REPEATS; reported under this name */
};

struct opt;

/* A value to be parsed. */
struct opt_value {
	const struct opt *row;
	void *options;    /* the command's structure */
	const char *text; /* lives as long as the struct opt_line */
	const char *why;  /* what is allowed, for the message; `set` may replace it (static text) */
	char allowed[192];
};

/* Returns 0; -EINVAL or -ERANGE: refused; -ENOTSUP: not on this machine; -ENOMEM; -EALREADY: refused, and its line printed. */
typedef int opt_set_fn(struct opt_value *in);
/* Writes the value with this index (0 except for OPT_REPEATS) as text that parses back to it. False: there is none. */
typedef bool opt_get_fn(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT]);

/* Formats an unsigned, u64, size, time or double at the row's offset. A value below min, or a size, time or double of 0, counts
 * as not given. */
opt_get_fn opt_get_plain;
/* Formats nothing, for an option whose value another row formats. */
opt_get_fn opt_get_nothing;

struct opt {
	const char *name;             /* "mapsize": --mapsize */
	int letter;                   /* 0 = none */
	const char *value;            /* "SIZE": the value's name; NULL = takes none. Words with bars between are choices */
	enum opt_type type;
	unsigned flags;               /* enum opt_flags */
	size_t offset;                /* of the value in the command's structure */
	uint64_t min, max, unit;      /* max 0: no upper bound */
	double low, high;
	const char *const *choices;   /* ended by NULL. OPT_CHOICE: the values; else what a shell offers; after ":" more follows */
	const char *preset;           /* the default, as a person would type it: applied when the option is not given */
	const char *bare;             /* the value of --name without one; NULL = it needs a value */
	opt_set_fn *set;              /* OPT_OWN */
	opt_get_fn *get;              /* NULL: effective is what was typed, or the preset */
	const char *allowed;          /* "must be ...": NULL = from the type and its bounds */
	/* Tells whether a report must not supply this value, for options that are OPT_TYPED_ONLY for some values only. NULL =
	 * none. */
	bool (*must_be_typed)(const char *text);
	const char *help;             /* one line, verb first, no period; " (default: PRESET)" is added */
	const char *manual;           /* its paragraph, without the default; NULL = help. See opt_print_manual */
	const char *begins;           /* OPT_OUTPUT: the first bytes of such a file; NULL = a table or picture (report_claim) */
};

/* Relations between options; ended by {0}. */
enum opt_relation_kind {
	OPT_EXCLUDES = 1, /* only one of the two may be typed; a typed one replaces the other one of a report */
	OPT_NEEDS,        /* `one` is refused without `other` */
	OPT_REPLACES,     /* a typed `one` replaces `other` of a report, though both may be typed */
};
struct opt_relation {
	enum opt_relation_kind kind;
	const char *one, *other;
	const char *why; /* "both say where to write; keep one" */
};

/* Sources of values; a value of a higher source replaces one of a lower source. */
enum opt_source { OPT_BY_DEFAULT, OPT_BY_PRESET, OPT_BY_REPORT, OPT_BY_USER };

struct opt_given {
	const struct opt *row;
	char *text;         /* owned; NULL only of a flag */
	enum opt_source source;
	const char *origin; /* the report's name, for messages; NULL = the command line */
};

/* The values given by a command line and its presets. Owns its texts and lists. */
struct opt_line {
	const struct opt *rows;
	const struct opt_relation *relations;
	struct opt_given *given;
	size_t count;
	struct named_text_values *effective; /* opt_list_effective */
	size_t effective_count;
	int *claims; /* opt_claim_outputs */
	size_t claim_count;
};

/* Formats an unsigned, u64, size or time as a person would type it, in the largest unit that divides it: "4M", "90s". */
void opt_format(const struct opt *row, uint64_t value, char text[OPT_WHOLE]);
/* NULL = no option has this name. */
const struct opt *opt_row(const struct opt *rows, const char *name);
/* Appends a value. Returns 0 or -ENOMEM. */
int opt_add(struct opt_line *line, const struct opt *row, const char *text, enum opt_source source, const char *origin);
/* Removes the values that a higher source or a relation replaces. */
void opt_drop_replaced(struct opt_line *line);
/* Sets the options that are OPT_FIRST. Returns 0 or a diag_exit code after one line, as does opt_apply. */
int opt_apply_first(struct opt_line *line, void *options);
/* Calls opt_drop_replaced, checks the relations and sets all other values: defaults in the order of the rows, then given
 * values in the order of their sources. */
int opt_apply(struct opt_line *line, void *options);
/* Returns the highest source that gave this option. */
enum opt_source opt_source_of(const struct opt_line *line, const char *name);
bool opt_is_typed(const struct opt_line *line, const char *name);
/* Returns the effective text: the last text given, or the default. NULL = neither. */
const char *opt_text(const struct opt_line *line, const char *name);
/* Prints one line "--name VALUE: why". Returns DIAG_EXIT_USAGE. */
int opt_refuse(const struct opt_line *line, const char *name, const char *why);
/* Fills line->effective with the values of each reported row, in the order of the rows. Returns 0 or -ENOMEM. */
int opt_list_effective(struct opt_line *line, const void *options);
/* Claims the file of each row with OPT_OUTPUT until opt_free (report_claim): no two rows and no two programs write one file.
 * Returns 0 or a diag_exit code after one line. */
int opt_claim_outputs(struct opt_line *line);
void opt_release_outputs(struct opt_line *line);
void opt_free(struct opt_line *line);

/* Returns, for `set`, the address of the row's member. */
void *opt_field(const struct opt_value *in);
/* Calls add for each word of "a,b,c"; the word is valid until add returns. -EINVAL for an empty word. Returns 0, or a nonzero
 * result of add. */
int opt_each_word(struct opt_value *in, int (*add)(struct opt_value *in, const char *word));
/* Returns the index of text in choices, or -EINVAL. */
int opt_choice(const char *const *choices, const char *text);
/* Tells whether the path of a report or table means standard output. */
bool opt_is_stdout(const char *path);

/* Prints text wrapped at 79 characters; line breaks are kept. */
void opt_print_paragraph(FILE *out, const char *text);
/* Prints the options for --help in two columns of 79 characters together. */
void opt_print_help(FILE *out, const struct opt *rows);
/*
 * Prints the options for a manual page, man(7): a .TP each. In `manual` words that begin with "-" and text between two
 * backquotes become bold, and names of the option's value italic; an empty line begins a paragraph; lines that begin with two
 * blanks are printed as a literal example.
 */
void opt_print_manual(FILE *out, const struct opt *rows);

/*
 * The interface for a shell's completion. The program prints it when COMPLETION_ROWS is its only argument,
 * so that versions always match (docs/adr/0018-completion.md); completion/memstor.* run it. It is one row per line, words
 * separated by one blank, "-" for none:
 *
 *   command NAME                                    a subcommand; PROGRAM NAME --completion-rows prints its rows
 *   option --LONG -LETTER VALUE TIMES [CHOICE...]
 *   argument - - VALUE TIMES [CHOICE...]            in the order of the command line
 *
 * A row that people do not see, but can use, is "hidden" in place of "option".
 *
 * VALUE is none, text, list (words separated by commas), file, output (a file that is written), folder, report or command (the
 * rest of the line is another command); a value with "?" appended may be left out, and is given after "=" only. TIMES is once
 * or many. A CHOICE is one of the words that the value may be, or its beginning when it ends in ":" or "=".
 */

#define COMPLETION_ROWS "--completion-rows"

enum completion_value {
	COMPLETION_NONE,
	COMPLETION_TEXT,
	COMPLETION_LIST,
	COMPLETION_FILE,
	COMPLETION_OUTPUT,
	COMPLETION_FOLDER,
	COMPLETION_REPORT,
	COMPLETION_COMMAND,
};

/*
 * Explains the name of a value in --help. FILE, PATH, DIR, FOLDER, REPORT and COMMAND are built in, and NAME,... is a list of
 * NAMEs. In words separated by bars ("svg|png|pdf") those in lower case are the choices; so is a single word in lower case.
 */
struct completion_noun {
	const char *name; /* of the value ("SUITE"), or of one option ("--metric"), which has priority; NULL ends an array */
	enum completion_value value;
	/* Returns the choice of this index, counted from 0; NULL after the last one. NULL instead of a function: any word. */
	const char *(*choice)(size_t index);
};

/* Tells whether the program's only argument asks for the rows. */
bool completion_is_wanted(int argc, char *const *argv);

/* Prints the rows of --help and --version, and of --usage where the program has it. */
void completion_print_standard(FILE *out, bool has_usage);
/* Prints the rows of a command's options, including the standard ones. nouns: those of the program, which precede the built-in
 * ones; NULL = none. */
void completion_print_options(FILE *out, const struct opt *rows, const struct completion_noun *nouns);
/* Prints a row for each word of "KIND FILE...", "[-o FILE] REPORT..." as --help shows it. "--" has no row, nor have bracketed
 * options such as "[-o FILE]". */
void completion_print_arguments(FILE *out, const char *text, const struct completion_noun *nouns);

#endif

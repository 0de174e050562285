/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options: one row each. From a command's rows come parsing and its messages, --help, the options in the manual page, the
 * shell's completion, the effective options in reports and what --replay takes from a report (common/command.h).
 *
 * The rows of a command end with {0}. Values are written into one structure per command, which is zeroed before.
 */
#ifndef COMMON_OPT_H
#define COMMON_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "common/report_common.h"

#define OPT_TEXT 2048 /* the longest text of a value in a report, its NUL included */

enum opt_type {
	OPT_END,
	OPT_TITLE,    /* no option: `help` is the title of those that follow in --help and in the manual */
	OPT_FLAG,     /* bool: becomes true; takes no value */
	OPT_UNSIGNED, /* unsigned, min to max */
	OPT_U64,      /* uint64_t, min to max */
	OPT_DOUBLE,   /* double, low to high */
	OPT_SIZE,     /* uint64_t: bytes, min to max (common/units.h); a number without a unit is in `unit`s, or bytes */
	OPT_TIME,     /* uint64_t: nanoseconds, min to max; a number without a unit is in seconds */
	OPT_CHOICE,   /* unsigned or an enum: the index in choices */
	OPT_STRING,   /* const char *: the text as it was typed, not empty */
	OPT_OWN,      /* what `set` does */
};

enum opt_flags {
	OPT_REPEATS = 1,     /* each adds a value; of the others the last one holds */
	OPT_ZERO = 2,        /* 0 is allowed below min, too */
	OPT_HIDDEN = 4,      /* not in --help, in the manual or offered by the shell */
	OPT_UNREPORTED = 8,  /* no effective option: where results go, confirmations, what ends without measuring */
	OPT_TYPED_ONLY = 16, /* reported, but never taken from a report by --replay: paths, what writes or makes swap */
	OPT_FIRST = 32,      /* applied before all others, whose values may come from it: --preset, --replay */
	OPT_ARGUMENT = 64,   /* no option: the command's one argument, or all with OPT_REPEATS; reported under this name */
};

struct opt;

/* A value that comes in. */
struct opt_value {
	const struct opt *row;
	void *options;    /* the command's structure */
	const char *text; /* lives as long as the struct opt_line */
	const char *why;  /* what is allowed, for the message; a `set` that knows better sets it (static text) */
	char allowed[192];
};

/* 0; or -EINVAL or -ERANGE: refused; -ENOTSUP: not on this machine; -ENOMEM; -EALREADY: refused, and its line is printed. */
typedef int opt_set_fn(struct opt_value *in);
/* The value with this index (0 but for OPT_REPEATS) as text that parses back to it. False: there is none. */
typedef bool opt_get_fn(const struct opt *row, const void *options, size_t index, char text[OPT_TEXT]);

/* Of an unsigned, u64, size, time or double at the row's offset; below min, or 0 of a size, time or double, is not given. */
opt_get_fn opt_get_plain;
/* Another row writes it. */
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
	const char *const *choices;   /* ended by NULL. OPT_CHOICE: the values; else what a shell offers, ":" goes on */
	const char *preset;           /* the default, as a person would type it: applied when the option is not given */
	const char *bare;             /* the value of --name without one; NULL = it needs a value */
	opt_set_fn *set;              /* OPT_OWN */
	opt_get_fn *get;              /* NULL: effective is what was typed, or the preset */
	const char *allowed;          /* "must be ...": NULL = from the type and its bounds */
	/* OPT_TYPED_ONLY for some values only: true for those that a report may not bring in. NULL = none. */
	bool (*must_be_typed)(const char *text);
	const char *help;             /* one line, verb first, no period; " (default: PRESET)" is added */
	const char *manual;           /* its paragraph, without the default; NULL = help. See opt_print_manual */
};

/* Options that have to do with each other; ended by {0}. */
enum opt_relation_kind {
	OPT_EXCLUDES = 1, /* only one of both on a command line; a typed one replaces the other of a report */
	OPT_NEEDS,        /* `one` is nothing without `other` */
	OPT_REPLACES,     /* a typed `one` replaces `other` of a report, though both may be typed */
};
struct opt_relation {
	enum opt_relation_kind kind;
	const char *one, *other;
	const char *why; /* "both say where to write; keep one" */
};

/* Which source gave a value; a higher one replaces what a lower one gave. */
enum opt_source { OPT_BY_DEFAULT, OPT_BY_PRESET, OPT_BY_REPORT, OPT_BY_USER };

struct opt_given {
	const struct opt *row;
	char *text;         /* owned; NULL only of a flag */
	enum opt_source source;
	const char *origin; /* the report's name, for messages; NULL = the command line */
};

/* What a command line and its presets gave. Owns its texts and lists. */
struct opt_line {
	const struct opt *rows;
	const struct opt_relation *relations;
	struct opt_given *given;
	size_t count;
	struct report_option *effective; /* opt_list_effective */
	size_t effective_count;
};

/* NULL = no such option. */
const struct opt *opt_row(const struct opt *rows, const char *name);
/* Adds a value behind those that are there. 0 or -ENOMEM. */
int opt_add(struct opt_line *line, const struct opt *row, const char *text, enum opt_source source, const char *origin);
/* Drops the values that a higher source or a relation replaces. */
void opt_drop_replaced(struct opt_line *line);
/* Sets those that are OPT_FIRST. 0 or a diag_exit code, after one line, as opt_apply. */
int opt_apply_first(struct opt_line *line, void *options);
/* opt_drop_replaced, then checks the relations and sets all other values: defaults in the order of the rows, then what was
 * given, by source. */
int opt_apply(struct opt_line *line, void *options);
/* The highest source that gave it. */
enum opt_source opt_source_of(const struct opt_line *line, const char *name);
bool opt_is_typed(const struct opt_line *line, const char *name);
/* What holds: the last text that was given, or the preset. NULL = neither. */
const char *opt_text(const struct opt_line *line, const char *name);
/* One line "--name VALUE: why". Returns DIAG_EXIT_USAGE. */
int opt_refuse(const struct opt_line *line, const char *name, const char *why);
/* line->effective: of each row that is reported its values, in the order of the rows. 0 or -ENOMEM. */
int opt_list_effective(struct opt_line *line, const void *options);
void opt_free(struct opt_line *line);

/* For `set`: the member that the row is about. */
void *opt_field(const struct opt_value *in);
/* add for each of "a,b,c", with a word that lives until it returns; -EINVAL for an empty one. 0, or what add returned. */
int opt_each_word(struct opt_value *in, int (*add)(struct opt_value *in, const char *word));
/* The index of text in choices, or -EINVAL. */
int opt_choice(const char *const *choices, const char *text);
/* A path of a report or table on standard output. */
bool opt_is_stdout(const char *path);

/* Wrapped at 79 characters; a line break is kept. */
void opt_print_paragraph(FILE *out, const char *text);
/* The options of --help, two columns of together 79 characters. */
void opt_print_help(FILE *out, const struct opt *rows);
/*
 * The options of a manual page, man(7): a .TP each. Of `manual`: a word that begins with "-" and what stands between two
 * backquotes is bold, the names of the option's value are italic, an empty line begins a paragraph, lines that begin with two
 * blanks are an example as it is.
 */
void opt_print_manual(FILE *out, const struct opt *rows);

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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commands: a program has one ("pmbench") or several ("memstor compare"). All command lines are parsed here.
 * Every command understands --help, --usage and --version, --completion-rows (common/cli/opt.h), and --manual-options: its
 * options as man(7), for the manual page.
 */
#ifndef COMMON_CLI_COMMAND_H
#define COMMON_CLI_COMMAND_H

#include "common/cli/opt.h"

struct completion_noun;
struct command;

struct program {
	const char *name;                           /* "memstor" */
	const char *summary;                        /* what it is for: the second line of --help */
	const char *examples;                       /* lines "  PROGRAM COMMAND ...\n", shown first in --help; NULL = none */
	const struct command *const *commands;      /* in the order of --help, ended by NULL; NULL: the program is one command */
	const struct completion_noun *option_nouns, *argument_nouns; /* common/cli/opt.h; NULL = none */
};

enum command_flags {
	COMMAND_IN_ORDER = 1,         /* options end at the first argument: what follows is another program's */
	COMMAND_OPTIONS_BEHIND = 2,   /* options may follow "--", too, when it separates two kinds of arguments */
	COMMAND_GROUPS = 4,           /* each "--" is passed to take as an argument, and options may follow it */
};

struct command {
	const struct program *program;
	const char *name;                      /* "compare"; NULL: the program's only one */
	const char *arguments;                 /* "BASE... -- NEW...": for --help and completion; NULL = takes none */
	const char *summary;                   /* one line, lower case, no period: for PROGRAM --help */
	const char *doc;                       /* what it does: a paragraph of --help, before examples and options */
	const char *examples;                  /* lines "  PROGRAM ...\n"; NULL = none */
	const char *notes;                     /* a paragraph of --help behind the options; NULL = none */
	const struct opt *options;             /* ended by {0} */
	const struct opt_relation *relations;  /* ended by {0}; NULL = none */
	unsigned flags;                        /* enum command_flags */
	/* Adds the options of a preset or report, after the options with OPT_FIRST and before all others are set; NULL = none.
	 * Returns 0 or a diag_exit code after one line, as do the next two. */
	int (*add)(void *options, struct opt_line *line);
	/* Takes one argument; is_behind: it stands after "--". NULL: the command has an OPT_ARGUMENT row, or no argument. */
	int (*take)(void *options, const char *text, bool is_behind);
	/* Checks combinations of values after all of them are set. NULL = nothing to check. */
	int (*check)(void *options, struct opt_line *line);
	/* argv[0] is the subcommand's name. Returns an exit code (common/base/diag.h), after its one line on stderr. */
	int (*run)(const struct command *command, int argc, char **argv);
};

/* Runs main for a program of several commands: help, version, completion, and the command that argv[1] names. */
int command_main(const struct program *program, int argc, char **argv);

/*
 * Reads argv into options, which the caller has zeroed. line records the given options; the caller frees it by opt_free, also
 * after an error. The order of argv is kept. With COMMAND_IN_ORDER *rest is the first argument in argv, or its NULL; otherwise
 * rest is NULL. Returns 0, or a diag_exit code after one line; does not return from --help and the like.
 */
int command_parse(const struct command *command, int argc, char **argv, void *options, struct opt_line *line, char ***rest);

/* --replay FILE takes the options of an earlier run from its report. */

struct report_node;

/* How --replay works for one command. */
struct replay {
	const char *root;    /* the reports' root element: "pmbenchmark" */
	const char *command; /* "run": the subcommand that must have made the report; NULL = any */
	/* Calls replay_add for each option of a signature without <options>. Returns 0, -EINVAL when it finds no option that it
	 * knows, or -ENOMEM; NULL = none are known. */
	int (*take_other)(const struct report_node *signature, struct opt_line *line, const char *path);
};

/*
 * Adds those options of the report at path to the line, as OPT_BY_REPORT, that the command line does not replace. A drawn seed is
 * repeated. Prints one line that lists the options. Returns 0, or a diag_exit code after one line for another kind of report, an
 * option that this version lacks, or an option that must be typed (OPT_TYPED_ONLY, must_be_typed).
 */
int replay_take(const struct replay *replay, const char *path, struct opt_line *line);
/* For take_other. Returns 0; -EINVAL: no option has that name; -ENOMEM. */
int replay_add(struct opt_line *line, const char *path, const char *name, const char *value);

#endif

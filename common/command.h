/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs of subcommands: a table of rows, and the only way a row's words are parsed. The options of a row are what
 * --help, the shell's completion and the manual's test see. A value name of words with bars between ("svg|png|pdf")
 * is a choice of these; FILE is a file, DIR a folder (common/completion.h); an option whose help says "repeatable"
 * may be given again. What else a name can stand for is a row of the program's nouns.
 */
#ifndef COMMON_COMMAND_H
#define COMMON_COMMAND_H

#include <argp.h>

struct completion_noun;
struct command;

struct program {
	const char *name;                           /* "memstor" */
	const char *summary;                        /* what it is for: the second line of --help */
	const char *examples;                       /* lines "  PROGRAM COMMAND ...\n": what --help has first; NULL = none */
	const struct command *const *commands;      /* in the order of --help, ended by NULL */
	const struct completion_noun *option_nouns, *argument_nouns; /* common/completion.h; NULL = none */
};

struct command {
	const struct program *program;
	const char *name;                  /* "compare" */
	const char *arguments;             /* "BASE... -- NEW..." */
	const char *summary;               /* one line, lower case, no period: for PROGRAM --help */
	const char *doc;                   /* argp's: what it does, \v, examples, the rest: examples are shown first */
	const struct argp_option *options; /* ended by {0} */
	unsigned flags;                    /* argp's: ARGP_IN_ORDER for who must know what stood before "--" */
	/* argv[0] is the subcommand's name. Returns an exit code (common/diag.h), after its one line on stderr. */
	int (*run)(const struct command *command, int argc, char **argv);
};

/* The whole of main: help, version, the shell's completion, and the command that argv[1] names. An exit code. */
int command_main(const struct program *program, int argc, char **argv);

/* argp with input as the parser's state->input. Wrong words are one line on stderr. 0 or DIAG_EXIT_USAGE; does not
 * return from --help. */
int command_parse(const struct command *command, argp_parser_t parser, int argc, char **argv, void *input);

/* For parsers: one line "--option 'value': why", and what they return then. */
error_t command_refuse(const char *option, const char *value, const char *why);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The programs that a suite may run, one table row each or one for each of their subcommands, and where they are: beside
 * memstor itself, in a build tree in the folder of their name beside memstor's, in PATH. Those of the first two belong to
 * root, the effective user or memstor's own owner.
 */
#ifndef MEMSTOR_RUN_FIND_H
#define MEMSTOR_RUN_FIND_H

#include <stdbool.h>
#include <stddef.h>

struct run_program {
	const char *name;
	const char *command;          /* its subcommand, the second word; NULL = it has none */
	const char *output;           /* its option for its result; the path is the next word */
	const char *result;           /* the file's name: report.xml, or what other steps take; NULL = its end is its result */
	bool is_report;               /* that is a report */
	const char *label;            /* its option for a label; NAME=VALUE is the next word; NULL = it has none */
	const char *check;            /* its option to check options and end; exit codes as everywhere; NULL = it has none */
	const char *const *reserved;  /* options that memstor gives, or that are no run; ended by NULL */
	const char *valued;           /* its letters that a value follows, but the reserved ones */
	const char *kept;             /* the one word that may hold a reserved option: it writes `beside`; NULL = none */
	const char *beside;           /* a file that it may leave where it runs, and that is kept beside the result; NULL = none */
};

/* Of every step that is a command of the suite's own. */
extern const struct run_program run_program_command;

/* By the first words of a step, ended by NULL; NULL when it is not in the table. */
const struct run_program *run_program(const char *const *words);
/* "pmbench, iowrite-bench run, ..." */
void run_program_names(char *text, size_t length);
/* The reserved option that is in word, also when only its beginning is written or other letters are before it; NULL =
 * none. */
const char *run_program_reserves(const struct run_program *program, const char *word);

/* The path of an executable file. 0 or -ENOENT. */
int run_find(const char *name, char *path, size_t length);
/* In this folder, or as in a build tree in the folder of its name. 0 or -ENOENT. */
int run_find_in(const char *folder, const char *name, char *path, size_t length);

#endif

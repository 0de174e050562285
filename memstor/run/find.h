/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The programs that a suite may run, one table row each, and where they are: beside memstor itself, in the folder of
 * their name beside memstor's (a build tree), in PATH.
 */
#ifndef MEMSTOR_RUN_FIND_H
#define MEMSTOR_RUN_FIND_H

#include <stddef.h>

struct run_program {
	const char *name;
	const char *report;           /* its option for the report; the path is the next word */
	const char *label;            /* its option for a label; NAME=VALUE is the next word */
	const char *check;            /* its option to check options and end; exit codes as everywhere */
	const char *const *reserved;  /* options that memstor gives, or that are no run; ended by NULL */
};

/* NULL when it is not in the table. */
const struct run_program *run_program(const char *name);
/* "pmbench, ..." */
void run_program_names(char *text, size_t length);
/* The reserved option that word is, also when only its beginning is written; NULL = none. */
const char *run_program_reserves(const struct run_program *program, const char *word);

/* The path of an executable file. 0 or -ENOENT. */
int run_find(const char *name, char *path, size_t length);
int run_find_in_path(const char *name, char *path, size_t length);

#endif

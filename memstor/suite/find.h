/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of a suite. A word with a slash in it, or that ends in ".suite", is a file; any other is the name of a
 * suite that memstor comes with, which is part of the program.
 */
#ifndef MEMSTOR_SUITE_FIND_H
#define MEMSTOR_SUITE_FIND_H

#include <stddef.h>

#include "memstor/suite/suite.h"

struct suite_text {
	char name[SUITE_NAME_MAX + 1]; /* "smoke": without folder and ".suite" */
	const char *file;              /* for messages */
	char *folder;                  /* absolute, of the file; NULL = it is memstor's own */
	char *text;
	size_t size;
};

/* 0, or a diag_exit code after one line. file points to word. */
int suite_find(const char *word, struct suite_text *text);
void suite_text_free(struct suite_text *text);

/* The i-th suite that memstor comes with; NULL behind the last. */
const char *suite_shipped(size_t i);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the text of a suite. A word that contains a slash or ends in ".suite" is a file; any other word is the name of a
 * built-in suite.
 */
#ifndef MEMSTOR_SUITE_FIND_H
#define MEMSTOR_SUITE_FIND_H

#include <stddef.h>

#include "memstor/suite/suite.h"

struct suite_text {
	char name[SUITE_NAME_MAX + 1]; /* "smoke": the name without folder and ".suite" */
	const char *file;              /* for messages */
	char *folder;                  /* the absolute folder of the file; NULL = a built-in suite */
	char *text;
	size_t size;
};

/* Finds and reads a suite; text->file points to word. Returns 0, or a diag_exit code after one line. */
int suite_find(const char *word, struct suite_text *text);
void suite_text_free(struct suite_text *text);

/* Returns the name of the i-th built-in suite; NULL after the last. */
const char *suite_shipped(size_t i);

#endif

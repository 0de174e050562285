/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares what a test made with tests/golden; UPDATE_GOLDEN=1 writes it there instead, to be read before it is
 * committed. */
#ifndef TESTS_UNIT_GOLDEN_H
#define TESTS_UNIT_GOLDEN_H

/* What differs from build to build becomes "@": the package's version, the compiler, its flags. In place. */
void golden_normalise(char *text);
void golden_compare(const char *name, const char *text);
/* The whole file; freed by the caller. */
char *golden_read(const char *path);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program said on stderr, in one line. */
#ifndef MEMSTOR_RUN_TAIL_H
#define MEMSTOR_RUN_TAIL_H

#include <stddef.h>

enum run_tail { RUN_TAIL_FIRST, RUN_TAIL_LAST };

/* The first or last line of the file that is not empty, without "PROGRAM: " before it, cut to length; what a
 * terminal obeys becomes '?'. "" when there is none. */
void run_tail(int fd, const char *program, enum run_tail which, char *line, size_t length);

#endif

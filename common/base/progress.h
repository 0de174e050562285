/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shows one line on a terminal and rewrites it in place; prints nothing elsewhere. Never called by a measuring thread.
 */
#ifndef COMMON_BASE_PROGRESS_H
#define COMMON_BASE_PROGRESS_H

#include <stdbool.h>

struct progress {
	bool is_shown;
	int width; /* of the line last written */
};

/* Shown when stderr is a terminal and TERM is not "dumb", unless is_quiet. */
void progress_init(struct progress *progress, bool is_quiet);
void progress_line(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));
void progress_clear(struct progress *progress);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of cells, "pwrite.direct.append.write.4k", in a picture: of several the parts in which they differ are said with
 * each, and those which all share once.
 */
#ifndef MEMSTOR_PLOT_PARTS_H
#define MEMSTOR_PLOT_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "memstor/plot/text.h"

#define PLOT_PARTS_MAX 16

struct plot_parts { /* all 0 = no names yet */
	size_t names, count;
	char first[PLOT_TEXT];
	bool differs[PLOT_PARTS_MAX];
	bool is_uneven; /* they have not the same number of parts, or too many: nothing is taken off */
};

void plot_parts_add(struct plot_parts *parts, const char *name);
/* What tells a name of them from the others, the whole of it when nothing does. Returns text. */
char *plot_parts_own(const struct plot_parts *parts, const char *name, char *text, size_t length);
/* What all of them share; "" when nothing was taken off. Returns text. */
char *plot_parts_common(const struct plot_parts *parts, char *text, size_t length);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When the kernel began to flush, and when to throttle: the points that the CAWL paper marks in its figures 6 to 8. */
#ifndef MEMSTOR_PLOT_IOWRITE_BEGINS_H
#define MEMSTOR_PLOT_IOWRITE_BEGINS_H

#include <stdbool.h>
#include <stdio.h>

#include "memstor/plot/iowrite/threshold.h"
#include "memstor/plot/iowrite/write.h"

enum plot_begin_of { PLOT_BEGIN_FLUSH, PLOT_BEGIN_THROTTLE, PLOT_BEGINS };

struct plot_begin { /* of the first write that goes with it; NAN = none does */
	double time_s, cached;
};

struct plot_begins {
	struct plot_begin measured[PLOT_BEGINS], predicted[PLOT_BEGINS] /* by the kernel's model */, cawl[PLOT_BEGINS];
};

/* Flushing begins when what is dirty reaches the background threshold, which may be over when the write is: then it
 * shows in what is being written. Throttling begins when both reach the middle between it and the limit. */
struct plot_begins plot_begins_find(const struct plot_writes *writes, const struct plot_thresholds *thresholds);
bool plot_begins_has(const struct plot_begin *begins);
/* "Flushing begins after 0.1 s (kernel's model: 0.11 s, cawl: 0.12 s), throttling after 0.15 s (...: never)."; "" when
 * there is nothing to say. Returns text. */
char *plot_begins_say(const struct plot_begins *begins, bool has_predicted, bool has_cawl, char *text, size_t length);
/* As gnuplot's data block of this name. */
void plot_begins_write(FILE *out, const char *name, const struct plot_begin *begins);

#endif

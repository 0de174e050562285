/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of plot's options that common/units.h knows the parts of. Each returns 0, or -EINVAL. */
#ifndef MEMSTOR_PLOT_VALUE_H
#define MEMSTOR_PLOT_VALUE_H

#include "memstor/plot/options.h"

/* "960x600": 200 to 10000 each. */
int plot_value_size(const char *text, unsigned *width, unsigned *height);
/* "100ns:1ms": rising, above 0. */
int plot_value_range(const char *text, struct plot_range *range);
/* What ends in "/s" is a rate; else what ends in s is a latency; with another letter it is a size; without one a
 * number. The label begins behind the first ':'. */
int plot_value_threshold(const char *text, struct plot_threshold *threshold);

#endif

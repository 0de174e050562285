/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the picture and its script go. Each returns 0 or a diag_exit code after one line. */
#ifndef MEMSTOR_PLOT_OUTPUT_H
#define MEMSTOR_PLOT_OUTPUT_H

#include <stddef.h>

#include "memstor/plot/options.h"

/* Before anything is read: both can be written, and are neither each other nor one of the reports. */
int plot_output_check(const struct plot_options *options);
int plot_output_picture(const struct plot_options *options, const char *bytes, size_t size);
/* Nothing without --keep-script. */
int plot_output_script(const struct plot_options *options, const char *text, size_t size);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where pictures and their scripts go, and whether what gnuplot wrote is a picture. Each returns 0 or a diag_exit code
 * after one line. */
#ifndef MEMSTOR_PLOT_PICTURE_H
#define MEMSTOR_PLOT_PICTURE_H

#include <stddef.h>

#include "memstor/plot/plot.h"

/* Before any work: whether the files can be written, and are none that is read. */
int plot_picture_check(const struct plot_options *options);
/* Of --keep-script; nothing without it. */
int plot_picture_write_script(const struct plot_options *options, const char *text, size_t size);
/* Refuses bytes that no program can read as a picture. An SVG gets the title and a description of the reports in place of
 * gnuplot's own words; *bytes are replaced, and in any case the caller's. */
int plot_picture_finish(const struct plot *plot, char **bytes, size_t *size);
int plot_picture_write(const struct plot_options *options, const char *bytes, size_t size);

#endif

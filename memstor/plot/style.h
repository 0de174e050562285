/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Colours and lines. The colours are told apart with any kind of colour blindness, and neighbours in the list differ in
 * lightness, so that they are told apart in grey; dashes say the same a second time.
 */
#ifndef MEMSTOR_PLOT_STYLE_H
#define MEMSTOR_PLOT_STYLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define PLOT_INK "#303030"    /* texts of axes */
#define PLOT_INK_STRONG "#101010"
#define PLOT_INK_WEAK "#666666"
#define PLOT_INK_WARNING "#a01010"
#define PLOT_GRID "#dcdcdc"

#define PLOT_COLOURS 8
#define PLOT_DASHES 4

const char *plot_style_colour(size_t i); /* i < PLOT_COLOURS */
/* gnuplot's dash type: "solid", "(12,4)", ... i < PLOT_DASHES */
const char *plot_style_dash(size_t i);

/* Border, grid and what all panels have. */
void plot_style_write(FILE *out);
/* Of the next panels: left and below, and perhaps on the right. */
void plot_style_border(FILE *out, bool has_right);
/* From light to dark in equal steps of lightness: equal steps of the value look equal, also in grey. */
void plot_style_palette(FILE *out);

#endif

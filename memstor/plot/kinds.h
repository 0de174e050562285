/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of plot/kind.h are made of; each pair is in the file of its kind. */
#ifndef MEMSTOR_PLOT_KINDS_H
#define MEMSTOR_PLOT_KINDS_H

#include "memstor/loaded/loaded.h"
#include "memstor/plot/plot.h"

/* Kinds that draw struct plot_curves: overlay.c */
int plot_overlay_take(struct plot *plot, const struct loaded *loaded);
void plot_overlay_free(struct plot *plot);

int plot_histogram_draw(struct plot *plot);
int plot_cdf_draw(struct plot *plot);
int plot_percentile_draw(struct plot *plot);

int plot_heatmap_take(struct plot *plot, const struct loaded *loaded);
int plot_heatmap_draw(struct plot *plot);
void plot_heatmap_free(struct plot *plot);

#endif

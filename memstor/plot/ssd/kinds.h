/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of plot/kind.c for ssd-workloads are made of; each is in the files of its name. */
#ifndef MEMSTOR_PLOT_SSD_KINDS_H
#define MEMSTOR_PLOT_SSD_KINDS_H

#include "memstor/loaded/loaded.h"
#include "memstor/plot/plot.h"
#include "memstor/plot/ssd/table.h"
#include "memstor/plot/style.h"

/* How many times longer the writes of a stream take beside the other one than alone; several reports side by side. */
#define PLOT_INTERFERENCE_PANELS 3
#define PLOT_INTERFERENCE_STATISTICS 4
struct plot_interference_ratio { /* NAN = not known */
	double value, low, high;
};
struct plot_interference {
	struct plot_interference_ratio
		of[PLOT_COLOURS][PLOT_INTERFERENCE_PANELS][PLOT_INTERFERENCE_STATISTICS]; /* by report */
	bool has_repetitions, has_single; /* reports of both kinds */
	char mix[64];                     /* of a report of analyze */
};
int plot_interference_take(struct plot *plot, const struct loaded *loaded);
int plot_interference_draw(struct plot *plot);

/* points.c: figures of analyze as curves and points, by report and stream: fig11, fig9 and fig6. */
#define PLOT_POINTS_REPORTS 4
struct plot_points {
	struct plot_points_of {
		size_t count, room;
		double (*list)[2]; /* x, y */
		double beyond;     /* fig6: percent of writes that are beyond the axis */
	} of[PLOT_POINTS_REPORTS][PLOT_STREAMS];
	char mixes[PLOT_POINTS_REPORTS][64];
	uint64_t every;            /* one of so many writes is shown */
};
int plot_lba_take(struct plot *plot, const struct loaded *loaded);
int plot_lba_draw(struct plot *plot);
int plot_tail_take(struct plot *plot, const struct loaded *loaded);
int plot_tail_draw(struct plot *plot);
int plot_ratios_take(struct plot *plot, const struct loaded *loaded);
int plot_ratios_draw(struct plot *plot);
void plot_points_free(struct plot *plot);

/* slowest.c: fig4, a bar a write, by its parts. */
#define PLOT_SLOWEST_ROWS 32
#define PLOT_SLOWEST_PARTS 6
struct plot_slowest {
	char mix[64];
	size_t count, left_out;
	bool is_traced;
	struct plot_slowest_row {
		size_t stream;
		bool is_usual, is_merged;
		char name[48], cause[16];      /* cause: the part that is the most over what is usual */
		double parts[PLOT_SLOWEST_PARTS]; /* ns */
	} rows[PLOT_SLOWEST_ROWS];
};
int plot_slowest_take(struct plot *plot, const struct loaded *loaded);
int plot_slowest_draw(struct plot *plot);

#endif

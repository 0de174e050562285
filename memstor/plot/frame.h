/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands around the data: the title, the machine, the notes at the foot, legends above panels, and where panels
 * are. All in layout units (format.h), from the lower left corner.
 */
#ifndef MEMSTOR_PLOT_FRAME_H
#define MEMSTOR_PLOT_FRAME_H

#include <stddef.h>

#include "memstor/plot/plot.h"
#include "memstor/plot/axis.h"
#include "memstor/plot/format.h"

#define PLOT_FRAME_LEFT 86.0   /* for tics and title of a y axis */
#define PLOT_FRAME_RIGHT 30.0
#define PLOT_FRAME_RIGHT_AXIS 86.0
#define PLOT_FRAME_BELOW 59.0  /* for tics and title of an x axis */

struct plot_rect {
	double left, right, bottom, top;
};

struct plot_frame {
	struct plot *plot;
	struct plot_layout layout;
	struct plot_rect area; /* what is left for panels, axes and legends */
	size_t panels, begun;
	unsigned label; /* the last one that is in use */
	unsigned lines; /* drawn so far */
};

/* Title and notes; more than one panel is a multiplot. */
void plot_frame_begin(struct plot_frame *frame, struct plot *plot, size_t panels);
/* The next panel: the rectangle is what its axes enclose. What was set for the one before it alone is gone. */
void plot_frame_panel(struct plot_frame *frame, const struct plot_rect *rect);
/* The axis' tics, range and title, beside or below the panel. */
void plot_frame_axis(struct plot_frame *frame, const struct plot_rect *rect, const struct plot_axis *axis);

#define PLOT_KEY_POINTS "points" /* for a dash: the entry is of points */
#define PLOT_KEY_MARKS "marks"   /* of diamonds */
#define PLOT_KEY_HOLLOW "hollow" /* of diamonds that are not filled */
struct plot_key { /* one entry of a legend */
	const char *name;
	const char *colour, *dash;
};
/* How high a legend is in a panel so wide. */
double plot_frame_key_height(const struct plot_rect *rect, const struct plot_key *keys, size_t count);
/* The legend, its lower edge at `bottom`: line by line, in columns where names are short. */
void plot_frame_key(struct plot_frame *frame, const struct plot_rect *rect, double bottom, const struct plot_key *keys,
	size_t count);
/* Characters that a name in a legend may have. */
size_t plot_frame_key_columns(const struct plot *plot);
/* One text: where it begins (or ends, or its middle; also turned to read upward), its size in units, its colour. */
enum plot_anchor { PLOT_ANCHOR_LEFT, PLOT_ANCHOR_RIGHT, PLOT_ANCHOR_CENTRE, PLOT_ANCHOR_UPWARD };
void plot_frame_text(struct plot_frame *frame, double x, double y, enum plot_anchor anchor, unsigned size,
	const char *colour, const char *text);
/* The same over data: what is behind it is paled. */
void plot_frame_text_over(struct plot_frame *frame, double x, double y, enum plot_anchor anchor, unsigned size,
	const char *colour, const char *text);
/* One straight line. */
void plot_frame_line(struct plot_frame *frame, double x0, double y0, double x1, double y1, double width,
	const char *dash, const char *colour);
void plot_frame_end(struct plot_frame *frame);

/* The title of the picture: the user's, or made from the reports. Returns text. */
char *plot_frame_title(const struct plot *plot, char *text, size_t length);
/* About how wide so many characters of a size are. */
double plot_frame_width(size_t columns, unsigned size);

#endif

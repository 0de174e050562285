/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/style.h"

static const char *const colours[PLOT_COLOURS] = {
	"#0b4f8a", "#e69f00", "#00795a", "#d98cb3", "#b23b00", "#56b4e9", "#202020", "#9a9a9a"};
static const char *const dashes[PLOT_DASHES] = {"solid", "(10,4)", "(3,3)", "(12,3,3,3)"};

/* OKLCH with L from 0.88 to 0.22 in equal steps, hue from 100 to 280 degrees, as much chroma up to 0.125 as sRGB has. */
static const char *const heat[] = {
	"#ebda73", "#c3cf6c", "#9ac46c", "#6eb871", "#3ca977", "#06977e", "#00837e",
	"#006f79", "#005c71", "#004a69", "#003664", "#081e64", "#160452"};
#define HEAT (sizeof(heat) / sizeof(heat[0]))

const char *plot_style_colour(size_t i)
{
	return colours[i];
}

const char *plot_style_dash(size_t i)
{
	return dashes[i];
}

void plot_style_border(FILE *out, bool has_right)
{
	fprintf(out, "set border %d linecolor rgb \"#808080\" linewidth 1\n", has_right ? 11 : 3);
}

void plot_style_write(FILE *out)
{
	plot_style_border(out, false);
	fprintf(out, "set grid xtics ytics linetype 1 linecolor rgb \"" PLOT_GRID "\" linewidth 0.7 back\n");
	fprintf(out, "unset key\n");
	fprintf(out, "set style fill transparent solid 0.22 noborder\n");
}

void plot_style_palette(FILE *out)
{
	fprintf(out, "set palette defined (");
	for (size_t i = 0; i < HEAT; i++)
		fprintf(out, "%s%zu \"%s\"", i ? ", " : "", i, heat[i]);
	fprintf(out, ")\n");
}

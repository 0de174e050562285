/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/format.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "memstor/plot/gnuplot.h"

#define PAGE_WIDTH 960.0
#define PAGE_HEIGHT 600.0
#define SCALE_MIN 0.8
#define FONT "sans-serif,13"

/* gnuplot measures texts of a png in points of 1/72 inch, and takes these of 96 pixels. */
#define FONT_SCALE 0.75
/* The same for pdf, where its own default is 0.5. */
#define PDF_FONT_SCALE 0.565

static double scale_of(unsigned width, unsigned height)
{
	double across = width / PAGE_WIDTH, down = height / PAGE_HEIGHT;

	/* Texts that are smaller cannot be read. */
	return fmax(fmin(across, down), SCALE_MIN);
}

static void write_svg(FILE *out, const char *terminal, unsigned width, unsigned height)
{
	(void)terminal;
	fprintf(out, "size %u,%u font \"" FONT "\" linewidth 1", width, height);
}

static void write_png(FILE *out, const char *terminal, unsigned width, unsigned height)
{
	double scale = scale_of(width, height);

	fprintf(out, "size %u,%u font \"" FONT "\" fontscale %.4g ", width, height, FONT_SCALE * scale);
	if (strcmp(terminal, "png"))
		fprintf(out, "pointscale %.4g ", scale);
	fprintf(out, "linewidth %.4g", scale);
}

static void write_pdf(FILE *out, const char *terminal, unsigned width, unsigned height)
{
	(void)terminal;
	fprintf(out, "size %.4fin,%.4fin font \"" FONT "\" fontscale %.4g linewidth 1.6 rounded", width / 96.0,
		height / 96.0, PDF_FONT_SCALE);
}

static const struct plot_format formats[] = {
	{"svg", 960, 600, {"svg"}, NULL, "<?xml", "</svg>", false, write_svg},
	{"png", 1920, 1200, {"pngcairo", "png"}, "lines have no dashes, and areas hide each other",
		"\211PNG\r\n\032\n", "IEND\xae\x42\x60\x82", true, write_png},
	{"pdf", 960, 600, {"pdfcairo"}, NULL, "%PDF-", "%%EOF", false, write_pdf},
};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

const struct plot_format *plot_format_find(const char *name)
{
	for (size_t i = 0; i < FORMATS; i++) {
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	}
	return NULL;
}

const struct plot_format *plot_format_of_file(const char *path)
{
	const char *dot = strrchr(path, '.');

	for (size_t i = 0; dot && i < FORMATS; i++) {
		if (!strcasecmp(formats[i].name, dot + 1))
			return &formats[i];
	}
	return NULL;
}

struct plot_layout plot_format_layout(const struct plot_format *format, unsigned width, unsigned height)
{
	double scale = format->is_pixels ? scale_of(width, height) : 1;

	return (struct plot_layout){width / scale, height / scale};
}

void plot_format_write(FILE *out, const struct plot_format *format, unsigned width, unsigned height)
{
	const char *const *terminal = format->terminals;

	fprintf(out, "set encoding utf8\n");
	for (; *terminal; terminal++) {
		fprintf(out, "%sif (strstrt(GPVAL_TERMINALS, \" %s \") > 0) {\n\tset terminal %s noenhanced ",
			terminal == format->terminals ? "" : "} else { ", *terminal, *terminal);
		format->write_options(out, *terminal, width, height);
		fprintf(out, " background \"#ffffff\"\n");
		if (terminal != format->terminals)
			fprintf(out, "\tprint \"" PLOT_GNUPLOT_REMARK "this gnuplot has no terminal %s but %s: %s\"\n",
				format->terminals[0], *terminal, format->without_best);
	}
	fprintf(out, "} else {\n\tprint \"this gnuplot has no terminal for %s (%s", format->name, format->terminals[0]);
	for (terminal = format->terminals + 1; *terminal; terminal++)
		fprintf(out, " or %s", *terminal);
	fprintf(out, "): install gnuplot-nox (Debian)\"\n\texit status %d\n}", PLOT_GNUPLOT_NO_TERMINAL);
	for (terminal = format->terminals + 1; *terminal; terminal++)
		fprintf(out, " }");
	fprintf(out, "\n");
}

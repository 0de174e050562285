/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/commands.h"

#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/report_read.h"
#include "memstor/plot/plot.h"
#include "memstor/plot/format.h"
#include "memstor/plot/frame.h"
#include "memstor/plot/gnuplot.h"
#include "memstor/plot/output.h"
#include "memstor/plot/svg.h"

static const struct plot_gnuplot_limits limits = {.timeout_ms = 300000, .bytes_max = 256u << 20};

/* A picture that no program can read is none, though gnuplot's status is 0. */
static bool is_whole(const struct plot_format *format, const char *picture, size_t size)
{
	size_t magic = strlen(format->magic), end = strlen(format->end);

	while (size && (picture[size - 1] == '\n' || picture[size - 1] == '\r'))
		size--;
	return size >= magic + end && !memcmp(picture, format->magic, magic) &&
	       !memcmp(picture + size - end, format->end, end);
}

static int refuse_picture(const struct plot_format *format)
{
	diag_error(0, "gnuplot failed: its output is not a readable %s; --keep-script keeps the commands", format->name);
	return DIAG_EXIT_HOST;
}

static int draw(const struct plot *plot, const char *script, size_t script_size, char **picture, size_t *size)
{
	const struct plot_format *format = plot->options->format;
	char title[256];
	int rc = plot_gnuplot_run(script, script_size, &limits, picture, size);

	if (rc)
		return rc;
	if (!is_whole(format, *picture, *size))
		return refuse_picture(format);
	if (strcmp(format->name, "svg"))
		return DIAG_EXIT_OK;
	rc = plot_svg_describe(plot, plot_frame_title(plot, title, sizeof(title)), picture, size);
	return rc || report_read_is_xml(*picture, *size) ? rc : refuse_picture(format);
}

static int plot_all(const struct plot_options *options)
{
	struct plot plot = {.options = options};
	char *script = NULL, *picture = NULL;
	size_t script_size = 0, size = 0;
	int rc = plot_output_check(options);

	if (!rc)
		rc = plot_make(&plot, &script, &script_size);
	if (!rc)
		rc = plot_output_script(options, script, script_size);
	if (!rc)
		rc = draw(&plot, script, script_size, &picture, &size);
	if (!rc)
		rc = plot_output_picture(options, picture, size);
	free(script);
	free(picture);
	plot_free(&plot);
	return rc;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct plot_options options;
	int rc = plot_options_parse(command, argc, argv, &options);

	if (!rc)
		rc = plot_all(&options);
	plot_options_free(&options);
	return rc;
}

const struct command command_plot = {
	.program = &memstor_program,
	.name = "plot",
	.arguments = "KIND FILE...",
	.summary = "draw reports",
	.doc = "Draws reports as a picture, with gnuplot. KIND is histogram, cdf, percentile, series, heatmap or bars; of "
	       "iowrite-bench also cost (run), prediction and errors (evaluate) or kernel-trace (trace), of "
	       "ssd-workloads interference, lba, tail, ratios and slowest. FILE is a report, or a folder of reports.",
	.examples = "  memstor plot histogram run.xml -o run.svg\n"
		    "  memstor plot percentile zram.xml file.xml -o swap.pdf\n"
		    "  memstor plot series run.xml --counter vmstat.pswpin -o run.png\n"
		    "  memstor plot bars old/*.xml -- new/*.xml --metric p50,p99 -o bars.svg\n"
		    "  memstor plot prediction evaluate.xml --scenario c2 -o c2.svg\n",
	.notes = "The manual, memstor(1), says which options each KIND has.",
	.options = plot_option_rows,
	.flags = COMMAND_GROUPS,
	.take = plot_options_take,
	.check = plot_options_check,
	.run = run,
};

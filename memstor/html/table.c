/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table for browsers without JavaScript: program, machine and results of each report. */
#include "config.h"
#include "memstor/html/html.h"

#include <math.h>
#include <string.h>

#include "common/units.h"

#define LATENCIES_MAX 48 /* lines of one report */

void html_begin_table(FILE *out, const char *title)
{
	static const char *const columns[] = {
		"Report", "Host", "Tool", "Started", "Options", "Rates", "Latency", "Verdict"};

	fputs("\n<table>\n<caption>", out);
	html_write_text(out, title[0] ? title : "Reports in this page");
	fputs("</caption>\n<thead><tr>", out);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		fprintf(out, "<th scope=\"col\">%s</th>", columns[i]);
	fputs("</tr></thead>\n<tbody>\n", out);
}

void html_end_table(FILE *out)
{
	fputs("</tbody>\n</table>\n", out);
}

/* What foreign text does to the direction of text ends with its cell. */
static void write_cell(FILE *out, const char *text, const char *more)
{
	fputs("<td><bdi>", out);
	html_write_text(out, text);
	if (text[0] && more[0])
		fputc(' ', out);
	html_write_text(out, more);
	fputs("</bdi></td>", out);
}

/* "2026-11-20T09:24:29.000000042Z" to the second. */
static void write_start(FILE *out, const char *wall_start)
{
	char text[32] = "";

	if (strlen(wall_start) > 19 && wall_start[10] == 'T')
		snprintf(text, sizeof(text), "%.10s %.8s UTC", wall_start, wall_start + 11);
	write_cell(out, text, "");
}

static void write_options(FILE *out, const struct loaded *loaded)
{
	fputs("<td><bdi>", out);
	for (size_t i = 0; i < loaded->option_count; i++) {
		fputs(i ? " --" : "--", out);
		html_write_text(out, loaded->options[i].name);
		fputc('=', out);
		html_write_text(out, loaded->options[i].value);
	}
	fputs("</bdi></td>", out);
}

/* "accesses_per_second" and its like, whatever the tool has. */
static void write_rates(FILE *out, const struct loaded *loaded)
{
	static const char suffix[] = "_per_second";

	fputs("<td>", out);
	for (size_t i = 0; i < loaded->value_count; i++) {
		const char *name = loaded->values[i].name;
		const char *end = strstr(name, suffix);
		char text[64];

		if (!end || end[sizeof(suffix) - 1])
			continue;
		snprintf(text, sizeof(text), loaded->values[i].value < 1000 ? "%.3g" : "%.0f", loaded->values[i].value);
		html_write_text(out, text);
		fputc(' ', out);
		for (; name < end; name++)
			fputc(*name == '_' ? ' ' : *name, out);
		fputs("/s<br>", out);
	}
	fputs("</td>", out);
}

static void write_percentile(FILE *out, const struct loaded_histogram *histogram, const char *name, double ns)
{
	char text[UNITS_TEXT];
	bool is_below = false;

	/* A percentile says no more than that when it is in the first bucket of the coarse layout. */
	if (histogram->bucket_count && strcmp(histogram->layout, "hdr") != 0 && ns < 256) {
		ns = 256;
		is_below = true;
	}
	if (isnan(ns))
		return;
	fprintf(out, ", %s %s", name, is_below ? "&lt; " : "");
	html_write_text(out, units_format_duration(ns, text, sizeof(text)));
}

/* All accesses, or what is measured one by one; of each the finest layout. */
static bool is_shown(const struct loaded *loaded, const struct loaded_histogram *histogram)
{
	return (loaded->subject_count || !strcmp(histogram->class, "all")) &&
	       loaded_histogram(loaded, histogram->type, histogram->class) == histogram;
}

static void write_latencies(FILE *out, const struct loaded *loaded)
{
	size_t shown = 0;

	fputs("<td>", out);
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];

		if (!is_shown(loaded, histogram))
			continue;
		if (shown++ == LATENCIES_MAX) {
			fputs("...", out);
			break;
		}
		if (loaded->subject_count) {
			html_write_text(out, histogram->class);
			fputc(' ', out);
		}
		html_write_text(out, histogram->type);
		fprintf(out, ": %llu", (unsigned long long)histogram->count);
		write_percentile(out, histogram, "p50", loaded_percentile(histogram, 50));
		write_percentile(out, histogram, "p90", loaded_percentile(histogram, 90));
		write_percentile(out, histogram, "p99", loaded_percentile(histogram, 99));
		write_percentile(out, histogram, "p99.9", loaded_percentile(histogram, 99.9));
		write_percentile(out, histogram, "max", histogram->max_ns);
		fputs("<br>", out);
	}
	fputs("</td>", out);
}

static void write_verdict(FILE *out, const struct loaded *loaded)
{
	fputs("<td><bdi>", out);
	html_write_text(out, loaded->status);
	for (size_t i = 0; i < loaded->reason_count; i++) {
		fputs(i ? "; " : ": ", out);
		html_write_text(out, loaded->reasons[i].measured);
	}
	fputs("</bdi></td>", out);
}

void html_write_row(FILE *out, const struct loaded *loaded)
{
	fputs("<tr>", out);
	write_cell(out, loaded->path, "");
	write_cell(out, loaded->hostname, loaded->cpu_model);
	write_cell(out, loaded->tool, loaded->tool_version);
	write_start(out, loaded->wall_start);
	write_options(out, loaded);
	write_rates(out, loaded);
	write_latencies(out, loaded);
	write_verdict(out, loaded);
	fputs("</tr>\n", out);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/svg.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/plot/kind.h"
#include "memstor/plot/text.h"

/* More reports than this are counted, not described one by one. */
#define DESCRIBED_MAX 64

static void describe_report(FILE *out, const struct plot_facts *facts)
{
	static const char *const first[] = {"tool", "version", "uuid", "start", "kernel", "cpu"};

	fputs("\n\n", out);
	plot_text_xml(out, plot_fact(facts, "file"));
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		const char *value = plot_fact(facts, first[i]);

		if (!value)
			continue;
		fprintf(out, "; %s ", first[i]);
		plot_text_xml(out, value);
	}
	fprintf(out, "; status ");
	plot_text_xml(out, facts->status);
	fprintf(out, "%s", facts->reasons[0] ? " (" : "");
	plot_text_xml(out, facts->reasons);
	fprintf(out, "%s\n", facts->reasons[0] ? ")" : "");
	for (size_t i = 0; i < facts->count; i++) {
		const struct plot_fact *fact = &facts->facts[i];

		if (fact->kind == PLOT_FACT_REPORT)
			continue;
		fprintf(out, "%s", fact->kind == PLOT_FACT_LABEL ? "label:" : "");
		plot_text_xml(out, fact->name);
		putc('=', out);
		plot_text_xml(out, fact->value);
		putc('\n', out);
	}
}

static void write_description(FILE *out, const struct plot *plot, const char *title)
{
	fputs("<title>", out);
	plot_text_xml(out, title);
	fprintf(out, "</title>\n<desc>%s. Made by memstor " PACKAGE_VERSION " from %zu report%s.",
		plot->options->kind->summary, plot->report_count, plot->report_count == 1 ? "" : "s");
	for (size_t i = 0; i < plot->note_count; i++) {
		putc('\n', out);
		plot_text_xml(out, plot->notes[i].text);
	}
	for (size_t i = 0; i < plot->report_count && i < DESCRIBED_MAX; i++)
		describe_report(out, &plot->reports[i]);
	fputs("</desc>\n", out);
}

/* Behind `from`: where "<name>...</name>" begins and ends, if that is what comes next but for blanks. */
static const char *skip_element(const char *from, const char *begin, const char *end)
{
	const char *at = from + strspn(from, " \t\r\n");
	const char *close = strncmp(at, begin, strlen(begin)) ? NULL : strstr(at, end);

	return close ? close + strlen(end) : from;
}

/* gnuplot escapes < and &, but not the > of a text that has ]]> in it. */
static void write_part(FILE *out, const char *from, const char *end)
{
	static const char closing[] = "]]>";
	const char *found;

	while ((found = memmem(from, (size_t)(end - from), closing, strlen(closing)))) {
		fwrite(from, 1, (size_t)(found - from), out);
		fputs("]]&gt;", out);
		from = found + strlen(closing);
	}
	fwrite(from, 1, (size_t)(end - from), out);
}

/* gnuplot calls what it plots gnuplot_plot_1 ..., from 1 again in each panel. */
static void write_body(FILE *out, const struct plot *plot, const char *body, size_t size)
{
	static const char begin[] = "<g id=\"gnuplot_plot_", end[] = "</title>";
	const char *at = body;

	for (size_t i = 0; i < plot->drawn_count; i++) {
		const char *found = strstr(at, begin), *close = found ? strstr(found, end) : NULL;

		if (!close)
			break;
		write_part(out, at, found);
		fprintf(out, "<g id=\"memstor_plot_%zu\"><title>", i + 1);
		plot_text_xml(out, plot->drawn[i]);
		fputs(end, out);
		at = close + strlen(end);
	}
	write_part(out, at, body + size);
}

static int write_all(const struct plot *plot, const char *title, const char *bytes, size_t size, char **text,
	size_t *length)
{
	const char *root = strstr(bytes, "<svg");
	const char *end = root ? strchr(root, '>') : NULL;
	const char *rest;
	FILE *out = end ? open_memstream(text, length) : NULL;

	if (!end)
		return -EBADMSG;
	if (!out)
		return -errno;
	rest = skip_element(end + 1, "<title>", "</title>");
	rest = skip_element(rest, "<desc>", "</desc>");
	fwrite(bytes, 1, (size_t)(end - bytes), out);
	fputs(" role=\"img\">\n", out);
	write_description(out, plot, title);
	write_body(out, plot, rest, size - (size_t)(rest - bytes));
	if (fclose(out) == 0)
		return 0;
	free(*text);
	return -ENOMEM;
}

int plot_svg_describe(const struct plot *plot, const char *title, char **bytes, size_t *size)
{
	char *terminated = realloc(*bytes, *size + 1), *text = NULL;
	size_t length = 0;
	int rc = -ENOMEM;

	if (terminated) {
		*bytes = terminated;
		terminated[*size] = '\0';
		rc = write_all(plot, title, terminated, *size, &text, &length);
	}
	free(*bytes);
	*bytes = text;
	*size = length;
	if (!rc)
		return DIAG_EXIT_OK;
	*bytes = NULL;
	diag_error(rc == -EBADMSG ? 0 : rc, rc == -EBADMSG ? "gnuplot failed: its output is not an SVG"
							   : "the picture could not be described");
	return DIAG_EXIT_HOST;
}

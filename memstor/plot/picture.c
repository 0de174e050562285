/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/plot.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/report_private.h"
#include "common/report_read.h"

/* More reports than this are counted, not described one by one. */
#define DESCRIBED_MAX 64

/* --- files --- */

/* Of --keep-script without a name: the output's with the suffix gp. NULL = too long. */
static const char *script_path(const struct plot_options *options, char *path, size_t length)
{
	const char *name = strrchr(options->output, '/');
	const char *dot = strrchr(name ? name : options->output, '.');
	int used;

	if (options->script[0])
		return options->script;
	used = snprintf(path, length, "%.*s.gp", (int)(dot ? dot - options->output : (long)strlen(options->output)),
		options->output);
	return used >= 0 && (size_t)used < length ? path : NULL;
}

/* Files that are there already. */
static bool is_same(const char *one, const char *other)
{
	struct stat a, b;

	return !stat(one, &a) && !stat(other, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino &&
	       (S_ISREG(a.st_mode) || S_ISDIR(a.st_mode));
}

static int check_file(const struct plot_options *options, const char *option, const char *path)
{
	for (size_t i = 0; i < options->files.count && !opt_is_stdout(path); i++) {
		if (!is_same(path, options->files.items[i].text))
			continue;
		return diag_usage("%s %s: is one of the reports; give another name", option, path);
	}
	if (options->template && !opt_is_stdout(path) && is_same(path, options->template))
		return diag_usage("%s %s: is the template; give another name", option, path);
	return DIAG_EXIT_OK;
}

int plot_picture_check(const struct plot_options *options)
{
	char room[PATH_MAX];
	const char *script = options->script ? script_path(options, room, sizeof(room)) : NULL;
	int rc = check_file(options, "-o", options->output);

	if (rc || !options->script)
		return rc;
	if (!script)
		return diag_usage("--keep-script: the name is too long");
	if (!strcmp(script, options->output) || is_same(script, options->output))
		return diag_usage("-o and --keep-script: both name %s; give them two files", script);
	return check_file(options, "--keep-script", script);
}

static int write_file(const char *option, const char *path, const char *bytes, size_t size)
{
	int rc = report_file_write(path, bytes, size);

	if (!rc)
		return DIAG_EXIT_OK;
	return diag_host(rc, "%s %s: could not be written", option, path);
}

int plot_picture_write(const struct plot_options *options, const char *bytes, size_t size)
{
	return write_file("-o", options->output, bytes, size);
}

int plot_picture_write_script(const struct plot_options *options, const char *text, size_t size)
{
	char room[PATH_MAX];

	return options->script
		       ? write_file("--keep-script", script_path(options, room, sizeof(room)), text, size)
		       : DIAG_EXIT_OK;
}

/* --- what an SVG says of itself --- */

static void describe_report(FILE *out, const struct plot_facts *facts)
{
	static const char *const first[] = {"tool", "version", "uuid", "start", "kernel", "cpu"};

	fputs("\n\n", out);
	plot_text_xml(out, facts->file);
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

/* The legend's text in what gnuplot drew as one element, or NULL: it comes first, and begins at the left. */
static const char *find_name(const char *element)
{
	static const char *const shapes[] = {"</g>\n\t</g>", "<path", "<poly", "<use", "<circle"};
	const char *text = strstr(element, "<text>"), *left = strstr(element, "text-anchor=\"start\"");

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]) && text; i++) {
		const char *shape = strstr(element, shapes[i]);

		if (shape && shape < text)
			text = NULL;
	}
	return text && left && left < text ? text + strlen("<text>") : NULL;
}

/* gnuplot calls what it plots gnuplot_plot_1 ..., from 1 again in each panel. */
static void write_body(FILE *out, const char *body, size_t size)
{
	static const char begin[] = "<g id=\"gnuplot_plot_", close[] = "</title>";
	const char *at = body, *found;

	for (size_t i = 1; (found = strstr(at, begin)) && strstr(found, close); i++) {
		const char *rest = strstr(found, close) + strlen(close), *name = find_name(rest);

		write_part(out, at, found);
		fprintf(out, "<g id=\"memstor_plot_%zu\">", i);
		if (name && strstr(name, "</text>")) {
			fputs("<title>", out);
			write_part(out, name, strstr(name, "</text>"));
			fputs("</title>", out);
		}
		at = rest;
	}
	write_part(out, at, body + size);
}

static int describe(const struct plot *plot, char **bytes, size_t *size)
{
	const char *root = strstr(*bytes, "<svg"), *end = root ? strchr(root, '>') : NULL, *rest;
	char *text = NULL, title[PLOT_TEXT];
	size_t length = 0;
	FILE *out;

	if (!end)
		return diag_host(0, "gnuplot failed: its output is not an SVG");
	out = open_memstream(&text, &length);
	if (!out)
		return diag_host(errno, "the picture could not be described");
	rest = skip_element(end + 1, "<title>", "</title>");
	rest = skip_element(rest, "<desc>", "</desc>");
	fwrite(*bytes, 1, (size_t)(end - *bytes), out);
	fputs(" role=\"img\">\n", out);
	write_description(out, plot, plot_title(plot, title, sizeof(title)));
	write_body(out, rest, *size - (size_t)(rest - *bytes));
	if (fclose(out)) {
		free(text);
		return diag_host(ENOMEM, "the picture could not be described");
	}
	free(*bytes);
	*bytes = text;
	*size = length;
	return DIAG_EXIT_OK;
}

static int refuse(const char *format)
{
	return diag_host(0, "gnuplot failed: its output is not a readable %s; --keep-script keeps the commands", format);
}

int plot_picture_finish(const struct plot *plot, char **bytes, size_t *size)
{
	static const struct {
		const char *format, *begin, *end;
	} marks[] = {{"svg", "<?xml", "</svg>"}, {"png", "\211PNG\r\n\032\n", "IEND\xae\x42\x60\x82"},
		{"pdf", "%PDF-", "%%EOF"}};
	const char *format = plot->options->format;
	size_t i = 0, end = *size, begin_size, end_size;
	int rc;

	while (strcmp(marks[i].format, format))
		i++;
	begin_size = strlen(marks[i].begin);
	end_size = strlen(marks[i].end);
	while (end && ((*bytes)[end - 1] == '\n' || (*bytes)[end - 1] == '\r'))
		end--;
	if (end < begin_size + end_size || memcmp(*bytes, marks[i].begin, begin_size) ||
		memcmp(*bytes + end - end_size, marks[i].end, end_size))
		return refuse(format);
	if (strcmp(format, "svg"))
		return DIAG_EXIT_OK;
	rc = describe(plot, bytes, size);
	return rc || report_read_is_xml(*bytes, *size) ? rc : refuse(format);
}

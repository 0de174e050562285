/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor html: writes one page with the given reports. */
#include "config.h"
#include "memstor/html/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/diag.h"
#include "common/report.h"
#include "memstor/commands.h"
#include "memstor/embedded.h"
#include "memstor/inputs.h"

#define PAGE_MIB_MAX 128u /* browsers open it, if not at once */
#define TITLE_MAX 200

/* Where reports come from: those of one argument. */
struct origin {
	const char *argument;
	const char *side;   /* "base" "new", "" = not compared */
	const char *folder; /* the argument, "" = it is a file */
	size_t end;         /* the first report that is not of it any more */
};

struct options {
	const char *output, *title;
	bool is_without_series;
	struct inputs inputs;
	bool ends_in_dashes;
	struct origin *origins; /* in the order of the reports */
	size_t origin_count;
};

#define AT(member) offsetof(struct options, member)

static int set_title(struct opt_value *in)
{
	*(const char **)opt_field(in) = in->text;
	return in->text[0] && strlen(in->text) <= TITLE_MAX ? 0 : -ERANGE;
}

static const struct opt rows[] = {
	{"output", 'o', "FILE", OPT_STRING, OPT_OUTPUT, .offset = AT(output), .begins = "<!DOCTYPE html>",
		.help = "write the page to FILE; - is standard output",
		.manual = "Writes the page to FILE, which appears only when it is complete. `-` is standard output. "
			  "Required."},
	{"title", 0, "TEXT", OPT_OWN, .offset = AT(title), .set = set_title,
		.allowed = "must be a text of 1 to 200 bytes",
		.help = "set the title of the page", .manual = "Sets the title of the page, up to 200 bytes."},
	{"no-series", 0, NULL, OPT_FLAG, .offset = AT(is_without_series),
		.help = "leave out time series: a smaller page",
		.manual = "Leaves out the runs' time series, which are most of a long run's report. Charts over "
			  "time are then empty."},
	{0},
};

/* A page in the making: the table and the data grow side by side. */
struct making {
	const struct options *options;
	struct html_template page;
	FILE *table, *data;
	char *table_text, *data_text;
	size_t table_size, data_size;
	size_t count; /* reports so far */
};

static bool leave_series_out(struct report *report, const struct report_node *node, void *data)
{
	(void)report, (void)data;
	return strcmp(node->name, "series") == 0 && node->parent && strcmp(node->parent->name, "report") == 0;
}

/* The report as it is; one in JSON, or without its series, is written anew. */
static int write_xml(struct making *making, const struct loaded *loaded, const char *text, size_t size)
{
	const struct report_node *root = report_read_root(loaded->document);
	bool is_without_series = making->options->is_without_series;
	struct report *report;
	int err;

	if (!is_without_series && text[strspn(text, "\xef\xbb\xbf \t\r\n")] == '<') {
		/* A byte order mark is no part of the text, and a browser would refuse it in the middle of a page. */
		size_t mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

		return html_write_parts(making->data, text + mark, size - mark);
	}
	err = report_new(root->name, &report);
	if (err)
		return err;
	for (size_t i = 0; i < root->attribute_count; i++)
		report_attribute(report, root->attributes[2 * i], root->attributes[2 * i + 1]);
	report_copy_content(report, root, is_without_series ? leave_series_out : NULL, NULL);
	err = report_document(report, &text, &size);
	if (!err)
		err = html_write_parts(making->data, text, size);
	report_free(report);
	return err;
}

static int add_report(struct making *making, const struct loaded *loaded, const struct origin *origin,
	const char *text, size_t size)
{
	int err;

	fputs(making->count++ ? ",\n{\"name\": " : "\n{\"name\": ", making->data);
	html_write_json(making->data, loaded->path, strlen(loaded->path));
	fputs(", \"side\": ", making->data);
	html_write_json(making->data, origin->side, strlen(origin->side));
	fputs(", \"folder\": ", making->data);
	html_write_json(making->data, origin->folder, strlen(origin->folder));
	fputs(", \"xml\": ", making->data);
	err = write_xml(making, loaded, text, size);
	fputc('}', making->data);
	html_write_row(making->table, loaded);
	if (err || ferror(making->data) || ferror(making->table))
		return err ? err : -ENOMEM;
	if (ftello(making->data) + ftello(making->table) > (off_t)PAGE_MIB_MAX << 20)
		return -EFBIG;
	return 0;
}

static int add_file(struct making *making, const char *path, const struct origin *origin)
{
	struct report_document *document;
	struct loaded *loaded = NULL;
	char why[512], *text = NULL;
	size_t size = 0;
	int err = report_read_bytes(path, &text, &size, why, sizeof(why));

	if (!err)
		err = report_read_named(path, text, size, &document, why, sizeof(why));
	if (!err)
		err = loaded_make(document, path, 0, &loaded, why, sizeof(why));
	if (err) {
		diag_error(0, "%s", why);
	} else {
		err = add_report(making, loaded, origin, text, size);
		if (err == -EFBIG)
			diag_error(0, "%s: with this report, number %zu, the page would exceed %u MiB: drop reports%s",
				path, making->count, PAGE_MIB_MAX,
				making->options->is_without_series ? "" : ", or the time series with --no-series");
		else if (err)
			diag_error(err, "%s: cannot be put into the page", path);
	}
	loaded_free(loaded);
	free(text);
	if (err == -ENOMEM)
		return DIAG_EXIT_HOST;
	return err ? DIAG_EXIT_USAGE : DIAG_EXIT_OK;
}

static int write_page(const struct making *making)
{
	const char *output = making->options->output, *title = making->options->title;
	const struct html_template *page = &making->page;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool has_failed;
	int err;

	if (!out)
		return diag_host(ENOMEM, "cannot make the page");
	fwrite(page->text, 1, page->title, out);
	if (title)
		html_write_text(out, title);
	else
		fwrite(page->text + page->title, 1, page->title_end - page->title, out);
	fwrite(page->text + page->title_end, 1, page->table - page->title_end, out);
	if (!page->has_noscript)
		fputs("<noscript>", out);
	html_begin_table(out, title ? title : "");
	fwrite(making->table_text, 1, making->table_size, out);
	html_end_table(out);
	if (!page->has_noscript)
		fputs("</noscript>\n", out);
	fwrite(page->text + page->table, 1, page->data - page->table, out);
	fputc('[', out);
	fwrite(making->data_text, 1, making->data_size, out);
	fputs("\n]", out);
	fwrite(page->text + page->data_end, 1, page->size - page->data_end, out);
	has_failed = ferror(out);
	has_failed |= fclose(out) != 0;
	err = has_failed ? -ENOMEM : report_file_write(output, text, size);
	free(text);
	if (has_failed)
		return diag_host(ENOMEM, "cannot make the page");
	return err ? diag_host(err, "-o %s: the page could not be written", output) : DIAG_EXIT_OK;
}

static int make_page(const struct options *options)
{
	const struct origin *origin = options->origins;
	struct embedded viewer = embedded_viewer();
	struct making making = {.options = options};
	int code = DIAG_EXIT_OK;

	if (html_template_find(viewer.text, viewer.size, &making.page))
		return diag_usage("the built-in viewer has no marker for reports: build memstor again");
	making.table = open_memstream(&making.table_text, &making.table_size);
	making.data = open_memstream(&making.data_text, &making.data_size);
	if (!making.table || !making.data)
		code = diag_host(ENOMEM, "cannot make the page");
	for (size_t i = 0; i < options->inputs.count && !code; i++) {
		while (origin->end <= i)
			origin++;
		code = add_file(&making, options->inputs.paths[i], origin);
	}
	if ((making.table && fclose(making.table)) || (making.data && fclose(making.data)))
		code = code ? code : DIAG_EXIT_HOST;
	if (!code)
		code = write_page(&making);
	free(making.table_text);
	free(making.data_text);
	return code;
}

static int take(void *data, const char *text, bool is_behind)
{
	struct options *options = data;
	struct origin *grown = reallocarray(options->origins, options->origin_count + 1, sizeof(*grown));

	if (!grown)
		return diag_host(ENOMEM, "cannot make the page");
	options->origins = grown;
	options->origins[options->origin_count++] = (struct origin){
		.argument = text, .side = is_behind ? "new" : "base"};
	return DIAG_EXIT_OK;
}

static bool has_sides(const struct options *options)
{
	return strcmp(options->origins[0].side, options->origins[options->origin_count - 1].side) != 0;
}

static int gather(struct options *options)
{
	bool is_compared = has_sides(options);
	int code = DIAG_EXIT_OK;

	for (size_t i = 0; i < options->origin_count && !code; i++) {
		struct origin *origin = &options->origins[i];
		struct stat status;

		code = inputs_add(&options->inputs, origin->argument);
		origin->side = is_compared ? origin->side : "";
		origin->folder = stat(origin->argument, &status) == 0 && S_ISDIR(status.st_mode) ?
			origin->argument : "";
		origin->end = options->inputs.count;
	}
	return code;
}

static int check(void *data, struct opt_line *line)
{
	struct options *options = data;

	(void)line;
	if (options->origin_count && options->ends_in_dashes && !has_sides(options))
		diag_error(0, "no NEW given: memstor html BASE... -- NEW... -o FILE (files, or folders of reports)");
	else if (!options->origin_count)
		diag_error(0, "no FILE given: name the reports of the page, or a folder of them");
	else if (!options->output)
		diag_error(0, "no -o FILE given: it names the page");
	else
		return gather(options);
	return DIAG_EXIT_USAGE;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct options options = {.ends_in_dashes = !strcmp(argv[argc - 1], "--")};
	struct opt_line line;
	int code = command_parse(command, argc, argv, &options, &line, NULL);

	if (!code)
		code = make_page(&options);
	inputs_free(&options.inputs);
	free(options.origins);
	opt_free(&line);
	return code;
}

const struct command command_html = {
	.program = &memstor_program,
	.name = "html",
	.arguments = "FILE... [-- FILE...]",
	.summary = "make one self-contained page of reports",
	.doc = "Makes one file that shows the reports in any browser without a network: the viewer with the reports "
	       "in it, and a table for readers without JavaScript. Reports behind \"--\" are set against those before "
	       "it.",
	.options = rows,
	.flags = COMMAND_OPTIONS_BEHIND,
	.take = take,
	.check = check,
	.run = run,
};

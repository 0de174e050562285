/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor html: reports in, one page out. */
#include "config.h"
#include "memstor/html/html.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/diag.h"
#include "common/report_copy.h"
#include "memstor/commands.h"
#include "memstor/embedded.h"
#include "memstor/inputs.h"

#define PAGE_MIB_MAX 128u /* browsers open it, if not at once */
#define TITLE_MAX 200

enum { KEY_TITLE = 256, KEY_NO_SERIES };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "where to write the page; - is standard output", 0},
	{"title", KEY_TITLE, "TEXT", 0, "title of the page", 0},
	{"no-series", KEY_NO_SERIES, NULL, 0, "leave the runs' time series out: a smaller page", 0},
	{0},
};

struct arguments {
	const char *output, *title;
	bool is_without_series;
	char **files; /* of the side that is being parsed */
	int file_count;
};

/* Where reports come from: those of one argument. */
struct origin {
	const char *side;   /* "base" "new", "" = not compared */
	const char *folder; /* the argument, "" = it is a file */
	size_t end;         /* the first report that is not of it any more */
};

/* What the page is made of. */
struct gathered {
	struct inputs inputs;
	struct origin *origins; /* in the order of the reports */
	size_t origin_count;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case 'o':
		if (!text[0])
			return command_refuse("--output", text, "must be the name of a file, or -");
		arguments->output = text;
		return 0;
	case KEY_TITLE:
		if (!text[0] || strlen(text) > TITLE_MAX)
			return command_refuse("--title", text, "must be a text of 1 to 200 bytes");
		arguments->title = text;
		return 0;
	case KEY_NO_SERIES:
		arguments->is_without_series = true;
		return 0;
	case ARGP_KEY_ARGS:
		arguments->files = state->argv + state->next;
		arguments->file_count = state->argc - state->next;
		return 0;
	case ARGP_KEY_NO_ARGS:
		arguments->file_count = 0;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* A page in the making: the table and the data grow side by side. */
struct making {
	const struct arguments *arguments;
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
	bool is_without_series = making->arguments->is_without_series;
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
			diag_error(0, "%s: with this report, number %zu, the page is larger than %u MiB: leave reports out%s",
				path, making->count, PAGE_MIB_MAX,
				making->arguments->is_without_series ? "" : ", or the time series with --no-series");
		else if (err)
			diag_error(err, "%s: cannot be put into the page", path);
	}
	loaded_free(loaded);
	free(text);
	if (err == -ENOMEM)
		return DIAG_EXIT_HOST;
	return err ? DIAG_EXIT_USAGE : DIAG_EXIT_OK;
}

static int put_together(const struct making *making, char **text, size_t *size)
{
	const struct html_template *page = &making->page;
	const char *title = making->arguments->title;
	FILE *out = open_memstream(text, size);
	bool has_failed;

	if (!out)
		return -ENOMEM;
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
	return has_failed ? -ENOMEM : 0;
}

static int write_page(const struct making *making)
{
	const char *output = making->arguments->output;
	char *text = NULL;
	size_t size = 0;
	int err = put_together(making, &text, &size);

	if (err)
		diag_error(err, "cannot make the page");
	else
		err = report_file_write(output, text, size);
	if (err && text)
		diag_error(err, "-o %s: the page could not be written", output);
	free(text);
	return err ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

static int make_page(const struct arguments *arguments, const struct gathered *gathered)
{
	const struct origin *origin = gathered->origins;
	struct embedded viewer = embedded_viewer();
	struct making making = {.arguments = arguments};
	int code = DIAG_EXIT_OK;

	if (html_template_find(viewer.text, viewer.size, &making.page)) {
		diag_error(0, "the viewer that was built in has no place for reports: build memstor anew");
		return DIAG_EXIT_USAGE;
	}
	making.table = open_memstream(&making.table_text, &making.table_size);
	making.data = open_memstream(&making.data_text, &making.data_size);
	if (!making.table || !making.data) {
		diag_error(ENOMEM, "cannot make the page");
		code = DIAG_EXIT_HOST;
	}
	for (size_t i = 0; i < gathered->inputs.count && !code; i++) {
		while (origin->end <= i)
			origin++;
		code = add_file(&making, gathered->inputs.paths[i], origin);
	}
	if ((making.table && fclose(making.table)) || (making.data && fclose(making.data)))
		code = code ? code : DIAG_EXIT_HOST;
	if (!code)
		code = write_page(&making);
	free(making.table_text);
	free(making.data_text);
	return code;
}

static int gather(struct gathered *gathered, const struct arguments *arguments, const char *side)
{
	int code = DIAG_EXIT_OK;

	for (int i = 0; i < arguments->file_count && !code; i++) {
		const char *argument = arguments->files[i];
		struct stat status;

		code = inputs_add(&gathered->inputs, argument);
		gathered->origins[gathered->origin_count++] = (struct origin){
			.side = side,
			.folder = stat(argument, &status) == 0 && S_ISDIR(status.st_mode) ? argument : "",
			.end = gathered->inputs.count,
		};
	}
	return code;
}

/* BASE... -- NEW..., options on both sides; without a report before it, "--" ends the options, as everywhere. */
static int parse_sides(const struct command *command, int argc, char **argv, struct arguments *arguments,
	struct gathered *gathered)
{
	int split = 1, code;

	while (split < argc && strcmp(argv[split], "--") != 0)
		split++;
	code = command_parse_argp(command, parse, split, argv, arguments);
	if (code || split == argc)
		return code ? code : gather(gathered, arguments, "");
	if (arguments->file_count == 0) {
		code = command_parse_argp(command, parse, argc, argv, arguments);
		return code ? code : gather(gathered, arguments, "");
	}
	code = gather(gathered, arguments, "base");
	if (!code) {
		argv[split] = argv[0];
		code = command_parse_argp(command, parse, argc - split, argv + split, arguments);
	}
	if (!code && arguments->file_count == 0) {
		diag_error(0, "no NEW given: memstor html BASE... -- NEW... -o FILE (files, or folders of reports)");
		code = DIAG_EXIT_USAGE;
	}
	return code ? code : gather(gathered, arguments, "new");
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {0};
	struct gathered gathered = {.origins = calloc((size_t)argc, sizeof(*gathered.origins))};
	int code, err = 0;

	if (!gathered.origins) {
		diag_error(ENOMEM, "cannot make the page");
		return DIAG_EXIT_HOST;
	}
	code = parse_sides(command, argc, argv, &arguments, &gathered);
	if (!code && gathered.inputs.count == 0) {
		diag_error(0, "no FILE given: name the reports of the page, or a folder of them");
		code = DIAG_EXIT_USAGE;
	}
	if (!code && !arguments.output) {
		diag_error(0, "no -o FILE given: it names the page that is made");
		code = DIAG_EXIT_USAGE;
	}
	if (!code && strcmp(arguments.output, "-") != 0)
		err = report_check_path(arguments.output);
	if (err) {
		diag_error(err, "-o %s: cannot be written", arguments.output);
		code = DIAG_EXIT_HOST;
	}
	if (!code)
		code = make_page(&arguments, &gathered);
	inputs_free(&gathered.inputs);
	free(gathered.origins);
	return code;
}

const struct command command_html = {
	.program = &memstor_program,
	.name = "html",
	.arguments = "FILE... [-- FILE...]",
	.summary = "make one self-contained page of reports",
	.doc = "Makes one file that shows the reports in any browser, without a network: the viewer with the reports "
	       "in it, and a table for readers without JavaScript. Reports behind \"--\" are set against those before "
	       "it.",
	.argp_options = options,
	.run = run,
};

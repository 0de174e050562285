/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor convert: converts one report after another to the requested format. */
#include "config.h"
#include "memstor/convert/convert.h"

#include <errno.h>
#include <string.h>

#include "common/diag.h"
#include "common/report.h"
#include "common/report_json.h"
#include "common/report_file.h"
#include "memstor/commands.h"
#include "memstor/inputs.h"
#include "memstor/workers.h"

/* JSON by the rules of docs/report.md: one report is an object, several are an array; NDJSON is a line for each. */
static int begin_json(struct convert *convert)
{
	convert->json = (struct json){.out = convert->out, .indent = REPORT_JSON_INDENT};
	if (convert->total > 1)
		json_begin(&convert->json, NULL, '[');
	return 0;
}

static int add_json(struct convert *convert, const struct loaded *loaded)
{
	const struct report_node *root = report_read_root(loaded->document), *where;
	bool is_line = !convert->json.indent;
	char reason[256];
	int err = report_json_check(root, loaded->is_newer, &where, reason, sizeof(reason));

	if (err) {
		snprintf(convert->why, sizeof(convert->why), "%s:%u: %s", loaded->path, where->line, reason);
		return err;
	}
	if (is_line)
		convert->json = (struct json){.out = convert->out};
	report_json_print(&convert->json, root, is_line);
	return 0;
}

static int end_json(struct convert *convert)
{
	if (convert->total > 1)
		json_end(&convert->json, ']');
	return 0;
}

const struct convert_format convert_json = {0, begin_json, add_json, end_json, true};
const struct convert_format convert_ndjson = {0, NULL, add_json, NULL, true};

static const struct convert_format *const formats[] = {
	&convert_json, &convert_ndjson, &convert_csv, &convert_pmgraph, &convert_markdown};
/* In the same order. */
static const char *const format_names[] = {"json", "ndjson", "csv", "pmgraph", "markdown", NULL};

static const char *const what_names[] = {
	[CONVERT_SUMMARY] = "summary",
	[CONVERT_VALUES] = "values",
	[CONVERT_BUCKETS] = "buckets",
	[CONVERT_SERIES] = "series",
	[CONVERT_FACTS] = "facts",
	NULL,
};

struct options {
	struct inputs inputs;
	unsigned format; /* of formats */
	enum convert_what what;
	const char *output;
};

int convert_add(struct convert *convert, const struct loaded *loaded)
{
	const struct convert_format *format = convert->format;
	int err = 0;

	if (convert->count == 0) {
		convert->kept = arena_array(&convert->arena, 1, format->kept);
		err = convert->kept ? 0 : -ENOMEM;
		if (!err && format->begin)
			err = format->begin(convert);
	}
	if (!err)
		err = format->add(convert, loaded);
	convert->count++;
	/* Texts of the report may be in it. */
	diag_clean(convert->why, strlen(convert->why), "");
	return convert->arena.is_short ? -ENOMEM : err;
}

int convert_end(struct convert *convert)
{
	int err = convert->format->end ? convert->format->end(convert) : 0;

	arena_free(&convert->arena);
	return err;
}

static int refuse(const struct convert *convert, const char *path, int err)
{
	if (convert->why[0])
		diag_error(0, "%s", convert->why);
	else
		diag_error(err, "%s", path);
	return err == -ENOMEM ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
}

static int convert_file(void *data, const char *path, FILE *out)
{
	struct convert *convert = data;
	struct loaded *loaded;
	int code = loaded_read(path, convert->what == CONVERT_SERIES ? LOADED_SERIES : 0, &loaded), err;

	if (code)
		return code;
	convert->out = convert->json.out = out;
	err = convert_add(convert, loaded);
	loaded_free(loaded);
	return err ? refuse(convert, path, err) : DIAG_EXIT_OK;
}

static int cannot_write(const char *path, int err)
{
	return diag_host(err, "--output %s: cannot be written", opt_is_stdout(path) ? "(standard output)" : path);
}

static int convert_all(const struct options *options)
{
	const struct inputs *inputs = &options->inputs;
	struct convert convert = {.format = formats[options->format], .what = options->what, .total = inputs->count};
	struct workers workers = {.work = convert_file, .data = &convert, .is_until = true};
	struct report_output *output;
	int err = report_output_open(options->output, &output), code;

	if (err)
		return cannot_write(options->output, err);
	workers.out = convert.out = report_output_stream(output);
	/* The first report begins the output. */
	code = workers_run(&workers, inputs->paths, 1, 1);
	if (!code)
		code = workers_run(&workers, inputs->paths + 1, inputs->count - 1,
			convert.format->is_separate ? workers_default() : 1);
	err = code ? 0 : convert_end(&convert);
	if (err)
		code = refuse(&convert, inputs->paths[inputs->count - 1], err);
	arena_free(&convert.arena);
	err = report_output_close(output, code == DIAG_EXIT_OK);
	return err ? cannot_write(options->output, err) : code;
}

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
	{"to", 't', "json|ndjson|csv|pmgraph|markdown", OPT_CHOICE, .offset = AT(format), .choices = format_names,
		.help = "write this format",
		.manual = "Selects the format. Required.\n\n"
			  "`json`: the report as memstor-report(5) defines it, valid against "
			  "memstor-report.schema.json; several reports are an array.\n\n"
			  "`ndjson`: the same, one report per line.\n\n"
			  "`csv`: a table for a statistics program, see --what.\n\n"
			  "`pmgraph`: the CSV that the desktop viewer of the original pmbench exports: the "
			  "parameters of the first report, the threads of each, the histograms of reads and writes "
			  "with a column per report, the memory snapshots of each. Only for reports of pmbench.\n\n"
			  "`markdown`: a table for people and pull requests: a row per report, type and class of "
			  "accesses with throughput, mean, percentiles and maximum. Options, labels, hosts and "
			  "versions that differ between the reports are columns; those that are equal follow the "
			  "table once. Subjects without histograms have a row per model, as scenarios do."},
	{"what", 'w', "summary|values|buckets|series|facts", OPT_CHOICE, .offset = AT(what), .choices = what_names,
			.preset = "summary",
		.help = "write this table with --to csv",
		.manual = "Selects the table of --to csv; memstor-report(5) has the columns.\n\n"
			  "`summary`: a row per type and class; of tools that measure several subjects a row per "
			  "subject (a cell of `iowrite-bench run`, a scenario of `evaluate`, a stream of "
			  "`ssd-workloads run`) over its repetitions, with all its values as columns.\n\n"
			  "`values`: every number as a row of file, run, subject, name, unit and value.\n\n"
			  "`buckets`: the histograms.\n\n"
			  "`series`: the run over time, with kernel counters; the writes of scenarios and kernel "
			  "events.\n\n"
			  "`facts`: options, labels, machine, findings, totals.\n\n"
			  "A text that a spreadsheet would read as a formula is prefixed with an apostrophe."},
	{"output", 'o', "FILE", OPT_STRING, OPT_OUTPUT, .offset = AT(output), .preset = "-",
		.help = "write to FILE; - is standard output",
		.manual = "Writes to FILE, which changes only when the result is complete. `-` is standard output."},
	{"file", 0, "FILE", OPT_OWN, OPT_ARGUMENT | OPT_REPEATS, AT(inputs), .set = inputs_set},
	{0},
};

static int check(void *data, struct opt_line *line)
{
	const struct options *options = data;

	if (!options->inputs.count)
		diag_error(0, "no FILE given: name the reports to convert, or a folder of them");
	else if (!opt_is_typed(line, "to"))
		diag_error(0, "no --to given: json, ndjson, csv, pmgraph or markdown");
	else if (opt_is_typed(line, "what") && formats[options->format] != &convert_csv)
		return opt_refuse(line, "what", "is for --to csv only");
	else
		return DIAG_EXIT_OK;
	return DIAG_EXIT_USAGE;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct options options = {0};
	struct opt_line line;
	int code = command_parse(command, argc, argv, &options, &line, NULL);

	if (!code)
		code = convert_all(&options);
	inputs_free(&options.inputs);
	opt_free(&line);
	return code;
}

const struct command command_convert = {
	.program = &memstor_program,
	.name = "convert",
	.arguments = "FILE...",
	.summary = "write reports as JSON, CSV or Markdown",
	.doc = "Writes reports in another format. Several reports become a JSON array, lines of NDJSON, or rows of CSV or of a "
	       "Markdown table; pmgraph is the CSV that the original pmbench's viewer exports.",
	.examples = "  memstor convert --to json run.xml | jq .pmbenchmark.report.result.totals\n"
		    "  memstor convert --to csv --what buckets -o buckets.csv runs\n"
		    "  memstor convert --to markdown before after\n",
	.options = rows,
	.check = check,
	.run = run,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ssd-workloads analyze: figures from the records of a run. */
#include "config.h"
#include "ssd-workloads/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/diag.h"
#include "common/frame.h"
#include "common/units.h"
#include "ssd-workloads/analyze/figure.h"

#define ROWS_SLOWEST 10
#define ROWS_PLACES 20000
#define ROWS_MAX 1000000000u

enum { KEY_JSON = 256, KEY_ALONE, KEY_ROWS };

struct analyze_options {
	const struct figure *figure;
	const char *path;
	size_t alone_count;
	const char *alone[MIX_STREAMS];
	bool has_rows;
	uint64_t rows;
	const char *xml_path, *json_path; /* NULL = no report */
};

static const struct argp_option options[] = {
	{"alone", KEY_ALONE, "FILE", 0, "records of a run in which one of the streams ran alone; repeatable", 1},
	{"rows", KEY_ROWS, "N", 0, "of fig4 each stream's (10), of fig11 at most (20000); 0 is all", 1},
	{"file", 'f', "FILE", 0, "write the report as XML; - is stdout, and then there is no table", 1},
	{"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL, "write the report as JSON, to stdout by default", 1},
	{0},
};

/* --- words --- */

static error_t set_path(const char *option, const char *text, const char **path)
{
	if (!*text)
		return command_refuse(option, text, "must be the name of a file");
	if (*path)
		return command_refuse(option, text, "was given already: once is allowed");
	*path = text;
	return 0;
}

static error_t add_alone(struct analyze_options *found, const char *text)
{
	if (found->alone_count == MIX_STREAMS)
		return command_refuse("--alone", text, "two are allowed, one of each stream");
	return set_path("--alone", text, &found->alone[found->alone_count++]);
}

static error_t take_word(struct analyze_options *found, const char *word)
{
	if (!found->figure) {
		found->figure = figure_find(word);
		return found->figure ? 0
				     : command_refuse("figure", word,
					       "must be records, fig4, fig6, fig9, fig11 or interference, or of the simulated "
					       "device fig5, fig7, fig8, fig10");
	}
	if (found->path)
		return command_refuse("argument", word, "one file is analyzed at a time");
	found->path = word;
	return *word ? 0 : command_refuse("argument", word, "must be the name of a file");
}

static bool is_read(const struct analyze_options *found, const char *path)
{
	bool is_found = report_is_same_file(path, found->path);

	for (size_t i = 0; i < found->alone_count; i++)
		is_found = is_found || report_is_same_file(path, found->alone[i]);
	return is_found;
}

static bool is_records(const struct analyze_options *found)
{
	return !strcmp(found->figure->name, FIGURE_RECORDS);
}

static error_t check(const struct analyze_options *found)
{
	if (!found->figure)
		return command_refuse("figure", "", "name one: records, fig4, fig6, fig9, fig11 or interference");
	if (is_records(found) && (found->xml_path || found->json_path))
		return command_refuse(found->xml_path ? "-f" : "--json", found->xml_path ? found->xml_path : found->json_path,
			"is not for records, which are CSV on standard output");
	if (!found->path)
		return command_refuse("argument", "", "name the file that 'run --dump=FILE' has written");
	if (report_is_same_file(found->xml_path, found->json_path))
		return command_refuse("--json", found->json_path, "-f goes there: name another");
	if (found->alone_count &&
		(is_records(found) || !strcmp(found->figure->name, "fig9") || !strcmp(found->figure->name, "fig11")))
		return command_refuse("--alone", found->alone[0], "is for fig4, fig6 and interference");
	if (is_read(found, found->xml_path) || is_read(found, found->json_path))
		return command_refuse("-f", is_read(found, found->xml_path) ? found->xml_path : found->json_path,
			"the records are read from there: name another");
	if (found->has_rows && strcmp(found->figure->name, "fig4") != 0 && strcmp(found->figure->name, "fig11") != 0)
		return command_refuse("--rows", found->figure->name, "is for fig4 and fig11");
	return 0;
}

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct analyze_options *found = state->input;

	switch (key) {
	case 'f':
		return set_path("--file", word, &found->xml_path);
	case KEY_JSON:
		return set_path("--json", word ? word : "-", &found->json_path);
	case KEY_ALONE:
		return add_alone(found, word);
	case KEY_ROWS:
		found->has_rows = true;
		return units_parse_u64(word, 0, ROWS_MAX, &found->rows) ? command_refuse("--rows", word, "must be 0 to 1000000000")
									: 0;
	case ARGP_KEY_ARG:
		return take_word(found, word);
	case ARGP_KEY_END:
		return check(found);
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* --- files --- */

static int read_dump(const char *path, struct dump **read)
{
	struct dump *dump = calloc(1, sizeof(*dump)); /* large for a stack */
	char why[256];
	int rc = dump ? dump_read(path, dump, why, sizeof(why)) : -ENOMEM;

	if (!rc) {
		*read = dump;
		return DIAG_EXIT_OK;
	}
	if (rc == -EBADMSG)
		diag_error(0, "%s %s", path, why);
	else
		diag_error(rc, "cannot read %s", path);
	free(dump);
	return rc == -EBADMSG || rc == -ENOENT || rc == -EINVAL || rc == -EISDIR ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
}

static void free_dump(struct dump *dump)
{
	if (dump)
		dump_free(dump);
	free(dump);
}

/* -1: not just one. */
static int only_stream(const struct dump *dump)
{
	int stream = -1;

	for (int i = 0; i < MIX_STREAMS; i++) {
		if (!dump->workload.streams[i].depth)
			continue;
		if (stream >= 0)
			return -1;
		stream = i;
	}
	return stream;
}

static int read_alone(const struct analyze_options *found, struct dump *alone[MIX_STREAMS])
{
	for (size_t i = 0; i < found->alone_count; i++) {
		struct dump *dump;
		int code = read_dump(found->alone[i], &dump), stream;

		if (code)
			return code;
		stream = only_stream(dump);
		if (stream < 0 || alone[stream]) {
			diag_error(0, "--alone '%s': %s", found->alone[i],
				stream < 0 ? "must be of a run of one stream, as mix 1-0 or 0-N; this one is of both"
					   : "is of the same stream as the one before");
			free_dump(dump);
			return DIAG_EXIT_USAGE;
		}
		alone[stream] = dump;
	}
	return DIAG_EXIT_OK;
}

/* --- the figure --- */

/* What is looked at is the file of records: it stands where other reports have the target. */
static int start_frame(const struct analyze_options *found, int argc, char **argv, struct frame *frame)
{
	struct target target = {.kind = TARGET_FILE, .fd = -1};
	struct stat status;

	snprintf(target.path, sizeof(target.path), "%s", found->path);
	if (!stat(found->path, &status)) {
		target.device = status.st_dev;
		target.size_bytes = (uint64_t)status.st_size;
		target.fs_block = (unsigned)status.st_blksize;
	}
	return frame_start(frame, "ssd-workloads", argc, argv, &target);
}

static int write_report(const struct analyze_options *found, int argc, char **argv, const struct figure_table *table)
{
	const struct report_option shown[] = {{"figure", found->figure->name}, {"file", found->path}};
	struct frame *frame = calloc(1, sizeof(*frame));
	struct report *report;
	int code = frame ? start_frame(found, argc, argv, frame) : DIAG_EXIT_HOST, rc;

	if (code) {
		free(frame);
		return code;
	}
	frame->signature.options = shown;
	frame->signature.option_count = sizeof(shown) / sizeof(shown[0]);
	rc = frame_begin(frame, "ssdworkloads", &report);
	if (rc) {
		diag_error(rc, "cannot make the report");
		code = DIAG_EXIT_HOST;
	} else {
		figure_table_write(report, found->path, table);
		frame_end_result(report);
		frame_end(frame, report);
		code = frame_publish(report, found->xml_path, found->json_path);
	}
	free(frame);
	return code;
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

static int show(const struct analyze_options *found, int argc, char **argv, const struct figure_table *table)
{
	if (table->every > 1)
		diag_info("one of %llu writes is shown: --rows=0 shows all", (unsigned long long)table->every);
	if (!is_stdout(found->xml_path) && !is_stdout(found->json_path))
		figure_table_print(stdout, table);
	if (!found->xml_path && !found->json_path)
		return DIAG_EXIT_OK;
	return write_report(found, argc, argv, table);
}

static int compute(const struct analyze_options *found, int argc, char **argv, const struct figure_input *input)
{
	struct figure_table table = {.figure = found->figure, .every = 1, .mix = input->dump->mix};
	const char *why = "";
	int code = DIAG_EXIT_HOST, rc = found->figure->compute(input, &table, &why);

	if (rc == -ENODATA) {
		diag_error(0, "%s: %s %s", found->figure->name, found->path, why);
		code = DIAG_EXIT_USAGE;
	} else if (rc) {
		diag_error(rc, "cannot compute %s", found->figure->name);
	} else {
		code = show(found, argc, argv, &table);
	}
	figure_table_free(&table);
	return code;
}

static int analyze(const struct analyze_options *found, int argc, char **argv)
{
	struct dump *dump = NULL, *alone[MIX_STREAMS] = {NULL};
	struct figure_input input = {.rows = found->rows};
	int code;

	if (!found->figure->compute && !is_records(found)) {
		diag_error(0, "%s " FIGURE_WHY, found->figure->name);
		return DIAG_EXIT_HOST;
	}
	code = frame_check_output("-f", found->xml_path);
	if (!code)
		code = frame_check_output("--json", found->json_path);
	if (!code)
		code = read_dump(found->path, &dump);
	if (!code)
		code = read_alone(found, alone);
	if (!code && is_records(found)) {
		figure_print_records(stdout, dump);
	} else if (!code) {
		if (!found->has_rows)
			input.rows = strcmp(found->figure->name, "fig4") ? ROWS_PLACES : ROWS_SLOWEST;
		input.dump = dump;
		memcpy(input.alone, alone, sizeof(alone));
		code = compute(found, argc, argv, &input);
	}
	free_dump(dump);
	for (int i = 0; i < MIX_STREAMS; i++)
		free_dump(alone[i]);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct analyze_options found = {.path = NULL};
	/* argp sorts the words in place; the report has them as they were typed. */
	char **typed = calloc((size_t)argc + 1, sizeof(*typed));
	int code;

	if (!typed) {
		diag_error(ENOMEM, "cannot begin");
		return DIAG_EXIT_HOST;
	}
	memcpy(typed, argv, (size_t)argc * sizeof(*argv));
	code = command_parse_argp(command, parse, argc, argv, &found);
	if (!code)
		code = analyze(&found, argc, typed);
	free(typed);
	return code;
}

const struct command command_analyze = {
	.program = &ssd_program,
	.name = "analyze",
	.arguments = "FIGURE FILE",
	.summary = "compute a figure from the records of a run",
	.doc = "Computes a figure from the records that 'run --dump=FILE' has written, and prints it as tab-separated columns.\v"
	       "Examples:\n"
	       "  ssd-workloads analyze fig9 mn.rec\n"
	       "  ssd-workloads analyze records mn.rec >mn.csv\n"
	       "  ssd-workloads analyze interference mn.rec --alone m0.rec --alone 0n.rec\n"
	       "records every write as CSV, fig4 the slowest writes by part beside a usual one, "
	       "fig6 response times over the median of the stream alone "
	       "(--alone), fig9 the tail of the response times, "
	       "fig11 where each write went and when, interference what the streams cost each "
	       "other. fig5, fig7, fig8 and fig10 need the simulated device.",
	.argp_options = options,
	.run = run,
};

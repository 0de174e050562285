/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ssd-workloads analyze: figures from the records of a run. */
#include "config.h"
#include "ssd-workloads/commands.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/diag.h"
#include "common/base/input.h"
#include "common/run/frame.h"
#include "ssd-workloads/analyze/device_figures.h"

#define ROWS_MAX 1000000000u
#define NAMES 256

struct figures_options {
	const struct figure *figure;
	const char *path;
	size_t alone_count;
	const char *alone[MIX_STREAMS];
	uint64_t rows;
	unsigned command;
	bool is_asserted;
	const char *xml_path, *json_path; /* NULL = no report */
	struct opt_line line;
};

/* --- options --- */

static int add_alone(struct opt_value *in)
{
	struct figures_options *found = in->options;

	in->why = "two are allowed, one for each stream";
	if (found->alone_count == MIX_STREAMS)
		return -ERANGE;
	in->why = "must be a file name";
	found->alone[found->alone_count++] = in->text;
	return *in->text ? 0 : -EINVAL;
}

#define FIELD(NAME) offsetof(struct figures_options, NAME)

static const struct opt options[] = {
	{"alone", 0, "FILE", OPT_OWN, OPT_REPEATS | OPT_UNREPORTED, .set = add_alone,
		.help = "compare with the records of one stream alone; repeatable",
		.manual = "Compare with the records of a run in which one of the streams ran alone, as with mix "
			  "1-0 or 0-N, in `fig4`, `fig6`, `bandwidth` and the ratios of `interference`. May be given "
			  "twice, once for each stream."},
	{"rows", 0, "N", OPT_U64, OPT_UNREPORTED, .offset = FIELD(rows), .max = ROWS_MAX,
		.help = "print N rows: of fig4 for each stream (default: 10), of fig11 in all (default: 20000); 0 is all",
		.manual = "Print N rows, up to 1000000000; 0 is all. Of `fig4` N of the slowest writes are for each stream "
			  "(default: 10), and of a host's records 0 includes writes that were under way together. Of `fig11` N "
			  "is the limit (default: 20000): of more writes an evenly spaced random sample is printed. For other "
			  "figures it is refused."},
	{"command", 0, "N", OPT_UNSIGNED, OPT_UNREPORTED, .offset = FIELD(command), .max = UINT32_MAX - 1,
		.help = "show this command in gantt, fig7 and fig8",
		.manual = "Show the command of the simulated device with the number N, 0 to 4294967294, in `gantt`, "
			  "which needs it, and in `fig7` and `fig8` in place of the one that they choose. The column "
			  "`command` of `fig4` has such numbers."},
	{"assert", 0, NULL, OPT_FLAG, OPT_UNREPORTED, .offset = FIELD(is_asserted),
		.help = "check that the parts of attribution add up to the time of each command and page",
		.manual = "Check that the parts of `attribution` add up to the time of each command and each page, to a "
			  "nanosecond. If they do not, one line names it, and the exit status is 1."},
	{"file", 'f', "FILE", OPT_OWN, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(xml_path), .begins = "<?xml",
		.set = ssd_set_path,
		.help = "write the report as XML",
		.manual = "Write the report as XML. `-` is standard output, where it replaces the table."},
	{"json", 0, "FILE", OPT_OWN, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(json_path), .begins = "{", .bare = "-",
		.set = ssd_set_path,
		.help = "write the report as JSON to FILE (default: stdout)",
		.manual = "Write the report as JSON; without FILE it replaces the table on standard output."},
	{0},
};

static int take(void *data, const char *text, bool is_behind)
{
	struct figures_options *found = data;
	char names[NAMES];

	(void)is_behind;
	if (!found->figure) {
		found->figure = figure_find(text);
		if (found->figure)
			return DIAG_EXIT_OK;
		diag_error(0, "FIGURE '%s': must be %s", text, figure_names(FIGURE_ALL, " or ", names, sizeof(names)));
	} else if (found->path || !*text) {
		diag_error(0, "FILE '%s': %s", text, *text ? "one file is analyzed at a time" : "must be a file name");
	} else {
		found->path = text;
		return DIAG_EXIT_OK;
	}
	return DIAG_EXIT_USAGE;
}

static bool is_figure(const struct figures_options *found, const char *name)
{
	return !strcmp(found->figure->name, name);
}

/* Rejects options that the figure does not use. */
static int check_options(const struct figures_options *found, struct opt_line *line)
{
	static const struct { const char *name; unsigned option; } rows[] = {{"alone", FIGURE_TAKES_ALONE}, {"rows", 0},
		{"command", FIGURE_TAKES_COMMAND}, {"assert", FIGURE_TAKES_ASSERT}};
	char names[NAMES], why[NAMES + 16];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!opt_text(line, rows[i].name) || figure_takes(found->figure, rows[i].option))
			continue;
		snprintf(why, sizeof(why), "is for %s", figure_names(rows[i].option, " and ", names, sizeof(names)));
		return opt_refuse(line, rows[i].name, why);
	}
	return DIAG_EXIT_OK;
}

static bool is_read(const struct figures_options *found, const char *path)
{
	bool is_found = report_is_same_file(path, found->path);

	for (size_t i = 0; i < found->alone_count; i++)
		is_found = is_found || report_is_same_file(path, found->alone[i]);
	return is_found;
}

static int check(void *data, struct opt_line *line)
{
	const struct figures_options *found = data;
	const char *output = found->xml_path ? "file" : "json";
	char names[NAMES];

	if (!found->figure)
		diag_error(0, "FIGURE: name one: %s", figure_names(FIGURE_ALL, " or ", names, sizeof(names)));
	else if (is_figure(found, FIGURE_RECORDS) && (found->xml_path || found->json_path))
		return opt_refuse(line, output, "records prints CSV on standard output; omit it");
	else if (!found->path)
		diag_error(0, "FILE: name the file that 'run --dump=FILE' has written");
	else if (is_read(found, found->xml_path) || is_read(found, found->json_path))
		return opt_refuse(line, is_read(found, found->xml_path) ? "file" : "json",
			"the records are read from there; give it another name");
	else
		return check_options(found, line);
	return DIAG_EXIT_USAGE;
}

/* --- files --- */

struct dump_file { /* of records */
	struct dump *dump;
	struct device_table table;
	bool has_table;
};
enum { OWN, ALONE, FILES = ALONE + MIX_STREAMS }; /* indices of files */

static int read_file(const char *path, bool has_device, struct dump_file *file)
{
	char why[256];
	int rc;

	file->dump = calloc(1, sizeof(*file->dump)); /* large for a stack */
	rc = file->dump ? dump_read(path, file->dump, why, sizeof(why)) : -ENOMEM;
	if (rc) {
		free(file->dump);
		file->dump = NULL;
		if (rc == -EBADMSG)
			diag_error(0, "%s %s", path, why);
		else
			diag_error(0, "cannot read %s: %s", path, input_error(rc));
		return rc == -ENOMEM || rc == -EIO ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
	}
	if (!has_device || !file->dump->section)
		return DIAG_EXIT_OK;
	rc = device_table_make(file->dump, &file->table);
	file->has_table = !rc;
	if (rc == -EBADMSG)
		diag_error(0, "%s has device records of two operations on a way at once", path);
	else if (rc)
		diag_error(rc, "cannot read %s", path);
	return !rc ? DIAG_EXIT_OK : rc == -EBADMSG ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
}

static void free_file(struct dump_file *file)
{
	if (file->has_table)
		device_table_free(&file->table);
	if (file->dump)
		dump_free(file->dump);
	free(file->dump);
}

/* Returns -1 if the dump has several streams. */
static int only_stream(const struct dump *dump)
{
	int stream = -1;

	for (int i = 0; i < MIX_STREAMS; i++) {
		if (!dump->head.streams[i].depth)
			continue;
		if (stream >= 0)
			return -1;
		stream = i;
	}
	return stream;
}

static int read_files(const struct figures_options *found, const struct figure **figure, struct dump_file files[FILES])
{
	bool has_device = figure_of(found->figure, true)->source == FIGURE_DEVICE;
	struct dump_file *own = &files[OWN];
	int code = read_file(found->path, has_device, own);

	if (code)
		return code;
	*figure = figure_of(found->figure, own->dump->section != NULL);
	if (!*figure) {
		diag_error(0, "%s %s: " FIGURE_WHY, found->figure->name, found->path);
		return DIAG_EXIT_HOST;
	}
	for (size_t i = 0; i < found->alone_count && !code; i++) {
		struct dump_file file = {.dump = NULL};
		int stream;

		code = read_file(found->alone[i], own->has_table, &file);
		stream = code ? -1 : only_stream(file.dump);
		if (!code && stream >= 0 && !files[ALONE + stream].dump) {
			files[ALONE + stream] = file;
			continue;
		}
		if (!code) {
			diag_error(0, "--alone %s: %s", found->alone[i],
				stream < 0 ? "must be of a run of one stream, as mix 1-0 or 0-N; this one has both"
					   : "is of the same stream as the one before");
			code = DIAG_EXIT_USAGE;
		}
		free_file(&file);
	}
	return code;
}

/* --- the figure --- */

/* The report states the file of records in place of a target. */
static int write_report(const struct figures_options *found, int argc, char **argv, const struct figure_table *table)
{
	const struct named_text_values shown[] = {{"figure", found->figure->name}, {"file", found->path}};
	struct target target = {.kind = TARGET_FILE, .fd = -1};
	struct frame *frame = calloc(1, sizeof(*frame));
	const struct ssd_analysis_values analysis = figure_table_values(found->path, table);
	const struct ssd_result_values result = {.clock = FIELD_BY(frame_clock, frame), .analysis = FIELD_ONE(&analysis)};
	const struct ssd_report_values values = {FRAME_MEMBERS(frame), .result = FIELD_ONE(&result)};
	struct stat status;
	int code;

	snprintf(target.path, sizeof(target.path), "%s", found->path);
	if (!stat(found->path, &status)) {
		target.device = status.st_dev;
		target.size_bytes = (uint64_t)status.st_size;
		target.fs_block = (unsigned)status.st_blksize;
	}
	code = frame ? frame_start(frame, "ssd-workloads", argc, argv, &target) : DIAG_EXIT_HOST;
	if (code)
		goto out;
	frame->signature.options = shown;
	frame->signature.option_count = sizeof(shown) / sizeof(shown[0]);
	code = frame_publish(frame, "ssdworkloads", &(struct ssd_document_values){FIELD_ONE(&values)}, found->xml_path,
		found->json_path);
out:
	free(frame);
	return code;
}

static int check_sums(const struct figures_options *found, const struct figure *figure, const struct figure_input *input)
{
	char why[256];
	int rc = found->is_asserted ? device_matrix_assert(input, why, sizeof(why)) : 0;

	if (rc == -EPROTO)
		diag_error(0, "%s: %s: %s", figure->name, found->path, why);
	else if (rc)
		diag_error(rc, "cannot compute %s", figure->name);
	return !rc ? DIAG_EXIT_OK : rc == -EPROTO ? DIAG_EXIT_NEGATIVE : DIAG_EXIT_HOST;
}

static int show(const struct figures_options *found, int argc, char **argv, const struct figure *figure,
	const struct figure_input *input)
{
	struct figure_table table = {.figure = figure, .every = 1, .mix = input->dump->head.mix};
	const char *why = "";
	int code = DIAG_EXIT_OK, rc = figure->compute(input, &table, &why);

	if (rc == -ENODATA) {
		diag_error(0, "%s: %s %s", figure->name, found->path, why);
		code = DIAG_EXIT_USAGE;
	} else if (rc) {
		diag_error(rc, "cannot compute %s", figure->name);
		code = DIAG_EXIT_HOST;
	} else {
		if (table.every > 1)
			diag_info("one of %llu writes is shown: --rows=0 shows all", (unsigned long long)table.every);
		if (!opt_is_stdout(found->xml_path) && !opt_is_stdout(found->json_path))
			figure_table_print(stdout, &table);
		if (found->xml_path || found->json_path)
			code = write_report(found, argc, argv, &table);
	}
	figure_table_free(&table);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct figures_options found = {.path = NULL};
	struct dump_file *files = calloc(FILES, sizeof(*files));
	const struct figure *figure = NULL;
	int code = command_parse(command, argc, argv, &found, &found.line, NULL);

	if (!code && !files) {
		diag_error(ENOMEM, "cannot analyze");
		code = DIAG_EXIT_HOST;
	}
	if (!code)
		code = read_files(&found, &figure, files);
	if (!code && is_figure(&found, FIGURE_RECORDS)) {
		figure_print_records(stdout, files[OWN].dump);
	} else if (!code) {
		struct figure_records records[FILES];
		struct figure_input input = {.rows = opt_text(&found.line, "rows") ? found.rows : figure->rows,
			.command = found.command, .has_command = opt_text(&found.line, "command") != NULL};

		for (int i = 0; i < FILES; i++)
			records[i] = (struct figure_records){files[i].dump, files[i].has_table ? &files[i].table : NULL};
		input.dump = records[OWN].dump;
		input.device = records[OWN].device;
		memcpy(input.alone, &records[ALONE], sizeof(input.alone));
		code = check_sums(&found, figure, &input);
		if (code == DIAG_EXIT_OK || code == DIAG_EXIT_NEGATIVE) {
			int shown = show(&found, argc, argv, figure, &input);

			code = code ? code : shown;
		}
	}
	for (int i = 0; i < FILES && files; i++)
		free_file(&files[i]);
	free(files);
	opt_free(&found.line);
	return code;
}

const struct command command_analyze = {
	.program = &ssd_program,
	.name = "analyze",
	.arguments = "FIGURE FILE",
	.summary = "compute a figure from the records of a run",
	.doc = "Compute a figure from the records that 'run --dump=FILE' has written, and print it as tab-separated columns.",
	.examples = "  ssd-workloads analyze fig9 mn.rec\n"
		    "  ssd-workloads analyze records mn.rec >mn.csv\n"
		    "  ssd-workloads analyze interference mn.rec --alone m0.rec --alone 0n.rec\n",
	.notes = "Figures: records (every write as CSV), fig4 (the slowest writes by part), fig6 (response times over the median "
		 "of the stream alone), fig9 (the tail of the response times), fig11 (where and when each write went), "
		 "interference (mutual cost of the streams), bandwidth (their loss). For the simulated device also: "
		 "fig4 by segment in the device, fig5 (garbage collections), fig7 (ways of a write that did not wait), "
		 "fig8 (ways of one that waited for an erase), fig10 (valid copies), attribution (causes of the time), gantt "
		 "(one command's ways), counters, window (the time span of the records).",
	.options = options,
	.take = take,
	.check = check,
	.run = run,
};

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
#include "ssd-workloads/analyze/figure.h"

#define ROWS_SLOWEST 10
#define ROWS_PLACES 20000
#define ROWS_MAX 1000000000u

struct analyze_options {
	const struct figure *figure;
	const char *path;
	size_t alone_count;
	const char *alone[MIX_STREAMS];
	uint64_t rows;
	const char *xml_path, *json_path; /* NULL = no report */
	struct opt_line line;
};

/* --- options --- */

static int add_alone(struct opt_value *in)
{
	struct analyze_options *found = in->options;

	in->why = "two are allowed, one of each stream";
	if (found->alone_count == MIX_STREAMS)
		return -ERANGE;
	in->why = "must be the name of a file";
	found->alone[found->alone_count++] = in->text;
	return *in->text ? 0 : -EINVAL;
}

#define FIELD(NAME) offsetof(struct analyze_options, NAME)

static const struct opt options[] = {
	{"alone", 0, "FILE", OPT_OWN, OPT_REPEATS | OPT_UNREPORTED, .set = add_alone,
		.help = "compare with the records of one stream alone; repeatable",
		.manual = "Compare with the records of a run in which one of the streams ran alone, as with mix "
			  "1-0 or 0-N, in `fig4`, `fig6` and the ratios of `interference`. May be given twice, "
			  "once for each stream."},
	{"rows", 0, "N", OPT_U64, OPT_UNREPORTED, .offset = FIELD(rows), .max = ROWS_MAX,
		.help = "print N rows: of fig4 for each stream (default: 10), of fig11 in all (default: 20000); 0 is all",
		.manual = "Print N rows, up to 1000000000; 0 is all. Of `fig4` N are for each stream (default: "
			  "10), and 0 includes writes that were under way together. Of `fig11` N is the limit "
			  "(default: 20000): of more writes an evenly spaced random sample is printed. For other "
			  "figures it is refused."},
	{"file", 'f', "FILE", OPT_OWN, OPT_UNREPORTED, .offset = FIELD(xml_path), .set = ssd_set_path,
		.help = "write the report as XML",
		.manual = "Write the report as XML. `-` is standard output, and no table is printed then."},
	{"json", 0, "FILE", OPT_OWN, OPT_UNREPORTED, .offset = FIELD(json_path), .bare = "-", .set = ssd_set_path,
		.help = "write the report as JSON (to standard output)",
		.manual = "Write the report as JSON, to standard output without FILE; no table is printed then."},
	{0},
};

static int take(void *data, const char *text, bool is_behind)
{
	struct analyze_options *found = data;

	(void)is_behind;
	if (!found->figure) {
		found->figure = figure_find(text);
		if (found->figure)
			return DIAG_EXIT_OK;
		diag_error(0, "FIGURE '%s': must be records, fig4, fig6, fig9, fig11 or interference, or of the simulated "
			   "device fig5, fig7, fig8 or fig10", text);
	} else if (found->path || !*text) {
		diag_error(0, "FILE '%s': %s", text, *text ? "one file is analyzed at a time" : "must be the name of a file");
	} else {
		found->path = text;
		return DIAG_EXIT_OK;
	}
	return DIAG_EXIT_USAGE;
}

static bool is_read(const struct analyze_options *found, const char *path)
{
	bool is_found = report_is_same_file(path, found->path);

	for (size_t i = 0; i < found->alone_count; i++)
		is_found = is_found || report_is_same_file(path, found->alone[i]);
	return is_found;
}

static bool is_figure(const struct analyze_options *found, const char *name)
{
	return !strcmp(found->figure->name, name);
}

static int check(void *data, struct opt_line *line)
{
	const struct analyze_options *found = data;
	const char *output = found->xml_path ? "file" : "json";

	if (!found->figure)
		diag_error(0, "FIGURE: name one: records, fig4, fig6, fig9, fig11 or interference");
	else if (is_figure(found, FIGURE_RECORDS) && (found->xml_path || found->json_path))
		return opt_refuse(line, output, "records are CSV on standard output; omit it");
	else if (!found->path)
		diag_error(0, "FILE: name the file that 'run --dump=FILE' has written");
	else if (found->alone_count && (is_figure(found, FIGURE_RECORDS) || is_figure(found, "fig9") || is_figure(found, "fig11")))
		return opt_refuse(line, "alone", "is for fig4, fig6 and interference");
	else if (is_read(found, found->xml_path) || is_read(found, found->json_path))
		return opt_refuse(line, is_read(found, found->xml_path) ? "file" : "json",
			"the records are read from there; give it another name");
	else if (opt_text(line, "rows") && !is_figure(found, "fig4") && !is_figure(found, "fig11"))
		return opt_refuse(line, "rows", "is for fig4 and fig11");
	else
		return DIAG_EXIT_OK;
	return DIAG_EXIT_USAGE;
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
		if (!dump->head.streams[i].depth)
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
			diag_error(0, "--alone %s: %s", found->alone[i],
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
static int write_report(const struct analyze_options *found, int argc, char **argv, const struct figure_table *table)
{
	const struct report_option shown[] = {{"figure", found->figure->name}, {"file", found->path}};
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

static int show(const struct analyze_options *found, int argc, char **argv, const struct figure_input *input)
{
	struct figure_table table = {.figure = found->figure, .every = 1, .mix = input->dump->head.mix};
	const char *why = "";
	int code = DIAG_EXIT_OK, rc = found->figure->compute(input, &table, &why);

	if (rc == -ENODATA) {
		diag_error(0, "%s: %s %s", found->figure->name, found->path, why);
		code = DIAG_EXIT_USAGE;
	} else if (rc) {
		diag_error(rc, "cannot compute %s", found->figure->name);
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
	struct dump *dump = NULL, *alone[MIX_STREAMS] = {NULL};
	struct analyze_options found = {.path = NULL};
	struct figure_input input = {.dump = NULL};
	int code = command_parse(command, argc, argv, &found, &found.line, NULL);

	if (!code && !found.figure->compute && !is_figure(&found, FIGURE_RECORDS)) {
		diag_error(0, "%s " FIGURE_WHY, found.figure->name);
		code = DIAG_EXIT_HOST;
	}
	if (!code)
		code = frame_check_outputs(found.xml_path, found.json_path);
	if (!code)
		code = read_dump(found.path, &dump);
	if (!code)
		code = read_alone(&found, alone);
	if (!code && is_figure(&found, FIGURE_RECORDS)) {
		figure_print_records(stdout, dump);
	} else if (!code) {
		input = (struct figure_input){.dump = dump, .alone = {alone[0], alone[1]}, .rows = found.rows};
		if (!opt_text(&found.line, "rows"))
			input.rows = is_figure(&found, "fig4") ? ROWS_SLOWEST : ROWS_PLACES;
		code = show(&found, argc, argv, &input);
	}
	free_dump(dump);
	for (int i = 0; i < MIX_STREAMS; i++)
		free_dump(alone[i]);
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
	.notes = "Figures: records (every write as CSV), fig4 (the slowest writes by part, with a typical one), "
		 "fig6 (response times over the median of the stream alone), fig9 (the tail of the response times), "
		 "fig11 (where and when each write went), interference (what the streams cost each other). fig5, "
		 "fig7, fig8 and fig10 need the simulated device.",
	.options = options,
	.take = take,
	.check = check,
	.run = run,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memtrace analyze: an analysis of a recording as text, JSON and report. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/diag.h"
#include "common/base/json.h"
#include "common/base/units.h"
#include "common/cli/table.h"
#include "common/run/frame.h"
#include "memtrace/analyze/analysis.h"
#include "memtrace/analyze/heat.h"
#include "memtrace/commands.h"
#include "memtrace/file/losses.h"

#define RANGES_MAX 500 /* in a report; the mappings of a thousand processes would be too many */

struct analyze_options {
	struct table_output output; /* must be first, for TABLE_OPTIONS */
	struct selection selection;
	struct analysis_options analysis;
	const struct analysis *kind;
	const char *paths[2], *equal, *xml_path;
	size_t path_count;
};

/* --- options --- */

#define FIELD(NAME) offsetof(struct analyze_options, NAME)

static const char *const x_names[] = {"time", "samples", NULL}, *const y_names[] = {"rank", "address", NULL};
static const char *const estimators[] = {"auto", "statstack", "che", NULL};

static const struct opt rows[] = {
	{"bucket", 'b', "SIZE", OPT_SIZE, .offset = FIELD(analysis.bucket_bytes), .min = 1, .max = 1ull << 30,
		.help = "group addresses into buckets of SIZE (default: 4k; of sharing 64)",
		.manual = "Group addresses into buckets of SIZE, a power of two from 1 to 1g. The default is 4k, of `sharing` 64."},
	{"rows", 0, "N", OPT_U64, .offset = FIELD(analysis.rows), .min = 1, .max = 100000, .preset = "20",
		.help = "list the N first of count, stride and sharing"},
	{"x", 'x', "time|samples", OPT_CHOICE, .offset = FIELD(analysis.x), .choices = x_names, .preset = "time",
		.help = "plot pattern over time, or over the sample number"},
	{"y", 'y', "rank|address", OPT_CHOICE, .offset = FIELD(analysis.y), .choices = y_names, .preset = "rank",
		.help = "plot pattern by touched buckets, or by address without gaps"},
	{"estimator", 0, "auto|statstack|che", OPT_CHOICE, .offset = FIELD(analysis.estimator), .choices = estimators,
		.preset = "auto", .help = "estimate missratio by this method",
		.manual = "Estimate `missratio` by this method. `statstack` needs every access (period 1). `che` assumes "
			  "independent accesses, which is wrong for scans. `auto` is `statstack` where that is possible."},
	{"equal", 0, "FILE", OPT_STRING, .offset = FIELD(equal),
		.help = "take the noise of partition from FILE, a second recording like BEFORE",
		.manual = "A second recording of BEFORE's program. The difference between these two is noise: `partition` "
			  "reports no smaller change."},
	{"file", 'f', "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(xml_path), .begins = "<?xml",
		.help = "write a report as XML",
		.manual = "Write a report as XML, for `memstor plot` and the other commands of memstor. `-` is standard output, "
			  "where it replaces the text."},
	TABLE_OPTIONS("the names of members in `--json`"),
	SELECTION_OPTIONS(FIELD(selection)),
	{0},
};

static int take(void *data, const char *text, bool is_behind)
{
	struct analyze_options *options = data;
	char known[256];
	int used = 0;

	(void)is_behind;
	if (!options->kind) {
		options->kind = analysis_find(text);
		if (options->kind)
			return DIAG_EXIT_OK;
		for (size_t i = 0; analysis_name(i); i++)
			used += snprintf(known + used, sizeof(known) - (size_t)used, "%s%s",
				!i ? "" : analysis_name(i + 1) ? ", " : " or ", analysis_name(i));
		diag_error(0, "analyze: '%s' is no analysis: must be %s", text, known);
		return DIAG_EXIT_USAGE;
	}
	if (options->path_count == (!strcmp(options->kind->name, "partition") ? 2 : 1)) {
		diag_error(0, "analyze: %s: %s is one recording too many", options->kind->name, text);
		return DIAG_EXIT_USAGE;
	}
	options->paths[options->path_count++] = text;
	return DIAG_EXIT_OK;
}

static bool takes(const struct analysis *analysis, const char *option)
{
	size_t length = strlen(option), span;

	for (const char *word = analysis->takes; *word; word += span + (word[span] == ' ')) {
		span = strcspn(word, " ");
		if (span == length && !strncmp(word, option, length))
			return true;
	}
	return false;
}

static int check(void *data, struct opt_line *line)
{
	static const char *const own[] = {"bucket", "rows", "x", "y", "estimator", "equal"};
	struct analyze_options *options = data;
	uint64_t bucket = options->analysis.bucket_bytes;
	size_t wanted;

	if (!options->kind) {
		diag_error(0, "analyze: name an analysis and a recording");
		return DIAG_EXIT_USAGE;
	}
	wanted = strcmp(options->kind->name, "partition") ? 1 : 2;
	if (options->path_count < wanted) {
		diag_error(0, "analyze: %s", wanted == 2 ? "partition needs two recordings, BEFORE and AFTER"
			: "the name of a recording is missing");
		return DIAG_EXIT_USAGE;
	}
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		char why[64];

		snprintf(why, sizeof(why), "has no effect on %s", options->kind->name);
		if (opt_is_typed(line, own[i]) && !takes(options->kind, own[i]))
			return opt_refuse(line, own[i], why);
	}
	if (bucket & (bucket - 1))
		return opt_refuse(line, "bucket", "must be a power of two");
	for (size_t i = 0; i < options->path_count && options->xml_path; i++) {
		if (report_is_same_file(options->xml_path, options->paths[i]))
			return opt_refuse(line, "file", "the recording is read from there; give it another name");
	}
	if (opt_is_stdout(options->xml_path) && options->output.is_json)
		return opt_refuse(line, "json", "standard output has the report; name a file by --file");
	return selection_check(&options->selection);
}

/* --- the table: its columns are the fields of the record of its rows --- */

struct columns {
	struct table_column list[TABLE_COLUMNS];
	char headings[TABLE_COLUMNS][48];
};

static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length >= size && !strcmp(text + length - size, end);
}

static enum table_type type_of(const struct field *field)
{
	if (field_is_text(field))
		return TABLE_STRING;
	if (field->type == FIELD_number || field->type == FIELD_amount)
		return TABLE_NUMBER;
	return strcmp(field->unit, "bytes") ? TABLE_WHOLE : TABLE_SIZE;
}

static void make_columns(const struct field_record *record, struct columns *columns)
{
	size_t count = 0;

	memset(columns, 0, sizeof(*columns));
	for (const struct field *field = record->fields; field->name && count + 1 < TABLE_COLUMNS; field++) {
		struct table_column *column = &columns->list[count];
		char *heading = columns->headings[count];
		bool is_name = !strcmp(field->name, "region") || !strcmp(field->name, "id");

		if (field->kind != FIELD_VALUE)
			continue;
		snprintf(heading, sizeof(columns->headings[0]), "%s", field->name);
		for (char *at = heading; *at; at++)
			*at = *at == '_' ? ' ' : *at;
		*column = (struct table_column){.name = field->name, .type = type_of(field), .offset = field->offset,
			.heading = heading, .flags = TABLE_JSON};
		if (column->type == TABLE_SIZE && ends_in(heading, " bytes"))
			heading[strlen(heading) - strlen(" bytes")] = '\0';
		if (ends_in(heading, "percent"))
			snprintf(heading + strlen(heading) - strlen("percent"), 2, "%%");
		if (!ends_in(field->name, "_low") && !ends_in(field->name, "_high"))
			column->flags |= TABLE_SHOWN;
		column->flags |= field->least ? 0 : TABLE_SPARE;
		column->flags |= is_name ? TABLE_WRAP : column->type == TABLE_STRING ? 0 : TABLE_RIGHT;
		count++;
	}
}

/* --- text and JSON --- */

static const char *format_amount(const struct field *field, double value, char text[UNITS_TEXT])
{
	if (!strcmp(field->unit, "bytes") && value >= 0 && value < 0x1p63)
		return units_format_size((uint64_t)value, text, UNITS_TEXT);
	snprintf(text, UNITS_TEXT, "%g", value);
	return text;
}

/* Tells whether a field is an end of an interval, by its name: it follows its value. */
static bool is_end(const struct field *field, const char *which)
{
	const char *at = strstr(field->name, which);

	return at && (!at[strlen(which)] || at[strlen(which)] == '_');
}

static double amount_of(const struct field *field, const void *values)
{
	const void *at = (const char *)values + field->offset;

	return *(const double *)at;
}

static void print_amount(const struct field *field, const void *values, const char *name)
{
	double value = amount_of(field, values), low, high;
	char text[UNITS_TEXT];

	if (isnan(value) || is_end(field, "_low") || is_end(field, "_high"))
		return;
	printf("%-24s %s%s", name, !strcmp(field->name, "working_set_bytes") ? "at least " : "",
		format_amount(field, value, text));
	if (field[1].name && is_end(&field[1], "_low") && field[2].name && is_end(&field[2], "_high")) {
		low = amount_of(&field[1], values);
		high = amount_of(&field[2], values);
		if (isnan(low)) {
			fputs(" (indication)", stdout);
		} else {
			printf(" (95 %%: %s", format_amount(field, low, text));
			printf(" to %s)", isnan(high) ? "any" : format_amount(field, high, text));
		}
	}
	putchar('\n');
}

static void print_value(const struct field *field, const void *values)
{
	const void *at = (const char *)values + field->offset;
	char text[UNITS_TEXT], name[48];

	snprintf(name, sizeof(name), "%s", field->name);
	for (char *c = name; *c; c++)
		*c = *c == '_' ? ' ' : *c;
	if (field_is_text(field)) {
		if (*(const char *const *)at)
			printf("%-24s %s\n", name, *(const char *const *)at);
		return;
	}
	if (field->type == FIELD_number || field->type == FIELD_amount) {
		print_amount(field, values, name);
		return;
	}
	if (*(const uint64_t *)at == FIELD_NO_COUNT)
		return;
	if (!strcmp(field->unit, "bytes"))
		printf("%-24s %s\n", name, units_format_size(*(const uint64_t *)at, text, sizeof(text)));
	else
		printf("%-24s %" PRIu64 "\n", name, *(const uint64_t *)at);
}

static void put_json_value(struct json *json, const struct field *field, const void *at)
{
	if (field_is_text(field))
		json_text(json, field->name, *(const char *const *)at ? *(const char *const *)at : "");
	else if (field->type == FIELD_number || field->type == FIELD_amount)
		json_number(json, field->name, *(const double *)at);
	else if (*(const uint64_t *)at != FIELD_NO_COUNT)
		json_whole(json, field->name, *(const uint64_t *)at);
}

static void print_source(const char *role, const struct source *source)
{
	double selected = (double)source->selected;
	struct estimate accesses = analysis_accesses(source, source->selected);
	char span[UNITS_TEXT], text[LOSSES_TEXT];
	struct losses_reason reasons[LOSSES_REASONS];

	printf("%-24s %s: %s\n", role, source->path, source->command);
	printf("%-24s %s", "engine", source->engine);
	if (isnan(source->period))
		puts(", not by accesses: samples are not scaled");
	else
		printf(", one sample for %g access%s\n", source->period, source->period == 1 ? "" : "es");
	printf("%-24s %" PRIu64 " of %" PRIu64 " in %s, %zu process%s\n", "samples", source->selected, source->samples,
		units_format_duration((double)(source->last_ns - source->first_ns), span, sizeof(span)), source->process_count,
		source->process_count == 1 ? "" : "es");
	if (!isnan(accesses.value) && source->period != 1)
		printf("%-24s %g (95 %%: %g to %g)\n", "accesses", accesses.value, accesses.low, accesses.high);
	printf("%-24s %.2f %% of the samples: %.2f %% in ranges, %.2f %% in objects, %.2f %% in allocations, %.2f %% in other "
		"mappings\n", "named", analysis_percent(selected - (double)source->in[REGION_NONE], selected),
		analysis_percent((double)source->in[REGION_RANGE], selected),
		analysis_percent((double)source->in[REGION_OBJECT], selected),
		analysis_percent((double)source->in[REGION_ALLOCATION], selected),
		analysis_percent((double)source->in[REGION_MAPPING], selected));
	for (unsigned i = 0; i < TRACE_RECOVERIES; i++) {
		if (source->recovered[i])
			printf("%-24s %" PRIu64 " whose base register was overwritten, %s, %.2g %%\n", "recovered",
				source->recovered[i], trace_recovery_name(i),
				analysis_percent((double)source->recovered[i], (double)source->samples));
	}
	for (unsigned i = 0; i < TRACE_LOSSES; i++) {
		if (source->losses[i])
			printf("%-24s %" PRIu64 " %s\n", "missing", source->losses[i],
				losses_phrase(source->losses, source->samples, i, text));
	}
	for (size_t i = 0, count = losses_reasons(source->losses, source->samples, reasons); i < count; i++)
		printf("%-24s %s\n", "not trusted", reasons[i].text);
	if (!source->is_complete)
		printf("%-24s the recording was cut off\n", "end");
}

static void print_head(const struct analysis_run *run, const struct field_record *record)
{
	print_source(run->after ? "before" : "recording", run->source);
	if (run->after)
		print_source("after", run->after);
	if (run->equal)
		print_source("equal to before", run->equal);
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind == FIELD_VALUE)
			print_value(field, run->values);
	}
	putchar('\n');
}

static void print_json_result(const struct analysis_run *run, const struct field_record *record, const struct table *table)
{
	struct json json = {.out = stdout};

	json_begin(&json, NULL, '{');
	json_text(&json, "analysis", run->analysis->name);
	json_text(&json, "recording", run->source->path);
	json_text(&json, "engine", run->source->engine);
	json_number(&json, "period", run->source->period);
	json_whole(&json, "samples", run->source->samples);
	json_whole(&json, "selected", run->source->selected);
	json_whole(&json, "in_ranges", run->source->in[REGION_RANGE]);
	json_whole(&json, "in_objects", run->source->in[REGION_OBJECT]);
	json_whole(&json, "in_allocations", run->source->in[REGION_ALLOCATION]);
	json_whole(&json, "in_mappings", run->source->in[REGION_MAPPING]);
	json_truth(&json, "is_complete", run->source->is_complete);
	json_begin(&json, "recovered", '{');
	for (unsigned i = 0; i < TRACE_RECOVERIES; i++)
		json_whole(&json, trace_recovery_name(i), run->source->recovered[i]);
	json_end(&json, '}');
	json_begin(&json, "missing", '{');
	for (unsigned i = 0; i < TRACE_LOSSES; i++)
		json_whole(&json, trace_loss_name(i), run->source->losses[i]);
	json_end(&json, '}');
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind == FIELD_VALUE)
			put_json_value(&json, field, (const char *)run->values + field->offset);
	}
	table_print_json(table, run->analysis->rows, &json);
	json_end(&json, '}');
}

/* Returns an exit code. */
static int print(const struct analysis_run *run, const struct analyze_options *options)
{
	const struct field_record *record = analysis_field(run->analysis)->record();
	const struct field *field = field_find(record, run->analysis->rows);
	const struct field_child *child = (const struct field_child *)((const char *)run->values + field->offset);
	struct columns *columns = malloc(sizeof(*columns));
	struct table table = {0};
	int err = 0, code = DIAG_EXIT_OK;

	if (!columns) {
		diag_error(ENOMEM, "cannot print");
		return DIAG_EXIT_HOST;
	}
	make_columns(field->record(), columns);
	table.columns = columns->list;
	for (size_t i = 0; i < child->count && !err; i++)
		err = table_add(&table, (const char *)child->rows + i * field->record()->size, NULL);
	if (!err && options->output.is_json && !options->output.columns) {
		print_json_result(run, record, &table);
	} else if (!err) {
		if (!options->output.columns && !options->output.has_no_headings)
			print_head(run, record);
		/* The map replaces its rows, which are harder to read. */
		if (!strcmp(run->analysis->name, "pattern") && !options->output.columns && !options->output.has_no_headings)
			err = heat_print(stdout, run->values, table_width(), table_is_coloured());
		else
			code = table_show(&table, &options->output);
	}
	if (err) {
		diag_error(err, "cannot print");
		code = DIAG_EXIT_HOST;
	}
	table_free(&table);
	free(columns);
	return code;
}

/* --- the report --- */

static void write_missing(struct report *report, const struct field *field, const void *from)
{
	const struct source *source = from;

	for (unsigned i = 0; i < TRACE_LOSSES; i++) {
		if (source->losses[i])
			FIELD_ROW(report, field, mt_missing, trace_loss_name(i), source->losses[i]);
	}
}

static void write_recovered(struct report *report, const struct field *field, const void *from)
{
	const struct source *source = from;

	for (unsigned i = 0; i < TRACE_RECOVERIES; i++) {
		if (source->recovered[i])
			FIELD_ROW(report, field, mt_recovered, trace_recovery_name(i), source->recovered[i]);
	}
}

static double part_in(const struct source *source, enum region_kind kind)
{
	return analysis_percent((double)source->in[kind], (double)source->selected);
}

static void write_recording(struct report *report, const struct field *field, const char *role, const struct source *source)
{
	bool has_ranges = source->name_count > 1 && source->names[1].kind == REGION_RANGE;
	struct estimate accesses = analysis_accesses(source, source->selected);

	FIELD_ROW(report, field, mt_recording, .role = role, .file = source->path, .recorded_command = source->command,
		.sampling_engine = source->engine, .period = source->period, .is_complete = source->is_complete,
		.samples = source->samples, .selected = source->selected,
		.seconds = (double)(source->last_ns - source->first_ns) / 1e9, .processes = source->process_count,
		.estimated_accesses = accesses.value, .estimated_accesses_low = accesses.low,
		.estimated_accesses_high = accesses.high,
		.in_ranges_percent = has_ranges ? part_in(source, REGION_RANGE) : NAN,
		.in_objects_percent = source->in[REGION_OBJECT] ? part_in(source, REGION_OBJECT) : NAN,
		.in_allocations_percent = source->in[REGION_ALLOCATION] ? part_in(source, REGION_ALLOCATION) : NAN,
		.in_mappings_percent = part_in(source, REGION_MAPPING),
		.missing_samples = FIELD_BY(write_missing, source), .recovered_samples = FIELD_BY(write_recovered, source));
}

static void write_recordings(struct report *report, const struct field *field, const void *from)
{
	const struct analysis_run *run = from;

	write_recording(report, field, run->after ? "before" : "only", run->source);
	if (run->after)
		write_recording(report, field, "after", run->after);
	if (run->equal)
		write_recording(report, field, "equal", run->equal);
}

static void write_filters(struct report *report, const struct field *field, const void *from)
{
	static const char *const names[] = {
		"thread", "process", "after", "before", "phase", "region", "kind", "privilege", "range", "by-address"};
	const struct opt_line *line = from;

	for (size_t i = 0; i < line->count; i++) {
		const struct opt_given *given = &line->given[i];

		for (size_t name = 0; name < sizeof(names) / sizeof(names[0]); name++) {
			if (!strcmp(given->row->name, names[name]))
				FIELD_ROW(report, field, named_text, given->row->name, given->text ? given->text : "yes");
		}
	}
}

static int compare_names(const void *a, const void *b)
{
	const struct source_name *const *one = a, *const *other = b;

	if ((*one)->samples != (*other)->samples)
		return (*one)->samples > (*other)->samples ? -1 : 1;
	return strcmp((*one)->text, (*other)->text);
}

static void write_ranges(struct report *report, const struct field *field, const void *from)
{
	const struct analysis_run *run = from;
	const struct source *source = run->source;
	const struct source_name **names = malloc((source->name_count + 1) * sizeof(*names));

	if (!names) {
		report_fail(report, -ENOMEM);
		return;
	}
	for (size_t i = 0; i < source->name_count; i++)
		names[i] = &source->names[i];
	qsort(names, source->name_count, sizeof(*names), compare_names);
	for (size_t i = 0; i < source->name_count && i < RANGES_MAX && names[i]->samples && run->touched; i++) {
		struct estimate accesses = analysis_accesses(source, names[i]->samples);

		FIELD_ROW(report, field, mt_range, .id = names[i]->text,
			.kind = names[i]->kind == REGION_NONE ? "mapping" : region_kind_name(names[i]->kind),
			.samples = names[i]->samples,
			.percent = analysis_percent((double)names[i]->samples, (double)source->selected),
			.estimated_accesses = accesses.value, .estimated_accesses_low = accesses.low,
			.estimated_accesses_high = accesses.high,
			.touched_bytes = run->touched[names[i] - source->names] << run->shift);
	}
	free(names);
}

static bool is_trusted(const struct source *source)
{
	struct losses_reason reasons[LOSSES_REASONS];

	return !source || (source->is_complete && !losses_reasons(source->losses, source->samples, reasons));
}

static void add_reasons(struct frame *frame, const struct source *source)
{
	struct losses_reason reasons[LOSSES_REASONS];
	size_t count = source ? losses_reasons(source->losses, source->samples, reasons) : 0;

	if (source && !source->is_complete)
		frame_reason(frame, "recording-cut-off", "%.200s was cut off, or cannot be read to its end", source->path);
	for (size_t i = 0; i < count; i++)
		frame_reason(frame, reasons[i].code, "%.200s %s", source->path, reasons[i].text);
}

static int write_report(const struct analysis_run *run, struct analyze_options *options, struct opt_line *line, int argc,
	char **argv)
{
	struct frame *frame = calloc(1, sizeof(*frame));
	const struct mt_series_values series = {run->interval_ns, FIELD_MANY(run->intervals, run->interval_count)};
	struct mt_result_values result = {.recording = FIELD_BY(write_recordings, run),
		.filter = FIELD_BY(write_filters, line), .range = FIELD_BY(write_ranges, run)};
	struct target target = {.kind = TARGET_FILE, .fd = -1};
	struct stat status;
	int code;

	*(struct field_child *)((char *)&result + analysis_field(run->analysis)->offset) = FIELD_ONE(run->values);
	if (!stat(options->paths[0], &status))
		target.device = status.st_dev;
	code = frame ? frame_start(frame, "memtrace", argc, argv, &target) : DIAG_EXIT_HOST;
	if (!code) {
		add_reasons(frame, run->source);
		add_reasons(frame, run->after);
		add_reasons(frame, run->equal);
		code = memtrace_publish(frame, options->xml_path, options, line, &result, run->interval_count ? &series : NULL);
	}
	free(frame);
	return code;
}

/* --- the command --- */

static int explain(const struct analysis_run *run, int err, const char *why)
{
	if (err == -ENODATA)
		diag_error(0, "%s: %s: %s", run->analysis->name, run->source->path, why);
	else if (err == -E2BIG)
		diag_error(0, "%s: more than 29 million buckets; give a larger --bucket, or choose samples by --region or --after",
			run->source->path);
	else
		diag_error(err, "%s: cannot compute %s", run->source->path, run->analysis->name);
	return err == -ENODATA || err == -E2BIG ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
}

static int analyze(struct analysis_run *run, struct analyze_options *options, struct opt_line *line, int argc, char **argv)
{
	const struct field *field = analysis_field(run->analysis);
	const char *why = "";
	int err, code;

	for (size_t i = 0; i < 3; i++) {
		struct source *source = (struct source *[]){run->source, run->after, run->equal}[i];
		const char *why_not = source ? analysis_why_not(run->analysis, source) : NULL;

		if (why_not) {
			diag_error(0, "%s: %s: %s", run->analysis->name, source->path, why_not);
			return DIAG_EXIT_USAGE;
		}
	}
	run->values = analysis_allocate(run, 1, field->record()->size);
	err = run->values ? run->analysis->run(run, &why) : -ENOMEM;
	if (!err && !run->source->selected) {
		why = "no sample is left by the filters";
		err = -ENODATA;
	}
	if (err)
		return explain(run, err, why);
	code = opt_is_stdout(options->xml_path) ? DIAG_EXIT_OK : print(run, options);
	if (!code && options->xml_path)
		code = write_report(run, options, line, argc, argv);
	if (run->source->unread_bytes)
		diag_warn("%s: the last %llu bytes cannot be read", run->source->path,
			(unsigned long long)run->source->unread_bytes);
	if (!code && !(is_trusted(run->source) && is_trusted(run->after) && is_trusted(run->equal)))
		code = DIAG_EXIT_UNTRUSTED;
	return code;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct analyze_options options = {0};
	struct analysis_run run = {.options = &options.analysis};
	struct opt_line line;
	uint64_t bucket;
	int code = command_parse(command, argc, argv, &options, &line, NULL);

	if (!code)
		code = source_open(options.paths[0], &options.selection, &run.source);
	if (!code && options.path_count == 2)
		code = source_open(options.paths[1], &options.selection, &run.after);
	if (!code && options.equal)
		code = source_open(options.equal, &options.selection, &run.equal);
	if (!code) {
		run.analysis = options.kind;
		bucket = options.analysis.bucket_bytes ? options.analysis.bucket_bytes : options.kind->bucket_bytes;
		run.shift = (unsigned)__builtin_ctzll(bucket);
		code = analyze(&run, &options, &line, argc, argv);
	}
	arena_free(&run.arena);
	source_free(run.source);
	source_free(run.after);
	source_free(run.equal);
	selection_free(&options.selection);
	opt_free(&line);
	return code;
}

const struct command memtrace_analyze = {
	.program = &memtrace_program,
	.name = "analyze",
	.arguments = "ANALYSIS FILE...",
	.summary = "analyze the samples of a recording",
	.doc = "Analyze the samples of a recording. ANALYSIS is pattern (accesses by time and address), count (accesses "
	       "of each bucket), hotset (memory by access frequency), missratio (of an LRU buffer), skew (inequality of "
	       "buckets), partition (BEFORE and AFTER a change), reuse (reuse distances), stride (distances of "
	       "accesses) or sharing (lines written by several threads).",
	.examples = "  memtrace analyze pattern sort.mtr\n"
		    "  memtrace analyze count --region '[heap]' --bucket 64 sort.mtr\n"
		    "  memtrace analyze missratio -f miss.xml sort.mtr\n"
		    "  memtrace analyze partition before.mtr after.mtr --equal before2.mtr\n",
	.notes = "The exit status is 4 when a recording was cut off, or lacks more than 1 % of its samples.",
	.options = rows,
	.take = take,
	.check = check,
	.run = run_command,
};

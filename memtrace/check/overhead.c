/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memtrace overhead: the cost of recording a command on this machine, by rate, compared with valgrind's lackey. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/base/find.h"
#include "common/base/interrupt.h"
#include "common/base/units.h"
#include "common/cli/table.h"
#include "common/kernel/perf.h"
#include "common/run/frame.h"
#include "common/stats/stats.h"
#include "memtrace/analyze/source.h"
#include "memtrace/check/runs.h"
#include "memtrace/commands.h"
#include "memtrace/perf/engine.h"
#include "schema/memtrace.h"

#define RATES 8
#define VARIANTS (RATES + 2) /* the command alone, and lackey */
#define ROUNDS 100

struct overhead_options {
	struct table_output output; /* must be first, for TABLE_OPTIONS */
	struct selection selection; /* of ranges only */
	uint64_t rates[RATES], allocs_bytes;
	size_t rate_count;
	const char *engine, *xml_path;
	unsigned repetitions;
	bool is_frequency, is_without_lackey;
};

#define FIELD(NAME) offsetof(struct overhead_options, NAME)

static int add_rate(struct opt_value *in, const char *word)
{
	struct overhead_options *options = in->options;

	in->why = "must be up to 8 numbers from 1 to 1099511627776, with commas between";
	if (options->rate_count == RATES || units_parse_u64(word, 1, 1ull << 40, &options->rates[options->rate_count]))
		return -EINVAL;
	options->rate_count++;
	return 0;
}

static int set_rates(struct opt_value *in)
{
	struct overhead_options *options = in->options;

	options->rate_count = 0;
	options->is_frequency = !strcmp(in->row->name, "frequency");
	return opt_each_word(in, add_rate);
}

static const struct opt rows[] = {
	{"engine", 'e', "ENGINE", OPT_STRING, .offset = FIELD(engine),
		.help = "record by this engine (default: that of record)"},
	{"frequency", 'F', "HZ,...", OPT_OWN, .set = set_rates,
		.help = "record with these frequencies (default: 100,1000,10000)",
		.manual = "Record with each of these frequencies, up to 8. The default is 100,1000,10000 for an engine that takes "
			  "a frequency."},
	{"count", 'c', "PERIOD,...", OPT_OWN, .set = set_rates,
		.help = "record with these periods (default: 1,10,100)",
		.manual = "Record with each of these periods, up to 8. The default is 1,10,100 for an engine that takes no "
			  "frequency."},
	{"repetitions", 'n', "N", OPT_UNSIGNED, .offset = FIELD(repetitions), .min = 1, .max = ROUNDS, .preset = "5",
		.help = "run each variant N times, in turn"},
	{"allocs", 0, "BYTES", OPT_SIZE, .offset = FIELD(allocs_bytes), .min = 4096, .max = 1ull << 40, .bare = "64k",
		.help = "record with --allocs, and count samples in allocations of at least BYTES as named (64k)"},
	{"range", 0, "NAME=START-END[/SIZE]", OPT_OWN, OPT_REPEATS, .offset = FIELD(selection), .set = selection_set_range,
		.help = "count samples of these addresses as named; repeatable"},
	{"no-lackey", 0, .type = OPT_FLAG, .offset = FIELD(is_without_lackey),
		.help = "skip the run under valgrind, which takes some 100 times as long"},
	{"file", 'f', "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(xml_path), .begins = "<?xml",
		.help = "write a report as XML"},
	TABLE_OPTIONS("`id`, `runs`, `seconds`, `slowdown`,\n`least`, `most`, `samples`, `trace`, `named`, `lost`"),
	{0},
};

static const struct opt_relation relations[] = {
	{OPT_EXCLUDES, "count", "frequency", "both set the number of samples; keep one"},
	{0},
};

static int check(void *data, struct opt_line *line)
{
	struct overhead_options *options = data;
	const struct engine *engine = options->engine ? engine_find(options->engine) : NULL;

	if (options->engine && !engine)
		return opt_refuse(line, "engine", "no such engine (memtrace record --help lists them)");
	if (engine && options->is_frequency && !engine->has_frequency)
		return opt_refuse(line, "frequency", "this engine takes a period (use --count)");
	if (opt_is_stdout(options->xml_path) && options->output.is_json)
		return opt_refuse(line, "json", "standard output has the report; name a file by --file");
	return selection_check(&options->selection);
}

/* --- runs --- */

struct overhead_measured {
	double seconds;
	uint64_t samples, trace_bytes, named_bytes, lost;
};

struct variant {
	char name[48];
	uint64_t rate;          /* 0: the command alone, or lackey */
	bool is_lackey;
	size_t count;
	struct overhead_measured runs[ROUNDS];
};

struct overhead {
	const struct overhead_options *options;
	const struct engine *engine;
	char **command;
	struct runs runs;
	char valgrind[PATH_MAX];
	struct variant *variants;
	size_t count;
	const char *lackey;     /* reason for a missing row of lackey, or NULL */
};

static int run_alone(struct overhead *overhead, struct overhead_measured *run)
{
	uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
	int code = runs_finish(&overhead->runs, runs_start(overhead->command[0], overhead->command, -1, -1),
		overhead->command[0]);

	*run = (struct overhead_measured){.seconds = (double)(clock_ns(CLOCK_MONOTONIC) - begun_ns) / 1e9};
	return code;
}

static int count_access(void *data, char kind, uint64_t address)
{
	(void)kind;
	(void)address;
	++*(uint64_t *)data;
	return 0;
}

static int run_lackey(struct overhead *overhead, struct overhead_measured *run)
{
	uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
	int code;

	*run = (struct overhead_measured){0};
	code = runs_lackey(&overhead->runs, overhead->valgrind, (const char *const *)overhead->command, -1, count_access,
		&run->samples, &run->trace_bytes);
	run->seconds = (double)(clock_ns(CLOCK_MONOTONIC) - begun_ns) / 1e9;
	return code;
}

/* Returns the seconds from the command's exec to its end; 0 = the recording lacks one of them. */
static double read_seconds(const char *path)
{
	struct trace_reader *reader;
	struct trace_event event;
	uint64_t begin = 0, end = 0;
	uint32_t pid = 0;

	/* The file may have events of one CPU before earlier events of another, so it is read twice. */
	for (int pass = 0; pass < 2 && !trace_reader_open(path, &reader); pass++) {
		while (trace_next_event(reader, &event)) {
			if (event.type == TRACE_COMM && event.value[0] && !pid) {
				pid = event.pid;
				begin = event.time_ns;
			}
			if (event.type == TRACE_EXIT && pid && event.pid == pid && event.tid == pid)
				end = event.time_ns;
		}
		trace_reader_close(reader);
	}
	return end > begin ? (double)(end - begin) / 1e9 : 0;
}

struct restricting {
	const struct source *source;
	struct trace_writer *writer;
};

/* Writes the samples with a name to a recording of their own. */
static int take_named(void *data, const struct access *batch, size_t count)
{
	const struct restricting *to = data;
	int err = 0;

	for (size_t i = 0; i < count && !err; i++) {
		enum region_kind kind = to->source->names[batch[i].name].kind;

		if (kind == REGION_RANGE || kind == REGION_OBJECT || kind == REGION_ALLOCATION)
			err = trace_write_sample(to->writer, &(struct trace_sample){.time_ns = batch[i].time_ns,
				.address = batch[i].address, .ip = batch[i].ip, .tid = batch[i].tid, .kind = batch[i].kind,
				.weight = batch[i].weight, .node = UINT8_MAX});
	}
	return err;
}

/* Returns a diag_exit code. */
static int read_recording(struct overhead *overhead, struct overhead_measured *run)
{
	struct restricting to = {0};
	struct source *source = NULL;
	int none = open("/dev/null", O_WRONLY | O_CLOEXEC), err, code;

	code = source_open(overhead->runs.place, &overhead->options->selection, &source);
	if (code) {
		close(none);
		return code;
	}
	to.source = source;
	err = none < 0 ? -errno : trace_writer_open(none, "", 1, &to.writer);
	if (!err)
		err = source_read(source, take_named, &to);
	if (!err)
		err = trace_writer_flush(to.writer);
	if (err) {
		diag_error(err, "cannot read a recording");
		code = DIAG_EXIT_HOST;
	} else {
		run->samples = source->samples;
		run->named_bytes = trace_writer_samples(to.writer) ? trace_writer_bytes(to.writer) : 0;
		run->lost = source->losses[TRACE_LOST_BY_KERNEL] + source->losses[TRACE_THROTTLED];
	}
	trace_writer_close(to.writer);
	source_free(source);
	close(none);
	return code;
}

static int run_recorded(struct overhead *overhead, uint64_t rate, struct overhead_measured *run)
{
	char number[32], allocs[48];
	const char *const options[] = {"-e", overhead->engine->name, number, overhead->options->allocs_bytes ? allocs : NULL, NULL};
	off_t size;
	int code;

	snprintf(number, sizeof(number), "%s%llu", overhead->options->is_frequency ? "-F" : "-c", (unsigned long long)rate);
	snprintf(allocs, sizeof(allocs), "--allocs=%lluB", (unsigned long long)overhead->options->allocs_bytes);
	code = runs_record(&overhead->runs, options, (const char *const *)overhead->command, -1);
	if (code)
		return code;
	size = lseek(overhead->runs.fd, 0, SEEK_END);
	*run = (struct overhead_measured){.seconds = read_seconds(overhead->runs.place),
		.trace_bytes = size > 0 ? (uint64_t)size : 0};
	if (run->seconds <= 0) {
		diag_error(0, "overhead: the recording lacks the end of the command (it lost records)");
		return DIAG_EXIT_HOST;
	}
	return read_recording(overhead, run);
}

/* Runs each variant once per round; lackey, which is slowest and varies least, only in the first. */
static int run_all(struct overhead *overhead)
{
	for (unsigned round = 0; round < overhead->options->repetitions; round++) {
		for (size_t i = 0; i < overhead->count; i++) {
			struct variant *variant = &overhead->variants[i];
			struct overhead_measured *run = &variant->runs[variant->count];
			int code;

			if (variant->is_lackey && round)
				continue;
			code = variant->is_lackey ? run_lackey(overhead, run) : variant->rate
				? run_recorded(overhead, variant->rate, run) : run_alone(overhead, run);
			if (code)
				return code;
			variant->count++;
		}
	}
	return DIAG_EXIT_OK;
}

/* --- the result --- */

static double median_of(double *values, size_t count, double *least, double *most)
{
	double median = NAN;

	*least = *most = values[0];
	for (size_t i = 0; i < count; i++) {
		*least = fmin(*least, values[i]);
		*most = fmax(*most, values[i]);
	}
	(void)stats_median(values, count, &median);
	return median;
}

static uint64_t whole_median(const struct variant *variant, size_t offset)
{
	double values[ROUNDS] = {0}, least, most;

	for (size_t i = 0; i < variant->count; i++) {
		uint64_t value;

		memcpy(&value, (const char *)&variant->runs[i] + offset, sizeof(value));
		values[i] = (double)value;
	}
	return (uint64_t)median_of(values, variant->count, &least, &most);
}

static struct mt_variant_values summarize(const struct overhead *overhead, const struct variant *variant)
{
	const struct variant *alone = &overhead->variants[0];
	bool is_recorded = variant->rate, has_names = overhead->options->selection.range_count || overhead->options->allocs_bytes;
	struct mt_variant_values row = {.id = variant->name, .runs = variant->count, .samples = FIELD_NO_COUNT,
		.trace_bytes = FIELD_NO_COUNT, .named_bytes = FIELD_NO_COUNT, .lost_samples = FIELD_NO_COUNT};
	double seconds[ROUNDS] = {0}, ratios[ROUNDS] = {0};

	/* The command alone in the same round has the same drift. */
	for (size_t i = 0; i < variant->count; i++) {
		seconds[i] = variant->runs[i].seconds;
		ratios[i] = seconds[i] / alone->runs[i].seconds;
	}
	row.seconds = median_of(seconds, variant->count, &row.seconds_least, &row.seconds_most);
	row.slowdown = median_of(ratios, variant->count, &row.slowdown_least, &row.slowdown_most);
	if (is_recorded || variant->is_lackey) {
		row.samples = whole_median(variant, offsetof(struct overhead_measured, samples));
		row.trace_bytes = whole_median(variant, offsetof(struct overhead_measured, trace_bytes));
	}
	if (is_recorded) {
		uint64_t named = whole_median(variant, offsetof(struct overhead_measured, named_bytes));

		row.named_bytes = has_names || named ? named : FIELD_NO_COUNT;
		row.lost_samples = whole_median(variant, offsetof(struct overhead_measured, lost));
	}
	return row;
}

#define ROW(NAME) offsetof(struct mt_variant_values, NAME)

static void get_count(uint64_t value, struct table_cell *cell)
{
	cell->whole = value;
	cell->is_absent = value == FIELD_NO_COUNT;
}

static void show_count(uint64_t value, bool is_size, char *text, size_t length)
{
	if (value == FIELD_NO_COUNT)
		snprintf(text, length, "-");
	else if (is_size)
		units_format_size(value, text, length);
	else
		snprintf(text, length, "%llu", (unsigned long long)value);
}

#define COUNT_COLUMN(NAME, is_size) \
	static void get_##NAME(const void *row, struct table_cell *cell) \
	{ \
		get_count(((const struct mt_variant_values *)row)->NAME, cell); \
	} \
	static void show_##NAME(const void *row, char *text, size_t length) \
	{ \
		show_count(((const struct mt_variant_values *)row)->NAME, is_size, text, length); \
	}
COUNT_COLUMN(samples, false)
COUNT_COLUMN(trace_bytes, true)
COUNT_COLUMN(named_bytes, true)
COUNT_COLUMN(lost_samples, false)

#define NUMBER_COLUMN(NAME) \
	static void show_##NAME(const void *row, char *text, size_t length) \
	{ \
		snprintf(text, length, "%.3f", ((const struct mt_variant_values *)row)->NAME); \
	}
NUMBER_COLUMN(seconds)
NUMBER_COLUMN(slowdown)
NUMBER_COLUMN(slowdown_least)
NUMBER_COLUMN(slowdown_most)

#define SEEN (TABLE_SHOWN | TABLE_JSON | TABLE_RIGHT)
static const struct table_column columns[] = {
	{"id", TABLE_STRING, TABLE_SHOWN | TABLE_JSON, .offset = ROW(id), .heading = "recorder"},
	{"runs", TABLE_WHOLE, SEEN, .offset = ROW(runs)},
	{"seconds", TABLE_NUMBER, SEEN, .offset = ROW(seconds), .show = show_seconds, .heading = "s"},
	{"slowdown", TABLE_NUMBER, SEEN, .offset = ROW(slowdown), .show = show_slowdown},
	{"least", TABLE_NUMBER, SEEN, .offset = ROW(slowdown_least), .show = show_slowdown_least},
	{"most", TABLE_NUMBER, SEEN, .offset = ROW(slowdown_most), .show = show_slowdown_most},
	{"samples", TABLE_WHOLE, SEEN, .get = get_samples, .show = show_samples},
	{"trace", TABLE_SIZE, SEEN, .get = get_trace_bytes, .show = show_trace_bytes, .heading = "trace size"},
	{"named", TABLE_SIZE, SEEN, .get = get_named_bytes, .show = show_named_bytes, .heading = "named size"},
	{"lost", TABLE_WHOLE, SEEN, .get = get_lost_samples, .show = show_lost_samples},
	{0},
};

static int write_report(const struct overhead *overhead, const struct mt_variant_values *list, struct opt_line *line, int argc,
	char **argv)
{
	struct frame *frame = calloc(1, sizeof(*frame));
	struct mt_overhead_values values = {.recorded_command = overhead->command[0], .sampling_engine = overhead->engine->name,
		.variant = FIELD_MANY(list, overhead->count)};
	const struct mt_result_values result = {.recording_cost = FIELD_ONE(&values)};
	struct target target = {.kind = TARGET_FILE, .fd = -1};
	int code = frame ? frame_start(frame, "memtrace", argc, argv, &target) : DIAG_EXIT_HOST;

	if (!code)
		code = memtrace_publish(frame, overhead->options->xml_path, overhead->options, line, &result, NULL);
	free(frame);
	return code;
}

/* Returns a diag_exit code. */
static int show(struct overhead *overhead, struct opt_line *line, int argc, char **argv)
{
	struct mt_variant_values list[VARIANTS];
	struct table table = {.columns = columns};
	int err = 0, code = DIAG_EXIT_OK;

	for (size_t i = 0; i < overhead->count && !err; i++) {
		list[i] = summarize(overhead, &overhead->variants[i]);
		err = table_add(&table, &list[i], NULL);
	}
	if (err) {
		diag_error(err, "cannot print");
		code = DIAG_EXIT_HOST;
	} else if (!opt_is_stdout(overhead->options->xml_path)) {
		code = table_show(&table, &overhead->options->output);
		if (!code && overhead->lackey)
			diag_info("%s", overhead->lackey);
	}
	table_free(&table);
	if (!code && overhead->options->xml_path)
		code = write_report(overhead, list, line, argc, argv);
	return code;
}

/* --- the command --- */

static int choose(struct overhead *overhead, struct overhead_options *options)
{
	static const uint64_t frequencies[] = {100, 1000, 10000}, periods[] = {1, 10, 100};
	struct engine_choice choice;
	struct perf_memory_request request = {0};

	if (engine_choose("", options->engine ? engine_find(options->engine) : NULL, &request, perf_open_in, &choice)) {
		diag_error(0, "%s", choice.reason);
		return DIAG_EXIT_HOST;
	}
	overhead->engine = choice.engine;
	if (options->is_frequency && !choice.engine->has_frequency) {
		diag_error(0, "--frequency: engine %s takes a period (use --count)", choice.engine->name);
		return DIAG_EXIT_USAGE;
	}
	if (!options->rate_count) {
		options->is_frequency = choice.engine->has_frequency;
		options->rate_count = 3;
		memcpy(options->rates, options->is_frequency ? frequencies : periods, sizeof(frequencies));
	}
	return DIAG_EXIT_OK;
}

static void list_variants(struct overhead *overhead, const struct overhead_options *options)
{
	struct variant *variant = overhead->variants;

	snprintf(variant->name, sizeof(variant->name), "none");
	for (size_t i = 0; i < options->rate_count; i++) {
		variant++;
		variant->rate = options->rates[i];
		snprintf(variant->name, sizeof(variant->name), options->is_frequency ? "%s, %llu Hz" : "%s, period %llu",
			overhead->engine->name, (unsigned long long)variant->rate);
	}
	overhead->count = options->rate_count + 1;
	if (options->is_without_lackey)
		return;
	if (find_in_path("valgrind", overhead->valgrind, sizeof(overhead->valgrind))) {
		overhead->lackey = "valgrind is not installed: there is no row of lackey, which traces every access";
		return;
	}
	variant++;
	variant->is_lackey = true;
	snprintf(variant->name, sizeof(variant->name), "valgrind lackey");
	overhead->count++;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct overhead_options options = {0};
	struct overhead overhead = {.options = &options, .runs = {.fd = -1}};
	struct opt_line line;
	int code = command_parse(command, argc, argv, &options, &line, &overhead.command);

	if (!code && !overhead.command[0])
		code = (diag_error(0, "overhead: a command to run is missing"), DIAG_EXIT_USAGE);
	if (!code)
		code = table_check(columns, &options.output);
	if (!code)
		code = choose(&overhead, &options);
	overhead.variants = calloc(VARIANTS, sizeof(*overhead.variants));
	if (!code && !overhead.variants)
		code = (diag_error(ENOMEM, "overhead"), DIAG_EXIT_HOST);
	if (!code) {
		interrupt_install();
		code = runs_open(&overhead.runs, "overhead");
	}
	if (!code) {
		list_variants(&overhead, &options);
		code = run_all(&overhead);
	}
	if (!code)
		code = show(&overhead, &line, argc, argv);
	runs_close(&overhead.runs);
	free(overhead.variants);
	selection_free(&options.selection);
	opt_free(&line);
	return code;
}

const struct command memtrace_overhead = {
	.program = &memtrace_program,
	.name = "overhead",
	.arguments = "COMMAND [ARGUMENT...]",
	.summary = "measure the cost of recording a command",
	.doc = "Run COMMAND alone, recorded with several rates, and under valgrind's lackey, which traces every access, in turn, "
	       "and print the slowdown and the size of each trace.",
	.examples = "  memtrace overhead -n 7 -- sort big.txt\n"
		    "  memtrace overhead -e page-faults -c 1,10 -f cost.xml -- ./scan\n",
	.notes = "The command must succeed; its output is dropped.",
	.options = rows,
	.relations = relations,
	.flags = COMMAND_IN_ORDER,
	.check = check,
	.run = run_command,
};

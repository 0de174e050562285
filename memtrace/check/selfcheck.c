/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memtrace selfcheck: compares the results of this machine's engines with the known popularity of a workload. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/base/units.h"
#include "common/kernel/perf.h"
#include "common/run/frame.h"
#include "memtrace/analyze/analysis.h"
#include "memtrace/check/selfcheck.h"
#include "memtrace/commands.h"
#include "memtrace/estimate/accuracy.h"

#define SCATTER "+scatter"
#define RANGE "selfcheck"

/* --- options --- */

#define FIELD(NAME) offsetof(struct selfcheck_options, NAME)

static int add_engine(struct opt_value *in, const char *word)
{
	struct selfcheck_options *options = in->options;
	const struct engine *engine = engine_find(word);

	in->why = "must be engines with commas between, each once (memtrace record --help lists them)";
	for (size_t i = 0; i < options->engine_count; i++) {
		if (options->engines[i] == engine)
			return -EINVAL;
	}
	if (!engine || options->engine_count == SELFCHECK_ENGINES)
		return -EINVAL;
	options->engines[options->engine_count++] = engine;
	return 0;
}

static int set_engines(struct opt_value *in)
{
	((struct selfcheck_options *)in->options)->engine_count = 0;
	return opt_each_word(in, add_engine);
}

/* Returns 0, or -EINVAL or -ERANGE and the reason in why. */
static int parse_pattern(const char *text, uint64_t pages, struct pattern_spec *spec, const char **why)
{
	size_t length = strlen(text), end = strlen(SCATTER);
	bool is_scattered = length > end && !strcmp(text + length - end, SCATTER);
	char plain[64];
	int err;

	*why = "is too long";
	if (length >= sizeof(plain))
		return -EINVAL;
	snprintf(plain, sizeof(plain), "%.*s", (int)(is_scattered ? length - end : length), text);
	err = pattern_parse(plain, spec, why);
	if (!err)
		err = pattern_check(spec, pages, why);
	if (!err)
		spec->is_scattered = is_scattered;
	return err;
}

static const struct opt rows[] = {
	{"engine", 'e', "ENGINE,...", OPT_OWN, .set = set_engines,
		.help = "check these engines (default: all available but page-faults)",
		.manual = "Check these engines; each must be available. Without this option all that are available are checked "
			  "except page-faults, which records no access to resident memory, and a line names each other one with "
			  "its reason. `refault` and `popularity` need swap, as of `with-pressure --swap`."},
	{"frequency", 'F', "HZ", OPT_U64, .offset = FIELD(hz), .min = 1, .max = 100000,
		.help = "record with this frequency (default: the engine's)",
		.manual = "Record with this frequency by all engines that take one, as `record -F`. The default is the engine's."},
	{"pattern", 'p', "PATTERN", OPT_STRING, .offset = FIELD(pattern), .preset = "zipf,1" SCATTER,
		.help = "access memory by this pattern",
		.manual = "Access memory by this pattern of pmbench, as `hotset,10,90`. With `" SCATTER "` appended popular pages "
			  "are spread over the memory. `uniform` and `linear` have no popular pages."},
	{"size", 's', "SIZE", OPT_SIZE, .offset = FIELD(size_bytes), .min = 1 << 20, .max = 1ull << 32, .preset = "64m",
		.help = "access SIZE of memory",
		.manual = "Access SIZE of memory, from 1m to 4g. Where all of it fits into the processor's caches, `cpu-clock` "
			  "and the hardware engines get few samples."},
	{"time", 't', "TIME", OPT_TIME, .offset = FIELD(time_ns), .min = 1000000, .max = 600000000000ull, .preset = "400ms",
		.help = "make each run take TIME",
		.manual = "Make each run take TIME, from 1ms to 10m. Longer runs give more samples, and narrower intervals."},
	{"repetitions", 'n', "N", OPT_UNSIGNED, .offset = FIELD(repetitions), .min = 1, .max = SELFCHECK_ROUNDS, .preset = "5",
		.help = "run each engine N times, in turn; one run has no interval"},
	{"seed", 0, "N", OPT_U64, .offset = FIELD(seed), .max = UINT64_MAX - 1, .preset = "1",
		.help = "draw the accesses from this seed"},
	{"file", 'f', "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(xml_path), .begins = "<?xml",
		.help = "write a report as XML"},
	{"generate", 0, .type = OPT_FLAG, .flags = OPT_HIDDEN | OPT_UNREPORTED, .offset = FIELD(is_generator),
		.help = "be the generator"},
	TABLE_OPTIONS("`engine`, `runs`, `samples`,\n`lost`, `dropped`, `recovered`, `share`, `error`, `low`, `high`, `recall`, "
		"`ideal_recall`,\n`slowdown`, `least`, `most`, `accuracy`"),
	{0},
};

static int check(void *data, struct opt_line *line)
{
	struct selfcheck_options *options = data;
	const char *why;

	options->size_bytes -= options->size_bytes % GENERATOR_PAGE;
	if (parse_pattern(options->pattern, options->size_bytes / GENERATOR_PAGE, &options->spec, &why)) {
		diag_error(0, "--pattern %s: %s", options->pattern, why);
		return DIAG_EXIT_USAGE;
	}
	for (size_t i = 0; i < options->engine_count; i++) {
		if (options->hz && !options->engines[i]->has_frequency)
			return opt_refuse(line, "frequency", "one of these engines takes a period");
	}
	if (opt_is_stdout(options->xml_path) && options->output.is_json)
		return opt_refuse(line, "json", "standard output has the report; name a file by --file");
	return DIAG_EXIT_OK;
}

/* --- generator --- */

static struct generator generator_of(const struct selfcheck_options *options)
{
	return (struct generator){.spec = options->spec, .pages = options->size_bytes / GENERATOR_PAGE, .seed = options->seed,
		.time_ns = options->time_ns};
}

static int generate(const struct selfcheck_options *options)
{
	const struct generator generator = generator_of(options);
	struct generated generated;
	int err = generator_run(&generator, &generated);

	if (err) {
		diag_error(err, "selfcheck: the generator cannot run");
		return DIAG_EXIT_HOST;
	}
	printf("%llu %llu %llu\n", (unsigned long long)generated.begin, (unsigned long long)generated.accesses,
		(unsigned long long)generated.elapsed_ns);
	return DIAG_EXIT_OK;
}

/* --- runs --- */

/* Runs the generator once, recorded by the engine; NULL: not recorded. Returns 0, or a diag_exit code after one line. */
static int run_generator(struct selfcheck *selfcheck, const struct engine *engine, struct generated *generated)
{
	const struct selfcheck_options *options = selfcheck->options;
	struct runs *runs = &selfcheck->runs;
	char size[32], time[32], seed[32], frequency[32], line[128], *rest = line;
	const char *const command[] = {runs->program, "selfcheck", "--generate", "--pattern", options->pattern, "--size", size,
		"--time", time, "--seed", seed, NULL};
	const char *const record[] = {"--paused", "-e", engine ? engine->name : "",
		engine && engine->has_frequency && options->hz ? frequency : NULL, NULL};
	uint64_t *const values[] = {&generated->begin, &generated->accesses, &generated->elapsed_ns};
	ssize_t length;
	int ends[2], code;

	snprintf(size, sizeof(size), "%lluB", (unsigned long long)options->size_bytes);
	snprintf(time, sizeof(time), "%lluns", (unsigned long long)options->time_ns);
	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)options->seed);
	snprintf(frequency, sizeof(frequency), "-F%llu", (unsigned long long)options->hz);
	if (pipe2(ends, O_CLOEXEC)) {
		diag_error(-errno, "selfcheck");
		return DIAG_EXIT_HOST;
	}
	if (engine)
		code = runs_record(runs, record, command, ends[1]);
	else
		code = runs_finish(runs, runs_start(runs->program, (char *const *)command, ends[1], -1), "generator");
	close(ends[1]);
	length = code ? 0 : read(ends[0], line, sizeof(line) - 1);
	close(ends[0]);
	line[length > 0 ? length : 0] = '\0';
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]) && !code; i++) {
		const char *word = strtok_r(rest, " \n", &rest);

		if (!word || units_parse_u64(word, 1, UINT64_MAX, values[i])) {
			diag_error(0, "selfcheck: the generator printed nothing");
			code = DIAG_EXIT_HOST;
		}
	}
	return code;
}

struct counting { /* samples by page */
	uint64_t begin, pages, samples;
	double *counts;
	bool is_order; /* counts give only an order, no shares */
};

static int take_samples(void *data, const struct access *batch, size_t count)
{
	struct counting *counting = data;

	for (size_t i = 0; i < count; i++) {
		uint64_t page = (batch[i].address - counting->begin) / GENERATOR_PAGE;

		if (batch[i].address < counting->begin || page >= counting->pages)
			continue;
		counting->counts[page]++;
		counting->samples++;
	}
	return 0;
}

/* Estimates the popularity by page from the recording. Returns 0, -ENOMEM or -E2BIG. */
static int estimate(struct source *source, struct counting *counting)
{
	struct returns returns = {0};
	int err = 0;

	counting->is_order = source->has_returns && !source->is_bursts;
	if (!counting->is_order)
		err = source_read(source, take_samples, counting);
	if (!err && source->has_returns)
		err = analysis_returns(source, &returns);
	/* Page returns order the pages that samples do not distinguish. */
	for (size_t i = 0; i < returns.count && !err; i++) {
		uint64_t page = (source_address(returns.pages[i].page * GENERATOR_PAGE) - counting->begin) / GENERATOR_PAGE;

		counting->counts[page] += 1e-6 * (double)(returns.count - i) / (double)returns.count;
		counting->samples += returns.pages[i].returns;
	}
	returns_free(&returns);
	return err;
}

/* Returns 0 or -ENOMEM. */
static int compare(const struct selfcheck *selfcheck, const struct counting *counting, uint64_t accesses,
	struct checked *checked)
{
	double *known = calloc(selfcheck->pages, sizeof(*known)), share = NAN, found = NAN;
	int err = known ? 0 : -ENOMEM;

	if (!err) {
		generator_count(selfcheck->sequence, selfcheck->draws, accesses, known);
		err = accuracy_share(known, counting->counts, selfcheck->pages, selfcheck->top, &share, &found);
	}
	for (size_t i = 0; i < selfcheck->pages && !err; i++) {
		checked->known[i] += known[i];
		checked->estimated[i] += counting->counts[i];
	}
	if (!err && !isnan(found) && !counting->is_order)
		checked->errors[checked->error_count++] = found - share;
	free(known);
	return err;
}

/* Returns 0, or a diag_exit code after one line. */
static int read_recording(const struct selfcheck *selfcheck, const struct generated *generated, struct checked *checked)
{
	struct named_range range = {RANGE, strlen(RANGE), generated->begin, generated->begin + selfcheck->options->size_bytes, 0};
	const struct selection selection = {.ranges = &range, .range_count = 1, .regions = {RANGE}, .region_count = 1};
	struct counting counting = {.begin = generated->begin, .pages = selfcheck->pages,
		.counts = calloc(selfcheck->pages, sizeof(*counting.counts))};
	struct source *source = NULL;
	int code = source_open(selfcheck->runs.place, &selection, &source), err;

	if (code) {
		free(counting.counts);
		return code;
	}
	err = counting.counts ? estimate(source, &counting) : -ENOMEM;
	if (!err)
		err = compare(selfcheck, &counting, generated->accesses, checked);
	if (err) {
		diag_error(err, "selfcheck: cannot read a recording");
		code = DIAG_EXIT_HOST;
	}
	checked->samples += counting.samples;
	checked->recorded += source->samples;
	for (size_t i = 0; i < TRACE_RECOVERIES; i++)
		checked->recovered += source->recovered[i];
	for (size_t i = 0; i < TRACE_LOSSES; i++)
		checked->losses[i] += source->losses[i];
	checked->is_cut_off = checked->is_cut_off || !source->is_complete;
	source_free(source);
	free(counting.counts);
	return code;
}

static double rate_of(const struct generated *generated)
{
	return (double)generated->accesses / (double)generated->elapsed_ns;
}

/* Runs the generator alone, and once with each engine. Returns 0, or a diag_exit code after one line. */
static int run_round(struct selfcheck *selfcheck)
{
	struct generated alone, recorded;
	int code = run_generator(selfcheck, NULL, &alone);

	for (size_t i = 0; i < selfcheck->count && !code; i++) {
		struct checked *checked = &selfcheck->checked[i];

		progress_line(&selfcheck->progress, "%s, %zu of %u", checked->engine->name, checked->runs + 1,
			selfcheck->options->repetitions);
		code = run_generator(selfcheck, checked->engine, &recorded);
		if (!code)
			code = read_recording(selfcheck, &recorded, checked);
		if (!code)
			checked->slowdowns[checked->runs++] = rate_of(&alone) / rate_of(&recorded);
	}
	return code;
}

/* --- the command --- */

static void add_missing(struct selfcheck *selfcheck, const char *name, const char *reason)
{
	size_t at = selfcheck->missing_count++;

	snprintf(selfcheck->reasons[at], sizeof(selfcheck->reasons[at]), "%s", reason);
	selfcheck->missing[at] = (struct named_text_values){name, selfcheck->reasons[at]};
}

/* Chooses the available engines, or all that the options name. Returns 0, or a diag_exit code after one line. */
static int choose(struct selfcheck *selfcheck)
{
	const struct selfcheck_options *options = selfcheck->options;
	size_t count = options->engine_count, all;
	const struct engine *list = engine_rows(&all);

	for (size_t i = 0; i < (count ? count : all) && i < SELFCHECK_ENGINES; i++) {
		const struct engine *engine = count ? options->engines[i] : &list[i];
		struct perf_memory_request request = {.hz = engine->has_frequency ? options->hz : 0};
		struct engine_choice choice;

		if (!count && engine->source == PERF_MEMORY_FAULTS && !engine->pages_out) {
			add_missing(selfcheck, engine->name, "records no access to resident memory");
		} else if (!engine_choose("", engine, &request, perf_open_in, &choice)) {
			selfcheck->checked[selfcheck->count++].engine = engine;
		} else if (count) {
			diag_error(0, "%s", choice.reason);
			return DIAG_EXIT_HOST;
		} else {
			/* The reason begins with "NAME: ". */
			add_missing(selfcheck, engine->name, choice.reason + strlen(engine->name) + 2);
		}
	}
	if (selfcheck->count)
		return DIAG_EXIT_OK;
	diag_error(0, "selfcheck: this machine offers no engine (memtrace record says why)");
	return DIAG_EXIT_HOST;
}

static int check_all(struct selfcheck *selfcheck)
{
	const struct generator generator = generator_of(selfcheck->options);
	int code = choose(selfcheck);
	bool has_memory;

	if (code)
		return code;
	selfcheck->sequence = generator_draw(&generator, &selfcheck->draws);
	has_memory = selfcheck->sequence;
	for (size_t i = 0; i < selfcheck->count; i++) {
		struct checked *checked = &selfcheck->checked[i];

		checked->known = calloc(selfcheck->pages, sizeof(*checked->known));
		checked->estimated = calloc(selfcheck->pages, sizeof(*checked->estimated));
		has_memory = has_memory && checked->known && checked->estimated;
	}
	if (!has_memory) {
		diag_error(ENOMEM, "selfcheck");
		return DIAG_EXIT_HOST;
	}
	interrupt_install();
	code = runs_open(&selfcheck->runs, "selfcheck");
	progress_init(&selfcheck->progress, false);
	for (unsigned round = 0; round < selfcheck->options->repetitions && !code; round++)
		code = run_round(selfcheck);
	progress_clear(&selfcheck->progress);
	return code;
}

static void selfcheck_free(struct selfcheck *selfcheck)
{
	for (size_t i = 0; i < selfcheck->count; i++) {
		free(selfcheck->checked[i].known);
		free(selfcheck->checked[i].estimated);
	}
	runs_close(&selfcheck->runs);
	free(selfcheck->sequence);
	free(selfcheck);
}

/* Returns a diag_exit code. */
static int check_and_show(const struct selfcheck_options *options, struct opt_line *line, int argc, char **argv)
{
	struct selfcheck *selfcheck = calloc(1, sizeof(*selfcheck));
	int code;

	if (!selfcheck) {
		diag_error(ENOMEM, "selfcheck");
		return DIAG_EXIT_HOST;
	}
	selfcheck->options = options;
	selfcheck->pages = options->size_bytes / GENERATOR_PAGE;
	selfcheck->top = (selfcheck->pages + 99) / 100;
	selfcheck->runs.fd = -1;
	code = check_all(selfcheck);
	if (!code || (interrupt_signal() && selfcheck->count && selfcheck->checked[0].runs)) {
		int shown = selfcheck_show(selfcheck, line, argc, argv);

		code = shown == DIAG_EXIT_HOST ? shown : code ? code : shown;
	}
	selfcheck_free(selfcheck);
	return code;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct selfcheck_options options = {0};
	struct opt_line line;
	int code = command_parse(command, argc, argv, &options, &line, NULL);

	if (!code && options.is_generator)
		code = generate(&options);
	else if (!code)
		code = selfcheck_check_output(&options);
	if (!code && !options.is_generator)
		code = check_and_show(&options, &line, argc, argv);
	opt_free(&line);
	return code;
}

const struct command memtrace_selfcheck = {
	.program = &memtrace_program,
	.name = "selfcheck",
	.summary = "check the engines on accesses with known popularity",
	.doc = "Record a generator that accesses pages by a known pattern with each available engine, in turn, and print how "
	       "accurately each gives the popularity of the pages, what it drops, what it costs the program, and one word on its "
	       "accuracy.",
	.examples = "  memtrace selfcheck\n"
		    "  memtrace selfcheck -e cpu-clock -F 4000 -p zipf,1.1 -n 9 -f check.xml\n"
		    "  with-pressure --swap=zram:256m -- memtrace selfcheck -e refault,popularity\n",
	.notes = "The exit status is 4 when recordings lack more than 1 % of their samples, or when SIGINT ended the check; the "
		 "table then has the completed runs.",
	.options = rows,
	.check = check,
	.run = run_command,
};

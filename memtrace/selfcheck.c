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

#include "common/diag.h"
#include "common/find.h"
#include "common/frame.h"
#include "common/interrupt.h"
#include "common/perf.h"
#include "common/units.h"
#include "memtrace/analysis.h"
#include "memtrace/commands.h"
#include "memtrace/selfcheck.h"

#define SCATTER "+scatter"
#define LACKEY_ACCESSES 20000u
#define RANGE "selfcheck"

/* --- options --- */

#define FIELD(NAME) offsetof(struct selfcheck_options, NAME)

static const char *const all_patterns[] = {"uniform", "normal", "linear", "hotset", "zipf,1", ("zipf,1" SCATTER)};

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

/* 0 or -EINVAL or -ERANGE, and why. */
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

static int add_pattern(struct opt_value *in)
{
	struct selfcheck_options *options = in->options;

	in->why = "at most 16 are allowed";
	if (options->pattern_count == SELFCHECK_PATTERNS)
		return -ERANGE;
	in->why = "is given twice (--repetitions sets the number of runs)";
	for (size_t i = 0; i < options->pattern_count; i++) {
		if (!strcmp(options->patterns[i], in->text))
			return -EINVAL;
	}
	options->patterns[options->pattern_count++] = in->text;
	return 0;
}

static const struct opt rows[] = {
	{"engine", 'e', "ENGINE,...", OPT_OWN, .set = set_engines,
		.help = "check these engines (default: all that this machine offers)",
		.manual = "Check these engines; each must be available. Without this option all that are available are checked, "
			  "and a line names each other one with its reason. `refault` and `popularity` need swap, as of "
			  "`with-pressure --swap`."},
	{"frequency", 'F', "HZ", OPT_U64, .offset = FIELD(hz), .min = 1, .max = 100000,
		.help = "record with this frequency (default: the engine's)",
		.manual = "Record with this frequency by all engines that take one, as `record -F`. The default is the engine's."},
	{"pattern", 'p', "PATTERN", OPT_OWN, OPT_REPEATS, .set = add_pattern,
		.help = "access memory by this pattern; repeatable (default: six of them)",
		.manual = "Access memory by this pattern of pmbench, as `zipf,1.1` or `hotset,10,90`; repeatable, up to 16. With "
			  "`" SCATTER "` appended popular pages are spread over the memory. The default is uniform, normal, "
			  "linear, hotset, zipf,1 and zipf,1" SCATTER "."},
	{"size", 's', "SIZE", OPT_SIZE, .offset = FIELD(size_bytes), .min = 1 << 20, .max = 1ull << 32, .preset = "64m",
		.help = "access SIZE of memory",
		.manual = "Access SIZE of memory, from 1m to 4g. Where all of it fits into the processor's caches, `cpu-clock` "
			  "and the hardware engines get few samples."},
	{"time", 't', "TIME", OPT_TIME, .offset = FIELD(time_ns), .min = 1000000, .max = 600000000000ull, .preset = "2s",
		.help = "make each run take TIME when not recorded",
		.manual = "Make each run take TIME when not recorded, from 1ms to 10m: the first run finds the number of accesses, "
			  "and all others make as many."},
	{"repetitions", 'n', "N", OPT_UNSIGNED, .offset = FIELD(repetitions), .min = 1, .max = SELFCHECK_ROUNDS, .preset = "3",
		.help = "run each engine and pattern N times, in turn"},
	{"seed", 0, "N", OPT_U64, .offset = FIELD(seed), .max = UINT64_MAX - 1, .preset = "1",
		.help = "draw the accesses from this seed"},
	{"no-lackey", 0, .type = OPT_FLAG, .offset = FIELD(is_without_lackey),
		.help = "do not trace the generator under valgrind",
		.manual = "Do not trace a short run of the generator under valgrind's lackey, which takes some 10 seconds. It is "
			  "done for the last pattern where valgrind is installed: its trace has each access, so that the row has "
			  "the exact values."},
	{"file", 'f', "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(xml_path), .begins = "<?xml",
		.help = "write a report as XML"},
	{"generate", 0, "N", OPT_U64, OPT_HIDDEN | OPT_UNREPORTED | OPT_ZERO, .offset = FIELD(accesses), .min = 1,
		.max = 1ull << 48, .help = "be the generator, of N accesses or of --time"},
	TABLE_OPTIONS("`id`, `samples`, `lost`,\n`slowdown`, `least`, `most`, `recall1`, `ideal_recall1`, `recall10`, "
		"`ideal_recall10`,\n`correlation`, `ideal_correlation`, `met`, `met_correlation`,\n`ideal_met_correlation`, "
		"`error`, `ideal_error`, `goal`, `bias1`, `bias10`, `bias_rest`,\n`pattern`, `engine`, `runs`, `accesses`"),
	{0},
};

static int check(void *data, struct opt_line *line)
{
	struct selfcheck_options *options = data;

	if (!options->pattern_count) {
		options->pattern_count = sizeof(all_patterns) / sizeof(all_patterns[0]);
		memcpy(options->patterns, all_patterns, sizeof(all_patterns));
	}
	options->size_bytes -= options->size_bytes % GENERATOR_PAGE;
	for (size_t i = 0; i < options->pattern_count; i++) {
		struct pattern_spec spec;
		const char *why;

		if (parse_pattern(options->patterns[i], options->size_bytes / GENERATOR_PAGE, &spec, &why)) {
			diag_error(0, "--pattern %s: %s", options->patterns[i], why);
			return DIAG_EXIT_USAGE;
		}
	}
	for (size_t i = 0; i < options->engine_count; i++) {
		if (options->hz && !options->engines[i]->has_frequency)
			return opt_refuse(line, "frequency", "one of these engines takes a period");
	}
	if (opt_is_stdout(options->xml_path) && options->output.is_json)
		return opt_refuse(line, "json", "standard output has the report; name a file by --file");
	return DIAG_EXIT_OK;
}

/* --- the generator's side --- */

static int generate(const struct selfcheck_options *options)
{
	struct generator generator = {.pages = options->size_bytes / GENERATOR_PAGE, .seed = options->seed,
		.accesses = options->accesses, .time_ns = options->time_ns};
	struct generated generated;
	const char *why;
	int err = parse_pattern(options->patterns[0], generator.pages, &generator.spec, &why);

	if (!err)
		err = generator_run(&generator, &generated);
	if (err) {
		diag_error(err, "selfcheck: the generator cannot run");
		return DIAG_EXIT_HOST;
	}
	printf("%llu %llu %llu\n", (unsigned long long)generated.begin, (unsigned long long)generated.accesses,
		(unsigned long long)generated.elapsed_ns);
	return DIAG_EXIT_OK;
}

/* --- runs --- */

/* One run of the generator: recorded by the engine, or traced by lackey, whose accesses go to take, or with neither alone. 0, or a
 * diag_exit code after one line. */
static int run_generator(struct selfcheck *selfcheck, const char *pattern, uint64_t accesses, const struct engine *engine,
	runs_lackey_take *take, void *data, struct generated *generated)
{
	const struct selfcheck_options *options = selfcheck->options;
	struct runs *runs = &selfcheck->runs;
	char number[32], size[32], time[32], seed[32], frequency[32], line[128], *rest = line;
	const char *const command[] = {runs->program, "selfcheck", "--generate", number, "--pattern", pattern, "--size", size,
		"--time", time, "--seed", seed, NULL};
	const char *const record[] = {"--paused", "-e", engine ? engine->name : "",
		engine && engine->has_frequency && options->hz ? frequency : NULL, NULL};
	uint64_t *const values[] = {&generated->begin, &generated->accesses, &generated->elapsed_ns}, bytes;
	ssize_t length;
	int ends[2], code;

	snprintf(number, sizeof(number), "%llu", (unsigned long long)accesses);
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
	else if (take)
		code = runs_lackey(runs, selfcheck->valgrind, command, ends[1], take, data, &bytes);
	else
		code = runs_finish(runs, runs_start(runs->program, (char *const *)command, ends[1], -1), "generator");
	close(ends[1]);
	length = code ? 0 : read(ends[0], line, sizeof(line) - 1);
	close(ends[0]);
	line[length > 0 ? length : 0] = '\0';
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]) && !code; i++) {
		const char *word = strtok_r(rest, " \n", &rest);

		if (!word || units_parse_u64(word, 0, UINT64_MAX, values[i])) {
			diag_error(0, "selfcheck: the generator printed nothing");
			code = DIAG_EXIT_HOST;
		}
	}
	return code;
}

struct counting { /* samples by page */
	uint64_t begin, pages, samples;
	double *counts;
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

/* The popularity by the recording, by page, and its miss ratios. 0, -ENOMEM or -E2BIG. */
static int estimate(struct source *source, struct counting *counting, struct miss_curve *curve)
{
	struct rates rates = {0};
	int err;

	if (!source->has_rates) {
		err = source_read(source, take_samples, counting);
		return err ? err : accuracy_curve(counting->counts, counting->pages, curve);
	}
	err = analysis_rates(source, &rates);
	for (size_t i = 0; i < rates.count && !err; i++) {
		uint64_t page = (source_address(rates.pages[i].page * GENERATOR_PAGE) - counting->begin) / GENERATOR_PAGE;

		counting->counts[page] = rates.pages[i].rate;
		counting->samples += (uint64_t)rates.pages[i].refaults + rates.pages[i].samples;
	}
	if (!err)
		err = analysis_rates_curve(&rates, curve);
	rates_free(&rates);
	return err;
}

/* 0, or a diag_exit code after one line. */
static int read_recording(struct selfcheck *selfcheck, const struct truth *truth, uint64_t begin, uint64_t seed,
	struct outcome *outcome)
{
	struct named_range range = {RANGE, strlen(RANGE), begin, begin + selfcheck->options->size_bytes, 0};
	const struct selection selection = {.ranges = &range, .range_count = 1, .regions = {RANGE}, .region_count = 1};
	struct counting counting = {.begin = begin, .pages = selfcheck->pages,
		.counts = calloc(selfcheck->pages, sizeof(*counting.counts))};
	struct miss_curve curve = {0};
	struct source *source = NULL;
	int code = source_open(selfcheck->runs.place, &selection, &source), err;

	if (code) {
		free(counting.counts);
		return code;
	}
	err = counting.counts ? estimate(source, &counting, &curve) : -ENOMEM;
	outcome->samples = counting.samples;
	outcome->lost = source->losses[TRACE_LOST_BY_KERNEL] + source->losses[TRACE_THROTTLED];
	outcome->is_complete = source->is_complete;
	if (!err)
		err = quality_find(truth, counting.counts, &curve, seed, outcome);
	if (err)
		diag_error(err, "selfcheck: cannot read a recording");
	source_free(source);
	free(counting.counts);
	return err ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

static struct checked *add_checked(struct selfcheck *selfcheck, const char *pattern, const char *engine, uint64_t accesses)
{
	struct checked *checked = &selfcheck->checked[selfcheck->count++];

	*checked = (struct checked){.pattern = pattern, .engine = engine, .accesses = accesses};
	snprintf(checked->id, sizeof(checked->id), "%s, %s", pattern, engine);
	return checked;
}

static double seconds_of(const struct generated *generated)
{
	return fmax((double)generated->elapsed_ns, 1) / 1e9;
}

/* --- lackey: all accesses of a short run --- */

static int take_page(void *data, char kind, uint64_t address)
{
	struct bucket *found;
	uint64_t key = address / GENERATOR_PAGE;

	(void)kind;
	return key ? buckets_add(data, &key, 1, &found) : 0;
}

static int run_lackey(struct selfcheck *selfcheck, const char *pattern, const struct pattern_spec *spec, double access_s)
{
	const struct selfcheck_options *options = selfcheck->options;
	struct checked *checked = add_checked(selfcheck, pattern, SELFCHECK_LACKEY, LACKEY_ACCESSES);
	struct outcome *outcome = &checked->runs[0];
	struct counting counting = {.pages = selfcheck->pages, .counts = calloc(selfcheck->pages, sizeof(*counting.counts))};
	struct miss_curve curve = {0};
	struct generated generated = {0};
	struct buckets buckets = {0};
	struct truth truth = {0};
	const struct generator generator = {*spec, selfcheck->pages, options->seed, LACKEY_ACCESSES, 0};
	int code, err;

	progress_line(&selfcheck->progress, "%s", checked->id);
	/* Where the area is follows only at the end: pages of all memory are counted. */
	code = run_generator(selfcheck, pattern, LACKEY_ACCESSES, NULL, take_page, &buckets, &generated);
	err = code ? 0 : truth_find(&generator, &truth);
	if (!code && !err && !counting.counts)
		err = -ENOMEM;
	for (uint64_t page = 0; page < selfcheck->pages && !code && !err; page++) {
		const struct bucket *bucket = buckets_find(&buckets, generated.begin / GENERATOR_PAGE + page);

		counting.counts[page] = bucket ? bucket->samples : 0;
		outcome->samples += bucket ? bucket->samples : 0;
	}
	if (!code && !err) {
		outcome->slowdown = seconds_of(&generated) / LACKEY_ACCESSES / access_s;
		outcome->is_complete = true;
		checked->count = 1;
		err = quality_find(&truth, counting.counts, &curve, options->seed, outcome);
		/* So few accesses are mostly first ones. */
		outcome->ideal[QUALITY_CURVE] = NAN;
	}
	if (err) {
		diag_error(err, "selfcheck: cannot read the trace of valgrind");
		code = DIAG_EXIT_HOST;
	}
	buckets_free(&buckets);
	truth_free(&truth);
	free(counting.counts);
	return code;
}

/* --- all runs --- */

static int run_pattern(struct selfcheck *selfcheck, const char *pattern, bool is_last)
{
	const struct selfcheck_options *options = selfcheck->options;
	struct checked *first = &selfcheck->checked[selfcheck->count];
	struct generator generator = {.pages = selfcheck->pages, .seed = options->seed};
	struct generated alone, recorded;
	struct truth truth = {0};
	const char *why;
	int code;

	progress_line(&selfcheck->progress, "%s: finding the number of accesses", pattern);
	(void)parse_pattern(pattern, selfcheck->pages, &generator.spec, &why);
	code = run_generator(selfcheck, pattern, 0, NULL, NULL, NULL, &alone);
	if (code)
		return code;
	generator.accesses = alone.accesses;
	if (truth_find(&generator, &truth)) {
		diag_error(ENOMEM, "selfcheck");
		return DIAG_EXIT_HOST;
	}
	for (size_t i = 0; i < selfcheck->engine_count; i++)
		add_checked(selfcheck, pattern, selfcheck->engines[i]->name, alone.accesses);
	for (unsigned round = 0; round < options->repetitions && !code; round++) {
		code = run_generator(selfcheck, pattern, generator.accesses, NULL, NULL, NULL, &alone);
		for (size_t i = 0; i < selfcheck->engine_count && !code; i++) {
			struct outcome *outcome = &first[i].runs[round];

			progress_line(&selfcheck->progress, "%s, %u of %u", first[i].id, round + 1, options->repetitions);
			code = run_generator(selfcheck, pattern, generator.accesses, selfcheck->engines[i], NULL, NULL, &recorded);
			outcome->slowdown = code ? 0 : seconds_of(&recorded) / seconds_of(&alone);
			if (!code)
				code = read_recording(selfcheck, &truth, recorded.begin, options->seed + round, outcome);
			first[i].count += !code;
		}
	}
	truth_free(&truth);
	if (!code && selfcheck->valgrind[0] && is_last)
		code = run_lackey(selfcheck, pattern, &generator.spec, seconds_of(&alone) / (double)alone.accesses);
	return code;
}

/* --- the command --- */

static void add_missing(struct selfcheck *selfcheck, const char *name, const char *reason)
{
	selfcheck->missing[selfcheck->missing_count++] = (struct named_text_values){name, reason};
}

/* Those that are available, or all that are asked for. 0, or a diag_exit code after one line. */
static int choose(struct selfcheck *selfcheck)
{
	const struct selfcheck_options *options = selfcheck->options;
	size_t count = options->engine_count, all;
	const struct engine *list = engine_rows(&all);

	for (size_t i = 0; i < (count ? count : all) && i < SELFCHECK_ENGINES; i++) {
		const struct engine *engine = count ? options->engines[i] : &list[i];
		struct perf_memory_request request = {.hz = engine->has_frequency ? options->hz : 0};
		struct engine_choice choice;

		if (!engine_choose("", engine, &request, perf_open_in, &choice)) {
			selfcheck->engines[selfcheck->engine_count++] = engine;
			continue;
		}
		if (count) {
			diag_error(0, "%s", choice.reason);
			return DIAG_EXIT_HOST;
		}
		/* "NAME: reason" */
		snprintf(selfcheck->reasons[selfcheck->missing_count], sizeof(selfcheck->reasons[0]), "%s",
			choice.reason + strlen(engine->name) + 2);
		add_missing(selfcheck, engine->name, selfcheck->reasons[selfcheck->missing_count]);
	}
	if (!options->is_without_lackey && find_in_path("valgrind", selfcheck->valgrind, sizeof(selfcheck->valgrind))) {
		selfcheck->valgrind[0] = '\0';
		add_missing(selfcheck, SELFCHECK_LACKEY, "valgrind is not installed");
	}
	if (selfcheck->engine_count)
		return DIAG_EXIT_OK;
	diag_error(0, "selfcheck: this machine offers no engine (memtrace record says why)");
	return DIAG_EXIT_HOST;
}

static int check_all(struct selfcheck *selfcheck)
{
	const struct selfcheck_options *options = selfcheck->options;
	size_t most;
	int code = choose(selfcheck);

	if (code)
		return code;
	most = options->pattern_count * (selfcheck->engine_count + 1);
	selfcheck->checked = calloc(most, sizeof(*selfcheck->checked));
	selfcheck->rows = calloc(most, sizeof(*selfcheck->rows));
	if (!selfcheck->checked || !selfcheck->rows) {
		diag_error(ENOMEM, "selfcheck");
		return DIAG_EXIT_HOST;
	}
	interrupt_install();
	code = runs_open(&selfcheck->runs, "selfcheck");
	progress_init(&selfcheck->progress, false);
	for (size_t i = 0; i < options->pattern_count && !code; i++)
		code = run_pattern(selfcheck, options->patterns[i], i + 1 == options->pattern_count);
	progress_clear(&selfcheck->progress);
	return code;
}

/* Of an interrupted check the rows that have a run. */
static void drop_unfinished(struct selfcheck *selfcheck)
{
	size_t kept = 0;

	for (size_t i = 0; i < selfcheck->count; i++) {
		if (selfcheck->checked[i].count)
			selfcheck->checked[kept++] = selfcheck->checked[i];
	}
	selfcheck->count = kept;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct selfcheck_options options = {0};
	struct selfcheck *selfcheck = NULL;
	struct opt_line line;
	int code = command_parse(command, argc, argv, &options, &line, NULL);

	if (!code && opt_is_typed(&line, "generate")) {
		code = generate(&options);
		opt_free(&line);
		return code;
	}
	if (!code)
		code = selfcheck_check_output(&options);
	if (!code) {
		selfcheck = calloc(1, sizeof(*selfcheck));
		if (!selfcheck)
			code = (diag_error(ENOMEM, "selfcheck"), DIAG_EXIT_HOST);
	}
	if (!code) {
		selfcheck->options = &options;
		selfcheck->pages = options.size_bytes / GENERATOR_PAGE;
		selfcheck->runs.fd = -1;
		code = check_all(selfcheck);
		if (interrupt_signal())
			drop_unfinished(selfcheck);
		if (!code || (interrupt_signal() && selfcheck->count)) {
			int shown = selfcheck_show(selfcheck, &line, argc, argv);

			code = shown == DIAG_EXIT_HOST ? shown : code ? code : shown;
		}
		runs_close(&selfcheck->runs);
		free(selfcheck->checked);
		free(selfcheck->rows);
	}
	free(selfcheck);
	opt_free(&line);
	return code;
}

const struct command memtrace_selfcheck = {
	.program = &memtrace_program,
	.name = "selfcheck",
	.summary = "check the engines on accesses with known popularity",
	.doc = "Record a generator that accesses pages by known patterns with each available engine, in turn, and print how "
	       "accurately the recordings give the popularity of the pages, compared with an ideal sampler with as many samples.",
	.examples = "  memtrace selfcheck\n"
		    "  memtrace selfcheck -e cpu-clock -F 4000 -p zipf,1.1" SCATTER " -n 7 -f check.xml\n"
		    "  with-pressure --swap=zram:256m -- memtrace selfcheck -e refault,popularity\n",
	.notes = "The exit status is 4 when recordings lack more than 1 % of their samples, or when SIGINT ended the check; the "
		 "table then has the completed runs.",
	.options = rows,
	.check = check,
	.run = run_command,
};

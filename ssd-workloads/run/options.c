/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/diag.h"
#include "common/cli/command.h"
#include "common/cli/start_option.h"
#include "common/run/frame.h"
#include "ssd-workloads/backend/choose.h"
#include "ssd-workloads/run/baseline.h"
#include "ssd-workloads/run/option_rows.h"
#include "ssd-workloads/workload/layout.h"

#define HINT_BYTES (256 * UNITS_KIB) /* checkpoint_flush_after of PostgreSQL */

static int set_freeze(struct opt_value *in)
{
	struct ssd_run_options *options = in->options;

	return freeze_parse(in->text, &options->freeze, &in->why);
}

static int add_at(struct opt_value *in)
{
	return script_add(&((struct ssd_run_options *)in->options)->script, in->text, &in->why);
}

const struct opt ssd_run_option_rows[] = {
	RUN_WRITE_OPTIONS,

	RUN_TARGET_OPTIONS,
	{"replay", 0, "REPORT", OPT_STRING, OPT_FIRST | OPT_UNREPORTED, .offset = RUN_AT(replay_path),
		.help = "take the options of an earlier run; options on the command line replace them",
		.manual = "Take the options of the run that made this report; those on the command line replace "
			  "them. --engine and --require replace each other, --ckpt-pause replaces --ckpt-every and "
			  "--ckpt-completion, and --ckpt-io replaces --ckpt-flush-after. Targets, confirmations "
			  "and output files are not taken from a report: give --target, and --log-target or "
			  "--ckpt-target for a run of several targets."},

	{.type = OPT_TITLE, .help = "Measurement"},
	START_OPTION(RUN_AT(start), "to write",
		"The target is prepared before; --warmup begins at TIME, as does the first repetition."),
	{"verify", 0, NULL, OPT_FLAG, .offset = RUN_AT(has_verify), .help = "read everything back; status 1 on any loss",
		.manual = "Read everything back at the end; the exit status is 1 on any loss. Excludes --baselines."},
	{"baselines", 0, NULL, OPT_FLAG, .offset = RUN_AT(has_baselines), .help = "measure each stream alone as well, in turn",
		.manual = "Measure each stream alone as well, on the same areas, interleaved with the mix in an "
			  "order that changes from repetition to repetition. The report has the ratio of the "
			  "medians over the repetitions with a 95 % bootstrap interval: of the response, of the "
			  "writes a second (throughput), and with --durability also of the commits, which a "
			  "transaction waits for; with `fdatasync` only commits include the time to become "
			  "durable. Needs a mix of two streams; excludes --verify and --dump."},
	{"without", 0, "none|other|gc|erase", OPT_CHOICE, .offset = RUN_AT(without),
		.choices = run_without_names, .preset = "none",
		.help = "measure also without this cause of waiting in a simulated device",
		.manual = "Measure the mix, and in turn the mix without this cause: `other` is each stream alone "
			  "(--baselines), with `gc` garbage collection takes no time, with `erase` erases take none. For "
			  "each stream the report has both mean times of a write, their difference, and the time that `analyze "
			  "attribution` gives to the cause in the mix's last repetition. Means are of all writes, that time of "
			  "those whose records are kept: where these are fewer (--sim cache) the report says how many. "
			  "Difference and attributed time are close where the device has idle time, and differ where "
			  "without the cause the write waits for another one: attribution is accounting. A collection belongs to "
			  "the stream that triggers it, even if it copies pages of the other one, so `other` costs more than it "
			  "is given. Where the device is always busy (M-N), what one stream gains the other may lose. Needs "
			  "--target sim:PRESET and --records; `other` needs a mix of two streams."},
	{"runs", 0, "N", OPT_UNSIGNED, .offset = RUN_AT(runs), .min = 1, .max = BASELINE_RUNS_MAX,
		.help = "repeat each cell N times (default: 1; 5 with baselines)",
		.manual = "Repeat each cell N times, 1 to 1000 (default: 1; with --baselines 5). Fewer than five "
			  "have wide intervals, one has none."},
	{"records", 0, "TIME", OPT_TIME, OPT_ZERO, .offset = RUN_AT(record_ns), .min = 10 * UNITS_NS_PER_SEC,
		.max = RUN_DAYS_MAX_NS, .preset = "10s", .help = "keep the records of the last TIME in memory; 0 is none",
		.manual = "Keep the records of the last TIME in memory: 10s to 7 days, or 0 for no records. Rings "
			  "are allocated before the run; the oldest records are overwritten. A trial of up to a "
			  "second measures how fast the mix writes; rings are for at least twice its peak, for all "
			  "that its depth could do if each write were as quick as the quickest (up to 64 MiB of a "
			  "stream), and for one and a half times the rate of any earlier repetition. A faster run "
			  "holds less, and the report says how much (`held_s`). Rings take at most three quarters "
			  "of the memory that is free and that cgroups allow: they are shortened with a warning, "
			  "and the run is refused where not even the smallest fit."},
	{"freeze-if", 0, "COND", OPT_OWN, .set = set_freeze, .allowed = "must be a condition such as 'log.latency>5ms&&other>=8'",
		.help = "stop recording when COND is true of a write",
		.manual = "Stop recording when COND is true of a write: up to 8 terms joined by `&&`, each a "
			  "field, one of `> >= < <= ==` and a value, as in `'log.latency>5ms&&other>=8'`. Fields "
			  "are `latency` (the response: with --rate from when the write was due), `service` (from "
			  "the system call on), `batching` (before it), `late` (the delay behind --rate when it "
			  "began), `own` and `other` (writes of this and of the other stream in flight), "
			  "`sequence` (of the writes of a worker, those of the trial before the run included), "
			  "`time` (since the measurement began) and `error`, which takes no value. Of a simulated "
			  "device, which has no `batching` and no `error`, further fields are `step(A,B)`, the "
			  "longest time that a page of the write took from station A to station B (1 is the system "
			  "call, 2 the arrival in the device, 3 to 11 are in SIMULATED DEVICE), `copies` (pages that "
			  "garbage collection copied for the write), and when it is completed `busy` (ways at "
			  "work), `qdepth` (commands in the device, this one included) and `cmd` (its number), as "
			  "in `'step(6,7)>1ms && busy>20'`. With `log.` or "
			  "`checkpoint.` before a field the term is of this stream. Many ordinary writes exceed a "
			  "duration alone: add a context. Needs --records."},
	{"post", 0, "N", OPT_U64, .offset = RUN_AT(post), .max = UINT32_MAX, .preset = "0",
		.help = "record N more writes after --freeze-if",
		.manual = "Record N more writes, up to 4294967295, after the condition of --freeze-if was true. "
			  "Needs --freeze-if."},
	{"at", 0, "TIME:COMMAND", OPT_OWN, OPT_REPEATS, .set = add_at,
		.help = "give the simulated device's recorder COMMAND at TIME; repeatable",
		.manual = "Give the recorder COMMAND, TIME after the measurement began in virtual time; up to 16 times. "
			  "`freeze` stops recording. `freeze-if COND` or `freeze-if COND post N` replaces the condition of "
			  "--freeze-if. `arm` restarts recording: the records until then are dropped, and the condition can fire "
			  "again. `clear` removes the condition. `sample 1/K` makes the device record one of K commands "
			  "that are submitted from then on. `stations LIST` makes it record these stations, as in "
			  "`3,6-8`, or `all`. `reset` does what `arm` does and sets condition, sample and stations to what "
			  "they were at the beginning. `freeze-if` and `clear` do not undo a freeze. A dump (--dump) has "
			  "what is kept at the end of the run. Commands change no time of a write, unless records have a "
			  "cost (--sim record-cost). Example:\n\n"
			  "  --at '5s:sample 1/10' --at '10s:freeze-if step(6,7)>5ms && busy>20 post 1000'\n\n"
			  "Needs --target sim:PRESET and --records."},
	{"trace", 0, "auto|on|off", OPT_CHOICE, .offset = RUN_AT(trace),
		.choices = (const char *const[]){
			[RUN_TRACE_AUTO] = "auto", [RUN_TRACE_ON] = "on", [RUN_TRACE_OFF] = "off", NULL},
		.preset = "auto", .help = "record the kernel's block events",
		.manual = "Record the kernel's block events in a trace instance of this run. They divide the time of each "
			  "write and sync, with the flush of the device's cache as a part of its own; any flush of "
			  "the disk in that time counts, also one that another process asked for. `on` ends with "
			  "status 3 where they are unavailable, `auto` says why. `on` needs --records and excludes "
			  "--ckpt-io=buffered, --log-target and --ckpt-target."},
	{"slo", 0, "OBJECTIVE", OPT_OWN, OPT_REPEATS, .set = run_add_slo,
		.allowed = RUN_SLO_ALLOWED,
		.help = "exit with status 1 unless 'p99<10ms', 'commit:p99.9<20ms', ...; repeatable",
		.manual = "Exit with status 1 unless the mix, all repetitions together, meets this OBJECTIVE: `log:` (the "
			  "default) or `checkpoint:` for the response of the stream's writes, `commit:` for the time until a "
			  "commit is durable, or `sync:` for the sync at the end of a checkpoint; then `mean`, `max` or a "
			  "percentile as `p99.9`, then `<` or `<=` and a time. Up to 16 times. Where the target is memory, or "
			  "the devices below it are unknown or did not confirm the syncs, an objective of something durable "
			  "(`commit:`, `sync:`, and `log:` with --durability=dsync) is undecided, and the status is 4, "
			  "as with every other verdict that is not ok. `commit:` needs --durability, `sync:` needs "
			  "--ckpt-sync=pass, which is the default of a durable log."},
	{"interval", 0, "TIME", OPT_TIME, OPT_ZERO, .offset = RUN_AT(interval_ns), .min = 10 * RUN_NS_PER_MS, .preset = "1s",
		.help = "add a row to the series every TIME; 0 is none",
		.manual = "Add a row to the series in the report every TIME: at least 10ms, or 0 for no series. A "
			  "run has at most 100000 rows."},

	{.type = OPT_TITLE, .help = "Output"},
	{"dump", 0, "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = RUN_AT(dump_path), .begins = DUMP_MAGIC,
		.help = "write the records, for 'ssd-workloads analyze'",
		.manual = "Write the records of writes and syncs, 64 bytes each, for `analyze`. They are of one "
			  "run: measure the mix and each stream alone in runs of their own, and give `analyze` the latter with "
			  "`--alone`. Of several simulated devices FILE has that of --target, and the streams that write to it; "
			  "a log that is striped over two has none. Needs --records; excludes --baselines."},
	{"ckpt-dump", 0, "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = RUN_AT(checkpoint_dump), .begins = DUMP_MAGIC,
		.help = "write the records of the checkpoint's own simulated device",
		.manual = "Write the records of the simulated device of --ckpt-target, and of the checkpoint's writes, as --dump "
			  "does for the log. Needs --ckpt-target sim:PRESET and --records; excludes --baselines."},
	RUN_REPORT_OPTIONS,
	{0},
};

const struct opt_relation ssd_run_option_relations[] = {
	{OPT_EXCLUDES, "verify", "baselines", "a verification covers one run; keep one"},
	{OPT_EXCLUDES, "dump", "baselines", "a dump has one run; keep one"},
	{OPT_EXCLUDES, "ckpt-dump", "baselines", "a dump has one run; keep one"},
	{OPT_NEEDS, "ckpt-dump", "ckpt-target", NULL},
	{OPT_NEEDS, "log-destroy-data", "log-target", NULL},
	{OPT_NEEDS, "ckpt-destroy-data", "ckpt-target", NULL},
	{OPT_REPLACES, "engine", "require", NULL},
	{OPT_REPLACES, "require", "engine", NULL},
	{OPT_REPLACES, "ckpt-pause", "ckpt-every", NULL},
	{OPT_REPLACES, "ckpt-pause", "ckpt-completion", NULL},
	{OPT_REPLACES, "ckpt-io", "ckpt-flush-after", NULL},
	{0},
};

int ssd_run_options_add(void *data, struct opt_line *line)
{
	static const struct replay replay = {.root = "ssdworkloads", .command = "run"};
	struct ssd_run_options *options = data;

	return options->replay_path ? replay_take(&replay, options->replay_path, line) : DIAG_EXIT_OK;
}

/* Rejects two outputs in one file, and an output in the target. */
static int check_outputs(const struct ssd_run_options *options)
{
	const char *const targets[LAYOUT_TARGETS][2] = {{"--target", options->target}, {"--log-target", options->log_target},
		{"--ckpt-target", options->checkpoint_target}};
	int code = DIAG_EXIT_OK;

	for (size_t i = 0; i < LAYOUT_TARGETS && !code; i++) {
		const struct frame_file files[] = {{"-f", options->xml_path}, {"--json", options->json_path},
			{"--dump", options->dump_path}, {"--ckpt-dump", options->checkpoint_dump}, {targets[i][0], targets[i][1]}};

		code = frame_check_apart(files, sizeof(files) / sizeof(files[0]));
	}
	return code;
}

/* Two targets in a folder are different files. */
static bool is_same_target(const char *one, const char *other)
{
	struct stat facts;

	/* Simulated targets are always separate devices. */
	if (!one || !other || !run_is_real_target(one) || (!stat(one, &facts) && S_ISDIR(facts.st_mode)))
		return false;
	return report_is_same_file(one, other);
}

/* Targets are all real, or all simulated with the parameters of the first. */
static int check_targets(const struct ssd_run_options *options, struct opt_line *line)
{
	const char *const others[][2] = {{"log-target", options->log_target}, {"ckpt-target", options->checkpoint_target}};
	bool is_real = !options->target || run_is_real_target(options->target);

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		const char *text = others[i][1];

		if (text && !is_real && strcmp(text, options->target) != 0)
			return opt_refuse(line, others[i][0],
				"must be the same sim:PRESET as --target: simulated devices are equal");
		if (text && is_real && !run_is_real_target(text))
			return opt_refuse(line, others[i][0], "is simulated, and --target is not; of a file give ./sim:NAME");
	}
	return DIAG_EXIT_OK;
}

/* These options have no meaning in a model. */
static int check_simulated(const struct ssd_run_options *options, struct opt_line *line)
{
	static const char *const refused[] = {"verify", "keep", "destroy-data", "log-destroy-data",
		"ckpt-destroy-data", "no-prepare", "engine", "require", "sqpoll", "iopoll", "ckpt-flush-after"};
	const char *why = "has no meaning for a simulated device; omit it";

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (opt_source_of(line, refused[i]) != OPT_BY_DEFAULT)
			return opt_refuse(line, refused[i], strcmp(refused[i], "no-prepare") ? why : "use --sim precondition=none");
	}
	if (options->is_buffered)
		return opt_refuse(line, "ckpt-io", why);
	if (options->log_target && options->dump_path)
		return opt_refuse(line, "dump", "a log that is striped over simulated devices has no dump; omit one");
	if (options->without && (options->log_target || options->checkpoint_target))
		return opt_refuse(line, "without", "needs one simulated device; omit --log-target and --ckpt-target");
	return options->trace == RUN_TRACE_ON ? opt_refuse(line, "trace", why) : DIAG_EXIT_OK;
}

/* The file overrides the preset, and the command line both. */
static int check_device(struct ssd_run_options *options, struct opt_line *line)
{
	struct run_device *device = &options->device;
	const struct script *script = &options->script;
	bool is_real = !options->target || run_is_real_target(options->target);
	int rc, code;

	if (freeze_check(&options->freeze, !is_real, device->why, sizeof(device->why)))
		return opt_refuse(line, "freeze-if", device->why);
	for (size_t i = 0; i < script->count && !is_real; i++) {
		if (freeze_check(&script->commands[i].freeze, true, device->why, sizeof(device->why)))
			return opt_refuse(line, "at", device->why);
	}
	if (is_real && options->has_pattern)
		return opt_refuse(line, "ckpt-order", "must be sequential or random; patterns need --target sim:PRESET");
	if (is_real && device->policy_count)
		return opt_refuse(line, "policy", "needs --target sim:PRESET");
	if (is_real && script->count)
		return opt_refuse(line, "at", "needs --target sim:PRESET");
	if (is_real && options->checkpoint_dump)
		return opt_refuse(line, "ckpt-dump", "needs --target sim:PRESET; --dump has both streams");
	if (is_real) {
		const char *given = device->value_count ? "sim" : device->config ? "sim-config" : NULL;

		return given ? opt_refuse(line, given, "needs --target sim:PRESET") : DIAG_EXIT_OK;
	}
	device->preset = sim_preset_find(options->target + strlen(RUN_SIM_TARGET));
	if (!device->preset)
		return opt_refuse(line, "target", "must be sim:small, sim:full or sim:mqsim-like; of a file "
						  "give ./sim:NAME");
	code = check_simulated(options, line);
	if (code)
		return code;
	sim_params_init(device->preset, &device->params);
	rc = device->config ? sim_params_read(&device->params, device->config, device->why, sizeof(device->why)) : 0;
	if (rc)
		return opt_refuse(line, "sim-config", device->why);
	for (size_t i = 0; i < device->value_count; i++)
		(void)sim_params_set(&device->params, device->values[i], device->why, sizeof(device->why));
	if (sim_params_check(&device->params, device->why, sizeof(device->why)))
		return opt_refuse(line, "target", device->why);
	options->trace = RUN_TRACE_OFF;
	return DIAG_EXIT_OK;
}

int ssd_run_options_check(void *data, struct opt_line *line)
{
	struct ssd_run_options *options = data;
	const char *engine = options->require ? options->require : options->engine;
	bool has_threads = engine && !strcmp(engine, "threads"), is_traced = options->trace == RUN_TRACE_ON;
	bool has_hint = opt_text(line, "ckpt-flush-after");
	const struct {
		bool is_wrong;
		const char *name, *why;
	} rules[] = {
		{!options->mix, "mix", "is required; 'ssd-workloads list' prints the mixes"},
		{!options->target, "target", "is required; name a new file, a folder or a block device"},
		{options->engine && options->require && strcmp(options->engine, options->require) != 0, "engine",
			"--require names another engine; keep one"},
		{opt_is_stdout(options->dump_path), "dump", "must be a file name"},
		{opt_is_stdout(options->checkpoint_dump), "ckpt-dump", "must be a file name"},
		{(options->dump_path || options->checkpoint_dump || options->freeze.count || options->script.count) &&
			!options->record_ns, "records",
			"there are no records for --dump, --freeze-if or --at; omit it"},
		{options->script.count && script_last_ns(&options->script) >= options->runtime_ns, "at",
			"must be before the end of the run; increase --runtime"},
		{is_traced && !options->record_ns, "records", "--trace on joins kernel events with records; keep one"},
		{options->is_sqpoll && has_threads, "sqpoll", "needs io_uring, which --engine or --require excludes"},
		{options->is_iopoll && has_threads, "iopoll", "needs io_uring, which --engine or --require excludes"},
		{has_hint && !options->is_buffered, "ckpt-flush-after", "needs --ckpt-io=buffered"},
		{options->is_buffered && options->is_iopoll, "iopoll",
			"the page cache of --ckpt-io=buffered cannot be polled; keep one"},
		{options->is_buffered && is_traced, "trace",
			"the kernel writes pages of --ckpt-io=buffered back after the writes; keep one"},
		{is_same_target(options->target, options->log_target), "log-target",
			"--target names the same file; omit one or name another"},
		{is_same_target(options->target, options->checkpoint_target), "ckpt-target",
			"--target names the same file; omit one or name another"},
		{is_same_target(options->log_target, options->checkpoint_target), "ckpt-target",
			"--log-target names the same file; omit one or name another"},
		{options->log_target && is_traced, "trace", "kernel events cover one target; omit --log-target"},
		{options->checkpoint_target && is_traced, "trace", "kernel events cover one target; omit --ckpt-target"},
		{options->post && !options->freeze.count, "post", "needs --freeze-if"},
		{options->without && options->target && run_is_real_target(options->target), "without",
			"needs --target sim:PRESET"},
		{options->without && !options->record_ns, "records", "--without needs the records; keep one"},
		{options->without > RUN_WITHOUT_OTHER && options->has_baselines, "baselines",
			"--without=gc and erase compare the whole mix; keep one"},
		{options->without && (options->freeze.count || options->script.count), "without",
			"compares all writes; omit --freeze-if and --at"},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].is_wrong)
			return opt_refuse(line, rules[i].name, rules[i].why);
	}
	if (check_targets(options, line) || check_device(options, line))
		return DIAG_EXIT_USAGE;
	options->override.streams[MIX_LOG].has_depth = opt_text(line, "log-depth");
	options->override.streams[MIX_CHECKPOINT].has_depth = opt_text(line, "ckpt-depth");
	options->override.streams[MIX_CHECKPOINT].has_completion = opt_text(line, "ckpt-completion");
	if (!opt_text(line, "ckpt-sync"))
		options->checkpoint_sync = RUN_SYNC_AUTO;
	if (!has_hint)
		options->hint_bytes = HINT_BYTES;
	return check_outputs(options);
}

int ssd_run_options_parse(const struct command *command, int argc, char **argv, struct ssd_run_options *options)
{
	int code;

	*options = (struct ssd_run_options){.argc = argc, .argv = argv};
	code = command_parse(command, argc, argv, options, &options->line, NULL);
	if (!code && opt_list_effective(&options->line, options)) {
		diag_error(ENOMEM, "cannot list the options");
		code = DIAG_EXIT_HOST;
	}
	if (code)
		ssd_run_options_free(options);
	return code;
}

void ssd_run_options_free(struct ssd_run_options *options)
{
	label_free(&options->labels);
	opt_free(&options->line);
}

bool ssd_run_options_print_text(const struct ssd_run_options *options)
{
	return !opt_is_stdout(options->xml_path) && !opt_is_stdout(options->json_path);
}

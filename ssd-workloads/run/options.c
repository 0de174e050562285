/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/diag.h"
#include "common/frame.h"
#include "ssd-workloads/run/option_rows.h"

#define KEY(N) (0x1000 + (N)) /* of an option without a letter */
#define EFFECTIVE_MAX 64
#define HINT_BYTES (256u << 10) /* checkpoint_flush_after of PostgreSQL */

const struct argp_option run_option_table[] = {
	{NULL, 0, NULL, 0, "What is written:", 1},
	{"mix", KEY(1), "MIX", 0, "1-1, 1-N, M-N, 1-0, M-0, 0-1, 0-N or custom (needed)", 1},
	{"log-bs", KEY(2), "SIZE", 0, "bytes of a log write (16k)", 1},
	{"log-depth", KEY(3), "N", 0, "log writes outstanding (the mix's)", 1},
	{"log-size", KEY(4), "SIZE", 0, "area that the log goes round in (512m)", 1},
	{"ckpt-bs", KEY(5), "SIZE", 0, "bytes of a checkpoint write (128k)", 1},
	{"ckpt-depth", KEY(6), "N", 0, "checkpoint writes outstanding (the mix's)", 1},
	{"ckpt-size", KEY(7), "SIZE", 0, "area that each checkpoint rewrites (1g)", 1},
	{"ckpt-pause", KEY(8), "TIME", 0, "between two checkpoints (0)", 1},
	{"ckpt-every", KEY(15), "TIME", 0, "begin a checkpoint every TIME (as soon as one is done)", 1},
	{"ckpt-completion", KEY(16), "SHARE", 0, "spread its writes over SHARE of --ckpt-every (0.9)", 1},
	{"ckpt-order", KEY(19), "sequential|random", 0, "order of the writes of a checkpoint (sequential)", 1},
	{"ckpt-io", KEY(17), "direct|buffered", 0, "write the checkpoint past or through the page cache (direct)", 1},
	{"ckpt-flush-after", KEY(18), "SIZE", 0, "if buffered: sync_file_range after SIZE, 0 for never (256k)", 1},
	{"workers", KEY(9), "N", 0, "threads of each stream, which share its depth and area (1)", 1},
	{"durability", KEY(10), "none|dsync|fdatasync", 0, "of each log write (none)", 1},
	{"ckpt-sync", KEY(14), "none|pass", 0, "make each checkpoint durable at its end (pass, with --durability)", 1},
	{"group-commit", KEY(11), "N", 0, "commits that a log write carries (1)", 1},
	{"rate", KEY(12), "N", 0, "commits that arrive each second, whatever was done (as fast as they are done)", 1},
	{NULL, 0, NULL, 0, "Where, how long, by what:", 2},
	{"target", KEY(20), "PATH", 0, "file, folder for a file without a name, or block device (needed)", 2},
	{"destroy-data", KEY(21), "PATH", 0, "yes, what is in this target may be lost", 2},
	{"ckpt-target", KEY(31), "PATH", 0, "write the checkpoint to another file, folder or device (--target)", 2},
	{"ckpt-destroy-data", KEY(32), "PATH", 0, "yes, what is in --ckpt-target may be lost", 2},
	{"keep", KEY(22), NULL, 0, "a file that is made stays", 2},
	{"no-prepare", KEY(23), NULL, 0, "do not write everything once before", 2},
	{"runtime", KEY(24), "TIME", 0, "that is measured (20s)", 2},
	{"warmup", KEY(25), "TIME", 0, "before that, not measured (0)", 2},
	{"engine", KEY(26), "uring|threads", 0, "the first to be tried (uring)", 2},
	{"require", KEY(27), "uring|threads", 0, "end with 3 when this one cannot be had", 2},
	{"sqpoll", KEY(28), NULL, 0, "a kernel thread submits (io_uring)", 2},
	{"iopoll", KEY(29), NULL, 0, "completions are polled for (io_uring)", 2},
	{"seed", KEY(30), "N", 0, "of data and order (1)", 2},
	{NULL, 0, NULL, 0, "What is found out:", 3},
	{"verify", KEY(40), NULL, 0, "read everything back; status 1 on any loss", 3},
	{"baselines", KEY(41), NULL, 0, "measure each stream alone, too, in turn", 3},
	{"runs", KEY(42), "N", 0, "repetitions (1; with --baselines 5)", 3},
	{"records", KEY(43), "TIME", 0, "how much rings of records hold, 0 for none (10s)", 3},
	{"freeze-if", KEY(44), "COND", 0, "stop recording when this holds of a write", 3},
	{"post", KEY(45), "N", 0, "records that are still kept then (0)", 3},
	{"trace", KEY(46), "auto|on|off", 0, "the kernel's block events, where they can be had (auto)", 3},
	{"interval", KEY(47), "TIME", 0, "of the series, 0 for none (1s)", 3},
	{NULL, 0, NULL, 0, "What comes out:", 4},
	{"dump", KEY(50), "FILE", 0, "write the records, for 'ssd-workloads analyze'", 4},
	{"label", KEY(51), "NAME=VALUE", 0, "a label in the report; repeatable", 4},
	{"file", 'f', "FILE", 0, "write the report as XML", 4},
	{"json", KEY(52), "FILE", OPTION_ARG_OPTIONAL, "write the report as JSON, to stdout by default", 4},
	{"dry-run", 'n', NULL, 0, "check everything, say what would be done, and end", 4},
	{0},
};

struct words {
	struct run_options *options;
	const char **values; /* of each row of option_rows: as typed last, NULL = not */
};

static const struct option_row *row_of_key(int key)
{
	for (const struct argp_option *option = run_option_table; option->name || option->doc; option++) {
		if (option->name && option->key == key)
			return option_row(option->name);
	}
	return NULL;
}

static int refuse(const struct option_row *row, const char *text, const char *why)
{
	char title[32];

	snprintf(title, sizeof(title), "--%s", row->name);
	return command_refuse(strcmp(title, "--file") ? title : "-f", text ? text : "", why);
}

static int apply(struct run_options *options, const struct option_row *row, const char *text)
{
	const char *why = row->allowed;
	int rc = row->set(options, text, &why);

	return rc ? refuse(row, text, why) : 0;
}

/* Two outputs in one place, or one in the place of the target. */
static int check_output(const struct run_options *options)
{
	const struct frame_file files[] = {{"-f", options->xml_path}, {"--json", options->json_path},
		{"--dump", options->dump_path}, {"--target", options->target}};
	const struct frame_file with_other[] = {{"-f", options->xml_path}, {"--json", options->json_path},
		{"--dump", options->dump_path}, {"--ckpt-target", options->checkpoint_target}};

	if (options->xml_path && options->json_path && !strcmp(options->xml_path, "-") && !strcmp(options->json_path, "-")) {
		diag_error(0, "-f - and --json: both would go to stdout; give one of them a file");
		return EINVAL;
	}
	return frame_check_apart(files, sizeof(files) / sizeof(files[0])) ||
			       frame_check_apart(with_other, sizeof(with_other) / sizeof(with_other[0]))
		       ? EINVAL
		       : 0;
}

/* In a folder each gets a file of its own. */
static bool is_same_target(const struct run_options *options)
{
	struct stat facts;

	if (!stat(options->target, &facts) && S_ISDIR(facts.st_mode))
		return false;
	return report_is_same_file(options->target, options->checkpoint_target);
}

static bool has_threads(const struct run_options *options)
{
	const char *engine = options->require ? options->require : options->engine;

	return engine && !strcmp(engine, "threads");
}

/* Options that mean nothing, or the opposite of each other, together. */
static int check_pairs(const struct run_options *options)
{
	const char *why = NULL;

	if (!options->mix)
		why = "--mix: which mix? 'ssd-workloads list' has them";
	else if (!options->target)
		why = "--target: where? name a file that does not exist, a folder or a block device";
	else if (options->engine && options->require && strcmp(options->engine, options->require) != 0)
		why = "--engine and --require: name two engines; keep one";
	else if (options->has_verify && options->has_baselines)
		why = "--verify and --baselines: a verification is of one run; keep one";
	else if (options->dump_path && options->has_baselines)
		why = "--dump and --baselines: records are of one run; keep one";
	else if ((options->dump_path || options->freeze_text) && !options->record_ns)
		why = "--records 0: there is nothing to dump or to freeze; leave it out";
	else if (options->trace == RUN_TRACE_ON && !options->record_ns)
		why = "--trace on and --records 0: the kernel's events are joined with records; keep one";
	else if ((options->is_sqpoll || options->is_iopoll) && has_threads(options))
		why = "--sqpoll and --iopoll: are of io_uring, which --engine or --require leave out; keep one";
	else if (options->has_hint && !options->is_buffered)
		why = "--ckpt-flush-after: is of --ckpt-io=buffered, which is not given";
	else if (options->is_buffered && options->is_iopoll)
		why = "--iopoll and --ckpt-io=buffered: the page cache cannot be polled; keep one";
	else if (options->is_buffered && options->trace == RUN_TRACE_ON)
		why = "--trace on and --ckpt-io=buffered: the kernel writes pages back later than the writes; keep one";
	else if (options->checkpoint_destroy && !options->checkpoint_target)
		why = "--ckpt-destroy-data: is about --ckpt-target, which is not given";
	else if (options->checkpoint_target && is_same_target(options))
		why = "--ckpt-target and --target: both name one file; leave --ckpt-target out, or name another";
	else if (options->checkpoint_target && options->trace == RUN_TRACE_ON)
		why = "--trace on and --ckpt-target: the kernel's events are taken of one target; keep one";
	else if (options->post && !options->freeze_text)
		why = "--post: says what is kept after --freeze-if, which is not given";
	if (!why)
		return check_output(options);
	diag_error(0, "%s", why);
	return EINVAL;
}

static void add_effective(struct run_options *options, const char *name, const char *value)
{
	if (options->effective_count < EFFECTIVE_MAX)
		options->effective[options->effective_count++] = (struct report_option){name, value};
}

static error_t apply_standards(struct words *words)
{
	struct run_options *options = words->options;
	int rc = 0;

	for (size_t i = 0; option_rows[i].name && !rc; i++) {
		const struct option_row *row = &option_rows[i];
		const char *value = words->values[i];

		if (!value && row->standard) {
			value = row->standard;
			rc = apply(options, row, value);
		}
		if (value && !row->is_unreported)
			add_effective(options, row->name, value);
	}
	return rc ? rc : check_pairs(options);
}

static error_t take_key(int key, char *text, struct argp_state *state)
{
	struct words *words = state->input;
	const struct option_row *row;

	if (key == ARGP_KEY_ARG)
		return command_refuse("argument", text, "run takes none: what is written to is --target");
	if (key == ARGP_KEY_END)
		return apply_standards(words);
	if (key == 'n') {
		words->options->is_dry_run = true;
		return 0;
	}
	row = row_of_key(key);
	if (!row)
		return ARGP_ERR_UNKNOWN;
	words->values[row - option_rows] = text ? text : "yes";
	return apply(words->options, row, text);
}

static size_t row_count(void)
{
	size_t count = 0;

	while (option_rows[count].name)
		count++;
	return count;
}

int run_options_parse(const struct command *command, int argc, char **argv, struct run_options *options)
{
	struct words words = {.options = options};
	int code = DIAG_EXIT_USAGE;

	memset(options, 0, sizeof(*options));
	options->hint_bytes = HINT_BYTES;
	options->argc = argc;
	/* argp sorts the words in place. */
	options->argv = calloc((size_t)argc + 1, sizeof(*options->argv));
	options->effective = calloc(EFFECTIVE_MAX, sizeof(*options->effective));
	words.values = calloc(row_count() + 1, sizeof(*words.values));
	if (!options->argv || !options->effective || !words.values) {
		diag_error(ENOMEM, "cannot read the command line");
	} else {
		memcpy(options->argv, argv, (size_t)argc * sizeof(*argv));
		code = command_parse_argp(command, take_key, argc, argv, &words);
	}
	free(words.values);
	if (code)
		run_options_free(options);
	return code;
}

void run_options_free(struct run_options *options)
{
	for (size_t i = 0; i < options->labels.count; i++)
		free((char *)(uintptr_t)options->labels.list[i].name);
	options->labels.count = 0;
	free(options->argv);
	free(options->effective);
	options->argv = NULL;
	options->effective = NULL;
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

bool run_options_print_text(const struct run_options *options)
{
	return !is_stdout(options->xml_path) && !is_stdout(options->json_path);
}

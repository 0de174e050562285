/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/options.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/diag.h"
#include "common/frame.h"
#include "common/units.h"
#include "iowrite-bench/memory.h"
#include "iowrite-bench/predict/trace_file.h"

enum {
	KEY_SYSTEM = 256,
	KEY_TRACE,
	KEY_BS,
	KEY_SIZE,
	KEY_RW,
	KEY_THINKTIME,
	KEY_BACK,
	KEY_SEED,
	KEY_FILES,
	KEY_MODEL,
	KEY_PAPER_LITERAL,
	KEY_DETAIL,
	KEY_MODE,
	KEY_SYNC,
	KEY_REGIME,
	KEY_MEM,
	KEY_STDIO,
	KEY_BUFFER,
	KEY_RATELIMIT0,
	KEY_LIMIT_BG,
	KEY_LIMIT_HARD,
	KEY_PER_WRITE,
	KEY_JSON,
};

#define MODES "buffered|sync|dsync|direct|direct-sync|direct-dsync"
#define REGIMES "append|prealloc|overwrite"

const struct argp_option predict_option_table[] = {
	{NULL, 0, NULL, 0, "What is predicted (a SCENARIO, a table, or writes of one size):", 1},
	{"system", KEY_SYSTEM, "FILE", 0, "the calibration, of iowrite-bench calibrate", 1},
	{"trace", KEY_TRACE, "FILE", 0, "a table of writes, as run --ops-csv makes it; - is standard input", 1},
	{"bs", KEY_BS, "SIZE", 0, "writes of this size", 1},
	{"size", KEY_SIZE, "SIZE", 0, "with --bs: bytes of all writes (1g)", 1},
	{"rw", KEY_RW, "write|randwrite|backwrite", 0,
		"with --bs: one after the other (write), anywhere within the size, or each begins before the last one's end",
		1},
	{"thinktime", KEY_THINKTIME, "TIME", 0, "with --bs: before each write", 1},
	{"back", KEY_BACK, "FRACTION", 0, "by so much of a write, with --rw=backwrite (0.5)", 1},
	{"seed", KEY_SEED, "N", 0, "of randwrite (1)", 1},
	{"files", KEY_FILES, "N", 0, "with --bs: write N files in turn (1)", 1},
	{NULL, 0, NULL, 0, "By what:", 2},
	{"model", KEY_MODEL, "NAME,...", 0, "naive, cawl, kernel: repeatable (all)", 2},
	{"paper-literal", KEY_PAPER_LITERAL, NULL, 0, "cawl as printed, negative costs included", 2},
	{"detail", KEY_DETAIL, NULL, 0, "kernel with its pauses one by one, not each write's share of them", 2},
	{NULL, 0, NULL, 0, "How it is written (a scenario says it itself):", 3},
	{"mode", KEY_MODE, MODES, 0, "how the file is opened (as the table says; buffered)", 3},
	{"sync-each", KEY_SYNC, "SYNC", 0,
		"sync after each write none, fsync, fdatasync, rwf-dsync (as the table says; none)", 3},
	{"regime", KEY_REGIME, REGIMES, 0, "what is where the writes go (as the table says; append)", 3},
	{"stdio", KEY_STDIO, "glibc|musl|unbuffered|paper", OPTION_ARG_OPTIONAL, "by fwrite of this libc (this one's)",
		3},
	{"buffer", KEY_BUFFER, "SIZE", 0, "with --stdio: of its buffer (the calibrated)", 3},
	{"mem", KEY_MEM, MEMORY_NAMES, 0, "what memory the page cache gets, for scenarios, too (warm)", 3},
	{NULL, 0, NULL, 0, "Instead of what was calibrated:", 4},
	{"ratelimit0", KEY_RATELIMIT0, "SIZE", 0, "the kernel's dirty_ratelimit before the first write, in bytes/s", 4},
	{"limit-bg", KEY_LIMIT_BG, "SIZE", 0, "dirty bytes at which write-back begins", 4},
	{"limit-hard", KEY_LIMIT_HARD, "SIZE", 0, "dirty bytes that there may be", 4},
	{NULL, 0, NULL, 0, "Output (FILE: stdout when left out, and then no text):", 5},
	{"per-write", KEY_PER_WRITE, "FILE", OPTION_ARG_OPTIONAL, "each write as comma-separated values", 5},
	{"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL, "the summary as JSON", 5},
	{0},
};

static error_t parse_size(const char *option, const char *text, uint64_t most, uint64_t *value)
{
	char why[96], most_text[UNITS_TEXT];
	uint64_t bytes;

	if (!units_parse_size(text, 1, &bytes) && bytes > 0 && bytes <= most) {
		*value = bytes;
		return 0;
	}
	units_format_size(most, most_text, sizeof(most_text));
	snprintf(why, sizeof(why), "a size above 0, up to %s, as 4096, 64k or 1.5G", most_text);
	return command_refuse(option, text, why);
}

static error_t parse_delay(const char *text, uint64_t *ns)
{
	uint64_t value;

	if (units_parse_duration(text, &value) || value > TRACE_DELAY_MAX)
		return command_refuse("--thinktime", text, "a time up to a day, as 20ms, 0.5s or 100us");
	*ns = value;
	return 0;
}

static error_t parse_back(struct predict_pattern *pattern, const char *text)
{
	if (units_parse_double(text, 0, 0.999, &pattern->back))
		return command_refuse("--back", text, "a share of a write from 0 to below 1, as 0.25");
	pattern->has_back = true;
	return 0;
}

static error_t add_models(struct predict_options *options, const char *text)
{
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ","), i = 0;

		while (model_kinds[i].name && (strlen(model_kinds[i].name) != length ||
			strncmp(model_kinds[i].name, at, length)))
			i++;
		if (!model_kinds[i].name)
			return command_refuse("--model", text, "allowed are naive, cawl and kernel, with commas between");
		options->has_model[i] = true;
		at += length;
		if (!*at)
			return 0;
	}
}

static error_t parse_mode(struct predict_options *options, const char *text)
{
	for (int mode = 0; mode < OP_MODES; mode++) {
		if (!strcmp(op_mode_name((enum op_mode)mode), text)) {
			options->mode = (enum op_mode)mode;
			options->has_mode = true;
			return 0;
		}
	}
	return command_refuse("--mode", text, "allowed are buffered, sync, dsync, direct, direct-sync and direct-dsync");
}

static error_t parse_regime(struct predict_options *options, const char *text)
{
	for (int regime = 0; regime < OP_REGIMES; regime++) {
		if (!strcmp(op_regime_name((enum op_regime)regime), text)) {
			options->regime = (enum op_regime)regime;
			options->has_regime = true;
			return 0;
		}
	}
	return command_refuse("--regime", text, "allowed are append, prealloc and overwrite");
}

static error_t parse_memory(struct predict_options *options, const char *text)
{
	if (!memory_of(text, &options->memory))
		return 0;
	return command_refuse("--mem", text, "allowed are warm, cold and as-is");
}

static error_t parse_stdio(struct predict_options *options, const char *text)
{
	options->has_stdio = true;
	options->policy = stdio_policy(text);
	if (options->policy)
		return 0;
	return command_refuse("--stdio", text, "allowed are glibc, musl, unbuffered and paper");
}

static error_t parse_rw(struct predict_pattern *pattern, const char *text)
{
	pattern->is_random = !strcmp(text, "randwrite");
	pattern->is_back = !strcmp(text, "backwrite");
	if (pattern->is_random || pattern->is_back || !strcmp(text, "write"))
		return 0;
	return command_refuse("--rw", text, "allowed are write, randwrite and backwrite");
}

static error_t set_scenario(struct predict_options *options, const char *text)
{
	if (options->scenario)
		return command_refuse("argument", text, "one scenario at a time");
	options->scenario = scenario_of(text);
	if (options->scenario)
		return 0;
	return command_refuse("scenario", text, "there is none of this name: iowrite-bench scenarios lists them");
}

static error_t parse_pattern(int key, char *text, struct predict_pattern *pattern)
{
	switch (key) {
	case KEY_BS:
		return parse_size("--bs", text, TRACE_SIZE_MAX, &pattern->size);
	case KEY_SIZE:
		return parse_size("--size", text, TRACE_END_MAX, &pattern->total);
	case KEY_RW:
		return parse_rw(pattern, text);
	case KEY_THINKTIME:
		return parse_delay(text, &pattern->delay_ns);
	case KEY_BACK:
		return parse_back(pattern, text);
	case KEY_FILES:
		if (units_parse_u64(text, 1, OP_FILES_MAX, &pattern->files))
			return command_refuse("--files", text, "a whole number from 1 to 256");
		return 0;
	case KEY_SEED:
		if (units_parse_u64(text, 0, UINT64_MAX, &pattern->seed))
			return command_refuse("--seed", text, "a whole number from 0 to 2^64 - 1");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_conditions(int key, char *text, struct predict_options *options)
{
	switch (key) {
	case KEY_MODE:
		return parse_mode(options, text);
	case KEY_SYNC:
		options->sync = method_sync_of(text);
		return options->sync ? 0 : command_refuse("--sync-each", text, "allowed are none, fsync, fdatasync, "
			"sync_file_range, rwf-dsync, syncfs and msync");
	case KEY_REGIME:
		return parse_regime(options, text);
	case KEY_MEM:
		return parse_memory(options, text);
	case KEY_STDIO:
		return parse_stdio(options, text ? text : stdio_policy_here()->name);
	case KEY_BUFFER:
		return parse_size("--buffer", text, 1ull << 30, &options->buffer_bytes);
	case KEY_RATELIMIT0:
		return parse_size("--ratelimit0", text, 1ull << 50, &options->ratelimit0);
	case KEY_LIMIT_BG:
		return parse_size("--limit-bg", text, 1ull << 50, &options->limit_bg);
	case KEY_LIMIT_HARD:
		return parse_size("--limit-hard", text, 1ull << 50, &options->limit_hard);
	default:
		return parse_pattern(key, text, &options->pattern);
	}
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct predict_options *options = state->input;

	switch (key) {
	case KEY_SYSTEM:
		options->system_path = text;
		return 0;
	case KEY_TRACE:
		options->trace_path = text;
		return 0;
	case KEY_MODEL:
		return add_models(options, text);
	case KEY_PAPER_LITERAL:
		options->is_paper_literal = true;
		return 0;
	case KEY_DETAIL:
		options->is_detailed = true;
		return 0;
	case KEY_PER_WRITE:
		options->per_write_path = text ? text : "-";
		return 0;
	case KEY_JSON:
		options->json_path = text ? text : "-";
		return 0;
	case ARGP_KEY_ARG:
		return set_scenario(options, text);
	default:
		return parse_conditions(key, text, options);
	}
}

static int refuse(const char *line)
{
	diag_error(0, "predict: %s", line);
	return DIAG_EXIT_USAGE;
}

static int check_subject(const struct predict_options *options)
{
	const struct predict_pattern *pattern = &options->pattern;
	int subjects = !!options->trace_path + !!options->scenario + !!pattern->size;

	if (!options->system_path)
		return refuse("--system is missing: the file that iowrite-bench calibrate -o FILE makes");
	if (!subjects)
		return refuse("nothing to predict: a SCENARIO (iowrite-bench scenarios lists them), --trace FILE or --bs SIZE");
	if (subjects > 1)
		return refuse("a SCENARIO, --trace and --bs exclude each other");
	if (!pattern->size && (pattern->total || pattern->is_random || pattern->is_back || pattern->delay_ns || pattern->has_back ||
		pattern->files))
		return refuse("--size, --rw, --thinktime, --back and --files are for --bs");
	if (pattern->total && pattern->total < pattern->size)
		return refuse("--size is less than one write of --bs: give a larger one");
	if (pattern->is_random && options->regime == OP_APPEND)
		return refuse("--rw=randwrite: random writes need a file that is there; give --regime=prealloc or overwrite");
	if (pattern->is_back && pattern->has_back && pattern->back == 0)
		return refuse("--back=0 is --rw=write");
	if (pattern->has_back && !pattern->is_back)
		return refuse("--back is for --rw=backwrite");
	if (options->scenario && (options->has_mode || options->has_regime || options->has_stdio || options->sync))
		return refuse("--mode, --sync-each, --regime and --stdio are for --trace and --bs: a scenario has its own");
	return DIAG_EXIT_OK;
}

static int check_conditions(const struct predict_options *options)
{
	if (options->buffer_bytes && !options->has_stdio && !(options->scenario && options->scenario->is_stdio))
		return refuse("--buffer is for --stdio");
	if (options->limit_bg && options->limit_hard && options->limit_bg >= options->limit_hard)
		return refuse("--limit-bg must be below --limit-hard: write-back begins before the limit");
	if (options->is_paper_literal && !options->has_model[model_kind("cawl") - model_kinds])
		return refuse("--paper-literal is for --model=cawl");
	if (options->is_detailed && !options->has_model[model_kind("kernel") - model_kinds])
		return refuse("--detail is for --model=kernel");
	return DIAG_EXIT_OK;
}

static int check_outputs(const struct predict_options *options)
{
	const char *per_write = options->per_write_path, *json = options->json_path;
	int code;

	if (per_write && json && !strcmp(per_write, json)) {
		diag_error(0, "--per-write and --json: both would write %s; give them two names",
			strcmp(json, "-") ? json : "stdout");
		return DIAG_EXIT_USAGE;
	}
	code = frame_check_output("--per-write", per_write);
	return code ? code : frame_check_output("--json", json);
}

int predict_options_parse(const struct command *command, int argc, char **argv, struct predict_options *options)
{
	bool is_any_model = false;
	int code;

	*options = (struct predict_options){.memory = MODEL_WARM, .pattern = {.back = 0.5, .seed = 1}};
	code = command_parse_argp(command, parse, argc, argv, options);
	if (code)
		return code;
	for (size_t i = 0; i < PREDICT_MODELS; i++)
		is_any_model = is_any_model || options->has_model[i];
	for (size_t i = 0; !is_any_model && model_kinds[i].name; i++)
		options->has_model[i] = true;
	code = check_subject(options);
	if (!code)
		code = check_conditions(options);
	return code ? code : check_outputs(options);
}

bool predict_options_take_stdout(const struct predict_options *options)
{
	return (options->per_write_path && !strcmp(options->per_write_path, "-")) ||
	       (options->json_path && !strcmp(options->json_path, "-"));
}

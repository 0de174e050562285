/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/options.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "common/diag.h"
#include "common/frame.h"
#include "iowrite-bench/predict/trace_file.h"
#include "iowrite-bench/scenario_options.h"

#define AT(member) offsetof(struct predict_options, member)
#define MOST_BYTES (1ull << 50)

static const char *const orders[] = {
	[PREDICT_WRITE] = "write", [PREDICT_RANDWRITE] = "randwrite", [PREDICT_BACKWRITE] = "backwrite", NULL};

static int add_model(struct opt_value *in, const char *name)
{
	const struct model_kind *kind = model_kind(name);
	bool *has_model = opt_field(in);

	if (kind)
		has_model[kind - model_kinds] = true;
	return kind ? 0 : -EINVAL;
}

static int set_models(struct opt_value *in)
{
	return opt_each_word(in, add_model);
}

static int set_sync(struct opt_value *in)
{
	const struct method_sync **sync = opt_field(in);

	*sync = method_sync_of(in->text);
	return *sync ? 0 : -EINVAL;
}

static int set_stdio(struct opt_value *in)
{
	const struct stdio_policy **policy = opt_field(in);

	*policy = stdio_policy(in->text);
	return *policy ? 0 : -EINVAL;
}

const struct opt predict_option_rows[] = {
	{.type = OPT_TITLE, .help = "What is predicted (a SCENARIO, a table, or writes of one size)"},
	SCENARIO_ARGUMENT_ROW(AT(scenario)),
	SCENARIO_SYSTEM_ROW(AT(system_path), "predict from the calibration FILE (required)",
		"Predict from the calibration FILE, which `iowrite-bench calibrate` writes. Required."),
	{.name = "trace", .value = "FILE", .type = OPT_STRING, .offset = AT(trace_path),
		.help = "predict the writes of a table, as run --ops-csv writes it; - is standard input",
		.manual = "Predict the writes of the table FILE, see FILES below; `-` is standard input."},
	{.name = "bs", .value = "SIZE", .type = OPT_SIZE, .offset = AT(pattern.size), .min = 1, .max = TRACE_SIZE_MAX,
		.help = "predict writes of SIZE bytes", .manual = "Predict writes of SIZE bytes, up to 64G."},
	{.name = "size", .value = "SIZE", .type = OPT_SIZE, .offset = AT(pattern.total), .min = 1, .max = TRACE_END_MAX,
		.preset = "1g", .help = "with --bs: write SIZE bytes in all",
		.manual = "Bytes of all writes of --bs together: up to 10 million writes."},
	{.name = "rw", .value = "write|randwrite|backwrite", .type = OPT_CHOICE,
		.offset = AT(pattern.order), .choices = orders, .preset = "write",
		.help = "with --bs: write one after the other, at random, or each from before the last one's end",
		.manual = "Order of the writes of --bs: one after the other (`write`), each at a random multiple of "
			  "its size within --size (`randwrite`, which needs --regime=prealloc or `overwrite`), or "
			  "each from before the last one's end (`backwrite`)."},
	{.name = "thinktime", .value = "TIME", .type = OPT_TIME, .offset = AT(pattern.delay_ns), .max = TRACE_DELAY_MAX,
		.preset = "0", .help = "with --bs: wait for TIME before each write",
		.manual = "Wait for TIME, such as `20ms`, before each write of --bs; up to a day."},
	{.name = "back", .value = "FRACTION", .type = OPT_DOUBLE, .offset = AT(pattern.back), .low = 0, .high = 0.999,
		.preset = "0.5", .help = "with --rw=backwrite: begin FRACTION of a write before the last one's end",
		.manual = "FRACTION of a write that the next one writes again, above 0 and below 1. Needs "
			  "--rw=backwrite."},
	{.name = "seed", .value = "N", .type = OPT_U64, .offset = AT(pattern.seed), .preset = "1",
		.help = "with --rw=randwrite: draw offsets from this seed",
		.manual = "Seed of --rw=randwrite: the same seed draws the same writes."},
	{.name = "files", .value = "N", .type = OPT_U64, .offset = AT(pattern.files),
		.min = 1, .max = OP_FILES_MAX, .preset = "1",
		.help = "with --bs: write N files in turn",
		.manual = "Files that the writes of --bs go to in turn, 1 to 256; --size is of all of them together. "
			  "They share the dirty thresholds; a synchronous write to another file than the last one "
			  "costs a seek. Excludes --stdio: each file has a buffer of its own, which no model has."},
	{.type = OPT_TITLE, .help = "By which model"},
	{.name = "model", .value = "NAME,...", .type = OPT_OWN, .flags = OPT_REPEATS,
		.offset = AT(has_model), .set = set_models, .preset = "naive,cawl,kernel",
		.allowed = "must be a list of naive, cawl, kernel",
		.help = "predict by these models; repeatable",
		.manual = "Predict by these models; repeatable. A model for which the calibration lacks a parameter "
			  "says so in its line.\n\n"
			  "`naive`: the size divided by the bandwidth of the device, as SimGrid does.\n\n"
			  "`cawl`: the CAWL paper's model. Synchronous writes have a fixed cost and bandwidths; "
			  "others go to the page cache, at a rate that falls from the middle between the thresholds "
			  "to zero at the limit. Writes are taken in steps of 1 MiB, and the rate stays above "
			  "zero.\n\n"
			  "`kernel`: what Linux does (mm/page-writeback.c). The sum of dirty and written-back bytes "
			  "is throttled, by newly dirtied bytes, toward the setpoint; other costs of a write come "
			  "from the calibrated table of sizes; memory that the host does not back is slower; a "
			  "partly written block that is not cached is read."},
	{.name = "paper-literal", .type = OPT_FLAG, .offset = AT(is_paper_literal),
		.help = "predict by cawl as printed, with negative costs",
		.manual = "Predict by `cawl` as it is printed: no steps, negative costs beyond the limit, and no "
			  "cost of the call of fwrite or of the sync after a write. Needs --model=cawl."},
	{.name = "detail", .type = OPT_FLAG, .offset = AT(is_detailed),
		.help = "predict each pause by kernel, instead of each write's share of the pauses",
		.manual = "Predict by `kernel` with each pause: no pause is shorter than 8 ms, so that most small "
			  "writes cost as much as in free run, and one pays for all. Without this option each write "
			  "has its share, which the bands are calibrated for; the sums are the same. Needs "
			  "--model=kernel."},
	{.type = OPT_TITLE, .help = "How it is written (a scenario has its own)"},
	{.name = "mode", .value = "buffered|sync|dsync|direct|direct-sync|direct-dsync", .type = OPT_CHOICE,
		.offset = AT(mode), .choices = op_mode_names,
		.help = "open the file in this mode (default: as the table says; with --bs buffered)",
		.manual = "How the file is opened. The default is the column `mode` of the table, and `buffered` "
			  "with --bs; a table without that column needs this option. Writes that `run` would refuse "
			  "are refused: with O_DIRECT each size and offset must be a multiple of the calibrated `bs`."},
	{.name = "sync-each", .value = "SYNC", .type = OPT_OWN, .offset = AT(sync), .set = set_sync,
		.allowed = "must be none, fsync, fdatasync, sync_file_range, rwf-dsync, syncfs or msync",
		.help = "sync after each write by none, fsync, fdatasync or rwf-dsync (default: as the table says; "
			"with --bs none)",
		.manual = "How each write is synced, a value of `run --sync-each`. The default is the table's column "
			  "`sync`, or else `sync_ns`, and `none` with --bs; a table without both columns needs this "
			  "option.\n\n"
			  "`fsync` and `fdatasync` after each write make buffered writes those of --mode=sync, and "
			  "direct ones those of --mode=direct-sync (sections 4.2 and 4.3 of the CAWL paper), with a "
			  "second call that costs `sc_w`; `fdatasync` makes them those of `dsync` and "
			  "`direct-dsync`, where that was calibrated. The curve that was used is printed. What was "
			  "measured is then write_ns and sync_ns together; a table without syncs is not compared, "
			  "and one of which only some writes are synced is refused. `rwf-dsync` is --mode=dsync. No "
			  "model predicts `sync_file_range`, `syncfs` and `msync`. With --sync-each=none the writes "
			  "of a synced table are predicted alone."},
	{.name = "regime", .value = "append|prealloc|overwrite", .type = OPT_CHOICE, .offset = AT(regime),
		.choices = op_regime_names,
		.help = "write to a file in this state (default: as the table says; else append)",
		.manual = "State of the file where it is written: it grows (`append`), it has blocks that were "
			  "allocated and never written (`prealloc`), or it has data (`overwrite`). The default is "
			  "the column `regime` of the table, else `append`."},
	{.name = "stdio", .value = "glibc|musl|unbuffered|paper", .bare = STDIO_HERE, .type = OPT_OWN,
		.offset = AT(policy), .set = set_stdio, .allowed = "must be glibc, musl, unbuffered or paper",
		.help = "write by fwrite of this libc, or of the one in use",
		.manual = "Write by fwrite(3) of this libc; without a value, of the one in use. `paper` is the "
			  "paper's Algorithm 2."},
	{.name = "buffer", .value = "SIZE", .type = OPT_SIZE, .offset = AT(buffer_bytes), .min = 1, .max = 1ull << 30,
		.help = "with --stdio: buffer SIZE bytes (default: calibrated)",
		.manual = "Size of the libc's buffer, as set by setvbuf(3), up to 1G. The default is the calibrated "
			  "one. Needs --stdio or a scenario that uses it."},
	SCENARIO_MEM_ROW(AT(memory),
		"Memory that the page cache takes, also of scenarios: recently used (`warm`), not yet backed by the host "
		"of a virtual machine (`cold`), or what is free (`as-is`). With `as-is` on a machine with a balloon or "
		"free page reporting, or without a calibrated `warm_pool`, it is unknown how warm that is: both bounds "
		"are printed instead of a point."),
	{.type = OPT_TITLE, .help = "Instead of what was calibrated"},
	{.name = "ratelimit0", .value = "SIZE", .type = OPT_SIZE, .offset = AT(ratelimit0), .min = 1, .max = MOST_BYTES,
		.help = "begin with this dirty_ratelimit of the kernel, in bytes/s",
		.manual = "The kernel's dirty_ratelimit before the first write, SIZE bytes per second: the model "
			  "`kernel` then follows the kernel's estimator from there, in its steps of 200 ms. Linux "
			  "begins with 100 MiB. Without this option it has settled at the calibrated `bw_sync`."},
	{.name = "limit-bg", .value = "SIZE", .type = OPT_SIZE, .offset = AT(limit_bg), .min = 1, .max = MOST_BYTES,
		.help = "begin write-back at SIZE dirty bytes",
		.manual = "Dirty bytes at which write-back begins (vm.dirty_background_bytes); below --limit-hard."},
	{.name = "limit-hard", .value = "SIZE", .type = OPT_SIZE, .offset = AT(limit_hard), .min = 1, .max = MOST_BYTES,
		.help = "allow at most SIZE dirty bytes", .manual = "Limit of dirty bytes (vm.dirty_bytes)."},
	{.type = OPT_TITLE, .help = "Output (without FILE to standard output, where it replaces the text)"},
	{.name = "per-write", .value = "FILE", .bare = "-", .type = OPT_STRING, .offset = AT(per_write_path),
		.help = "write a row per write as comma-separated values",
		.manual = "Write a row per write, as comma-separated values: index, offset, size, delay, what was "
			  "measured and how far typical_ns is off from it in percent; and of each model the mean "
			  "cost, the cost that minimises the mean relative error (typical_ns; of a write that is not "
			  "throttled, the median), its band (10 and 90 %), what of the mean is the call, the copy, "
			  "the throttle and the device, the state (free, background, throttled, device), and the "
			  "dirty and written-back bytes after it."},
	SCENARIO_JSON_ROW(AT(json_path)),
	{0},
};

const struct opt_relation predict_option_relations[] = {
	{OPT_EXCLUDES, "scenario", "trace", "both say what is predicted; keep one"},
	{OPT_EXCLUDES, "scenario", "bs", "both say what is predicted; keep one"},
	{OPT_EXCLUDES, "trace", "bs", "both say what is predicted; keep one"},
	{OPT_NEEDS, "size", "bs", NULL},
	{OPT_NEEDS, "rw", "bs", NULL},
	{OPT_NEEDS, "thinktime", "bs", NULL},
	{OPT_NEEDS, "back", "rw", NULL},
	{OPT_NEEDS, "files", "bs", NULL},
	{OPT_EXCLUDES, "scenario", "mode", "a scenario has its own"},
	{OPT_EXCLUDES, "scenario", "sync-each", "a scenario has its own"},
	{OPT_EXCLUDES, "scenario", "regime", "a scenario has its own"},
	{OPT_EXCLUDES, "scenario", "stdio", "a scenario has its own"},
	{0},
};

static int check_pattern(const struct predict_options *options, const struct opt_line *line)
{
	const struct predict_pattern *pattern = &options->pattern;
	bool has_back = opt_is_typed(line, "back");

	if (opt_is_typed(line, "size") && pattern->total < pattern->size)
		return opt_refuse(line, "size", "is less than one write of --bs; give a larger one");
	if (pattern->order == PREDICT_RANDWRITE && options->regime == OP_APPEND)
		return opt_refuse(line, "rw",
			"needs a preallocated or existing file; give --regime=prealloc or overwrite");
	if (has_back && pattern->order != PREDICT_BACKWRITE)
		return opt_refuse(line, "back", "needs --rw=backwrite");
	if (has_back && pattern->back == 0)
		return opt_refuse(line, "back", "is --rw=write; give that, or a larger share");
	return DIAG_EXIT_OK;
}

static int check_conditions(const struct predict_options *options, const struct opt_line *line)
{
	if (options->buffer_bytes && !options->policy && !(options->scenario && options->scenario->is_stdio))
		return opt_refuse(line, "buffer", "needs --stdio");
	if (options->limit_bg && options->limit_hard && options->limit_bg >= options->limit_hard)
		return opt_refuse(line, "limit-bg", "must be below --limit-hard: write-back begins before the limit");
	if (options->is_paper_literal && !options->has_model[model_kind("cawl") - model_kinds])
		return opt_refuse(line, "paper-literal", "needs --model=cawl");
	if (options->is_detailed && !options->has_model[model_kind("kernel") - model_kinds])
		return opt_refuse(line, "detail", "needs --model=kernel");
	return DIAG_EXIT_OK;
}

static int check_outputs(const struct predict_options *options)
{
	const struct frame_file files[] = {{"--per-write", options->per_write_path}, {"--json", options->json_path}};
	int code = frame_check_apart(files, 2);

	for (size_t i = 0; i < 2 && !code; i++)
		code = frame_check_output(files[i].option, files[i].path);
	return code;
}

int predict_options_check(void *whole, struct opt_line *line)
{
	struct predict_options *options = whole;
	int code = scenario_options_need_system(line);

	options->has_mode = opt_is_typed(line, "mode");
	options->has_regime = opt_is_typed(line, "regime");
	if (!code && !options->trace_path && !options->scenario && !options->pattern.size) {
		diag_error(0, "nothing to predict: name a scenario (iowrite-bench scenarios lists them), or give "
			"--trace FILE or --bs SIZE");
		code = DIAG_EXIT_USAGE;
	}
	if (!code)
		code = check_pattern(options, line);
	if (!code)
		code = check_conditions(options, line);
	return code ? code : check_outputs(options);
}

bool predict_options_take_stdout(const struct predict_options *options)
{
	return opt_is_stdout(options->per_write_path) || opt_is_stdout(options->json_path);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/hot/rng.h"
#include "iowrite-bench/model/kinds.h"
#include "iowrite-bench/predict/scenario_options.h"
#include "iowrite-bench/system/curve.h"

#define AT(member) offsetof(struct predict_options, member)
#define MOST_BYTES (1ull << 50)

static const char *const orders[] = {
	[PREDICT_WRITE] = "write", [PREDICT_RANDWRITE] = "randwrite", [PREDICT_BACKWRITE] = "backwrite", NULL};

static int add_model(struct opt_value *in, const char *name)
{
	bool *has_model = opt_field(in);

	for (int i = 0; i < MODEL_KINDS; i++) {
		if (!strcmp(model_kinds[i]->name, name)) {
			has_model[i] = true;
			return 0;
		}
	}
	return -EINVAL;
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
	{.type = OPT_TITLE, .help = "Writes (a SCENARIO, a table, or writes of one size)"},
	SCENARIO_ARGUMENT_ROW(AT(scenario)),
	SCENARIO_SYSTEM_ROW(AT(system_path), "predict from the calibration FILE (required)",
		"Predict from the calibration FILE, which `iowrite-bench calibrate` writes. Required."),
	{.name = "trace", .value = "FILE", .type = OPT_STRING, .offset = AT(trace_path),
		.help = "predict the writes of a table of run --ops-csv; - is standard input",
		.manual = "Predict the writes of the table FILE, see FILES below; `-` is standard input."},
	{.name = "bs", .value = "SIZE", .type = OPT_SIZE, .offset = AT(pattern.size), .min = 1, .max = TRACE_SIZE_MAX,
		.help = "predict writes of SIZE bytes", .manual = "Predict writes of SIZE bytes, up to 64G."},
	{.name = "size", .value = "SIZE", .type = OPT_SIZE, .offset = AT(pattern.total), .min = 1, .max = TRACE_END_MAX,
		.preset = "1g", .help = "with --bs: write SIZE bytes in all",
		.manual = "Bytes of all writes of --bs together: up to 10 million writes."},
	{.name = "rw", .value = "write|randwrite|backwrite", .type = OPT_CHOICE,
		.offset = AT(pattern.order), .choices = orders, .preset = "write",
		.help = "with --bs: write sequentially, at random, or backwards into the last write",
		.manual = "Order of the writes of --bs: one after the other (`write`), each at a random multiple of "
			  "its size within --size (`randwrite`, which needs --regime=prealloc or `overwrite`), or "
			  "each from before the last one's end (`backwrite`)."},
	{.name = "thinktime", .value = "TIME", .type = OPT_TIME, .offset = AT(pattern.delay_ns), .max = TRACE_DELAY_MAX,
		.preset = "0", .help = "with --bs: wait for TIME before each write",
		.manual = "Wait for TIME, such as `20ms`, before each write of --bs; up to a day."},
	{.name = "back", .value = "FRACTION", .type = OPT_DOUBLE, .offset = AT(pattern.back), .low = 0, .high = 0.999,
		.preset = "0.5", .help = "with --rw=backwrite: start FRACTION of a write before the end of the last one",
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
			  "costs a seek. Excludes --stdio: each file has its own buffer, which no model covers."},
	{.type = OPT_TITLE, .help = "Models"},
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
	{.name = "paper-literal", .type = OPT_FLAG, .offset = AT(setup.model.is_paper_literal),
		.help = "predict by cawl exactly as in the paper, with negative costs",
		.manual = "Predict by `cawl` exactly as in the paper: no steps, negative costs beyond the limit, and no "
			  "cost of the call of fwrite or of the sync after a write. Needs --model=cawl."},
	{.name = "detail", .type = OPT_FLAG, .offset = AT(setup.model.is_detailed),
		.help = "predict each pause by kernel instead of spreading pauses over the writes",
		.manual = "Predict by `kernel` with single pauses: no pause is shorter than 8 ms, so that most small "
			  "writes cost as much as in free run, and a few have long pauses. Without this option each write "
			  "has its share, which the bands are calibrated for; the sums are the same. Needs "
			  "--model=kernel."},
	{.type = OPT_TITLE, .help = "File and syncs (a scenario has its own)"},
	{.name = "mode", .value = "buffered|sync|dsync|direct|direct-sync|direct-dsync", .type = OPT_CHOICE,
		.offset = AT(setup.model.mode), .choices = op_mode_names,
		.help = "open the file in this mode (default: the table's; with --bs buffered)",
		.manual = "How the file is opened. The default is the column `mode` of the table, and `buffered` "
			  "with --bs; a table without that column needs this option. Writes that `run` would refuse "
			  "are refused: with O_DIRECT each size and offset must be a multiple of the calibrated `bs`."},
	{.name = "sync-each", .value = "SYNC", .type = OPT_OWN, .offset = AT(sync), .set = set_sync,
		.allowed = "must be none, fsync, fdatasync, sync_file_range, rwf-dsync, syncfs or msync",
		.help = "sync after each write by none, fsync, fdatasync or rwf-dsync (default: the table's; "
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
	{.name = "regime", .value = "append|prealloc|overwrite", .type = OPT_CHOICE, .offset = AT(setup.model.regime),
		.choices = op_regime_names,
		.help = "write to a file in this state (default: the table's, else append)",
		.manual = "State of the file where it is written: it grows (`append`), it has blocks that were "
			  "allocated and never written (`prealloc`), or it has data (`overwrite`). The default is "
			  "the column `regime` of the table, else `append`."},
	{.name = "stdio", .value = "glibc|musl|unbuffered|paper", .bare = STDIO_HERE, .type = OPT_OWN,
		.offset = AT(setup.policy), .set = set_stdio, .allowed = "must be glibc, musl, unbuffered or paper",
		.help = "write by fwrite of this libc (default: the one in use)",
		.manual = "Write by fwrite(3) of this libc; without a value, of the one in use. `paper` is the "
			  "paper's Algorithm 2."},
	{.name = "buffer", .value = "SIZE", .type = OPT_SIZE, .offset = AT(setup.buffer_bytes), .min = 1, .max = 1ull << 30,
		.help = "with --stdio: buffer SIZE bytes (default: calibrated)",
		.manual = "Size of the libc's buffer, as set by setvbuf(3), up to 1G. The default is the calibrated "
			  "one. Needs --stdio or a scenario that uses it."},
	SCENARIO_MEM_ROW(AT(setup.model.memory),
		"Memory that the page cache takes, also of scenarios: recently used (`warm`), not yet backed by the host "
		"of a virtual machine (`cold`), or what is free (`as-is`). With `as-is` on a machine with a balloon or "
		"free page reporting, or without a calibrated `warm_pool`, it is unknown how warm that is: both bounds "
		"are printed instead of a point."),
	{.type = OPT_TITLE, .help = "Replacements of calibrated values"},
	{.name = "ratelimit0", .value = "SIZE", .type = OPT_SIZE, .offset = AT(ratelimit0), .min = 1, .max = MOST_BYTES,
		.help = "start from this dirty_ratelimit of the kernel, in bytes/s",
		.manual = "The kernel's dirty_ratelimit before the first write, SIZE bytes per second: the model "
			  "`kernel` then follows the kernel's estimator from there, in its steps of 200 ms. Linux "
			  "begins with 100 MiB. Without this option it has settled at the calibrated `bw_sync`."},
	{.name = "limit-bg", .value = "SIZE", .type = OPT_SIZE, .offset = AT(limit_bg), .min = 1, .max = MOST_BYTES,
		.help = "start write-back at SIZE dirty bytes",
		.manual = "Dirty bytes at which write-back begins (vm.dirty_background_bytes); below --limit-hard."},
	{.name = "limit-hard", .value = "SIZE", .type = OPT_SIZE, .offset = AT(limit_hard), .min = 1, .max = MOST_BYTES,
		.help = "allow at most SIZE dirty bytes", .manual = "Limit of dirty bytes (vm.dirty_bytes)."},
	{.type = OPT_TITLE, .help = "Output (without FILE to standard output, where it replaces the text)"},
	{.name = "per-write", .value = "FILE", .bare = "-", .type = OPT_STRING, .flags = OPT_OUTPUT, .begins = "index,",
		.offset = AT(per_write_path),
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
	{OPT_EXCLUDES, "scenario", "trace", "both give the writes; keep one"},
	{OPT_EXCLUDES, "scenario", "bs", "both give the writes; keep one"},
	{OPT_EXCLUDES, "trace", "bs", "both give the writes; keep one"},
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

int predict_options_check(void *whole, struct opt_line *line)
{
	struct predict_options *options = whole;
	const struct predict_pattern *pattern = &options->pattern;
	bool has_back = opt_is_typed(line, "back");
	int code = scenario_options_need_system(line);

	options->has_mode = opt_is_typed(line, "mode");
	options->has_regime = opt_is_typed(line, "regime");
	if (code)
		return code;
	if (!options->trace_path && !options->scenario && !pattern->size)
		return diag_usage("nothing to predict: name a scenario (iowrite-bench scenarios lists them), or give "
			"--trace FILE or --bs SIZE");
	if (opt_is_typed(line, "size") && pattern->total < pattern->size)
		return opt_refuse(line, "size", "is less than one write of --bs; give a larger one");
	if (pattern->order == PREDICT_RANDWRITE && options->setup.model.regime == OP_APPEND)
		return opt_refuse(line, "rw",
			"needs a preallocated or existing file; give --regime=prealloc or overwrite");
	if (has_back && pattern->order != PREDICT_BACKWRITE)
		return opt_refuse(line, "back", "needs --rw=backwrite");
	if (has_back && pattern->back == 0)
		return opt_refuse(line, "back", "is the same as --rw=write; use that, or a larger fraction");
	if (options->setup.buffer_bytes && !options->setup.policy && !(options->scenario && options->scenario->is_stdio))
		return opt_refuse(line, "buffer", "needs --stdio");
	if (options->limit_bg && options->limit_hard && options->limit_bg >= options->limit_hard)
		return opt_refuse(line, "limit-bg", "must be below --limit-hard: write-back begins before the limit");
	if (options->setup.model.is_paper_literal && !options->has_model[MODEL_CAWL])
		return opt_refuse(line, "paper-literal", "needs --model=cawl");
	if (options->setup.model.is_detailed && !options->has_model[MODEL_KERNEL])
		return opt_refuse(line, "detail", "needs --model=kernel");
	return DIAG_EXIT_OK;
}

/* --- plan --- */

static int no_memory(void)
{
	return diag_host(ENOMEM, "cannot predict");
}

/* --- writes --- */

static int make_pattern(const struct predict_pattern *pattern, struct trace_file *writes)
{
	uint64_t places = pattern->total / pattern->size, files = pattern->files, step = pattern->size;
	struct rng rng;

	places += !places;
	if (places < files)
		return diag_usage("--files %llu: is more than the %llu writes of --bs in --size; give fewer files, or a "
			"larger --size", (unsigned long long)files, (unsigned long long)places);
	if (files > 1 && (places + files - 1) / files > OP_FILE_BYTES / pattern->size)
		return diag_usage("--files: each of several files ends within 16 TiB; give a smaller --size");
	if (places > TRACE_WRITES_MAX)
		return diag_usage("--size: is %llu writes of --bs, and up to %u are predicted", (unsigned long long)places,
			TRACE_WRITES_MAX);
	writes->ops = calloc(places, sizeof(*writes->ops));
	if (!writes->ops)
		return no_memory();
	writes->count = places;
	writes->files = (unsigned)files;
	if (pattern->order == PREDICT_BACKWRITE)
		step -= (uint64_t)((double)pattern->size * pattern->back);
	rng_seed(&rng, pattern->seed, 0);
	for (uint64_t i = 0; i < places; i++) {
		uint64_t offset = pattern->order == PREDICT_RANDWRITE ? rng_below(&rng, places / files) * pattern->size
								      : i / files * step;

		writes->ops[i] = (struct op){pattern->delay_ns, i % files * OP_FILE_BYTES + offset, pattern->size};
	}
	return DIAG_EXIT_OK;
}

static int make_writes(const struct predict_options *options, struct trace_file *writes)
{
	if (options->trace_path)
		return trace_file_read(options->trace_path, writes);
	if (options->scenario)
		return scenario_ops(options->scenario, &writes->ops, &writes->count) ? no_memory() : DIAG_EXIT_OK;
	return make_pattern(&options->pattern, writes);
}

/* --- mode, file state and sync --- */

/* A sync call after each write makes it synchronous (the CAWL paper's sections 4.2 and 4.3); with fdatasync it is an O_DSYNC
 * write where these were calibrated. The measured cost is then the sum of both calls. */
static int take_sync(const struct predict_options *options, struct predict_plan *plan)
{
	struct model_setup *model = &plan->setup.model;
	const char *sync = plan->sync->name, *from = options->sync ? "--sync-each " : "--trace ";
	const char *object = options->sync ? sync : options->trace_path;
	bool is_fdatasync = !strcmp(sync, "fdatasync"), is_direct = model->mode == OP_DIRECT;
	enum op_mode data_mode = is_direct ? OP_DIRECT_DSYNC : OP_DSYNC;
	struct trace_file *writes = &plan->writes;

	if (!is_fdatasync && strcmp(sync, "fsync"))
		return diag_usage("%s%s: no model predicts %s (fsync and fdatasync are predicted); give --sync-each=none to "
			"predict the writes alone", from, object, sync);
	if (model->mode != OP_BUFFERED && !is_direct)
		return diag_usage("%s%s: with --mode=%s each write is durable before the sync, of which no cost was "
			"calibrated; give --sync-each=none", from, object, op_mode_name(model->mode));
	if (plan->setup.policy)
		return diag_usage("%s%s: a sync after each write leaves nothing in the libc's buffer; drop --stdio", from,
			object);
	if (writes->synced && writes->synced < writes->count)
		return diag_usage("--trace %s: only %zu of %zu writes are followed by a sync (sync_ns), and the models cover "
			"one after each write; give --sync-each=none to predict the writes alone", options->trace_path,
			writes->synced, writes->count);
	model->has_sync_call = true;
	if (is_fdatasync && isfinite(system_cost_ns(&plan->system, data_mode, model->regime, 4096)))
		model->mode = data_mode;
	else
		model->mode = is_direct ? OP_DIRECT_SYNC : OP_SYNC;
	if (!writes->measured_ns)
		return DIAG_EXIT_OK;
	plan->lacks_sync_times = !writes->synced;
	if (plan->lacks_sync_times) {
		free(writes->measured_ns);
		writes->measured_ns = NULL;
	}
	for (size_t i = 0; i < writes->count && writes->measured_ns; i++)
		writes->measured_ns[i] += writes->sync_ns[i];
	return DIAG_EXIT_OK;
}

/* Takes an option, else the table's value; --bs and scenarios always have one. */
static int take_conditions(const struct predict_options *options, struct predict_plan *plan)
{
	struct model_setup *model = &plan->setup.model;
	const struct trace_file *table = options->trace_path ? &plan->writes : NULL;
	const struct method_sync *sync = options->sync;

	if (table && !options->has_mode) {
		if (!table->has_mode)
			return diag_usage("--trace %s: the table does not say how the file was opened (it has no column mode); "
				"give --mode=buffered, sync, dsync, direct, direct-sync or direct-dsync", options->trace_path);
		model->mode = table->mode;
	}
	if (table && !options->has_regime && table->has_regime)
		model->regime = table->regime;
	if (table && !sync && !table->sync && !table->sync_ns)
		return diag_usage("--trace %s: the table does not say whether the writes were synced (it has no column sync or "
			"sync_ns); give --sync-each=none, or how", options->trace_path);
	if (!sync && table)
		sync = table->sync ? table->sync : table->synced ? method_sync_of("fsync") : NULL;
	plan->sync = sync ? sync : method_sync_of("none");
	/* RWF_DSYNC with each write is O_DSYNC. */
	if (plan->sync->rwf_flags && model->mode == OP_BUFFERED)
		model->mode = OP_DSYNC;
	if (plan->sync->rwf_flags && model->mode == OP_DIRECT)
		model->mode = OP_DIRECT_DSYNC;
	plan->opened = model->mode;
	return plan->sync->sync ? take_sync(options, plan) : DIAG_EXIT_OK;
}

/* Refuses writes that `run` would refuse, too. */
static int check_writes(const struct predict_plan *plan)
{
	double align = system_get(&plan->system, SYSTEM_BLOCK);

	if (plan->setup.model.mode < OP_DIRECT)
		return DIAG_EXIT_OK;
	if (plan->setup.policy)
		return diag_usage("--stdio: cannot keep the alignment that O_DIRECT needs; give another --mode");
	for (size_t i = 0; i < plan->writes.count && align >= 1 && align <= TRACE_SIZE_MAX; i++) {
		const struct op *op = &plan->writes.ops[i];

		if (op->offset % (uint64_t)align == 0 && op->size % (uint64_t)align == 0)
			continue;
		return diag_usage("--mode %s: write %zu, of %llu bytes at %llu, cannot be made: O_DIRECT needs multiples of %.0f "
			"bytes on the calibrated device; give sizes and offsets that are, or another --mode",
			op_mode_name(plan->opened), i + 1, (unsigned long long)op->size,
			(unsigned long long)(plan->writes.files > 1 ? op->offset % OP_FILE_BYTES : op->offset), align);
	}
	return DIAG_EXIT_OK;
}

/* --- sizes that costs are taken from --- */

static const char *curve_name(const struct system *system, const struct system_curve *curve)
{
	size_t at = (size_t)(curve - &system->curves[0][0]);

	return system_curve_name((enum op_mode)(at / OP_REGIMES), (enum op_regime)(at % OP_REGIMES));
}

/* Lists the curve's sizes that the writes use; with a libc's buffer all from the buffer to the largest write. */
static int use_curve(enum op_regime regime, struct predict_plan *plan)
{
	const struct system_curve *curve = system_curve_of(&plan->system, plan->setup.model.mode, regime);
	double buffer = plan->setup.buffer_bytes ? (double)plan->setup.buffer_bytes : system_get(&plan->system, SYSTEM_LIB_BUFFER);
	struct iow_size_cost_values *used;
	size_t first, last, low;
	bool *is_used;

	if (!curve->count || !curve->pooled)
		return 0;
	is_used = calloc(curve->count, sizeof(*is_used));
	used = reallocarray(plan->used, plan->used_count + curve->count, sizeof(*used));
	if (used)
		plan->used = used;
	if (!used || !is_used) {
		free(is_used);
		return -ENOMEM;
	}
	for (size_t i = 0; i < plan->writes.count && !(plan->setup.policy && i); i++) {
		curve_used(curve, plan->setup.policy ? plan->most_size : plan->writes.ops[i].size, &first, &last);
		if (plan->setup.policy && buffer >= 1 && buffer <= TRACE_SIZE_MAX) {
			curve_used(curve, (uint64_t)buffer, &low, &last);
			first = low < first ? low : first;
			curve_used(curve, plan->most_size > (uint64_t)buffer ? plan->most_size : (uint64_t)buffer, &low, &last);
		}
		for (; first <= last; first++)
			is_used[first] = true;
	}
	for (size_t i = 0; i < curve->count; i++) {
		const struct system_pooled *pooled = &curve->pooled[i];
		bool is_pooled = pooled->from_size < pooled->to_size;

		if (!is_used[i])
			continue;
		used[plan->used_count++] = (struct iow_size_cost_values){
			.curve = curve_name(&plan->system, curve),
			.size_bytes = curve->points[i].size,
			.ns = pooled->ns,
			.mean_ns = pooled->mean_ns,
			.outliers = curve->points[i].ns.outliers ? curve->points[i].ns.outliers : FIELD_NO_COUNT,
			.outlier_percent = curve->points[i].ns.outliers ? curve->points[i].ns.outlier_percent : NAN,
			.low_ns = pooled->low,
			.high_ns = pooled->high,
			.n = curve->points[i].ns.n,
			.pooled_n = is_pooled ? (uint64_t)pooled->n : FIELD_NO_COUNT,
			.pooled_from_bytes = is_pooled ? pooled->from_size : FIELD_NO_COUNT,
			.pooled_to_bytes = is_pooled ? pooled->to_size : FIELD_NO_COUNT,
			.unstable = FIELD_UNLESS_EMPTY(curve->points[i].ns.unstable),
		};
	}
	free(is_used);
	return 0;
}

/* Lists the sizes whose costs the model "kernel" takes. */
static int list_used(struct predict_plan *plan)
{
	const struct model_setup *setup = &plan->setup.model;
	bool is_over = setup->regime == OP_OVERWRITE, is_again = false;
	uint64_t ends[OP_FILES_MAX] = {0};
	int rc;

	if (op_mode_is_synchronous(setup->mode))
		return use_curve(setup->regime, plan);
	for (size_t i = 0; i < plan->writes.count; i++) {
		const struct op *op = &plan->writes.ops[i];
		uint64_t *end = &ends[plan->writes.files > 1 ? op->offset / OP_FILE_BYTES : 0];

		is_again |= op->offset < *end;
		*end = op->offset + op->size > *end ? op->offset + op->size : *end;
	}
	rc = !is_over || setup->memory == MODEL_COLD ? use_curve(OP_APPEND, plan) : 0;
	return rc || !(is_over || is_again) ? rc : use_curve(OP_OVERWRITE, plan);
}

/* --- thresholds --- */

static void set_limits(struct system *system, uint64_t background, uint64_t hard, const char *method)
{
	const struct {
		enum system_parameter parameter;
		uint64_t bytes; /* 0 = unchanged */
	} limits[] = {{SYSTEM_LIMIT_BG, background}, {SYSTEM_LIMIT_HARD, hard}};

	for (int i = 0; i < 2; i++) {
		struct system_value *value = &system->parameters[limits[i].parameter];

		if (!limits[i].bytes)
			continue;
		*value = (struct system_value){.value = (double)limits[i].bytes, .low = NAN, .high = NAN};
		snprintf(value->method, sizeof(value->method), "%s", method);
	}
}

static void use_scenario(const struct scenario *scenario, struct predict_plan *plan)
{
	uint64_t background, hard;

	calibrated_thresholds(scenario, calibrated_is_fast(&plan->system), &background, &hard);
	plan->setup.model.mode = scenario->mode;
	plan->setup.model.regime = scenario->regime;
	plan->setup.model.is_cached = scenario_is_cached(scenario);
	plan->setup.policy = scenario->is_stdio ? stdio_policy_here() : NULL;
	if (!scenario->dirty_bytes)
		return;
	plan->limits_from = "of the scenario";
	set_limits(&plan->system, background, hard, plan->limits_from);
}

static int use_limits(const struct predict_options *options, struct predict_plan *plan)
{
	double background, hard;

	if (!options->limit_bg && !options->limit_hard)
		return DIAG_EXIT_OK;
	plan->limits_from = "as given";
	set_limits(&plan->system, options->limit_bg, options->limit_hard, plan->limits_from);
	background = system_get(&plan->system, SYSTEM_LIMIT_BG);
	hard = system_get(&plan->system, SYSTEM_LIMIT_HARD);
	if (!(background >= hard))
		return DIAG_EXIT_OK;
	return diag_usage("write-back at %.0f dirty bytes is not below the limit of %.0f; give both --limit-bg and "
		"--limit-hard", background, hard);
}

/* --- the machine --- */

static int check_machine(const char *root, struct predict_plan *plan)
{
	struct machine *machine = malloc(sizeof(*machine)); /* some 100 KiB */
	const struct validity_question question = {.root = root, .machine = machine, .system = &plan->system, .writers = 1,
		.memory = plan->setup.model.memory, .bytes = plan->bytes};
	int rc = machine ? machine_read(root, machine) : 0;

	if (!machine)
		return no_memory();
	if (!rc) {
		validity_model(&question, &plan->validity);
		plan->has_bounds = validity_hides_memory(&plan->validity, &plan->system, plan->setup.model.memory);
	}
	free(machine);
	return rc ? diag_host(rc, MACHINE_UNREADABLE) : DIAG_EXIT_OK;
}

int predict_plan_make(const char *root, const struct predict_options *options, struct predict_plan *plan)
{
	struct trace_file *writes = &plan->writes;
	int code;

	*plan = (struct predict_plan){.setup = options->setup, .limits_from = "calibrated", .least_size = UINT64_MAX};
	plan->setup.model.control.ratelimit = (double)options->ratelimit0;
	system_init(&plan->system);
	code = system_read(options->system_path, &plan->system);
	if (code)
		return code;
	if (options->scenario)
		use_scenario(options->scenario, plan);
	code = use_limits(options, plan);
	if (!code)
		code = make_writes(options, writes);
	if (!code)
		code = take_conditions(options, plan);
	if (!code && plan->setup.policy && writes->files > 1)
		code = diag_usage("--stdio: no model covers one libc buffer for each of several files; drop --stdio");
	if (!code)
		code = check_writes(plan);
	if (code)
		goto out;
	plan->setup.model.dirty_bytes = writes->dirty_bytes;
	plan->setup.model.writeback_bytes = writes->writeback_bytes;
	for (size_t i = 0; i < writes->count; i++) {
		uint64_t size = writes->ops[i].size;

		plan->bytes += size;
		plan->least_size = size < plan->least_size ? size : plan->least_size;
		plan->most_size = size > plan->most_size ? size : plan->most_size;
	}
	code = list_used(plan) ? no_memory() : check_machine(root, plan);
out:
	if (code)
		predict_plan_free(plan);
	return code;
}

const char *predict_plan_curve(const struct predict_plan *plan)
{
	return curve_name(&plan->system, system_curve_of(&plan->system, plan->setup.model.mode, plan->setup.model.regime));
}

void predict_plan_free(struct predict_plan *plan)
{
	free(plan->used);
	plan->used = NULL;
	plan->used_count = 0;
	trace_file_free(&plan->writes);
	system_free(&plan->system);
}

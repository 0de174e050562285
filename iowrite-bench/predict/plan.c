/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/plan.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/hot/rng.h"
#include "iowrite-bench/calibrated.h"
#include "iowrite-bench/curve.h"

static int no_memory(void)
{
	diag_error(ENOMEM, "cannot predict");
	return DIAG_EXIT_HOST;
}

/* --- writes --- */

static int make_pattern(const struct predict_pattern *pattern, struct trace_file *writes)
{
	uint64_t places = pattern->total / pattern->size, files = pattern->files, step = pattern->size;
	struct rng rng;

	places += !places;
	if (places < files) {
		diag_error(0, "--files %llu: is more than the %llu writes of --bs in --size; give fewer files, or a "
			"larger --size", (unsigned long long)files, (unsigned long long)places);
		return DIAG_EXIT_USAGE;
	}
	if (files > 1 && (places + files - 1) / files > OP_FILE_BYTES / pattern->size) {
		diag_error(0, "--files: each of several files ends within 16 TiB; give a smaller --size");
		return DIAG_EXIT_USAGE;
	}
	if (places > TRACE_WRITES_MAX) {
		diag_error(0, "--size: is %llu writes of --bs, and up to %u are predicted", (unsigned long long)places,
			TRACE_WRITES_MAX);
		return DIAG_EXIT_USAGE;
	}
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

static void measure_writes(struct predict_plan *plan)
{
	plan->least_size = UINT64_MAX;
	for (size_t i = 0; i < plan->writes.count; i++) {
		uint64_t size = plan->writes.ops[i].size;

		plan->bytes += size;
		if (size < plan->least_size)
			plan->least_size = size;
		if (size > plan->most_size)
			plan->most_size = size;
	}
}

/* --- how they are made --- */

/* What the synchronous writes are that such a call makes of others (the CAWL paper's sections 4.2 and 4.3). Of fdatasync
 * where that was calibrated. */
static enum op_mode synchronous_mode(const struct predict_plan *plan)
{
	bool is_direct = plan->setup.mode == OP_DIRECT;
	enum op_mode data = is_direct ? OP_DIRECT_DSYNC : OP_DSYNC;

	if (!strcmp(plan->sync->name, "fdatasync") && isfinite(system_cost_ns(&plan->system, data, plan->setup.regime, 4096)))
		return data;
	return is_direct ? OP_DIRECT_SYNC : OP_SYNC;
}

static int check_sync(const struct predict_options *options, const struct predict_plan *plan)
{
	const struct trace_file *writes = &plan->writes;
	const char *from = options->sync ? "--sync-each " : "--trace ", *object = options->sync ? plan->sync->name
											      : options->trace_path;

	if (strcmp(plan->sync->name, "fsync") && strcmp(plan->sync->name, "fdatasync")) {
		diag_error(0, "%s%s: no model predicts %s (fsync and fdatasync are predicted); give --sync-each=none to predict "
			"the writes alone", from, object, plan->sync->name);
	} else if (plan->setup.mode != OP_BUFFERED && plan->setup.mode != OP_DIRECT) {
		diag_error(0, "%s%s: with --mode=%s each write is durable before the sync, of which no cost was "
			"calibrated; give --sync-each=none", from, object, op_mode_name(plan->setup.mode));
	} else if (plan->policy) {
		diag_error(0, "%s%s: a sync after each write leaves nothing in the libc's buffer; leave --stdio out", from, object);
	} else if (writes->synced && writes->synced < writes->count) {
		diag_error(0, "--trace %s: only %zu of %zu writes are followed by a sync (sync_ns), and the "
			"models know one after each; give --sync-each=none to predict the writes alone", options->trace_path,
			writes->synced, writes->count);
	} else {
		return DIAG_EXIT_OK;
	}
	return DIAG_EXIT_USAGE;
}

/* A sync call after each write: synchronous writes, and what was measured is both. */
static int take_sync(const struct predict_options *options, struct predict_plan *plan)
{
	struct trace_file *writes = &plan->writes;
	int code = check_sync(options, plan);

	if (code)
		return code;
	plan->setup.has_sync_call = true;
	plan->setup.mode = synchronous_mode(plan);
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

/* The option, else what the table says; of --bs and scenarios there is always an answer. */
static int take_conditions(const struct predict_options *options, struct predict_plan *plan)
{
	const struct trace_file *table = options->trace_path ? &plan->writes : NULL;
	const struct method_sync *sync = options->sync;

	if (table && !options->has_mode) {
		if (!table->has_mode) {
			diag_error(0, "--trace %s: the table does not say how the file was opened (it has no column mode); give "
				"--mode=buffered, sync, dsync, direct, direct-sync or direct-dsync", options->trace_path);
			return DIAG_EXIT_USAGE;
		}
		plan->setup.mode = table->mode;
	}
	if (table && !options->has_regime && table->has_regime)
		plan->setup.regime = table->regime;
	if (table && !sync && !table->sync && !table->sync_ns) {
		diag_error(0, "--trace %s: the table does not say whether the writes were synced (it has no column sync or "
			"sync_ns); give --sync-each=none, or how", options->trace_path);
		return DIAG_EXIT_USAGE;
	}
	if (!sync && table)
		sync = table->sync ? table->sync : table->synced ? method_sync_of("fsync") : NULL;
	plan->sync = sync ? sync : method_sync_of("none");
	/* RWF_DSYNC with each write is O_DSYNC. */
	if (plan->sync->rwf_flags && plan->setup.mode == OP_BUFFERED)
		plan->setup.mode = OP_DSYNC;
	if (plan->sync->rwf_flags && plan->setup.mode == OP_DIRECT)
		plan->setup.mode = OP_DIRECT_DSYNC;
	plan->opened = plan->setup.mode;
	return plan->sync->sync ? take_sync(options, plan) : DIAG_EXIT_OK;
}

/* What run would refuse, too. */
static int check_writes(const struct predict_plan *plan)
{
	double align = system_get(&plan->system, SYSTEM_BLOCK);

	if (plan->setup.mode < OP_DIRECT)
		return DIAG_EXIT_OK;
	if (plan->policy) {
		diag_error(0, "--stdio: cannot keep the alignment that O_DIRECT needs; give another --mode");
		return DIAG_EXIT_USAGE;
	}
	for (size_t i = 0; i < plan->writes.count && align >= 1 && align <= TRACE_SIZE_MAX; i++) {
		const struct op *op = &plan->writes.ops[i];

		if (op->offset % (uint64_t)align == 0 && op->size % (uint64_t)align == 0)
			continue;
		diag_error(0, "--mode %s: write %zu, of %llu bytes at %llu, cannot be made: O_DIRECT takes multiples of %.0f bytes "
			"on the calibrated device; give sizes and offsets that are, or another --mode",
			op_mode_name(plan->opened), i + 1, (unsigned long long)op->size,
			(unsigned long long)(plan->writes.files > 1 ? op->offset % OP_FILE_BYTES : op->offset), align);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

/* --- what the costs are taken from --- */

static int add_used(const struct system *system, const struct system_curve *curve, size_t i, struct predict_plan *plan)
{
	size_t at = (size_t)(curve - &system->curves[0][0]);
	struct predict_used *used = reallocarray(plan->used, plan->used_count + 1, sizeof(*used));

	if (!used)
		return -ENOMEM;
	plan->used = used;
	used[plan->used_count++] = (struct predict_used){(enum op_mode)(at / OP_REGIMES), (enum op_regime)(at % OP_REGIMES),
		&curve->points[i], &curve->pooled[i]};
	return 0;
}

/* Of a libc's buffer all sizes from the buffer to the largest write. */
static int use_curve(enum op_regime regime, struct predict_plan *plan)
{
	const struct system_curve *curve = system_curve_of(&plan->system, plan->setup.mode, regime);
	double buffer = plan->buffer_bytes ? (double)plan->buffer_bytes : system_get(&plan->system, SYSTEM_LIB_BUFFER);
	bool *is_used = calloc(curve->count + 1, sizeof(*is_used));
	size_t first, last, low;
	int rc = is_used ? 0 : -ENOMEM;

	if (!curve->count || !curve->pooled || rc) {
		free(is_used);
		return rc;
	}
	for (size_t i = 0; i < plan->writes.count && !(plan->policy && i); i++) {
		curve_used(curve, plan->policy ? plan->most_size : plan->writes.ops[i].size, &first, &last);
		if (plan->policy && buffer >= 1 && buffer <= TRACE_SIZE_MAX) {
			curve_used(curve, (uint64_t)buffer, &low, &last);
			first = low < first ? low : first;
			curve_used(curve, plan->most_size > (uint64_t)buffer ? plan->most_size : (uint64_t)buffer, &low, &last);
		}
		for (; first <= last; first++)
			is_used[first] = true;
	}
	for (size_t i = 0; i < curve->count && !rc; i++)
		rc = is_used[i] ? add_used(&plan->system, curve, i, plan) : 0;
	free(is_used);
	return rc;
}

static int list_used(struct predict_plan *plan)
{
	const struct model_setup *setup = &plan->setup;
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

static void set_limits(struct system *system, double background, double hard, const char *method)
{
	struct system_value *values[] = {&system->parameters[SYSTEM_LIMIT_BG], &system->parameters[SYSTEM_LIMIT_HARD]};
	const double limits[] = {background, hard};

	for (int i = 0; i < 2; i++) {
		if (!(limits[i] > 0))
			continue;
		*values[i] = (struct system_value){.value = limits[i], .low = NAN, .high = NAN};
		snprintf(values[i]->method, sizeof(values[i]->method), "%s", method);
	}
}

static void use_scenario(const struct scenario *scenario, struct predict_plan *plan)
{
	uint64_t background, hard;

	calibrated_thresholds(scenario, calibrated_is_fast(&plan->system), &background, &hard);
	plan->setup.mode = scenario->mode;
	plan->setup.regime = scenario->regime;
	plan->setup.is_cached = scenario_is_cached(scenario);
	plan->policy = scenario->is_stdio ? stdio_policy_here() : NULL;
	if (!scenario->dirty_bytes)
		return;
	plan->limits_from = "of the scenario";
	set_limits(&plan->system, (double)background, (double)hard, plan->limits_from);
}

static int use_limits(const struct predict_options *options, struct predict_plan *plan)
{
	double background, hard;

	if (!options->limit_bg && !options->limit_hard)
		return DIAG_EXIT_OK;
	plan->limits_from = "as given";
	set_limits(&plan->system, (double)options->limit_bg, (double)options->limit_hard, plan->limits_from);
	background = system_get(&plan->system, SYSTEM_LIMIT_BG);
	hard = system_get(&plan->system, SYSTEM_LIMIT_HARD);
	if (!(background >= hard))
		return DIAG_EXIT_OK;
	diag_error(0, "write-back at %.0f dirty bytes is not below the limit of %.0f; give both --limit-bg and "
		"--limit-hard", background, hard);
	return DIAG_EXIT_USAGE;
}

/* --- the machine --- */

static int look_outside(const char *root, struct predict_plan *plan)
{
	struct machine *machine = malloc(sizeof(*machine)); /* some 100 KiB */
	struct outside_question question = {.root = root, .machine = machine, .system = &plan->system, .writers = 1,
		.memory = plan->setup.memory, .bytes = plan->bytes};
	int rc;

	if (!machine)
		return no_memory();
	rc = machine_read(root, machine);
	if (rc) {
		diag_error(rc, "predict: cannot read what this machine is");
		free(machine);
		return DIAG_EXIT_HOST;
	}
	outside_model(&question, &plan->outside);
	free(machine);
	plan->has_bounds = outside_hides_memory(&plan->outside, &plan->system, plan->setup.memory);
	return DIAG_EXIT_OK;
}

static void use_options(const struct predict_options *options, struct predict_plan *plan)
{
	plan->setup = (struct model_setup){.mode = options->mode, .regime = options->regime,
		.memory = options->memory, .is_paper_literal = options->is_paper_literal,
		.is_detailed = options->is_detailed,
		.control = {.ratelimit = (double)options->ratelimit0}};
	plan->policy = options->policy;
	plan->buffer_bytes = options->buffer_bytes;
	plan->limits_from = "calibrated";
}

int predict_plan_make(const char *root, const struct predict_options *options, struct predict_plan *plan)
{
	int code;

	*plan = (struct predict_plan){0};
	system_init(&plan->system);
	code = system_read(options->system_path, &plan->system);
	if (code)
		return code;
	use_options(options, plan);
	if (options->scenario)
		use_scenario(options->scenario, plan);
	plan->setup.is_stdio = plan->policy != NULL;
	code = use_limits(options, plan);
	if (!code)
		code = make_writes(options, &plan->writes);
	if (!code)
		code = take_conditions(options, plan);
	if (!code && plan->policy && plan->writes.files > 1) {
		diag_error(0, "--stdio: no model knows of a libc's buffer for each of several files; leave --stdio out");
		code = DIAG_EXIT_USAGE;
	}
	if (!code)
		code = check_writes(plan);
	if (!code) {
		measure_writes(plan);
		plan->setup.dirty_bytes = plan->writes.dirty_bytes;
		plan->setup.writeback_bytes = plan->writes.writeback_bytes;
		code = list_used(plan) ? no_memory() : look_outside(root, plan);
	}
	if (code)
		predict_plan_free(plan);
	return code;
}

char *predict_plan_curve(const struct predict_plan *plan, char buffer[SYSTEM_CURVE_NAME])
{
	const struct system_curve *curve = system_curve_of(&plan->system, plan->setup.mode, plan->setup.regime);
	size_t at = (size_t)(curve - &plan->system.curves[0][0]);

	return system_curve_name((enum op_mode)(at / OP_REGIMES), (enum op_regime)(at % OP_REGIMES), buffer);
}

void predict_plan_free(struct predict_plan *plan)
{
	free(plan->used);
	plan->used = NULL;
	plan->used_count = 0;
	trace_file_free(&plan->writes);
	system_free(&plan->system);
}

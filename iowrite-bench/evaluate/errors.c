/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/units.h"
#include "iowrite-bench/evaluate/evaluate.h"

#define LOW 0.1
#define HIGH 0.9

/* Of a quantile's estimate: what lies above costs `quantile` a unit, what lies below the rest. */
static double pinball(double measured, double estimate, double quantile)
{
	double over = measured - estimate;

	return over > 0 ? over * quantile : -over * (1 - quantile);
}

static void decide_points(const struct measured *measured, const struct model_cost *costs, struct errors *errors)
{
	double predicted_sum = 0, measured_sum = 0, gaps = 0, per_write = 0, all = 0, mean_write = 0;
	double count = (double)measured->count;

	for (size_t i = 0; i < measured->count; i++) {
		double ns = measured->ns[i], mean = measured->group_mean[measured->group[i]];

		per_write += measured_error(measured, i, costs[i].typical_ns);
		all += fabs(costs[i].typical_ns - ns) / measured_scale(measured, i);
		mean_write += fabs(costs[i].ns - mean) / mean;
		predicted_sum += costs[i].ns;
		measured_sum += ns;
		gaps += fabs(predicted_sum - measured_sum);
	}
	errors->per_write = 100 * per_write / count;
	errors->unresolved = 100 * (all - per_write) / count;
	errors->mean_write = 100 * mean_write / count;
	errors->total = 100 * (predicted_sum - measured_sum) / measured_sum;
	errors->curve_gap = 100 * gaps / count / measured_sum;
}

static void decide_bands(const struct measured *measured, const struct model_cost *costs, struct errors *errors)
{
	double banded = 0, inside = 0, loss = 0, sum = 0;

	for (size_t i = 0; i < measured->count; i++) {
		const struct model_cost *cost = &costs[i];
		double ns = measured->ns[i];

		if (!(cost->low_ns < cost->high_ns))
			continue;
		banded++;
		sum += ns;
		inside += ns >= cost->low_ns && ns <= cost->high_ns;
		loss += (pinball(ns, cost->low_ns, LOW) + pinball(ns, cost->high_ns, HIGH)) / 2;
	}
	errors->coverage = banded > 0 ? 100 * inside / banded : NAN;
	errors->pinball = banded > 0 ? 100 * loss / sum : NAN;
}

void errors_make(const struct measured *measured, const struct prediction *prediction, struct errors *errors)
{
	decide_points(measured, prediction->costs, errors);
	decide_bands(measured, prediction->costs, errors);
}

/* --- measured --- */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The sizes that occur, rising; NULL when there is no memory. */
static uint64_t *list_sizes(const struct record *records, size_t count, unsigned *size_count)
{
	uint64_t *sizes = calloc(count, sizeof(*sizes));
	size_t used = 0;

	if (!sizes)
		return NULL;
	for (size_t i = 0; i < count; i++)
		sizes[i] = records[i].size;
	qsort(sizes, count, sizeof(*sizes), by_value);
	for (size_t i = 0; i < count; i++) {
		if (!i || sizes[i] != sizes[used - 1])
			sizes[used++] = sizes[i];
	}
	*size_count = (unsigned)used;
	return sizes;
}

static void set_groups(struct measured *made, const struct record *records, const uint64_t *sizes)
{
	for (size_t i = 0; i < made->count; i++) {
		const uint64_t *found =
			bsearch(&records[i].size, sizes, made->group_count, sizeof(*sizes), by_value);

		made->group[i] = (unsigned)(found - sizes);
	}
}

static void set_means(struct measured *made, double *counts)
{
	for (size_t i = 0; i < made->count; i++) {
		made->group_mean[made->group[i]] += made->ns[i];
		counts[made->group[i]]++;
	}
	for (unsigned i = 0; i < made->group_count; i++)
		made->group_mean[i] /= counts[i];
}

int measured_make(const struct record *records, size_t count, const struct measured_clock *clock, struct measured *measured)
{
	struct measured made = {.count = count, .step_ns = clock->step_ns};
	uint64_t *sizes = list_sizes(records, count, &made.group_count);
	double *counts = sizes ? calloc(made.group_count, sizeof(*counts)) : NULL;
	int rc = -ENOMEM;

	made.ns = calloc(count, sizeof(*made.ns));
	made.group = calloc(count, sizeof(*made.group));
	made.group_mean = sizes ? calloc(made.group_count, sizeof(*made.group_mean)) : NULL;
	if (!counts || !made.ns || !made.group || !made.group_mean)
		goto out;
	for (size_t i = 0; i < count; i++) {
		made.ns[i] = fmax(1, (double)records[i].write_ns - clock->overhead_ns);
		made.total_ns += made.ns[i];
	}
	set_groups(&made, records, sizes);
	set_means(&made, counts);
	*measured = made;
	rc = 0;
out:
	free(sizes);
	free(counts);
	if (rc)
		measured_free(&made);
	return rc;
}

void measured_free(struct measured *measured)
{
	free(measured->ns);
	free(measured->group);
	free(measured->group_mean);
	*measured = (struct measured){0};
}

/* --- forecast --- */

int forecast(const struct forecast_conditions *conditions, enum result_model model, const struct op *ops, size_t count,
	struct prediction *prediction, const char **missing)
{
	const struct scenario *scenario = conditions->scenario;
	struct system *system = system_with_limits(conditions->system, conditions->before.background_threshold,
		conditions->before.threshold, "/proc/vmstat");
	struct predict_setup setup = {
		.kind = model_kind(result_model_name(model)),
		.model = {
			.mode = scenario->mode,
			.regime = scenario->regime,
			.memory = conditions->memory,
			.is_cached = scenario_is_cached(scenario),
			.is_stdio = scenario->is_stdio,
			.dirty_bytes = conditions->before.dirty,
			.writeback_bytes = conditions->before.writeback,
			.control = conditions->control,
		},
		.policy = scenario->is_stdio ? stdio_policy_here() : NULL,
	};
	int rc = system ? predict(system, &setup, ops, count, prediction, missing) : -ENOMEM;

	free(system);
	return rc;
}

/* What was measured, held against what the models say. */

#define MOVED 0.05                        /* of a threshold */
#define OTHERS_DIRTY (64 * UNITS_MIB)

struct deciding {
	const struct trial_setup *setup;
	const struct measurement *measurement;
	const struct frame *frame;
	const struct model_control *control;
	struct measured measured;
	const struct op *ops; /* as they were done */
	struct prediction predictions[RESULT_MODELS];
};

/* The writes as they were done: asked for was another delay. NULL when there is no memory. */
static struct op *make_ops(const struct measurement *measurement)
{
	struct op *ops = calloc(measurement->count, sizeof(*ops));

	for (size_t i = 0; ops && i < measurement->count; i++) {
		const struct record *record = &measurement->records[i];

		ops[i] = (struct op){record->delay_ns, record->offset, record->size};
	}
	return ops;
}

static int ask_model(struct deciding *deciding, enum result_model model, struct result_trial *trial,
	struct evaluate_result *result)
{
	const struct trial_setup *setup = deciding->setup;
	struct forecast_conditions conditions = {setup->system, setup->scenario, setup->memory,
		deciding->measurement->before, *deciding->control};
	struct result_decision *decision = &trial->models[model];
	struct prediction *prediction = &deciding->predictions[model];
	const char *missing = "";
	char name[48];
	int rc = forecast(&conditions, model, deciding->ops, deciding->measurement->count, prediction, &missing);

	if (rc == -ENODATA) {
		snprintf(name, sizeof(name), "%s/%s", setup->scenario->id, result_model_name(model));
		return setup->repetition > 1 ? 0
					     : result_skip(result, name, "the calibration lacks %s, which this model needs",
						       missing);
	}
	if (rc)
		return rc;
	decision->is_there = true;
	decision->predicted_s = prediction->total_ns / 1e9;
	errors_make(&deciding->measured, prediction, &decision->errors);
	return 0;
}

/* --- what is kept of the writes --- */

static void take_write(const struct deciding *deciding, size_t index, struct result_write *write)
{
	const struct record *records = deciding->measurement->records, *record = &records[index];
	const struct prediction *kernel = &deciding->predictions[RESULT_KERNEL];
	const struct prediction *cawl = &deciding->predictions[RESULT_CAWL];

	*write = (struct result_write){
		.index = index,
		.time_s = (double)(record->start_ns - records[0].start_ns) / 1e9,
		.offset = record->offset,
		.size = record->size,
		.measured_ns = (uint64_t)llround(deciding->measured.ns[index]),
		.dirty_bytes = record->dirty_bytes,
		.writeback_bytes = record->writeback_bytes,
		.typical_ns = NAN,
		.low_ns = NAN,
		.high_ns = NAN,
		.predicted_dirty = NAN,
		.predicted_writeback = NAN,
		.cawl_dirty = cawl->costs ? cawl->costs[index].dirty_bytes : NAN,
	};
	for (int i = 0; i < RESULT_MODELS; i++) {
		const struct model_cost *costs = deciding->predictions[i].costs;

		write->predicted_ns[i] = costs ? costs[index].ns : NAN;
	}
	if (!kernel->costs)
		return;
	write->predicted_dirty = kernel->costs[index].dirty_bytes;
	write->predicted_writeback = kernel->costs[index].writeback_bytes;
	write->typical_ns = kernel->costs[index].typical_ns;
	if (kernel->costs[index].low_ns < kernel->costs[index].high_ns) {
		write->low_ns = kernel->costs[index].low_ns;
		write->high_ns = kernel->costs[index].high_ns;
	}
}

static int take_writes(const struct deciding *deciding, struct result_trial *trial)
{
	size_t count = deciding->measurement->count, every = (count + RESULT_WRITES - 1) / RESULT_WRITES;

	/* Odd: every 2^n-th write through a libc's buffer is one that flushes it. */
	every += every > 1 && every % 2 == 0;
	trial->writes = calloc((count + every - 1) / every, sizeof(*trial->writes));
	if (!trial->writes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i += every)
		take_write(deciding, i, &trial->writes[trial->write_count++]);
	return 0;
}

/* --- where no model can be right --- */

static void look_at_chunk(const struct deciding *deciding, struct result_trial *trial)
{
	uint64_t chunk = scenario_largest(deciding->setup->scenario), room = trial->limit_bytes - trial->freerun_bytes;
	char chunk_text[UNITS_TEXT], room_text[UNITS_TEXT];

	/* What never comes to be throttled may be as coarse as it likes. */
	if (trial->bytes <= trial->freerun_bytes || room >= SCENARIO_ROOM_WRITES * chunk)
		return;
	validity_add(&trial->validity, "coarse-chunk", "writes of %s, and %s between the first delay and the limit: %d would fit",
		units_format_size(chunk, chunk_text, sizeof(chunk_text)),
		units_format_size(room, room_text, sizeof(room_text)), (int)(room / chunk));
}

static bool has_moved(uint64_t before, uint64_t after)
{
	return fabs((double)after - (double)before) > MOVED * (double)before;
}

static void look_at_thresholds(const struct deciding *deciding, struct result_trial *trial)
{
	const struct dirty_state *before = &deciding->measurement->before, *after = &deciding->measurement->after;

	if (has_moved(before->threshold, after->threshold) ||
		has_moved(before->background_threshold, after->background_threshold))
		validity_add(&trial->validity, "thresholds-moved", "the dirty threshold was %llu MiB at the beginning and %llu at "
			"the end", (unsigned long long)(before->threshold >> 20),
			(unsigned long long)(after->threshold >> 20));
	if (before->dirty + before->writeback > OTHERS_DIRTY)
		validity_add(&trial->validity, "others-dirty", "%llu MiB of other files were dirty at the beginning",
			(unsigned long long)((before->dirty + before->writeback) >> 20));
}

static void look_outside(const struct deciding *deciding, struct result_trial *trial)
{
	const struct trial_setup *setup = deciding->setup;
	struct validity_question question = {
		.root = "",
		.machine = &deciding->frame->machine,
		.system = setup->system,
		.writers = 1,
		.memory = setup->memory,
		.bytes = trial->bytes,
	};
	const struct validity_measurement measured = {
		.writers = 1,
		.memory = setup->memory,
		.is_direct = setup->scenario->mode >= OP_DIRECT,
		.busy = deciding->measurement->busy,
		.bytes = trial->bytes,
		.unbacked_bytes = deciding->measurement->unbacked_bytes,
	};

	validity_model(&question, &trial->validity);
	validity_measured(&measured, &trial->validity);
	if (scenario_set(setup->scenario) == SCENARIO_SYNC || !trial->limit_bytes)
		return;
	look_at_chunk(deciding, trial);
	look_at_thresholds(deciding, trial);
}

/* --- all of it --- */

static void take_facts(const struct deciding *deciding, struct result_trial *trial)
{
	const struct trial_setup *setup = deciding->setup;
	uint64_t background = deciding->measurement->before.background_threshold;
	uint64_t limit = deciding->measurement->before.threshold;

	trial->scenario = setup->scenario;
	trial->repetition = setup->repetition;
	trial->memory = setup->memory;
	/* As the kernel does: domain_dirty_limits. */
	trial->background_bytes = background >= limit ? limit / 2 : background;
	trial->limit_bytes = limit;
	trial->freerun_bytes = (trial->background_bytes + limit) / 2;
	trial->has_control = scenario_set(setup->scenario) != SCENARIO_SYNC;
	trial->control = *deciding->control;
	trial->operations = deciding->measurement->count;
	trial->bytes = scenario_bytes(setup->scenario);
	trial->measured_s = deciding->measured.total_ns / 1e9;
}

static int decide(struct deciding *deciding, struct evaluate_result *result)
{
	struct result_trial *trial = result_add_trial(result);
	int rc = trial ? 0 : -ENOMEM;

	if (rc)
		return rc;
	take_facts(deciding, trial);
	for (int model = 0; model < RESULT_MODELS && !rc; model++)
		rc = ask_model(deciding, (enum result_model)model, trial, result);
	if (!rc)
		rc = take_writes(deciding, trial);
	look_outside(deciding, trial);
	trial->has_split = scenario_set(trial->scenario) != SCENARIO_SYNC && trial->models[RESULT_KERNEL].is_there &&
			   !validity_hides_memory(&trial->validity, deciding->setup->system, trial->memory);
	if (trial->has_split)
		split_make(&deciding->predictions[RESULT_KERNEL], result_model_name(RESULT_KERNEL),
			deciding->measured.total_ns, &trial->split);
	return rc;
}

int trial_decide(const struct trial_setup *setup, const struct measurement *measurement, const struct model_control *control,
	const struct frame *frame, struct evaluate_result *result)
{
	struct op *ops = make_ops(measurement);
	struct deciding deciding = {.setup = setup, .measurement = measurement, .control = control, .frame = frame, .ops = ops};
	const struct measured_clock clock = {frame->clock_overhead_ns, frame->clock_granularity_ns};
	int rc = ops ? measured_make(measurement->records, measurement->count, &clock, &deciding.measured) : -ENOMEM;

	if (!rc)
		rc = decide(&deciding, result);
	for (int i = 0; i < RESULT_MODELS; i++)
		predict_free(&deciding.predictions[i]);
	measured_free(&deciding.measured);
	free(ops);
	return rc;
}

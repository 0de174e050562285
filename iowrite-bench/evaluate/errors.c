/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "iowrite-bench/evaluate/evaluate.h"
#include "iowrite-bench/model/kinds.h"

#define LOW 0.1
#define HIGH 0.9

/* Returns a quantile's pinball loss: `quantile` per unit that it is too small, 1 - `quantile` per unit that it is too large. */
static double pinball(double measured, double estimate, double quantile)
{
	double over = measured - estimate;

	return over > 0 ? over * quantile : -over * (1 - quantile);
}

void errors_make(const struct measured *measured, const struct prediction *prediction, struct iow_model_errors_values *errors)
{
	double predicted_sum = 0, measured_sum = 0, gaps = 0, per_write = 0, all = 0, mean_write = 0;
	double count = (double)measured->count, banded = 0, inside = 0, loss = 0, banded_sum = 0, near = 0;

	for (size_t i = 0; i < measured->count; i++) {
		const struct model_cost *cost = &prediction->costs[i];
		double ns = measured->ns[i], mean = measured->group_mean[measured->group[i]];
		double error = measured_error(measured, i, cost->typical_ns);

		per_write += error;
		near += error <= PREDICT_NEAR;
		all += fabs(cost->typical_ns - ns) / measured_scale(measured, i);
		mean_write += fabs(cost->ns - mean) / mean;
		predicted_sum += cost->ns;
		measured_sum += ns;
		gaps += fabs(predicted_sum - measured_sum);
		if (!(cost->low_ns < cost->high_ns))
			continue;
		banded++;
		banded_sum += ns;
		inside += ns >= cost->low_ns && ns <= cost->high_ns;
		loss += (pinball(ns, cost->low_ns, LOW) + pinball(ns, cost->high_ns, HIGH)) / 2;
	}
	*errors = (struct iow_model_errors_values){
		.predicted_s = prediction->total_ns / 1e9,
		.predicted_low_s = prediction->total_low_ns / 1e9,
		.predicted_high_s = prediction->total_high_ns / 1e9,
		.per_write_error_percent = 100 * per_write / count,
		.within_tenth_percent = 100 * near / count,
		.unresolved_percent = 100 * (all - per_write) / count,
		.mean_write_error_percent = 100 * mean_write / count,
		.total_error_percent = 100 * (predicted_sum - measured_sum) / measured_sum,
		.curve_gap_percent = 100 * gaps / count / measured_sum,
		.coverage_percent = banded > 0 ? 100 * inside / banded : NAN,
		.pinball_percent = banded > 0 ? 100 * loss / banded_sum : NAN,
		.improvement_percent = NAN,
	};
}

/* --- measured --- */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

int measured_make(const struct write_record *records, size_t count, double overhead_ns, double step_ns, struct measured *measured)
{
	struct measured made = {.count = count, .step_ns = step_ns, .ns = calloc(count, sizeof(*made.ns)),
		.group = calloc(count, sizeof(*made.group)), .group_mean = calloc(count, sizeof(*made.group_mean))};
	uint64_t *sizes = calloc(count, sizeof(*sizes));
	double *counts = calloc(count, sizeof(*counts));
	int rc = -ENOMEM;

	if (!sizes || !counts || !made.ns || !made.group || !made.group_mean)
		goto out;
	/* Each distinct size is a group, in rising order. */
	for (size_t i = 0; i < count; i++)
		sizes[i] = records[i].size;
	qsort(sizes, count, sizeof(*sizes), by_value);
	for (size_t i = 0; i < count; i++) {
		if (!i || sizes[i] != sizes[made.group_count - 1])
			sizes[made.group_count++] = sizes[i];
	}
	for (size_t i = 0; i < count; i++) {
		const uint64_t *size = bsearch(&records[i].size, sizes, made.group_count, sizeof(*sizes), by_value);

		made.group[i] = (unsigned)(size - sizes);
		made.ns[i] = fmax(1, (double)records[i].write_ns - overhead_ns);
		made.total_ns += made.ns[i];
		made.group_mean[made.group[i]] += made.ns[i];
		counts[made.group[i]]++;
	}
	for (unsigned i = 0; i < made.group_count; i++)
		made.group_mean[i] /= counts[i];
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

/* Returns the writes with their actual delays, which differ from the requested ones. NULL if out of memory. */
static struct op *measured_ops(const struct measurement *measurement)
{
	struct op *ops = calloc(measurement->count ? measurement->count : 1, sizeof(*ops));

	for (size_t i = 0; ops && i < measurement->count; i++) {
		const struct write_record *record = &measurement->records[i];

		ops[i] = (struct op){record->delay_ns, record->offset, record->size};
	}
	return ops;
}

/* Returns one write's row of the report. kernel: what the kernel model predicts, NULL = nothing. */
static struct iow_write_values measured_write(const struct measurement *measurement, size_t index,
	const struct model_cost *kernel)
{
	const struct write_record *record = &measurement->records[index];
	static const struct model_cost unknown = {.ns = NAN, .typical_ns = NAN, .low_ns = NAN, .high_ns = NAN, .dirty_bytes = NAN,
		.writeback_bytes = NAN};
	const struct model_cost *cost = kernel ? kernel : &unknown;
	bool has_band = cost->low_ns < cost->high_ns, is_sampled = record->dirty_bytes != WRITER_NOT_SAMPLED;

	return (struct iow_write_values){
		.index = index,
		.time_s = (double)(record->start_ns - measurement->records[0].start_ns) / 1e9,
		.offset = record->offset,
		.size = record->size,
		.measured_ns = record->write_ns,
		.dirty_bytes = is_sampled ? record->dirty_bytes : FIELD_NO_COUNT,
		.writeback_bytes = is_sampled ? record->writeback_bytes : FIELD_NO_COUNT,
		.naive_ns = NAN,
		.cawl_ns = NAN,
		.kernel_ns = cost->ns,
		.typical_ns = cost->typical_ns,
		.low_ns = has_band ? cost->low_ns : NAN,
		.high_ns = has_band ? cost->high_ns : NAN,
		.predicted_dirty_bytes = cost->dirty_bytes,
		.predicted_writeback_bytes = cost->writeback_bytes,
		.cawl_dirty_bytes = NAN,
	};
}

/* --- forecast --- */

int forecast(const struct forecast_conditions *conditions, enum model_id model, const struct op *ops, size_t count,
	struct prediction *prediction, const char **missing)
{
	const struct scenario *scenario = conditions->scenario;
	struct system *system = system_with_limits(conditions->system, conditions->before.background_threshold,
		conditions->before.threshold, "/proc/vmstat");
	struct predict_setup setup = {
		.kind = model_kinds[model],
		.model = {
			.mode = scenario->mode,
			.regime = scenario->regime,
			.memory = conditions->memory,
			.is_cached = scenario_is_cached(scenario),
			.dirty_bytes = conditions->before.dirty,
			.writeback_bytes = conditions->before.writeback,
			.control = conditions->control,
		},
		.policy = scenario->is_stdio ? stdio_policy_here() : NULL,
	};
	int rc = system ? predict(system, &setup, ops, count, prediction, missing) : -ENOMEM;

	if (!rc && predict_interval(system, &setup, ops, count, prediction)) {
		predict_free(prediction);
		rc = -ENOMEM;
	}
	free(system);
	return rc;
}

/* --- comparison of the measurement with the models --- */

#define MOVED 0.05                        /* of a threshold */
#define OTHERS_DIRTY (64 * UNITS_MIB)

static int take_writes(const struct measurement *found, const struct measured *measured, const struct prediction *predictions,
	struct evaluate_result_trial *trial)
{
	size_t count = found->count, every = (count + RESULT_WRITES - 1) / RESULT_WRITES;
	const struct model_cost *naive = predictions[MODEL_NAIVE].costs, *cawl = predictions[MODEL_CAWL].costs;
	const struct model_cost *kernel = predictions[MODEL_KERNEL].costs;

	/* The step is odd, because every 2^n-th write through a libc's buffer flushes it. */
	every += every > 1 && every % 2 == 0;
	trial->writes = calloc((count + every - 1) / every, sizeof(*trial->writes));
	if (!trial->writes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i += every) {
		struct iow_write_values *write = &trial->writes[trial->write_count++];

		*write = measured_write(found, i, kernel ? &kernel[i] : NULL);
		write->measured_ns = (uint64_t)llround(measured->ns[i]);
		write->naive_ns = naive ? naive[i].ns : NAN;
		write->cawl_ns = cawl ? cawl[i].ns : NAN;
		write->cawl_dirty_bytes = cawl ? cawl[i].dirty_bytes : NAN;
	}
	return 0;
}

static bool has_moved(uint64_t before, uint64_t after)
{
	return fabs((double)after - (double)before) > MOVED * (double)before;
}

/* Adds the reasons for which no model can be valid. */
static void check_validity(const struct evaluation *all, const struct measurement *found, struct evaluate_result_trial *trial)
{
	const struct validity_question question = {
		.root = "",
		.machine = &all->frame.machine,
		.system = &all->system,
		.writers = 1,
		.memory = trial->memory,
		.bytes = trial->bytes,
		.is_direct = all->scenario->mode >= OP_DIRECT,
		.busy = found->busy,
		.written_bytes = trial->bytes,
		.unbacked_bytes = found->unbacked_bytes,
	};
	const struct dirty_state *before = &found->before, *after = &found->after;
	uint64_t chunk = scenario_largest(all->scenario), range_bytes = trial->limit_bytes - trial->freerun_bytes;
	char chunk_text[UNITS_TEXT], range_text[UNITS_TEXT];

	validity_model(&question, &trial->validity);
	validity_measured(&question, &trial->validity);
	if (scenario_set(all->scenario) == SCENARIO_SYNC || !trial->limit_bytes)
		return;
	/* The size of chunks does not matter if the run is never throttled. */
	if (trial->bytes > trial->freerun_bytes && range_bytes < SCENARIO_RANGE_WRITES * chunk)
		validity_add(&trial->validity, "coarse-chunk", "writes of %s, and %s between the first delay and the limit: %d "
			"would fit", units_format_size(chunk, chunk_text, sizeof(chunk_text)),
			units_format_size(range_bytes, range_text, sizeof(range_text)), (int)(range_bytes / chunk));
	if (has_moved(before->threshold, after->threshold) ||
		has_moved(before->background_threshold, after->background_threshold))
		validity_add(&trial->validity, "thresholds-moved", "the dirty threshold was %llu MiB at the beginning and %llu at "
			"the end", (unsigned long long)(before->threshold >> 20),
			(unsigned long long)(after->threshold >> 20));
	if (before->dirty + before->writeback > OTHERS_DIRTY)
		validity_add(&trial->validity, "others-dirty", "%llu MiB of other files were dirty at the beginning",
			(unsigned long long)((before->dirty + before->writeback) >> 20));
}

int trial_decide(struct evaluation *all, const struct measurement *found, const struct model_control *control)
{
	const struct forecast_conditions conditions = {&all->system, all->scenario, all->options.shared.memory, found->before,
		*control};
	uint64_t background = found->before.background_threshold, limit = found->before.threshold;
	struct evaluate_result_trial *trial = evaluate_result_add_trial(&all->result);
	struct prediction predictions[MODEL_KINDS] = {{0}};
	struct op *ops = measured_ops(found);
	struct measured measured = {0};
	int rc = trial && ops ? measured_make(found->records, found->count, all->frame.clock_overhead_ns,
					all->frame.clock_granularity_ns, &measured)
			      : -ENOMEM;

	if (rc)
		goto out;
	/* The kernel does the same in domain_dirty_limits. */
	background = background >= limit ? limit / 2 : background;
	*trial = (struct evaluate_result_trial){
		.scenario = all->scenario,
		.repetition = all->repetition,
		.memory = all->options.shared.memory,
		.background_bytes = background,
		.limit_bytes = limit,
		.freerun_bytes = (background + limit) / 2,
		.has_control = scenario_set(all->scenario) != SCENARIO_SYNC,
		.control = *control,
		.operations = found->count,
		.bytes = scenario_bytes(all->scenario),
		.measured_s = measured.total_ns / 1e9,
	};
	for (int model = 0; model < MODEL_KINDS && !rc; model++) {
		const struct iow_model_errors_values *naive = &trial->models[MODEL_NAIVE];
		struct iow_model_errors_values *errors = &trial->models[model];
		const char *missing = "";
		char name[48];

		rc = forecast(&conditions, (enum model_id)model, ops, found->count, &predictions[model], &missing);
		if (rc == -ENODATA) {
			snprintf(name, sizeof(name), "%s/%s", all->scenario->id, model_kinds[model]->name);
			rc = all->repetition > 1 ? 0 : evaluate_result_skip(&all->result, name,
				"the calibration lacks %s, which this model needs", missing);
			continue;
		}
		if (rc)
			continue;
		errors_make(&measured, &predictions[model], errors);
		errors->name = model_kinds[model]->name;
		/* The improvement is the relative reduction of the naive model's error, as the CAWL paper's over SimGrid
		 * (section 6). */
		if (naive->name && model != MODEL_NAIVE && naive->per_write_error_percent > 0)
			errors->improvement_percent = 100 * (1 - errors->per_write_error_percent / naive->per_write_error_percent);
	}
	if (!rc)
		rc = take_writes(found, &measured, predictions, trial);
	check_validity(all, found, trial);
	trial->has_split = trial->has_control && trial->models[MODEL_KERNEL].name &&
			   !validity_hides_memory(&trial->validity, &all->system, trial->memory);
	if (trial->has_split)
		split_make(&predictions[MODEL_KERNEL], model_kinds[MODEL_KERNEL]->name, measured.total_ns, &trial->split);
out:
	for (int i = 0; i < MODEL_KINDS; i++)
		predict_free(&predictions[i]);
	measured_free(&measured);
	free(ops);
	return rc;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The models are asked about just what was measured: these bytes and offsets, these delays, these thresholds. */
#include "config.h"
#include "iowrite-bench/model/kinds.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/evaluate/evaluate.h"
#include "tests/unit/fake_system.h"

#define MIB (1ull << 20)
#define OVERHEAD_NS 25.0

struct decided {
	struct evaluation all;
	struct measurement measurement;
	struct op ops[5000];
	struct model_control control;
};

/* Writes of this scenario; every one cost 1 ms, had waited for 2 ms, and came at the thresholds 256 and 512 MiB. */
static struct decided *new_decided(const char *id, size_t count)
{
	struct decided *decided = calloc(1, sizeof(*decided));
	struct op *ops;
	size_t all;

	assert_non_null(decided);
	fake_system(&decided->all.system);
	decided->all.frame.clock_overhead_ns = OVERHEAD_NS;
	decided->all.frame.machine.cgroup_limit_bytes = UINT64_MAX;
	decided->all.scenario = scenario_of(id);
	decided->all.repetition = 1;
	assert_int_equal(scenario_ops(decided->all.scenario, &ops, &all), 0);
	decided->measurement = (struct measurement){.records = calloc(count, sizeof(struct write_record)), .count = count,
		.before = {3 * MIB, 2 * MIB, 256 * MIB, 512 * MIB}, .after = {0, 0, 256 * MIB, 512 * MIB}};
	assert_non_null(decided->measurement.records);
	for (size_t i = 0; i < count; i++) {
		decided->ops[i] = (struct op){2000000, ops[i].offset, ops[i].size};
		decided->measurement.records[i] = (struct write_record){.offset = ops[i].offset, .size = ops[i].size,
			.delay_ns = 2000000, .start_ns = 1000 + 3000000 * i, .write_ns = 1000025,
			.dirty_bytes = WRITER_NOT_SAMPLED};
	}
	free(ops);
	return decided;
}

static void free_decided(struct decided *decided)
{
	measure_free(&decided->measurement);
	evaluate_result_free(&decided->all.result);
	free(decided);
}

static const struct evaluate_result_trial *decide(struct decided *decided)
{
	assert_int_equal(trial_decide(&decided->all, &decided->measurement, &decided->control), 0);
	assert_int_equal(decided->all.result.trial_count, 1);
	return &decided->all.result.trials[0];
}

static void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * (1 + fabs(wanted))))
		fail_msg("%.12g, wanted %.12g", value, wanted);
}

TEST("the models predict the executed writes")
{
	struct decided *decided = new_decided("c2", 60); /* 960 MiB */
	const struct evaluate_result_trial *trial = decide(decided);
	struct system small = decided->all.system;
	struct predict_setup setup = {.model = {.mode = OP_BUFFERED, .dirty_bytes = 3 * MIB,
					      .writeback_bytes = 2 * MIB}};
	struct prediction prediction;
	const char *missing;

	assert_int_equal(trial->operations, 60);
	assert_int_equal(trial->background_bytes, 256 * MIB);
	assert_int_equal(trial->freerun_bytes, 384 * MIB);
	assert_int_equal(trial->limit_bytes, 512 * MIB);
	assert_true(trial->has_control);
	assert_near(trial->measured_s, 0.06);
	assert_near(trial->models[MODEL_NAIVE].predicted_s, 960.0 * MIB / 100e6);
	small.parameters[SYSTEM_LIMIT_BG].value = 256 * MIB;
	small.parameters[SYSTEM_LIMIT_HARD].value = 512 * MIB;
	for (int model = 0; model < MODEL_KINDS; model++) {
		setup.kind = model_kinds[model];
		assert_int_equal(predict(&small, &setup, decided->ops, 60, &prediction, &missing), 0);
		assert_near(trial->models[model].predicted_s, prediction.total_ns / 1e9);
		for (size_t i = 0; i < 60; i++) {
			const struct iow_write_values *write = &trial->writes[i];
			const double said[] = {write->naive_ns, write->cawl_ns, write->kernel_ns};

			assert_near(said[model], prediction.costs[i].ns);
			if (model == MODEL_KERNEL)
				assert_near(trial->writes[i].typical_ns, prediction.costs[i].typical_ns);
		}
		/* Also of a write that has no band. */
		if (model == MODEL_KERNEL) {
			assert_near(trial->writes[0].typical_ns, prediction.costs[0].typical_ns);
			assert_true(isnan(trial->writes[0].low_ns));
		}
		if (model != MODEL_NAIVE)
			assert_int_equal(prediction.costs[59].state, MODEL_THROTTLED);
		predict_free(&prediction);
	}
	/* The calibration's own thresholds are as they were. */
	assert_near(system_get(&decided->all.system, SYSTEM_LIMIT_HARD), 8e9);
	free_decided(decided);
}

TEST("timer overhead is subtracted")
{
	struct decided *decided = new_decided("f9-4096", 4);
	const struct evaluate_result_trial *trial = decide(decided);

	assert_int_equal(trial->writes[3].measured_ns, 1000000);
	assert_near(trial->writes[3].time_s, 0.009);
	free_decided(decided);
}

/* The libc is asked first: of two writes that fill its buffer one costs nothing but the copy. */
TEST("fwrite is predicted through the libc's buffer")
{
	struct decided *decided = new_decided("f9-4096", 4);
	const struct evaluate_result_trial *trial;

	decided->measurement.before.writeback = 0;
	trial = decide(decided);
	assert_near(trial->writes[0].kernel_ns, 20 + 3000);
	assert_near(trial->writes[1].kernel_ns, 20 + 409.6);
	assert_near(trial->writes[2].kernel_ns, 20 + 6000);
	assert_true(trial->has_split);
	assert_near(trial->split.syscall_percent + trial->split.copy_percent + trial->split.throttle_percent +
			    trial->split.device_percent + trial->split.residual_percent, 100);
	free_decided(decided);
}

TEST("a model without its parameters gives no prediction")
{
	struct decided *decided = new_decided("f4a", 3);
	const struct evaluate_result_trial *trial;

	decided->all.system.parameters[SYSTEM_SC_SK].value = NAN;
	trial = decide(decided);
	assert_null(trial->models[MODEL_CAWL].name);
	assert_string_equal(trial->models[MODEL_KERNEL].name, "kernel");
	assert_near(trial->models[MODEL_KERNEL].improvement_percent, 100 * (1 -
		trial->models[MODEL_KERNEL].per_write_error_percent / trial->models[MODEL_NAIVE].per_write_error_percent));
	assert_true(isnan(trial->models[MODEL_NAIVE].improvement_percent));
	assert_true(isnan(trial->writes[0].cawl_ns));
	assert_false(trial->has_split);
	assert_int_equal(decided->all.result.skipped_count, 1);
	assert_string_equal(decided->all.result.skipped[0].name, "f4a/cawl");
	assert_string_equal(decided->all.result.skipped[0].reason, "the calibration lacks sc_sk, which this model needs");
	free_decided(decided);
}

TEST("long lists of writes are thinned")
{
	struct decided *decided = new_decided("f9-256", 5000);
	const struct evaluate_result_trial *trial = decide(decided);

	assert_int_equal(trial->operations, 5000);
	assert_int_equal(trial->write_count, 1667); /* every third */
	assert_int_equal(trial->writes[1666].index, 4998);
	free_decided(decided);
}

static bool has_reason(const struct evaluate_result_trial *trial, const char *code)
{
	for (size_t i = 0; i < trial->validity.count; i++) {
		if (!strcmp(trial->validity.reasons[i].code, code))
			return true;
	}
	return false;
}

TEST("conditions outside of all models are recorded")
{
	struct decided *decided = new_decided("c1", 60); /* 64 MiB, and 128 from the first delay to the limit */
	const struct evaluate_result_trial *trial;

	decided->measurement.after.threshold = 540 * MIB;
	decided->measurement.before.dirty = 65 * MIB;
	decided->measurement.busy = (struct contention_machine){16e6, 40e6, 100e6};
	decided->measurement.unbacked_bytes = MIB;
	decided->all.options.shared.memory = MODEL_COLD;
	trial = decide(decided);
	assert_true(has_reason(trial, "host-memory-exhausted"));
	assert_true(has_reason(trial, "cold-not-proven"));
	assert_true(has_reason(trial, "busy-machine"));
	assert_true(has_reason(trial, "coarse-chunk"));
	assert_true(has_reason(trial, "thresholds-moved"));
	assert_true(has_reason(trial, "others-dirty"));
	free_decided(decided);
	decided = new_decided("c2", 60);
	decided->measurement.busy = (struct contention_machine){NAN, 40e6, 100e6};
	trial = decide(decided);
	assert_int_equal(trial->validity.count, 0);
	free_decided(decided);
}

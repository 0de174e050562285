/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run of a mix on the simulated device without its command line, and its dump. */
#ifndef TESTS_UNIT_SIM_BENCH_H
#define TESTS_UNIT_SIM_BENCH_H

#include <stdlib.h>
#include <string.h>

#include "ssd-workloads/dump/dump.h"
#include "ssd-workloads/engine/engine.h"
#include "ssd-workloads/engine/simulate.h"
#include "tests/unit/sim_check.h"
#include "tests/unit/unit.h"

#define SECOND 1000000000ull

struct sim_case {
	const char *mix, *preset;
	const char *values[12];         /* of parameters */
	uint64_t runtime_ns, warmup_ns;
	uint64_t rate;                  /* of the log, 0 = closed loop */
	struct workload_override override;
	bool has_no_records;
	uint64_t seed;
	enum backend_durability durability;
	const char *freeze;             /* NULL = never */
	const char *script[6];          /* --at */
	const char *policies[2];        /* --policy */
	const char *pattern;            /* by which checkpoint blocks are drawn; NULL = in sequence */
	bool has_checkpoint_device;     /* of its own; with override.log_stripes the log has as many */
};

struct sim_bench {
	struct sim_params params;
	struct workload workload;
	struct layout layout, layouts[LAYOUT_TARGETS]; /* of the devices */
	struct engine_position position;
	struct engine_setup setup;
	struct engine_result result;
	struct script script;
	struct pattern_spec pattern;
	struct sim_policies policies;
	struct sim_section section;
	struct dump dump;
};

static inline struct sim_bench *sim_bench_run(const struct sim_case *asked)
{
	struct sim_bench *bench = calloc(1, sizeof(*bench));
	struct workload_override override = asked->override;
	char text[256];
	const char *why;
	size_t count;

	assert_non_null(bench);
	sim_params_init(sim_preset_find(asked->preset ? asked->preset : "small"), &bench->params);
	for (size_t i = 0; i < sizeof(asked->values) / sizeof(asked->values[0]) && asked->values[i]; i++) {
		if (sim_params_set(&bench->params, asked->values[i], text, sizeof(text)))
			fail_msg("%s: %s", asked->values[i], text);
	}
	if (sim_params_check(&bench->params, text, sizeof(text)))
		fail_msg("%s", text);
	for (int i = 0; i < MIX_STREAMS; i++) {
		if (!override.streams[i].area_bytes)
			override.streams[i].area_bytes = sim_pages(&bench->params) / 4 * bench->params.page_bytes;
	}
	if (workload_make(mix_find(asked->mix), &override, &bench->workload, &why))
		fail_msg("%s", why);
	layout_make(&bench->workload, &bench->layout);
	count = layout_divide(&bench->layout, asked->has_checkpoint_device, bench->layouts);
	for (size_t i = 0; i < count; i++)
		assert_true(bench->layouts[i].bytes <= sim_exported_pages(&bench->params) * bench->params.page_bytes);
	bench->setup = (struct engine_setup){.layout = &bench->layout, .place_count = count,
		.workload = &bench->workload, .backend = &backend_simulated,
		.durability = asked->durability, .group_commit = 1, .rate = asked->rate, .run = 1,
		.warmup_ns = asked->warmup_ns, .runtime_ns = asked->runtime_ns,
		.seed = asked->seed ? asked->seed : 1, .position = &bench->position, .device = &bench->params,
		.has_device_records = !asked->has_no_records, .interval_ns = asked->runtime_ns / 10};
	if (asked->freeze)
		assert_int_equal(freeze_parse(asked->freeze, &bench->setup.freeze, &why), 0);
	for (size_t i = 0; i < 6 && asked->script[i]; i++) {
		if (script_add(&bench->script, asked->script[i], &why))
			fail_msg("%s: %s", asked->script[i], why);
	}
	bench->setup.script = &bench->script;
	for (size_t i = 0; i < 2 && asked->policies[i]; i++) {
		if (sim_policy_add(&bench->policies, asked->policies[i], text, sizeof(text)))
			fail_msg("%s: %s", asked->policies[i], text);
		bench->setup.policies = &bench->policies;
	}
	bench->setup.is_array_checked = asked->policies[0];
	if (asked->pattern) {
		const struct workload_stream *stream = &bench->workload.streams[MIX_CHECKPOINT];

		assert_int_equal(pattern_parse(asked->pattern, &bench->pattern, &why), 0);
		assert_int_equal(pattern_check(&bench->pattern, stream->area_bytes / stream->block_bytes / stream->workers, &why),
			0);
		bench->setup.pattern = &bench->pattern;
	}
	for (int i = 0; i < MIX_STREAMS; i++)
		bench->setup.record_capacity[i] = 1u << 20;
	assert_int_equal(engine_run(&bench->setup, &bench->result), 0);
	assert_int_equal(bench->result.error, 0);
	assert_non_null(bench->result.device);
	engine_fill_dump(&bench->workload, &bench->layouts[0], &bench->result, 0, NULL, &bench->section, &bench->dump);
	return bench;
}

static inline void sim_bench_check(const struct sim_bench *bench, const char *name)
{
	char why[256];

	if (sim_check(bench->result.device->device, &bench->dump, why, sizeof(why)))
		fail_msg("%s: %s", name, why);
}

static inline void sim_bench_free(struct sim_bench *bench)
{
	engine_result_free(&bench->result);
	free(bench);
}

#endif

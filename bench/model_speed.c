/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What predicting costs: a million random writes of 64 KiB through each model, on a machine whose thresholds let
 * half of them stay dirty. Prints a line a model: seconds, ns a write, resident set.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "common/hot/rng.h"
#include "iowrite-bench/predict/predict.h"

#define OPS 1000000
#define WRITE_BYTES (64ull << 10)
#define FILE_BYTES (64ull << 30)

static void describe(struct system *system, struct system_point *point)
{
	static const struct {
		enum system_parameter parameter;
		double value;
	} values[] = {
		{SYSTEM_BW_CACHE_COLD, 4e8}, {SYSTEM_BW_CACHE_WARM, 5e9}, {SYSTEM_BW_CACHE_REWRITE, 1e10},
		{SYSTEM_COEFF_BG, 0.8}, {SYSTEM_BW_DEV, 4e8}, {SYSTEM_BW_SYNC, 4e8}, {SYSTEM_SC_W, 300},
		{SYSTEM_LIMIT_BG, 16e9}, {SYSTEM_LIMIT_HARD, 32e9}, {SYSTEM_DIRTY_EXPIRE, 3e10},
		{SYSTEM_DIRTY_WRITEBACK, 5e9},
	};

	system_init(system);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		system->parameters[values[i].parameter].value = values[i].value;
	*point = (struct system_point){WRITE_BYTES, {.value = 20000}};
	system->curves[OP_BUFFERED][OP_APPEND] = (struct system_curve){.count = 1, .points = point};
}

int main(void)
{
	struct op *ops = calloc(OPS, sizeof(*ops));
	struct system_point point;
	struct system system;
	struct rng rng;

	if (!ops)
		return 2;
	describe(&system, &point);
	rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < OPS; i++)
		ops[i] = (struct op){0, rng_below(&rng, FILE_BYTES - WRITE_BYTES), WRITE_BYTES};
	for (const struct model_kind *kind = model_kinds; kind->name; kind++) {
		struct predict_setup setup = {.kind = kind};
		struct prediction prediction;
		const char *missing = "memory";
		struct timespec begin, end;
		struct rusage usage;
		double seconds;

		clock_gettime(CLOCK_MONOTONIC, &begin);
		if (predict(&system, &setup, ops, OPS, &prediction, &missing)) {
			fprintf(stderr, "model_speed: %s: %s\n", kind->name, missing);
			return 2;
		}
		clock_gettime(CLOCK_MONOTONIC, &end);
		seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
		getrusage(RUSAGE_SELF, &usage);
		printf("%-6s %.3f s, %.0f ns a write, %.0f MiB, predicts %.1f s\n", kind->name, seconds,
			seconds * 1e9 / OPS, (double)usage.ru_maxrss / 1024, prediction.total_ns / 1e9);
		predict_free(&prediction);
	}
	free(ops);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cost of predictions: a million random writes of 64 KiB through a model, on a machine whose thresholds let half of the file
 * stay dirty. Prints a row of a Markdown table: seconds, ns per write, the process's largest resident set, and the predictions.
 * Each model needs its own process, since the largest resident set of one hides that of the next.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/hot/rng.h"
#include "iowrite-bench/model/kinds.h"
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

static void draw(struct op *ops)
{
	struct rng rng;

	rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < OPS; i++)
		ops[i] = (struct op){0, rng_below(&rng, FILE_BYTES - WRITE_BYTES), WRITE_BYTES};
}

static int measure(const struct model_kind *kind, const struct system *system, const struct op *ops)
{
	const struct predict_setup setup = {.kind = kind};
	struct prediction prediction;
	const char *missing = "memory";
	struct rusage usage;
	uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);
	double seconds;

	if (predict(system, &setup, ops, OPS, &prediction, &missing)) {
		diag_error(0, "%s: %s", kind->name, missing);
		return DIAG_EXIT_USAGE;
	}
	seconds = (double)(clock_ns(CLOCK_MONOTONIC) - begin_ns) / 1e9;
	getrusage(RUSAGE_SELF, &usage);
	printf("| %s | %.3f s | %.0f ns | %.0f MiB | %.1f s |\n", kind->name, seconds, seconds * 1e9 / OPS,
		(double)usage.ru_maxrss / 1024, prediction.total_ns / 1e9);
	predict_free(&prediction);
	return DIAG_EXIT_OK;
}

int main(int argc, char **argv)
{
	const struct model_kind *kind = argc == 2 ? model_kind(argv[1]) : NULL;
	struct system_point point;
	struct system *system; /* large for a stack */
	struct op *ops;
	int code = DIAG_EXIT_HOST;

	if (!kind) {
		diag_error(0, "usage: model_speed naive|cawl|kernel");
		return DIAG_EXIT_USAGE;
	}
	ops = calloc(OPS, sizeof(*ops));
	system = malloc(sizeof(*system));
	if (ops && system) {
		describe(system, &point);
		draw(ops);
		code = measure(kind, system, ops);
	} else {
		diag_error(ENOMEM, "cannot draw the writes");
	}
	free(ops);
	free(system);
	return code;
}

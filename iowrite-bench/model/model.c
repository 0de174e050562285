/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/model/model.h"

#include <math.h>
#include <string.h>

#include "iowrite-bench/model/parts.h"

const struct model_kind model_kinds[] = {
	{"naive", "size / device bandwidth, as SimGrid has it", naive_create, naive_write, naive_drain, naive_free, false},
	{"cawl", "the CAWL paper's page cache and libc buffer", cawl_create, cawl_write, cawl_drain, cawl_free,
		true},
	{"kernel", "the control law of Linux, mm/page-writeback.c", kernel_create, kernel_write, kernel_drain,
		kernel_free, true},
	{0},
};

const struct model_kind *model_kind(const char *name)
{
	for (const struct model_kind *kind = model_kinds; kind->name; kind++) {
		if (!strcmp(kind->name, name))
			return kind;
	}
	return NULL;
}

int model_needs(const struct system *system, const enum system_parameter *needs, size_t count, const char **missing)
{
	for (size_t i = 0; i < count; i++) {
		double value = system_get(system, needs[i]);

		if (!isfinite(value) || value < 0) {
			*missing = system_row(needs[i])->name;
			return -1;
		}
	}
	return 0;
}

double model_cache_rate(const struct system *system, enum model_memory memory)
{
	enum system_parameter wanted = memory == MODEL_COLD ? SYSTEM_BW_CACHE_COLD : SYSTEM_BW_CACHE_WARM;
	double rate = system_get(system, wanted);

	return isfinite(rate) ? rate : system_get(system, SYSTEM_BW_CACHE_WARM);
}

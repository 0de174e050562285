/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/model/parts.h"

#define MOST 1e18 /* of any parameter: bytes, bytes per second, ns */

/* Returns the least plausible value: models divide by rates, which must be above 0; costs and thresholds may be 0. */
static double least_of(enum system_parameter parameter)
{
	switch (parameter) {
	case SYSTEM_SC_W:
	case SYSTEM_SC_SK:
	case SYSTEM_LAT_RDEV:
	case SYSTEM_LAT_RMW:
	case SYSTEM_LIB_METACOST:
	case SYSTEM_LIMIT_BG:
	case SYSTEM_DIRTY_EXPIRE:
	case SYSTEM_DIRTY_WRITEBACK:
	case SYSTEM_SYNC_BURST:
	case SYSTEM_SYNC_CACHE:
	case SYSTEM_WARM_POOL:
		return 0;
	case SYSTEM_COEFF_BG:
		return 1e-3;
	default:
		return 1;
	}
}

bool model_knows(const struct system *system, enum system_parameter parameter)
{
	double value = system_get(system, parameter);

	return value >= least_of(parameter) && value <= MOST;
}

int model_needs(const struct system *system, const enum system_parameter *needs, size_t count, const char **missing)
{
	for (size_t i = 0; i < count; i++) {
		if (!model_knows(system, needs[i])) {
			*missing = system_row(needs[i])->name;
			return -1;
		}
	}
	return 0;
}

double model_sync_call_ns(const struct system *system, const struct model_setup *setup)
{
	return setup->has_sync_call ? system_get(system, SYSTEM_SC_W) : 0;
}

double model_cache_rate(const struct system *system, enum model_memory memory)
{
	enum system_parameter wanted = memory == MODEL_COLD ? SYSTEM_BW_CACHE_COLD : SYSTEM_BW_CACHE_WARM;
	double rate = system_get(system, wanted);

	return model_knows(system, wanted) ? rate : system_get(system, SYSTEM_BW_CACHE_WARM);
}

double model_writeback_rate(const struct system *system)
{
	return system_get(system, model_knows(system, SYSTEM_BW_SYNC) ? SYSTEM_BW_SYNC : SYSTEM_BW_DEV);
}

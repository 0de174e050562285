/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parsers of option values that have no plain type, and their text in a report, which is the same for equal values. */
#ifndef PMBENCH_PLAN_OPTIONS_VALUES_H
#define PMBENCH_PLAN_OPTIONS_VALUES_H

#include "pmbench/plan/options.h"

opt_set_fn pm_set_share, pm_set_pattern, pm_set_affinity, pm_set_timer, pm_set_offset, pm_set_phase, pm_set_warmup,
	pm_set_setsize_list, pm_set_map, pm_set_content, pm_set_nodes, pm_set_cpus;
/* Get the text of a value for the report; a share of 0 was not given. */
opt_get_fn pm_get_share, pm_get_pattern, pm_get_shape, pm_get_affinity, pm_get_timer, pm_get_offset, pm_get_seed, pm_get_phase,
	pm_get_warmup, pm_get_setsize_list, pm_get_content;
/* Returns whether the value of --map names a file. */
bool pm_map_writes_file(const char *text);
/* Returns whether -e has an effect on the pattern. */
bool pm_heeds_shape(enum pattern_kind kind);

#endif

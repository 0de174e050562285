/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of options that are no plain type, and how each value stands in a report: text that is the same for the same value. */
#ifndef PMBENCH_OPTIONS_VALUES_H
#define PMBENCH_OPTIONS_VALUES_H

#include "pmbench/options.h"

opt_set_fn pm_set_share, pm_set_pattern, pm_set_affinity, pm_set_timer, pm_set_offset, pm_set_phase, pm_set_warmup,
	pm_set_setsize_list, pm_set_map, pm_set_content, pm_set_nodes, pm_set_cpus;
/* share: 0 = not given. */
opt_get_fn pm_get_share, pm_get_pattern, pm_get_shape, pm_get_affinity, pm_get_timer, pm_get_offset, pm_get_seed, pm_get_phase,
	pm_get_warmup, pm_get_setsize_list, pm_get_content;
bool pm_map_writes_file(const char *text);
/* Whether -e means something to the pattern: the original ignores it with uniform and normal_ih. */
bool pm_heeds_shape(enum pattern_kind kind);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --at TIME:COMMAND: commands on the records of a run on the simulated device, at times of its virtual clock. They are those of
 * the paper's instrumented board:
 *   freeze                       stop recording
 *   freeze-if COND [post N]      use this condition (record/freeze.h) from now on; an earlier freeze remains
 *   arm                          drop all records and start recording; the condition can fire again
 *   clear                        remove the condition; an earlier freeze remains
 *   sample 1/K                   record one of K commands submitted from now on in the device
 *   stations LIST                record these stations in the device, 3 to 11, as 3,6-8; or "all"
 *   reset                        arm, and restore the initial condition, sample and stations
 * Commands do not change the writes and their times if --sim record-cost is 0.
 */
#ifndef SSD_WORKLOADS_RECORD_SCRIPT_H
#define SSD_WORKLOADS_RECORD_SCRIPT_H

#include "ssd-workloads/record/freeze.h"

#define SCRIPT_COMMANDS 16

enum script_action { SCRIPT_FREEZE, SCRIPT_FREEZE_IF, SCRIPT_ARM, SCRIPT_CLEAR, SCRIPT_SAMPLE, SCRIPT_STATIONS, SCRIPT_RESET };

struct script {
	size_t count;
	struct script_command {
		uint64_t at_ns;           /* since the measurement began */
		enum script_action action;
		struct freeze freeze;     /* condition of freeze-if */
		uint64_t post;
		uint32_t number;          /* for sample: K; for stations: bit n = station n */
	} commands[SCRIPT_COMMANDS];      /* in the order of the options; commands of equal time run in this order */
};

/* Parses "TIME:COMMAND" and adds it. Returns 0, or -EINVAL and the reason in *why (static text). */
int script_add(struct script *script, const char *text, const char **why);
/* Returns the time of the last command in ns; 0 = there is none. */
uint64_t script_last_ns(const struct script *script);
bool script_has_condition(const struct script *script);

#endif

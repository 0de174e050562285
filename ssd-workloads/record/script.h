/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --at TIME:COMMAND: what is done to the records of a run on the simulated device, at times of its virtual clock. Commands, as
 * those that the instrumented board of the paper takes:
 *   freeze                       nothing is recorded any more
 *   freeze-if COND [post N]      this condition (record/freeze.h) from now on; a freeze that has happened stays
 *   arm                          records begin anew, those until now are dropped; the condition can fire again
 *   clear                        no condition any more; a freeze that has happened stays
 *   sample 1/K                   one of K commands that are submitted from now on is recorded by the device
 *   stations LIST                the device records these stations, 3 to 11, as 3,6-8; "all"
 *   reset                        arm, and condition, sample and stations as they were at the beginning
 * Writes and their times are the same with any commands, as long as records cost nothing.
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
		struct freeze freeze;     /* of freeze-if */
		uint64_t post;
		uint32_t number;          /* of sample: K; of stations: bit n = station n */
	} commands[SCRIPT_COMMANDS];      /* in the order in which they were given: those of the same time happen in it */
};

/* "TIME:COMMAND". 0; -EINVAL and *why (static text). */
int script_add(struct script *script, const char *text, const char **why);
/* The last of the commands. 0 = there is none. ns. */
uint64_t script_last_ns(const struct script *script);
/* Whether one of them sets a condition. */
bool script_has_condition(const struct script *script);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Costs of recording, in time of the program. */
#ifndef MEMTRACE_PERF_COST_H
#define MEMTRACE_PERF_COST_H

#include <stdbool.h>
#include <stdint.h>

#include "memtrace/file/trace_file.h"
#include "memtrace/perf/engine.h"

#define COST_TEXT 160

/* Number and time of all interruptions of a kind, as in TRACE_COST. */
struct cost {
	uint64_t count, ns;
	bool is_known;
};

/* Measures on this process the time of a sample of cpu-clock (the median interruption of 10 ms) or of a record of page-faults
 * (the difference of the median page fault). Returns nanoseconds; 0 = the engine's samples have no known cost, or this failed. */
uint64_t cost_calibrate(const struct engine_choice *choice);
/* Formats a cost as "2.1 % of the recorded time (210 ms of 10 s): 95 bursts, in which a thread waits, 2.2 ms each". */
const char *cost_phrase(enum trace_cost type, const struct cost *cost, uint64_t recorded_ns, char text[COST_TEXT]);

#endif

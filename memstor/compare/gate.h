/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --gate: what must hold of a metric for the comparison to pass. "p99<+5%" is about the change, "p99<3us"
 * about the value itself of NEW; "mem-uniform:p99<3us" is about the set of that name alone. The whole interval
 * decides: a gate passes when its bad end does, fails when its good end does not.
 */
#ifndef MEMSTOR_COMPARE_GATE_H
#define MEMSTOR_COMPARE_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "memstor/compare/judge.h"
#include "memstor/metric.h"

/* What stands before a colon may be a set, or what the metric is of (a cell, a stream), or one after the other. */
#define COMPARE_GATE_WAYS 3
struct compare_gate_way {
	size_t set_length; /* bytes of the text that name a set; 0 = every set */
	struct metric metric;
	size_t index; /* among the wanted metrics; the caller's */
};

struct compare_gate {
	const char *text; /* as given */
	struct compare_gate_way ways[COMPARE_GATE_WAYS]; /* to read it; the caller brings the right one to the front */
	size_t way_count;
	bool is_change;  /* limit is a fraction, else in the metric's unit */
	bool is_below;   /* '<' */
	double limit;
};

enum compare_gate_state {
	COMPARE_GATE_PASSED,
	COMPARE_GATE_FAILED,
	COMPARE_GATE_UNDECIDED,
	COMPARE_GATE_ABSENT, /* the set has no such metric */
};

/* text outlives the gate. 0, or -EINVAL and in why what is allowed. */
int compare_gate_parse(const char *text, struct compare_gate *gate, const char **why);
enum compare_gate_state compare_gate_judge(const struct compare_gate *gate, const struct compare_change *change);
const char *compare_gate_state_name(enum compare_gate_state state); /* "passed" "failed" "inconclusive" "absent" */

#endif

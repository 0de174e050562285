/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every set of a comparison judged, gates decided, and what it comes to: what compare_text, compare_json and
 * the others print. */
#ifndef MEMSTOR_COMPARE_OUTCOME_H
#define MEMSTOR_COMPARE_OUTCOME_H

#include "memstor/compare/gate.h"
#include "memstor/compare/judge.h"
#include "memstor/compare/quantiles.h"
#include "memstor/compare/run.h"
#include "memstor/compare/sets.h"

#define COMPARE_GATES_MAX 64

/* Beside those of diag.h: the reports are good, but not of the same thing (docs/adr/0019). */
#define COMPARE_EXIT_REFUSED 5

/* What was asked for, from the command line. */
struct compare_request {
	struct compare_rule rule;
	struct compare_pairing pairing;
	struct compare_wanted wanted;   /* metrics: those asked for come first */
	size_t asked_count;             /* of them; 0 = each tool's defaults */
	struct compare_gate gates[COMPARE_GATES_MAX];
	size_t gate_count;
	struct inputs inputs[COMPARE_SIDES];
};

struct compare_row {
	size_t metric; /* index among the wanted */
	struct compare_change change;
};

struct compare_outcome { /* of one paired set */
	const struct compare_set *set;
	struct compare_row *rows;
	size_t row_count;
	struct compare_shift *shifts;
	size_t shift_count;
	enum compare_gate_state gates[COMPARE_GATES_MAX];
};

struct compare_result {
	struct compare_runs runs;
	struct compare_sets sets;
	struct compare_outcome *outcomes;
	size_t outcome_count;
	enum compare_verdict overall;
	size_t verdicts[4]; /* rows by enum compare_verdict */
	size_t holding;     /* of faster and slower */
	size_t lost_sets;   /* of BASE, without runs in NEW, and not allowed to be */
	int exit_code;
};

/* The sets of result judged. A diag_exit code, after a line when it is not 0; the result is to be freed even so. */
int compare_decide(struct compare_request *request, struct compare_result *result);
void compare_result_free(struct compare_result *result);

/* What a gate is about in this set; NULL when it is of another set, or the set has no such metric. */
const struct compare_row *compare_gate_row(const struct compare_gate *gate, const struct compare_outcome *outcome);

const struct metric *compare_row_metric(const struct compare_request *request, const struct compare_row *row);

#endif

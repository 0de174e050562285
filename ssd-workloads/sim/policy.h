/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Policies of the simulated device, which the paper proposes in its sections 6.1 and 6.2: one row each. A placement defines which
 * pages share a block; an order defines which waiting commands, host DMAs and operations in the queue of a way are executed first.
 * A device has at most one of each. By default it places and orders as the firmware of the board does.
 *
 * An order assigns each command a number (`due`), smaller ones first; the operations that a command causes, including the copies of
 * its collection, have its number, and an erase has the last priority. An operation never passes another one of its block, an erase
 * passes nothing, and a running operation is never interrupted.
 *
 * With a condition a policy reacts to the device's own records: when a command that meets the condition is completed, the policy
 * becomes active, permanently or for a time that each such command extends.
 */
#ifndef SSD_WORKLOADS_SIM_POLICY_H
#define SSD_WORKLOADS_SIM_POLICY_H

#include "ssd-workloads/record/freeze.h"

enum sim_policy_kind { SIM_PLACEMENT, SIM_ORDER, SIM_POLICY_KINDS };

#define SIM_POLICY_VALUES 2u
#define SIM_POLICY_TEXT 512u

enum sim_policy_type { SIM_POLICY_NONE, SIM_POLICY_TIME, SIM_POLICY_SIZE };

/* P(id, name, kind, paragraph of the manual, values...): a value is {key, type, default in ns or bytes}. */
#define SIM_POLICIES(P) \
	P(MULTISTREAM, "multistream", SIM_PLACEMENT, \
		"a block has pages of the log or of the checkpoint, not of both, and what garbage collection copies stays with " \
		"its stream", {NULL, SIM_POLICY_NONE, 0}) \
	P(FDP, "fdp", SIM_PLACEMENT, \
		"log and checkpoint are written by placement handles of their own, and what garbage collection copies of both " \
		"shares other blocks (as handles that are initially isolated)", {NULL, SIM_POLICY_NONE, 0}) \
	P(LOG_FIRST, "log-first", SIM_ORDER, "commands of the log go first", {NULL, SIM_POLICY_NONE, 0}) \
	P(HINTS, "hints", SIM_ORDER, \
		"the database gives each write a deadline, and the earliest deadline goes first: `log=TIME` " \
		"(default: 1ms) and `checkpoint=TIME` (default: 20ms) after its arrival", \
		{"log", SIM_POLICY_TIME, 1000000}, {"checkpoint", SIM_POLICY_TIME, 20000000}) \
	P(HISTORY, "history", SIM_ORDER, \
		"the log goes first, unless at the recent write rates more than `recovery=SIZE` of log would be written during " \
		"a checkpoint, which a recovery has to read (default: half of the log's area): then the checkpoint goes first. " \
		"Rates are of windows of `window=TIME` (default: 10ms), each of which has half the weight of the next one", \
		{"window", SIM_POLICY_TIME, 10000000}, {"recovery", SIM_POLICY_SIZE, 0})

#define SIM_POLICY_ID(id, ...) SIM_POLICY_##id,
enum sim_policy_id { SIM_POLICIES(SIM_POLICY_ID) SIM_POLICY_ROWS };

#define SIM_POLICY_MANUAL_ROW(id, name, kind, manual, ...) "\n\n`" name "`: " manual "."
#define SIM_POLICY_MANUAL SIM_POLICIES(SIM_POLICY_MANUAL_ROW)

struct sim_policy_row {
	const char *name;
	enum sim_policy_kind kind;
	struct {
		const char *key;            /* NULL = no more */
		enum sim_policy_type type;
		uint64_t preset;            /* ns or bytes */
	} values[SIM_POLICY_VALUES];
};
extern const struct sim_policy_row sim_policy_rows[]; /* by enum sim_policy_id; ended by a row without a name */

struct sim_policy {
	const struct sim_policy_row *row;   /* NULL = none */
	uint64_t values[SIM_POLICY_VALUES]; /* in the order of the row */
	struct freeze condition;            /* no terms: active from the beginning on */
	uint64_t hold_ns;                   /* time for which it stays active after the condition was met; 0 = permanently */
};

struct sim_policies { struct sim_policy list[SIM_POLICY_KINDS]; };

/* Adds "NAME[,KEY=VALUE]...[:if=COND[ for TIME]]". Returns 0, or -EINVAL and the reason in why (one line, without the text). */
int sim_policy_add(struct sim_policies *policies, const char *text, char *why, size_t length);
/* Formats a policy as in the option, with all parameters. Returns text, of SIM_POLICY_TEXT bytes. */
const char *sim_policy_text(const struct sim_policy *policy, char *text, size_t length);
bool sim_policies_have_condition(const struct sim_policies *policies);

#endif

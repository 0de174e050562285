/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/sim/policy.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/base/units.h"
#include "ssd-workloads/sim/state.h"
#include "ssd-workloads/workload/mix.h"

#define ID(id, name, kind, manual, ...) id,
enum { SIM_POLICIES(ID) ROWS };
#undef ID
enum { HINT_LOG, HINT_CHECKPOINT };
enum { HISTORY_WINDOW, HISTORY_RECOVERY };

const struct sim_policy_row sim_policy_rows[ROWS + 1] = {
#define ROW(id, name, kind, manual, ...) [id] = {name, kind, {__VA_ARGS__}},
	SIM_POLICIES(ROW)
#undef ROW
	[ROWS] = {NULL, SIM_POLICY_KINDS, {{NULL, SIM_POLICY_NONE, 0}}},
};

/* --- the option --- */

static int set_value(struct sim_policy *policy, const char *text, char *why, size_t length)
{
	size_t key = strcspn(text, "=");

	for (size_t i = 0; i < SIM_POLICY_VALUES && policy->row->values[i].key; i++) {
		const char *name = policy->row->values[i].key;
		bool is_time = policy->row->values[i].type == SIM_POLICY_TIME;
		uint64_t value;

		if (!text[key] || strlen(name) != key || strncmp(name, text, key) != 0)
			continue;
		if ((is_time ? units_parse_duration(text + key + 1, &value) : units_parse_size(text + key + 1, 1, &value)) ||
			!value || value > UINT64_MAX / 4) {
			snprintf(why, length, "%s takes a %s above 0, as %s", name, is_time ? "time" : "size",
				is_time ? "5ms" : "64m");
			return -EINVAL;
		}
		policy->values[i] = value;
		return 0;
	}
	if (!policy->row->values[0].key)
		snprintf(why, length, "%s has no parameters", policy->row->name);
	else
		snprintf(why, length, "the parameters of %s are %s=VALUE and %s=VALUE", policy->row->name,
			policy->row->values[0].key, policy->row->values[1].key);
	return -EINVAL;
}

/* "COND" or "COND for TIME". */
static int set_condition(struct sim_policy *policy, char *text, char *why, size_t length)
{
	char *hold = strstr(text, " for ");
	const char *what;

	if (hold) {
		*hold = '\0';
		hold += strlen(" for ");
		if (units_parse_duration(hold, &policy->hold_ns) || !policy->hold_ns || policy->hold_ns > UINT64_MAX / 4) {
			snprintf(why, length, "after `for` a time above 0 is needed, as in for 50ms");
			return -EINVAL;
		}
	}
	if (freeze_parse(text, &policy->condition, &what)) {
		snprintf(why, length, "%s", what);
		return -EINVAL;
	}
	what = freeze_host_word(&policy->condition);
	if (!what)
		return 0;
	snprintf(why, length, "%s is known to the host only; a policy reacts to step(A,B), copies, busy, qdepth and cmd", what);
	return -EINVAL;
}

static const struct sim_policy_row *find_row(const char *name)
{
	for (const struct sim_policy_row *row = sim_policy_rows; row->name; row++) {
		if (!strcmp(row->name, name))
			return row;
	}
	return NULL;
}

int sim_policy_add(struct sim_policies *policies, const char *text, char *why, size_t length)
{
	struct sim_policy policy = {.row = NULL};
	char copy[SIM_POLICY_TEXT], *condition, *next, *name = copy;
	const struct sim_policy_row *other;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", text) >= sizeof(copy)) {
		snprintf(why, length, "is too long");
		return -EINVAL;
	}
	condition = strstr(copy, ":if=");
	if (condition) {
		*condition = '\0';
		condition += strlen(":if=");
	}
	next = strchr(copy, ',');
	if (next)
		*next++ = '\0';
	policy.row = find_row(name);
	if (!policy.row) {
		snprintf(why, length, "must be multistream, fdp, log-first, hints or history, with ,KEY=VALUE and :if=COND");
		return -EINVAL;
	}
	other = policies->list[policy.row->kind].row;
	if (other) {
		snprintf(why, length, "contradicts --policy %s, which %s, too; keep one", other->name,
			policy.row->kind == SIM_PLACEMENT ? "places pages" : "orders what waits");
		return -EINVAL;
	}
	for (size_t i = 0; i < SIM_POLICY_VALUES; i++)
		policy.values[i] = policy.row->values[i].preset;
	while (next) {
		char *value = next;

		next = strchr(value, ',');
		if (next)
			*next++ = '\0';
		if (set_value(&policy, value, why, length))
			return -EINVAL;
	}
	if (condition && set_condition(&policy, condition, why, length))
		return -EINVAL;
	policies->list[policy.row->kind] = policy;
	return 0;
}

bool sim_policies_have_condition(const struct sim_policies *policies)
{
	for (int i = 0; i < SIM_POLICY_KINDS; i++) {
		if (policies->list[i].condition.count)
			return true;
	}
	return false;
}

const char *sim_policy_text(const struct sim_policy *policy, char *text, size_t length)
{
	size_t used = (size_t)snprintf(text, length, "%s", policy->row->name);

	for (size_t i = 0; i < SIM_POLICY_VALUES && policy->row->values[i].key && used < length; i++) {
		if (policy->values[i])
			used += (size_t)snprintf(text + used, length - used, ",%s=%" PRIu64 "%s", policy->row->values[i].key,
				policy->values[i], policy->row->values[i].type == SIM_POLICY_TIME ? "ns" : "");
	}
	if (policy->condition.count && used < length)
		used += (size_t)snprintf(text + used, length - used, ":if=%s", policy->condition.text);
	if (policy->hold_ns && used < length)
		snprintf(text + used, length - used, " for %" PRIu64 "ns", policy->hold_ns);
	return text;
}

/* --- when policies are active --- */

static void apply(struct sim_device *device)
{
	const bool *is_active = device->policy.is_active;
	const struct sim_policy_row *placement = device->policies.list[SIM_PLACEMENT].row;

	device->is_ordered = is_active[SIM_ORDER];
	if (placement)
		device->ftl.placement = !is_active[SIM_PLACEMENT] ? FTL_TOGETHER
				      : placement == &sim_policy_rows[FDP] ? FTL_COLLECTED_TOGETHER : FTL_APART;
}

void policy_open(struct sim_device *device)
{
	struct policy_state *state = &device->policy;

	state->seen_ns = device->now_ns;
	for (int i = 0; i < SIM_POLICY_KINDS; i++) {
		const struct sim_policy *policy = &device->policies.list[i];

		device->has_policies = device->has_policies || policy->row;
		state->is_active[i] = policy->row && !policy->condition.count;
	}
	if (device->policies.list[SIM_ORDER].row == &sim_policy_rows[HISTORY])
		state->window_end_ns = device->now_ns + device->policies.list[SIM_ORDER].values[HISTORY_WINDOW];
	apply(device);
}

/* A time that has gone by ends at the first completion after it. */
void policy_complete(struct sim_device *device, const struct command *command)
{
	struct policy_state *state = &device->policy;
	const struct record record = {.stream = command->stream, .batch = command->number};
	struct freeze_device completed;

	sim_device_completed(device, &completed);
	completed.depth = device->depth;
	for (int i = 0; i < SIM_POLICY_KINDS; i++) {
		const struct sim_policy *policy = &device->policies.list[i];

		if (state->is_active[i])
			device->totals.policy_active_ns[i] += device->now_ns - state->seen_ns;
		if (!policy->condition.count)
			continue;
		if (freeze_matches(&policy->condition, &record, 0, 0, &completed)) {
			device->totals.policy_fired[i] += !state->is_active[i];
			state->is_active[i] = true;
			state->until_ns[i] = policy->hold_ns ? device->now_ns + policy->hold_ns : 0;
		} else if (state->is_active[i] && policy->hold_ns && device->now_ns >= state->until_ns[i]) {
			state->is_active[i] = false;
		}
	}
	state->seen_ns = device->now_ns;
	apply(device);
}

/* --- the order --- */

/* At the recent rates a checkpoint takes so long that more log than that is written meanwhile. */
static bool is_late(const struct sim_device *device)
{
	const struct policy_state *state = &device->policy;
	uint64_t recovery = device->policies.list[SIM_ORDER].values[HISTORY_RECOVERY], page = device->params.page_bytes;
	uint64_t checkpoint = (device->areas[MIX_CHECKPOINT].end - device->areas[MIX_CHECKPOINT].begin) * page;

	if (!recovery)
		recovery = (device->areas[MIX_LOG].end - device->areas[MIX_LOG].begin) * page / 2;
	return state->rates[MIX_LOG] * (double)checkpoint > state->rates[MIX_CHECKPOINT] * (double)recovery;
}

static void remember(struct sim_device *device, const struct command *command)
{
	struct policy_state *state = &device->policy;
	uint64_t window = device->policies.list[SIM_ORDER].values[HISTORY_WINDOW];

	while (device->now_ns >= state->window_end_ns) {
		for (int i = 0; i < SIM_STREAMS; i++) {
			state->rates[i] = (state->rates[i] + (double)state->written[i]) / 2;
			state->written[i] = 0;
		}
		state->is_checkpoint_first = is_late(device);
		/* After a long pause nothing is left of the rates. */
		state->window_end_ns = device->now_ns >= state->window_end_ns + 64 * window ? device->now_ns + window
											     : state->window_end_ns + window;
	}
	if (command->stream < SIM_STREAMS)
		state->written[command->stream] += command->length;
}

static uint64_t due_of(const struct sim_device *device, uint32_t stream, uint64_t now_ns)
{
	const struct sim_policy *policy = &device->policies.list[SIM_ORDER];

	if (policy->row == &sim_policy_rows[HINTS])
		return now_ns + policy->values[stream == MIX_LOG ? HINT_LOG : HINT_CHECKPOINT];
	if (policy->row == &sim_policy_rows[HISTORY])
		return (stream == MIX_LOG) == device->policy.is_checkpoint_first;
	return stream != MIX_LOG;
}

void policy_arrive(struct sim_device *device, struct command *command)
{
	const struct sim_policy_row *row = device->policies.list[SIM_ORDER].row;

	if (!row)
		return;
	if (row == &sim_policy_rows[HISTORY])
		remember(device, command);
	/* A flush is what a commit waits for. */
	command->due = command->length ? due_of(device, command->stream, device->now_ns) : 0;
}

uint64_t policy_least_urgent(const struct sim_device *device)
{
	uint64_t log = due_of(device, MIX_LOG, device->now_ns), other = due_of(device, MIX_CHECKPOINT, device->now_ns);

	return log > other ? log : other;
}

void policy_place(struct sim_device *device, uint32_t lsa, const struct ftl_gc *gc)
{
	device->totals.handle_programs[ftl_handle_of(&device->ftl, lsa)]++;
	for (uint32_t i = 0; i < gc->count; i++)
		device->totals.handle_copies[ftl_handle_of(&device->ftl, gc->copies[i].lsa)]++;
}

void policy_sort_commands(struct sim_device *device, struct fifo *fifo)
{
	struct command *commands = device->commands;
	uint32_t best = fifo->first, best_before = NONE;

	for (uint32_t before = fifo->first; before != NONE && commands[before].next != NONE; before = commands[before].next) {
		if (commands[commands[before].next].due >= commands[best].due)
			continue;
		best = commands[before].next;
		best_before = before;
	}
	if (best_before == NONE)
		return;
	commands[best_before].next = commands[best].next;
	if (fifo->last == best)
		fifo->last = best_before;
	commands[best].next = fifo->first;
	fifo->first = best;
}

static uint64_t due_of_slice(const struct sim_device *device, uint32_t index)
{
	return device->commands[device->slices[index].command].due;
}

void policy_sort_slices(struct sim_device *device, struct fifo *fifo)
{
	struct slice *slices = device->slices;
	uint32_t best = fifo->first, best_before = NONE;

	for (uint32_t before = fifo->first; before != NONE && slices[before].next_dma != NONE; before = slices[before].next_dma) {
		if (due_of_slice(device, slices[before].next_dma) >= due_of_slice(device, best))
			continue;
		best = slices[before].next_dma;
		best_before = before;
	}
	if (best_before == NONE)
		return;
	slices[best_before].next_dma = slices[best].next_dma;
	if (fifo->last == best)
		fifo->last = best_before;
	slices[best].next_dma = fifo->first;
	fifo->first = best;
}

/* Behind the last one that is as urgent, or of the same block: pages are programmed in their order, and an erase stands between
 * what is read before it and what is programmed after it. An erase goes to the end, behind the copies of its victim. */
void policy_insert_op(struct sim_device *device, struct fifo *fifo, uint32_t index)
{
	struct op *ops = device->ops, *op = &ops[index];
	uint32_t before = NONE;

	for (uint32_t at = fifo->first; at != NONE; at = ops[at].next) {
		if (op->kind == OP_ERASE || ops[at].due <= op->due || ops[at].block == op->block)
			before = at;
	}
	op->next = before == NONE ? fifo->first : ops[before].next;
	if (before == NONE)
		fifo->first = index;
	else
		ops[before].next = index;
	if (op->next == NONE)
		fifo->last = index;
}

uint64_t policy_ways(const struct sim_device *device, uint32_t channel, enum class class)
{
	uint64_t most = UINT64_MAX, found = 0;

	for (uint64_t left = device->channels[channel].classes[class]; left; left &= left - 1) {
		const struct way *way = &device->ways[(uint32_t)__builtin_ctzll(left) * device->params.channels + channel];
		uint64_t due = way->op != NONE ? device->ops[way->op].due : UINT64_MAX;

		/* What is behind the first one in its block waits for it. */
		for (uint32_t at = way->queue.first; at != NONE; at = device->ops[at].next)
			due = device->ops[at].due < due ? device->ops[at].due : due;
		if (due < most) {
			most = due;
			found = 0;
		}
		if (due == most)
			found |= left & -left;
	}
	return found;
}

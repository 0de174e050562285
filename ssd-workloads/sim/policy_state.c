/* SPDX-License-Identifier: GPL-3.0-or-later */
/* State of a device's policies: when they are active, and the order of commands, DMAs and operations. */
#include "config.h"

#include "ssd-workloads/sim/device.h"
#include "ssd-workloads/sim/state.h"
#include "ssd-workloads/workload/mix.h"

enum { HINT_LOG, HINT_CHECKPOINT };
enum { HISTORY_WINDOW, HISTORY_RECOVERY };

/* --- when policies are active --- */

static void apply(struct sim_device *device)
{
	const bool *is_active = device->policy.is_active;
	const struct sim_policy_row *placement = device->policies.list[SIM_PLACEMENT].row;

	device->is_ordered = is_active[SIM_ORDER];
	if (placement)
		device->ftl.placement = !is_active[SIM_PLACEMENT] ? FTL_TOGETHER
				      : placement == &sim_policy_rows[SIM_POLICY_FDP] ? FTL_COLLECTED_TOGETHER : FTL_APART;
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
	if (device->policies.list[SIM_ORDER].row == &sim_policy_rows[SIM_POLICY_HISTORY])
		state->window_end_ns = device->now_ns + device->policies.list[SIM_ORDER].values[HISTORY_WINDOW];
	apply(device);
}

/* A hold time that has passed ends at the first completion after it. */
void policy_complete(struct sim_device *device, const struct sim_command *command)
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

/* Returns whether, at the recent rates, more log than `recovery` is written during one checkpoint. */
static bool is_late(const struct sim_device *device)
{
	const struct policy_state *state = &device->policy;
	uint64_t recovery = device->policies.list[SIM_ORDER].values[HISTORY_RECOVERY], page = device->params.page_bytes;
	uint64_t checkpoint = (device->areas[MIX_CHECKPOINT].end - device->areas[MIX_CHECKPOINT].begin) * page;

	if (!recovery)
		recovery = (device->areas[MIX_LOG].end - device->areas[MIX_LOG].begin) * page / 2;
	return state->rates[MIX_LOG] * (double)checkpoint > state->rates[MIX_CHECKPOINT] * (double)recovery;
}

static void remember(struct sim_device *device, const struct sim_command *command)
{
	struct policy_state *state = &device->policy;
	uint64_t window = device->policies.list[SIM_ORDER].values[HISTORY_WINDOW];

	while (device->now_ns >= state->window_end_ns) {
		for (int i = 0; i < SIM_STREAMS; i++) {
			state->rates[i] = (state->rates[i] + (double)state->written[i]) / 2;
			state->written[i] = 0;
		}
		state->is_checkpoint_first = is_late(device);
		/* After 64 windows without commands the old rates have vanished. */
		state->window_end_ns = device->now_ns >= state->window_end_ns + 64 * window ? device->now_ns + window
											     : state->window_end_ns + window;
	}
	if (command->stream < SIM_STREAMS)
		state->written[command->stream] += command->length;
}

static uint64_t due_of(const struct sim_device *device, uint32_t stream, uint64_t now_ns)
{
	const struct sim_policy *policy = &device->policies.list[SIM_ORDER];

	if (policy->row == &sim_policy_rows[SIM_POLICY_HINTS])
		return now_ns + policy->values[stream == MIX_LOG ? HINT_LOG : HINT_CHECKPOINT];
	if (policy->row == &sim_policy_rows[SIM_POLICY_HISTORY])
		return (stream == MIX_LOG) == device->policy.is_checkpoint_first;
	return stream != MIX_LOG;
}

void policy_arrive(struct sim_device *device, struct sim_command *command)
{
	const struct sim_policy_row *row = device->policies.list[SIM_ORDER].row;

	if (!row)
		return;
	if (row == &sim_policy_rows[SIM_POLICY_HISTORY])
		remember(device, command);
	/* Flushes come first, because commits wait for them. */
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
	struct sim_command *commands = device->commands;
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

/* Inserts an operation after the last one that is at least as urgent or of the same block: the order in a block must not change. An
 * erase goes to the end, after the copies of its victim. */
void policy_insert_op(struct sim_device *device, struct fifo *fifo, uint32_t index)
{
	struct flash_op *ops = device->ops, *op = &ops[index];
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

		/* The most urgent operation counts, because it waits for those before it. */
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

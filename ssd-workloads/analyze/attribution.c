/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/analyze/attribution.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/arena.h"

const char *attribution_kind_name(enum attribution_kind kind)
{
#define KIND_NAME(name, text) [ATTRIBUTION_##name] = (text),
	static const char *const names[] = {ATTRIBUTION_KINDS(KIND_NAME)};
#undef KIND_NAME

	return names[kind];
}

const char *attribution_origin_name(enum attribution_origin origin)
{
	static const char *const names[] = {"self", "same", "other"};

	return names[origin];
}

uint64_t attribution_sum(const struct attribution_parts *parts)
{
	uint64_t sum = 0;

	for (int kind = 0; kind < ATTRIBUTION_KINDS_COUNT; kind++) {
		for (int origin = 0; origin < ATTRIBUTION_ORIGINS; origin++)
			sum += parts->ns[kind][origin];
	}
	return sum;
}

/* --- what occupied a resource --- */

struct busy {
	uint64_t from_ns, to_ns;
	uint32_t command, slice;      /* in the table; DEVICE_NONE = not known, not one slice's */
	uint8_t kind;
};

struct lane { /* of a resource: by time, none overlaps another */
	size_t count, room;
	struct busy *list;
};

struct gap { uint64_t from_ns, to_ns; };

struct attribution {
	const struct device_table *table;
	bool has_slots;               /* there are as many command slots as commands */
	struct lane *ways, *buses;    /* by die, by channel */
	struct lane core, dma;
	/* Of the wait under way. */
	struct gap *gaps, *next;      /* what nothing was found for yet */
	size_t gap_count, gap_room, next_room;
};

static int add_busy(struct lane *lane, uint64_t from_ns, uint64_t to_ns, enum attribution_kind kind, uint32_t command,
	uint32_t slice)
{
	int rc = from_ns < to_ns ? arena_grow(&lane->list, &lane->room, lane->count, sizeof(*lane->list)) : 0;

	if (!rc && from_ns < to_ns)
		lane->list[lane->count++] = (struct busy){from_ns, to_ns, command, slice, (uint8_t)kind};
	return rc;
}

static int compare_busy(const void *a, const void *b)
{
	const struct busy *x = a, *y = b;

	if (x->to_ns != y->to_ns)
		return x->to_ns < y->to_ns ? -1 : 1;
	return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* The core ends with what it does at the time that is recorded. */
static int add_work(struct attribution *attribution, uint64_t end_ns, uint64_t took_ns, uint32_t command)
{
	return end_ns ? add_busy(&attribution->core, end_ns - took_ns, end_ns, ATTRIBUTION_FIRMWARE, command, DEVICE_NONE) : 0;
}

static int add_way_op(struct attribution *attribution, uint32_t die, const struct device_op *op)
{
	static const uint8_t kinds[] = {[DEVICE_PROGRAM] = ATTRIBUTION_PROGRAM, [DEVICE_READ] = ATTRIBUTION_READ,
		[DEVICE_GC_READ] = ATTRIBUTION_GC_READ, [DEVICE_GC_PROGRAM] = ATTRIBUTION_GC_COPY,
		[DEVICE_ERASE] = ATTRIBUTION_ERASE};
	const struct sim_section *section = attribution->table->section;
	struct lane *bus = &attribution->buses[die % section->channels];
	uint32_t command = device_op_command(attribution->table, op);
	uint64_t transfer_ns = section->transfer_ns, sent_ns = op->end_ns - section->done_ns;
	bool is_program = op->work == DEVICE_PROGRAM || op->work == DEVICE_GC_PROGRAM;
	int rc = add_busy(&attribution->ways[die], op->begin_ns, op->end_ns, (enum attribution_kind)kinds[op->work], command,
		op->slice);

	/* A collection may take no time (--sim gc-time=0). */
	if (!rc && is_program && op->begin_ns > attribution->table->first_ns && op->end_ns >= op->begin_ns + transfer_ns)
		rc = add_busy(bus, op->begin_ns, op->begin_ns + transfer_ns, ATTRIBUTION_BUS, command, op->slice);
	/* The last thing that a read does, but for being noticed. */
	if (!rc && !is_program && op->work != DEVICE_ERASE && op->end_ns > op->begin_ns + section->done_ns + transfer_ns)
		rc = add_busy(bus, sent_ns - transfer_ns, sent_ns, ATTRIBUTION_BUS, command, op->slice);
	if (!rc)
		rc = add_work(attribution, op->begin_ns, section->issue_ns, command);
	return rc ? rc : add_work(attribution, op->end_ns, section->done_ns, command);
}

static int add_command_work(struct attribution *attribution, uint32_t index)
{
	const struct device_table *table = attribution->table;
	const struct sim_section *section = table->section;
	const struct device_command *command = &table->commands[index];
	int rc = 0;

	if (command->first != DEVICE_NONE)
		rc = add_work(attribution, table->slices[command->first].at_ns[SIM_CUT],
			section->command_ns + command->count * section->cut_ns, index);
	for (uint32_t at = command->first; at != DEVICE_NONE && !rc; at = table->slices[at].next) {
		const uint64_t *at_ns = table->slices[at].at_ns;

		if (at_ns[SIM_FTL] && at_ns[SIM_FTL_DONE] > at_ns[SIM_FTL])
			rc = add_work(attribution, at_ns[SIM_FTL_DONE], at_ns[SIM_FTL_DONE] - at_ns[SIM_FTL], index);
		if (!rc)
			rc = add_work(attribution, at_ns[SIM_DMA], section->dma_issue_ns, index);
		if (!rc && at_ns[SIM_DMA] && at_ns[SIM_DMA_DONE] > at_ns[SIM_DMA] + section->dma_latency_ns)
			rc = add_busy(&attribution->dma, at_ns[SIM_DMA], at_ns[SIM_DMA_DONE] - section->dma_latency_ns,
				ATTRIBUTION_DMA, index, at);
	}
	return rc;
}

static void sort_lane(struct lane *lane)
{
	if (lane->count)
		qsort(lane->list, lane->count, sizeof(lane->list[0]), compare_busy);
}

/* One transfer at a time, in order: each begins when it was issued, or when the one before was done. */
static void order_dma(struct lane *dma)
{
	sort_lane(dma);
	for (size_t i = 1; i < dma->count; i++) {
		if (dma->list[i].from_ns < dma->list[i - 1].to_ns)
			dma->list[i].from_ns = dma->list[i - 1].to_ns;
	}
}

static int fill_lanes(struct attribution *attribution)
{
	const struct device_table *table = attribution->table;
	int rc = 0;

	for (uint32_t die = 0; die < table->dies; die++) {
		for (size_t i = 0; i < table->ways[die].count && !rc; i++)
			rc = add_way_op(attribution, die, &table->ways[die].ops[i]);
	}
	for (uint32_t i = 0; i < table->command_count && !rc; i++)
		rc = add_command_work(attribution, i);
	for (uint32_t ch = 0; ch < table->section->channels && !rc; ch++)
		sort_lane(&attribution->buses[ch]);
	sort_lane(&attribution->core);
	order_dma(&attribution->dma);
	return rc;
}

int attribution_open(const struct device_table *table, struct attribution **opened)
{
	struct attribution *attribution = calloc(1, sizeof(*attribution));
	const struct dump_stream *streams = table->dump->head.streams;
	int rc = -ENOMEM;

	if (!attribution)
		return -ENOMEM;
	attribution->table = table;
	attribution->has_slots = streams[MIX_LOG].depth + streams[MIX_CHECKPOINT].depth <= table->section->slots;
	attribution->ways = calloc(table->dies, sizeof(*attribution->ways));
	attribution->buses = calloc(table->section->channels, sizeof(*attribution->buses));
	if (attribution->ways && attribution->buses)
		rc = fill_lanes(attribution);
	if (rc)
		attribution_close(attribution);
	else
		*opened = attribution;
	return rc;
}

void attribution_close(struct attribution *attribution)
{
	if (!attribution)
		return;
	for (uint32_t die = 0; die < attribution->table->dies && attribution->ways; die++)
		free(attribution->ways[die].list);
	for (uint32_t ch = 0; ch < attribution->table->section->channels && attribution->buses; ch++)
		free(attribution->buses[ch].list);
	free(attribution->ways);
	free(attribution->buses);
	free(attribution->core.list);
	free(attribution->dma.list);
	free(attribution->gaps);
	free(attribution->next);
	free(attribution);
}

/* --- a wait --- */

struct victim {
	uint32_t command, slice;
	struct attribution_parts *parts;
};

static void blame(const struct attribution *attribution, const struct victim *victim, enum attribution_kind kind,
	uint32_t command, uint64_t ns)
{
	const struct device_command *commands = attribution->table->commands;
	enum attribution_origin origin = ATTRIBUTION_SELF;

	if (command == DEVICE_NONE)
		kind = ATTRIBUTION_UNKNOWN;
	else if (command != victim->command)
		origin = commands[command].stream == commands[victim->command].stream ? ATTRIBUTION_SAME : ATTRIBUTION_OTHER;
	victim->parts->ns[kind][origin] += ns;
}

static int keep_gap(struct attribution *attribution, size_t *count, uint64_t from_ns, uint64_t to_ns)
{
	int rc = from_ns < to_ns ? arena_grow(&attribution->next, &attribution->next_room, *count, sizeof(struct gap)) : 0;

	if (!rc && from_ns < to_ns)
		attribution->next[(*count)++] = (struct gap){from_ns, to_ns};
	return rc;
}

static size_t first_after(const struct lane *lane, uint64_t t_ns)
{
	size_t low = 0, high = lane->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lane->list[middle].to_ns <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What is left of the wait goes to the lane's occupants as far as there are any. */
static int give(struct attribution *attribution, const struct victim *victim, const struct lane *lane)
{
	size_t count = 0, room;
	struct gap *swapped;
	int rc = 0;

	for (size_t g = 0; g < attribution->gap_count && !rc; g++) {
		struct gap gap = attribution->gaps[g];

		for (size_t i = first_after(lane, gap.from_ns); i < lane->count && lane->list[i].from_ns < gap.to_ns && !rc; i++) {
			const struct busy *busy = &lane->list[i];
			uint64_t from_ns = busy->from_ns > gap.from_ns ? busy->from_ns : gap.from_ns;
			uint64_t to_ns = busy->to_ns < gap.to_ns ? busy->to_ns : gap.to_ns;

			if (from_ns >= to_ns || (busy->slice == victim->slice && busy->slice != DEVICE_NONE))
				continue;
			blame(attribution, victim, (enum attribution_kind)busy->kind, busy->command, to_ns - from_ns);
			rc = keep_gap(attribution, &count, gap.from_ns, from_ns);
			gap.from_ns = to_ns;
		}
		if (!rc)
			rc = keep_gap(attribution, &count, gap.from_ns, gap.to_ns);
	}
	swapped = attribution->gaps;
	room = attribution->gap_room;
	attribution->gaps = attribution->next;
	attribution->gap_room = attribution->next_room;
	attribution->gap_count = count;
	attribution->next = swapped;
	attribution->next_room = room;
	return rc;
}

/* Begins a wait; what of it is before all is known is given away at once. */
static int wait_from(struct attribution *attribution, const struct victim *victim, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t known_ns = attribution->table->known_ns;
	int rc = arena_grow(&attribution->gaps, &attribution->gap_room, 0, sizeof(struct gap));

	attribution->gap_count = 0;
	if (rc || from_ns >= to_ns)
		return rc;
	if (from_ns < known_ns)
		blame(attribution, victim, ATTRIBUTION_UNKNOWN, victim->command, (to_ns < known_ns ? to_ns : known_ns) - from_ns);
	if (to_ns > known_ns)
		attribution->gaps[attribution->gap_count++] = (struct gap){from_ns > known_ns ? from_ns : known_ns, to_ns};
	return 0;
}

static void give_rest(struct attribution *attribution, const struct victim *victim, enum attribution_kind kind, uint32_t command)
{
	for (size_t g = 0; g < attribution->gap_count; g++)
		blame(attribution, victim, kind, command, attribution->gaps[g].to_ns - attribution->gaps[g].from_ns);
	attribution->gap_count = 0;
}

/* --- the stages of a slice --- */

/* For the core, until it is at it; of the stage's end own_ns are its own. */
static int wait_for_core(struct attribution *attribution, const struct victim *victim, uint64_t from_ns, uint64_t to_ns,
	uint64_t own_ns, enum attribution_kind rest)
{
	int rc;

	own_ns = own_ns < to_ns - from_ns ? own_ns : to_ns - from_ns;
	victim->parts->ns[ATTRIBUTION_OWN][ATTRIBUTION_SELF] += own_ns;
	rc = wait_from(attribution, victim, from_ns, to_ns - own_ns);
	if (!rc)
		rc = give(attribution, victim, &attribution->core);
	if (!rc)
		give_rest(attribution, victim, rest, victim->command);
	return rc;
}

/* The entry is free when the slice that used it before is done with it. */
static int give_entry(struct attribution *attribution, const struct victim *victim)
{
	const struct device_table *table = attribution->table;
	uint32_t before = table->slices[victim->slice].before;
	struct busy busy = {.kind = ATTRIBUTION_BUFFER, .slice = before};
	const struct lane lane = {.count = 1, .list = &busy};

	if (before == DEVICE_NONE || before == victim->slice)
		return 0;
	busy.to_ns = device_slice_done_ns(table, &table->slices[before]);
	busy.command = table->slices[before].command;
	return give(attribution, victim, &lane);
}

/* ahead: whose operation comes before it in its block. */
static int wait_for_turn(struct attribution *attribution, const struct victim *victim, uint32_t die, uint32_t ahead,
	uint64_t from_ns, uint64_t to_ns)
{
	int rc = wait_from(attribution, victim, from_ns, to_ns);

	if (!rc)
		rc = give_entry(attribution, victim);
	if (!rc)
		rc = give(attribution, victim, &attribution->ways[die]);
	if (!rc)
		rc = give(attribution, victim, &attribution->buses[die % attribution->table->section->channels]);
	if (!rc)
		give_rest(attribution, victim, ATTRIBUTION_ORDER, ahead);
	return rc;
}

static int wait_for_way(struct attribution *attribution, const struct victim *victim, uint32_t die, uint64_t from_ns,
	uint64_t to_ns)
{
	uint64_t own_ns = attribution->table->section->issue_ns;
	int rc;

	own_ns = own_ns < to_ns - from_ns ? own_ns : to_ns - from_ns;
	victim->parts->ns[ATTRIBUTION_OWN][ATTRIBUTION_SELF] += own_ns;
	rc = wait_from(attribution, victim, from_ns, to_ns - own_ns);
	if (!rc)
		rc = give(attribution, victim, &attribution->ways[die]);
	if (!rc)
		rc = give(attribution, victim, &attribution->buses[die % attribution->table->section->channels]);
	if (!rc)
		rc = give(attribution, victim, &attribution->core);
	if (!rc)
		give_rest(attribution, victim, ATTRIBUTION_FIRMWARE, victim->command);
	return rc;
}

/* Queued, begun and done at these times, after *last_ns. */
static int run_op(struct attribution *attribution, const struct victim *victim, uint32_t die, uint32_t ahead,
	const uint64_t at_ns[3], uint64_t *last_ns)
{
	int rc = wait_for_turn(attribution, victim, die, ahead, *last_ns, at_ns[0]);

	if (!rc)
		rc = wait_for_way(attribution, victim, die, at_ns[0], at_ns[1]);
	victim->parts->ns[ATTRIBUTION_OWN][ATTRIBUTION_SELF] += at_ns[2] - at_ns[1];
	*last_ns = at_ns[2];
	return rc;
}

static int run_dma(struct attribution *attribution, const struct victim *victim, const uint64_t *at_ns, uint64_t *last_ns)
{
	uint64_t own_ns = attribution->table->section->dma_issue_ns, wait_ns = at_ns[SIM_DMA] - *last_ns;
	int rc;

	own_ns = own_ns < wait_ns ? own_ns : wait_ns;
	victim->parts->ns[ATTRIBUTION_OWN][ATTRIBUTION_SELF] += own_ns;
	rc = wait_from(attribution, victim, *last_ns, at_ns[SIM_DMA] - own_ns);
	if (!rc)
		rc = give_entry(attribution, victim);
	if (!rc)
		rc = give(attribution, victim, &attribution->core);
	if (!rc)
		give_rest(attribution, victim, ATTRIBUTION_FIRMWARE, victim->command);
	if (!rc)
		rc = wait_from(attribution, victim, at_ns[SIM_DMA], at_ns[SIM_DMA_DONE]);
	if (!rc)
		rc = give(attribution, victim, &attribution->dma);
	if (!rc)
		give_rest(attribution, victim, ATTRIBUTION_OWN, victim->command);
	*last_ns = at_ns[SIM_DMA_DONE];
	return rc;
}

int attribution_slice(struct attribution *attribution, uint32_t index, struct attribution_parts *parts)
{
	const struct device_table *table = attribution->table;
	const struct device_slice *slice = &table->slices[index];
	const struct device_command *command = &table->commands[slice->command];
	const struct victim victim = {slice->command, index, parts};
	bool is_buffered = table->section->write_mode == SIM_BUFFERED;
	uint64_t last_ns = slice->at_ns[SIM_FTL_DONE];
	int rc;

	memset(parts, 0, sizeof(*parts));
	rc = wait_for_core(attribution, &victim, device_fetched_ns(table, command), slice->at_ns[SIM_CUT],
		table->section->command_ns + command->count * table->section->cut_ns,
		attribution->has_slots ? ATTRIBUTION_FIRMWARE : ATTRIBUTION_FETCH);
	if (!rc)
		rc = wait_for_core(attribution, &victim, slice->at_ns[SIM_CUT], slice->at_ns[SIM_FTL], 0, ATTRIBUTION_FIRMWARE);
	parts->ns[ATTRIBUTION_OWN][ATTRIBUTION_SELF] += last_ns - slice->at_ns[SIM_FTL];
	if (!rc && is_buffered && slice->die != DEVICE_NONE)
		rc = run_op(attribution, &victim, slice->die, slice->ahead, &slice->at_ns[SIM_QUEUED], &last_ns);
	if (!rc && slice->read_die != DEVICE_NONE)
		rc = run_op(attribution, &victim, slice->read_die, slice->read_ahead, slice->read_ns, &last_ns);
	if (!rc)
		rc = run_dma(attribution, &victim, slice->at_ns, &last_ns);
	if (!rc && !is_buffered)
		rc = run_op(attribution, &victim, slice->die, slice->ahead, &slice->at_ns[SIM_QUEUED], &last_ns);
	return rc;
}

int attribution_command(struct attribution *attribution, const struct device_command *command, struct attribution_parts *parts)
{
	const struct device_table *table = attribution->table;
	const struct device_slice *slice = &table->slices[command->critical];
	int rc = attribution_slice(attribution, command->critical, parts);

	parts->ns[ATTRIBUTION_FETCH][ATTRIBUTION_SELF] += device_fetched_ns(table, command) - device_issued_ns(command);
	parts->ns[ATTRIBUTION_OWN][ATTRIBUTION_SELF] += command->done_ns - device_slice_done_ns(table, slice);
	return rc;
}

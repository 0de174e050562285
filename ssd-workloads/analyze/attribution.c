/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/analyze/attribution.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"

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

/* --- occupants of a resource --- */

struct busy {
	uint64_t from_ns, to_ns;
	uint32_t command, slice;      /* in the table; DEVICE_NONE = unknown, or not of one slice */
	uint8_t kind;
};

struct lane { /* of a resource: by time, without overlaps */
	size_t count, capacity;
	struct busy *list;
};

struct gap { uint64_t from_ns, to_ns; };

struct attribution {
	const struct device_table *table;
	bool has_slots;               /* there are as many command slots as commands */
	struct lane *ways, *buses;    /* by die, by channel */
	struct lane core, dma;
	struct gaps { size_t count, capacity; struct gap *list; } gaps, next; /* parts of the wait without an occupant so far */
};

static int add_busy(struct lane *lane, uint64_t from_ns, uint64_t to_ns, enum attribution_kind kind, uint32_t command,
	uint32_t slice)
{
	int rc = from_ns < to_ns ? arena_grow(&lane->list, &lane->capacity, lane->count, sizeof(*lane->list)) : 0;

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

/* The recorded time is the end of the firmware's work. */
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
	/* A read ends with its transfer and the detection by the firmware. */
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

int attribution_open(const struct device_table *table, struct attribution **opened)
{
	struct attribution *attribution = calloc(1, sizeof(*attribution));
	const struct dump_stream *streams = table->dump->head.streams;
	struct lane *dma;
	int rc = 0;

	if (!attribution)
		return -ENOMEM;
	attribution->table = table;
	attribution->has_slots = streams[MIX_LOG].depth + streams[MIX_CHECKPOINT].depth <= table->section->slots;
	attribution->ways = calloc(table->dies, sizeof(*attribution->ways));
	attribution->buses = calloc(table->section->channels, sizeof(*attribution->buses));
	if (!attribution->ways || !attribution->buses)
		rc = -ENOMEM;
	for (uint32_t die = 0; die < table->dies && !rc; die++) {
		for (size_t i = 0; i < table->ways[die].count && !rc; i++)
			rc = add_way_op(attribution, die, &table->ways[die].ops[i]);
	}
	for (uint32_t i = 0; i < table->command_count && !rc; i++)
		rc = add_command_work(attribution, i);
	if (rc) {
		attribution_close(attribution);
		return rc;
	}
	for (uint32_t ch = 0; ch < table->section->channels; ch++)
		sort_lane(&attribution->buses[ch]);
	sort_lane(&attribution->core);
	/* Transfers are serial: each begins when it is issued, or when the one before ends. */
	dma = &attribution->dma;
	sort_lane(dma);
	for (size_t i = 1; i < dma->count; i++) {
		if (dma->list[i].from_ns < dma->list[i - 1].to_ns)
			dma->list[i].from_ns = dma->list[i - 1].to_ns;
	}
	*opened = attribution;
	return 0;
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
	free(attribution->gaps.list);
	free(attribution->next.list);
	free(attribution);
}

/* --- attribution of a wait --- */

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

static int add_gap(struct gaps *gaps, uint64_t from_ns, uint64_t to_ns)
{
	int rc = from_ns < to_ns ? arena_grow(&gaps->list, &gaps->capacity, gaps->count, sizeof(*gaps->list)) : 0;

	if (!rc && from_ns < to_ns)
		gaps->list[gaps->count++] = (struct gap){from_ns, to_ns};
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

/* Attributes the gaps to the occupants of the lane; time without an occupant remains. */
static int give(struct attribution *attribution, const struct victim *victim, const struct lane *lane)
{
	struct gaps *left = &attribution->next, swapped;
	int rc = 0;

	left->count = 0;
	for (size_t g = 0; g < attribution->gaps.count && !rc; g++) {
		struct gap gap = attribution->gaps.list[g];

		for (size_t i = first_after(lane, gap.from_ns); i < lane->count && lane->list[i].from_ns < gap.to_ns && !rc; i++) {
			const struct busy *busy = &lane->list[i];
			uint64_t from_ns = busy->from_ns > gap.from_ns ? busy->from_ns : gap.from_ns;
			uint64_t to_ns = busy->to_ns < gap.to_ns ? busy->to_ns : gap.to_ns;

			if (from_ns >= to_ns || (busy->slice == victim->slice && busy->slice != DEVICE_NONE))
				continue;
			blame(attribution, victim, (enum attribution_kind)busy->kind, busy->command, to_ns - from_ns);
			rc = add_gap(left, gap.from_ns, from_ns);
			gap.from_ns = to_ns;
		}
		if (!rc)
			rc = add_gap(left, gap.from_ns, gap.to_ns);
	}
	swapped = attribution->gaps;
	attribution->gaps = attribution->next;
	attribution->next = swapped;
	return rc;
}

/* Attributes a wait. The last own_ns are the victim's own service, the rest belongs to the occupants of the lanes, in this order;
 * lanes ends with NULL. What remains belongs to rest_kind and rest_command. */
static int attribute_wait(struct attribution *attribution, const struct victim *victim, uint64_t from_ns, uint64_t to_ns,
	uint64_t own_ns, const struct lane *const *lanes, enum attribution_kind rest_kind, uint32_t rest_command)
{
	uint64_t known_ns = attribution->table->known_ns;
	struct gaps *gaps = &attribution->gaps;
	int rc;

	own_ns = own_ns < to_ns - from_ns ? own_ns : to_ns - from_ns;
	victim->parts->ns[ATTRIBUTION_OWN][ATTRIBUTION_SELF] += own_ns;
	to_ns -= own_ns;
	if (from_ns < to_ns && from_ns < known_ns)
		blame(attribution, victim, ATTRIBUTION_UNKNOWN, victim->command, (to_ns < known_ns ? to_ns : known_ns) - from_ns);
	gaps->count = 0;
	rc = add_gap(gaps, from_ns > known_ns ? from_ns : known_ns, to_ns);
	for (; *lanes && !rc; lanes++)
		rc = give(attribution, victim, *lanes);
	for (size_t g = 0; g < gaps->count && !rc; g++)
		blame(attribution, victim, rest_kind, rest_command, gaps->list[g].to_ns - gaps->list[g].from_ns);
	return rc;
}

/* --- the time of a slice --- */

/* Attributes the time from *last_ns to the end of an operation; at_ns: when it was queued, begun and done. ahead is the command
 * whose operation precedes it in its block. */
static int run_op(struct attribution *attribution, const struct victim *victim, const struct lane *entry, uint32_t die,
	uint32_t ahead, const uint64_t at_ns[3], uint64_t *last_ns)
{
	const struct lane *way = &attribution->ways[die];
	const struct lane *bus = &attribution->buses[die % attribution->table->section->channels];
	const struct lane *const turn[] = {entry, way, bus, NULL}, *const begin[] = {way, bus, &attribution->core, NULL};
	int rc = attribute_wait(attribution, victim, *last_ns, at_ns[0], 0, turn, ATTRIBUTION_ORDER, ahead);

	if (!rc)
		rc = attribute_wait(attribution, victim, at_ns[0], at_ns[1], attribution->table->section->issue_ns, begin,
			ATTRIBUTION_FIRMWARE, victim->command);
	victim->parts->ns[ATTRIBUTION_OWN][ATTRIBUTION_SELF] += at_ns[2] - at_ns[1];
	*last_ns = at_ns[2];
	return rc;
}

int attribution_slice(struct attribution *attribution, uint32_t index, struct attribution_parts *parts)
{
	const struct device_table *table = attribution->table;
	const struct sim_section *section = table->section;
	const struct device_slice *slice = &table->slices[index];
	const struct device_command *command = &table->commands[slice->command];
	const uint64_t *at_ns = slice->at_ns;
	const struct victim victim = {slice->command, index, parts};
	bool is_buffered = section->write_mode == SIM_BUFFERED;
	uint64_t last_ns = at_ns[SIM_FTL_DONE];
	/* The buffer entry is free when the slice that used it before is done. */
	struct busy before = {.kind = ATTRIBUTION_BUFFER, .slice = slice->before};
	struct lane entry = {.list = &before};
	const struct lane *const core[] = {&attribution->core, NULL}, *const dma[] = {&attribution->dma, NULL},
		*const issue[] = {&entry, &attribution->core, NULL};
	int rc;

	if (slice->before != DEVICE_NONE && slice->before != index) {
		before.to_ns = device_slice_done_ns(table, &table->slices[slice->before]);
		before.command = table->slices[slice->before].command;
		entry.count = 1;
	}
	memset(parts, 0, sizeof(*parts));
	rc = attribute_wait(attribution, &victim, device_fetched_ns(table, command), at_ns[SIM_CUT],
		section->command_ns + command->count * section->cut_ns, core,
		attribution->has_slots ? ATTRIBUTION_FIRMWARE : ATTRIBUTION_FETCH, slice->command);
	if (!rc)
		rc = attribute_wait(attribution, &victim, at_ns[SIM_CUT], at_ns[SIM_FTL], 0, core, ATTRIBUTION_FIRMWARE,
			slice->command);
	parts->ns[ATTRIBUTION_OWN][ATTRIBUTION_SELF] += last_ns - at_ns[SIM_FTL];
	if (!rc && is_buffered && slice->die != DEVICE_NONE)
		rc = run_op(attribution, &victim, &entry, slice->die, slice->ahead, &at_ns[SIM_QUEUED], &last_ns);
	if (!rc && slice->read_die != DEVICE_NONE)
		rc = run_op(attribution, &victim, &entry, slice->read_die, slice->read_ahead, slice->read_ns, &last_ns);
	if (!rc)
		rc = attribute_wait(attribution, &victim, last_ns, at_ns[SIM_DMA], section->dma_issue_ns, issue,
			ATTRIBUTION_FIRMWARE, slice->command);
	if (!rc)
		rc = attribute_wait(attribution, &victim, at_ns[SIM_DMA], at_ns[SIM_DMA_DONE], 0, dma, ATTRIBUTION_OWN,
			slice->command);
	last_ns = at_ns[SIM_DMA_DONE];
	if (!rc && !is_buffered)
		rc = run_op(attribution, &victim, &entry, slice->die, slice->ahead, &at_ns[SIM_QUEUED], &last_ns);
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

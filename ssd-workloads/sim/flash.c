/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations of the flash: the resources that each waits for (its buffer entry, its order in the block, its way, its bus), and
 * the order in which the firmware serves the controllers. */
#include "config.h"
#include "ssd-workloads/sim/state.h"

#include <stdlib.h>
#include <string.h>

#include "common/hot/rng.h"

/* --- operations --- */

static bool grow_ops(struct sim_device *device)
{
	uint32_t capacity = device->op_capacity ? 2 * device->op_capacity : 1024;
	struct flash_op *ops = realloc(device->ops, capacity * sizeof(*ops));

	if (!ops)
		return false;
	memset(ops + device->op_capacity, 0, (capacity - device->op_capacity) * sizeof(*ops));
	for (uint32_t i = capacity; i-- > device->op_capacity;) {
		ops[i].next = device->free_op;
		device->free_op = i;
	}
	device->ops = ops;
	device->op_capacity = capacity;
	return true;
}

uint32_t flash_new_op(struct sim_device *device, enum op_kind kind, uint32_t block, uint32_t page)
{
	uint32_t index;

	if (device->free_op == NONE && !grow_ops(device)) {
		device_must(device, false, "out of memory");
		return NONE;
	}
	index = device->free_op;
	device->free_op = device->ops[index].next;
	device->ops[index] = (struct flash_op){.number = ++device->op_number, .kind = (uint8_t)kind, .block = block, .page = page,
		.die = ftl_die_of(&device->ftl, block), .erases = device->ftl.blocks[block].erases, .slice = NONE};
	return index;
}

/* Decisions may program and collect a block again while its erase still waits; such reads are counted separately. */
void flash_count_read(struct sim_device *device, uint32_t index)
{
	const struct flash_op *op = &device->ops[index];
	struct live *live = &device->live[op->block];

	if (op->erases == live->erases)
		live->reads++;
	else
		live->later_reads++;
}

/* After an erase, counts the reads of the pages that are programmed next. None of them can have run, so a freed op is never among
 * them. */
static void recount_reads(struct sim_device *device, uint32_t block)
{
	struct live *live = &device->live[block];

	for (uint32_t i = 0; i < device->op_capacity; i++) {
		const struct flash_op *op = &device->ops[i];

		live->reads += op->kind == OP_READ && op->block == block && op->erases == live->erases && op->number;
	}
	live->later_reads -= live->reads;
}

static void free_op(struct sim_device *device, uint32_t index)
{
	device->ops[index].next = device->free_op;
	device->free_op = index;
}

static void append_op(struct sim_device *device, struct fifo *fifo, uint32_t index)
{
	device->ops[index].next = NONE;
	if (fifo->first == NONE)
		fifo->first = index;
	else
		device->ops[fifo->last].next = index;
	fifo->last = index;
}

/* --- the ways of a class --- */

static void list_way(struct sim_device *device, uint32_t die, enum class class)
{
	struct way *way = &device->ways[die];
	struct channel *channel = &device->channels[way->ch];

	way->is_listed = true;
	channel->classes[class] |= 1ull << way->way;
	channel->set |= 1u << class;
	if (!channel->is_busy)
		device->ready |= 1ull << way->ch;
}

static void offer_way(struct sim_device *device, uint32_t die)
{
	static const enum class classes[] = {[OP_READ] = CLASS_READ, [OP_PROGRAM] = CLASS_PROGRAM, [OP_ERASE] = CLASS_ERASE};
	struct way *way = &device->ways[die];

	if (way->op == NONE && !way->is_listed && way->queue.first != NONE)
		list_way(device, die, classes[device->ops[way->queue.first].kind]);
}

/* --- the order in a block --- */

/* In a block, pages are programmed in order and read after their program; the erase follows all reads, and the queued copies of all
 * valid pages. */
static bool may_queue(const struct sim_device *device, const struct flash_op *op)
{
	const struct live *live = &device->live[op->block];

	if (op->erases != live->erases)
		return false;
	if (op->kind == OP_PROGRAM)
		return op->page == live->permitted;
	if (op->kind == OP_READ)
		return op->page < live->permitted;
	return live->permitted == device->params.pages && !live->reads && op->copies_queued == op->copies;
}

static void queue_op(struct sim_device *device, uint32_t index)
{
	struct flash_op *op = &device->ops[index];
	struct way *way = &device->ways[op->die];
	struct sim_channel_totals *totals = &device->channels[way->ch].totals;
	struct live *live = &device->live[op->block];

	if (op->kind == OP_PROGRAM) {
		live->permitted++;
		if (op->slice == NONE)
			device->ops[op->erase].copies_queued++;
	} else if (op->kind == OP_READ) {
		live->reads--;
	} else {
		live->permitted = 0;
		live->erases++;
		if (KEEP_UNLIKELY(live->later_reads))
			recount_reads(device, op->block);
	}
	op->queued_ns = device->now_ns;
	if (KEEP_UNLIKELY(device->is_ordered))
		policy_insert_op(device, &way->queue, index);
	else
		append_op(device, &way->queue, index);
	if (++totals->queued > totals->queued_most)
		totals->queued_most = totals->queued;
	device_record_op(device, op, SIM_QUEUED,
		op->kind == OP_READ ? SIM_RD_QUEUED : op->kind == OP_PROGRAM ? SIM_WR_QUEUED : SIM_ER_QUEUED);
	offer_way(device, op->die);
}

/* Queues the blocked operations whose turn it is, the oldest first. */
static void release_blocked(struct sim_device *device, struct way *way)
{
	uint32_t before = NONE, index = way->blocked.first;

	while (index != NONE) {
		uint32_t next = device->ops[index].next;

		if (!may_queue(device, &device->ops[index])) {
			before = index;
			index = next;
			continue;
		}
		if (before == NONE)
			way->blocked.first = next;
		else
			device->ops[before].next = next;
		if (next == NONE)
			way->blocked.last = before;
		queue_op(device, index);
		before = NONE;
		index = way->blocked.first;
	}
}

void flash_ready(struct sim_device *device, uint32_t index)
{
	struct flash_op *op = &device->ops[index];
	struct way *way = &device->ways[op->die];

	if (may_queue(device, op)) {
		queue_op(device, index);
		if (KEEP_UNLIKELY(way->blocked.first != NONE))
			release_blocked(device, way);
		return;
	}
	append_op(device, &way->blocked, index);
}

/* --- chains of buffer entries --- */

static void ready_link(struct sim_device *device, uint32_t link)
{
	if (link & 1)
		device_dma_ready(device, link >> 1);
	else
		flash_ready(device, link >> 1);
}

static uint32_t *next_of(struct sim_device *device, uint32_t link)
{
	return link & 1 ? &device->slices[link >> 1].next_link : &device->ops[link >> 1].next_link;
}

void flash_chain(struct sim_device *device, uint32_t entry, uint32_t link)
{
	struct buffer_entry *at = &device->buffer.entries[entry];

	*next_of(device, link) = NONE;
	if (at->chain_first == NONE) {
		at->chain_first = at->chain_last = link;
		ready_link(device, link);
		return;
	}
	*next_of(device, at->chain_last) = link;
	at->chain_last = link;
}

void flash_unchain(struct sim_device *device, uint32_t entry)
{
	struct buffer_entry *at = &device->buffer.entries[entry];
	uint32_t next = *next_of(device, at->chain_first);

	at->chain_first = next;
	if (next == NONE)
		at->chain_last = NONE;
	else
		ready_link(device, next);
}

/* --- choice of the firmware: channels round robin, in each the first class, in that the ways round robin --- */

/* Returns the first bit after `last`, or else the first one. */
static uint32_t next_bit(uint64_t set, uint32_t last)
{
	uint64_t behind = set & (last < 63 ? ~0ull << (last + 1) : 0);

	return (uint32_t)__builtin_ctzll(behind ? behind : set);
}

bool flash_choose(struct sim_device *device)
{
	struct core *core = &device->core;
	struct channel *channel;
	uint64_t ways;
	uint32_t at;

	if (!device->ready)
		return false;
	at = next_bit(device->ready, device->last_channel);
	channel = &device->channels[at];
	device->last_channel = at;
	core->class = (enum class)__builtin_ctz(channel->set);
	ways = KEEP_UNLIKELY(device->is_ordered) ? policy_ways(device, at, core->class) : channel->classes[core->class];
	channel->last[core->class] = (uint8_t)next_bit(ways, channel->last[core->class]);
	core->way = channel->last[core->class] * device->params.channels + at;
	channel->classes[core->class] &= ~(1ull << channel->last[core->class]);
	if (!channel->classes[core->class])
		channel->set &= ~(1u << core->class);
	if (!channel->set)
		device->ready &= ~(1ull << at);
	return true;
}

/* The operation is of a collection that takes no time. */
static bool is_free(const struct sim_device *device, uint32_t op)
{
	return KEEP_UNLIKELY(!device->params.gc_time) && device->ops[op].slice == NONE;
}

uint64_t flash_cost(const struct sim_device *device)
{
	const struct way *way = &device->ways[device->core.way];

	if (is_free(device, way->op == NONE ? way->queue.first : way->op))
		return 0;
	return device->core.class == CLASS_STATUS ? device->params.done_ns : device->params.issue_ns;
}

/* --- running --- */

/* 15 % of the programs are faster and 15 % slower, as a function of place, erase count and seed only. */
static uint64_t program_ns(const struct sim_device *device, const struct flash_op *op)
{
	uint64_t state = device->setup.seed ^ ((uint64_t)op->block << 32 | op->page << 16) ^ op->erases * 0x9e3779b97f4a7c15ull;
	uint64_t part = rng_splitmix64(&state) % 100, jitter = device->params.jitter_ns, time = device->params.program_ns;

	return part < 15 ? time - jitter : part >= 85 ? time + jitter : time;
}

/* Returns the end of the transfer. */
static uint64_t take_bus(struct sim_device *device, const struct way *way)
{
	struct channel *channel = &device->channels[way->ch];

	device_must(device, !channel->is_busy, "two transfers on a bus");
	channel->is_busy = true;
	channel->transfer_ns = is_free(device, way->op) ? 0 : device->transfer_ns;
	device->ready &= ~(1ull << way->ch);
	device_schedule(device, device->now_ns + channel->transfer_ns, EVENT_BUS, way->ch);
	return device->now_ns + channel->transfer_ns;
}

void flash_bus_end(struct sim_device *device, uint32_t at)
{
	struct channel *channel = &device->channels[at];

	channel->is_busy = false;
	channel->totals.bus_busy_ns += channel->transfer_ns;
	if (channel->set)
		device->ready |= 1ull << at;
}

static void begin(struct sim_device *device, uint32_t die)
{
	struct way *way = &device->ways[die];
	struct sim_channel_totals *totals = &device->channels[way->ch].totals;
	uint64_t ns;
	struct flash_op *op;

	device_must(device, way->op == NONE, "two operations on a way");
	way->op = way->queue.first;
	op = &device->ops[way->op];
	way->queue.first = op->next;
	device->busy_ways++;
	op->begun_ns = device->now_ns;
	totals->queued--;
	totals->wait_ns += op->begun_ns - op->queued_ns;
	if (op->kind == OP_PROGRAM)
		ns = take_bus(device, way) - device->now_ns + program_ns(device, op);
	else
		ns = op->kind == OP_READ ? device->params.read_ns : device->params.erase_ns;
	if (is_free(device, way->op))
		ns = 0;
	if (op->kind == OP_ERASE)
		device_must(device, op->copies_done == op->copies, "an erase before the last valid page was copied");
	device_record_op(device, op, SIM_TRANSFER,
		op->kind == OP_READ ? SIM_RD_START : op->kind == OP_PROGRAM ? SIM_WR_START : SIM_ER_START);
	device_schedule(device, device->now_ns + ns, EVENT_WAY, die);
}

void flash_way_end(struct sim_device *device, uint32_t die)
{
	list_way(device, die, CLASS_STATUS);
}

/* Called with setup.is_checked only. */
static void check_array(struct sim_device *device, const struct flash_op *op)
{
	struct live *live = &device->live[op->block];
	uint32_t *tag = &device->tags[(uint64_t)op->block * device->params.pages + op->page];

	if (op->kind == OP_PROGRAM) {
		device_must(device, live->physical == op->page, "a page was programmed out of order");
		live->physical++;
		*tag = op->tag;
	} else if (op->kind == OP_READ) {
		device_must(device, op->page < live->physical, "an erased page was read");
		device_must(device, *tag == op->tag, "a page holds something else than was written last");
	} else {
		device_must(device, live->physical == device->params.pages, "a block was erased before it was full");
		live->physical = 0;
	}
}

static void end(struct sim_device *device, uint32_t die)
{
	struct way *way = &device->ways[die];
	struct sim_channel_totals *totals = &device->channels[way->ch].totals;
	uint32_t index = way->op, entry, slice;
	struct flash_op *op = &device->ops[index];

	way->op = NONE;
	device->busy_ways--;
	totals->way_busy_ns += device->now_ns - op->begun_ns;
	if (KEEP_UNLIKELY(device->tags != NULL))
		check_array(device, op);
	device_record_op(device, op, SIM_FLASH_DONE,
		op->kind == OP_READ ? SIM_RD_END : op->kind == OP_PROGRAM ? SIM_WR_END : SIM_ER_END);
	if (op->kind == OP_PROGRAM) {
		totals->programs++;
		device->totals.programs++;
		if (op->slice == NONE)
			device->ops[op->erase].copies_done++;
	} else if (op->kind == OP_READ) {
		totals->reads++;
		device->totals.reads++;
	} else {
		totals->erases++;
		device->totals.erases++;
		device_record_gc(device, op, SIM_GC_END, 0);
	}
	totals->bytes += op->kind == OP_ERASE ? 0 : device->params.page_bytes;
	entry = op->entry;
	slice = op->kind == OP_PROGRAM && op->slice != NONE && device->slices[op->slice].waits_for_program ? op->slice : NONE;
	offer_way(device, die);
	if (entry != NONE)
		flash_unchain(device, entry);
	free_op(device, index);
	if (slice != NONE)
		device_programmed(device, slice);
}

static void notice(struct sim_device *device, uint32_t die)
{
	struct flash_op *op = &device->ops[device->ways[die].op];

	if (op->kind == OP_READ && !op->is_read) {
		op->is_read = true;
		list_way(device, die, CLASS_TRANSFER);
	} else {
		end(device, die);
	}
}

void flash_act(struct sim_device *device)
{
	uint32_t die = device->core.way;

	/* The flag is cleared only now, so that an operation queued meanwhile does not list the way twice. */
	device->ways[die].is_listed = false;
	switch (device->core.class) {
	case CLASS_STATUS:
		notice(device, die);
		break;
	case CLASS_TRANSFER:
		device_schedule(device, take_bus(device, &device->ways[die]), EVENT_WAY, die);
		break;
	default:
		begin(device, die);
		break;
	}
}

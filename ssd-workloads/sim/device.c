/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands, the firmware core, the write buffer and host DMA of the simulated device. */
#include "config.h"
#include "ssd-workloads/sim/device.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ssd-workloads/sim/state.h"

#define RANGE (1u << SIM_HEAP_INDEX_BITS)

/* --- commands --- */

static void append_command(struct sim_device *device, struct fifo *fifo, uint32_t index)
{
	device->commands[index].next = NONE;
	if (fifo->first == NONE)
		fifo->first = index;
	else
		device->commands[fifo->last].next = index;
	fifo->last = index;
}

static uint32_t take_command(struct sim_device *device, struct fifo *fifo)
{
	uint32_t index = fifo->first;

	fifo->first = device->commands[index].next;
	return index;
}

static void fetch(struct sim_device *device, uint32_t index)
{
	device->in_slots++;
	device_schedule(device, device->now_ns + device->params.fetch_ns, EVENT_ARRIVAL, index);
}

uint32_t sim_device_submit(struct sim_device *device, uint32_t tag, uint64_t offset, uint32_t length)
{
	uint32_t index = device->free_command;
	struct sim_command *command = &device->commands[index];

	if (index == NONE) {
		device_must(device, false, "more commands than the setup allows");
		return NONE;
	}
	device->free_command = command->next;
	*command = (struct sim_command){.submit_ns = device->now_ns, .offset = offset, .length = length, .number = device->number++,
		.tag = tag, .next = NONE};
	command->is_recorded = device->is_recording && command->number % device->cache.sample == 0;
	device->depth++;
	if (device->in_slots < device->params.slots)
		fetch(device, index);
	else
		append_command(device, &device->outside, index);
	return command->number;
}

static void complete(struct sim_device *device, uint32_t index)
{
	struct sim_command *command = &device->commands[index];
	uint32_t tag = command->tag;

	if (command->count)
		device_record_station(device, &device->slices[(uint64_t)index * device->slices_most], SIM_COMPLETED,
			command->count);
	for (uint32_t i = 0; i < command->count && device->stations; i++)
		device->stations[(uint64_t)index * device->slices_most + i][SIM_COMPLETED] = device->now_ns;
	device->completed = index;
	device->totals.commands++;
	if (KEEP_UNLIKELY(device->has_policies))
		policy_complete(device, command);
	device->depth--;
	device->in_slots--;
	command->next = device->free_command;
	device->free_command = index;
	if (device->outside.first != NONE)
		fetch(device, take_command(device, &device->outside));
	device->setup.host.completed(device->setup.host.state, tag, device->now_ns);
}

static void slice_done(struct sim_device *device, uint32_t index)
{
	uint32_t at = device->slices[index].command;

	if (!--device->commands[at].left)
		device_schedule(device, device->now_ns + device->params.completion_ns, EVENT_COMPLETION, at);
}

static uint32_t slice_of(const struct sim_device *device, uint32_t command, uint32_t index)
{
	return command * device->slices_most + index;
}

static void cut(struct sim_device *device, uint32_t index)
{
	struct sim_command *command = &device->commands[index];
	uint32_t page = device->params.page_bytes;
	uint64_t at = command->offset, end = command->offset + command->length;

	for (uint32_t i = 0; i < command->count; i++) {
		uint64_t next = (at / page + 1) * page;
		struct slice *slice = &device->slices[slice_of(device, index, i)];

		*slice = (struct slice){.command = index, .lsa = (uint32_t)(at / page), .entry = NONE, .index = (uint16_t)i,
			.bytes = (uint32_t)((next < end ? next : end) - at), .ch = SIM_NO_PLACE, .way = SIM_NO_PLACE,
			.stream = command->stream, .flags = i + 1 == command->count ? SIM_LAST_SLICE : 0};
		if (device->stations) {
			uint64_t *stations = device->stations[slice_of(device, index, i)];

			memset(stations, 0, sizeof(*device->stations));
			stations[1] = command->submit_ns;
			stations[2] = command->arrive_ns;
		}
		device_record_station(device, slice, SIM_CUT, 0);
		at = next;
	}
}

/* --- host DMA: one transfer at a time, in order --- */

static void append_slice(struct sim_device *device, struct fifo *fifo, uint32_t index)
{
	device->slices[index].next_dma = NONE;
	if (fifo->first == NONE)
		fifo->first = index;
	else
		device->slices[fifo->last].next_dma = index;
	fifo->last = index;
}

static uint32_t units_of(const struct slice *slice)
{
	return (slice->bytes + 4095) / 4096;
}

void device_dma_ready(struct sim_device *device, uint32_t index)
{
	append_slice(device, &device->dma_wait, index);
}

static bool can_issue_dma(const struct sim_device *device)
{
	uint32_t index = device->dma_wait.first;

	return index != NONE && device->dma_units + units_of(&device->slices[index]) <= device->params.dma_fifo;
}

static void issue_dma(struct sim_device *device)
{
	uint32_t index = device->dma_wait.first;
	struct slice *slice = &device->slices[index];
	uint64_t begin = device->dma_free_ns > device->now_ns ? device->dma_free_ns : device->now_ns;

	device->dma_wait.first = slice->next_dma;
	append_slice(device, &device->dma, index);
	device->dma_units += units_of(slice);
	device->dma_free_ns = begin + sim_dma_ns(&device->params, slice->bytes);
	device_record_station(device, slice, SIM_DMA, 0);
	device_schedule(device, device->dma_free_ns + device->params.dma_latency_ns, EVENT_DMA, 0);
}

static void end_dma(struct sim_device *device)
{
	uint32_t index = device->dma.first;
	struct slice *slice = &device->slices[index];

	device->dma.first = slice->next_dma;
	device->dma_units -= units_of(slice);
	device->totals.host_bytes += slice->bytes;
	device_record_station(device, slice, SIM_DMA_DONE, 0);
	flash_unchain(device, slice->entry);
	if (!slice->waits_for_program)
		slice_done(device, index);
}

void device_programmed(struct sim_device *device, uint32_t index)
{
	slice_done(device, index);
}

/* --- the FTL's part of a slice --- */

static uint32_t age_us(const struct sim_device *device, uint32_t lsa)
{
	return device->written_us ? (uint32_t)(device->now_ns / 1000) - device->written_us[lsa] : 0;
}

/* Allocates a page for lsa: the program of this slice, and the collection that this causes. */
static void place(struct sim_device *device, uint32_t index, uint32_t lsa)
{
	struct slice *slice = &device->slices[index];
	struct decision *decision = &device->decision;
	struct sim_command *command = &device->commands[slice->command];
	uint32_t block, page, op;
	const struct way *way;

	ftl_write(&device->ftl, lsa, &block, &page, &decision->gc);
	if (KEEP_UNLIKELY(device->has_policies))
		policy_place(device, lsa, &decision->gc);
	if (device->written_us)
		device->written_us[lsa] = (uint32_t)(device->now_ns / 1000);
	device->totals.host_programs++;
	op = decision->program = flash_new_op(device, OP_PROGRAM, block, page);
	if (op == NONE)
		return;
	way = &device->ways[device->ops[op].die];
	slice->op = device->ops[op].number;
	slice->ch = (uint8_t)way->ch;
	slice->way = (uint8_t)way->way;
	device->ops[op].slice = index;
	device->ops[op].lsa = lsa;
	device->ops[op].is_recorded = command->is_recorded;
	device->ops[op].due = command->due;
	if (device->versions)
		device->ops[op].tag = ++device->versions[lsa];
	if (decision->gc.is_any) {
		slice->flags |= SIM_HAS_GC;
		device->totals.gcs++;
		device->totals.copies += decision->gc.count;
		command->copies += decision->gc.count;
		device->gc_id++;
	}
}

/* Reads the rest of a page that is written in part. */
static void read_rest(struct sim_device *device, uint32_t index)
{
	struct slice *slice = &device->slices[index];
	uint32_t place = device->ftl.l2p[slice->lsa], op;

	if (place == FTL_NONE)
		return;
	op = device->decision.read = flash_new_op(device, OP_READ, place / device->params.pages, place % device->params.pages);
	if (op == NONE)
		return;
	device->ops[op].slice = index;
	device->ops[op].lsa = slice->lsa;
	device->ops[op].due = device->commands[slice->command].due;
	flash_count_read(device, op);
	if (device->versions)
		device->ops[op].tag = device->versions[slice->lsa];
}

/* Decides everything about the slice, and returns the time after which the decision is handed over. */
static uint64_t decide(struct sim_device *device, uint32_t index)
{
	struct slice *slice = &device->slices[index];
	struct decision *decision = &device->decision;
	uint32_t mode = device->params.write_mode;
	struct buffer_entry old = {.lsa = BUFFER_NONE};
	bool is_partial = slice->bytes < device->params.page_bytes;

	*decision = (struct decision){.program = NONE, .read = NONE};
	slice->waits_for_program = mode != SIM_BUFFERED;
	slice->entry = mode == SIM_DIRECT ? BUFFER_NONE : buffer_find(&device->buffer, slice->lsa);
	device->totals.slices++;
	device->totals.partial += is_partial;
	slice->flags |= is_partial ? SIM_RMW : 0;
	if (slice->entry != BUFFER_NONE) {
		slice->flags |= SIM_HIT;
		device->totals.hits++;
		buffer_use(&device->buffer, slice->entry);
	} else {
		slice->entry = buffer_take(&device->buffer, mode == SIM_DIRECT ? BUFFER_NONE : slice->lsa, &old);
		if (is_partial)
			read_rest(device, index);
	}
	if (mode != SIM_BUFFERED) {
		place(device, index, slice->lsa);
	} else {
		if (old.is_dirty) {
			place(device, index, old.lsa);
		} else if (!(slice->flags & SIM_HIT)) {
			slice->flags |= SIM_CLEAN_VICTIM;
			device->totals.clean++;
		}
		device->buffer.entries[slice->entry].is_dirty = true;
	}
	device_record_station(device, slice, SIM_FTL, old.is_dirty ? old.lsa : SIM_NONE);
	return device->params.ftl_ns + (device->params.gc_time ? decision->gc.count * device->params.copy_ns : 0);
}

static uint32_t gc_op(struct sim_device *device, enum op_kind kind, uint32_t block, uint32_t page,
	const struct sim_command *command)
{
	uint32_t index = flash_new_op(device, kind, block, page);
	struct flash_op *op = &device->ops[index];

	if (index == NONE)
		return NONE;
	op->entry = device->buffer.count + op->die;
	op->cmd = command->number;
	op->due = command->due;
	op->gc_id = device->gc_id;
	op->is_recorded = device->is_recording;
	return index;
}

/* The die's one entry for collections executes read, program, read, program. The erase waits for its order in the block, before the
 * next program there. */
static void hand_over_gc(struct sim_device *device, const struct sim_command *command)
{
	const struct ftl_gc *gc = &device->decision.gc;
	uint32_t erase = gc_op(device, OP_ERASE, gc->victim, 0, command), entry;

	if (erase == NONE)
		return;
	/* The FTL has already counted this erase. */
	device->ops[erase].erases = gc->victim_erases;
	device->ops[erase].copies = gc->count;
	if (KEEP_UNLIKELY(device->is_ordered))
		device->ops[erase].due = policy_least_urgent(device);
	entry = device->ops[erase].entry;
	device->ops[erase].entry = NONE;
	device_record_gc(device, &device->ops[erase], SIM_GC_BEGIN, gc->count);
	for (uint32_t i = 0; i < gc->count; i++) {
		const struct ftl_copy *copy = &gc->copies[i];
		uint32_t version = device->versions ? device->versions[copy->lsa] : 0, age = age_us(device, copy->lsa);
		uint32_t read = gc_op(device, OP_READ, gc->victim, copy->from, command);
		uint32_t program = gc_op(device, OP_PROGRAM, copy->block, copy->to, command);

		if (read == NONE || program == NONE)
			return;
		device->ops[read].erases = gc->victim_erases;
		flash_count_read(device, read);
		device->ops[program].erase = erase;
		device->ops[read].lsa = device->ops[program].lsa = copy->lsa;
		device->ops[read].tag = device->ops[program].tag = version;
		device->ops[read].age_us = device->ops[program].age_us = age;
		flash_chain(device, entry, LINK_OP(read));
		flash_chain(device, entry, LINK_OP(program));
	}
	flash_ready(device, erase);
}

static void hand_over(struct sim_device *device, uint32_t index)
{
	struct slice *slice = &device->slices[index];
	const struct decision *decision = &device->decision;

	device_record_station(device, slice, SIM_FTL_DONE, 0);
	if (decision->gc.is_any)
		hand_over_gc(device, &device->commands[slice->command]);
	if (decision->program != NONE)
		device->ops[decision->program].entry = slice->entry;
	if (decision->read != NONE)
		device->ops[decision->read].entry = slice->entry;
	if (decision->program != NONE && !slice->waits_for_program)
		flash_chain(device, slice->entry, LINK_OP(decision->program));
	if (decision->read != NONE)
		flash_chain(device, slice->entry, LINK_OP(decision->read));
	flash_chain(device, slice->entry, LINK_SLICE(index));
	if (decision->program != NONE && slice->waits_for_program)
		flash_chain(device, slice->entry, LINK_OP(decision->program));
}

/* --- the firmware core --- */

static void core_begin(struct sim_device *device, enum work work, uint64_t ns)
{
	struct core *core = &device->core;

	if (KEEP_UNLIKELY(device->params.record_ns)) {
		ns += (device->cache.emitted - device->paid_units) * device->params.record_ns;
		device->paid_units = device->cache.emitted;
	}
	core->work = work;
	core->end_ns = device->now_ns + ns;
	core->order = sim_event_order(device->sequence++, 0, 0);
}

/* Commands come first: while there are any, the core does nothing for the flash. */
static void core_next(struct sim_device *device)
{
	struct core *core = &device->core;

	if (KEEP_UNLIKELY(device->is_ordered)) {
		policy_sort_commands(device, &device->arrived);
		policy_sort_slices(device, &device->dma_wait);
	}
	if (device->arrived.first != NONE) {
		core->command = take_command(device, &device->arrived);
		core->slice = 0;
		core_begin(device, WORK_CUT,
			device->params.command_ns + device->commands[core->command].count * device->params.cut_ns);
	} else if (can_issue_dma(device)) {
		core_begin(device, WORK_DMA, device->params.dma_issue_ns);
	} else if (flash_choose(device)) {
		core_begin(device, WORK_CHANNEL, flash_cost(device));
	}
}

static void begin_slice(struct sim_device *device)
{
	core_begin(device, WORK_FTL, decide(device, slice_of(device, device->core.command, device->core.slice)));
}

static void core_end(struct sim_device *device)
{
	struct core *core = &device->core;
	enum work work = core->work;
	uint32_t count = device->commands[core->command].count;

	core->work = WORK_NONE;
	switch (work) {
	case WORK_CUT:
		cut(device, core->command);
		if (count)
			begin_slice(device);
		else
			device_schedule(device, device->now_ns + device->params.completion_ns, EVENT_COMPLETION, core->command);
		break;
	case WORK_FTL:
		hand_over(device, slice_of(device, core->command, core->slice));
		if (++core->slice < count)
			begin_slice(device);
		break;
	case WORK_DMA:
		issue_dma(device);
		break;
	default:
		flash_act(device);
		break;
	}
}

/* --- events --- */

static void arrive(struct sim_device *device, uint32_t index)
{
	struct sim_command *command = &device->commands[index];
	uint64_t page = device->params.page_bytes;

	if (command->length)
		command->count = (uint32_t)((command->offset % page + command->length + page - 1) / page);
	command->left = command->count;
	command->arrive_ns = device->now_ns;
	command->stream = device_stream_of(device, (uint32_t)(command->offset / page));
	if (KEEP_UNLIKELY(device->has_policies))
		policy_arrive(device, command);
	append_command(device, &device->arrived, index);
}

static void dispatch(struct sim_device *device, const struct sim_event *event)
{
	uint32_t index = sim_event_index(event);

	switch ((enum sim_event_kind)sim_event_kind(event)) {
	case EVENT_ARRIVAL:
		arrive(device, index);
		break;
	case EVENT_BUS:
		flash_bus_end(device, index);
		break;
	case EVENT_WAY:
		flash_way_end(device, index);
		break;
	case EVENT_DMA:
		end_dma(device);
		break;
	case EVENT_COMPLETION:
		complete(device, index);
		break;
	case EVENT_TIMER:
		device->setup.host.timer(device->setup.host.state, index, device->now_ns);
		break;
	case EVENT_INDEX:
		device_record_index(device);
		device_schedule(device, device->now_ns + device->params.index_ns, EVENT_INDEX, 0);
		break;
	}
}

static bool is_core_next(const struct sim_device *device)
{
	const struct sim_event at = {device->core.end_ns, device->core.order};

	return device->core.work != WORK_NONE && (!device->heap.count || sim_event_is_before(&at, &device->heap.events[0]));
}

uint64_t sim_device_next(const struct sim_device *device)
{
	if (is_core_next(device))
		return device->core.end_ns;
	return device->heap.count ? device->heap.events[0].t_ns : UINT64_MAX;
}

/* A lone performance index does not count. */
bool sim_device_is_idle(const struct sim_device *device)
{
	return device->heap.count == (device->is_recording ? 1 : 0) && device->core.work == WORK_NONE;
}

void sim_device_execute(struct sim_device *device)
{
	if (is_core_next(device)) {
		device->now_ns = device->core.end_ns;
		core_end(device);
	} else {
		struct sim_event event = sim_heap_pop(&device->heap);

		device->now_ns = event.t_ns;
		dispatch(device, &event);
	}
	device->totals.events++;
	if (device->core.work == WORK_NONE)
		core_next(device);
}

bool sim_device_step(struct sim_device *device)
{
	if (sim_device_is_idle(device)) {
		device_must(device, !device->depth, "commands wait, and nothing is going to happen");
		return false;
	}
	sim_device_execute(device);
	return true;
}

void sim_device_advance(struct sim_device *device, uint64_t now_ns)
{
	if (now_ns > device->now_ns)
		device->now_ns = now_ns;
}

void sim_device_arm(struct sim_device *device)
{
	if (!device->cache.units || device->is_recording)
		return;
	device->is_recording = true;
	device->is_armed_late = device->totals.commands || device->depth;
	device_schedule(device, device->now_ns + device->params.index_ns, EVENT_INDEX, 0);
}

/* Commands in progress have lost their first records, so they are skipped. */
void sim_device_rearm(struct sim_device *device)
{
	if (!device->is_recording)
		return;
	sim_cache_reset(&device->cache);
	device->paid_units = 0;
	device->is_armed_late = true;
	for (uint32_t i = 0; i < device->setup.commands; i++)
		device->commands[i].is_recorded = false;
	for (uint32_t i = 0; i < device->op_capacity; i++)
		device->ops[i].is_recorded = false;
}

uint64_t sim_device_now(const struct sim_device *device)
{
	return device->now_ns;
}

void sim_device_set_timer(struct sim_device *device, uint32_t index, uint64_t when_ns)
{
	device_schedule(device, when_ns > device->now_ns ? when_ns : device->now_ns, EVENT_TIMER, index);
}

/* --- opening --- */

static void init_lists(struct sim_device *device)
{
	const struct sim_setup *setup = &device->setup;
	uint32_t channels = device->params.channels;

	device->outside = device->arrived = device->dma_wait = device->dma = (struct fifo){NONE, NONE};
	device->free_command = device->free_op = NONE;
	for (uint32_t i = setup->commands; i-- > 0;) {
		device->commands[i].next = device->free_command;
		device->free_command = i;
	}
	for (uint32_t i = 0; i < sim_dies(&device->params); i++)
		device->ways[i] = (struct way){.queue = {NONE, NONE}, .blocked = {NONE, NONE}, .op = NONE,
			.ch = (uint16_t)(i % channels), .way = (uint16_t)(i / channels)};
	device->last_channel = channels - 1;
}

static int allocate(struct sim_device *device)
{
	const struct sim_setup *setup = &device->setup;
	const struct sim_params *params = &device->params;
	uint64_t blocks = (uint64_t)sim_dies(params) * params->blocks;
	const struct ftl_geometry geometry = {.dies = sim_dies(params), .blocks = params->blocks, .pages = params->pages,
		.reserve_blocks = params->reserve_blocks, .gc_choices = params->gc_choices,
		.exported = sim_exported_pages(params), .seed = setup->seed,
		.has_handles = device->policies.list[SIM_PLACEMENT].row,
		.areas = {{device->areas[0].begin, device->areas[0].end}, {device->areas[1].begin, device->areas[1].end}}};
	/* The heap holds two events per command, one per way, bus and timer, a DMA per slice, and the index. */
	uint64_t events = 2ull * setup->commands + (uint64_t)setup->commands * device->slices_most + sim_dies(params) +
			  params->channels + setup->timers + 2;
	int rc = ftl_open(&geometry, &device->ftl);

	if (!rc)
		rc = buffer_open(params->buffer_entries * sim_dies(params), sim_dies(params), &device->buffer);
	if (!rc && setup->has_records)
		rc = sim_cache_open(params->cache_units, &device->cache);
	if (rc)
		return rc;
	device->heap = (struct sim_heap){.events = calloc(events, sizeof(struct sim_event)), .capacity = (uint32_t)events};
	device->commands = calloc(setup->commands, sizeof(*device->commands));
	device->slices = calloc((size_t)setup->commands * device->slices_most, sizeof(*device->slices));
	device->ways = calloc(sim_dies(params), sizeof(*device->ways));
	device->channels = calloc(params->channels, sizeof(*device->channels));
	device->live = calloc(blocks, sizeof(*device->live));
	if (!device->heap.events || !device->commands || !device->slices || !device->ways || !device->channels || !device->live)
		return -ENOMEM;
	if (setup->has_stations) {
		device->stations = calloc((size_t)setup->commands * device->slices_most, sizeof(*device->stations));
		if (!device->stations)
			return -ENOMEM;
	}
	if (setup->has_records) {
		device->written_us = calloc(geometry.exported, sizeof(*device->written_us));
		sim_cache_select(&device->cache, params->stations, params->sample);
	}
	if (setup->is_checked) {
		device->versions = calloc(geometry.exported, sizeof(*device->versions));
		device->tags = calloc(sim_pages(params), sizeof(*device->tags));
	}
	if ((setup->has_records && !device->written_us) || (setup->is_checked && (!device->versions || !device->tags)))
		return -ENOMEM;
	init_lists(device);
	return 0;
}

int sim_device_open(const struct sim_setup *setup, struct sim_device **opened)
{
	uint64_t page = setup->params->page_bytes;
	struct sim_device *device;
	char why[128];
	int rc;

	if (sim_params_check(setup->params, why, sizeof(why)) || !setup->commands || setup->commands > RANGE ||
		setup->timers > RANGE)
		return -EINVAL;
	device = calloc(1, sizeof(*device));
	if (!device)
		return -ENOMEM;
	device->setup = *setup;
	device->params = *setup->params;
	device->setup.params = &device->params;
	device->now_ns = setup->begin_ns;
	device->transfer_ns = sim_transfer_ns(&device->params);
	if (setup->policies)
		device->policies = *setup->policies;
	for (int i = 0; i < SIM_STREAMS; i++) {
		device->areas[i].begin = (uint32_t)(setup->areas[i].begin / page);
		device->areas[i].end = (uint32_t)((setup->areas[i].begin + setup->areas[i].bytes + page - 1) / page);
	}
	device->slices_most = (setup->command_bytes + 2 * device->params.page_bytes - 2) / device->params.page_bytes;
	rc = (uint64_t)device->params.buffer_entries * sim_dies(&device->params) < device->slices_most ? -EINVAL : allocate(device);
	if (rc) {
		sim_device_close(device);
		return rc;
	}
	policy_open(device);
	*opened = device;
	return 0;
}

void sim_device_close(struct sim_device *device)
{
	if (!device)
		return;
	ftl_close(&device->ftl);
	buffer_close(&device->buffer);
	sim_cache_close(&device->cache);
	free(device->heap.events);
	free(device->commands);
	free(device->slices);
	free(device->stations);
	free(device->ways);
	free(device->channels);
	free(device->live);
	free(device->ops);
	free(device->written_us);
	free(device->versions);
	free(device->tags);
	free(device);
}

/* --- before the first and after the last command --- */

void sim_device_fill(struct sim_device *device, uint32_t lsa)
{
	uint32_t pages = device->params.pages, block, page;
	struct ftl_gc gc;

	ftl_write(&device->ftl, lsa, &block, &page, &gc);
	if (gc.is_any)
		device->live[gc.victim] = (struct live){.erases = gc.victim_erases + 1};
	for (uint32_t i = 0; i < gc.count; i++) {
		const struct ftl_copy *copy = &gc.copies[i];

		device->live[copy->block].permitted = device->live[copy->block].physical = (uint16_t)(copy->to + 1);
		if (device->tags)
			device->tags[(uint64_t)copy->block * pages + copy->to] = device->versions[copy->lsa];
	}
	device->live[block].permitted = device->live[block].physical = (uint16_t)(page + 1);
	if (device->tags)
		device->tags[(uint64_t)block * pages + page] = ++device->versions[lsa];
}

const struct sim_totals *sim_device_totals(const struct sim_device *device)
{
	return &device->totals;
}

const struct sim_channel_totals *sim_device_channel(const struct sim_device *device, uint32_t channel)
{
	return &device->channels[channel].totals;
}

void sim_device_completed(const struct sim_device *device, struct freeze_device *completed)
{
	*completed = (struct freeze_device){
		.copies = device->commands[device->completed].copies, .busy_ways = device->busy_ways, .depth = device->depth + 1u};
	if (!device->stations)
		return;
	completed->stations = (const uint64_t(*)[FREEZE_STATIONS])device->stations +
		(uint64_t)device->completed * device->slices_most;
	completed->slices = device->commands[device->completed].count;
}

struct sim_cache *sim_device_cache(struct sim_device *device)
{
	return &device->cache;
}

const struct ftl *sim_device_ftl(const struct sim_device *device)
{
	return &device->ftl;
}

void sim_device_section(struct sim_device *device, struct sim_section *section)
{
	const struct sim_params *params = &device->params;
	const struct sim_cache *cache = &device->cache;
	uint64_t count = sim_cache_straighten(&device->cache);

	*section = (struct sim_section){.unit_count = count, .emitted = cache->emitted, .overwritten = cache->emitted - count,
		.dropped = cache->dropped, .fired_ns = cache->fired_ns, .fired_unit = cache->fired_unit, .post = cache->post,
		.exported_pages = sim_exported_pages(params), .channels = params->channels, .ways = params->ways,
		.blocks = params->blocks, .pages = params->pages, .page_bytes = params->page_bytes,
		.buffer_entries = device->buffer.count, .reserve_blocks = params->reserve_blocks, .slots = params->slots,
		.write_mode = params->write_mode, .gc_choices = params->gc_choices, .sample = cache->sample_most,
		.stations = cache->stations_all, .fetch_ns = params->fetch_ns, .command_ns = params->command_ns,
		.cut_ns = params->cut_ns, .ftl_ns = params->ftl_ns, .issue_ns = params->issue_ns, .done_ns = params->done_ns,
		.dma_issue_ns = params->dma_issue_ns, .copy_ns = params->copy_ns, .completion_ns = params->completion_ns,
		.turnaround_ns = params->turnaround_ns, .transfer_ns = device->transfer_ns, .read_ns = params->read_ns,
		.program_ns = params->program_ns, .jitter_ns = params->jitter_ns, .erase_ns = params->erase_ns,
		.dma_bytes_per_second = params->dma_mbs * 1000000ull, .dma_latency_ns = params->dma_latency_ns};
}

const char *sim_device_check(const struct sim_device *device)
{
	const struct sim_totals *totals = &device->totals;
	const char *why = device->broken;

	if (!why)
		why = ftl_check(&device->ftl);
	if (!why)
		why = buffer_check(&device->buffer);
	if (!why && device->depth)
		return "commands are under way";
	if (!why && totals->slices != totals->hits + totals->clean + totals->host_programs &&
		device->params.write_mode == SIM_BUFFERED)
		why = "slices are not hits, clean victims and dirty ones";
	for (uint32_t i = 0; i < device->buffer.count && !why; i++) {
		if (device->buffer.entries[i].chain_first != NONE)
			why = "something waits for a buffer entry, and no command is under way";
	}
	return why;
}

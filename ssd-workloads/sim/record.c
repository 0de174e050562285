/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the device's own records (records.h). */
#include "config.h"
#include "ssd-workloads/sim/state.h"

#include <string.h>

uint8_t device_stream_of(const struct sim_device *device, uint32_t lsa)
{
	for (uint8_t i = 0; i < SIM_STREAMS; i++) {
		if (lsa >= device->areas[i].begin && lsa < device->areas[i].end)
			return i;
	}
	return SIM_NO_PLACE;
}

void device_record_station(struct sim_device *device, const struct slice *slice, enum sim_station station, uint32_t aux)
{
	const struct sim_command *command = &device->commands[slice->command];
	union sim_unit *unit;

	if (KEEP_UNLIKELY(device->stations != NULL) && !(slice->flags & SIM_READ))
		device->stations[(uint64_t)slice->command * device->slices_most + slice->index][station] = device->now_ns;
	if (!command->is_recorded || !(device->cache.stations >> station & 1))
		return;
	unit = sim_cache_next(&device->cache, 1);
	if (unit)
		unit->io = (struct sim_io){.t_ns = device->now_ns, .cmd = command->number, .lsa = slice->lsa, .type = SIM_IO,
			.station = (uint8_t)station, .ch = slice->ch, .way = slice->way, .slice = slice->index,
			.stream = slice->stream, .flags = slice->flags, .op = slice->op, .aux = aux};
}

static uint32_t place_of(const struct sim_device *device, const struct flash_op *op)
{
	return op->block * device->params.pages + op->page;
}

static void record_gc(struct sim_device *device, const struct flash_op *op, enum sim_task task, uint32_t page)
{
	const struct way *way = &device->ways[op->die];
	bool is_copy = task != SIM_GC_BEGIN && op->kind != OP_ERASE;
	union sim_unit *unit;

	if (!op->is_recorded)
		return;
	unit = sim_cache_next(&device->cache, 1);
	if (unit)
		unit->gc = (struct sim_gc){.t_ns = device->now_ns, .cmd = op->cmd, .lsa = is_copy ? op->lsa : SIM_NONE,
			.type = SIM_GC, .task = (uint8_t)task, .ch = (uint8_t)way->ch, .way = (uint8_t)way->way,
			.block = (uint16_t)(op->block % device->params.blocks), .page_lo = (uint8_t)page,
			.owner = is_copy ? device_stream_of(device, op->lsa) : SIM_NO_PLACE, .gc_id = op->gc_id,
			.age_us = is_copy ? op->age_us : 0};
}

/* Records the collection as a whole; op is its erase. */
void device_record_gc(struct sim_device *device, const struct flash_op *op, enum sim_task task, uint32_t copies)
{
	record_gc(device, op, task, copies < 255 ? copies : 255);
}

void device_record_op(struct sim_device *device, const struct flash_op *op, enum sim_station station, enum sim_task task)
{
	struct slice read;

	if (op->slice == NONE) {
		record_gc(device, op, task, op->page);
		return;
	}
	if (op->kind == OP_PROGRAM) {
		device_record_station(device, &device->slices[op->slice], station,
			station == SIM_QUEUED ? place_of(device, op) : 0);
		return;
	}
	read = device->slices[op->slice];
	read.flags |= SIM_READ;
	read.op = op->number;
	read.ch = (uint8_t)device->ways[op->die].ch;
	read.way = (uint8_t)device->ways[op->die].way;
	device_record_station(device, &read, station, station == SIM_QUEUED ? place_of(device, op) : 0);
}

static void record_channel(struct sim_device *device, uint32_t at)
{
	struct sim_channel_totals *totals = &device->channels[at].totals;
	union sim_unit *unit = sim_cache_next(&device->cache, 3);
	const struct sim_index_channel index = {
		.prefix = {.t_ns = device->now_ns, .ch = at, .interval_us = (uint32_t)(device->params.index_ns / 1000),
			.type = SIM_INDEX_CHANNEL, .units = 3},
		.programs = totals->programs, .reads = totals->reads, .erases = totals->erases, .bus_busy_ns = totals->bus_busy_ns,
		.way_busy_ns = totals->way_busy_ns, .wait_ns = totals->wait_ns, .bytes = totals->bytes, .queued = totals->queued,
		.queued_most = totals->queued_most};

	if (unit)
		memcpy(unit, &index, sizeof(index));
	totals->queued_most = totals->queued;
}

void device_record_index(struct sim_device *device)
{
	struct sim_index index = {
		.prefix = {.t_ns = device->now_ns, .ch = SIM_NONE, .interval_us = (uint32_t)(device->params.index_ns / 1000),
			.type = SIM_INDEX, .units = 3},
		.commands = device->totals.commands, .hits = device->totals.hits, .rmw = device->totals.partial,
		.erases = device->totals.erases, .host_bytes = device->totals.host_bytes, .depth = device->depth,
		.least_free = ftl_least_free(&device->ftl)};
	union sim_unit *unit = sim_cache_next(&device->cache, 3);

	for (uint32_t at = 0; at < device->params.channels; at++) {
		const struct sim_channel_totals *totals = &device->channels[at].totals;

		index.way_busy_ns += totals->way_busy_ns;
		index.bus_busy_ns += totals->bus_busy_ns;
		index.flash_bytes += totals->bytes;
	}
	if (unit)
		memcpy(unit, &index, sizeof(index));
	for (uint32_t at = 0; at < device->params.channels; at++)
		record_channel(device, at);
}

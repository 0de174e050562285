/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/sim_check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ssd-workloads/sim/state.h"

#define STATIONS (SIM_COMPLETED + 1)

struct times { /* of a slice, by station; 0 = no record */
	uint64_t at[STATIONS];
	uint8_t flags, count[STATIONS];
	uint8_t ch;
};

struct way_state { /* of a way as its records tell */
	uint64_t begun_ns, busy_ns;   /* begun_ns 0 = idle */
	uint64_t programs, reads, erases;
};

struct gc_state { /* of the collection under way on a die */
	uint32_t id, copies, reads, programs;
};

struct checker {
	const struct sim_device *device;
	const struct sim_section *section;
	const struct dump *dump;
	struct times *times;
	uint64_t first, commands;     /* numbers of commands */
	uint32_t slices;              /* of a command, at most */
	struct way_state *ways;
	struct gc_state *gcs;
	uint64_t *transfers;          /* by channel: when the last one of a program began */
	uint64_t last_dma_ns;
	bool is_complete;
	char *why;
	size_t length;
};

static int broken(const struct checker *checker, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int broken(const struct checker *checker, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(checker->why, checker->length, format, arguments);
	va_end(arguments);
	return -EPROTO;
}

/* --- totals --- */

static int check_totals(const struct checker *checker)
{
	const struct sim_device *device = checker->device;
	const struct sim_totals *totals = &device->totals;
	uint64_t programs = 0, reads = 0, erases = 0, bytes = 0, bus = 0;
	uint32_t page = device->params.page_bytes;

	for (uint32_t i = 0; i < device->params.channels; i++) {
		const struct sim_channel_totals *channel = &device->channels[i].totals;

		programs += channel->programs;
		reads += channel->reads;
		erases += channel->erases;
		bytes += channel->bytes;
		bus += channel->bus_busy_ns;
		if (channel->queued)
			return broken(checker, "I3: channel %u has operations in queues at the end", i);
	}
	if (totals->programs != totals->host_programs + totals->copies || totals->erases != totals->gcs)
		return broken(checker, "I3: %" PRIu64 " programs are not %" PRIu64 " of the host and %" PRIu64
			" copies, or %" PRIu64 " erases not %" PRIu64 " collections", totals->programs, totals->host_programs,
			totals->copies, totals->erases, totals->gcs);
	if (totals->reads < totals->copies || totals->reads - totals->copies > totals->partial)
		return broken(checker, "I3: %" PRIu64 " reads for %" PRIu64 " copies and %" PRIu64 " parts of pages", totals->reads,
			totals->copies, totals->partial);
	if (programs != totals->programs || reads != totals->reads || erases != totals->erases ||
		bytes != page * (programs + reads) ||
		bus != device->transfer_ns * (programs + reads - (device->params.gc_time ? 0 : 2 * totals->copies)))
		return broken(checker, "I4: the channels' counters are not the device's");
	return 0;
}

/* --- records of commands --- */

static struct times *times_of(const struct checker *checker, uint32_t cmd, uint32_t slice)
{
	return &checker->times[(cmd - checker->first) * checker->slices + slice];
}

static int allocate(struct checker *checker)
{
	const struct sim_section *section = checker->section;
	uint64_t last = 0;

	checker->first = UINT64_MAX;
	for (uint64_t at = 0; at < section->unit_count; at += sim_unit_span(&checker->dump->units[at])) {
		const struct sim_io *io = &checker->dump->units[at].io;

		if (io->type != SIM_IO)
			continue;
		checker->first = io->cmd < checker->first ? io->cmd : checker->first;
		last = io->cmd > last ? io->cmd : last;
		checker->slices = io->slice >= checker->slices ? io->slice + 1u : checker->slices;
	}
	checker->commands = checker->first <= last ? last - checker->first + 1 : 0;
	checker->times = calloc(checker->commands * checker->slices + 1, sizeof(*checker->times));
	checker->ways = calloc((size_t)section->channels * section->ways, sizeof(*checker->ways));
	checker->gcs = calloc((size_t)section->channels * section->ways, sizeof(*checker->gcs));
	checker->transfers = calloc(section->channels, sizeof(*checker->transfers));
	return checker->times && checker->ways && checker->gcs && checker->transfers ? 0 : -ENOMEM;
}

static int begin_way(struct checker *checker, uint32_t ch, uint32_t way, uint64_t t_ns, bool is_program)
{
	struct way_state *state = &checker->ways[way * checker->section->channels + ch];

	if (state->begun_ns)
		return broken(checker, "I8: way %u of channel %u begins at %" PRIu64 ", and is busy since %" PRIu64, way, ch,
			t_ns, state->begun_ns);
	state->begun_ns = t_ns;
	if (is_program && checker->transfers[ch] && t_ns < checker->transfers[ch] + checker->section->transfer_ns)
		return broken(checker, "I8: channel %u transfers twice at %" PRIu64, ch, t_ns);
	if (is_program)
		checker->transfers[ch] = t_ns;
	return 0;
}

/* The beginning may be lost with the first records. */
static int end_way(struct checker *checker, uint32_t ch, uint32_t way, uint64_t t_ns)
{
	struct way_state *state = &checker->ways[way * checker->section->channels + ch];

	if (!state->begun_ns && checker->is_complete && !checker->device->is_armed_late)
		return broken(checker, "I8: way %u of channel %u ends at %" PRIu64 " what it did not begin", way, ch, t_ns);
	if (state->begun_ns)
		state->busy_ns += t_ns - state->begun_ns;
	state->begun_ns = 0;
	return 0;
}

static int take_io(struct checker *checker, const struct sim_io *io)
{
	struct times *times = times_of(checker, io->cmd, io->slice);
	struct way_state *way = io->ch == SIM_NO_PLACE ? NULL : &checker->ways[io->way * checker->section->channels + io->ch];
	int rc = 0;

	if (!way && (io->station == SIM_TRANSFER || io->station == SIM_FLASH_DONE))
		return broken(checker, "I1: station %u without a way at %" PRIu64, (unsigned)io->station, io->t_ns);
	if (io->station == SIM_TRANSFER)
		rc = begin_way(checker, io->ch, io->way, io->t_ns, !(io->flags & SIM_READ));
	else if (io->station == SIM_FLASH_DONE)
		rc = end_way(checker, io->ch, io->way, io->t_ns);
	if (rc)
		return rc;
	if (io->station == SIM_FLASH_DONE && io->flags & SIM_READ)
		way->reads++;
	else if (io->station == SIM_FLASH_DONE)
		way->programs++;
	if (io->flags & SIM_READ)
		return 0;
	if (io->station == SIM_DMA_DONE) {
		if (io->t_ns < checker->last_dma_ns)
			return broken(checker, "I8: DMA out of order at %" PRIu64, io->t_ns);
		checker->last_dma_ns = io->t_ns;
	}
	times->at[io->station] = io->t_ns;
	times->count[io->station]++;
	times->flags |= io->flags;
	times->ch = io->ch;
	return 0;
}

static int take_gc(struct checker *checker, const struct sim_gc *gc)
{
	struct gc_state *state = &checker->gcs[gc->way * checker->section->channels + gc->ch];
	struct way_state *way = &checker->ways[gc->way * checker->section->channels + gc->ch];

	switch (gc->task) {
	case SIM_RD_START:
	case SIM_WR_START:
		return begin_way(checker, gc->ch, gc->way, gc->t_ns, gc->task == SIM_WR_START && checker->device->params.gc_time);
	case SIM_ER_START:
		if (checker->is_complete && state->id == gc->gc_id && state->reads != state->programs)
			return broken(checker, "I7: collection %u erases after %u reads and %u programs", gc->gc_id, state->reads,
				state->programs);
		return begin_way(checker, gc->ch, gc->way, gc->t_ns, false);
	case SIM_RD_QUEUED:
		if (state->id != gc->gc_id)
			*state = (struct gc_state){.id = gc->gc_id};
		state->reads++;
		return 0;
	case SIM_RD_END:
		way->reads++;
		return end_way(checker, gc->ch, gc->way, gc->t_ns);
	case SIM_WR_END:
		way->programs++;
		state->programs += state->id == gc->gc_id;
		return end_way(checker, gc->ch, gc->way, gc->t_ns);
	case SIM_ER_END:
		way->erases++;
		return end_way(checker, gc->ch, gc->way, gc->t_ns);
	default:
		return 0;
	}
}

/* --- laws of a slice and of a command --- */

static bool is_ordered(const struct times *times, const uint8_t *stations, size_t count)
{
	uint64_t last = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t at = times->at[stations[i]];

		if (at && at < last)
			return false;
		last = at ? at : last;
	}
	return true;
}

static int check_slice(const struct checker *checker, uint64_t cmd, uint32_t slice, const struct times *times)
{
	static const uint8_t buffered[] = {3, 4, 5, 6, 7, 8, 9, 10, 11}, direct[] = {3, 4, 5, 9, 10, 6, 7, 8, 11};
	bool is_buffered = checker->section->write_mode == SIM_BUFFERED;
	bool has_op = !is_buffered || !(times->flags & (SIM_HIT | SIM_CLEAN_VICTIM));

	if (!is_ordered(times, is_buffered ? buffered : direct, sizeof(buffered)))
		return broken(checker, "I1: stations of slice %u of command %" PRIu64 " are out of order", slice, cmd);
	for (int station = SIM_CUT; station <= SIM_DMA_DONE && checker->is_complete; station++) {
		bool is_of_op = station >= SIM_QUEUED && station <= SIM_FLASH_DONE;

		if (times->count[station] != (is_of_op && !has_op ? 0 : 1))
			return broken(checker, "I2: slice %u of command %" PRIu64 " has %u records of station %d", slice, cmd,
				times->count[station], station);
	}
	return 0;
}

/* Of a host's record: its command has as many slices as its bytes, and the times of both agree. */
static int check_command(const struct checker *checker, const struct record *record)
{
	uint32_t page = checker->section->page_bytes;
	uint64_t count = (record->offset % page + record->length + page - 1) / page, end_ns;

	if (record->batch < checker->first || record->batch - checker->first >= checker->commands)
		return checker->is_complete ? broken(checker, "I2: command %u has no records", record->batch) : 0;
	end_ns = times_of(checker, record->batch, 0)->at[SIM_COMPLETED];
	if (checker->is_complete && times_of(checker, record->batch, 0)->count[SIM_COMPLETED] != 1)
		return broken(checker, "I2: command %u was not completed once", record->batch);
	if (end_ns && end_ns != record->reap_ns)
		return broken(checker, "I1: command %u was completed at %" PRIu64 ", and the host saw it at %" PRIu64,
			record->batch, end_ns, record->reap_ns);
	for (uint64_t i = 0; i < checker->slices; i++) {
		const struct times *times = times_of(checker, record->batch, (uint32_t)i);
		int rc = 0;

		if (i < count)
			rc = check_slice(checker, record->batch, (uint32_t)i, times);
		else if (times->count[SIM_CUT])
			rc = broken(checker, "I2: command %u has more slices than its %" PRIu32 " bytes", record->batch,
				record->length);
		if (rc)
			return rc;
		if (times->at[SIM_CUT] && times->at[SIM_CUT] < record->enter_ns + checker->section->fetch_ns)
			return broken(checker, "I1: command %u was cut before it was fetched", record->batch);
		if (end_ns && times->at[SIM_DMA_DONE] > end_ns)
			return broken(checker, "I1: command %u was completed before its last DMA", record->batch);
	}
	return 0;
}

/* --- indices --- */

static int check_index(const struct checker *checker, uint64_t at)
{
	const struct sim_section *section = checker->section;
	const struct sim_index *index = (const struct sim_index *)(const void *)&checker->dump->units[at];
	uint64_t way_busy = 0, bus_busy = 0, bytes = 0, erases = 0, seen = 0, flash = 0;

	for (at += 3; at < section->unit_count && seen < section->channels; at += sim_unit_span(&checker->dump->units[at])) {
		const union sim_unit *unit = &checker->dump->units[at];
		const struct sim_index_channel *channel = (const struct sim_index_channel *)(const void *)unit;

		if (unit->io.type == SIM_PAD)
			continue;
		if (unit->io.type != SIM_INDEX_CHANNEL)
			break;
		seen++;
		way_busy += channel->way_busy_ns;
		bus_busy += channel->bus_busy_ns;
		bytes += channel->bytes;
		erases += channel->erases;
		flash += channel->programs + channel->reads;
	}
	if (seen < section->channels) /* a freeze may have cut them off */
		return 0;
	if (way_busy != index->way_busy_ns || bus_busy != index->bus_busy_ns || bytes != index->flash_bytes ||
		erases != index->erases || bytes != section->page_bytes * flash)
		return broken(checker, "I4: the index at %" PRIu64 " is not the sum of its channels", index->prefix.t_ns);
	return 0;
}

static int check_ways(const struct checker *checker)
{
	const struct sim_device *device = checker->device;

	for (uint32_t ch = 0; ch < device->params.channels; ch++) {
		const struct sim_channel_totals *totals = &device->channels[ch].totals;
		struct way_state sum = {0};

		for (uint32_t way = 0; way < device->params.ways; way++) {
			const struct way_state *state = &checker->ways[way * device->params.channels + ch];

			sum.busy_ns += state->busy_ns;
			sum.programs += state->programs;
			sum.reads += state->reads;
			sum.erases += state->erases;
			if (state->begun_ns)
				return broken(checker, "I8: way %u of channel %u is busy at the end", way, ch);
		}
		if (!device->is_armed_late && (sum.busy_ns != totals->way_busy_ns || sum.programs != totals->programs ||
			sum.reads != totals->reads || sum.erases != totals->erases))
			return broken(checker, "I8: the records of channel %u are not its counters", ch);
	}
	return 0;
}

static int check_records(struct checker *checker)
{
	const struct dump *dump = checker->dump;
	int rc = allocate(checker);

	for (uint64_t at = 0; at < checker->section->unit_count && !rc; at += sim_unit_span(&dump->units[at])) {
		const union sim_unit *unit = &dump->units[at];

		if (unit->io.type == SIM_IO)
			rc = take_io(checker, &unit->io);
		else if (unit->io.type == SIM_GC)
			rc = take_gc(checker, &unit->gc);
		else if (unit->io.type == SIM_INDEX)
			rc = check_index(checker, at);
	}
	for (size_t i = 0; i < dump->head.segment_count && !rc; i++) {
		const struct dump_segment *segment = &dump->segments[i];

		for (uint64_t k = 0; k < segment->part.count && !rc; k++) {
			const struct record *record = &segment->records[k];

			if (record_is_sync(record))
				continue;
			rc = check_command(checker, record);
			if (!rc && record->inflight_own > dump->head.streams[record->stream].depth)
				rc = broken(checker, "I9: %u writes of the %s were outstanding", record->inflight_own,
					mix_stream_name((enum mix_stream)record->stream));
		}
	}
	if (!rc && checker->is_complete)
		rc = check_ways(checker);
	free(checker->times);
	free(checker->ways);
	free(checker->gcs);
	free(checker->transfers);
	return rc;
}

int sim_check(const struct sim_device *device, const struct dump *dump, char *why, size_t length)
{
	struct checker checker = {.device = device, .dump = dump, .section = dump ? dump->section : NULL, .why = why,
		.length = length};
	const char *state = sim_device_check(device);
	int rc = state ? broken(&checker, "end state: %s", state) : check_totals(&checker);

	if (rc || !checker.section)
		return rc;
	rc = sim_section_check(checker.section, why, length);
	if (!rc)
		rc = sim_units_check(checker.section, dump->units, why, length);
	if (rc)
		return -EPROTO;
	checker.is_complete = !checker.section->overwritten && !checker.section->fired_ns && !checker.section->dropped &&
			      checker.section->sample == 1 && checker.section->stations == UINT32_MAX;
	return check_records(&checker);
}

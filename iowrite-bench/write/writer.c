/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "iowrite-bench/write/writer.h"

#include <errno.h>
#include <stdbool.h>

static void wait_until(const struct writer *writer, uint64_t ns)
{
	if (writer->sleep_until) {
		writer->sleep_until(ns);
		return;
	}
	while (writer_now_ns(writer) < ns && !writer_is_told(writer->stop))
		;
}

/* Writes all bytes: a short write is followed by one for the rest, an interrupted one by another. */
static void write_whole(const struct writer *writer, uint64_t offset, uint64_t size, struct write_record *record)
{
	uint64_t done = 0;

	do {
		int64_t written = writer->write(writer->write_state, offset + done, size - done);

		record->calls++;
		if (written == -EINTR && !writer_is_told(writer->stop))
			continue;
		if (written <= 0) {
			/* A write() of 0 bytes is an error: retrying would loop forever. */
			record->error = written ? (int32_t)-written : EIO;
			return;
		}
		done += (uint64_t)written;
	} while (done < size);
}

static void add_unsynced(struct writer_unsynced *unsynced, const struct write_record *record)
{
	uint64_t end = record->offset + record->size;

	if (!unsynced->count || record->offset < unsynced->begin)
		unsynced->begin = record->offset;
	if (!unsynced->count || end > unsynced->end)
		unsynced->end = end;
	unsynced->count++;
}

/* Returns the probe if it examines this operation, which has to be durable at its end. */
static struct flush_probe *probe_begin(const struct writer *writer)
{
	uint64_t now;

	if (!writer->probe || (writer->sync && writer->unsynced.count < writer->sync_every))
		return NULL;
	now = writer_now_ns(writer);
	if (!flush_probe_is_due(writer->probe, now))
		return NULL;
	flush_probe_begin(writer->probe, now);
	return writer->probe;
}

static void measure(struct writer *writer, uint64_t size, struct write_record *record)
{
	struct writer_unsynced *unsynced = &writer->unsynced;
	uint64_t at = record->offset, end = at + record->size, written, synced;

	record->start_ns = writer_now_ns(writer);
	do {
		write_whole(writer, at, size, record);
		at += size;
	} while (at < end && !record->error);
	written = writer_now_ns(writer);
	record->write_ns = written - record->start_ns;
	if (!writer->sync || record->error || unsynced->count < writer->sync_every)
		return;
	record->error = -writer->sync(writer->sync_state, unsynced->begin, unsynced->end - unsynced->begin);
	synced = writer_now_ns(writer);
	record->sync_ns = synced - written;
	record->is_synced = true;
	unsynced->count = 0;
}

static void measure_probed(struct writer *writer, uint64_t size, struct write_record *record)
{
	struct flush_probe *probe;

	add_unsynced(&writer->unsynced, record);
	probe = probe_begin(writer);
	measure(writer, size, record);
	if (probe)
		flush_probe_end(probe, !record->error);
}

size_t writer_run(struct writer *writer)
{
	uint64_t ended = writer->ended_ns ? writer->ended_ns : writer_now_ns(writer);
	bool is_idle = writer->prepare || writer->ended_ns;
	unsigned repeats = writer->repeats ? writer->repeats : 1;

	for (size_t i = 0; i < writer->count; i++) {
		const struct op *op = &writer->ops[i];
		struct write_record *record = &writer->records[i];
		uint64_t now = ended;

		*record = (struct write_record){.offset = op->offset, .size = op->size * repeats,
			.dirty_bytes = WRITER_NOT_SAMPLED, .writeback_bytes = WRITER_NOT_SAMPLED};
		if (op->delay_ns)
			wait_until(writer, ended + op->delay_ns);
		if (writer->prepare)
			writer->prepare(writer->prepare_state, op);
		/* The last operation's end is still the time when nothing was done since, which saves a call of the clock. */
		if (is_idle || op->delay_ns)
			now = writer_now_ns(writer);
		is_idle = writer->prepare;
		if (now >= writer->until_ns || writer_is_told(writer->stop))
			return i;
		if (writer->sample && now >= writer->next_sample_ns) {
			writer->sample(writer->sample_state, record);
			writer->next_sample_ns = now + writer->sample_every_ns;
		}
		measure_probed(writer, op->size, record);
		record->delay_ns = record->start_ns - ended;
		ended = record->start_ns + record->write_ns + record->sync_ns;
		if (record->error)
			return i + 1;
	}
	return writer->count;
}

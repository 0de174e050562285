/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "iowrite-bench/writer.h"

#include <errno.h>
#include <stdbool.h>
#include <time.h>

static inline uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void wait_until(const struct writer *writer, uint64_t ns)
{
	if (writer->sleep_until) {
		writer->sleep_until(ns);
		return;
	}
	while (now_ns() < ns && !writer_is_told(writer->stop))
		;
}

/* All of it: a short write is followed by one for the rest, an interrupted one by another. */
static void write_whole(const struct writer *writer, struct record *record)
{
	uint64_t done = 0;

	do {
		int64_t written = writer->write(writer->write_state, record->offset + done, record->size - done);

		record->calls++;
		if (written == -EINTR && !writer_is_told(writer->stop))
			continue;
		if (written <= 0) {
			/* Nothing taken and no reason given: another try would be the same. */
			record->error = written ? (int32_t)-written : EIO;
			return;
		}
		done += (uint64_t)written;
	} while (done < record->size);
}

static void add_unsynced(struct writer_unsynced *unsynced, const struct record *record)
{
	uint64_t end = record->offset + record->size;

	if (!unsynced->count || record->offset < unsynced->begin)
		unsynced->begin = record->offset;
	if (!unsynced->count || end > unsynced->end)
		unsynced->end = end;
	unsynced->count++;
}

static void measure(struct writer *writer, struct record *record)
{
	struct writer_unsynced *unsynced = &writer->unsynced;
	uint64_t written, synced;

	add_unsynced(unsynced, record);
	record->start_ns = now_ns();
	write_whole(writer, record);
	written = now_ns();
	record->write_ns = written - record->start_ns;
	if (!writer->sync || record->error || unsynced->count < writer->sync_every)
		return;
	record->error = -writer->sync(writer->sync_state, unsynced->begin, unsynced->end - unsynced->begin);
	synced = now_ns();
	record->sync_ns = synced - written;
	record->is_synced = true;
	unsynced->count = 0;
}

size_t writer_run(struct writer *writer)
{
	uint64_t ended = writer->ended_ns ? writer->ended_ns : now_ns();
	bool is_idle = writer->prepare || writer->ended_ns;

	for (size_t i = 0; i < writer->count; i++) {
		const struct op *op = &writer->ops[i];
		struct record *record = &writer->records[i];
		uint64_t now = ended;

		*record = (struct record){.offset = op->offset, .size = op->size, .dirty_bytes = WRITER_NOT_SAMPLED,
			.writeback_bytes = WRITER_NOT_SAMPLED};
		if (op->delay_ns)
			wait_until(writer, ended + op->delay_ns);
		if (writer->prepare)
			writer->prepare(writer->prepare_state, op);
		/* Back to back the end of the last one is the time: a clock less. */
		if (is_idle || op->delay_ns)
			now = now_ns();
		is_idle = writer->prepare;
		if (now >= writer->until_ns || writer_is_told(writer->stop))
			return i;
		if (writer->look && now >= writer->next_sample_ns) {
			writer->look(writer->sample_state, record);
			writer->next_sample_ns = now + writer->sample_every_ns;
		}
		measure(writer, record);
		record->delay_ns = record->start_ns - ended;
		ended = record->start_ns + record->write_ns + record->sync_ns;
		if (record->error)
			return i + 1;
	}
	return writer->count;
}

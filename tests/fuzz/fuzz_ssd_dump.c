/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a dump of records, the checksum fixed so that what is behind it is reached: refused with one line, or
 * every record can be read. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ssd-workloads/dump/dump.h"
#include "ssd-workloads/sim/section.h"

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static void check_segment(const struct dump *dump, const struct dump_segment *segment)
{
	const struct dump_stream *area = &dump->head.streams[segment->part.stream];

	for (uint64_t i = 0; i < segment->part.count; i++) {
		const struct record *record = &segment->records[i];
		uint64_t sum = 0;

		check(record->prep_ns <= record->enter_ns && record->enter_ns <= record->reap_ns);
		check(record->offset >= area->begin && record->offset + record->length <= area->begin + area->area_bytes);
		check(!i || record[-1].sequence < record->sequence ||
			(record[-1].sequence == record->sequence && record_is_sync(record) && !record_is_sync(&record[-1])));
		if (!segment->splits || segment->splits[i].state == SPLIT_NONE)
			continue;
		for (int part = 0; part < SPLIT_PARTS; part++)
			sum += segment->splits[i].ns[part];
		check(sum == record->reap_ns - record->prep_ns);
	}
}

static void check_units(const struct dump *dump)
{
	const struct sim_section *section = dump->section;
	uint64_t at = 0, last_ns = 0;

	for (; section && at < section->unit_count; at += sim_unit_span(&dump->units[at])) {
		const struct sim_io *io = &dump->units[at].io;

		if (io->type == SIM_PAD)
			continue;
		check(io->t_ns >= last_ns && io->type < SIM_TYPES);
		last_ns = io->t_ns;
		check(io->type != SIM_IO || io->ch == SIM_NO_PLACE || (io->ch < section->channels && io->way < section->ways));
	}
	check(!section || at == section->unit_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dump *dump = calloc(1, sizeof(*dump));
	struct dump_header *bytes = malloc(size ? size : 1);
	char why[256] = "";
	int rc;

	check(dump && bytes);
	if (size)
		memcpy(bytes, data, size);
	if (size >= sizeof(*bytes)) {
		bytes->file_bytes = size;
		bytes->checksum = dump_checksum(0, (char *)bytes + DUMP_SUMMED, (size & ~(size_t)7) - DUMP_SUMMED);
	}
	rc = dump_read_memory(bytes, size, dump, why, sizeof(why));
	check(rc ? rc == -EBADMSG && *why && !strchr(why, '\n') : true);
	for (size_t i = 0; i < dump->head.segment_count; i++)
		check_segment(dump, &dump->segments[i]);
	if (!rc)
		check_units(dump);
	dump_free(dump);
	free(dump);
	free(bytes);
	return 0;
}

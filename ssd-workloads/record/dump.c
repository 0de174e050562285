/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing a dump. */
#include "config.h"
#include "ssd-workloads/record/dump_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/report_output.h"

uint64_t dump_checksum(uint64_t sum, const void *bytes, size_t size)
{
	for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, (const char *)bytes + at, sizeof(word));
		sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
		sum ^= sum >> 32;
	}
	return sum;
}

static void copy_text(char *to, size_t room, const char *from)
{
	/* What is behind the text is 0: the same run has the same bytes. */
	memset(to, 0, room);
	snprintf(to, room, "%s", from);
}

static void fill_header(const struct dump *dump, struct dump_header *header)
{
	memset(header, 0, sizeof(*header));
	memcpy(header->magic, DUMP_MAGIC, sizeof(header->magic));
	header->source = dump->source;
	header->segment_count = (uint32_t)dump->segment_count;
	header->record_bytes = sizeof(struct record);
	header->split_bytes = sizeof(struct split);
	copy_text(header->uuid, sizeof(header->uuid), dump->uuid);
	copy_text(header->mix, sizeof(header->mix), dump->mix);
	copy_text(header->row, sizeof(header->row), dump->workload.mix ? dump->workload.mix->name : "");
	copy_text(header->backend, sizeof(header->backend), dump->backend);
	copy_text(header->freeze, sizeof(header->freeze), dump->freeze);
	header->begin_ns = dump->begin_ns;
	header->end_ns = dump->end_ns;
	header->seed = dump->seed;
	header->fired_ns = dump->fired_ns;
	header->fired_sequence = dump->fired_sequence;
	header->post = dump->post;
	header->fired_stream = dump->fired_stream;
	header->fired_worker = dump->fired_worker;
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct workload_stream *stream = &dump->workload.streams[i];

		header->streams[i] = (struct dump_stream){.depth = stream->depth, .workers = stream->workers,
			.block_bytes = stream->block_bytes, .area_bytes = stream->area_bytes, .pause_ns = stream->pause_ns,
			.begin = dump->layout.areas[i].begin};
	}
	header->layout_bytes = dump->layout.bytes;
}

static void fill_part(const struct dump_segment *segment, struct dump_part *part)
{
	memset(part, 0, sizeof(*part));
	part->stream = segment->stream;
	part->worker = segment->worker;
	part->has_splits = segment->splits != NULL;
	part->count = segment->count;
	part->emitted = segment->emitted;
	part->overwritten = segment->overwritten;
	part->dropped = segment->dropped;
	part->first_due_ns = segment->first_due_ns;
	part->first_due_sequence = segment->first_due_sequence;
	part->period_num = segment->period_num;
	part->period_den = segment->period_den;
}

struct piece {
	const void *bytes;
	size_t size;
};

/* In the order of the file. */
static size_t list_pieces(const struct dump *dump, const struct dump_header *header, const struct dump_part *parts,
	struct piece pieces[2 + 2 * DUMP_SEGMENTS])
{
	size_t count = 0;

	pieces[count++] = (struct piece){header, sizeof(*header)};
	pieces[count++] = (struct piece){parts, dump->segment_count * sizeof(*parts)};
	for (size_t i = 0; i < dump->segment_count; i++)
		pieces[count++] = (struct piece){dump->segments[i].records, dump->segments[i].count * sizeof(struct record)};
	for (size_t i = 0; i < dump->segment_count; i++) {
		if (dump->segments[i].splits)
			pieces[count++] =
				(struct piece){dump->segments[i].splits, dump->segments[i].count * sizeof(struct split)};
	}
	return count;
}

static void seal(struct dump_header *header, const struct piece *pieces, size_t count)
{
	uint64_t sum;

	for (size_t i = 0; i < count; i++)
		header->file_bytes += pieces[i].size;
	sum = dump_checksum(0, (const char *)header + DUMP_SUMMED, sizeof(*header) - DUMP_SUMMED);
	for (size_t i = 1; i < count; i++)
		sum = dump_checksum(sum, pieces[i].bytes, pieces[i].size);
	header->checksum = sum;
}

static int save(const char *path, const struct piece *pieces, size_t count)
{
	struct report_output *output;
	bool is_complete = true;
	int rc = report_output_open(path, &output);

	if (rc)
		return rc;
	for (size_t i = 0; i < count && is_complete; i++) {
		if (pieces[i].size)
			is_complete = fwrite(pieces[i].bytes, pieces[i].size, 1, report_output_stream(output)) == 1;
	}
	/* Its error sticks, and then nothing takes the place of what path held. */
	rc = report_output_close(output, true);
	return is_complete || rc ? rc : -EIO;
}

int dump_write(const char *path, const struct dump *dump)
{
	struct dump_parts { /* large for a stack */
		struct dump_header header;
		struct dump_part parts[DUMP_SEGMENTS];
		struct piece pieces[2 + 2 * DUMP_SEGMENTS];
	} *file;
	size_t count;
	int rc;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return -EOPNOTSUPP;
	if (dump->segment_count > DUMP_SEGMENTS)
		return -EINVAL;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	fill_header(dump, &file->header);
	for (size_t i = 0; i < dump->segment_count; i++)
		fill_part(&dump->segments[i], &file->parts[i]);
	count = list_pieces(dump, &file->header, file->parts, file->pieces);
	seal(&file->header, file->pieces, count);
	rc = save(path, file->pieces, count);
	free(file);
	return rc;
}

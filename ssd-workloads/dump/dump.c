/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/dump/dump.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/input.h"
#include "common/report/report_file.h"
#include "ssd-workloads/sim/section.h"

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

/* --- writing --- */

void dump_describe(struct dump *dump, const struct workload *workload, const struct layout *layout)
{
	struct dump_header *head = &dump->head;

	workload_name(workload, head->mix, sizeof(head->mix));
	snprintf(head->row, sizeof(head->row), "%s", workload->mix->name);
	head->layout_bytes = layout->bytes;
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct workload_stream *stream = &workload->streams[i];

		/* The stream does not run, or is in another target. */
		if (!layout->areas[i].bytes)
			continue;
		head->streams[i] = (struct dump_stream){.depth = stream->depth, .workers = stream->workers,
			.block_bytes = stream->block_bytes, .area_bytes = stream->area_bytes, .pause_ns = stream->pause_ns,
			.begin = layout->areas[i].begin};
	}
}

struct piece {
	const void *bytes;
	size_t size;
};

#define FILE_MAX (1ull << 36) /* 2^30 records */
#define PIECES (3 + 3 * DUMP_SEGMENTS)

/* Lists the pieces in the order of the file. */
static size_t list_pieces(const struct dump *dump, struct piece pieces[PIECES])
{
	size_t count = 0, segments = dump->head.segment_count;

	pieces[count++] = (struct piece){&dump->head, sizeof(dump->head)};
	for (size_t i = 0; i < segments; i++)
		pieces[count++] = (struct piece){&dump->segments[i].part, sizeof(dump->segments[i].part)};
	for (size_t i = 0; i < segments; i++)
		pieces[count++] = (struct piece){dump->segments[i].records,
			dump->segments[i].part.count * sizeof(struct record)};
	for (size_t i = 0; i < segments; i++) {
		if (dump->segments[i].splits)
			pieces[count++] = (struct piece){dump->segments[i].splits,
				dump->segments[i].part.count * sizeof(struct split)};
	}
	if (dump->section) {
		pieces[count++] = (struct piece){dump->section, sizeof(*dump->section)};
		pieces[count++] = (struct piece){dump->units, dump->section->unit_count * sizeof(*dump->units)};
	}
	return count;
}

/* Sets a UUID of version 8 (RFC 9562); equal contents have equal UUIDs. */
static void set_uuid(struct dump_header *head, const struct piece *pieces, size_t count)
{
	uint64_t high = 0, low = ~0ull;

	for (size_t i = 0; i < count; i++) {
		high = dump_checksum(high, pieces[i].bytes, pieces[i].size);
		low = dump_checksum(low, pieces[i].bytes, pieces[i].size);
	}
	snprintf(head->uuid, sizeof(head->uuid), "%08x-%04x-8%03x-%04x-%012llx", (unsigned)(high >> 32),
		(unsigned)(high >> 16 & 0xffff), (unsigned)(high & 0xfff), (unsigned)(low >> 48 & 0x3fff) | 0x8000,
		(unsigned long long)(low & 0xffffffffffff));
}

int dump_write(const char *path, struct dump *dump)
{
	struct piece pieces[PIECES];
	struct dump_header *head = &dump->head;
	struct report_output *output;
	bool is_complete = true;
	size_t count;
	int rc;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return -EOPNOTSUPP;
	if (head->segment_count > DUMP_SEGMENTS)
		return -EINVAL;
	memcpy(head->magic, DUMP_MAGIC, sizeof(head->magic));
	head->record_bytes = sizeof(struct record);
	head->split_bytes = sizeof(struct split);
	head->source = dump->section ? DUMP_DEVICE : DUMP_HOST;
	head->file_bytes = 0;
	for (size_t i = 0; i < head->segment_count; i++)
		dump->segments[i].part.has_splits = dump->segments[i].splits != NULL;
	count = list_pieces(dump, pieces);
	for (size_t i = 0; i < count; i++)
		head->file_bytes += pieces[i].size;
	if (!*head->uuid) {
		head->checksum = 0;
		set_uuid(head, pieces, count);
	}
	head->checksum = dump_checksum(0, (const char *)head + DUMP_SUMMED, sizeof(*head) - DUMP_SUMMED);
	for (size_t i = 1; i < count; i++)
		head->checksum = dump_checksum(head->checksum, pieces[i].bytes, pieces[i].size);
	rc = report_output_open(path, &output);
	if (rc)
		return rc;
	for (size_t i = 0; i < count && is_complete; i++) {
		if (pieces[i].size)
			is_complete = fwrite(pieces[i].bytes, pieces[i].size, 1, report_output_stream(output)) == 1;
	}
	/* report_output_close returns an earlier error of the stream, and then keeps the old file. */
	rc = report_output_close(output, true);
	return is_complete || rc ? rc : -EIO;
}

/* --- reading: every value is checked before it is used --- */

struct split_1 { /* of version 1 */
	uint64_t ns[SPLIT_PARTS - 1]; /* without SPLIT_FLUSH */
	uint32_t state, requests;
};
_Static_assert(sizeof(struct split_1) == 48, "no padding");

struct reader {
	const char *bytes;
	size_t size;
	char *why;
	size_t length;
};

static int refuse(const struct reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(const struct reader *reader, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reader->why, reader->length, format, arguments);
	va_end(arguments);
	return -EBADMSG;
}

static bool is_text(const char *text, size_t capacity)
{
	const char *end = memchr(text, '\0', capacity);

	for (const char *at = text; end && at < end; at++) {
		if (*at < ' ' || *at > '~')
			return false;
	}
	return end != NULL;
}

static bool is_version_1(const struct dump_header *header)
{
	return !memcmp(header->magic, DUMP_MAGIC_1, sizeof(header->magic));
}

static size_t split_bytes(const struct dump_header *header)
{
	return is_version_1(header) ? sizeof(struct split_1) : sizeof(struct split);
}

/* Checks header and size of a file of reader->size bytes; only the header must be in memory. */
static int check_size(const struct reader *reader, const struct dump_header *header)
{
	if (reader->size < sizeof(*header) ||
		(memcmp(header->magic, DUMP_MAGIC, sizeof(header->magic)) != 0 && !is_version_1(header)))
		return refuse(reader, "is no dump of 'ssd-workloads run --dump', or one of another version");
	if (header->file_bytes != reader->size || reader->size % 8)
		return refuse(reader, "has %zu bytes, and had %llu when it was written: it is truncated or was appended to",
			reader->size, (unsigned long long)header->file_bytes);
	return 0;
}

static int check_header(const struct reader *reader, const struct dump_header *header)
{
	if (header->record_bytes != sizeof(struct record) || header->split_bytes != split_bytes(header))
		return refuse(reader, "has records of %u and %u bytes, not %zu and %zu", header->record_bytes,
			header->split_bytes, sizeof(struct record), split_bytes(header));
	if (header->source > DUMP_DEVICE || header->segment_count > DUMP_SEGMENTS || header->end_ns < header->begin_ns)
		return refuse(reader, "has an impossible header: source %u, %u segments, %llu ns to %llu ns",
			header->source, header->segment_count, (unsigned long long)header->begin_ns,
			(unsigned long long)header->end_ns);
	if (!is_text(header->uuid, sizeof(header->uuid)) || !is_text(header->mix, sizeof(header->mix)) ||
		!is_text(header->row, sizeof(header->row)) || !is_text(header->backend, sizeof(header->backend)) ||
		!is_text(header->freeze, sizeof(header->freeze)))
		return refuse(reader, "has a name in its header that is not text");
	if (header->fired_stream >= MIX_STREAMS || header->fired_worker >= MIX_WORKERS_MAX)
		return refuse(reader, "was frozen by worker %u of stream %u, which does not exist", header->fired_worker,
			header->fired_stream);
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct dump_stream *stream = &header->streams[i];

		if (stream->depth > MIX_DEPTH_MAX || stream->workers > MIX_WORKERS_MAX || stream->block_bytes > MIX_BLOCK_MAX ||
			(stream->depth && !(stream->workers && stream->block_bytes)) || stream->area_bytes > header->layout_bytes ||
			(stream->area_bytes && stream->begin > header->layout_bytes - stream->area_bytes))
			return refuse(reader, "has an impossible stream: %s of %u workers, %u outstanding, blocks of %u",
				mix_stream_name((enum mix_stream)i), stream->workers, stream->depth, stream->block_bytes);
	}
	return 0;
}

/* --- segments --- */

static int check_part(const struct reader *reader, const struct dump_header *header, const struct dump_part *part,
	const struct dump_part *before)
{
	if (part->stream >= MIX_STREAMS || part->worker >= header->streams[part->stream].workers)
		return refuse(reader, "has records of worker %u of stream %u, which does not exist", part->worker, part->stream);
	if (before && before->stream * MIX_WORKERS_MAX + before->worker >= part->stream * MIX_WORKERS_MAX + part->worker)
		return refuse(reader, "has segments out of order");
	if (part->has_splits > 1 || part->count > part->emitted || part->emitted - part->count != part->overwritten)
		return refuse(reader, "has counts that do not add up: %llu records of %llu", (unsigned long long)part->count,
			(unsigned long long)part->emitted);
	return 0;
}

/* Returns the next count elements of this size, or NULL if there are fewer. */
static const void *take(const struct reader *reader, size_t *at, uint64_t count, size_t size)
{
	const void *begin = reader->bytes + *at;

	if (count > (reader->size - *at) / size)
		return NULL;
	*at += count * size;
	return begin;
}

static int take_parts(const struct reader *reader, const struct dump_header *header, struct dump *dump)
{
	size_t at = sizeof(*header);
	const struct dump_part *parts = take(reader, &at, header->segment_count, sizeof(*parts));
	bool is_short = !parts;

	for (size_t i = 0; i < header->segment_count && !is_short; i++) {
		int rc = check_part(reader, header, &parts[i], i ? &parts[i - 1] : NULL);

		if (rc)
			return rc;
		dump->segments[i] = (struct dump_segment){.part = parts[i],
			.records = take(reader, &at, parts[i].count, sizeof(struct record))};
		is_short = !dump->segments[i].records;
	}
	for (size_t i = 0; i < header->segment_count && !is_short; i++) {
		if (!parts[i].has_splits)
			continue;
		dump->segments[i].splits = take(reader, &at, parts[i].count, split_bytes(header));
		is_short = !dump->segments[i].splits;
	}
	if (header->source == DUMP_DEVICE && !is_short) {
		int rc;

		dump->section = take(reader, &at, 1, sizeof(*dump->section));
		rc = dump->section ? sim_section_check(dump->section, reader->why, reader->length) : 0;
		if (rc)
			return rc;
		if (dump->section)
			dump->units = take(reader, &at, dump->section->unit_count, sizeof(*dump->units));
		is_short = !dump->units;
	}
	if (is_short || at != reader->size)
		return refuse(reader, "has %zu bytes, which its counts contradict", reader->size);
	return 0;
}

/* Version 1 counted a flush as part of reap. Returns 0 or -ENOMEM. */
static int convert_splits(struct dump *dump)
{
	uint64_t count = 0;

	for (size_t i = 0; i < dump->head.segment_count; i++)
		count += dump->segments[i].splits ? dump->segments[i].part.count : 0;
	dump->converted = reallocarray(NULL, count + 1, sizeof(*dump->converted));
	if (!dump->converted)
		return -ENOMEM;
	count = 0;
	for (size_t i = 0; i < dump->head.segment_count; i++) {
		struct dump_segment *segment = &dump->segments[i];
		const struct split_1 *olds = (const void *)segment->splits;

		if (!olds)
			continue;
		segment->splits = &dump->converted[count];
		for (uint64_t k = 0; k < segment->part.count; k++) {
			struct split *split = &dump->converted[count++];

			*split = (struct split){.state = olds[k].state, .requests = olds[k].requests, .flushes = SPLIT_UNKNOWN,
				.ns = {[SPLIT_REAP] = olds[k].ns[SPLIT_REAP - 1]}};
			memcpy(split->ns, olds[k].ns, SPLIT_FLUSH * sizeof(split->ns[0]));
		}
	}
	return 0;
}

/* --- records --- */

/* One sync may follow several writes, or each write may have its own. */
static bool is_behind(const struct record *record, const struct record *before)
{
	return record->sequence > before->sequence ||
	       (record->sequence == before->sequence && record_is_sync(record) && !record_is_sync(before));
}

static bool is_record(const struct dump *dump, const struct dump_part *part, const struct record *record)
{
	const struct dump_stream *area = &dump->head.streams[part->stream];

	return record->stream == part->stream && record->worker == part->worker &&
	       record->prep_ns <= record->enter_ns && record->enter_ns <= record->reap_ns && record->length <= area->area_bytes &&
	       record->offset >= area->begin && record->offset - area->begin <= area->area_bytes - record->length &&
	       record->result <= (int64_t)record->length;
}

static bool is_split(const struct record *record, const struct split *split)
{
	uint64_t left = record->reap_ns - record->prep_ns;

	if (split->state > SPLIT_MERGED)
		return false;
	for (int part = 0; part < SPLIT_PARTS && split->state; part++) {
		if (split->ns[part] > left)
			return false;
		left -= split->ns[part];
	}
	return !split->state || !left;
}

static int check_segment(const struct reader *reader, const struct dump *dump, const struct dump_segment *segment)
{
	for (uint64_t i = 0; i < segment->part.count; i++) {
		const struct record *record = &segment->records[i];

		if (!is_record(dump, &segment->part, record) ||
			(i && !is_behind(record, &segment->records[i - 1])) ||
			(segment->splits && !is_split(record, &segment->splits[i])))
			return refuse(reader, "has an impossible record: number %llu of worker %u of the %s",
				(unsigned long long)i + 1, segment->part.worker,
				mix_stream_name((enum mix_stream)segment->part.stream));
	}
	return 0;
}

static int parse(const struct reader *reader, struct dump *dump)
{
	const struct dump_header *header = (const struct dump_header *)(const void *)reader->bytes;
	int rc;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return -EOPNOTSUPP;
	rc = check_size(reader, header);
	if (rc)
		return rc;
	if (dump_checksum(0, reader->bytes + DUMP_SUMMED, reader->size - DUMP_SUMMED) != header->checksum)
		return refuse(reader, "is damaged: its checksum is wrong");
	rc = check_header(reader, header);
	if (rc)
		return rc;
	dump->head = *header;
	rc = take_parts(reader, header, dump);
	if (!rc && is_version_1(header))
		rc = convert_splits(dump);
	for (size_t i = 0; i < header->segment_count && !rc; i++)
		rc = check_segment(reader, dump, &dump->segments[i]);
	if (!rc && dump->section)
		rc = sim_units_check(dump->section, dump->units, reader->why, reader->length);
	return rc;
}

/* --- memory and files --- */

/* Takes ownership of memory. */
static int parse_memory(void *memory, size_t size, struct dump *dump, char *why, size_t length)
{
	const struct reader reader = {memory, size, why, length};
	struct dump *parsed = calloc(1, sizeof(*parsed)); /* large for a stack */
	int rc = parsed ? parse(&reader, parsed) : -ENOMEM;

	if (rc) {
		free(memory);
		free(parsed ? parsed->converted : NULL);
	} else {
		parsed->memory = memory;
		*dump = *parsed;
	}
	free(parsed);
	return rc;
}

int dump_read_memory(const void *bytes, size_t size, struct dump *dump, char *why, size_t length)
{
	void *memory = malloc(size ? size : 1);

	if (!memory)
		return -ENOMEM;
	memcpy(memory, bytes, size);
	return parse_memory(memory, size, dump, why, length);
}

static int read_all(int fd, char *memory, size_t size, size_t *done)
{
	for (*done = 0; *done < size;) {
		ssize_t part = read(fd, memory + *done, size - *done);

		if (part < 0 && errno == EINTR)
			continue;
		if (part < 0)
			return -errno;
		if (!part)
			break; /* truncated meanwhile: the header has its size */
		*done += (size_t)part;
	}
	return 0;
}

/* The header is checked before memory is allocated: a sparse file may have any size. */
static int check_begin(int fd, size_t size, char *why, size_t length)
{
	const struct reader reader = {NULL, size, why, length};
	struct dump_header header = {.magic = {0}};
	ssize_t got = pread(fd, &header, sizeof(header), 0);

	return got < 0 ? -errno : check_size(&reader, &header);
}

int dump_read(const char *path, struct dump *dump, char *why, size_t length)
{
	void *memory = NULL;
	uint64_t bytes;
	size_t size = 0;
	int fd, rc = input_open(path, FILE_MAX, &fd, &bytes);

	if (rc)
		return rc;
	rc = check_begin(fd, bytes, why, length);
	if (!rc) {
		memory = malloc(bytes ? bytes : 1);
		rc = memory ? read_all(fd, memory, bytes, &size) : -ENOMEM;
	}
	close(fd);
	if (rc) {
		free(memory);
		return rc;
	}
	return parse_memory(memory, size, dump, why, length);
}

void dump_free(struct dump *dump)
{
	free(dump->memory);
	free(dump->converted);
	dump->memory = dump->converted = NULL;
	dump->head.segment_count = 0;
}

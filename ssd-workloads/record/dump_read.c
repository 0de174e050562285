/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a dump, and believing nothing in it before it is checked. */
#include "config.h"
#include "ssd-workloads/record/dump_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* --- the header --- */

static bool is_text(const char *text, size_t room)
{
	const char *end = memchr(text, '\0', room);

	for (const char *at = text; end && at < end; at++) {
		if (*at < ' ' || *at > '~')
			return false;
	}
	return end != NULL;
}

/* Of a file of reader->size bytes, of which only the header need be there. */
static int check_size(const struct reader *reader, const struct dump_header *header)
{
	if (reader->size < sizeof(*header) || memcmp(header->magic, DUMP_MAGIC, sizeof(header->magic)) != 0)
		return refuse(reader, "is no dump of 'ssd-workloads run --dump', or of another version: it begins otherwise");
	if (header->file_bytes != reader->size || reader->size % 8)
		return refuse(reader, "has %zu bytes, and %llu when it was written: it is cut, or something is behind it",
			reader->size, (unsigned long long)header->file_bytes);
	return 0;
}

static int check_whole(const struct reader *reader, const struct dump_header *header)
{
	uint64_t sum;
	int rc = check_size(reader, header);

	if (rc)
		return rc;
	sum = dump_checksum(0, reader->bytes + DUMP_SUMMED, reader->size - DUMP_SUMMED);
	if (sum != header->checksum)
		return refuse(reader, "is damaged: its checksum is another one");
	return 0;
}

static int check_header(const struct reader *reader, const struct dump_header *header)
{
	if (header->record_bytes != sizeof(struct record) || header->split_bytes != sizeof(struct split))
		return refuse(reader, "has records of %u and %u bytes, not %zu and %zu", header->record_bytes,
			header->split_bytes, sizeof(struct record), sizeof(struct split));
	if (header->source > DUMP_DEVICE || header->segment_count > DUMP_SEGMENTS || header->end_ns < header->begin_ns)
		return refuse(reader, "has a header that cannot be: source %u, %u segments, %llu ns to %llu ns",
			header->source, header->segment_count, (unsigned long long)header->begin_ns,
			(unsigned long long)header->end_ns);
	if (!is_text(header->uuid, sizeof(header->uuid)) || !is_text(header->mix, sizeof(header->mix)) ||
		!is_text(header->row, sizeof(header->row)) || !is_text(header->backend, sizeof(header->backend)) ||
		!is_text(header->freeze, sizeof(header->freeze)))
		return refuse(reader, "has a name in its header that is no text");
	if (header->fired_stream >= MIX_STREAMS || header->fired_worker >= MIX_WORKERS_MAX)
		return refuse(reader, "was frozen by worker %u of stream %u, which cannot be", header->fired_worker,
			header->fired_stream);
	return 0;
}

static int check_streams(const struct reader *reader, const struct dump_header *header)
{
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct dump_stream *stream = &header->streams[i];

		if (stream->depth > MIX_DEPTH_MAX || stream->workers > MIX_WORKERS_MAX || stream->block_bytes > MIX_BLOCK_MAX ||
			(stream->depth && !(stream->workers && stream->block_bytes)) || stream->area_bytes > header->layout_bytes ||
			(stream->area_bytes && stream->begin > header->layout_bytes - stream->area_bytes))
			return refuse(reader, "has a stream that cannot be: %s of %u workers, %u outstanding, blocks of %u",
				mix_stream_name((enum mix_stream)i), stream->workers, stream->depth, stream->block_bytes);
	}
	return 0;
}

static void take_header(const struct dump_header *header, struct dump *dump)
{
	dump->source = (enum dump_source)header->source;
	memcpy(dump->uuid, header->uuid, sizeof(dump->uuid));
	memcpy(dump->mix, header->mix, sizeof(dump->mix));
	memcpy(dump->backend, header->backend, sizeof(dump->backend));
	memcpy(dump->freeze, header->freeze, sizeof(dump->freeze));
	dump->workload.mix = mix_find(header->row); /* NULL: a row of another version */
	dump->begin_ns = header->begin_ns;
	dump->end_ns = header->end_ns;
	dump->seed = header->seed;
	dump->fired_ns = header->fired_ns;
	dump->fired_stream = header->fired_stream;
	dump->fired_worker = header->fired_worker;
	dump->fired_sequence = header->fired_sequence;
	dump->post = header->post;
	dump->layout.bytes = header->layout_bytes;
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct dump_stream *stream = &header->streams[i];

		dump->workload.streams[i] = (struct workload_stream){.depth = stream->depth, .workers = stream->workers,
			.block_bytes = stream->block_bytes, .area_bytes = stream->area_bytes, .pause_ns = stream->pause_ns};
		dump->layout.areas[i] =
			(struct layout_area){stream->begin, stream->area_bytes, stream->workers, stream->block_bytes};
	}
}

/* --- segments --- */

static int check_part(const struct reader *reader, const struct dump *dump, const struct dump_part *part, size_t index)
{
	const struct dump_segment *before = index ? &dump->segments[index - 1] : NULL;

	if (part->stream >= MIX_STREAMS || part->worker >= dump->workload.streams[part->stream].workers)
		return refuse(reader, "has records of worker %u of stream %u, which cannot be", part->worker, part->stream);
	if (before && before->stream * MIX_WORKERS_MAX + before->worker >= part->stream * MIX_WORKERS_MAX + part->worker)
		return refuse(reader, "has segments out of turn");
	if (part->has_splits > 1 || part->count > part->emitted || part->emitted - part->count != part->overwritten)
		return refuse(reader, "has counts that do not add up: %llu records of %llu", (unsigned long long)part->count,
			(unsigned long long)part->emitted);
	return 0;
}

/* The next count things of this size, or NULL when there are not so many. */
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
		const struct dump_part *part = &parts[i];
		int rc = check_part(reader, dump, part, i);

		if (rc)
			return rc;
		dump->segments[dump->segment_count++] = (struct dump_segment){.stream = part->stream,
			.worker = part->worker, .count = part->count, .emitted = part->emitted,
			.overwritten = part->overwritten, .dropped = part->dropped, .first_due_ns = part->first_due_ns,
			.first_due_sequence = part->first_due_sequence, .period_num = part->period_num,
			.period_den = part->period_den, .records = take(reader, &at, part->count, sizeof(struct record))};
		is_short = !dump->segments[i].records;
	}
	for (size_t i = 0; i < header->segment_count && !is_short; i++) {
		if (!parts[i].has_splits)
			continue;
		dump->segments[i].splits = take(reader, &at, parts[i].count, sizeof(struct split));
		is_short = !dump->segments[i].splits;
	}
	if (is_short || at != reader->size)
		return refuse(reader, "has %zu bytes, which is not what its counts say", reader->size);
	return 0;
}

/* --- records --- */

static bool is_record(const struct dump *dump, const struct dump_segment *segment, const struct record *record)
{
	const struct layout_area *area = &dump->layout.areas[segment->stream];

	return record->stream == segment->stream && record->worker == segment->worker &&
	       record->prep_ns <= record->enter_ns && record->enter_ns <= record->reap_ns && record->length <= area->bytes &&
	       record->offset >= area->begin && record->offset - area->begin <= area->bytes - record->length &&
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
	for (uint64_t i = 0; i < segment->count; i++) {
		const struct record *record = &segment->records[i];

		if (!is_record(dump, segment, record) ||
			(i && segment->records[i - 1].sequence >= record->sequence) ||
			(segment->splits && !is_split(record, &segment->splits[i])))
			return refuse(reader, "has a record that cannot be: the %llu. of worker %u of the %s",
				(unsigned long long)i + 1, segment->worker,
				mix_stream_name((enum mix_stream)segment->stream));
	}
	return 0;
}

static int parse(const struct reader *reader, struct dump *dump)
{
	const struct dump_header *header = (const struct dump_header *)(const void *)reader->bytes;
	int rc;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return -EOPNOTSUPP;
	rc = check_whole(reader, header);
	if (!rc)
		rc = check_header(reader, header);
	if (!rc)
		rc = check_streams(reader, header);
	if (rc)
		return rc;
	take_header(header, dump);
	rc = take_parts(reader, header, dump);
	for (size_t i = 0; i < dump->segment_count && !rc; i++)
		rc = check_segment(reader, dump, &dump->segments[i]);
	return rc;
}

/* --- memory and files --- */

/* Takes memory over. */
static int parse_memory(void *memory, size_t size, struct dump *dump, char *why, size_t length)
{
	const struct reader reader = {memory, size, why, length};
	struct dump *parsed = calloc(1, sizeof(*parsed)); /* large for a stack */
	int rc = parsed ? parse(&reader, parsed) : -ENOMEM;

	if (rc) {
		free(memory);
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
			break; /* it was cut meanwhile: the header's size tells */
		*done += (size_t)part;
	}
	return 0;
}

/* Before there is memory for all of it: a sparse file may have any size. */
static int check_begin(int fd, size_t size, char *why, size_t length)
{
	const struct reader reader = {NULL, size, why, length};
	struct dump_header header = {.magic = {0}};
	ssize_t got = pread(fd, &header, sizeof(header), 0);

	return got < 0 ? -errno : check_size(&reader, &header);
}

int dump_read(const char *path, struct dump *dump, char *why, size_t length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), rc = 0;
	struct stat status;
	void *memory = NULL;
	size_t size = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status)) {
		rc = -errno;
	} else if (!S_ISREG(status.st_mode)) {
		rc = S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	} else {
		rc = check_begin(fd, (size_t)status.st_size, why, length);
	}
	if (!rc) {
		memory = malloc(status.st_size ? (size_t)status.st_size : 1);
		rc = memory ? read_all(fd, memory, (size_t)status.st_size, &size) : -ENOMEM;
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
	dump->memory = NULL;
	dump->segment_count = 0;
}

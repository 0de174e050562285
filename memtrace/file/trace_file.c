/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/file/trace_file.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "common/base/input.h"
#include "memtrace/file/read_at.h"

#define BLOCK_MAGIC 0x3142544du /* "MTB1" */
#define PREFIX 20               /* bytes before the header */
#define HEAD 40
#define VARINT 10               /* bytes of the longest number */
#define COMPRESSED 1            /* flag of a block */
/* Readers keep events in memory. Those of allocations in a loop compress to a thirtieth; a file whose events unpack to more
 * than this was made to fill the memory. */
#define EVENTS_TIMES 256
#define EVENTS_FREE (1u << 20)
#define END_BYTES 4096 /* reserved in a file with a limit, for the events at its end */

enum block_kind { BLOCK_SAMPLES = 1, BLOCK_EVENTS };
enum tag { TAG_KIND = 7, TAG_THREAD = 7, TAG_IP = 8, TAG_WEIGHT = 16, TAG_SOURCE = 32, TAG_NODE = 64, TAG_UNKNOWN = 128 };

_Static_assert((int)TRACE_KINDS <= (int)TAG_THREAD, "a kind is no thread");

/* The largest size of an item: a tag, a thread before it, and every field; an event has its text as well. */
#define SAMPLE_MAX (2 + 7 * VARINT)
#define EVENT_MAX (1 + 8 * VARINT + TRACE_TEXT_MAX)

const char *trace_loss_name(enum trace_loss loss)
{
	static const char *const names[TRACE_LOSSES] = {
		[TRACE_LOST_BY_KERNEL] = "lost by the kernel (ring full)",
		[TRACE_THROTTLED] = "throttled by the kernel",
		[TRACE_NO_ADDRESS] = "without an address",
		[TRACE_NO_THREAD] = "of an unknown thread",
		[TRACE_NOT_MEMORY] = "not a memory operation",
		[TRACE_CLOBBERED] = "whose base register was overwritten",
		[TRACE_BRANCH_TARGET] = "after a call or a jump",
		[TRACE_NO_CODE] = "in code without a table of functions",
		[TRACE_OUTSIDE] = "outside of all mappings",
		[TRACE_PRIVILEGE] = "of the other privilege",
		[TRACE_COLLISION] = "in collisions, at least",
		[TRACE_NOT_TAKEN] = "asked for and not taken, more than 90 %",
		[TRACE_EXEC] = "of programs that the kernel does not sample",
		[TRACE_OWN] = "of memtrace itself",
	};

	return names[loss];
}

const char *trace_recovery_name(enum trace_recovery recovery)
{
	static const char *const names[TRACE_RECOVERIES] = {
		[TRACE_BY_PRECEDING] = "from the preceding instructions",
		[TRACE_BY_NEXT] = "as the next such load",
	};

	return names[recovery];
}

const char *trace_cost_name(enum trace_cost type)
{
	static const char *const names[TRACE_COSTS] = {
		[TRACE_COST_BURSTS] = "bursts, in which a thread waits",
		[TRACE_COST_REFAULTS] = "pages that were paged out and come back by a page fault",
		[TRACE_COST_SAMPLES] = "samples, by a calibration",
	};

	return names[type];
}

const char *trace_kind_name(enum trace_kind kind)
{
	static const char *const names[TRACE_KINDS] = {
		[TRACE_ACCESS] = "access",
		[TRACE_LOAD] = "load",
		[TRACE_STORE] = "store",
		[TRACE_MINOR_FAULT] = "minor",
		[TRACE_MAJOR_FAULT] = "major",
		[TRACE_UPDATE] = "update",
		[TRACE_OUT] = "out",
	};

	return names[kind];
}

/* --- numbers --- */

static void put_u32(uint8_t *at, uint32_t value)
{
	value = htole32(value);
	memcpy(at, &value, sizeof(value));
}

static void put_u64(uint8_t *at, uint64_t value)
{
	value = htole64(value);
	memcpy(at, &value, sizeof(value));
}

static uint32_t get_u32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

static uint64_t get_u64(const uint8_t *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

static uint8_t *put_varint(uint8_t *at, uint64_t value)
{
	while (value > 0x7f) {
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

static uint8_t *put_difference(uint8_t *at, uint64_t value, uint64_t before)
{
	uint64_t difference = value - before;

	return put_varint(at, difference << 1 ^ (0 - (difference >> 63)));
}

/* --- writing --- */

struct block {
	uint8_t *bytes; /* the head, then the payload */
	uint8_t *end;
	uint32_t count, first_tid, tid;
	uint64_t first_time, time, address, ip;
};

struct trace_writer {
	int fd;
	unsigned cpus;
	uint64_t samples, bytes;
	uint64_t buffered;       /* payload of all unwritten blocks, before compression */
	uint64_t max_bytes;      /* 0 = no limit */
	bool is_full;
	ZSTD_CCtx *compressor;   /* NULL = blocks are written as they are */
	uint8_t *packed;         /* space for a compressed block */
	struct block events;
	struct block samples_of[]; /* by CPU */
};

static int write_all(struct trace_writer *writer, const uint8_t *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(writer->fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		if (!written)
			return -EIO;
		bytes += written;
		size -= (size_t)written;
		writer->bytes += (uint64_t)written;
	}
	return 0;
}

static int write_block(struct trace_writer *writer, struct block *block, enum block_kind kind, unsigned cpu)
{
	uint8_t *head = block->bytes, flags = 0;
	uint32_t payload = (uint32_t)(block->end - block->bytes - HEAD);
	size_t size;

	if (!block->count)
		return 0;
	writer->buffered -= payload;
	if (writer->compressor) {
		/* Errors (too little space or memory) are large numbers, so such a block is written uncompressed. */
		size = ZSTD_compressCCtx(writer->compressor, writer->packed + HEAD, payload, head + HEAD, payload,
			ZSTD_CLEVEL_DEFAULT);
		if (size < payload) {
			head = writer->packed;
			payload = (uint32_t)size;
			flags = COMPRESSED;
		}
	}
	memset(head, 0, HEAD);
	put_u32(head, BLOCK_MAGIC);
	head[4] = (uint8_t)kind;
	head[5] = flags;
	head[6] = (uint8_t)cpu;
	head[7] = (uint8_t)(cpu >> 8);
	put_u32(head + 8, payload);
	put_u32(head + 12, block->count);
	put_u32(head + 16, block->first_tid);
	put_u64(head + 24, block->first_time);
	put_u32(head + 32, (uint32_t)crc32(0, head + HEAD, payload));
	put_u32(head + 36, (uint32_t)crc32(0, head, 36));
	block->count = 0;
	block->end = block->bytes + HEAD;
	return write_all(writer, head, HEAD + (size_t)payload);
}

static int begin_block(struct block *block, uint64_t time, uint32_t tid)
{
	if (!block->bytes) {
		block->bytes = malloc(HEAD + TRACE_PAYLOAD_MAX);
		if (!block->bytes)
			return -ENOMEM;
		block->end = block->bytes + HEAD;
	}
	if (!block->count) {
		block->first_time = block->time = time;
		block->first_tid = block->tid = tid;
		block->address = block->ip = 0;
	}
	return 0;
}

static size_t capacity_left(const struct block *block)
{
	return block->bytes ? (size_t)(block->bytes + HEAD + TRACE_PAYLOAD_MAX - block->end) : TRACE_PAYLOAD_MAX;
}

int trace_writer_open(int fd, const char *header, unsigned cpus, struct trace_writer **writer)
{
	uint8_t prefix[PREFIX];
	size_t length = strlen(header);
	struct trace_writer *new;
	int err;

	if (length > TRACE_HEADER_MAX)
		return -E2BIG;
	new = calloc(1, sizeof(*new) + cpus * sizeof(new->samples_of[0]));
	if (!new)
		return -ENOMEM;
	new->fd = fd;
	new->cpus = cpus;
	memcpy(prefix, TRACE_MAGIC, 8);
	put_u32(prefix + 8, TRACE_VERSION);
	put_u32(prefix + 12, (uint32_t)length);
	put_u32(prefix + 16, (uint32_t)crc32(0, (const uint8_t *)header, (uInt)length));
	err = write_all(new, prefix, sizeof(prefix));
	if (!err)
		err = write_all(new, (const uint8_t *)header, length);
	if (err) {
		free(new);
		return err;
	}
	*writer = new;
	return 0;
}

int trace_writer_compress(struct trace_writer *writer)
{
	writer->packed = malloc(HEAD + TRACE_PAYLOAD_MAX);
	writer->compressor = writer->packed ? ZSTD_createCCtx() : NULL;
	return writer->compressor ? 0 : -ENOMEM;
}

void trace_writer_limit(struct trace_writer *writer, uint64_t max_bytes)
{
	writer->max_bytes = max_bytes;
}

bool trace_writer_is_full(const struct trace_writer *writer)
{
	return writer->is_full;
}

static bool fits(const struct trace_writer *writer, size_t bytes)
{
	return writer->bytes + writer->buffered + (writer->cpus + 1ull) * HEAD + bytes + END_BYTES <= writer->max_bytes;
}

/* Tells whether an item of up to this size may be added; *err: 0 or -errno. */
static bool may_add(struct trace_writer *writer, size_t bytes, int *err)
{
	*err = 0;
	if (!writer->max_bytes)
		return true;
	/* Compression may make space. */
	if (!writer->is_full && writer->compressor && writer->buffered >= TRACE_PAYLOAD_MAX && !fits(writer, bytes))
		*err = trace_writer_flush(writer);
	if (!*err && !writer->is_full)
		writer->is_full = !fits(writer, bytes);
	return !*err && !writer->is_full;
}

int trace_write_sample(struct trace_writer *writer, const struct trace_sample *sample)
{
	struct block *block = &writer->samples_of[sample->cpu];
	uint8_t tag = sample->kind, *at;
	int err;

	if (!may_add(writer, SAMPLE_MAX, &err))
		return err;
	err = capacity_left(block) < SAMPLE_MAX ? write_block(writer, block, BLOCK_SAMPLES, sample->cpu) : 0;
	if (!err)
		err = begin_block(block, sample->time_ns, sample->tid);
	if (err)
		return err;
	at = block->end;
	if (sample->tid != block->tid) {
		*at++ = TAG_THREAD;
		at = put_varint(at, sample->tid);
		block->tid = sample->tid;
	}
	tag |= (sample->ip ? TAG_IP : 0) | (sample->weight ? TAG_WEIGHT : 0) | (sample->source ? TAG_SOURCE : 0) |
		(sample->node != UINT8_MAX ? TAG_NODE : 0);
	*at++ = tag;
	at = put_difference(at, sample->time_ns, block->time);
	at = put_difference(at, sample->address, block->address);
	block->time = sample->time_ns;
	block->address = sample->address;
	if (tag & TAG_IP) {
		at = put_difference(at, sample->ip, block->ip);
		block->ip = sample->ip;
	}
	if (tag & TAG_WEIGHT)
		at = put_varint(at, sample->weight);
	if (tag & TAG_SOURCE)
		at = put_varint(at, sample->source);
	if (tag & TAG_NODE)
		*at++ = sample->node;
	writer->buffered += (uint64_t)(at - block->end);
	block->end = at;
	block->count++;
	writer->samples++;
	return 0;
}

int trace_write_event(struct trace_writer *writer, const struct trace_event *event)
{
	struct block *block = &writer->events;
	size_t length = strnlen(event->text, TRACE_TEXT_MAX - 1);
	uint8_t *at;
	int err;

	if (!may_add(writer, EVENT_MAX, &err))
		return err;
	err = capacity_left(block) < EVENT_MAX ? write_block(writer, block, BLOCK_EVENTS, 0) : 0;
	if (!err)
		err = begin_block(block, event->time_ns, event->tid);
	if (err)
		return err;
	at = block->end;
	*at++ = event->type;
	at = put_difference(at, event->time_ns, block->time);
	block->time = event->time_ns;
	at = put_varint(at, event->pid);
	at = put_varint(at, event->tid);
	for (size_t i = 0; i < 4; i++)
		at = put_varint(at, event->value[i]);
	at = put_varint(at, length);
	memcpy(at, event->text, length);
	at += length;
	writer->buffered += (uint64_t)(at - block->end);
	block->end = at;
	block->count++;
	return 0;
}

int trace_writer_flush(struct trace_writer *writer)
{
	int err = 0;

	/* TRACE_END must be the last item. */
	for (unsigned i = 0; !err && i < writer->cpus; i++)
		err = write_block(writer, &writer->samples_of[i], BLOCK_SAMPLES, i);
	return err ? err : write_block(writer, &writer->events, BLOCK_EVENTS, 0);
}

uint64_t trace_writer_samples(const struct trace_writer *writer)
{
	return writer->samples;
}

uint64_t trace_writer_bytes(const struct trace_writer *writer)
{
	return writer->bytes;
}

void trace_writer_close(struct trace_writer *writer)
{
	if (!writer)
		return;
	ZSTD_freeCCtx(writer->compressor);
	free(writer->packed);
	free(writer->events.bytes);
	for (unsigned i = 0; i < writer->cpus; i++)
		free(writer->samples_of[i].bytes);
	free(writer);
}

/* --- reading --- */

struct trace_reader {
	int fd, err;
	uint64_t bytes, first_block, block, position; /* of the file; begins of this block and of the next one */
	uint64_t passed, passed_ns;            /* samples of skipped blocks, and their least first time */
	uint64_t stored, unpacked;             /* bytes of the compressed blocks of events up to here */
	char *header;                          /* tabs and line feeds are NULs */
	size_t header_length;
	const uint8_t *at, *end;               /* unread part of the block */
	enum block_kind kind;
	uint16_t cpu;
	uint32_t left, tid;
	uint64_t time, address, ip;
	char text[TRACE_TEXT_MAX];
	ZSTD_DCtx *decompressor;               /* NULL = not needed yet */
	uint8_t payload[TRACE_PAYLOAD_MAX], packed[TRACE_PAYLOAD_MAX];
};

static bool get_varint(struct trace_reader *reader, uint64_t *value)
{
	uint64_t result = 0;

	for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
		uint8_t byte = *reader->at++;

		if (shift == 63 && byte > 1)
			return false;
		result |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*value = result;
			return true;
		}
	}
	return false;
}

static bool get_u32_varint(struct trace_reader *reader, uint32_t *value)
{
	uint64_t wide;

	if (!get_varint(reader, &wide) || wide > UINT32_MAX)
		return false;
	*value = (uint32_t)wide;
	return true;
}

static bool add_difference(struct trace_reader *reader, uint64_t *value)
{
	uint64_t zigzag;

	if (!get_varint(reader, &zigzag))
		return false;
	*value += zigzag >> 1 ^ (0 - (zigzag & 1));
	return true;
}

static int read_header(struct trace_reader *reader)
{
	uint8_t prefix[PREFIX];
	uint32_t length;
	int err = read_at(reader->fd, 0, prefix, sizeof(prefix));

	if (err || memcmp(prefix, TRACE_MAGIC, 8))
		return err == -ENODATA || !err ? -EBADMSG : err;
	if (get_u32(prefix + 8) != TRACE_VERSION)
		return -ENOTSUP;
	length = get_u32(prefix + 12);
	if (length > TRACE_HEADER_MAX)
		return -EBADMSG;
	reader->header = malloc((size_t)length + 2);
	if (!reader->header)
		return -ENOMEM;
	err = read_at(reader->fd, PREFIX, reader->header, length);
	if (err || crc32(0, (const uint8_t *)reader->header, length) != get_u32(prefix + 16))
		return err == -ENODATA || !err ? -EBADMSG : err;
	for (uint32_t i = 0; i < length; i++) {
		if (reader->header[i] == '\t' || reader->header[i] == '\n')
			reader->header[i] = '\0';
	}
	reader->header[length] = reader->header[length + 1] = '\0';
	reader->header_length = length;
	reader->first_block = reader->position = PREFIX + (uint64_t)length;
	return 0;
}

int trace_reader_open(const char *path, struct trace_reader **reader)
{
	struct trace_reader *new = calloc(1, sizeof(*new));
	int err;

	if (!new)
		return -ENOMEM;
	new->fd = -1;
	err = input_open(path, INPUT_RECORDING_MAX, &new->fd, &new->bytes);
	if (!err)
		err = read_header(new);
	if (err) {
		trace_reader_close(new);
		return err;
	}
	*reader = new;
	return 0;
}

const char *trace_reader_error(int error)
{
	return error == -EBADMSG ? "not a recording of memtrace" : error == -ENOTSUP ? "a recording of a newer memtrace"
		: error == -EOVERFLOW ? "its events unpack to more than 256 times their size" : input_error(error);
}

const char *trace_header(const struct trace_reader *reader, const char *name)
{
	const char *end = reader->header + reader->header_length;

	for (const char *at = reader->header; at < end;) {
		const char *value = at + strlen(at) + 1;

		if (!strcmp(at, name))
			return value <= end ? value : NULL;
		at = value <= end ? value + strlen(value) + 1 : end;
	}
	return NULL;
}

/* Skips a block of samples that ends within the file. */
static bool skip_block(struct trace_reader *reader, const uint8_t *head)
{
	uint64_t end = reader->position + HEAD + get_u32(head + 8), first = get_u64(head + 24);

	if (head[4] != BLOCK_SAMPLES || head[5] & ~COMPRESSED || end > reader->bytes || get_u32(head + 8) > TRACE_PAYLOAD_MAX)
		return false;
	reader->passed_ns = !reader->passed || first < reader->passed_ns ? first : reader->passed_ns;
	reader->passed += get_u32(head + 12);
	reader->position = end;
	return true;
}

/* Reads the payload of a block into reader->payload. *size: its bytes in the file, then those of the payload. */
static int read_payload(struct trace_reader *reader, const uint8_t *head, uint32_t *size)
{
	uint8_t *bytes = head[5] ? reader->packed : reader->payload;
	size_t unpacked;
	int err = read_at(reader->fd, reader->position + HEAD, bytes, *size);

	if (!err && crc32(0, bytes, *size) != get_u32(head + 32))
		err = -EBADMSG;
	if (err || !head[5])
		return err;
	if (!reader->decompressor)
		reader->decompressor = ZSTD_createDCtx();
	if (!reader->decompressor)
		return -ENOMEM;
	unpacked = ZSTD_decompressDCtx(reader->decompressor, reader->payload, sizeof(reader->payload), bytes, *size);
	if (ZSTD_isError(unpacked))
		return -EBADMSG;
	if (head[4] == BLOCK_EVENTS) {
		reader->stored += HEAD + *size;
		reader->unpacked += unpacked;
		if (reader->unpacked > EVENTS_FREE + EVENTS_TIMES * reader->stored)
			return -EOVERFLOW;
	}
	*size = (uint32_t)unpacked;
	return 0;
}

/* Reads the block at the position; without wants_samples a block of samples is skipped. False: there is no complete block. */
static bool read_block(struct trace_reader *reader, bool wants_samples)
{
	uint8_t head[HEAD];
	uint32_t payload = 0, stored = 0;
	int err = read_at(reader->fd, reader->position, head, sizeof(head));

	if (!err && (get_u32(head) != BLOCK_MAGIC || crc32(0, head, 36) != get_u32(head + 36)))
		err = -EBADMSG;
	if (!err && !wants_samples && skip_block(reader, head))
		return true;
	if (!err) {
		payload = stored = get_u32(head + 8);
		err = payload > TRACE_PAYLOAD_MAX || head[5] & ~COMPRESSED || (head[4] != BLOCK_SAMPLES && head[4] != BLOCK_EVENTS)
			? -EBADMSG : read_payload(reader, head, &payload);
	}
	if (err) {
		reader->err = err == -ENODATA ? 0 : err;
		return false;
	}
	reader->kind = head[4];
	reader->cpu = (uint16_t)(head[6] | head[7] << 8);
	reader->left = get_u32(head + 12);
	reader->tid = get_u32(head + 16);
	reader->time = get_u64(head + 24);
	reader->address = reader->ip = 0;
	reader->at = reader->payload;
	reader->end = reader->payload + payload;
	reader->block = reader->position;
	reader->position += HEAD + (uint64_t)stored;
	return true;
}

static bool read_sample(struct trace_reader *reader, struct trace_sample *sample)
{
	uint8_t tag;

	if (reader->at == reader->end)
		return false;
	tag = *reader->at++;
	if (tag == TAG_THREAD) {
		if (!get_u32_varint(reader, &reader->tid) || reader->at == reader->end)
			return false;
		tag = *reader->at++;
	}
	if ((tag & TAG_KIND) >= TRACE_KINDS || tag & TAG_UNKNOWN || !add_difference(reader, &reader->time) ||
		!add_difference(reader, &reader->address) || (tag & TAG_IP && !add_difference(reader, &reader->ip)))
		return false;
	*sample = (struct trace_sample){.time_ns = reader->time, .address = reader->address, .tid = reader->tid,
		.cpu = reader->cpu, .kind = tag & TAG_KIND, .node = UINT8_MAX, .ip = tag & TAG_IP ? reader->ip : 0};
	if ((tag & TAG_WEIGHT && !get_u32_varint(reader, &sample->weight)) ||
		(tag & TAG_SOURCE && !get_varint(reader, &sample->source)) || (tag & TAG_NODE && reader->at == reader->end))
		return false;
	if (tag & TAG_NODE)
		sample->node = *reader->at++;
	return true;
}

static bool read_event(struct trace_reader *reader, struct trace_event *event)
{
	uint64_t length;

	if (reader->at == reader->end)
		return false;
	event->type = *reader->at++;
	if (!add_difference(reader, &reader->time) || !get_u32_varint(reader, &event->pid) ||
		!get_u32_varint(reader, &event->tid))
		return false;
	for (size_t i = 0; i < 4; i++) {
		if (!get_varint(reader, &event->value[i]))
			return false;
	}
	if (!get_varint(reader, &length) || length >= TRACE_TEXT_MAX || length > (uint64_t)(reader->end - reader->at))
		return false;
	memcpy(reader->text, reader->at, length);
	reader->text[length] = '\0';
	reader->at += length;
	event->time_ns = reader->time;
	event->text = reader->text;
	return true;
}

enum trace_item trace_next(struct trace_reader *reader, struct trace_sample *sample, struct trace_event *event)
{
	bool is_whole;

	while (!reader->left) {
		if (reader->err || !read_block(reader, true))
			return TRACE_ITEM_NONE;
	}
	reader->left--;
	is_whole = reader->kind == BLOCK_SAMPLES ? read_sample(reader, sample) : read_event(reader, event);
	if (!is_whole) {
		/* The checksum is right, but no writer makes such an item. */
		reader->err = -EBADMSG;
		reader->position = reader->block;
		reader->left = 0;
		return TRACE_ITEM_NONE;
	}
	return reader->kind == BLOCK_SAMPLES ? TRACE_ITEM_SAMPLE : TRACE_ITEM_EVENT;
}

bool trace_next_event(struct trace_reader *reader, struct trace_event *event)
{
	while (!reader->left) {
		if (reader->err || !read_block(reader, false))
			return false;
	}
	return trace_next(reader, &(struct trace_sample){0}, event) == TRACE_ITEM_EVENT;
}

uint64_t trace_passed(const struct trace_reader *reader, uint64_t *first_ns)
{
	*first_ns = reader->passed_ns;
	return reader->passed;
}

int trace_rewind(struct trace_reader *reader)
{
	reader->position = reader->first_block;
	reader->left = 0;
	reader->err = 0;
	reader->passed = 0;
	reader->stored = reader->unpacked = 0;
	return 0;
}

uint64_t trace_unread_bytes(const struct trace_reader *reader, int *err)
{
	*err = reader->err;
	return reader->position < reader->bytes ? reader->bytes - reader->position : 0;
}

uint64_t trace_reader_bytes(const struct trace_reader *reader)
{
	return reader->bytes;
}

void trace_reader_close(struct trace_reader *reader)
{
	if (!reader)
		return;
	if (reader->fd >= 0)
		close(reader->fd);
	ZSTD_freeDCtx(reader->decompressor);
	free(reader->header);
	free(reader);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/workload/header.h"

#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define FLAG_PREPARED 1u
#define FLAG_ENDED 2u
#define FLAG_RANDOM 4u
#define FLAG_STRIPED 8u /* rejected by versions that would read half of a log as a whole one */
#define FLAGS (FLAG_PREPARED | FLAG_ENDED | FLAG_RANDOM | FLAG_STRIPED)
#define BLOCK_STEP 512u

struct file { /* numbers are little-endian */
	char magic[HEADER_MAGIC_BYTES];
	uint64_t run;
	char uuid[40];
	uint64_t durability, flags, layout_bytes;
	struct file_area {
		uint64_t begin, bytes, workers, block_bytes;
	} areas[MIX_STREAMS];
	uint64_t acknowledged[MIX_STREAMS][MIX_WORKERS_MAX];
	uint64_t log_stripes, log_stripe; /* with FLAG_STRIPED; else 0 */
	uint64_t zeros[362];
	uint64_t checksum; /* of all preceding bytes */
};
_Static_assert(sizeof(struct file) == HEADER_BYTES, "no padding");

/* Each step is invertible, so one different word always changes the sum. */
static uint64_t checksum(const void *bytes)
{
	uint64_t sum = 0x9e3779b97f4a7c15ull, word;

	for (size_t at = 0; at < offsetof(struct file, checksum); at += sizeof(word)) {
		memcpy(&word, (const char *)bytes + at, sizeof(word));
		sum = (sum ^ le64toh(word)) * 0xff51afd7ed558ccdull;
		sum ^= sum >> 32;
	}
	return htole64(sum);
}

void header_seal(void *bytes)
{
	uint64_t sum = checksum(bytes);

	memcpy((char *)bytes + offsetof(struct file, checksum), &sum, sizeof(sum));
}

void header_format(const struct header *header, void *bytes)
{
	const struct layout_area *log = &header->layout.areas[MIX_LOG];
	uint64_t flags = (header->is_prepared ? FLAG_PREPARED : 0) | (header->is_ended ? FLAG_ENDED : 0) |
			 (header->is_random ? FLAG_RANDOM : 0) | (log->stripes > 1 ? FLAG_STRIPED : 0);
	struct file file = {.magic = HEADER_MAGIC, .run = htole64(header->run), .durability = htole64(header->durability),
		.flags = htole64(flags), .layout_bytes = htole64(header->layout.bytes)};

	if (log->stripes > 1) {
		file.log_stripes = htole64(log->stripes);
		file.log_stripe = htole64(log->stripe);
	}
	memcpy(file.uuid, header->uuid, strnlen(header->uuid, sizeof(file.uuid) - 1));
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct layout_area *area = &header->layout.areas[i];

		file.areas[i] = (struct file_area){htole64(area->begin), htole64(area->bytes), htole64(area->workers),
			htole64(area->block_bytes)};
		for (unsigned k = 0; k < MIX_WORKERS_MAX; k++)
			file.acknowledged[i][k] = htole64(header->acknowledged[i][k]);
	}
	header_seal(&file);
	memcpy(bytes, &file, sizeof(file));
}

/* --- reading: a checksum proves nothing, so every number is checked --- */

static bool parse_area(const struct file_area *from, uint64_t least, struct layout_area *area)
{
	uint64_t begin = le64toh(from->begin), bytes = le64toh(from->bytes), workers = le64toh(from->workers);
	uint64_t block = le64toh(from->block_bytes);

	*area = (struct layout_area){begin, bytes, (unsigned)workers, (uint32_t)block, 1, 0};
	if (workers > MIX_WORKERS_MAX || block > MIX_BLOCK_MAX || begin % LAYOUT_ALIGN || begin > INT64_MAX)
		return false;
	if (!bytes) /* of a stream in another target only the number of workers is used */
		return true;
	return workers && block && !(block % BLOCK_STEP) && begin >= least && bytes <= INT64_MAX - begin &&
	       !(bytes % (workers * block));
}

static bool parse_layout(const struct file *file, struct layout *layout)
{
	uint64_t end = 0;

	*layout = (struct layout){.bytes = le64toh(file->layout_bytes)};
	for (int i = 0; i < MIX_STREAMS; i++) {
		struct layout_area *area = &layout->areas[i];

		if (!parse_area(&file->areas[i], end ? end : LAYOUT_HEADER_BYTES, area))
			return false;
		if (area->bytes)
			end = area->begin + area->bytes;
	}
	return end && end == layout->bytes;
}

static bool parse_stripe(const struct file *file, struct layout_area *log)
{
	uint64_t stripes = le64toh(file->log_stripes), stripe = le64toh(file->log_stripe);

	if (!(le64toh(file->flags) & FLAG_STRIPED))
		return !stripes && !stripe;
	log->stripes = (unsigned)stripes;
	log->stripe = (unsigned)stripe;
	return stripes == STRIPE_TARGETS && stripe < stripes && log->bytes && log->bytes <= INT64_MAX / STRIPE_TARGETS - log->begin;
}

static bool is_uuid(const char uuid[40])
{
	if (strnlen(uuid, 40) == 40)
		return false;
	for (; *uuid; uuid++) {
		if (!isxdigit((unsigned char)*uuid) && *uuid != '-')
			return false;
	}
	return true;
}

int header_parse(const void *bytes, struct header *header)
{
	struct header found;
	struct file file;
	uint64_t flags;

	memcpy(&file, bytes, sizeof(file));
	flags = le64toh(file.flags);
	found = (struct header){.run = le64toh(file.run), .is_prepared = flags & FLAG_PREPARED, .is_ended = flags & FLAG_ENDED,
		.is_random = flags & FLAG_RANDOM};
	if (memcmp(file.magic, HEADER_MAGIC, HEADER_MAGIC_BYTES) || file.checksum != checksum(&file) || !found.run ||
		le64toh(file.durability) > HEADER_FDATASYNC || flags > FLAGS ||
		!is_uuid(file.uuid) || !parse_layout(&file, &found.layout) ||
		!parse_stripe(&file, &found.layout.areas[MIX_LOG]))
		return -EBADMSG;
	memcpy(found.uuid, file.uuid, sizeof(found.uuid));
	found.durability = (enum header_durability)le64toh(file.durability);
	for (int i = 0; i < MIX_STREAMS; i++) {
		for (unsigned k = 0; k < MIX_WORKERS_MAX; k++)
			found.acknowledged[i][k] = le64toh(file.acknowledged[i][k]);
	}
	*header = found;
	return 0;
}

/* --- reading and writing a target --- */

int header_write(int fd, const struct header *header)
{
	unsigned char bytes[HEADER_BYTES];
	ssize_t written;

	header_format(header, bytes);
	written = pwrite(fd, bytes, sizeof(bytes), 0);
	if (written < 0)
		return -errno;
	if (written != (ssize_t)sizeof(bytes))
		return -EIO;
	return fdatasync(fd) ? -errno : 0;
}

int header_read(int fd, struct header *header)
{
	unsigned char bytes[HEADER_BYTES];
	ssize_t got = pread(fd, bytes, sizeof(bytes), 0);

	if (got < 0)
		return -errno;
	return got == (ssize_t)sizeof(bytes) ? header_parse(bytes, header) : -EBADMSG;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/data/header.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define FLAG_PREPARED 1u
#define FLAG_ENDED 2u
#define FLAG_RANDOM 4u
#define BLOCK_STEP 512u
#define UUID_BYTES sizeof(((struct header *)NULL)->uuid)

/*
 *   0 magic (16)   16 run   24 uuid (40)   64 durability   72 flags   80 bytes of the layout
 *  88 areas: begin, bytes, workers, block_bytes each   152 acknowledged of each stream's workers   1176 zeros
 *  4088 checksum of all before
 */
enum { AT_RUN = 16, AT_UUID = 24, AT_DURABILITY = 64, AT_FLAGS = 72, AT_LAYOUT = 80, AT_CHECKSUM = HEADER_BYTES - 8 };
_Static_assert(AT_LAYOUT + 8 + MIX_STREAMS * (4 + MIX_WORKERS_MAX) * 8 <= AT_CHECKSUM, "all of it has room");

static void put(unsigned char *at, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		at[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *at)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

/* Each step can be undone, so one word that differs makes the sum differ. */
static uint64_t checksum(const unsigned char *bytes)
{
	uint64_t sum = 0x9e3779b97f4a7c15ull;

	for (int i = 0; i < AT_CHECKSUM; i += 8) {
		sum = (sum ^ get(bytes + i)) * 0xff51afd7ed558ccdull;
		sum ^= sum >> 32;
	}
	return sum;
}

void header_seal(void *bytes)
{
	unsigned char *to = bytes;

	put(to + AT_CHECKSUM, checksum(to));
}

void header_format(const struct header *header, void *bytes)
{
	unsigned char *to = bytes, *at = to + AT_LAYOUT;

	memset(to, 0, HEADER_BYTES);
	memcpy(to, HEADER_MAGIC, HEADER_MAGIC_BYTES);
	put(to + AT_RUN, header->run);
	memcpy(to + AT_UUID, header->uuid, strnlen(header->uuid, sizeof(header->uuid) - 1));
	put(to + AT_DURABILITY, header->durability);
	put(to + AT_FLAGS, (header->is_prepared ? FLAG_PREPARED : 0) | (header->is_ended ? FLAG_ENDED : 0) |
				     (header->is_random ? FLAG_RANDOM : 0));
	put(at, header->layout.bytes);
	at += 8;
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct layout_area *area = &header->layout.areas[i];
		const uint64_t numbers[] = {area->begin, area->bytes, area->workers, area->block_bytes};

		for (int k = 0; k < 4; k++, at += 8)
			put(at, numbers[k]);
	}
	for (int i = 0; i < MIX_STREAMS; i++) {
		for (unsigned k = 0; k < MIX_WORKERS_MAX; k++, at += 8)
			put(at, header->acknowledged[i][k]);
	}
	header_seal(bytes);
}

/* --- reading: the checksum is no lock, so every number is looked at --- */

static bool parse_area(const unsigned char *at, uint64_t from, struct layout_area *area)
{
	uint64_t begin = get(at), bytes = get(at + 8), workers = get(at + 16), block = get(at + 24);

	*area = (struct layout_area){begin, bytes, (unsigned)workers, (uint32_t)block};
	if (workers > MIX_WORKERS_MAX || block > MIX_BLOCK_MAX || begin % LAYOUT_ALIGN || begin > INT64_MAX)
		return false;
	if (!bytes) /* what it is to know of a stream in another target is how many workers come before its own */
		return true;
	return workers && block && !(block % BLOCK_STEP) && begin >= from && bytes <= INT64_MAX - begin &&
	       !(bytes % (workers * block));
}

static bool parse_layout(const unsigned char *at, struct layout *layout)
{
	uint64_t end = 0;

	*layout = (struct layout){.bytes = get(at)};
	at += 8;
	for (int i = 0; i < MIX_STREAMS; i++, at += 32) {
		struct layout_area *area = &layout->areas[i];

		if (!parse_area(at, end ? end : LAYOUT_HEADER_BYTES, area))
			return false;
		if (area->bytes)
			end = area->begin + area->bytes;
	}
	return end && end == layout->bytes;
}

static bool parse_uuid(const unsigned char *at, char uuid[UUID_BYTES])
{
	memcpy(uuid, at, UUID_BYTES);
	if (strnlen(uuid, UUID_BYTES) == UUID_BYTES)
		return false;
	for (; *uuid; uuid++) {
		if (!isxdigit((unsigned char)*uuid) && *uuid != '-')
			return false;
	}
	return true;
}

int header_parse(const void *bytes, struct header *header)
{
	const unsigned char *from = bytes, *at = from + AT_LAYOUT + 8 + MIX_STREAMS * 32;
	uint64_t durability = get(from + AT_DURABILITY), flags = get(from + AT_FLAGS);
	struct header found = {.run = get(from + AT_RUN)};

	if (memcmp(from, HEADER_MAGIC, HEADER_MAGIC_BYTES) || get(from + AT_CHECKSUM) != checksum(from))
		return -EBADMSG;
	if (!found.run || durability > HEADER_FDATASYNC || flags > (FLAG_PREPARED | FLAG_ENDED | FLAG_RANDOM) ||
		!parse_uuid(from + AT_UUID, found.uuid) || !parse_layout(from + AT_LAYOUT, &found.layout))
		return -EBADMSG;
	found.durability = (enum header_durability)durability;
	found.is_prepared = flags & FLAG_PREPARED;
	found.is_ended = flags & FLAG_ENDED;
	found.is_random = flags & FLAG_RANDOM;
	for (int i = 0; i < MIX_STREAMS; i++) {
		for (unsigned k = 0; k < MIX_WORKERS_MAX; k++, at += 8)
			found.acknowledged[i][k] = get(at);
	}
	*header = found;
	return 0;
}

/* --- in a target --- */

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

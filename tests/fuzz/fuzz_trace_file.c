/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as one block of a recording, with right checksums so that what is behind them is reached: the first byte is its
 * kind and whether it is compressed, four more say how many items it has. Items of known kinds come out, or the reading ends
 * with an error. */
#include "config.h"
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include "memtrace/file/trace_file.h"

#define PREFIX 20
#define HEAD 40

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static void put_u32(uint8_t *at, uint32_t value)
{
	value = htole32(value);
	memcpy(at, &value, sizeof(value));
}

static void check_items(const char *path, uint64_t most)
{
	struct trace_reader *reader;
	struct trace_sample sample;
	struct trace_event event;
	enum trace_item item;
	uint64_t count = 0, first_ns;
	int err;

	check(!trace_reader_open(path, &reader));
	while ((item = trace_next(reader, &sample, &event)) != TRACE_ITEM_NONE) {
		count++;
		if (item == TRACE_ITEM_SAMPLE)
			check(sample.kind < TRACE_KINDS);
		else
			check(strlen(event.text) < TRACE_TEXT_MAX);
	}
	check(count <= most);
	(void)trace_unread_bytes(reader, &err);
	check(err == 0 || err == -EBADMSG);
	check(!trace_rewind(reader));
	while (trace_next_event(reader, &event))
		check(strlen(event.text) < TRACE_TEXT_MAX);
	(void)trace_passed(reader, &first_ns);
	trace_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t prefix[PREFIX] = "memtrace\1", head[HEAD] = "MTB1";
	size_t payload = size < 5 ? 0 : size - 5;
	char path[64];
	int fd;

	if (size < 5 || payload > TRACE_PAYLOAD_MAX)
		return 0;
	fd = memfd_create("recording", MFD_CLOEXEC);
	check(fd >= 0);
	head[4] = data[0] & 0x7f;
	head[5] = data[0] >> 7;
	put_u32(head + 8, (uint32_t)payload);
	memcpy(head + 12, data + 1, 4);
	put_u32(head + 32, (uint32_t)crc32(0, data + 5, (uInt)payload));
	put_u32(head + 36, (uint32_t)crc32(0, head, 36));
	check(write(fd, prefix, PREFIX) == PREFIX && write(fd, head, HEAD) == HEAD &&
		write(fd, data + 5, payload) == (ssize_t)payload);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	check_items(path, head[5] ? TRACE_PAYLOAD_MAX : payload);
	close(fd);
	return 0;
}

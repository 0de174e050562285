/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "memtrace/file/trace_file.h"

#define HEAD_BYTES 40
#define HEADER "engine\tpage-faults\nargument\tsort\n"

static char path[64];
static bool is_compressed;

static int set_up(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/memtrace.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int set_up_compressed(void **state)
{
	is_compressed = true;
	return set_up(state);
}

static int tear_down(void **state)
{
	(void)state;
	is_compressed = false;
	return unlink(path);
}

/* The index-th of samples that differ in every field. */
static struct trace_sample sample_of(uint64_t index)
{
	struct trace_sample sample = {.time_ns = 1000 + index * 7, .address = index * 0x9e3779b97f4a7c15ull, .tid = 10,
		.cpu = (uint16_t)(index % 2), .kind = (uint8_t)(index % TRACE_KINDS), .node = UINT8_MAX};

	if (index % 5 == 4)
		sample.tid = UINT32_MAX;
	if (index % 3 == 1)
		sample.ip = ~index;
	if (index % 7 == 2)
		sample.weight = UINT32_MAX;
	if (index % 11 == 3)
		sample.source = UINT64_MAX;
	if (index % 13 == 5)
		sample.node = 3;
	return sample;
}

static void write_file(uint64_t samples)
{
	struct trace_event map = {.time_ns = 5, .pid = 10, .tid = 10, .type = TRACE_MAP, .value = {0x1000, 0x2000, 0, 3},
		.text = "/bin/sort"};
	struct trace_writer *writer;
	int fd = open(path, O_WRONLY | O_TRUNC);

	assert_true(fd >= 0);
	assert_int_equal(trace_writer_open(fd, HEADER, 2, &writer), 0);
	if (is_compressed)
		assert_int_equal(trace_writer_compress(writer), 0);
	assert_int_equal(trace_write_event(writer, &map), 0);
	for (uint64_t i = 0; i < samples; i++) {
		struct trace_sample sample = sample_of(i);

		assert_int_equal(trace_write_sample(writer, &sample), 0);
	}
	assert_int_equal(trace_writer_flush(writer), 0);
	assert_int_equal(trace_writer_samples(writer), samples);
	assert_int_equal(trace_writer_bytes(writer), lseek(fd, 0, SEEK_END));
	trace_writer_close(writer);
	close(fd);
}

static struct trace_reader *open_file(void)
{
	struct trace_reader *reader;

	assert_int_equal(trace_reader_open(path, &reader), 0);
	return reader;
}

static void assert_same(const struct trace_sample *sample, const struct trace_sample *wanted)
{
	assert_int_equal(sample->time_ns, wanted->time_ns);
	assert_int_equal(sample->address, wanted->address);
	assert_int_equal(sample->ip, wanted->ip);
	assert_int_equal(sample->tid, wanted->tid);
	assert_int_equal(sample->kind, wanted->kind);
	assert_int_equal(sample->node, wanted->node);
	assert_int_equal(sample->weight, wanted->weight);
	assert_int_equal(sample->source, wanted->source);
}

static void assert_all_read(void)
{
	uint64_t next[2] = {0, 1}, events = 0;
	struct trace_sample sample, wanted;
	struct trace_event event;
	struct trace_reader *reader;
	enum trace_item item;
	int err;

	write_file(20000);
	reader = open_file();
	assert_string_equal(trace_header(reader, "engine"), "page-faults");
	assert_string_equal(trace_header(reader, "argument"), "sort");
	assert_null(trace_header(reader, "sort"));
	for (int pass = 0; pass < 2; pass++) {
		next[0] = 0;
		next[1] = 1;
		while ((item = trace_next(reader, &sample, &event)) != TRACE_ITEM_NONE) {
			if (item == TRACE_ITEM_EVENT) {
				assert_int_equal(event.type, TRACE_MAP);
				assert_int_equal(event.value[1], 0x2000);
				assert_string_equal(event.text, "/bin/sort");
				events++;
				continue;
			}
			wanted = sample_of(next[sample.cpu]);
			assert_same(&sample, &wanted);
			next[sample.cpu] += 2;
		}
		assert_int_equal(next[0], 20000);
		assert_int_equal(next[1], 20001);
		assert_int_equal(trace_unread_bytes(reader, &err), 0);
		assert_int_equal(err, 0);
		trace_rewind(reader);
	}
	assert_int_equal(events, 2);
	trace_reader_close(reader);
}

TEST_WITH("every field of every sample is read as it was written", set_up, tear_down)
{
	assert_all_read();
}

TEST("every kind of sample and of loss has a name of its own")
{
	for (unsigned i = 0; i < TRACE_KINDS; i++) {
		assert_non_null(trace_kind_name(i));
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(trace_kind_name(i), trace_kind_name(j));
	}
	for (unsigned i = 0; i < TRACE_LOSSES; i++) {
		assert_non_null(trace_loss_name(i));
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(trace_loss_name(i), trace_loss_name(j));
	}
}

static uint64_t count_samples(struct trace_reader *reader)
{
	struct trace_sample sample;
	struct trace_event event;
	enum trace_item item;
	uint64_t count = 0;

	while ((item = trace_next(reader, &sample, &event)) != TRACE_ITEM_NONE)
		count += item == TRACE_ITEM_SAMPLE;
	return count;
}

static void assert_cut_off(void)
{
	struct stat whole;
	uint64_t before = UINT64_MAX;

	write_file(20000);
	assert_int_equal(stat(path, &whole), 0);
	for (off_t size = whole.st_size - 1; size > (off_t)(20 + strlen(HEADER)); size -= 5003) {
		struct trace_reader *reader;
		uint64_t count, unread;
		int err;

		assert_int_equal(truncate(path, size), 0);
		reader = open_file();
		count = count_samples(reader);
		unread = trace_unread_bytes(reader, &err);
		assert_int_equal(err, 0);
		assert_true(unread > 0 && unread <= 40 + TRACE_PAYLOAD_MAX);
		assert_true(count <= before && count <= 20000);
		before = count;
		trace_reader_close(reader);
	}
	assert_int_equal(before, 0);
}

TEST_WITH("a file that is cut off anywhere is read up to its last whole block", set_up, tear_down)
{
	assert_cut_off();
}

static void assert_changed(void)
{
	struct stat whole;
	int fd, err;

	write_file(20000);
	assert_int_equal(stat(path, &whole), 0);
	fd = open(path, O_RDWR);
	for (off_t at = (off_t)(20 + strlen(HEADER)); at < whole.st_size; at += 9973) {
		struct trace_reader *reader;
		uint8_t byte;

		assert_int_equal(pread(fd, &byte, 1, at), 1);
		byte ^= 0x10;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
		reader = open_file();
		assert_true(count_samples(reader) < 20000);
		assert_true(trace_unread_bytes(reader, &err) > 0);
		assert_int_equal(err, -EBADMSG);
		trace_reader_close(reader);
		byte ^= 0x10;
		assert_int_equal(pwrite(fd, &byte, 1, at), 1);
	}
	close(fd);
}

TEST_WITH("a changed byte ends the reading at its block", set_up, tear_down)
{
	assert_changed();
}

TEST_WITH("another file, a broken header and a newer version are refused", set_up, tear_down)
{
	struct trace_reader *reader;
	uint8_t version = 2;
	int fd = open(path, O_RDWR);

	assert_int_equal(trace_reader_open(path, &reader), -EBADMSG);
	assert_int_equal(trace_reader_open("/", &reader), -EISDIR);
	assert_int_equal(trace_reader_open("/no/such", &reader), -ENOENT);
	write_file(1);
	assert_int_equal(pwrite(fd, "X", 1, 25), 1);
	assert_int_equal(trace_reader_open(path, &reader), -EBADMSG);
	assert_int_equal(pwrite(fd, &version, 1, 8), 1);
	assert_int_equal(trace_reader_open(path, &reader), -ENOTSUP);
	close(fd);
}

static void assert_passed(void)
{
	struct trace_event event;
	struct trace_reader *reader;
	uint64_t first_ns;
	unsigned events = 0;
	int err;

	write_file(20000);
	reader = open_file();
	while (trace_next_event(reader, &event)) {
		assert_string_equal(event.text, "/bin/sort");
		events++;
	}
	assert_int_equal(events, 1);
	assert_int_equal(trace_passed(reader, &first_ns), 20000);
	assert_int_equal(first_ns, 1000);
	assert_int_equal(trace_unread_bytes(reader, &err), 0);
	assert_int_equal(err, 0);
	trace_reader_close(reader);
	/* A block of samples that is cut off is not counted. */
	assert_int_equal(truncate(path, 200), 0);
	reader = open_file();
	assert_false(trace_next_event(reader, &event));
	assert_int_equal(trace_passed(reader, &first_ns), 0);
	assert_true(trace_unread_bytes(reader, &err) > 0);
	trace_reader_close(reader);
}

TEST_WITH("events are read without the samples, whose blocks are counted", set_up, tear_down)
{
	assert_passed();
}

TEST_WITH("a compressed recording is shorter, read as it was written, and ends where it is cut off or changed",
	set_up_compressed, tear_down)
{
	struct stat plain, packed;

	is_compressed = false;
	write_file(20000);
	assert_int_equal(stat(path, &plain), 0);
	is_compressed = true;
	write_file(20000);
	assert_int_equal(stat(path, &packed), 0);
	assert_true(packed.st_size < plain.st_size);
	assert_all_read();
	assert_passed();
	assert_cut_off();
	assert_changed();
}

TEST_WITH("a block that unpacks to more than 64 KiB, or is no frame, ends the reading", set_up_compressed, tear_down)
{
	static const char *const texts[] = {"zeros", "no frame"};
	uint8_t head[HEAD_BYTES] = "MTB1", zeros[TRACE_PAYLOAD_MAX + 1] = {0}, packed[1024] = {0};

	for (size_t i = 0; i < 2; i++) {
		uint32_t size = i ? 100 : (uint32_t)ZSTD_compress(packed, sizeof(packed), zeros, sizeof(zeros), 1), crc;
		struct trace_reader *reader;
		int fd, err;

		memset(packed, i ? 0x55 : packed[0], i ? sizeof(packed) : 1);
		write_file(0);
		fd = open(path, O_WRONLY | O_APPEND);
		head[4] = 1;
		head[5] = 1;
		size = htole32(size);
		memcpy(head + 8, &size, 4);
		head[12] = 1;
		crc = htole32((uint32_t)crc32(0, packed, le32toh(size)));
		memcpy(head + 32, &crc, 4);
		crc = htole32((uint32_t)crc32(0, head, 36));
		memcpy(head + 36, &crc, 4);
		assert_int_equal(write(fd, head, HEAD_BYTES), HEAD_BYTES);
		assert_int_equal(write(fd, packed, le32toh(size)), le32toh(size));
		close(fd);
		reader = open_file();
		if (count_samples(reader))
			fail_msg("%s", texts[i]);
		trace_unread_bytes(reader, &err);
		assert_int_equal(err, -EBADMSG);
		trace_reader_close(reader);
	}
}

/* Writes until the limit is reached. Returns the size of the file, and how many samples it has. */
static uint64_t write_limited(uint64_t max_bytes, uint64_t *samples)
{
	const struct trace_event end = {.type = TRACE_END, .value = {0, 1}, .text = ""};
	struct trace_writer *writer;
	struct trace_sample sample;
	struct trace_event event, last = {0};
	struct trace_reader *reader;
	struct stat status;
	enum trace_item item;
	uint64_t written = 0;
	int fd = open(path, O_WRONLY | O_TRUNC);

	*samples = 0;
	assert_int_equal(trace_writer_open(fd, HEADER, 2, &writer), 0);
	if (is_compressed)
		assert_int_equal(trace_writer_compress(writer), 0);
	trace_writer_limit(writer, max_bytes);
	while (!trace_writer_is_full(writer) && written < 10000000) {
		sample = sample_of(written++);
		assert_int_equal(trace_write_sample(writer, &sample), 0);
	}
	assert_true(trace_writer_is_full(writer));
	/* Dropped, though it might fit. */
	assert_int_equal(trace_write_event(writer, &(struct trace_event){.type = TRACE_MARK, .text = "x"}), 0);
	trace_writer_limit(writer, 0);
	for (unsigned i = 0; i < TRACE_LOSSES + TRACE_RECOVERIES + TRACE_COSTS; i++)
		assert_int_equal(trace_write_event(writer, &(struct trace_event){.type = TRACE_LOST,
			.value = {UINT64_MAX, i, UINT64_MAX, UINT64_MAX}, .text = ""}), 0);
	assert_int_equal(trace_write_event(writer, &end), 0);
	assert_int_equal(trace_writer_flush(writer), 0);
	trace_writer_close(writer);
	assert_int_equal(fstat(fd, &status), 0);
	close(fd);
	assert_int_equal(trace_reader_open(path, &reader), 0);
	while ((item = trace_next(reader, &sample, &event)) != TRACE_ITEM_NONE) {
		*samples += item == TRACE_ITEM_SAMPLE;
		if (item == TRACE_ITEM_EVENT) {
			assert_int_not_equal(event.type, TRACE_MARK);
			last = event;
		}
	}
	assert_int_equal(last.type, TRACE_END);
	trace_reader_close(reader);
	assert_int_equal(*samples, written - 1);
	return (uint64_t)status.st_size;
}

static void check_limits(uint64_t unused_most)
{
	for (uint64_t max_bytes = 100000; max_bytes < 1000000; max_bytes += 123457) {
		uint64_t samples, size = write_limited(max_bytes, &samples);

		assert_in_range(size, max_bytes - unused_most, max_bytes);
	}
}

TEST_WITH("a recording with a limit ends with its last events, and is never larger", set_up, tear_down)
{
	check_limits(8 << 10);
}

TEST_WITH("a compressed recording with a limit is never larger, and lacks up to a block of it", set_up_compressed, tear_down)
{
	check_limits(TRACE_PAYLOAD_MAX + (8 << 10));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every way to write puts the bytes where they belong; and the measured loop around it. */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/mman.h>
#include <sys/stat.h>
#include "iowrite-bench/write/method.h"
#include "iowrite-bench/write/writer.h"

#define DATA_BYTES 70000
#define FILE_BYTES 200000
#define PIECE 4096

static const struct op ops[] = {{0, 0, 5000}, {0, 5000, 70000}, {0, 100000, 1}, {0, 2500, 4096}, {0, 75000, 100}};
#define OPS (sizeof(ops) / sizeof(ops[0]))

static int temporary(void)
{
	int fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd >= 0 ? fd : memfd_create("test", MFD_CLOEXEC);
}

static void fill(unsigned char *data)
{
	for (size_t i = 0; i < DATA_BYTES; i++)
		data[i] = (unsigned char)(i * 31 + i / 251 + 1);
}

static void assert_written(int fd, const unsigned char *data)
{
	unsigned char *wanted = calloc(1, FILE_BYTES), *found = calloc(1, FILE_BYTES);

	assert_non_null(wanted);
	assert_non_null(found);
	for (size_t i = 0; i < OPS; i++)
		memcpy(wanted + ops[i].offset, data, ops[i].size);
	assert_true(pread(fd, found, FILE_BYTES, 0) >= 100001);
	assert_memory_equal(found, wanted, 100001);
	free(wanted);
	free(found);
}

static void try_method(const struct method *method, enum method_buffering buffering)
{
	static unsigned char data[DATA_BYTES];
	int fd = temporary(), rc;
	struct method_setup setup = {.fd = dup(fd), .data = data, .largest_bytes = DATA_BYTES, .file_bytes = FILE_BYTES,
		.buffering = buffering, .buffer_bytes = 16384};
	void *state;

	fill(data);
	assert_true(fd >= 0);
	rc = method->open(&setup, &state);
	if (rc == -ENOSYS || rc == -EPERM) {
		print_message("# %s is not available here\n", method->name);
		close(setup.fd);
		close(fd);
		return;
	}
	assert_int_equal(rc, 0);
	for (size_t i = 0; i < OPS; i++)
		assert_int_equal(method->write(state, ops[i].offset, ops[i].size), ops[i].size);
	if (method->flush)
		assert_int_equal(method->flush(state), 0);
	else
		assert_written(fd, data);
	assert_int_equal(method->close(state), 0);
	assert_written(fd, data);
	close(fd);
}

TEST("every method writes bytes at their offsets")
{
	for (const struct method *method = methods; method->name; method++)
		try_method(method, METHOD_LIBC_DEFAULT);
	try_method(method_of("fwrite"), METHOD_FULL);
	try_method(method_of("fwrite"), METHOD_UNBUFFERED);
}

TEST("methods and syncs are found by their names")
{
	assert_ptr_equal(method_of("pwrite")->write, methods[1].write);
	assert_null(method_of("nothing"));
	assert_non_null(method_sync_of("fdatasync")->sync);
	assert_null(method_sync_of("rwf-dsync")->sync);
	assert_null(method_sync_of(""));
}

TEST("each sync succeeds on a file and fails on a bad descriptor")
{
	int fd = temporary();

	assert_int_equal(pwrite(fd, "abc", 3, 0), 3);
	for (const struct method_sync *sync = method_syncs; sync->name; sync++) {
		/* What is in no file system has nothing to flush there. */
		int rc = sync->sync && !sync->needs_mapping ? sync->sync(fd, NULL, 0, 3) : 0;

		assert_true(rc == 0 || rc == -EINVAL || rc == -ENOSYS);
		if (sync->sync && !sync->needs_mapping)
			assert_int_equal(sync->sync(-1, NULL, 0, 3), -EBADF);
	}
	close(fd);
}

/* --- the loop, on a disk made of arithmetic --- */

struct fake {
	unsigned writes, syncs, samples;
	uint64_t at_most; /* bytes taken by one write */
	unsigned fail_at; /* this write fails with ENOSPC; 0 = none */
	uint64_t offset, sync_begin, sync_end; /* of the last one */
	int *stop_after;  /* set by the third write */
};

static int64_t fake_write(void *state, uint64_t offset, uint64_t size)
{
	struct fake *fake = state;

	fake->offset = offset;
	fake->writes++;
	if (fake->stop_after && fake->writes == 3)
		*fake->stop_after = 1;
	if (fake->writes == fake->fail_at)
		return -ENOSPC;
	return (int64_t)(size < fake->at_most ? size : fake->at_most);
}
static int fake_sync(void *state, uint64_t offset, uint64_t size)
{
	struct fake *fake = state;

	fake->syncs++;
	fake->sync_begin = offset;
	fake->sync_end = offset + size;
	return 0;
}
static void fake_sample(void *state, struct write_record *record)
{
	((struct fake *)state)->samples++;
	record->dirty_bytes = 7;
	record->writeback_bytes = 8;
}

static struct writer writer_of(struct fake *fake, struct write_record *records, const int *stop)
{
	return (struct writer){.ops = ops, .count = OPS, .records = records, .write = fake_write, .write_state = fake,
		.sync = fake_sync, .sync_state = fake, .sample = fake_sample, .sample_state = fake, .until_ns = UINT64_MAX,
		.stop = stop};
}

TEST("a writer records each operation with its calls and times")
{
	struct fake fake = {.at_most = 30000};
	struct write_record records[OPS];
	struct writer writer;
	uint64_t ended = 0;
	int stop = 0;

	writer = writer_of(&fake, records, &stop);
	assert_int_equal(writer_run(&writer), OPS);
	/* The write of 70000 takes three calls. */
	assert_int_equal(fake.writes, OPS + 2);
	assert_int_equal(records[1].calls, 3);
	assert_int_equal(fake.syncs, OPS);
	assert_int_equal(fake.samples, OPS);
	for (size_t i = 0; i < OPS; i++) {
		assert_int_equal(records[i].offset, ops[i].offset);
		assert_int_equal(records[i].size, ops[i].size);
		assert_int_equal(records[i].dirty_bytes, 7);
		/* One follows the other without a gap that is not in the delay. */
		if (i)
			assert_int_equal(records[i].start_ns, ended + records[i].delay_ns);
		ended = records[i].start_ns + records[i].write_ns + records[i].sync_ns;
		assert_int_equal(records[i].error, 0);
	}
}

/* Each sync is of all writes since the one before it, also of those of the list before. */
TEST("a sync follows every n writes")
{
	struct fake fake = {.at_most = 1000000};
	struct write_record records[OPS];
	struct writer writer;
	unsigned synced = 0;
	int stop = 0;

	writer = writer_of(&fake, records, &stop);
	writer.sync_every = 3;
	assert_int_equal(writer_run(&writer), OPS);
	assert_int_equal(fake.syncs, 1);
	assert_int_equal(fake.sync_begin, 0);
	assert_int_equal(fake.sync_end, 100001);
	assert_true(records[2].is_synced && !records[1].is_synced && !records[3].is_synced);
	assert_int_equal(writer_run(&writer), OPS);
	assert_int_equal(fake.syncs, 3);
	for (size_t i = 0; i < OPS; i++)
		synced += records[i].is_synced;
	assert_int_equal(synced, 2);
	assert_true(records[0].is_synced && records[3].is_synced);
	/* Of the writes at 5000, 100000 and 2500. */
	assert_int_equal(fake.sync_begin, 2500);
	assert_int_equal(fake.sync_end, 100001);
}

/* A device that completes a flush with each sync but those of the list. */
struct flushing {
	const struct fake *fake;
	unsigned reads, none_in;
};

static int64_t count_flushes(void *state)
{
	struct flushing *flushing = state;

	flushing->reads++;
	return flushing->fake->syncs - (flushing->none_in && flushing->fake->syncs >= flushing->none_in);
}

TEST("a sync is examined with the flush counter, and one without a flush is counted")
{
	struct fake fake = {.at_most = 1000000};
	struct flushing flushing = {.fake = &fake, .none_in = 2};
	struct flush_probe probe = {.count = count_flushes, .state = &flushing};
	struct write_record records[OPS];
	struct writer writer;
	int stop = 0;

	writer = writer_of(&fake, records, &stop);
	writer.probe = &probe;
	/* The first, and none again before the interval is over. */
	assert_int_equal(writer_run(&writer), OPS);
	assert_int_equal(probe.examined, 1);
	assert_int_equal(probe.unflushed, 0);
	assert_int_equal(flushing.reads, 2);
	fake.syncs = 0;
	for (size_t i = 0; i < OPS; i++) {
		writer.ops = &ops[i];
		writer.count = 1;
		probe.next_ns = 0;
		assert_int_equal(writer_run(&writer), 1);
	}
	assert_int_equal(probe.examined, 1 + OPS);
	assert_int_equal(probe.unflushed, 1);
	/* A write that no sync follows is not examined; a sync that fails promises nothing. */
	writer.sync_every = 2;
	probe.next_ns = 0;
	assert_int_equal(writer_run(&writer), 1);
	assert_int_equal(probe.examined, 1 + OPS);
	fake.fail_at = fake.writes + 1;
	assert_int_equal(writer_run(&writer), 1);
	assert_int_equal(probe.examined, 1 + OPS);
	assert_false(probe.is_examining);
}

TEST("a writer waits each delay before its write")
{
	static const struct op slow[] = {{2000000, 0, 1}, {3000000, 1, 1}};
	struct fake fake = {.at_most = 1};
	struct write_record records[2];
	struct writer writer;
	int stop = 0;

	writer = writer_of(&fake, records, &stop);
	writer.ops = slow;
	writer.count = 2;
	assert_int_equal(writer_run(&writer), 2);
	assert_true(records[0].delay_ns >= 2000000);
	assert_true(records[1].delay_ns >= 3000000);
}

TEST("an error ends a list of writes")
{
	struct fake fake = {.at_most = 1000000, .fail_at = 3};
	struct write_record records[OPS];
	struct writer writer;
	int stop = 0;

	writer = writer_of(&fake, records, &stop);
	assert_int_equal(writer_run(&writer), 3);
	assert_int_equal(records[2].error, ENOSPC);
	assert_int_equal(records[1].error, 0);
	assert_int_equal(fake.syncs, 2);
}

TEST("a list of writes ends by the stop flag")
{
	struct write_record records[OPS];
	struct writer writer;
	int stop = 0;
	struct fake fake = {.at_most = 1000000, .stop_after = &stop};

	writer = writer_of(&fake, records, &stop);
	assert_int_equal(writer_run(&writer), 3);
	stop = 0;
	writer.until_ns = 1; /* long ago */
	assert_int_equal(writer_run(&writer), 0);
}

TEST("dirty bytes are sampled at most once per interval")
{
	struct fake fake = {.at_most = 1000000};
	struct write_record records[OPS];
	struct writer writer;
	int stop = 0;

	writer = writer_of(&fake, records, &stop);
	writer.sample_every_ns = 3600000000000;
	assert_int_equal(writer_run(&writer), OPS);
	assert_true(fake.samples <= 1);
	assert_true(records[OPS - 1].dirty_bytes == WRITER_NOT_SAMPLED);
}

/* A clock that advances by a microsecond with each reading. */
static uint64_t fake_clock(void *state)
{
	return *(uint64_t *)state += 1000;
}

TEST("repeats lie between two stamps of the clock that is given")
{
	static const struct op op = {0, 4096, 512};
	struct fake fake = {.at_most = 300};
	struct write_record records[OPS];
	struct writer writer;
	uint64_t clock = 0;
	int stop = 0;

	writer = writer_of(&fake, records, &stop);
	writer.ops = &op;
	writer.count = 1;
	writer.repeats = 8;
	writer.now_ns = fake_clock;
	writer.clock_state = &clock;
	assert_int_equal(writer_run(&writer), 1);
	assert_int_equal(records[0].write_ns, 1000);
	assert_int_equal(records[0].sync_ns, 1000);
	/* Each takes two calls, and the last one is the rest of the last write. */
	assert_int_equal(fake.writes, 16);
	assert_int_equal(records[0].calls, 16);
	assert_int_equal(fake.offset, 4096 + 7 * 512 + 300);
	assert_int_equal(records[0].size, 8 * 512);
	assert_int_equal(fake.sync_begin, 4096);
	assert_int_equal(fake.sync_end, 4096 + 8 * 512);
	fake = (struct fake){.at_most = 512, .fail_at = 3};
	assert_int_equal(writer_run(&writer), 1);
	assert_int_equal(records[0].error, ENOSPC);
	assert_int_equal(fake.writes, 3);
}

static uint64_t length_of(int fd)
{
	struct stat facts;

	assert_int_equal(fstat(fd, &facts), 0);
	return (uint64_t)facts.st_size;
}

/* A method that fails as its script says. */
struct script {
	int64_t answers[8];
	unsigned asked;
};

static int64_t answer(void *state, uint64_t offset, uint64_t size)
{
	struct script *script = state;
	int64_t value = script->answers[script->asked++];

	(void)offset;
	return value > (int64_t)size ? (int64_t)size : value;
}

static struct write_record write_once(const struct script *answers)
{
	static const struct op op = {0, 0, 100};
	struct script script = *answers;
	struct write_record record = {0};
	volatile int flag = 0;
	struct writer writer = {.ops = &op, .count = 1, .records = &record, .write = answer, .write_state = &script,
		.until_ns = UINT64_MAX, .stop = &flag};

	assert_int_equal(writer_run(&writer), 1);
	return record;
}

TEST("short and interrupted writes are continued")
{
	struct write_record record;

	record = write_once(&(struct script){.answers = {40, -EINTR, 1, 1000}});
	assert_int_equal(record.error, 0);
	assert_int_equal(record.calls, 4);
	record = write_once(&(struct script){.answers = {40, -ENOSPC}});
	assert_int_equal(record.error, ENOSPC);
	/* Nothing taken without a reason would go on for ever. */
	record = write_once(&(struct script){.answers = {0}});
	assert_int_equal(record.error, EIO);
}

/* A libc's buffer of a size that was asked for holds that much back. */
TEST("libc buffers have the requested size")
{
	static const char data[PIECE];
	int file = temporary();
	struct method_setup setup = {.data = data, .largest_bytes = PIECE, .buffering = METHOD_FULL, .buffer_bytes = 10 * PIECE};
	const struct method *method = method_of("fwrite");
	void *stream;

	assert_true(file >= 0);
	setup.fd = dup(file);
	assert_int_equal(method->open(&setup, &stream), 0);
	for (uint64_t i = 0; i < 10; i++)
		assert_int_equal(method->write(stream, i * PIECE, PIECE), PIECE);
	assert_int_equal(length_of(file), 0);
	assert_int_equal(method->write(stream, 10 * PIECE, 1), 1);
	assert_int_equal(length_of(file), 10 * PIECE);
	assert_int_equal(method->flush(stream), 0);
	assert_int_equal(length_of(file), 10 * PIECE + 1);
	assert_int_equal(method->close(stream), 0);
	assert_int_equal(fcntl(setup.fd, F_GETFD), -1);
	close(file);
}

/* A store behind the end of a file is a signal; here an error. */
TEST("stores beyond the end of a mapped file give an error")
{
	static const char data[PIECE];
	int file = temporary();
	struct method_setup setup = {.data = data, .largest_bytes = PIECE, .file_bytes = 4 * PIECE};
	const struct method *method = method_of("mmap");
	void *map;

	assert_true(file >= 0);
	setup.fd = dup(file);
	assert_int_equal(method->open(&setup, &map), 0);
	assert_int_equal(method->write(map, 0, PIECE), PIECE);
	assert_int_equal(ftruncate(file, PIECE), 0);
	assert_true(method->write(map, 2 * PIECE, PIECE) < 0);
	assert_int_equal(method->write(map, 0, PIECE), PIECE);
	assert_int_equal(method->close(map), 0);
	close(file);
}

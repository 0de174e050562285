/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Both backends on a file: the same laws for both. */
#include "config.h"
#include "tests/unit/said.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "ssd-workloads/backend/choose.h"

#define SLOTS 16u
#define BLOCK 4096u
#define WRITES 500u

struct bench {
	const struct backend_ops *ops;
	struct backend_setup setup;
	void *state;
	char path[64];
};

/* false: this host has none of this name, which is said. */
static bool set_up(struct bench *bench, const struct backend_ops *ops, enum backend_durability durability)
{
	const char *why = NULL;
	int rc;

	*bench = (struct bench){.ops = ops, .setup = {.slots = SLOTS, .slot_bytes = BLOCK, .durability = durability}};
	snprintf(bench->path, sizeof(bench->path), "/tmp/ssd-backends.XXXXXX");
	bench->setup.fd = mkstemp(bench->path);
	assert_true(bench->setup.fd >= 0);
	unlink(bench->path);
	bench->setup.buffers = mmap(NULL, SLOTS * BLOCK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(bench->setup.buffers, MAP_FAILED);
	rc = ops->open(&bench->setup, &bench->state, &why);
	if (!rc)
		return true;
	assert_non_null(why);
	print_message("# %s: %s\n", ops->name, why);
	munmap(bench->setup.buffers, SLOTS * BLOCK);
	close(bench->setup.fd);
	return false;
}

static void tear_down(struct bench *bench)
{
	bench->ops->close(bench->state);
	munmap(bench->setup.buffers, SLOTS * BLOCK);
	close(bench->setup.fd);
}

/* io-wq's threads are named by numbers of the first namespace. */
static bool has_own_pids(void)
{
	char text[64] = "";
	ssize_t size = readlink("/proc/self/ns/pid", text, sizeof(text) - 1);

	return size > 0 && !strcmp(text, "pid:[4026531836]");
}

struct seen {
	unsigned written, durable;
	bool is_busy[SLOTS], is_written[SLOTS];
};

static void check_completion(const struct bench *bench, const struct backend_completion *done, struct seen *seen)
{
	assert_true(done->slot < SLOTS && seen->is_busy[done->slot]);
	if (bench->setup.durability != BACKEND_FDATASYNC)
		assert_int_equal(done->what, BACKEND_WRITTEN | BACKEND_DURABLE);
	if (done->what & BACKEND_WRITTEN) {
		assert_int_equal(done->result, BLOCK);
		assert_false(seen->is_written[done->slot]);
		seen->is_written[done->slot] = true;
		seen->written++;
	}
	if (!(done->what & BACKEND_DURABLE))
		return;
	/* Never before the write itself. */
	assert_true(seen->is_written[done->slot]);
	assert_true(done->result >= 0);
	seen->is_busy[done->slot] = seen->is_written[done->slot] = false;
	seen->durable++;
}

static void fill_slots(struct bench *bench, struct seen *seen, unsigned *queued)
{
	for (uint32_t slot = 0; slot < SLOTS && *queued < WRITES; slot++) {
		if (seen->is_busy[slot])
			continue;
		memset(bench->setup.buffers + (size_t)slot * BLOCK, (int)(*queued % 251 + 1), BLOCK);
		bench->ops->queue(bench->state, slot, (uint64_t)*queued * BLOCK, BLOCK);
		seen->is_busy[slot] = true;
		++*queued;
	}
}

/* As the engine does it: another thread than the one that opened it. */
static void *write_all(void *argument)
{
	struct bench *bench = argument;
	struct seen seen = {0};
	struct backend_completion done[5];
	unsigned queued = 0, count;

	assert_int_equal(bench->ops->attach(bench->state), 0);
	while (seen.durable < WRITES) {
		fill_slots(bench, &seen, &queued);
		assert_int_equal(bench->ops->enter(bench->state, 1, BACKEND_NO_LIMIT), 0);
		do {
			count = bench->ops->reap(bench->state, done, 5);
			for (unsigned i = 0; i < count; i++)
				check_completion(bench, &done[i], &seen);
		} while (count);
	}
	assert_int_equal(seen.written, WRITES);
	return NULL;
}

static void check_file(const struct bench *bench)
{
	char data[BLOCK];

	for (unsigned i = 0; i < WRITES; i++) {
		assert_int_equal(pread(bench->setup.fd, data, BLOCK, (off_t)i * BLOCK), BLOCK);
		for (unsigned at = 0; at < BLOCK; at++)
			assert_int_equal((unsigned char)data[at], i % 251 + 1);
	}
}

static void writes_arrive(const struct backend_ops *ops)
{
	static const enum backend_durability durabilities[] = {BACKEND_NONE, BACKEND_DSYNC, BACKEND_FDATASYNC};
	struct bench bench;

	for (size_t i = 0; i < 3; i++) {
		pthread_t thread;

		if (!set_up(&bench, ops, durabilities[i]))
			return;
		assert_int_equal(pthread_create(&thread, NULL, write_all, &bench), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
		check_file(&bench);
		tear_down(&bench);
	}
}

/* With nothing in flight enter is a sleep, and it does not end before its time for no reason of the test's. */
static void enter_ends_by_the_clock(const struct backend_ops *ops)
{
	struct bench bench;
	struct backend_completion done;
	uint64_t begin;

	if (!set_up(&bench, ops, BACKEND_NONE))
		return;
	assert_int_equal(ops->attach(bench.state), 0);
	begin = ops->now_ns(bench.state);
	while (ops->now_ns(bench.state) < begin + 20000000)
		assert_int_equal(ops->enter(bench.state, 1, begin + 20000000), 0);
	assert_int_equal(ops->enter(bench.state, 1, begin), 0);
	assert_int_equal(ops->enter(bench.state, 0, BACKEND_NO_LIMIT), 0);
	assert_int_equal(ops->reap(bench.state, &done, 1), 0);
	tear_down(&bench);
}

static void errors_come_as_results(const struct backend_ops *ops)
{
	struct bench bench;
	struct backend_completion done[2] = {{0}};
	int full = open("/dev/full", O_WRONLY);
	unsigned count = 0;

	if (full < 0)
		return;
	if (!set_up(&bench, ops, BACKEND_NONE)) {
		close(full);
		return;
	}
	ops->close(bench.state);
	close(bench.setup.fd);
	bench.setup.fd = full;
	assert_int_equal(ops->open(&bench.setup, &bench.state, &(const char *){NULL}), 0);
	assert_int_equal(ops->attach(bench.state), 0);
	ops->queue(bench.state, 3, 0, BLOCK);
	while (!count) {
		assert_int_equal(ops->enter(bench.state, 1, BACKEND_NO_LIMIT), 0);
		count = ops->reap(bench.state, done, 2);
	}
	assert_int_equal(count, 1);
	assert_int_equal(done[0].slot, 3);
	assert_int_equal(done[0].what, BACKEND_WRITTEN | BACKEND_DURABLE);
	assert_int_equal(done[0].result, -ENOSPC);
	tear_down(&bench);
}

/* Of the ring's own file: pages that are dirty before are none afterwards, and who did it is counted. */
static void all_is_made_durable(const struct backend_ops *ops)
{
	struct bench bench;
	struct backend_completion done = {0};
	uint64_t before;

	if (!set_up(&bench, ops, BACKEND_NONE))
		return;
	assert_int_equal(ops->attach(bench.state), 0);
	before = ops->cpu_ns(bench.state);
	for (unsigned i = 0; i < 50; i++) {
		assert_int_equal(pwrite(bench.setup.fd, bench.setup.buffers, BLOCK, 0), BLOCK);
		ops->sync(bench.state);
		assert_int_equal(ops->enter(bench.state, 1, BACKEND_NO_LIMIT), 0);
		while (!ops->reap(bench.state, &done, 1))
			assert_int_equal(ops->enter(bench.state, 1, BACKEND_NO_LIMIT), 0);
		assert_int_equal(done.slot, BACKEND_NO_SLOT);
		assert_int_equal(done.what, BACKEND_SYNCED);
		assert_int_equal(done.result, 0);
	}
	/* By a thread of the kernel, or of the backend. */
	if (!access("/proc/self/task", R_OK) && has_own_pids())
		assert_true(ops->cpu_ns(bench.state) > before);
	tear_down(&bench);
}

/* --- two targets --- */

static void check_stripes(const struct bench *bench)
{
	char data[BLOCK];

	for (unsigned i = 0; i < WRITES; i++) {
		int fd = i % 2 ? bench->setup.second_fd : bench->setup.fd;

		assert_int_equal(pread(fd, data, BLOCK, (off_t)(i / 2) * BLOCK), BLOCK);
		for (unsigned at = 0; at < BLOCK; at++)
			assert_int_equal((unsigned char)data[at], i % 251 + 1);
	}
	assert_int_equal(lseek(bench->setup.fd, 0, SEEK_END), WRITES / 2 * BLOCK);
	assert_int_equal(lseek(bench->setup.second_fd, 0, SEEK_END), WRITES / 2 * BLOCK);
}

static void reopen_striped(struct bench *bench, int fd, int second_fd)
{
	const char *why = NULL;

	bench->ops->close(bench->state);
	bench->setup.fd = fd;
	bench->setup.second_fd = second_fd;
	bench->setup.stripe = (struct stripe){.targets = 2, .block_bytes = BLOCK};
	assert_int_equal(bench->ops->open(&bench->setup, &bench->state, &why), 0);
}

static void blocks_alternate(const struct backend_ops *ops)
{
	static const enum backend_durability durabilities[] = {BACKEND_NONE, BACKEND_DSYNC, BACKEND_FDATASYNC};
	struct bench bench;

	for (size_t i = 0; i < 3; i++) {
		FILE *second = tmpfile();
		pthread_t thread;

		assert_non_null(second);
		if (set_up(&bench, ops, durabilities[i])) {
			reopen_striped(&bench, bench.setup.fd, fileno(second));
			assert_int_equal(pthread_create(&thread, NULL, write_all, &bench), 0);
			assert_int_equal(pthread_join(thread, NULL), 0);
			check_stripes(&bench);
			tear_down(&bench);
		}
		fclose(second);
	}
}

/* Writes one block, and returns the result of what makes it durable. */
static int32_t write_block(struct bench *bench, uint64_t offset)
{
	struct backend_completion done;
	bool is_written = false;

	bench->ops->queue(bench->state, 2, offset, BLOCK);
	for (;;) {
		assert_int_equal(bench->ops->enter(bench->state, 1, BACKEND_NO_LIMIT), 0);
		while (bench->ops->reap(bench->state, &done, 1)) {
			assert_int_equal(done.slot, 2);
			if (done.what & BACKEND_WRITTEN) {
				assert_false(is_written);
				is_written = true;
			}
			if (done.what & BACKEND_DURABLE) {
				assert_true(is_written);
				return done.result;
			}
		}
	}
}

/* A pipe cannot be synced: whichever target it is, a sync of both fails, and one of the block's own target alone does not. */
static void both_are_synced(const struct backend_ops *ops)
{
	static const enum backend_durability durabilities[] = {BACKEND_FDATASYNC, BACKEND_DSYNC};
	struct bench bench;

	for (int i = 0; i < 4; i++) {
		bool is_second = i % 2; /* the pipe is the other one */
		int ends[2], file;

		assert_int_equal(pipe(ends), 0);
		if (set_up(&bench, ops, durabilities[i / 2])) {
			file = bench.setup.fd;
			reopen_striped(&bench, is_second ? ends[1] : file, is_second ? file : ends[1]);
			assert_int_equal(ops->attach(bench.state), 0);
			for (int k = 0; k < 3; k++)
				assert_int_equal(write_block(&bench, is_second ? BLOCK : 0), i < 2 ? -EINVAL : (int32_t)BLOCK);
			bench.setup.fd = file;
			tear_down(&bench);
		}
		close(ends[0]);
		close(ends[1]);
	}
}

/* Nothing is synced behind a write that failed. */
static void failed_writes_end_at_once(const struct backend_ops *ops)
{
	int full = open("/dev/full", O_WRONLY), file;
	struct bench bench;

	if (full < 0)
		return;
	if (set_up(&bench, ops, BACKEND_FDATASYNC)) {
		file = bench.setup.fd;
		reopen_striped(&bench, file, full);
		assert_int_equal(ops->attach(bench.state), 0);
		for (int k = 0; k < 3; k++)
			assert_int_equal(write_block(&bench, BLOCK), -ENOSPC);
		tear_down(&bench);
	}
	close(full);
}

static void *write_one(void *argument)
{
	struct bench *bench = argument;
	struct backend_completion done;

	assert_int_equal(bench->ops->attach(bench->state), 0);
	bench->ops->queue(bench->state, 0, 0, BLOCK);
	do
		assert_int_equal(bench->ops->enter(bench->state, 1, BACKEND_NO_LIMIT), 0);
	while (!bench->ops->reap(bench->state, &done, 1));
	bench->ops->detach(bench->state);
	return NULL;
}

/* The other end of a pipe knows whether somebody has it yet: else its file system would be busy. */
static void file_is_let_go(const struct backend_ops *ops, bool is_used)
{
	struct bench bench;
	struct pollfd end = {.fd = -1, .events = POLLIN};
	pthread_t thread;
	int ends[2];

	if (!set_up(&bench, ops, BACKEND_NONE))
		return;
	ops->close(bench.state);
	close(bench.setup.fd);
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	end.fd = ends[0];
	bench.setup.fd = ends[1];
	assert_int_equal(ops->open(&bench.setup, &bench.state, &(const char *){NULL}), 0);
	if (is_used) {
		assert_int_equal(pthread_create(&thread, NULL, write_one, &bench), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
	tear_down(&bench);
	assert_int_equal(poll(&end, 1, 0), 1);
	assert_true(end.revents & POLLHUP);
	close(ends[0]);
}

TEST("io_uring: writes arrive in one target or two, are durable, and end by the clock")
{
	writes_arrive(&backend_uring);
	all_is_made_durable(&backend_uring);
	enter_ends_by_the_clock(&backend_uring);
	errors_come_as_results(&backend_uring);
	blocks_alternate(&backend_uring);
	both_are_synced(&backend_uring);
	failed_writes_end_at_once(&backend_uring);
	file_is_let_go(&backend_uring, false);
	file_is_let_go(&backend_uring, true);
}

TEST("threads: writes arrive in one target or two, are durable, and end by the clock")
{
	writes_arrive(&backend_threads);
	all_is_made_durable(&backend_threads);
	enter_ends_by_the_clock(&backend_threads);
	errors_come_as_results(&backend_threads);
	blocks_alternate(&backend_threads);
	both_are_synced(&backend_threads);
	failed_writes_end_at_once(&backend_threads);
	file_is_let_go(&backend_threads, false);
	file_is_let_go(&backend_threads, true);
}

TEST("threads spend time of their own")
{
	struct bench bench;
	pthread_t thread;

	assert_true(set_up(&bench, &backend_threads, BACKEND_NONE));
	assert_int_equal(pthread_create(&thread, NULL, write_all, &bench), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(backend_threads.cpu_ns(bench.state) > 0);
	tear_down(&bench);
}

/* Of every other thread of this process: how many let no signal in that a person or a supervisor sends. */
static unsigned count_deaf(unsigned *others)
{
	const uint64_t asked = 1ull << (SIGINT - 1) | 1ull << (SIGTERM - 1) | 1ull << (SIGHUP - 1);
	DIR *tasks = opendir("/proc/self/task");
	unsigned deaf = 0;

	assert_non_null(tasks);
	*others = 0;
	for (struct dirent *entry; (entry = readdir(tasks));) {
		char path[320], line[128];
		uint64_t blocked = 0;
		FILE *status;

		if (entry->d_name[0] == '.' || strtol(entry->d_name, NULL, 10) == (long)gettid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
		status = fopen(path, "re");
		while (status && fgets(line, sizeof(line), status)) {
			if (!strncmp(line, "SigBlk:", 7))
				blocked = strtoull(line + 7, NULL, 16);
		}
		if (status)
			fclose(status);
		++*others;
		deaf += (blocked & asked) == asked;
	}
	closedir(tasks);
	return deaf;
}

/* A signal must come to the thread that waits for it, and end no write. */
TEST("threads take no signals")
{
	sigset_t now;
	struct bench bench;
	unsigned others, deaf;

	assert_true(set_up(&bench, &backend_threads, BACKEND_NONE));
	deaf = count_deaf(&others);
	assert_true(others >= SLOTS);
	assert_int_equal(deaf, others);
	assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &now), 0);
	assert_false(sigismember(&now, SIGINT));
	tear_down(&bench);
}

UNIT_BEGIN()
{
	return unit_is_emulated() ? "an emulator's threads, their clocks and programs it starts are its own" : NULL;
}

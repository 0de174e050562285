/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What has been acknowledged, told to somebody who outlives the worker: true at every moment, and in the end all. */
#include "config.h"
#include "tests/unit/unit.h"
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "common/hot/rng.h"
#include "ssd-workloads/workload/ack_log.h"

#define DEPTH 64
#define WRITES (5 * ACK_LOG_WINDOW)

static uint64_t run_number(unsigned which)
{
	return 0x7e57000000000000ull + ((uint64_t)getpid() << 8) + which;
}

/* Completions in an order as a device might have it, one of each time stuck for long. */
TEST("completions are recorded in any order")
{
	struct ack_log_worker *worker = calloc(1, sizeof(*worker));
	bool *is_done = calloc(WRITES, sizeof(*is_done));
	uint64_t open[DEPTH], next = 0, done = 0, below = 0;
	struct rng rng;

	assert_non_null(worker);
	assert_non_null(is_done);
	rng_seed(&rng, 1, 1);
	for (int i = 0; i < DEPTH; i++)
		open[i] = next++;
	while (done < WRITES) {
		size_t pick = rng_below(&rng, DEPTH);
		uint64_t sequence = open[pick];

		/* The oldest one is stuck until the window is at its end. */
		if (sequence >= WRITES || (sequence == below && next < below + ACK_LOG_WINDOW && next < WRITES))
			continue;
		ack_log_acknowledge(worker, sequence);
		is_done[sequence] = true;
		done++;
		while (below < WRITES && is_done[below])
			below++;
		assert_int_equal(worker->floor, below);
		open[pick] = next < below + ACK_LOG_WINDOW && next < WRITES ? next++ : UINT64_MAX;
		for (int i = 0; i < DEPTH; i++) {
			if (open[i] == UINT64_MAX && next < below + ACK_LOG_WINDOW && next < WRITES)
				open[i] = next++;
		}
		if (done % 512 == 0) {
			for (uint64_t k = below > 100 ? below - 100 : 0; k < next + 100 && k < WRITES; k++)
				assert_int_equal(!!ack_log_knows(worker, k), is_done[k]);
		}
	}
	assert_int_equal(worker->floor, WRITES);
	free(is_done);
	free(worker);
}

/* Whatever the bits were, in whatever round. */
TEST("a log may start at any sequence and knows all before it")
{
	static const uint64_t floors[] = {1, 63, ACK_LOG_WINDOW - 1, ACK_LOG_WINDOW, ACK_LOG_WINDOW + 100,
		3ull * ACK_LOG_WINDOW + 77,
		4ull * ACK_LOG_WINDOW, (1ull << 40) + 5};
	struct ack_log_worker *worker = calloc(1, sizeof(*worker));

	assert_non_null(worker);
	for (size_t i = 0; i < sizeof(floors) / sizeof(floors[0]); i++) {
		ack_log_start(worker, floors[i]);
		assert_true(ack_log_knows(worker, floors[i] - 1));
		for (uint64_t k = 0; k < ACK_LOG_WINDOW; k++)
			assert_false(ack_log_knows(worker, floors[i] + k));
		for (uint64_t k = 1; k < ACK_LOG_WINDOW; k++)
			ack_log_acknowledge(worker, floors[i] + k);
		assert_int_equal(worker->floor, floors[i]);
		ack_log_acknowledge(worker, floors[i]);
		assert_int_equal(worker->floor, floors[i] + ACK_LOG_WINDOW);
	}
	free(worker);
}

TEST("another process finds the log of a run")
{
	struct ack_log *ours, *found;

	assert_int_equal(ack_log_find(run_number(1), 2, &found), -ENOENT);
	assert_int_equal(ack_log_open(run_number(1), 2, &ours), 0);
	assert_int_equal(ack_log_open(run_number(1), 2, &found), -EEXIST);
	ack_log_acknowledge(ack_log_worker(ours, 1), 0);
	ack_log_acknowledge(ack_log_worker(ours, 1), 5);
	assert_int_equal(ack_log_find(run_number(1), 3, &found), -ENOENT);
	assert_int_equal(ack_log_find(run_number(1), 2, &found), 0);
	assert_int_equal(ack_log_worker(found, 0)->floor, 0);
	assert_int_equal(ack_log_worker(found, 1)->floor, 1);
	assert_true(ack_log_knows(ack_log_worker(found, 1), 5));
	assert_false(ack_log_knows(ack_log_worker(found, 1), 4));
	ack_log_close(found, false);
	ack_log_close(ours, true);
	assert_int_equal(ack_log_find(run_number(1), 2, &found), -ENOENT);
	ack_log_close(NULL, true);
}

TEST("a target that is reused leaves the others log")
{
	struct ack_log *ours, *found;

	assert_int_equal(ack_log_open(run_number(2), 3, &ours), 0);
	ack_log_acknowledge(ack_log_worker(ours, 2), 0);
	ack_log_close(ours, false);
	ack_log_remove_part(run_number(2), 4, 0, 2);
	ack_log_remove_part(run_number(2), 3, 0, 2);
	ack_log_remove_part(run_number(2), 3, 0, 2);
	assert_int_equal(ack_log_find(run_number(2), 3, &found), 0);
	assert_true(ack_log_is_gone(found, 0));
	assert_true(ack_log_is_gone(found, 1));
	assert_false(ack_log_is_gone(found, 2));
	assert_int_equal(ack_log_worker(found, 2)->floor, 1);
	ack_log_close(found, false);
	ack_log_remove_part(run_number(2), 3, 2, 1);
	assert_int_equal(ack_log_find(run_number(2), 3, &found), -ENOENT);
	ack_log_remove_part(run_number(2), 3, 2, 1);
}

TEST("an acknowledgement log that others could have written is refused")
{
	char path[64], other[80];
	struct ack_log *ours, *found;

	snprintf(path, sizeof(path), "/dev/shm/ssd-workloads-%016llx", (unsigned long long)run_number(9));
	snprintf(other, sizeof(other), "%s.other", path);
	assert_int_equal(ack_log_open(run_number(9), 2, &ours), 0);
	assert_int_equal(chmod(path, 0620), 0);
	assert_int_equal(ack_log_find(run_number(9), 2, &found), -EPERM);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(link(path, other), 0);
	assert_int_equal(ack_log_find(run_number(9), 2, &found), -EPERM);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(ack_log_find(run_number(9), 2, &found), -EPERM);
	assert_int_equal(rename(other, path), 0);
	if (!geteuid()) {
		assert_int_equal(chown(path, 1, 1), 0);
		assert_int_equal(ack_log_find(run_number(9), 2, &found), -EPERM);
		assert_int_equal(chown(path, 0, 0), 0);
	}
	assert_int_equal(ack_log_find(run_number(9), 2, &found), 0);
	ack_log_close(found, false);
	ack_log_close(ours, true);
}

/* The worker says by a pipe what it has acknowledged, after it told the ack_log; then it is killed, anywhere. What the
 * acknowledgement log knows is at least that, and never what has not begun. */
static void one_killed(unsigned which)
{
	struct ack_log *ours = NULL, *found;
	uint64_t run = run_number(which), told = 0, value;
	int pipes[2], status;
	pid_t child;

	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		close(pipes[0]);
		if (ack_log_open(run, 1, &ours))
			_exit(1);
		for (uint64_t k = 0;; k++) {
			/* In pairs, the later one first: bits above the floor. */
			ack_log_acknowledge(ack_log_worker(ours, 0), k ^ 1);
			if (write(pipes[1], &k, sizeof(k)) != sizeof(k))
				_exit(1);
		}
	}
	close(pipes[1]);
	for (unsigned i = 0; i < 100 + which * 37; i++)
		assert_int_equal(read(pipes[0], &value, sizeof(value)), sizeof(value));
	told = value;
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	while (read(pipes[0], &value, sizeof(value)) == sizeof(value))
		told = value;
	close(pipes[0]);
	assert_int_equal(ack_log_find(run, 1, &found), 0);
	for (uint64_t k = 0; k <= told; k++)
		assert_true(ack_log_knows(ack_log_worker(found, 0), k ^ 1));
	for (uint64_t k = told + 2; k < told + ACK_LOG_WINDOW / 2; k++)
		assert_false(ack_log_knows(ack_log_worker(found, 0), k ^ 1));
	ack_log_close(found, true);
}

TEST("after a kill the log has only acknowledged writes")
{
	for (unsigned i = 2; i < 22; i++)
		one_killed(i);
}

/* Around the end of a round, where the bits begin to mean the opposite. */
TEST("acknowledgements around the end of a round are kept")
{
	struct ack_log_worker *worker = calloc(1, sizeof(*worker));

	assert_non_null(worker);
	for (uint64_t i = 0; i < ACK_LOG_WINDOW - 1; i++)
		ack_log_acknowledge(worker, i);
	ack_log_acknowledge(worker, ACK_LOG_WINDOW);
	ack_log_acknowledge(worker, ACK_LOG_WINDOW + 1);
	assert_int_equal(worker->floor, ACK_LOG_WINDOW - 1);
	assert_false(ack_log_knows(worker, ACK_LOG_WINDOW - 1));
	assert_true(ack_log_knows(worker, ACK_LOG_WINDOW + 1));
	ack_log_acknowledge(worker, ACK_LOG_WINDOW - 1);
	assert_int_equal(worker->floor, ACK_LOG_WINDOW + 2);
	assert_false(ack_log_knows(worker, ACK_LOG_WINDOW + 2));
	assert_false(ack_log_knows(worker, 2ull * ACK_LOG_WINDOW));
	for (uint64_t i = ACK_LOG_WINDOW + 3; i < 2ull * ACK_LOG_WINDOW + 2; i++)
		ack_log_acknowledge(worker, i);
	assert_int_equal(worker->floor, ACK_LOG_WINDOW + 2);
	/* A full window, then the one that was missing. */
	ack_log_acknowledge(worker, ACK_LOG_WINDOW + 2);
	assert_int_equal(worker->floor, 2ull * ACK_LOG_WINDOW + 2);
	free(worker);
}

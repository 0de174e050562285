/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cost of measuring a buffered write. The same pwrites over pages that are cached and dirty, the cheapest write, run in a bare
 * loop with one timestamp before and one after all of them, and in iowrite-bench's measured loop, in interleaved pairs. Prints rows
 * of a Markdown table, one per folder and size; "added" is the measured loop's time per write minus that of the bare loop, "inside"
 * the part of it between the two timestamps of a write, which every reported cost includes.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/hot/faults.h"
#include "common/hot/ticks.h"
#include "common/stats/stats.h"
#include "common/storage/target.h"
#include "iowrite-bench/write/method.h"
#include "iowrite-bench/write/writer.h"

#define WRITES 65536u /* as many as iowrite-bench run makes at a time */
#define PAIRS_MAX 1000u
#define WRITE_MOST 4096u

struct pair {
	double bare_ns, loop_ns, recorded_ns; /* of a write */
	uint64_t bare_faults, loop_faults;    /* of all of them */
};

struct session {
	struct target target;
	int fd;
	void *method_state;
	uint64_t size;
	char data[WRITE_MOST];
	struct op ops[WRITES];
	struct write_record records[WRITES];
};

static uint64_t faults(void)
{
	struct fault_counts counts;

	faults_read(&counts);
	return counts.minor + counts.major;
}

static int bare(const struct session *session, struct pair *pair)
{
	uint64_t faults_before = faults(), begin = ticks_perfc();

	for (size_t i = 0; i < WRITES; i++) {
		if (pwrite(session->fd, session->data, session->size, (off_t)(i * session->size)) != (ssize_t)session->size)
			return EIO;
	}
	pair->bare_ns = (double)(ticks_perfc() - begin) / WRITES;
	pair->bare_faults = faults() - faults_before;
	return 0;
}

static int measured(struct session *session, struct pair *pair)
{
	const volatile int stop = 0;
	struct writer writer = {.ops = session->ops, .count = WRITES, .records = session->records,
		.write = method_of("pwrite")->write, .write_state = session->method_state, .until_ns = UINT64_MAX, .stop = &stop};
	uint64_t faults_before = faults(), begin = ticks_perfc(), sum = 0;
	size_t done = writer_run(&writer);

	pair->loop_ns = (double)(ticks_perfc() - begin) / WRITES;
	pair->loop_faults = faults() - faults_before;
	if (done != WRITES || session->records[WRITES - 1].error)
		return EIO;
	for (size_t i = 0; i < WRITES; i++)
		sum += session->records[i].write_ns;
	pair->recorded_ns = (double)sum / WRITES;
	return 0;
}

/* A B, B A, ...: a machine that becomes slower does so to both. The first pair warms and is written over. */
static int measure_pairs(struct session *session, struct pair *pairs, size_t count)
{
	int rc = 0;

	for (size_t i = 0; i <= count && !rc; i++) {
		struct pair *pair = &pairs[i ? i - 1 : 0];

		rc = i % 2 ? bare(session, pair) : measured(session, pair);
		if (!rc)
			rc = i % 2 ? measured(session, pair) : bare(session, pair);
	}
	return rc;
}

static double bare_of(const struct pair *pair) { return pair->bare_ns; }
static double loop_of(const struct pair *pair) { return pair->loop_ns; }
static double added_of(const struct pair *pair) { return pair->loop_ns - pair->bare_ns; }
static double inside_of(const struct pair *pair) { return pair->recorded_ns - pair->bare_ns; }

static void print_column(const struct pair *pairs, size_t count, double (*value_of)(const struct pair *pair))
{
	double values[PAIRS_MAX], median, low, high;

	for (size_t i = 0; i < count; i++)
		values[i] = value_of(&pairs[i]);
	if (!stats_median(values, count, &median) && !stats_quantile(values, count, 0, &low) &&
		!stats_quantile(values, count, 1, &high))
		printf(" %.0f (%.0f..%.0f) |", median, low, high);
}

static void print_row(const struct session *session, const struct pair *pairs, size_t count)
{
	uint64_t bare_faults = 0, loop_faults = 0;

	for (size_t i = 0; i < count; i++) {
		bare_faults += pairs[i].bare_faults;
		loop_faults += pairs[i].loop_faults;
	}
	printf("| %s, %llu B |", session->target.file_system, (unsigned long long)session->size);
	print_column(pairs, count, bare_of);
	print_column(pairs, count, loop_of);
	print_column(pairs, count, added_of);
	print_column(pairs, count, inside_of);
	printf(" %llu, %llu |\n", (unsigned long long)bare_faults, (unsigned long long)loop_faults);
}

static int open_session(struct session *session, uint64_t size)
{
	struct method_setup setup = {.data = session->data, .largest_bytes = size, .file_bytes = WRITES * size};
	int rc;

	session->size = size;
	session->fd = -1;
	session->method_state = NULL;
	for (size_t i = 0; i < WRITES; i++)
		session->ops[i] = (struct op){.offset = i * size, .size = size};
	rc = target_reopen(&session->target, O_WRONLY, &session->fd);
	setup.fd = session->fd;
	return rc ? -rc : -method_of("pwrite")->open(&setup, &session->method_state);
}

/* The method closes the descriptor. */
static void close_session(struct session *session)
{
	if (session->method_state)
		method_of("pwrite")->close(session->method_state);
	else if (session->fd >= 0)
		close(session->fd);
}

static int measure_folder(struct session *session, const char *folder, struct pair *pairs, size_t count)
{
	static const uint64_t sizes[] = {512, WRITE_MOST};
	const struct target_request request = {.path = folder, .bytes = (uint64_t)WRITES * WRITE_MOST};
	int code = target_open(&request, &session->target), rc = 0;

	if (code)
		return code;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]) && !rc; i++) {
		rc = open_session(session, sizes[i]);
		if (!rc)
			rc = measure_pairs(session, pairs, count);
		if (!rc)
			print_row(session, pairs, count);
		close_session(session);
	}
	target_close(&session->target);
	if (rc)
		diag_error(rc, "cannot write in %s", folder);
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

int main(int argc, char **argv)
{
	struct pair *pairs = calloc(PAIRS_MAX, sizeof(*pairs));
	struct session *session = malloc(sizeof(*session));
	cpu_set_t here;
	uint64_t count;
	int code = DIAG_EXIT_OK, cpu = sched_getcpu();

	if (argc < 3 || units_parse_u64(argv[1], 1, PAIRS_MAX, &count)) {
		diag_error(0, "usage: iowrite_overhead PAIRS FOLDER..., with up to %u pairs", PAIRS_MAX);
		code = DIAG_EXIT_USAGE;
	} else if (!pairs || !session) {
		diag_error(ENOMEM, "cannot begin");
		code = DIAG_EXIT_HOST;
	} else {
		/* Touched, as iowrite-bench does it. */
		memset(session, 1, sizeof(*session));
		/* On one CPU, so that no pair has its halves on two. */
		CPU_ZERO(&here);
		if (cpu >= 0 && cpu < CPU_SETSIZE) {
			CPU_SET(cpu, &here);
			(void)sched_setaffinity(0, sizeof(here), &here);
		}
	}
	for (int i = 2; i < argc && !code; i++)
		code = measure_folder(session, argv[i], pairs, count);
	free(session);
	free(pairs);
	return code;
}

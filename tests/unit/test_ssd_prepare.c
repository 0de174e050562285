/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A target is prepared when each of its bytes was written, however the writes came out. */
#include "config.h"
#include "tests/unit/said.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "ssd-workloads/engine/prepare.h"
#include "ssd-workloads/run/report.h"
#include "ssd-workloads/workload/block.h"
#include "tests/unit/fake_backend.h"

#define LOG_BLOCK 4096u
#define LOG_BLOCKS 8192u          /* of two workers: 16 MiB each, so that slots are used again */
#define CHECKPOINT_BLOCK 16384u
#define CHECKPOINT_BLOCKS 64u
#define TOTAL ((uint64_t)LOG_BLOCK * LOG_BLOCKS + (uint64_t)CHECKPOINT_BLOCK * CHECKPOINT_BLOCKS)

struct bench {
	struct fake_backend fake;
	struct backend_setup backend;
	struct layout layout;
	struct place place;
	struct engine_setup setup;
	struct prepare_result result;
	int stop;
	unsigned stop_at;         /* the n-th write (from 1) comes with a signal, 0 = none */
	FILE *file;
};

static struct bench *bench; /* a backend's open knows nothing else of the test */

/* The third, which may be short, is soon done, so that its slot is used again. */
static uint64_t any_time(unsigned n)
{
	return n == 2 ? 1000 : 5000 + (n * 2654435761u >> 8) % 1000;
}

static int open_fake(const struct backend_setup *setup, void **state, const char **why)
{
	(void)why;
	bench->backend = *setup;
	*state = &bench->fake;
	return 0;
}

/* What is said to be written is written. */
static void queue_to_file(void *state, uint32_t slot, uint64_t offset, uint32_t length)
{
	bool is_failing = bench->fake.count + 1 == bench->fake.fail_at;
	int32_t bytes = is_failing ? bench->fake.fail_result : (int32_t)length;

	fake_ops.queue(state, slot, offset, length);
	if (bench->fake.count == bench->stop_at)
		bench->stop = 1;
	if (bytes > 0)
		assert_int_equal(pwrite(bench->backend.fd, bench->backend.buffers + (size_t)slot * bench->backend.slot_bytes,
					 (size_t)bytes, (off_t)offset), bytes);
}

static struct backend_ops ops;

static int set_up(void **state)
{
	const struct workload_override override = {.workers = 2,
		.streams = {{true, 4, LOG_BLOCK, (uint64_t)LOG_BLOCKS * LOG_BLOCK, .pause_ns = 0},
			{true, 1, CHECKPOINT_BLOCK, (uint64_t)CHECKPOINT_BLOCKS * CHECKPOINT_BLOCK, .pause_ns = 0}}};
	struct workload workload;
	const char *why;

	(void)state;
	bench = calloc(1, sizeof(*bench));
	assert_non_null(bench);
	ops = fake_ops;
	ops.open = open_fake;
	ops.queue = queue_to_file;
	bench->fake = (struct fake_backend){.now_ns = 1, .step_ns = 20, .service = any_time};
	assert_int_equal(workload_make(mix_find("custom"), &override, &workload, &why), 0);
	layout_make(&workload, &bench->layout);
	bench->file = tmpfile();
	assert_non_null(bench->file);
	bench->place.direct_fd = bench->place.target.fd = fileno(bench->file);
	snprintf(bench->place.target.path, sizeof(bench->place.target.path), "here");
	bench->setup = (struct engine_setup){.places = &bench->place, .place_count = 1, .layout = &bench->layout,
		.backend = &ops, .run = 7, .stop = &bench->stop};
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fclose(bench->file);
	free(bench);
	return 0;
}

static int do_prepare(void *data)
{
	struct progress progress;
	void *memory = NULL;
	int code;

	(void)data;
	progress_init(&progress, true);
	code = prepare_open(&bench->setup, &memory);
	if (!code)
		code = prepare(&bench->setup, memory, &progress, &bench->result);
	prepare_close(memory);
	return code;
}

/* Each block is whole, in its place, and was prepared. */
static void check_blocks(void)
{
	static char data[CHECKPOINT_BLOCK] __attribute__((aligned(8)));

	for (int which = 0; which < MIX_STREAMS; which++) {
		const struct layout_area *area = &bench->layout.areas[which];

		for (unsigned worker = 0; worker < area->workers; worker++) {
			struct stamp_source source = {7, (uint8_t)which, (uint8_t)worker, area->block_bytes};
			uint64_t begin, blocks;

			layout_part(area, worker, &begin, &blocks);
			for (uint64_t i = 0; i < blocks; i++) {
				uint64_t offset = begin + i * area->block_bytes;
				struct block_seen seen;

				assert_int_equal(pread(fileno(bench->file), data, area->block_bytes, (off_t)offset),
					area->block_bytes);
				block_check(data, &source, offset, &seen);
				assert_int_equal(seen.finding, BLOCK_WHOLE);
				assert_int_equal(seen.low, STAMP_PREPARED);
			}
		}
	}
}

TEST_WITH("both areas are written in full", set_up, tear_down)
{
	assert_int_equal(do_prepare(NULL), DIAG_EXIT_OK);
	assert_true(bench->result.is_done);
	assert_int_equal(bench->result.bytes, TOTAL);
	check_blocks();
}

TEST_WITH("the rest of a short write follows", set_up, tear_down)
{
	static const int32_t results[] = {512, 4096, 5 * 4096 + 512};

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		if (i) {
			tear_down(state);
			set_up(state);
		}
		bench->fake.fail_at = 3;
		bench->fake.fail_result = results[i];
		assert_int_equal(do_prepare(NULL), DIAG_EXIT_OK);
		assert_true(bench->result.is_done);
		assert_int_equal(bench->result.bytes, TOTAL);
		check_blocks();
	}
}

TEST_WITH("a write that makes no progress is an error", set_up, tear_down)
{
	static const int32_t results[] = {0, 100, -ENOSPC};
	static const char *const words[] = {"Input/output error", "Input/output error", "No space left"};

	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		struct said said;

		if (i) {
			tear_down(state);
			set_up(state);
		}
		bench->fake.fail_at = 3;
		bench->fake.fail_result = results[i];
		said = said_of(do_prepare, NULL);
		assert_int_equal(said.status, DIAG_EXIT_OK);
		assert_non_null(strstr(said.err, "cannot prepare here"));
		assert_non_null(strstr(said.err, words[i]));
	}
}

/* Here, for what said_of runs leaves no result. */
TEST_WITH("failed writes are counted", set_up, tear_down)
{
	bench->fake.fail_at = 3;
	bench->fake.fail_result = -ENOSPC;
	assert_int_equal(do_prepare(NULL), DIAG_EXIT_OK);
	assert_false(bench->result.is_done);
	assert_true(bench->result.bytes < TOTAL);
	assert_int_equal(bench->result.failure.error, -ENOSPC);
	assert_int_equal(bench->result.failure.errors[0].error, ENOSPC);
	assert_int_equal(bench->result.failure.errors[0].count, 1);
	assert_int_equal(bench->result.failure.errors[1].count, 0);
	assert_int_equal(bench->fake.outstanding, 0);
}

TEST_WITH("an interrupted preparation is not complete", set_up, tear_down)
{
	bench->stop_at = 9;
	assert_int_equal(do_prepare(NULL), DIAG_EXIT_OK);
	assert_false(bench->result.is_done);
	assert_true(bench->result.bytes > 0 && bench->result.bytes < TOTAL);
	assert_int_equal(bench->fake.outstanding, 0);
}

/* A signal that comes with the last write changes nothing of what is there. */
TEST_WITH("a preparation interrupted at its end is complete", set_up, tear_down)
{
	unsigned writes;

	assert_int_equal(do_prepare(NULL), DIAG_EXIT_OK);
	writes = bench->fake.count;
	tear_down(state);
	set_up(state);
	bench->stop_at = writes;
	assert_int_equal(do_prepare(NULL), DIAG_EXIT_OK);
	assert_true(bench->result.is_done);
}

TEST("an error without a name is a number")
{
	char text[RUN_ERROR_TEXT];

	assert_string_equal(run_error_name(EIO, text), "EIO");
	assert_string_equal(run_error_name(524, text), "524"); /* the kernel's ENOTSUPP */
}

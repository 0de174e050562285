/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combinations: which there are, which cannot be and why; and the writes that are made of one. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/base/diag.h"
#include "iowrite-bench/run/plan.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static struct iow_run_options options; /* too large for a stack */
static struct iow_run_plan plan;
static uint64_t memory_bytes; /* of the host; 0 = not checked */
static const struct target ext4 = {.kind = TARGET_NAMELESS, .fd = -1, .path = "/data", .file_system = "ext4",
	.has_direct = true, .memory_align = 512, .offset_align = 512, .fs_block = 4096};

static void reset(void)
{
	memset(&options, 0, sizeof(options));
	options.methods[options.method_count++] = method_of("pwrite");
	options.modes[options.mode_count++] = OP_BUFFERED;
	options.syncs[options.sync_count++] = method_sync_of("none");
	options.sync_every[options.every_count++] = 1;
	options.regimes[options.regime_count++] = OP_OVERWRITE;
	options.orders[options.order_count++] = RUN_WRITE;
	options.sizes[options.size_count++] = (struct run_size){4096, 4096};
	options.buffers[options.buffer_count++] = (struct run_buffer){METHOD_LIBC_DEFAULT, 0};
	options.size_bytes = 1 << 20;
	options.threads = 1;
	options.files = 1;
	options.back = 0.5;
}

static int make(const struct target *target)
{
	int before = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY), code;

	dup2(null, STDERR_FILENO);
	code = iow_run_plan_make(&options, &plan);
	plan.memory_bytes = memory_bytes;
	if (!code) {
		code = iow_run_plan_fit(&plan, target);
		if (code)
			iow_run_plan_free(&plan);
	}
	dup2(before, STDERR_FILENO);
	close(before);
	close(null);
	return code;
}

TEST("a plan has each combination of its options once")
{
	reset();
	options.methods[options.method_count++] = method_of("fwrite");
	options.syncs[options.sync_count++] = method_sync_of("fsync");
	options.sizes[options.size_count++] = (struct run_size){512, 65536};
	options.buffers[options.buffer_count++] = (struct run_buffer){METHOD_FULL, 65536};
	options.buffers[options.buffer_count++] = (struct run_buffer){METHOD_UNBUFFERED, 0};
	assert_int_equal(make(&ext4), 0);
	/* Buffers are fwrite's alone. */
	assert_int_equal(plan.cell_count, (1 + 3) * 2 * 2);
	assert_int_equal(plan.measured_count, plan.cell_count);
	assert_string_equal(plan.cells[0].id, "pwrite.buffered.none.overwrite.write.4k");
	assert_string_equal(plan.cells[1].id, "pwrite.buffered.none.overwrite.write.512-64k");
	assert_string_equal(plan.cells[2].id, "pwrite.buffered.fsync.overwrite.write.4k");
	assert_string_equal(plan.cells[8].id, "fwrite-64k.buffered.none.overwrite.write.4k");
	assert_string_equal(plan.cells[15].id, "fwrite-unbuffered.buffered.fsync.overwrite.write.512-64k");
	for (size_t i = 0; i < plan.cell_count; i++) {
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(plan.cells[i].id, plan.cells[k].id);
	}
	iow_run_plan_free(&plan);
}

TEST("a plan has the rounds, sizes and times of the options")
{
	reset();
	assert_int_equal(make(&ext4), 0);
	assert_int_equal(plan.rounds, 3);
	assert_int_equal(plan.runtime_ns, 0);
	assert_false(plan.is_repeated);
	assert_int_equal(plan.bytes, 1 << 20);
	iow_run_plan_free(&plan);
	options.size_bytes = 0;
	assert_int_equal(make(&ext4), 0);
	assert_int_equal(plan.size_bytes, 64 << 20);
	assert_int_equal(plan.runtime_ns, 1000000000);
	assert_false(plan.is_repeated);
	iow_run_plan_free(&plan);
	options.runtime_ns = 5;
	options.threads = 4;
	assert_int_equal(make(&ext4), 0);
	assert_int_equal(plan.runtime_ns, 5);
	assert_true(plan.is_repeated);
	assert_int_equal(plan.bytes, 256 << 20);
	assert_false(plan.is_shared);
	iow_run_plan_free(&plan);
	/* A ring is bounded, whatever is written. */
	options.size_bytes = 1ull << 40;
	options.sizes[0] = (struct run_size){1, 1};
	assert_int_equal(make(&ext4), 0);
	assert_int_equal(plan.cells[0].ring, RUN_RING_MAX);
	iow_run_plan_free(&plan);
	options.sizes[0] = (struct run_size){1ull << 40, 1ull << 40};
	options.size_bytes = 1 << 20;
	assert_int_equal(make(&ext4), DIAG_EXIT_USAGE);
}

TEST("a combination that cannot be measured is in the plan with its reason")
{
	struct target target = ext4;

	reset();
	options.methods[options.method_count++] = method_of("mmap");
	options.modes[options.mode_count++] = OP_DIRECT;
	options.regimes[options.regime_count++] = OP_APPEND;
	options.orders[0] = RUN_RANDWRITE;
	assert_int_equal(make(&target), 0);
	assert_int_equal(plan.cell_count, 8);
	/* mmap has no O_DIRECT (2 of 8), nothing random is appended (3 of the other 6). */
	assert_int_equal(plan.measured_count, 3);
	iow_run_plan_free(&plan);

	reset();
	options.modes[0] = OP_DIRECT;
	target.has_direct = false;
	assert_int_equal(make(&target), DIAG_EXIT_HOST);
	target.has_direct = true;
	target.offset_align = 8192;
	assert_int_equal(make(&target), DIAG_EXIT_USAGE);
	target.offset_align = 4096;
	assert_int_equal(make(&target), 0);
	iow_run_plan_free(&plan);

	reset();
	target.kind = TARGET_DEVICE;
	options.regimes[0] = OP_APPEND;
	assert_int_equal(make(&target), DIAG_EXIT_USAGE);
	target.kind = TARGET_FILE;
	assert_int_equal(make(&target), 0);
	iow_run_plan_free(&plan);
	options.threads = 2;
	assert_int_equal(make(&target), DIAG_EXIT_USAGE);
	options.regimes[0] = OP_PREALLOCATED;
	assert_int_equal(make(&target), 0);
	assert_true(plan.is_shared);
	iow_run_plan_free(&plan);

	reset();
	options.sizes[0] = (struct run_size){1, 1};
	for (unsigned i = 1; i < RUN_SIZES_MAX; i++)
		options.sizes[options.size_count++] = (struct run_size){1 + i, 1 + i};
	options.regimes[options.regime_count++] = OP_PREALLOCATED;
	for (int i = 1; i < OP_MODES; i++)
		options.modes[options.mode_count++] = (enum op_mode)i;
	for (const struct method_sync *sync = method_syncs + 1; sync->name; sync++)
		options.syncs[options.sync_count++] = sync;
	assert_int_equal(make(&ext4), DIAG_EXIT_USAGE);
}

/* --- writes --- */

#define OPS 5000
static struct op ops[OPS];

/* All of them, a ring at a time. */
static size_t draw(struct op_source *source, size_t ring)
{
	size_t count = 0, more;

	while ((more = source_refill(source, ops + count, ring < OPS - count ? ring : OPS - count)))
		count += more;
	return count;
}

/* All threads together get half of the available memory; combinations that need none are not refused. */
TEST("a plan needs memory for all threads")
{
	reset();
	options.memory = MODEL_WARM;
	options.threads = 4;
	options.size_bytes = 64 << 20;
	options.regimes[0] = OP_APPEND;
	options.modes[options.mode_count++] = OP_DIRECT;
	memory_bytes = 1ull << 30; /* 2 * 4 * 128 MiB */
	assert_int_equal(make(&ext4), 0);
	assert_int_equal(plan.measured_count, 2);
	iow_run_plan_free(&plan);
	memory_bytes--;
	assert_int_equal(make(&ext4), 0);
	assert_int_equal(plan.measured_count, 1);
	assert_string_equal(plan.cells[0].skipped,
		"--mem=warm needs 1024 MiB of memory, and 1023 MiB are available: use a smaller --size or --mem=as-is");
	iow_run_plan_free(&plan);
	options.memory = MODEL_AS_IS;
	assert_int_equal(make(&ext4), 0);
	assert_int_equal(plan.measured_count, 2);
	iow_run_plan_free(&plan);
	options.memory = MODEL_WARM;
	options.mode_count = 1;
	assert_int_equal(make(&ext4), DIAG_EXIT_HOST);
	options.regimes[0] = OP_OVERWRITE;
	assert_int_equal(make(&ext4), 0);
	iow_run_plan_free(&plan);
	memory_bytes = 0;
}

TEST("sequential writes follow each other")
{
	struct op_source source;

	reset();
	options.delay_ns = 7;
	assert_int_equal(make(&ext4), 0);
	source_init(&source, &plan, &plan.cells[0], 0);
	assert_int_equal(draw(&source, 100), 256);
	for (size_t i = 0; i < 256; i++) {
		assert_int_equal(ops[i].offset, i * 4096);
		assert_int_equal(ops[i].size, 4096);
		assert_int_equal(ops[i].delay_ns, 7);
	}
	/* And again from the begin. */
	assert_int_equal(draw(&source, OPS), 256);
	assert_int_equal(ops[0].offset, 0);
	iow_run_plan_free(&plan);
}

TEST("random order writes each block once")
{
	static bool is_seen[256];
	struct op_source source;
	size_t moved = 0;

	reset();
	options.orders[0] = RUN_RANDWRITE;
	assert_int_equal(make(&ext4), 0);
	source_init(&source, &plan, &plan.cells[0], 0);
	assert_int_equal(draw(&source, 33), 256);
	for (size_t i = 0; i < 256; i++) {
		assert_int_equal(ops[i].offset % 4096, 0);
		assert_true(ops[i].offset / 4096 < 256);
		assert_false(is_seen[ops[i].offset / 4096]);
		is_seen[ops[i].offset / 4096] = true;
		moved += ops[i].offset != i * 4096;
	}
	assert_true(moved > 128);
	iow_run_plan_free(&plan);
}

TEST("backward writes begin a share before the last end")
{
	struct op_source source;

	reset();
	options.orders[0] = RUN_BACKWRITE;
	options.back = 0.3;
	options.modes[0] = OP_DIRECT;
	assert_int_equal(make(&ext4), 0);
	source_init(&source, &plan, &plan.cells[0], 0);
	/* So much is written, whatever of it twice. */
	assert_int_equal(draw(&source, 64), 256);
	for (size_t i = 1; i < 256; i++)
		assert_int_equal(ops[i].offset, ops[i - 1].offset + 4096 - 1024);
	iow_run_plan_free(&plan);
}

TEST("sizes are drawn from a range")
{
	struct op_source source;
	uint64_t bytes = 0, least = UINT64_MAX, most = 0;
	size_t count, again;
	uint64_t first;

	reset();
	options.modes[0] = OP_DIRECT;
	options.orders[0] = RUN_RANDWRITE;
	options.sizes[0] = (struct run_size){512, 4096};
	assert_int_equal(make(&ext4), 0);
	source_init(&source, &plan, &plan.cells[0], 3);
	count = draw(&source, 50);
	first = ops[0].offset;
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(ops[i].size % 512, 0);
		assert_int_equal(ops[i].offset % 512, 0);
		assert_true(ops[i].offset + ops[i].size <= 1 << 20);
		bytes += ops[i].size;
		least = ops[i].size < least ? ops[i].size : least;
		most = ops[i].size > most ? ops[i].size : most;
	}
	assert_int_equal(least, 512);
	assert_int_equal(most, 4096);
	assert_true(bytes <= 1 << 20 && bytes > (1 << 20) - 4096);
	/* The same list whatever the ring is. */
	again = draw(&source, OPS);
	assert_int_equal(again, count);
	assert_int_equal(ops[0].offset, first);
	for (size_t ring = 1; ring < 20; ring++)
		assert_int_equal(draw(&source, ring), count);
	iow_run_plan_free(&plan);
}

TEST("parts of threads do not overlap")
{
	struct target target = ext4;
	struct op_source source;

	reset();
	target.kind = TARGET_FILE;
	options.threads = 3;
	options.size_bytes = 1000000;
	assert_int_equal(make(&target), 0);
	for (unsigned thread = 0; thread < 3; thread++) {
		size_t count;

		source_init(&source, &plan, &plan.cells[0], thread);
		count = draw(&source, OPS);
		assert_int_equal(ops[0].offset, thread * plan.part_bytes);
		assert_true(ops[count - 1].offset + 4096 <= (thread + 1) * plan.part_bytes);
	}
	assert_true(3 * plan.part_bytes <= plan.bytes);
	iow_run_plan_free(&plan);
}

/* Of the calling process, for the rest of its life: as most containers have it. */
static bool forbid_rings(void)
{
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {.len = sizeof(rules) / sizeof(rules[0]), .filter = rules};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

TEST("run: combinations of io_uring are left out where a filter forbids rings, with the probe's reason")
{
	int status;
	pid_t child;

	reset();
	options.methods[options.method_count++] = method_of("io_uring");
	child = fork();
	if (!child) {
		if (!forbid_rings())
			_exit(77);
		if (make(&ext4) || plan.measured_count != 1)
			_exit(1);
		if (strncmp(plan.cells[1].skipped, "needs io-uring: ", strlen("needs io-uring: ")) != 0)
			_exit(2);
		iow_run_plan_free(&plan);
		options.methods[0] = options.methods[--options.method_count];
		_exit(make(&ext4) == DIAG_EXIT_HOST ? 0 : 3);
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

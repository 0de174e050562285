/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The libc's buffer: which write(2) calls come out, and what a call costs. */
#include "config.h"
#include "tests/unit/known_system.h"
#include <string.h>

struct calls {
	uint64_t offsets[16], sizes[16];
	size_t count;
};

static int record(void *model, const struct op *op, struct model_cost *cost)
{
	struct calls *calls = model;

	assert_true(calls->count < 16);
	calls->offsets[calls->count] = op->offset;
	calls->sizes[calls->count++] = op->size;
	*cost = (struct model_cost){.ns = 1000, .low_ns = 1000, .high_ns = 1000, .syscall_ns = 1000};
	return 0;
}

static void assert_calls(const char *policy_name, uint64_t size, int times, const char *wanted)
{
	const struct model_kind kind = {.write = record};
	struct system system;
	struct calls calls = {.count = 0};
	struct model_cost cost;
	const char *missing;
	struct stdio stdio;
	char text[256] = "";

	known_system(&system);
	assert_int_equal(stdio_init(&stdio, stdio_policy(policy_name), 0, &system, &kind, &calls, &missing), 0);
	for (int i = 0; i < times; i++) {
		struct op op = {0, (uint64_t)i * size, size};

		assert_int_equal(stdio_write(&stdio, &op, &cost), 0);
	}
	assert_int_equal(stdio_flush(&stdio, &cost), 0);
	for (size_t i = 0; i < calls.count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%llu@%llu", i ? " " : "",
			(unsigned long long)calls.sizes[i], (unsigned long long)calls.offsets[i]);
	assert_string_equal(text, wanted);
}

static int fill(void *model, const struct op *op, struct model_cost *cost)
{
	double *bytes = model;

	*bytes += (double)op->size;
	*cost = (struct model_cost){.dirty_bytes = *bytes, .writeback_bytes = 7};
	return 0;
}

/* A call that stays in the buffer changes nothing in the page cache: it is as the last write(2) left it. */
TEST("the page cache stays")
{
	static const double wanted[] = {0, 0, 0, 0, 4096, 4096, 4096, 4096, 8192};
	const struct model_kind kind = {.write = fill};
	struct model_cost cost;
	struct system system;
	const char *missing;
	struct stdio stdio;
	double bytes = 0;

	known_system(&system);
	assert_int_equal(stdio_init(&stdio, stdio_policy("glibc"), 0, &system, &kind, &bytes, &missing), 0);
	for (uint64_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		struct op op = {0, i * 1000, 1000};

		assert_int_equal(stdio_write(&stdio, &op, &cost), 0);
		assert_true(cost.dirty_bytes == wanted[i]);
		assert_true(cost.writeback_bytes == (wanted[i] > 0 ? 7 : 0));
	}
}

/* Algorithm 2 has no term for the library's call: what fits the buffer costs its copy and nothing else. */
TEST("the paper charges no library call")
{
	const struct model_kind kind = {.write = fill};
	const struct op op = {0, 0, 1000};
	struct model_cost cost;
	struct system system;
	const char *missing;
	struct stdio stdio;
	double bytes = 0;

	known_system(&system);
	assert_int_equal(stdio_init(&stdio, stdio_policy("paper"), 0, &system, &kind, &bytes, &missing), 0);
	assert_int_equal(stdio_write(&stdio, &op, &cost), 0);
	assert_true(cost.syscall_ns == 0);
	assert_true(cost.ns == cost.copy_ns && cost.ns > 0);
	assert_int_equal(stdio_init(&stdio, stdio_policy("glibc"), 0, &system, &kind, &bytes, &missing), 0);
	assert_int_equal(stdio_write(&stdio, &op, &cost), 0);
	assert_true(cost.syscall_ns == system_get(&system, SYSTEM_LIB_METACOST));
}

/* As strace shows them of glibc 2.36. */
TEST("each buffering policy makes the calls that strace shows")
{
	assert_calls("glibc", 1000, 5, "4096@0 904@4096");
	assert_calls("glibc", 4096, 3, "4096@0 4096@4096 4096@8192");
	assert_calls("glibc", 16384, 2, "16384@0 4096@16384 12288@20480");
	assert_calls("glibc", 5000, 3, "4096@0 4096@4096 4096@8192 2712@12288");
	assert_calls("musl", 3000, 2, "6000@0");
	assert_calls("unbuffered", 10, 3, "10@0 10@10 10@20");
	/* Algorithm 2 as printed: the first call is as any other. */
	assert_calls("paper", 16384, 2, "4096@0 12288@4096 4096@16384 12288@20480");
	assert_calls("paper", 5000, 2, "4096@0 4096@4096 1808@8192");
	assert_null(stdio_policy("bsd"));
	assert_non_null(stdio_policy_here());
}

/* A libc whose first large fwrite was seen to be as any other has no such rule, whatever its name. */
TEST("stdio first rule as calibrated")
{
	struct calls calls = {.count = 0};
	const struct model_kind kind = {.write = record};
	struct system system;
	struct model_cost cost;
	const char *missing;
	struct stdio stdio;

	for (int has_rule = 0; has_rule < 2; has_rule++) {
		known_system(&system);
		set(&system, SYSTEM_LIB_FIRST, has_rule);
		calls.count = 0;
		stdio_init(&stdio, stdio_policy("glibc"), 0, &system, &kind, &calls, &missing);
		stdio_write(&stdio, &(struct op){0, 0, 16384}, &cost);
		assert_int_equal(calls.count, has_rule ? 1 : 2);
	}
}

/* Algorithm 2: a call that only copies costs l_lib + size / B_mem; the one that fills pays for the flush. */
TEST("a call that copies costs the copy, one that fills the buffer also the flush")
{
	struct calls calls = {.count = 0};
	const struct model_kind kind = {.write = record};
	struct system system;
	struct model_cost cost;
	const char *missing;
	struct stdio stdio;

	known_system(&system);
	stdio_init(&stdio, stdio_policy("glibc"), 0, &system, &kind, &calls, &missing);
	stdio_write(&stdio, &(struct op){0, 0, 3000}, &cost);
	assert_near(cost.ns, 20 + 300, 1e-12);
	stdio_write(&stdio, &(struct op){0, 3000, 3000}, &cost);
	assert_near(cost.ns, 20 + 109.6 + 1000 + 190.4, 1e-12);
	/* fseek writes what is held, then the write is copied. */
	stdio_write(&stdio, &(struct op){0, 100000, 100}, &cost);
	assert_near(cost.ns, 20 + 1000 + 10, 1e-12);
	assert_int_equal(calls.count, 2);
	assert_int_equal(calls.offsets[1], 4096);
	assert_int_equal(calls.sizes[1], 1904);
}

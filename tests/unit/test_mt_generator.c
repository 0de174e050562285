/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include "memtrace/check/generator.h"
#include "memtrace/target/control.h"

#define PAGES 16u

static struct generator make(const char *pattern, uint64_t accesses)
{
	struct generator generator = {.pages = PAGES, .seed = 7, .accesses = accesses, .time_ns = 1000000};
	const char *why;

	assert_int_equal(pattern_parse(pattern, &generator.spec, &why), 0);
	assert_int_equal(pattern_check(&generator.spec, PAGES, &why), 0);
	return generator;
}

TEST("the sequence is that of the pattern and the seed, as long as the accesses or repeated")
{
	struct generator generator = make("linear", 40), endless = make("uniform", 0), other;
	uint64_t count = 0;
	uint32_t *sequence = generator_draw(&generator, &count), *again, *different;
	size_t equal = 0;

	assert_non_null(sequence);
	assert_int_equal(count, 40);
	for (size_t i = 0; i < 40; i++)
		assert_int_equal(sequence[i], i % PAGES);
	free(sequence);
	other = endless;
	other.seed = 8;
	sequence = generator_draw(&endless, &count);
	again = generator_draw(&endless, &count);
	different = generator_draw(&other, &count);
	assert_non_null(sequence);
	assert_non_null(again);
	assert_non_null(different);
	assert_int_equal(count, GENERATOR_DRAWS);
	assert_memory_equal(sequence, again, count * sizeof(*sequence));
	for (size_t i = 0; i < count; i++) {
		assert_true(sequence[i] < PAGES);
		equal += sequence[i] == different[i];
	}
	/* One in 16, and ten times its deviation. */
	assert_true(fabs((double)equal / (double)count - 1. / PAGES) < 0.0024);
	free(sequence);
	free(again);
	free(different);
}

TEST("the accesses of a run are those of the sequence, which is repeated")
{
	static const uint32_t sequence[] = {2, 0, 2};
	double known[3] = {0};

	generator_count(sequence, 3, 2, known);
	assert_true(known[0] == 1 && known[1] == 0 && known[2] == 1);
	generator_count(sequence, 3, 7, known);
	assert_true(known[0] == 1 + 2 && known[1] == 0 && known[2] == 1 + 5);
}

TEST("the generator makes the accesses that it is asked for, or those of a time, and none without its recording")
{
	struct generator counted = make("hotset", 2500), timed = make("hotset", 0);
	struct generated generated = {0};

	unsetenv(CONTROL_VARIABLE);
	assert_int_equal(generator_run(&counted, &generated), 0);
	assert_int_equal(generated.accesses, 2500);
	assert_true(generated.begin && generated.begin % GENERATOR_PAGE == 0);
	assert_int_equal(generator_run(&timed, &generated), 0);
	assert_true(generated.accesses > 0 && generated.elapsed_ns >= timed.time_ns);
	setenv(CONTROL_VARIABLE, "/nonexistent/fifo", 1);
	assert_int_equal(generator_run(&counted, &generated), -ENOENT);
	unsetenv(CONTROL_VARIABLE);
}

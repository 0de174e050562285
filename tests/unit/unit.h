/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cmocka's header needs before it, and what nearly every test needs, once. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

/* Tests run on a large stack. */
#pragma GCC diagnostic ignored "-Wframe-larger-than="

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

/*
 * Tests register themselves, in the order of their file:
 *
 *	TEST("percentiles of an empty histogram are 0")
 *	{
 *		assert_...
 *	}
 *
 * The sentence states the behaviour; TAP prints it. TEST_WITH also names a function that runs before and one that runs
 * after it, or NULL; their argument `state` is the test's. UNIT_GROUP names the two of the whole file. UNIT_BEGIN() is the
 * body of a function that runs first and returns why nothing in this file can run here, or NULL.
 *
 * Files are linked by group (tests/tests.am), and each is run in a process of its own: main() in unit.c runs the one that
 * the program is called by.
 */
struct unit_test {
	const char *file;
	struct CMUnitTest test;
	struct unit_test *next;
};
struct unit_group {
	const char *file;
	const char *(*begin)(void);
	CMFixtureFunction set_up, tear_down;
	struct unit_group *next;
};
void unit_add_test(struct unit_test *test);
void unit_add_group(struct unit_group *group);

#define UNIT_JOIN(a, b) UNIT_JOIN_(a, b)
#define UNIT_JOIN_(a, b) a##b
#define TEST(sentence) TEST_WITH(sentence, NULL, NULL)
#define TEST_WITH(sentence, set_up, tear_down) UNIT_TEST(UNIT_JOIN(test_, __LINE__), sentence, set_up, tear_down)
#define UNIT_TEST(function, sentence, set_up, tear_down)                                       \
	static void function(void **state);                                                    \
	__attribute__((constructor)) static void UNIT_JOIN(function, _add)(void)               \
	{                                                                                      \
		static struct unit_test test = {__FILE__, {sentence, function, set_up, tear_down, NULL}, NULL}; \
                                                                                               \
		unit_add_test(&test);                                                          \
	}                                                                                      \
	static void function(__attribute__((unused)) void **state)

#define UNIT_GROUP(set_up, tear_down) UNIT_ADD_GROUP(unit_group, NULL, set_up, tear_down)
#define UNIT_BEGIN()                                         \
	static const char *unit_begin(void);                 \
	UNIT_ADD_GROUP(unit_add_begin, unit_begin, NULL, NULL) \
	static const char *unit_begin(void)
#define UNIT_ADD_GROUP(name, begin, set_up, tear_down)                                  \
	__attribute__((constructor)) static void name(void)                             \
	{                                                                               \
		static struct unit_group group = {__FILE__, begin, set_up, tear_down, NULL}; \
                                                                                        \
		unit_add_group(&group);                                                 \
	}

/* The source tree: fixtures are below it. */
static inline const char *unit_srcdir(void)
{
	const char *dir = getenv("top_srcdir");

	return dir ? dir : ".";
}

/* Under qemu-user (scripts/cross.sh) the kernel's answers about memory are another machine's. */
static inline bool unit_is_emulated(void)
{
	return getenv("UNIT_EMULATOR") != NULL;
}

/* Memory, locks and instructions are in part the sanitizer's. */
static inline bool unit_is_sanitized(void)
{
	const char *sanitizer = getenv("sanitizer");

	return sanitizer && *sanitizer;
}

#endif

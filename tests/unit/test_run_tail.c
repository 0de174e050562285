/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "memstor/run/tail.h"

static const char *tail_of(const char *text, size_t size, enum run_tail which, size_t length)
{
	static char line[256];
	int fd = memfd_create("test", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, size), size);
	memset(line, 'x', sizeof(line));
	run_tail(fd, "tool", which, line, length);
	close(fd);
	return line;
}

static void check(const char *text, const char *first, const char *last)
{
	assert_string_equal(tail_of(text, strlen(text), RUN_TAIL_FIRST, 256), first);
	assert_string_equal(tail_of(text, strlen(text), RUN_TAIL_LAST, 256), last);
}

static void lines(void **state)
{
	(void)state;
	check("", "", "");
	check("\n\n", "", "");
	check("one", "one", "one");
	check("tool: one\n\ntool: two\n\n", "one", "two");
	check("tool:one\ntools: two", "tool:one", "tools: two");
	check("tool: \n", "", "");
	check("a\033[1m\tb\n", "a?[1m?b", "a?[1m?b");
}

static void long_texts(void **state)
{
	char text[10000];

	(void)state;
	memset(text, 'a', sizeof(text));
	memcpy(text + 9000, "\ntool: the last", 15);
	assert_string_equal(tail_of(text, 9015, RUN_TAIL_LAST, 256), "the last");
	assert_int_equal(strlen(tail_of(text, 9000, RUN_TAIL_LAST, 100)), 99);
	assert_int_equal(strlen(tail_of(text, 9000, RUN_TAIL_FIRST, 10)), 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(long_texts),
	};

	return cmocka_run_group_tests_name("run_tail", tests, NULL, NULL);
}

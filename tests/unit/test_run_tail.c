/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/mman.h>
#include "common/diag.h"
#include "memstor/run/run.h"

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

TEST("the first or last line is taken without the program's name")
{
	check("", "", "");
	check("\n\n", "", "");
	check("one", "one", "one");
	check("tool: one\n\ntool: two\n\n", "one", "two");
	check("tool:one\ntools: two", "tool:one", "tools: two");
	check("tool: \n", "", "");
	check("a\033[1m\tb\n", "a?[1m?b", "a?[1m?b");
}

TEST("a NUL in a line is a question mark")
{
	static const char text[] = "a\0b\n\nc\0d";

	assert_string_equal(tail_of(text, sizeof(text) - 1, RUN_TAIL_FIRST, 256), "a?b");
	assert_string_equal(tail_of(text, sizeof(text) - 1, RUN_TAIL_LAST, 256), "c?d");
}

/* diag_clean: what every program's messages go through. */
TEST("what a terminal obeys becomes a question mark")
{
	static const struct {
		const char *text, *clean;
	} cases[] = {
		{"plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"},
		{"a\033[2Jb", "a?[2Jb"}, {"a\r\n\177b", "a???b"}, /* C0, DEL */
		{"a\xc2\x9b" "31mb", "a?31mb"}, {"\xc2\x85", "?"}, {"\xc2\xa0", "\xc2\xa0"}, /* C1 */
		{"a\xe2\x80\xaegnp.b", "a?gnp.b"}, {"\xe2\x81\xa6", "?"}, {"\xe2\x81\xa9", "?"}, /* bidi */
		{"\xd8\x9c", "?"}, {"\xe2\x80\x8f", "?"}, {"\xe2\x80\xa8", "?"}, {"\xe2\x80\xa7", "\xe2\x80\xa7"},
		{"a\xff\xfe" "b", "a??b"}, {"a\x9b" "31m", "a?31m"}, {"\xc0\xaf", "??"}, /* no UTF-8 */
		{"\xed\xa0\x80", "?"}, {"\xe0\x80\x9b", "?"}, {"a\xe2\x82", "a?"}, {"\xf4\x90\x80\x80", "?"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "%s", cases[i].text);
		assert_int_equal(diag_clean(text, strlen(text), ""), strlen(cases[i].clean));
		assert_string_equal(text, cases[i].clean);
	}
}

TEST("the last line of a long text is found")
{
	char text[10000];

	memset(text, 'a', sizeof(text));
	memcpy(text + 9000, "\ntool: the last", 15);
	assert_string_equal(tail_of(text, 9015, RUN_TAIL_LAST, 256), "the last");
	assert_int_equal(strlen(tail_of(text, 9000, RUN_TAIL_LAST, 100)), 99);
	assert_int_equal(strlen(tail_of(text, 9000, RUN_TAIL_FIRST, 10)), 9);
}

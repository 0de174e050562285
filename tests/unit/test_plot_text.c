/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/plot/plot.h"

static void expect_clean(const char *text, size_t columns, const char *expected)
{
	char copy[PLOT_TEXT];
	size_t count = plot_text_clean(text, columns, copy, sizeof(copy));

	assert_string_equal(copy, expected);
	assert_int_equal(count, plot_text_columns(expected));
}

TEST("characters that no line can have become a mark")
{
	expect_clean("plain, \"quoted\" `text` $x @y \\n", 99, "plain, \"quoted\" `text` $x @y \\n");
	expect_clean("a\nb\tc\rd", 99, "a b c d");
	expect_clean("a\x01\x1b[31m\x7f", 99, "a??[31m?");
	expect_clean("\xc2\xb5s \xe2\x80\x93 \xf0\x9f\x98\x80", 99, "\xc2\xb5s \xe2\x80\x93 \xf0\x9f\x98\x80");
	/* Not UTF-8: alone, overlong, cut off, a surrogate, beyond Unicode. */
	expect_clean("\xff|\xc0\x80|\xe2\x80|\xed\xa0\x80|\xf4\x90\x80\x80", 99, "?|??|??|?|????");
	/* C1 controls, line separators, the order of writing turned, what XML does not know. */
	expect_clean("\xc2\x85|\xe2\x80\xa8|\xe2\x80\xae|\xe2\x81\xa6|\xef\xbf\xbf|\xef\xbf\xbe", 99, "?|?|?|?|?|?");
	expect_clean("\xd8\x9c|\xe2\x80\x8f", 99, "?|?");
}

TEST("long texts are cut at characters")
{
	char copy[8];

	expect_clean("1234567890", 10, "1234567890");
	expect_clean("1234567890", 9, "123456...");
	expect_clean("\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5", 5, "\xc2\xb5\xc2\xb5...");
	assert_int_equal(plot_text_clean("1234567", 99, copy, sizeof(copy)), 7);
	assert_string_equal(copy, "1234567");
	assert_int_equal(plot_text_clean("12345678", 99, copy, sizeof(copy)), 7);
	assert_string_equal(copy, "1234...");
	/* No half of a character at the end of the room. */
	assert_int_equal(plot_text_clean("123\xe2\x80\x93\xe2\x80\x93", 99, copy, sizeof(copy)), 6);
	assert_string_equal(copy, "123...");
}

TEST("lines break at blanks")
{
	const char *text = "one two three", *next;
	size_t size;

	assert_null(plot_text_break(text, 13, &size));
	assert_int_equal(size, 13);
	next = plot_text_break(text, 12, &size);
	assert_int_equal(size, 7);
	assert_string_equal(next, "three");
	next = plot_text_break(text, 7, &size);
	assert_int_equal(size, 7);
	assert_string_equal(next, "three");
	next = plot_text_break("onetwothree", 4, &size);
	assert_int_equal(size, 4);
	assert_string_equal(next, "wothree");
	next = plot_text_break("\xc2\xb5\xc2\xb5\xc2\xb5", 2, &size);
	assert_int_equal(size, 4);
	assert_string_equal(next, "\xc2\xb5");
}

/* Texts as a block of the script; freed by the caller. */
static char *script_of(const char *const *texts, size_t count, bool is_tic)
{
	struct plot plot = {.options = NULL};
	char *script = NULL;
	size_t size;

	plot.script = open_memstream(&script, &size);
	assert_non_null(plot.script);
	plot_block(&plot, "names", "texts");
	for (size_t i = 0; i < count; i++)
		plot_text_line(&plot, texts[i], PLOT_TEXT, is_tic);
	plot_block_end(&plot);
	assert_int_equal(fclose(plot.script), 0);
	return script;
}

static void expect_script(const char *const *texts, size_t count, bool is_tic, const char *expected)
{
	char *script = script_of(texts, count, is_tic);

	assert_string_equal(script, expected);
	free(script);
}

TEST("texts become lines of a data block")
{
	static const char *const texts[] = {"#1 \"7\" !0 \\n \\043", "", "END", "50 %s\nEND"};

	expect_script(texts, 4, false, "# texts\n$names << END\n #1 \"7\" !0 \\n \\043\n \n END\n 50 %s END\nEND\n");
	expect_script(texts + 3, 1, true, "# texts\n$names << END\n 50 %%s END\nEND\n");
	expect_script(NULL, 0, false, "# texts\n$names << END\nEND\n");
}

/* The block has one line a text and ends where it should. */
TEST("no byte begins another line or ends the block")
{
	for (int byte = 1; byte < 256; byte++) {
		char text[] = {(char)byte, 'E', (char)byte, '\0'};
		const char *const texts[] = {text};
		char *script = script_of(texts, 1, false), *line = strstr(script, "<< END\n") + 7;

		assert_int_equal(line[0], ' ');
		assert_string_equal(strchr(line, '\n') + 1, "END\n");
		assert_null(strpbrk(script, "\r\v\f\x1b"));
		free(script);
	}
}

TEST("text in a picture is escaped for XML")
{
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	assert_non_null(out);
	plot_text_xml(out, "<b> & \"c\" ]]>\x01");
	assert_int_equal(fclose(out), 0);
	assert_string_equal(bytes, "&lt;b&gt; &amp; \"c\" ]]&gt;?");
	free(bytes);
}

/* --- names of several parts --- */

static struct plot_parts parts_of(const char *const *names)
{
	struct plot_parts parts = {0};

	for (; *names; names++)
		plot_parts_add(&parts, *names);
	return parts;
}

static void assert_parts(const char *const *names, const char *const *owns, const char *common)
{
	struct plot_parts parts = parts_of(names);
	char text[PLOT_TEXT];

	for (; *names; names++, owns++)
		assert_string_equal(plot_parts_own(&parts, *names, text, sizeof(text)), *owns);
	assert_string_equal(plot_parts_common(&parts, text, sizeof(text)), common);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

TEST("parts that differ name a cell")
{
	assert_parts(LIST("pwrite.direct.append.write.4k", "pwrite.sync.append.write.4k", "pwrite.sync.append.write.64k"),
		LIST("direct.4k", "sync.4k", "sync.64k"), "pwrite.append.write");
	assert_parts(LIST("a.b", "a.bc"), LIST("b", "bc"), "a");
	assert_parts(LIST("a.b", "c.d"), LIST("a.b", "c.d"), "");
	assert_parts(LIST("hit", "minor"), LIST("hit", "minor"), "");
	assert_parts(LIST("a..b", "a..c"), LIST("b", "c"), "a.");
}

/* Nothing is taken off where that would leave nothing, or could not be put together again. */
TEST("names without common parts stay whole")
{
	char deep[] = "1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17", other[] = "1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.18";
	char longest[PLOT_TEXT + 40], text[8];
	struct plot_parts parts = parts_of(LIST("a.b", "a.c"));

	assert_parts(LIST("a.b"), LIST("a.b"), "");
	assert_parts(LIST("a.b", "a.b"), LIST("a.b", "a.b"), "");
	assert_parts(LIST("a.b", "a.c.d", "a.e"), LIST("a.b", "a.c.d", "a.e"), "");
	assert_parts(LIST(deep, other), LIST(deep, other), "");
	memset(longest, 'x', sizeof(longest));
	longest[4] = '.';
	longest[sizeof(longest) - 1] = '\0';
	assert_string_equal(plot_parts_own(&parts, "z", text, sizeof(text)), "z");
	parts = parts_of(LIST(longest, "xxxx.y"));
	assert_string_equal(plot_parts_own(&parts, longest, text, sizeof(text)), "xxxx.xx");
	assert_string_equal(plot_parts_common(&parts, text, sizeof(text)), "");
}

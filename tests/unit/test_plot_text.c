/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <string.h>
#include "memstor/plot/text.h"

static void expect_clean(const char *text, size_t columns, const char *expected)
{
	char copy[PLOT_TEXT];
	size_t count = plot_text_clean(text, columns, copy, sizeof(copy));

	assert_string_equal(copy, expected);
	assert_int_equal(count, plot_text_columns(expected));
}

static void what_no_line_can_hold_becomes_a_mark(void **state)
{
	(void)state;
	expect_clean("plain, \"quoted\" `text` $x @y \\n", 99, "plain, \"quoted\" `text` $x @y \\n");
	expect_clean("a\nb\tc\rd", 99, "a b c d");
	expect_clean("a\x01\x1b[31m\x7f", 99, "a??[31m?");
	expect_clean("\xc2\xb5s \xe2\x80\x93 \xf0\x9f\x98\x80", 99, "\xc2\xb5s \xe2\x80\x93 \xf0\x9f\x98\x80");
	/* Not UTF-8: alone, overlong, cut off, a surrogate, beyond Unicode. */
	expect_clean("\xff|\xc0\x80|\xe2\x80|\xed\xa0\x80|\xf4\x90\x80\x80", 99, "?|??|??|?|????");
	/* C1 controls, line separators, the order of writing turned, what XML does not know. */
	expect_clean("\xc2\x85|\xe2\x80\xa8|\xe2\x80\xae|\xe2\x81\xa6|\xef\xbf\xbf|\xef\xbf\xbe", 99, "?|?|?|?|?|?");
}

static void long_texts_are_cut_at_characters(void **state)
{
	char copy[8];

	(void)state;
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

static void lines_break_at_blanks(void **state)
{
	const char *text = "one two three", *next;
	size_t size;

	(void)state;
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

static char *written(void (*write)(FILE *, const char *), const char *text)
{
	char *bytes = NULL;
	size_t size;
	FILE *out = open_memstream(&bytes, &size);

	assert_non_null(out);
	write(out, text);
	assert_int_equal(fclose(out), 0);
	return bytes;
}

static void expect_written(void (*write)(FILE *, const char *), const char *text, const char *expected)
{
	char *bytes = written(write, text);

	assert_string_equal(bytes, expected);
	free(bytes);
}

static void strings_of_gnuplot_hold_nothing_but_text(void **state)
{
	(void)state;
	expect_written(plot_text_quote, "8 GiB, 50 % reads (a_b)", "\"8 GiB, 50 % reads (a_b)\"");
	expect_written(plot_text_quote, "\"'`$@\\{}^~!|#&*?[]", "\"\\042\\047\\140\\044\\100\\134\\173\\175\\136\\176\\041\\174"
								 "\\043\\046\\052\\077\\133\\135\"");
	expect_written(plot_text_quote, "a\nEND\n", "\"a END \"");
	expect_written(plot_text_quote, "\xc2\xb5", "\"\xc2\xb5\"");
	expect_written(plot_text_quote_tic, "50 %s", "\"50 %%s\"");
}

/* Whatever byte: between the quotes there is no other one, and no character that gnuplot looks at. */
static void no_byte_gets_out(void **state)
{
	(void)state;
	for (int byte = 1; byte < 256; byte++) {
		char text[] = {'x', (char)byte, 'x', '\0'};
		char *bytes = written(plot_text_quote, text);
		size_t length = strlen(bytes);

		assert_int_equal(bytes[0], '"');
		assert_int_equal(bytes[length - 1], '"');
		bytes[length - 1] = '\0';
		assert_null(strpbrk(bytes + 1, "\"'`$@{}^~\n\r"));
		for (const char *at = bytes + 1; *at; at++) {
			if (*at == '\\')
				assert_true(strspn(at + 1, "01234567") >= 3);
		}
		free(bytes);
	}
}

static void xml_is_escaped(void **state)
{
	(void)state;
	expect_written(plot_text_xml, "<b> & \"c\" ]]>\x01", "&lt;b&gt; &amp; \"c\" ]]&gt;?");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_no_line_can_hold_becomes_a_mark),
		cmocka_unit_test(long_texts_are_cut_at_characters),
		cmocka_unit_test(lines_break_at_blanks),
		cmocka_unit_test(strings_of_gnuplot_hold_nothing_but_text),
		cmocka_unit_test(no_byte_gets_out),
		cmocka_unit_test(xml_is_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

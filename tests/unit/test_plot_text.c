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
	expect_clean("\xd8\x9c|\xe2\x80\x8f", 99, "?|?");
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

/* Texts, each as an expression in a line of its own, below their block; freed by the caller. */
static char *script_of(const char *const *texts, size_t count, bool is_format)
{
	struct plot_texts block = {0};
	char *drawing = NULL, *script = NULL;
	size_t size;
	FILE *out = open_memstream(&drawing, &size);

	assert_non_null(out);
	for (size_t i = 0; i < count; i++) {
		plot_text_write(&block, out, texts[i], is_format);
		fputc('\n', out);
	}
	assert_int_equal(fclose(out), 0);
	assert_false(block.is_short);
	out = open_memstream(&script, &size);
	assert_non_null(out);
	plot_text_write_block(out, &block);
	fputs(drawing, out);
	assert_int_equal(fclose(out), 0);
	plot_text_free(&block);
	assert_null(block.lines);
	free(drawing);
	return script;
}

static void texts_are_lines_of_data_and_expressions_refer_to_them(void **state)
{
	static const char *const texts[] = {"#1 \"7\" !0 \\n \\043", "", "END_OF_TEXTS", "50 %s\nEND_OF_TEXTS"};
	char *script = script_of(texts, 4, false);

	(void)state;
	assert_string_equal(script, "$texts << END_OF_TEXTS\n #1 \"7\" !0 \\n \\043\n END_OF_TEXTS\n"
				    " 50 %s END_OF_TEXTS\nEND_OF_TEXTS\n"
				    "$texts[1][2:*]\n\"\"\n$texts[2][2:*]\n$texts[3][2:*]\n");
	free(script);
}

static void a_percent_sign_of_a_tic_is_no_format(void **state)
{
	static const char *const texts[] = {"50 %s"};
	char *script = script_of(texts, 1, true);

	(void)state;
	assert_string_equal(script, "$texts << END_OF_TEXTS\n 50 %%s\nEND_OF_TEXTS\n$texts[1][2:*]\n");
	free(script);
}

static void a_script_without_texts_has_no_block(void **state)
{
	char *script = script_of(NULL, 0, false);

	(void)state;
	assert_string_equal(script, "");
	free(script);
}

/* The block has one line a text and ends where it should. */
static void no_byte_begins_another_line_or_ends_the_block(void **state)
{
	(void)state;
	for (int byte = 1; byte < 256; byte++) {
		char text[] = {(char)byte, 'E', (char)byte, '\0'};
		const char *const texts[] = {text};
		char *script = script_of(texts, 1, false), *line = strchr(script, '\n') + 1;

		assert_int_equal(line[0], ' ');
		line = strchr(line, '\n') + 1;
		assert_string_equal(line, "END_OF_TEXTS\n$texts[1][2:*]\n");
		assert_null(strpbrk(script, "\r\v\f\x1b"));
		free(script);
	}
}

static void xml_is_escaped(void **state)
{
	(void)state;
	expect_written(plot_text_xml, "<b> & \"c\" ]]>\x01", "&lt;b&gt; &amp; \"c\" ]]&gt;?");
}

UNIT_MAIN()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_no_line_can_hold_becomes_a_mark),
		cmocka_unit_test(long_texts_are_cut_at_characters),
		cmocka_unit_test(lines_break_at_blanks),
		cmocka_unit_test(texts_are_lines_of_data_and_expressions_refer_to_them),
		cmocka_unit_test(a_percent_sign_of_a_tic_is_no_format),
		cmocka_unit_test(a_script_without_texts_has_no_block),
		cmocka_unit_test(no_byte_begins_another_line_or_ends_the_block),
		cmocka_unit_test(xml_is_escaped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One grammar of --label for all tools. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/cli/label.h"

static struct label_list labels;

static void expect_refused(const char *text)
{
	const char *why = NULL;

	assert_int_equal(label_check(text, &why), -EINVAL);
	assert_string_equal(why, LABEL_FORM);
	why = NULL;
	assert_int_equal(label_add(&labels, text, &why), -EINVAL);
	assert_string_equal(why, LABEL_FORM);
	assert_int_equal(labels.count, 0);
}

TEST("a label is split into name and value")
{
	static const struct {
		const char *text, *name, *value;
	} rows[] = {{"a=b", "a", "b"}, {"empty=", "empty", ""}, {"url=x=y&<z>\"'", "url", "x=y&<z>\"'"},
		{"A_1.b-c=two words", "A_1.b-c", "two words"}, {"-=-", "-", "-"}, {"u=\303\244", "u", "\303\244"}};
	const char *why;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(label_check(rows[i].text, &why), 0);
		assert_int_equal(label_add(&labels, rows[i].text, &why), 0);
		assert_int_equal(labels.count, i + 1);
		assert_string_equal(labels.list[i].name, rows[i].name);
		assert_string_equal(labels.list[i].value, rows[i].value);
	}
	label_free(&labels);
	assert_int_equal(labels.count, 0);
}

TEST("malformed labels are refused")
{
	static const char *const bad[] = {"", "a", "=", "=b", "a b=c", "a:b=c", "\303\244=c", "a= b", "a=b ", "a= ",
		"a=b\n", "a=b\tc", "a=\177", "a\n=b"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		expect_refused(bad[i]);
}

TEST("a label's name has up to 64 bytes and its value up to 500")
{
	char text[1024];
	const char *why;

	memset(text, 'n', sizeof(text));
	text[64] = '=';
	text[64 + 1 + 500] = '\0';
	assert_int_equal(label_check(text, &why), 0);
	text[64 + 1 + 500] = 'n';
	text[64 + 1 + 501] = '\0';
	expect_refused(text);
	memset(text, 'n', sizeof(text));
	memcpy(text + 65, "=x", 3);
	expect_refused(text);
}

TEST("a report has at most 32 labels")
{
	const char *why = NULL;
	char text[16];

	for (int i = 0; i < LABEL_MAX; i++) {
		snprintf(text, sizeof(text), "n%d=v%d", i, i);
		assert_int_equal(label_add(&labels, text, &why), 0);
	}
	assert_int_equal(label_add(&labels, "one=more", &why), -ERANGE);
	assert_string_equal(why, "at most 32 labels");
	assert_int_equal(labels.count, LABEL_MAX);
	assert_string_equal(labels.list[31].name, "n31");
	assert_string_equal(labels.list[31].value, "v31");
	label_free(&labels);
}

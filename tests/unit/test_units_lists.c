/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists, and numbers as text. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/base/units.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED 0x5eedull

TEST("lists are split at commas")
{
	static const struct {
		const char *text;
		const char *normal; /* what format makes of it */
	} good[] = {
		{"", ""},
		{"0", "0"},
		{"0-3,8,10-11", "0-3,8,10-11"},
		{"8,0-3,10,11", "0-3,8,10-11"},
		{"0-3,2-5,1", "0-5"},
		{"5,5,5", "5"},
		{"3-3", "3"},
		{"63", "63"},
		{"0-63", "0-63"},
	};
	static const struct {
		const char *text;
		int err;
	} bad[] = {
		{",", -EINVAL},
		{"1,", -EINVAL},
		{",1", -EINVAL},
		{"1,,2", -EINVAL},
		{"-1", -EINVAL},
		{"1-", -EINVAL},
		{"3-1", -EINVAL},
		{"1-2-3", -EINVAL},
		{"1 ", -EINVAL},
		{"0x1", -EINVAL},
		{"a", -EINVAL},
		{"64", -ERANGE},
		{"0-64", -ERANGE},
		{"0-18446744073709551616", -ERANGE},
	};
	unsigned values[64];
	size_t count;
	char text[64];

	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(units_parse_list(good[i].text, 64, values, 64, &count), 0);
		assert_string_equal(units_format_list(values, count, text, sizeof(text)), good[i].normal);
		for (size_t k = 1; k < count; k++)
			assert_true(values[k - 1] < values[k]);
	}
	memset(values, 0xee, sizeof(values));
	count = 99;
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(units_parse_list(bad[i].text, 64, values, 64, &count), bad[i].err);
	assert_int_equal(count, 99);
	assert_int_equal(values[0], 0xeeeeeeee);
}

TEST("a list longer than its array is refused")
{
	unsigned values[4] = {9, 9, 9, 9};
	size_t count = 7;

	assert_int_equal(units_parse_list("0-3", 64, values, 4, &count), 0);
	assert_int_equal(count, 4);
	values[0] = 9;
	assert_int_equal(units_parse_list("0-4", 64, values, 4, &count), -ERANGE);
	assert_int_equal(units_parse_list("1,3,5,7,9", 64, values, 4, &count), -ERANGE);
	assert_int_equal(units_parse_list("0-4294967294", 4294967295u, values, 4, &count), -ERANGE);
	assert_int_equal(values[0], 9);
	assert_int_equal(units_parse_list("1,1,1,1,1", 64, values, 4, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(units_parse_list("", 64, NULL, 0, &count), 0);
	assert_int_equal(count, 0);
}

TEST("list text is cut between items")
{
	static const unsigned values[] = {10, 11, 12, 20, 30, 31};
	char text[16];

	assert_string_equal(units_format_list(values, 6, text, 16), "10-12,20,30-31");
	assert_string_equal(units_format_list(values, 6, text, 15), "10-12,20,30-31");
	assert_string_equal(units_format_list(values, 6, text, 14), "10-12,20,...");
	assert_string_equal(units_format_list(values, 6, text, 12), "10-12,...");
	assert_string_equal(units_format_list(values, 6, text, 9), "...");
	assert_string_equal(units_format_list(values, 6, text, 1), "");
}

TEST("sizes are printed with three digits and a unit")
{
	static const struct {
		uint64_t bytes;
		const char *text;
	} cases[] = {
		{0, "0 B"},
		{1023, "1023 B"},
		{1024, "1 KiB"},
		{1536, "1.5 KiB"},
		{1065, "1.04 KiB"},
		{10291, "10 KiB"},
		{10342, "10.1 KiB"},
		{1048063, "1023 KiB"},
		{1048064, "1 MiB"},
		{8 * UNITS_GIB, "8 GiB"},
		{300 * UNITS_MIB, "300 MiB"},
		{UINT64_MAX, "16 EiB"},
	};
	char text[UNITS_TEXT];

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(units_format_size(cases[i].bytes, text, sizeof(text)), cases[i].text);
}

TEST("durations are printed with three digits and a unit")
{
	static const struct {
		double ns;
		const char *text, *even;
	} cases[] = {
		{0, "0 ns", "0 ns"},
		{0.25, "0.25 ns", "0.25 ns"},
		{0.2, "0.2 ns", "0.20 ns"},
		{-0.001, "0 ns", "0 ns"},
		{-17300, "-17.3 us", "-17.3 us"},
		{-17000, "-17 us", "-17.0 us"},
		{17300, "17.3 us", "17.3 us"},
		{17349, "17.3 us", "17.3 us"},
		{999.4, "999 ns", "999 ns"},
		{999.6, "1 us", "1.00 us"},
		{9.996, "10 ns", "10.0 ns"},
		{1.05e6, "1.05 ms", "1.05 ms"},
		{250e6, "250 ms", "250 ms"},
		{59.4e9, "59.4 s", "59.4 s"},
		{300e9, "5 min", "5.00 min"},
		{5400e9, "1.5 h", "1.50 h"},
		{36 * 3600e9, "1.5 d", "1.50 d"},
		{1e300, NULL, NULL},
		{NAN, "n/a", "-"},
		{INFINITY, "n/a", "-"},
	};
	char text[UNITS_TEXT];

	for (size_t i = 0; i < COUNT(cases); i++) {
		units_format_duration(cases[i].ns, text, sizeof(text));
		if (cases[i].text)
			assert_string_equal(text, cases[i].text);
		else
			assert_int_equal(strlen(text), sizeof(text) - 1);
		units_format(cases[i].ns, "ns", text, sizeof(text));
		if (cases[i].even)
			assert_string_equal(text, cases[i].even);
		else
			assert_int_equal(strlen(text), sizeof(text) - 1);
	}
	assert_string_equal(units_format_duration(17300, text, 4), "17.");
}

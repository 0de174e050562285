/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <locale.h>
#include "common/base/units.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED 0x5eedull

/* A text, what it must return, and what it must be worth. */
struct number_case {
	const char *text;
	int err;
	uint64_t value;
};

static void check_cases(const struct number_case *cases, size_t n, int (*parse)(const char *, uint64_t *))
{
	for (size_t i = 0; i < n; i++) {
		uint64_t value = UNTOUCHED;
		int err = parse(cases[i].text, &value);

		if (err != cases[i].err || value != (err ? UNTOUCHED : cases[i].value))
			fail_msg("'%s': err %d, value %llu", cases[i].text, err, (unsigned long long)value);
	}
}

static int size_in_bytes(const char *text, uint64_t *value)
{
	return units_parse_size(text, 1, value);
}

static int size_in_mib(const char *text, uint64_t *value)
{
	return units_parse_size(text, UNITS_MIB, value);
}

TEST("sizes are parsed with their units and bounds")
{
	static const struct number_case cases[] = {
		{"0", 0, 0},
		{"100", 0, 100},
		{"100B", 0, 100},
		{"100b", 0, 100},
		{"4k", 0, 4096},
		{"4KiB", 0, 4096},
		{"4kb", 0, 4096},
		{"4KIB", 0, 4096},
		{"5m", 0, 5 * UNITS_MIB},
		{"512MiB", 0, 512 * UNITS_MIB},
		{"1g", 0, UNITS_GIB},
		{"1.5G", 0, 1536 * UNITS_MIB},
		{"1.50g", 0, 1536 * UNITS_MIB},
		{"0.1k", 0, 102},
		{"0.9999999999999999999999999k", 0, 1023},
		{"2t", 0, 2048 * UNITS_GIB},
		{"1P", 0, 1ull << 50},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551615B", 0, UINT64_MAX},
		{"16383.999p", 0, (16383ull << 50) + 1124774006935781ull},
		{"18446744073709551616", -ERANGE, 0},
		{"16384p", -ERANGE, 0},
		{"99999999999999999999k", -ERANGE, 0},
		{"99999999999999999999x", -EINVAL, 0},
		{"1.5", -EINVAL, 0},
		{"1.5B", -EINVAL, 0},
	};

	check_cases(cases, COUNT(cases), size_in_bytes);
}

TEST("a size without a unit is in MiB where the option says so")
{
	static const struct number_case cases[] = {
		{"8192", 0, 8192 * UNITS_MIB},
		{"0.5", 0, UNITS_MIB / 2},
		{"100B", 0, 100},
		{"4k", 0, 4096},
		{"17592186044416", -ERANGE, 0},
		{"17592186044415", 0, 17592186044415ull * UNITS_MIB},
	};

	check_cases(cases, COUNT(cases), size_in_mib);
}

TEST("durations are parsed with their units and bounds")
{
	static const struct number_case cases[] = {
		{"0", 0, 0},
		{"0s", 0, 0},
		{"300", 0, 300 * UNITS_NS_PER_SEC},
		{"5m", 0, 300 * UNITS_NS_PER_SEC},
		{"250ms", 0, 250000000},
		{"1.5s", 0, 1500000000},
		{"1.5", 0, 1500000000},
		{"2h", 0, 7200 * UNITS_NS_PER_SEC},
		{"10us", 0, 10000},
		{"0.1us", 0, 100},
		{"50ns", 0, 50},
		{"0.0000000019s", 0, 1},
		{"18446744073.709551615", 0, UINT64_MAX},
		{"18446744073.709551616", -ERANGE, 0},
		{"5124095h", 0, 5124095 * 3600ull * UNITS_NS_PER_SEC},
		{"5124096h", -ERANGE, 0},
		{"1.5ns", -EINVAL, 0},
		{"5M", -EINVAL, 0},
		{"5min", -EINVAL, 0},
		{"5 m", -EINVAL, 0},
		{"1d", -EINVAL, 0},
	};

	check_cases(cases, COUNT(cases), units_parse_duration);
}

static int any_u64(const char *text, uint64_t *value)
{
	return units_parse_u64(text, 0, UINT64_MAX, value);
}

/* None of these is a number of any kind that takes no sign. */
TEST("text that is not a number is refused by every parser")
{
	static const char *const junk[] = {"", " ", "x", "-1", "+1", "-0", " 1", "1 ", "1\n", "0x10", "1e9",
		"1.", ".5", "1..5", "1.5.5", "1,5", "1_000", "k", "MiB", "1kk", "1ki", "1kiBB", "1iB", "1Bk",
		"1e", "nan", "inf", "--1", "1-", "٣"};

	for (size_t i = 0; i < COUNT(junk); i++) {
		const struct number_case refused = {junk[i], -EINVAL, 0};

		check_cases(&refused, 1, size_in_bytes);
		check_cases(&refused, 1, units_parse_duration);
		check_cases(&refused, 1, any_u64);
	}
}

static int one_to_ten(const char *text, uint64_t *value)
{
	return units_parse_u64(text, 1, 10, value);
}

TEST("whole numbers are parsed within bounds")
{
	static const struct number_case any[] = {
		{"0", 0, 0},
		{"007", 0, 7},
		{"18446744073709551615", 0, UINT64_MAX},
		{"18446744073709551616", -ERANGE, 0},
		{"18446744073709551620", -ERANGE, 0},
		{"184467440737095516150", -ERANGE, 0},
		{"18446744073709551616x", -EINVAL, 0},
		{"4k", -EINVAL, 0},
		{"1.0", -EINVAL, 0},
	};
	static const struct number_case few[] = {
		{"0", -ERANGE, 0},
		{"1", 0, 1},
		{"10", 0, 10},
		{"11", -ERANGE, 0},
	};

	check_cases(any, COUNT(any), any_u64);
	check_cases(few, COUNT(few), one_to_ten);
}

TEST("signed numbers are parsed within bounds")
{
	static const struct {
		const char *text;
		int err;
		int64_t value;
	} cases[] = {
		{"-1", 0, -1},
		{"0", 0, 0},
		{"-0", 0, 0},
		{"1023", 0, 1023},
		{"9223372036854775807", 0, INT64_MAX},
		{"9223372036854775808", -ERANGE, 0},
		{"-9223372036854775808", 0, INT64_MIN},
		{"-9223372036854775809", -ERANGE, 0},
		{"-", -EINVAL, 0},
		{"--1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{"-+1", -EINVAL, 0},
		{"- 1", -EINVAL, 0},
		{"", -EINVAL, 0},
	};
	int64_t value = 5;

	for (size_t i = 0; i < COUNT(cases); i++) {
		value = 5;
		if (units_parse_i64(cases[i].text, INT64_MIN, INT64_MAX, &value) != cases[i].err ||
			value != (cases[i].err ? 5 : cases[i].value))
			fail_msg("'%s': %lld", cases[i].text, (long long)value);
	}
	assert_int_equal(units_parse_i64("-2", -1, 1023, &value), -ERANGE);
	assert_int_equal(units_parse_i64("1024", -1, 1023, &value), -ERANGE);
	assert_int_equal(units_parse_i64("-1", -1, 1023, &value), 0);
}

TEST("real numbers are parsed within bounds")
{
	static const struct {
		const char *text;
		int err;
		double value;
	} cases[] = {
		{"1.5", 0, 1.5},
		{".5", 0, 0.5},
		{"5.", 0, 5},
		{"-2.25", 0, -2.25},
		{"1e-3", 0, 0.001},
		{"1E+3", 0, 1000},
		{"1.00001", 0, 1.00001},
		{"1e-400", 0, 0},
		{"1e400", -ERANGE, 0},
		{"-1e400", -ERANGE, 0},
		{"1e7", -ERANGE, 0},
		{"nan", -EINVAL, 0},
		{"inf", -EINVAL, 0},
		{"0x1p3", -EINVAL, 0},
		{"1,5", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 ", -EINVAL, 0},
		{"", -EINVAL, 0},
		{".", -EINVAL, 0},
		{"1e", -EINVAL, 0},
		{"1e+", -EINVAL, 0},
		{"--1", -EINVAL, 0},
		{"1-1", -EINVAL, 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		double value = 77;
		int err = units_parse_double(cases[i].text, -1e6, 1e6, &value);

		if (err != cases[i].err || value != (err ? 77 : cases[i].value))
			fail_msg("'%s': err %d, %g", cases[i].text, err, value);
	}
}

TEST("zero has no sign")
{
	double value;

	assert_int_equal(units_parse_double("-0", 0, 1, &value), 0);
	assert_false(signbit(value));
}

/* Makes a locale with a decimal comma in `dir`, of which hosts have none by default. */
static bool set_comma_locale(const char *dir)
{
	char command[512];

	snprintf(command, sizeof(command),
		"cd '%s' && printf 'LC_NUMERIC\\ndecimal_point \",\"\\nthousands_sep \"\"\\ngrouping -1\\n"
		"END LC_NUMERIC\\n' >source && { localedef --no-archive -c -i source -f ANSI_X3.4-1968 "
		"./comma "
		">log 2>&1; test -f comma/LC_NUMERIC; }",
		dir);
	if (system(command) != 0)
		return false;
	setenv("LOCPATH", dir, 1);
	return setlocale(LC_NUMERIC, "comma") != NULL;
}

TEST("values are formatted by their unit, with three digits or more")
{
	static const struct {
		double value;
		const char *unit, *text;
	} rows[] = {{33000, "ns", "33.0 us"}, {0, "ns", "0 ns"}, {-1500, "ns", "-1.50 us"}, {0.25, "s", "250 ms"},
		{1 << 20, "bytes", "1 MiB"}, {5e6, "1/s", "5.00 M/s"}, {12, "1/s", "12.0/s"}, {45600, "B/s", "45.6 kB/s"},
		{12, "%", "12.0 %"}, {7000, "%", "7000 %"}, {1.5, "x", "1.50 x"}, {123456, "", "123456"}, {9.876, "", "9.88"},
		{0, "", "0"}, {NAN, "ns", "-"}, {INFINITY, "", "-"}};
	char text[UNITS_TEXT];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_string_equal(units_format(rows[i].value, rows[i].unit, text, sizeof(text)), rows[i].text);
}

/* A decimal comma must neither be taken nor printed, whatever the program's locale. */
TEST("locale does not matter")
{
	char dir[] = "/tmp/test_units.XXXXXX", command[64];
	char text[UNITS_TEXT];
	uint64_t bytes;
	double value;

	assert_non_null(mkdtemp(dir));
	if (set_comma_locale(dir))
		snprintf(text, sizeof(text), "%.1f", 1.5);
	else
		print_message("# no localedef here: checked in the C locale only\n");
	assert_true(!strcmp(setlocale(LC_NUMERIC, NULL), "C") || !strcmp(text, "1,5"));
	assert_int_equal(units_parse_double("1.5", 0, 2, &value), 0);
	assert_true(value == 1.5);
	assert_int_equal(units_parse_double("1,5", 0, 2, &value), -EINVAL);
	assert_int_equal(units_parse_size("1.5k", 1, &bytes), 0);
	assert_int_equal(bytes, 1536);
	assert_string_equal(units_format_size(1536, text, sizeof(text)), "1.5 KiB");
	setlocale(LC_NUMERIC, "C");
	snprintf(command, sizeof(command), "rm -r '%s'", dir);
	assert_int_equal(system(command), 0);
}

TEST("percentages are parsed within bounds")
{
	static const char *const out_of_range[] = {"0%", "100.1%", "-5%", "1e9%"};
	static const char *const junk[] = {"%", "5%%", "x%", "75 %", "0x5%", "nan%", "%5",
		"0.0000000000000000000000000000000000000000000000000000000000000001%"};
	struct units_share share = {0};

	assert_int_equal(units_parse_share("75%", 1, &share), 0);
	assert_true(share.is_percent);
	assert_int_equal(units_share_of(&share, 1000), 750);
	assert_int_equal(units_parse_share("12.5%", 1, &share), 0);
	assert_int_equal(units_share_of(&share, 8 * UNITS_GIB), UNITS_GIB);
	assert_int_equal(units_parse_share("100%", 1, &share), 0);
	assert_int_equal(units_share_of(&share, UINT64_MAX), UINT64_MAX);
	assert_int_equal(units_parse_share("512", UNITS_MIB, &share), 0);
	assert_false(share.is_percent);
	assert_int_equal(units_share_of(&share, 1), 512 * UNITS_MIB);
	for (size_t i = 0; i < COUNT(out_of_range); i++)
		assert_int_equal(units_parse_share(out_of_range[i], 1, &share), -ERANGE);
	for (size_t i = 0; i < COUNT(junk); i++)
		assert_int_equal(units_parse_share(junk[i], 1, &share), -EINVAL);
	assert_int_equal(share.bytes, 512 * UNITS_MIB);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct unit {
	const char *suffix;
	uint64_t factor;
};

static const struct unit duration_units[] = {
	{"", UNITS_NS_PER_SEC},
	{"ns", 1},
	{"us", 1000},
	{"ms", 1000000},
	{"s", UNITS_NS_PER_SEC},
	{"m", 60 * UNITS_NS_PER_SEC},
	{"h", 3600 * UNITS_NS_PER_SEC},
	{NULL, 0},
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Reads all digits at *cursor, also those past an overflow, so that trailing text is still found. */
static int scan_digits(const char **cursor, uint64_t *value)
{
	const char *p = *cursor;
	uint64_t sum = 0;
	int err = 0;

	if (!is_digit(*p))
		return -EINVAL;
	for (; is_digit(*p); p++) {
		if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, *p - '0', &sum))
			err = -ERANGE;
	}
	*cursor = p;
	*value = sum;
	return err;
}

/* Returns floor(0.d1d2... * factor) for the digits from first to end. Exact for any number of digits, because floor((a + x) /
 * 10) = floor((a + floor(x)) / 10) for whole a. */
static uint64_t scale_fraction(const char *first, const char *end, uint64_t factor)
{
	uint64_t sum = 0;

	while (end > first)
		sum = ((uint64_t)(*--end - '0') * factor + sum) / 10;
	return sum;
}

/* A parsed decimal number, kept in parts until the suffix gives its factor. */
struct decimal {
	uint64_t whole;
	bool is_overflow;
	const char *fraction, *fraction_end; /* equal when there is none */
	const char *suffix;
};

static int scan_decimal(const char *text, struct decimal *decimal)
{
	int err = scan_digits(&text, &decimal->whole);

	if (err == -EINVAL)
		return err;
	decimal->is_overflow = err != 0;
	decimal->fraction = decimal->fraction_end = text;
	if (*text == '.') {
		decimal->fraction = ++text;
		while (is_digit(*text))
			text++;
		decimal->fraction_end = text;
		if (decimal->fraction == text)
			return -EINVAL;
	}
	decimal->suffix = text;
	return 0;
}

static int decimal_times(const struct decimal *decimal, uint64_t factor, uint64_t *result)
{
	bool has_fraction = decimal->fraction != decimal->fraction_end;
	uint64_t part = scale_fraction(decimal->fraction, decimal->fraction_end, factor);
	uint64_t sum;

	if (has_fraction && factor == 1)
		return -EINVAL;
	if (decimal->is_overflow || __builtin_mul_overflow(decimal->whole, factor, &sum) ||
		__builtin_add_overflow(sum, part, &sum))
		return -ERANGE;
	*result = sum;
	return 0;
}

/* Returns 0 when this is no suffix of a size. */
static uint64_t size_factor(const char *suffix, uint64_t bare_unit)
{
	static const char prefixes[] = "kmgtp";
	const char *prefix;
	char letter = *suffix;

	if (!letter)
		return bare_unit;
	if (!strcasecmp(suffix, "b"))
		return 1;
	if (letter >= 'A' && letter <= 'Z')
		letter = (char)(letter - 'A' + 'a');
	prefix = strchr(prefixes, letter);
	suffix++;
	if (!prefix || (*suffix && strcasecmp(suffix, "b") && strcasecmp(suffix, "ib")))
		return 0;
	return UNITS_KIB << (10 * (prefix - prefixes));
}

int units_parse_size(const char *text, uint64_t bare_unit, uint64_t *bytes)
{
	struct decimal decimal;
	uint64_t factor;
	int err = scan_decimal(text, &decimal);

	if (err)
		return err;
	factor = size_factor(decimal.suffix, bare_unit);
	if (!factor)
		return -EINVAL;
	return decimal_times(&decimal, factor, bytes);
}

int units_parse_duration(const char *text, uint64_t *ns)
{
	struct decimal decimal;
	int err = scan_decimal(text, &decimal);

	if (err)
		return err;
	for (const struct unit *unit = duration_units; unit->suffix; unit++) {
		if (!strcmp(decimal.suffix, unit->suffix))
			return decimal_times(&decimal, unit->factor, ns);
	}
	return -EINVAL;
}

int units_parse_share(const char *text, uint64_t bare_unit, struct units_share *share)
{
	size_t length = strlen(text);
	struct units_share parsed = {.is_percent = length > 0 && text[length - 1] == '%'};
	char number[64];
	int err;

	if (!parsed.is_percent) {
		err = units_parse_size(text, bare_unit, &parsed.bytes);
	} else if (length > sizeof(number)) {
		err = -EINVAL;
	} else {
		memcpy(number, text, length - 1);
		number[length - 1] = '\0';
		err = units_parse_double(number, 0, 100, &parsed.percent);
		if (!err && parsed.percent == 0)
			err = -ERANGE;
	}
	if (!err)
		*share = parsed;
	return err;
}

uint64_t units_share_of(const struct units_share *share, uint64_t whole_bytes)
{
	if (!share->is_percent)
		return share->bytes;
	if (share->percent >= 100)
		return whole_bytes;
	return (uint64_t)((long double)whole_bytes * (long double)share->percent / 100);
}

int units_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	uint64_t parsed;
	int err = scan_digits(&text, &parsed);

	if (*text)
		return -EINVAL;
	if (err)
		return err;
	if (parsed < min || parsed > max)
		return -ERANGE;
	*value = parsed;
	return 0;
}

int units_parse_i64(const char *text, int64_t min, int64_t max, int64_t *value)
{
	bool is_negative = *text == '-';
	uint64_t limit = (uint64_t)INT64_MAX + is_negative;
	uint64_t magnitude;
	int64_t parsed;
	int err = units_parse_u64(text + is_negative, 0, limit, &magnitude);

	if (err)
		return err;
	parsed = (int64_t)(is_negative ? 0 - magnitude : magnitude);
	if (parsed < min || parsed > max)
		return -ERANGE;
	*value = parsed;
	return 0;
}

int units_parse_double(const char *text, double min, double max, double *value)
{
	locale_t c_locale;
	double parsed;
	char *end;

	/* strtod also accepts blanks, hexadecimal numbers, infinities and a leading plus: refuse them first. */
	if (text[strspn(text, "0123456789.eE+-")] || *text == '+')
		return -EINVAL;
	c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (c_locale == (locale_t)0)
		return -ENOMEM;
	parsed = strtod_l(text, &end, c_locale);
	freelocale(c_locale);
	if (end == text || *end)
		return -EINVAL;
	if (!isfinite(parsed) || parsed < min || parsed > max)
		return -ERANGE;
	*value = parsed + 0.0; /* makes -0.0 a plain 0 */
	return 0;
}

/* Reads "N" or "N-M" and a comma after it, if any. */
static int scan_range(const char **cursor, unsigned limit, unsigned *first, unsigned *last)
{
	const char *p = *cursor;
	uint64_t low, high;
	int low_err = scan_digits(&p, &low), high_err = low_err;

	if (low_err == -EINVAL)
		return low_err;
	high = low;
	if (*p == '-') {
		p++;
		high_err = scan_digits(&p, &high);
		if (high_err == -EINVAL)
			return high_err;
	}
	if (*p && (*p != ',' || !p[1]))
		return -EINVAL;
	if (low_err || high_err || low >= limit || high >= limit)
		return -ERANGE;
	if (high < low)
		return -EINVAL;
	*cursor = *p ? p + 1 : p;
	*first = (unsigned)low;
	*last = (unsigned)high;
	return 0;
}

/* Finds the run of members that starts at the smallest member >= from. It searches the text again each time, so that nothing
 * needs to be stored or sorted. -ENOENT when there is none. */
static int list_next(const char *text, unsigned limit, unsigned from, unsigned *first, unsigned *last)
{
	bool is_found = false;

	while (*text) {
		unsigned low, high;
		int err = scan_range(&text, limit, &low, &high);

		if (err)
			return err;
		if (high < from)
			continue;
		if (low < from)
			low = from;
		if (!is_found || low < *first) {
			is_found = true;
			*first = low;
			*last = high;
		}
	}
	return is_found ? 0 : -ENOENT;
}

static int list_walk(const char *text, unsigned limit, unsigned *values, size_t max, size_t *count)
{
	unsigned from = 0, first = 0, last = 0;
	size_t n = 0;
	int err;

	while (!(err = list_next(text, limit, from, &first, &last))) {
		if (last - first >= max - n)
			return -ERANGE;
		for (unsigned member = first; values && member <= last; member++)
			values[n + member - first] = member;
		n += last - first + 1u;
		from = last + 1; /* last < limit: no overflow */
	}
	if (err != -ENOENT)
		return err;
	*count = n;
	return 0;
}

int units_parse_list(const char *text, unsigned limit, unsigned *values, size_t max, size_t *count)
{
	size_t n;
	int err = list_walk(text, limit, NULL, max, &n);

	return err ? err : list_walk(text, limit, values, max, count);
}

/* --- format --- */

struct scale {
	const char *unit;
	double to_next; /* factor to the next unit; 0 = there is none */
};

static const struct scale size_scales[] = {
	{"B", 1024},
	{"KiB", 1024},
	{"MiB", 1024},
	{"GiB", 1024},
	{"TiB", 1024},
	{"PiB", 1024},
	{"EiB", 0},
};

static const struct scale duration_scales[] = {
	{"ns", 1000},
	{"us", 1000},
	{"ms", 1000},
	{"s", 60},
	{"min", 60},
	{"h", 24},
	{"d", 0},
};

/* Returns the digits after the point that make three significant digits. printf's %f is not used because its point depends on
 * the locale. */
static unsigned digits_after_point(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

static double round_to(double value, unsigned digits)
{
	double power = digits == 2 ? 100 : digits == 1 ? 10 : 1;

	return round(value * power) / power;
}

static const struct scale rate_scales[] = {
	{"", 1000},
	{"k", 1000},
	{"M", 1000},
	{"G", 1000},
	{"T", 0},
};

/* unit is appended to the scale's. */
static char *format_scaled(double value, const struct scale *scale, const char *unit, bool is_even, char *buffer,
	size_t length)
{
	bool is_negative = value < 0;
	const char *sign, *blank;
	unsigned digits;
	uint64_t hundredths, whole;
	char fraction[12];
	unsigned rest;

	value = fabs(value);
	/* The rounded value decides, so that it is never "1000 us" or "1024 KiB". */
	while (scale->to_next != 0 && round_to(value, digits_after_point(value)) >= scale->to_next) {
		value /= scale->to_next;
		scale++;
	}
	digits = digits_after_point(value);
	sign = is_negative && round_to(value, digits) > 0 ? "-" : "";
	blank = *scale->unit || (*unit && *unit != '/') ? " " : "";
	if (value >= 1e15) {
		snprintf(buffer, length, "%s%.0f%s%s%s", sign, value, blank, scale->unit, unit);
		return buffer;
	}
	hundredths = (uint64_t)llround(round_to(value, digits) * 100);
	whole = hundredths / 100;
	rest = (unsigned)(hundredths % 100);
	snprintf(fraction, sizeof(fraction), "%02u", rest);
	if (!is_even || !(whole + rest))
		digits = rest == 0 ? 0 : rest % 10 == 0 ? 1 : 2;
	snprintf(buffer, length, "%s%" PRIu64 "%s%.*s%s%s%s", sign, whole, digits ? "." : "", (int)digits, fraction, blank,
		scale->unit, unit);
	return buffer;
}

char *units_format_size(uint64_t bytes, char *buffer, size_t length)
{
	return format_scaled((double)bytes, size_scales, "", false, buffer, length);
}

char *units_format_duration(double ns, char *buffer, size_t length)
{
	if (!isfinite(ns)) {
		snprintf(buffer, length, "n/a");
		return buffer;
	}
	return format_scaled(ns, duration_scales, "", false, buffer, length);
}

char *units_format(double value, const char *unit, char *buffer, size_t length)
{
	static const struct scale none[] = {{"", 0}};
	bool is_time = !strcmp(unit, "ns") || !strcmp(unit, "s"), is_size = !strcmp(unit, "bytes");
	bool is_plain = !*unit || !strcmp(unit, "%") || !strcmp(unit, "x");

	if (!isfinite(value)) {
		snprintf(buffer, length, "-");
		return buffer;
	}
	if (is_time)
		return format_scaled(unit[0] == 's' ? value * 1e9 : value, duration_scales, "", true, buffer, length);
	if (is_size)
		return format_scaled(value, size_scales, "", false, buffer, length);
	/* "1/s" with a prefix becomes "k/s". */
	return format_scaled(value, is_plain ? none : rate_scales, unit[0] == '1' ? unit + 1 : unit, true, buffer, length);
}

char *units_write_double(double value, char *buffer, size_t length)
{
	buffer[0] = '\0';
	/* Fast path: most numbers are counts, and printf is slow at doubles. */
	if (fabs(value) < 1e15 && value == (double)(int64_t)value) {
		snprintf(buffer, length, "%" PRId64, (int64_t)value);
		return buffer;
	}
	for (int digits = 15; isfinite(value) && digits <= 17; digits++) {
		snprintf(buffer, length, "%.*g", digits, value);
		if (strtod(buffer, NULL) == value)
			break;
	}
	return buffer;
}

char *units_write_duration(uint64_t ns, char *buffer, size_t length)
{
	if (ns % UNITS_NS_PER_SEC == 0)
		snprintf(buffer, length, "%llu", (unsigned long long)(ns / UNITS_NS_PER_SEC));
	else
		snprintf(buffer, length, "%lluns", (unsigned long long)ns);
	return buffer;
}

char *units_format_list(const unsigned *values, size_t count, char *buffer, size_t length)
{
	static const char cut[] = ",...";
	size_t used = 0, last;

	if (length)
		buffer[0] = '\0';
	for (size_t first = 0; first < count; first = last + 1) {
		char item[2 * sizeof("4294967295,")];
		const char *comma = first ? "," : "";
		size_t item_length, reserve;

		for (last = first; last + 1 < count && values[last + 1] == values[last] + 1;)
			last++;
		if (last == first)
			item_length = (size_t)snprintf(item, sizeof(item), "%s%u", comma, values[first]);
		else
			item_length = (size_t)snprintf(
				item, sizeof(item), "%s%u-%u", comma, values[first], values[last]);
		/* A truncated number would be another number. */
		reserve = last + 1 < count ? sizeof(cut) : 1;
		if (used + item_length + reserve > length) {
			snprintf(buffer + used, length - used, "%s", first ? cut : cut + 1);
			break;
		}
		memcpy(buffer + used, item, item_length + 1);
		used += item_length;
	}
	return buffer;
}

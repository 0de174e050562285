/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "common/units.h"

struct scale {
	const char *unit;
	double to_next; /* how many make the next unit; 0 = there is none */
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

/* Three significant digits, or all those before the point. printf's %f is not used: its point is the
 * locale's. */
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

/* unit follows the scale's own. */
static char *format_scaled(double value, const struct scale *scale, const char *unit, bool is_even, char *buffer,
	size_t length)
{
	bool is_negative = value < 0;
	const char *sign;
	unsigned digits;
	uint64_t hundredths, whole;
	unsigned rest;

	value = fabs(value);
	/* The rounded value decides, so that it is never "1000 us" or "1024 KiB". */
	while (scale->to_next != 0 && round_to(value, digits_after_point(value)) >= scale->to_next) {
		value /= scale->to_next;
		scale++;
	}
	digits = digits_after_point(value);
	sign = is_negative && round_to(value, digits) > 0 ? "-" : "";
	if (value >= 1e15) {
		snprintf(buffer, length, "%s%.0f %s%s", sign, value, scale->unit, unit);
		return buffer;
	}
	hundredths = (uint64_t)llround(round_to(value, digits) * 100);
	whole = hundredths / 100;
	rest = (unsigned)(hundredths % 100);
	if (is_even && whole + rest && digits)
		snprintf(buffer, length, "%s%" PRIu64 ".%0*u %s%s", sign, whole, (int)digits,
			digits == 1 ? rest / 10 : rest, scale->unit, unit);
	else if (rest == 0)
		snprintf(buffer, length, "%s%" PRIu64 " %s%s", sign, whole, scale->unit, unit);
	else if (rest % 10 == 0)
		snprintf(buffer, length, "%s%" PRIu64 ".%u %s%s", sign, whole, rest / 10, scale->unit, unit);
	else
		snprintf(buffer, length, "%s%" PRIu64 ".%02u %s%s", sign, whole, rest, scale->unit, unit);
	return buffer;
}

char *units_format_size(uint64_t bytes, char *buffer, size_t length)
{
	return format_scaled((double)bytes, size_scales, "", false, buffer, length);
}

static char *format_duration(double ns, bool is_even, char *buffer, size_t length)
{
	if (!isfinite(ns)) {
		snprintf(buffer, length, "n/a");
		return buffer;
	}
	return format_scaled(ns, duration_scales, "", is_even, buffer, length);
}

char *units_format_duration(double ns, char *buffer, size_t length)
{
	return format_duration(ns, false, buffer, length);
}

char *units_format_duration_even(double ns, char *buffer, size_t length)
{
	return format_duration(ns, true, buffer, length);
}

char *units_format_rate(double value, const char *unit, char *buffer, size_t length)
{
	if (!isfinite(value)) {
		snprintf(buffer, length, "-");
		return buffer;
	}
	/* "1/s" with a prefix is "k/s". */
	return format_scaled(value, rate_scales, unit[0] == '1' ? unit + 1 : unit, true, buffer, length);
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
		/* Half a number would be another number: what does not fit is left out whole. */
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text into every parser of common/base/units.h: no overrun, no undefined behaviour, and its laws hold. */
#include "config.h"
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "common/base/units.h"

#define LIST_MAX 64u
#define TEXT_MAX 512u

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

static void check_err(int err)
{
	check(err == 0 || err == -EINVAL || err == -ERANGE);
}

static void fuzz_numbers(const char *text)
{
	char buffer[UNITS_TEXT];
	uint64_t value = 5;
	int64_t signed_value = 5;
	int err = units_parse_u64(text, 1, 1000, &value);

	check_err(err);
	check(err ? value == 5 : value >= 1 && value <= 1000);
	err = units_parse_i64(text, -10, 10, &signed_value);
	check_err(err);
	check(err ? signed_value == 5 : signed_value >= -10 && signed_value <= 10);
	value = 5;
	err = units_parse_size(text, UNITS_MIB, &value);
	check_err(err);
	check(!err || value == 5);
	units_format_size(value, buffer, sizeof(buffer));
	err = units_parse_duration(text, &value);
	check_err(err);
	units_format_duration((double)value, buffer, sizeof(buffer));
}

static void fuzz_reals(const char *text)
{
	struct units_share share;
	double value = 5;
	int err = units_parse_double(text, -10, 10, &value);

	check_err(err);
	check(err ? value == 5 : value >= -10 && value <= 10);
	err = units_parse_share(text, 1, &share);
	check_err(err);
	check(err || !share.is_percent || (share.percent > 0 && units_share_of(&share, 1000) <= 1000));
}

/* What is parsed, printed and parsed again is the same. */
static void fuzz_list(const char *text)
{
	unsigned values[LIST_MAX], again[LIST_MAX];
	char normal[LIST_MAX * 8];
	size_t count, count_again;
	int err = units_parse_list(text, 1000, values, LIST_MAX, &count);

	check_err(err);
	if (err)
		return;
	units_format_list(values, count, normal, sizeof(normal));
	check(units_parse_list(normal, 1000, again, LIST_MAX, &count_again) == 0);
	check(count == count_again && !memcmp(values, again, count * sizeof(*values)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char text[TEXT_MAX];

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	fuzz_numbers(text);
	fuzz_reals(text);
	fuzz_list(text);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/value.h"

#include <errno.h>
#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"

#define SIDE_MIN 200
#define SIDE_MAX 10000

/* The part before `end`, if it fits. */
static int cut(const char *text, char end, char *part, size_t length)
{
	const char *at = strchr(text, end);
	int used = snprintf(part, length, "%.*s", at ? (int)(at - text) : 0, text);

	return at && used > 0 && (size_t)used < length ? 0 : -EINVAL;
}

int plot_value_size(const char *text, unsigned *width, unsigned *height)
{
	uint64_t w, h;
	char part[16];

	if (cut(text, 'x', part, sizeof(part)) || units_parse_u64(part, SIDE_MIN, SIDE_MAX, &w) ||
		units_parse_u64(strchr(text, 'x') + 1, SIDE_MIN, SIDE_MAX, &h))
		return -EINVAL;
	*width = (unsigned)w;
	*height = (unsigned)h;
	return 0;
}

int plot_value_range(const char *text, struct plot_range *range)
{
	uint64_t low, high;
	char part[32];

	if (cut(text, ':', part, sizeof(part)) || units_parse_duration(part, &low) ||
		units_parse_duration(strchr(text, ':') + 1, &high) || low == 0 || high <= low)
		return -EINVAL;
	*range = (struct plot_range){true, (double)low, (double)high};
	return 0;
}

int plot_value_threshold(const char *text, struct plot_threshold *threshold)
{
	const char *colon = strchr(text, ':');
	size_t size = colon ? (size_t)(colon - text) : strlen(text);
	struct plot_threshold result = {.label = colon ? colon + 1 : ""};
	uint64_t number = 0;
	char value[32];
	int err;

	if (size == 0 || size >= sizeof(value))
		return -EINVAL;
	memcpy(value, text, size);
	value[size] = '\0';
	if (size > 2 && !strcmp(value + size - 2, "/s")) {
		value[size - 2] = '\0';
		result.unit = PLOT_THRESHOLD_RATE;
		err = units_parse_double(value, 0, DBL_MAX, &result.value);
	} else if (value[size - 1] == 's') {
		result.unit = PLOT_THRESHOLD_NS;
		err = units_parse_duration(value, &number);
		result.value = (double)number;
	} else if (!units_parse_double(value, 0, DBL_MAX, &result.value)) {
		result.unit = PLOT_THRESHOLD_COUNT;
		err = 0;
	} else {
		result.unit = PLOT_THRESHOLD_BYTES;
		err = units_parse_size(value, 1, &number);
		result.value = (double)number;
	}
	if (err)
		return -EINVAL;
	*threshold = result;
	return 0;
}

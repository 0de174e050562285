/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/convert/cell.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

static bool is_formula(const char *text)
{
	double value;

	return text[0] && strchr("=+-@\t\r", text[0]) && units_parse_double(text, -DBL_MAX, DBL_MAX, &value);
}

void convert_cell_text(FILE *out, const char *text)
{
	bool has_guard = is_formula(text);

	if (!has_guard && !strpbrk(text, ",\"\r\n")) {
		fputs_unlocked(text, out);
		return;
	}
	putc_unlocked('"', out);
	if (has_guard)
		putc_unlocked('\'', out);
	for (; *text; text++) {
		if (*text == '"')
			putc_unlocked('"', out);
		putc_unlocked(*text, out);
	}
	putc_unlocked('"', out);
}

char *convert_cell_format(double value, char *text, size_t length)
{
	text[0] = '\0';
	/* Most numbers are counts, and printf is slow at doubles. */
	if (fabs(value) < 1e15 && value == (double)(int64_t)value) {
		snprintf(text, length, "%" PRId64, (int64_t)value);
		return text;
	}
	for (int digits = 15; isfinite(value) && digits <= 17; digits++) {
		snprintf(text, length, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	return text;
}

void convert_cell_number(FILE *out, double value)
{
	char text[32];

	fputs_unlocked(convert_cell_format(value, text, sizeof(text)), out);
}

void convert_cell_count(FILE *out, uint64_t value)
{
	fprintf(out, "%" PRIu64, value);
}

void convert_cell_next(FILE *out)
{
	putc_unlocked(',', out);
}

void convert_cell_add_text(FILE *out, const char *text)
{
	convert_cell_text(out, text);
	convert_cell_next(out);
}

void convert_cell_add_number(FILE *out, double value)
{
	convert_cell_number(out, value);
	convert_cell_next(out);
}

void convert_cell_end(FILE *out)
{
	putc_unlocked('\n', out);
}

void convert_cell_header(FILE *out, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			convert_cell_next(out);
		fputs_unlocked(names[i], out);
	}
	convert_cell_end(out);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/options_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *field(const struct options_reading *in)
{
	return (char *)in->options + in->row->offset;
}

static const void *const_field(const struct options_writing *out)
{
	return (const char *)out->options + out->row->offset;
}

/* A report's flag has the value "yes"; on the command line argp lets none through. */
int options_set_flag(struct options_reading *in, const char *text)
{
	if (text && strcmp(text, "yes"))
		return -EINVAL;
	*(bool *)field(in) = true;
	return 0;
}

bool options_get_flag(struct options_writing *out)
{
	if (!*(const bool *)const_field(out))
		return false;
	snprintf(out->value, out->length, "yes");
	return true;
}

int options_set_u64(struct options_reading *in, const char *text)
{
	return units_parse_u64(text, in->row->min, in->row->max, field(in));
}

/* A value below the range stands for "not given". */
bool options_get_u64(struct options_writing *out)
{
	uint64_t number = *(const uint64_t *)const_field(out);

	if (number < out->row->min)
		return false;
	snprintf(out->value, out->length, "%llu", (unsigned long long)number);
	return true;
}

int options_set_unsigned(struct options_reading *in, const char *text)
{
	uint64_t number;
	int rc = units_parse_u64(text, in->row->min, in->row->max, &number);

	if (!rc)
		*(unsigned *)field(in) = (unsigned)number;
	return rc;
}

bool options_get_unsigned(struct options_writing *out)
{
	unsigned number = *(const unsigned *)const_field(out);

	if (number < out->row->min)
		return false;
	snprintf(out->value, out->length, "%u", number);
	return true;
}

/* The field is an enum that counts from 0 in the order of the choices. */
int options_set_choice(struct options_reading *in, const char *text)
{
	for (unsigned i = 0; in->row->choices[i]; i++) {
		if (!strcmp(text, in->row->choices[i])) {
			*(unsigned *)field(in) = i;
			return 0;
		}
	}
	return -EINVAL;
}

bool options_get_choice(struct options_writing *out)
{
	snprintf(out->value, out->length, "%s", out->row->choices[*(const unsigned *)const_field(out)]);
	return true;
}

int options_set_string(struct options_reading *in, const char *text)
{
	if (!text)
		text = "-";
	if (!*text)
		return -EINVAL;
	*(const char **)field(in) = text;
	return 0;
}

void options_format_double(double value, char *text, size_t length)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, length, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			return;
	}
}

void options_format_size(uint64_t bytes, uint64_t bare_unit, char *text, size_t length)
{
	if (bytes % bare_unit == 0)
		snprintf(text, length, "%llu", (unsigned long long)(bytes / bare_unit));
	else
		snprintf(text, length, "%lluB", (unsigned long long)bytes);
}

void options_format_share(const struct units_share *share, char *text, size_t length)
{
	char percent[32];

	if (!share->is_percent) {
		options_format_size(share->bytes, UNITS_MIB, text, length);
		return;
	}
	options_format_double(share->percent, percent, sizeof(percent));
	snprintf(text, length, "%s%%", percent);
}

void options_format_duration(uint64_t ns, char *text, size_t length)
{
	if (ns % UNITS_NS_PER_SEC == 0)
		snprintf(text, length, "%llu", (unsigned long long)(ns / UNITS_NS_PER_SEC));
	else
		snprintf(text, length, "%lluns", (unsigned long long)ns);
}

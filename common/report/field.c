/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report/field.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/units.h"

/* --- reading --- */

const struct field_record *field_root(const char *element)
{
	for (const struct field_root *root = field_roots; root->element; root++) {
		if (!strcmp(root->element, element))
			return root->record();
	}
	return NULL;
}

const struct field *field_find(const struct field_record *record, const char *name)
{
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind <= FIELD_RECORD && !strcmp(field->name, name))
			return field;
	}
	return NULL;
}

static const char *text_of(const struct report_node *node, const struct field *field)
{
	if (field->place == FIELD_ATTR)
		return report_read_attribute(node, field->name);
	if (field->place == FIELD_BODY)
		return node->text;
	for (const struct report_node *child = node->child; child; child = child->next) {
		if (!strcmp(child->name, field->name))
			return child->text;
	}
	return NULL;
}

static int read_value(const struct report_node *node, const struct field *field, void *at)
{
	const char *text = text_of(node, field);
	uint64_t count = FIELD_NO_COUNT;
	double number = NAN;

	switch (field->type) {
	case FIELD_text: case FIELD_code: case FIELD_uuid: case FIELD_moment: case FIELD_descriptor: case FIELD_choice:
		*(const char **)at = text;
		return 0;
	default:
		break;
	}
	if (!text && field->least)
		return -EINVAL;
	switch (field->type) {
	case FIELD_number: case FIELD_amount:
		if (text && (units_parse_double(text, field->type == FIELD_amount ? 0 : -DBL_MAX, DBL_MAX, &number) ||
				    !isfinite(number)))
			return -EINVAL;
		*(double *)at = number;
		return 0;
	case FIELD_count: case FIELD_flag: case FIELD_percent: case FIELD_bits:
		if (text && units_parse_u64(text, 0, UINT64_MAX - 1, &count))
			return -EINVAL;
		*(uint64_t *)at = count;
		return 0;
	default:
		return -EINVAL;
	}
}

int field_read(const struct field_record *record, const struct report_node *node, void *values, const struct field **wrong)
{
	memset(values, 0, record->size);
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind != FIELD_VALUE || !read_value(node, field, (char *)values + field->offset))
			continue;
		*wrong = field;
		return -EINVAL;
	}
	return 0;
}

bool field_is_text(const struct field *field)
{
	return field->kind == FIELD_VALUE && field->type <= FIELD_bits;
}

/* --- writing --- */

/* Formats a value in `buffer`, or returns its own text; NULL when it is absent. */
static const char *value_text(struct report *report, const struct field *field, bool may_lack, const void *at,
	char buffer[REPORT_NUMBER])
{
	switch (field->type) {
	case FIELD_text: case FIELD_code: case FIELD_uuid: case FIELD_moment: case FIELD_descriptor: case FIELD_choice:
		return *(const char *const *)at;
	case FIELD_bits: case FIELD_count: case FIELD_flag: case FIELD_percent:
		/* FIELD_bits uses all 64-bit values, so the mark for absent counts only where the list makes it optional. */
		if (*(const uint64_t *)at == FIELD_NO_COUNT && (field->type == FIELD_bits ? !field->least : may_lack))
			return NULL;
		snprintf(buffer, REPORT_NUMBER, "%" PRIu64, *(const uint64_t *)at);
		return buffer;
	case FIELD_integer:
		if (*(const int64_t *)at == FIELD_NO_INTEGER)
			return NULL;
		snprintf(buffer, REPORT_NUMBER, "%" PRId64, *(const int64_t *)at);
		return buffer;
	case FIELD_whole: {
		const struct field_whole *whole = at;

		if (whole->is_signed)
			snprintf(buffer, REPORT_NUMBER, "%" PRId64, (int64_t)whole->value);
		else
			snprintf(buffer, REPORT_NUMBER, "%" PRIu64, whole->value);
		return buffer;
	}
	case FIELD_number: case FIELD_amount:
		return report_format(report, *(const double *)at, field->decimals, buffer);
	case FIELD_truth:
		if (*(const int *)at < 0)
			return NULL;
		return *(const int *)at ? "true" : "false";
	}
	return NULL;
}

static void write_children(struct report *report, const struct field *field, const struct field_child *child)
{
	const struct field_record *record = field->record();
	const struct field *list = record->fields;
	const char *row = child->rows;

	if (child->write && child->count) {
		while (list->kind != FIELD_RECORD)
			list++;
		report_begin(report, field->name);
		child->write(report, list, child->rows);
		report_end(report);
	} else if (child->write) {
		child->write(report, field, child->rows);
	}
	if (child->write)
		return;
	for (size_t i = 0; row && i < child->count; i++, row += record->size)
		field_write(report, field->name, record, row);
}

void field_row(struct report *report, const struct field *field, const struct field_record *record, const void *values)
{
	if (field->record() != record)
		report_fail(report, -EINVAL);
	field_write(report, field->name, record, values);
}

void field_write(struct report *report, const char *element, const struct field_record *record, const void *values)
{
	report_begin(report, element);
	field_write_inside(report, record, values);
	report_end(report);
}

void field_write_inside(struct report *report, const struct field_record *record, const void *values)
{
	bool is_in_group = false, is_chosen = false; /* is_chosen: a choice's rows before FIELD_OR were written */

	for (const struct field *field = record->fields; field->name; field++) {
		const char *at = (const char *)values + field->offset, *text;
		char buffer[REPORT_NUMBER];

		if (field->kind == FIELD_GROUP) {
			is_chosen = is_chosen && field->group == FIELD_OR;
			is_in_group = field->group != FIELD_END;
		} else if (is_chosen) {
			continue;
		} else if (field->kind == FIELD_RECORD) {
			write_children(report, field, (const struct field_child *)at);
		} else if (field->kind == FIELD_VALUE) {
			text = value_text(report, field, is_in_group || !field->least, at, buffer);
			if (!text)
				continue;
			is_chosen = field[1].kind == FIELD_GROUP && field[1].group == FIELD_OR;
			if (field->place == FIELD_ATTR)
				report_attribute(report, field->name, text);
			else if (field->place == FIELD_BODY)
				report_content(report, text);
			else
				report_text(report, field->name, text);
		}
	}
}

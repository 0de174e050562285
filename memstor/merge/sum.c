/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds trees of elements by the merge rules of their field lists (common/field.h). Siblings with the same name and key
 * become one element. Numbered siblings (a thread, a repetition) are all kept, numbered after those of the earlier inputs.
 * Elements that not all inputs have are left out, and optional ones with a required value that has no sum.
 */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/sysfs.h"
#include "common/units.h"

#define NUMBER_MAX INT32_MAX /* of what is numbered */

/* What is added up of one value. */
struct merge_value {
	size_t inputs; /* that have it */
	const char *first, *text;
	bool differs, is_counted;
	uint64_t count;
	double sum, weight, low, high;
};

/* A record, of all inputs. */
struct merge_sum {
	struct merge_sum *next, *child, *last, *cursor;
	const char *name, *key;
	const struct report_node *node; /* of what is kept whole */
	const struct field *field;      /* NULL: of <report> */
	const struct field_record *record;
	struct merge_value *values;     /* by the index of their fields in the record's list */
	size_t inputs, seen; /* seen: by which input last, from 1 */
	bool is_left_out;
	const char *why; /* it is left out */
};

/* Numbers of one kind: those of the next input stand behind next. */
struct merge_numbers {
	const struct field *field;
	const char *among; /* the rest of the key: repetitions are numbered for each cell */
	bool is_used;
	uint64_t base, next, offset;
};

/* Stores the number that a numbered element of an input has in the merged report. */
static int renumber(struct merge *merge, const struct report_node *node, const struct field *field, const char *among,
	const char *text, const char **here)
{
	struct merge_numbers *numbers;
	uint64_t value;
	size_t i = 0;

	while (i < merge->number_count && (merge->numbers[i].field != field || strcmp(merge->numbers[i].among, among)))
		i++;
	if (i == merge->number_count) {
		if (!merge_grow(merge, &merge->numbers, i, &merge->number_room, sizeof(*merge->numbers)))
			return -ENOMEM;
		merge->numbers[merge->number_count++] =
			(struct merge_numbers){.field = field, .among = arena_copy(&merge->arena, among)};
	}
	numbers = &merge->numbers[i];
	if (units_parse_u64(text, 0, NUMBER_MAX, &value) || value + numbers->offset > NUMBER_MAX)
		return merge_refuse(merge, -EBADMSG, node, "<%s> is %.40s: allowed are numbers up to %d", field->name,
			text, NUMBER_MAX);
	if (!numbers->is_used)
		numbers->base = value;
	numbers->is_used = true;
	value += numbers->offset;
	numbers->next = value + 1 > numbers->next ? value + 1 : numbers->next;
	*here = arena_format(&merge->arena, "%" PRIu64, value);
	return 0;
}

static bool has_kind(const struct field_record *record, enum field_record_kind kind)
{
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->record && field->record()->kind == kind)
			return true;
	}
	return false;
}

/* One after another, of each part. */
static bool is_each(const struct field_record *record)
{
	for (const struct field *field = record->fields; field->name; field++) {
		if (field->kind == FIELD_VALUE && field->place == FIELD_BODY && field->merge == FIELD_MERGE_EACH)
			return true;
	}
	return false;
}

/* --- what is kept whole --- */

static int count_element(struct merge *merge, const struct report_node *node)
{
	if (++merge->elements <= MERGE_ELEMENTS_MAX)
		return 0;
	return merge_refuse(merge, -EINVAL, node,
		"with its <%s> the merged report would be larger than a report may be: merge fewer", node->name);
}

/* Among what a number of it is unique: repetitions are numbered in each scenario. */
static void number_among(const struct field_record *record, const struct report_node *node, const struct field *number,
	char *text, size_t length)
{
	size_t used;

	field_subject(record, node, text, length);
	used = strlen(text);
	for (const struct field *field = record->fields; field->name; field++) {
		const char *value;

		if (field->kind != FIELD_VALUE || field == number || !sysfs_has_word(record->key, ",", field->name))
			continue;
		value = field_value(node, field);
		if (value && used < length)
			used += (size_t)snprintf(text + used, length - used, " %s", value);
	}
}

/* Numbers an element that is kept whole, and all in it. ratio: of the clocks, for what is in ticks. */
static int fix_numbers(struct merge *merge, struct report_node *node, const struct field_record *record, double ratio)
{
	char among[256];
	int64_t ticks;
	int err = 0;

	for (const struct field *field = record->fields; field->name && !err; field++) {
		if (field->kind != FIELD_VALUE || field->place != FIELD_ATTR || field->merge != FIELD_MERGE_NUMBER)
			continue;
		for (size_t i = 0; i < node->attribute_count && !err; i++) {
			const char **value = (const char **)&node->attributes[2 * i + 1];

			if (strcmp(node->attributes[2 * i], field->name))
				continue;
			among[0] = '\0';
			if (sysfs_has_word(record->key, ",", field->name))
				number_among(record, node, field, among, sizeof(among));
			err = renumber(merge, node, field, among, *value, value);
		}
	}
	for (struct report_node *child = node->child; child && !err; child = child->next) {
		const struct field *field = field_find(record, child->name);

		if (field && field->record)
			err = fix_numbers(merge, child, field->record(), ratio);
		else if (field && field->merge == FIELD_MERGE_NUMBER)
			err = renumber(merge, child, field, "", child->text, &child->text);
		else if (field && !strcmp(field->unit, "ticks") && ratio != 1 &&
			!units_parse_i64(child->text, -(1ll << 53), 1ll << 53, &ticks))
			child->text = arena_format(&merge->arena, "%" PRId64, (int64_t)((double)ticks * ratio));
		child->whole = child->child ? child->whole : child->text;
	}
	return err;
}

static int keep_whole(struct merge *merge, struct merge_sum *sum, const struct report_node *node)
{
	struct report_node *kept = (struct report_node *)report_keep(&merge->arena, node, &merge->elements);
	const struct report_node *report = node, *first = report_read_root(merge->first->document);
	double khz, first_khz = report_read_number(first, "report/machine_info/freq_khz");
	bool is_scaled;

	if (!kept)
		return -ENOMEM;
	sum->inputs = 1;
	sum->node = kept;
	if (merge->adds_original && !merge->original_like)
		merge->original_like = kept;
	if (merge->elements > MERGE_ELEMENTS_MAX)
		return count_element(merge, node);
	/* Ticks are those of the first machine's clock. */
	while (report->parent && report->parent->parent)
		report = report->parent;
	khz = report_read_number(report, "machine_info/freq_khz");
	is_scaled = khz > 0 && first_khz > 0 && first_khz / khz < 1000;
	return fix_numbers(merge, kept, sum->record, is_scaled ? first_khz / khz : 1);
}

/* --- adding --- */

static struct merge_sum *append(struct merge *merge, struct merge_sum *around, const char *name, const char *key,
	const struct field *field, const struct field_record *record)
{
	struct merge_sum *sum = arena_array(&merge->arena, 1, sizeof(*sum));
	size_t count = 0;

	if (!sum)
		return NULL;
	while (record->fields[count].name)
		count++;
	*sum = (struct merge_sum){.name = arena_copy(&merge->arena, name), .key = arena_copy(&merge->arena, key), .field = field,
		.record = record, .values = arena_array(&merge->arena, count, sizeof(*sum->values)), .seen = merge->inputs + 1};
	if (around->last)
		around->last->next = sum;
	else
		around->child = sum;
	around->last = sum;
	return sum->values ? sum : NULL;
}

/* The first of that name and key that this input has not met yet, so that the second is added to the second; mostly it
 * is the one behind the last that was found. */
static struct merge_sum *find(struct merge *merge, struct merge_sum *around, const char *name, const char *key)
{
	struct merge_sum *begin = around->cursor ? around->cursor->next : around->child;

	for (int pass = 0; pass < 2; pass++) {
		struct merge_sum *sum = pass ? around->child : begin, *end = pass ? begin : NULL;

		for (; sum && sum != end; sum = sum->next) {
			if (sum->node || sum->seen == merge->inputs + 1 || strcmp(sum->name, name) || strcmp(sum->key, key))
				continue;
			around->cursor = sum;
			sum->seen = merge->inputs + 1;
			return sum;
		}
	}
	return NULL;
}

static int add_number(struct merge *merge, struct merge_value *sum, const struct field *field, const struct report_node *node,
	const char *text)
{
	const struct field *weight = NULL;
	double value, weighs = 1;
	uint64_t count;

	if (field->type == FIELD_truth)
		value = !strcmp(text, "true");
	else if (units_parse_double(text, -DBL_MAX, DBL_MAX, &value))
		return merge_refuse(merge, -EBADMSG, node, "<%.40s> is '%.40s': allowed are finite numbers", field->name, text);
	if (field->merge == FIELD_MERGE_MEAN || field->merge == FIELD_MERGE_PER) {
		weight = field_find(field_record_of(node), field->first);
		weighs = weight ? field_number(node, weight) : 1;
		weighs = isnan(weighs) ? 0 : weighs;
	}
	if (units_parse_u64(text, 0, UINT64_MAX, &count))
		sum->is_counted = false;
	else if (sum->is_counted && field->merge == FIELD_MERGE_SUM && __builtin_add_overflow(sum->count, count, &sum->count))
		return merge_refuse(merge, -EOVERFLOW, NULL,
			"with this report the %s are more than 2^64-1 and cannot be added exactly", field->name);
	if (field->merge == FIELD_MERGE_PER) {
		sum->sum += weighs;
		sum->weight += value > 0 ? weighs / value : 0;
	} else {
		sum->sum += field->merge == FIELD_MERGE_MEAN ? weighs * value : value;
		sum->weight += weighs;
	}
	/* The text of the extreme: a count may have more digits than a double. */
	if (sum->inputs > 1 && ((field->merge == FIELD_MERGE_MIN && value < sum->low) ||
		(field->merge == FIELD_MERGE_MAX && value > sum->high)))
		sum->text = arena_copy(&merge->arena, text);
	sum->low = fmin(sum->low, value);
	sum->high = fmax(sum->high, value);
	return 0;
}

static bool is_number(const struct field *field)
{
	return field_is_numeric(field) || field->type == FIELD_truth;
}

/* text: what the field of a node is. */
static int add_value(struct merge *merge, struct merge_sum *around, const struct field *field, const struct report_node *node,
	const char *text)
{
	struct merge_value *sum = &around->values[field - around->record->fields];

	if (!sum->inputs++) {
		sum->text = sum->first = arena_copy(&merge->arena, text);
		sum->is_counted = true;
		sum->low = INFINITY;
		sum->high = -INFINITY;
	} else if (strcmp(sum->first, text) || sum->differs) {
		sum->differs = true;
		if (field->type == FIELD_text && (field->merge == FIELD_MERGE_SAME || field->merge == FIELD_MERGE_ANY))
			sum->text = merge_join(merge, sum->text, text);
		else if (field->merge == FIELD_MERGE_LAST && merge->is_last)
			sum->text = arena_copy(&merge->arena, text);
	}
	return is_number(field) ? add_number(merge, sum, field, node, text) : 0;
}

static const char *text_of_node(const struct field *field, const struct report_node *node)
{
	return field_is_text(field) ? node->whole : node->text;
}

static int add_node(struct merge *merge, struct merge_sum *sum, const struct report_node *node);

/* Of <report>, by rules of its own (merge/write.c). */
static bool is_written_apart(const char *name)
{
	return !strcmp(name, "statistics") || !strcmp(name, "parts") || !strcmp(name, "environment") || !strcmp(name, "verdict");
}

static int add_child(struct merge *merge, struct merge_sum *around, const struct report_node *node)
{
	const struct field *field = field_find(around->record, node->name);
	const struct field_record *record = field && field->record ? field->record() : NULL;
	struct merge_sum *sum;
	char key[512] = "";
	size_t used;
	int err;

	if (!field || (around == merge->sum && is_written_apart(node->name)))
		return 0;
	if (!record) {
		err = around->values[field - around->record->fields].inputs ? 0 : count_element(merge, node);
		return err ? err : add_value(merge, around, field, node->parent, text_of_node(field, node));
	}
	if (record->kind == FIELD_IS_SERIES) {
		around->why = "each part has a time of its own";
		return 0;
	}
	if (has_kind(record, FIELD_IS_COUNTERS) && !field_is_numbered(record)) {
		merge_omit(merge, around->name, "the kernel counts for the whole machine, once in each part");
		return 0;
	}
	if (field_is_numbered(record) || is_each(record)) {
		sum = append(merge, around, node->name, "", field, record);
		return sum ? keep_whole(merge, sum, node) : -ENOMEM;
	}
	/* What distinguishes it from its siblings of the same name. */
	field_subject(record, node, key, sizeof(key));
	used = strlen(key);
	if (used && used + 1 < sizeof(key) && record->key[0])
		key[used++] = ' ';
	field_key(record, node, key + used, sizeof(key) - used);
	sum = find(merge, around, node->name, key);
	if (!sum) {
		err = count_element(merge, node);
		if (err)
			return err;
		sum = append(merge, around, node->name, key, field, record);
	}
	return sum ? add_node(merge, sum, node) : -ENOMEM;
}

static int add_node(struct merge *merge, struct merge_sum *sum, const struct report_node *node)
{
	int err = 0;

	sum->inputs++;
	sum->cursor = NULL;
	for (const struct field *field = sum->record->fields; field->name && !err; field++) {
		const char *text = NULL;

		if (field->kind == FIELD_VALUE && field->place == FIELD_ATTR)
			text = report_read_attribute(node, field->name);
		else if (field->kind == FIELD_VALUE && field->place == FIELD_BODY && !node->child && node->whole[0])
			text = text_of_node(field, node);
		if (text)
			err = add_value(merge, sum, field, node, text);
	}
	for (const struct report_node *child = node->child; child && !err; child = child->next)
		err = add_child(merge, sum, child);
	return err;
}

int merge_add_tree(struct merge *merge, const struct report_node *report)
{
	int err;

	if (!merge->sum) {
		merge->sum = append(merge, &(struct merge_sum){0}, report->name, "", NULL, field_record_of(report));
		if (!merge->sum)
			return -ENOMEM;
	}
	for (size_t i = 0; i < merge->number_count; i++) {
		struct merge_numbers *numbers = &merge->numbers[i];

		numbers->offset = numbers->next > numbers->base ? numbers->next - numbers->base : 0;
	}
	err = add_node(merge, merge->sum, report);
	return merge->arena.is_short ? -ENOMEM : err;
}

/* --- writing --- */

static bool is_sequence(const struct merge_sum *sum)
{
	return sum->field->most != 1 && !sum->record->key[0] && !sum->node;
}

/* All inputs have it; where one input has a finding, the others need not. */
static bool is_complete(const struct merge_sum *sum, const struct merge_sum *around)
{
	return sum->inputs == around->inputs || sum->record->kind == FIELD_IS_FINDING || sum->node;
}

static struct merge_sum *child_of(const struct merge_sum *sum, const char *name)
{
	struct merge_sum *child = sum->child;

	while (child && strcmp(child->name, name))
		child = child->next;
	return child;
}

/* NULL unless all inputs have it, or one has what the others need not. */
static const struct merge_value *value_of(const struct merge_sum *sum, const struct field *field)
{
	const struct merge_value *value = field && field->kind == FIELD_VALUE ? &sum->values[field - sum->record->fields] : NULL;
	bool is_of_any = value && (field->merge == FIELD_MERGE_ANY || field->type == FIELD_flag);

	return value && value->inputs && (value->inputs == sum->inputs || is_of_any) ? value : NULL;
}

/* Whether a rule gives it one value. */
static bool has_value(const struct merge_value *value, const struct field *field)
{
	if (value->inputs == 1)
		return true;
	if (field->merge == FIELD_MERGE_SAME)
		return !value->differs || field->type == FIELD_text;
	return field->merge != FIELD_MERGE_NONE;
}

static double sum_of(const struct merge_sum *around, const char *name)
{
	const struct field *field = field_find(around->record, name);

	return field && field->kind == FIELD_VALUE ? around->values[field - around->record->fields].sum : NAN;
}

/* Its text by its rule; NULL: it is *number. */
static const char *text_of(struct merge *merge, const struct merge_value *value, const struct field *field,
	const struct merge_sum *around, size_t index, double *number)
{
	switch (field->merge) {
	case FIELD_MERGE_NUMBER:
		return arena_format(&merge->arena, "%zu", index);
	case FIELD_MERGE_NONE: case FIELD_MERGE_FIRST:
		return value->first;
	case FIELD_MERGE_SAME: case FIELD_MERGE_MIN: case FIELD_MERGE_MAX: case FIELD_MERGE_LAST: case FIELD_MERGE_ANY:
	case FIELD_MERGE_EACH:
		return value->text;
	default:
		break;
	}
	if (field->merge == FIELD_MERGE_SUM && value->is_counted)
		return arena_format(&merge->arena, "%" PRIu64, value->count);
	if (value->inputs == 1 || !is_number(field))
		return value->text;
	switch (field->merge) {
	case FIELD_MERGE_RATIO:
		*number = sum_of(around, field->first) / sum_of(around, field->second);
		break;
	case FIELD_MERGE_TIME:
		*number = merge_parts_time(merge, field->name);
		*number = isnan(*number) ? value->sum : *number;
		break;
	case FIELD_MERGE_RATE:
		*number = merge_parts_rate(merge, field->name);
		*number = isnan(*number) ? value->sum / (double)value->inputs : *number;
		break;
	case FIELD_MERGE_SUM:
		*number = value->sum;
		break;
	default:
		*number = value->sum / value->weight;
	}
	return field->type <= FIELD_whole && isfinite(*number) ? arena_format(&merge->arena, "%.0f", *number) : NULL;
}

/* All inputs say the same. */
static bool is_same(const struct merge_sum *sum)
{
	for (const struct field *field = sum->record->fields; field->name; field++) {
		const struct merge_value *value = &sum->values[field - sum->record->fields];

		if (value->differs || (value->inputs && value->inputs != sum->inputs))
			return false;
	}
	for (const struct merge_sum *child = sum->child; child; child = child->next) {
		if (child->inputs != sum->inputs || !is_same(child))
			return false;
	}
	return true;
}

/* Whether there is anything in it; that can be written. */
static bool has_content(const struct merge_sum *sum, bool is_written)
{
	for (const struct field *field = sum->record->fields; field->name; field++) {
		const struct merge_value *value = &sum->values[field - sum->record->fields];

		if (is_written ? value_of(sum, field) && has_value(value, field) : value->inputs > 0)
			return true;
	}
	for (const struct merge_sum *child = sum->child; child; child = child->next) {
		if (!is_written || (is_complete(child, sum) && !child->is_left_out))
			return true;
	}
	return false;
}

static const char *reason_to_leave_out(struct merge *merge, const struct merge_sum *sum)
{
	for (const struct field *field = sum->record->fields; field->name; field++) {
		const struct merge_value *value = value_of(sum, field);

		if (value && field->least && !has_value(value, field))
			return arena_format(&merge->arena, "%s has no sum", field->name);
	}
	for (const struct merge_sum *child = sum->child; child; child = child->next) {
		if (is_sequence(child) && (child->inputs != sum->inputs || !is_same(child)))
			return "the parts have different ones";
	}
	return NULL;
}

/* What of it cannot be written. */
static void settle(struct merge *merge, struct merge_sum *sum, const struct merge_sum *around)
{
	bool is_needed = sum->field->least;
	const char *why = sum->why;

	if (sum->node)
		return;
	if (!is_complete(sum, around))
		why = arena_format(&merge->arena, "%zu of %zu files have it", sum->inputs, around->inputs);
	else if (!why && merge_write_derived(merge, NULL, sum->name))
		return;
	if (!why && !is_needed && sum->inputs > 1)
		why = reason_to_leave_out(merge, sum);
	for (struct merge_sum *child = sum->child; child && !why; child = child->next)
		settle(merge, child, sum);
	/* Of what is left out in it nothing remains. */
	if (!why && !is_needed && has_content(sum, false) && !has_content(sum, true))
		why = "nothing in it has a sum";
	sum->is_left_out = why;
	if (why)
		merge_omit(merge, arena_format(&merge->arena, "%s%s%.200s", sum->name, sum->key[0] ? " " : "", sum->key), why);
}

void merge_settle_tree(struct merge *merge)
{
	for (struct merge_sum *child = merge->sum->child; child; child = child->next)
		settle(merge, child, merge->sum);
}

static void write_value(struct merge *merge, struct report *report, const struct field *field, const struct merge_sum *around,
	size_t index)
{
	const struct merge_value *value = value_of(around, field);
	const char *text;
	double number = NAN;

	/* What is needed and has no rule is the first part's. */
	if (!value || merge_write_own(merge, report, around->name, field->name) || (!has_value(value, field) && !field->least))
		return;
	text = text_of(merge, value, field, around, index, &number);
	if (field->place == FIELD_ATTR && text)
		report_attribute(report, field->name, text);
	else if (field->place == FIELD_ATTR)
		report_attribute_double(report, field->name, number);
	else if (field->place == FIELD_BODY)
		report_content(report, text ? text : "");
	else if (text)
		report_text(report, field->name, text);
	else
		report_double(report, field->name, number);
}

/* Whether an element is left out, since a sibling of the original's format does not have it. */
static bool is_ours_alone(struct report *report, const struct report_node *node, void *data)
{
	const struct merge *merge = data;
	const struct report_node *like = merge->is_original ? merge->original_like : NULL;

	(void)report;
	return like && node->parent && !strcmp(node->parent->name, like->name) && !report_read_find(like, node->name);
}

static void write_sum(struct merge *merge, struct report *report, const struct merge_sum *sum, size_t index)
{
	report_begin(report, sum->name);
	for (const struct field *field = sum->record->fields; field->name; field++) {
		size_t inner = 0;

		if (field->kind == FIELD_VALUE)
			write_value(merge, report, field, sum, index);
		for (const struct merge_sum *child = sum->child; child && field->kind == FIELD_RECORD; child = child->next) {
			if (child->field != field || !is_complete(child, sum) || child->is_left_out ||
				merge_write_own(merge, report, sum->name, field->name))
				continue;
			if (child->node)
				report_copy(report, child->node, is_ours_alone, merge);
			else if (!merge_write_derived(merge, report, child->name))
				write_sum(merge, report, child, inner);
			inner++;
		}
	}
	report_end(report);
}

void merge_write_tree(struct merge *merge, struct report *report, const char *name)
{
	const struct merge_sum *sum = child_of(merge->sum, name);

	if (sum && is_complete(sum, merge->sum) && !sum->is_left_out)
		write_sum(merge, report, sum, 0);
}

double merge_tree_number(const struct merge *merge, const char *path)
{
	const struct merge_sum *sum = merge->sum, *around;
	const struct merge_value *value;
	char name[64];
	double number;

	for (; sum && strchr(path, '/'); path = strchr(path, '/') + 1) {
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(path, "/"), path);
		around = sum;
		sum = child_of(sum, name);
		if (sum && !is_complete(sum, around))
			sum = NULL;
	}
	value = sum ? value_of(sum, field_find(sum->record, path)) : NULL;
	return value && !value->differs && !units_parse_double(value->text, -DBL_MAX, DBL_MAX, &number) ? number : NAN;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loads the values of <result> and of its subjects, by the field lists of schema/ alone. The repetitions of a subject are
 * combined to one subject by the merge rule of each value.
 */
#include "config.h"
#include "memstor/loaded/private.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"

/* One value of one subject, of all its occurrences so far. */
struct tally {
	const char *name;
	const struct field *field;
	size_t count, prefix; /* prefix: how much of name is before that of the field */
	double sum, weight, low, high;
};

struct tallies {
	const char *id, *kind; /* "" = of the whole run */
	size_t count, room;
	struct tally *items;
};

struct gathering {
	struct loading *loading;
	size_t count, room;
	struct tallies *subjects; /* the first is of the run */
};

static struct tally *find_tally(const struct tallies *subject, const char *name)
{
	for (size_t i = 0; i < subject->count; i++) {
		if (!strcmp(subject->items[i].name, name))
			return &subject->items[i];
	}
	return NULL;
}

static void add_to(struct tally *tally, double value, double weight)
{
	switch (tally->field->merge) {
	case FIELD_MERGE_ERROR:
		value = fabs(value);
		/* fallthrough */
	case FIELD_MERGE_MEAN:
		tally->sum += weight * value;
		tally->weight += weight;
		break;
	case FIELD_MERGE_PER:
		tally->sum += weight;
		tally->weight += value > 0 ? weight / value : 0;
		break;
	default:
		tally->sum += value;
		tally->weight += 1;
		break;
	}
	tally->low = tally->count ? fmin(tally->low, value) : value;
	tally->high = tally->count ? fmax(tally->high, value) : value;
	tally->count++;
}

/* Of numbers that have no rule the mean describes all. */
static double total_of(const struct tallies *subject, const struct tally *tally)
{
	const struct field *field = tally->field;
	char name[256];
	const struct tally *parts[2];

	switch (field->merge) {
	case FIELD_MERGE_SUM: case FIELD_MERGE_TIME: case FIELD_MERGE_EACH:
		return tally->sum;
	case FIELD_MERGE_MIN:
		return tally->low;
	case FIELD_MERGE_MAX: case FIELD_MERGE_NUMBER:
		return tally->high;
	case FIELD_MERGE_RATIO:
		for (size_t i = 0; i < 2; i++) {
			snprintf(name, sizeof(name), "%.*s%s", (int)tally->prefix, tally->name, i ? field->second : field->first);
			parts[i] = find_tally(subject, name);
		}
		if (tally->count > 1 && parts[0] && parts[1])
			return total_of(subject, parts[0]) / total_of(subject, parts[1]);
		/* fallthrough */
	default:
		return tally->count == 1 ? (field->merge == FIELD_MERGE_ERROR ? tally->high : tally->low)
					 : tally->sum / tally->weight;
	}
}

static int tally_value(struct gathering *gathering, struct tallies *subject, const struct field *field, const char *prefix,
	double value, double weight)
{
	char name[256];
	int used = snprintf(name, sizeof(name), "%.180s%.64s", prefix, strcmp(field->name, "value") ? field->name : "");
	struct tally *tally;

	/* The one value of a record is called as the record is. */
	if (used > 0 && name[used - 1] == '.')
		name[used - 1] = '\0';
	tally = find_tally(subject, name);
	if (!tally) {
		if (arena_grow(&subject->items, &subject->room, subject->count, sizeof(*subject->items)))
			return -ENOMEM;
		tally = &subject->items[subject->count++];
		*tally = (struct tally){.name = arena_copy(&gathering->loading->arena, name),
			.field = field, .prefix = strlen(prefix)};
	}
	add_to(tally, value, weight);
	return 0;
}

static struct tallies *subject_of(struct gathering *gathering, const char *id)
{
	struct tallies *subject;

	for (size_t i = 0; i < gathering->count; i++) {
		if (!strcmp(gathering->subjects[i].id, id))
			return &gathering->subjects[i];
	}
	if (arena_grow(&gathering->subjects, &gathering->room, gathering->count, sizeof(*gathering->subjects)))
		return NULL;
	subject = &gathering->subjects[gathering->count++];
	*subject = (struct tallies){.id = arena_copy(&gathering->loading->arena, id), .kind = ""};
	return subject;
}

/* An element that may repeat, with one value and nothing else. */
static bool is_value(const struct field_record *record)
{
	return field_is_numeric(record->fields) && record->fields->place == FIELD_BODY;
}

/* "ELEMENT." and, where siblings are distinguished by more than their subject, "ELEMENT.KEY."; within a subject its key
 * says enough: "kernel.total_error_percent" of a model. */
static void add_prefix(const struct report_node *node, const struct field_record *record, const char *id, bool is_within,
	const char *around, char *prefix, size_t length)
{
	char key[128];
	const char *own = key;
	size_t of_id = strlen(id);

	field_key(record, node, key, sizeof(key));
	if (of_id && !strncmp(key, id, of_id) && (key[of_id] == ' ' || !key[of_id]))
		own += of_id + (key[of_id] == ' ');
	if (is_within && own[0])
		snprintf(prefix, length, "%.80s%.60s.", around, own);
	else
		snprintf(prefix, length, "%.80s%.60s%s%.60s.", is_value(record) ? "" : around, node->name, own[0] ? "." : "", own);
}

static int tally_values(struct gathering *gathering, size_t subject, const struct report_node *node,
	const struct field_record *record, const char *prefix)
{
	bool is_run = subject == 0 && !record->key[0];

	for (const struct field *field = record->fields; field->name; field++) {
		const struct field *weight = field->first ? field_find(record, field->first) : NULL;
		const char *text = field_is_numeric(field) && field->merge != FIELD_MERGE_NUMBER ? field_value(node, field) : NULL;
		const struct tally *of_name;
		double value, weighs = 1;
		bool is_plain;
		int err;

		if (!text)
			continue;
		/* A value of the run is called by its own name where that is not another's. */
		of_name = is_run ? find_tally(&gathering->subjects[0], field->name) : NULL;
		is_plain = is_run && field->place != FIELD_BODY && (!of_name || of_name->field == field);
		err = units_parse_double(text, -DBL_MAX, DBL_MAX, &value);
		if (err && err != -ENOMEM && gathering->loading->loaded.is_newer)
			continue;
		if (err)
			return loaded_number(gathering->loading,
				field->place == FIELD_NEED ? report_read_find(node, field->name) : node, field->name, text, &value);
		if (weight && (field->merge == FIELD_MERGE_MEAN || field->merge == FIELD_MERGE_PER))
			weighs = field_number(node, weight);
		err = tally_value(gathering, &gathering->subjects[subject], field, is_plain ? "" : prefix, value,
			isnan(weighs) ? 0 : weighs);
		if (err)
			return err;
	}
	return 0;
}

static int refuse_twice(struct gathering *gathering, const struct report_node *node, const struct field_record *record)
{
	char id[256], key[256];

	for (const struct report_node *before = node->parent->child; before != node; before = before->next) {
		if (strcmp(before->name, node->name) || !loaded_is_same(record, node, before))
			continue;
		field_subject(record, node, id, sizeof(id));
		field_key(record, node, key, sizeof(key));
		return loaded_refuse(gathering->loading, node, "a second <%s> %.100s%s%.40s", node->name, id,
			strcmp(key, id) ? ", " : "", strcmp(key, id) ? key : "");
	}
	return 0;
}

/* Everything below node. Of the run's own values (wants_run) or of those of its subjects. */
static int gather(struct gathering *gathering, const struct report_node *node, const struct field_record *record, size_t subject,
	const char *prefix, bool wants_run)
{
	int err = 0;

	if ((subject == 0) == wants_run)
		err = tally_values(gathering, subject, node, record, prefix);
	for (const struct report_node *child = node->child; child && !err; child = child->next) {
		const struct field *field = field_find(record, child->name);
		const struct field_record *inner = field && field->record ? field->record() : NULL;
		char id[256] = "", inner_prefix[256];
		size_t of = subject;

		if (!inner || (inner->kind != FIELD_IS_PLAIN && inner->kind != FIELD_IS_SUBJECT))
			continue;
		if (inner->subject[0])
			field_subject(inner, child, id, sizeof(id));
		/* Instances of one thing, as threads, are no values of the run. */
		if (wants_run && !id[0] && subject == 0 && field->most != 1 && !is_value(inner) &&
			(!inner->key[0] || field_is_numbered(inner)))
			continue;
		if (id[0]) {
			struct tallies *found = subject_of(gathering, id);

			if (!found)
				return -ENOMEM;
			of = (size_t)(found - gathering->subjects);
			found->kind = inner->kind == FIELD_IS_SUBJECT ? child->name : found->kind;
			if (gathering->count > LOADED_HISTOGRAMS_MAX)
				return loaded_refuse(gathering->loading, child, "more than %d subjects", LOADED_HISTOGRAMS_MAX);
			if (inner->kind == FIELD_IS_SUBJECT && found->count && !wants_run)
				err = refuse_twice(gathering, child, inner);
		}
		if (id[0] && inner->kind == FIELD_IS_SUBJECT)
			inner_prefix[0] = '\0';
		else
			add_prefix(child, inner, id, subject != 0, subject ? prefix : "", inner_prefix, sizeof(inner_prefix));
		if (!err)
			err = gather(gathering, child, inner, of, inner_prefix, wants_run);
	}
	return err;
}

bool loaded_is_alone(const char *id)
{
	size_t length = strlen(id), end = strlen("-alone");

	return length > end && !strcmp(id + length - end, "-alone");
}

/* What all subjects are together: sums, what follows from these, and means of errors. A subject that ran alone once
 * more is another workload. */
static int add_overall(struct gathering *gathering)
{
	const unsigned of_all = 1u << FIELD_MERGE_SUM | 1u << FIELD_MERGE_TIME | 1u << FIELD_MERGE_RATIO | 1u << FIELD_MERGE_ERROR |
		1u << FIELD_MERGE_MEAN;
	int err = 0;

	for (size_t i = 1; i < gathering->count; i++) {
		const struct tallies *subject = &gathering->subjects[i];

		for (size_t j = 0; j < subject->count && !err && !loaded_is_alone(subject->id); j++) {
			const struct field *field = subject->items[j].field;
			double value = total_of(subject, &subject->items[j]);
			char prefix[256];

			if (!(1u << field->merge & of_all))
				continue;
			snprintf(prefix, sizeof(prefix), "%.*s", (int)subject->items[j].prefix, subject->items[j].name);
			if (isfinite(value))
				err = tally_value(gathering, &gathering->subjects[0], field, prefix, value, 1);
		}
	}
	return err;
}

static int make_values(struct loading *loading, const struct tallies *subject, size_t more,
	const struct loaded_value **values, size_t *count)
{
	struct loaded_value *list = arena_array(&loading->arena, subject->count + more, sizeof(*list));

	if (!list)
		return -ENOMEM;
	*values = list;
	for (size_t i = 0; i < subject->count; i++) {
		double value = total_of(subject, &subject->items[i]);

		if (isfinite(value))
			list[(*count)++] = (struct loaded_value){subject->items[i].name, value, subject->items[i].field};
	}
	return 0;
}

static int make_all(struct gathering *gathering)
{
	struct loading *loading = gathering->loading;
	struct loaded *loaded = &loading->loaded;
	struct loaded_subject *list = arena_array(&loading->arena, gathering->count, sizeof(*list));
	int err = list ? 0 : -ENOMEM;

	loaded->subjects = list;
	for (size_t i = 1; i < gathering->count && !err; i++) {
		struct loaded_subject *subject = &list[loaded->subject_count++];

		subject->id = gathering->subjects[i].id;
		subject->kind = gathering->subjects[i].kind;
		err = make_values(loading, &gathering->subjects[i], 0, &subject->values, &subject->value_count);
	}
	if (!err)
		err = make_values(loading, &gathering->subjects[0], LOADED_ORIGINAL_VALUES, &loaded->values, &loaded->value_count);
	return err ? err : loaded_add_original(loading, (struct loaded_value *)loaded->values);
}

int loaded_take_values(struct loading *loading)
{
	const struct report_node *result = report_read_find(loading->report, "result");
	const struct field_record *record = result ? field_record_of(result) : NULL;
	struct gathering gathering = {.loading = loading};
	int err = subject_of(&gathering, "") ? 0 : -ENOMEM;

	if (!err && record)
		err = gather(&gathering, result, record, 0, "", false);
	if (!err)
		err = add_overall(&gathering);
	if (!err && record)
		err = gather(&gathering, result, record, 0, "", true);
	if (!err)
		err = make_all(&gathering);
	for (size_t i = 0; i < gathering.count; i++)
		free(gathering.subjects[i].items);
	free(gathering.subjects);
	return err;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/metric.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/field.h"
#include "common/sysfs.h"
#include "common/units.h"
#include "schema/metric.h"

#define SUBJECT_DEFAULTS_MAX 16

/* Of values by their own names. */
static const struct metric_row by_name = {"", "", FIELD_BETTER_NONE, METRIC_VALUE, NULL, NULL};

/* Takes "read." from the front of *text when read is among the words; "" otherwise. */
static void take_word(const char **text, const char *const *words, char *word, size_t length)
{
	size_t used = strcspn(*text, ".");

	word[0] = '\0';
	for (; *words && (*text)[used] == '.'; words++) {
		if (strlen(*words) == used && strncmp(*words, *text, used) == 0) {
			snprintf(word, length, "%s", *words);
			*text += used + 1;
			return;
		}
	}
}

static const struct metric_row *row_of(const char *text, double *percent)
{
	*percent = NAN;
	for (const struct metric_row *row = metric_rows; row->name; row++) {
		if (row->source != METRIC_PERCENTILE && strcmp(row->name, text) == 0)
			return row;
		if (row->source == METRIC_PERCENTILE && text[0] == 'p' && strlen(text) <= 9 &&
			text[1 + strspn(text + 1, "0123456789.")] == '\0' &&
			units_parse_double(text + 1, 1e-6, 100 - 1e-6, percent) == 0)
			return row;
	}
	return NULL;
}

const char *metric_row_name(size_t i)
{
	for (const struct metric_row *row = metric_rows; row->name; row++) {
		if (row->source != METRIC_PERCENTILE && row->source != METRIC_MODEL && !i--)
			return row->name;
	}
	return NULL;
}

static int refuse(const char **why)
{
	*why = metric_allowed;
	return -EINVAL;
}

/* What stands before the last colon: no word of a metric has one. */
static int take_subject(const char **text, struct metric *metric)
{
	const char *colon = strrchr(*text, ':');
	size_t length = colon ? (size_t)(colon - *text) : 0;

	if (!colon)
		return 0;
	if (length == 0 || length >= sizeof(metric->subject))
		return -EINVAL;
	snprintf(metric->subject, sizeof(metric->subject), "%.*s", (int)length, *text);
	*text = colon + 1;
	return 0;
}

static bool is_possible(const struct metric *metric, bool has_model)
{
	enum metric_source source = metric->row->source;

	if (metric->subject[0] && metric->class[0])
		return false;
	if (has_model || source == METRIC_MODEL)
		return has_model && source == METRIC_MODEL && !metric->class[0];
	return source != METRIC_VALUE || (!metric->type[0] && !metric->class[0]);
}

/* A value of that name that is better when it is lower, or higher. */
static const struct field *find_value(const struct field_record *record, const char *name)
{
	for (const struct field *field = record->fields; field->name; field++) {
		const struct field *found = field->record ? find_value(field->record(), name) : NULL;

		if (field_is_numeric(field) && field->better != FIELD_BETTER_NONE && !strcmp(field->name, name))
			return field;
		if (found)
			return found;
	}
	return NULL;
}

static int parse_value(const char *text, struct metric *metric)
{
	const char *dot = strrchr(text, '.');
	const struct field *field = NULL;

	for (const struct field_root *root = field_roots; root->element && !field; root++)
		field = find_value(root->record(), dot ? dot + 1 : text);
	if (!field || (size_t)snprintf(metric->name, sizeof(metric->name), "%s%s%s", metric->subject,
			      metric->subject[0] ? ":" : "", text) >= sizeof(metric->name))
		return -EINVAL;
	metric->unit = !strcmp(field->unit, "/s") ? "1/s" : !strcmp(field->unit, "bytes/s") ? "B/s" : field->unit;
	metric->better = field->better == FIELD_BETTER_HIGHER ? METRIC_HIGHER : METRIC_LOWER;
	metric->percent = NAN;
	metric->row = &by_name;
	return 0;
}

int metric_parse(const char *text, struct metric *metric, const char **why)
{
	struct metric new = {.name = ""};
	bool has_model = false;
	char name[32];

	if (take_subject(&text, &new))
		return refuse(why);
	if (!parse_value(text, &new)) {
		*metric = new;
		return 0;
	}
	take_word(&text, metric_types, new.type, sizeof(new.type));
	if (!new.type[0]) {
		take_word(&text, metric_models, new.type, sizeof(new.type));
		has_model = new.type[0];
	}
	take_word(&text, metric_classes, new.class, sizeof(new.class));
	new.row = row_of(text, &new.percent);
	if (!new.row || !is_possible(&new, has_model))
		return refuse(why);
	if (isnan(new.percent))
		snprintf(name, sizeof(name), "%s", new.row->name);
	else
		snprintf(name, sizeof(name), "p%.9g", new.percent);
	snprintf(new.name, sizeof(new.name), "%s%s%s%s%s%s%s", new.subject, new.subject[0] ? ":" : "", new.type,
		new.type[0] ? "." : "", new.class, new.class[0] ? "." : "", name);
	new.unit = new.row->unit;
	new.better = new.row->better == FIELD_BETTER_HIGHER ? METRIC_HIGHER : METRIC_LOWER;
	*metric = new;
	return 0;
}

static struct metric_number exact(double value)
{
	return (struct metric_number){value, value, value, 0};
}

/* The bucket is that of loaded_percentile: a percentile that is an edge belongs to the one below. */
struct metric_number metric_percentile(const struct loaded_histogram *histogram, double percent)
{
	struct metric_number number = exact(loaded_percentile(histogram, percent));

	for (size_t i = 0; i < histogram->bucket_count; i++) {
		const struct loaded_bucket *bucket = &histogram->buckets[i];

		if (number.value <= bucket->hi_ns) {
			number.low = bucket->lo_ns;
			number.high = bucket->hi_ns;
			break;
		}
	}
	return number;
}

double metric_below(const struct metric_number *number)
{
	return number->low == 0 && number->high > 1 && isfinite(number->high) ? number->high : 0;
}

static struct metric_number of_histogram(const struct metric *metric, const struct loaded_histogram *histogram)
{
	if (metric->row->source == METRIC_PERCENTILE)
		return metric_percentile(histogram, metric->percent);
	return exact(metric->row->source == METRIC_MEAN ? histogram->mean_ns : histogram->max_ns);
}

static const char *value_name(const struct metric *metric)
{
	const char *colon = strrchr(metric->name, ':');

	return metric->row->value ? metric->row->value : colon ? colon + 1 : metric->name;
}

static double named_value(const struct metric *metric, const struct loaded *loaded)
{
	const struct loaded_subject *subject = metric->subject[0] ? loaded_subject(loaded, metric->subject) : NULL;
	const struct loaded_value *values = subject ? subject->values : loaded->values;
	size_t count = subject ? subject->value_count : metric->subject[0] ? 0 : loaded->value_count;
	char name[96];
	double value;

	snprintf(name, sizeof(name), "%s%s%.70s", metric->type, metric->type[0] ? "." : "", value_name(metric));
	value = loaded_value_of(values, count, name);
	return isnan(value) && metric->row->other ? loaded_value_of(values, count, metric->row->other) : value;
}

struct metric_number metric_number(const struct metric *metric, const struct loaded *loaded)
{
	const struct loaded_histogram **list;
	struct metric_number number = exact(NAN);
	struct loaded_histogram sum;
	size_t count;

	if (metric->row->source == METRIC_VALUE || metric->row->source == METRIC_MODEL)
		return exact(named_value(metric, loaded));
	list = calloc(LOADED_HISTOGRAMS_MAX, sizeof(*list));
	count = list ? metric_histograms(loaded, metric, list, LOADED_HISTOGRAMS_MAX) : 0;
	if (count == 1) {
		number = of_histogram(metric, list[0]);
	} else if (count && !metric_merge(list, count, &sum)) {
		number = of_histogram(metric, &sum);
		metric_merge_free(&sum);
	}
	free(list);
	/* A mean is of many, between the steps. */
	if (metric->row->source != METRIC_MEAN)
		number.step = fmax(0, loaded_clock_step_ns(loaded));
	return number;
}

double metric_value(const struct metric *metric, const struct loaded *loaded)
{
	return metric_number(metric, loaded).value;
}

static double interval_value(const struct loaded_interval *interval, const char *name)
{
	return loaded_value_of(interval->values, interval->value_count, name);
}

bool metric_of_interval(
	const struct metric *metric, const struct loaded_interval *interval, double *value, double *weight)
{
	/* That of a cell is of a write with its sync, which no metric is. */
	bool is_of_all = (!metric->type[0] || !strcmp(metric->type, "both")) && !interval->cell[0] &&
			 (!metric->class[0] || !strcmp(metric->class, "all"));

	if (strcmp(metric->subject, interval->cell) != 0)
		return false;
	if (metric->row->source == METRIC_VALUE) {
		*value = interval_value(interval, value_name(metric));
		if (isnan(*value) && metric->row->other)
			*value = interval_value(interval, metric->row->other);
		*weight = interval->seconds;
	} else if (metric->row->source == METRIC_MEAN && is_of_all) {
		*value = interval_value(interval, "mean_ns");
		*weight = interval_value(interval, "accesses");
	} else {
		return false;
	}
	return *weight > 0 && !isnan(*value);
}

/* Of a subject, "" = none. */
static size_t parse_names(const char *subject, const char *names, struct metric *metrics, size_t max)
{
	const char *why;
	size_t count = 0;

	for (; *names && count < max; names += strspn(names, " ")) {
		size_t used = strcspn(names, " ");
		char name[2 * METRIC_NAME];
		int length = snprintf(name, sizeof(name), "%.*s%s%.*s", METRIC_NAME, subject, subject[0] ? ":" : "",
			(int)used, names);

		count += length > 0 && metric_parse(name, &metrics[count], &why) == 0;
		names += used;
	}
	return count;
}

static const char *names_of(const struct metric_usual *row, const char *tool)
{
	while (row->tool && strcmp(row->tool, tool) != 0)
		row++;
	return row->names;
}

size_t metric_defaults(const char *tool, struct metric *metrics, size_t max)
{
	return parse_names("", names_of(metric_usual, tool), metrics, max);
}

int metric_subject_defaults(const struct loaded *loaded, struct metric **metrics, size_t *count)
{
	const char *names = names_of(metric_usual_of_subjects, loaded->tool);
	struct metric *list = calloc(loaded->subject_count * SUBJECT_DEFAULTS_MAX + 1, sizeof(*list));
	size_t kept = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < loaded->subject_count; i++) {
		struct metric *of_subject = list + kept;
		size_t these = parse_names(loaded->subjects[i].id, names, of_subject, SUBJECT_DEFAULTS_MAX);

		for (size_t j = 0; j < these; j++) {
			if (!isnan(metric_value(&of_subject[j], loaded)))
				list[kept++] = of_subject[j];
		}
	}
	*metrics = list;
	*count = kept;
	return 0;
}

bool metric_is_subject_default(const char *tool, const struct metric *metric)
{
	const char *own = strrchr(metric->name, ':');

	return own && sysfs_has_word(names_of(metric_usual_of_subjects, tool), " ", own + 1);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Markdown for people and pull requests: what is kept of each report. */
#include "config.h"
#include "memstor/convert/markdown.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define JOINED_MAX 256 /* bytes of an option that is given more than once, as --phase */

static const char *copy(struct convert *convert, const char *text)
{
	return arena_text(&convert->arena, text, strlen(text));
}

/* The index of a name, a new one if need be. */
static int find_name(struct convert *convert, const char *path, const char *prefix, const char *name, size_t *index)
{
	struct markdown *markdown = convert->kept;
	size_t length = strlen(prefix);
	char *full;

	for (*index = 0; *index < markdown->name_count; (*index)++) {
		const char *known = markdown->names[*index];

		if (strncmp(known, prefix, length) == 0 && strcmp(known + length, name) == 0)
			return 0;
	}
	if (*index == MARKDOWN_FACTS) {
		snprintf(convert->why, sizeof(convert->why), "%s: more than %d different options and labels", path,
			MARKDOWN_FACTS);
		return -EBADMSG;
	}
	full = arena_allocate(&convert->arena, length + strlen(name) + 1);
	if (!full)
		return -ENOMEM;
	stpcpy(stpcpy(full, prefix), name);
	markdown->names[markdown->name_count++] = full;
	return 0;
}

static int keep_fact(struct convert *convert, struct markdown_report *report, const char *prefix, const char *name,
	const char *value)
{
	char joined[JOINED_MAX];
	size_t index;
	int err = find_name(convert, report->path, prefix, name, &index);

	if (err)
		return err;
	if (report->facts[index]) {
		snprintf(joined, sizeof(joined), "%s, %s", report->facts[index], value);
		value = joined;
	}
	report->facts[index] = copy(convert, value);
	return report->facts[index] ? 0 : -ENOMEM;
}

static int keep_facts(struct convert *convert, struct markdown_report *report, const struct loaded *loaded)
{
	const struct {
		const char *name, *value;
	} facts[] = {{"tool", loaded->tool}, {"version", loaded->tool_version}, {"host", loaded->hostname},
		{"CPU", loaded->cpu_model}, {"kernel", loaded->release}};
	int err = 0;

	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]) && !err; i++)
		err = keep_fact(convert, report, "", facts[i].name, facts[i].value);
	for (size_t i = 0; i < loaded->option_count && !err; i++) {
		/* Each label is in the options, too. */
		if (strcmp(loaded->options[i].name, "label") != 0)
			err = keep_fact(convert, report, "--", loaded->options[i].name, loaded->options[i].value);
	}
	for (size_t i = 0; i < loaded->label_count && !err; i++)
		err = keep_fact(convert, report, "", loaded->labels[i].name, loaded->labels[i].value);
	return err;
}

/* The whole report's is said once, that of a subject with its first histogram. */
static double rate_of(const struct loaded *loaded, const struct loaded_histogram *histogram, bool is_first)
{
	const struct loaded_subject *subject = loaded_subject(loaded, histogram->class);

	for (size_t i = 0; subject && &loaded->histograms[i] != histogram; i++) {
		if (!strcmp(loaded->histograms[i].class, histogram->class))
			return NAN;
	}
	if (subject)
		return loaded_rate(subject->values, subject->value_count);
	return is_first ? loaded_rate(loaded->values, loaded->value_count) : NAN;
}

static int keep_row(struct convert *convert, const struct loaded_histogram *histogram, double per_second,
	struct markdown_row *row)
{
	*row = (struct markdown_row){
		.type = copy(convert, histogram->type),
		.class = copy(convert, histogram->class),
		.count = histogram->count,
		.per_second = per_second,
		.mean_ns = histogram->mean_ns,
		.p50_ns = loaded_percentile(histogram, 50),
		.p99_ns = loaded_percentile(histogram, 99),
		.p999_ns = loaded_percentile(histogram, 99.9),
		.max_ns = histogram->max_ns,
	};
	return row->type && row->class ? 0 : -ENOMEM;
}

/* A class that nothing fell into has no row; a run that recorded nothing has one with its accesses. */
static int keep_rows(struct convert *convert, struct markdown_report *report, const struct loaded *loaded)
{
	size_t room = loaded->histogram_count + 1;

	report->rows = arena_allocate(&convert->arena, room * sizeof(*report->rows));
	if (!report->rows)
		return -ENOMEM;
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];
		int err;

		/* The finest layout of each type and class comes first. */
		if (histogram->count == 0 || loaded_histogram(loaded, histogram->type, histogram->class) != histogram)
			continue;
		err = keep_row(convert, histogram, rate_of(loaded, histogram, report->row_count == 0),
			&report->rows[report->row_count]);
		report->row_count++;
		if (err)
			return err;
	}
	if (report->row_count == 0)
		report->rows[report->row_count++] = (struct markdown_row){"", "",
			loaded_operations(loaded), loaded_rate(loaded->values, loaded->value_count), NAN, NAN, NAN, NAN, NAN};
	return 0;
}

/* What of subjects without histograms can be better or worse. */
static int keep_values(struct convert *convert, struct markdown_report *report, const struct loaded *loaded)
{
	size_t room = 0;

	if (loaded->histogram_count)
		return 0;
	for (size_t i = 0; i < loaded->subject_count; i++)
		room += loaded->subjects[i].value_count;
	report->values = arena_allocate(&convert->arena, (room + 1) * sizeof(*report->values));
	for (size_t i = 0; i < loaded->subject_count && report->values; i++) {
		const struct loaded_subject *subject = &loaded->subjects[i];

		for (size_t j = 0; j < subject->value_count; j++) {
			const struct loaded_value *from = &subject->values[j];
			const char *dot = strrchr(from->name, '.');
			struct markdown_value *value = &report->values[report->value_count];

			if (!from->field || from->field->better == FIELD_BETTER_NONE)
				continue;
			*value = (struct markdown_value){copy(convert, subject->id),
				dot ? arena_text(&convert->arena, from->name, (size_t)(dot - from->name)) : "", from->field->name,
				from->field, from->value};
			if (!value->subject || !value->part)
				return -ENOMEM;
			report->value_count++;
		}
	}
	return report->values ? 0 : -ENOMEM;
}

static int begin(struct convert *convert)
{
	struct markdown *markdown = arena_allocate(&convert->arena, sizeof(*markdown));

	if (!markdown)
		return -ENOMEM;
	*markdown = (struct markdown){.last = &markdown->first};
	convert->kept = markdown;
	return 0;
}

static int add(struct convert *convert, const struct loaded *loaded)
{
	struct markdown_report *report = arena_allocate(&convert->arena, sizeof(*report));
	struct markdown *markdown = convert->kept;
	int err;

	if (!report)
		return -ENOMEM;
	if (!loaded->histogram_count && !loaded->subject_count && isnan(loaded_rate(loaded->values, loaded->value_count))) {
		snprintf(convert->why, sizeof(convert->why),
			"%s: there is no summary of it: --to csv has its numbers (--what values) and events (--what series)",
			loaded->path);
		return -EBADMSG;
	}
	*report = (struct markdown_report){
		.path = copy(convert, loaded->path),
		.status = copy(convert, loaded->status),
	};
	err = report->path && report->status ? keep_facts(convert, report, loaded) : -ENOMEM;
	if (!err)
		err = keep_rows(convert, report, loaded);
	if (!err)
		err = keep_values(convert, report, loaded);
	if (err)
		return err;
	*markdown->last = report;
	markdown->last = &report->next;
	return 0;
}

static int end(struct convert *convert)
{
	markdown_write(convert->out, convert->kept);
	return 0;
}

const struct convert_format convert_markdown = {"markdown", begin, add, end};

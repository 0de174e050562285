/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads <series>, the run per interval. */
#include "config.h"
#include "memstor/loaded/private.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "common/units.h"

static int take_counters(
	struct loading *loading, const struct report_node *parent, struct loaded_interval *interval)
{
	struct loaded_value *counters = arena_array(&loading->arena, loaded_count(parent, "counter"), sizeof(*counters));

	if (!counters)
		return -ENOMEM;
	interval->counters = counters;
	for (const struct report_node *node = report_read_find(parent, "counter"); node;
		node = report_read_next(node)) {
		const char *name = report_read_attribute(node, "name");
		const char *value = report_read_attribute(node, "value");
		struct loaded_value *counter = &counters[interval->counter_count];
		int err = name && value ? units_parse_double(value, -DBL_MAX, DBL_MAX, &counter->value) : -EINVAL;

		if (err == -ENOMEM)
			return err;
		if (err)
			return loaded_refuse(loading, node, "<counter> needs a name and a value that is a number");
		counter->name = name;
		interval->counter_count++;
	}
	return 0;
}

static int take_values(
	struct loading *loading, const struct report_node *node, const struct field_record *record,
			struct loaded_interval *interval)
{
	struct loaded_value *values = arena_array(&loading->arena, loaded_count(node, NULL), sizeof(*values));

	if (!values)
		return -ENOMEM;
	interval->values = values;
	for (const struct report_node *child = node->child; child; child = child->next) {
		const struct field *field = field_find(record, child->name);
		double value;
		int err;

		if (!field || !field_is_numeric(field) || !strcmp(child->name, "time_s") || !strcmp(child->name, "seconds"))
			continue;
		err = loaded_number(loading, child, child->name, child->text, &value);
		if (err)
			return err;
		values[interval->value_count++] = (struct loaded_value){child->name, value, field};
	}
	return 0;
}

static const char *kept(struct loading *loading, const char *text, const char *before)
{
	return !strcmp(text, before) ? before : arena_copy(&loading->arena, text);
}

static int take_interval(struct loading *loading, const struct report_node *node, const struct field_record *record,
	const struct loaded_interval *before, struct loaded_interval *interval)
{
	const struct report_node *of_it = report_read_find(node, "latency_histogram");
	struct loaded_histogram *histogram = of_it ? arena_array(&loading->arena, 1, sizeof(*histogram)) : NULL;
	const struct report_node *counters = report_read_find(node, "counters");
	char subject[256], key[256];
	int err = loaded_child_double(loading, node, "time_s", &interval->time_s);

	field_subject(record, node, subject, sizeof(subject));
	field_key(record, node, key, sizeof(key));
	interval->cell = kept(loading, subject, before ? before->cell : "");
	interval->repetition = kept(loading, key, before ? before->repetition : "");
	if (!err)
		err = loaded_child_double(loading, node, "seconds", &interval->seconds);
	if (!err)
		err = take_values(loading, node, record, interval);
	interval->histogram = histogram;
	if (!err && of_it)
		err = histogram ? loaded_make_histogram(loading, of_it, histogram) : -ENOMEM;
	if (!err && counters)
		err = take_counters(loading, counters, interval);
	return err;
}

double loaded_time(const struct report_node *row)
{
	double time = report_read_attribute_number(row, "time_s");

	return isnan(time) ? report_read_number(row, "time_s") : time;
}

int loaded_take_series(struct loading *loading, unsigned flags)
{
	static const struct report_node none = {.name = "series", .text = ""};
	const struct report_node *series = report_read_find(loading->report, "series");
	struct loaded_interval *intervals;
	int err = loaded_child_double(loading, series ? series : &none, "interval_ns", &loading->loaded.interval_s);

	loading->loaded.interval_s /= 1e9;
	if (err || !series || !(flags & LOADED_SERIES))
		return err;
	intervals = arena_array(&loading->arena, loaded_count(series, "interval"), sizeof(*intervals));
	if (!intervals)
		return -ENOMEM;
	loading->loaded.intervals = intervals;
	for (const struct report_node *node = report_read_find(series, "interval"); node && !err;
		node = report_read_next(node)) {
		struct loaded_interval *interval = &intervals[loading->loaded.interval_count++];
		const struct field_record *record = field_record_of(node);

		if (record)
			err = take_interval(loading, node, record, interval > intervals ? interval - 1 : NULL, interval);
	}
	return err;
}

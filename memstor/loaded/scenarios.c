/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scenarios of iowrite-bench evaluate, each a subject with its means over the repetitions, and the means of these. */
#include "config.h"
#include "memstor/loaded/private.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NUMBERS_MAX 64 /* different numbers of a scenario: three models with seven each, and its own */

struct mean {
	const char *name;
	double sum;
	size_t count;
};

struct means { /* some 2 KiB */
	size_t count;
	struct mean items[NUMBERS_MAX];
};

static int add(struct loading *loading, struct means *means, const char *name, double value)
{
	struct mean *mean = NULL;

	for (size_t i = 0; i < means->count && !mean; i++)
		mean = strcmp(means->items[i].name, name) == 0 ? &means->items[i] : NULL;
	if (!mean && means->count == NUMBERS_MAX)
		return 0;
	if (!mean) {
		mean = &means->items[means->count];
		*mean = (struct mean){arena_text(&loading->arena, name, strlen(name)), 0, 0};
		if (!mean->name)
			return -ENOMEM;
		means->count++;
	}
	mean->sum += value;
	mean->count++;
	return 0;
}

/* Errors of either sign would hide each other. */
static double unsigned_error(const char *name, double value)
{
	return strcmp(name, "total_error_percent") == 0 ? fabs(value) : value;
}

/* "curve_gap_percent" of the kernel's model as "kernel.curve_gap_percent". */
static int add_model(struct loading *loading, const struct report_node *node, const char *model, struct means *means)
{
	static const char *const none[] = {NULL};
	struct loaded_value values[NUMBERS_MAX];
	size_t count = 0;
	char name[128];
	int err;

	for (const struct report_node *child = node->child; child; child = child->next)
		count++;
	if (count > NUMBERS_MAX)
		return loaded_refuse(loading, node, "more than %d numbers in one <%s>", NUMBERS_MAX, node->name);
	count = 0;
	err = loaded_add_values(loading, node, none, values, &count);
	for (size_t i = 0; i < count && !err; i++) {
		snprintf(name, sizeof(name), "%.40s.%.60s", model, values[i].name);
		err = add(loading, means, name, unsigned_error(values[i].name, values[i].value));
	}
	return err;
}

/* All but the writes, of which there are thousands. */
static int add_scenario(struct loading *loading, const struct report_node *node, struct means *means)
{
	static const char *const names[] = {"delay_ns", "back_percent", "background_bytes", "freerun_bytes", "limit_bytes",
		"control_limit_bytes", "control_ratelimit_bytes_per_second", "control_write_bytes_per_second",
		"control_tick_ns", "control_step_bytes",
		"operations", "bytes", "measured_s", "floor_percent"};
	double value;
	int err = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !err; i++) {
		err = loaded_child_double(loading, node, names[i], &value);
		if (!err && !isnan(value))
			err = add(loading, means, names[i], value);
	}
	for (const struct report_node *model = report_read_find(node, "model"); model && !err;
		model = report_read_next(model)) {
		const char *name = report_read_attribute(model, "name");

		if (!name)
			return loaded_refuse(loading, model, "<model> has no name");
		err = add_model(loading, model, name, means);
	}
	return err;
}

static int make_values(struct loading *loading, const struct means *means, const struct loaded_value **values,
	size_t *count)
{
	struct loaded_value *list = loaded_array(loading, means->count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < means->count; i++)
		list[i] = (struct loaded_value){means->items[i].name, means->items[i].sum / (double)means->items[i].count};
	*values = list;
	*count = means->count;
	return 0;
}

static const char *id_of(const struct report_node *scenario)
{
	const char *id = report_read_attribute(scenario, "id");

	return id ? id : "";
}

/* From the first scenario of its id on, all of that id. */
static int take_scenario(struct loading *loading, const struct report_node *first, struct loaded_subject *subject)
{
	struct means means = {0};
	int err = 0;

	subject->id = id_of(first);
	for (const struct report_node *node = first; node && !err; node = report_read_next(node)) {
		if (strcmp(id_of(node), subject->id) == 0)
			err = add_scenario(loading, node, &means);
	}
	return err ? err : make_values(loading, &means, &subject->values, &subject->value_count);
}

/* What of a model is an error: not its seconds. */
static bool is_of_model(const char *name)
{
	size_t length = strlen(name);

	return strchr(name, '.') && length > 8 && strcmp(name + length - 8, "_percent") == 0;
}

static int add_overall(struct loading *loading)
{
	struct loaded *loaded = &loading->loaded;
	struct means means = {0};
	int err = 0;

	for (size_t i = 0; i < loaded->subject_count; i++) {
		const struct loaded_subject *subject = &loaded->subjects[i];

		for (size_t j = 0; j < subject->value_count && !err; j++) {
			if (is_of_model(subject->values[j].name) || !strcmp(subject->values[j].name, "floor_percent"))
				err = add(loading, &means, subject->values[j].name, subject->values[j].value);
		}
	}
	return err ? err : make_values(loading, &means, &loaded->values, &loaded->value_count);
}

int loaded_take_scenarios(struct loading *loading)
{
	struct loaded *loaded = &loading->loaded;
	const struct report_node *evaluation = report_read_find(loading->report, "result/evaluation");
	size_t room = loaded_count(evaluation, "scenario");
	const struct report_node *node = evaluation ? report_read_find(evaluation, "scenario") : NULL;
	struct loaded_subject *list;

	/* Cells are not evaluated: of a report that has both, they are what is measured. */
	if (!node || loaded->subject_count)
		return 0;
	if (room > LOADED_HISTOGRAMS_MAX)
		return loaded_refuse(loading, evaluation, "%zu scenarios: allowed are %d", room, LOADED_HISTOGRAMS_MAX);
	list = loaded_array(loading, room, sizeof(*list));
	if (!list)
		return -ENOMEM;
	loaded->subjects = list;
	for (; node; node = report_read_next(node)) {
		struct loaded_subject subject = {0};
		int err;

		if (!report_read_attribute(node, "id"))
			return loaded_refuse(loading, node, "<scenario> has no id");
		if (loaded_subject(loaded, id_of(node)))
			continue;
		err = take_scenario(loading, node, &subject);
		if (err)
			return err;
		list[loaded->subject_count++] = subject;
	}
	return add_overall(loading);
}

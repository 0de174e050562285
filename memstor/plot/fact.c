/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/fact.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memstor/plot/phrase.h"

#define FACTS_OF_REPORT 8
#define NAME_MAX_BYTES 200

static bool add(struct plot_facts *facts, enum plot_fact_kind kind, const char *name, const char *value)
{
	struct plot_fact *fact = &facts->facts[facts->count];

	if (!value[0])
		return true;
	*fact = (struct plot_fact){kind, arena_text(&facts->arena, name, strlen(name)),
		arena_text(&facts->arena, value, strlen(value))};
	facts->count++;
	return fact->name && fact->value;
}

/* What an option has that is given more than once, as one text; the begin of it when it is long. */
static bool add_option(struct plot_facts *facts, const struct loaded *loaded, size_t which)
{
	const char *name = loaded->options[which].name;
	char text[512] = "";
	size_t used = 0;

	for (size_t i = 0; i < which; i++) {
		if (!strcmp(loaded->options[i].name, name))
			return true;
	}
	for (size_t i = which; i < loaded->option_count && used < sizeof(text); i++) {
		if (!strcmp(loaded->options[i].name, name))
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", used ? " " : "",
				loaded->options[i].value);
	}
	return add(facts, PLOT_FACT_OPTION, name, text);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static bool add_report(struct plot_facts *facts, const struct loaded *loaded)
{
	const struct loaded_text texts[FACTS_OF_REPORT] = {
		{"tool", loaded->tool},
		{"version", loaded->tool_version},
		{"kernel", loaded->release},
		{"cpu", loaded->cpu_model},
		{"host", loaded->hostname},
		{"start", loaded->wall_start},
		{"uuid", loaded->uuid},
		{"file", base_name(loaded->path)},
	};
	bool is_done = true;

	for (size_t i = 0; i < FACTS_OF_REPORT && is_done; i++)
		is_done = add(facts, PLOT_FACT_REPORT, texts[i].name, texts[i].value);
	return is_done;
}

static const char *join_reasons(struct plot_facts *facts, const struct loaded *loaded)
{
	char text[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < loaded->reason_count && used + 1 < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? ", " : "",
			loaded->reasons[i].code);
	return arena_text(&facts->arena, text, strlen(text));
}

static bool take(struct plot_facts *facts, const struct loaded *loaded)
{
	size_t room = loaded->label_count + loaded->option_count + FACTS_OF_REPORT;
	bool is_done = true;

	facts->facts = arena_allocate(&facts->arena, room * sizeof(*facts->facts));
	if (!facts->facts)
		return false;
	for (size_t i = 0; i < loaded->label_count && is_done; i++)
		is_done = add(facts, PLOT_FACT_LABEL, loaded->labels[i].name, loaded->labels[i].value);
	for (size_t i = 0; i < loaded->option_count && is_done; i++)
		is_done = add_option(facts, loaded, i);
	facts->path = arena_text(&facts->arena, loaded->path, strlen(loaded->path));
	facts->tool = arena_text(&facts->arena, loaded->tool, strlen(loaded->tool));
	facts->status = arena_text(&facts->arena, loaded->status, strlen(loaded->status));
	facts->reasons = join_reasons(facts, loaded);
	return is_done && add_report(facts, loaded) && facts->path && facts->tool && facts->status && facts->reasons;
}

int plot_facts_take(const struct loaded *loaded, size_t group, struct plot_facts *facts)
{
	memset(facts, 0, sizeof(*facts));
	facts->group = group;
	if (take(facts, loaded))
		return 0;
	plot_facts_free(facts);
	return -ENOMEM;
}

void plot_facts_free(struct plot_facts *facts)
{
	arena_free(&facts->arena);
	memset(facts, 0, sizeof(*facts));
}

const char *plot_fact(const struct plot_facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->count; i++) {
		if (!strcmp(facts->facts[i].name, name))
			return facts->facts[i].value;
	}
	return NULL;
}

static bool is_same(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

bool plot_fact_is_common(const struct plot_facts *reports, size_t count, const char *name)
{
	for (size_t i = 1; i < count; i++) {
		if (!is_same(plot_fact(&reports[0], name), plot_fact(&reports[i], name)))
			return false;
	}
	return true;
}

/* The names in the making: one row of NAME_MAX_BYTES a report. */
struct naming {
	const struct plot_facts *reports;
	size_t count;
	char (*rows)[NAME_MAX_BYTES];
};

static void append(char *row, const char *text)
{
	size_t used = strlen(row);

	if (text[0])
		snprintf(row + used, NAME_MAX_BYTES - used, "%s%s", used ? ", " : "", text);
}

static void append_fact(struct naming *naming, const char *name)
{
	for (size_t i = 0; i < naming->count; i++) {
		const struct plot_facts *facts = &naming->reports[i];
		char text[NAME_MAX_BYTES];

		append(naming->rows[i], plot_phrase(facts->tool, name, plot_fact(facts, name), text, sizeof(text)));
	}
}

static bool is_distinct(const struct naming *naming)
{
	for (size_t i = 0; i < naming->count; i++) {
		if (!naming->rows[i][0])
			return false;
		for (size_t j = 0; j < i; j++) {
			if (!strcmp(naming->rows[i], naming->rows[j]))
				return false;
		}
	}
	return true;
}

/* Whether an earlier report has the name: it was looked at then. */
static bool is_seen(const struct naming *naming, size_t report, const char *name)
{
	for (size_t i = 0; i < report; i++) {
		if (plot_fact(&naming->reports[i], name))
			return true;
	}
	return false;
}

static void append_differing(struct naming *naming, enum plot_fact_kind kind)
{
	for (size_t i = 0; i < naming->count; i++) {
		for (size_t j = 0; j < naming->reports[i].count; j++) {
			const struct plot_fact *fact = &naming->reports[i].facts[j];

			if (fact->kind == kind && !plot_phrase_is_silent(naming->reports[i].tool, fact->name) &&
				!is_seen(naming, i, fact->name) && !plot_fact_is_common(naming->reports, naming->count, fact->name))
				append_fact(naming, fact->name);
		}
	}
}

/* Labels are the user's own words: where they tell all apart, nothing else is needed. */
static void name_by_difference(struct naming *naming)
{
	for (int kind = PLOT_FACT_LABEL; kind <= PLOT_FACT_REPORT && !is_distinct(naming); kind++)
		append_differing(naming, (enum plot_fact_kind)kind);
	if (is_distinct(naming))
		return;
	for (size_t i = 0; i < naming->count; i++) {
		const char *file = plot_fact(&naming->reports[i], "file");

		/* A group of several files has none. */
		append(naming->rows[i], file ? file : "");
	}
	if (is_distinct(naming))
		return;
	for (size_t i = 0; i < naming->count; i++)
		snprintf(naming->rows[i], NAME_MAX_BYTES, "%s", naming->reports[i].path);
}

char **plot_fact_names(const struct plot_facts *reports, size_t count, const struct plot_list *wanted)
{
	struct naming naming = {reports, count, calloc(count + 1, NAME_MAX_BYTES)};
	char **names = calloc(count + 1, sizeof(*names));
	bool is_done = naming.rows && names;

	if (is_done && wanted->count == 0)
		name_by_difference(&naming);
	for (size_t i = 0; is_done && i < wanted->count; i++)
		append_fact(&naming, wanted->items[i]);
	for (size_t i = 0; is_done && i < count; i++) {
		names[i] = strdup(naming.rows[i]);
		is_done = names[i] != NULL;
	}
	free(naming.rows);
	if (is_done)
		return names;
	plot_fact_names_free(names);
	return NULL;
}

void plot_fact_names_free(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/plot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"

#define FACTS_OF_REPORT 8
#define NAME_MAX_BYTES 200

/* --- options in words --- */

enum phrase_form {
	FORM_TEXT,
	FORM_COUNT,    /* a whole number; `one` when it is 1 */
	FORM_MIB,      /* a size, MiB without a unit */
	FORM_BYTES,    /* a size */
	FORM_KIND,     /* what stands before ':'; `one` when it is "none" */
	FORM_DURATION, /* seconds without a unit */
};

enum phrase_flag {
	IN_TITLE = 1,
	SILENT = 2, /* of what is written about a run, not of the run: names no curve */
};

struct phrase { /* NULL = "" */
	const char *tool, *option;   /* of every tool without a name */
	enum phrase_form form;
	unsigned flags;
	const char *before, *behind; /* the value stands between */
	const char *one;             /* FORM_COUNT: all of it for 1. FORM_KIND: for "none" */
	const char *absent;          /* without the option */
	const char *unless;          /* not in the title when this option is there */
};

/* In the order of titles. */
static const struct phrase phrases[] = {
	{"pmbench", "pattern", FORM_TEXT, IN_TITLE, .before = "", .unless = "phase"},
	{"pmbench", "phase", FORM_TEXT, IN_TITLE, .before = "phases "},
	{"pmbench", "shape", FORM_TEXT, IN_TITLE, .before = "shape "},
	{"pmbench", "setsize", FORM_MIB, IN_TITLE, .before = "set of "},
	{"pmbench", "mapsize", FORM_MIB, IN_TITLE, .before = "map of ", .unless = "setsize"},
	{"pmbench", "ratio", FORM_TEXT, IN_TITLE, .behind = " % reads"},
	{"pmbench", "jobs", FORM_COUNT, IN_TITLE, .behind = " threads", .one = "1 thread", .absent = "1 thread"},
	{"pmbench", "processes", FORM_COUNT, IN_TITLE, .behind = " processes", .one = "1 process", .absent = "1 process"},
	{"pmbench", "map", FORM_TEXT, 0, .before = "map ", .absent = "map anon"},
	{"pmbench", "ram", FORM_BYTES, IN_TITLE, .before = "in ", .behind = " of memory", .absent = "memory not limited"},
	{"pmbench", "swap", FORM_KIND, IN_TITLE, .before = "swap on ", .one = "no swap", .absent = "swap of the system"},
	{"pmbench", "duration", FORM_DURATION, 0, .before = ""},
	{"pmbench", "hdr", FORM_TEXT, SILENT, .before = ""},
	{"pmbench", "interval", FORM_TEXT, SILENT, .before = ""},
	{"pmbench", "media-latency", FORM_TEXT, SILENT, .before = ""},
	{"pmbench", "quiet", FORM_TEXT, SILENT, .before = ""},
	{"ssd-workloads", "mix", FORM_TEXT, IN_TITLE, .before = ""},
	{"ssd-workloads", "durability", FORM_TEXT, IN_TITLE, .before = "durability "},
	{"ssd-workloads", "group-commit", FORM_COUNT, IN_TITLE, .behind = " commits a write", .one = "1 commit a write"},
	{"ssd-workloads", "rate", FORM_COUNT, IN_TITLE, .behind = " commits/s", .absent = "closed loop"},
	{"ssd-workloads", "workers", FORM_COUNT, IN_TITLE, .behind = " threads a stream", .one = "1 thread a stream"},
	{"ssd-workloads", "runtime", FORM_DURATION, 0, .before = ""},
	{"ssd-workloads", "file", FORM_TEXT, SILENT, .before = ""},
	{"", "version", FORM_TEXT, 0, .before = "version "},
	{"", "kernel", FORM_TEXT, 0, .before = "Linux "},
	{"", "cpu", FORM_TEXT, 0, .before = ""},
	{"", "host", FORM_TEXT, 0, .before = "host "},
	{"", "tool", FORM_TEXT, 0, .before = ""},
	{"", "file", FORM_TEXT, SILENT, .before = ""},
	{"", PLOT_FACT_SIDE, FORM_TEXT, SILENT, .before = ""},
	{"", "seed", FORM_TEXT, SILENT, .before = "seed "},
	{"", "label", FORM_TEXT, SILENT, .before = ""},
	{"", "start", FORM_TEXT, SILENT, .before = ""},
	{"", "uuid", FORM_TEXT, SILENT, .before = ""},
};
#define PHRASES (sizeof(phrases) / sizeof(phrases[0]))

static const struct phrase *find(const char *tool, const char *name)
{
	for (size_t i = 0; i < PHRASES; i++) {
		const struct phrase *phrase = &phrases[i];

		if (!strcmp(phrase->option, name) && (!phrase->tool[0] || !strcmp(phrase->tool, tool)))
			return phrase;
	}
	return NULL;
}

/* The value as people read it; itself when it is not of the form. */
static void format_value(const struct phrase *phrase, const char *value, char *text, size_t length)
{
	uint64_t number;

	snprintf(text, length, "%s", value);
	switch (phrase->form) {
	case FORM_MIB:
	case FORM_BYTES:
		if (!units_parse_size(value, phrase->form == FORM_MIB ? UNITS_MIB : 1, &number))
			units_format_size(number, text, length);
		break;
	case FORM_DURATION:
		if (!units_parse_duration(value, &number))
			units_format_duration((double)number, text, length);
		break;
	case FORM_KIND:
		text[strcspn(text, ":")] = '\0';
		break;
	case FORM_TEXT:
	case FORM_COUNT:
		break;
	}
}

static bool is_silent(const char *tool, const char *name)
{
	const struct phrase *phrase = find(tool, name);

	return phrase && (phrase->flags & SILENT);
}

static const char *or_nothing(const char *text)
{
	return text ? text : "";
}

static bool is_one(const struct phrase *phrase, const char *value)
{
	return (phrase->form == FORM_COUNT && !strcmp(value, "1")) ||
	       (phrase->form == FORM_KIND && !strcmp(value, "none"));
}

char *plot_phrase(const char *tool, const char *name, const char *value, char *text, size_t length)
{
	const struct phrase *phrase = find(tool, name);
	char shown[128];

	if (!phrase && value && !strcmp(value, "yes")) {
		snprintf(text, length, "%s", name);
	} else if (!phrase) {
		snprintf(text, length, value ? "%s %s" : "no %s", name, value ? value : "");
	} else if (!value || is_one(phrase, value)) {
		snprintf(text, length, "%s", or_nothing(value ? phrase->one : phrase->absent));
	} else {
		format_value(phrase, value, shown, sizeof(shown));
		snprintf(text, length, "%s%s%s", or_nothing(phrase->before), shown, or_nothing(phrase->behind));
	}
	return text;
}

static bool is_worth_a_word(const struct phrase *phrase, const struct plot_facts *reports, size_t count)
{
	const char *value = plot_fact(&reports[0], phrase->option);

	if (phrase->unless && plot_fact(&reports[0], phrase->unless))
		return false;
	return (phrase->flags & IN_TITLE) && !strcmp(phrase->tool, reports[0].tool) && value &&
	       !(phrase->form == FORM_COUNT && is_one(phrase, value)) && plot_fact_is_common(reports, count, phrase->option);
}

char *plot_phrase_title(const struct plot_facts *reports, size_t count, char *text, size_t length)
{
	const char *glue = ": ";

	if (!plot_fact_is_common(reports, count, "tool")) {
		snprintf(text, length, "%zu reports", count);
		return text;
	}
	snprintf(text, length, "%s", reports[0].tool);
	for (size_t i = 0; i < PHRASES; i++) {
		char part[160];

		if (!is_worth_a_word(&phrases[i], reports, count))
			continue;
		plot_append(text, length, glue,
			plot_phrase(reports[0].tool, phrases[i].option, plot_fact(&reports[0], phrases[i].option),
				part, sizeof(part)));
		glue = ", ";
	}
	return text;
}

const char *plot_phrase_what(const struct plot_facts *reports, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(reports[i].tool, "pmbench"))
			return "operation";
	}
	return "access";
}

/* The days on which the runs began: "2026-11-20", "2026-11-18 to 2026-11-20"; "" when it is not known of all. */
static void format_days(const struct plot_facts *reports, size_t count, char *text, size_t length)
{
	const char *first = NULL, *last = NULL;

	text[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		const char *start = plot_fact(&reports[i], "start");

		if (!start)
			return;
		if (!first || strncmp(start, first, 10) < 0)
			first = start;
		if (!last || strncmp(start, last, 10) > 0)
			last = start;
	}
	if (first && strncmp(first, last, 10))
		snprintf(text, length, "%.10s to %.10s", first, last);
	else if (first)
		snprintf(text, length, "%.10s", first);
}

char *plot_phrase_machine(const struct plot_facts *reports, size_t count, char *text, size_t length)
{
	static const char *const names[] = {"cpu", "kernel"};
	char days[32];

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = plot_fact(&reports[0], names[i]);
		char part[160];

		if (value && plot_fact_is_common(reports, count, names[i]))
			plot_append(text, length, ", ",
				plot_phrase(reports[0].tool, names[i], value, part, sizeof(part)));
	}
	format_days(reports, count, days, sizeof(days));
	plot_append(text, length, ", ", days);
	return text;
}

/* --- the facts of a report --- */

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

static void append_fact(struct naming *naming, const char *name)
{
	for (size_t i = 0; i < naming->count; i++) {
		const struct plot_facts *facts = &naming->reports[i];
		char text[NAME_MAX_BYTES];

		plot_append(naming->rows[i], NAME_MAX_BYTES, ", ",
			plot_phrase(facts->tool, name, plot_fact(facts, name), text, sizeof(text)));
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

			if (fact->kind == kind && !is_silent(naming->reports[i].tool, fact->name) &&
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
		plot_append(naming->rows[i], NAME_MAX_BYTES, ", ", file ? file : "");
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

/* --- groups of reports --- */

size_t plot_group_of(const struct plot *plot, const size_t *groups, size_t group_count, size_t report)
{
	const struct plot_options *options = plot->options;
	const struct plot_facts *reports = plot->reports, *one = &reports[report];

	for (size_t i = 0; i < report && (options->group_by || options->files.has_groups); i++) {
		if (reports[i].group != one->group || strcmp(reports[i].tool, one->tool))
			continue;
		if (!options->group_by ||
			is_same(plot_fact(&reports[i], options->group_by), plot_fact(one, options->group_by)))
			return groups[i];
	}
	return group_count;
}

static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) : 0;
}

/* What stands between two "--": the folder that only these reports are in, or "FIRST and N more". */
static void name_side(const struct plot *plot, size_t side, char *text, size_t length)
{
	const char *first = "";
	size_t count = 0, folder = 0;
	bool is_folder = true;

	for (size_t i = 0; i < plot->report_count; i++) {
		if (plot->reports[i].group == side && count++ == 0)
			first = plot->reports[i].path;
	}
	folder = folder_length(first);
	for (size_t i = 0; i < plot->report_count; i++) {
		const char *path = plot->reports[i].path;
		bool is_in = folder_length(path) == folder && !strncmp(path, first, folder);

		is_folder = is_folder && is_in == (plot->reports[i].group == side);
	}
	if (is_folder && folder && count > 1)
		snprintf(text, length, "%.*s", (int)folder, first);
	else if (count > 1)
		snprintf(text, length, "%s and %zu more", first, count - 1);
	else
		snprintf(text, length, "%s", first);
}

/* The facts that all reports of a group have in common, and as the last one its side of "--". All but the array and the
 * side's name belong to the group's first report. */
static bool take_common(const struct plot *plot, const struct plot_groups *groups, size_t group, struct arena *arena,
	struct plot_facts *common)
{
	const struct plot_facts *first;
	size_t report = 0;

	while (groups->of[report] != group)
		report++;
	first = &plot->reports[report];
	*common = *first;
	common->count = 0;
	common->facts = arena_allocate(arena, (first->count + 1) * sizeof(*common->facts));
	if (plot->options->files.has_groups) {
		char side[PLOT_TEXT];

		name_side(plot, first->group, side, sizeof(side));
		common->path = arena_text(arena, side, strlen(side));
	}
	if (!common->facts || !common->path)
		return false;
	for (size_t j = 0; j < first->count; j++) {
		bool is_common = true;

		for (size_t i = 0; i < plot->report_count && is_common; i++)
			is_common = groups->of[i] != group ||
				    is_same(plot_fact(&plot->reports[i], first->facts[j].name), first->facts[j].value);
		if (is_common)
			common->facts[common->count++] = first->facts[j];
	}
	common->facts[common->count++] = (struct plot_fact){PLOT_FACT_REPORT, PLOT_FACT_SIDE, common->path};
	return true;
}

static char **name_groups(const struct plot *plot, const struct plot_groups *groups)
{
	const struct plot_options *options = plot->options;
	struct plot_list by = {1, {options->group_by}};
	struct plot_facts *commons = calloc(groups->count + 1, sizeof(*commons));
	struct arena arena = {0};
	bool is_done = commons != NULL;
	char **names = NULL;

	for (size_t i = 0; i < groups->count && is_done; i++)
		is_done = take_common(plot, groups, i, &arena, &commons[i]);
	if (options->group_by && strcmp(options->group_by, "tool") &&
		!plot_fact_is_common(plot->reports, plot->report_count, "tool"))
		by.items[by.count++] = "tool";
	if (options->files.has_groups)
		by.items[by.count++] = PLOT_FACT_SIDE;
	if (is_done)
		names = plot_fact_names(commons, groups->count,
			options->group_by && !options->legend.count ? &by : &options->legend);
	free(commons);
	arena_free(&arena);
	return names;
}

int plot_groups_make(const struct plot *plot, struct plot_groups *groups)
{
	const char *by = plot->options->group_by;
	bool is_known = !by;

	*groups = (struct plot_groups){.of = calloc(plot->report_count + 1, sizeof(*groups->of))};
	for (size_t i = 0; i < plot->report_count && groups->of; i++) {
		groups->of[i] = plot_group_of(plot, groups->of, groups->count, i);
		groups->count += groups->of[i] == groups->count;
		is_known = is_known || plot_fact(&plot->reports[i], by);
	}
	if (!is_known)
		return diag_usage("--group-by '%s': no report has such a label, option or fact", by);
	groups->names = groups->of ? name_groups(plot, groups) : NULL;
	return groups->names ? DIAG_EXIT_OK : plot_no_memory();
}

void plot_groups_free(struct plot_groups *groups)
{
	plot_fact_names_free(groups->names);
	free(groups->of);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/plot.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/units.h"

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

enum phrase_use {
	NAMES_CURVES = 0,
	IN_TITLE, /* names curves, too */
	SILENT,   /* of what is written about a run, not of the run: names no curve */
};

struct phrase { /* NULL = "" */
	const char *tool, *option;   /* of every tool without a name */
	enum phrase_form form;
	enum phrase_use use;
	const char *before, *behind; /* the value stands between */
	const char *one;             /* FORM_COUNT: all of it for 1. FORM_KIND: for "none" */
	const char *absent;          /* without the option */
	const char *unless;          /* not in the title when this option is there */
};

/* In the order of titles. */
static const struct phrase phrases[] = {
	{"pmbench", "pattern", FORM_TEXT, IN_TITLE, .unless = "phase"},
	{"pmbench", "phase", FORM_TEXT, IN_TITLE, .before = "phases "},
	{"pmbench", "shape", FORM_TEXT, IN_TITLE, .before = "shape "},
	{"pmbench", "setsize", FORM_MIB, IN_TITLE, .before = "set of "},
	{"pmbench", "mapsize", FORM_MIB, IN_TITLE, .before = "map of ", .unless = "setsize"},
	{"pmbench", "ratio", FORM_TEXT, IN_TITLE, .behind = " % reads"},
	{"pmbench", "jobs", FORM_COUNT, IN_TITLE, .behind = " threads", .one = "1 thread", .absent = "1 thread"},
	{"pmbench", "processes", FORM_COUNT, IN_TITLE, .behind = " processes", .one = "1 process", .absent = "1 process"},
	{"pmbench", "map", FORM_TEXT, NAMES_CURVES, .before = "map ", .absent = "map anon"},
	{"pmbench", "ram", FORM_BYTES, IN_TITLE, .before = "in ", .behind = " of memory", .absent = "memory not limited"},
	{"pmbench", "swap", FORM_KIND, IN_TITLE, .before = "swap on ", .one = "no swap", .absent = "swap of the system"},
	{"pmbench", "duration", FORM_DURATION, NAMES_CURVES, .before = ""},
	{"pmbench", "hdr", FORM_TEXT, SILENT, .before = ""},
	{"pmbench", "interval", FORM_TEXT, SILENT, .before = ""},
	{"pmbench", "media-latency", FORM_TEXT, SILENT, .before = ""},
	{"pmbench", "quiet", FORM_TEXT, SILENT, .before = ""},
	{"ssd-workloads", "mix", FORM_TEXT, IN_TITLE, .before = ""},
	{"ssd-workloads", "durability", FORM_TEXT, IN_TITLE, .before = "durability "},
	{"ssd-workloads", "group-commit", FORM_COUNT, IN_TITLE, .behind = " commits a write", .one = "1 commit a write"},
	{"ssd-workloads", "rate", FORM_COUNT, IN_TITLE, .behind = " commits/s", .absent = "closed loop"},
	{"ssd-workloads", "workers", FORM_COUNT, IN_TITLE, .behind = " threads a stream", .one = "1 thread a stream"},
	{"ssd-workloads", "runtime", FORM_DURATION, NAMES_CURVES, .before = ""},
	{"ssd-workloads", "file", FORM_TEXT, SILENT, .before = ""},
	{"", "version", FORM_TEXT, NAMES_CURVES, .before = "version "},
	{"", "kernel", FORM_TEXT, NAMES_CURVES, .before = "Linux "},
	{"", "cpu", FORM_TEXT, NAMES_CURVES, .before = ""},
	{"", "host", FORM_TEXT, NAMES_CURVES, .before = "host "},
	{"", "tool", FORM_TEXT, NAMES_CURVES, .before = ""},
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

char *plot_phrase_title(const struct plot_facts *reports, size_t count, char *text, size_t length)
{
	const char *tool = reports[0].tool, *glue = ": ";

	if (!plot_fact_is_common(reports, count, "tool")) {
		snprintf(text, length, "%zu reports", count);
		return text;
	}
	snprintf(text, length, "%s", tool);
	for (const struct phrase *phrase = phrases; phrase < phrases + PHRASES; phrase++) {
		const char *value = plot_fact(&reports[0], phrase->option);
		char part[160];

		if (phrase->use != IN_TITLE || strcmp(phrase->tool, tool) || !value ||
			(phrase->form == FORM_COUNT && is_one(phrase, value)) ||
			(phrase->unless && plot_fact(&reports[0], phrase->unless)) ||
			!plot_fact_is_common(reports, count, phrase->option))
			continue;
		plot_append(text, length, glue, plot_phrase(tool, phrase->option, value, part, sizeof(part)));
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

char *plot_phrase_machine(const struct plot_facts *reports, size_t count, char *text, size_t length)
{
	static const char *const names[] = {"cpu", "kernel"};
	const char *first = NULL, *last = NULL;
	bool has_days = true;
	char days[32];

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = plot_fact(&reports[0], names[i]);
		char part[160];

		if (value && plot_fact_is_common(reports, count, names[i]))
			plot_append(text, length, ", ",
				plot_phrase(reports[0].tool, names[i], value, part, sizeof(part)));
	}
	/* The days on which the runs began: "2026-11-20", "2026-11-18 to 2026-11-20"; none unless all are known. */
	for (size_t i = 0; i < count && has_days; i++) {
		const char *start = plot_fact(&reports[i], "start");

		has_days = start != NULL;
		if (start && (!first || strncmp(start, first, 10) < 0))
			first = start;
		if (start && (!last || strncmp(start, last, 10) > 0))
			last = start;
	}
	if (!has_days || !first)
		return text;
	if (strncmp(first, last, 10))
		snprintf(days, sizeof(days), "%.10s to %.10s", first, last);
	else
		snprintf(days, sizeof(days), "%.10s", first);
	plot_append(text, length, ", ", days);
	return text;
}

/* --- the facts of a report --- */

static void add(struct plot_facts *facts, enum plot_fact_kind kind, const char *name, const char *value)
{
	if (value[0])
		facts->facts[facts->count++] = (struct plot_fact){
			kind, arena_copy(&facts->arena, name), arena_copy(&facts->arena, value)};
}

int plot_facts_take(const struct loaded *loaded, size_t group, struct plot_facts *facts)
{
	const char *slash = strrchr(loaded->path, '/');
	const struct loaded_text own[] = {{"tool", loaded->tool}, {"version", loaded->tool_version}, {"kernel", loaded->release},
		{"cpu", loaded->cpu_model}, {"host", loaded->hostname}, {"start", loaded->wall_start}, {"uuid", loaded->uuid},
		{"file", slash && slash[1] ? slash + 1 : loaded->path}};
	size_t own_count = sizeof(own) / sizeof(own[0]);
	char reasons[256] = "", value[512];

	*facts = (struct plot_facts){.group = group};
	facts->facts = arena_array(&facts->arena, loaded->label_count + loaded->option_count + own_count, sizeof(*facts->facts));
	if (!facts->facts)
		return -ENOMEM;
	for (size_t i = 0; i < loaded->label_count; i++)
		add(facts, PLOT_FACT_LABEL, loaded->labels[i].name, loaded->labels[i].value);
	/* The values of an option that is given more than once are one text; the begin of it if it is long. */
	for (size_t i = 0; i < loaded->option_count; i++) {
		const char *name = loaded->options[i].name;

		if (loaded_text_of(loaded->options, i, name))
			continue;
		value[0] = '\0';
		for (size_t j = i; j < loaded->option_count; j++) {
			if (!strcmp(loaded->options[j].name, name))
				plot_append(value, sizeof(value), " ", loaded->options[j].value);
		}
		add(facts, PLOT_FACT_OPTION, name, value);
	}
	for (size_t i = 0; i < own_count; i++)
		add(facts, PLOT_FACT_REPORT, own[i].name, own[i].value);
	for (size_t i = 0; i < loaded->reason_count; i++)
		plot_append(reasons, sizeof(reasons), ", ", loaded->reasons[i].code);
	facts->path = arena_copy(&facts->arena, loaded->path);
	facts->file = arena_copy(&facts->arena, own[own_count - 1].value);
	facts->tool = arena_copy(&facts->arena, loaded->tool);
	facts->status = arena_copy(&facts->arena, loaded->status);
	facts->reasons = arena_copy(&facts->arena, reasons);
	if (!facts->arena.is_short)
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

/* names: one for each report, of up to NAME_MAX_BYTES. */
static void append_fact(const struct plot_facts *reports, size_t count, const char *name, char **names)
{
	for (size_t i = 0; i < count; i++) {
		char text[NAME_MAX_BYTES];

		plot_append(names[i], NAME_MAX_BYTES, ", ",
			plot_phrase(reports[i].tool, name, plot_fact(&reports[i], name), text, sizeof(text)));
	}
}

static bool are_distinct(char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!names[i][0])
			return false;
		for (size_t j = 0; j < i; j++) {
			if (!strcmp(names[i], names[j]))
				return false;
		}
	}
	return true;
}

/* Facts are appended in the order of the first report that has them. Labels are the user's own words: if they distinguish
 * all reports, nothing else is needed. */
static void name_by_difference(const struct plot_facts *reports, size_t count, char **names)
{
	for (unsigned kind = PLOT_FACT_LABEL; kind <= PLOT_FACT_REPORT && !are_distinct(names, count); kind++) {
		for (size_t i = 0; i < count; i++) {
			for (size_t j = 0; j < reports[i].count; j++) {
				const struct plot_fact *fact = &reports[i].facts[j];
				const struct phrase *phrase = find(reports[i].tool, fact->name);
				bool is_wanted = fact->kind == kind && !(phrase && phrase->use == SILENT);

				for (size_t k = 0; k < i && is_wanted; k++)
					is_wanted = !plot_fact(&reports[k], fact->name);
				if (is_wanted && !plot_fact_is_common(reports, count, fact->name))
					append_fact(reports, count, fact->name, names);
			}
		}
	}
	if (are_distinct(names, count))
		return;
	for (size_t i = 0; i < count; i++)
		plot_append(names[i], NAME_MAX_BYTES, ", ", reports[i].file);
	if (are_distinct(names, count))
		return;
	for (size_t i = 0; i < count; i++)
		snprintf(names[i], NAME_MAX_BYTES, "%s", reports[i].path);
}

char **plot_fact_names(const struct plot_facts *reports, size_t count, const struct plot_list *wanted, struct arena *arena)
{
	char *bytes = arena_array(arena, count, NAME_MAX_BYTES), **names = arena_array(arena, count + 1, sizeof(*names));

	if (!bytes || !names)
		return NULL;
	for (size_t i = 0; i < count; i++)
		names[i] = bytes + i * NAME_MAX_BYTES;
	if (!wanted->count)
		name_by_difference(reports, count, names);
	for (size_t i = 0; i < wanted->count; i++)
		append_fact(reports, count, wanted->items[i], names);
	return names;
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

/* The facts that all reports of a group have in common, and as the last one its side of "--". The texts but the side's name
 * belong to the group's first report. */
static bool take_common(struct plot *plot, const struct plot_groups *groups, size_t group, struct plot_facts *common)
{
	const struct plot_facts *first;
	size_t report = 0;

	while (groups->of[report] != group)
		report++;
	first = &plot->reports[report];
	*common = *first;
	common->count = 0;
	common->facts = plot_keep(plot, first->count + 1, sizeof(*common->facts));
	if (!common->facts)
		return false;
	if (plot->options->files.has_groups) {
		char side[PLOT_TEXT];

		name_side(plot, first->group, side, sizeof(side));
		common->path = arena_copy(&plot->arena, side);
	}
	for (size_t j = 0; j < first->count; j++) {
		bool is_common = true;

		for (size_t i = 0; i < plot->report_count && is_common; i++)
			is_common = groups->of[i] != group ||
				    is_same(plot_fact(&plot->reports[i], first->facts[j].name), first->facts[j].value);
		if (is_common)
			common->facts[common->count++] = first->facts[j];
	}
	common->facts[common->count++] = (struct plot_fact){PLOT_FACT_REPORT, PLOT_FACT_SIDE, common->path};
	for (size_t i = 0; i < plot->report_count; i++) {
		if (groups->of[i] == group && strcmp(plot->reports[i].file, first->file))
			common->file = "";
	}
	return true;
}

int plot_groups_make(struct plot *plot, struct plot_groups *groups)
{
	const struct plot_options *options = plot->options;
	struct plot_list by = {1, {options->group_by}};
	bool is_known = !options->group_by;
	struct plot_facts *commons;

	*groups = (struct plot_groups){.of = plot_keep(plot, plot->report_count, sizeof(*groups->of))};
	if (!groups->of)
		return plot_no_memory();
	for (size_t i = 0; i < plot->report_count; i++) {
		groups->of[i] = plot_group_of(plot, groups->of, groups->count, i);
		groups->count += groups->of[i] == groups->count;
		is_known = is_known || plot_fact(&plot->reports[i], options->group_by);
	}
	if (!is_known)
		return diag_usage("--group-by '%s': no report has such a label, option or fact", options->group_by);
	commons = plot_keep(plot, groups->count, sizeof(*commons));
	for (size_t i = 0; i < groups->count; i++) {
		if (!commons || !take_common(plot, groups, i, &commons[i]))
			return plot_no_memory();
	}
	if (options->group_by && strcmp(options->group_by, "tool") &&
		!plot_fact_is_common(plot->reports, plot->report_count, "tool"))
		by.items[by.count++] = "tool";
	if (options->files.has_groups)
		by.items[by.count++] = PLOT_FACT_SIDE;
	groups->names = plot_fact_names(commons, groups->count,
		options->group_by && !options->legend.count ? &by : &options->legend, &plot->arena);
	return groups->names && !plot->arena.is_short ? DIAG_EXIT_OK : plot_no_memory();
}

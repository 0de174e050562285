/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/phrase.h"

#include <stdio.h>
#include <string.h>

#include "common/units.h"

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

bool plot_phrase_is_silent(const char *tool, const char *name)
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

static void join(char *text, size_t length, const char *glue, const char *part)
{
	size_t used = strlen(text);

	snprintf(text + used, length - used, "%s%s", glue, part);
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
		join(text, length, glue,
			plot_phrase(reports[0].tool, phrases[i].option, plot_fact(&reports[0], phrases[i].option),
				part, sizeof(part)));
		glue = ", ";
	}
	return text;
}

const char *plot_phrase_choose(const struct plot_facts *reports, size_t count, const char *accesses, const char *operations)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(reports[i].tool, "pmbench"))
			return operations;
	}
	return accesses;
}

const char *plot_phrase_latency(const struct plot_facts *reports, size_t count)
{
	return plot_phrase_choose(reports, count, "latency of an access", "latency of an operation");
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
			join(text, length, text[0] ? ", " : "",
				plot_phrase(reports[0].tool, names[i], value, part, sizeof(part)));
	}
	format_days(reports, count, days, sizeof(days));
	if (days[0])
		join(text, length, text[0] ? ", " : "", days);
	return text;
}

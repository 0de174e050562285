/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of a report beside its numbers, and the words that are made of it: the title of a picture, the names of
 * its curves and groups, its description. Every text is the facts' own copy.
 */
#ifndef MEMSTOR_PLOT_NAMES_H
#define MEMSTOR_PLOT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/arena.h"
#include "memstor/loaded/loaded.h"
#include "memstor/plot/options.h"

#define PLOT_FACT_SIDE "--" /* of a group: what stands between two "--" on the command line */

enum plot_fact_kind { PLOT_FACT_LABEL, PLOT_FACT_OPTION, PLOT_FACT_REPORT };

struct plot_fact {
	enum plot_fact_kind kind;
	const char *name, *value;
};

struct plot_facts {
	const char *path, *tool, *status; /* also among the facts: "file", "tool" */
	const char *reasons;              /* codes of the verdict, with commas between */
	size_t group;                     /* of the command line */
	size_t count;
	struct plot_fact *facts; /* labels first, then options, then "tool" "version" "cpu" "kernel" "host" ... */
	struct arena arena;
};

/* 0 or -ENOMEM. */
int plot_facts_take(const struct loaded *loaded, size_t group, struct plot_facts *facts);
void plot_facts_free(struct plot_facts *facts);
/* A label's value, or an option's, or of the report: the first of that name; NULL when there is none. */
const char *plot_fact(const struct plot_facts *facts, const char *name);

/* Names for reports[0 .. count-1] by what tells them apart: the facts in `wanted` (none: the options, labels and facts
 * of the machine that differ), else their files. As many as there are reports, then NULL; NULL = no memory. */
char **plot_fact_names(const struct plot_facts *reports, size_t count, const struct plot_list *wanted);
void plot_fact_names_free(char **names);

/* Whether all of them have the same value (or none) of this name. */
bool plot_fact_is_common(const struct plot_facts *reports, size_t count, const char *name);

/*
 * Options in words, by the one table of what the options of each tool mean in a title or a legend; a tool adds its rows.
 * "pattern" = "zipf" is "zipf", "ram" = "2147483648" is "in 2 GiB of memory"; what no row knows is "name value". value
 * NULL = the option is absent. Returns text.
 */
char *plot_phrase(const char *tool, const char *name, const char *value, char *text, size_t length);
/* "pmbench: uniform, 8 GiB, 2 threads": what all of them have in common, without what is the same by default. */
char *plot_phrase_title(const struct plot_facts *reports, size_t count, char *text, size_t length);
/* "Intel(R) ..., Linux 6.1, 2026-11-20": machine and time as far as they are common. */
char *plot_phrase_machine(const struct plot_facts *reports, size_t count, char *text, size_t length);
/* "access" of reports of pmbench, else "operation". */
const char *plot_phrase_what(const struct plot_facts *reports, size_t count);

/* By "--" and --group-by, without these one group per report; reports of two tools are never one group. */
struct plot;
struct plot_groups {
	size_t count, *of; /* by report */
	char **names;
};
/* The group of this report, of the groups that the earlier ones are in; group_count = a new one. */
size_t plot_group_of(const struct plot *plot, const size_t *groups, size_t group_count, size_t report);
/* 0 or a diag_exit code after one line; to be freed in any case. */
int plot_groups_make(const struct plot *plot, struct plot_groups *groups);
void plot_groups_free(struct plot_groups *groups);

#endif

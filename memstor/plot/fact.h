/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is known of a report beside its numbers: the names of curves and groups, the title, and the metadata of
 * pictures are made of these. Every text is the facts' own copy.
 */
#ifndef MEMSTOR_PLOT_FACT_H
#define MEMSTOR_PLOT_FACT_H

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

#endif

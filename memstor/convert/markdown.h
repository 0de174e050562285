/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the Markdown table keeps of each report (convert/markdown.c) until it is written (convert/markdown_table.c). */
#ifndef MEMSTOR_CONVERT_MARKDOWN_H
#define MEMSTOR_CONVERT_MARKDOWN_H

#include "memstor/convert/convert.h"

#define MARKDOWN_FACTS 256 /* different options, labels and other facts that the reports may have between them */

struct markdown_row {
	const char *type, *class;
	uint64_t count;
	double per_second; /* NAN = it is not said here */
	double mean_ns, p50_ns, p99_ns, p999_ns, max_ns;
};

struct markdown_model { /* how well it predicted a scenario, in percent */
	const char *scenario, *repetition, *model;
	double floor, per_write, mean_write, total, curve_gap, coverage;
};

struct markdown_report {
	struct markdown_report *next;
	const char *path, *status;
	const char *facts[MARKDOWN_FACTS]; /* by the index of their names; NULL: it has none */
	size_t row_count;                  /* at least one */
	struct markdown_row *rows;
	size_t model_count;                /* of a report that has some rows are not written */
	struct markdown_model *models;
};

struct markdown {
	const char *names[MARKDOWN_FACTS]; /* "--ratio", "kernel", a label's own */
	size_t name_count;
	struct markdown_report *first, **last;
};

void markdown_write(FILE *out, const struct markdown *markdown);

/* convert/markdown_models.c: the models of an evaluation, 0 or -ENOMEM; and their table, if there are any, perhaps behind
 * one of rows. */
int markdown_keep_models(struct convert *convert, const struct loaded *loaded, struct markdown_report *report);
void markdown_write_models(FILE *out, const struct markdown *markdown, bool has_paths, bool has_rows);
/* What a row calls its report: the name of its file, or all of the path where names are not enough. */
const char *markdown_name(const struct markdown_report *report, bool has_paths);
/* Text of a report in a cell, where nothing is markup. */
void markdown_write_code(FILE *out, const char *text);

#endif

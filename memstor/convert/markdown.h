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

struct markdown_value { /* of a subject without histograms; part: what of it, as a model */
	const char *subject, *part, *name;
	const struct field *field;
	double value;
};

struct markdown_report {
	struct markdown_report *next;
	const char *path, *status;
	const char *facts[MARKDOWN_FACTS]; /* by the index of their names; NULL: it has none */
	size_t row_count;                  /* at least one */
	struct markdown_row *rows;
	size_t value_count;                /* of a report that has some rows are not written */
	struct markdown_value *values;
};

struct markdown {
	const char *names[MARKDOWN_FACTS]; /* "--ratio", "kernel", a label's own */
	size_t name_count;
	struct markdown_report *first, **last;
};

void markdown_write(FILE *out, const struct markdown *markdown);

#endif

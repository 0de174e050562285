/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A result that no run gave: every part present and awkward (counts beyond 2^32, two hours, markup and control
 * bytes in names, NaN, a counter that falls), the same in every place and time. */
#ifndef TESTS_UNIT_FAKE_RESULT_H
#define TESTS_UNIT_FAKE_RESULT_H

#include "pmbench/run/result.h"

struct fake {
	struct pmbench_options options;
	struct pmbench_plan plan;
	struct pmbench_result result;
};

struct fake *fake_new(void);
void fake_free(struct fake *fake);

/* The same with parts missing or otherwise: each kind of report that there is. */
#define FAKE_VARIANTS 10
struct fake *fake_variant(size_t index);
const char *fake_variant_name(size_t index);

/* Its report by one of the writers (report_write_xml, report_write_json); freed by the caller. */
char *fake_written(const struct fake *fake, int (*write)(struct report *, const char *));

/* The text for people of a result; freed by the caller. NULL = no memory. */
char *fake_text(const struct pmbench_result *result);

#endif

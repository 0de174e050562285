/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of options share: how each option's value is taken. */
#ifndef SSD_WORKLOADS_RUN_OPTION_ROWS_H
#define SSD_WORKLOADS_RUN_OPTION_ROWS_H

#include "ssd-workloads/run/options.h"

struct option_row {
	const char *name;     /* as in run_option_table */
	const char *standard; /* the value without the option; NULL = there is none */
	/* 0, or -EINVAL and *why (static text). */
	int (*set)(struct run_options *options, const char *text, const char **why);
	const char *allowed;  /* *why, unless set knows better */
	bool is_repeated;
	bool is_unreported;   /* where things go to, not what was measured */
};

/* Ended by a row without a name. */
extern const struct option_row option_rows[];
const struct option_row *option_row(const char *name); /* NULL = none */

#endif

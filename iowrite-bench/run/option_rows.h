/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of options share: how each option's value is taken. */
#ifndef IOWRITE_BENCH_RUN_OPTION_ROWS_H
#define IOWRITE_BENCH_RUN_OPTION_ROWS_H

#include "iowrite-bench/run/options.h"

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

/* Lists of words. */
int option_set_methods(struct run_options *options, const char *text, const char **why);
int option_set_modes(struct run_options *options, const char *text, const char **why);
int option_set_syncs(struct run_options *options, const char *text, const char **why);
int option_set_regimes(struct run_options *options, const char *text, const char **why);
int option_set_orders(struct run_options *options, const char *text, const char **why);
int option_set_sizes(struct run_options *options, const char *text, const char **why);
int option_set_every(struct run_options *options, const char *text, const char **why);
int option_set_ranges(struct run_options *options, const char *text, const char **why);
int option_set_buffers(struct run_options *options, const char *text, const char **why);
/* NAME=VALUE. */
int option_set_label(struct run_options *options, const char *text, const char **why);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `memstor run`, each value parsed and in range, no file opened. Texts belong to the struct opt_line. */
#ifndef MEMSTOR_RUN_OPTIONS_H
#define MEMSTOR_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "common/command.h"
#include "common/label.h"
#include "memstor/suite/suite.h"

#define RUN_OWN_LABELS 3 /* suite, step and run */
#define RUN_LABELS_MAX (LABEL_MAX - RUN_OWN_LABELS)
#define RUN_ONLY_MAX 64
#define RUN_SIDES 2 /* --base-bin and --new-bin */

struct run_options {
	const char *suite;       /* as given; NULL only with is_list */
	unsigned runs;           /* --runs; 0 = as the suite says */
	bool has_warmup;
	unsigned warmup;         /* --warmup */
	const char *folder;      /* -o; NULL = SUITE-DATE */
	size_t label_count, set_count, only_count;
	const char *labels[RUN_LABELS_MAX];               /* NAME=VALUE */
	struct suite_variable sets[SUITE_VARIABLES_MAX];  /* --set; the names are owned */
	const char *only[RUN_ONLY_MAX];                   /* --step, patterns as the shell's for files */
	const char *bins[RUN_SIDES];                      /* --base-bin, --new-bin: both, or NULL */
	bool is_resume, is_dry_run, is_list, is_json, is_all_required;
	int argc;                /* as it was called, for the index; argv[0] is "run" */
	char **argv;
};

extern const struct opt run_option_rows[];

/* As command.check. */
int run_options_check(void *data, struct opt_line *line);
void run_options_free(struct run_options *options);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --replay FILE: the options of an earlier run, from its report. */
#ifndef COMMON_REPLAY_H
#define COMMON_REPLAY_H

#include "common/opt.h"

struct report_node;

/* What --replay of one command takes. */
struct replay {
	const char *root;    /* the reports' root element: "pmbenchmark" */
	const char *command; /* "run": the subcommand that must have made the report; NULL = any */
	/* Options of a signature that has no <options>: calls replay_add for each. 0, or -EINVAL when there are none that it
	 * knows, or -ENOMEM; NULL = none are known. */
	int (*take_other)(const struct report_node *signature, struct opt_line *line, const char *path);
};

/*
 * Adds the options of the report at path to the line, as OPT_BY_REPORT: those that are not replaced by what was typed. A drawn
 * seed is repeated. Prints one line with what was taken. 0 or a diag_exit code after one line: not such a report, an option
 * that this version does not have, or one that must be typed (OPT_TYPED_ONLY, must_be_typed).
 */
int replay_take(const struct replay *replay, const char *path, struct opt_line *line);
/* For take_other. 0; -EINVAL: no option of that name; -ENOMEM. */
int replay_add(struct opt_line *line, const char *path, const char *name, const char *value);

#endif

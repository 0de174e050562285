/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * DIR/index.xml: what a suite is, where it ran, and what became of each run; memstor-index.xsd is its schema. It is
 * replaced whole after each run, so that a killed memstor leaves one that says what is done.
 */
#ifndef MEMSTOR_RUN_INDEX_H
#define MEMSTOR_RUN_INDEX_H

#include "memstor/run/plan.h"

#define INDEX_VERSION "1.0"

enum index_state {
	INDEX_RUNNING,     /* or memstor was killed */
	INDEX_INTERRUPTED,
	INDEX_COMPLETE,    /* every run has been tried */
};

/* 0 or -errno, without a message. */
int index_write(const char *path, const struct run_plan *plan, enum index_state state);
/* Takes over what is done and the sessions, for --resume, if the plan is that of the index: the same suite, options
 * and machine. name is the path in messages. 0, or a diag_exit code after one line that names the difference. */
int index_take_over(const char *path, const char *name, struct run_plan *plan);

#endif

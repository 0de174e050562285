/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Features of this host, one row each: a stable name, the check, and the command that provides the feature. memstor doctor shows
 * all of them, suites request those that a step needs, and refusals take their reason and remedy from here. Probes change nothing
 * and leave nothing behind. Facts are read below a root; system calls are made through hooks, so that tests can simulate any
 * machine.
 */
#ifndef COMMON_PROBE_PROBE_H
#define COMMON_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/probe/probe_answer.h"

/* Reads capabilities, seccomp and uid below root into host, whose root is set. */
void probe_read_credentials(struct probe_host *host);

struct probe {
	const char *name;
	void (*check)(const struct probe_host *host, struct probe_answer *answer);
	const char *fix;
	bool is_of_paths;
};

/* NULL = no probe has this name. */
const struct probe *probe_find(const char *name);
/* Runs the probe. path: NULL unless the probe examines paths. */
void probe_ask(const struct probe_host *host, const struct probe *probe, const char *path, struct probe_answer *answer);
const char *probe_status_name(enum probe_status status); /* "limited" */

/* Tests a feature of this host; root as in common/base/sysfs.h. Returns 0 when it is available without limits, or -ENOTSUP and in
 * why "VALUE: FIX". */
int probe_require(const char *root, const char *name, char *why, size_t length);

#endif

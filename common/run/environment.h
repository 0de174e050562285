/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The element environment of a report: findings about the machine, limits of cgroups, traffic of other programs. */
#ifndef COMMON_RUN_ENVIRONMENT_H
#define COMMON_RUN_ENVIRONMENT_H

#include "common/host/machine.h"
#include "common/run/limits.h"
#include "common/run/traffic.h"

struct report_checks { /* the argument from of report_environment */
	const struct machine_check *checks;
	size_t count;
	const struct limits *limits;   /* NULL = none */
	const struct traffic *traffic; /* NULL = none */
};
void report_environment(struct report *report, const struct field *field, const void *from);

#endif

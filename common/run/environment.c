/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/run/environment.h"

#include "common/report/field.h"
#include "schema/shared.h"

static void write_checks(struct report *report, const struct field *field, const void *from)
{
	const struct report_checks *checks = from;

	for (size_t i = 0; i < checks->count; i++) {
		const struct machine_check *check = &checks->checks[i];

		FIELD_ROW(report, field, check, check->code, check->finding, check->value, check->advice);
	}
}

void report_environment(struct report *report, const struct field *field, const void *from)
{
	const struct report_checks *all = from;

	FIELD_ROW(report, field, environment, FIELD_BY(write_checks, all),
		all->limits ? FIELD_BY(limits_rows, all->limits) : FIELD_NONE,
		all->traffic ? FIELD_BY(traffic_rows, all->traffic) : FIELD_NONE);
}

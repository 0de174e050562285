/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/record.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char *const names[RUN_STATES] = {
	[RUN_WAITING] = "waiting",
	[RUN_DONE] = "done",
	[RUN_UNTRUSTED] = "untrustworthy",
	[RUN_MISSED] = "missed",
	[RUN_FAILED] = "failed",
	[RUN_OVERRUN] = "overrun",
	[RUN_INTERRUPTED] = "interrupted",
	[RUN_SKIPPED] = "skipped",
};

const char *run_state_name(enum run_state state)
{
	return names[state];
}

bool run_state_parse(const char *name, enum run_state *state)
{
	for (int i = 0; i < RUN_STATES; i++) {
		if (!strcmp(names[i], name)) {
			*state = (enum run_state)i;
			return true;
		}
	}
	return false;
}

bool run_state_is_final(enum run_state state)
{
	return state == RUN_DONE || state == RUN_UNTRUSTED || state == RUN_MISSED;
}

void run_moment(char text[RUN_MOMENT_MAX])
{
	struct timespec now;
	char seconds[32];
	struct tm utc;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, RUN_MOMENT_MAX, "%.20s.%09ldZ", seconds, now.tv_nsec);
}

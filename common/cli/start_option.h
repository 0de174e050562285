/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef COMMON_CLI_START_OPTION_H
#define COMMON_CLI_START_OPTION_H

#include "common/cli/opt.h"
#include "common/report/start.h"

/* The row of --start-at. what: the activity that begins at TIME, as "the measurement"; before: the activity before it. The
 * option is left out of the report's options: it does not decide what is measured, and --replay must not take a moment that has
 * passed. */
#define START_OPTION(at, what, before) \
	{"start-at", 0, "TIME", OPT_OWN, OPT_UNREPORTED, .offset = (at), .set = start_set, \
		.help = "begin " what " at TIME, in seconds since 1970 as date +%s prints", \
		.manual = "Begin " what " at TIME, in seconds since 1970 as `date +%s` prints, with up to 9 digits after the " \
			"point (1764403200.25). " before " The time is that of the system's clock; hosts that are to start " \
			"together must have synchronised clocks (NTP, PTP). TIME must be in the future and at most 24 hours " \
			"ahead. A run that begins 0.1 s or more after TIME, for example because it was not ready, is not " \
			"trustworthy (late-start)."}

int start_set(struct opt_value *in); /* an opt_set_fn, of a struct start */

#endif

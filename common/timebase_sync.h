/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Do the CPUs' clocks agree? An exchange of stamps between CPU pairs bounds how far apart they can be. */
#ifndef COMMON_TIMEBASE_SYNC_H
#define COMMON_TIMEBASE_SYNC_H

#include "common/hot/ticks.h"

/*
 * Exchanges stamps between the first allowed CPU and each other one (at most 63 others, evenly chosen). In an
 * exchange A sends its stamp, B answers with its own, A reads again: with agreeing clocks sent <= answered <=
 * received. Returns the largest violation in ticks, 0 when there was none (or only one CPU). The calling
 * thread's affinity is as before on return.
 */
double timebase_sync_skew_ticks(enum ticks_method method);

#endif

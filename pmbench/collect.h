/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what the threads left in their slots to the result in ns. */
#ifndef PMBENCH_COLLECT_H
#define PMBENCH_COLLECT_H

#include "pmbench/control.h"
#include "pmbench/result.h"

/* Threads, totals by class, phases, traces and rates. Slots of threads that did not end count as far as they
 * came, and as long as the window was. 0 or -ENOMEM. */
int collect_results(const struct control *control, double window_s, struct pmbench_result *result);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The original's progress lines (report-format: byte for byte), printed outside the window unless -q. */
#ifndef PMBENCH_NARRATE_H
#define PMBENCH_NARRATE_H

#include "pmbench/control.h"

struct narrator {
	const struct pmbench_plan *plan;
	const struct control *control;
	const struct timebase *timebase;
};

void narrate_initializing(const struct narrator *narrator);
/* Initialisation, pages, generation overhead. */
void narrate_ready(const struct narrator *narrator);
/* Before the warm-up: how long it will take. */
void narrate_warming(const struct narrator *narrator);
void narrate_warm(const struct narrator *narrator);
void narrate_start(const struct narrator *narrator);
void narrate_done(const struct narrator *narrator, bool is_interrupted);

#endif

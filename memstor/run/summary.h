/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last lines of memstor run: what became of each step, and what to do next. */
#ifndef MEMSTOR_RUN_SUMMARY_H
#define MEMSTOR_RUN_SUMMARY_H

#include <stdbool.h>

#include "memstor/run/folder.h"
#include "memstor/run/plan.h"

/* To stdout. is_interrupted: by a signal to memstor. Returns the exit code of it all. */
int run_summary(const struct run_plan *plan, const struct run_folder *folder, bool is_interrupted);

#endif

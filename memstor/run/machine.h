/* SPDX-License-Identifier: GPL-3.0-or-later */
/* machine.txt: for people, what this machine is and what may spoil a run on it; the index has all of it. */
#ifndef MEMSTOR_RUN_MACHINE_H
#define MEMSTOR_RUN_MACHINE_H

#include "memstor/run/folder.h"
#include "memstor/run/plan.h"

/* 0 or -errno. */
int run_machine_write(const struct run_plan *plan);

#endif

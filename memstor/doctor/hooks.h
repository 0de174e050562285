/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real ones of struct doctor_hooks; doctor.h is their contract. Private to doctor_*.c and their tests. */
#ifndef MEMSTOR_DOCTOR_HOOKS_H
#define MEMSTOR_DOCTOR_HOOKS_H

#include "memstor/doctor/doctor.h"

int doctor_try_direct(const char *path, struct doctor_direct *direct);
int doctor_perf_event(const struct perf_event_attr *attr, int pid, int cpu);
int doctor_fault_address(void);
int doctor_program_version(const char *program, char *line, size_t length);

#endif

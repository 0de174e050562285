/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What pressure_check asks of a machine, with the machine injected (root as in sysfs.h; paths of swap files
 * are real ones in any case). For common/pressure*.c, their tests, and memstor doctor, which asks one by one.
 */
#ifndef COMMON_PRESSURE_CHECK_H
#define COMMON_PRESSURE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/pressure.h"

struct target;

/* Below this a program cannot even start: the kernel charges tens of pages for each process. */
#define PRESSURE_MIN_RAM (4ull * 1024 * 1024)

int pressure_check_at(const char *root, const struct pressure_plan *plan, char *why, size_t length);
/* The part about the swap area. */
int pressure_check_swap(const char *root, const struct pressure_plan *plan, char *why, size_t length);
/* Opens the device of --swap dev: for this run alone, when nothing forbids it to be its swap; is_area: it holds a swap area,
 * which is used as it is. -errno after one line on stderr. */
int pressure_open_device(const struct pressure_plan *plan, struct target *target, bool *is_area);
/* Whether the plan needs a cgroup of this version of its own. */
bool pressure_wants_cgroup(const struct pressure_plan *plan, int version);
/* Writes one line and returns err. */
int pressure_refuse(int err, char *why, size_t length, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The most memory that zram may use so that the machine keeps enough when nothing compresses; 0 = all of it
 * fits even then. */
uint64_t pressure_zram_limit(const char *root, const struct pressure_plan *plan);

/* Warnings that do not refuse: other swap areas, no swap at all; through diag_warn. */
void pressure_warn(const char *root, const struct pressure_plan *plan);

/* btrfs swaps only to files without copy on write; elsewhere this does nothing. */
void pressure_forbid_copy_on_write(int fd);

#endif

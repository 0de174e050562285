/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks whether this host can give a run its pressure. The single checks are for common/pressure/, their tests, and memstor
 * doctor, which calls them one by one.
 */
#ifndef COMMON_PRESSURE_PRESSURE_CHECK_H
#define COMMON_PRESSURE_PRESSURE_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/pressure/pressure_plan.h"

struct target;

/* Below this a program cannot even start: the kernel charges tens of pages for each process. */
#define PRESSURE_MIN_RAM (4ull * 1024 * 1024)

/* Checks all preconditions before anything is changed: privilege, controller, zram, space for the file, memory for the sizes.
 * Returns 0, or -errno with one line in why (the missing part and its fix); "": already reported. root as in sysfs.h; paths of
 * swap files are always real. */
int pressure_check(const char *root, const struct pressure_plan *plan, char *why, size_t length);

/* Returns the size of the swap area; for a device its whole size. 0 without one. */
uint64_t pressure_swap_bytes(const struct pressure_swap *swap);

/* Returns the most that eaters hold at one time, counting those that begin before until_ns. */
uint64_t pressure_eaten_bytes(const struct pressure_plan *plan, uint64_t until_ns);

/* Makes only the checks of the swap area. root as in pressure_check. */
int pressure_check_swap(const char *root, const struct pressure_plan *plan, char *why, size_t length);
/* Opens the device of --swap dev, exclusively. is_area: it has a swap area, which is used unchanged. Returns -errno after one
 * line on stderr when it must not be used as swap. */
int pressure_open_device(const struct pressure_plan *plan, struct target *target, bool *is_area);
/* Tells whether the plan needs a cgroup of this version of its own. */
bool pressure_wants_cgroup(const struct pressure_plan *plan, int version);

/* Returns the most memory that zram may use so that the machine keeps enough when nothing compresses; 0 = no limit is
 * needed. */
uint64_t pressure_zram_limit(const char *root, const struct pressure_plan *plan);

/* Warns by diag_warn of other swap areas and of missing swap. */
void pressure_warn(const char *root, const struct pressure_plan *plan);

/* Turns copy on write off for a file on btrfs, which swaps only to such files; does nothing elsewhere. */
void pressure_forbid_copy_on_write(int fd);

#endif

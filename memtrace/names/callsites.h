/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of allocations by the place in the program that made them. */
#ifndef MEMTRACE_NAMES_CALLSITES_H
#define MEMTRACE_NAMES_CALLSITES_H

#include <stdint.h>

#include "memtrace/names/regions.h"

/*
 * Names each allocation among the objects of sorted regions: "main.c:42 read_input" where addr2line (binutils) finds a line,
 * "app:read_input+0x1c" where the program or library has symbols, else "app+0x1234", an offset in the file. Lines and symbols of a
 * file that has changed since recorded_ns (CLOCK_REALTIME; 0 = unknown) are not used. Returns 0 or -ENOMEM.
 */
int callsites_name(struct regions *regions, uint64_t recorded_ns);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What machine_read is made of; for common/machine*.c only. Each fills its part of a zeroed machine. */
#ifndef COMMON_MACHINE_PARTS_H
#define COMMON_MACHINE_PARTS_H

#include "common/machine.h"

/* A line of a file of the kernel as text for reports: at most room - 1 bytes, unprintable ones become '?'. */
void machine_text(char *text, size_t room, const char *from, size_t length);

void machine_read_settings(const char *root, struct machine *machine);
void machine_read_swaps(const char *root, struct machine *machine);
void machine_read_cgroup(const char *root, struct machine *machine);

#endif

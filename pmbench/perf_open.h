/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf_event_open(2) for the calling thread, and why it was refused. */
#ifndef PMBENCH_PERF_OPEN_H
#define PMBENCH_PERF_OPEN_H

#include <stddef.h>

struct perf_event_attr;

/* An event of the calling thread on every CPU, close-on-exec. Descriptor or -errno. */
int perf_open_self(const struct perf_event_attr *attr);
/* "perf_event_open: Permission denied (kernel.perf_event_paranoid=3; set it to 2 or run as root)" */
void perf_open_reason(int err, char *reason, size_t length);

#endif

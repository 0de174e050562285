/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How long somebody on this machine waited for a CPU while something was measured (the "some" line of
 * /proc/pressure/cpu): whoever waits may be the writer, or the kernel's flusher. Reading it takes some tens of microseconds.
 */
#ifndef IOWRITE_BENCH_BUSY_H
#define IOWRITE_BENCH_BUSY_H

#include <stdbool.h>
#include <stdint.h>

#define BUSY_PERCENT 15 /* from here on a measurement is not the writer's alone; a writer and a flusher on two CPUs: below 5 */

struct busy {
	double waited_ns, whole_ns; /* sums; waited_ns is NAN when the kernel does not say */
};

struct busy_mark {
	uint64_t time_ns;
	double waited_ns; /* since the machine began; NAN = the kernel does not count it */
};

/* Since the machine began; false: the kernel does not count it. root as in common/sysfs.h. */
bool busy_waited_us(const char *root, uint64_t *us);
/* now_ns: CLOCK_MONOTONIC. */
void busy_mark(const char *root, uint64_t now_ns, struct busy_mark *mark);
/* Adds the time from begin to end. */
void busy_add(const struct busy_mark *begin, const struct busy_mark *end, struct busy *busy);
/* Of the whole time, percent; NAN when it is not known. */
double busy_percent(const struct busy *busy);

#endif

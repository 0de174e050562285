/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --start-at TIME: a tool prepares, waits for TIME and then measures, so that several hosts measure at the same time.
 * TIME is a moment of CLOCK_REALTIME; a clock that is set while the tool waits is followed.
 */
#ifndef COMMON_REPORT_START_H
#define COMMON_REPORT_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define START_MAX_S 86400       /* the most seconds from the reading of the options to TIME */
#define START_LATE_NS 100000000 /* a run that begins this much later than TIME, or more, is not trustworthy */

struct start {
	int64_t at_ns;   /* CLOCK_REALTIME; 0 = --start-at was not given, and nothing waits */
	int64_t late_ns; /* how long after at_ns the measurement began, from 0 */
};

/* Parses TIME. Returns 0, or -EINVAL or -ERANGE and one line in why; now_ns: of CLOCK_REALTIME. */
int start_parse(const char *text, int64_t now_ns, int64_t *at_ns, char *why, size_t length);
/* Waits for at_ns, unless it is 0. Returns 0 at that time; -EINTR as soon as one of the descriptors (-1 = none) is readable,
 * which is left unread; another -errno after one line. */
int start_wait(struct start *start, int fd, int other_fd);
/* Sets late_ns for a measurement that begins now. start_wait calls it; a tool that prepares more after the wait calls it again. */
void start_mark(struct start *start);
/* Returns whether the verdict has the reason START_LATE, and its text. */
#define START_LATE "late-start"
bool start_late_text(const struct start *start, char *text, size_t length);

#endif

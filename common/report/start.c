/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report/start.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/diag.h"

#define DIGITS "0123456789"
#define FRACTION_DIGITS 9
#define SECONDS_DIGITS 10 /* enough until 2286, and int64_t nanoseconds hold them */
#define ALLOWED "must be between now and 24 hours ahead"

int start_parse(const char *text, int64_t now_ns, int64_t *at_ns, char *why, size_t length)
{
	size_t whole = strspn(text, DIGITS), fraction = text[whole] == '.' ? strspn(text + whole + 1, DIGITS) : 0;
	int64_t ns = 0, ahead_ns;

	if (!whole || whole > SECONDS_DIGITS || fraction > FRACTION_DIGITS ||
		text[whole + (fraction ? 1 + fraction : 0)]) {
		snprintf(why, length, "must be seconds since 1970 as date +%%s prints, with up to 9 digits after the point");
		return -EINVAL;
	}
	for (size_t i = 0; i < whole + FRACTION_DIGITS; i++) {
		/* Missing digits after the point are 0. */
		const char *digit = i < whole ? text + i : i - whole < fraction ? text + i + 1 : "0";

		if (ns > (INT64_MAX - 9) / 10)
			ns = (INT64_MAX - 9) / 10;
		ns = ns * 10 + (*digit - '0');
	}
	ahead_ns = ns - now_ns;
	if (ahead_ns > 0 && ahead_ns <= (int64_t)START_MAX_S * CLOCK_NS_PER_S) {
		*at_ns = ns;
		return 0;
	}
	snprintf(why, length, "is %.3f s %s; " ALLOWED, (double)(ahead_ns > 0 ? ahead_ns : -ahead_ns) / CLOCK_NS_PER_S,
		ahead_ns > 0 ? "ahead" : "in the past");
	return -ERANGE;
}

void start_mark(struct start *start)
{
	int64_t late_ns = (int64_t)clock_ns(CLOCK_REALTIME) - start->at_ns;

	if (start->at_ns)
		start->late_ns = late_ns > 0 ? late_ns : 0;
}

int start_wait(struct start *start, int fd, int other_fd)
{
	const struct itimerspec when = {.it_value = clock_timespec((uint64_t)start->at_ns)};
	struct pollfd fds[] = {{-1, POLLIN, 0}, {fd, POLLIN, 0}, {other_fd, POLLIN, 0}};
	int ready, err = 0;

	if (!start->at_ns)
		return 0;
	fds[0].fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (fds[0].fd < 0 || timerfd_settime(fds[0].fd, TFD_TIMER_ABSTIME, &when, NULL))
		err = diag_error(errno, "cannot wait for --start-at");
	do
		ready = err ? 0 : poll(fds, sizeof(fds) / sizeof(fds[0]), -1);
	while (ready < 0 && errno == EINTR);
	if (ready < 0)
		err = diag_error(errno, "cannot wait for --start-at");
	if (fds[0].fd >= 0)
		close(fds[0].fd);
	start_mark(start);
	return err ? err : fds[1].revents || fds[2].revents ? -EINTR : 0;
}

bool start_late_text(const struct start *start, char *text, size_t length)
{
	if (start->late_ns < START_LATE_NS)
		return false;
	snprintf(text, length, "the run began %.3f s after --start-at; give a later time", (double)start->late_ns / CLOCK_NS_PER_S);
	return true;
}

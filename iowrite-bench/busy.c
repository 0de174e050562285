/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/busy.h"

#include <math.h>

#include "common/counters.h"

#define NS_PER_US 1000.0

bool busy_waited_us(const char *root, uint64_t *us)
{
	return counters_read_pressure(root, "cpu", "some", us);
}

void busy_mark(const char *root, uint64_t now_ns, struct busy_mark *mark)
{
	uint64_t us;

	*mark = (struct busy_mark){now_ns, busy_waited_us(root, &us) ? (double)us * NS_PER_US : NAN};
}

void busy_add(const struct busy_mark *begin, const struct busy_mark *end, struct busy *busy)
{
	busy->waited_ns += end->waited_ns - begin->waited_ns;
	busy->whole_ns += (double)(end->time_ns - begin->time_ns);
}

double busy_percent(const struct busy *busy)
{
	return busy->whole_ns > 0 ? 100 * busy->waited_ns / busy->whole_ns : NAN;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/busy.h"

#include <math.h>
#include <string.h>

#include "common/sysfs.h"

#define NS_PER_US 1000.0

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345" */
bool busy_waited_us(const char *root, uint64_t *us)
{
	char line[256];
	const char *total;

	if (sysfs_read(root, "/proc/pressure/cpu", line, sizeof(line)))
		return false;
	total = strstr(line, "total=");
	return total && sysfs_scan_u64(total + strlen("total="), us);
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

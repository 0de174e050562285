/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "tests/unit/fakeroot.h"
#include "common/host/contention.h"

#define PRESSURE "/proc/pressure/cpu"
#define STAT "/proc/stat"

TEST("CPU time of other programs is summed")
{
	struct contention_machine busy = {0};
	double tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);
	struct contention_machine begin, end;
	char root[64];

	fakeroot_make(root);
	fakeroot_put(root, PRESSURE, "some avg10=9.00 avg60=1.00 avg300=0.00 total=1000\nfull avg10=0.00 total=7\n");
	fakeroot_put(root, STAT, "cpu  400 20 7 9 0 0 0 0 0 0\ncpu0 1 2 3 4 0 0 0 0 0 0\n");
	contention_machine_read(root, 5000000, &begin);
	fakeroot_put(root, PRESSURE, "some avg10=9.00 avg60=1.00 avg300=0.00 total=3000\nfull avg10=0.00 total=8\n");
	fakeroot_put(root, STAT, "cpu  407 23 90 99 0 0 0 0 0 0\ncpu0 1 2 3 4 0 0 0 0 0 0\n");
	contention_machine_read(root, 15000000, &end);
	contention_machine_add(&begin, &end, &busy);
	assert_true(busy.waited_ns == 2e6 && busy.whole_ns == 1e7);
	/* Ten ticks, less what this process itself has computed meanwhile. */
	assert_true(busy.others_ns <= 10 * tick_ns && busy.others_ns > 9 * tick_ns);
	contention_machine_add(&begin, &begin, &busy);
	assert_true(busy.waited_ns == 2e6 && busy.whole_ns == 1e7);
	end.whole_ns = 25000000;
	contention_machine_add(&begin, &end, &busy);
	assert_true(busy.waited_ns == 4e6 && busy.whole_ns == 3e7);
	fakeroot_remove(root);
}

TEST("on a kernel without the counters the time is unknown")
{
	struct contention_machine busy = {0};
	struct contention_machine begin, end;
	char root[64];

	fakeroot_make(root);
	fakeroot_put(root, STAT, "intr 5\n");
	contention_machine_read(root, 0, &begin);
	assert_true(isnan(begin.waited_ns) && isnan(begin.others_ns));
	fakeroot_put(root, PRESSURE, "some avg10=0.00\n");
	fakeroot_put(root, STAT, "cpu  400\n");
	contention_machine_read(root, 10, &end);
	contention_machine_add(&begin, &end, &busy);
	assert_true(isnan(busy.waited_ns) && isnan(busy.others_ns));
	fakeroot_remove(root);
}

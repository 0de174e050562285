/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "tests/unit/fakeroot.h"
#include "iowrite-bench/validity.h"

#define PRESSURE "/proc/pressure/cpu"

TEST("a share of the time")
{
	struct busy_mark begin, end;
	struct busy busy = {0};
	char root[64];

	assert_true(isnan(busy_percent(&busy)));
	fakeroot_make(root);
	fakeroot_put(root, PRESSURE, "some avg10=9.00 avg60=1.00 avg300=0.00 total=1000\nfull avg10=0.00 total=7\n");
	busy_mark(root, 5000000, &begin);
	fakeroot_put(root, PRESSURE, "some avg10=9.00 avg60=1.00 avg300=0.00 total=3000\nfull avg10=0.00 total=8\n");
	busy_mark(root, 15000000, &end);
	busy_add(&begin, &end, &busy);
	assert_true(fabs(busy_percent(&busy) - 20) < 1e-9); /* 2 of 10 ms */
	busy_add(&begin, &begin, &busy);
	assert_true(fabs(busy_percent(&busy) - 20) < 1e-9);
	end.time_ns = 25000000;
	busy_add(&begin, &end, &busy);
	assert_true(fabs(busy_percent(&busy) - 100 * 4.0 / 30) < 1e-9);
	fakeroot_remove(root);
}

TEST("a kernel that does not say")
{
	struct busy_mark begin, end;
	struct busy busy = {0};
	char root[64];

	fakeroot_make(root);
	busy_mark(root, 0, &begin);
	assert_true(isnan(begin.waited_ns));
	fakeroot_put(root, PRESSURE, "some avg10=0.00\n");
	busy_mark(root, 10, &end);
	busy_add(&begin, &end, &busy);
	assert_true(isnan(busy_percent(&busy)));
	fakeroot_remove(root);
}

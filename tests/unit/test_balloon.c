/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/host/machine.h"
#include "tests/unit/fakeroot.h"

#define DRIVER "/sys/bus/virtio/drivers/virtio_balloon/"
#define ORDER "/sys/module/page_reporting/parameters/page_reporting_order"
#define BITS_WITHOUT "0110000100000000000000000000000010000000000000000000000000000000\n"
#define BITS_WITH "0110010100000000000000000000000010000000000000000000000000000000\n"

static char root[64];

static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

static void expect(unsigned count, bool reports_pages)
{
	struct balloon balloon = {77, !reports_pages};

	balloon_read(root, &balloon);
	assert_int_equal(balloon.count, count);
	assert_int_equal(balloon.reports_pages, reports_pages);
}

TEST_WITH("a balloon driver without devices counts as no balloon", set_up, tear_down)
{
	expect(0, false);
	fakeroot_put(root, DRIVER "bind", "");
	fakeroot_put(root, DRIVER "virtio", "");
	fakeroot_put(root, DRIVER "virtiofs/features", BITS_WITH);
	fakeroot_put(root, DRIVER "module/features", BITS_WITH);
	expect(0, false);
}

TEST_WITH("devices are counted", set_up, tear_down)
{
	fakeroot_put(root, DRIVER "virtio0/features", BITS_WITHOUT);
	expect(1, false);
	fakeroot_put(root, DRIVER "virtio12/features", BITS_WITH);
	expect(2, true);
	fakeroot_put(root, DRIVER "virtio3/features", BITS_WITHOUT);
	expect(3, true);
}

TEST_WITH("short or missing features count as absent", set_up, tear_down)
{
	static const char *const texts[] = {"", "\n", "0110", "01100", "01100\n"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		fakeroot_put(root, DRIVER "virtio0/features", texts[i]);
		expect(1, false);
	}
	fakeroot_put(root, DRIVER "virtio1/vendor", "0x1af4\n");
	expect(2, false);
	fakeroot_put(root, DRIVER "virtio0/features", "011001");
	expect(2, true);
}

/* The order is -1, printed without its sign, until a device has registered. */
TEST_WITH("page reporting is found when another driver provides it", set_up, tear_down)
{
	fakeroot_put(root, ORDER, "4294967295\n");
	expect(0, false);
	fakeroot_put(root, ORDER, "64\n");
	expect(0, false);
	fakeroot_put(root, ORDER, "-1\n");
	expect(0, false);
	fakeroot_put(root, ORDER, "63\n");
	expect(0, true);
	fakeroot_put(root, ORDER, "0\n");
	expect(0, true);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block devices below a fake root. */
#ifndef TESTS_UNIT_FAKEBLOCK_H
#define TESTS_UNIT_FAKEBLOCK_H

#include "tests/unit/fakeroot.h"

static char root[64];

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

static void put(const char *folder, const char *name, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fakeroot_put(root, path, value);
}

/* /sys/dev/block/NUMBER, as the kernel has it: up from /sys/dev/block. */
static void put_link(const char *number, const char *folder)
{
	char target[256], path[256];

	snprintf(target, sizeof(target), "../..%s", folder + strlen("/sys"));
	snprintf(path, sizeof(path), "%s/sys/dev/block/%s", root, number);
	assert_int_equal(symlink(target, path), 0);
}

#endif

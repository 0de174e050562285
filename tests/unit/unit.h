/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cmocka's header needs before it, once. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* The source tree: fixtures are below it. */
static inline const char *unit_srcdir(void)
{
	const char *dir = getenv("top_srcdir");

	return dir ? dir : ".";
}

/* Under qemu-user (scripts/cross.sh) the kernel's answers about memory are another machine's. */
static inline bool unit_is_emulated(void)
{
	return getenv("UNIT_EMULATOR") != NULL;
}

/* For main(): nothing in this file can run here, and why. cmocka's own skip() prints "not ok", which the TAP driver
 * takes for a failure. */
static inline int unit_skip_all(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	return 0;
}

#endif

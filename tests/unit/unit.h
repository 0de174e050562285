/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What cmocka's header needs before it, once. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

/* Tests run on a large stack. */
#pragma GCC diagnostic ignored "-Wframe-larger-than="

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* A file's tests. Files are linked by group (tests/tests.am), and each is run in a process of its own: main() in unit.c
 * runs the one that the program is called by. */
struct unit {
	const char *file;
	int (*run)(void);
	struct unit *next;
};
void unit_add(struct unit *unit);

/* In place of the file's `int main(void)`. */
#define UNIT_MAIN()                                                          \
	static int unit_run(void);                                           \
	__attribute__((constructor)) static void unit_register(void)         \
	{                                                                    \
		static struct unit unit = {.file = __FILE__, .run = unit_run}; \
                                                                             \
		unit_add(&unit);                                             \
	}                                                                    \
	static int unit_run(void)

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

/* For UNIT_MAIN(): nothing in this file can run here, and why. cmocka's own skip() prints "not ok", which the TAP driver
 * takes for a failure. */
static inline int unit_skip_all(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	return 0;
}

#endif

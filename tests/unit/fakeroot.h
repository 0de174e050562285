/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A root for /proc and /sys in a folder of its own, for what the recorded ones of tests/fixtures do not have. */
#ifndef TESTS_UNIT_FAKEROOT_H
#define TESTS_UNIT_FAKEROOT_H

#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/unit/unit.h"

/* A new empty root; its name in root[64]. */
static inline void fakeroot_make(char *root)
{
	snprintf(root, 64, "/tmp/memstor-root-XXXXXX");
	assert_non_null(mkdtemp(root));
}

/* A file below root with these bytes; its folders are made. */
static inline void fakeroot_put_bytes(const char *root, const char *path, const char *bytes, size_t length)
{
	char full[512];
	int used = snprintf(full, sizeof(full), "%s%s", root, path);

	assert_true(used > 0 && (size_t)used < sizeof(full));
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	FILE *file = fopen(full, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
}

static inline void fakeroot_put(const char *root, const char *path, const char *text)
{
	fakeroot_put_bytes(root, path, text, strlen(text));
}

static inline int fakeroot_unlink(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	return remove(path);
}

static inline void fakeroot_remove(const char *root)
{
	assert_int_equal(nftw(root, fakeroot_unlink, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* The folder of a recorded root, "1socket". Valid until the next call. */
static inline const char *fakeroot_fixture(const char *name)
{
	static char full[512];
	int used = snprintf(full, sizeof(full), "%s/tests/fixtures/sysroot-%s", unit_srcdir(), name);

	assert_true(used > 0 && (size_t)used < sizeof(full));
	return full;
}

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A fake root with settings, a folder of journals in it, and what was said on stderr; for the tests of common/undo. */
#ifndef TESTS_UNIT_UNDO_H
#define TESTS_UNIT_UNDO_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include "common/base/sysfs.h"
#include "common/undo/undo.h"
#include "common/undo/undo_actions.h"
#include "tests/unit/fakeroot.h"

/* The settings of these tests are files of a fake root; tests/cli/iowrite-recover.sh proves what is allowed. */
static inline bool allows(const struct undo_action *action)
{
	return !strstr(action->path, "/forbidden");
}

#define PROGRAM "undo-test"

static char root[64], dir[128], said_path[128];
static int said_fd, real_stderr;

static inline int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	snprintf(dir, sizeof(dir), "%s/journals", root);
	snprintf(said_path, sizeof(said_path), "%s/said", root);
	setenv("UNDO_TEST_DIR", dir, 1);
	said_fd = open(said_path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	real_stderr = fcntl(2, F_DUPFD_CLOEXEC, 10);
	assert_true(said_fd >= 0 && real_stderr >= 0 && dup2(said_fd, 2) == 2);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	assert_int_equal(dup2(real_stderr, 2), 2);
	close(real_stderr);
	close(said_fd);
	fakeroot_remove(root);
	return 0;
}

/* Lines on stderr since the last call that have text in them; NULL = all. */
static inline unsigned said(const char *text)
{
	char *all, *rest, *line;
	unsigned lines = 0;
	size_t size;

	assert_int_equal(sysfs_slurp("", said_path, 1 << 20, &all, &size), 0);
	assert_int_equal(ftruncate(said_fd, 0), 0);
	dprintf(real_stderr, "%s", all);
	for (rest = all; (line = strsep(&rest, "\n")) && rest;)
		lines += !text || strstr(line, text);
	free(all);
	return lines;
}

static inline const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static inline void put(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/%s", name);
	fakeroot_put(root, path, value);
}

static inline void holds(const char *name, const char *value)
{
	char found[256];

	assert_int_equal(sysfs_read("", path_of(name), found, sizeof(found)), 0);
	assert_string_equal(found, value);
}

static inline bool is_there(const char *name)
{
	return !access(path_of(name), F_OK);
}

static inline struct undo_action setting(const char *name, const char *ours)
{
	struct undo_action action = {.act = UNDO_SETTING};

	snprintf(action.path, sizeof(action.path), "%s/%s", root, name);
	snprintf(action.ours, sizeof(action.ours), "%s", ours);
	return action;
}

static inline struct undo_action throttle(const char *ours)
{
	struct undo_action action = setting("throttle", ours);

	action.act = UNDO_LINE;
	return action;
}

static inline struct undo_action bytes_setting(const char *ours)
{
	struct undo_action action = setting("dirty_bytes", ours);

	snprintf(action.twin, sizeof(action.twin), "dirty_ratio");
	return action;
}

/* As the kernel has it: each of the two sets the other to 0. */
static inline void put_bytes(const char *bytes)
{
	put("dirty_bytes", bytes);
	put("dirty_ratio", "0");
}

static inline struct undo_action of_file(enum undo_act act, const char *name)
{
	struct undo_action action = {.act = act};
	struct stat stat_of;

	snprintf(action.path, sizeof(action.path), "%s/%s", root, name);
	if (!stat(action.path, &stat_of)) {
		action.a = stat_of.st_dev;
		action.b = stat_of.st_ino;
	}
	return action;
}

static inline void set(struct undo *undo, const char *name, const char *ours)
{
	const struct undo_action action = setting(name, ours);

	assert_int_equal(undo_add(undo, &action), 0);
	put(name, ours);
}

static inline void add(struct undo *undo, struct undo_action action)
{
	assert_int_equal(undo_add(undo, &action), 0);
}

/* The only journal's name. */
static inline const char *journal_name(void)
{
	static char name[512];
	struct dirent *entry;
	DIR *stream = opendir(dir);

	name[0] = '\0';
	assert_non_null(stream);
	while ((entry = readdir(stream)))
		if (entry->d_name[0] != '.')
			snprintf(name, sizeof(name), "%s/%s", dir, entry->d_name);
	closedir(stream);
	assert_true(name[0]);
	return name;
}

#endif

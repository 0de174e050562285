/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What report_check_path says of places where access(2) says yes and a report cannot be written. Most need root: each
 * is tried in a child with mounts of its own. */
#include "config.h"
#include "tests/unit/unit.h"
#include <linux/fs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include "common/report/report.h"

#define NOBODY 65534
#define CANNOT 77 /* exit status of a child that this host does not let try */

struct place {
	char folder[64], path[128];
};

static int make_place(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	snprintf(place->folder, sizeof(place->folder), "/tmp/test_check.XXXXXX");
	if (!mkdtemp(place->folder))
		return -1;
	snprintf(place->path, sizeof(place->path), "%s/r.xml", place->folder);
	*state = place;
	return 0;
}

static int remove_place(void **state)
{
	struct place *place = *state;

	unlink(place->path);
	assert_int_equal(rmdir(place->folder), 0); /* a check leaves nothing */
	free(place);
	return 0;
}

static void need(bool is_possible)
{
	if (!is_possible)
		_exit(CANNOT);
}

static void put(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	need(fd >= 0);
	close(fd);
}

static void make_folder_append_only(const struct place *place);

/* In a child: what it says about the place must be what writing there does, too. */
static void says(void (*prepare)(const struct place *), const struct place *place, int error)
{
	pid_t child = fork();
	int status;

	if (!child) {
		prepare(place);
		if (report_check_path(place->path) != error)
			_exit(1);
		/* Who is not stopped in time leaves there what can only be removed by hand. */
		if (prepare == make_folder_append_only)
			_exit(0);
		_exit(report_file_write(place->path, "x", 1) == error ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == CANNOT)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void have_own_mounts(void)
{
	need(!geteuid() && !unshare(CLONE_NEWNS) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL));
}

static void mount_read_only(const struct place *place)
{
	have_own_mounts();
	need(!mount(place->folder, place->folder, NULL, MS_BIND, NULL) &&
		!mount("none", place->folder, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL));
}

TEST_WITH("a path on a read-only mount is refused", make_place, remove_place)
{
	says(mount_read_only, *state, -EROFS);
}

static void mount_without_inodes(const struct place *place)
{
	have_own_mounts();
	need(!mount("none", place->folder, "tmpfs", 0, "nr_inodes=1"));
}

/* As a quota that is used up: only who makes a file learns of it. */
TEST_WITH("a path on a file system without free inodes is refused", make_place, remove_place)
{
	says(mount_without_inodes, *state, -ENOSPC);
}

static void mount_with_one_inode(const struct place *place)
{
	have_own_mounts();
	need(!mount("none", place->folder, "tmpfs", 0, "nr_inodes=2"));
	put(place->path);
}

/* What takes the place of the last one that is possible would be one more. */
TEST_WITH("a path on a file system with one free inode is refused", make_place, remove_place)
{
	says(mount_with_one_inode, *state, -ENOSPC);
}

static void mount_over_file(const struct place *place)
{
	have_own_mounts();
	put(place->path);
	need(!mount(place->path, place->path, NULL, MS_BIND, NULL));
}

/* As containers get single files: such a name cannot be given to another file. */
TEST_WITH("a file that is a mount point is refused", make_place, remove_place)
{
	says(mount_over_file, *state, -EBUSY);
}

static bool set_flag(const char *path, int flag, bool is_on)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), flags;
	bool is_done = fd >= 0 && !ioctl(fd, FS_IOC_GETFLAGS, &flags);

	if (is_done) {
		flags = is_on ? flags | flag : flags & ~flag;
		is_done = !ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
	if (fd >= 0)
		close(fd);
	return is_done;
}

static void make_folder_immutable(const struct place *place)
{
	need(set_flag(place->folder, FS_IMMUTABLE_FL, true));
}

static void make_folder_append_only(const struct place *place)
{
	put(place->path);
	need(set_flag(place->folder, FS_APPEND_FL, true));
}

static void make_file_append_only(const struct place *place)
{
	put(place->path);
	need(set_flag(place->path, FS_APPEND_FL, true));
}

static int free_and_remove_place(void **state)
{
	struct place *place = *state;

	set_flag(place->folder, FS_IMMUTABLE_FL | FS_APPEND_FL, false);
	set_flag(place->path, FS_APPEND_FL, false);
	return remove_place(state);
}

TEST_WITH("a path in an immutable folder is refused", make_place, free_and_remove_place)
{
	says(make_folder_immutable, *state, -EPERM);
}

TEST_WITH("a path in an append-only folder is refused", make_place, free_and_remove_place)
{
	says(make_folder_append_only, *state, -EPERM);
}

TEST_WITH("an append-only file is refused", make_place, free_and_remove_place)
{
	says(make_file_append_only, *state, -EPERM);
}

static void share_sticky(const struct place *place)
{
	need(!geteuid());
	put(place->path);
	need(!chmod(place->path, 0666) && !chmod(place->folder, 01777) && !setresuid(NOBODY, NOBODY, NOBODY));
}

/* As /tmp: who may write to another's file there may not replace it. */
TEST_WITH("another user's file in a sticky folder is refused", make_place, remove_place)
{
	says(share_sticky, *state, -EPERM);
}

static void share_own_sticky(const struct place *place)
{
	need(!geteuid());
	put(place->path);
	need(!chown(place->path, NOBODY, NOBODY) && !chmod(place->folder, 01777) &&
		!setresuid(NOBODY, NOBODY, NOBODY));
}

TEST_WITH("an own file in a sticky folder is accepted", make_place, remove_place)
{
	says(share_own_sticky, *state, 0);
}

TEST_WITH("a name that is too long is refused by the check", make_place, remove_place)
{
	struct place *place = *state;
	char name[NAME_MAX + 2], path[NAME_MAX + 80];

	memset(name, 'n', NAME_MAX + 1);
	name[NAME_MAX + 1] = '\0';
	snprintf(path, sizeof(path), "%s/%s", place->folder, name);
	assert_int_equal(report_check_path(path), -ENAMETOOLONG);
	path[strlen(path) - 1] = '\0';
	assert_int_equal(report_check_path(path), 0);
	assert_int_equal(report_file_write(path, "x", 1), 0);
	assert_int_equal(unlink(path), 0);
}

TEST_WITH("writable paths are accepted", make_place, remove_place)
{
	struct place *place = *state;

	assert_int_equal(report_check_path(place->path), 0);
	assert_int_equal(report_file_write(place->path, "x", 1), 0);
	assert_int_equal(report_check_path(place->path), 0);
	if (!geteuid())
		return;
	assert_int_equal(chmod(place->path, 0400), 0);
	assert_int_equal(report_check_path(place->path), -EACCES);
	unlink(place->path);
	assert_int_equal(chmod(place->folder, 0500), 0);
	assert_int_equal(report_check_path(place->path), -EACCES);
	assert_int_equal(chmod(place->folder, 0700), 0);
}

TEST_WITH("a block device is refused", make_place, remove_place)
{
	struct place *place = *state;

	/* Of no device: it is never opened. */
	if (mknod(place->path, S_IFBLK | 0600, makedev(240, 250)))
		skip();
	assert_int_equal(report_check_path(place->path), -ENODEV);
	assert_int_equal(report_file_write(place->path, "x", 1), -ENODEV);
	unlink(place->path);
}

/* Beside place->path: "other" in its folder. */
static void name_beside(const struct place *place, const char *name, char *path, size_t length)
{
	snprintf(path, length, "%s/%s", place->folder, name);
}

TEST_WITH("one file under two names is recognised", make_place, remove_place)
{
	struct place *place = *state;
	char link[96], other[96], around[96];

	name_beside(place, "link", link, sizeof(link));
	name_beside(place, "other", other, sizeof(other));
	snprintf(around, sizeof(around), "%s/./%s", place->folder, strrchr(place->path, '/') + 1);
	assert_true(report_is_same_file("-", "-"));
	assert_false(report_is_same_file("-", place->path));
	assert_false(report_is_same_file(NULL, NULL));
	assert_false(report_is_same_file(place->path, NULL));
	/* What is not there yet. */
	assert_true(report_is_same_file(place->path, around));
	assert_false(report_is_same_file(place->path, other));
	assert_int_equal(report_file_write(place->path, "x", 1), 0);
	assert_false(report_is_same_file(place->path, other));
	assert_true(report_is_same_file(place->path, around));
	assert_int_equal(symlink(place->path, link), 0);
	assert_true(report_is_same_file(link, around));
	assert_int_equal(unlink(link), 0);
	assert_int_equal(report_file_write(other, "x", 1), 0);
	assert_false(report_is_same_file(place->path, other));
	assert_int_equal(unlink(other), 0);
	assert_false(report_is_same_file("/dev/null", "/dev/../dev/null"));
}

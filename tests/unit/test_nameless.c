/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files without a name, on /var/tmp and on a file system that lacks O_TMPFILE and O_DIRECT: a POSIX message queue's, where
 * a process may mount one. */
#include "config.h"
#include "tests/unit/unit.h"
#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include "common/base/nameless.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/var/tmp/test_nameless.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static int entries(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int n = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.' || strlen(entry->d_name) > 2;
	closedir(dir);
	return n;
}

static void assert_nameless(int fd)
{
	struct stat status;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_nlink, 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDWR);
	assert_int_equal(entries(), 0);
}

TEST("a nameless file can be written and has no link")
{
	int fd = nameless_open(folder, 0);

	assert_nameless(fd);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

TEST("a nameless file that cannot be made returns the reason")
{
	assert_int_equal(nameless_open("/nowhere/at/all", 0), -ENOENT);
	assert_int_equal(nameless_open("/dev/null", 0), -ENOTDIR);
}

/* In namespaces of its own, so that nothing stays mounted and no queue stays. */
static bool mount_queue(void)
{
	return !unshare(CLONE_NEWNS | CLONE_NEWIPC) && !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
		!mount("queue", folder, "mqueue", 0, NULL);
}

TEST("a nameless file is made on a file system without O_TMPFILE")
{
	int fd;

	if (!mount_queue()) {
		print_message("no message queue can be mounted: %s\n", strerror(errno));
		skip();
	}
	fd = nameless_open(folder, 0);
	assert_nameless(fd);
	close(fd);
	assert_int_equal(nameless_open(folder, O_DIRECT), -EINVAL);
	assert_int_equal(entries(), 0);
	umount(folder);
}

UNIT_GROUP(make_folder, remove_folder)

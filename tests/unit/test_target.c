/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be written to and what not. Devices are in tests/host/ssd-place.sh and target-device.sh. */
#include "config.h"
#include "tests/unit/said.h"
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "common/base/diag.h"
#include "common/storage/target.h"
#include "common/storage/target_mark.h"
#include "common/storage/target_use.h"

static char folder[64];

static int make_folder(void **state)
{
	(void)state;
	/* Not /tmp, which may be a tmpfs. */
	snprintf(folder, sizeof(folder), "/var/tmp/test_target.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static const char *below(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static void assert_holds(const char *path, const char *text)
{
	char found[64] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(read(fd, found, sizeof(found) - 1), strlen(text));
	assert_string_equal(found, text);
	close(fd);
}

static int entries(void)
{
	DIR *dir = opendir(folder);
	int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count - 2;
}

static int open_it(const char *path, const char *destroy, struct target *target)
{
	struct target_request request = {.path = path, .bytes = 4096, .destroy_data = destroy, .header = "MINE",
		.header_bytes = 4};

	return target_open(&request, target);
}

TEST("a folder gets a nameless file")
{
	struct target target;
	int fd;

	assert_int_equal(open_it(folder, NULL, &target), DIAG_EXIT_OK);
	assert_int_equal(target.kind, TARGET_NAMELESS);
	assert_int_equal(entries(), 0);
	assert_int_equal(pwrite(target.fd, "abc", 3, 0), 3);
	assert_int_equal(target_reopen(&target, O_WRONLY | O_DSYNC, &fd), 0);
	assert_true(fcntl(fd, F_GETFL) & O_DSYNC);
	assert_int_equal(pwrite(fd, "x", 1, 0), 1);
	close(fd);
	assert_true(target.fs_block >= 512);
	target_close(&target);
	assert_int_equal(target.fd, -1);
}

TEST("a new file is removed")
{
	struct target target;
	const char *path = below("new");

	assert_int_equal(open_it(path, NULL, &target), DIAG_EXIT_OK);
	assert_true(target.is_created);
	assert_int_equal(entries(), 1);
	target_close(&target);
	assert_int_equal(entries(), 0);
}

/* What has the name at the end is another's: it stays. */
TEST("a file that took the name stays")
{
	struct target target;
	const char *path = below("new");

	assert_int_equal(open_it(path, NULL, &target), DIAG_EXIT_OK);
	unlink(path);
	put(path, "theirs");
	target_close(&target);
	assert_holds(path, "theirs");
	unlink(path);
}

TEST("data are not written over")
{
	struct target target = {.fd = -7};
	const char *path = below("data");

	put(path, "precious");
	assert_int_equal(open_it(path, NULL, &target), DIAG_EXIT_USAGE);
	assert_int_equal(open_it(path, "data", &target), DIAG_EXIT_USAGE);
	assert_int_equal(target.fd, -7);
	assert_holds(path, "precious");
	assert_int_equal(open_it(path, path, &target), DIAG_EXIT_OK);
	assert_false(target.is_created);
	target_close(&target);
	assert_holds(path, "precious");
	unlink(path);
}

TEST("own files are taken")
{
	struct target target;
	const char *path = below("own");

	put(path, "MINE and more");
	assert_int_equal(open_it(path, NULL, &target), DIAG_EXIT_OK);
	assert_int_equal(target.size_bytes, 13);
	target_close(&target);
	assert_holds(path, "MINE and more");
	unlink(path);
}

TEST("an empty file is somebodys")
{
	struct target target;
	const char *path = below("empty");

	put(path, "");
	assert_int_equal(open_it(path, NULL, &target), DIAG_EXIT_USAGE);
	assert_int_equal(open_it(path, path, &target), DIAG_EXIT_OK);
	assert_false(target.is_created);
	target_close(&target);
	assert_holds(path, "");
	unlink(path);
}

/* Between the making of a file and its lock another process may have had it. */
TEST("what was written meanwhile is not ours")
{
	static const struct { const char *text; int code; } cases[] = {{"theirs", DIAG_EXIT_USAGE}, {"MINE, too", DIAG_EXIT_OK}};
	const char *path = below("new");
	struct target_request request = {.path = path, .bytes = 4096, .header = "MINE", .header_bytes = 4};
	struct target target;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(target_open(&request, &target), DIAG_EXIT_OK);
		assert_true(target.is_created);
		put(path, cases[i].text);
		assert_int_equal(target_take(&request, &target), cases[i].code);
		assert_false(target.is_created);
		assert_int_equal(target.size_bytes, strlen(cases[i].text));
		target_close(&target);
		assert_holds(path, cases[i].text);
		unlink(path);
	}
}

/* Of version 1.2, 4 KiB from the beginning: the header of a target is not touched by it. */
static void put_array_member(const char *path)
{
	const uint32_t magic = htole32(0xa92b4efc), version = htole32(1), sectors = htole32(8);
	const uint32_t sum = htole32(0xa92b4efc + 1 + 8);
	char block[512] = "";
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	memcpy(block, &magic, sizeof(magic));
	memcpy(block + 4, &version, sizeof(version));
	memcpy(block + 144, &sectors, sizeof(sectors));
	memcpy(block + 216, &sum, sizeof(sum));
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 8 << 20), 0);
	assert_int_equal(pwrite(fd, block, sizeof(block), 4096), sizeof(block));
	close(fd);
}

static int open_unconfirmed(void *path)
{
	struct target target;

	return open_it(path, NULL, &target);
}

TEST("an own file that became a part of an array is refused")
{
	struct target target;
	char path[128];
	struct said said;

	snprintf(path, sizeof(path), "%s", below("member"));
	put(path, "MINE and more");
	put_array_member(path);
	said = said_of(open_unconfirmed, path);
	assert_int_equal(said.status, DIAG_EXIT_USAGE);
	assert_non_null(strstr(said.err, "linux_raid_member"));
	assert_non_null(strstr(said.err, "--destroy-data="));
	assert_int_equal(open_it(path, path, &target), DIAG_EXIT_OK);
	assert_true(target.is_confirmed && !target.is_own);
	target_close(&target);
	unlink(path);
}

TEST("a file that another run has is refused and names the process")
{
	struct target target;
	char path[128], process[48];
	struct said said;
	int fd;

	snprintf(path, sizeof(path), "%s", below("locked"));
	assert_int_equal(open_it(path, NULL, &target), DIAG_EXIT_OK);
	assert_int_equal(pwrite(target.fd, "MINE", 4, 0), 4);
	said = said_of(open_unconfirmed, path);
	assert_int_equal(said.status, DIAG_EXIT_USAGE);
	snprintf(process, sizeof(process), "another run (process %ld)", (long)getpid());
	assert_non_null(strstr(said.err, "another run"));
	/* btrfs and others have other device numbers in /proc/locks. */
	if (!strstr(said.err, process))
		print_message("# %s: /proc/locks does not name the process\n", folder);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(target_lock(fd, true), -EWOULDBLOCK);
	target.is_created = false;
	target_close(&target);
	assert_int_equal(target_lock(fd, true), 0);
	assert_int_equal(said_of(open_unconfirmed, path).status, DIAG_EXIT_USAGE);
	close(fd);
	assert_int_equal(open_it(path, NULL, &target), DIAG_EXIT_OK);
	target_close(&target);
	unlink(path);
}

/* The child opens the FIFO for writing, and waits until somebody opens it for reading. */
static pid_t wait_in_fifo(const char *path)
{
	const struct timespec pause = {.tv_nsec = 10000000};
	char name[64], text[256] = "";
	pid_t child = fork();

	if (!child)
		_exit(open(path, O_WRONLY | O_CLOEXEC) < 0);
	for (int tries = 500; tries && !strstr(text, ") S "); tries--) {
		FILE *file;

		snprintf(name, sizeof(name), "/proc/%ld/stat", (long)child);
		file = fopen(name, "re");
		if (file && !fgets(text, sizeof(text), file))
			text[0] = '\0';
		if (file)
			fclose(file);
		nanosleep(&pause, NULL);
	}
	return child;
}

TEST("what is no file is refused without being opened")
{
	const struct timespec pause = {.tv_nsec = 200000000};
	struct target target;
	const char *path = below("fifo");
	int status;
	pid_t child;

	assert_int_equal(mkfifo(path, 0600), 0);
	child = wait_in_fifo(path);
	assert_int_equal(open_it(path, path, &target), DIAG_EXIT_USAGE);
	assert_int_equal(target_open_read(path, &target), DIAG_EXIT_USAGE);
	nanosleep(&pause, NULL);
	/* It waits still. */
	assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	unlink(path);
	assert_int_equal(open_it("/dev/null", "/dev/null", &target), DIAG_EXIT_USAGE);
}

TEST("what another process changes is seen")
{
	struct target target;
	struct target_mark mark;
	char how[TARGET_CHANGE], moved[160];
	const char *path = below("changed");
	int fd;

	assert_int_equal(open_it(path, NULL, &target), DIAG_EXIT_OK);
	assert_int_equal(ftruncate(target.fd, 1 << 20), 0);
	assert_int_equal(target_mark(&target, &mark), 0);
	assert_false(target_is_changed(&target, &mark, true, how));
	assert_string_equal(how, "");
	assert_int_equal(truncate(path, 4096), 0);
	assert_true(target_is_changed(&target, &mark, false, how));
	assert_non_null(strstr(how, "size"));
	assert_int_equal(truncate(path, 1 << 20), 0);
	assert_false(target_is_changed(&target, &mark, false, how));
	assert_true(target_is_changed(&target, &mark, true, how));
	snprintf(moved, sizeof(moved), "%s.moved", path);
	assert_int_equal(rename(path, moved), 0);
	assert_true(target_is_changed(&target, &mark, false, how));
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_true(target_is_changed(&target, &mark, false, how));
	close(fd);
	assert_int_equal(rename(moved, path), 0);
	assert_int_equal(target_mark(&target, &mark), 0);
	if (mark.allocated || !strcmp(target.file_system, "ext4") || !strcmp(target.file_system, "xfs")) {
		assert_int_equal(fallocate(target.fd, 0, 0, 1 << 20), 0);
		assert_int_equal(target_mark(&target, &mark), 0);
		assert_int_equal(fallocate(target.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 19), 0);
		assert_true(target_is_changed(&target, &mark, false, how));
		assert_non_null(strstr(how, "removed"));
	}
	target_close(&target);
	assert_int_equal(entries(), 0);
}

/* ext4 frees the block that its list of extents took. */
TEST("a preallocated file whose extents become one has not changed")
{
	static const char data[1 << 20] = "x";
	struct target target;
	struct target_mark mark;
	char how[TARGET_CHANGE];

	assert_int_equal(open_it(below("filled"), NULL, &target), DIAG_EXIT_OK);
	if (fallocate(target.fd, 0, 0, sizeof(data))) {
		target_close(&target);
		skip();
	}
	for (off_t at = 4096; at < 1 << 18; at += 4 * 4096)
		assert_int_equal(pwrite(target.fd, data, 4096, at), 4096);
	assert_int_equal(fdatasync(target.fd), 0);
	assert_int_equal(target_mark(&target, &mark), 0);
	assert_int_equal(pwrite(target.fd, data, sizeof(data), 0), sizeof(data));
	assert_int_equal(fdatasync(target.fd), 0);
	assert_false(target_is_changed(&target, &mark, false, how));
	assert_string_equal(how, "");
	target_close(&target);
}

TEST("too few descriptors are said before")
{
	struct rlimit before, few;

	assert_int_equal(target_check_descriptors("x", 16), DIAG_EXIT_OK);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 16;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
	assert_int_equal(target_check_descriptors("x", 16), DIAG_EXIT_HOST);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(target_check_descriptors("x", 16), DIAG_EXIT_OK);
}

TEST("links and others are refused")
{
	struct target target;
	char data[128];

	snprintf(data, sizeof(data), "%s", below("data"));
	put(data, "precious");
	assert_int_equal(symlink(data, below("link")), 0);
	assert_int_equal(open_it(below("link"), below("link"), &target), DIAG_EXIT_USAGE);
	assert_holds(data, "precious");
	unlink(below("link"));
	unlink(data);
	assert_int_equal(mkfifo(below("fifo"), 0600), 0);
	assert_int_equal(open_it(below("fifo"), below("fifo"), &target), DIAG_EXIT_USAGE);
	unlink(below("fifo"));
	assert_int_equal(open_it(below("none/deep"), NULL, &target), DIAG_EXIT_HOST);
	assert_int_equal(entries(), 0);
}

TEST("a target without enough free space or file size limit is refused")
{
	struct target_request request = {.path = folder, .bytes = 1ull << 60};
	struct rlimit before, small;
	struct target target;

	assert_int_equal(target_open(&request, &target), DIAG_EXIT_HOST);
	request.path = below("new");
	assert_int_equal(target_open(&request, &target), DIAG_EXIT_HOST);
	assert_int_equal(entries(), 0);
	request = (struct target_request){.path = folder, .bytes = 2 << 20};
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = before;
	small.rlim_cur = 1 << 20;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(target_open(&request, &target), DIAG_EXIT_HOST);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
}

/* In memory O_DIRECT means nothing, whatever open(2) says. */
TEST("memory has no direct")
{
	struct target_request request = {.path = "/dev/shm", .bytes = 4096};
	struct target target;

	if (target_open(&request, &target)) {
		print_message("# /dev/shm cannot be written to here\n");
		return;
	}
	if (!strcmp(target.file_system, "tmpfs"))
		assert_false(target.has_direct);
	target_close(&target);
	request.needs_direct = true;
	assert_int_equal(target_open(&request, &target), DIAG_EXIT_HOST);
}

/* By which a file is no loop device's. Said of no file that another has open, be it only to read; it costs no name. */
TEST("a file is open once or not")
{
	static const int ways[] = {O_RDONLY, O_WRONLY, O_RDWR};
	const char *path = below("once");
	char twin[160];
	int fd, other;

	put(path, "data");
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	if (!target_is_open_once(fd)) {
		print_message("# %s is on a file system that does not know who has a file open\n", folder);
		close(fd);
		unlink(path);
		skip();
	}
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		other = open(path, ways[i] | O_CLOEXEC);
		assert_true(other >= 0);
		assert_false(target_is_open_once(fd));
		close(other);
		assert_true(target_is_open_once(fd));
	}
	snprintf(twin, sizeof(twin), "%s.twin", path);
	assert_int_equal(link(path, twin), 0);
	other = open(twin, O_RDONLY | O_CLOEXEC);
	assert_true(other >= 0);
	assert_int_equal(unlink(twin), 0);
	assert_false(target_is_open_once(fd));
	close(other);
	/* No lease is left: who opens it waits for nobody. */
	assert_int_equal(fcntl(fd, F_GETLEASE), F_UNLCK);
	assert_int_equal(fcntl(fd, F_GETSIG), 0);
	assert_int_equal(unlink(path), 0);
	close(fd);
	fd = open("/dev/full", O_RDWR | O_CLOEXEC);
	assert_false(target_is_open_once(fd));
	close(fd);
}

UNIT_GROUP(make_folder, remove_folder)

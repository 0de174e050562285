/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What may be written to and what not. Devices are in tests/host/target-device.sh. */
#include "config.h"
#include "tests/unit/unit.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include "common/diag.h"
#include "common/target_private.h"

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

static void a_folder_gets_a_nameless_file(void **state)
{
	struct target target;
	int fd;

	(void)state;
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

static void a_new_file_is_removed(void **state)
{
	struct target target;
	const char *path = below("new");

	(void)state;
	assert_int_equal(open_it(path, NULL, &target), DIAG_EXIT_OK);
	assert_true(target.is_created);
	assert_int_equal(entries(), 1);
	target_close(&target);
	assert_int_equal(entries(), 0);
}

/* What has the name at the end is another's: it stays. */
static void a_file_that_took_the_name_stays(void **state)
{
	struct target target;
	const char *path = below("new");

	(void)state;
	assert_int_equal(open_it(path, NULL, &target), DIAG_EXIT_OK);
	unlink(path);
	put(path, "theirs");
	target_close(&target);
	assert_holds(path, "theirs");
	unlink(path);
}

static void data_are_not_written_over(void **state)
{
	struct target target = {.fd = -7};
	const char *path = below("data");

	(void)state;
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

static void own_files_are_taken(void **state)
{
	struct target target;
	const char *path = below("own");

	(void)state;
	put(path, "MINE and more");
	assert_int_equal(open_it(path, NULL, &target), DIAG_EXIT_OK);
	assert_int_equal(target.size_bytes, 13);
	target_close(&target);
	assert_holds(path, "MINE and more");
	unlink(path);
}

static void an_empty_file_is_somebodys(void **state)
{
	struct target target;
	const char *path = below("empty");

	(void)state;
	put(path, "");
	assert_int_equal(open_it(path, NULL, &target), DIAG_EXIT_USAGE);
	assert_int_equal(open_it(path, path, &target), DIAG_EXIT_OK);
	assert_false(target.is_created);
	target_close(&target);
	assert_holds(path, "");
	unlink(path);
}

/* Between the making of a file and its lock another may have had it. */
static void what_was_written_meanwhile_is_not_ours(void **state)
{
	static const struct { const char *text; int code; } cases[] = {{"theirs", DIAG_EXIT_USAGE}, {"MINE, too", DIAG_EXIT_OK}};
	const char *path = below("new");
	struct target_request request = {.path = path, .bytes = 4096, .header = "MINE", .header_bytes = 4};
	struct target target;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(target_open(&request, &target), DIAG_EXIT_OK);
		assert_int_equal(target_check_again(&request, &target), DIAG_EXIT_OK);
		assert_true(target.is_created);
		put(path, cases[i].text);
		assert_int_equal(target_check_again(&request, &target), cases[i].code);
		assert_false(target.is_created);
		assert_int_equal(target.size_bytes, strlen(cases[i].text));
		target_close(&target);
		assert_holds(path, cases[i].text);
		unlink(path);
	}
}

static void links_and_others_are_refused(void **state)
{
	struct target target;
	char data[128];

	(void)state;
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

static void room_is_checked(void **state)
{
	struct target_request request = {.path = folder, .bytes = 1ull << 60};
	struct rlimit before, small;
	struct target target;

	(void)state;
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
static void memory_has_no_direct(void **state)
{
	struct target_request request = {.path = "/dev/shm", .bytes = 4096};
	struct target target;

	(void)state;
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
static void a_file_is_open_once_or_not(void **state)
{
	static const int ways[] = {O_RDONLY, O_WRONLY, O_RDWR};
	const char *path = below("once");
	char twin[160];
	int fd, other;

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_folder_gets_a_nameless_file),
		cmocka_unit_test(a_new_file_is_removed),
		cmocka_unit_test(a_file_that_took_the_name_stays),
		cmocka_unit_test(data_are_not_written_over),
		cmocka_unit_test(own_files_are_taken),
		cmocka_unit_test(an_empty_file_is_somebodys),
		cmocka_unit_test(what_was_written_meanwhile_is_not_ours),
		cmocka_unit_test(links_and_others_are_refused),
		cmocka_unit_test(room_is_checked),
		cmocka_unit_test(memory_has_no_direct),
		cmocka_unit_test(a_file_is_open_once_or_not),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

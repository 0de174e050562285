/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/pressure.h"
#include "common/pressure_journal.h"

static char root[64], dir[128];

static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	snprintf(dir, sizeof(dir), "%s/journals", root);
	setenv(PRESSURE_DIR_VARIABLE, dir, 1);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

static const struct pressure_action some[] = {
	{.act = PRESSURE_ACT_PAGE_CLUSTER, .a = 3, .b = 1},
	{.act = PRESSURE_ACT_HOT_ADD, .a = 1, .b = 18446744073709551615ull},
	{.act = PRESSURE_ACT_FILE, .a = 7, .b = 8, .path = "/var/a b  c"},
	{.act = PRESSURE_ACT_DEVICE, .a = 1793, .b = 12, .path = "/dev/loop1"},
	{.act = PRESSURE_ACT_CGROUP, .a = 2, .path = "/sys/fs/cgroup/x"},
};
#define SOME (sizeof(some) / sizeof(some[0]))

static void put_some(struct journal *journal)
{
	assert_int_equal(journal_create(&pressure_journal_kind, pressure_journal_dir(), journal), 0);
	for (size_t i = 0; i < SOME; i++)
		assert_int_equal(pressure_journal_append(journal, &some[i]), 0);
}

static void drop(struct journal *journal)
{
	int fd;

	assert_int_equal(journal_lock_dir(dir, &fd), 0);
	assert_int_equal(journal_remove(journal), 0);
	close(fd);
	close(journal->fd);
}

static void what_is_written_is_read(void **state)
{
	struct pressure_action actions[PRESSURE_ACTIONS];
	struct journal journal, peeked;
	size_t count;

	(void)state;
	put_some(&journal);
	assert_int_equal(pressure_journal_load(&journal, actions, &count), 0);
	assert_int_equal(count, SOME);
	for (size_t i = 0; i < SOME; i++) {
		assert_int_equal(actions[i].act, some[i].act);
		assert_true(actions[i].a == some[i].a && actions[i].b == some[i].b);
		assert_string_equal(actions[i].path, some[i].path);
	}
	assert_int_equal(pressure_journal_peek(dir, journal.name, &peeked, actions, &count), 0);
	assert_true(peeked.is_this_boot && peeked.is_this_namespace);
	assert_memory_equal(peeked.uuid, journal.uuid, JOURNAL_UUID_BYTES);
	drop(&journal);
	assert_int_equal(access(dir, F_OK), -1); /* the folder goes with the last one */
}

/* A killed writer leaves any part of the last line: it counts for nothing, what is before it for all. */
static void cut_at_every_byte(void **state)
{
	struct pressure_action actions[PRESSURE_ACTIONS];
	struct journal journal;
	struct stat stat;
	size_t count = 0, last = SOME;

	(void)state;
	put_some(&journal);
	assert_int_equal(fstat(journal.fd, &stat), 0);
	for (off_t size = stat.st_size - 1; size >= 0; size--) {
		assert_int_equal(ftruncate(journal.fd, size), 0);
		assert_int_equal(pressure_journal_load(&journal, actions, &count), 0);
		assert_true(count == last || count + 1 == last);
		last = count;
	}
	assert_int_equal(count, 0);
	drop(&journal);
}

static void strange_text_is_refused(void **state)
{
	static const char *const lines[] = {"nonsense 1 2 \n", "zram x 1 \n", "zram 1\n", "\n"};
	struct pressure_action actions[PRESSURE_ACTIONS];
	struct journal journal;
	struct stat stat;
	size_t count;

	(void)state;
	assert_int_equal(journal_create(&pressure_journal_kind, pressure_journal_dir(), &journal), 0);
	assert_int_equal(fstat(journal.fd, &stat), 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(ftruncate(journal.fd, stat.st_size), 0);
		assert_int_equal(write(journal.fd, lines[i], strlen(lines[i])), strlen(lines[i]));
		assert_int_equal(pressure_journal_load(&journal, actions, &count), -EBADMSG);
	}
	assert_int_equal(ftruncate(journal.fd, 0), 0);
	assert_int_equal(write(journal.fd, "other 1 2\n", 10), 10);
	assert_int_equal(pressure_journal_load(&journal, actions, &count), -EBADMSG);
	drop(&journal);
}

static void lock_ends_with_its_last_holder(void **state)
{
	struct journal journal, second;
	int go[2], status;
	char byte = 0;
	pid_t pid;

	(void)state;
	put_some(&journal);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) { /* stands for the guardian */
		close(go[1]);
		_exit(read(go[0], &byte, 1) == 0 ? 0 : 1);
	}
	close(go[0]);
	assert_int_equal(journal_open(dir, journal.name, &second), -EWOULDBLOCK);
	close(journal.fd);
	assert_int_equal(journal_open(dir, journal.name, &second), -EWOULDBLOCK);
	close(go[1]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(journal_open(dir, journal.name, &second), 0);
	drop(&second);
	assert_int_equal(journal_open(dir, journal.name, &second), -ENOENT);
}

static void orphans_are_told_by_their_front(void **state)
{
	struct journal journal;
	char other[300], path[300];
	uint64_t ticks;

	(void)state;
	put_some(&journal);
	assert_false(journal_is_orphan(&pressure_journal_kind, dir, journal.name));
	snprintf(path, sizeof(path), "%s/%s", dir, journal.name);
	/* The same process number, started at another time: somebody else. */
	assert_int_equal(journal_start_time(getpid(), &ticks), 0);
	snprintf(other, sizeof(other), "%s/%d-%llu-0", dir, (int)getpid(), (unsigned long long)ticks - 1);
	assert_int_equal(rename(path, other), 0);
	assert_true(journal_is_orphan(&pressure_journal_kind, dir, strrchr(other, '/') + 1));
	assert_int_equal(unlink(other), 0);
	assert_false(
		journal_is_orphan(&pressure_journal_kind, dir, strrchr(other, '/') + 1)); /* gone: nothing to wait for */
	drop(&journal);
}

static void page_cluster_is_handed_on(void **state)
{
	struct journal first, second;
	struct pressure_action found = {0};

	(void)state;
	assert_int_equal(journal_create(&pressure_journal_kind, pressure_journal_dir(), &first), 0);
	put_some(&second);
	assert_string_not_equal(first.name, second.name);
	assert_true(pressure_journal_others_setting(&first, PRESSURE_ACT_PAGE_CLUSTER, &found));
	assert_int_equal(found.a, 3);
	assert_int_equal(found.b, 1);
	assert_false(pressure_journal_others_setting(&first, PRESSURE_ACT_SWAPPINESS, &found));
	assert_false(pressure_journal_others_setting(&second, PRESSURE_ACT_PAGE_CLUSTER, &found));
	drop(&second);
	assert_false(pressure_journal_others_setting(&first, PRESSURE_ACT_PAGE_CLUSTER, &found));
	drop(&first);
}

static void folders_of_others_are_refused(void **state)
{
	struct journal journal;
	unsigned journals = 99;
	char names[2][JOURNAL_NAME];
	size_t count = 99;

	(void)state;
	assert_int_equal(journal_list(dir, names, 2, &count), 0);
	assert_int_equal(count, 0);
	assert_int_equal(pressure_recover(&journals), 0);
	assert_int_equal(journals, 0);
	assert_int_equal(mkdir(dir, 0700), 0);
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(journal_list(dir, names, 2, &count), -EPERM);
	assert_int_equal(journal_create(&pressure_journal_kind, pressure_journal_dir(), &journal), -EPERM);
	assert_int_equal(pressure_recover(&journals), -EPERM);
}

/* The folder may be one that holds other things: what is no journal by its name is not even opened. */
static void files_of_others_stay(void **state)
{
	static const char *const files[] = {"note", "1-2", "1-2-", "1-2-0011223", "1-2-001122334", "1-2-0011223g", "-2-00112233",
		"1--00112233", "1-2-00112233.bak", "x1-2-00112233"};
	unsigned journals = 99;
	char path[300];

	(void)state;
	assert_int_equal(mkdir(dir, 0700), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	assert_int_equal(pressure_recover(&journals), 0);
	assert_int_equal(journals, 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		assert_int_equal(access(path, F_OK), 0);
	}
	/* One that was killed before its first line is a journal all the same. */
	snprintf(path, sizeof(path), "%s/1-2-0011223f", dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(pressure_recover(&journals), 0);
	assert_int_equal(journals, 1);
	assert_int_equal(access(path, F_OK), -1);
}

static void unreadable_ones_are_set_aside(void **state)
{
	struct journal held;
	unsigned journals = 99;
	char path[300], aside[310];
	FILE *file;

	(void)state;
	assert_int_equal(journal_create(&pressure_journal_kind, pressure_journal_dir(), &held), 0);
	assert_int_equal(write(held.fd, "nonsense\n", 9), 9);
	snprintf(path, sizeof(path), "%s/1-2-00112233", dir);
	snprintf(aside, sizeof(aside), "%s.bad", path);
	/* Longer than any that we write. */
	file = fopen(path, "w");
	for (int i = 0; i < 1 << 15; i++)
		fputs("12345678\n", file);
	fclose(file);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(pressure_recover(&journals), -EFBIG);
	assert_int_equal(pressure_set_aside(&journals), 0);
	/* The other one is somebody's who lives. */
	assert_int_equal(journals, 1);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(access(aside, F_OK), 0);
	assert_int_equal(pressure_recover(&journals), 0);
	assert_int_equal(journals, 0);
	drop(&held);
}

UNIT_MAIN()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_written_is_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cut_at_every_byte, set_up, tear_down),
		cmocka_unit_test_setup_teardown(strange_text_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(lock_ends_with_its_last_holder, set_up, tear_down),
		cmocka_unit_test_setup_teardown(orphans_are_told_by_their_front, set_up, tear_down),
		cmocka_unit_test_setup_teardown(page_cluster_is_handed_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(folders_of_others_are_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_of_others_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unreadable_ones_are_set_aside, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("pressure_journal", tests, NULL, NULL);
}

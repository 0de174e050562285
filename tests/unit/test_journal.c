/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files and folders of journals; tests/unit/test_undo_journal.c has what is in them. */
#include "config.h"
#include "tests/unit/undo.h"

#include <sys/wait.h>

static void make(struct journal *journal, const struct undo_kind *kind)
{
	assert_int_equal(journal_create(&kind->journal, dir, journal), 0);
}

static void drop(struct journal *journal)
{
	int fd;

	assert_int_equal(journal_lock_dir(dir, &fd), 0);
	assert_int_equal(journal_remove(journal), 0);
	close(fd);
	close(journal->fd);
}

static void lock_ends_with_its_last_holder(void **state)
{
	const struct undo_kind kind = undo_kind(allows);
	struct journal journal, second;
	int go[2], status;
	char byte = 0;
	pid_t pid;

	(void)state;
	make(&journal, &kind);
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

static void orphans_are_known_by_their_front(void **state)
{
	const struct undo_kind kind = undo_kind(allows);
	struct journal journal;
	char other[300], path[400];
	uint64_t ticks;

	(void)state;
	make(&journal, &kind);
	assert_false(journal_is_orphan(&kind.journal, dir, journal.name));
	snprintf(path, sizeof(path), "%s/%s", dir, journal.name);
	/* The same process number, started at another time: another process. */
	assert_int_equal(journal_start_time(getpid(), &ticks), 0);
	snprintf(other, sizeof(other), "%s/%d-%llu-0", dir, (int)getpid(), (unsigned long long)ticks - 1);
	assert_int_equal(rename(path, other), 0);
	assert_true(journal_is_orphan(&kind.journal, dir, strrchr(other, '/') + 1));
	assert_int_equal(unlink(other), 0);
	/* Gone: nothing to wait for. */
	assert_false(journal_is_orphan(&kind.journal, dir, strrchr(other, '/') + 1));
	drop(&journal);
}

static struct undo_action shared(const char *ours)
{
	struct undo_action action = setting("one", ours);

	action.act = UNDO_SHARED;
	return action;
}

static void a_shared_setting_is_restored_by_the_last_run(void **state)
{
	const struct undo_action same = shared("1"), other = shared("2");
	struct undo *first, *second;

	(void)state;
	put("one", "3");
	assert_int_equal(undo_open_with(PROGRAM, allows, &first), 0);
	assert_int_equal(undo_open_with(PROGRAM, allows, &second), 0);
	assert_int_equal(undo_add(first, &same), 0);
	put("one", "1");
	assert_int_equal(undo_add(second, &other), -EBUSY);
	assert_int_equal(said("is 1 for another run, and this one needs 2"), 1);
	assert_int_equal(undo_add(second, &same), 0);
	assert_int_equal(undo_close(first), 0);
	holds("one", "1");
	assert_int_equal(undo_close(second), 0);
	holds("one", "3");
	assert_int_equal(said(NULL), 0);
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
	assert_int_equal(undo_recover_with(PROGRAM, allows, &journals), 0);
	assert_int_equal(journals, 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		assert_int_equal(access(path, F_OK), 0);
	}
	/* One that was killed before its first line is a journal all the same. */
	snprintf(path, sizeof(path), "%s/1-2-0011223f", dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(undo_recover_with(PROGRAM, allows, &journals), 0);
	assert_int_equal(journals, 1);
	assert_int_equal(access(path, F_OK), -1);
}

static void unreadable_ones_are_set_aside(void **state)
{
	const struct undo_kind kind = undo_kind(allows);
	struct journal held;
	unsigned journals = 99;
	char path[300], aside[310];
	FILE *file;

	(void)state;
	make(&held, &kind);
	assert_int_equal(write(held.fd, "nonsense\n", 9), 9);
	snprintf(path, sizeof(path), "%s/1-2-00112233", dir);
	snprintf(aside, sizeof(aside), "%s.bad", path);
	/* Longer than any that is written. */
	file = fopen(path, "w");
	for (int i = 0; i < 1 << 15; i++)
		fputs("12345678\n", file);
	fclose(file);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(undo_recover_with(PROGRAM, allows, &journals), -EFBIG);
	assert_int_equal(undo_set_aside_with(PROGRAM, allows, &journals), 0);
	/* The other one belongs to a living process. */
	assert_int_equal(journals, 1);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(access(aside, F_OK), 0);
	assert_int_equal(undo_recover_with(PROGRAM, allows, &journals), 0);
	assert_int_equal(journals, 0);
	drop(&held);
}

UNIT_MAIN()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lock_ends_with_its_last_holder, set_up, tear_down),
		cmocka_unit_test_setup_teardown(orphans_are_known_by_their_front, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_shared_setting_is_restored_by_the_last_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_of_others_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(unreadable_ones_are_set_aside, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}

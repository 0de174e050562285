/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files and folders of journals; tests/unit/test_undo_journal.c has what is in them. */
#include "config.h"
#include "tests/unit/undo.h"

#include <sys/wait.h>

static void make(struct journal *journal)
{
	assert_int_equal(journal_create(dir, journal), 0);
}

static void drop(struct journal *journal)
{
	int fd;

	assert_int_equal(journal_lock_dir(dir, &fd), 0);
	assert_int_equal(journal_remove(journal), 0);
	close(fd);
	close(journal->fd);
}

TEST_WITH("the lock of a journal ends with its last holder", set_up, tear_down)
{
	struct journal journal, second;
	int go[2], status;
	char byte = 0;
	pid_t pid;

	make(&journal);
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

TEST_WITH("a journal is an orphan when its front is dead", set_up, tear_down)
{
	struct journal journal;
	char other[300], path[400];
	uint64_t ticks;

	make(&journal);
	assert_false(journal_is_orphan(dir, journal.name));
	snprintf(path, sizeof(path), "%s/%s", dir, journal.name);
	/* The same process number, started at another time: another process. */
	assert_int_equal(journal_start_time(getpid(), &ticks), 0);
	snprintf(other, sizeof(other), "%s/%d-%llu-0", dir, (int)getpid(), (unsigned long long)ticks - 1);
	assert_int_equal(rename(path, other), 0);
	assert_true(journal_is_orphan(dir, strrchr(other, '/') + 1));
	assert_int_equal(unlink(other), 0);
	/* Gone: nothing to wait for. */
	assert_false(journal_is_orphan(dir, strrchr(other, '/') + 1));
	drop(&journal);
}

static struct undo_action shared(const char *ours)
{
	struct undo_action action = setting("one", ours);

	action.act = UNDO_SHARED;
	return action;
}

TEST_WITH("a shared setting is restored by the last run", set_up, tear_down)
{
	const struct undo_action same = shared("1"), other = shared("2");
	struct undo *first, *second;

	put("one", "3");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &first), 0);
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &second), 0);
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
TEST_WITH("files of other programs stay in the folder", set_up, tear_down)
{
	static const char *const files[] = {"note", "1-2", "1-2-", "1-2-0011223", "1-2-001122334", "1-2-0011223g", "-2-00112233",
		"1--00112233", "1-2-00112233.bak", "x1-2-00112233"};
	unsigned journals = 99;
	char path[300];

	assert_int_equal(mkdir(dir, 0700), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	assert_int_equal(undo_recover(PROGRAM, allows, &journals), 0);
	assert_int_equal(journals, 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		assert_int_equal(access(path, F_OK), 0);
	}
	/* One that was killed before its first line is a journal all the same. */
	snprintf(path, sizeof(path), "%s/1-2-0011223f", dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	assert_int_equal(undo_recover(PROGRAM, allows, &journals), 0);
	assert_int_equal(journals, 1);
	assert_int_equal(access(path, F_OK), -1);
}

TEST_WITH("unreadable journals are renamed", set_up, tear_down)
{
	struct journal held;
	unsigned journals = 99;
	char path[300], aside[310];
	FILE *file;

	make(&held);
	assert_int_equal(write(held.fd, "nonsense\n", 9), 9);
	snprintf(path, sizeof(path), "%s/1-2-00112233", dir);
	snprintf(aside, sizeof(aside), "%s.bad", path);
	/* Longer than any that is written. */
	file = fopen(path, "w");
	for (int i = 0; i < 1 << 15; i++)
		fputs("12345678\n", file);
	fclose(file);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(undo_recover(PROGRAM, allows, &journals), -EFBIG);
	assert_int_equal(undo_set_aside(PROGRAM, allows, &journals), 0);
	/* The other one belongs to a living process. */
	assert_int_equal(journals, 1);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(access(aside, F_OK), 0);
	assert_int_equal(undo_recover(PROGRAM, allows, &journals), 0);
	assert_int_equal(journals, 0);
	drop(&held);
}

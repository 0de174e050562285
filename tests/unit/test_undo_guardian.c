/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/undo.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

static pid_t child_of_mine(void)
{
	char path[64], text[64];
	uint64_t pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	assert_int_equal(sysfs_read("", path, text, sizeof(text)), 0);
	assert_non_null(sysfs_scan_u64(text, &pid));
	return (pid_t)pid;
}

static bool waits_for(bool (*is_so)(void))
{
	const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};

	for (int tries = 0; tries < 3000; tries++) {
		if (is_so())
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static bool is_put_back(void)
{
	return !is_there("journals");
}

static const int ends_of_fronts[] = {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT};

/* A child lives on, with all that it has inherited. */
static void run_front(int end)
{
	const struct timespec forever = {.tv_sec = 300};
	struct undo *undo;

	if (undo_open_with(PROGRAM, allows, NULL, &undo))
		_exit(1);
	set(undo, "one", "1");
	if (fork())
		raise(end);
	nanosleep(&forever, NULL);
	_exit(2);
}

/* A guardian whose front dies is a child of this process. */
static bool adopts(void)
{
	bool is_so = !prctl(PR_SET_CHILD_SUBREAPER, 1l, 0l, 0l, 0l);

	assert_true(is_so || unit_is_emulated());
	return is_so;
}

/* The test stands for init: it reaps the guardian that the dead front leaves. */
TEST_WITH("the guardian restores when the front dies", set_up, tear_down)
{
	int status;

	if (!adopts())
		skip(); /* an emulator knows nothing of it */
	for (size_t i = 0; i < sizeof(ends_of_fronts) / sizeof(ends_of_fronts[0]); i++) {
		pid_t pid;

		put("one", "20");
		pid = fork();
		if (!pid)
			run_front(ends_of_fronts[i]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == ends_of_fronts[i]);
		assert_true(waits_for(is_put_back));
		holds("one", "20");
		/* First the guardian, then the child. */
		assert_true(waitpid(-1, &status, 0) > 0);
		assert_int_equal(status, 0);
		assert_int_equal(kill(child_of_mine(), SIGKILL), 0);
		assert_true(waitpid(-1, &status, 0) > 0);
		assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
	}
	assert_int_equal(said(NULL), 0);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0l, 0l, 0l, 0l), 0);
}

TEST_WITH("the guardian keeps no descriptors open", set_up, tear_down)
{
	struct undo *undo;
	int ends[2], far;
	char byte;

	assert_int_equal(pipe(ends), 0);
	far = fcntl(ends[1], F_DUPFD, 100);
	assert_true(far >= 100);
	put("one", "20");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	close(ends[1]);
	close(far);
	/* The other end is nobody's now. */
	assert_int_equal(read(ends[0], &byte, 1), 0);
	close(ends[0]);
	/* A terminal's signals do not reach it, and are nothing to it. */
	assert_int_equal(getsid(child_of_mine()), child_of_mine());
	for (size_t i = 0; i < sizeof(ends_of_fronts) / sizeof(ends_of_fronts[0]); i++)
		if (ends_of_fronts[i] != SIGKILL)
			assert_int_equal(kill(child_of_mine(), ends_of_fronts[i]), 0);
	assert_int_equal(undo_close(undo), 0);
	assert_int_equal(said(NULL), 0);
	/* It is reaped. */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

TEST_WITH("the front restores when the guardian dies", set_up, tear_down)
{
	struct undo *undo;

	put("one", "20");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	set(undo, "one", "1");
	assert_int_equal(kill(child_of_mine(), SIGKILL), 0);
	assert_int_equal(undo_close(undo), 0);
	holds("one", "20");
	assert_int_equal(said("was killed: everything is restored without it"), 1);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static bool is_free(void)
{
	int fd = -1;
	bool is = !undo_lock_setting(path_of("one"), &fd);

	if (is)
		close(fd);
	return is;
}

static void nothing(void)
{
}

static void stop_guardian(void)
{
	kill(child_of_mine(), SIGSTOP);
}

static void remove_journal(void)
{
	if (unlink(journal_name()) || rmdir(path_of("journals")))
		_exit(2);
}

/* One that has changed a setting, and does this before that and this after it. */
static void kill_a_front(void (*before)(void), void (*after)(void))
{
	struct undo *undo;
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (undo_open_with(PROGRAM, allows, NULL, &undo))
			_exit(1);
		before();
		set(undo, "one", "1");
		after();
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

/* Between the front's death and the putting back nobody else may take a setting for what it was. */
TEST_WITH("the guardian holds the locks", set_up, tear_down)
{
	int status;

	if (!adopts())
		skip(); /* an emulator knows nothing of it */
	put("one", "20");
	kill_a_front(stop_guardian, nothing);
	assert_false(is_free());
	holds("one", "1");
	assert_int_equal(kill(child_of_mine(), SIGCONT), 0);
	assert_true(waits_for(is_free));
	holds("one", "20");
	assert_true(waitpid(-1, &status, 0) > 0);
	assert_int_equal(status, 0);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0l, 0l, 0l, 0l), 0);
}

/* Somebody has cleaned up where he should not. */
TEST_WITH("the guardian works without a process name", set_up, tear_down)
{
	int status;

	if (!adopts())
		skip(); /* an emulator knows nothing of it */
	put("one", "20");
	kill_a_front(nothing, remove_journal);
	assert_true(waitpid(-1, &status, 0) > 0);
	assert_int_equal(status, 0);
	holds("one", "20");
	assert_int_equal(said("is gone: restoring without it"), 1);
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0l, 0l, 0l, 0l), 0);
}

TEST_WITH("the next run restores when both were killed", set_up, tear_down)
{
	struct undo *undo;
	char path[512];
	int status;
	pid_t pid;

	put("one", "20");
	pid = fork();
	if (!pid) {
		if (undo_open_with(PROGRAM, allows, NULL, &undo))
			_exit(1);
		set(undo, "one", "1");
		kill(child_of_mine(), SIGKILL);
		waitpid(-1, NULL, 0);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	holds("one", "1");
	snprintf(path, sizeof(path), "%s", journal_name());
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	holds("one", "20");
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(said("restored: "), 1);
	assert_int_equal(undo_close(undo), 0);
}

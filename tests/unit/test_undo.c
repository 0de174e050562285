/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "common/sysfs.h"
#include "common/undo.h"

#define PROGRAM "undo-test"

static char root[64], dir[128], said_path[128];
static int said_fd, real_stderr;

static int set_up(void **state)
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

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(dup2(real_stderr, 2), 2);
	close(real_stderr);
	close(said_fd);
	fakeroot_remove(root);
	return 0;
}

/* Lines on stderr since the last call that have text in them; NULL = all. */
static unsigned said(const char *text)
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

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	return path;
}

static void put(const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/%s", name);
	fakeroot_put(root, path, value);
}

static void holds(const char *name, const char *value)
{
	char found[256];

	assert_int_equal(sysfs_read("", path_of(name), found, sizeof(found)), 0);
	assert_string_equal(found, value);
}

static bool is_there(const char *name)
{
	return !access(path_of(name), F_OK);
}

static struct undo_action setting(const char *name, const char *ours)
{
	struct undo_action action = {.act = UNDO_SETTING};

	snprintf(action.path, sizeof(action.path), "%s/%s", root, name);
	snprintf(action.ours, sizeof(action.ours), "%s", ours);
	return action;
}

static struct undo_action throttle(const char *ours)
{
	struct undo_action action = setting("throttle", ours);

	action.act = UNDO_LINE;
	return action;
}

static struct undo_action bytes_setting(const char *ours)
{
	struct undo_action action = setting("dirty_bytes", ours);

	snprintf(action.twin, sizeof(action.twin), "dirty_ratio");
	return action;
}

/* As the kernel has it: each of the two sets the other to 0. */
static void put_bytes(const char *bytes)
{
	put("dirty_bytes", bytes);
	put("dirty_ratio", "0");
}

static struct undo_action of_file(enum undo_act act, const char *name)
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

static void set(struct undo *undo, const char *name, const char *ours)
{
	const struct undo_action action = setting(name, ours);

	assert_int_equal(undo_add(undo, &action), 0);
	put(name, ours);
}

static void add(struct undo *undo, struct undo_action action)
{
	assert_int_equal(undo_add(undo, &action), 0);
}

/* The only journal's name. */
static const char *journal_name(void)
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

static void all_is_undone_in_reverse(void **state)
{
	struct undo *undo;

	(void)state;
	put("one", "a b");
	put("throttle", "8:0 77\n7:10 5\n");
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	set(undo, "one", "c");
	assert_int_equal(mkdir(path_of("folder"), 0700), 0);
	add(undo, of_file(UNDO_FOLDER, "folder"));
	put("folder/in it", "x");
	add(undo, of_file(UNDO_FILE, "folder/in it"));
	add(undo, throttle("7:1 400"));
	put("throttle", "8:0 77\n7:1 400\n7:10 5\n");
	assert_int_equal(undo_close(undo), 0);
	holds("one", "a b");
	assert_false(is_there("folder"));
	/* The kernel would have taken it for a line of the table. */
	holds("throttle", "7:1 0");
	assert_int_equal(said(NULL), 0);
	assert_false(is_there("journals"));
	assert_int_equal(undo_close(NULL), 0);
}

/* Each value that we wrote is ours; what was there before the first comes back. */
static void settings_change_again_and_again(void **state)
{
	struct undo *undo;

	(void)state;
	put("one", "20");
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	set(undo, "one", "1");
	set(undo, "one", "2");
	set(undo, "one", "3");
	/* Noted, and killed before it was written. */
	add(undo, setting("one", "4"));
	assert_int_equal(undo_close(undo), 0);
	holds("one", "20");
	assert_int_equal(said(NULL), 0);
}

static void many_changes_are_few_lines(void **state)
{
	struct stat stat_of;
	struct undo *undo;

	(void)state;
	put("one", "20");
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	for (int i = 0; i < 100; i++) {
		const struct undo_action action = setting("one", "1");

		set(undo, "one", "1");
		set(undo, "one", "2");
		assert_int_equal(undo_revert(undo, &action), 0);
		holds("one", "20");
	}
	assert_int_equal(stat(journal_name(), &stat_of), 0);
	assert_true(stat_of.st_size < 1000);
	assert_int_equal(undo_close(undo), 0);
	holds("one", "20");
	assert_int_equal(said(NULL), 0);
}

static void others_values_are_left_alone(void **state)
{
	struct undo *undo;

	(void)state;
	put("one", "20");
	put("throttle", "7:1 9\n");
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	set(undo, "one", "1");
	set(undo, "one", "2");
	add(undo, throttle("7:1 400"));
	put("throttle", "7:1 400\n");
	put("one", "99");
	put("throttle", "7:1 401\n7:2 400\n");
	assert_int_equal(undo_close(undo), 0);
	holds("one", "99");
	holds("throttle", "7:1 401");
	assert_int_equal(said("left alone: "), 2);
	assert_false(is_there("journals"));
}

/* Somebody changes a value in the middle of the run, and we change it again: his is what comes back. */
static void others_values_come_back(void **state)
{
	struct undo *undo;

	(void)state;
	put("one", "20");
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	set(undo, "one", "1");
	put("one", "30");
	set(undo, "one", "1");
	assert_int_equal(said("somebody else has changed "), 1);
	assert_int_equal(undo_close(undo), 0);
	holds("one", "30");
}

static void of_twins_the_one_that_ruled_comes_back(void **state)
{
	struct undo *undo;

	(void)state;
	put("dirty_bytes", "0");
	put("dirty_ratio", "20");
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	add(undo, bytes_setting("1000"));
	put_bytes("1000");
	add(undo, bytes_setting("2000"));
	put_bytes("2000");
	assert_int_equal(undo_close(undo), 0);
	holds("dirty_ratio", "20");

	put_bytes("555");
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	add(undo, bytes_setting("1000"));
	put_bytes("1000");
	assert_int_equal(undo_close(undo), 0);
	holds("dirty_bytes", "555");
	holds("dirty_ratio", "0");
	assert_int_equal(said(NULL), 0);

	/* Somebody prefers another ratio meanwhile. */
	put("dirty_bytes", "0");
	put("dirty_ratio", "20");
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	add(undo, bytes_setting("1000"));
	put("dirty_bytes", "0");
	put("dirty_ratio", "7");
	assert_int_equal(undo_close(undo), 0);
	holds("dirty_bytes", "0");
	holds("dirty_ratio", "7");
	assert_int_equal(said("/dirty_ratio is '7', and that is not from this run"), 1);
}

static void files_and_folders_of_others_stay(void **state)
{
	struct undo_action file, folder;
	struct undo *undo;

	(void)state;
	put("file", "x");
	assert_int_equal(mkdir(path_of("folder"), 0700), 0);
	file = of_file(UNDO_FILE, "file");
	folder = of_file(UNDO_FOLDER, "folder");
	file.b++;
	put("folder/work", "x");
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	add(undo, file);
	add(undo, folder);
	assert_int_equal(undo_close(undo), -ENOTEMPTY);
	assert_true(is_there("file") && is_there("folder/work"));
	/* What failed is tried again. */
	assert_true(is_there("journals"));
	assert_int_equal(unlink(path_of("folder/work")), 0);
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	assert_false(is_there("folder"));
	assert_int_equal(undo_close(undo), 0);
	assert_true(is_there("file"));
	assert_false(is_there("journals"));
}

static void a_setting_is_one_runs_alone(void **state)
{
	const struct undo_action same = setting("one", "2"), line = throttle("7:1 1"), other_line = throttle("7:10 1"),
				 shorter_line = throttle("7: 1");
	struct undo *first, *second;

	(void)state;
	put("one", "20");
	put("throttle", "");
	assert_int_equal(undo_open(PROGRAM, &first), 0);
	assert_int_equal(undo_open(PROGRAM, &second), 0);
	set(first, "one", "1");
	add(first, line);
	assert_int_equal(undo_add(second, &same), -EBUSY);
	assert_int_equal(undo_add(second, &line), -EBUSY);
	assert_int_equal(undo_add(second, &other_line), 0);
	assert_int_equal(said("another run has set it"), 2);
	assert_int_equal(undo_add(first, &shorter_line), 0);
	assert_int_equal(undo_close(first), 0);
	holds("one", "20");
	set(second, "one", "2");
	assert_int_equal(undo_close(second), 0);
	holds("one", "20");
}

static void what_cannot_be_read_is_not_claimed(void **state)
{
	const struct undo_action none = setting("none", "1");
	struct undo *undo;

	(void)state;
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	assert_int_equal(undo_add(undo, &none), -ENOENT);
	assert_int_equal(said("cannot read "), 1);
	put("none", "5");
	assert_int_equal(undo_close(undo), 0);
	holds("none", "5");
}

/* --- journals of the dead --- */

/* A journal with an action of each kind that files can stand for, as a dead run's; the end of each line in ends. */
#define ACTS 4
static void write_dead(char path[512], char **text, size_t ends[ACTS + 1])
{
	struct undo *undo;
	struct stat stat_of;
	size_t size;

	put("one", "two words\\");
	put("throttle", "7:1 9\n");
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	assert_int_equal(stat(journal_name(), &stat_of), 0);
	ends[0] = (size_t)stat_of.st_size;
	for (size_t i = 0; i < ACTS; i++) {
		const struct undo_action acts[ACTS] = {setting("one", "ours"), of_file(UNDO_FOLDER, "a folder"),
			throttle("7:1 400"), of_file(UNDO_FOLDER, "other")};

		add(undo, acts[i]);
		assert_int_equal(stat(journal_name(), &stat_of), 0);
		ends[i + 1] = (size_t)stat_of.st_size;
	}
	assert_int_equal(sysfs_slurp("", journal_name(), 1 << 16, text, &size), 0);
	assert_int_equal(size, ends[ACTS]);
	assert_int_equal(undo_close(undo), 0);
	snprintf(path, 512, "%s/1-1-0011223f", dir);
}

static void put_dead(const char *path, const char *text, size_t length)
{
	int fd;

	assert_true(!mkdir(dir, 0700) || errno == EEXIST);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), length);
	close(fd);
}

static void do_all(void)
{
	put("one", "ours");
	put("throttle", "7:1 400\n");
	assert_true(!mkdir(path_of("a folder"), 0700) || errno == EEXIST);
	assert_true(!mkdir(path_of("other"), 0700) || errno == EEXIST);
}

/* A killed writer leaves any part of the last line: it counts for nothing, what is before it for all. */
static void cut_at_every_byte(void **state)
{
	char path[512], *text;
	size_t ends[ACTS + 1];
	unsigned count;

	(void)state;
	write_dead(path, &text, ends);
	for (size_t size = 0; size <= ends[ACTS]; size++) {
		do_all();
		put_dead(path, text, size);
		count = 99;
		assert_int_equal(undo_recover(PROGRAM, &count), 0);
		assert_int_equal(count, 1);
		holds("one", size >= ends[1] ? "two words\\" : "ours");
		assert_int_equal(is_there("a folder"), size < ends[2]);
		holds("throttle", size >= ends[3] ? "7:1 9" : "7:1 400");
		assert_int_equal(is_there("other"), size < ends[4]);
		assert_false(is_there("journals"));
		/* Again, as after a kill in the middle of it. */
		put_dead(path, text, size);
		said(NULL);
		assert_int_equal(undo_recover(PROGRAM, &count), 0);
		assert_int_equal(said("restored"), 0);
	}
	free(text);
}

static void another_boot_has_settings_of_its_own(void **state)
{
	char path[512], *text, *boot;
	size_t ends[ACTS + 1];
	unsigned count;

	(void)state;
	write_dead(path, &text, ends);
	do_all();
	boot = strchr(strchr(text, ' ') + 1, ' ') + 1;
	boot[0] = boot[0] == '0' ? '1' : '0';
	put_dead(path, text, ends[ACTS]);
	assert_int_equal(undo_recover(PROGRAM, &count), 0);
	assert_int_equal(count, 1);
	holds("one", "ours");
	assert_true(is_there("other"));
	assert_false(is_there("journals"));
	free(text);
}

static void strange_lines_undo_nothing(void **state)
{
	static const char *const lines[] = {"\n", "nonsense 0 0 /x a b c\n", "setting 0 0 /x a b\n",
		"setting 0 0 /x a b c d\n", "setting -1 0 /x a b c\n", "setting 0x1 0 /x a b c\n",
		"setting 18446744073709551616 0 /x a b c\n", "setting 0 0  a b c\n", "setting 0 0 /x a b \n",
		"folder 0 0 /x \\000 \\000\n"};
	char path[512], *text, mixed[4096];
	size_t ends[ACTS + 1];
	unsigned count;

	(void)state;
	write_dead(path, &text, ends);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		do_all();
		snprintf(mixed, sizeof(mixed), "%s%s", text, lines[i]);
		put_dead(path, mixed, strlen(mixed));
		said(NULL);
		assert_int_equal(undo_recover(PROGRAM, &count), -EBADMSG);
		assert_int_equal(said("is damaged or of another version"), 1);
		holds("one", "ours");
		assert_true(is_there("other"));
	}
	/* A name that is too long for us. */
	memset(mixed, 'x', sizeof(mixed));
	memcpy(mixed, text, ends[0]);
	memcpy(mixed + ends[0], "folder 0 0 /", 12);
	memcpy(mixed + 3000, " \\000 \\000 \\000\n", 16);
	put_dead(path, mixed, 3016);
	assert_int_equal(undo_recover(PROGRAM, &count), -EBADMSG);
	assert_int_equal(undo_set_aside(PROGRAM, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(undo_recover(PROGRAM, &count), 0);
	assert_int_equal(count, 0);
	assert_true(is_there("journals/1-1-0011223f.bad"));
	free(text);
}

/* --- the guardian --- */

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

	if (undo_open(PROGRAM, &undo))
		_exit(1);
	set(undo, "one", "1");
	if (fork())
		raise(end);
	nanosleep(&forever, NULL);
	_exit(2);
}

/* The test stands for init: it reaps the guardian that the dead front leaves. */
static void guardian_puts_back(void **state)
{
	int status;

	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1l, 0l, 0l, 0l), 0);
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

static void guardian_keeps_nothing_open(void **state)
{
	struct undo *undo;
	int ends[2], far;
	char byte;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	far = fcntl(ends[1], F_DUPFD, 100);
	assert_true(far >= 100);
	put("one", "20");
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
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

static void front_does_without_guardian(void **state)
{
	struct undo *undo;

	(void)state;
	put("one", "20");
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	set(undo, "one", "1");
	assert_int_equal(kill(child_of_mine(), SIGKILL), 0);
	assert_int_equal(undo_close(undo), 0);
	holds("one", "20");
	assert_int_equal(said("was killed: all is put back without it"), 1);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
}

static void next_run_puts_back_what_both_left(void **state)
{
	struct undo *undo;
	char path[512];
	int status;
	pid_t pid;

	(void)state;
	put("one", "20");
	pid = fork();
	if (!pid) {
		if (undo_open(PROGRAM, &undo))
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
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	holds("one", "20");
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(said("restored: "), 1);
	assert_int_equal(undo_close(undo), 0);
}

static void names_may_be_relative(void **state)
{
	char here[512];
	struct undo *undo;

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(root), 0);
	setenv("UNDO_TEST_DIR", "journals", 1);
	assert_int_equal(undo_open(PROGRAM, &undo), 0);
	assert_int_equal(chdir(here), 0);
	assert_true(is_there("journals"));
	assert_int_equal(undo_close(undo), 0);
	assert_false(is_there("journals"));
}

static void folders_of_others_are_refused(void **state)
{
	struct undo *undo;
	unsigned count;

	(void)state;
	assert_int_equal(mkdir(dir, 0700), 0);
	assert_int_equal(chmod(dir, 0777), 0);
	assert_int_equal(undo_recover(PROGRAM, &count), -EPERM);
	assert_int_equal(undo_open(PROGRAM, &undo), -EPERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_is_undone_in_reverse, set_up, tear_down),
		cmocka_unit_test_setup_teardown(settings_change_again_and_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_changes_are_few_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(others_values_are_left_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(others_values_come_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_twins_the_one_that_ruled_comes_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_and_folders_of_others_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_setting_is_one_runs_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_read_is_not_claimed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(cut_at_every_byte, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_boot_has_settings_of_its_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(strange_lines_undo_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(guardian_puts_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(guardian_keeps_nothing_open, set_up, tear_down),
		cmocka_unit_test_setup_teardown(front_does_without_guardian, set_up, tear_down),
		cmocka_unit_test_setup_teardown(next_run_puts_back_what_both_left, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_may_be_relative, set_up, tear_down),
		cmocka_unit_test_setup_teardown(folders_of_others_are_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("undo", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <sys/file.h>
#include "tests/unit/undo.h"

static void all_is_undone_in_reverse(void **state)
{
	struct undo *undo;

	(void)state;
	put("one", "a b");
	put("throttle", "8:0 77\n7:10 5\n");
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
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
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
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
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
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

/* Beyond what could be read again nothing is begun. */
static void a_journal_is_bounded(void **state)
{
	struct undo_action action = {.act = UNDO_FOLDER};
	struct undo *undo;
	int ret = 0, count;

	(void)state;
	snprintf(action.path, sizeof(action.path), "%s/none%200s", root, "");
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
	for (count = 0; !ret && count < 1000; count++)
		ret = undo_add(undo, &action);
	assert_int_equal(ret, -EFBIG);
	assert_true(count > 50);
	assert_int_equal(said("File too large"), 1);
	assert_int_equal(undo_close(undo), 0);
	assert_false(is_there("journals"));
}

static void others_values_are_left_alone(void **state)
{
	struct undo *undo;

	(void)state;
	put("one", "20");
	put("throttle", "7:1 9\n");
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
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
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
	set(undo, "one", "1");
	put("one", "30");
	set(undo, "one", "1");
	assert_int_equal(said("was changed by another process"), 1);
	assert_int_equal(undo_close(undo), 0);
	holds("one", "30");
}

static void of_twins_the_one_that_ruled_comes_back(void **state)
{
	struct undo *undo;

	(void)state;
	put("dirty_bytes", "0");
	put("dirty_ratio", "20");
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
	add(undo, bytes_setting("1000"));
	put_bytes("1000");
	add(undo, bytes_setting("2000"));
	put_bytes("2000");
	assert_int_equal(undo_close(undo), 0);
	holds("dirty_ratio", "20");

	put_bytes("555");
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
	add(undo, bytes_setting("1000"));
	put_bytes("1000");
	assert_int_equal(undo_close(undo), 0);
	holds("dirty_bytes", "555");
	holds("dirty_ratio", "0");
	assert_int_equal(said(NULL), 0);

	/* Somebody prefers another ratio meanwhile. */
	put("dirty_bytes", "0");
	put("dirty_ratio", "20");
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
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
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
	add(undo, file);
	add(undo, folder);
	assert_int_equal(undo_close(undo), -ENOTEMPTY);
	assert_true(is_there("file") && is_there("folder/work"));
	/* What failed is tried again. */
	assert_true(is_there("journals"));
	assert_int_equal(unlink(path_of("folder/work")), 0);
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
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
	assert_int_equal(undo_open_with(PROGRAM, allows, &first), 0);
	assert_int_equal(undo_open_with(PROGRAM, allows, &second), 0);
	set(first, "one", "1");
	add(first, line);
	assert_int_equal(undo_add(second, &same), -EBUSY);
	assert_int_equal(undo_add(second, &line), -EBUSY);
	assert_int_equal(undo_add(second, &other_line), 0);
	assert_int_equal(said("by another run"), 2);
	assert_int_equal(undo_add(first, &shorter_line), 0);
	assert_int_equal(undo_close(first), 0);
	holds("one", "20");
	set(second, "one", "2");
	assert_int_equal(undo_close(second), 0);
	holds("one", "20");
}

/* Runs with another folder of journals know each other by the lock on the setting. */
static void a_setting_is_one_runs_in_all_folders(void **state)
{
	const struct undo_action same = setting("one", "2"), other = setting("two", "2");
	struct undo *first, *second;
	char elsewhere[128];

	(void)state;
	put("one", "20");
	put("two", "20");
	assert_int_equal(undo_open_with(PROGRAM, allows, &first), 0);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", root);
	setenv("UNDO_TEST_DIR", elsewhere, 1);
	assert_int_equal(undo_open_with(PROGRAM, allows, &second), 0);
	set(first, "one", "1");
	set(first, "one", "3");
	assert_int_equal(undo_add(second, &same), -EBUSY);
	assert_int_equal(said("by another run, which has its journals elsewhere"), 1);
	assert_int_equal(undo_add(second, &other), 0);
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
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
	assert_int_equal(undo_add(undo, &none), -ENOENT);
	/* Only root has a lock file that is not the setting. */
	assert_int_equal(said(geteuid() ? "cannot lock " : "cannot read "), 1);
	put("none", "5");
	assert_int_equal(undo_close(undo), 0);
	holds("none", "5");
}

static void names_may_be_relative(void **state)
{
	char here[512];
	struct undo *undo;

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(root), 0);
	setenv("UNDO_TEST_DIR", "journals", 1);
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
	assert_int_equal(chdir(here), 0);
	assert_true(is_there("journals"));
	assert_int_equal(undo_close(undo), 0);
	assert_false(is_there("journals"));
}

/* /proc/sys/vm and cgroups alone: whatever a journal says. */
static void only_settings_of_the_kernel_are_noted(void **state)
{
	const struct undo_action other = setting("forbidden", "1");
	struct undo *undo;

	(void)state;
	put("forbidden", "5");
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
	assert_int_equal(undo_add(undo, &other), -EINVAL);
	assert_int_equal(said("not a setting of /proc/sys/vm or of a cgroup"), 1);
	assert_int_equal(undo_close(undo), 0);
}

/* A lock on the setting's own file, which every user may take, holds nobody up. */
static void a_reader_of_a_setting_cannot_lock_it(void **state)
{
	struct undo *undo;
	int fd;

	(void)state;
	if (geteuid())
		skip();
	put("one", "20");
	fd = open(path_of("one"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && !flock(fd, LOCK_EX));
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
	set(undo, "one", "1");
	assert_int_equal(undo_close(undo), 0);
	holds("one", "20");
	close(fd);
}

static void a_folder_that_was_there_before_stays(void **state)
{
	struct undo *undo;
	unsigned count;

	(void)state;
	assert_int_equal(mkdir(dir, 0700), 0);
	assert_int_equal(undo_recover_with(PROGRAM, allows, &count), 0);
	assert_true(is_there("journals"));
	assert_int_equal(undo_open_with(PROGRAM, allows, &undo), 0);
	assert_int_equal(undo_close(undo), 0);
	assert_true(is_there("journals"));
}

static void folders_of_others_are_refused(void **state)
{
	static const mode_t modes[] = {0777, 0720, 0744};
	struct undo *undo;
	unsigned count;

	(void)state;
	assert_int_equal(mkdir(dir, 0700), 0);
	/* Who can read a folder can lock it, for ever. */
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		assert_int_equal(chmod(dir, modes[i]), 0);
		assert_int_equal(undo_recover_with(PROGRAM, allows, &count), -EPERM);
		assert_int_equal(undo_open_with(PROGRAM, allows, &undo), -EPERM);
	}
}

UNIT_MAIN()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_is_undone_in_reverse, set_up, tear_down),
		cmocka_unit_test_setup_teardown(settings_change_again_and_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_changes_are_few_lines, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_journal_is_bounded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(others_values_are_left_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(others_values_come_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(of_twins_the_one_that_ruled_comes_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(files_and_folders_of_others_stay, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_setting_is_one_runs_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_setting_is_one_runs_in_all_folders, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_cannot_be_read_is_not_claimed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_may_be_relative, set_up, tear_down),
		cmocka_unit_test_setup_teardown(only_settings_of_the_kernel_are_noted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_reader_of_a_setting_cannot_lock_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_folder_that_was_there_before_stays, set_up, tear_down),
		cmocka_unit_test_setup_teardown(folders_of_others_are_refused, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("undo", tests, NULL, NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include <sys/file.h>
#include "tests/unit/undo.h"

TEST_WITH("all is undone in reverse", set_up, tear_down)
{
	struct undo *undo;

	put("one", "a b");
	put("throttle", "8:0 77\n7:10 5\n");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
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
TEST_WITH("a setting can be changed repeatedly", set_up, tear_down)
{
	struct undo *undo;

	put("one", "20");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	set(undo, "one", "1");
	set(undo, "one", "2");
	set(undo, "one", "3");
	/* Noted, and killed before it was written. */
	add(undo, setting("one", "4"));
	assert_int_equal(undo_close(undo), 0);
	holds("one", "20");
	assert_int_equal(said(NULL), 0);
}

TEST_WITH("repeated changes of a setting need few lines", set_up, tear_down)
{
	struct stat stat_of;
	struct undo *undo;

	put("one", "20");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
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
TEST_WITH("a journal is bounded", set_up, tear_down)
{
	struct undo_action action = {.act = UNDO_FOLDER};
	struct undo *undo;
	int ret = 0, count;

	snprintf(action.path, sizeof(action.path), "%s/none%200s", root, "");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	for (count = 0; !ret && count < 1000; count++)
		ret = undo_add(undo, &action);
	assert_int_equal(ret, -EFBIG);
	assert_true(count > 50);
	assert_int_equal(said("File too large"), 1);
	assert_int_equal(undo_close(undo), 0);
	assert_false(is_there("journals"));
}

TEST_WITH("values of other processes are not restored", set_up, tear_down)
{
	struct undo *undo;

	put("one", "20");
	put("throttle", "7:1 9\n");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
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
TEST_WITH("a value that another process set before is restored", set_up, tear_down)
{
	struct undo *undo;

	put("one", "20");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	set(undo, "one", "1");
	put("one", "30");
	set(undo, "one", "1");
	assert_int_equal(said("was changed by another process"), 1);
	assert_int_equal(undo_close(undo), 0);
	holds("one", "30");
}

TEST_WITH("of two twin settings the one in force is restored", set_up, tear_down)
{
	struct undo *undo;

	put("dirty_bytes", "0");
	put("dirty_ratio", "20");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	add(undo, bytes_setting("1000"));
	put_bytes("1000");
	add(undo, bytes_setting("2000"));
	put_bytes("2000");
	assert_int_equal(undo_close(undo), 0);
	holds("dirty_ratio", "20");

	put_bytes("555");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	add(undo, bytes_setting("1000"));
	put_bytes("1000");
	assert_int_equal(undo_close(undo), 0);
	holds("dirty_bytes", "555");
	holds("dirty_ratio", "0");
	assert_int_equal(said(NULL), 0);

	/* Somebody prefers another ratio meanwhile. */
	put("dirty_bytes", "0");
	put("dirty_ratio", "20");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	add(undo, bytes_setting("1000"));
	put("dirty_bytes", "0");
	put("dirty_ratio", "7");
	assert_int_equal(undo_close(undo), 0);
	holds("dirty_bytes", "0");
	holds("dirty_ratio", "7");
	assert_int_equal(said("/dirty_ratio is '7', which this run did not set"), 1);
}

TEST_WITH("files and folders of other processes stay", set_up, tear_down)
{
	struct undo_action file, folder;
	struct undo *undo;

	put("file", "x");
	assert_int_equal(mkdir(path_of("folder"), 0700), 0);
	file = of_file(UNDO_FILE, "file");
	folder = of_file(UNDO_FOLDER, "folder");
	file.b++;
	put("folder/work", "x");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	add(undo, file);
	add(undo, folder);
	assert_int_equal(undo_close(undo), -ENOTEMPTY);
	assert_true(is_there("file") && is_there("folder/work"));
	/* What failed is tried again. */
	assert_true(is_there("journals"));
	assert_int_equal(unlink(path_of("folder/work")), 0);
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	assert_false(is_there("folder"));
	assert_int_equal(undo_close(undo), 0);
	assert_true(is_there("file"));
	assert_false(is_there("journals"));
}

TEST_WITH("a setting belongs to one run at a time", set_up, tear_down)
{
	const struct undo_action same = setting("one", "2"), line = throttle("7:1 1"), other_line = throttle("7:10 1"),
				 shorter_line = throttle("7: 1");
	struct undo *first, *second;

	put("one", "20");
	put("throttle", "");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &first), 0);
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &second), 0);
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
TEST_WITH("a setting belongs to one run across journal folders", set_up, tear_down)
{
	const struct undo_action same = setting("one", "2"), other = setting("two", "2");
	struct undo *first, *second;
	char elsewhere[128];

	put("one", "20");
	put("two", "20");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &first), 0);
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", root);
	setenv("UNDO_TEST_DIR", elsewhere, 1);
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &second), 0);
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

TEST_WITH("a setting that cannot be read is not changed", set_up, tear_down)
{
	const struct undo_action none = setting("none", "1");
	struct undo *undo;

	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	assert_int_equal(undo_add(undo, &none), -ENOENT);
	/* Only root has a lock file that is not the setting. */
	assert_int_equal(said(geteuid() ? "cannot lock " : "cannot read "), 1);
	put("none", "5");
	assert_int_equal(undo_close(undo), 0);
	holds("none", "5");
}

TEST_WITH("names may be relative", set_up, tear_down)
{
	char here[512];
	struct undo *undo;

	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(root), 0);
	setenv("UNDO_TEST_DIR", "journals", 1);
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	assert_int_equal(chdir(here), 0);
	assert_true(is_there("journals"));
	assert_int_equal(undo_close(undo), 0);
	assert_false(is_there("journals"));
}

/* /proc/sys/vm and cgroups alone: whatever a journal says. */
TEST_WITH("only settings of the kernel are noted", set_up, tear_down)
{
	const struct undo_action other = setting("forbidden", "1");
	struct undo *undo;

	put("forbidden", "5");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	assert_int_equal(undo_add(undo, &other), -EINVAL);
	assert_int_equal(said("not a setting that this program restores"), 1);
	assert_int_equal(undo_close(undo), 0);
}

/* A lock on the setting's own file, which every user may take, holds nobody up. */
TEST_WITH("a reader of a setting cannot lock it", set_up, tear_down)
{
	struct undo *undo;
	int fd;

	if (geteuid())
		skip();
	put("one", "20");
	fd = open(path_of("one"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0 && !flock(fd, LOCK_EX));
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	set(undo, "one", "1");
	assert_int_equal(undo_close(undo), 0);
	holds("one", "20");
	close(fd);
}

TEST_WITH("a journal folder that existed before stays", set_up, tear_down)
{
	struct undo *undo;
	unsigned count;

	assert_int_equal(mkdir(dir, 0700), 0);
	assert_int_equal(undo_recover(PROGRAM, allows, &count), 0);
	assert_true(is_there("journals"));
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
	assert_int_equal(undo_close(undo), 0);
	assert_true(is_there("journals"));
}

TEST_WITH("journal folders of other users are refused", set_up, tear_down)
{
	static const mode_t modes[] = {0777, 0720, 0744};
	struct undo *undo;
	unsigned count;

	assert_int_equal(mkdir(dir, 0700), 0);
	/* Who can read a folder can lock it, for ever. */
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		assert_int_equal(chmod(dir, modes[i]), 0);
		assert_int_equal(undo_recover(PROGRAM, allows, &count), -EPERM);
		assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), -EPERM);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/undo.h"

/* A journal with an action of each kind that files can stand for, as a dead run's; the end of each line in ends. */
#define ACTS 4
static void write_dead(char path[512], char **text, size_t ends[ACTS + 1])
{
	struct undo *undo;
	struct stat stat_of;
	size_t size;

	put("one", "two words\\");
	put("throttle", "7:1 9\n");
	assert_int_equal(undo_open_with(PROGRAM, allows, NULL, &undo), 0);
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

	assert_true(!mkdir(dir, 01700) || errno == EEXIST);
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
TEST_WITH("a journal cut at any byte is read up to its last whole line", set_up, tear_down)
{
	char path[512], *text;
	size_t ends[ACTS + 1];
	unsigned count;

	write_dead(path, &text, ends);
	for (size_t size = 0; size <= ends[ACTS]; size++) {
		do_all();
		put_dead(path, text, size);
		count = 99;
		assert_int_equal(undo_recover(PROGRAM, allows, &count), 0);
		assert_int_equal(count, 1);
		holds("one", size >= ends[1] ? "two words\\" : "ours");
		assert_int_equal(is_there("a folder"), size < ends[2]);
		holds("throttle", size >= ends[3] ? "7:1 9" : "7:1 400");
		assert_int_equal(is_there("other"), size < ends[4]);
		assert_false(is_there("journals"));
		/* Again, as after a kill in the middle of it. */
		put_dead(path, text, size);
		said(NULL);
		assert_int_equal(undo_recover(PROGRAM, allows, &count), 0);
		assert_int_equal(said("restored"), 0);
	}
	free(text);
}

TEST_WITH("an empty folder that a run made is removed", set_up, tear_down)
{
	unsigned count = 99;

	assert_true(!mkdir(dir, 01700) || errno == EEXIST);
	assert_int_equal(undo_recover(PROGRAM, allows, &count), 0);
	assert_int_equal(count, 0);
	assert_false(is_there("journals"));
	assert_int_equal(said(NULL), 0);
}

TEST_WITH("another boot has settings of its own", set_up, tear_down)
{
	char path[512], *text, *boot;
	size_t ends[ACTS + 1];
	unsigned count;

	write_dead(path, &text, ends);
	do_all();
	boot = strchr(strchr(text, ' ') + 1, ' ') + 1;
	boot[0] = boot[0] == '0' ? '1' : '0';
	put_dead(path, text, ends[ACTS]);
	assert_int_equal(undo_recover(PROGRAM, allows, &count), 0);
	assert_int_equal(count, 1);
	holds("one", "ours");
	assert_true(is_there("other"));
	assert_false(is_there("journals"));
	free(text);
}

TEST_WITH("strange lines undo nothing", set_up, tear_down)
{
	static const char *const lines[] = {"\n", "nonsense 0 0 /x a b c\n", "setting 0 0 /x a b\n",
		"setting 0 0 /x a b c d\n", "setting -1 0 /x a b c\n", "setting 0x1 0 /x a b c\n",
		"setting 18446744073709551616 0 /x a b c\n", "setting 0 0  a b c\n", "setting 0 0 /x a b \n",
		"folder 0 0 /x \\000 \\000\n"};
	char path[512], *text, mixed[4096];
	size_t ends[ACTS + 1];
	unsigned count;

	write_dead(path, &text, ends);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		do_all();
		snprintf(mixed, sizeof(mixed), "%s%s", text, lines[i]);
		put_dead(path, mixed, strlen(mixed));
		said(NULL);
		assert_int_equal(undo_recover(PROGRAM, allows, &count), -EBADMSG);
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
	assert_int_equal(undo_recover(PROGRAM, allows, &count), -EBADMSG);
	assert_int_equal(undo_set_aside(PROGRAM, allows, &count), 0);
	assert_int_equal(count, 1);
	assert_int_equal(undo_recover(PROGRAM, allows, &count), 0);
	assert_int_equal(count, 0);
	assert_true(is_there("journals/1-1-0011223f.bad"));
	free(text);
}

/* As the kernel writes paths: no name of one is empty, "." or "..", at the end neither. */
TEST("only settings and cgroups are allowed")
{
	static const struct {
		const char *path, *twin;
		bool is_allowed;
	} folders[] = {{"/sys/fs/cgroup/x", "", true}, {"/sys/fs/cgroup/..x/y..", "", true}, {"/sys/fs/cgroup", "", false},
		{"/sys/fs/cgroup/..", "", false}, {"/sys/fs/cgroup/x/..", "", false}, {"/sys/fs/cgroup/x/.", "", false},
		{"/sys/fs/cgroup/x/", "", false}, {"/sys/fs/cgroup//x", "", false}, {"/sys/fs/cgroup/x/../y", "", false},
		{"/sys/fs/cgroup/x", "y", true}, {"/sys/fs/cgroup/x", "..", false}, {"/sys/fs/cgroup/x", "y/z", false},
		{"", "", false}, {"sys/fs/cgroup/x", "", false}, {"/proc/sys/vm/..", "", false}};
	static const enum undo_act acts[] = {UNDO_SETTING, UNDO_LINE, UNDO_SHARED, UNDO_FOLDER};
	const struct undo_action setting = {.act = UNDO_SETTING, .path = "/proc/sys/vm/swappiness"},
				 shared = {.act = UNDO_SHARED, .path = "/proc/sys/vm/swappiness"},
				 deeper = {.act = UNDO_SHARED, .path = "/proc/sys/vm/x/y"};

	assert_true(undo_allows(&setting) && undo_allows(&shared));
	assert_false(undo_allows(&deeper));
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		for (size_t j = 0; j < sizeof(acts) / sizeof(acts[0]); j++) {
			struct undo_action action = {.act = acts[j]};

			snprintf(action.path, sizeof(action.path), "%s", folders[i].path);
			snprintf(action.twin, sizeof(action.twin), "%s", folders[i].twin);
			assert_int_equal(undo_allows(&action), folders[i].is_allowed && acts[j] != UNDO_SHARED);
		}
	}
}

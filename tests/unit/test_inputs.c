/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/stat.h>
#include "common/diag.h"
#include "memstor/inputs.h"
#include "tests/unit/said.h"

static char folder[64];

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void make_folder(const char *name)
{
	assert_int_equal(mkdir(path_of(name), 0700), 0);
}

static void make_file(const char *name)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static int set_up(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "/tmp/test_inputs.XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

/* What stderr got while argument was added. */
static int add_quietly(struct inputs *inputs, const char *argument, char *said, size_t length)
{
	struct said_err err;
	int code;

	said_begin(&err);
	code = inputs_add(inputs, argument);
	said_end(&err, said, length);
	return code;
}

TEST("a file is taken as it is")
{
	struct inputs inputs = {0};

	make_file("any-name");
	for (int i = 0; i < 5; i++)
		assert_int_equal(inputs_add(&inputs, path_of("any-name")), 0);
	assert_int_equal(inputs_add(&inputs, "/dev/null"), 0);
	assert_int_equal(inputs.count, 6);
	assert_string_equal(inputs.paths[4], path_of("any-name"));
	assert_string_equal(inputs.paths[5], "/dev/null");
	inputs_free(&inputs);
	assert_int_equal(inputs.count, 0);
	assert_null(inputs.paths);
	inputs_free(&inputs);
}

TEST("a folder gives the reports below it in order")
{
	static const char *const wanted[] = {"tree/10.xml", "tree/2.xml", "tree/a/b/1.xml", "tree/a.xml", "tree/link.xml"};
	struct inputs inputs = {0};

	make_folder("tree");
	make_folder("tree/a");
	make_folder("tree/a/b");
	make_folder("tree/empty");
	make_folder("tree/folder.xml");
	make_folder("other");
	make_file("tree/2.xml");
	make_file("tree/10.xml");
	make_file("tree/a.xml");
	make_file("tree/a/b/1.xml");
	make_file("tree/a/b/1.xml.0123.tmp");
	make_file("tree/.hidden.xml");
	make_file("tree/.xml");
	make_file("tree/index.txt");
	make_file("other/3.xml");
	assert_int_equal(symlink("../other", path_of("tree/linked")), 0);
	assert_int_equal(symlink("../other/3.xml", path_of("tree/link.xml")), 0);
	assert_int_equal(symlink("nowhere", path_of("tree/dangling.xml")), 0);
	assert_int_equal(mkfifo(path_of("tree/fifo.xml"), 0600), 0);
	assert_int_equal(inputs_add(&inputs, path_of("tree")), 0);
	assert_int_equal(inputs.count, sizeof(wanted) / sizeof(wanted[0]));
	for (size_t i = 0; i < inputs.count; i++)
		assert_string_equal(inputs.paths[i], path_of(wanted[i]));
	/* A link that is named is followed, and one slash is enough. */
	assert_int_equal(inputs_add(&inputs, path_of("tree/linked/")), 0);
	assert_int_equal(inputs.count, sizeof(wanted) / sizeof(wanted[0]) + 1);
	assert_string_equal(inputs.paths[inputs.count - 1], path_of("tree/linked/3.xml"));
	inputs_free(&inputs);
}

TEST("eight levels of folders are searched")
{
	char name[128] = "deep";
	struct inputs inputs = {0};

	make_folder(name);
	for (int level = 2; level <= 9; level++) {
		strncat(name, "/d", sizeof(name) - strlen(name) - 1);
		make_folder(name);
		if (level >= 8) {
			strncat(name, "/r.xml", sizeof(name) - strlen(name) - 1);
			make_file(name);
			name[strlen(name) - 6] = '\0';
		}
	}
	assert_int_equal(inputs_add(&inputs, path_of("deep")), 0);
	assert_int_equal(inputs.count, 1);
	assert_string_equal(inputs.paths[0], path_of("deep/d/d/d/d/d/d/d/r.xml"));
	inputs_free(&inputs);
}

TEST("an unreadable input is reported in one line")
{
	struct inputs inputs = {0};
	char said[512], wanted[512];

	make_folder("void");
	make_file("void/readme.txt");
	assert_int_equal(add_quietly(&inputs, path_of("absent"), said, sizeof(said)), DIAG_EXIT_USAGE);
	snprintf(wanted, sizeof(wanted), "test_inputs: %s: No such file or directory\n", path_of("absent"));
	assert_string_equal(said, wanted);
	assert_int_equal(add_quietly(&inputs, path_of("void"), said, sizeof(said)), DIAG_EXIT_USAGE);
	snprintf(wanted, sizeof(wanted),
		"test_inputs: %s: no report (*.xml) in this folder or up to 8 levels below it\n", path_of("void"));
	assert_string_equal(said, wanted);
	assert_int_equal(inputs.count, 0);
	inputs_free(&inputs);
}

UNIT_GROUP(set_up, tear_down)

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <fcntl.h>

#include "memtrace/control.h"

static char root[64], path[128];

static int set_up(void **state)
{
	(void)state;
	fakeroot_make(root);
	snprintf(path, sizeof(path), "%s/fifo", root);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fakeroot_remove(root);
	return 0;
}

TEST_WITH("what is sent arrives in order, and the FIFO is gone afterwards", set_up, tear_down)
{
	char text[CONTROL_TEXT], longest[2 * CONTROL_TEXT];
	struct control *control, *second;

	assert_int_equal(control_open(path, &control), 0);
	assert_int_equal(control_open(path, &second), -EBUSY);
	assert_int_equal(control_next(control, text), CONTROL_NONE);
	assert_int_equal(control_send(path, CONTROL_STOP, ""), 0);
	assert_int_equal(control_send(path, CONTROL_MARK, "phase two\nstop"), 0);
	assert_int_equal(control_send(path, CONTROL_START, ""), 0);
	assert_int_equal(control_next(control, text), CONTROL_STOP);
	assert_int_equal(control_next(control, text), CONTROL_MARK);
	assert_string_equal(text, "phase two?stop");
	assert_int_equal(control_next(control, text), CONTROL_START);
	assert_int_equal(control_next(control, text), CONTROL_NONE);
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(control_send(path, CONTROL_MARK, longest), -EMSGSIZE);
	control_close(control);
	assert_int_equal(control_send(path, CONTROL_START, ""), -ENOENT);
}

TEST_WITH("lines that are no command are told, too long ones dropped", set_up, tear_down)
{
	char text[CONTROL_TEXT], longest[2 * CONTROL_TEXT];
	struct control *control;
	int fd;

	assert_int_equal(control_open(path, &control), 0);
	fd = open(path, O_WRONLY | O_NONBLOCK);
	assert_true(write(fd, "mark\nstart now\nstops\nmark  x\nst", 31) == 31);
	for (int i = 0; i < 3; i++)
		assert_int_equal(control_next(control, text), CONTROL_UNKNOWN);
	assert_string_equal(text, "stops");
	assert_int_equal(control_next(control, text), CONTROL_MARK);
	assert_string_equal(text, " x");
	assert_int_equal(control_next(control, text), CONTROL_NONE);
	assert_true(write(fd, "op\n", 3) == 3);
	assert_int_equal(control_next(control, text), CONTROL_STOP);
	memset(longest, 'x', sizeof(longest));
	assert_true(write(fd, longest, sizeof(longest)) == sizeof(longest));
	assert_true(write(fd, "\nstart\n", 7) == 7);
	assert_int_equal(control_next(control, text), CONTROL_START);
	close(fd);
	control_close(control);
}

TEST_WITH("a file of another kind is refused and stays", set_up, tear_down)
{
	struct control *control;

	fakeroot_put(root, "/fifo", "kept");
	assert_int_equal(control_open(path, &control), -EEXIST);
	assert_int_equal(control_send(path, CONTROL_START, ""), -ENXIO);
	assert_int_equal(access(path, F_OK), 0);
}

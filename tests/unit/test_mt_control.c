/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fakeroot.h"

#include <errno.h>
#include <fcntl.h>

#include "memtrace/target/control.h"

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
	struct mt_control *control, *second;

	assert_int_equal(mt_control_open(path, &control), 0);
	assert_int_equal(mt_control_open(path, &second), -EBUSY);
	assert_int_equal(mt_control_next(control, text), CONTROL_NONE);
	assert_int_equal(mt_control_send(path, CONTROL_STOP, ""), 0);
	assert_int_equal(mt_control_send(path, CONTROL_MARK, "phase two\nstop"), 0);
	assert_int_equal(mt_control_send(path, CONTROL_START, ""), 0);
	assert_int_equal(mt_control_next(control, text), CONTROL_STOP);
	assert_int_equal(mt_control_next(control, text), CONTROL_MARK);
	assert_string_equal(text, "phase two?stop");
	assert_int_equal(mt_control_next(control, text), CONTROL_START);
	assert_int_equal(mt_control_next(control, text), CONTROL_NONE);
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(mt_control_send(path, CONTROL_MARK, longest), -EMSGSIZE);
	mt_control_close(control);
	assert_int_equal(mt_control_send(path, CONTROL_START, ""), -ENOENT);
}

TEST_WITH("lines that are no command are returned as unknown, too long ones are dropped", set_up, tear_down)
{
	char text[CONTROL_TEXT], longest[2 * CONTROL_TEXT];
	struct mt_control *control;
	int fd;

	assert_int_equal(mt_control_open(path, &control), 0);
	fd = open(path, O_WRONLY | O_NONBLOCK);
	assert_true(write(fd, "mark\nstart now\nstops\nmark  x\nst", 31) == 31);
	for (int i = 0; i < 3; i++)
		assert_int_equal(mt_control_next(control, text), CONTROL_UNKNOWN);
	assert_string_equal(text, "stops");
	assert_int_equal(mt_control_next(control, text), CONTROL_MARK);
	assert_string_equal(text, " x");
	assert_int_equal(mt_control_next(control, text), CONTROL_NONE);
	assert_true(write(fd, "op\n", 3) == 3);
	assert_int_equal(mt_control_next(control, text), CONTROL_STOP);
	memset(longest, 'x', sizeof(longest));
	assert_true(write(fd, longest, sizeof(longest)) == sizeof(longest));
	assert_true(write(fd, "\nstart\n", 7) == 7);
	assert_int_equal(mt_control_next(control, text), CONTROL_START);
	close(fd);
	mt_control_close(control);
}

TEST_WITH("a file of another kind is refused and stays", set_up, tear_down)
{
	struct mt_control *control;

	fakeroot_put(root, "/fifo", "kept");
	assert_int_equal(mt_control_open(path, &control), -EEXIST);
	assert_int_equal(mt_control_send(path, CONTROL_START, ""), -ENXIO);
	assert_int_equal(access(path, F_OK), 0);
}

static int event_of(enum control_word word, const char *line, struct trace_event *event)
{
	static char text[CONTROL_TEXT];
	const char *why = "";
	int err;

	snprintf(text, sizeof(text), "%s", line);
	err = mt_control_event(word, text, event, &why);
	if (err)
		assert_string_not_equal(why, "");
	return err;
}

TEST("a name has addresses in hexadecimal and the size of an element, or is refused with a reason")
{
	static const char *const refused[] = {"t", "t 1000", "t 2000 1000", "t 1000 1000", "t 10g0 2000", "t 1000 2000 0",
		"t 1000 2000 x", "t 1000 2000 8 9", "/t 1000 2000", "[t] 1000 2000", "unknown 1000 2000", "t -1 2000",
		"t 1000 10000000000000000"};
	struct trace_event event;

	assert_int_equal(event_of(CONTROL_NAME, "l_tax 0x1000 20F0 8", &event), 0);
	assert_int_equal(event.type, TRACE_NAME);
	assert_string_equal(event.text, "l_tax");
	assert_int_equal(event.value[0], 0x1000);
	assert_int_equal(event.value[1], 0x10f0);
	assert_int_equal(event.value[2], 8);
	assert_int_equal(event.value[3], 0);
	assert_int_equal(event_of(CONTROL_NAME, "a=b 1000 2000", &event), 0);
	assert_string_equal(event.text, "a=b");
	assert_int_equal(event.value[2], 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		assert_int_equal(event_of(CONTROL_NAME, refused[i], &event), -EINVAL);
	assert_int_equal(event_of(CONTROL_FORGET, "l_tax", &event), 0);
	assert_int_equal(event.type, TRACE_FORGET);
	assert_string_equal(event.text, "l_tax");
	assert_int_equal(event_of(CONTROL_FORGET, "l tax", &event), -EINVAL);
	assert_int_equal(event_of(CONTROL_FORGET, " ", &event), -EINVAL);
}

TEST_WITH("settling waits until every line is read, and says when it is not", set_up, tear_down)
{
	char text[CONTROL_TEXT];
	struct mt_control *control;

	assert_int_equal(mt_control_settle(path, 1), -ENOENT);
	assert_int_equal(mt_control_open(path, &control), 0);
	assert_int_equal(mt_control_settle(path, 1), 0);
	assert_int_equal(mt_control_send(path, CONTROL_MARK, "a"), 0);
	assert_int_equal(mt_control_settle(path, 1), -ETIMEDOUT);
	assert_int_equal(mt_control_next(control, text), CONTROL_MARK);
	assert_int_equal(mt_control_settle(path, 1), 0);
	mt_control_close(control);
}

TEST_WITH("name and forget arrive with what stands behind them, and are no command without it", set_up, tear_down)
{
	char text[CONTROL_TEXT];
	struct mt_control *control;

	assert_int_equal(mt_control_open(path, &control), 0);
	assert_int_equal(mt_control_send(path, CONTROL_NAME, "t 1000 2000"), 0);
	assert_int_equal(mt_control_send(path, CONTROL_FORGET, "t"), 0);
	assert_int_equal(mt_control_send(path, CONTROL_NAME, ""), 0);
	assert_int_equal(mt_control_next(control, text), CONTROL_NAME);
	assert_string_equal(text, "t 1000 2000");
	assert_int_equal(mt_control_next(control, text), CONTROL_FORGET);
	assert_string_equal(text, "t");
	assert_int_equal(mt_control_next(control, text), CONTROL_UNKNOWN);
	mt_control_close(control);
}

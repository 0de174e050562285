/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <sys/ioctl.h>
#include <termios.h>
#include "common/base/progress.h"

struct terminal {
	int master, saved;
};

/* stderr becomes a terminal of so many columns. */
static void terminal_open(struct terminal *terminal, unsigned short columns)
{
	struct winsize size = {.ws_row = 24, .ws_col = columns};
	int slave;

	terminal->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	assert_true(terminal->master >= 0);
	assert_int_equal(grantpt(terminal->master), 0);
	assert_int_equal(unlockpt(terminal->master), 0);
	slave = open(ptsname(terminal->master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	terminal->saved = dup(STDERR_FILENO);
	dup2(slave, STDERR_FILENO);
	close(slave);
}

static void terminal_close(struct terminal *terminal)
{
	dup2(terminal->saved, STDERR_FILENO);
	close(terminal->saved);
	close(terminal->master);
}

static void expect_written(struct terminal *terminal, const char *expected)
{
	char text[4096];
	ssize_t got = read(terminal->master, text, sizeof(text) - 1);

	text[got < 0 ? 0 : got] = '\0';
	assert_string_equal(text, expected);
}

TEST("progress rewrites one line of the terminal")
{
	struct terminal terminal;
	struct progress progress;

	setenv("TERM", "xterm", 1);
	terminal_open(&terminal, 21);
	progress_init(&progress, false);
	assert_true(progress.is_shown);
	progress_clear(&progress);
	expect_written(&terminal, "");
	progress_line(&progress, "%d%% done", 50);
	expect_written(&terminal, "\r50% done");
	progress_line(&progress, "end");
	expect_written(&terminal, "\rend     ");
	progress_line(&progress, "0123456789012345678901234");
	expect_written(&terminal, "\r01234567890123456789");
	progress_clear(&progress);
	expect_written(&terminal, "\r                    \r");
	progress_clear(&progress);
	expect_written(&terminal, "");
	terminal_close(&terminal);
}

TEST("progress shows nothing when quiet or without a capable terminal")
{
	struct terminal terminal;
	struct progress progress;

	terminal_open(&terminal, 80);
	setenv("TERM", "xterm", 1);
	progress_init(&progress, true);
	progress_line(&progress, "quiet");
	setenv("TERM", "dumb", 1);
	progress_init(&progress, false);
	progress_line(&progress, "dumb");
	progress_clear(&progress);
	expect_written(&terminal, "");
	terminal_close(&terminal);
}

TEST("a file is no terminal")
{
	struct progress progress;
	int saved = dup(STDERR_FILENO);
	int file = open("/dev/null", O_WRONLY);

	setenv("TERM", "xterm", 1);
	dup2(file, STDERR_FILENO);
	progress_init(&progress, false);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(file);
	assert_false(progress.is_shown);
}

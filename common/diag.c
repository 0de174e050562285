/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void diag_claim_descriptors(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* The lowest free number is given, and opened for what nobody does with it. */
		int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", mode | O_CLOEXEC) < 0)
			return;
	}
}

static void check_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	diag_error(0, "cannot write to standard output");
	_exit(DIAG_EXIT_HOST);
}

void diag_watch_stdout(void)
{
	/* No room for one function more: what fails then fails unseen, which is no reason not to run. */
	(void)atexit(check_stdout);
}

/* Texts of the caller's (options, file names) may hold newlines and what terminals obey. */
static void make_printable(char *text, int length)
{
	for (int i = 0; i < length; i++)
		if ((unsigned char)text[i] < ' ' || text[i] == '\177')
			text[i] = '?';
}

__attribute__((format(printf, 3, 0)))
static void write_line(const char *kind, int err, const char *format, va_list arguments)
{
	char line[1024];
	size_t room = sizeof(line) - 1;
	int used = snprintf(line, room, "%s: %s", program_invocation_short_name, kind);

	used += vsnprintf(line + used, room - (size_t)used, format, arguments);
	if ((size_t)used > room)
		used = (int)room;
	if (err && (size_t)used < room) {
		used += snprintf(line + used, room - (size_t)used, ": %s", strerror(err < 0 ? -err : err));
		if ((size_t)used > room)
			used = (int)room;
	}
	make_printable(line, used);
	line[used++] = '\n';
	/* Nothing sensible can be done when stderr is gone. */
	if (write(STDERR_FILENO, line, (size_t)used) < 0)
		return;
}

void diag_error(int err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line("", err, format, arguments);
	va_end(arguments);
}

void diag_warn(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line("warning: ", 0, format, arguments);
	va_end(arguments);
}

void diag_info(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line("", 0, format, arguments);
	va_end(arguments);
}

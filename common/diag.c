/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/utf8.h"

static void pass_over(int number)
{
	(void)number;
}

/* Not SIG_IGN, which programs that are executed would inherit. */
static void survive_file_limit(void)
{
	struct sigaction action = {.sa_handler = pass_over, .sa_flags = SA_RESTART}, old;

	if (!sigaction(SIGXFSZ, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
}

void diag_claim_descriptors(void)
{
	survive_file_limit();
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* The lowest free number is given, and opened for what nobody does with it. */
		int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", mode | O_CLOEXEC) < 0)
			return;
	}
}

/* Bytes of the character at text, 0 = none is there or it is not shown as it is; *is_cut: it may go on behind the end. */
static size_t shown_length(const char *text, size_t length, const char *keep, bool *is_cut)
{
	uint32_t code;
	size_t size = utf8_decode(text, length, &code);

	*is_cut = size > length;
	return !*is_cut && (utf8_is_shown(code) || (code && code < 0x80 && strchr(keep, (int)code))) ? size : 0;
}

/* What '?' stands for: a whole character where one is there, else a byte. */
static size_t hidden_length(const unsigned char *at, size_t length)
{
	size_t size = 1;

	if (at[0] < 0xc2)
		return 1;
	while (size < length && size < 4 && at[size] >> 6 == 2)
		size++;
	return size;
}

/* *rest: bytes at the end that may be the beginning of a character; NULL: there is nothing behind the end. */
static size_t clean(unsigned char *text, size_t length, const char *keep, size_t *rest)
{
	size_t used = 0;

	for (size_t at = 0, size; at < length; at += size) {
		bool is_cut;

		size = shown_length((const char *)text + at, length - at, keep, &is_cut);
		if (size) {
			memmove(text + used, text + at, size);
			used += size;
			continue;
		}
		if (is_cut && rest) {
			*rest = length - at;
			memmove(text + used, text + at, *rest);
			return used;
		}
		size = hidden_length(text + at, length - at);
		text[used++] = '?';
	}
	return used;
}

size_t diag_clean(char *text, size_t length, const char *keep)
{
	size_t used = clean((unsigned char *)text, length, keep, NULL);

	if (used < length)
		text[used] = '\0';
	return used;
}

/* A character may be cut in two where stdio's buffer ends. */
struct terminal {
	size_t held;
	unsigned char text[4096 + 8];
};

static bool write_all(const void *bytes, size_t size)
{
	for (size_t sent = 0; sent < size;) {
		ssize_t wrote = write(STDOUT_FILENO, (const char *)bytes + sent, size - sent);

		if (wrote < 0 && errno != EINTR)
			return false;
		sent += wrote > 0 ? (size_t)wrote : 0;
	}
	return true;
}

static ssize_t write_terminal(void *data, const char *bytes, size_t size)
{
	struct terminal *terminal = data;

	for (size_t done = 0, part; done < size; done += part) {
		size_t rest = 0, used;

		part = size - done < 4096 ? size - done : 4096;
		memcpy(terminal->text + terminal->held, bytes + done, part);
		used = clean(terminal->text, terminal->held + part, "\n\r\t\b\f", &rest);
		if (!write_all(terminal->text, used))
			return 0;
		memmove(terminal->text, terminal->text + used, rest);
		terminal->held = rest;
	}
	return (ssize_t)size;
}

static void clean_terminal(void)
{
	static const cookie_io_functions_t functions = {.write = write_terminal};
	static struct terminal terminal; /* as long as stdout is */
	FILE *cleaned;

	if (!isatty(STDOUT_FILENO))
		return;
	cleaned = fopencookie(&terminal, "w", functions);
	if (!cleaned)
		return;
	setvbuf(cleaned, NULL, _IOLBF, BUFSIZ);
	stdout = cleaned;
}

/* Behind the back of stdio, which cleans: a name in a report may look like any sequence. What cannot be written now, cannot
 * be a moment later either, and then stdio says so. */
void diag_colour(FILE *out, const char *sequence)
{
	if (out != stdout || !isatty(STDOUT_FILENO))
		fputs(sequence, out);
	else if (*sequence && !fflush(out))
		(void)write_all(sequence, strlen(sequence));
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
	clean_terminal();
	/* No room for one function more: what fails then fails unseen, which is no reason not to run. */
	(void)atexit(check_stdout);
}

__attribute__((format(printf, 3, 0)))
static void write_line(const char *kind, int err, const char *format, va_list arguments)
{
	char line[1024];
	size_t room = sizeof(line) - 1;
	int used = snprintf(line, room, "%.64s: %s", program_invocation_short_name, kind);

	used += vsnprintf(line + used, room - (size_t)used, format, arguments);
	if ((size_t)used > room)
		used = (int)room;
	if (err && (size_t)used < room) {
		used += snprintf(line + used, room - (size_t)used, ": %s", strerror(err < 0 ? -err : err));
		if ((size_t)used > room)
			used = (int)room;
	}
	used = (int)diag_clean(line, (size_t)used, "");
	line[used++] = '\n';
	/* Nothing sensible can be done when stderr is gone. */
	if (write(STDERR_FILENO, line, (size_t)used) < 0)
		return;
}

int diag_error(int err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line("", err, format, arguments);
	va_end(arguments);
	return err < 0 ? err : -err;
}

int diag_explain(int err, char *why, size_t length, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, length, format, arguments);
	va_end(arguments);
	return err;
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

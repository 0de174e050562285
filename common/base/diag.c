/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/utf8.h"

/* Executed programs would inherit SIG_IGN. */
static void do_nothing(int number)
{
	(void)number;
}

void diag_claim_descriptors(void)
{
	struct sigaction action = {.sa_handler = do_nothing, .sa_flags = SA_RESTART}, old;

	if (!sigaction(SIGXFSZ, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGXFSZ, &action, NULL);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		/* open(2) returns the lowest free number; the mode makes any use of the descriptor fail. */
		int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", mode | O_CLOEXEC) < 0)
			return;
	}
}

/* *rest: bytes at the end that may be the beginning of a character; NULL: nothing follows the text. */
static size_t clean(unsigned char *text, size_t length, const char *keep, size_t *rest)
{
	size_t used = 0;

	for (size_t at = 0, size; at < length; at += size) {
		uint32_t code;
		bool is_cut;

		size = utf8_decode((const char *)text + at, length - at, &code);
		is_cut = size > length - at;
		if (size && !is_cut && (utf8_is_shown(code) || (code && code < 0x80 && strchr(keep, (int)code)))) {
			memmove(text + used, text + at, size);
			used += size;
			continue;
		}
		if (is_cut && rest) {
			*rest = length - at;
			memmove(text + used, text + at, *rest);
			return used;
		}
		/* One '?' replaces a whole character, or one byte that begins none. */
		size = 1;
		while (text[at] >= 0xc2 && at + size < length && size < 4 && text[at + size] >> 6 == 2)
			size++;
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

/* The end of stdio's buffer may cut a character in two. */
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

/* Bypasses stdio, which would clean the sequence. A failed write is not reported here: stdio's next write fails as well and is
 * reported. */
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
	static const cookie_io_functions_t functions = {.write = write_terminal};
	static struct terminal terminal; /* used until the program ends */
	FILE *cleaned = isatty(STDOUT_FILENO) ? fopencookie(&terminal, "w", functions) : NULL;

	if (cleaned) {
		setvbuf(cleaned, NULL, _IOLBF, BUFSIZ);
		stdout = cleaned;
	}
	/* If atexit fails, a failed write goes unreported, which is no reason not to run. */
	(void)atexit(check_stdout);
}

__attribute__((format(printf, 3, 0)))
static void write_line(const char *kind, int err, const char *format, va_list arguments)
{
	char line[1024];
	size_t capacity = sizeof(line) - 1;
	int used = snprintf(line, capacity, "%.64s: %s", program_invocation_short_name, kind);

	used += vsnprintf(line + used, capacity - (size_t)used, format, arguments);
	if ((size_t)used > capacity)
		used = (int)capacity;
	if (err && (size_t)used < capacity) {
		used += snprintf(line + used, capacity - (size_t)used, ": %s", strerror(err < 0 ? -err : err));
		if ((size_t)used > capacity)
			used = (int)capacity;
	}
	used = (int)diag_clean(line, (size_t)used, "");
	line[used++] = '\n';
	/* A failed write cannot be reported: stderr is gone. */
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

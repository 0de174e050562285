/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/base/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define LINE_MAX_BYTES 512

void progress_init(struct progress *progress, bool is_quiet)
{
	const char *term = getenv("TERM");

	progress->width = 0;
	progress->is_shown = !is_quiet && isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
}

/* Pads text with blanks to the length of the previous text. */
static void rewrite(struct progress *progress, const char *text, int width)
{
	char line[2 * LINE_MAX_BYTES + 4];
	int old = progress->width;
	int used = snprintf(line, sizeof(line), "\r%.*s", width, text);

	if (old > width)
		used += snprintf(line + used, sizeof(line) - (size_t)used, "%*s", old - width, "");
	if (!width)
		line[used++] = '\r';
	progress->width = width;
	/* A failed write cannot be reported: the terminal is gone. */
	if (write(STDERR_FILENO, line, (size_t)used) < 0)
		progress->is_shown = false;
}

void progress_line(struct progress *progress, const char *format, ...)
{
	char text[LINE_MAX_BYTES + 1];
	va_list arguments;
	struct winsize size;
	int columns = 79, width;

	if (!progress->is_shown)
		return;
	va_start(arguments, format);
	width = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (width < 0)
		return;
	/* A line that reaches the last column would wrap, and then could not be rewritten in place. */
	if (!ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		columns = size.ws_col - 1;
	columns = columns < LINE_MAX_BYTES ? columns : LINE_MAX_BYTES;
	rewrite(progress, text, width < columns ? width : columns);
}

void progress_clear(struct progress *progress)
{
	if (progress->is_shown && progress->width)
		rewrite(progress, "", 0);
}

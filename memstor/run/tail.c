/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/tail.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/diag.h"

#define TAIL_BYTES 4096

static size_t read_part(int fd, enum run_tail which, char *text, size_t room)
{
	struct stat status;
	off_t from = 0;
	ssize_t size;

	if (which == RUN_TAIL_LAST && !fstat(fd, &status) && status.st_size > (off_t)room)
		from = status.st_size - (off_t)room;
	size = pread(fd, text, room, from);
	return size > 0 ? (size_t)size : 0;
}

/* The line from *from on, without its newline; false at the end. */
static bool next_line(const char **from, const char *end, const char **line, size_t *size)
{
	if (*from >= end)
		return false;
	*line = *from;
	for (*size = 0; *from < end && **from != '\n'; (*from)++)
		(*size)++;
	*from += *from < end;
	return true;
}

static void take(const char *text, size_t size, const char *program, char *line, size_t length)
{
	size_t prefix = strlen(program);

	if (size > prefix + 1 && !memcmp(text, program, prefix) && text[prefix] == ':' && text[prefix + 1] == ' ') {
		text += prefix + 2;
		size -= prefix + 2;
	}
	snprintf(line, length, "%.*s", (int)size, text);
	diag_clean(line, strlen(line), "");
}

void run_tail(int fd, const char *program, enum run_tail which, char *line, size_t length)
{
	char text[TAIL_BYTES];
	const char *from = text, *end = text + read_part(fd, which, text, sizeof(text));
	const char *at;
	size_t size;

	*line = '\0';
	while (next_line(&from, end, &at, &size)) {
		if (size)
			take(at, size, program, line, length);
		if (size && which == RUN_TAIL_FIRST)
			return;
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/base/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALUE_MAX 4096
#define NUMBER_MAX 256  /* bytes of a file with one number, blanks included */
#define FIELD_FILE_MAX (1024 * 1024)
#define CHOICE_MAX 1024 /* bytes of a file with a list of choices */

const char *sysfs_path(char path[SYSFS_PATH_BYTES], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(path, SYSFS_PATH_BYTES, format, arguments);
	va_end(arguments);
	return path;
}

int sysfs_open_folder(int dirfd, const char *path, DIR **folder)
{
	int fd = openat(dirfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;
	DIR *found = fd < 0 ? NULL : fdopendir(fd);

	if (found)
		*folder = found;
	else
		err = -errno;
	if (fd >= 0 && !found)
		close(fd);
	return err;
}

/* Values are read deep in the stack, and without a root this frame is not needed. */
static int __attribute__((noinline)) open_in(const char *root, const char *path, int flags)
{
	char full[PATH_MAX];
	int length = snprintf(full, sizeof(full), "%s%s", root, path);

	if (length < 0 || (size_t)length >= sizeof(full))
		return -ENAMETOOLONG;
	return open(full, flags | O_CLOEXEC);
}

static int open_below(const char *root, const char *path, int flags)
{
	int fd = *root ? open_in(root, path, flags) : open(path, flags | O_CLOEXEC);

	return fd == -1 ? -errno : fd;
}

/* A read of a kernel file may be short at any point: only a read of 0 bytes is the end. */
static int read_fully(int fd, char *buffer, size_t size, size_t *length)
{
	size_t used = 0;

	while (used < size) {
		ssize_t got = TEMP_FAILURE_RETRY(read(fd, buffer + used, size - used));

		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		used += (size_t)got;
	}
	*length = used;
	return 0;
}

static int copy_value(char *value, size_t capacity, const char *from, size_t length)
{
	if (length >= capacity)
		return -EOVERFLOW;
	memcpy(value, from, length);
	value[length] = '\0';
	return 0;
}

int sysfs_read(const char *root, const char *path, char *value, size_t length)
{
	char text[VALUE_MAX + 1];
	size_t used;
	int fd = open_below(root, path, O_RDONLY);
	int err;

	if (fd < 0)
		return fd;
	err = read_fully(fd, text, sizeof(text), &used);
	close(fd);
	if (err)
		return err;
	const char *newline = memchr(text, '\n', used);

	if (newline)
		used = (size_t)(newline - text);
	else if (used == sizeof(text))
		return -EOVERFLOW;
	while (used && strchr(" \t\r", text[used - 1]))
		used--;
	return copy_value(value, length, text, used);
}

const char *sysfs_scan_u64(const char *text, uint64_t *value)
{
	uint64_t number = 0;
	const char *p = text;

	for (; *p >= '0' && *p <= '9'; p++) {
		uint64_t digit = (uint64_t)(*p - '0');

		if (number > (UINT64_MAX - digit) / 10)
			return NULL;
		number = number * 10 + digit;
	}
	if (p == text)
		return NULL;
	*value = number;
	return p;
}

int sysfs_read_u64(const char *root, const char *path, uint64_t *value)
{
	char text[NUMBER_MAX];
	uint64_t number;
	int err = sysfs_read(root, path, text, sizeof(text));

	if (err)
		return err;
	if (!text[0] || text[strspn(text, "0123456789")])
		return -EINVAL;
	if (!sysfs_scan_u64(text, &number))
		return -ERANGE;
	*value = number;
	return 0;
}

int sysfs_read_choice(const char *root, const char *path, char *value, size_t length)
{
	char text[CHOICE_MAX];
	int err = sysfs_read(root, path, text, sizeof(text));

	if (err)
		return err;
	const char *begin = strchr(text, '[');
	const char *end = begin ? strchr(begin, ']') : NULL;

	if (!end)
		return -EINVAL;
	return copy_value(value, length, begin + 1, (size_t)(end - begin - 1));
}

int sysfs_write(const char *root, const char *path, const char *value)
{
	size_t length = strlen(value);
	ssize_t put;
	/* The kernel ignores O_TRUNC, which shortens a fixture's old value. */
	int fd = open_below(root, path, O_WRONLY | O_TRUNC);
	int err = 0;

	if (fd < 0)
		return fd;
	put = TEMP_FAILURE_RETRY(write(fd, value, length));
	if (put < 0)
		err = -errno;
	else if ((size_t)put != length)
		err = -EIO;
	close(fd);
	return err;
}

int sysfs_slurp(const char *root, const char *path, size_t limit, char **text, size_t *length)
{
	size_t capacity = limit < 16384 ? limit : 16384;
	size_t used = 0;
	char *buffer = NULL;
	int fd = open_below(root, path, O_RDONLY);
	int err;

	if (fd < 0)
		return fd;
	for (;; capacity = capacity > limit / 2 ? limit : capacity * 2) {
		/* One byte more than capacity distinguishes a full buffer from the end of the file, then holds the NUL. */
		char *larger = realloc(buffer, capacity + 1);
		size_t got = 0;

		err = larger ? 0 : -ENOMEM;
		if (err)
			goto out;
		buffer = larger;
		err = read_fully(fd, buffer + used, capacity + 1 - used, &got);
		if (err)
			goto out;
		used += got;
		if (used <= capacity)
			break;
		err = capacity == limit ? -EFBIG : 0;
		if (err)
			goto out;
	}
	buffer[used] = '\0';
	*text = buffer;
	*length = used;
	buffer = NULL;
out:
	free(buffer);
	close(fd);
	return err;
}

const char *sysfs_field(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *value = line + length;

		if (strncmp(line, name, length) || !*value || !strchr(":\t ", *value))
			continue;
		value += strspn(value, "\t ");
		value += *value == ':';
		return value + strspn(value, "\t ");
	}
	return NULL;
}

int sysfs_read_field(const char *root, const char *path, const char *name, int base, uint64_t *value)
{
	const char *field;
	size_t length;
	char *text;
	int err = sysfs_slurp(root, path, FIELD_FILE_MAX, &text, &length);

	if (err)
		return err;
	field = sysfs_field(text, name);
	if (field)
		*value = strtoull(field, NULL, base);
	free(text);
	return field ? 0 : -ENODATA;
}

void sysfs_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		bool is_escape = from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' &&
			from[2] <= '7' && from[3] >= '0' && from[3] <= '7';

		*to = is_escape ? (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0')) : *from;
		from += is_escape ? 4 : 1;
	}
	*to = '\0';
}

bool sysfs_has_word(const char *words, const char *separators, const char *word)
{
	size_t length;

	for (; *words; words += length) {
		words += strspn(words, separators);
		length = strcspn(words, separators);
		if (length && length == strlen(word) && !strncmp(words, word, length))
			return true;
	}
	return false;
}

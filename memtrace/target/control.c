/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/target/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "memtrace/file/selection.h"

struct mt_control {
	int fd;
	bool is_made;
	pid_t guardian; /* removes the FIFO when this process is killed; 0 = none */
	char *path;
	size_t length;
	bool is_too_long; /* the rest of a dropped line, up to the next line feed, is still to come */
	char line[CONTROL_TEXT];
};

static const char *const words[] = {[CONTROL_START] = "start", [CONTROL_STOP] = "stop", [CONTROL_MARK] = "mark",
	[CONTROL_NAME] = "name", [CONTROL_FORGET] = "forget"};

enum control_word mt_control_find(const char *word)
{
	for (size_t i = CONTROL_START; i < CONTROL_UNKNOWN; i++) {
		if (!strcmp(words[i], word))
			return (enum control_word)i;
	}
	return CONTROL_UNKNOWN;
}

const char *mt_control_text(enum control_word word)
{
	return word == CONTROL_MARK ? "TEXT" : word == CONTROL_NAME ? "NAME START END [ELEMENT_BYTES]"
		: word == CONTROL_FORGET ? "NAME" : "";
}

int mt_control_event(enum control_word word, char text[CONTROL_TEXT], struct trace_event *event, const char **why)
{
	char *part[5] = {NULL}, *rest = NULL, line[CONTROL_TEXT + 8];
	struct named_range range;
	size_t count = 0;

	for (char *at = strtok_r(text, " ", &rest); at && count < 5; at = strtok_r(NULL, " ", &rest))
		part[count++] = at;
	*event = (struct trace_event){.type = word == CONTROL_NAME ? TRACE_NAME : TRACE_FORGET, .text = part[0]};
	*why = "must be NAME";
	if (word == CONTROL_FORGET)
		return count == 1 ? 0 : -EINVAL;
	*why = "must be NAME START END or NAME START END ELEMENT_BYTES, addresses in hexadecimal";
	if (count != 3 && count != 4)
		return -EINVAL;
	/* The form is that of --range. */
	snprintf(line, sizeof(line), "%s=%s-%s%s%s", part[0], part[1], part[2], count == 4 ? "/" : "", count == 4 ? part[3] : "");
	if (selection_parse_range(line, &range, why)) {
		if (strstr(*why, "NAME=START"))
			*why = "must be NAME START END or NAME START END ELEMENT_BYTES, addresses in hexadecimal";
		return -EINVAL;
	}
	event->value[0] = range.begin;
	event->value[1] = range.end - range.begin;
	event->value[2] = range.element;
	return 0;
}

static void remove_own(const char *path, const struct stat *own)
{
	struct stat found;

	if (!lstat(path, &found) && found.st_dev == own->st_dev && found.st_ino == own->st_ino)
		unlink(path);
}

/* Removes the FIFO after the process of parent_fd has ended; does not return. */
static void guard(const char *path, const struct stat *own, int parent_fd)
{
	struct pollfd parent = {.events = POLLIN};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, "memtrace-fifo");
	/* Closes stderr and pipes of the recording, because their readers must not wait for this process. */
	parent.fd = dup2(parent_fd, 0);
	syscall(SYS_close_range, 1, ~0u, 0);
	while (poll(&parent, 1, -1) < 0 && errno == EINTR)
		;
	remove_own(path, own);
	_exit(0);
}

static int start_guardian(struct mt_control *control, const struct stat *own)
{
	int parent_fd = (int)syscall(SYS_pidfd_open, getpid(), 0), err = parent_fd < 0 ? -errno : 0;
	pid_t pid = err ? -1 : fork();

	if (!err && pid < 0)
		err = -errno;
	if (!pid)
		guard(control->path, own, parent_fd);
	if (parent_fd >= 0)
		close(parent_fd);
	control->guardian = err ? 0 : pid;
	return err;
}

static int check(const struct stat *status)
{
	if (!S_ISFIFO(status->st_mode))
		return -EEXIST;
	return status->st_uid != geteuid() || status->st_mode & (S_IWGRP | S_IWOTH) ? -EREMOTE : 0;
}

int mt_control_open(const char *path, struct mt_control **control)
{
	struct mt_control *new = calloc(1, sizeof(*new));
	struct stat status = {0};
	int err = 0;

	if (!new)
		return -ENOMEM;
	new->fd = -1;
	new->path = strdup(path);
	if (!new->path)
		err = -ENOMEM;
	else if (!mkfifo(path, 0600))
		new->is_made = true;
	else if (errno != EEXIST)
		err = -errno;
	/* Opens both ends, because without a writer reads return the end of the file. */
	if (!err) {
		new->fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		err = new->fd < 0 || fstat(new->fd, &status) ? -errno : 0;
	}
	if (!err)
		err = check(&status);
	if (!err && new->is_made)
		err = start_guardian(new, &status);
	if (!err && flock(new->fd, LOCK_EX | LOCK_NB))
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (err) {
		mt_control_close(new);
		return err;
	}
	*control = new;
	return 0;
}

int mt_control_fd(const struct mt_control *control)
{
	return control ? control->fd : -1;
}

static enum control_word read_word(char *line, char text[CONTROL_TEXT])
{
	size_t length = strcspn(line, " ");
	bool has_text = line[length] == ' ' && line[length + 1];
	enum control_word word;

	snprintf(text, CONTROL_TEXT, "%s", line);
	line[length] = '\0';
	word = mt_control_find(line);
	if (word != CONTROL_UNKNOWN && has_text == (*mt_control_text(word) != '\0'))
		snprintf(text, CONTROL_TEXT, "%s", has_text ? line + length + 1 : "");
	else
		word = CONTROL_UNKNOWN;
	diag_clean(text, strlen(text), "");
	return word;
}

enum control_word mt_control_next(struct mt_control *control, char text[CONTROL_TEXT])
{
	for (;;) {
		char *end = memchr(control->line, '\n', control->length);
		enum control_word word;
		ssize_t got;

		if (end) {
			size_t used = (size_t)(end + 1 - control->line);

			*end = '\0';
			word = control->is_too_long ? CONTROL_NONE : read_word(control->line, text);
			control->is_too_long = false;
			memmove(control->line, control->line + used, control->length - used);
			control->length -= used;
			if (word == CONTROL_NONE)
				continue;
			return word;
		}
		if (control->length == sizeof(control->line)) {
			control->is_too_long = true;
			control->length = 0;
		}
		got = read(control->fd, control->line + control->length, sizeof(control->line) - control->length);
		if (got <= 0)
			return CONTROL_NONE;
		control->length += (size_t)got;
	}
}

void mt_control_close(struct mt_control *control)
{
	if (!control)
		return;
	if (control->is_made)
		unlink(control->path);
	if (control->guardian) {
		kill(control->guardian, SIGKILL);
		waitpid(control->guardian, NULL, 0);
	}
	if (control->fd >= 0)
		close(control->fd);
	free(control->path);
	free(control);
}

int mt_control_send(const char *path, enum control_word word, const char *text)
{
	char line[CONTROL_TEXT + 1];
	int length = snprintf(line, sizeof(line), "%s%s%s\n", words[word], text[0] ? " " : "", text), fd, err = 0;
	struct stat status;

	if (length >= CONTROL_TEXT)
		return -EMSGSIZE;
	for (char *at = line; at < line + length - 1; at++) {
		if ((unsigned char)*at < ' ')
			*at = '?';
	}
	fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &status) && !S_ISFIFO(status.st_mode))
		err = -ENXIO;
	/* A write of less than PIPE_BUF is atomic. */
	else if (write(fd, line, (size_t)length) < 0)
		err = -errno;
	close(fd);
	return err;
}

int mt_control_settle(const char *path, uint64_t wait_ns)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + wait_ns;
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC), left = 1, err = fd < 0 ? -errno : 0;

	while (!err && left) {
		if (ioctl(fd, FIONREAD, &left))
			err = -errno;
		else if (left && clock_ns(CLOCK_MONOTONIC) > until_ns)
			err = -ETIMEDOUT;
		else if (left)
			clock_pause(CLOCK_NS_PER_S / 1000);
	}
	if (fd >= 0)
		close(fd);
	return err;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/trace_instance.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/tracefs.h"
#include "common/units.h"

static int refuse(const char *what, int rc)
{
	if (rc == -EACCES || rc == -EPERM)
		diag_error(rc, "%s needs root and the kernel's tracing", what);
	else
		diag_error(rc, "%s: this kernel has no tracing (tracefs)", what);
	return DIAG_EXIT_HOST;
}

int trace_instance_try(void)
{
	int fd, rc = tracefs_open_dir(&fd);

	if (rc)
		return rc;
	/* The folder can be opened by anybody, what is in it cannot. */
	rc = faccessat(fd, "instances", W_OK | X_OK, AT_EACCESS) ? -errno : 0;
	close(fd);
	return rc;
}

int trace_instance_check(const char *what)
{
	int rc = trace_instance_try();

	return rc ? refuse(what, rc) : DIAG_EXIT_OK;
}

/* -ECANCELED: the line was written. */
static int make(struct undo *undo, const char *prefix, struct trace_instance *instance)
{
	struct undo_action action = {.act = UNDO_TRACE};
	unsigned number;
	int rc = tracefs_open_dir(&instance->tracefs);

	if (rc)
		return rc;
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EIO;
	/* The journal has it before it is there: the random number keeps it from being the name of another's. */
	snprintf(instance->name, sizeof(instance->name), "%s%d-%08x", prefix, (int)getpid(), number);
	snprintf(action.path, sizeof(action.path), "%s", instance->name);
	if (undo_add(undo, &action))
		return -ECANCELED;
	snprintf(instance->folder, sizeof(instance->folder), "instances/%s", instance->name);
	if (mkdirat(instance->tracefs, instance->folder, 0700))
		return -errno;
	instance->is_made = true;
	instance->fd = openat(instance->tracefs, instance->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return instance->fd < 0 ? -errno : 0;
}

static int set_up(const struct trace_instance *instance, unsigned buffer_kib)
{
	char size[32];
	int rc = trace_instance_write(instance, "tracing_on", "0");

	snprintf(size, sizeof(size), "%u", buffer_kib);
	if (!rc)
		rc = trace_instance_write(instance, "buffer_size_kb", size);
	if (!rc)
		rc = trace_instance_write(instance, "trace_clock", "mono");
	/* An instance begins with what the administrator has set for all; an old kernel may lack it. */
	(void)trace_instance_write(instance, "trace_options", "overwrite");
	(void)trace_instance_write(instance, "trace_options", "markers");
	return rc;
}

int trace_instance_open_quietly(struct undo *undo, const char *prefix, unsigned buffer_kib,
	struct trace_instance *instance)
{
	int rc;

	*instance = (struct trace_instance){.tracefs = -1, .fd = -1};
	rc = make(undo, prefix, instance);
	if (!rc)
		rc = set_up(instance, buffer_kib);
	if (rc)
		trace_instance_close(instance);
	return rc;
}

int trace_instance_open(struct undo *undo, const char *prefix, unsigned buffer_kib, struct trace_instance *instance)
{
	int rc = trace_instance_open_quietly(undo, prefix, buffer_kib, instance);

	if (rc && rc != -ECANCELED)
		diag_error(rc, "cannot make and set up a trace instance %s...", prefix);
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

int trace_instance_write(const struct trace_instance *instance, const char *path, const char *text)
{
	int fd = openat(instance->fd, path, O_WRONLY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

int trace_instance_read(const struct trace_instance *instance, const char *path, char *text, size_t room)
{
	int fd = openat(instance->fd, path, O_RDONLY | O_CLOEXEC), rc = 0;
	size_t done = 0;
	ssize_t size = 1;

	if (fd < 0)
		return -errno;
	while (size > 0 && done < room - 1) {
		size = read(fd, text + done, room - 1 - done);
		if (size < 0)
			rc = -errno;
		else
			done += (size_t)size;
	}
	close(fd);
	text[done] = '\0';
	return rc;
}

int trace_instance_format(const struct trace_instance *instance, const char *event, char *text, size_t room)
{
	char path[128];

	snprintf(path, sizeof(path), "events/%s/format", event);
	return trace_instance_read(instance, path, text, room);
}

static int write_event(const struct trace_instance *instance, const char *event, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "events/%s/%s", event, file);
	return trace_instance_write(instance, path, text);
}

int trace_instance_enable(const struct trace_instance *instance, const char *event, const char *filter)
{
	int rc = filter ? write_event(instance, event, "filter", filter) : 0;

	return rc ? rc : write_event(instance, event, "enable", "1");
}

int trace_instance_disable(const struct trace_instance *instance, const char *event)
{
	return write_event(instance, event, "enable", "0");
}

/* --- what was lost --- */

/* Of "\nname: 17\n". */
static uint64_t read_count(const char *text, const char *line)
{
	const char *at = strstr(text, line);
	uint64_t value = 0;
	char number[32];

	if (!at)
		return 0;
	snprintf(number, sizeof(number), "%.*s", (int)strcspn(at + strlen(line), "\n"), at + strlen(line));
	return units_parse_u64(number, 0, UINT64_MAX, &value) ? 0 : value;
}

uint64_t trace_instance_lost(const struct trace_instance *instance)
{
	char *text = malloc(TRACE_INSTANCE_TEXT), path[300];
	int fd = openat(instance->fd, "per_cpu", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	uint64_t lost = 0;

	while (text && folder && (entry = readdir(folder))) {
		snprintf(path, sizeof(path), "per_cpu/%s/stats", entry->d_name);
		if (strncmp(entry->d_name, "cpu", 3) != 0 || trace_instance_read(instance, path, text, TRACE_INSTANCE_TEXT))
			continue;
		/* Entries are left where the reader had no room for them. */
		lost += read_count(text, "entries: ") + read_count(text, "\noverrun: ") +
			read_count(text, "\ncommit overrun: ") + read_count(text, "\ndropped events: ");
	}
	if (folder)
		closedir(folder);
	else if (fd >= 0)
		close(fd);
	free(text);
	return lost;
}

void trace_instance_close(struct trace_instance *instance)
{
	if (instance->fd >= 0)
		close(instance->fd);
	/* What cannot be removed here is tried again, and told, by undo_close. */
	if (instance->is_made)
		unlinkat(instance->tracefs, instance->folder, AT_REMOVEDIR);
	if (instance->tracefs >= 0)
		close(instance->tracefs);
	*instance = (struct trace_instance){.tracefs = -1, .fd = -1};
}

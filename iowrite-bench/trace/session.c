/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/tracefs.h"
#include "common/units.h"
#include "iowrite-bench/trace/drain.h"

#define MARK "memstor iowrite-bench begins"
#define FILE_BYTES 16384 /* of a format file, and more */

struct session {
	struct undo *undo;
	int tracefs, fd;     /* its folder, and the instance's */
	char name[64], folder[96]; /* of the instance, and below tracefs */
	bool is_made;
	struct event_format formats[EVENT_FORMATS];
	struct drain *drain;
};

static int refuse(int rc)
{
	diag_error(rc, rc == -EACCES || rc == -EPERM ? "trace needs root and the kernel's tracing"
						     : "this kernel has no tracing (tracefs)");
	return DIAG_EXIT_HOST;
}

int session_check(void)
{
	int fd, rc = tracefs_open_dir(&fd);

	if (rc)
		return refuse(rc);
	/* The folder can be opened by anybody, what is in it cannot. */
	rc = faccessat(fd, "instances", W_OK | X_OK, AT_EACCESS) ? -errno : 0;
	close(fd);
	return rc ? refuse(rc) : DIAG_EXIT_OK;
}

static int make_instance(struct session *session)
{
	struct undo_action action = {.act = UNDO_TRACE};
	unsigned number;
	int rc = tracefs_open_dir(&session->tracefs);

	if (rc)
		return rc;
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EIO;
	/* The journal has it before it is there: the random number keeps it from being somebody else's name. */
	snprintf(session->name, sizeof(session->name), SESSION_PREFIX "%d-%08x", (int)getpid(), number);
	snprintf(action.path, sizeof(action.path), "%s", session->name);
	if (undo_add(session->undo, &action))
		return -ECANCELED;
	snprintf(session->folder, sizeof(session->folder), "instances/%s", session->name);
	if (mkdirat(session->tracefs, session->folder, 0700))
		return -errno;
	session->is_made = true;
	session->fd = openat(session->tracefs, session->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return session->fd < 0 ? -errno : 0;
}

/* --- its files --- */

static int write_file(const struct session *session, const char *path, const char *text)
{
	int fd = openat(session->fd, path, O_WRONLY | O_CLOEXEC), rc = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		rc = -errno;
	close(fd);
	return rc;
}

static int read_file(const struct session *session, const char *path, char text[FILE_BYTES])
{
	int fd = openat(session->fd, path, O_RDONLY | O_CLOEXEC), rc = 0;
	size_t done = 0;
	ssize_t size = 1;

	if (fd < 0)
		return -errno;
	while (size > 0 && done < FILE_BYTES - 1) {
		size = read(fd, text + done, FILE_BYTES - 1 - done);
		if (size < 0)
			rc = -errno;
		else
			done += (size_t)size;
	}
	close(fd);
	text[done] = '\0';
	return rc;
}

static int read_formats(struct session *session)
{
	char *text = malloc(FILE_BYTES), path[128];
	const char *missing = "";
	int rc = text ? 0 : -ENOMEM;

	for (int kind = 0; kind < EVENT_FORMATS && !rc; kind++) {
		const char *name = event_name((enum event_kind)kind);

		snprintf(path, sizeof(path), "events/writeback/%s/format", name);
		rc = read_file(session, path, text);
		if (!rc)
			rc = event_read_format((enum event_kind)kind, text, &session->formats[kind], &missing);
		if (rc == -ENODATA)
			diag_error(0, "this kernel's writeback:%s has no %s: it cannot be traced", name, missing);
		else if (rc)
			diag_error(rc, "cannot read the format of this kernel's writeback:%s", name);
	}
	free(text);
	return rc;
}

/* What lines look like: an instance begins with whatever the administrator has set for all. What a kernel does not know
 * it cannot do either. */
static void set_options(const struct session *session)
{
	static const char *const options[] = {"context-info", "markers", "overwrite", "noirq-info", "norecord-tgid",
		"noraw", "nohex", "nobin", "noverbose", "nofields", "noannotate", "nolatency-format"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		(void)write_file(session, "trace_options", options[i]);
}

static int enable(const struct session *session, enum event_kind kind, const char *bdi)
{
	char path[128], filter[128];

	if (kind != EVENT_STATE) {
		/* Only spares events: they are looked at again. */
		snprintf(path, sizeof(path), "events/writeback/%s/filter", event_name(kind));
		snprintf(filter, sizeof(filter), "bdi == \"%s\"", bdi);
		(void)write_file(session, path, filter);
	}
	snprintf(path, sizeof(path), "events/writeback/%s/enable", event_name(kind));
	return write_file(session, path, "1");
}

static int set_up(struct session *session, const char *bdi)
{
	char size[32];
	int rc = write_file(session, "tracing_on", "0");

	snprintf(size, sizeof(size), "%d", SESSION_BUFFER_KIB);
	if (!rc)
		rc = write_file(session, "buffer_size_kb", size);
	if (!rc)
		rc = write_file(session, "trace_clock", "mono");
	set_options(session);
	for (int kind = 0; kind < EVENT_FORMATS && !rc; kind++)
		rc = enable(session, (enum event_kind)kind, bdi);
	if (rc)
		diag_error(rc, "cannot set up the trace instance %s", session->name);
	return rc;
}

int session_open(struct undo *undo, const char *bdi, struct session **opened)
{
	struct session *session = calloc(1, sizeof(*session));
	int rc, pipe;

	if (!session) {
		diag_error(ENOMEM, "cannot trace");
		return DIAG_EXIT_HOST;
	}
	session->undo = undo;
	session->fd = session->tracefs = -1;
	rc = make_instance(session);
	if (rc && rc != -ECANCELED)
		diag_error(rc, "cannot make the trace instance %s", session->name);
	if (!rc)
		rc = read_formats(session);
	if (!rc)
		rc = set_up(session, bdi);
	if (!rc) {
		pipe = openat(session->fd, "trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		rc = pipe < 0 ? -errno : drain_open(pipe, &session->drain);
		if (rc)
			diag_error(rc, "cannot read the trace instance %s", session->name);
	}
	if (rc)
		session_close(session);
	else
		*opened = session;
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

int session_start(struct session *session)
{
	int rc = write_file(session, "tracing_on", "1");

	/* Tells how events name this thread, whatever PID namespace it is in. */
	if (!rc)
		rc = write_file(session, "trace_marker", MARK "\n");
	if (!rc)
		rc = drain_start(session->drain);
	if (rc)
		diag_error(rc, "cannot start the trace instance %s", session->name);
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
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

static uint64_t count_lost(const struct session *session)
{
	char *text = malloc(FILE_BYTES), path[300];
	int fd = openat(session->fd, "per_cpu", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	uint64_t lost = 0;

	while (text && folder && (entry = readdir(folder))) {
		snprintf(path, sizeof(path), "per_cpu/%s/stats", entry->d_name);
		if (strncmp(entry->d_name, "cpu", 3) != 0 || read_file(session, path, text))
			continue;
		/* Entries are left where there was no room for their text. */
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

static int find_pid(const struct session_trace *trace)
{
	const char *mark = memmem(trace->text, trace->bytes, MARK "\n", strlen(MARK "\n")), *line = mark;
	struct event event;

	if (!mark)
		return 0;
	while (line > trace->text && line[-1] != '\n')
		line--;
	if (event_parse(trace->formats, line, (size_t)(mark - line) + strlen(MARK), &event))
		return 0;
	return event.pid;
}

int session_stop(struct session *session, struct session_trace *trace)
{
	int rc = write_file(session, "tracing_on", "0"), drained = drain_stop(session->drain);

	rc = rc ? rc : drained;
	if (rc) {
		diag_error(rc, "cannot read the trace instance %s", session->name);
		return DIAG_EXIT_HOST;
	}
	*trace = (struct session_trace){.formats = session->formats, .lost = count_lost(session)};
	drain_text(session->drain, &trace->text, &trace->bytes);
	trace->pid = find_pid(trace);
	return DIAG_EXIT_OK;
}

void session_close(struct session *session)
{
	if (!session)
		return;
	drain_close(session->drain);
	if (session->fd >= 0)
		close(session->fd);
	/* What cannot be removed here is tried again, and told, by undo_close. */
	if (session->is_made)
		unlinkat(session->tracefs, session->folder, AT_REMOVEDIR);
	if (session->tracefs >= 0)
		close(session->tracefs);
	free(session);
}

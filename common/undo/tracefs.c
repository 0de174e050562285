/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/undo/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/kernel/tracefs_dir.h"

/* --- instance --- */

int trace_instance_try(void)
{
	int fd, rc = tracefs_open_dir(&fd);

	if (rc)
		return rc;
	/* Opening the folder needs no rights, but making an instance does. */
	rc = faccessat(fd, "instances", W_OK | X_OK, AT_EACCESS) ? -errno : 0;
	close(fd);
	return rc;
}

/* -ECANCELED: the failure was reported. */
static int make_instance(struct undo *undo, const char *prefix, struct trace_instance *instance)
{
	struct undo_action action = {.act = UNDO_TRACE};
	unsigned number;
	int rc = tracefs_open_dir(&instance->tracefs);

	if (rc)
		return rc;
	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EIO;
	/* The journal gets the name before the instance exists, so a random number makes it unique. */
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

int trace_instance_open(struct undo *undo, const char *prefix, unsigned buffer_kib, struct trace_instance *instance)
{
	char size[32];
	int rc;

	*instance = (struct trace_instance){.tracefs = -1, .fd = -1};
	snprintf(size, sizeof(size), "%u", buffer_kib);
	rc = make_instance(undo, prefix, instance);
	if (!rc)
		rc = trace_instance_write(instance, "tracing_on", "0");
	if (!rc)
		rc = trace_instance_write(instance, "buffer_size_kb", size);
	if (!rc)
		rc = trace_instance_write(instance, "trace_clock", "mono");
	if (rc) {
		trace_instance_close(instance);
		return rc;
	}
	/* Overrides a setting that a new instance inherits from the administrator; old kernels lack it. */
	(void)trace_instance_write(instance, "trace_options", "overwrite");
	return 0;
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

static int read_file(const struct trace_instance *instance, const char *path, char *text, size_t capacity)
{
	int fd = openat(instance->fd, path, O_RDONLY | O_CLOEXEC), rc = 0;
	size_t done = 0;
	ssize_t size = 1;

	if (fd < 0)
		return -errno;
	while (size > 0 && done < capacity - 1) {
		size = read(fd, text + done, capacity - 1 - done);
		if (size < 0)
			rc = -errno;
		else
			done += (size_t)size;
	}
	close(fd);
	text[done] = '\0';
	return rc;
}

int trace_instance_format(const struct trace_instance *instance, const char *event, char *text, size_t capacity)
{
	return read_file(instance, SYSFS_PATH("events/%s/format", event), text, capacity);
}

static int write_event(const struct trace_instance *instance, const char *event, const char *file, const char *text)
{
	return trace_instance_write(instance, SYSFS_PATH("events/%s/%s", event, file), text);
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

/* --- lost events --- */

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
	char *text = malloc(TRACE_INSTANCE_TEXT);
	const struct dirent *entry;
	uint64_t lost = 0;
	DIR *folder = NULL;

	(void)sysfs_open_folder(instance->fd, "per_cpu", &folder);
	while (text && folder && (entry = readdir(folder))) {
		if (strncmp(entry->d_name, "cpu", 3) != 0 || read_file(instance,
				SYSFS_PATH("per_cpu/%s/stats", entry->d_name), text, TRACE_INSTANCE_TEXT))
			continue;
		/* Remaining entries are those that the reader had no time for. */
		lost += read_count(text, "entries: ") + read_count(text, "\noverrun: ") +
			read_count(text, "\ncommit overrun: ") + read_count(text, "\ndropped events: ");
	}
	if (folder)
		closedir(folder);
	free(text);
	return lost;
}

void trace_instance_close(struct trace_instance *instance)
{
	if (instance->fd >= 0)
		close(instance->fd);
	/* If this fails, undo_close tries again and reports it. */
	if (instance->is_made)
		unlinkat(instance->tracefs, instance->folder, AT_REMOVEDIR);
	if (instance->tracefs >= 0)
		close(instance->tracefs);
	*instance = (struct trace_instance){.tracefs = -1, .fd = -1};
}

/* --- format --- */

#define LIMIT 65536

static bool read_after(const char *at, const char *end, const char *word, uint64_t *value)
{
	const char *found = memmem(at, (size_t)(end - at), word, strlen(word));

	return found && sysfs_scan_u64(found + strlen(word), value);
}

int trace_format_id(const char *text, unsigned *id)
{
	const char *at = strstr(text, "\nID: ");
	uint64_t value;

	if (!at || !sysfs_scan_u64(at + 5, &value) || value > UINT16_MAX)
		return -EINVAL;
	*id = (unsigned)value;
	return 0;
}

/* Tells whether a declaration such as "unsigned int nr_sector" or "char rwbs[10]" ends with this name. */
static bool is_named(const char *at, const char *end, const char *name)
{
	const char *bracket = memchr(at, '[', (size_t)(end - at));
	size_t length = strlen(name);

	if (bracket)
		end = bracket;
	return (size_t)(end - at) > length && !memcmp(end - length, name, length) && strchr(" *", end[-(ptrdiff_t)length - 1]);
}

static int find_field(const char *text, const char *name, bool is_number, struct trace_field *field)
{
	static const char word[] = "field:";

	for (const char *at = strstr(text, word); at; at = strstr(at, word)) {
		const char *end = at + strcspn(at, "\n"), *semicolon = memchr(at, ';', (size_t)(end - at));
		uint64_t offset, size;

		if (semicolon && is_named(at, semicolon, name)) {
			if (!read_after(semicolon, end, "offset:", &offset) || !read_after(semicolon, end, "size:", &size) ||
				offset > LIMIT || size > LIMIT ||
				(is_number && !(size == 1 || size == 2 || size == 4 || size == 8)))
				return -EINVAL;
			*field = (struct trace_field){(unsigned)offset, (unsigned)size};
			return 0;
		}
		at = end;
	}
	return -ENOENT;
}

int trace_format_field(const char *text, const char *name, struct trace_field *field)
{
	return find_field(text, name, true, field);
}

int trace_format_array(const char *text, const char *name, struct trace_field *field)
{
	return find_field(text, name, false, field);
}

uint64_t trace_field_get(const struct trace_field *field, const void *event, size_t size)
{
	const char *at = (const char *)event + field->offset;
	uint64_t value = 0;
	uint32_t word;
	uint16_t half;

	if ((size_t)field->offset + field->size > size)
		return 0;
	switch (field->size) {
	case 0:
		return 0;
	case 1:
		return (unsigned char)*at;
	case 2:
		memcpy(&half, at, sizeof(half));
		return half;
	case 4:
		memcpy(&word, at, sizeof(word));
		return word;
	default:
		memcpy(&value, at, sizeof(value));
		return value;
	}
}

/* --- page --- */

/* type_len of an entry's first word; 1 to 28: the number of words of an event. */
enum { ENTRY_LONG = 0, ENTRY_PADDING = 29, ENTRY_EXTEND = 30, ENTRY_STAMP = 31 };
#define DELTA_BITS 27
#define COMMIT_BYTES 0xfffff       /* the bits above are flags about missed events */
#define STAMP_BITS 59              /* bits of an absolute time; the bits above come from the last time */

int trace_page_layout_read(const char *text, struct trace_page_layout *layout)
{
	struct trace_page_layout found;
	const char *data = strstr(text, " data;"), *offset, *size;
	uint64_t at, bytes;

	if (trace_format_field(text, "timestamp", &found.timestamp) || trace_format_field(text, "commit", &found.commit) || !data)
		return -EINVAL;
	offset = strstr(data, "offset:");
	size = strstr(data, "size:");
	if (!offset || !size || !sysfs_scan_u64(offset + 7, &at) || !sysfs_scan_u64(size + 5, &bytes))
		return -EINVAL;
	if (found.timestamp.size != 8 || found.commit.size < 4 || at > 256 || at % 4 || !bytes || bytes > TRACE_PAGE_MAX - at ||
		found.timestamp.offset + 8 > at || found.commit.offset + found.commit.size > at)
		return -EINVAL;
	found.data_offset = (unsigned)at;
	found.page_bytes = (unsigned)(at + bytes);
	*layout = found;
	return 0;
}

struct entry {
	unsigned type;
	uint64_t delta, time;    /* delta: of its word; time: with the bits of the next word above */
	size_t head, bytes;      /* of the header, and of the content */
};

static uint32_t word_at(const char *data, size_t at)
{
	uint32_t word;

	memcpy(&word, data + at, sizeof(word));
	return word;
}

/* False: the entry is incomplete. */
static bool read_entry(const char *data, size_t at, size_t end, struct entry *entry)
{
	bool has_word = at + 8 <= end;
	uint32_t word = has_word ? word_at(data, at + 4) : 0, first = word_at(data, at);
	bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	entry->type = is_little ? first & 31 : first >> DELTA_BITS;
	entry->delta = is_little ? first >> 5 : first & ((1u << DELTA_BITS) - 1);
	entry->head = 4;
	entry->time = ((uint64_t)word << DELTA_BITS) + entry->delta;
	switch (entry->type) {
	case ENTRY_LONG:
		/* The length includes its own word. */
		entry->head = 8;
		entry->bytes = has_word && word >= 4 ? ((size_t)word - 4 + 3) / 4 * 4 : SIZE_MAX;
		break;
	case ENTRY_PADDING:
		/* Padding without a time fills the page. */
		entry->bytes = entry->delta ? (has_word ? word : SIZE_MAX) : end - at - 4;
		break;
	case ENTRY_EXTEND:
	case ENTRY_STAMP:
		entry->bytes = has_word ? 4 : SIZE_MAX;
		break;
	default:
		entry->bytes = (size_t)entry->type * 4;
	}
	return entry->head <= end - at && entry->bytes <= end - at - entry->head && entry->bytes % 4 == 0;
}

int trace_page_parse(const struct trace_page_layout *layout, const void *page, size_t size, trace_page_take *take, void *context)
{
	const char *data = (const char *)page + layout->data_offset;
	uint64_t time = trace_field_get(&layout->timestamp, page, size);
	size_t end = trace_field_get(&layout->commit, page, size) & COMMIT_BYTES;
	struct entry entry;

	if (size < layout->data_offset || end > size - layout->data_offset || end % 4)
		return -EBADMSG;
	for (size_t at = 0; at < end; at += entry.head + entry.bytes) {
		if (!read_entry(data, at, end, &entry))
			return -EBADMSG;
		if (entry.type == ENTRY_STAMP)
			time = (time >> STAMP_BITS << STAMP_BITS) | (entry.time & ((1ull << STAMP_BITS) - 1));
		else
			time += entry.type == ENTRY_EXTEND ? entry.time : entry.delta;
		if (entry.type < ENTRY_PADDING)
			take(context, time, data + at + entry.head, entry.bytes);
	}
	return 0;
}

/* --- drain --- */

#define EVERY_NS 20000000
#define TOUCHED ((size_t)16 << 20) /* bytes touched in advance: a usual run takes few new pages while it measures */

struct trace_drain {
	const struct trace_instance *instance;
	size_t items, item_bytes;
	trace_drain_make *make;
	void *context;
	struct trace_page_layout layout;
	void *page, *item;
	size_t pipe_count;
	int *pipes;                   /* trace_pipe_raw of each CPU */
	char *kept;                   /* items, in a circle */
	uint64_t count;               /* of all items so far */
	pthread_t thread;
	bool is_running;
	atomic_bool stop;
	int error;
};

static int open_raw_pipes(struct trace_drain *drain)
{
	char *text = malloc(TRACE_INSTANCE_TEXT);
	int rc = text ? read_file(drain->instance, "events/header_page", text, TRACE_INSTANCE_TEXT) : -ENOMEM;
	const struct dirent *entry;
	DIR *folder;

	if (!rc)
		rc = trace_page_layout_read(text, &drain->layout);
	free(text);
	if (rc)
		return rc;
	drain->page = malloc(drain->layout.page_bytes);
	drain->item = malloc(drain->item_bytes);
	if (!drain->page || !drain->item)
		return -ENOMEM;
	rc = sysfs_open_folder(drain->instance->fd, "per_cpu", &folder);
	if (rc)
		return rc;
	while (!rc && (entry = readdir(folder))) {
		int *more;

		if (strncmp(entry->d_name, "cpu", 3))
			continue;
		more = reallocarray(drain->pipes, drain->pipe_count + 1, sizeof(*more));
		if (more) {
			drain->pipes = more;
			more[drain->pipe_count] = openat(drain->instance->fd,
				SYSFS_PATH("per_cpu/%s/trace_pipe_raw", entry->d_name), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
			rc = more[drain->pipe_count] < 0 ? -errno : 0;
			drain->pipe_count += !rc;
		} else {
			rc = -ENOMEM;
		}
	}
	closedir(folder);
	return rc;
}

int trace_drain_open(const struct trace_instance *instance, size_t items, size_t item_bytes, trace_drain_make *make,
	void *context, struct trace_drain **opened)
{
	struct trace_drain *drain = calloc(1, sizeof(*drain));
	size_t bytes = items * item_bytes;
	void *kept;
	int rc;

	if (!drain)
		return -ENOMEM;
	drain->instance = instance;
	drain->items = items;
	drain->item_bytes = item_bytes;
	drain->make = make;
	drain->context = context;
	kept = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	drain->kept = kept == MAP_FAILED ? NULL : kept;
	rc = drain->kept ? open_raw_pipes(drain) : -ENOMEM;
	if (rc) {
		trace_drain_close(drain);
		return rc;
	}
	memset(drain->kept, 1, bytes < TOUCHED ? bytes : TOUCHED);
	*opened = drain;
	return 0;
}

static void take_event(void *context, uint64_t time_ns, const void *event, size_t size)
{
	struct trace_drain *drain = context;

	if (drain->make(drain->context, time_ns, event, size, drain->item))
		memcpy(drain->kept + drain->count++ % drain->items * drain->item_bytes, drain->item, drain->item_bytes);
}

/* Reads all present events. An empty pipe gives the end of file while tracing is off, but tracing may be switched on again. */
static int empty_pipe(struct trace_drain *drain, int fd)
{
	for (;;) {
		ssize_t size = read(fd, drain->page, drain->layout.page_bytes);
		int rc = 0;

		if (!size || (size < 0 && errno == EAGAIN))
			return 0;
		if (size < 0 && errno != EINTR)
			return -errno;
		if (size > 0)
			rc = trace_page_parse(&drain->layout, drain->page, (size_t)size, take_event, drain);
		if (rc)
			return rc;
	}
}

int trace_drain_now(struct trace_drain *drain)
{
	int rc = 0;

	drain->count = 0;
	for (size_t i = 0; i < drain->pipe_count && !rc; i++)
		rc = empty_pipe(drain, drain->pipes[i]);
	return rc;
}

static void *run(void *argument)
{
	const struct timespec pause = {0, EVERY_NS};
	struct trace_drain *drain = argument;
	bool is_last;

	do {
		is_last = atomic_load(&drain->stop);
		for (size_t i = 0; i < drain->pipe_count && !drain->error; i++)
			drain->error = empty_pipe(drain, drain->pipes[i]);
		if (!is_last)
			nanosleep(&pause, NULL);
	} while (!is_last && !drain->error);
	return NULL;
}

int trace_drain_start(struct trace_drain *drain)
{
	int err;
	sigset_t all, before;

	drain->count = 0;
	drain->error = 0;
	atomic_store(&drain->stop, false);
	/* Signals must go to the writing thread, or to the one that waits for the run's end. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&drain->thread, NULL, run, drain);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	drain->is_running = !err;
	return -err;
}

int trace_drain_stop(struct trace_drain *drain)
{
	if (!drain->is_running)
		return 0;
	atomic_store(&drain->stop, true);
	pthread_join(drain->thread, NULL);
	drain->is_running = false;
	return drain->error;
}

void trace_drain_kept(struct trace_drain *drain, const void **kept, size_t *count)
{
	*count = drain->count < drain->items ? (size_t)drain->count : drain->items;
	/* Items of one CPU are in order; those of several CPUs are not. */
	qsort(drain->kept, *count, drain->item_bytes, clock_compare);
	*kept = drain->kept;
}

void trace_drain_close(struct trace_drain *drain)
{
	if (!drain)
		return;
	trace_drain_stop(drain);
	for (size_t i = 0; i < drain->pipe_count; i++)
		close(drain->pipes[i]);
	free(drain->pipes);
	free(drain->page);
	free(drain->item);
	if (drain->kept)
		munmap(drain->kept, drain->items * drain->item_bytes);
	free(drain);
}

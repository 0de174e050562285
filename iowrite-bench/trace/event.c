/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/trace/event.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define COMM_COLUMNS 16 /* the kernel prints "%16s-%-7d [%03d] "; a name has 15 bytes at most, and may be any */
#define KEYS 5

static const struct {
	const char *name;
	const char *keys[KEYS + 1]; /* as printed, in the order of the places */
	int needed;                 /* of them; kernels may lack the others */
} known[EVENT_FORMATS] = {
	[EVENT_STATE] = {"global_dirty_state", {"dirty", "writeback", "bg_thresh", "thresh", "limit"}, 5},
	[EVENT_PAUSE] = {"balance_dirty_pages", {"pause", "dirtied", "task_ratelimit", "cgroup_ino"}, 3},
	/* Of the two bandwidths the smoothed one is what the kernel's law takes. */
	[EVENT_RATELIMIT] = {"bdi_dirty_ratelimit", {"dirty_ratelimit", "balanced_dirty_ratelimit", "awrite_bw", "cgroup_ino"}, 3},
};

const char *event_name(enum event_kind kind)
{
	return known[kind].name;
}

_Static_assert((int)EVENT_PAUSE_CGROUP == (int)EVENT_RATELIMIT_CGROUP, "one place for both");

bool event_is_of_cgroup(const struct event *event, uint64_t cgroup)
{
	uint64_t its = (uint64_t)event->values[EVENT_RATELIMIT_CGROUP];

	return !cgroup || !its || its == cgroup;
}

/* --- format files --- */

/* The key of "limit=" is what stands between the last blank and "=". */
static int place_of(enum event_kind kind, const char *literal)
{
	size_t length = strlen(literal);
	const char *key = strrchr(literal, ' ');

	if (!length || literal[length - 1] != '=')
		return -1;
	key = key ? key + 1 : literal;
	length = strlen(key) - 1;
	for (int i = 0; known[kind].keys[i]; i++) {
		if (strlen(known[kind].keys[i]) == length && !strncmp(known[kind].keys[i], key, length))
			return i;
	}
	return -1;
}

/* "%lu" "%ld" "%u" "%s": 0 for what numbers and words are not printed with. */
static char read_conversion(const char **at)
{
	const char *next = *at + 1;
	char conversion;

	while (*next == 'l' || *next == 'z')
		next++;
	conversion = *next == 'i' ? 'd' : *next;
	if (!conversion || !strchr("sud", conversion))
		return 0;
	*at = next + 1;
	return conversion;
}

static int read_part(enum event_kind kind, const char **at, const char *end, struct event_part *part)
{
	size_t length = 0;

	*part = (struct event_part){.place = -1};
	while (*at < end && **at != '%') {
		if (length + 1 == sizeof(part->literal))
			return -EINVAL;
		part->literal[length++] = *(*at)++;
	}
	if (*at == end)
		return 0;
	part->conversion = read_conversion(at);
	if (!part->conversion || *at > end)
		return -EINVAL;
	if (part->conversion != 's')
		part->place = place_of(kind, part->literal);
	return 0;
}

static const char *find_missing(enum event_kind kind, const struct event_format *format)
{
	for (int i = 0; i < known[kind].needed; i++) {
		bool has = false;

		for (size_t part = 0; part < format->count; part++)
			has = has || format->parts[part].place == i;
		if (!has)
			return known[kind].keys[i];
	}
	return NULL;
}

int event_read_format(enum event_kind kind, const char *text, struct event_format *format, const char **missing)
{
	static const char print[] = "print fmt: \"";
	const char *at = strstr(text, print), *end;
	struct event_format found = {0};

	if (!at)
		return -EINVAL;
	at += sizeof(print) - 1;
	end = strchr(at, '"');
	if (!end || memchr(at, '\n', (size_t)(end - at)))
		return -EINVAL;
	while (at < end) {
		if (found.count == EVENT_PARTS || read_part(kind, &at, end, &found.parts[found.count]))
			return -EINVAL;
		found.count++;
	}
	*missing = find_missing(kind, &found);
	if (*missing)
		return -ENODATA;
	*format = found;
	return 0;
}

/* --- lines --- */

struct cursor {
	const char *at, *end;
};

static bool skip_char(struct cursor *line, char wanted)
{
	if (line->at == line->end || *line->at != wanted)
		return false;
	line->at++;
	return true;
}

static bool skip_text(struct cursor *line, const char *text)
{
	size_t length = strlen(text);

	if ((size_t)(line->end - line->at) < length || memcmp(line->at, text, length) != 0)
		return false;
	line->at += length;
	return true;
}

static void skip_blanks(struct cursor *line)
{
	while (skip_char(line, ' '))
		;
}

static bool read_number(struct cursor *line, uint64_t limit, uint64_t *value)
{
	uint64_t number = 0;
	const char *begin = line->at;

	for (; line->at < line->end && *line->at >= '0' && *line->at <= '9'; line->at++) {
		unsigned digit = (unsigned)(*line->at - '0');

		if (number > (limit - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*value = number;
	return line->at > begin;
}

/* "%5lu.%06lu: " of a clock that counts ns. */
static bool read_time(struct cursor *line, uint64_t *ns)
{
	uint64_t seconds, part;
	const char *point;

	skip_blanks(line);
	if (!read_number(line, INT64_MAX / 1000000000, &seconds) || !skip_char(line, '.'))
		return false;
	point = line->at;
	if (!read_number(line, 999999, &part) || line->at - point != 6 || !skip_text(line, ": "))
		return false;
	*ns = seconds * 1000000000u + part * 1000u;
	return true;
}

/* "            name-123     [000]  14264.846547: ", as an instance prints it without irq-info and record-tgid. */
static bool read_head(struct cursor *line, struct event *event)
{
	uint64_t pid, cpu;

	if (line->end - line->at <= COMM_COLUMNS)
		return false;
	line->at += COMM_COLUMNS;
	if (!skip_char(line, '-') || !read_number(line, INT32_MAX, &pid) || !skip_char(line, ' '))
		return false;
	skip_blanks(line);
	if (!skip_char(line, '[') || !read_number(line, UINT32_MAX, &cpu) || !skip_text(line, "] "))
		return false;
	event->pid = (int)pid;
	event->cpu = (unsigned)cpu;
	return read_time(line, &event->time_ns);
}

/* Up to what follows it in the format (a device's name has colons as well); the rest of the line when nothing does. */
static bool read_word(struct cursor *line, const char *next, char text[EVENT_TEXT])
{
	size_t left = (size_t)(line->end - line->at);
	const char *end = *next ? memmem(line->at, left, next, strlen(next)) : line->end;
	size_t length = end ? (size_t)(end - line->at) : EVENT_TEXT;

	if (length >= EVENT_TEXT)
		return false;
	memcpy(text, line->at, length);
	text[length] = '\0';
	line->at += length;
	return true;
}

static bool read_value(struct cursor *line, const struct event_part *part, int64_t *value)
{
	bool is_negative = part->conversion == 'd' && skip_char(line, '-');
	uint64_t number;

	/* Of what is not wanted the kernel may print 2^64 - 1. */
	if (!read_number(line, part->place < 0 ? UINT64_MAX : INT64_MAX, &number))
		return false;
	if (part->place >= 0)
		*value = is_negative ? -(int64_t)number : (int64_t)number;
	return true;
}

static bool read_parts(struct cursor *line, const struct event_format *format, struct event *event)
{
	for (size_t i = 0; i < format->count; i++) {
		const struct event_part *part = &format->parts[i];
		const char *next = i + 1 < format->count ? part[1].literal : "";
		int64_t unused;

		if (!skip_text(line, part->literal))
			return false;
		if (part->conversion == 's' && !read_word(line, next, event->text))
			return false;
		if (part->conversion && part->conversion != 's' &&
			!read_value(line, part, part->place < 0 ? &unused : &event->values[part->place]))
			return false;
	}
	return line->at == line->end;
}

static int read_mark(struct cursor *line, struct event *event)
{
	size_t length = (size_t)(line->end - line->at);

	length = length < EVENT_TEXT ? length : EVENT_TEXT - 1;
	event->kind = EVENT_MARK;
	memcpy(event->text, line->at, length);
	event->text[length] = '\0';
	return 0;
}

/* "CPU:1 [LOST 123 EVENTS]" stands where the reader was too slow. */
static int read_notice(struct cursor *line, struct event *event)
{
	uint64_t cpu;

	if (!skip_text(line, "CPU:") || !read_number(line, UINT32_MAX, &cpu) || !skip_text(line, " [LOST "))
		return -EINVAL;
	event->kind = EVENT_LOST;
	event->cpu = (unsigned)cpu;
	return 0;
}

int event_parse(const struct event_format formats[EVENT_FORMATS], const char *text, size_t length, struct event *event)
{
	struct cursor line = {text, text + length}, notice = line;
	struct event found = {0};

	if (!length || *text == '#')
		return -ENOENT;
	if (*text == 'C' && !read_notice(&notice, &found)) {
		*event = found;
		return 0;
	}
	if (!read_head(&line, &found))
		return -EINVAL;
	if (skip_text(&line, "tracing_mark_write: ")) {
		read_mark(&line, &found);
		*event = found;
		return 0;
	}
	for (int kind = 0; kind < EVENT_FORMATS; kind++) {
		struct cursor rest = line;

		if (!skip_text(&rest, known[kind].name) || !skip_text(&rest, ": "))
			continue;
		found.kind = (enum event_kind)kind;
		if (!read_parts(&rest, &formats[kind], &found))
			return -EINVAL;
		*event = found;
		return 0;
	}
	return memmem(line.at, (size_t)(line.end - line.at), ": ", 2) ? -ENOENT : -EINVAL;
}

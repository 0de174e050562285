/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/exchange/perf_text.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/units.h"

static const struct {
	const char *part;   /* of the event's name */
	const char *engine;
} engines[] = {
	{"mem-loads", "pebs"}, {"mem-stores", "pebs"}, {"ibs_op", "ibs"}, {"arm_spe", "spe"},
	{"faults", "page-faults"},
};

int perf_text_read(FILE *in, char line[PERF_TEXT_LINE])
{
	size_t length = 0;
	bool is_read;
	int byte;

	while ((byte = getc_unlocked(in)) != EOF && byte != '\n') {
		if (length == PERF_TEXT_LINE - 1)
			return -E2BIG;
		line[length++] = byte ? (char)byte : '?';
	}
	is_read = byte != EOF || length;
	/* A carriage return comes from another system. */
	if (length && line[length - 1] == '\r')
		length--;
	line[length] = '\0';
	if (byte == EOF && ferror(in))
		return errno ? -errno : -EIO;
	return is_read;
}

/* --- pieces of a line: a reader moves *at past the piece, or leaves it and returns false --- */

static bool skip(const char **at, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*at, word, length) != 0)
		return false;
	*at += length;
	return true;
}

static void skip_blanks(const char **at)
{
	*at += strspn(*at, " \t");
}

/* Reads digits of this base, without sign, and a prefix 0x for base 16. False: none, or more than 64 bits. */
static bool read_number(const char **at, unsigned base, uint64_t *value)
{
	const char *digit = *at;
	uint64_t number = 0;

	if (base == 16 && digit[0] == '0' && digit[1] == 'x')
		digit += 2;
	if (!isxdigit((unsigned char)*digit))
		return false;
	for (; isxdigit((unsigned char)*digit); digit++) {
		unsigned char character = (unsigned char)tolower((unsigned char)*digit);
		unsigned next = isdigit(character) ? character - 48u : character - 'a' + 10u;

		if (next >= base)
			break;
		if (__builtin_mul_overflow(number, (uint64_t)base, &number) || __builtin_add_overflow(number, next, &number))
			return false;
	}
	if (digit == *at)
		return false;
	*at = digit;
	*value = number;
	return true;
}

/* "-1" is no thread and becomes 0. */
static bool read_id(const char **at, uint32_t *id)
{
	const char *digits = *at + (**at == '-');
	bool is_none = digits != *at;
	uint64_t number;

	if (!read_number(&digits, 10, &number) || number > INT32_MAX)
		return false;
	*id = is_none ? 0 : (uint32_t)number;
	*at = digits;
	return true;
}

static bool read_ids(const char **at, char between, uint32_t *pid, uint32_t *tid)
{
	const char *next = *at;

	if (!read_id(&next, pid) || *next != between)
		return false;
	next++;
	if (!read_id(&next, tid))
		return false;
	*at = next;
	return true;
}

/* Reads "306.982984165:". */
static bool read_time(const char **at, uint64_t *time_ns)
{
	const char *next = *at;
	uint64_t seconds, part = 0, unit = UNITS_NS_PER_SEC / 10;

	if (!read_number(&next, 10, &seconds) || seconds > UINT64_MAX / UNITS_NS_PER_SEC - 1 || *next != '.')
		return false;
	for (next++; isdigit((unsigned char)*next); next++) {
		part += unit * (unsigned)(*next - '0');
		unit /= 10;
	}
	if (*next != ':')
		return false;
	*at = next + 1;
	*time_ns = seconds * UNITS_NS_PER_SEC + part;
	return true;
}

/* Finds and reads "13712/13712 [001] 306.982984165:" after the command's name, which may contain any characters. */
static bool read_start(const char **at, uint32_t *pid, uint32_t *tid, uint64_t *time_ns)
{
	for (const char *next = *at; *next; next += strcspn(next, " \t")) {
		const char *here;
		uint64_t cpu;

		skip_blanks(&next);
		here = next;
		if (!read_ids(&here, '/', pid, tid) || (*here != ' ' && *here != '\t'))
			continue;
		skip_blanks(&here);
		if (*here == '[' && (here++, !read_number(&here, 10, &cpu) || *here++ != ']'))
			continue;
		skip_blanks(&here);
		if (read_time(&here, time_ns)) {
			*at = here;
			return true;
		}
	}
	return false;
}

/* --- records other than samples, after "PERF_RECORD_" --- */

/* Example: "2 13712/13712: [0x7ffd3e64a000(0x21000) @ 0x7000 fe:00 247230 0]: rw-p NAME"; without the 2 there is only "r" or
 * "x". */
static bool read_map(const char *at, struct trace_event *event)
{
	const char *end;

	(void)skip(&at, "2");
	if (!skip(&at, " ") || !read_ids(&at, '/', &event->pid, &event->tid) || !skip(&at, ": [") ||
		!read_number(&at, 16, &event->value[0]) || !skip(&at, "(") || !read_number(&at, 16, &event->value[1]) ||
		!skip(&at, ") @ ") || !read_number(&at, 16, &event->value[2]))
		return false;
	end = strstr(at, "]: ");
	if (!end)
		return false;
	for (at = end + 3; *at && *at != ' '; at++)
		event->value[3] |= *at == 'r' ? PROT_READ : *at == 'w' ? PROT_WRITE : *at == 'x' ? PROT_EXEC : 0;
	event->type = TRACE_MAP;
	event->text = *at ? at + 1 : at;
	return true;
}

/* Reads " exec: NAME:13712/13712". */
static bool read_comm(char *at, struct trace_event *event)
{
	const char *ids;
	char *colon;

	event->value[0] = !strncmp(at, " exec", 5);
	at += event->value[0] ? 5 : 0;
	colon = strrchr(at, ':');
	if (strncmp(at, ": ", 2) != 0 || colon < at + 2)
		return false;
	ids = colon + 1;
	if (!read_ids(&ids, '/', &event->pid, &event->tid))
		return false;
	*colon = '\0';
	event->type = TRACE_COMM;
	event->text = at + 2;
	return true;
}

/* Reads "(13720:13720):(13712:13712)": the new process and its parent. */
static bool read_task(const char *at, enum trace_event_type type, struct trace_event *event)
{
	uint32_t parent, thread;

	if (!skip(&at, "(") || !read_ids(&at, ':', &event->pid, &event->tid) || !skip(&at, "):(") ||
		!read_ids(&at, ':', &parent, &thread))
		return false;
	event->type = type;
	event->value[0] = parent;
	event->value[1] = thread;
	return true;
}

static enum perf_text_kind parse_record(char *record, struct perf_text *parsed)
{
	struct trace_event *event = &parsed->event;
	bool is_right;

	if (!strncmp(record, "LOST", 4)) {
		const char *number = strstr(record, " lost ");

		parsed->is_total = !strncmp(record, "LOST_SAMPLES", 12);
		if (!number)
			return PERF_TEXT_WRONG;
		number += 6;
		return read_number(&number, 10, &parsed->lost) ? PERF_TEXT_LOST : PERF_TEXT_WRONG;
	}
	if (!strncmp(record, "MMAP", 4)) {
		is_right = read_map(record + 4, event);
		/* Process -1 (read as 0) is the kernel. */
		if (is_right && !event->pid)
			return PERF_TEXT_NOTHING;
	} else if (!strncmp(record, "COMM", 4)) {
		is_right = read_comm(record + 4, event);
	} else if (!strncmp(record, "FORK", 4)) {
		is_right = read_task(record + 4, TRACE_FORK, event);
	} else if (!strncmp(record, "EXIT", 4)) {
		is_right = read_task(record + 4, TRACE_EXIT, event);
	} else {
		return PERF_TEXT_NOTHING;
	}
	return is_right ? PERF_TEXT_EVENT : PERF_TEXT_WRONG;
}

/* --- samples --- */

/* Cuts off and returns the last word of a text, unless it is the only one (NULL). */
static char *cut_last(char *text)
{
	size_t length = strlen(text);

	while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		text[--length] = '\0';
	while (length && text[length - 1] != ' ' && text[length - 1] != '\t')
		length--;
	if (!length || !text[length])
		return NULL;
	text[length - 1] = '\0';
	return text + length;
}

static bool is_number(const char *text, unsigned base, uint64_t *value)
{
	return read_number(&text, base, value) && !*text;
}

/* Reads a hexadecimal word and the blanks before it. */
static bool take_word(char **at, uint64_t *value)
{
	const char *next = *at;

	skip_blanks(&next);
	if (!read_number(&next, 16, value) || (*next && *next != ' ' && *next != '\t'))
		return false;
	*at += next - *at;
	return true;
}

/*
 * Reads "7ffa1aadc110 1e05080021 |OP N/A|LVL N/A or N/A|...|BLK  N/A 36 7ffa1aac2b70". The explanation of a data source has
 * blanks, and perf cuts it at 100 characters, so the fields behind it are read from the end.
 */
static bool read_access(char *at, struct sample_fields *fields)
{
	char *bar = strchr(at, '|'), *word;
	unsigned count = 0;
	uint64_t number;

	if (!take_word(&at, &fields->address) || (bar && !take_word(&at, &fields->source)))
		return false;
	while (count < 2 && (word = cut_last(bar ? bar : at)) && is_number(word, count ? 10 : 16, &number))
		*(count++ ? &fields->weight : &fields->ip) = number;
	/* An explanation may be cut; without one nothing may be left. */
	return bar || !cut_last(at);
}

static enum perf_text_kind parse_sample(char *at, struct perf_text *parsed)
{
	const char *next = at;
	uint64_t period;
	char *end;

	skip_blanks(&next);
	if (read_number(&next, 10, &period) && *next == ' ')
		at += next - at;
	at += strspn(at, " \t");
	/* A name may contain colons and commas, also of modifiers: "cpu/mem-loads,ldlat=30/P:". */
	end = at + strcspn(at, " \t");
	if (end == at || end[-1] != ':')
		return PERF_TEXT_WRONG;
	end[-1] = '\0';
	parsed->name = at;
	return *end && read_access(end, &parsed->fields) ? PERF_TEXT_SAMPLE : PERF_TEXT_WRONG;
}

enum perf_text_kind perf_text_parse(char *line, struct perf_text *parsed)
{
	const char *at = line;
	struct sample_fields *fields = &parsed->fields;

	*parsed = (struct perf_text){.event.text = "", .name = ""};
	skip_blanks(&at);
	if (!*at)
		return PERF_TEXT_NOTHING;
	if (!read_start(&at, &fields->pid, &fields->tid, &fields->time_ns))
		return PERF_TEXT_WRONG;
	parsed->event.time_ns = fields->time_ns;
	line += at - line;
	line += strspn(line, " \t");
	if (!strncmp(line, "PERF_RECORD_", 12))
		return parse_record(line + 12, parsed);
	return parse_sample(line, parsed);
}

enum trace_loss perf_text_sample(const struct perf_text *parsed, struct trace_sample *sample)
{
	const struct sample_fields *fields = &parsed->fields;
	const char *name = parsed->name;

	*sample = (struct trace_sample){.node = UINT8_MAX};
	if (!fields->tid)
		return TRACE_NO_THREAD;
	/* Software events print a data source too, but it only says that there is none. */
	if (fields->source && !strstr(name, "faults"))
		return sample_from_source(fields, sample);
	if (!fields->address)
		return TRACE_NO_ADDRESS;
	sample->time_ns = fields->time_ns;
	sample->address = fields->address;
	sample->ip = fields->ip;
	sample->tid = fields->tid;
	sample->weight = fields->weight > UINT32_MAX ? UINT32_MAX : (uint32_t)fields->weight;
	sample->kind = strstr(name, "minor-faults") ? TRACE_MINOR_FAULT : strstr(name, "major-faults") ? TRACE_MAJOR_FAULT :
		strstr(name, "mem-loads") ? TRACE_LOAD : strstr(name, "mem-stores") ? TRACE_STORE : TRACE_ACCESS;
	return TRACE_LOSSES;
}

/* --- the header --- */

/* Reads "# NAME : VALUE", with any number of blanks. */
static bool take_value(const char *line, const char *name, char value[PERF_TEXT_VALUE])
{
	const char *at = line + 1;

	skip_blanks(&at);
	if (!skip(&at, name))
		return false;
	skip_blanks(&at);
	if (*at++ != ':')
		return false;
	skip_blanks(&at);
	snprintf(value, PERF_TEXT_VALUE, "%.*s", (int)strcspn(at, "\n"), at);
	for (size_t length = strlen(value); length && value[length - 1] == ' ';)
		value[--length] = '\0';
	return true;
}

/* Tells whether a list such as "IP|TID|TIME" contains the word. */
static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word), size;

	for (; *list; list += size + (list[size] == '|')) {
		size = strcspn(list, "|, ");
		if (size == length && !memcmp(list, word, length))
			return true;
		if (list[size] != '|')
			break;
	}
	return false;
}

static const struct engine *engine_of(const char *event)
{
	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		if (strstr(event, engines[i].part))
			return engine_find(engines[i].engine);
	}
	return NULL;
}

/* Reads "# event : name = NAME, , id = { 8, 9 }, ..., { sample_period, sample_freq } = 1, sample_type = IP|TID|..., freq = 1,
 * ...". */
static void take_event(struct perf_text_header *header, const char *line)
{
	static const char *const needed[] = {"TID", "TIME", "ADDR"};
	const char *name = strstr(line, "name = "), *type = strstr(line, "sample_type = "), *rate;
	const char *lacks = NULL;
	char event[PERF_TEXT_VALUE];
	const struct engine *engine;
	uint64_t period = 0;
	bool is_frequency = strstr(line, ", freq = 1") != NULL, is_aux, has_source, has_weight;

	if (!name || !type)
		return;
	name += 7;
	type += 14;
	snprintf(event, sizeof(event), "%.*s", (int)(strstr(name, ", ") ? strstr(name, ", ") - name : 0), name);
	/* These have no samples of accesses: dummy carries mappings, and mem-loads-aux leads a group for the processor. */
	if (!strncmp(event, "dummy", 5) || strstr(event, "mem-loads-aux"))
		return;
	is_aux = strstr(event, "arm_spe") != NULL;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]) && !is_aux; i++) {
		if (!has_word(type, needed[i]))
			lacks = needed[i];
	}
	rate = strstr(line, "sample_freq } = ");
	if (rate) {
		rate += 16;
		(void)read_number(&rate, 10, &period);
	}
	engine = engine_of(event);
	has_source = is_aux || has_word(type, "DATA_SRC");
	has_weight = is_aux || has_word(type, "WEIGHT") || has_word(type, "WEIGHT_STRUCT");
	if (!header->events || (lacks && !header->lacks))
		memcpy(header->event, event, sizeof(event));
	if (lacks && !header->lacks)
		header->lacks = lacks;
	header->is_aux |= is_aux;
	header->has_source = has_source && (header->has_source || !header->events);
	header->has_weight = has_weight && (header->has_weight || !header->events);
	if (header->events && (engine != header->engine || period != header->period || is_frequency != header->is_frequency))
		header->period = 0;
	else
		header->period = period;
	header->engine = header->events && engine != header->engine ? NULL : engine;
	header->is_frequency = is_frequency;
	header->events++;
}

void perf_text_header(struct perf_text_header *header, const char *line)
{
	static const char event[] = "# event : ";

	if (!strncmp(line, event, sizeof(event) - 1))
		take_event(header, line);
	else if (!take_value(line, "hostname", header->host) && !take_value(line, "os release", header->kernel) &&
		!take_value(line, "arch", header->arch))
		(void)take_value(line, "cmdline", header->command);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/trace_page.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/sysfs.h"

/* type_len of an entry's first word; 1 to 28 are an event of so many words. */
enum { ENTRY_LONG = 0, ENTRY_PADDING = 29, ENTRY_EXTEND = 30, ENTRY_STAMP = 31 };
#define DELTA_BITS 27
#define COMMIT_BYTES 0xfffff       /* flags of what was missed are above */
#define STAMP_BITS 59              /* that an absolute time has; those above are the last time's */

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
	uint64_t delta, time;    /* of its word; with the next one's bits above */
	size_t head, bytes;      /* of words before what it holds, and of that */
};

static uint32_t word_at(const char *data, size_t at)
{
	uint32_t word;

	memcpy(&word, data + at, sizeof(word));
	return word;
}

static void split_word(uint32_t word, struct entry *entry)
{
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) {
		entry->type = word & 31;
		entry->delta = word >> 5;
	} else {
		entry->type = word >> DELTA_BITS;
		entry->delta = word & ((1u << DELTA_BITS) - 1);
	}
}

/* false: there is no whole entry. */
static bool read_entry(const char *data, size_t at, size_t end, struct entry *entry)
{
	bool has_word = at + 8 <= end;
	uint32_t word = has_word ? word_at(data, at + 4) : 0;

	split_word(word_at(data, at), entry);
	entry->head = 4;
	entry->time = ((uint64_t)word << DELTA_BITS) + entry->delta;
	switch (entry->type) {
	case ENTRY_LONG:
		/* The word counts itself. */
		entry->head = 8;
		entry->bytes = has_word && word >= 4 ? ((size_t)word - 4 + 3) / 4 * 4 : SIZE_MAX;
		break;
	case ENTRY_PADDING:
		/* Without a time it fills the page. */
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats of events and pages of the kernel's trace buffer, made by hand as the kernel's documents say. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/rng.h"
#include "common/undo/tracefs.h"

static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				  "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

static const char format[] = "name: block_bio_queue\nID: 2097\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			     "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
			     "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
			     "\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
			     "\tfield:char rwbs[10];\toffset:28;\tsize:10;\tsigned:0;\n"
			     "\nprint fmt: \"%d,%d %s %llu + %u [%s]\", REC->sector\n";

TEST("an event's number is read from its format file")
{
	struct trace_field field = {77, 77};
	unsigned id = 0;

	assert_int_equal(trace_format_id(format, &id), 0);
	assert_int_equal(id, 2097);
	assert_int_equal(trace_format_id("name: x\n", &id), -EINVAL);
	assert_int_equal(trace_format_id("name: x\nID: 65536\n", &id), -EINVAL);
	assert_int_equal(trace_format_field(format, "nr_sector", &field), 0);
	assert_int_equal(field.offset, 24);
	assert_int_equal(field.size, 4);
	assert_int_equal(trace_format_field(format, "sector", &field), 0);
	assert_int_equal(field.offset, 16);
	assert_int_equal(field.size, 8);
	assert_int_equal(trace_format_field(format, "common_type", &field), 0);
	assert_int_equal(field.size, 2);
	assert_int_equal(trace_format_field(format, "type", &field), -ENOENT);
	assert_int_equal(trace_format_field(format, "pid", &field), -ENOENT);
	assert_int_equal(trace_format_field("field:u64 a;\toffset:x;\tsize:8;\n", "a", &field), -EINVAL);
	assert_int_equal(trace_format_field("field:u64 a;\toffset:1;\tsize:3;\n", "a", &field), -EINVAL);
	assert_int_equal(trace_format_field("field:u64 a;\toffset:65537;\tsize:8;\n", "a", &field), -EINVAL);
	assert_int_equal(trace_format_field("field:u64 a;\nfield:u32 b;\toffset:0;\tsize:4;\n", "a", &field), -EINVAL);
}

TEST("fields are read at any alignment")
{
	static const unsigned char bytes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
	uint32_t word;
	uint64_t large;

	memcpy(&word, bytes + 3, sizeof(word));
	memcpy(&large, bytes + 1, sizeof(large));
	assert_int_equal(trace_field_get(&(struct trace_field){5, 1}, bytes, 12), 6);
	assert_int_equal(trace_field_get(&(struct trace_field){3, 4}, bytes, 12), word);
	assert_int_equal(trace_field_get(&(struct trace_field){1, 8}, bytes, 12), large);
	assert_int_equal(trace_field_get(&(struct trace_field){5, 8}, bytes, 12), 0);
	assert_int_equal(trace_field_get(&(struct trace_field){12, 1}, bytes, 12), 0);
}

TEST("the layout of pages is read from header_page")
{
	struct trace_page_layout layout;
	char text[sizeof(header_page)];

	assert_int_equal(trace_page_layout_read(header_page, &layout), 0);
	assert_int_equal(layout.data_offset, 16);
	assert_int_equal(layout.page_bytes, 4096);
	assert_int_equal(layout.commit.offset, 8);
	assert_int_equal(trace_page_layout_read("", &layout), -EINVAL);
	for (size_t length = 0; length + 20 < sizeof(header_page); length++) {
		memcpy(text, header_page, length);
		text[length] = '\0';
		assert_int_equal(trace_page_layout_read(text, &layout), -EINVAL);
	}
}

/* --- pages --- */

struct page {
	union {
		uint64_t words[512];
		char bytes[4096];
	};
	size_t used; /* of data */
};

static void begin(struct page *page, uint64_t time_ns)
{
	memset(page, 0, sizeof(*page));
	page->words[0] = time_ns;
}

static void add_word(struct page *page, uint32_t word)
{
	memcpy(page->bytes + 16 + page->used, &word, sizeof(word));
	page->used += 4;
	page->words[1] = page->used;
}

static void add_head(struct page *page, unsigned type, uint32_t delta)
{
	add_word(page, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? type | delta << 5 : type << 27 | delta);
}

static void add_event(struct page *page, uint32_t delta, unsigned words, uint32_t value)
{
	add_head(page, words, delta);
	for (unsigned i = 0; i < words; i++)
		add_word(page, value + i);
}

struct taken {
	size_t count;
	struct {
		uint64_t time_ns;
		size_t size;
		uint32_t first, last;
	} list[512];
};

static void take(void *context, uint64_t time_ns, const void *event, size_t size)
{
	struct taken *taken = context;

	assert_true(taken->count < 512 && size % 4 == 0);
	taken->list[taken->count].time_ns = time_ns;
	taken->list[taken->count].size = size;
	if (size) {
		memcpy(&taken->list[taken->count].first, event, 4);
		memcpy(&taken->list[taken->count].last, (const char *)event + size - 4, 4);
	}
	taken->count++;
}

static int parse(const struct page *page, struct taken *taken)
{
	struct trace_page_layout layout;

	memset(taken, 0, sizeof(*taken));
	assert_int_equal(trace_page_layout_read(header_page, &layout), 0);
	return trace_page_parse(&layout, page->bytes, sizeof(page->bytes), take, taken);
}

static void assert_taken(const struct taken *taken, size_t index, uint64_t time_ns, size_t size, uint32_t first)
{
	assert_int_equal(taken->list[index].time_ns, time_ns);
	assert_int_equal(taken->list[index].size, size);
	assert_int_equal(taken->list[index].first, first);
	assert_int_equal(taken->list[index].last, first + size / 4 - 1);
}

TEST("events of a page are parsed with their times")
{
	struct page page;
	struct taken taken;

	begin(&page, 1ull << 60 | 5000);
	assert_int_equal(parse(&page, &taken), 0);
	assert_int_equal(taken.count, 0);
	add_event(&page, 10, 3, 100);
	add_event(&page, 0, 28, 200);
	/* A long one: the next word counts itself and what it holds, in bytes. */
	add_head(&page, 0, 7);
	add_word(&page, 4 + 4 * 40);
	for (unsigned i = 0; i < 40; i++)
		add_word(&page, 300 + i);
	/* More time than 27 bits have, and an absolute one below the bits that the page has. */
	add_head(&page, 30, 5);
	add_word(&page, 2);
	add_event(&page, 1, 1, 400);
	add_head(&page, 31, 9);
	add_word(&page, 3);
	add_event(&page, 2, 1, 500);
	/* One that was taken back, then the rest of the page. */
	add_head(&page, 29, 1);
	add_word(&page, 8);
	add_word(&page, 0);
	add_event(&page, 0, 1, 600);
	add_head(&page, 29, 0);
	add_word(&page, 0xffffffff);
	add_word(&page, 0xffffffff);
	assert_int_equal(parse(&page, &taken), 0);
	assert_int_equal(taken.count, 6);
	assert_taken(&taken, 0, (1ull << 60) + 5010, 12, 100);
	assert_taken(&taken, 1, (1ull << 60) + 5010, 112, 200);
	assert_taken(&taken, 2, (1ull << 60) + 5017, 160, 300);
	assert_taken(&taken, 3, (1ull << 60) + 5018 + 5 + (2ull << 27), 4, 400);
	assert_taken(&taken, 4, (1ull << 60) + 11 + (3ull << 27), 4, 500);
	assert_taken(&taken, 5, (1ull << 60) + 12 + (3ull << 27), 4, 600);
	/* What was missed before this page is told above the count. */
	page.words[1] |= 1u << 31 | 1u << 30;
	assert_int_equal(parse(&page, &taken), 0);
	assert_int_equal(taken.count, 6);
}

TEST("a page that contradicts itself is refused")
{
	struct page page;
	struct taken taken;

	begin(&page, 1);
	add_event(&page, 1, 4, 1);
	page.words[1] = 16; /* the event has 20 bytes */
	assert_int_equal(parse(&page, &taken), -EBADMSG);
	assert_int_equal(taken.count, 0);
	page.words[1] = 18;
	assert_int_equal(parse(&page, &taken), -EBADMSG);
	page.words[1] = 4084;
	assert_int_equal(parse(&page, &taken), -EBADMSG);
	for (unsigned type = 29; type <= 32; type++) { /* the second word is missing */
		begin(&page, 1);
		add_head(&page, type % 32, 1);
		assert_int_equal(parse(&page, &taken), -EBADMSG);
	}
	for (uint32_t length = 0; length < 4; length++) {
		begin(&page, 1);
		add_head(&page, 0, 1);
		add_word(&page, length);
		assert_int_equal(parse(&page, &taken), -EBADMSG);
	}
	begin(&page, 1);
	add_head(&page, 0, 1);
	add_word(&page, UINT32_MAX);
	assert_int_equal(parse(&page, &taken), -EBADMSG);
	begin(&page, 1);
	add_head(&page, 29, 1);
	add_word(&page, UINT32_MAX);
	assert_int_equal(parse(&page, &taken), -EBADMSG);
}

/* Whatever the bytes: it ends, and nothing is read beyond the page. */
static void ignore(void *context, uint64_t time_ns, const void *event, size_t size)
{
	uint32_t *sum = context;

	(void)time_ns;
	for (size_t i = 0; i < size; i++)
		*sum += ((const unsigned char *)event)[i];
}

TEST("random pages are parsed within bounds")
{
	struct trace_page_layout layout;
	uint64_t *page = malloc(512);
	struct rng rng;
	uint32_t sum = 0;

	assert_int_equal(trace_page_layout_read(header_page, &layout), 0);
	rng_seed(&rng, 1, 0);
	for (int round = 0; round < 20000; round++) {
		size_t size = rng_next(&rng) % 513;

		for (int i = 0; i < 64; i++)
			page[i] = round % 2 ? rng_next(&rng) : rng_next(&rng) & 0x1f0000001full;
		page[1] = rng_next(&rng) % 500 / 4 * 4;
		(void)trace_page_parse(&layout, page, size, ignore, &sum);
	}
	free(page);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "pmbench/memory/mapping.h"

#define PAGES 256 /* enough for more runs of zero pages than one scan returns */

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static void open_map(const struct mapping_request *request, struct mapping *mapping)
{
	assert_int_equal(mapping_open(request, PAGES * page_bytes(), true, mapping), 0);
	assert_int_equal(mapping->bytes, PAGES * page_bytes());
}

static size_t zero_bytes(const unsigned char *at, size_t bytes)
{
	size_t count = 0;

	for (size_t i = 0; i < bytes; i++)
		count += !at[i];
	return count;
}

/* One random byte of 256 is zero. */
TEST("random content fills every byte")
{
	struct mapping_request request = {.content = CONTENT_RANDOM};
	struct mapping one, same, other;

	open_map(&request, &one);
	open_map(&request, &same);
	open_map(&request, &other);
	mapping_fill(&one, 7);
	mapping_fill(&same, 7);
	mapping_fill(&other, 8);
	assert_memory_equal(one.base, same.base, one.bytes);
	assert_memory_not_equal(one.base, other.base, one.bytes);
	for (size_t i = 0; i < one.bytes; i += one.bytes / 4)
		assert_in_range(zero_bytes((unsigned char *)one.base + i, one.bytes / 4) * 256,
			one.bytes / 8, one.bytes / 2);
	mapping_close(&one);
	mapping_close(&same);
	mapping_close(&other);
}

TEST("pointer content has addresses of itself")
{
	struct mapping_request request = {.content = CONTENT_POINTER};
	struct mapping mapping;

	open_map(&request, &mapping);
	mapping_fill(&mapping, 1);
	for (uintptr_t *word = mapping.base; (char *)word < (char *)mapping.base + mapping.bytes; word++)
		assert_int_equal(*word, (uintptr_t)word);
	mapping_close(&mapping);
}

TEST("ratio content leaves zeros in each page")
{
	static const double percents[] = {0, 25, 75, 100};
	size_t page = page_bytes();

	for (size_t p = 0; p < sizeof(percents) / sizeof(percents[0]); p++) {
		struct mapping_request request = {.content = CONTENT_RATIO, .compressible_percent = percents[p]};
		size_t zeros = (size_t)((double)page * percents[p] / 100);
		struct mapping mapping;

		open_map(&request, &mapping);
		mapping_fill(&mapping, 3);
		for (size_t i = 0; i < mapping.bytes; i += page) {
			unsigned char *at = (unsigned char *)mapping.base + i;

			assert_int_equal(zero_bytes(at + page - zeros, zeros), zeros);
			assert_in_range(zero_bytes(at, page - zeros), 0, (page - zeros) / 16);
		}
		mapping_close(&mapping);
	}
}

/* A line of the mapping in smaps, where neighbours of the same kind are one area; empty when it has none. */
static void read_smaps(const struct mapping *mapping, const char *name, char *text, size_t length)
{
	FILE *smaps = fopen("/proc/self/smaps", "r");
	bool is_inside = false;
	char line[256];

	assert_non_null(smaps);
	*text = '\0';
	while (fgets(line, sizeof(line), smaps)) {
		unsigned long begin, end;

		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			is_inside = begin <= (uintptr_t)mapping->base && (uintptr_t)mapping->base < end;
		else if (is_inside && !strncmp(line, name, strlen(name)))
			snprintf(text, length, "%s", line + strlen(name));
	}
	fclose(smaps);
}

static bool has_flag(const struct mapping *mapping, const char *flag)
{
	char flags[256];

	/* " nh" no huge pages, " hg" huge pages, " rr" random reads. */
	read_smaps(mapping, "VmFlags:", flags, sizeof(flags));
	return strstr(flags, flag);
}

/* Of pages that were only read: some kernels give each a page of its own. */
static uint64_t count_own_pages(const struct mapping *mapping)
{
	char kib[256];

	read_smaps(mapping, "Anonymous:", kib, sizeof(kib));
	return strtoull(kib, NULL, 10) * 1024 / page_bytes();
}

/* Reads of memory never written are counted; written pages, zeros too, are not. */
TEST("pages of the kernel's zero page are counted")
{
	struct mapping_request request = {.kind = MAPPING_ANONYMOUS};
	struct mapping mapping;
	uint64_t pages = 99, own;
	int err;

	if (unit_is_emulated())
		skip(); /* its addresses are not the kernel's */
	open_map(&request, &mapping);
	err = mapping_zero_pages(&mapping, mapping.bytes, &pages);
	if (err == -EPERM || err == -ENOENT) {
		mapping_close(&mapping);
		print_message("# neither PAGEMAP_SCAN nor page frame numbers here\n");
		skip();
	}
	assert_int_equal(err, 0);
	assert_int_equal(pages, 0);
	for (size_t i = 0; i < PAGES; i += 2)
		(void)((volatile char *)mapping.base)[i * page_bytes()];
	assert_int_equal(mapping_zero_pages(&mapping, mapping.bytes, &pages), 0);
	own = count_own_pages(&mapping);
	assert_true(!own || own == PAGES / 2);
	assert_int_equal(pages, PAGES / 2 - own);
	assert_int_equal(mapping_zero_pages(&mapping, mapping.bytes / 2, &pages), 0);
	assert_int_equal(pages, PAGES / 4 - own / 2);
	mapping.request.content = CONTENT_ZERO;
	mapping_fill(&mapping, 0);
	assert_int_equal(mapping_zero_pages(&mapping, mapping.bytes, &pages), 0);
	assert_int_equal(pages, 0);
	mapping_close(&mapping);
}

TEST("a file is read ahead only for patterns in order")
{
	struct mapping_request request = {.kind = MAPPING_FILE};
	struct mapping mapping;

	if (unit_is_emulated())
		skip();
	snprintf(request.path, sizeof(request.path), "/var/tmp/pmbench-test-%d", (int)getpid());
	open_map(&request, &mapping);
	assert_true(has_flag(&mapping, " rr "));
	mapping_close(&mapping);
	request.is_in_order = true;
	open_map(&request, &mapping);
	assert_false(has_flag(&mapping, " rr "));
	mapping_close(&mapping);
}

TEST("huge pages are used only on request")
{
	struct mapping_request request = {.kind = MAPPING_ANONYMOUS};
	struct mapping plain, huge;

	if (access("/sys/kernel/mm/transparent_hugepage", F_OK) || unit_is_emulated())
		skip();
	open_map(&request, &plain);
	request.wants_thp = true;
	open_map(&request, &huge);
	assert_true(has_flag(&plain, " nh") && !has_flag(&plain, " hg"));
	assert_true(has_flag(&huge, " hg") && !has_flag(&huge, " nh"));
	mapping_close(&plain);
	mapping_close(&huge);
}

TEST("pages of a file in the page cache are counted")
{
	struct mapping_request request = {.kind = MAPPING_FILE, .content = CONTENT_RANDOM};
	struct mapping mapping;

	if (unit_is_emulated())
		skip();
	snprintf(request.path, sizeof(request.path), "/var/tmp/pmbench-test-%d", (int)getpid());
	open_map(&request, &mapping);
	mapping_fill(&mapping, 1);
	assert_int_equal(mapping_cached_pages(&mapping), PAGES);
	mapping_close(&mapping);
	request = (struct mapping_request){.kind = MAPPING_ANONYMOUS};
	open_map(&request, &mapping);
	assert_true(mapping_cached_pages(&mapping) == UINT64_MAX);
	assert_true(mapping_read_ahead_kb("", &mapping) == UINT64_MAX);
	mapping_close(&mapping);
}

TEST("a map without huge pages has 0 bytes in them")
{
	struct mapping_request request = {.content = CONTENT_RANDOM};
	struct mapping mapping;

	open_map(&request, &mapping);
	mapping_fill(&mapping, 1);
	assert_int_equal(mapping_huge_bytes(&mapping), 0);
	mapping_close(&mapping);
}

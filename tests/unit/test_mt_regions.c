/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include "common/hot/rng.h"
#include "memtrace/names/regions.h"

static void add(struct regions *regions, enum trace_event_type type, uint64_t time, uint32_t pid, uint32_t tid,
	uint64_t first, uint64_t second, const char *text)
{
	struct trace_event event = {.time_ns = time, .pid = pid, .tid = tid, .type = type, .value = {first, second},
		.text = text};

	assert_int_equal(regions_add(regions, &event), 0);
}

static const char *name_at(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time)
{
	const struct region *region = regions_find(regions, pid, address, time);

	return region ? region->name : "none";
}

static struct regions *scene(void)
{
	struct regions *regions;

	assert_int_equal(regions_new(&regions), 0);
	/* Not in the order of time. */
	add(regions, TRACE_MAP, 50, 1, 1, 0x3000, 0x1000, "later");
	add(regions, TRACE_MAP, 10, 1, 1, 0x1000, 0x8000, "large");
	add(regions, TRACE_MAP, 20, 1, 1, 0x4000, 0x1000, "inside");
	add(regions, TRACE_COMM, 5, 1, 1, 1, 0, "first");
	add(regions, TRACE_FORK, 30, 1, 2, 1, 1, "");   /* a thread */
	add(regions, TRACE_FORK, 40, 3, 3, 1, 1, "");   /* a process */
	add(regions, TRACE_MAP, 60, 3, 3, 0x1000, 0x1000, "own");
	add(regions, TRACE_FORK, 70, 4, 4, 3, 3, "");
	add(regions, TRACE_COMM, 80, 4, 4, 1, 0, "program"); /* execs: nothing of its parent is left */
	add(regions, TRACE_MAP, 81, 4, 4, 0x9000, 0x1000, "text");
	assert_int_equal(regions_sort(regions), 0);
	return regions;
}

TEST("an address is in the newest mapping that held it at the time")
{
	struct regions *regions = scene();

	assert_string_equal(name_at(regions, 1, 0x3800, 49), "large");
	assert_string_equal(name_at(regions, 1, 0x3800, 50), "later");
	assert_string_equal(name_at(regions, 1, 0x4800, 19), "large");
	assert_string_equal(name_at(regions, 1, 0x4800, 60), "inside");
	assert_string_equal(name_at(regions, 1, 0x8fff, 60), "large");
	assert_string_equal(name_at(regions, 1, 0x9000, 60), "none");
	assert_string_equal(name_at(regions, 1, 0xfff, 60), "none");
	assert_string_equal(name_at(regions, 1, 0x1000, 9), "none");
	regions_free(regions);
}

TEST("a forked process has its parent's mappings of the moment until it executes a program")
{
	struct regions *regions = scene();

	assert_string_equal(name_at(regions, 3, 0x3800, 55), "large");
	assert_string_equal(name_at(regions, 3, 0x1800, 55), "large");
	assert_string_equal(name_at(regions, 3, 0x1800, 60), "own");
	assert_string_equal(name_at(regions, 4, 0x1800, 75), "own");
	assert_string_equal(name_at(regions, 4, 0x3800, 75), "large");
	assert_string_equal(name_at(regions, 4, 0x3800, 85), "none");
	assert_string_equal(name_at(regions, 4, 0x9800, 85), "text");
	regions_free(regions);
}

TEST("threads have the process and the name of the one that started them")
{
	struct regions *regions = scene();

	assert_int_equal(regions_process(regions, 2, 35), 1);
	assert_int_equal(regions_process(regions, 3, 45), 3);
	assert_int_equal(regions_process(regions, 9, 45), 0);
	assert_string_equal(regions_thread_name(regions, 1, 5), "first");
	assert_string_equal(regions_thread_name(regions, 2, 35), "first");
	assert_string_equal(regions_thread_name(regions, 3, 45), "first");
	assert_string_equal(regions_thread_name(regions, 4, 75), "first");
	assert_string_equal(regions_thread_name(regions, 4, 85), "program");
	assert_string_equal(regions_thread_name(regions, 9, 85), "");
	regions_free(regions);
}

TEST("a span is as far as the answer is the same")
{
	struct regions *regions = scene();
	struct region_span span;

	for (uint32_t pid = 1; pid <= 5; pid++) {
		for (uint64_t address = 0x800; address < 0xb000; address += 0x400) {
			for (uint64_t time = 5; time < 90; time += 5) {
				const struct region *region = regions_find_span(regions, pid, address, time, &span);

				assert_true(span.begin <= address && address < span.end);
				for (uint64_t other = 0x800; other < 0xb000; other += 0x400) {
					if (span.begin <= other && other < span.end)
						assert_ptr_equal(regions_find(regions, pid, other, time), region);
				}
			}
		}
	}
	regions_find_span(regions, 1, 0x5800, 60, &span);
	assert_true(span.begin == 0x5000 && span.end == 0x9000);
	regions_free(regions);
}

TEST("what is close below a stack belongs to it, other mappings included first")
{
	struct regions *regions;

	assert_int_equal(regions_new(&regions), 0);
	add(regions, TRACE_MAP, 10, 1, 1, 0x7fff00000000, 0x21000, "[stack]");
	add(regions, TRACE_MAP, 10, 1, 1, 0x7ffefff00000, 0x1000, "library");
	assert_int_equal(regions_sort(regions), 0);
	assert_string_equal(name_at(regions, 1, 0x7ffeffff0000, 20), "[stack]");
	assert_string_equal(name_at(regions, 1, 0x7ffefff00800, 20), "library");
	assert_string_equal(name_at(regions, 1, 0x7ffe00000000, 20), "none");
	assert_string_equal(name_at(regions, 1, 0x7fff00021000, 20), "none");
	assert_string_equal(name_at(regions, 1, 0x7ffeffff0000, 9), "none");
	regions_free(regions);
}

TEST("a process that renames itself keeps its parent's mappings")
{
	struct regions *regions;

	assert_int_equal(regions_new(&regions), 0);
	add(regions, TRACE_MAP, 10, 1, 1, 0x1000, 0x1000, "inherited");
	add(regions, TRACE_FORK, 20, 2, 2, 1, 1, "");
	add(regions, TRACE_COMM, 30, 2, 2, 0, 0, "renamed");
	add(regions, TRACE_COMM, 40, 2, 2, 0, 0, "again");
	add(regions, TRACE_COMM, 50, 2, 2, 1, 0, "executed");
	assert_int_equal(regions_sort(regions), 0);
	assert_string_equal(name_at(regions, 2, 0x1800, 25), "inherited");
	assert_string_equal(name_at(regions, 2, 0x1800, 45), "inherited");
	assert_string_equal(name_at(regions, 2, 0x1800, 55), "none");
	assert_string_equal(regions_thread_name(regions, 2, 45), "again");
	regions_free(regions);
}

TEST("a mapping knows where in its file it begins")
{
	struct trace_event event = {.time_ns = 1, .pid = 1, .tid = 1, .type = TRACE_MAP, .value = {0x1000, 0x1000, 0x5000},
		.text = "file"};
	struct regions *regions;

	assert_int_equal(regions_new(&regions), 0);
	assert_int_equal(regions_add(regions, &event), 0);
	assert_int_equal(regions_sort(regions), 0);
	assert_int_equal(regions_find(regions, 1, 0x1000, 2)->offset, 0x5000);
	regions_free(regions);
}

static struct region_name naming(const struct regions *regions, uint32_t pid, uint64_t address, uint64_t time)
{
	struct region_span span;
	struct region_name name = regions_name(regions, pid, address, time, &span);

	assert_true(span.begin <= address && address < span.end);
	return name;
}

static void name(struct regions *regions, uint64_t time, uint32_t pid, uint64_t begin, uint64_t bytes, uint64_t site,
	const char *text)
{
	struct trace_event event = {.time_ns = time, .pid = pid, .tid = pid, .type = TRACE_NAME,
		.value = {begin, bytes, 8, site}, .text = text};

	assert_int_equal(regions_add(regions, &event), 0);
}

TEST("an address has the name of the newest object, else of its mapping; programs that are executed begin without objects")
{
	struct regions *regions;
	struct region_name found;

	assert_int_equal(regions_new(&regions), 0);
	add(regions, TRACE_MAP, 1, 1, 1, 0x1000, 0x8000, "mapping");
	name(regions, 10, 0, 0x2000, 0x1000, 0, "table");
	name(regions, 20, 1, 0x2800, 0x1000, 0xabc, "");
	add(regions, TRACE_FORGET, 30, 1, 1, 0x2800, 0x1000, "");
	add(regions, TRACE_FORGET, 40, 0, 0, 0, 0, "table");
	add(regions, TRACE_FORK, 25, 2, 2, 1, 1, "");
	add(regions, TRACE_COMM, 35, 2, 2, 1, 0, "other");
	add(regions, TRACE_MAP, 36, 2, 2, 0x1000, 0x8000, "of the other");
	assert_int_equal(regions_sort(regions), 0);
	found = naming(regions, 1, 0x2400, 9);
	assert_int_equal(found.kind, REGION_MAPPING);
	found = naming(regions, 1, 0x2400, 10);
	assert_int_equal(found.kind, REGION_OBJECT);
	assert_string_equal(found.text, "table");
	assert_int_equal(found.begin, 0x2000);
	assert_int_equal(found.element, 8);
	assert_int_equal(naming(regions, 1, 0x2800, 20).kind, REGION_ALLOCATION);
	assert_int_equal(naming(regions, 1, 0x2800, 30).kind, REGION_MAPPING);
	assert_int_equal(naming(regions, 1, 0x2400, 39).kind, REGION_OBJECT);
	assert_int_equal(naming(regions, 1, 0x2400, 40).kind, REGION_MAPPING);
	/* The forked process has its parent's, until it executes a program; what the parent frees later it keeps. */
	assert_int_equal(naming(regions, 2, 0x2800, 31).kind, REGION_ALLOCATION);
	found = naming(regions, 2, 0x2800, 36);
	assert_string_equal(found.text, "of the other");
	assert_int_equal(naming(regions, 2, 0x2400, 36).kind, REGION_MAPPING);
	assert_int_equal(naming(regions, 3, 0x9999, 36).kind, REGION_NONE);
	regions_free(regions);
}

TEST("an object that would end behind the last address ends there")
{
	struct regions *regions;

	assert_int_equal(regions_new(&regions), 0);
	name(regions, 10, 0, UINT64_MAX - 16, 4096, 0, "last");
	assert_int_equal(regions_sort(regions), 0);
	assert_string_equal(naming(regions, 1, UINT64_MAX - 8, 10).text, "last");
	assert_int_equal(naming(regions, 1, 100, 10).kind, REGION_NONE);
	regions_free(regions);
}

TEST("of many random mappings, indexed or new, the newest one is found, and a thread in a cycle of forks has no name")
{
	struct region list[600];
	struct regions *regions;
	struct rng rng;

	rng_seed(&rng, 1, 0);
	assert_int_equal(regions_new(&regions), 0);
	for (size_t count = 0; count < 600; count++) {
		struct region *region = &list[count];

		*region = (struct region){.begin = rng_next(&rng) % 100, .from_ns = count, .pid = (uint32_t)rng_next(&rng) % 2 + 1};
		region->end = region->begin + rng_next(&rng) % 30;
		add(regions, TRACE_MAP, region->from_ns, region->pid, 1, region->begin, region->end - region->begin, "file");
		if (count % 7)
			continue;
		assert_int_equal(regions_sort(regions), 0);
		for (unsigned i = 0; i < 300; i++) {
			uint32_t pid = i % 2 + 1;
			uint64_t address = rng_next(&rng) % 140, time = rng_next(&rng) % (count + 2);
			const struct region *found = regions_find(regions, pid, address, time), *right = NULL;

			for (size_t j = 0; j <= count && list[j].from_ns <= time; j++) {
				if (list[j].pid == pid && list[j].begin <= address && address < list[j].end)
					right = &list[j];
			}
			assert_true(!found == !right && (!found || found->from_ns == right->from_ns));
		}
	}
	regions_free(regions);

	assert_int_equal(regions_new(&regions), 0);
	add(regions, TRACE_FORK, 1, 1, 1, 2, 2, "");
	add(regions, TRACE_FORK, 1, 2, 2, 1, 1, "");
	assert_int_equal(regions_sort(regions), 0);
	assert_string_equal(regions_thread_name(regions, 1, 5), "");
	regions_free(regions);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include "common/hot/rng.h"
#include "memtrace/names/objects.h"

static void add(struct objects *objects, uint32_t pid, uint64_t begin, uint64_t end, uint64_t from_ns, const char *name)
{
	assert_int_equal(objects_add(objects, &(struct object){.begin = begin, .end = end, .from_ns = from_ns,
		.until_ns = UINT64_MAX, .pid = pid, .name = name}), 0);
}

static const char *name_at(const struct objects *objects, uint32_t pid, uint64_t address, uint64_t time_ns)
{
	uint64_t begin = 0, end = UINT64_MAX;
	const struct object *object = objects_find(objects, pid, address, time_ns, &begin, &end);

	assert_true(begin <= address && address < end);
	return !object ? "none" : object->name ? object->name : "free";
}

TEST("the newest range that held an address then has it, and what is freed has no name")
{
	struct objects objects = {0};

	add(&objects, 1, 0x1000, 0x9000, 10, "large");
	add(&objects, 1, 0x3000, 0x4000, 30, NULL);
	add(&objects, 1, 0x2000, 0x5000, 20, "inside");
	add(&objects, 1, 0x3000, 0x3800, 30, "again");
	add(&objects, 0, 0x3000, 0x3800, 5, "of any");
	assert_int_equal(objects_sort(&objects), 0);
	assert_string_equal(name_at(&objects, 1, 0x3000, 9), "none");
	assert_string_equal(name_at(&objects, 1, 0x3000, 10), "large");
	assert_string_equal(name_at(&objects, 1, 0x3000, 29), "inside");
	assert_string_equal(name_at(&objects, 1, 0x3000, 30), "again");
	assert_string_equal(name_at(&objects, 1, 0x3800, 30), "free");
	assert_string_equal(name_at(&objects, 1, 0x4000, 30), "inside");
	assert_string_equal(name_at(&objects, 1, 0x8fff, 30), "large");
	assert_string_equal(name_at(&objects, 1, 0x9000, 30), "none");
	assert_string_equal(name_at(&objects, 2, 0x3000, 30), "none");
	assert_string_equal(name_at(&objects, 0, 0x3000, 5), "of any");
	objects_free(&objects);
}

TEST("a name that is forgotten shows what had the address before")
{
	struct objects objects = {0};

	add(&objects, 0, 0x1000, 0x2000, 10, "first");
	add(&objects, 0, 0x1000, 0x2000, 20, "second");
	add(&objects, 0, 0x5000, 0x6000, 20, "second");
	assert_int_equal(objects_forget(&objects, "second", 30), 0);
	assert_int_equal(objects_forget(&objects, "unknown", 30), 0);
	add(&objects, 0, 0x1800, 0x2000, 40, "second");
	assert_int_equal(objects_sort(&objects), 0);
	assert_string_equal(name_at(&objects, 0, 0x1000, 29), "second");
	assert_string_equal(name_at(&objects, 0, 0x1000, 30), "first");
	assert_string_equal(name_at(&objects, 0, 0x5000, 30), "none");
	assert_string_equal(name_at(&objects, 0, 0x1800, 40), "second");
	objects_free(&objects);
}

TEST("of a name and its end at one time the later one holds, as often as they come")
{
	struct objects objects = {0};

	for (unsigned i = 0; i < 3; i++) {
		add(&objects, 0, 0x1000, 0x2000, 10, "name");
		assert_int_equal(objects_forget(&objects, "name", 10), 0);
	}
	add(&objects, 0, 0x1000, 0x2000, 10, "name");
	add(&objects, 0, 0x3000, 0x4000, 10, "other");
	assert_int_equal(objects_forget(&objects, "other", 10), 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(objects_sort(&objects), 0);
		assert_string_equal(name_at(&objects, 0, 0x1000, 10), "name");
		assert_string_equal(name_at(&objects, 0, 0x3000, 10), "none");
	}
	objects_free(&objects);
}

TEST("without a name nothing is indexed, and nothing found")
{
	struct objects objects = {0};

	assert_int_equal(objects_sort(&objects), 0);
	assert_string_equal(name_at(&objects, 1, 0, 0), "none");
	add(&objects, 1, 0, UINT64_MAX, 10, NULL);
	assert_int_equal(objects_sort(&objects), 0);
	assert_string_equal(name_at(&objects, 1, 5, 10), "none");
	objects_free(&objects);
}

/* By linear search. */
static const struct object *find_slowly(const struct object *list, size_t count, uint32_t pid, uint64_t address, uint64_t time_ns)
{
	const struct object *found = NULL;

	for (size_t i = 0; i < count; i++) {
		if (list[i].pid == pid && list[i].begin <= address && address < list[i].end && list[i].from_ns <= time_ns &&
			list[i].until_ns > time_ns && (!found || list[i].from_ns >= found->from_ns))
			found = &list[i];
	}
	return found;
}

TEST("every lookup in random ranges has the result of a linear search, and so has its whole span")
{
	struct object list[200];
	struct objects objects = {0};
	struct rng rng;

	rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < 200; i++) {
		uint64_t begin = rng_next(&rng) % 100, from = rng_next(&rng) % 100;

		list[i] = (struct object){.begin = begin, .end = begin + rng_next(&rng) % 30, .from_ns = from,
			.until_ns = rng_next(&rng) % 2 ? UINT64_MAX : from + rng_next(&rng) % 40, .element = i + 1,
			.pid = (uint32_t)rng_next(&rng) % 3, .name = i % 3 ? "named" : NULL};
		assert_int_equal(objects_add(&objects, &list[i]), 0);
	}
	assert_int_equal(objects_sort(&objects), 0);
	for (unsigned i = 0; i < 3 * 140 * 110; i++) {
		uint32_t pid = i % 3;
		uint64_t address = i / 3 % 140, time = i / 420, begin = 0, end = UINT64_MAX;
		const struct object *right = find_slowly(list, 200, pid, address, time);
		const struct object *found = objects_find(&objects, pid, address, time, &begin, &end);

		assert_int_equal(found ? found->element : 0, right ? right->element : 0);
		for (uint64_t other = begin; other < end && other < 140; other++)
			assert_ptr_equal(find_slowly(list, 200, pid, other, time), right);
	}
	objects_free(&objects);
}

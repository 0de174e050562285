/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first bytes of a target: what was written comes back, and nothing else is taken for it. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/base/units.h"
#include "ssd-workloads/workload/header.h"

static void make(struct header *header)
{
	struct workload workload;
	struct workload_override override = {.workers = 3};
	const char *why;

	*header = (struct header){.run = 0xfeedbeef01020304ull, .uuid = "01234567-89ab-4def-8123-456789abcdef",
		.durability = HEADER_DSYNC, .is_prepared = true};
	assert_int_equal(workload_make(mix_find("M-N"), &override, &workload, &why), 0);
	layout_make(&workload, &header->layout);
	for (int i = 0; i < MIX_STREAMS; i++) {
		for (unsigned k = 0; k < 3; k++)
			header->acknowledged[i][k] = (1ull << 40) * (k + 1) + (unsigned)i;
	}
}

static void assert_same(const struct header *one, const struct header *two)
{
	assert_int_equal(one->run, two->run);
	assert_string_equal(one->uuid, two->uuid);
	assert_int_equal(one->durability, two->durability);
	assert_int_equal(one->is_prepared, two->is_prepared);
	assert_int_equal(one->is_ended, two->is_ended);
	assert_int_equal(one->layout.bytes, two->layout.bytes);
	for (int i = 0; i < MIX_STREAMS; i++) {
		assert_int_equal(one->layout.areas[i].begin, two->layout.areas[i].begin);
		assert_int_equal(one->layout.areas[i].bytes, two->layout.areas[i].bytes);
		assert_int_equal(one->layout.areas[i].workers, two->layout.areas[i].workers);
		assert_int_equal(one->layout.areas[i].block_bytes, two->layout.areas[i].block_bytes);
		assert_int_equal(one->layout.areas[i].stripes, two->layout.areas[i].stripes);
		assert_int_equal(one->layout.areas[i].stripe, two->layout.areas[i].stripe);
	}
	assert_memory_equal(one->acknowledged, two->acknowledged, sizeof(one->acknowledged));
}

TEST("what was written is read")
{
	FILE *file = tmpfile();
	struct header header, found;

	assert_non_null(file);
	make(&header);
	for (int ended = 0; ended < 2; ended++) {
		header.is_ended = ended;
		assert_int_equal(header_write(fileno(file), &header), 0);
		assert_int_equal(header_read(fileno(file), &found), 0);
		assert_same(&header, &found);
	}
	assert_int_equal(lseek(fileno(file), 0, SEEK_END), HEADER_BYTES);
	assert_int_equal(ftruncate(fileno(file), HEADER_BYTES - 1), 0);
	assert_int_equal(header_read(fileno(file), &found), -EBADMSG);
	fclose(file);
	assert_int_equal(header_read(-1, &found), -EBADF);
	assert_int_equal(header_write(-1, &header), -EBADF);
}

TEST("a stream may be missing")
{
	unsigned char bytes[HEADER_BYTES];
	struct header header, found;
	static const char *const names[] = {"M-0", "0-N"};

	for (int i = 0; i < 2; i++) {
		struct workload workload;
		const struct workload_override override = {.workers = 0};
		const char *why;

		make(&header);
		assert_int_equal(workload_make(mix_find(names[i]), &override, &workload, &why), 0);
		layout_make(&workload, &header.layout);
		header_format(&header, bytes);
		assert_int_equal(header_parse(bytes, &found), 0);
		assert_same(&header, &found);
	}
}

TEST("a target of a striped log says which half it has")
{
	static const unsigned stripes[][2] = {{2, 0}, {2, 1}, {1, 0}, {2, 2}, {3, 0}};
	unsigned char bytes[HEADER_BYTES];
	struct header header, found;

	for (size_t i = 0; i < sizeof(stripes) / sizeof(stripes[0]); i++) {
		struct layout_area *log = &header.layout.areas[MIX_LOG];

		make(&header);
		log->stripes = stripes[i][0];
		log->stripe = stripes[i][1];
		header_format(&header, bytes);
		if (i < 3) {
			assert_int_equal(header_parse(bytes, &found), 0);
			assert_same(&header, &found);
		} else {
			assert_int_equal(header_parse(bytes, &found), -EBADMSG);
		}
	}
	make(&header);
	header.layout.areas[MIX_LOG] = (struct layout_area){.workers = 3, .stripes = 2};
	header_format(&header, bytes);
	assert_int_equal(header_parse(bytes, &found), -EBADMSG);
}

TEST("a header with any byte changed is refused")
{
	unsigned char bytes[HEADER_BYTES];
	struct header header, found;

	make(&header);
	header_format(&header, bytes);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] ^= (unsigned char)(1u << i % 8);
		assert_int_equal(header_parse(bytes, &found), -EBADMSG);
		bytes[i] ^= (unsigned char)(1u << i % 8);
	}
	assert_int_equal(header_parse(bytes, &found), 0);
}

/* A checksum that fits does not make nonsense sense. */
TEST("a header with a valid checksum and impossible values is refused")
{
	unsigned char bytes[HEADER_BYTES];
	struct header good, bad[17], found;
	size_t count = 0;

	make(&good);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		bad[i] = good;
	bad[count++].run = 0;
	bad[count++].durability = (enum header_durability)3;
	snprintf(bad[count++].uuid, sizeof(good.uuid), "%s", "what is that?");
	bad[count++].layout.bytes++;
	bad[count++].layout.areas[0].workers = 0;
	bad[count++].layout.areas[0].workers = MIX_WORKERS_MAX + 1;
	bad[count++].layout.areas[0].workers = 7;
	bad[count++].layout.areas[0].block_bytes = 0;
	bad[count++].layout.areas[0].block_bytes = 768;
	bad[count++].layout.areas[0].block_bytes = 2 * MIX_BLOCK_MAX;
	bad[count++].layout.areas[0].begin = 0;
	bad[count++].layout.areas[0].begin += 4096;
	bad[count++].layout.areas[1].begin = bad[0].layout.areas[0].begin;
	bad[count++].layout.areas[1].begin = 1ull << 63;
	bad[count++].layout.areas[1].bytes = UINT64_MAX / (3 * 131072) * (3 * 131072);
	bad[count++].layout.areas[1].bytes = 0;
	memset(&bad[count++].layout, 0, sizeof(good.layout));
	assert_int_equal(count, sizeof(bad) / sizeof(bad[0]));
	for (size_t i = 0; i < count; i++) {
		header_format(&bad[i], bytes);
		assert_int_equal(header_parse(bytes, &found), -EBADMSG);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written can neither be compressed nor be found twice, unless that was asked for. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/write/content.h"

#define BYTES (64 * CONTENT_BLOCK)

static uint64_t first[BYTES / 8], second[BYTES / 8];

static bool is_anywhere(const uint64_t *words, size_t count, const uint64_t *wanted)
{
	for (size_t i = 0; i < count; i++) {
		if (words[i] == *wanted && wanted != &words[i])
			return true;
	}
	return false;
}

static double entropy_bits(const void *data, size_t bytes)
{
	size_t counts[256] = {0};
	double bits = 0;

	for (size_t i = 0; i < bytes; i++)
		counts[((const unsigned char *)data)[i]]++;
	for (int i = 0; i < 256; i++) {
		double share = (double)counts[i] / (double)bytes;

		bits -= share > 0 ? share * log2(share) : 0;
	}
	return bits;
}

TEST("blocks are random and no two are alike")
{
	struct content content;

	content_init(0, 0, &content);
	content_fill(&content, first, BYTES);
	content_fill(&content, second, BYTES);
	assert_true(entropy_bits(first, BYTES) > 7.99);
	assert_true(entropy_bits(second, BYTES) > 7.99);
	/* Not eight bytes of one block are in another, at whatever word. */
	for (size_t block = 0; block < BYTES / CONTENT_BLOCK; block++) {
		assert_false(is_anywhere(first, BYTES / 8, &first[block * CONTENT_BLOCK / 8]));
		assert_false(is_anywhere(second, BYTES / 8, &first[block * CONTENT_BLOCK / 8]));
	}
	assert_memory_not_equal(first, second, BYTES);
}

TEST("two sources of content differ in every word")
{
	struct content one, other;

	content_init(0, 0, &one);
	content_init(0, 0, &other);
	content_fill(&one, first, CONTENT_BLOCK);
	content_fill(&other, second, CONTENT_BLOCK);
	for (size_t i = 0; i < CONTENT_BLOCK / 8; i++)
		assert_true(first[i] != second[i]);
}

TEST("a share of each chunk is zeros")
{
	static const unsigned percents[] = {0, 25, 50, 100};
	struct content content;

	for (size_t k = 0; k < 4; k++) {
		const size_t zeros = CONTENT_CHUNK * percents[k] / 100;

		content_init(percents[k], 0, &content);
		content_fill(&content, first, CONTENT_BLOCK);
		for (size_t at = 0; at < CONTENT_BLOCK; at += CONTENT_CHUNK) {
			const unsigned char *chunk = (unsigned char *)first + at;
			size_t found = 0;

			while (found < CONTENT_CHUNK && !chunk[CONTENT_CHUNK - 1 - found])
				found++;
			/* Random bytes end with a zero now and then. */
			assert_true(found >= zeros && found < zeros + 8);
		}
	}
}

TEST("a share of the writes is the one before")
{
	struct content content;
	unsigned equal = 0;

	content_init(0, 100, &content);
	content_fill(&content, first, 1000);
	content_fill(&content, second, 5000);
	assert_memory_equal(first, second, 1000);
	content_init(0, 40, &content);
	content_fill(&content, first, 100);
	for (int i = 0; i < 1000; i++) {
		content_fill(&content, second, 100);
		equal += !memcmp(first, second, 100);
		memcpy(first, second, 100);
	}
	/* 400, and six times the standard deviation. */
	assert_in_range(equal, 300, 500);
}

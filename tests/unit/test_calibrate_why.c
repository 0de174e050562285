/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each cause by blocks that have it and no other. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/system/estimate.h"

#define HALF 10
#define SAMPLES (2 * HALF + 1)

/* Blocks of sorted samples around these medians, scattered by so much to each side. */
struct made {
	double values[ESTIMATE_BLOCKS][SAMPLES];
	struct estimate_block blocks[ESTIMATE_BLOCKS];
	size_t count;
};

static void make(struct made *made, const double *medians, size_t count, double scatter)
{
	made->count = count;
	for (size_t i = 0; i < count; i++) {
		for (int k = 0; k < SAMPLES; k++)
			made->values[i][k] = medians[i] * (1 + scatter * (k - HALF) / HALF);
		made->blocks[i] = (struct estimate_block){made->values[i], SAMPLES};
	}
}

static const char *why(const struct made *made)
{
	static char text[SYSTEM_WHY];

	assert_int_equal(why_unstable(made->blocks, made->count, false, text, sizeof(text)), 0);
	return text;
}

#define WHY(made, scatter, ...)                                                                                       \
	(make(made, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double), scatter),  \
		why(made))

TEST("each cause of an unstable estimate is named")
{
	struct made made;

	assert_string_equal(WHY(&made, 0.01, 100, 150), "too few blocks");
	assert_string_equal(WHY(&made, 0.01, 100, 110, 105, 120, 130, 140), "it rose over time");
	assert_string_equal(WHY(&made, 0.01, 140, 130, 131, 120, 110, 105), "it fell over time");
	assert_string_equal(WHY(&made, 0.01, 100, 300, 101, 99, 305, 100), "two modes, 100 and (33 %) 302");
	assert_string_equal(WHY(&made, 0.02, 100, 150, 118, 90, 133, 105), "it changes from block to block");
	assert_string_equal(WHY(&made, 0.60, 100, 103, 99, 101, 98, 100), "samples scatter within blocks");
}

/* Of three blocks one in three orders goes one way; a rise of a few percent is none. */
TEST("three blocks or a rise of a few percent are no trend")
{
	struct made made;

	assert_string_equal(WHY(&made, 0.01, 100, 115, 130), "it changes from block to block");
	assert_string_equal(WHY(&made, 0.60, 100, 102, 104, 106), "samples scatter within blocks");
}

/* Within each block, too: and not where one of them is a few stragglers. */
TEST("two modes within blocks are found, a few outliers are not")
{
	struct made made;

	make(&made, (const double[]){100, 101, 99, 100}, 4, 0.02);
	for (int i = 0; i < 4; i++) {
		for (int k = SAMPLES - 6; k < SAMPLES; k++)
			made.values[i][k] *= 2;
	}
	assert_string_equal(why(&made), "two modes, 99.4 and (29 %) 203");
	for (int i = 0; i < 4; i++) {
		for (int k = SAMPLES - 6; k < SAMPLES - 2; k++)
			made.values[i][k] /= 2;
	}
	assert_string_equal(why(&made), "samples scatter within blocks");
}

/* Differences may be 0 and below. */
TEST("differences of 0 and below have a cause, too")
{
	struct made made;
	char text[SYSTEM_WHY];

	make(&made, (const double[]){-100, 300, 0, 100}, 4, 0);
	assert_int_equal(why_unstable(made.blocks, made.count, true, text, sizeof(text)), 0);
	assert_string_equal(text, "it changes from block to block");
}

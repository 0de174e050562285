/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/pressure/pressure_options.h"
#include "common/base/units.h"

static int parse_swap(const char *text, struct pressure_swap *swap, const char **why)
{
	struct opt_value in = {.row = &(const struct opt){.name = "swap"}, .options = swap, .text = text, .why = *why};
	int rc = pressure_set_swap(&in);

	*why = in.why;
	return rc;
}

static int parse_eater(const char *text, struct pressure_plan *plan, const char **why)
{
	struct opt_value in = {.row = &(const struct opt){.name = "eater"}, .options = plan, .text = text, .why = *why};
	int rc = pressure_set_eater(&in);

	*why = in.why;
	return rc;
}

TEST("each form of --swap is parsed")
{
	static const struct {
		const char *text;
		struct pressure_swap swap;
	} rows[] = {
		{"none", {.kind = PRESSURE_SWAP_NONE}},
		{"zram:4G", {.kind = PRESSURE_SWAP_ZRAM, .bytes = 4 * UNITS_GIB}},
		{"zram:512m,lzo-rle", {.kind = PRESSURE_SWAP_ZRAM, .bytes = 512 * UNITS_MIB, .algorithm = "lzo-rle"}},
		{"file:/var/a,b c,2G", {.kind = PRESSURE_SWAP_FILE, .bytes = 2 * UNITS_GIB, .path = "/var/a,b c"}},
		{"loop:x,1M", {.kind = PRESSURE_SWAP_LOOP, .bytes = UNITS_MIB, .path = "x"}},
		{"zswap:/var/a,b,1G,20%",
			{.kind = PRESSURE_SWAP_ZSWAP, .bytes = UNITS_GIB, .path = "/var/a,b", .pool_percent = 20}},
		{"zswap:x,1G,5%,lz4",
			{.kind = PRESSURE_SWAP_ZSWAP, .bytes = UNITS_GIB, .path = "x", .pool_percent = 5, .algorithm = "lz4"}},
		/* A device has no size in its text. */
		{"dev:/dev/disk/by-id/a,b", {.kind = PRESSURE_SWAP_DEVICE, .path = "/dev/disk/by-id/a,b"}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pressure_swap swap;
		const char *why = NULL;

		if (parse_swap(rows[i].text, &swap, &why))
			fail_msg("%s: %s", rows[i].text, why);
		assert_null(why);
		assert_int_equal(swap.kind, rows[i].swap.kind);
		assert_int_equal(swap.bytes, rows[i].swap.bytes);
		assert_string_equal(swap.algorithm, rows[i].swap.algorithm);
		assert_int_equal(swap.pool_percent, rows[i].swap.pool_percent);
		assert_string_equal(swap.path, rows[i].swap.path);
	}
}

/* Each bad one is refused with a text of its own, and the result is not touched. */
TEST("malformed --swap is refused with its reason")
{
	static const struct {
		const char *text;
		int err;
		const char *why;
	} cases[] = {
		{"", -EINVAL, "must be zram:SIZE"},
		{"zram", -EINVAL, "must be zram:SIZE"},
		{"nonesuch", -EINVAL, "must be zram:SIZE"},
		{"zram:", -EINVAL, "SIZE must be a size"},
		{"zram:-1G", -EINVAL, "SIZE must be a size"},
		{"zram:4Q", -EINVAL, "SIZE must be a size"},
		{"zram:99999999999G", -ERANGE, "at least 1 MiB"},
		{"zram:1k", -ERANGE, "at least 1 MiB"},
		{"zram:1G,", -EINVAL, "ALGO must be"},
		{"zswap:x,1G", -EINVAL, "must be zram:SIZE"},
		{"zswap:20%", -EINVAL, "must be zram:SIZE"},
		{"zswap:x,1G,0%", -ERANGE, "POOL must be 1%"},
		{"zswap:x,1G,101%", -ERANGE, "POOL must be 1%"},
		{"zswap:x,20%", -EINVAL, "must be zram:SIZE"},
		{"zram:1G,lz4 level=3", -EINVAL, "ALGO must be"},
		{"zram:1G,abcdefghijabcdefghijabcdefghijabcdefghij", -EINVAL, "ALGO must be"},
		{"file:/x", -EINVAL, "must be zram:SIZE"},
		{"file:,1G", -EINVAL, "must be zram:SIZE"},
		{"file:/x,", -EINVAL, "SIZE must be a size"},
		{"file:/x\ny,1G", -EINVAL, "newline"},
		{"dev:", -EINVAL, "full path of a block device"},
		{"dev:/dev/x\ny", -EINVAL, "newline"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pressure_swap swap = {.bytes = 42};
		const char *why = "";

		assert_int_equal(parse_swap(cases[i].text, &swap, &why), cases[i].err);
		assert_non_null(strstr(why, cases[i].why));
		assert_int_equal(swap.bytes, 42);
	}
}

TEST("a path that is too long is refused")
{
	struct pressure_swap swap;
	char text[400] = "file:/";
	const char *why = NULL;

	memset(text + 6, 'a', 254);
	memcpy(text + 6 + 254, ",1M", 4);
	assert_int_equal(parse_swap(text, &swap, &why), 0);
	assert_int_equal(strlen(swap.path), 255);
	memset(text + 6, 'a', 255);
	memcpy(text + 6 + 255, ",1M", 4);
	assert_int_equal(parse_swap(text, &swap, &why), -ERANGE);
}

TEST("each form of --eater is parsed")
{
	struct pressure_plan plan = {0};
	const struct pressure_eater *eater = plan.eaters;
	const char *why = NULL;

	assert_int_equal(parse_eater("0=512M@10s-30s", &plan, &why), 0);
	assert_int_equal(eater->node, 0);
	assert_int_equal(eater->bytes, 512 * UNITS_MIB);
	assert_int_equal(eater->begin_ns, 10 * UNITS_NS_PER_SEC);
	assert_int_equal(eater->end_ns, 30 * UNITS_NS_PER_SEC);
	eater++;
	assert_int_equal(parse_eater("any=1G@0-500ms", &plan, &why), 0);
	assert_int_equal(eater->node, -1);
	assert_int_equal(eater->begin_ns, 0);
	assert_int_equal(eater->end_ns, 500 * 1000 * 1000);
	assert_int_equal(plan.eater_count, 2);
}

TEST("malformed --eater is refused with its reason")
{
	static const struct {
		const char *text;
		int err;
		const char *why;
	} cases[] = {
		{"", -EINVAL, "must be NODE=SIZE"},
		{"0=1G", -EINVAL, "must be NODE=SIZE"},
		{"1G@0-1", -EINVAL, "must be NODE=SIZE"},
		{"0=1G@5", -EINVAL, "must be NODE=SIZE"},
		{"-1=1G@0-1", -EINVAL, "NODE must be"},
		{"1024=1G@0-1", -EINVAL, "NODE must be"},
		{"all=1G@0-1", -EINVAL, "NODE must be"},
		{"0=x@0-1", -EINVAL, "SIZE must be"},
		{"0=1k@0-1", -ERANGE, "at least 1 MiB"},
		{"0=1G@x-1", -EINVAL, "T0 and T1"},
		{"0=1G@0-", -EINVAL, "T0 and T1"},
		{"0=1G@5-5", -ERANGE, "later than T0"},
		{"0=1G@6-5", -ERANGE, "later than T0"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pressure_plan plan = {0};
		const char *why = "";

		assert_int_equal(parse_eater(cases[i].text, &plan, &why), cases[i].err);
		assert_non_null(strstr(why, cases[i].why));
		assert_int_equal(plan.eater_count, 0);
	}
}

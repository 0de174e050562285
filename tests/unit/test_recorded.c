/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include "common/stats/pattern.h"
#include "common/stats/recorded.h"

static char path[64];

static int set_up(void **state)
{
	int fd;

	(void)state;
	snprintf(path, sizeof(path), "/tmp/recorded.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

UNIT_GROUP(set_up, tear_down)

static int read_bytes(const char *bytes, size_t size, struct recorded **recorded, char *why)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fwrite(bytes, 1, size, file);
	assert_int_equal(fclose(file), 0);
	return recorded_read(path, recorded, why, 128);
}

static int read_text(const char *text, struct recorded **recorded, char *why)
{
	return read_bytes(text, strlen(text), recorded, why);
}

/* As a file with these counts. */
static struct recorded *read_counts(const uint64_t *counts, uint32_t pages)
{
	struct recorded *recorded;
	char *text = NULL, why[128];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out, "memstor-pattern 1\npage_bytes 4096\npages %u\n", pages);
	for (uint32_t i = 0; i < pages; i++) {
		if (counts[i])
			fprintf(out, "%u %llu\n", i, (unsigned long long)counts[i]);
	}
	assert_int_equal(fclose(out), 0);
	assert_int_equal(read_text(text, &recorded, why), 0);
	free(text);
	return recorded;
}

static struct pattern *draw_from(const struct recorded *recorded, uint64_t pages)
{
	struct pattern_spec spec = {.kind = PATTERN_RECORDED, .recorded = recorded};
	struct pattern *pattern = aligned_alloc(64, (sizeof(*pattern) + 63) / 64 * 64);
	const char *why;

	assert_int_equal(pattern_check(&spec, pages, &why), 0);
	pattern_init(pattern, &spec, pages, 5, 0);
	return pattern;
}

TEST("pages are drawn as often as they were counted, others never")
{
	const uint64_t counts[8] = {100, 0, 400, 1, 0, 250, 249, 0};
	struct recorded *recorded = read_counts(counts, 8);
	uint64_t drawn[16] = {0};
	struct pattern *pattern;

	assert_int_equal(recorded->accesses, 1000);
	pattern = draw_from(recorded, 16);
	for (int i = 0; i < 1000000; i++)
		drawn[pattern->next(pattern)]++;
	for (int i = 0; i < 16; i++) {
		double wanted = i < 8 ? 1000. * (double)counts[i] : 0;

		assert_true(fabs((double)drawn[i] - wanted) <= 6 * sqrt(wanted));
	}
	free(pattern);
	recorded_free(recorded);
}

TEST("the popularity of many pages is exact, whatever rounding leaves over")
{
	uint64_t *counts = calloc(100000, sizeof(*counts)), hot = 0;
	struct recorded *recorded;
	struct pattern *pattern;

	for (uint32_t i = 0; i < 100000; i += 3)
		counts[i] = 1 + i % 7;
	counts[30000] = 200000;
	recorded = read_counts(counts, 100000);
	pattern = draw_from(recorded, 100000);
	for (int i = 0; i < 1000000; i++) {
		uint64_t page = pattern->next(pattern);

		assert_true(counts[page] > 0);
		hot += page == 30000;
	}
	assert_true(fabs((double)hot / 1e6 - 200000. / (double)recorded->accesses) < 0.003);
	free(pattern);
	recorded_free(recorded);
	free(counts);
}

TEST("a recorded order is repeated")
{
	static const uint64_t order[5] = {2, 0, 2, 1, 2};
	struct recorded *recorded;
	struct pattern *pattern;
	char why[128];

	assert_int_equal(read_text("memstor-pattern 1\npage_bytes 4096\npages 3\n0 1\n1 1\n2 3\norder 5\n2\n0\n2\n1\n2\n",
		&recorded, why), 0);
	assert_int_equal(recorded->page_bytes, 4096);
	pattern = draw_from(recorded, 3);
	for (int i = 0; i < 17; i++)
		assert_int_equal(pattern->next(pattern), order[i % 5]);
	free(pattern);
	recorded_free(recorded);
}

TEST("a set with fewer pages than were recorded is refused")
{
	const uint64_t counts[4] = {1, 1, 1, 1};
	struct recorded *recorded = read_counts(counts, 4);
	struct pattern_spec spec = {.kind = PATTERN_RECORDED, .recorded = recorded};
	const char *why = NULL;

	assert_int_equal(pattern_check(&spec, 3, &why), -ERANGE);
	assert_non_null(why);
	assert_int_equal(pattern_check(&spec, 4, &why), 0);
	recorded_free(recorded);
}

TEST("what is no such file is refused with its line")
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{"", "line 0"},
		{"nonsense\n", "line 1"},
		{"memstor-pattern 1\npage_bytes 0\n", "line 2"},
		{"memstor-pattern 1\npage_bytes 4096\npages 0\n", "line 3"},
		{"memstor-pattern 1\npage_bytes 4096\npages 999999999999\n", "line 3"},
		{"memstor-pattern 1\npage_bytes 4096\npages 2\n", "no page has a count"},
		{"memstor-pattern 1\npage_bytes 4096\npages 2\n2 1\n", "line 4"},
		{"memstor-pattern 1\npage_bytes 4096\npages 2\n1 1\n0 1\n", "line 5"},
		{"memstor-pattern 1\npage_bytes 4096\npages 2\n1 1\n1 1\n", "line 5"},
		{"memstor-pattern 1\npage_bytes 4096\npages 2\n1 -1\n", "line 4"},
		{"memstor-pattern 1\npage_bytes 4096\npages 2\n1\n", "line 4"},
		{"memstor-pattern 1\npage_bytes 4096\npages 2\n1 1\norder 2\n1\n", "line 6"},
		{"memstor-pattern 1\npage_bytes 4096\npages 2\n1 1\norder 1\n2\n", "line 6"},
		{"memstor-pattern 1\npage_bytes 4096\npages 2\n1 1\norder 1\n1\n1\n", "line 7"},
		{"memstor-pattern 1\npage_bytes 4096\npages 2\norder 1\n1\n", "no page has a count"},
	};
	struct recorded *recorded;
	char why[128];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(read_text(bad[i].text, &recorded, why), -EINVAL);
		assert_non_null(strstr(why, bad[i].why));
	}
	assert_int_equal(read_bytes("memstor-pattern 1\npage_bytes 4096\npages 2\n1 1\0 2\n", 49, &recorded, why), -EINVAL);
	assert_string_equal(why, "line 4: has a NUL byte, which no text has");
	assert_int_equal(recorded_read("/no/such", &recorded, why, sizeof(why)), -ENOENT);
}

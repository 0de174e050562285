/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports that are not of one kind: other options, layouts, directions; the original pmbench's. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/bucket.h"
#include "tests/unit/golden.h"
#include "tests/unit/merge_runs.h"

struct merged {
	struct merge *merge;
	struct report *report;
	struct loaded *loaded;
};

static struct merged merge_two(unsigned flags, struct loaded *a, struct loaded *b)
{
	struct merged merged;
	const char *text;
	size_t size;
	char why[512];

	assert_int_equal(merge_new(flags, &merged.merge), 0);
	if (merge_add(merged.merge, a, why, sizeof(why)) || merge_add(merged.merge, b, why, sizeof(why)))
		fail_msg("%s", why);
	assert_int_equal(merge_report(merged.merge, &merged.report), 0);
	assert_int_equal(report_document(merged.report, &text, &size), 0);
	merged.loaded = merge_load_text(text, "merged");
	return merged;
}

static void free_merged(struct merged *merged)
{
	loaded_free(merged->loaded);
	report_free(merged->report);
	merge_free(merged->merge);
}

static const struct report_node *at(const struct merged *merged, const char *path)
{
	return report_read_find(report_read_root(merged->loaded->document), path);
}

static const char *omission(const struct merged *merged, const char *name)
{
	for (const struct report_node *node = at(merged, "report/parts/omission"); node;
		node = report_read_next(node)) {
		if (strcmp(report_read_attribute(node, "name"), name) == 0)
			return node->text;
	}
	return NULL;
}

static struct loaded *load(struct fake *run, const char *name)
{
	struct loaded *loaded = merge_loaded(run, name);

	merge_run_free(run);
	return loaded;
}

static size_t layouts(const struct loaded *loaded, const char *layout)
{
	size_t count = 0;

	for (size_t i = 0; i < loaded->histogram_count; i++)
		count += strcmp(loaded->histograms[i].layout, layout) == 0;
	return count;
}

TEST("runs with other options are merged when allowed")
{
	static const struct named_text_values options[] = {
		{"mapsize", "1GiB"}, {"duration", "7200s"}, {"label", "x=y"}, {"seed", "5"}};
	struct fake *other = merge_run(2);
	struct merged merged;
	const struct report_node *difference;

	other->result.signature.options = options;
	other->result.signature.option_count = 4;
	merged = merge_two(MERGE_ALLOW_DIFFERENT, load(merge_run(1), "a"), load(other, "b"));
	assert_null(loaded_option(merged.loaded, "mapsize"));
	assert_null(loaded_option(merged.loaded, "label"));
	assert_string_equal(loaded_option(merged.loaded, "duration"), "7200s");
	difference = report_read_find(report_read_next(at(&merged, "report/parts/part")), "difference");
	assert_string_equal(report_read_attribute(difference, "name"), "--mapsize");
	assert_string_equal(difference->text, "1GiB");
	assert_null(report_read_next(difference));
	assert_string_equal(merge_note(merged.merge, 0),
		"the parts differ in --mapsize: see <difference> of each <part>");
	assert_null(merge_note(merged.merge, 1));
	free_merged(&merged);
}

TEST("a histogram layout that one part lacks is left out")
{
	struct fake *coarse = merge_run(2);
	struct merged merged;

	for (int class = 0; class < RESULT_CLASSES; class ++) {
		for (int i = 0; i < ACCESS_DIRECTIONS; i++) {
			free(coarse->result.total[class][i].hdr);
			coarse->result.total[class][i].hdr = NULL;
		}
	}
	merged = merge_two(0, load(merge_run(1), "a"), load(coarse, "b"));
	assert_int_equal(layouts(merged.loaded, "hdr"), 0);
	assert_int_equal(layouts(merged.loaded, "log16"), 8);
	assert_string_equal(omission(&merged, "histogram read all hdr"), "1 of 2 files have it");
	assert_string_equal(merge_note(merged.merge, 0),
		"left out, for not all files have them: histograms read all hdr, read hit hdr, read minor hdr, "
		"read major hdr, write all hdr, write hit hdr, ...");
	assert_null(merge_note(merged.merge, 1));
	/* What it is made from is there. */
	assert_non_null(at(&merged, "report/result/paging_overhead"));
	assert_string_equal(omission(&merged, "series"), "each part has a time of its own");
	assert_non_null(omission(&merged, "sys_mem_info"));
	free_merged(&merged);
}

TEST("reads alone have no writes to add")
{
	struct fake *mixed = merge_run(1), *reads = merge_run(2);
	uint64_t writes = mixed->result.total[RESULT_ALL][ACCESS_WRITE].moments.count;
	uint64_t all_reads = mixed->result.total[RESULT_ALL][ACCESS_READ].moments.count +
			     reads->result.total[RESULT_ALL][ACCESS_READ].moments.count;
	struct merged merged;

	reads->options.ratio = 100;
	merged = merge_two(0, load(mixed, "a"), load(reads, "b"));
	assert_int_equal(loaded_histogram(merged.loaded, "write", "all")->count, writes);
	assert_int_equal(loaded_histogram(merged.loaded, "read", "all")->count, all_reads);
	assert_int_equal(merged.loaded->histogram_count, 16);
	free_merged(&merged);
}

TEST("a part without samples is merged")
{
	struct fake *touch = merge_run(2);
	struct merged merged;

	touch->options.access = ACCESS_TOUCH;
	merged = merge_two(0, load(merge_run(1), "a"), load(touch, "b"));
	assert_int_equal(merged.loaded->histogram_count, 0);
	assert_non_null(omission(&merged, "histogram write major log16"));
	assert_null(at(&merged, "report/result/paging_overhead"));
	free_merged(&merged);
}

static struct loaded *original(const char *name)
{
	char path[512];
	struct loaded *loaded;

	snprintf(path, sizeof(path), "%s/tests/fixtures/pmbench-original/%s.xml", unit_srcdir(), name);
	assert_int_equal(loaded_read(path, 0, &loaded), 0);
	return loaded;
}

static uint64_t count_of(const struct loaded *loaded, const char *type)
{
	return loaded_histogram(loaded, type, "all")->count;
}

TEST("merged reports of the original pmbench keep their format")
{
	struct loaded *a = original("uniform"), *b = original("normal-j2-r80-cold");
	uint64_t reads = count_of(a, "read") + count_of(b, "read");
	uint64_t writes = count_of(a, "write") + count_of(b, "write");
	struct merged merged = merge_two(MERGE_ALLOW_DIFFERENT, a, b);

	assert_true(merged.loaded->is_original);
	assert_int_equal(count_of(merged.loaded, "read"), reads);
	assert_int_equal(count_of(merged.loaded, "write"), writes);
	assert_string_equal(at(&merged, "report/signature/params/jobs")->text, "3");
	assert_string_equal(at(&merged, "report/signature/pmbench_info/version_xmloutput")->text, "0.1");
	assert_null(at(&merged, "report/parts/overlap_percent"));
	free_merged(&merged);
}

TEST("with one original report the result has the original format")
{
	struct fake *ours = merge_run(1);
	uint64_t reads = ours->result.total[RESULT_ALL][ACCESS_READ].moments.count;
	struct loaded *theirs = original("uniform");
	struct merged merged;

	reads += count_of(theirs, "read");
	merged = merge_two(MERGE_ALLOW_DIFFERENT, load(ours, "ours"), theirs);
	assert_true(merged.loaded->is_original);
	assert_int_equal(count_of(merged.loaded, "read"), reads);
	assert_string_equal(merged.loaded->histograms[0].layout, "original");
	assert_null(at(&merged, "report/result/totals"));
	assert_null(at(&merged, "report/result/result_thread/thread_details"));
	assert_null(at(&merged, "report/machine_info/time_source"));
	assert_null(at(&merged, "report/signature/options"));
	assert_string_equal(at(&merged, "report/parts/part/options/option")->text, "8192MiB");
	free_merged(&merged);
}

/* 2^63 in one bucket of each. */
static struct fake *full(unsigned seed)
{
	struct fake *run = merge_run(seed);
	const uint64_t half = 1ull << 63;

	for (int class = 0; class < RESULT_CLASSES; class ++) {
		for (int i = 0; i < ACCESS_DIRECTIONS; i++) {
			struct result_histogram *histogram = &run->result.total[class][i];

			memset(histogram->count, 0, sizeof(histogram->count));
			memset(histogram->hdr, 0, BUCKET_HDR_COUNT * sizeof(*histogram->hdr));
			histogram->count[3] = histogram->hdr[400] = half;
			histogram->moments = (struct histogram_moments){half, 1e20, NAN, 500, 500};
		}
	}
	return run;
}

TEST("counts beyond 2^64-1 are refused")
{
	struct merge *merge;
	char why[512];

	assert_int_equal(merge_new(0, &merge), 0);
	assert_int_equal(merge_add(merge, load(full(1), "a"), why, sizeof(why)), 0);
	assert_int_equal(merge_add(merge, load(full(2), "b"), why, sizeof(why)), -EOVERFLOW);
	assert_string_equal(why,
		"b: with this report the counts of a histogram are more than 2^64-1 and cannot be added exactly");
	merge_free(merge);
}

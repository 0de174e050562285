/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of the original, and of every released version. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/diag.h"
#include "common/report.h"
#include "common/units.h"
#include "tests/unit/load.h"

TEST("reports of the original pmbench are loaded")
{
	struct loaded *loaded = load("tests/fixtures/pmbench-original/uniform-swap.xml", LOADED_SERIES);
	const struct loaded_histogram *read = loaded_histogram(loaded, "read", "all");
	uint64_t sum = 0;

	assert_true(loaded->is_original);
	assert_string_equal(loaded->tool, "pmbench");
	assert_string_equal(loaded->tool_version, "0.9");
	assert_string_equal(loaded->report_version, "0.1");
	assert_string_equal(loaded->status, "ok");
	assert_string_equal(loaded->hostname, "vm");
	assert_string_equal(loaded->wall_start, "");
	assert_string_equal(loaded->cpu_model, "AMD EPYC");
	assert_string_equal(loaded_option(loaded, "mapsize"), "512");
	assert_string_equal(loaded_option(loaded, "cold"), "yes");
	assert_null(loaded_option(loaded, "quiet"));
	assert_null(loaded_option(loaded, "shape"));
	assert_string_equal(loaded_option(loaded, "timestamp"), "rdtscp-unfenced");
	assert_string_equal(text_in(loaded->machine, loaded->machine_count, "time_source"), "rdtscp");
	assert_int_equal(loaded->machine_count, 4);
	assert_true(loaded_value(loaded, "accesses") == 300000);
	assert_true(fabs(loaded_value(loaded, "accesses_per_second") - 1e6 / 16.8373) < 1e-6);
	assert_true(fabs(loaded_value(loaded, "latency_ns") - 16837.3) < 1e-6);
	assert_true(fabs(loaded_value(loaded, "net_ns") - 16834.5) < 1e-6);
	assert_true(loaded_value(loaded, "set_bytes") == 512 * 1048576.0);
	assert_true(isnan(loaded->interval_s));
	assert_int_equal(loaded->histogram_count, 2);
	assert_string_equal(read->layout, "original");
	assert_true(isnan(read->min_ns) && isnan(read->mean_ns) && isnan(read->stddev_ns) && isnan(read->max_ns));
	assert_true(read->buckets[0].lo_ns == 0 && read->buckets[0].hi_ns == 256);
	assert_int_equal(read->buckets[0].count, 5837);
	assert_true(read->buckets[1].lo_ns == 256 && read->buckets[1].hi_ns == 272);
	assert_int_equal(read->buckets[1].count, 489);
	for (size_t i = 0; i < read->bucket_count; i++)
		sum += read->buckets[i].count;
	assert_int_equal(sum, read->count);
	assert_int_equal(read->count + loaded_histogram(loaded, "write", "all")->count, 300000);
	loaded_free(loaded);
}

/* 2^30 to 2^32 ns is what the original calls everything from 2^30 up. */
TEST("the last bucket of an original histogram is open")
{
	static const char text[] =
		"<pmbenchmark><report><signature/><statistics><histogram type=\"write\">"
		"<histo_bucket index=\"0\"><bucket_interval><interval_lo>0</interval_lo><interval_hi>30</interval_hi>"
		"</bucket_interval><sum_count>0</sum_count></histo_bucket>"
		"<histo_bucket index=\"0\"><bucket_interval><interval_lo>30</interval_lo><interval_hi>32</interval_hi>"
		"</bucket_interval><sum_count>2</sum_count></histo_bucket></histogram></statistics></report></pmbenchmark>";
	const struct loaded_histogram *histogram;
	struct report_document *document;
	struct loaded *loaded;
	char why[256];

	assert_int_equal(report_read_memory(text, sizeof(text) - 1, &document, why, sizeof(why)), 0);
	assert_int_equal(loaded_make(document, "o", 0, &loaded, why, sizeof(why)), 0);
	histogram = loaded_histogram(loaded, "write", "all");
	assert_int_equal(histogram->bucket_count, 1);
	assert_true(histogram->buckets[0].lo_ns == 1073741824 && isinf(histogram->buckets[0].hi_ns));
	assert_true(loaded_percentile(histogram, 50) == 1073741824);
	loaded_free(loaded);
}

/* Of every released version. */
TEST("a report of an older format is loaded")
{
	struct loaded *loaded = load("tests/fixtures/report-1.0.xml", LOADED_SERIES);

	assert_string_equal(loaded->report_version, "1.0");
	assert_false(loaded->is_newer);
	assert_string_equal(loaded->checks[0].finding, "");
	assert_int_equal(loaded->histogram_count, 16);
	assert_int_equal(loaded->interval_count, 2);
	assert_true(loaded_value(loaded, "accesses_per_second") == 5369828.7);
	loaded_free(loaded);
}

TEST("every report of the original pmbench is loaded")
{
	static const char *const names[] = {"linear-r100", "normal-j2-r80-cold", "uniform", "uniform-swap"};
	struct loaded *loaded;
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t counted = 0;

		snprintf(path, sizeof(path), "tests/fixtures/pmbench-original/%s.xml", names[i]);
		loaded = load(path, 0);
		for (size_t j = 0; j < loaded->histogram_count; j++) {
			counted += loaded->histograms[j].count;
			for (size_t k = 1; k < loaded->histograms[j].bucket_count; k++)
				assert_true(loaded->histograms[j].buckets[k].lo_ns >=
					    loaded->histograms[j].buckets[k - 1].hi_ns);
		}
		assert_true((double)counted == loaded_value(loaded, "accesses"));
		loaded_free(loaded);
	}
	loaded = load("tests/fixtures/pmbench-original/normal-j2-r80-cold.xml", 0);
	assert_string_equal(loaded_option(loaded, "pattern"), "normal");
	assert_string_equal(loaded_option(loaded, "shape"), "4096");
	/* Two threads side by side. */
	assert_true(loaded_value(loaded, "accesses_per_second") > 1.5e9 / loaded_value(loaded, "latency_ns"));
	loaded_free(loaded);
}

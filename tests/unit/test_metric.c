/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/metric.h"

static struct metric parsed(const char *text)
{
	struct metric metric;
	const char *why;

	assert_int_equal(metric_parse(text, &metric, &why), 0);
	return metric;
}

TEST("each spelling of a metric has one canonical name")
{
	static const struct {
		const char *text, *name, *type, *class;
		double percent;
		enum metric_better better;
	} rows[] = {
		{"throughput", "throughput", "", "", NAN, METRIC_HIGHER},
		{"latency", "latency", "", "", NAN, METRIC_LOWER},
		{"mean", "mean", "", "", NAN, METRIC_LOWER},
		{"p99", "p99", "", "", 99, METRIC_LOWER},
		{"p99.90", "p99.9", "", "", 99.9, METRIC_LOWER},
		{"p99.9999", "p99.9999", "", "", 99.9999, METRIC_LOWER},
		{"p.5", "p0.5", "", "", 0.5, METRIC_LOWER},
		{"write.p99", "write.p99", "write", "", 99, METRIC_LOWER},
		{"major.max", "major.max", "", "major", NAN, METRIC_LOWER},
		{"read.all.p99.9", "read.all.p99.9", "read", "all", 99.9, METRIC_LOWER},
		{"a.b:sync.p99.0", "a.b:sync.p99", "sync", "", 99, METRIC_LOWER},
		{"a:b:p50", "a:b:p50", "", "", 50, METRIC_LOWER},
		{"c2:close", "c2:close", "", "", NAN, METRIC_LOWER},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct metric metric = parsed(rows[i].text);

		assert_string_equal(metric.name, rows[i].name);
		assert_string_equal(metric.type, rows[i].type);
		assert_string_equal(metric.class, rows[i].class);
		assert_int_equal(metric.better, rows[i].better);
		assert_true(isnan(rows[i].percent) ? isnan(metric.percent) : metric.percent == rows[i].percent);
		assert_string_equal(metric.unit, metric.better == METRIC_HIGHER ? "1/s" : "ns");
		/* What a table shows can be given back. */
		assert_string_equal(parsed(metric.name).name, metric.name);
	}
}

TEST("unknown metric names are refused")
{
	static const char *const wrong[] = {"", "p", "p0", "p100", "p-5", "p+5", "p1e1", "pnan", "p.", "p0x1", "p99 ",
		"P99", "median", "read", "read.", "read.throughput", "major.read.p50", "read.read.p50", "fast.p50",
		".p50", "p50.read", "p99.99999999999", "p0.0000001", "99",
		":p50", "a:", "a:write.major.p50", "total-error", "kernel.p50", "write.total-error", "kernel.throughput",
		"kernel.all.total-error", "fast.total-error", "a:write"};
	struct metric metric = {.name = "before"};
	const char *why = NULL;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(metric_parse(wrong[i], &metric, &why), -EINVAL);
		assert_non_null(strstr(why, "must be throughput"));
		assert_string_equal(metric.name, "before");
	}
}

/* Each histogram's summary, by name. */
TEST("values are those of the report")
{
	static const struct {
		const char *metric;
		double value;
	} rows[] = {{"throughput", 5369828.7}, {"os-overhead", 3070.6552173791306}};
	struct loaded *loaded;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/golden/pmbench-report.xml", unit_srcdir());
	assert_int_equal(loaded_read(path, 0, &loaded), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct metric metric = parsed(rows[i].metric);

		assert_true(metric_value(&metric, loaded) == rows[i].value);
	}
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		const struct loaded_histogram *histogram = &loaded->histograms[i];
		struct metric_number number;
		struct metric metric;
		char name[64];

		if (loaded_histogram(loaded, histogram->type, histogram->class) != histogram || !histogram->count)
			continue;
		snprintf(name, sizeof(name), "%s.%s.p99.9", histogram->type, histogram->class);
		metric = parsed(name);
		number = metric_number(&metric, loaded);
		assert_true(number.value == loaded_percentile(histogram, 99.9));
		assert_true(number.low <= number.value && number.value <= number.high);
		snprintf(name, sizeof(name), "%s.%s.mean", histogram->type, histogram->class);
		metric = parsed(name);
		assert_true(metric_value(&metric, loaded) == histogram->mean_ns);
	}
	loaded_free(loaded);
}

#define HISTOGRAM(type_name, class_name, layout_name, total, least, average, most, list) \
	{.type = (type_name), .class = (class_name), .layout = (layout_name), .count = (total), .min_ns = (least), \
		.mean_ns = (average), .stddev_ns = NAN, .max_ns = (most), \
		.bucket_count = sizeof(list) / sizeof((list)[0]), .buckets = (list)}

static struct loaded *load(const char *name)
{
	struct loaded *loaded;
	char path[512];

	snprintf(path, sizeof(path), "%s/tests/fixtures/%s.xml", unit_srcdir(), name);
	assert_int_equal(loaded_read(path, LOADED_SERIES, &loaded), 0);
	return loaded;
}

#define CELL "pwrite.buffered.fsync.append.write.64k"

TEST("a cell of iowrite-bench run is a subject of metrics")
{
	struct loaded *loaded = load("iowrite/run");
	const struct loaded_subject *cell = loaded_subject(loaded, CELL);
	struct metric metric = parsed(CELL ":throughput");
	double value, weight;
	size_t with_value = 0;

	assert_int_equal(loaded->subject_count, 12);
	assert_string_equal(metric.subject, CELL);
	assert_true(metric_value(&metric, loaded) == loaded_subject_value(cell, "operations_per_second"));
	metric = parsed(CELL ":bandwidth");
	assert_string_equal(metric.unit, "B/s");
	assert_true(metric_value(&metric, loaded) == loaded_subject_value(cell, "bytes_per_second"));
	metric = parsed(CELL ":sync.p99");
	assert_true(metric_value(&metric, loaded) == loaded_percentile(loaded_histogram(loaded, "sync", CELL), 99));
	/* Without a type the writes, not writes and syncs together. */
	metric = parsed(CELL ":p50");
	assert_true(metric_value(&metric, loaded) == loaded_percentile(loaded_histogram(loaded, "write", CELL), 50));
	metric = parsed("none:p50");
	assert_true(isnan(metric_value(&metric, loaded)));
	/* All cells together: 8 of 600 writes, 4 of 128. */
	metric = parsed("write.mean");
	value = 0;
	for (size_t i = 0; i < loaded->histogram_count; i++) {
		if (!strcmp(loaded->histograms[i].type, "write"))
			value += loaded->histograms[i].mean_ns * (double)loaded->histograms[i].count;
	}
	assert_true(fabs(metric_value(&metric, loaded) / (value / (8 * 600 + 4 * 128)) - 1) < 1e-12);
	metric = parsed("throughput");
	assert_true(metric_value(&metric, loaded) ==
		    loaded_value(loaded, "operations") / loaded_value(loaded, "run_s"));
	metric = parsed(CELL ":throughput");
	for (size_t i = 0; i < loaded->interval_count; i++)
		with_value += metric_of_interval(&metric, &loaded->intervals[i], &value, &weight);
	assert_int_equal(with_value, 8);
	loaded_free(loaded);
}

TEST("a scenario of iowrite-bench evaluate is a subject of metrics")
{
	struct loaded *loaded = load("iowrite/evaluate");
	struct metric metric = parsed("c2:kernel.total-error");
	const struct report_node *node =
		report_read_find(report_read_root(loaded->document), "report/result/evaluation/scenario");
	double sum = 0, value;

	assert_int_equal(loaded->subject_count, 3);
	for (; node; node = report_read_next(node)) {
		const struct report_node *model = report_read_find(node, "model");

		while (model && strcmp(report_read_attribute(model, "name"), "kernel") != 0)
			model = report_read_next(model);
		if (strcmp(report_read_attribute(node, "id"), "c2") == 0 &&
			!report_read_double(model, "total_error_percent", &value))
			sum += fabs(value);
	}
	assert_string_equal(metric.unit, "%");
	assert_true(sum > 0 && metric_value(&metric, loaded) == sum / 2);
	/* Over the scenarios. */
	metric = parsed("kernel.per-write-error");
	sum = 0;
	for (size_t i = 0; i < 3; i++)
		sum += loaded_subject_value(&loaded->subjects[i], "kernel.per_write_error_percent");
	assert_true(fabs(metric_value(&metric, loaded) - sum / 3) < 1e-12);
	metric = parsed("c2:floor");
	assert_true(metric_value(&metric, loaded) == 11.2);
	loaded_free(loaded);
}

static double value_of(const struct loaded *loaded, const char *name)
{
	struct metric metric = parsed(name);

	return metric_value(&metric, loaded);
}

TEST("a stream of ssd-workloads is a subject of metrics")
{
	struct loaded *loaded = load("ssd/run");
	const struct report_node *node =
		report_read_find(report_read_root(loaded->document), "report/result/baselines/interference");
	struct metric metric = parsed("log:throughput");
	double value, weight, sum = 0;
	size_t with_value = 0;

	assert_int_equal(loaded->subject_count, 4);
	/* Two repetitions together, each in its own time. */
	assert_true(value_of(loaded, "log:throughput") ==
		    loaded_subject_value(loaded_subject(loaded, "log"), "operations_per_second"));
	assert_true(loaded_subject_value(loaded_subject(loaded, "log"), "operations") == 3225 + 1857);
	assert_true(value_of(loaded, "log:throughput") > 50000 && value_of(loaded, "log:throughput") < 80000);
	assert_true(value_of(loaded, "log:bandwidth") == 16384 * value_of(loaded, "log:throughput"));
	assert_true(value_of(loaded, "checkpoint-alone:response.p99") ==
		    loaded_percentile(loaded_histogram(loaded, "response", "checkpoint-alone"), 99));
	assert_true(value_of(loaded, "log:service.mean") == loaded_histogram(loaded, "service", "log")->mean_ns);
	/* Without a type the response; without a stream those of the mix. */
	assert_true(value_of(loaded, "log:p50") == value_of(loaded, "log:response.p50"));
	for (size_t i = 0; i < 2; i++) {
		const char *streams[] = {"log", "checkpoint"};
		const struct loaded_histogram *histogram = loaded_histogram(loaded, "response", streams[i]);

		sum += histogram->mean_ns * (double)histogram->count / (3225 + 1857 + 409 + 242);
	}
	assert_true(fabs(value_of(loaded, "mean") / sum - 1) < 1e-12);
	assert_int_equal(report_read_double(node, "value", &value), 0);
	assert_true(value_of(loaded, "log:interference-mean") == value);
	assert_string_equal(parsed("log:interference-p99.9").unit, "x");
	assert_true(isnan(value_of(loaded, "log-alone:interference-mean")));
	assert_true(value_of(loaded, "checkpoint:cpu") > 1000);
	for (size_t i = 0; i < loaded->interval_count; i++)
		with_value += metric_of_interval(&metric, &loaded->intervals[i], &value, &weight);
	assert_int_equal(with_value, 6);
	loaded_free(loaded);
}

TEST("each subject has default metrics with values")
{
	struct loaded *loaded = load("iowrite/run");
	struct metric *metrics;
	size_t count, of_syncs = 0;

	assert_int_equal(metric_subject_defaults(loaded, &metrics, &count), 0);
	for (size_t i = 0; i < count; i++) {
		assert_true(metric_is_subject_default("iowrite-bench", &metrics[i]));
		assert_false(isnan(metric_value(&metrics[i], loaded)));
		of_syncs += strcmp(metrics[i].type, "sync") == 0;
	}
	/* Four of each, and three more where there are syncs. */
	assert_int_equal(count, 12 * 4 + 3 * 3);
	assert_int_equal(of_syncs, 9);
	assert_string_equal(metrics[0].name, "pwrite.direct.none.append.write.4k:throughput");
	assert_false(metric_is_subject_default("pmbench", &metrics[0]));
	free(metrics);
	loaded_free(loaded);
	loaded = load("iowrite/evaluate");
	assert_int_equal(metric_subject_defaults(loaded, &metrics, &count), 0);
	assert_int_equal(count, 3 * 7);
	assert_string_equal(metrics[0].name, "c2:kernel.per-write-error");
	free(metrics);
	loaded_free(loaded);
}

static const struct loaded_bucket read_fine[] = {{0, 10, 2}, {20, 30, 6}};
static const struct loaded_bucket read_coarse[] = {{0, 16, 2}, {16, 32, 6}};
static const struct loaded_bucket write_fine[] = {{20, 30, 4}, {30, INFINITY, 8}};
static const struct loaded_bucket major[] = {{30, INFINITY, 8}};

TEST("histograms of one metric are summed")
{
	const struct loaded_histogram histograms[] = {
		HISTOGRAM("read", "all", "hdr", 8, 4, 20, 28, read_fine),
		HISTOGRAM("read", "all", "log16", 8, 4, 20, 28, read_coarse),
		HISTOGRAM("write", "all", "hdr", 12, 22, 100, 400, write_fine),
		HISTOGRAM("write", "major", "hdr", 8, 40, 140, 400, major),
	};
	const struct loaded loaded = {.histogram_count = 4, .histograms = histograms};
	struct metric metric = parsed("p50");
	struct metric_number number = metric_number(&metric, &loaded);

	/* Of 20 samples 2 are below 10, 10 in 20..30: the tenth is 8/10 into it. */
	assert_true(fabs(number.value - 28) < 1e-9 && number.low == 20 && number.high == 30);
	metric = parsed("mean");
	assert_true(metric_value(&metric, &loaded) == (8 * 20 + 12 * 100) / 20.0);
	metric = parsed("max");
	assert_true(metric_value(&metric, &loaded) == 400);
	metric = parsed("p99");
	number = metric_number(&metric, &loaded);
	assert_true(number.value > 30 && number.value <= 400 && number.low == 30 && number.high == INFINITY);
	/* Only one report half has it. */
	metric = parsed("major.p50");
	number = metric_number(&metric, &loaded);
	assert_true(number.value == 40 + (400 - 40) * 0.5);
	metric = parsed("minor.p50");
	assert_true(isnan(metric_value(&metric, &loaded)));
	metric = parsed("throughput");
	assert_true(isnan(metric_value(&metric, &loaded)));
	/* The finest of read. */
	metric = parsed("read.p99");
	number = metric_number(&metric, &loaded);
	assert_true(number.low == 20 && number.high == 30);
	/* An edge belongs to the bucket below it. */
	metric = parsed("read.p25");
	number = metric_number(&metric, &loaded);
	assert_true(number.value == 10 && number.low == 0 && number.high == 10);
}

TEST("histograms with different edges are not merged")
{
	const struct loaded_histogram one = HISTOGRAM("", "", "", 8, 4, 20, 28, read_fine);
	const struct loaded_histogram other = HISTOGRAM("", "", "", 8, 4, 20, 28, read_coarse);
	const struct loaded_histogram unknown = HISTOGRAM("", "", "", 12, NAN, NAN, NAN, write_fine);
	const struct loaded_bucket huge[] = {{0, 10, UINT64_MAX - 3}};
	const struct loaded_histogram full = HISTOGRAM("", "", "", UINT64_MAX - 3, 1, 1, 1, huge);
	const struct loaded_histogram *unlike[] = {&one, &other}, *like[] = {&one, &unknown}, *many[] = {&full, &one};
	struct loaded_histogram sum = {.count = 77};

	assert_int_equal(metric_merge(unlike, 2, &sum), -EINVAL);
	assert_int_equal(metric_merge(many, 2, &sum), -EOVERFLOW);
	assert_int_equal(sum.count, 77);
	assert_int_equal(metric_merge(like, 2, &sum), 0);
	assert_int_equal(sum.count, 20);
	assert_int_equal(sum.bucket_count, 3);
	assert_true(sum.buckets[1].lo_ns == 20 && sum.buckets[1].count == 10);
	assert_true(isnan(sum.min_ns) && isnan(sum.max_ns) && isnan(sum.mean_ns));
	metric_merge_free(&sum);
	assert_int_equal(metric_merge(NULL, 0, &sum), 0);
	assert_int_equal(sum.count, 0);
	metric_merge_free(&sum);
}

TEST("each tool has default metrics, an unknown one the common ones")
{
	struct metric metrics[32];
	size_t count = metric_defaults("pmbench", metrics, 32);

	assert_int_equal(count, 10);
	assert_string_equal(metrics[0].name, "throughput");
	assert_string_equal(metrics[9].name, "major.p99");
	assert_int_equal(metric_defaults("pmbench", metrics, 3), 3);
	/* A tool that is not listed still has the common ones. */
	count = metric_defaults("something-else", metrics, 32);
	assert_int_equal(count, 5);
	assert_string_equal(metrics[2].name, "p50");
}

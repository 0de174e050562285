/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include <regex.h>
#include <time.h>
#include "common/report/report_read.h"
#include "tests/unit/fake_result.h"
#include "tests/unit/golden.h"

static uint64_t number(const struct report_node *from, const char *path)
{
	uint64_t value;

	assert_int_equal(report_read_u64(from, path, &value), 0);
	return value;
}

/* The XML has a latency rounded to 0.1 ns and, cut off, in ticks: what agrees with both. */
static double nanoseconds(
	const struct report_node *from, const char *us_path, const char *clk_path, double khz)
{
	double us, ticks = (double)number(from, clk_path), low, high;

	assert_int_equal(report_read_double(from, us_path, &us), 0);
	low = fmax(us - 5e-5, ticks * 1e3 / khz);
	high = fmin(us + 5e-5, (ticks + 1) * 1e3 / khz);
	return (low + high) / 2 * 1e3;
}

static void take_params(struct fake *fake, const struct report_node *params)
{
	struct pmbench_options *options = &fake->options;
	struct pattern_spec *pattern = &fake->plan.phases[0].pattern;
	const char *name = report_read_find(params, "pattern")->text;

	memset(options, 0, sizeof(*options));
	fake->plan.duration_ns = number(params, "duration") * UNITS_NS_PER_SEC;
	fake->plan.process[0].map_bytes = number(params, "mapsize") * UNITS_MIB;
	fake->plan.process[0].set_bytes = number(params, "setsize") * UNITS_MIB;
	options->is_initialized = number(params, "initialize");
	options->is_cold = number(params, "cold");
	options->ratio = (unsigned)number(params, "ratio");
	options->offset = -1;
	fake->plan.threads = (unsigned)number(params, "jobs");
	pattern->kind = strcmp(name, "linear") == 0   ? PATTERN_LINEAR
			: strcmp(name, "normal") == 0 ? PATTERN_NORMAL
						      : PATTERN_UNIFORM;
	assert_int_equal(report_read_double(params, "shape", &pattern->shape), 0);
	/* The original's default, which its XML has to four decimals only. */
	if (pattern->shape == 1)
		pattern->shape = 1.00001;
}

static void take_signature(struct fake *fake, const struct report_node *signature)
{
	struct tm tm = {
		.tm_year = (int)number(signature, "time_info/year"),
		.tm_mon = (int)number(signature, "time_info/mon"),
		.tm_mday = (int)number(signature, "time_info/mday"),
		.tm_hour = (int)number(signature, "time_info/hour"),
		.tm_min = (int)number(signature, "time_info/min"),
		.tm_sec = (int)number(signature, "time_info/sec"),
	};

	fake->result.signature.wall_start = (struct timespec){.tv_sec = timegm(&tm)};
	fake->result.signature.monotonic_end_ns = fake->result.signature.monotonic_start_ns;
	snprintf(fake->result.signature.uuid, sizeof(fake->result.signature.uuid), "%s",
		report_read_find(signature, "uuid")->text);
	snprintf(fake->result.machine.os_release, sizeof(fake->result.machine.os_release), "%s",
		report_read_find(signature, "os_info/version_info/release")->text);
	take_params(fake, report_read_find(signature, "params"));
}

static void take_threads(struct pmbench_result *result, const struct report_node *node)
{
	double khz = result->timebase.start.khz;

	result->thread_count = 0;
	for (; node; node = report_read_next(node)) {
		struct result_thread *thread = &result->threads[result->thread_count++];
		const struct report_node *details = report_read_find(node, "result_details");
		const struct report_node *warmup = report_read_find(node, "warmup_details");

		memset(thread, 0, sizeof(*thread));
		thread->details.net_ns =
			nanoseconds(node, "result_netavg/netavg_us", "result_netavg/netavg_clk", khz);
		thread->accesses = number(details, "details_samples");
		thread->details.latency_ns = nanoseconds(
			details, "details_latency/latency_us", "details_latency/latency_clk", khz);
		thread->details.overhead_ns = nanoseconds(
			details, "details_overhead/overhead_us", "details_overhead/overhead_clk", khz);
		thread->overhead_draws = number(details, "details_total");
		if (!warmup)
			continue;
		thread->warmup_accesses = number(warmup, "warmup_total");
		thread->details.warmup_ns = (uint64_t)(nanoseconds(warmup, "warmup_latency/warmup_us",
						       "warmup_latency/warmup_clk", khz) *
					       (double)thread->warmup_accesses);
	}
}

static void take_histogram(uint64_t *counts, const struct report_node *histogram)
{
	const struct report_node *bucket = report_read_find(histogram, "histo_bucket");

	for (unsigned i = 0; bucket; bucket = report_read_next(bucket)) {
		const struct report_node *hex = report_read_find(bucket, "bucket_hexes/hex");

		if (!hex)
			counts[i++] = number(bucket, "sum_count");
		for (; hex; hex = report_read_next(hex))
			counts[i++] = strtoull(hex->text, NULL, 10);
	}
}

static void take_memory(struct pmbench_result *result, const struct report_node *item)
{
	static const char *const names[SNAPSHOTS] = {
		"pre-warmup", "pre-run", "mid-run", "post-run", "post-unmap"};

	memset(result->has_snapshot, 0, sizeof(result->has_snapshot));
	for (; item; item = report_read_next(item)) {
		const struct report_node *columns = report_read_find(item, "mem_item_info");
		int which = 0;

		while (strcmp(names[which], report_read_attribute(item, "name")) != 0)
			which++;
		result->has_snapshot[which] = true;
		for (unsigned i = 0; i < RESULT_MEMORY_COLUMNS; i++)
			result->snapshots[which].values[i].value =
				number(columns, pm_memory_columns_record()->fields[i].name) * (i < 5 ? 1024 : 1);
	}
}

/* What one of the original's XML files says, in a result of ours. */
static struct fake *load_original(const char *name)
{
	struct fake *fake = fake_new();
	struct report_document *document;
	const struct report_node *report, *histogram;
	char path[512], why[256];

	snprintf(path, sizeof(path), "%s/tests/fixtures/pmbench-original/%s.xml", unit_srcdir(), name);
	assert_int_equal(report_read_file(path, &document, why, sizeof(why)), 0);
	report = report_read_find(report_read_root(document), "report");
	take_signature(fake, report_read_find(report, "signature"));
	snprintf(fake->result.machine.cpu_model, sizeof(fake->result.machine.cpu_model), "%s",
		report_read_find(report, "machine_info/modelname")->text);
	fake->result.machine.cache_count = 0;
	fake->result.timebase.start.khz = (double)number(report, "machine_info/freq_khz");
	take_threads(&fake->result, report_read_find(report, "result/result_thread"));
	histogram = report_read_find(report, "statistics/histogram");
	for (; histogram; histogram = report_read_next(histogram)) {
		bool is_write = strcmp(report_read_attribute(histogram, "type"), "write") == 0;

		take_histogram(fake->result.total[RESULT_ALL][is_write].count, histogram);
	}
	take_memory(&fake->result, report_read_find(report, "sys_mem_info/sys_mem_item"));
	report_read_free(document);
	return fake;
}

/* The original's XML through our text must be the original's text, but for the version. */
TEST("original reports print the same text")
{
	static const char *const names[] = {"linear-r100", "normal-j2-r80-cold", "uniform-swap", "uniform"};
	static const char title[] =
		"\n------------- Benchmark signature -------------\npmbench version: pmbench ";

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct fake *fake = load_original(names[i]);
		char *text = fake_text(&fake->result);
		char *original, *expected, *got = strstr(text, "OS/kernel type");
		char path[512];

		snprintf(path, sizeof(path), "%s/tests/fixtures/pmbench-original/%s.txt", unit_srcdir(),
			names[i]);
		original = golden_read(path);
		assert_memory_equal(text, title, strlen(title));
		expected = strstr(original, title);
		assert_non_null(expected);
		expected = strstr(expected, "OS/kernel type");
		for (size_t at = 0; expected[at]; at++) {
			if (expected[at] != got[at])
				fail_msg("%s: at %zu '%.70s' is expected, not '%.70s'", names[i], at,
					&expected[at], &got[at]);
		}
		free(original);
		free(text);
		fake_free(fake);
	}
}

TEST("the text matches its golden")
{
	struct fake *fake = fake_new();
	char *text = fake_text(&fake->result);

	golden_normalise(text);
	golden_compare("pmbench-text.txt", text);
	free(text);
	fake_free(fake);
}

static unsigned matches(const char *pattern, const char *text)
{
	regmatch_t match;
	regex_t regex;
	unsigned count = 0;

	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NEWLINE), 0);
	/* Every match begins a line; the next search starts behind it. */
	while (regexec(&regex, text, 1, &match, 0) == 0) {
		count++;
		text += match.rm_eo;
		text += strcspn(text, "\n");
	}
	regfree(&regex);
	return count;
}

/* The lines of which LKP-tests make their numbers, each as often as the original has it and never elsewhere.
 */
TEST("the text has the lines that LKP reads")
{
	struct fake *fake = fake_new();
	char *text = fake_text(&fake->result);

	assert_int_equal(matches("^Read:", text), 1);
	assert_int_equal(matches("^Write:", text), 1);
	assert_int_equal(matches("^  Page latency during benchmark \\(inc. gen\\): ([0-9]+\\.[0-9]+) us "
				 "\\([0-9]+ clks\\)$",
				 text),
		2);
	assert_int_equal(matches("^2\\^\\(([0-9]+),([0-9]+)\\) ns: ([0-9]+)", text), 48);
	assert_int_equal(
		matches("^2\\^\\([0-9]{2},[0-9]{2}\\) ns: [0-9]+  \\[([0-9]+, ){15}[0-9]+\\]$", text), 30);
	assert_int_equal(matches("^2\\^\\((00,08|2[3-9],[23][0-9]|30,32)\\) ns: [0-9]+$", text), 18);
	assert_int_equal(matches("Benchmark done|nitialization took", text), 0);
	assert_int_equal(matches("^2\\^\\(00,08\\) ns: 34359738368$", text), 1);
	free(text);
	fake_free(fake);
}

UNIT_BEGIN()
{
	/* The text has local time. */
	setenv("TZ", "UTC", 1);
	return NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/diag.h"
#include "common/report.h"
#include "common/units.h"
#include "tests/unit/fake_result.h"
#include "tests/unit/load.h"
#include "tests/unit/said.h"

TEST("a report is loaded into values, histograms and series")
{
	struct loaded *loaded = load("tests/golden/pmbench-report.xml", 0);

	assert_string_equal(loaded->tool, "pmbench");
	assert_string_equal(loaded->report_version, "1.1");
	assert_string_equal(loaded->uuid, "d6b4a292-cd2a-4cdb-834b-b8845fc0e5a9");
	assert_string_equal(loaded->wall_start, "2026-11-20T09:24:29.000000042Z");
	assert_string_equal(loaded->boot_id, "01234567-89ab-cdef-0123-456789abcdef");
	assert_string_equal(loaded->release, "6.18.0");
	assert_string_equal(loaded->arch, "x86_64");
	assert_string_equal(loaded->cpu_model, "Fake CPU (R) <tm> & Co");
	assert_false(loaded->is_original);
	assert_string_equal(loaded->status, "untrustworthy");
	assert_int_equal(loaded->option_count, 3);
	assert_string_equal(loaded_option(loaded, "duration"), "7200s");
	assert_null(loaded_option(loaded, "durations"));
	assert_int_equal(loaded->label_count, 2);
	assert_string_equal(text_in(loaded->labels, 2, "empty"), "");
	assert_int_equal(loaded->check_count, 2);
	assert_string_equal(loaded->checks[0].code, "zero-page");
	assert_string_equal(loaded->checks[0].measured, "12 pages");
	assert_string_equal(loaded->checks[0].advice, "fill the map with -i <now>");
	assert_string_equal(loaded->checks[0].finding, "pages of the set were never written");
	assert_true(loaded->reason_count > 0 && loaded->reasons[0].measured[0]);
	assert_string_equal(loaded->reasons[0].advice, "");
	assert_string_equal(loaded->reasons[0].finding, "");
	assert_true(loaded_value(loaded, "accesses_per_second") == 5369828.7);
	assert_true(loaded_value(loaded, "set_bytes") == 4294967296);
	assert_true(loaded_value(loaded, "slope_percent") == -12.5);
	assert_true(isnan(loaded_value(loaded, "is_steady")));
	assert_true(isnan(loaded_value(loaded, "absent")));
	/* 34359804911 accesses at 209.547..., 4302967329 at 133.86 */
	assert_true(fabs(loaded_value(loaded, "latency_ns") - 201.123581) < 1e-6);
	assert_true(loaded->interval_s == 1);
	assert_int_equal(loaded->interval_count, 0);
	loaded_free(loaded);
}

TEST("the facts of a machine are loaded")
{
	static const struct {
		const char *name, *value;
	} wanted[] = {
		{"cpu_model", "Fake CPU (R) <tm> & Co"},
		{"cores", "4"},
		{"hardware_threads", "8"},
		{"page_bytes", "4096"},
		{"memory_bytes", "17179869184"},
		{"release", "6.18.0"},
		{"arch", "x86_64"},
		{"time_source", "rdtscp"},
		{"numa_nodes", "2"},
		{"swap_area.1", "zram lzo-rle 1073741824"},
		{"vm.swappiness", "60"},
		{"thp", "always [madvise] never"},
	};
	struct loaded *loaded = load("tests/golden/pmbench-report.xml", 0);

	assert_int_equal(loaded->machine_count, sizeof(wanted) / sizeof(wanted[0]));
	for (size_t i = 0; i < loaded->machine_count; i++) {
		assert_string_equal(loaded->machine[i].name, wanted[i].name);
		assert_string_equal(loaded->machine[i].value, wanted[i].value);
	}
	loaded_free(loaded);
}

/* As many facts of a machine as one report has them, in the text of its parts. */
static struct loaded *load_machine_of(const char *options, const char *machine, const char *rest)
{
	struct report_document *document;
	struct loaded *loaded;
	char text[2048], why[256];

	snprintf(text, sizeof(text), "<pmbenchmark><report><signature><report_version>1.0</report_version><options>%s"
		"</options></signature><machine_info>%s</machine_info>%s</report></pmbenchmark>", options, machine, rest);
	assert_int_equal(report_read_memory(text, strlen(text), &document, why, sizeof(why)), 0);
	assert_int_equal(loaded_make(document, "m", 0, &loaded, why, sizeof(why)), 0);
	return loaded;
}

static struct loaded *load_machine(const char *options, const char *machine)
{
	return load_machine_of(options, machine, "");
}

#define OWN_AREA "<swap_area><backing>zram</backing><size_bytes>4096</size_bytes><priority>32767</priority></swap_area>"
#define OTHER_AREA "<swap_area><backing>disk</backing><size_bytes>8192</size_bytes><priority>-2</priority></swap_area>"
#define PHASES(faults) "<result><phases><phase index=\"0\"><major_faults>0</major_faults></phase><phase index=\"1\">" \
	"<major_faults>" faults "</major_faults></phase></phases></result>"

/* Another user's area that comes or goes between two runs did nothing to them. */
TEST("a swap area that the run did not use is no fact")
{
	static const struct {
		const char *options, *rest, *area;
	} cases[] = {
		{"", PHASES("0"), NULL},
		{"", PHASES("7"), "disk 8192"},
		{"", "", "disk 8192"},
		{"", "<storage><kind>file</kind></storage>", NULL},
		{"<option name=\"swap\">none</option>", PHASES("7"), NULL},
		{"<option name=\"swap\">zram:4096B</option>", PHASES("7"), "zram 4096"},
		{"<option name=\"swap\">zram:4096B</option>", PHASES("0"), NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bool is_own = cases[i].area && cases[i].area[0] == 'z';
		struct loaded *loaded = load_machine_of(cases[i].options,
			is_own ? "<swap>" OTHER_AREA OWN_AREA "</swap>" : "<swap>" OTHER_AREA "</swap>", cases[i].rest);
		const char *area = NULL;
		size_t count = 0;

		for (size_t k = 0; k < loaded->machine_count; k++) {
			if (!strncmp(loaded->machine[k].name, "swap_area", 9)) {
				area = loaded->machine[k].value;
				count++;
			}
		}
		assert_int_equal(count, cases[i].area != NULL);
		if (area)
			assert_string_equal(area, cases[i].area);
		loaded_free(loaded);
	}
}

static bool has_fact(const struct loaded *loaded, const char *name)
{
	for (size_t i = 0; i < loaded->machine_count; i++) {
		if (!strcmp(loaded->machine[i].name, name))
			return true;
	}
	return false;
}

/* Another program under pressure sets it for the whole machine: without swap that did nothing to the run. */
TEST("read ahead of swap is a fact of runs that used swap")
{
	static const char settings[] = "<settings><setting name=\"vm.page-cluster\">3</setting>"
				       "<setting name=\"vm.swappiness\">60</setting></settings>";
	static const struct {
		const char *rest;
		bool is_fact;
	} cases[] = {{PHASES("0"), false}, {PHASES("7"), true}, {"<storage><kind>file</kind></storage>", false}, {"", true}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct loaded *loaded = load_machine_of("", settings, cases[i].rest);

		assert_int_equal(has_fact(loaded, "vm.page-cluster"), cases[i].is_fact);
		assert_true(has_fact(loaded, "vm.swappiness"));
		loaded_free(loaded);
	}
}

TEST("a setting that an option gave is no fact")
{
	static const char settings[] = "<settings><setting name=\"vm.page-cluster\">3</setting>"
				       "<setting name=\"vm.swappiness\">60</setting></settings>";
	struct loaded *loaded = load_machine_of("<option name=\"page-cluster\">3</option>", settings, PHASES("7"));

	assert_false(has_fact(loaded, "vm.page-cluster"));
	assert_true(has_fact(loaded, "vm.swappiness"));
	loaded_free(loaded);
}

/* The kernel lists swaps in the order of swapon, and names devices as they come. */
TEST("swap areas are identified by their kind")
{
	static const char zram[] = "<swap_area><path>/dev/zram3</path><backing>zram</backing><algorithm>lzo</algorithm>"
				   "<size_bytes>4096</size_bytes><used_bytes>1</used_bytes></swap_area>";
	static const char disk[] = "<swap_area><path>/dev/sda2</path><backing>disk</backing><size_bytes>8192</size_bytes>"
				   "<used_bytes>2</used_bytes></swap_area>";
	char machine[1024];

	for (int order = 0; order < 2; order++) {
		struct loaded *loaded;

		snprintf(machine, sizeof(machine), "<available_bytes>5</available_bytes><swap>%s%s</swap>",
			order ? zram : disk, order ? disk : zram);
		loaded = load_machine("", machine);
		assert_int_equal(loaded->machine_count, 2);
		assert_string_equal(loaded->machine[0].name, "swap_area.1");
		assert_string_equal(loaded->machine[0].value, "disk 8192");
		assert_string_equal(loaded->machine[1].name, "swap_area.2");
		assert_string_equal(loaded->machine[1].value, "zram lzo 4096");
		loaded_free(loaded);
	}
}

/* A limit that the run set itself is an option, not the machine. */
TEST("a limit outside of the run is a fact of the machine")
{
	static const char limit[] = "<hypervisor>KVM</hypervisor><cgroup version=\"2\"><cgroup_dir>/x</cgroup_dir>"
				    "<limit_bytes>4096</limit_bytes></cgroup>";
	struct loaded *loaded = load_machine("", limit);

	assert_int_equal(loaded->machine_count, 2);
	assert_string_equal(text_in(loaded->machine, 2, "hypervisor"), "KVM");
	assert_string_equal(text_in(loaded->machine, 2, "cgroup_limit_bytes"), "4096");
	loaded_free(loaded);
	loaded = load_machine("<option name=\"ram\">4096</option>", limit);
	assert_int_equal(loaded->machine_count, 1);
	assert_null(text_in(loaded->machine, 1, "cgroup_limit_bytes"));
	loaded_free(loaded);
}

TEST("the series is loaded on request")
{
	struct loaded *loaded = load("tests/golden/pmbench-report.xml", LOADED_SERIES);
	const struct loaded_interval *interval = loaded->intervals;

	assert_int_equal(loaded->interval_count, 2);
	assert_true(interval->time_s == 1.5 && interval->seconds == 1.5);
	assert_int_equal(interval->value_count, 7);
	assert_string_equal(interval->values[1].name, "accesses_per_second");
	assert_true(interval->values[1].value == 3333333334);
	assert_int_equal(interval->counter_count, 10);
	assert_string_equal(interval->counters[0].name, "meminfo.MemFree");
	assert_true(interval->counters[0].value == -78848);
	assert_string_equal(interval->histogram->type, "both");
	assert_int_equal(interval->histogram->count, 5000000001);
	assert_true(isinf(interval->histogram->buckets[1].hi_ns));
	assert_true(isnan(interval->histogram->max_ns));
	/* Of the open bucket only its begin is known. */
	assert_true(loaded_percentile(interval->histogram, 100) == 1073741824);
	assert_true(fabs(loaded_percentile(interval->histogram, 50) - 128) < 1e-6);
	interval++;
	assert_int_equal(interval->histogram->bucket_count, 0);
	assert_int_equal(interval->counter_count, 0);
	assert_true(isnan(loaded_percentile(interval->histogram, 50)));
	loaded_free(loaded);
}

/* Every percentile that a report says of itself, of every kind of report. */
static unsigned compare_summaries(const struct loaded *loaded)
{
	static const struct {
		const char *name;
		double percent;
	} percentiles[] = {{"p50_ns", 50}, {"p90_ns", 90}, {"p95_ns", 95}, {"p99_ns", 99}, {"p999_ns", 99.9},
		{"p9999_ns", 99.99}, {"max_ns", 100}};
	const struct report_node *node = report_read_find(
		report_read_root(loaded->document), "report/statistics/latency_histogram");
	unsigned compared = 0;

	for (; node; node = report_read_next(node)) {
		const struct loaded_histogram *histogram = loaded->histograms;
		double value;

		while (strcmp(histogram->type, report_read_attribute(node, "type")) ||
			strcmp(histogram->class, report_read_attribute(node, "class")) ||
			strcmp(histogram->layout, report_read_attribute(node, "layout")))
			histogram++;
		for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
			const struct report_node *summary = report_read_find(node, "summary");

			if (report_read_double(summary, percentiles[i].name, &value) == -ENOENT) {
				assert_true(isnan(loaded_known_percentile(histogram, percentiles[i].percent)));
				continue;
			}
			assert_true(loaded_known_percentile(histogram, percentiles[i].percent) == value);
			compared++;
		}
	}
	return compared;
}

TEST("percentiles are those of the summary")
{
	struct loaded *loaded = load("tests/golden/pmbench-report.xml", 0);

	assert_int_equal(compare_summaries(loaded), 7 * 14 - 16);
	loaded_free(loaded);
	for (size_t i = 0; i < FAKE_VARIANTS; i++) {
		struct fake *fake = fake_variant(i);
		char *text = fake_written(fake, report_write_xml), why[256] = "";
		struct report_document *document;

		assert_int_equal(report_read_memory(text, strlen(text), &document, why, sizeof(why)), 0);
		assert_int_equal(loaded_make(document, "a", LOADED_SERIES, &loaded, why, sizeof(why)), 0);
		assert_true(compare_summaries(loaded) > 0 || loaded->histogram_count == 0 ||
			    loaded->histograms[0].count == 0);
		loaded_free(loaded);
		free(text);
		fake_free(fake);
	}
}

TEST("the finest histogram layout comes first")
{
	struct loaded *loaded = load("tests/golden/pmbench-report.xml", 0);
	const struct loaded_histogram *histogram = loaded_histogram(loaded, "write", "major");

	assert_int_equal(loaded->histogram_count, 16);
	for (size_t i = 0; i < loaded->histogram_count; i++)
		assert_string_equal(loaded->histograms[i].layout, i % 2 ? "log16" : "hdr");
	assert_string_equal(histogram->layout, "hdr");
	assert_int_equal(histogram->count, 4000000);
	assert_true(histogram->min_ns == 7500 && histogram->max_ns == 650000);
	assert_int_equal(histogram->bucket_count, 2);
	assert_true(histogram->buckets[0].lo_ns == 7488 && histogram->buckets[0].hi_ns == 7520);
	assert_null(loaded_histogram(loaded, "write", "none"));
	assert_null(loaded_histogram(loaded, "both", "major"));
	loaded_free(loaded);
}

TEST("refusals of files are one line")
{
	char path[] = "/tmp/test_loaded.XXXXXX", said[512], wanted[512];
	int fd = mkstemp(path);
	struct said_err err;
	struct loaded *loaded;

	assert_true(fd >= 0 && write(fd, "<x>\n<y></x>", 11) == 11);
	close(fd);
	said_begin(&err);
	assert_int_equal(loaded_read(path, 0, &loaded), DIAG_EXIT_USAGE);
	assert_int_equal(loaded_read("/nonexistent", 0, &loaded), DIAG_EXIT_USAGE);
	said_end(&err, said, sizeof(said));
	snprintf(wanted, sizeof(wanted), "test_loaded: %s:2: not well-formed XML: ", path);
	assert_memory_equal(said, wanted, strlen(wanted));
	assert_string_equal(strchr(said, '\n'), "\ntest_loaded: /nonexistent: No such file or directory\n");
	unlink(path);
}

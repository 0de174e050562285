/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/plot/plot.h"

#define REPORTS_MAX 4

static struct loaded report_of(const char *path, const char *tool, struct loaded_text *options, size_t option_count,
	struct loaded_text *labels, size_t label_count)
{
	return (struct loaded){.path = path, .tool = tool, .tool_version = "0.1.0", .report_version = "1.0", .uuid = path,
		.wall_start = "2026-11-20T10:00:00Z", .hostname = "h", .boot_id = "", .release = "6.1", .arch = "x86_64",
		.cpu_model = "CPU", .status = "ok", .options = options, .option_count = option_count, .labels = labels,
		.label_count = label_count};
}

static void expect_names(const struct loaded *reports, size_t count, const struct plot_list *wanted,
	const char *const *expected)
{
	struct plot_facts facts[REPORTS_MAX];
	struct arena arena = {0};
	char **names;

	for (size_t i = 0; i < count; i++)
		assert_int_equal(plot_facts_take(&reports[i], 0, &facts[i]), 0);
	names = plot_fact_names(facts, count, wanted, &arena);
	assert_non_null(names);
	for (size_t i = 0; i < count; i++)
		assert_string_equal(names[i], expected[i]);
	assert_null(names[count]);
	arena_free(&arena);
	for (size_t i = 0; i < count; i++)
		plot_facts_free(&facts[i]);
}

static const struct plot_list none = {0};

TEST("differing options are the name of a report")
{
	struct loaded_text a[] = {{"mapsize", "512"}, {"pattern", "uniform"}, {"seed", "1"}, {"ratio", "50"}};
	struct loaded_text b[] = {{"mapsize", "2048"}, {"pattern", "zipf"}, {"seed", "2"}, {"ratio", "50"}, {"thp", "yes"}};
	struct loaded reports[] = {
		report_of("x/a.xml", "pmbench", a, 4, NULL, 0), report_of("x/b.xml", "pmbench", b, 5, NULL, 0)};
	static const char *const names[] = {"map of 512 MiB, uniform, no thp", "map of 2 GiB, zipf, thp"};

	expect_names(reports, 2, &none, names);
}

TEST("labels that distinguish all reports are the names")
{
	struct loaded_text zram[] = {{"swap", "zram:8G"}}, file[] = {{"swap", "file:/x,8G"}};
	struct loaded_text one[] = {{"config", "old"}}, other[] = {{"config", "new"}};
	struct loaded reports[] = {report_of("a.xml", "pmbench", zram, 1, one, 1),
		report_of("b.xml", "pmbench", file, 1, other, 1), report_of("c.xml", "pmbench", file, 1, one, 1)};
	static const char *const labels[] = {"config old", "config new"};
	static const char *const both[] = {"config old, swap on zram", "config new, swap on file", "config old, swap on file"};
	static const struct plot_list wanted = {1, {"swap"}};
	static const char *const swaps[] = {"swap on zram", "swap on file"};

	expect_names(reports, 2, &none, labels);
	expect_names(reports, 3, &none, both);
	expect_names(reports, 2, &wanted, swaps);
}

TEST("repeated runs have their files names")
{
	struct loaded_text a[] = {{"pattern", "uniform"}, {"seed", "1"}}, b[] = {{"pattern", "uniform"}, {"seed", "2"}};
	struct loaded reports[] = {report_of("x/1.xml", "pmbench", a, 2, NULL, 0),
		report_of("x/2.xml", "pmbench", b, 2, NULL, 0), report_of("y/1.xml", "pmbench", a, 2, NULL, 0)};
	static const char *const names[] = {"1.xml", "2.xml"}, *const paths[] = {"x/1.xml", "x/2.xml", "y/1.xml"};

	expect_names(reports, 2, &none, names);
	expect_names(reports, 3, &none, paths);
}

TEST("an option or label with the name file does not replace the name of the report's file")
{
	struct loaded_text options[] = {{"file", "out.xml"}}, labels[] = {{"file", "x"}};
	struct loaded reports[] = {report_of("x/1.xml", "ssd-workloads", options, 1, NULL, 0),
		report_of("x/2.xml", "ssd-workloads", options, 1, NULL, 0),
		report_of("x/3.xml", "ssd-workloads", NULL, 0, labels, 1)};
	static const char *const names[] = {"1.xml", "2.xml"};
	struct plot_facts facts;

	expect_names(reports, 2, &none, names);
	assert_int_equal(plot_facts_take(&reports[2], 0, &facts), 0);
	assert_string_equal(facts.file, "3.xml");
	plot_facts_free(&facts);
}

TEST("facts of machines are used last")
{
	struct loaded reports[] = {
		report_of("a.xml", "pmbench", NULL, 0, NULL, 0), report_of("b.xml", "pmbench", NULL, 0, NULL, 0)};
	static const char *const names[] = {"Linux 6.1, CPU", "Linux 6.6, other"};

	reports[1].release = "6.6";
	reports[1].cpu_model = "other";
	expect_names(reports, 2, &none, names);
}

TEST("an option given twice is one fact")
{
	struct loaded_text a[] = {{"phase", "1:uniform"}, {"ratio", "50"}, {"phase", "2:zipf"}};
	struct loaded report = report_of("a.xml", "pmbench", a, 3, NULL, 0);
	struct plot_facts facts;
	char text[256];

	assert_int_equal(plot_facts_take(&report, 3, &facts), 0);
	assert_int_equal(facts.group, 3);
	assert_string_equal(plot_fact(&facts, "phase"), "1:uniform 2:zipf");
	assert_null(plot_fact(&facts, "phases"));
	assert_string_equal(plot_phrase_title(&facts, 1, text, sizeof(text)), "pmbench: phases 1:uniform 2:zipf, 50 % reads");
	plot_facts_free(&facts);
}

static void expect_phrase(const char *name, const char *value, const char *expected)
{
	char text[128];

	assert_string_equal(plot_phrase("pmbench", name, value, text, sizeof(text)), expected);
}

TEST("options are written as phrases")
{
	expect_phrase("mapsize", "8192", "map of 8 GiB");
	expect_phrase("setsize", "512B", "set of 512 B");
	expect_phrase("mapsize", "75%", "map of 75%");
	expect_phrase("jobs", "1", "1 thread");
	expect_phrase("jobs", "2", "2 threads");
	expect_phrase("jobs", NULL, "1 thread");
	expect_phrase("ram", "2147483648", "in 2 GiB of memory");
	expect_phrase("ram", NULL, "memory not limited");
	expect_phrase("swap", "zram:8589934592B", "swap on zram");
	expect_phrase("swap", "none", "no swap");
	expect_phrase("duration", "90", "1.5 min");
	expect_phrase("thp", "yes", "thp");
	expect_phrase("thp", NULL, "no thp");
	expect_phrase("warmup", "none", "warmup none");
	expect_phrase("shape", NULL, "");
}

TEST("the title has the common options")
{
	struct loaded_text a[] = {{"pattern", "uniform"}, {"mapsize", "8192"}, {"setsize", "4096"}, {"jobs", "1"}};
	struct loaded_text b[] = {{"pattern", "zipf"}, {"mapsize", "8192"}, {"setsize", "4096"}, {"jobs", "1"}};
	struct loaded reports[] = {
		report_of("a.xml", "pmbench", a, 4, NULL, 0), report_of("b.xml", "pmbench", b, 4, NULL, 0)};
	struct plot_facts facts[2];
	char text[256];

	reports[1].wall_start = "2026-11-18T00:00:00Z";
	assert_int_equal(plot_facts_take(&reports[0], 0, &facts[0]), 0);
	assert_int_equal(plot_facts_take(&reports[1], 0, &facts[1]), 0);
	assert_string_equal(plot_phrase_title(facts, 1, text, sizeof(text)), "pmbench: uniform, set of 4 GiB");
	assert_string_equal(plot_phrase_title(facts, 2, text, sizeof(text)), "pmbench: set of 4 GiB");
	assert_string_equal(plot_phrase_machine(facts, 1, text, sizeof(text)), "CPU, Linux 6.1, 2026-11-20");
	assert_string_equal(
		plot_phrase_machine(facts, 2, text, sizeof(text)), "CPU, Linux 6.1, 2026-11-18 to 2026-11-20");
	plot_facts_free(&facts[1]);
	/* The original's reports do not say when, and another tool is another thing. */
	reports[1].wall_start = "";
	reports[1].tool = "iowrite-bench";
	assert_int_equal(plot_facts_take(&reports[1], 0, &facts[1]), 0);
	assert_string_equal(plot_phrase_title(facts, 2, text, sizeof(text)), "2 reports");
	assert_string_equal(plot_phrase_machine(facts, 2, text, sizeof(text)), "CPU, Linux 6.1");
	plot_facts_free(&facts[0]);
	plot_facts_free(&facts[1]);
}

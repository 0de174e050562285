/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is extracted of reports for templates: some as a whole (golden), all by their laws. */
#include "config.h"
#include "tests/unit/unit.h"
#include "memstor/commands.h"
#include "memstor/plot/plot.h"
#include "tests/unit/golden.h"

#define SMALL "tests/golden/pmbench-report.xml"
#define ORIGINAL "tests/fixtures/pmbench-original/uniform-swap.xml"
#define EVALUATE "tests/fixtures/iowrite/evaluate.xml"
#define RUN "tests/fixtures/iowrite/run.xml"
#define PAPER "results/reference/paper/report.xml"
#define WORDS_MAX 16

struct made {
	struct plot_options options;
	struct plot plot;
	char *script;
	size_t size;
};

/* Words as of the command line; those that begin with "tests/" or "results/" are of the source tree. */
static struct made *make(const char *const *words)
{
	static char copies[WORDS_MAX][512], output[32];
	static unsigned number; /* an output has one writer at a time */
	char *argv[WORDS_MAX + 4] = {copies[0]};
	struct made *made = calloc(1, sizeof(*made));
	int argc = 1;

	assert_non_null(made);
	snprintf(copies[0], sizeof(copies[0]), "plot");
	for (; *words; words++, argc++) {
		bool is_ours = !strncmp(*words, "tests/", 6) || !strncmp(*words, "results/", 8);

		assert_true(argc < WORDS_MAX);
		snprintf(copies[argc], sizeof(copies[argc]), "%s%s%s", is_ours ? unit_srcdir() : "", is_ours ? "/" : "", *words);
		argv[argc] = copies[argc];
	}
	snprintf(output, sizeof(output), "script%u.svg", number++);
	argv[argc++] = (char[]){"-o"};
	argv[argc++] = output;
	/* Texts of the options stay in argv's words: each script is made before the next words come. */
	assert_int_equal(plot_options_parse(&command_plot, argc, argv, &made->options), 0);
	made->plot.options = &made->options;
	assert_int_equal(plot_make(&made->plot, &made->script, &made->size), 0);
	assert_int_equal(strlen(made->script), made->size);
	return made;
}
#define MAKE(...) make((const char *const[]){__VA_ARGS__, NULL})

static void drop(struct made *made)
{
	free(made->script);
	plot_free(&made->plot);
	plot_options_free(&made->options);
	free(made);
}

/* Only what memstor extracts, without the first line, which has the version, and the templates. */
static void expect_golden(const char *name, struct made *made)
{
	char *data = strchr(made->script, '\n') + 1, *end = strstr(data, "# SPDX-License-Identifier");

	assert_non_null(end);
	*end = '\0';
	golden_compare(name, data);
	drop(made);
}

TEST("data blocks are unchanged")
{
	expect_golden("plot-series.gp", MAKE("series", SMALL, "--counter", "vmstat.pgmajfault"));
	expect_golden("plot-bars.gp", MAKE("bars", SMALL, ORIGINAL, "--metric", "throughput,p99"));
	expect_golden("plot-errors.gp", MAKE("errors", EVALUATE));
	expect_golden("plot-cost.gp", MAKE("cost", RUN));
	expect_golden("plot-cost-cell.gp", MAKE("cost", RUN, "--class", "*.64k", "--metric", "write.p50,write.p99"));
}

static const char *find_block(const char *script, const char *block)
{
	char begin[64];
	const char *at;

	snprintf(begin, sizeof(begin), "\n$%s << END\n", block);
	at = strstr(script, begin);
	assert_non_null(at);
	return at + strlen(begin);
}

/* The index-th part of a block. */
static const char *find_index(const char *script, const char *block, unsigned index)
{
	const char *line = find_block(script, block);

	while (index--) {
		line = strstr(line, "\n\n\n");
		assert_non_null(line);
		line += 3;
	}
	return line;
}

static bool is_end(const char *line)
{
	return !strncmp(line, "END\n", 4) || *line == '\n';
}

/* Sum of a column of a part of a data block. */
static double sum_of(const char *script, const char *block, unsigned index, int column)
{
	double sum = 0;

	for (const char *line = find_index(script, block, index); !is_end(line); line = strchr(line, '\n') + 1) {
		double values[8] = {0};

		assert_true(sscanf(line, "%lf %lf %lf %lf %lf %lf", &values[0], &values[1], &values[2], &values[3],
				    &values[4], &values[5]) > column);
		sum += values[column];
	}
	return sum;
}

static struct loaded *load(const char *path, unsigned flags)
{
	struct loaded *loaded = NULL;
	char full[512];

	snprintf(full, sizeof(full), "%s/%s", unit_srcdir(), path);
	assert_int_equal(loaded_read(full, flags, &loaded), 0);
	return loaded;
}

/* What is drawn adds up to what was measured, of every type and class, in every kind that draws counts. */
TEST("counts are those of the report")
{
	static const char *const reports[] = {SMALL, ORIGINAL, PAPER};

	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		struct loaded *loaded = load(reports[i], 0);
		double reads = (double)loaded_histogram(loaded, "read", "all")->count;
		double writes = (double)loaded_histogram(loaded, "write", "all")->count;
		struct made *made = MAKE("histogram", reports[i]);

		assert_true(sum_of(made->script, "data", 0, 2) == reads);
		assert_true(sum_of(made->script, "data", 1, 2) == writes);
		drop(made);
		made = MAKE("cdf", reports[i], "--y", "log");
		assert_true(sum_of(made->script, "data", 0, 3) == reads);
		assert_true(sum_of(made->script, "data", 1, 3) == writes);
		drop(made);
		loaded_free(loaded);
	}
}

/* Intervals have all accesses; a window those of its intervals. */
TEST("a plot of intervals has all accesses, a window those of its intervals")
{
	struct loaded *loaded = load(PAPER, LOADED_SERIES);
	struct made *made = MAKE("heatmap", PAPER), *window = MAKE("histogram", PAPER, "--from", "10", "--to", "20");
	double all = 0, some = 0;

	for (size_t i = 0; i < loaded->interval_count; i++) {
		const struct loaded_interval *interval = &loaded->intervals[i];

		all += (double)interval->histogram->count;
		if (interval->time_s > 10.5 && interval->time_s < 20.5)
			some += (double)interval->histogram->count;
	}
	assert_true(some > 0 && some < all);
	assert_true(sum_of(made->script, "data", 0, 5) == all);
	assert_true(sum_of(window->script, "data", 0, 2) == some);
	drop(made);
	drop(window);
	loaded_free(loaded);
}

/* A level is where the run began and all that changed since; a part of the run begins where it was then. */
TEST("levels are summed from changes")
{
	struct loaded *loaded = load(PAPER, LOADED_SERIES);
	struct made *made = MAKE("series", PAPER, "--metric", "p99", "--counter", "meminfo.AnonPages", "--from", "10");
	const char *line = find_index(made->script, "data", 1);
	double level, time, value;
	bool is_changed = false;
	size_t i = 0;

	assert_int_equal(plot_counter_begin(loaded, "meminfo.AnonPages", &level), 0);
	for (; loaded->intervals[i].time_s < 10.5; i++)
		level += plot_counter_value(PLOT_COUNTER_BYTES, &loaded->intervals[i], "meminfo.AnonPages");
	assert_int_equal(sscanf(line, "%lf %lf", &time, &value), 2);
	assert_true(value == level);
	for (; i < loaded->interval_count; i++) {
		double change = plot_counter_value(PLOT_COUNTER_BYTES, &loaded->intervals[i], "meminfo.AnonPages");

		level += change;
		is_changed = is_changed || change != 0;
		line = strchr(line, '\n') + 1;
		assert_int_equal(sscanf(line, "%lf %lf", &time, &value), 2);
		assert_true(value == level && fabs(time - loaded->intervals[i].time_s) < 1e-6);
	}
	assert_true(is_changed);
	assert_true(is_end(strchr(line, '\n') + 1));
	drop(made);
	loaded_free(loaded);
}

/* Height times width in doublings is the count: the area that one sees is what was measured. */
TEST("the area of a bar in the histogram is its count")
{
	struct made *made = MAKE("histogram", PAPER, "--type", "read");
	const char *line = find_block(made->script, "data");
	double lo, height, hi, same;
	unsigned long long count, nothing;
	unsigned checked = 0;

	for (; !is_end(line); line = strchr(line, '\n') + 1) {
		if (sscanf(line, "%lf %lf %llu %lf %lf %llu", &lo, &height, &count, &hi, &same, &nothing) != 6 || count == 0)
			continue;
		assert_true(same == height);
		assert_true(fabs(height * log2(hi / lo) - (double)count) < 1e-6 * (double)count);
		checked++;
	}
	assert_true(checked > 100);
	drop(made);
}

/* A share is of all accesses, by sixteenth: times the width in sixteenths it adds up to 100 %. */
TEST("shares refer to all accesses")
{
	struct made *made = MAKE("histogram", PAPER, "--type", "write", "--share", "--y", "linear");
	const char *line = find_block(made->script, "data");
	double lo, height, hi, same, sum = 0;
	unsigned long long count, nothing;

	for (; !is_end(line); line = strchr(line, '\n') + 1) {
		if (sscanf(line, "%lf %lf %llu %lf %lf %llu", &lo, &height, &count, &hi, &same, &nothing) == 6 && count)
			sum += height * log2(hi / lo) * 16;
	}
	assert_true(fabs(sum - 100) < 1e-6);
	drop(made);
}

TEST("percentiles rise and equal those of the report")
{
	struct loaded *loaded = load(PAPER, 0);
	const struct loaded_histogram *histogram = loaded_histogram(loaded, "read", "all");
	struct made *made = MAKE("percentile", PAPER, "--type", "read");
	const char *line = find_block(made->script, "data");
	double nines, value, before = 0, last = 0;

	for (; sscanf(line, "%lf %lf", &nines, &value) == 2; line = strchr(line, '\n') + 1) {
		assert_true(value >= before && nines >= last);
		if (fabs(nines - 100) < 1e-9)
			assert_true(fabs(value / loaded_percentile(histogram, 99) - 1) < 1e-9);
		before = value;
		last = nines;
	}
	assert_true(fabs(last / (double)histogram->count - 1) < 1e-9);
	assert_true(fabs(before / histogram->max_ns - 1) < 1e-9);
	drop(made);
	loaded_free(loaded);
}

/* Medians are those of the group's runs, whichever way the groups are made. */
TEST("groups are formed by dashes or by name")
{
	struct made *dashes = MAKE("bars", SMALL, "--", ORIGINAL, ORIGINAL, "--metric", "throughput");
	struct made *by_name = MAKE("bars", SMALL, ORIGINAL, ORIGINAL, "--metric", "throughput", "--group-by", "version");
	struct made *alone = MAKE("bars", SMALL, ORIGINAL, ORIGINAL, "--metric", "throughput");

	assert_true(sum_of(dashes->script, "data", 0, 1) == 1 + 2);
	assert_true(sum_of(dashes->script, "data", 0, 5) == 3);
	assert_true(sum_of(dashes->script, "data", 0, 2) == sum_of(by_name->script, "data", 0, 2));
	assert_true(sum_of(alone->script, "data", 0, 1) == 1 + 2 + 3);
	drop(dashes);
	drop(by_name);
	drop(alone);
}

/* The curve of a group is the sum of its runs. */
TEST("runs of a group are pooled")
{
	struct made *one = MAKE("histogram", ORIGINAL);
	struct made *pooled = MAKE("histogram", ORIGINAL, SMALL, ORIGINAL, "--group-by", "version");

	assert_true(sum_of(one->script, "data", 0, 2) > 0);
	assert_true(sum_of(pooled->script, "data", 0, 2) == 2 * sum_of(one->script, "data", 0, 2));
	assert_non_null(strstr(pooled->script, "Each curve is the sum of its group's runs, 3 in all."));
	drop(one);
	drop(pooled);
}

/* Whatever a text holds, it is a line of a block of texts and stands nowhere else. */
TEST("a hostile title stays one line of the text block")
{
	struct made *made = MAKE("histogram", SMALL, "--title", "`touch x`\"; system('touch y') # $z @m\nprint 1");
	const char *begin = find_block(made->script, "title");
	static const char line[] = " `touch x`\"; system('touch y') # $z @m print 1\nEND\n";

	assert_int_equal(strncmp(begin, line, strlen(line)), 0);
	assert_null(strstr(begin + strlen(line), "touch"));
	drop(made);
}

TEST("kinds name only existing options")
{
	for (const struct plot_kind *kind = plot_kind_table; kind->name; kind++) {
		char words[256], *rest = words;

		snprintf(words, sizeof(words), "%s", kind->takes ? kind->takes : "y");
		for (const char *word = strsep(&rest, " "); word; word = strsep(&rest, " ")) {
			if (strcmp(word, "--") != 0 && !opt_row(plot_option_rows, word))
				fail_msg("%s takes '%s'", kind->name, word);
		}
		assert_true(plot_kind_takes(kind, "output"));
	}
	assert_true(plot_kind_takes(plot_kind_find("bars"), "--"));
	assert_true(plot_kind_takes(plot_kind_find("cdf"), "--"));
	assert_false(plot_kind_takes(plot_kind_find("series"), "--"));
	assert_false(plot_kind_takes(plot_kind_find("slowest"), "y"));
}

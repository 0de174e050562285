/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The laws of merging, on runs whose accesses are known. */
#include "config.h"
#include "tests/unit/unit.h"
#include "tests/unit/golden.h"
#include "tests/unit/merge_runs.h"

/* Rounding is allowed where sums of doubles are divided, nowhere else. */
static bool may_round(const char *name)
{
	static const char *const names[] = {"mean_ns", "stddev_ns", "access_mean_ns", "major_mean_ns", "os_overhead_ns",
		"os_overhead_percent", "accesses_per_second", "faults_per_second"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

/* Shares and rates of one run's own window: a merge leaves them out. */
static const struct report_node *skip_own(const struct report_node *node)
{
	while (node && (!strncmp(node->name, "time_over_", 10) || !strncmp(node->name, "swap_in_", 8) ||
		!strncmp(node->name, "swap_out_", 9)))
		node = node->next;
	return node;
}

static void same_text(const struct report_node *a, const struct report_node *b)
{
	double x, y;

	if (strcmp(a->text, b->text) == 0)
		return;
	x = strtod(a->text, NULL);
	y = strtod(b->text, NULL);
	if (!may_round(a->name) || fabs(x - y) > 1e-9 * fabs(x))
		fail_msg("<%s> of line %u is '%s', of line %u '%s'", a->name, a->line, a->text, b->line, b->text);
}

/* Everything below both is the same, but for elements called `but` (several with blanks between). */
static void same_tree(const struct report_node *a, const struct report_node *b, const char *but)
{
	const struct report_node *left, *right;

	if (!a || !b || strcmp(a->name, b->name) != 0)
		fail_msg("<%s> of line %u, <%s> of line %u", a ? a->name : "nothing", a ? a->line : 0,
			b ? b->name : "nothing", b ? b->line : 0);
	if (strstr(but, a->name))
		return;
	same_text(a, b);
	assert_int_equal(a->attribute_count, b->attribute_count);
	for (size_t i = 0; i < 2 * a->attribute_count; i++) {
		if (strcmp(a->attributes[i], b->attributes[i]) != 0)
			fail_msg("<%s> of line %u has %s, of line %u %s", a->name, a->line, a->attributes[i], b->line,
				b->attributes[i]);
	}
	for (left = skip_own(a->child), right = skip_own(b->child); left || right;
		left = skip_own(left->next), right = skip_own(right->next))
		same_tree(left, right, but);
}

static const struct report_node *at(const struct loaded *loaded, const char *path)
{
	const struct report_node *node = report_read_find(report_read_root(loaded->document), path);

	if (!node)
		fail_msg("%s: no %s", loaded->path, path);
	return node;
}

static struct loaded *merged_of(unsigned flags, struct loaded *const *reports, size_t count, const char *name)
{
	char *xml = merge_texts_of(flags, reports, count);
	struct loaded *loaded = merge_load_text(xml, name);

	free(xml);
	return loaded;
}

static struct loaded *run_of(unsigned seed)
{
	static const char *const names[] = {"r0", "r1", "r2", "r3", "r4"};
	struct fake *run = merge_run(seed);
	struct loaded *loaded = merge_loaded(run, names[seed]);

	merge_run_free(run);
	return loaded;
}

static struct loaded *pair(struct loaded *a, struct loaded *b, const char *name)
{
	struct loaded *both[] = {a, b};

	return merged_of(0, both, 2, name);
}

TEST("a merged report equals a run of both parts")
{
	struct fake *a = merge_run(1), *b = merge_run(2), *both = merge_union(a, b);
	struct loaded *merged = pair(merge_loaded(a, "a"), merge_loaded(b, "b"), "merged");
	struct loaded *wanted = merge_loaded(both, "wanted");

	same_tree(at(wanted, "report/statistics"), at(merged, "report/statistics"), "");
	same_tree(at(wanted, "report/result"), at(merged, "report/result"), "");
	/* What was available is the one fact of a machine that is of one moment. */
	assert_null(report_read_find(at(merged, "report/machine_info"), "available_bytes"));
	assert_string_equal(at(merged, "report/machine_info/memory_bytes")->text, "17179869184");
	assert_string_equal(at(merged, "report/signature/params/jobs")->text, "4");
	assert_string_equal(at(merged, "report/parts/overlap_percent")->text, "100");
	loaded_free(wanted);
	loaded_free(merged);
	merge_run_free(both);
	merge_run_free(b);
	merge_run_free(a);
}

TEST("merging one changes no histogram")
{
	struct fake *run = merge_run(3);
	struct loaded *only = merge_loaded(run, "only");
	char *before = fake_written(run, report_write_xml);
	char *after = merge_texts_of(0, &only, 1);
	const char *begin = strstr(before, "<statistics>"), *end = strstr(before, "</statistics>");
	const char *merged = strstr(after, "<statistics>");

	assert_memory_equal(merged, begin, (size_t)(end - begin));
	/* The original's readers take it apart by its blanks. */
	assert_non_null(strstr(after, "<version_options> Linux 64bit"));
	free(after);
	free(before);
	merge_run_free(run);
}

TEST("merging in any grouping gives the same report")
{
	struct loaded *three[] = {run_of(1), run_of(2), run_of(3)};
	struct loaded *flat = merged_of(0, three, 3, "flat");
	struct loaded *left = pair(pair(run_of(1), run_of(2), "m"), run_of(3), "left");
	struct loaded *right = pair(run_of(1), pair(run_of(2), run_of(3), "m"), "right");

	same_tree(report_read_root(flat->document), report_read_root(left->document), "");
	same_tree(report_read_root(flat->document), report_read_root(right->document), "");
	assert_string_equal(report_read_attribute(report_read_next(report_read_next(at(left, "report/parts/part"))),
				    "index"),
		"2");
	loaded_free(right);
	loaded_free(left);
	loaded_free(flat);
}

TEST("parts have the order of the files")
{
	struct loaded *forth = pair(run_of(1), run_of(2), "forth"), *back = pair(run_of(2), run_of(1), "back");

	same_tree(at(forth, "report/statistics"), at(back, "report/statistics"), "");
	same_tree(at(forth, "report/result/totals"), at(back, "report/result/totals"), "");
	same_tree(at(forth, "report/result/phases"), at(back, "report/result/phases"), "");
	same_tree(at(forth, "report/signature"), at(back, "report/signature"), "seed");
	assert_string_equal(at(forth, "report/parts/part/file")->text, "r1");
	assert_string_equal(at(back, "report/parts/part/file")->text, "r2");
	loaded_free(back);
	loaded_free(forth);
}

TEST("a merged report has its own uuid")
{
	struct loaded *again = pair(run_of(1), run_of(2), "again"), *alone = run_of(1);
	struct loaded *one = merged_of(0, &alone, 1, "one");

	assert_string_not_equal(one->uuid, "d6b4a292-cd2a-4cdb-834b-000000000001");
	assert_string_not_equal(one->uuid, again->uuid);
	assert_int_equal(again->uuid[14], '8');
	loaded_free(one);
	loaded_free(again);
}

/* Runs one after another, and on hosts whose clocks begin elsewhere. */
static struct loaded *run_at(unsigned seed, double begin_s, double seconds, const char *boot)
{
	struct fake *run = merge_run(seed);
	struct report_signature *signature = &run->result.signature;
	struct loaded *loaded;
	uint64_t begin_ns = (uint64_t)(begin_s * 1e9);

	signature->wall_start = (struct timespec){1795166669 + (time_t)begin_s, 0};
	/* The wall clock of one boot may be set while it runs: what counts is the other one. */
	if (boot)
		snprintf(run->result.machine.boot_id, sizeof(run->result.machine.boot_id), "%s", boot);
	else if (seed > 1)
		signature->wall_start.tv_sec += 3600;
	signature->monotonic_start_ns = begin_ns + (boot ? 777000000000u : 0);
	signature->monotonic_end_ns = signature->monotonic_start_ns + (uint64_t)(seconds * 1e9);
	loaded = merge_loaded(run, "run");
	merge_run_free(run);
	return loaded;
}

static double number_at(const struct loaded *loaded, const char *path)
{
	return strtod(at(loaded, path)->text, NULL);
}

TEST("rates are over the time that passed")
{
	static const struct {
		double begin_s, seconds;
		const char *boot;
		double overlap, rate, run_s; /* rates are 100.5 and 201, each ran 7200 s by its totals */
	} rows[] = {
		{0, 100, NULL, 100, 301.5, 7200},
		{4, 96, NULL, 96, 301.5, 7200},
		{0, 100, "another", 100, 301.5, 7200},
		{100, 100, NULL, 0, 150.75, 14400},
		{200, 100, "another", 0, 150.75, 14400},
		{50, 100, NULL, 100.0 / 3, 201, 10800},
		{100, 300, NULL, 0, 175.875, 14400},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct loaded *merged = pair(run_at(1, 0, 100, NULL),
			run_at(2, rows[i].begin_s, rows[i].seconds, rows[i].boot), "merged");

		assert_true(fabs(number_at(merged, "report/parts/overlap_percent") - rows[i].overlap) < 1e-9);
		assert_true(fabs(loaded_value(merged, "accesses_per_second") - rows[i].rate) < 1e-9);
		assert_true(fabs(loaded_value(merged, "run_s") - rows[i].run_s) < 1e-9);
		loaded_free(merged);
	}
}

TEST("the time span is on the clock of the first part")
{
	struct loaded *merged = pair(run_at(1, 50, 100, NULL), run_at(2, 0, 20, "another"), "merged");

	assert_string_equal(at(merged, "report/signature/monotonic_start_ns")->text, "0");
	assert_string_equal(at(merged, "report/signature/monotonic_end_ns")->text, "150000000000");
	assert_string_equal(merged->wall_start, "2026-11-20T09:24:29.000000000Z");
	assert_string_equal(merged->boot_id, "");
	loaded_free(merged);
}

TEST("the end is that of the latest part")
{
	struct loaded *late = run_at(1, 50, 100, NULL);
	struct loaded *forth = pair(run_at(1, 50, 100, NULL), run_at(2, 0, 20, "another"), "forth");
	struct loaded *back = pair(run_at(2, 0, 20, "another"), run_at(1, 50, 100, NULL), "back");

	same_tree(at(late, "report/signature/time_info"), at(forth, "report/signature/time_info"), "");
	same_tree(at(late, "report/signature/time_info"), at(back, "report/signature/time_info"), "");
	loaded_free(back);
	loaded_free(forth);
	loaded_free(late);
}

/* The second phase of a kind is added to the second, not to the first. */
TEST("phases of one kind stay apart")
{
	struct loaded *both[2];
	struct loaded *merged;
	const struct report_node *phase;

	for (unsigned i = 0; i < 2; i++) {
		struct fake *run = merge_run(1 + i);

		run->plan.phases[1].pattern = run->plan.phases[0].pattern;
		run->result.phases[0].accesses = 10;
		run->result.phases[1].accesses = 2990;
		both[i] = merge_loaded(run, "run");
		merge_run_free(run);
	}
	merged = pair(both[0], both[1], "merged");
	phase = at(merged, "report/result/phases/phase");
	assert_string_equal(report_read_find(phase, "accesses")->text, "20");
	phase = report_read_next(phase);
	assert_string_equal(report_read_find(phase, "accesses")->text, "5980");
	assert_string_equal(report_read_attribute(phase, "index"), "1");
	assert_null(report_read_next(phase));
	loaded_free(merged);
}

TEST("differences between parts are listed")
{
	struct fake *other = merge_run(2);
	struct loaded *merged;
	const struct report_node *part, *difference;

	snprintf(other->result.machine.hostname, sizeof(other->result.machine.hostname), "second");
	snprintf(other->result.machine.settings[0].value, sizeof(other->result.machine.settings[0].value), "10");
	other->result.machine.cores = 16;
	other->result.checks[0] = (struct machine_check){.code = "steal", .value = "7 %", .advice = "run alone"};
	merged = pair(run_of(1), merge_loaded(other, "b"), "merged");
	merge_run_free(other);
	assert_string_equal(merged->hostname, "ho<st&\"1\"?[0m, second");
	assert_string_equal(at(merged, "report/machine_info/settings/setting")->text, "60, 10");
	assert_null(report_read_find(at(merged, "report/machine_info"), "cores"));
	assert_string_equal(at(merged, "report/machine_info/memory_bytes")->text, "17179869184");
	part = report_read_next(at(merged, "report/parts/part"));
	difference = report_read_find(part, "difference");
	assert_string_equal(report_read_attribute(difference, "name"), "cores");
	assert_string_equal(difference->text, "16");
	difference = report_read_next(difference);
	assert_string_equal(report_read_attribute(difference, "name"), "vm.swappiness");
	assert_null(report_read_next(difference));
	assert_int_equal(merged->check_count, 3);
	assert_string_equal(merged->checks[0].measured, "part 0: 12 pages");
	assert_string_equal(merged->checks[1].measured, "");
	assert_string_equal(merged->checks[2].code, "steal");
	assert_string_equal(merged->checks[2].measured, "part 1: 7 %");
	assert_string_equal(merged->reasons[0].measured, "part 0 (r1): 3 faults are not accounted to an access");
	assert_string_equal(merged->reasons[1].measured, "part 1 (b): 3 faults are not accounted to an access");
	loaded_free(merged);
}

static struct loaded *with_verdict(unsigned seed, const char *status)
{
	struct fake *run = merge_run(seed);
	struct loaded *loaded;

	run->result.status = status;
	run->result.is_interrupted = run->result.signature.is_interrupted = !strcmp(status, "interrupted");
	run->result.reason_count = !strcmp(status, "untrustworthy");
	loaded = merge_loaded(run, "run");
	merge_run_free(run);
	return loaded;
}

TEST("the merged verdict is the worst of the parts")
{
	static const struct {
		const char *a, *b, *merged;
		size_t reasons;
		bool is_interrupted;
	} rows[] = {
		{"ok", "ok", "ok", 0, false},
		{"ok", "interrupted", "interrupted", 1, true},
		{"untrustworthy", "ok", "untrustworthy", 1, false},
		{"interrupted", "untrustworthy", "untrustworthy", 2, true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct loaded *merged =
			pair(with_verdict(1, rows[i].a), with_verdict(2, rows[i].b), "merged");
		const struct report_node *signature = at(merged, "report/signature");

		assert_string_equal(merged->status, rows[i].merged);
		assert_int_equal(merged->reason_count, rows[i].reasons);
		assert_int_equal(report_read_find(signature, "interrupted") != NULL, rows[i].is_interrupted);
		loaded_free(merged);
	}
}

TEST("every kind of report is merged")
{
	for (size_t i = 0; i < FAKE_VARIANTS; i++) {
		struct fake *one = fake_variant(i), *two = fake_variant(i);
		struct loaded *merged;

		memcpy(two->result.signature.uuid, "ffff", 4);
		merged = pair(merge_loaded(one, "one"), merge_loaded(two, "two"), "merged");
		assert_true(loaded_value(merged, "accesses") == 2 * (double)result_accesses(&one->result));
		loaded_free(merged);
		fake_free(two);
		fake_free(one);
	}
}

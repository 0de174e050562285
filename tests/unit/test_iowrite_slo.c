/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objectives as people write them, and the presets: every value is one that the options take. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/bucket.h"
#include "iowrite-bench/commands.h"
#include "iowrite-bench/run/plan.h"

TEST("an objective is parsed into operation, statistic and limit")
{
	static const struct {
		const char *text;
		enum tally_of of;
		enum slo_statistic statistic;
		double percent, limit_ns;
		bool is_strict;
	} rows[] = {
		{"p99<10ms", TALLY_BOTH, SLO_PERCENTILE, 99, 1e7, true},
		{"write:p99.9<=1s", TALLY_WRITE, SLO_PERCENTILE, 99.9, 1e9, false},
		{"sync:max<2", TALLY_SYNC, SLO_MAX, 0, 2e9, true},
		{"write+sync:mean<=500us", TALLY_BOTH, SLO_MEAN, 0, 5e5, false},
		{"p0<1ns", TALLY_BOTH, SLO_PERCENTILE, 0, 1, true},
		{"p100<1ns", TALLY_BOTH, SLO_PERCENTILE, 100, 1, true},
	};
	const char *why;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slo slo;

		assert_int_equal(slo_parse(rows[i].text, &slo, &why), 0);
		assert_ptr_equal(slo.text, rows[i].text);
		assert_int_equal(slo.of, rows[i].of);
		assert_int_equal(slo.statistic, rows[i].statistic);
		assert_float_equal(slo.percent, rows[i].percent, 1e-12);
		assert_float_equal(slo.limit_ns, rows[i].limit_ns, 1e-6);
		assert_int_equal(slo.is_strict, rows[i].is_strict);
	}
}

TEST("text that is not an objective is refused and changes nothing")
{
	static const char *const texts[] = {"", "<", "p99", "p99>1s", "p<1s", "p-1<1s", "p100.1<1s", "pnan<1s", "<1s",
		"median<1s", "p99<", "p99<0", "p99<=", "p99<-1s", "p99<1", "read:p99<1s", "write:sync:p99<1s", " p99<1s",
		"p99<1s ", "p99999999999999999999<1s"};
	const struct slo untouched = {.text = "kept"};
	struct slo slo = untouched;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const char *why = NULL;
		int rc = slo_parse(texts[i], &slo, &why);

		if (!strcmp(texts[i], "p99<1")) { /* seconds, as everywhere */
			assert_int_equal(rc, 0);
			slo = untouched;
			continue;
		}
		assert_int_equal(rc, -EINVAL);
		assert_non_null(why);
		assert_ptr_equal(slo.text, untouched.text);
	}
}

TEST("an objective is met up to its limit, and not without samples")
{
	static struct latency latency, nothing;
	static const struct {
		const char *text;
		double reached_ns; /* 0 = not checked */
		bool is_met;
	} rows[] = {
		{"p99<12ns", 0, true},
		{"p99.5<12ns", 0, false},
		{"mean<11ns", 10.9, true},
		{"max<100ns", 100, false},
		{"max<=100ns", 100, true},
	};
	const char *why;
	double reached_ns;
	struct slo slo;

	latency_clear(&latency);
	latency_clear(&nothing);
	latency_add(&latency, 10, 99);
	latency_add(&latency, 100, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(slo_parse(rows[i].text, &slo, &why), 0);
		if (slo_is_met(&slo, &latency, &reached_ns) != rows[i].is_met ||
			(rows[i].reached_ns > 0 && fabs(reached_ns - rows[i].reached_ns) > 1e-9))
			fail_msg("%s reached %g", rows[i].text, reached_ns);
		assert_false(slo_is_met(&slo, &nothing, &reached_ns));
		assert_true(isnan(reached_ns));
	}
}

TEST("each preset parses to the options that it lists")
{
	for (const struct preset *preset = presets; preset->name; preset++) {
		static struct run_options options;
		char argument[64], *argv[] = {(char *)"run", argument, NULL};

		snprintf(argument, sizeof(argument), "--preset=%s", preset->name);
		assert_ptr_equal(preset_of(preset->name), preset);
		assert_non_null(strstr(opt_row(run_option_table, "preset")->allowed, preset->name));
		assert_true(strlen(preset->meaning) > 10 && strlen(preset->why) > 10);
		assert_int_equal(run_options_parse(&command_run, 2, argv, &options), 0);
		assert_ptr_equal(options.preset, preset);
		for (const struct preset_option *option = preset->options; option->name; option++) {
			assert_non_null(opt_row(run_option_table, option->name));
			assert_string_equal(opt_text(&options.line, option->name), option->value);
		}
		run_options_free(&options);
	}
	assert_null(preset_of("mysql"));
}

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
		enum slo_of of;
		enum slo_statistic statistic;
		double percent, limit_ns;
		bool is_strict;
	} rows[] = {
		{"p99<10ms", SLO_BOTH, SLO_PERCENTILE, 99, 1e7, true},
		{"write:p99.9<=1s", SLO_WRITE, SLO_PERCENTILE, 99.9, 1e9, false},
		{"sync:max<2", SLO_SYNC, SLO_MAX, 0, 2e9, true},
		{"write+sync:mean<=500us", SLO_BOTH, SLO_MEAN, 0, 5e5, false},
		{"p0<1ns", SLO_BOTH, SLO_PERCENTILE, 0, 1, true},
		{"p100<1ns", SLO_BOTH, SLO_PERCENTILE, 100, 1, true},
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

TEST("an objective is met up to its limit")
{
	static struct latency latency;
	const char *why;
	struct slo slo;

	latency_clear(&latency);
	latency_add(&latency, 10, 99);
	latency_add(&latency, 100, 1);
	assert_int_equal(slo_parse("p99<12ns", &slo, &why), 0);
	assert_true(slo_is_met(&slo, slo_reached_ns(&slo, &latency)));
	assert_int_equal(slo_parse("p99.5<12ns", &slo, &why), 0);
	assert_false(slo_is_met(&slo, slo_reached_ns(&slo, &latency)));
	assert_int_equal(slo_parse("mean<11ns", &slo, &why), 0);
	assert_float_equal(slo_reached_ns(&slo, &latency), 10.9, 1e-9);
	/* The bound itself: only <= takes it. */
	assert_int_equal(slo_parse("max<100ns", &slo, &why), 0);
	assert_false(slo_is_met(&slo, slo_reached_ns(&slo, &latency)));
	assert_int_equal(slo_parse("max<=100ns", &slo, &why), 0);
	assert_true(slo_is_met(&slo, slo_reached_ns(&slo, &latency)));
	/* What was not measured meets nothing. */
	latency_clear(&latency);
	assert_true(isnan(slo_reached_ns(&slo, &latency)));
	assert_false(slo_is_met(&slo, NAN));
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

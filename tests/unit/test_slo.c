/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objectives as people write them. */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/hot/bucket.h"
#include "common/stats/latency.h"
#include "common/run/slo.h"

enum { BOTH, WRITE, SYNC };
static const char *const names[] = {[BOTH] = "write+sync", [WRITE] = "write", [SYNC] = "sync", NULL};

TEST("an objective is parsed into operation, statistic and limit")
{
	static const struct {
		const char *text;
		unsigned of;
		enum slo_statistic statistic;
		double percent, limit_ns;
		bool is_strict;
	} rows[] = {
		{"p99<10ms", BOTH, SLO_PERCENTILE, 99, 1e7, true},
		{"write:p99.9<=1s", WRITE, SLO_PERCENTILE, 99.9, 1e9, false},
		{"sync:max<2", SYNC, SLO_MAX, 0, 2e9, true},
		{"write+sync:mean<=500us", BOTH, SLO_MEAN, 0, 5e5, false},
		{"p0<1ns", BOTH, SLO_PERCENTILE, 0, 1, true},
		{"p100<1ns", BOTH, SLO_PERCENTILE, 100, 1, true},
	};
	const char *why;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct slo slo;

		assert_int_equal(slo_parse(rows[i].text, names, &slo, &why), 0);
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
		const char *why = "another form";
		int rc = slo_parse(texts[i], names, &slo, &why);

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
	struct objective_values objective;
	struct slo slo;

	latency_clear(&latency);
	latency_clear(&nothing);
	latency_add(&latency, 10, 99);
	latency_add(&latency, 100, 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(slo_parse(rows[i].text, names, &slo, &why), 0);
		slo_decide(&slo, &latency, NULL, &objective);
		if (objective.is_met != rows[i].is_met ||
			(rows[i].reached_ns > 0 && fabs(objective.reached_ns - rows[i].reached_ns) > 1e-9))
			fail_msg("%s reached %g", rows[i].text, objective.reached_ns);
		assert_string_equal(slo_word(&objective), rows[i].is_met ? "met" : "MISSED");
		slo_decide(&slo, &latency, "in memory", &objective);
		assert_false(objective.is_met);
		assert_string_equal(slo_word(&objective), "UNDECIDED");
		slo_decide(&slo, &nothing, NULL, &objective);
		assert_false(objective.is_met);
		assert_true(isnan(objective.reached_ns));
	}
}

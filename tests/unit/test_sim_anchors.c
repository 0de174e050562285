/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The preset small against figures of an independent prototype of the same device: both took decisions that the paper leaves
 * open, so the mixes that keep many operations in the queues agree less well than those that do not. */
#include "config.h"
#include "tests/unit/sim_bench.h"

static const struct anchor {
	const char *mix;
	uint64_t runtime_s;
	uint64_t fill_s;                /* for two capacities, after which the prototype was measured; 0 = the default */
	double near;                    /* percent of means and medians; tails: 20 */
	double copies;                  /* of a collection */
	struct { double iops, mean, p50, p99, p999; } streams[MIX_STREAMS]; /* us */
} anchors[] = {
	{"1-0", 170, 0, 5, 0, {{1554, 637, 610, 670, 4174}}},
	{"0-1", 26, 0, 5, 0, {[MIX_CHECKPOINT] = {1263, 786, 743, 796, 4302}}},
	{"1-1", 98, 60, 5, 15.4, {{1217, 815, 610, 5249, 21114}, {518, 1924, 777, 20967, 22741}}},
	{"M-N", 12, 0, 6, 0, {{26529, 2405, 2071, 5751, 7636}, {1913, 4174, 4161, 7613, 8316}}},
	{"M-0", 12, 0, 15, 0, {{42047, 1516, 1327, 4279, 6058}}},
	{"0-N", 12, 0, 15, 0, {[MIX_CHECKPOINT] = {5154, 1546, 1467, 4537, 5644}}},
	{"1-N", 28, 14, 20, 7.9, {{844, 1178, 680, 11606, 14300}, {2351, 3396, 1110, 14279, 15555}}},
};

static void near(const char *mix, int stream, const char *what, double found, double expected, double percent)
{
	if (fabs(found / expected - 1) * 100 > percent)
		fail_msg("%s, %s: %s is %.1f, not %.1f within %.0f %%", mix, mix_stream_name((enum mix_stream)stream), what, found,
			expected, percent);
}

TEST("each mix on the preset small is near the figures of an independent prototype")
{
	for (size_t i = 0; i < sizeof(anchors) / sizeof(anchors[0]); i++) {
		const struct anchor *anchor = &anchors[i];
		const struct sim_case asked = {.mix = anchor->mix, .runtime_ns = anchor->runtime_s * SECOND,
			.warmup_ns = anchor->fill_s * SECOND, .has_no_records = true,
			.values = {anchor->fill_s ? "precondition=none" : NULL}};
		struct sim_bench *bench = sim_bench_run(&asked);
		const struct sim_totals *totals = &bench->result.device->totals;

		for (int which = 0; which < MIX_STREAMS; which++) {
			const struct engine_stream *stream = &bench->result.streams[which];
			const struct latency *response = &stream->counts->latencies[COUNTS_RESPONSE];
			const typeof(anchor->streams[0]) *known = &anchor->streams[which];

			if (!stream->is_run)
				continue;
			near(anchor->mix, which, "IO/s", (double)stream->counts->operations / stream->seconds, known->iops,
				anchor->near);
			near(anchor->mix, which, "mean", response->sum_ns / (double)response->count / 1e3, known->mean,
				anchor->near);
			near(anchor->mix, which, "p50", latency_percentile(response, 50) / 1e3, known->p50, anchor->near);
			near(anchor->mix, which, "p99", latency_percentile(response, 99) / 1e3, known->p99, 20);
			near(anchor->mix, which, "p99.9", latency_percentile(response, 99.9) / 1e3, known->p999, 20);
		}
		if (anchor->copies > 0)
			near(anchor->mix, 0, "copies", (double)totals->copies / (double)totals->gcs, anchor->copies, anchor->near);
		else
			assert_int_equal(totals->copies, 0);
		sim_bench_check(bench, anchor->mix);
		sim_bench_free(bench);
	}
}

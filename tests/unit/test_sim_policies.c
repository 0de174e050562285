/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Policies of the simulated device: the laws hold with each, those that are not active change nothing, and what each does. */
#include "config.h"
#include "common/hot/rng.h"
#include "tests/unit/sim_bench.h"

static const char *const policies[][2] = {{"multistream"}, {"fdp"}, {"log-first"}, {"hints"}, {"history"},
	{"hints,log=5ms,checkpoint=1ms"}, {"multistream:if=copies>=1 for 20ms", "log-first:if=step(6,7)>1ms && busy>=1 for 5ms"},
	{"history,recovery=64k,window=1ms", "fdp:if=qdepth>=1"}};
#define POLICIES (sizeof(policies) / sizeof(policies[0]))

static struct sim_case small(const char *mix, const char *policy, const char *other)
{
	return (struct sim_case){.mix = mix, .runtime_ns = SECOND / 4, .policies = {policy, other},
		.values = {"channels=2", "ways=3", "blocks=16", "pages=32", "buffer=4", "fill=1"}};
}

static void check_all(const char *mode, const struct workload_override *override)
{
	uint64_t collected = 0;

	for (const struct mix *mix = mixes; strcmp(mix->name, "custom") != 0; mix++) {
		for (size_t i = 0; i < POLICIES; i++) {
			struct sim_case asked = small(mix->name, policies[i][0], policies[i][1]);
			struct sim_bench *bench;
			char name[128];

			asked.values[6] = mode;
			asked.override = *override;
			asked.seed = 1 + i % 2;
			bench = sim_bench_run(&asked);
			snprintf(name, sizeof(name), "%s, %s, %s", mix->name, policies[i][0], mode);
			sim_bench_check(bench, name);
			assert_int_equal(bench->section.overwritten, 0);
			collected += bench->result.device->totals.gcs;
			sim_bench_free(bench);
		}
	}
	assert_true(collected > 100);
}

TEST("every law holds with each policy in each mix, with a buffer, through it and without")
{
	const struct workload_override one = {.workers = 1}, two = {.workers = 2};

	check_all("mode=buffered", &one);
	check_all("mode=write-through", &two);
	check_all("mode=direct", &two);
}

TEST("every law holds with each policy where writes are of parts of pages")
{
	const struct workload_override parts = {.workers = 1, .streams = {{.block_bytes = 8192}, {.block_bytes = 20480}}};

	check_all("mode=buffered", &parts);
}

TEST("every law holds with each policy where blocks are drawn, so that collections copy in every open block")
{
	for (size_t i = 0; i < POLICIES; i++) {
		struct sim_case asked = small("M-N", policies[i][0], policies[i][1]);
		struct sim_bench *bench;

		asked.pattern = "uniform";
		asked.override.workers = 1;
		asked.override.streams[MIX_CHECKPOINT].block_bytes = 16384;
		asked.values[6] = "precondition=random";
		bench = sim_bench_run(&asked);
		sim_bench_check(bench, policies[i][0]);
		assert_true(bench->result.device->totals.copies > 100);
		sim_bench_free(bench);
	}
}

static void assert_same_units(const struct sim_bench *a, const struct sim_bench *b)
{
	assert_int_equal(a->section.unit_count, b->section.unit_count);
	assert_memory_equal(a->dump.units, b->dump.units, a->section.unit_count * sizeof(union sim_unit));
}

static void assert_same(const struct sim_case *one, const struct sim_case *other)
{
	struct sim_bench *a = sim_bench_run(one), *b = sim_bench_run(other);

	assert_same_units(a, b);
	sim_bench_free(a);
	sim_bench_free(b);
}

TEST("policies whose condition never holds change no byte")
{
	const char *never = "log-first:if=copies>1000000", *placed = "multistream:if=copies>1000000";
	struct sim_case none = small("1-1", NULL, NULL), asked = small("1-1", placed, never);

	assert_same(&none, &asked);
	none = small("M-N", NULL, NULL);
	asked = small("M-N", "fdp:if=cmd==4294967295", "hints:if=qdepth>1000");
	assert_same(&none, &asked);
}

static struct sim_case busy(const char *policy)
{
	return (struct sim_case){.mix = "M-N", .runtime_ns = SECOND / 2, .values = {"blocks=16", "fill=1"}, .policies = {policy}};
}

static double mean_ns(const struct sim_case *asked, enum mix_stream stream)
{
	struct sim_bench *bench = sim_bench_run(asked);
	const struct latency *response = &bench->result.streams[stream].counts->latencies[COUNTS_RESPONSE];
	double mean = response->sum_ns / (double)response->count;

	sim_bench_free(bench);
	return mean;
}

TEST("history is log-first while the threshold is out of reach, and with none the checkpoint comes first")
{
	struct sim_case first = small("M-N", "log-first", NULL), asked = small("M-N", "history,recovery=1000000t", NULL);
	struct sim_case log = busy("log-first"), late = busy("history,recovery=1");

	assert_same(&first, &asked);
	assert_true(mean_ns(&late, MIX_CHECKPOINT) < mean_ns(&log, MIX_CHECKPOINT));
	assert_true(mean_ns(&late, MIX_LOG) > mean_ns(&log, MIX_LOG));
}

TEST("the stream that an order prefers waits less than when the other one is preferred")
{
	struct sim_case none = busy(NULL), first = busy("log-first"), hints = busy("hints,log=1us,checkpoint=1s"),
		other = busy("hints,log=1s,checkpoint=1us");

	assert_true(mean_ns(&first, MIX_LOG) < mean_ns(&none, MIX_LOG));
	assert_true(mean_ns(&hints, MIX_LOG) < mean_ns(&other, MIX_LOG));
	assert_true(mean_ns(&other, MIX_CHECKPOINT) < mean_ns(&hints, MIX_CHECKPOINT));
}

TEST("a policy with a condition is active from the first command of which it holds, to the end or for its time")
{
	struct sim_case asked = small("1-1", "multistream:if=cmd==5000", "log-first:if=cmd==5000 for 1ms");
	const struct sim_totals *totals;
	struct sim_bench *bench;

	asked.values[5] = "precondition=none";
	asked.runtime_ns = 8 * SECOND;
	bench = sim_bench_run(&asked);
	totals = &bench->result.device->totals;
	assert_int_equal(totals->policy_fired[SIM_PLACEMENT], 1);
	assert_int_equal(totals->policy_fired[SIM_ORDER], 1);
	assert_true(totals->policy_active_ns[SIM_PLACEMENT] > SECOND && totals->policy_active_ns[SIM_PLACEMENT] < 8 * SECOND);
	/* It ends with the first completion after its time. */
	assert_true(totals->policy_active_ns[SIM_ORDER] >= SECOND / 1000 && totals->policy_active_ns[SIM_ORDER] < SECOND / 20);
	sim_bench_free(bench);
}

TEST("in the classic mix collections copy without a placement and do not with one, and each stream's pages are counted")
{
	struct sim_case none = {.mix = "1-1", .runtime_ns = SECOND / 2, .values = {"blocks=16", "fill=3"}}, asked = none;
	struct sim_bench *bench = sim_bench_run(&none);
	const struct sim_totals *totals = &bench->result.device->totals;

	assert_true(totals->copies > totals->gcs);
	assert_int_equal(totals->handle_programs[0], 0);
	sim_bench_free(bench);
	asked.policies[0] = "multistream";
	bench = sim_bench_run(&asked);
	totals = &bench->result.device->totals;
	assert_true(totals->gcs > 0);
	assert_int_equal(totals->copies, 0);
	assert_true(totals->handle_programs[MIX_LOG] && totals->handle_programs[MIX_CHECKPOINT]);
	assert_int_equal(totals->handle_programs[MIX_LOG] + totals->handle_programs[MIX_CHECKPOINT] +
				 totals->handle_programs[FTL_REST], totals->host_programs);
	sim_bench_free(bench);
}

/* Random writes to the first area, writes in sequence to the second one, some to what is in neither; then blocks with pages of
 * more than one handle. */
static uint64_t count_mixed(enum ftl_placement placement, uint64_t *strays, uint64_t *copied)
{
	const struct ftl_geometry geometry = {.dies = 2, .blocks = 64, .pages = 32, .reserve_blocks = 1, .exported = 3400,
		.has_handles = true, .areas = {{0, 1000}, {1000, 2500}}, .seed = 1};
	uint32_t block, page, next = 0;
	uint64_t mixed = 0;
	struct ftl_gc gc;
	struct ftl ftl;
	struct rng rng;

	assert_int_equal(ftl_open(&geometry, &ftl), 0);
	ftl.placement = placement;
	rng_seed(&rng, 1, 1);
	for (uint32_t i = 0; i < 60000; i++) {
		uint32_t lsa = i % 3 == 0 ? 1000 + next++ % 1500 : (uint32_t)rng_below(&rng, i % 16 ? 1000 : geometry.exported);

		ftl_write(&ftl, lsa, &block, &page, &gc);
		assert_int_equal(ftl.p2l[block * geometry.pages + page], lsa);
		for (uint32_t k = 0; k < gc.count; k++)
			assert_true(ftl.l2p[gc.copies[k].lsa] == gc.copies[k].block * geometry.pages + gc.copies[k].to ||
				    gc.copies[k].lsa == lsa);
		if (i % 1000 == 0)
			assert_null(ftl_check(&ftl));
	}
	assert_null(ftl_check(&ftl));
	for (block = 0; block < geometry.dies * geometry.blocks; block++) {
		unsigned found = 0;

		for (page = 0; page < geometry.pages; page++) {
			uint32_t lsa = ftl.p2l[block * geometry.pages + page];

			found |= lsa == FTL_NONE ? 0 : 1u << ftl_handle_of(&ftl, lsa);
		}
		mixed += (found & (found - 1)) != 0;
	}
	*strays = ftl.strays;
	*copied = ftl.copied;
	ftl_close(&ftl);
	return mixed;
}

TEST("blocks have pages of one handle but for strays, and with collected pages together only where those were copied")
{
	uint64_t strays, copied, together = count_mixed(FTL_TOGETHER, &strays, &copied), apart, collected;

	assert_int_equal(strays, 0);
	assert_true(copied > 1000);
	apart = count_mixed(FTL_APART, &strays, &copied);
	assert_true(copied > 1000);
	assert_true(apart <= strays && strays < 60000 / 100);
	collected = count_mixed(FTL_COLLECTED_TOGETHER, &strays, &copied);
	assert_true(apart < collected && collected < together);
}

TEST("what is no policy, what contradicts another and what only the host knows is refused in one line")
{
	static const struct { const char *text, *why; } refused[] = {
		{"multi-stream", "must be multistream, fdp, log-first, hints or history, with ,KEY=VALUE and :if=COND"},
		{"", "must be multistream, fdp, log-first, hints or history, with ,KEY=VALUE and :if=COND"},
		{"fdp", "contradicts --policy multistream, which places pages, too; keep one"},
		{"multistream", "contradicts --policy multistream, which places pages, too; keep one"},
		{"log-first,log=1ms", "log-first has no parameters"},
		{"hints,lag=1ms", "the parameters of hints are log=VALUE and checkpoint=VALUE"},
		{"hints,log", "the parameters of hints are log=VALUE and checkpoint=VALUE"},
		{"hints,log=0", "log takes a time above 0, as 5ms"},
		{"history,recovery=-1", "recovery takes a size above 0, as 64m"},
		{"hints:if=latency>5ms",
			"latency is known to the host only; a policy reacts to step(A,B), copies, busy, qdepth and cmd"},
		{"hints:if=copies>8 for 0", "after `for` a time above 0 is needed, as in for 50ms"},
		{"hints:if=copies>8 for ever", "after `for` a time above 0 is needed, as in for 50ms"},
		{"hints:if=", "a term is missing: it is TERM or TERM&&TERM, as log.latency>5ms&&other>=8"},
	};
	struct sim_policies list = {0};
	char why[192], long_text[1024];

	assert_int_equal(sim_policy_add(&list, "multistream", why, sizeof(why)), 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		assert_int_equal(sim_policy_add(&list, refused[i].text, why, sizeof(why)), -EINVAL);
		assert_string_equal(why, refused[i].why);
	}
	memset(long_text, 'h', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	assert_int_equal(sim_policy_add(&list, long_text, why, sizeof(why)), -EINVAL);
	assert_null(list.list[SIM_ORDER].row);
}

TEST("a policy comes back from its own text")
{
	static const char *const texts[] = {"multistream", "hints,log=3000000ns,checkpoint=20000000ns",
		"history,window=10000000ns,recovery=65536:if=log.step(6,7)>5ms && busy>20 for 50000000ns"};
	char text[SIM_POLICY_TEXT], why[192];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sim_policies list = {0};
		enum sim_policy_kind kind = i ? SIM_ORDER : SIM_PLACEMENT;

		assert_int_equal(sim_policy_add(&list, texts[i], why, sizeof(why)), 0);
		assert_string_equal(sim_policy_text(&list.list[kind], text, sizeof(text)), texts[i]);
	}
}

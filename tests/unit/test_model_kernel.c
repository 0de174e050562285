/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model of Linux's writes, but for its throttle (test_writeback). */
#include "config.h"
#include "tests/unit/known_system.h"

TEST("kernel uses the calibrated table in free run")
{
	struct asked asked;

	ask(&asked, "kernel", (struct model_setup){0});
	assert_near(answer(&asked, 0, 0, 4096).ns, 3000, 1e-12);
	assert_near(answer(&asked, 0, 4096, 65536).ns, 20000, 1e-12);
	/* Half way between two sizes of the table, in logarithms. */
	assert_near(answer(&asked, 0, 1 * MIB, 16384).ns, sqrt(3000.0 * 20000.0), 1e-12);
	/* Over cached pages: 2 GB/s. */
	assert_near(answer(&asked, 0, 0, 4096).ns, 2048, 1e-12);
	asked.kind->free(asked.model);
}

TEST("cold memory costs more")
{
	struct asked asked;

	ask(&asked, "kernel", (struct model_setup){.memory = MODEL_COLD});
	assert_near(answer(&asked, 0, 0, MIB).ns, (double)MIB / 0.5e9 * 1e9, 1e-12);
	asked.kind->free(asked.model);
	ask(&asked, "kernel", (struct model_setup){.memory = MODEL_AS_IS});
	set(&asked.system, SYSTEM_WARM_POOL, 2.0 * (double)MIB);
	ask_again(&asked);
	assert_near(answer(&asked, 0, 0, MIB).ns, 200000, 1e-12);
	assert_near(answer(&asked, 0, MIB, 2 * MIB).ns, 200000.0 * 1.0 + (double)MIB / 0.5, 0.05);
	assert_near(answer(&asked, 0, 3 * MIB, MIB).ns, (double)MIB / 0.5, 1e-12);
	asked.kind->free(asked.model);
}

/* What is dirty already is no news to the throttle: only the table's cost. */
TEST("rewrites are not throttled")
{
	struct asked asked;
	struct model_cost cost = {0};

	ask(&asked, "kernel", (struct model_setup){0});
	for (uint64_t i = 0; i < 400; i++)
		cost = answer(&asked, 0, i * MIB, MIB);
	assert_int_equal(cost.state, MODEL_THROTTLED);
	assert_true(cost.throttle_ns > 0);
	cost = answer(&asked, 0, 399 * MIB, 4096);
	assert_true(cost.throttle_ns == 0);
	asked.kind->free(asked.model);
}

/* A block that is written in part is read first, unless it is cached: none, one or two edges. */
TEST("kernel reads partially written blocks")
{
	struct asked asked;
	double table;

	ask(&asked, "kernel", (struct model_setup){.mode = OP_SYNC, .regime = OP_OVERWRITE});
	table = answer(&asked, 0, 0, 4096).ns;
	assert_near(table, 110240, 1e-12);
	/* 5000: not where the last one ended. */
	assert_near(answer(&asked, 0, 8192 + 1536, 4096).ns, table + 2 * 50000 + 5000, 1e-12);
	assert_near(answer(&asked, 0, 8192 + 1536, 4096).ns, table + 5000, 1e-12);
	assert_near(answer(&asked, 0, 8192 + 4096 + 1536, 4096).ns, table + 50000, 1e-12);
	assert_near(answer(&asked, 0, 40960 + 1, 512).ns, 100000 + 50000 + 5000, 1e-12);
	asked.kind->free(asked.model);
	ask(&asked, "kernel", (struct model_setup){.mode = OP_SYNC, .regime = OP_APPEND});
	assert_near(answer(&asked, 0, 1536, 4096).ns, table, 1e-12);
	asked.kind->free(asked.model);
	/* All that was written before is there. */
	ask(&asked, "kernel", (struct model_setup){.mode = OP_SYNC, .regime = OP_OVERWRITE, .is_cached = true});
	assert_near(answer(&asked, 0, 1536, 4096).ns, table, 1e-12);
	asked.kind->free(asked.model);
}

/* Where it was measured what such an edge costs, that is it. */
TEST("kernel uses the measured cost of partial blocks")
{
	struct asked asked;

	ask(&asked, "kernel", (struct model_setup){.mode = OP_SYNC, .regime = OP_OVERWRITE});
	set(&asked.system, SYSTEM_LAT_RMW, 70000);
	assert_near(answer(&asked, 0, 1536, 4096).ns, 110240 + 2 * 70000, 1e-12);
	/* Then no other read is needed. */
	set(&asked.system, SYSTEM_LAT_RDEV, NAN);
	ask_again(&asked);
	asked.kind->free(asked.model);
}

/* Data of 30 s is written whole at the next look: then nothing is dirty. */
TEST("kernel writes back expired data")
{
	struct asked asked;

	ask(&asked, "kernel", (struct model_setup){0});
	assert_near(answer(&asked, 0, 0, 10 * MIB).dirty_bytes, 10 * (double)MIB, 1e-12);
	assert_near(answer(&asked, 29000000000, 10 * MIB, 4096).dirty_bytes, 10 * (double)MIB + 4096, 1e-12);
	assert_near(answer(&asked, 7000000000, 20 * MIB, 4096).dirty_bytes, 4096, 1e-12);
	asked.kind->free(asked.model);
}

/* Held back in its first steps, which are new; until the rest, which was dirty already, comes, the sum has fallen. */
TEST("kernel throttles only the part of a write above free run")
{
	struct asked asked;
	struct model_cost cost;

	ask(&asked, "kernel", (struct model_setup){.writeback_bytes = 158050000});
	assert_int_equal(answer(&asked, 0, 2 * MIB, 40 * MIB).state, MODEL_BACKGROUND);
	cost = answer(&asked, 0, 0, 42 * MIB);
	assert_true(cost.throttle_ns > 0 && cost.dirty_bytes + cost.writeback_bytes < 200e6);
	assert_int_equal(cost.state, MODEL_THROTTLED);
	asked.kind->free(asked.model);
}

/* In detail, writes of 100 KB, of which each is due 1 ms: most cost what the table says, and one in some pays for them. */
TEST("kernel lets small writes share a pause")
{
	struct asked asked;
	double total = 0;
	int paying = 0;

	ask(&asked, "kernel", (struct model_setup){.writeback_bytes = 250000000, .is_detailed = true});
	for (uint64_t i = 0; i < 3000; i++) {
		struct model_cost cost = answer(&asked, 0, i * 100000, 100000);

		if (i < 2000)
			continue;
		assert_true(cost.throttle_ns == 0 || cost.throttle_ns >= 8e6);
		paying += cost.throttle_ns > 0;
		total += cost.ns;
	}
	assert_near(total, 1000 * 1e6, 0.02);
	assert_true(paying > 90 && paying <= 125);
	asked.kind->free(asked.model);
}

/* Of the table that a part of a write is taken from, and of nothing else: not of cold memory, not of a rate, not of what
 * write-back takes of it more than its share. */
TEST("the median of a write comes from the table")
{
	static struct system_point fresh[] = {{4096, {.value = 3000, .mean = 4500}}, {MIB, {.value = 200000, .mean = 300000}}};
	static struct system_point rewritten[] = {{4096, {.value = 1000, .mean = 1100}}, {MIB, {.value = 80000, .mean = 88000}}};
	struct asked asked;
	struct model_cost cost;

	ask(&asked, "kernel", (struct model_setup){.memory = MODEL_AS_IS, .regime = OP_OVERWRITE});
	asked.setup.regime = OP_APPEND;
	set(&asked.system, SYSTEM_WARM_POOL, 1.5 * (double)MIB);
	asked.system.curves[OP_BUFFERED][OP_APPEND] = (struct system_curve){.count = 2, .points = fresh};
	ask_again(&asked);
	cost = answer(&asked, 0, 0, MIB);
	assert_near(cost.ns, 300000, 1e-12);
	assert_near(cost.typical_ns, 200000, 1e-12);
	assert_true(cost.low_ns == cost.ns && cost.high_ns == cost.ns);
	/* Half of it by a rate. */
	cost = answer(&asked, 0, 0, MIB);
	assert_near(cost.ns, (double)MIB / 2, 1e-12);
	assert_true(cost.typical_ns == cost.ns);
	/* Half of it is cold. */
	cost = answer(&asked, 0, MIB, MIB);
	assert_near(cost.ns, 150000 + (double)MIB, 1e-12);
	assert_near(cost.typical_ns, 100000 + (double)MIB, 1e-12);
	/* Half of it is there. */
	asked.system.curves[OP_BUFFERED][OP_OVERWRITE] = (struct system_curve){.count = 2, .points = rewritten};
	cost = answer(&asked, 0, 0, MIB);
	assert_near(cost.ns, 88000, 1e-12);
	assert_near(cost.typical_ns, 80000, 1e-12);
	cost = answer(&asked, 0, 2 * MIB - MIB / 2, MIB);
	assert_near(cost.ns, 44000 + (double)MIB, 1e-12);
	assert_near(cost.typical_ns, 40000 + (double)MIB, 1e-12);
	asked.kind->free(asked.model);
	/* While write-back takes its share. */
	ask(&asked, "kernel", (struct model_setup){.writeback_bytes = 100000000});
	asked.system.curves[OP_BUFFERED][OP_APPEND] = (struct system_curve){.count = 2, .points = fresh};
	cost = answer(&asked, 0, 0, MIB);
	assert_near(cost.ns, 300000 / 0.9, 1e-12);
	assert_near(cost.typical_ns, 200000 / 0.9, 1e-12);
	asked.kind->free(asked.model);
	/* Held back, and the distribution of such writes is unknown. */
	ask(&asked, "kernel", (struct model_setup){.writeback_bytes = 250000000});
	asked.system.curves[OP_BUFFERED][OP_APPEND] = (struct system_curve){.count = 2, .points = fresh};
	cost = answer(&asked, 0, 0, MIB);
	assert_int_equal(cost.state, MODEL_THROTTLED);
	assert_true(cost.typical_ns == cost.ns);
	asked.kind->free(asked.model);
}

TEST("the median of a synchronous write")
{
	static struct system_point points[] = {{4096, {.value = 100000, .mean = 130000}}};
	struct asked asked;
	struct model_cost cost;

	ask(&asked, "kernel", (struct model_setup){.mode = OP_DIRECT});
	asked.system.curves[OP_DIRECT][OP_APPEND] = (struct system_curve){.count = 1, .points = points};
	cost = answer(&asked, 0, 0, 4096);
	assert_true(cost.ns == 130000 && cost.typical_ns == 100000 && cost.device_ns == 130000);
	/* A seek is the same to both. */
	cost = answer(&asked, 0, MIB, 4096);
	assert_true(cost.ns == 135000 && cost.typical_ns == 105000 && cost.low_ns == 135000);
	asked.kind->free(asked.model);
}

/* Those of 2, 8, 32 and 128 MiB are known, or only some of them. */
TEST("the band of a write is interpolated between the sizes known")
{
	static const struct {
		uint64_t size;
		unsigned known; /* bits */
		double class;
	} rows[] = {{1 * MIB, 0xf, 0}, {8 * MIB, 0xf, 1}, {16 * MIB, 0xf, 1.5}, {32 * MIB, 0xf, 2}, {128 * MIB, 0xf, 3},
		{200 * MIB, 0xf, 3}, {16 * MIB, 0x9, 1.5}, {1 * MIB, 0xc, 2}, {54 * MIB, 0x2, 1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct asked asked;
		struct model_cost cost;

		ask(&asked, "kernel", (struct model_setup){.writeback_bytes = 250000000});
		for (int class = 0; class < SYSTEM_BANDS; class++) {
			if (rows[i].known & 1u << class)
				asked.system.throttled[class] = (struct system_band){
					.size = 2 * MIB << 2 * class, .p10 = 0.1 + 0.1 * class,
					.p50 = 0.5 + 0.1 * class, .p90 = 2 + class};
		}
		cost = answer(&asked, 0, 0, rows[i].size);
		assert_int_equal(cost.state, MODEL_THROTTLED);
		assert_near(cost.low_ns / cost.ns, 0.1 + 0.1 * rows[i].class, 1e-12);
		assert_near(cost.typical_ns / cost.ns, 0.5 + 0.1 * rows[i].class, 1e-12);
		assert_near(cost.high_ns / cost.ns, 2 + rows[i].class, 1e-12);
		/* In free run there is none. */
		cost = answer(&asked, 10000000000, 1000 * MIB, 4096);
		assert_true(cost.low_ns == cost.ns && cost.high_ns == cost.ns && cost.typical_ns == cost.ns);
		asked.kind->free(asked.model);
	}
}

/* A writer that thinks for a part of the time has another band; between the two by that part, and beyond a half that of it.
 * What is typical is the median where nothing else is known. */
TEST("the band of a write follows the share of time that the writer thinks")
{
	static const struct {
		double part, class;
	} rows[] = {{0, 0}, {0.25, 0.5}, {0.5, 1}, {0.8, 1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct system_band band;
		struct asked asked;
		struct model_cost cost;

		ask(&asked, "kernel", (struct model_setup){.writeback_bytes = 250000000});
		asked.system.throttled[1] = (struct system_band){
			.size = 16 * MIB, .p10 = 0.5, .p50 = 1, .p90 = 2, .typical = 0.8};
		asked.system.throttled[4] =
			(struct system_band){.size = 16 * MIB, .think = SYSTEM_THINKING, .p10 = 0.1, .p50 = 1.2, .p90 = 3};
		assert_true(system_band_at(&asked.system, 5 * MIB, rows[i].part, &band));
		assert_near(band.p10, 0.5 - 0.4 * rows[i].class, 1e-12);
		assert_near(band.typical, 0.8 + 0.4 * rows[i].class, 1e-12);
		asked.system.throttled[1].p50 = NAN;
		assert_true(system_band_at(&asked.system, 5 * MIB, rows[i].part, &band));
		assert_near(band.p90, 3, 1e-12);
		asked.system.throttled[1].p50 = 1;
		/* The model takes the part from the delay. */
		cost = answer(&asked, 3000000, 0, 16 * MIB);
		assert_int_equal(cost.state, MODEL_THROTTLED);
		assert_near(cost.typical_ns / cost.ns, 0.8 + 0.4 * 3e6 / (3e6 + cost.ns) / SYSTEM_THINKING, 1e-12);
		assert_true(cost.ns > 3e6);
		asked.kind->free(asked.model);
	}
}

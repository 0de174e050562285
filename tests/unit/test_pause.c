/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What pauses of whole ticks last in the mean, by hand from mm/page-writeback.c. */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/model/pause.h"



#define PAGE 4096.0
#define MIB 1048576.0

static void assert_near(double value, double wanted)
{
	if (!(fabs(value - wanted) <= 1e-9 * fmax(1, fabs(wanted))))
		fail_msg("%.15g, wanted %.15g", value, wanted);
}

/* 79325 pages a second, as traced: 2 of 256 parts of a second are 619 pages, 2.4 MiB. */
TEST("the bytes between two checks follow the ratelimit")
{
	struct model_control control = {.tick_s = 0.004, .step_bytes = PAGE};
	double limit = 79325 * PAGE, device = 90302 * PAGE;

	assert_near(pause_check_bytes(&control, limit, device), 619 * PAGE);
	/* In folios of 2 MiB that is two; traced were 4 MiB in 558 of 559 looks. */
	control.step_bytes = 2 * MIB;
	assert_near(pause_check_bytes(&control, limit, device), 4 * MIB);
	/* A device of two octaves more: 2 + 2 * 2500 / 1024 = 6 ticks, 1859 pages. */
	assert_near(pause_check_bytes(&control, limit, 4 * device), 8 * MIB);
	/* One that seems slower than what a writer is allowed: as before. */
	assert_near(pause_check_bytes(&control, limit, device / 64), 4 * MIB);
	/* 10 of 1024, 774 pages; 1 of 128, 619; 3 of 512, 464. */
	control.step_bytes = PAGE;
	control.tick_s = 0.001;
	assert_near(pause_check_bytes(&control, limit, device), 774 * PAGE);
	control.tick_s = 0.01;
	assert_near(pause_check_bytes(&control, limit, device), 619 * PAGE);
	control.tick_s = 0.003333333; /* as the coarse clock tells 300 of them */
	assert_near(pause_check_bytes(&control, limit, device), 464 * PAGE);
	/* 2000 pages a second: 2 of 256 parts are 15, too few to look for; 100, 50 of 256 parts of which are 19. */
	control.tick_s = 0.004;
	assert_near(pause_check_bytes(&control, 2000 * PAGE, device / 64), 32 * PAGE);
	assert_near(pause_check_bytes(&control, 100 * PAGE, device / 1024), 19 * PAGE);
	/* Never nothing. */
	assert_near(pause_check_bytes(&control, 1, device), PAGE);
}

TEST("without known control values a pause is proportional")
{
	static const struct model_control controls[] = {{0}, {.tick_s = 0.004}, {.step_bytes = 4096}};

	for (size_t i = 0; i < 3; i++) {
		assert_near(pause_check_bytes(&controls[i], 100e6, 100e6), 0);
		assert_near(pause_mean_s(&controls[i], 50e6, 100e6, 0), 0.5);
	}
	assert_near(pause_check_bytes(&(struct model_control){.tick_s = 0.004, .step_bytes = 4096}, 0, 100e6), 0);
}

/* 4 MiB in 12 ms are 3 ticks when they last a little longer and 2 when shorter. */
TEST("truncation to ticks gives the writer half a tick on average")
{
	const struct model_control control = {.tick_s = 0.004, .step_bytes = 2 * MIB};
	double ticks[] = {3, 2, 1, 0.5}, last[] = {2.5, 1.5, 0.5, 0.375};

	for (size_t i = 0; i < 4; i++) {
		double rate = 4 * MIB / (ticks[i] * 0.004);

		assert_near(pause_mean_s(&control, 4 * MIB, rate, 4 * MIB), last[i] * 0.004);
		assert_near(pause_mean_s(&control, 16 * MIB, rate, 4 * MIB), last[i] * 0.016);
		assert_near(pause_mean_s(&control, MIB / 2, rate, 4 * MIB), last[i] * 0.0005);
	}
}

/* The kernel's own sum: period = HZ * pages / rate, of looks whose rates are spread so that periods are over one tick. */
TEST("pauses are truncated as in the kernel")
{
	const struct model_control control = {.tick_s = 0.004, .step_bytes = 2 * MIB};
	enum { PAGES = 1024, looks = 100000 };

	for (int step = 0; step < 29; step++) {
		double given = 0, middle = 1.5 + 0.37 * step;

		for (int i = 0; i < looks; i++) {
			uint64_t rate = (uint64_t)(250 * PAGES / (middle - 0.5 + (i + 0.5) / looks)); /* pages a second */
			uint64_t period = 250 * PAGES / rate;

			given += (double)period * 0.004;
		}
		given /= looks;
		if (fabs(given - pause_mean_s(&control, 4 * MIB, 4 * MIB / middle / 0.004, 4 * MIB)) > 1e-5)
			fail_msg("%g ticks: %g s", middle, given);
	}
}

/* Whoever is allowed more never waits longer. */
TEST("a higher rate never takes longer")
{
	const struct model_control control = {.tick_s = 0.004, .step_bytes = 2 * MIB};
	double before = INFINITY;

	for (int step = 0; step < 390; step++) {
		double rate = 1e6 * pow(1.03, step), lasts = pause_mean_s(&control, MIB, rate, 4 * MIB);

		assert_true(lasts > 0 && lasts <= before && lasts <= MIB / rate);
		before = lasts;
	}
}

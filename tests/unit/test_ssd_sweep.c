/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search of `sweep`, over responses that are functions of the load. */
#include "config.h"
#include "tests/unit/unit.h"
#include "ssd-workloads/sweep/search.h"

struct scene {
	struct slo slo;
	struct search *search;
	double (*response)(double load);
	double noise;              /* the values of the runs of a point differ by up to this part */
	double width;              /* factor from a value to the ends of its interval; 0 = no interval */
	double overloaded_from;    /* loads; 0 = none */
	double untrusted_from;
	unsigned run_count, fail_at, untrusted_run; /* numbers of a run, from 1; 0 = none */
};

static int measure(void *data, uint64_t value, unsigned run, struct search_run *result)
{
	static const double parts[SEARCH_RUNS + 1] = {0.3, -1, 0.9, -0.5, 1, 0};
	struct scene *scene = data;
	double load = scene->search->is_reversed ? 1000.0 / (double)value : (double)value;

	assert_true(run <= SEARCH_RUNS);
	if (++scene->run_count == scene->fail_at)
		return 3;
	*result = (struct search_run){.mean_ns = scene->response(load), .per_second = load};
	result->values[0].ns = result->mean_ns * (1 + scene->noise * parts[run]);
	result->values[0].interval = (struct stats_interval){NAN, NAN};
	if (scene->width > 0)
		result->values[0].interval = (struct stats_interval){result->values[0].ns / scene->width,
			result->values[0].ns * scene->width};
	if (scene->overloaded_from && load >= scene->overloaded_from)
		result->end = SEARCH_OVERLOADED;
	if ((scene->untrusted_from && load >= scene->untrusted_from) || scene->run_count == scene->untrusted_run) {
		result->end = SEARCH_UNTRUSTED;
		snprintf(result->why, sizeof(result->why), "another program");
	}
	return 0;
}

static void set_up(struct scene *scene, double (*response)(double), const char *slo)
{
	static const char *const names[] = {"log", NULL};
	const char *why;

	*scene = (struct scene){.response = response, .search = calloc(1, sizeof(*scene->search))};
	assert_non_null(scene->search);
	assert_int_equal(slo_parse(slo, names, &scene->slo, &why), 0);
	*scene->search = (struct search){.low = 10, .high = 10000, .slo_count = 1, .slos = &scene->slo, .measure = measure,
		.data = scene};
}

static void find(struct scene *scene, enum search_outcome outcome)
{
	const struct search *search = scene->search;

	assert_int_equal(search_find(scene->search), scene->fail_at ? 3 : 0);
	assert_int_equal(search->outcome, outcome);
	assert_in_range(search->count, 0, SEARCH_POINTS);
	for (size_t i = 1; i < search->count; i++)
		assert_true((search->points[i - 1].value < search->points[i].value) != search->is_reversed);
}

static double linear(double load) /* 1 ms at 1000 */
{
	return 1000 * load;
}

static double step(double load)
{
	return load < 300 ? 1e5 : 1e8;
}

static double flat_then_steep(double load) /* 100 us up to 1780, then by the third power */
{
	return 1e5 * (load <= 1780 ? 1 : pow(load / 1780, 3));
}

static double humped(double load)
{
	return load > 20 && load < 60 ? 1e7 : 1e5 * load / 10000;
}

TEST("the search finds the largest load within 5 %, with one run of a point that is far from its limit")
{
	struct scene scene;

	set_up(&scene, linear, "mean<970us");
	scene.noise = 0.001;
	find(&scene, SEARCH_ANSWERED);
	assert_in_range(scene.search->best->value, 922, 969);
	assert_int_equal(scene.search->best->verdict, SEARCH_MET);
	assert_true(scene.search->beyond->value <= 1.05 * (double)scene.search->best->value);
	/* 2 ends, 8 bisections of a ratio of 1000, 2 probes, of which those within 25 % have up to 5 runs. */
	assert_in_range(scene.search->count, 8, 12);
	assert_in_range(scene.run_count, 12, 36);
	assert_int_equal(scene.search->points[0].run_count, 1);
	assert_in_range(scene.search->best->run_count, SEARCH_DECIDES, SEARCH_RUNS);
	free(scene.search);
}

TEST("a step needs one run of each point")
{
	struct scene scene;

	set_up(&scene, step, "mean<1ms");
	scene.noise = 0.1;
	find(&scene, SEARCH_ANSWERED);
	assert_in_range(scene.search->best->value, 285, 299);
	assert_in_range(scene.search->beyond->value, 300, 314);
	assert_int_equal(scene.run_count, scene.search->count);
	assert_in_range(scene.run_count, 8, 12);
	free(scene.search);
}

TEST("a smaller interval is a higher load")
{
	struct scene scene;

	set_up(&scene, step, "mean<1ms");
	scene.search->is_reversed = true;
	scene.search->low = 1;
	scene.search->high = 1000;
	find(&scene, SEARCH_ANSWERED);
	/* Neighbours: 1000 / 4 = 250 meets it, 1000 / 3 = 333 does not. */
	assert_int_equal(scene.search->best->value, 4);
	assert_int_equal(scene.search->beyond->value, 3);
	free(scene.search);
}

TEST("when all points meet the objective the answer is the end of the range, after one probe")
{
	struct scene scene;

	set_up(&scene, linear, "mean<1s");
	find(&scene, SEARCH_ANSWERED);
	assert_int_equal(scene.search->best->value, 10000);
	assert_null(scene.search->beyond);
	assert_int_equal(scene.run_count, 3);
	free(scene.search);
}

TEST("when no point meets it there is no answer, after one probe")
{
	struct scene scene;

	set_up(&scene, linear, "mean<1us");
	find(&scene, SEARCH_NONE);
	assert_null(scene.search->best);
	assert_int_equal(scene.run_count, 3);
	free(scene.search);
}

TEST("a probe that contradicts the answer is found, below it and above it")
{
	struct scene scene;

	/* The ends and 316 meet it: the probe is at 56. */
	set_up(&scene, humped, "mean<1ms");
	scene.search->high = 316;
	find(&scene, SEARCH_NOT_MONOTONE);
	assert_int_equal(scene.search->beyond->value, 56);
	assert_int_equal(scene.search->odd->value, 316);
	free(scene.search);
	/* The lowest load misses it, the highest one meets it. */
	set_up(&scene, humped, "mean<1ms");
	scene.search->low = 30;
	find(&scene, SEARCH_NOT_MONOTONE);
	assert_int_equal(scene.search->beyond->value, 30);
	free(scene.search);
}

TEST("runs on both sides of the limit leave a point undecided; the answer is the largest load below that is decided")
{
	const struct search *search;
	struct scene scene;

	set_up(&scene, linear, "mean<1ms");
	scene.search->low = 100;
	scene.noise = 0.05;
	find(&scene, SEARCH_ANSWERED);
	search = scene.search;
	assert_in_range(search->best->value, 850, 999);
	assert_non_null(search->odd);
	assert_int_equal(search->odd->run_count, SEARCH_RUNS);
	assert_non_null(strstr(search->odd->why, "mean<1ms"));
	assert_true((double)search->beyond->value <= SEARCH_KNOWN * (double)search->best->value);
	/* The first bisection hits the limit, and 6 on each side follow. */
	assert_in_range(search->count, 8, 17);
	assert_in_range(scene.run_count, 20, 65);
	free(scene.search);
}

TEST("when undecided loads are far apart there is no answer")
{
	struct scene scene;

	set_up(&scene, linear, "mean<1ms");
	scene.search->low = 100;
	scene.noise = 0.3;
	find(&scene, SEARCH_NOT_DECIDED);
	assert_true((double)scene.search->beyond->value > SEARCH_KNOWN * (double)scene.search->best->value);
	assert_int_equal(scene.search->odd->run_count, SEARCH_RUNS);
	free(scene.search);
}

TEST("a value whose interval contains the limit is decided by 3 runs, whose interval is that of their median")
{
	struct search_value value;
	struct scene scene;

	set_up(&scene, step, "p99<1ms");
	scene.width = 200;
	find(&scene, SEARCH_ANSWERED);
	assert_int_equal(scene.run_count, SEARCH_DECIDES * scene.search->count);
	value = search_value(scene.search->best, 0);
	assert_true(value.ns == 1e5);
	assert_true(fabs(value.interval.low / 1e5 - 1) < 1e-9 && fabs(value.interval.high / 1e5 - 1) < 1e-9);
	free(scene.search);
}

TEST("a load that the target does not keep up with misses the objectives, whatever the response")
{
	struct scene scene;

	set_up(&scene, linear, "mean<1s");
	scene.overloaded_from = 300;
	find(&scene, SEARCH_ANSWERED);
	assert_in_range(scene.search->best->value, 285, 299);
	free(scene.search);
}

TEST("a point whose second run is not trusted either is undecided, with its reason, and ends the search")
{
	struct scene scene;

	set_up(&scene, linear, "mean<1s");
	scene.untrusted_from = 300;
	find(&scene, SEARCH_NOT_DECIDED);
	assert_int_equal(scene.run_count, 3);
	assert_int_equal(scene.search->odd->value, 10000);
	assert_int_equal(scene.search->odd->run_count, 1);
	assert_string_equal(scene.search->odd->why, "another program");
	free(scene.search);
}

TEST("a load that is not trusted is no answer, however near it is to one that meets the objective")
{
	struct scene scene;

	set_up(&scene, linear, "mean<1s");
	scene.search->low = 100;
	scene.search->high = 120;
	scene.untrusted_from = 110;
	find(&scene, SEARCH_NOT_DECIDED);
	assert_int_equal(scene.search->best->value, 100);
	free(scene.search);
}

TEST("one run of a point that is not trusted is discarded")
{
	struct scene scene;

	set_up(&scene, step, "mean<1ms");
	scene.untrusted_run = 2;
	find(&scene, SEARCH_ANSWERED);
	assert_in_range(scene.search->best->value, 285, 299);
	assert_int_equal(scene.run_count, scene.search->count + 1);
	for (size_t i = 0; i < scene.search->count; i++)
		assert_int_equal(scene.search->points[i].run_count, 1);
	free(scene.search);
}

TEST("a measurement that fails ends the search, which keeps the points until then")
{
	struct scene scene;

	set_up(&scene, step, "mean<1ms");
	scene.fail_at = 3;
	find(&scene, SEARCH_NOT_DECIDED);
	assert_int_equal(scene.search->count, 2);
	free(scene.search);
	set_up(&scene, step, "mean<1ms");
	scene.fail_at = 1;
	find(&scene, SEARCH_NOT_DECIDED);
	assert_int_equal(scene.search->count, 0);
	assert_null(scene.search->odd);
	free(scene.search);
}

TEST("the knee is the point furthest below the straight line, and a straight response has none")
{
	struct scene scene;

	set_up(&scene, flat_then_steep, "mean<1ms");
	find(&scene, SEARCH_ANSWERED);
	assert_in_range(scene.search->best->value, 3650, 3834);
	assert_non_null(scene.search->knee);
	assert_int_equal(scene.search->knee->value, 1780);
	assert_true(scene.search->knee_ratio < 0.03);
	free(scene.search);
	set_up(&scene, linear, "mean<1ms");
	find(&scene, SEARCH_ANSWERED);
	assert_null(scene.search->knee);
	free(scene.search);
}

TEST("the widest range needs no more points than there is space for")
{
	struct scene scene;

	for (uint64_t limit = 1; limit < 1ull << 60; limit *= 7) {
		set_up(&scene, linear, "mean<1ms");
		scene.slo.limit_ns = (double)limit * 1000 + 500;
		scene.search->low = 1;
		scene.search->high = UINT64_MAX;
		find(&scene, SEARCH_ANSWERED);
		assert_in_range(scene.search->best->value, limit / 1.05, limit);
		free(scene.search);
	}
}

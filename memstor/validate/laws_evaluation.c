/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds in the scenarios of iowrite-bench evaluate and the kernel's events of trace. */
#include "config.h"
#include "memstor/validate/judging.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Predictions of single writes may be rounded to whole nanoseconds. */
#define ROUNDED 1e-3

static const char *const models[] = {"naive", "cawl", "kernel"};
#define MODELS (sizeof(models) / sizeof(models[0]))

/* Another schema than ours may let it be absent. */
static const char *text_attribute(const struct report_node *node, const char *name)
{
	const char *text = report_read_attribute(node, name);

	return text ? text : "";
}

static const char *model_attribute(size_t model)
{
	static const char *const names[MODELS] = {"naive_ns", "cawl_ns", "kernel_ns"};

	return names[model];
}

static void judge_thresholds(const struct judging *judging, const struct report_node *node)
{
	static const char *const names[] = {"background_bytes", "freerun_bytes", "limit_bytes"};
	double before = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		double value = report_read_number(node, names[i]);

		if (i && value < before)
			laws_broken(judging, node, "%s is %.15g, below %s, %.15g", names[i], value, names[i - 1], before);
		before = isnan(value) ? before : value;
	}
}

static void judge_write(const struct judging *judging, const struct report_node *node, const struct report_node *before)
{
	double low = report_read_attribute_number(node, "low_ns"), high = report_read_attribute_number(node, "high_ns");

	if (low > high)
		laws_broken(judging, node, "low_ns is %.15g, above high_ns, %.15g", low, high);
	if (low < 0)
		laws_broken(judging, node, "low_ns is %.15g: no write costs less than nothing", low);
	if (report_read_attribute_number(node, "typical_ns") < 0)
		laws_broken(judging, node, "typical_ns is %.15g: no write costs less than nothing",
			report_read_attribute_number(node, "typical_ns"));
	for (size_t i = 0; i < MODELS; i++) {
		double cost = report_read_attribute_number(node, model_attribute(i));

		if (cost < 0)
			laws_broken(judging, node, "%s is %.15g: no write costs less than nothing", model_attribute(i), cost);
	}
	if (before && report_read_attribute_number(node, "index") <= report_read_attribute_number(before, "index"))
		laws_broken(judging, node, "index is %.15g, not above that of the <write> before",
			report_read_attribute_number(node, "index"));
	if (before && report_read_attribute_number(node, "time_s") < report_read_attribute_number(before, "time_s"))
		laws_broken(judging, node, "time_s is %.15g, below that of the <write> before",
			report_read_attribute_number(node, "time_s"));
}

struct sums {
	uint64_t writes;
	double measured_s, predicted_s[MODELS];
};

static struct sums judge_writes(const struct judging *judging, const struct report_node *parent)
{
	const struct report_node *node = report_read_find(parent, "write"), *before = NULL;
	struct sums sums = {0};

	for (; node; before = node, node = report_read_next(node)) {
		judge_write(judging, node, before);
		sums.writes++;
		sums.measured_s += report_read_attribute_number(node, "measured_ns") / 1e9;
		for (size_t i = 0; i < MODELS; i++)
			sums.predicted_s[i] += report_read_attribute_number(node, model_attribute(i)) / 1e9;
	}
	return sums;
}

static bool is_about(double a, double b)
{
	return isnan(a) || isnan(b) || fabs(a - b) <= ROUNDED * fmax(fabs(a), fabs(b));
}

/* Of many writes only every n-th is there, and nothing adds up. */
static void judge_sums(const struct judging *judging, const struct report_node *scenario, const struct sums *sums)
{
	const struct report_node *node = report_read_find(scenario, "model");
	double measured = report_read_number(scenario, "measured_s");
	uint64_t operations;

	if (report_read_u64(scenario, "operations", &operations) || sums->writes != operations)
		return;
	if (!is_about(sums->measured_s, measured))
		laws_broken(judging, scenario, "measured_s is %.15g, the writes took %.15g", measured, sums->measured_s);
	for (; node; node = report_read_next(node)) {
		const char *name = text_attribute(node, "name");

		for (size_t i = 0; i < MODELS; i++) {
			double predicted = report_read_number(node, "predicted_s");

			if (!strcmp(name, models[i]) && !is_about(sums->predicted_s[i], predicted))
				laws_broken(judging, node, "predicted_s is %.15g, those of the writes are %.15g", predicted,
					sums->predicted_s[i]);
		}
	}
}

static void judge_models(const struct judging *judging, const struct report_node *scenario)
{
	const struct report_node *node = report_read_find(scenario, "model");
	double measured = report_read_number(scenario, "measured_s");

	for (; node; node = report_read_next(node)) {
		double predicted = report_read_number(node, "predicted_s");
		double error = report_read_number(node, "total_error_percent");
		double coverage = report_read_number(node, "coverage_percent");
		double own = 100 * (predicted - measured) / measured;

		if (measured > 0 && fabs(error - own) > 1e-6 * fmax(100, fabs(own)))
			laws_broken(judging, node, "total_error_percent is %.10g, but %.15g s of %.15g s are %.10g", error,
				predicted, measured, own);
		if (coverage > 100)
			laws_broken(judging, node, "coverage_percent is %.10g, above 100", coverage);
	}
}

static void judge_once(const struct judging *judging, const struct report_node *scenario)
{
	const char *id = text_attribute(scenario, "id"), *repetition = text_attribute(scenario, "repetition");

	for (const struct report_node *node = report_read_next(scenario); node; node = report_read_next(node)) {
		if (!strcmp(text_attribute(node, "id"), id) && !strcmp(text_attribute(node, "repetition"), repetition))
			laws_broken(judging, node, "a second <scenario> %.40s, repetition %.20s", id, repetition);
	}
}

static void judge_goals(const struct judging *judging, const struct report_node *evaluation)
{
	const struct report_node *node = report_read_find(evaluation, "goal");

	for (; node; node = report_read_next(node)) {
		const struct report_node *is_met = report_read_find(node, "is_met");
		double limit = report_read_number(node, "limit_percent");
		double reached = report_read_number(node, "reached_percent");
		bool says = is_met && strcmp(is_met->text, "true") == 0;

		if (is_met && says != (reached <= limit))
			laws_broken(judging, node, "is_met is %s, but %.10g of at most %.10g is reached", is_met->text, reached,
				limit);
	}
}

void laws_judge_evaluation(const struct judging *judging)
{
	const struct report_node *evaluation = report_read_find(judging->report, "result/evaluation");
	const struct report_node *node = evaluation ? report_read_find(evaluation, "scenario") : NULL;

	for (; node; node = report_read_next(node)) {
		struct sums sums = judge_writes(judging, node);

		judge_once(judging, node);
		judge_thresholds(judging, node);
		judge_models(judging, node);
		judge_sums(judging, node, &sums);
		laws_judge_split(judging, node);
	}
	if (evaluation)
		judge_goals(judging, evaluation);
}

void laws_judge_trace(const struct judging *judging)
{
	static const char *const lists[] = {"kernel_state", "pause", "ratelimit"};
	const struct report_node *trace = report_read_find(judging->report, "result/kernel_trace");

	if (!trace)
		return;
	judge_thresholds(judging, trace);
	judge_writes(judging, trace);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const struct report_node *node = report_read_find(trace, lists[i]);
		double before = 0;

		for (; node; node = report_read_next(node)) {
			double time = report_read_attribute_number(node, "time_s");

			if (time < before)
				laws_broken(judging, node, "time_s is %.15g, below that of the <%s> before, %.15g", time, lists[i],
					before);
			before = time;
		}
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/evaluate/options.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "common/diag.h"
#include "iowrite-bench/scenario.h"

#define AT(member) offsetof(struct evaluate_options, member)

static const char *const thresholds[] = {[EVALUATE_KEEP] = "keep", [EVALUATE_SMALL] = "small", NULL};

static int want_scenarios(struct opt_value *in, const char *word)
{
	struct evaluate_options *options = in->options;
	int rc = -EINVAL;

	for (size_t i = 0; i < EVALUATE_SCENARIOS && scenarios[i].id; i++) {
		const struct scenario *row = &scenarios[i];

		if (!strcmp(word, row->id) || !strcmp(word, "all") || (!strcmp(word, "quick") && row->is_quick) ||
			(!strcmp(word, "paper") && row->figure[0])) {
			options->is_wanted[i] = true;
			rc = 0;
		}
	}
	return rc;
}

static int set_scenarios(struct opt_value *in)
{
	struct evaluate_options *options = in->options;
	int rc;

	memset(options->is_wanted, 0, sizeof(options->is_wanted));
	options->scenario_count = 0;
	rc = opt_each_word(in, want_scenarios);
	for (size_t i = 0; i < EVALUATE_SCENARIOS && scenarios[i].id; i++) {
		if (options->is_wanted[i])
			options->scenarios[options->scenario_count++] = &scenarios[i];
	}
	return rc;
}

const struct opt evaluate_option_rows[] = {
	{.type = OPT_TITLE, .help = "What is evaluated"},
	SCENARIO_SYSTEM_ROW(AT(shared.system_path), "predict from the calibration FILE (required)",
		"Predict from the calibration FILE, which `iowrite-bench calibrate` writes. Required."),
	{.name = "scenarios", .value = "SCENARIO,...", .type = OPT_OWN, .set = set_scenarios, .preset = "quick",
		.allowed = "must be quick, paper, all, or names with commas between: iowrite-bench scenarios lists "
			   "them",
		.help = "measure these: quick, paper, all, or names that iowrite-bench scenarios lists",
		.manual = "Measure these scenarios: `quick`, `paper` (those of its figures), `all`, or names that "
			  "`iowrite-bench scenarios` lists, in the order of that list."},
	{.name = "repetitions", .value = "N", .type = OPT_UNSIGNED, .offset = AT(repetitions),
		.min = 1, .max = 100, .preset = "1",
		.help = "measure the whole list N times",
		.manual = "Measure the whole list N times, 1 to 100, one after another."},
	{.type = OPT_TITLE, .help = "Where and under what conditions"},
	SCENARIO_PLACE_ROWS(evaluate_options),
	{.name = "thresholds", .value = "keep|small", .type = OPT_CHOICE, .offset = AT(thresholds),
		.choices = thresholds,
		.help = "keep the kernel's dirty thresholds, or set each scenario's own and restore them (default: "
			"small for root, else keep)",
		.manual = "Keep the kernel's dirty thresholds (`keep`), or set each scenario's own (`small`), so "
			  "that throttling begins after hundreds of MiB, and restore them at the end. The default is "
			  "`small` for root, who alone may set them, and `keep` for other users."},
	{.name = "warm-up", .value = "TIME", .type = OPT_TIME, .offset = AT(warmup_ns), .max = 600 * UNITS_NS_PER_SEC,
		.preset = "10s",
		.help = "before buffered scenarios, write for at most TIME until the kernel knows the device's speed",
		.manual = "Write, throttled, for at most TIME before buffered scenarios that follow others, up to 10 "
			  "minutes; 0 is none. The kernel throttles by an average of the device's observed speed, "
			  "and has to observe it first. The warm-up ends earlier when the dirty bytes are where the "
			  "kernel wants them, or after 32 GiB."},
	{.type = OPT_TITLE, .help = "Output"},
	SCENARIO_OUTPUT_ROWS(evaluate_options),
	{0},
};

const struct opt_relation evaluate_option_relations[] = {SCENARIO_RELATIONS, {0}};

int evaluate_options_add(void *options, struct opt_line *line)
{
	(void)options;
	if (!opt_add(line, opt_row(line->rows, "thresholds"), geteuid() ? "keep" : "small", OPT_BY_PRESET, NULL))
		return DIAG_EXIT_OK;
	diag_error(ENOMEM, "cannot read the command line");
	return DIAG_EXIT_HOST;
}

int evaluate_options_check(void *whole, struct opt_line *line)
{
	struct evaluate_options *options = whole;
	int code = scenario_options_need_system(line);

	return code ? code : scenario_options_check(options, &options->shared);
}

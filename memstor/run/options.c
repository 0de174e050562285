/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/run.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/label.h"

static bool is_own_label(const char *text)
{
	static const char *const own[RUN_OWN_LABELS] = {"suite=", "step=", "run="};

	for (size_t i = 0; i < RUN_OWN_LABELS; i++) {
		if (!strncmp(own[i], text, strlen(own[i])))
			return true;
	}
	return false;
}

static int set_label(struct opt_value *in)
{
	struct run_options *options = in->options;

	if (label_check(in->text, &in->why))
		return -EINVAL;
	in->why = is_own_label(in->text) ? "suite, step and run are given by memstor run itself" : "at most 29 labels";
	if (is_own_label(in->text) || options->label_count == RUN_LABELS_MAX)
		return -EINVAL;
	options->labels[options->label_count++] = in->text;
	return 0;
}

static int set_variable(struct opt_value *in)
{
	struct run_options *options = in->options;
	const char *equals = strchr(in->text, '=');
	char *name;

	if (!equals || !suite_is_variable(in->text, (size_t)(equals - in->text)))
		return -EINVAL;
	in->why = "a value must be one line of text";
	for (const char *c = equals; *c; c++) {
		if (iscntrl((unsigned char)*c))
			return -EINVAL;
	}
	in->why = "at most 64 variables";
	if (options->set_count == SUITE_VARIABLES_MAX)
		return -ERANGE;
	name = strndup(in->text, (size_t)(equals - in->text));
	if (!name)
		return -ENOMEM;
	options->sets[options->set_count++] = (struct suite_variable){name, equals + 1};
	return 0;
}

static int set_step(struct opt_value *in)
{
	struct run_options *options = in->options;

	if (options->only_count == RUN_ONLY_MAX)
		return -ERANGE;
	options->only[options->only_count++] = in->text;
	return 0;
}

#define AT(member) offsetof(struct run_options, member)

const struct opt run_option_rows[] = {
	{"suite", 0, "SUITE", OPT_STRING, OPT_ARGUMENT, .offset = AT(suite)},
	{"runs", 'r', "N", OPT_UNSIGNED, .offset = AT(runs), .min = 1, .max = SUITE_RUNS_MAX,
		.help = "measure each step N times (default: the suite's number)",
		.manual = "Measure each step N times, 1 to 1000, instead of the suite's number."},
	{"warmup", 'w', "N", OPT_UNSIGNED, .offset = AT(warmup), .max = SUITE_RUNS_MAX,
		.help = "run each step N times before and discard the results (default: the suite's number)",
		.manual = "Run each step N times before, 0 to 1000, instead of the suite's number, and discard the results."},
	{"output", 'o', "DIR", OPT_STRING, .offset = AT(folder),
		.help = "write the results to the folder DIR (default: SUITE-DATE-TIME)",
		.manual =
"Write the results to the folder DIR, which must be new or empty, unless --resume is given.\n"
"The default is `SUITE-DATE-TIME` in the current folder."},
	{"label", 0, "NAME=VALUE", OPT_OWN, OPT_REPEATS, .set = set_label,
		.help = "put a label into every report; repeatable",
		.manual =
"Put a label into every report, besides `suite`, `step` and `run`, which each report has; repeatable, up to 29 times."},
	{"set", 0, "NAME=VALUE", OPT_OWN, OPT_REPEATS, .set = set_variable,
		.allowed = "must be NAME=VALUE, a variable of the suite and its value",
		.help = "replace the value of a variable of the suite; repeatable",
		.manual =
"Replace the value of a variable of the suite: of one that `set` defines, or, with blanks between them, the values\n"
"of `for`; repeatable."},
	{"step", 0, "NAME", OPT_OWN, OPT_REPEATS, .set = set_step,
		.allowed = "at most 64 are allowed; a pattern as 'zram-*' matches several steps",
		.help = "run only the step NAME, or those that match a pattern as 'zram-*'; repeatable",
		.manual = "Run only the step NAME, or the steps that match a pattern such as `'zram-*'`; repeatable."},
	{"base-bin", 0, "DIR", OPT_STRING, .offset = AT(bins[0]),
		.help = "with --new-bin: run each step in turn with the programs of both folders",
		.manual =
"With --new-bin, run each step with the programs of both folders in turn, so that a drift of the\n"
"machine affects both alike: base, new, and in the next round new, base.\n"
"A program is looked for in DIR and, as in a build tree, in the folder of its name in it; a missing one is refused.\n"
"Commands are looked for there first, and have DIR at the beginning of their `PATH`.\n"
"The results are in `base` and `new` of the folder of results, for\n"
"`memstor compare out/base -- out/new`.\n"
"The default is one set of programs."},
	{"new-bin", 0, "DIR", OPT_STRING, .offset = AT(bins[1]),
		.help = "with --base-bin: use the programs of DIR as well; results are in the folders base and new",
		.manual = "Take the programs of the other side from DIR, see --base-bin."},
	{"require-all", 0, NULL, OPT_FLAG, .offset = AT(is_all_required),
		.help = "fail if this host cannot run a step (default: skip it)",
		.manual =
"Fail if this host cannot run a step: if this shows before the first step, nothing is run and the status is 3;\n"
"later, the run has failed.\n"
"By default such a step is skipped with the reason."},
	{"resume", 0, NULL, OPT_FLAG, .offset = AT(is_resume),
		.help = "continue in DIR with the runs that have no result",
		.manual =
"Continue in the folder of --output: only runs without a result are run, including failed and skipped ones,\n"
"after the warm-ups of their steps.\n"
"Suite, options, version, host and kernel must be the same; the first difference is named.\n"
"In a folder that is empty or does not exist the suite starts from the beginning."},
	{"dry-run", 'n', NULL, OPT_FLAG, .offset = AT(is_dry_run),
		.help = "check everything, print the plan, and exit",
		.manual = "Check everything, print steps, order and the longest time, and exit without writing anything."},
	{"list", 0, NULL, OPT_FLAG, .offset = AT(is_list),
		.help = "list the suites installed with memstor",
		.manual = "List the suites installed with memstor, one per line."},
	{"json", 0, NULL, OPT_FLAG, .offset = AT(is_json),
		.help = "print the list of suites, or at the end the results of the steps, as JSON",
		.manual =
"Print the suites of --list, or at the end the results of the steps, as JSON.\n"
"A step has `step`, `results`, `runs`, `throughput` (1/s), `p99` (ns) and `result`."},
	{0},
};

int run_options_check(void *data, struct opt_line *line)
{
	struct run_options *options = data;

	options->has_warmup = opt_is_typed(line, "warmup");
	if (options->is_list)
		return DIAG_EXIT_OK;
	if (!options->suite)
		return diag_usage("no suite given: memstor run SUITE, where SUITE is a name of memstor run --list or a file");
	if (!options->bins[0] != !options->bins[1])
		return diag_usage("--base-bin, --new-bin: one of them is missing (both or none); give the other one as well");
	if (options->is_resume && !options->folder)
		return opt_refuse(line, "resume", "continues in the folder of an earlier run: give it with -o DIR");
	return DIAG_EXIT_OK;
}

void run_options_free(struct run_options *options)
{
	for (size_t i = 0; i < options->set_count; i++)
		free((char *)options->sets[i].name);
}

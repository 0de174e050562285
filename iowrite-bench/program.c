/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of iowrite-bench: its subcommands, and what the names in their help stand for. */
#include "config.h"

#include "common/base/diag.h"
#include "common/undo/undo.h"
#include "iowrite-bench/commands.h"
#include "iowrite-bench/model/kinds.h"
#include "iowrite-bench/predict/scenario.h"
#include "iowrite-bench/run/plan.h"

static const char *scenario_name(size_t index)
{
	return scenarios[index].id;
}

static const char *model_name(size_t index)
{
	return index < MODEL_KINDS ? model_kinds[index]->name : NULL;
}

static const char *preset_name(size_t index)
{
	return presets[index].name;
}

static const struct completion_noun nouns[] = {
	{"--model", COMPLETION_LIST, model_name},
	{"SCENARIO", COMPLETION_TEXT, scenario_name},
	{"PRESET", COMPLETION_TEXT, preset_name},
	{NULL, COMPLETION_NONE, NULL},
};

static const struct command *const commands[] = {
	&iow_command_run,
	&command_calibrate,
	&command_predict,
	&command_evaluate,
	&command_scenarios,
	&command_recover,
	NULL,
};

const struct program iowrite_program = {
	.name = "iowrite-bench",
	.summary = "Measures what a write costs by every path, and predicts it from a calibration.",
	.examples = "  iowrite-bench run --bs=4k,64k --mode=buffered,direct,sync\n"
		    "  iowrite-bench calibrate -o system.xml\n"
		    "  iowrite-bench predict --system system.xml c2\n",
	.commands = commands,
	.option_nouns = nouns,
	.argument_nouns = nouns,
};

/* iowrite-bench recover: restores what killed runs have left changed on this machine. */

struct recover_options {
	bool sets_aside;
};

static const struct opt recover_rows[] = {
	{.name = "set-aside", .type = OPT_FLAG, .offset = offsetof(struct recover_options, sets_aside),
		.help = "rename unreadable journals to NAME.bad and restore nothing from them",
		.manual = "Rename each journal that is damaged or of another version, which every run reports, "
			  "to `NAME.bad`. Nothing that it lists is restored: read it and undo that by hand "
			  "first."},
	{0},
};

static int run_recover(const struct command *command, int argc, char **argv)
{
	struct recover_options recover = {0};
	unsigned journals = 0, aside = 0;
	struct opt_line line;
	int code = command_parse(command, argc, argv, &recover, &line, NULL);

	opt_free(&line);
	if (code)
		return code;
	if (recover.sets_aside && undo_set_aside(iowrite_program.name, NULL, &aside))
		return DIAG_EXIT_HOST;
	if (undo_recover(iowrite_program.name, NULL, &journals))
		return DIAG_EXIT_HOST;
	if (!journals && !aside)
		diag_info("nothing to restore");
	return DIAG_EXIT_OK;
}

const struct command command_recover = {
	.program = &iowrite_program,
	.name = "recover",
	.summary = "restore what killed runs have left changed on this machine",
	.doc = "Restore what runs left changed that were killed together with their guardian: dirty "
	       "thresholds, throttles, loop devices, trace instances. Each change is reported. The next run does "
	       "the same.",
	.options = recover_rows,
	.run = run_recover,
};

/* iowrite-bench scenarios: the list by which the models are checked. */

static int run_scenarios(const struct command *command, int argc, char **argv)
{
	struct opt_line line;
	int code = command_parse(command, argc, argv, NULL, &line, NULL);

	opt_free(&line);
	if (code)
		return code;
	printf("%-8s %-3s %-12s %-8s %8s  %-5s %s\n", "id", "fig", "mode", "regime", "MiB", "quick", "what");
	for (const struct scenario *row = scenarios; row->id; row++)
		printf("%-8s %-3s %-12s %-8s %8.1f  %-5s %s\n", row->id, row->figure[0] ? row->figure : "-",
			op_mode_name(row->mode), op_regime_name(row->regime), (double)scenario_file_bytes(row) / (1 << 20),
			row->is_quick ? "yes" : "no", row->meaning);
	return DIAG_EXIT_OK;
}

static const struct opt scenarios_rows[] = {{0}};

const struct command command_scenarios = {
	.program = &iowrite_program,
	.name = "scenarios",
	.summary = "list the scenarios that evaluate measures and predict takes",
	.doc = "List the scenarios that the models are evaluated with: those of the figures of the CAWL paper, scaled to "
	       "minutes and small disks.",
	.options = scenarios_rows,
	.run = run_scenarios,
};

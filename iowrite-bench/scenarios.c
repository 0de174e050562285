/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iowrite-bench scenarios: the list by which the models are checked. */
#include "config.h"
#include "iowrite-bench/commands.h"

#include <stdio.h>

#include "common/diag.h"
#include "common/opt.h"
#include "common/units.h"
#include "iowrite-bench/scenario.h"

static void print_row(const struct scenario *row)
{
	double mib = (double)scenario_file_bytes(row) / (1 << 20);

	printf("%-8s %-3s %-12s %-8s %8.1f  %-5s %s\n", row->id, row->figure[0] ? row->figure : "-",
		op_mode_name(row->mode), op_regime_name(row->regime), mib, row->is_quick ? "yes" : "no", row->meaning);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct opt_line line;
	int code = command_parse(command, argc, argv, NULL, &line, NULL);

	opt_free(&line);
	if (code)
		return code;
	printf("%-8s %-3s %-12s %-8s %8s  %-5s %s\n", "id", "fig", "mode", "regime", "MiB", "quick", "what");
	for (const struct scenario *row = scenarios; row->id; row++)
		print_row(row);
	return DIAG_EXIT_OK;
}

static const struct opt options[] = {{0}};

const struct command command_scenarios = {
	.program = &iowrite_program,
	.name = "scenarios",
	.summary = "list the scenarios that evaluate measures and predict takes",
	.doc = "List the scenarios by which the models are checked: those of the figures of the CAWL paper, scaled to "
	       "minutes and small disks.",
	.options = options,
	.run = run,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "with-pressure/options.h"

#include <stddef.h>
#include <stdio.h>

#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/cli/start_option.h"

#define AT(field) offsetof(struct wp_options, field)

static const struct opt rows[] = {
	PRESSURE_OPTIONS(offsetof(struct wp_options, plan)),
	PRESSURE_SET_OPTION(offsetof(struct wp_options, plan)),
	PRESSURE_RECOVER_OPTION(offsetof(struct wp_options, recovery)),
	{"contain", 0, NULL, OPT_FLAG, 0, AT(plan.is_contained),
		.help = "kill the command when a process leaves the cgroup, or a limit is changed",
		.manual = "Kill all processes of the command when one of them leaves its memory cgroup, or\n"
			"when a limit of the cgroup is changed.\n"
			"Without this option with-pressure only says so at the end.\n"
			"It needs --ram, --high or --swap=none, which make the cgroup."},
	{"file", 'f', "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, AT(xml_path), .begins = "<?xml",
		.help = "write a report of the command as XML",
		.manual = "Write a report of the command as XML: its wall time and CPU time, peak memory, page faults,\n"
			"context switches, block I/O, the stalls (PSI) during the run, its status, and the machine.\n"
			"No limits are set unless they are asked for, and no privilege is needed.\n"
			"FILE gets its name when the report is complete. With `-` the report follows what the\n"
			"command prints on standard output."},
	{"label", 0, "NAME=VALUE", OPT_OWN, OPT_REPEATS, AT(labels), .set = label_set, .allowed = LABEL_FORM,
		.help = "put a label into the report; repeatable", .manual = "Put a label into the report; up to 32."},
	START_OPTION(offsetof(struct wp_options, start), "the command", "Memory limit, swap and eaters are set up before."),
	{"dry-run", 0, NULL, OPT_FLAG, OPT_UNREPORTED, AT(is_dry_run),
		.help = "check everything, print what would be done, and exit"},
	{"quiet", 'q', NULL, OPT_FLAG, OPT_UNREPORTED, AT(is_quiet), .help = "print no summary at the end"},
	{"verbose", 'v', NULL, OPT_FLAG, OPT_UNREPORTED, AT(is_verbose),
		.help = "print where the command runs and how long set-up and restoring took"},
	{0},
};

static const struct opt_relation relations[] = {
	{OPT_NEEDS, "label", "file", "labels are put into the report"},
	{0},
};

static int check(void *values, struct opt_line *line)
{
	struct wp_options *options = values;
	const char *why;

	(void)line;
	if (pressure_parse_finish(&options->plan, &why))
		return diag_usage("%s", why);
	if (options->plan.is_contained && !options->plan.ram_bytes && !options->plan.high_bytes &&
		options->plan.swap.kind != PRESSURE_SWAP_NONE)
		return diag_usage("--contain: needs --ram, --high or --swap none: without a limit there is no cgroup to leave");
	if (options->recovery == PRESSURE_RECOVER_NOT && !*options->command)
		return diag_usage("no command: with-pressure [--ram SIZE] [--swap SPEC] -- COMMAND [ARGS], or --help");
	if (options->recovery != PRESSURE_RECOVER_NOT &&
		(*options->command || options->is_dry_run || options->xml_path || options->labels.count || options->start.at_ns ||
			pressure_is_wanted(&options->plan)))
		return diag_usage("--recover: must be given without a command and without other options than -v");
	return DIAG_EXIT_OK;
}

const char *wp_swap_kind(const struct pressure_swap *swap)
{
	static const char *const kinds[] = {
		[PRESSURE_SWAP_KEEP] = NULL,
		[PRESSURE_SWAP_NONE] = "none",
		[PRESSURE_SWAP_ZRAM] = "zram",
		[PRESSURE_SWAP_FILE] = "file",
		[PRESSURE_SWAP_LOOP] = "loop",
		[PRESSURE_SWAP_ZSWAP] = "zswap",
		[PRESSURE_SWAP_DEVICE] = "device",
	};

	return kinds[swap->kind];
}

void wp_options_print(const struct wp_options *options)
{
	const struct pressure_plan *plan = &options->plan;
	const char *swap = wp_swap_kind(&plan->swap);
	char size[32], begin[32], end[32];

	printf("ram: %s\n",
		plan->ram_bytes ? units_format_size(plan->ram_bytes, size, sizeof(size)) : "no limit");
	printf("swap: %s", swap ? swap : "as the system has it");
	if (pressure_swap_bytes(&plan->swap))
		printf(" %s %s%s", units_format_size(pressure_swap_bytes(&plan->swap), size, sizeof(size)), plan->swap.path,
			plan->swap.algorithm);
	printf("\n");
	if (plan->high_bytes)
		printf("high: %s\n", units_format_size(plan->high_bytes, size, sizeof(size)));
	if (plan->has_swappiness)
		printf("swappiness: %u\n", plan->swappiness);
	if (plan->has_page_cluster && plan->page_cluster < 0)
		printf("page-cluster: keep\n");
	else if (plan->has_page_cluster)
		printf("page-cluster: %d\n", plan->page_cluster);
	for (size_t i = 0; i < plan->eater_count; i++) {
		const struct pressure_eater *eater = &plan->eaters[i];

		printf("eater: node %d, %s, from %s to %s\n", eater->node,
			units_format_size(eater->bytes, size, sizeof(size)),
			units_format_duration((double)eater->begin_ns, begin, sizeof(begin)),
			units_format_duration((double)eater->end_ns, end, sizeof(end)));
	}
	for (size_t i = 0; i < plan->setting_count; i++)
		printf("set: %s=%s\n", plan->settings[i].path, plan->settings[i].value);
	if (plan->is_contained)
		printf("contain: kill the command when it leaves the cgroup or a limit is changed\n");
	if (options->xml_path)
		printf("report: %s\n", options->xml_path);
	printf("command:");
	for (char **word = options->command; *word; word++)
		printf(" %s", *word);
	printf("\n");
}

int wp_options_parse(int argc, char **argv, struct wp_options *options)
{
	static const struct program program = {.name = "with-pressure"};
	static const struct command command = {
		.program = &program,
		.arguments = "-- COMMAND [ARGS...]",
		.doc = "Run a command with limited memory and a private swap area, and restore everything at its end. "
		       "With -f report what it used.",
		.examples = "  with-pressure --ram=1G --swap=zram:4G -- make -j4\n"
			    "  with-pressure --ram=512M --swap=none -- ./program\n"
			    "  with-pressure -f report.xml -- ./program\n",
		.notes = "The command's exit status is passed on (128 + N when signal N killed it); 125 means that with-pressure "
			 "itself failed, 126 that the command cannot be run, 127 that it was not found.",
		.options = rows,
		.relations = relations,
		.flags = COMMAND_IN_ORDER,
		.check = check,
	};

	return command_parse(&command, argc, argv, options, &options->line, &options->command);
}

void wp_options_free(struct wp_options *options)
{
	label_free(&options->labels);
	opt_free(&options->line);
}

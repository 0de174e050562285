/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor run: makes the plan, executes it and prints the summary. */
#include "config.h"
#include "memstor/commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/input.h"
#include "common/interrupt.h"
#include "common/sysfs.h"
#include "common/table.h"
#include "common/units.h"
#include "memstor/run/run.h"

/* A report with a series of a few minutes; what a suite leaves room for is said before it begins. */
#define REPORT_BYTES (2 * UNITS_MIB)

#define SHIPPED_MAX 32

struct running { /* too large for a stack */
	struct run_options options;
	struct run_plan plan;
	struct run_folder folder;
	char given[PATH_MAX];
};

/* Writes machine.txt: for people, what this machine is and what may spoil a run on it; the index has all of it. */
static int write_machine(const struct run_plan *plan)
{
	const struct machine *machine = &plan->machine;
	char whole[UNITS_TEXT], there[UNITS_TEXT], *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int err;

	if (!out)
		return -errno;
	fprintf(out, "host         %s\n", machine->hostname);
	fprintf(out, "cpu          %s, %u cores, %u threads\n", machine->cpu_model, machine->cores, machine->threads);
	fprintf(out, "memory       %s, %s available, %zu NUMA node%s\n",
		units_format_size(machine->memory_bytes, whole, sizeof(whole)),
		units_format_size(machine->available_bytes, there, sizeof(there)), machine->node_count,
		machine->node_count == 1 ? "" : "s");
	fprintf(out, "system       %s %s %s, %s\n", machine->os_name, machine->os_release, machine->os_version, machine->arch);
	fprintf(out, "hypervisor   %s\n", machine->hypervisor[0] ? machine->hypervisor : "none");
	for (size_t i = 0; i < machine->swap_count; i++)
		fprintf(out, "swap         %s, %s, %s, %s in use\n", machine->swaps[i].path, machine->swaps[i].backing,
			units_format_size(machine->swaps[i].size_bytes, whole, sizeof(whole)),
			units_format_size(machine->swaps[i].used_bytes, there, sizeof(there)));
	if (!machine->swap_count)
		fprintf(out, "swap         none\n");
	for (size_t i = 0; i < machine->setting_count; i++)
		fprintf(out, "setting      %s = %s\n", machine->settings[i].name, machine->settings[i].value);
	for (size_t i = 0; i < plan->check_count; i++)
		fprintf(out, "check        %s: %s: %s\n", plan->checks[i].code, plan->checks[i].value, plan->checks[i].advice);
	err = fclose(out) ? -ENOMEM : run_folder_write("machine.txt", text, size);
	free(text);
	return err;
}

struct shipped {
	const char *name;
	char about[256];
};

static const struct table_column list_columns[] = {
	{"suite", TABLE_STRING, TABLE_SHOWN | TABLE_JSON, .offset = offsetof(struct shipped, name)},
	{"about", TABLE_CHARS, TABLE_SHOWN | TABLE_JSON, .offset = offsetof(struct shipped, about)},
	{0},
};

static int read_about(struct shipped *shipped)
{
	const struct suite_scope nothing = {0};
	struct suite_text text;
	struct suite suite;
	char why[512];

	if (suite_find(shipped->name, &text))
		return DIAG_EXIT_USAGE;
	if (suite_parse(shipped->name, NULL, text.text, text.size, &nothing, &suite, why, sizeof(why))) {
		diag_error(0, "%s", why);
		suite_text_free(&text);
		return DIAG_EXIT_USAGE;
	}
	snprintf(shipped->about, sizeof(shipped->about), "%s", suite.about);
	suite_free(&suite);
	suite_text_free(&text);
	return DIAG_EXIT_OK;
}

static int list_suites(bool is_json)
{
	struct table table = {.columns = list_columns, .has_no_headings = true};
	struct shipped shipped[SHIPPED_MAX];
	int code = DIAG_EXIT_OK, err = 0;

	for (size_t i = 0; i < SHIPPED_MAX && !code && !err && suite_shipped(i); i++) {
		shipped[i].name = suite_shipped(i);
		code = read_about(&shipped[i]);
		err = table_add(&table, &shipped[i], "");
	}
	if (err)
		code = diag_host(err, "cannot list the suites");
	if (!code)
		code = table_show(&table, &(struct table_output){.is_json = is_json});
	table_free(&table);
	return code;
}

/* Takes over the results of the earlier run, if it was one of the same suite. */
static int resume(struct running *running)
{
	const struct suite_text *text = &running->plan.text;
	char name[PATH_MAX + 16], path[RUN_PATH_MAX], *old;
	bool is_same;
	size_t size;
	int err = input_read("suite.txt", SUITE_TEXT_MAX, &old, &size), code;

	if (err)
		return diag_usage("--resume: %s/suite.txt: %s", running->given, input_error(err));
	is_same = size == text->size && !memcmp(old, text->text, size);
	free(old);
	if (!is_same)
		return diag_usage("--resume: %s is not the suite of the earlier run, which is in %s/suite.txt", text->file,
			running->given);
	snprintf(name, sizeof(name), "%s/index.xml", running->given);
	code = index_take_over("index.xml", name, &running->plan);
	/* A report that another process removed is not a result. */
	for (size_t i = 0; i < running->plan.step_count && !code; i++) {
		struct run_step *step = &running->plan.steps[i];

		for (unsigned j = 0; j < step->runs && step->program->result; j++) {
			snprintf(path, sizeof(path), "%s/%u/%s", step->name, j + 1, step->program->result);
			if (run_state_is_final(step->records[j].state) && access(path, R_OK))
				step->records[j] = (struct run_record){.exit_status = -1};
		}
	}
	return code;
}

static int run_plan(struct running *running)
{
	const struct run_plan *plan = &running->plan;
	struct run_folder *folder = &running->folder;
	char there[UNITS_TEXT], needed[UNITS_TEXT];
	uint64_t space, wanted = plan->turn_count * REPORT_BYTES;
	int code = run_folder_open(running->given, running->options.is_resume, folder), err = 0;

	if (code)
		return code;
	if (folder->is_begun) {
		code = resume(running);
	} else {
		err = run_folder_write("suite.txt", plan->text.text, plan->text.size);
		if (!err)
			err = write_machine(plan);
		if (err)
			code = diag_host(err, "-o %s: cannot be written to", running->given);
	}
	if (code) {
		run_folder_close(folder);
		return code;
	}
	for (size_t i = 0; i < plan->check_count; i++)
		diag_warn("%s: %s: %s", plan->checks[i].code, plan->checks[i].value, plan->checks[i].advice);
	space = run_folder_space();
	if (space < wanted)
		diag_warn("-o %s: %s are free, and the reports may need %s", running->given,
			units_format_size(space, there, sizeof(there)), units_format_size(wanted, needed, sizeof(needed)));
	code = run_execute(&running->plan, folder);
	run_folder_close(folder);
	return code ? code : run_summary(plan, folder, interrupt_signal());
}

static int run_all(struct running *running)
{
	const struct run_options *options = &running->options;
	time_t now = time(NULL);
	struct tm local;
	char date[32];
	int code;

	if (options->is_list)
		return list_suites(options->is_json);
	if (interrupt_install())
		return diag_usage_errno(ENOMEM, "cannot begin");
	code = run_plan_make(options, &running->plan);
	if (code)
		return code;
	localtime_r(&now, &local);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &local);
	if (options->folder)
		snprintf(running->given, sizeof(running->given), "%s", options->folder);
	else
		snprintf(running->given, sizeof(running->given), "%s-%s", running->plan.text.name, date);
	if (!options->is_dry_run)
		return run_plan(running);
	run_print_plan(&running->plan, running->given);
	return DIAG_EXIT_OK;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct running *running = calloc(1, sizeof(*running));
	struct opt_line line;
	int code;

	if (!running)
		return diag_usage_errno(ENOMEM, "cannot begin");
	running->options.argc = argc;
	running->options.argv = argv;
	code = command_parse(command, argc, argv, &running->options, &line, NULL);
	if (!code)
		code = run_all(running);
	run_plan_free(&running->plan);
	run_options_free(&running->options);
	opt_free(&line);
	free(running);
	return code;
}

const struct command command_run = {
	.program = &memstor_program,
	.name = "run",
	.arguments = "SUITE",
	.summary = "run a suite of measurements",
	.doc = "Runs the steps of SUITE one after another, in rounds A B B A, and keeps the report of each run in a folder. "
	       "SUITE is a name of --list, or a file (with a slash, or NAME.suite), which memstor-suite(5) describes.",
	.examples = "  memstor run smoke\n"
		    "  memstor run ci --runs 5 -o base\n"
		    "  memstor run ci --runs 5 -o base --resume\n",
	.notes = "Status: 0 done; 1 a run failed; 2 the suite or an option is wrong; 3 nothing could be run on this host; 4 "
		 "interrupted, or a result is not trustworthy. See memstor(1).",
	.options = run_option_rows,
	.check = run_options_check,
	.run = run,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/index.h"

#include <stdio.h>

#include "common/report_common.h"
#include "common/units.h"

static const char *const state_names[] = {
	[INDEX_RUNNING] = "running",
	[INDEX_INTERRUPTED] = "interrupted",
	[INDEX_COMPLETE] = "complete",
};

static void write_named(struct report *report, const char *element, const char *name, const char *value)
{
	report_begin(report, element);
	report_attribute(report, "name", name);
	report_content(report, value);
	report_end(report);
}

static void write_command(struct report *report, const struct run_options *options)
{
	report_begin(report, "command");
	report_text(report, "argument", "memstor");
	for (int i = 0; i < options->argc; i++)
		report_text(report, "argument", options->argv[i]);
	report_end(report);
}

/* What decides what is run; a resumed suite must have the same. */
static void write_options(struct report *report, const struct run_plan *plan)
{
	const struct run_options *options = plan->options;

	report_begin(report, "run_options");
	if (options->runs)
		report_u64(report, "runs", options->runs);
	if (options->has_warmup)
		report_u64(report, "warmup", options->warmup);
	for (size_t i = 0; i < options->set_count; i++)
		write_named(report, "set", options->sets[i].name, options->sets[i].value);
	for (size_t i = 0; i < options->only_count; i++)
		report_text(report, "only", options->only[i]);
	for (size_t i = 0; i < options->label_count; i++)
		report_text(report, "given_label", options->labels[i]);
	for (int i = 0; i < RUN_SIDES && options->bins[i]; i++)
		report_text(report, "bin", options->bins[i]);
	if (options->is_all_required)
		report_text(report, "require_all", "yes");
	report_end(report);
}

static void write_sessions(struct report *report, const struct run_plan *plan)
{
	report_begin(report, "sessions");
	for (size_t i = 0; i < plan->session_count; i++) {
		report_begin(report, "session");
		report_text(report, "wall_start", plan->sessions[i].wall_start);
		report_text(report, "boot_id", plan->sessions[i].boot_id);
		report_end(report);
	}
	report_end(report);
}

static void write_record(struct report *report, const struct run_step *step, unsigned number,
	const struct run_record *record)
{
	char path[SUITE_NAME_MAX + 64];

	report_begin(report, "run");
	report_attribute_u64(report, "number", number);
	report_attribute(report, "state", run_state_name(record->state));
	if (record->wall_start[0]) {
		report_text(report, "wall_start", record->wall_start);
		report_double(report, "seconds", record->seconds);
	}
	if (record->exit_status >= 0)
		report_u64(report, "exit_status", (uint64_t)record->exit_status);
	if (record->signal)
		report_u64(report, "signal", (uint64_t)record->signal);
	if (record->has_usage) {
		report_begin(report, "usage");
#define RUN_USAGE_WRITE(name) report_u64(report, #name, record->usage.name);
		RUN_USAGE_FIELDS(RUN_USAGE_WRITE)
		report_end(report);
	}
	if (record->beside)
		report_u64(report, "suites_beside", record->beside);
	if (run_state_is_final(record->state) && (!step->program || step->program->result)) {
		snprintf(path, sizeof(path), "%s/%u/%s", step->name, number,
			step->program ? step->program->result : "report.xml");
		report_text(report, "report_file", path);
	}
	if (record->reason[0])
		report_text(report, "reason", record->reason);
	report_end(report);
}

static void write_step(struct report *report, const struct run_step *step)
{
	const struct suite_step *suite = step->suite;

	report_begin(report, "step");
	report_attribute(report, "name", step->name);
	report_attribute_u64(report, "line", suite->line);
	report_begin(report, "command");
	for (size_t i = 0; i < suite->word_count; i++)
		report_text(report, "argument", suite->words[i]);
	report_end(report);
	report_u64(report, "runs", step->runs);
	report_u64(report, "warmup", step->warmup);
	report_double(report, "budget_s", (double)suite->budget_ns / UNITS_NS_PER_SEC);
	for (size_t i = 0; i < suite->need_count; i++)
		report_text(report, "need", suite->needs[i].text);
	for (unsigned i = 0; i < step->runs; i++)
		write_record(report, step, i + 1, &step->records[i]);
	report_end(report);
}

static void write_index(struct report *report, const struct run_plan *plan, enum index_state state)
{
	report_attribute(report, "version", INDEX_VERSION);
	report_attribute(report, "state", state_names[state]);
	report_text(report, "tool_version", PACKAGE_VERSION);
	report_text(report, "suite", plan->text.name);
	report_text(report, "about", plan->suite.about);
	write_command(report, plan->options);
	write_options(report, plan);
	write_sessions(report, plan);
	report_write_host(report, &plan->machine);
	report_write_machine(report, &plan->machine, NULL);
	report_write_environment(report, plan->checks, plan->check_count);
	report_begin(report, "steps");
	for (size_t i = 0; i < plan->step_count; i++) {
		if (plan->steps[i].is_selected)
			write_step(report, &plan->steps[i]);
	}
	report_end(report);
}

int index_write(const char *path, const struct run_plan *plan, enum index_state state)
{
	struct report *report;
	int err = report_new("memstorrun", &report);

	if (err)
		return err;
	write_index(report, plan, state);
	err = report_write_xml(report, path);
	report_free(report);
	return err;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/run.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/report_common.h"
#include "common/report_read.h"
#include "common/units.h"

static const char *const state_names[] = {
	[INDEX_RUNNING] = "running",
	[INDEX_INTERRUPTED] = "interrupted",
	[INDEX_COMPLETE] = "complete",
};

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
	if (record->others)
		report_u64(report, "suites_beside", record->others);
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

/* What decides what is run, in the order of the index; a resumed suite must have the same. */
enum { GIVEN_RUNS, GIVEN_WARMUP, GIVEN_SET, GIVEN_ONLY, GIVEN_LABEL, GIVEN_BIN, GIVENS };
static const struct {
	const char *element, *option;
	bool is_list; /* messages name one of its values, not what it was and is */
} givens[GIVENS] = {
	[GIVEN_RUNS] = {"runs", "--runs", false},
	[GIVEN_WARMUP] = {"warmup", "--warmup", false},
	[GIVEN_SET] = {"set", "--set", false},
	[GIVEN_ONLY] = {"only", "--step", true},
	[GIVEN_LABEL] = {"given_label", "--label", true},
	[GIVEN_BIN] = {"bin", "--base-bin and --new-bin", true},
};

/* The i-th value of a row, NULL = there are no more; name: of a variable, else NULL. */
static const char *given_value(const struct run_options *options, size_t row, size_t i, char number[16], const char **name)
{
	bool is_number = row == GIVEN_RUNS ? options->runs > 0 : row == GIVEN_WARMUP && options->has_warmup;

	*name = row == GIVEN_SET && i < options->set_count ? options->sets[i].name : NULL;
	snprintf(number, 16, "%u", row == GIVEN_RUNS ? options->runs : options->warmup);
	switch (row) {
	case GIVEN_SET:
		return *name ? options->sets[i].value : NULL;
	case GIVEN_ONLY:
		return i < options->only_count ? options->only[i] : NULL;
	case GIVEN_LABEL:
		return i < options->label_count ? options->labels[i] : NULL;
	case GIVEN_BIN:
		return i < RUN_SIDES ? options->bins[i] : NULL;
	default:
		return is_number && i == 0 ? number : NULL;
	}
}

/* As in a report. */
#define INDEX_MACHINE(F, R, G, L) \
	R(host, host, 1, 1, "") \
	R(machine_info, machine_info, 1, 1, "") \
	R(environment, environment, 1, 1, "")
#define INDEX_RECORDS(RECORD) RECORD(index_machine, INDEX_MACHINE, PLAIN, "", "", "")
FIELD_STRUCTS(INDEX_RECORDS)
FIELD_DEFINE(INDEX_RECORDS)

static void write_index(struct report *report, const struct run_plan *plan, enum index_state state)
{
	const struct run_options *options = plan->options;
	const struct machine_info_values machine = report_machine(&plan->machine, NULL);
	const struct report_checks checks = {.checks = plan->checks, .count = plan->check_count};
	const struct index_machine_values values = {FIELD_BY(report_host, &plan->machine), FIELD_ONE(&machine),
		FIELD_BY(report_environment, &checks)};
	const char *value, *name;
	char number[16];

	report_attribute(report, "version", INDEX_VERSION);
	report_attribute(report, "state", state_names[state]);
	report_text(report, "tool_version", PACKAGE_VERSION);
	report_text(report, "suite", plan->text.name);
	report_text(report, "about", plan->suite.about);
	report_begin(report, "command");
	report_text(report, "argument", "memstor");
	for (int i = 0; i < options->argc; i++)
		report_text(report, "argument", options->argv[i]);
	report_end(report);
	report_begin(report, "run_options");
	for (size_t row = 0; row < GIVENS; row++) {
		for (size_t i = 0; (value = given_value(options, row, i, number, &name)); i++) {
			report_begin(report, givens[row].element);
			if (name)
				report_attribute(report, "name", name);
			report_content(report, value);
			report_end(report);
		}
	}
	if (options->is_all_required)
		report_text(report, "require_all", "yes");
	report_end(report);
	report_begin(report, "sessions");
	for (size_t i = 0; i < plan->session_count; i++) {
		report_begin(report, "session");
		report_text(report, "wall_start", plan->sessions[i].wall_start);
		report_text(report, "boot_id", plan->sessions[i].boot_id);
		report_end(report);
	}
	report_end(report);
	field_write_inside(report, index_machine_record(), &values);
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

struct comparison {
	const char *path;
	int code;
};

static void __attribute__((format(printf, 2, 3))) refuse(struct comparison *comparison, const char *format, ...)
{
	char text[700];
	va_list arguments;

	if (comparison->code)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	diag_error(0, "--resume: %s: %s", comparison->path, text);
	comparison->code = DIAG_EXIT_USAGE;
}

/* report_read trims, and the writer may have cut. */
static bool is_same(const char *written, const char *now)
{
	size_t length;

	now += strspn(now, " \t");
	length = strlen(now);
	while (length && strchr(" \t", now[length - 1]))
		length--;
	return strlen(written) == length && !strncmp(written, now, length);
}

static void compare_text(struct comparison *comparison, const char *what, const char *then, const char *now)
{
	if (!is_same(then, now))
		refuse(comparison, "%s was '%s' and is '%s' now", what, then, now);
}

static void compare_given(struct comparison *comparison, const struct report_node *options, const struct run_options *given,
	size_t row)
{
	const struct report_node *then = report_read_find(options, givens[row].element);
	const char *option = givens[row].option, *now, *name;
	char number[16];

	for (size_t i = 0; (now = given_value(given, row, i, number, &name)) || then; i++) {
		const char *name_then = then ? report_read_attribute(then, "name") : NULL;

		if (now && then && is_same(then->text, now) && !(name && (!name_then || strcmp(name_then, name)))) {
			then = report_read_next(then);
			continue;
		}
		if (!givens[row].is_list)
			refuse(comparison, "%s was %s%s%s and is %s%s%s now", option, name_then ? name_then : "",
				name_then ? "=" : "", then ? then->text : "not given", name ? name : "", name ? "=" : "",
				now ? now : "not given");
		else if (!now)
			refuse(comparison, "%s '%s' was given and is not now", option, then->text);
		else if (!then)
			refuse(comparison, "%s '%s' was not given", option, now);
		else
			refuse(comparison, "%s was '%s' and is '%s' now", option, then->text, now);
		return;
	}
}

static void take_sessions(const struct report_node *root, struct run_plan *plan)
{
	const struct report_node *node = report_read_find(root, "sessions/session");
	struct run_session own = plan->sessions[0];
	size_t count = 0;

	/* The first and the latest are worth more than those between. */
	for (; node; node = report_read_next(node)) {
		struct run_session *session = &plan->sessions[count];

		snprintf(session->wall_start, sizeof(session->wall_start), "%s", report_read_text(node, "wall_start"));
		snprintf(session->boot_id, sizeof(session->boot_id), "%s", report_read_text(node, "boot_id"));
		if (count < RUN_SESSIONS_MAX - 2)
			count++;
	}
	plan->sessions[count++] = own;
	plan->session_count = count;
}

static void take_record(const struct report_node *node, struct run_step *step)
{
	const char *number = report_read_attribute(node, "number"), *state = report_read_attribute(node, "state");
	struct run_record record = {.exit_status = -1};
	uint64_t index, value;
	double seconds;

	if (!number || units_parse_u64(number, 1, step->runs, &index) || !state ||
		!run_state_parse(state, &record.state) || !run_state_is_final(record.state))
		return;
	snprintf(record.wall_start, sizeof(record.wall_start), "%s", report_read_text(node, "wall_start"));
	snprintf(record.reason, sizeof(record.reason), "%s", report_read_text(node, "reason"));
	if (!report_read_double(node, "seconds", &seconds))
		record.seconds = seconds;
	if (!report_read_u64(node, "exit_status", &value) && value < 256)
		record.exit_status = (int)value;
	record.has_usage = report_read_find(node, "usage");
#define RUN_USAGE_READ(name) \
	if (record.has_usage && !report_read_u64(node, "usage/" #name, &value)) \
		record.usage.name = value;
	RUN_USAGE_FIELDS(RUN_USAGE_READ)
	if (!report_read_u64(node, "suites_beside", &value) && value < 1000)
		record.others = (unsigned)value;
	step->records[index - 1] = record;
}

static void take_steps(const struct report_node *root, struct run_plan *plan)
{
	const struct report_node *node = report_read_find(root, "steps/step");

	for (; node; node = report_read_next(node)) {
		const char *name = report_read_attribute(node, "name");

		for (size_t i = 0; name && i < plan->step_count; i++) {
			const struct report_node *run = report_read_find(node, "run");

			for (; run && !strcmp(plan->steps[i].name, name); run = report_read_next(run))
				take_record(run, &plan->steps[i]);
		}
	}
}

int index_take_over(const char *path, const char *name, struct run_plan *plan)
{
	struct comparison comparison = {.path = name};
	struct report_document *document;
	const struct report_node *root, *options;
	const char *version, *cpu = plan->machine.cpu_model[0] ? plan->machine.cpu_model : "unsupported";
	char why[512], *text;
	size_t size;
	int err = report_read_bytes(path, &text, &size, why, sizeof(why));

	if (!err) {
		err = report_read_named(name, text, size, &document, why, sizeof(why));
		free(text);
	}
	if (err)
		return diag_usage("%s", why);
	root = report_read_root(document);
	version = report_read_attribute(root, "version");
	options = report_read_find(root, "run_options");
	/* Only the first refusal is printed. */
	if (strcmp(root->name, "memstorrun") || !version)
		refuse(&comparison, "is not an index of memstor run");
	else if (strncmp(version, "1.", 2))
		refuse(&comparison, "has version %s, known is " INDEX_VERSION, version);
	compare_text(&comparison, "the suite", report_read_text(root, "suite"), plan->text.name);
	compare_text(&comparison, "memstor", report_read_text(root, "tool_version"), PACKAGE_VERSION);
	if (!options)
		refuse(&comparison, "has no run_options");
	for (size_t row = 0; row < GIVENS && !comparison.code; row++)
		compare_given(&comparison, options, plan->options, row);
	compare_text(&comparison, "the host", report_read_text(root, "host/hostname"), plan->machine.hostname);
	compare_text(&comparison, "the kernel", report_read_text(root, "host/release"), plan->machine.os_release);
	compare_text(&comparison, "the CPU", report_read_text(root, "machine_info/modelname"), cpu);
	if (!comparison.code) {
		take_sessions(root, plan);
		take_steps(root, plan);
	}
	report_read_free(document);
	return comparison.code;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints three tables (facts, conditions that would disturb a measurement, tools) as text and as JSON (docs/doctor.md). */
#include "config.h"
#include "doctor/doctor.h"

#include <errno.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/cli/table.h"

static const struct {
	const char *name, *title;
} groups[DOCTOR_GROUPS] = {
	[DOCTOR_GROUP_MACHINE] = {"machine", "Machine"},
	[DOCTOR_GROUP_PRESSURE] = {"pressure", "Limited memory and swap"},
	[DOCTOR_GROUP_STORAGE] = {"storage", "Storage"},
	[DOCTOR_GROUP_TRACING] = {"tracing", "Tracing"},
};

static const char *const colours[] = {
	[PROBE_OK] = "\033[32m", [PROBE_NOTE] = "\033[36m", [PROBE_LIMITED] = "\033[33m", [PROBE_MISSING] = "\033[1;31m"};

/* --- facts ---------------------------------------------------------------------------------------------- */

struct fact {
	const char *code, *group, *status;
	const char *tools[8];
	const struct probe_answer *answer;
	const char *path, *value, *meaning, *fix; /* of the answer */
};

/* The command, a line that begins with a tab, is not wrapped, so that it can be copied. */
static void show_finding(const void *row, char *text, size_t length)
{
	const struct probe_answer *answer = ((const struct fact *)row)->answer;

	snprintf(text, length, "%.200s%s%s%s%s%s%s", answer->path ? answer->path : "", answer->path ? ": " : "",
		answer->value, answer->meaning[0] ? "\n" : "", answer->meaning, answer->fix[0] ? "\n\tfix: " : "",
		answer->fix);
}

#define AT(member) .offset = offsetof(struct fact, member)
#define TEXT TABLE_STRING, TABLE_JSON | TABLE_OMIT
static const struct table_column facts[] = {
	{"code", TEXT, AT(code), .heading = "fact"},
	{"group", TEXT, AT(group)},
	{"path", TEXT, AT(path)},
	{"status", TEXT, AT(status)},
	{"value", TEXT, AT(value)},
	{"tools", TABLE_WORDS, TABLE_JSON, AT(tools)},
	{"meaning", TEXT, AT(meaning)},
	{"fix", TEXT, AT(fix)},
	{"finding", TABLE_STRING, TABLE_WRAP, .show = show_finding},
	{0},
};
#undef AT
#define STATUS 3 /* index of the column */

/* --- conditions that would disturb a measurement now ----------------------------------------------------- */

static void show_check(const void *row, char *text, size_t length)
{
	const struct machine_check *check = row;

	snprintf(text, length, "%s\n%s", check->value, check->advice);
}

#define AT(member) .offset = offsetof(struct machine_check, member)
static const struct table_column checks[] = {
	{"code", TABLE_CHARS, TABLE_JSON | TABLE_OMIT | TABLE_SHOWN, AT(code), .heading = "check"},
	{"measured", TABLE_CHARS, TABLE_JSON | TABLE_OMIT, AT(value)},
	{"advice", TABLE_CHARS, TABLE_JSON | TABLE_OMIT, AT(advice)},
	{"finding", TABLE_STRING, TABLE_SHOWN | TABLE_WRAP, .show = show_check},
	{0},
};
#undef AT

/* --- tools ---------------------------------------------------------------------------------------------- */

struct decided {
	const char *name, *job, *status_name;
	bool is_built;
	const char *needs[5];
	const struct doctor_result *result;
	const struct doctor_tool *tool;
	enum probe_status status;
};

static void show_tool_status(const void *row, char *text, size_t length)
{
	const struct decided *decided = row;

	snprintf(text, length, "%s", decided->is_built ? decided->status_name : "planned");
}

/* Writes the job, and below it "limited by: thp, swap", each code once, or "cannot without: ...". */
static void show_job(const void *row, char *text, size_t length)
{
	const struct decided *decided = row;
	const char *last = "";
	size_t used = (size_t)snprintf(text, length, "%s", decided->tool->job);

	if (!decided->tool->is_built || decided->status == PROBE_OK)
		return;
	used += (size_t)snprintf(text + used, length - used, "\n%s",
		decided->status == PROBE_LIMITED ? "limited by:" : "cannot without:");
	for (size_t i = 0; decided->needs[i] && used < length; i++)
		used += (size_t)snprintf(text + used, length - used, "%s %s", i ? "," : "", decided->needs[i]);
	for (size_t i = 0; i < decided->result->finding_count && decided->status == PROBE_LIMITED && used < length; i++) {
		const struct doctor_finding *finding = &decided->result->findings[i];

		if (!(finding->row->tools & decided->tool->bit) || finding->answer.status <= PROBE_NOTE ||
			!strcmp(last, finding->row->code))
			continue;
		used += (size_t)snprintf(text + used, length - used, "%s %s", *last ? "," : "", finding->row->code);
		last = finding->row->code;
	}
}

#define AT(member) .offset = offsetof(struct decided, member)
static const struct table_column tool_columns[] = {
	{"name", TEXT, AT(name), .heading = "tool"},
	{"is_built", TABLE_TRUTH, TABLE_JSON, AT(is_built)},
	{"status", TEXT, AT(status_name), .show = show_tool_status},
	{"job", TABLE_STRING, TABLE_JSON | TABLE_WRAP, AT(job), .show = show_job},
	{"missing", TABLE_WORDS, TABLE_JSON, AT(needs)},
	{0},
};
#undef AT
#define TOOL_STATUS 2

/* -------------------------------------------------------------------------------------------------------- */

static void print_json(FILE *out, const struct doctor_result *result, const struct table *fact_table,
	const struct table *check_table, const struct table *tool_table)
{
	const struct machine *machine = result->machine;
	const struct {
		const char *name, *value;
	} host[] = {{"hostname", machine->hostname}, {"os_name", machine->os_name}, {"release", machine->os_release},
		{"arch", machine->arch}, {"cpu", machine->cpu_model}, {"hypervisor", machine->hypervisor}};
	struct json json = {.out = out};

	json_begin(&json, NULL, '{');
	json_text(&json, "doctor_version", DOCTOR_FORMAT);
	json_text(&json, "program", "memstor");
	json_text(&json, "version", PACKAGE_VERSION);
	json_begin(&json, "host", '{');
	json_whole(&json, "cpus", machine->threads);
	json_whole(&json, "memory_bytes", machine->memory_bytes);
	for (size_t i = 0; i < sizeof(host) / sizeof(host[0]); i++) {
		if (host[i].value[0])
			json_text(&json, host[i].name, host[i].value);
	}
	json_end(&json, '}');
	table_print_json(fact_table, "facts", &json);
	table_print_json(check_table, "now", &json);
	table_print_json(tool_table, "tools", &json);
	json_whole(&json, "exit_status", (uint64_t)doctor_exit_code(result));
	json_end(&json, '}');
}

static int print_text(FILE *out, const struct doctor_result *result, const struct table *fact_table,
	const struct table *check_table, const struct table *tool_table)
{
	const struct machine *machine = result->machine;
	char line[1024];
	int err = 0;

	snprintf(line, sizeof(line), "%s: %s %s, %s, %s, %u CPU%s%s%s", machine->hostname[0] ? machine->hostname : "this host",
		machine->os_name, machine->os_release, machine->arch,
		machine->cpu_model[0] ? machine->cpu_model : "unknown CPU", machine->threads,
		machine->threads == 1 ? "" : "s", machine->hypervisor[0] ? ", guest of " : "", machine->hypervisor);
	(void)utf8_wrap(out, 0, 0, fact_table->width ? fact_table->width : table_width(), line);
	putc('\n', out);
	for (size_t first = 0, end; first < result->finding_count && !err; first = end) {
		enum doctor_group group = result->findings[first].row->group;

		for (end = first; end < result->finding_count && result->findings[end].row->group == group;)
			end++;
		fprintf(out, "\n%s\n", groups[group].title);
		err = table_print_part(fact_table, first, end, first == 0, out);
	}
	fputs("\nWhat disturbs measurements now\n", out);
	if (!result->check_count)
		fputs("  nothing was found\n", out);
	else if (!err)
		err = table_print(check_table, out);
	fputs("\nTools\n", out);
	return err ? err : table_print(tool_table, out);
}

int doctor_check_columns(const char *columns, char *why, size_t length)
{
	struct table table = {.columns = facts};

	return table_choose(&table, columns, why, length);
}

int doctor_print(FILE *out, const struct doctor_result *result, const struct doctor_output *output)
{
	struct table fact_table = {.columns = facts, .coloured = STATUS, .width = output->width, .indent = 2,
		.has_no_headings = output->has_no_headings};
	struct table check_table = {.columns = checks, .width = output->width, .indent = 2,
		.has_no_headings = output->has_no_headings};
	struct table tool_table = {.columns = tool_columns, .coloured = TOOL_STATUS, .width = output->width, .indent = 2,
		.has_no_headings = output->has_no_headings};
	struct decided decided[8];
	struct fact rows[DOCTOR_FINDINGS];
	size_t count;
	const struct doctor_tool *tools = doctor_tools(&count);
	char why[TABLE_TEXT];
	int err = 0;

	for (size_t i = 0; i < result->finding_count && !err; i++) {
		const struct doctor_finding *finding = &result->findings[i];
		const struct probe_answer *answer = &finding->answer;
		size_t used = 0;

		rows[i] = (struct fact){.code = finding->row->code, .group = groups[finding->row->group].name,
			.status = probe_status_name(answer->status), .answer = answer, .path = answer->path,
			.value = answer->value, .meaning = answer->meaning, .fix = answer->fix};
		for (size_t k = 0; k < count; k++) {
			if (finding->row->tools & tools[k].bit)
				rows[i].tools[used++] = tools[k].name;
		}
		err = table_add(&fact_table, &rows[i], output->is_coloured ? colours[answer->status] : "");
	}
	for (size_t i = 0; i < result->check_count && !err; i++)
		err = table_add(&check_table, &result->checks[i], "");
	for (size_t i = 0; i < count && !err; i++) {
		decided[i] = (struct decided){.name = tools[i].name, .job = tools[i].job, .is_built = tools[i].is_built,
			.result = result, .tool = &tools[i]};
		decided[i].status = doctor_decide(result, &tools[i], decided[i].needs);
		decided[i].status_name = probe_status_name(decided[i].status);
		err = table_add(&tool_table, &decided[i],
			output->is_coloured && tools[i].is_built ? colours[decided[i].status] : "");
	}
	if (!err && !output->is_json) {
		(void)table_choose(&fact_table, "status,code,finding", why, sizeof(why));
		(void)table_choose(&tool_table, "status,name,job", why, sizeof(why));
	}
	if (!err && output->columns) {
		fact_table.indent = 0;
		err = table_choose(&fact_table, output->columns, why, sizeof(why));
	}
	if (!err && output->is_json)
		print_json(out, result, &fact_table, &check_table, &tool_table);
	else if (!err && output->columns)
		err = table_print(&fact_table, out);
	else if (!err)
		err = print_text(out, result, &fact_table, &check_table, &tool_table);
	table_free(&fact_table);
	table_free(&check_table);
	table_free(&tool_table);
	return err;
}

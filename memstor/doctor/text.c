/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For people: 80 columns, but for commands, which are there to be copied. */
#include "config.h"
#include "memstor/doctor/doctor.h"

#include <string.h>
#include "common/diag.h"

#define COLUMNS 80
#define INDENT 11       /* below the code: what follows from a finding */
#define VALUE_COLUMN 31

static const char *const titles[DOCTOR_GROUPS] = {
	[DOCTOR_GROUP_MACHINE] = "Machine",
	[DOCTOR_GROUP_PRESSURE] = "Little memory, and swap",
	[DOCTOR_GROUP_STORAGE] = "Storage",
	[DOCTOR_GROUP_TRACING] = "Tracing",
	[DOCTOR_GROUP_PICTURES] = "Pictures",
};

/* Words between blanks; the first line begins in column at, others behind indent blanks. Ends the line. */
static void wrap(FILE *out, size_t at, size_t indent, const char *text)
{
	while (*text) {
		size_t length = strcspn(text, " ");

		if (at > indent && at + 1 + length > COLUMNS) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (at > indent) {
			putc(' ', out);
			at++;
		}
		fprintf(out, "%.*s", (int)length, text);
		at += length;
		text += length + strspn(text + length, " ");
	}
	putc('\n', out);
}

static void wrap_below(FILE *out, const char *text)
{
	fprintf(out, "%*s", INDENT, "");
	wrap(out, INDENT, INDENT, text);
}

static void print_status(FILE *out, const char *word, enum doctor_status status, bool is_coloured)
{
	static const char *const colours[] = {
		[DOCTOR_OK] = "\033[32m", [DOCTOR_NOTE] = "\033[36m", [DOCTOR_LIMITED] = "\033[33m",
		[DOCTOR_MISSING] = "\033[1;31m"};

	bool has_colour = is_coloured && status != DOCTOR_NOTHING;

	fputs("  ", out);
	diag_colour(out, has_colour ? colours[status] : "");
	fputs(word, out);
	diag_colour(out, has_colour ? "\033[0m" : "");
	fprintf(out, "%*s", (int)(9 - strlen(word)), "");
}

static void print_finding(FILE *out, const struct doctor_finding *finding, bool is_coloured)
{
	char value[sizeof(finding->value) + 512];

	print_status(out, doctor_status_name(finding->status), finding->status, is_coloured);
	fprintf(out, "%-19s ", finding->row->code);
	snprintf(value, sizeof(value), "%s%s%s", finding->path ? finding->path : "", finding->path ? ": " : "",
		finding->value);
	diag_clean(value, strlen(value), "");
	wrap(out, VALUE_COLUMN, VALUE_COLUMN, value);
	if (finding->meaning[0])
		wrap_below(out, finding->meaning);
	if (finding->mend[0])
		fprintf(out, "%*smend: %s\n", INDENT, "", finding->mend);
}

static void print_host(FILE *out, const struct machine *machine)
{
	char line[1024];

	snprintf(line, sizeof(line), "%s: %s %s, %s, %s, %u CPU%s%s%s", machine->hostname[0] ? machine->hostname : "this host",
		machine->os_name, machine->os_release, machine->arch,
		machine->cpu_model[0] ? machine->cpu_model : "unknown CPU", machine->threads,
		machine->threads == 1 ? "" : "s", machine->hypervisor[0] ? ", guest of " : "", machine->hypervisor);
	wrap(out, 0, 0, line);
}

/* "limited by: thp, swap", each code once. */
static void print_limits(FILE *out, const struct doctor_result *result, const struct doctor_tool *tool)
{
	const char *last = "";
	char line[512] = "limited by:";
	size_t used = strlen(line);

	for (size_t i = 0; i < result->finding_count; i++) {
		const struct doctor_finding *finding = &result->findings[i];

		if (!(finding->row->tools & tool->bit) || finding->status <= DOCTOR_NOTE || !strcmp(last, finding->row->code))
			continue;
		used += (size_t)snprintf(line + used, sizeof(line) - used, "%s %s", *last ? "," : "", finding->row->code);
		if (used >= sizeof(line))
			break;
		last = finding->row->code;
	}
	wrap_below(out, line);
}

static void print_tool(FILE *out, const struct doctor_result *result, const struct doctor_tool *tool, bool is_coloured)
{
	const char *needs[5];
	enum doctor_status status = doctor_judge(result, tool, needs);

	if (!tool->is_built) {
		print_status(out, "planned", DOCTOR_NOTHING, is_coloured);
		fprintf(out, "%-19s %s\n", tool->name, tool->job);
		return;
	}
	print_status(out, doctor_status_name(status), status, is_coloured);
	fprintf(out, "%-19s %s\n", tool->name, tool->job);
	if (status == DOCTOR_LIMITED)
		print_limits(out, result, tool);
	if (status != DOCTOR_MISSING)
		return;
	fprintf(out, "%*scannot without:", INDENT, "");
	for (size_t i = 0; needs[i]; i++)
		fprintf(out, "%s %s", i ? "," : "", needs[i]);
	putc('\n', out);
}

void doctor_print_text(FILE *out, const struct doctor_result *result, bool is_coloured)
{
	enum doctor_group group = DOCTOR_GROUPS;
	size_t count;
	const struct doctor_tool *tools = doctor_tools(&count);

	print_host(out, result->machine);
	for (size_t i = 0; i < result->finding_count; i++) {
		const struct doctor_finding *finding = &result->findings[i];

		if (finding->row->group != group)
			fprintf(out, "\n%s\n", titles[finding->row->group]);
		group = finding->row->group;
		print_finding(out, finding, is_coloured);
	}
	fputs("\nWhat would spoil a measurement now\n", out);
	for (size_t i = 0; i < result->check_count; i++) {
		fprintf(out, "  %-28s ", result->checks[i].code);
		wrap(out, VALUE_COLUMN, VALUE_COLUMN, result->checks[i].value);
		wrap_below(out, result->checks[i].advice);
	}
	if (!result->check_count)
		fputs("  nothing was found\n", out);
	fputs("\nTools\n", out);
	for (size_t i = 0; i < count; i++)
		print_tool(out, result, &tools[i], is_coloured);
}

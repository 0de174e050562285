/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For programs; docs/doctor.md is the contract. What there is nothing to say about has no member. */
#include "config.h"
#include "memstor/doctor/doctor.h"

#include "common/utf8.h"

/* Paths may be any bytes: those that are no UTF-8 become "?". */
static void print_string(FILE *out, const char *text)
{
	putc('"', out);
	while (*text) {
		uint32_t code;
		size_t length = utf8_decode(text, UTF8_UP_TO_NUL, &code);

		if (utf8_is_surrogate(code))
			length = 0;
		if (!length)
			putc('?', out);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else if (code < ' ' || code == 0x7f)
			fprintf(out, "\\u%04x", code);
		else
			fwrite(text, 1, length, out);
		text += length ? length : 1;
	}
	putc('"', out);
}

/* ,\n and the member, unless it is empty. */
static void print_member(FILE *out, const char *indent, const char *name, const char *text)
{
	if (!text || !*text)
		return;
	fprintf(out, ",\n%s\"%s\": ", indent, name);
	print_string(out, text);
}

static void print_words(FILE *out, const char *const *words)
{
	putc('[', out);
	for (size_t i = 0; words[i]; i++) {
		fputs(i ? ", " : "", out);
		print_string(out, words[i]);
	}
	putc(']', out);
}

static void print_tool_names(FILE *out, unsigned bits)
{
	const char *names[8];
	size_t count, used = 0;
	const struct doctor_tool *tools = doctor_tools(&count);

	for (size_t i = 0; i < count; i++) {
		if (bits & tools[i].bit)
			names[used++] = tools[i].name;
	}
	names[used] = NULL;
	print_words(out, names);
}

static void print_finding(FILE *out, const struct doctor_finding *finding)
{
	fprintf(out, "\t\t{\n\t\t\t\"code\": \"%s\",\n\t\t\t\"group\": \"%s\"", finding->row->code,
		doctor_group_name(finding->row->group));
	print_member(out, "\t\t\t", "path", finding->path);
	fprintf(out, ",\n\t\t\t\"status\": \"%s\"", doctor_status_name(finding->status));
	print_member(out, "\t\t\t", "value", finding->value);
	fputs(",\n\t\t\t\"tools\": ", out);
	print_tool_names(out, finding->row->tools);
	print_member(out, "\t\t\t", "meaning", finding->meaning);
	print_member(out, "\t\t\t", "mend", finding->mend);
	fputs("\n\t\t}", out);
}

static void print_tool(FILE *out, const struct doctor_result *result, const struct doctor_tool *tool)
{
	const char *needs[5];
	enum doctor_status status = doctor_judge(result, tool, needs);

	fprintf(out, "\t\t{\n\t\t\t\"name\": \"%s\",\n\t\t\t\"is_built\": %s,\n\t\t\t\"status\": \"%s\",\n\t\t\t\"job\": ",
		tool->name, tool->is_built ? "true" : "false", doctor_status_name(status));
	print_string(out, tool->job);
	fputs(",\n\t\t\t\"missing\": ", out);
	print_words(out, needs);
	fputs("\n\t\t}", out);
}

static void print_host(FILE *out, const struct machine *machine)
{
	fputs("\t\"host\": {\n\t\t\"cpus\": ", out);
	fprintf(out, "%u,\n\t\t\"memory_bytes\": %llu", machine->threads, (unsigned long long)machine->memory_bytes);
	print_member(out, "\t\t", "hostname", machine->hostname);
	print_member(out, "\t\t", "os_name", machine->os_name);
	print_member(out, "\t\t", "release", machine->os_release);
	print_member(out, "\t\t", "arch", machine->arch);
	print_member(out, "\t\t", "cpu", machine->cpu_model);
	print_member(out, "\t\t", "hypervisor", machine->hypervisor);
	fputs("\n\t},\n", out);
}

static void print_checks(FILE *out, const struct doctor_result *result)
{
	fputs("\t\"now\": [", out);
	for (size_t i = 0; i < result->check_count; i++) {
		fprintf(out, "%s\n\t\t{\n\t\t\t\"code\": \"%s\"", i ? "," : "", result->checks[i].code);
		print_member(out, "\t\t\t", "measured", result->checks[i].value);
		print_member(out, "\t\t\t", "advice", result->checks[i].advice);
		fputs("\n\t\t}", out);
	}
	fprintf(out, "%s],\n", result->check_count ? "\n\t" : "");
}

void doctor_print_json(FILE *out, const struct doctor_result *result)
{
	size_t count;
	const struct doctor_tool *tools = doctor_tools(&count);

	fprintf(out, "{\n\t\"doctor_version\": \"" DOCTOR_FORMAT "\",\n\t\"program\": \"memstor\",\n\t\"version\": \"%s\",\n",
		PACKAGE_VERSION);
	print_host(out, result->machine);
	fputs("\t\"facts\": [", out);
	for (size_t i = 0; i < result->finding_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		print_finding(out, &result->findings[i]);
	}
	fputs("\n\t],\n", out);
	print_checks(out, result);
	fputs("\t\"tools\": [", out);
	for (size_t i = 0; i < count; i++) {
		fputs(i ? ",\n" : "\n", out);
		print_tool(out, result, &tools[i]);
	}
	fprintf(out, "\n\t],\n\t\"exit_status\": %d\n}\n", doctor_exit_code(result));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For programs; docs/doctor.md is the contract. What there is nothing to say about has no member. */
#include "config.h"
#include "memstor/doctor/doctor.h"

#include <string.h>

/* The length of the UTF-8 sequence at text, 0 when there is none. Overlong forms, surrogates and what lies above U+10FFFF
 * are none. */
static size_t sequence_length(const unsigned char *text)
{
	static const struct {
		unsigned char first, last, second, second_last;
		size_t length;
	} forms[] = {
		{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
		{0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		size_t length = 2;

		if (text[0] < forms[i].first || text[0] > forms[i].last || text[1] < forms[i].second ||
			text[1] > forms[i].second_last)
			continue;
		while (length < forms[i].length && text[length] >= 0x80 && text[length] <= 0xbf)
			length++;
		return length == forms[i].length ? length : 0;
	}
	return 0;
}

/* Paths may be any bytes: those that are no UTF-8 become "?". */
static void print_string(FILE *out, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	putc('"', out);
	while (*at) {
		size_t length = *at < 0x80 ? 1 : sequence_length(at);

		if (*at == '"' || *at == '\\')
			fprintf(out, "\\%c", *at);
		else if (*at < ' ' || *at == 0x7f)
			fprintf(out, "\\u%04x", *at);
		else if (length)
			fwrite(at, 1, length, out);
		else
			putc('?', out);
		at += length ? length : 1;
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

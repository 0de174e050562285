/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor validate: checks a report by the schema, then by the laws. */
#include "config.h"
#include "memstor/commands.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/report_validate.h"
#include "memstor/embedded.h"
#include "memstor/inputs.h"
#include "memstor/loaded/loaded.h"
#include "memstor/validate/laws.h"
#include "memstor/workers.h"

#define FINDINGS_MAX 20 /* printed, of each file */

struct arguments {
	struct inputs inputs;
	const char *schema;
	bool is_quiet;
	int code; /* the worst so far */
};

struct findings {
	FILE *out;
	const char *path;
	unsigned long count;
};

/* A line: names of files and what is in them may be made for a terminal. */
static void __attribute__((format(printf, 2, 3))) say(FILE *out, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	diag_clean(text, (size_t)length, "");
	fputs(text, out);
	putc('\n', out);
	free(text);
}

static void print_finding(void *data, unsigned line, const char *text)
{
	struct findings *findings = data;

	if (findings->count++ < FINDINGS_MAX)
		say(findings->out, "%s:%u: %s", findings->path, line, text);
}

static int refuse(const char *why, int err)
{
	diag_error(0, "%s", why);
	return err == -ENOMEM ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
}

/* 2 says more than 1, and no host problem is hidden. */
static void worsen(int *code, int other)
{
	if (other > *code)
		*code = other;
}

struct job {
	const struct report_schema *schema;
	bool is_quiet;
};

/* Checks a file by the schema, and if it obeys that by the laws. */
static int validate_file(void *data, const char *path, FILE *out)
{
	const struct job *job = data;
	struct findings findings = {out, path, 0};
	struct report_document *document = NULL;
	struct loaded *loaded;
	char *text = NULL, why[512];
	bool is_report = true;
	size_t size;
	int err = report_read_bytes(path, &text, &size, why, sizeof(why));

	if (!err)
		err = report_read_named(path, text, size, &document, why, sizeof(why));
	/* What iowrite-bench calibrate writes is no report, but has the same schema, which says all there is to say. */
	if (!err)
		is_report = strcmp(report_read_root(document)->name, "iowritesystem") != 0;
	if (!err && is_report)
		err = loaded_recognise(document, path, why, sizeof(why));
	if (!err) {
		err = report_validate(job->schema, text, size, print_finding, &findings);
		if (err)
			snprintf(why, sizeof(why), "%s: %s", path, strerror(-err));
	}
	free(text);
	if (err || findings.count || !is_report) {
		report_read_free(document);
	} else {
		err = loaded_make(document, path, LOADED_SERIES, &loaded, why, sizeof(why));
		if (!err) {
			validate_laws(loaded, print_finding, &findings);
			loaded_free(loaded);
		} else if (err == -EBADMSG) {
			/* That it is a report is known: what is refused is a finding. */
			findings.count++;
			say(out, "%s", why);
			err = 0;
		}
	}
	if (err)
		return refuse(why, err);
	if (findings.count > FINDINGS_MAX)
		say(out, "%s: %lu findings in all", path, findings.count);
	else if (!findings.count && !job->is_quiet)
		say(out, "%s: valid", path);
	return findings.count ? DIAG_EXIT_NEGATIVE : DIAG_EXIT_OK;
}

static int load_schema(const char *path, struct report_schema **schema)
{
	struct embedded embedded = embedded_schema();
	char *text = NULL, why[512];
	size_t size;
	int err = path ? report_read_bytes(path, &text, &size, why, sizeof(why)) : 0;

	if (!err && path)
		err = report_schema_new(text, size, path, schema, why, sizeof(why));
	else if (!err)
		err = report_schema_new(
			embedded.text, embedded.size, "memstor-report.xsd", schema, why, sizeof(why));
	free(text);
	return err ? refuse(why, err) : DIAG_EXIT_OK;
}

static int take(void *data, const char *text, bool is_behind)
{
	struct arguments *arguments = data;

	(void)is_behind;
	/* The other files are validated all the same. */
	worsen(&arguments->code, inputs_add(&arguments->inputs, text));
	return DIAG_EXIT_OK;
}

static int check(void *data, struct opt_line *line)
{
	const struct arguments *arguments = data;

	(void)line;
	if (arguments->inputs.count || arguments->code)
		return DIAG_EXIT_OK;
	return diag_usage("no FILE given: memstor validate FILE... (reports, or folders of them)");
}

static int run(const struct command *command, int argc, char **argv)
{
	struct arguments arguments = {.code = DIAG_EXIT_OK};
	struct report_schema *schema = NULL;
	struct opt_line line;
	int code = command_parse(command, argc, argv, &arguments, &line, NULL);

	if (!code)
		code = load_schema(arguments.schema, &schema);
	if (!code) {
		struct job job = {schema, arguments.is_quiet};
		struct workers workers = {validate_file, &job, stdout, false};

		worsen(&arguments.code,
			workers_run(&workers, arguments.inputs.paths, arguments.inputs.count, workers_default()));
	}
	report_schema_free(schema);
	inputs_free(&arguments.inputs);
	opt_free(&line);
	return code ? code : arguments.code;
}

static const struct opt rows[] = {
	{"quiet", 'q', NULL, OPT_FLAG, .offset = offsetof(struct arguments, is_quiet),
		.help = "print no line for valid files"},
	{"schema", 's', "FILE", OPT_STRING, .offset = offsetof(struct arguments, schema),
		.help = "validate against this schema (XSD) instead of the built-in one",
		.manual =
"Validate against the schema FILE (XSD) instead of the built-in one.\n"
"It must be one file, without xs:include and the like."},
	{0},
};

const struct command command_validate = {
	.program = &memstor_program,
	.name = "validate",
	.arguments = "FILE...",
	.summary = "check reports against the schema",
	.doc = "Checks each report against the schema, and checks that its numbers are consistent. Prints a line FILE:LINE: for "
	       "each finding, 20 at most, or FILE: valid.",
	.examples = "  memstor validate report.xml\n"
		    "  memstor validate --quiet results/\n",
	.notes = "Status: 0 all are valid, 1 some are not, 2 some are not reports or cannot be read.",
	.options = rows,
	.take = take,
	.check = check,
	.run = run,
};

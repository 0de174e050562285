/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memstor merge: merges reports into one. */
#include "config.h"
#include "memstor/merge/private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "memstor/commands.h"
#include "memstor/inputs.h"

int merge_new(unsigned flags, struct merge **merge)
{
	struct merge *new = calloc(1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	new->flags = flags;
	new->end = INT64_MIN;
	*merge = new;
	return 0;
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	loaded_free(merge->first);
	for (size_t i = 0; i < merge->parts.count; i++)
		report_read_free(merge->parts.items[i].document);
	free(merge->parts.items);
	for (size_t i = 0; i < merge->histogram_count; i++)
		metric_merge_free(&merge->histograms[i].sum);
	free(merge->histograms);
	free(merge->types);
	free(merge->numbers);
	free(merge->omissions);
	free(merge->notes);
	arena_free(&merge->arena);
	free(merge);
}

int merge_add(struct merge *merge, struct loaded *loaded, char *why, size_t length)
{
	const struct report_node *root = report_read_root(loaded->document), *report = report_read_find(root, "report");
	int64_t end = merge_original_end(report);
	bool is_first = !merge->first;
	const char *first;
	int err = 0;

	if (length)
		why[0] = '\0';
	merge->path = loaded->path;
	merge->why = why;
	merge->length = length;
	if (is_first)
		merge->first = loaded;
	first = report_read_root(merge->first->document)->name;
	if (strcmp(root->name, first))
		err = merge_refuse(merge, -EINVAL, NULL, "<%.40s>, but <%.40s> in %s: reports of different tools cannot be merged",
			root->name, first, merge->first->path);
	merge->is_last = end > merge->end;
	merge->end = merge->is_last ? end : merge->end;
	merge->adds_original = loaded->is_original;
	merge->is_original |= loaded->is_original;
	if (!err)
		err = merge_add_parts(merge, loaded);
	if (!err)
		err = merge_add_tree(merge, report);
	if (!err)
		err = merge_add_histograms(merge, loaded);
	merge->inputs++;
	if (merge->arena.is_short)
		err = -ENOMEM;
	if (err == -ENOMEM)
		merge_refuse(merge, err, NULL, "%s", strerror(ENOMEM));
	merge->path = merge->why = NULL;
	merge->length = 0;
	if (!is_first)
		loaded_free(loaded);
	return err;
}

const char *merge_status(const struct merge *merge)
{
	const char *worst = "ok";

	for (size_t i = 0; i < merge->parts.count; i++) {
		const char *status = merge->parts.items[i].status;

		if (strcmp(status, "untrustworthy") == 0)
			return "untrustworthy";
		if (strcmp(status, "interrupted") == 0)
			worst = "interrupted";
	}
	return worst;
}

const char *merge_note(const struct merge *merge, size_t index)
{
	return index < merge->note_count ? merge->notes[index] : NULL;
}

/* --- the command --- */

struct options {
	struct inputs inputs;
	const char *output;
	bool may_differ;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
	{"output", 'o', "FILE", OPT_STRING, OPT_OUTPUT, .offset = AT(output), .begins = "<?xml", .preset = "-",
		.help = "write to FILE; - is standard output",
		.manual = "Writes the merged report to FILE, which appears only when it is complete. `-` is "
			  "standard output."},
	{"allow-different", 0, NULL, OPT_FLAG, .offset = AT(may_differ), .help = "merge runs with different options",
		.manual = "Merges runs with different options. The merged report's `options` are then those that "
			  "all runs share."},
	{"file", 0, "FILE", OPT_OWN, OPT_ARGUMENT | OPT_REPEATS, AT(inputs), .set = inputs_set},
	{0},
};

static int check(void *data, struct opt_line *line)
{
	const struct options *options = data;

	(void)line;
	if (options->inputs.count)
		return DIAG_EXIT_OK;
	return diag_usage("no FILE given: name the reports to merge, or a folder of them");
}

static int write_merged(struct merge *merge, const char *output)
{
	struct report_document *document = NULL;
	struct report *report;
	const char *text;
	char why[256];
	size_t size;
	int code = DIAG_EXIT_HOST;
	int err = merge_report(merge, &report);

	if (err)
		return diag_host(err, "cannot make the merged report");
	/* What is written for others to read must be readable. */
	err = report_document(report, &text, &size);
	if (!err)
		err = report_read_memory(text, size, &document, why, sizeof(why));
	report_read_free(document);
	if (err == -EBADMSG) {
		code = diag_usage("the merged report would not be valid: %s: merge fewer files", why);
		goto out;
	}
	if (err) {
		diag_error(err, "cannot make the merged report");
		goto out;
	}
	err = report_write_xml(report, output);
	if (err) {
		diag_error(err, "-o %s: the report could not be written", output);
		goto out;
	}
	for (size_t i = 0; merge_note(merge, i); i++)
		diag_warn("%s", merge_note(merge, i));
	code = DIAG_EXIT_OK;
	if (strcmp(merge_status(merge), "ok") != 0) {
		diag_warn("the merged report is %s: its verdict says why", merge_status(merge));
		code = DIAG_EXIT_UNTRUSTED;
	}
out:
	report_free(report);
	return code;
}

static int merge_files(const struct options *options)
{
	struct merge *merge;
	int code = DIAG_EXIT_OK, err;

	err = merge_new(options->may_differ ? MERGE_ALLOW_DIFFERENT : 0, &merge);
	if (err)
		return diag_host(err, "cannot merge");
	for (size_t i = 0; i < options->inputs.count && !code; i++) {
		struct loaded *loaded;
		char why[512];

		code = loaded_read(options->inputs.paths[i], 0, &loaded);
		err = code ? 0 : merge_add(merge, loaded, why, sizeof(why));
		if (err) {
			diag_error(0, "%s", why);
			code = err == -ENOMEM ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
		}
	}
	if (!code)
		code = write_merged(merge, options->output);
	merge_free(merge);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct options options = {0};
	struct opt_line line;
	int code = command_parse(command, argc, argv, &options, &line, NULL);

	if (!code)
		code = merge_files(&options);
	inputs_free(&options.inputs);
	opt_free(&line);
	return code;
}

const struct command command_merge = {
	.program = &memstor_program,
	.name = "merge",
	.arguments = "FILE...",
	.summary = "add up the histograms of several reports",
	.doc = "Merges reports of the same tool into one: of processes and hosts that ran concurrently, or of repeated "
	       "runs. Histograms are added exactly; the report lists the source of each part.",
	.options = rows,
	.check = check,
	.run = run,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of memtrace: its subcommands, the descriptions of placeholders in their help, and the frame of their reports. */
#include "config.h"
#include "memtrace/commands.h"

#include <errno.h>

#include "common/base/diag.h"
#include "memtrace/analyze/analysis.h"

static const struct completion_noun nouns[] = {
	{"ANALYSIS", COMPLETION_TEXT, analysis_name},
	{"FILE", COMPLETION_FILE, NULL},
	{NULL, COMPLETION_NONE, NULL},
};

static const struct command *const commands[] = {
	&memtrace_record,
	&memtrace_control,
	&memtrace_mark,
	&memtrace_report,
	&memtrace_analyze,
	&memtrace_export,
	&memtrace_import,
	&memtrace_overhead,
	&memtrace_selfcheck,
	NULL,
};

const struct program memtrace_program = {
	.name = "memtrace",
	.summary = "Records which addresses a program touches, and how often.",
	.examples = "  memtrace record -o sort.mtr -- sort big.txt\n"
		    "  memtrace report sort.mtr\n",
	.commands = commands,
	.option_nouns = nouns,
	.argument_nouns = nouns,
};

int memtrace_publish(struct frame *frame, const char *xml_path, const void *options, struct opt_line *line,
	const struct mt_result_values *result, const struct mt_series_values *series)
{
	const struct mt_report_values report = {.signature = FIELD_BY(frame_signature, frame),
		.machine_info = FIELD_BY(frame_machine, frame), .environment = FIELD_BY(frame_environment, frame),
		.result = FIELD_ONE(result), .series = series ? FIELD_ONE(series) : FIELD_NONE,
		.verdict = FIELD_BY(frame_verdict, frame)};

	if (opt_list_effective(line, options)) {
		diag_error(ENOMEM, "cannot make the report");
		return DIAG_EXIT_HOST;
	}
	frame->signature.options = line->effective;
	frame->signature.option_count = line->effective_count;
	return frame_publish(frame, "memtrace", &(struct mt_document_values){FIELD_ONE(&report)}, xml_path, NULL);
}

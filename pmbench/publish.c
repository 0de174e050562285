/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/publish.h"

#include <stdio.h>
#include <string.h>
#include "common/diag.h"
#include "pmbench/report_pmbench.h"
#include "pmbench/text.h"

/* One that cannot be written is no reason to go without the other. */
static int write_reports(const struct pmbench_options *options, const struct pmbench_result *result)
{
	struct report *report;
	int xml_err = 0, json_err = 0;
	int err = report_new("pmbenchmark", &report);

	if (err) {
		diag_error(err, "cannot make the report");
		return DIAG_EXIT_USAGE;
	}
	report_pmbench(report, result);
	if (options->xml_path)
		xml_err = report_write_xml(report, options->xml_path);
	if (options->json_path)
		json_err = report_write_json(report, options->json_path);
	report_free(report);
	if (xml_err)
		diag_error(xml_err, "-f %s: the report could not be written", options->xml_path);
	if (json_err)
		diag_error(json_err, "--json=%s: the report could not be written", options->json_path);
	return xml_err || json_err ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

int publish_result(const struct pmbench_options *options, struct pmbench_result *result)
{
	int code;

	result->signature.tool = "pmbench";
	result->signature.seed = result->plan->seed;
	result->signature.argc = options->argc;
	result->signature.argv = options->argv;
	result->signature.options = options->line.effective;
	result->signature.option_count = options->line.effective_count;
	result->signature.labels = options->labels.list;
	result->signature.label_count = options->labels.count;
	result->signature.is_interrupted = result->is_interrupted;
	if (options_prints_text(options))
		text_result(stdout, result);
	code = write_reports(options, result);
	if (!code && !result->is_restored)
		code = DIAG_EXIT_HOST;
	if (code)
		return code;
	return strcmp(result->status, "ok") ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_OK;
}

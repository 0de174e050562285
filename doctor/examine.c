/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs every probe and evaluates the results for each tool. */
#include "config.h"
#include "doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/kernel/counters.h"

#define WATCH_NS 500000000ull /* time over which other programs and the hypervisor are observed */
#define WATCHED (VMCOUNTERS_STAT | VMCOUNTERS_VMSTAT)

static void ask(const struct probe_host *host, const struct doctor_row *row, const struct probe *probe, const char *path,
	struct doctor_result *result)
{
	struct doctor_finding *finding = &result->findings[result->finding_count];
	struct probe_answer *answer = &finding->answer;
	const char *meaning;

	if (result->finding_count == DOCTOR_FINDINGS)
		return;
	finding->row = row;
	probe_ask(host, probe, path, answer);
	if (answer->status == PROBE_NOTHING)
		return;
	result->finding_count++;
	if (answer->status == PROBE_OK)
		return;
	meaning = answer->status == PROBE_NOTE ? row->note : answer->status == PROBE_LIMITED ? row->limited : row->missing;
	if (!answer->meaning[0] && meaning)
		snprintf(answer->meaning, sizeof(answer->meaning), "%s", meaning);
	if (!answer->has_fix && row->fix)
		snprintf(answer->fix, sizeof(answer->fix), "%s", row->fix);
}

void doctor_examine(const struct probe_host *host, const char *const *paths, size_t path_count,
	struct doctor_result *result)
{
	struct vmcounters *counters = calloc(2, sizeof(*counters));
	bool is_watched = counters && !vmcounters_read(host->root, NULL, WATCHED, &counters[0]);
	size_t count;
	const struct doctor_row *rows = doctor_rows(&count);

	*result = (struct doctor_result){.machine = host->machine};
	/* The pause precedes the probes, whose work would count as other programs'. */
	host->hooks->pause(WATCH_NS);
	result->check_count = machine_checks(host->root, host->machine, result->checks, DOCTOR_CHECKS);
	if (is_watched && !vmcounters_read(host->root, NULL, WATCHED, &counters[1]))
		result->check_count += machine_checks_run(&counters[0], &counters[1], 0,
			result->checks + result->check_count, DOCTOR_CHECKS - result->check_count);
	free(counters);
	for (size_t i = 0; i < count; i++) {
		const struct probe *probe = probe_find(rows[i].code);

		if (!probe->is_of_paths)
			ask(host, &rows[i], probe, NULL, result);
		for (size_t j = 0; probe->is_of_paths && j < path_count; j++)
			ask(host, &rows[i], probe, paths[j], result);
	}
}

static enum probe_status best_of(const struct doctor_result *result, const char *code)
{
	enum probe_status best = PROBE_MISSING;

	for (size_t i = 0; i < result->finding_count; i++) {
		const struct doctor_finding *finding = &result->findings[i];

		if (!strcmp(finding->row->code, code) && finding->answer.status < best)
			best = finding->answer.status;
	}
	return best;
}

enum probe_status doctor_decide(const struct doctor_result *result, const struct doctor_tool *tool, const char *needs[5])
{
	size_t missing = 0;

	for (size_t i = 0; i < 4 && tool->needs[i]; i++) {
		if (best_of(result, tool->needs[i]) == PROBE_MISSING)
			needs[missing++] = tool->needs[i];
	}
	needs[missing] = NULL;
	if (missing)
		return PROBE_MISSING;
	for (size_t i = 0; i < result->finding_count; i++) {
		const struct doctor_row *row = result->findings[i].row;

		if (row->tools & tool->bit && best_of(result, row->code) > PROBE_NOTE)
			return PROBE_LIMITED;
	}
	return PROBE_OK;
}

int doctor_exit_code(const struct doctor_result *result)
{
	size_t count;
	const struct doctor_tool *tools = doctor_tools(&count);
	const char *needs[5];

	for (size_t i = 0; i < count; i++) {
		if (tools[i].is_built && doctor_decide(result, &tools[i], needs) == PROBE_MISSING)
			return DIAG_EXIT_HOST;
	}
	return DIAG_EXIT_OK;
}

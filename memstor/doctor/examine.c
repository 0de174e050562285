/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Goes through the tables; what is found is judged tool by tool. */
#include "config.h"
#include "memstor/doctor/doctor.h"

#include <inttypes.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/sysfs.h"
#include "common/vmcounters.h"

#define WATCH_NS 500000000ull /* of what other programs and the hypervisor do */
#define WATCHED (VMCOUNTERS_STAT | VMCOUNTERS_VMSTAT)

const char *doctor_group_name(enum doctor_group group)
{
	static const char *const names[DOCTOR_GROUPS] = {
		[DOCTOR_GROUP_MACHINE] = "machine",
		[DOCTOR_GROUP_PRESSURE] = "pressure",
		[DOCTOR_GROUP_STORAGE] = "storage",
		[DOCTOR_GROUP_TRACING] = "tracing",
		[DOCTOR_GROUP_PICTURES] = "pictures",
	};

	return names[group];
}

const char *doctor_status_name(enum doctor_status status)
{
	static const char *const names[] = {
		[DOCTOR_OK] = "ok", [DOCTOR_NOTE] = "note", [DOCTOR_LIMITED] = "limited", [DOCTOR_MISSING] = "missing",
		[DOCTOR_NOTHING] = ""};

	return names[status];
}

/* Files of the kernel and names of folders may hold what terminals obey. */
__attribute__((format(printf, 3, 0)))
static void format_line(char *text, size_t room, const char *format, va_list arguments)
{
	vsnprintf(text, room, format, arguments);
	diag_clean(text, strlen(text), "");
}

void doctor_say(struct doctor_finding *finding, enum doctor_status status, const char *format, ...)
{
	va_list arguments;

	finding->status = status;
	va_start(arguments, format);
	format_line(finding->value, sizeof(finding->value), format, arguments);
	va_end(arguments);
}

void doctor_mean(struct doctor_finding *finding, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	format_line(finding->meaning, sizeof(finding->meaning), format, arguments);
	va_end(arguments);
}

void doctor_mend(struct doctor_finding *finding, const char *format, ...)
{
	va_list arguments;

	finding->has_mend = true;
	va_start(arguments, format);
	format_line(finding->mend, sizeof(finding->mend), format, arguments);
	va_end(arguments);
}

bool doctor_can(const struct doctor_host *host, int capability)
{
	return host->capabilities >> capability & 1;
}

void doctor_mend_privilege(const struct doctor_host *host, struct doctor_finding *finding)
{
	if (host->uid)
		doctor_mend(finding, "sudo COMMAND");
	else
		doctor_mend(finding, "%s", doctor_can(host, CAP_SYS_ADMIN) ? "" : "docker run --privileged");
}

/* "CapEff:\t00ff" in the text of /proc/self/status: what stands behind the name, NULL when it is not there. */
static const char *status_field(const char *status, const char *name)
{
	for (const char *line = status; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (!strncmp(line, name, strlen(name)))
			return line + strlen(name) + strspn(line + strlen(name), "\t ");
	}
	return NULL;
}

void doctor_read_credentials(struct doctor_host *host)
{
	const char *capabilities, *filter, *uid;
	uint64_t number;
	char *status;
	size_t length;

	host->capabilities = UINT64_MAX;
	host->is_filtered = false;
	host->uid = 0;
	if (sysfs_slurp(host->root, "/proc/self/status", 1 << 16, &status, &length))
		return;
	capabilities = status_field(status, "CapEff:");
	if (capabilities)
		host->capabilities = strtoull(capabilities, NULL, 16);
	filter = status_field(status, "Seccomp:");
	host->is_filtered = filter && *filter == '2';
	/* The second of four is the effective one. */
	uid = status_field(status, "Uid:");
	uid = uid ? sysfs_scan_u64(uid, &number) : NULL;
	if (uid && sysfs_scan_u64(uid + strspn(uid, "\t "), &number))
		host->uid = (unsigned)number;
	free(status);
}

static const char *meaning_of(const struct doctor_row *row, enum doctor_status status)
{
	if (status == DOCTOR_NOTE)
		return row->note;
	return status == DOCTOR_LIMITED ? row->limited : row->missing;
}

static void fill_from_row(struct doctor_finding *finding)
{
	const struct doctor_row *row = finding->row;
	const char *meaning = meaning_of(row, finding->status);

	if (finding->status == DOCTOR_OK) {
		finding->meaning[0] = finding->mend[0] = '\0';
		return;
	}
	if (!finding->meaning[0] && meaning)
		doctor_mean(finding, "%s", meaning);
	if (!finding->has_mend && row->mend)
		doctor_mend(finding, "%s", row->mend);
}

static void probe(const struct doctor_host *host, const struct doctor_row *row, const char *path,
	struct doctor_result *result)
{
	struct doctor_finding *finding = &result->findings[result->finding_count];

	if (result->finding_count == DOCTOR_FINDINGS)
		return;
	*finding = (struct doctor_finding){.row = row, .path = path};
	row->probe(host, path, finding);
	if (finding->status == DOCTOR_NOTHING)
		return;
	fill_from_row(finding);
	result->finding_count++;
}

static void probe_all(const struct doctor_host *host, struct doctor_result *result)
{
	size_t count;
	const struct doctor_row *rows = doctor_rows(&count);

	for (size_t i = 0; i < count; i++) {
		if (!rows[i].is_per_path)
			probe(host, &rows[i], NULL, result);
		for (size_t j = 0; rows[i].is_per_path && j < host->path_count; j++)
			probe(host, &rows[i], host->paths[j], result);
	}
}

static void check_now(const struct doctor_host *host, const struct vmcounters *before, struct vmcounters *after,
	struct doctor_result *result)
{
	result->check_count = machine_checks(host->root, host->machine, result->checks, DOCTOR_CHECKS);
	if (!vmcounters_read(host->root, NULL, WATCHED, after))
		result->check_count += machine_checks_run(before, after, 0, result->checks + result->check_count,
			DOCTOR_CHECKS - result->check_count);
}

void doctor_examine(const struct doctor_host *host, struct doctor_result *result)
{
	struct vmcounters *counters = calloc(2, sizeof(*counters));
	bool is_watched = counters && !vmcounters_read(host->root, NULL, WATCHED, &counters[0]);

	*result = (struct doctor_result){.machine = host->machine};
	/* Before the probes: what they do is no other program's. */
	host->hooks->pause(WATCH_NS);
	if (is_watched)
		check_now(host, &counters[0], &counters[1], result);
	else
		result->check_count = machine_checks(host->root, host->machine, result->checks, DOCTOR_CHECKS);
	probe_all(host, result);
	free(counters);
}

static enum doctor_status best_of(const struct doctor_result *result, const char *code)
{
	enum doctor_status best = DOCTOR_MISSING;

	for (size_t i = 0; i < result->finding_count; i++) {
		const struct doctor_finding *finding = &result->findings[i];

		if (!strcmp(finding->row->code, code) && finding->status < best)
			best = finding->status;
	}
	return best;
}

enum doctor_status doctor_judge(const struct doctor_result *result, const struct doctor_tool *tool, const char *needs[5])
{
	size_t missing = 0;

	for (size_t i = 0; i < 4 && tool->needs[i]; i++) {
		if (best_of(result, tool->needs[i]) == DOCTOR_MISSING)
			needs[missing++] = tool->needs[i];
	}
	needs[missing] = NULL;
	if (missing)
		return DOCTOR_MISSING;
	for (size_t i = 0; i < result->finding_count; i++) {
		const struct doctor_row *row = result->findings[i].row;

		if (row->tools & tool->bit && best_of(result, row->code) > DOCTOR_NOTE)
			return DOCTOR_LIMITED;
	}
	return DOCTOR_OK;
}

int doctor_exit_code(const struct doctor_result *result)
{
	size_t count;
	const struct doctor_tool *tools = doctor_tools(&count);
	const char *needs[5];

	for (size_t i = 0; i < count; i++) {
		if (tools[i].is_built && doctor_judge(result, &tools[i], needs) == DOCTOR_MISSING)
			return DIAG_EXIT_HOST;
	}
	return DIAG_EXIT_OK;
}

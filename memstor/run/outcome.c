/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/run.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/report_read.h"
#include "common/units.h"
#include "schema/metric.h"

#define TAIL_BYTES 4096

static size_t read_part(int fd, enum run_tail which, char *text, size_t room)
{
	struct stat status;
	off_t from = 0;
	ssize_t size;

	if (which == RUN_TAIL_LAST && !fstat(fd, &status) && status.st_size > (off_t)room)
		from = status.st_size - (off_t)room;
	size = pread(fd, text, room, from);
	return size > 0 ? (size_t)size : 0;
}

/* The line from *from on, without its newline; false at the end. */
static bool next_line(const char **from, const char *end, const char **line, size_t *size)
{
	if (*from >= end)
		return false;
	*line = *from;
	for (*size = 0; *from < end && **from != '\n'; (*from)++)
		(*size)++;
	*from += *from < end;
	return true;
}

static void take(const char *text, size_t size, const char *program, char *line, size_t length)
{
	size_t prefix = strlen(program);

	if (size > prefix + 1 && !memcmp(text, program, prefix) && text[prefix] == ':' && text[prefix + 1] == ' ') {
		text += prefix + 2;
		size -= prefix + 2;
	}
	snprintf(line, length, "%.*s", (int)size, text);
	diag_clean(line, strlen(line), "");
}

void run_tail(int fd, const char *program, enum run_tail which, char *line, size_t length)
{
	char text[TAIL_BYTES];
	const char *from = text, *end = text + read_part(fd, which, text, sizeof(text));
	const char *at;
	size_t size;

	*line = '\0';
	while (next_line(&from, end, &at, &size)) {
		if (size)
			take(at, size, program, line, length);
		if (size && which == RUN_TAIL_FIRST)
			return;
	}
}

#define SAID_MAX 400 /* with what is wrong before it, it fits into a reason */

enum verdict { VERDICT_NONE, VERDICT_OK, VERDICT_MISSED, VERDICT_UNTRUSTED, VERDICT_INTERRUPTED };

/* The first objective that was not met, wherever a tool has it; NULL = none. */
static const struct report_node *find_missed(const struct report_node *node)
{
	const struct report_node *met = !strcmp(node->name, "objective") ? report_read_find(node, schema_is_met) : NULL;

	if (met && !strcmp(met->text, "false"))
		return node;
	for (node = node->child; node; node = node->next) {
		const struct report_node *found = find_missed(node);

		if (found)
			return found;
	}
	return NULL;
}

/* "objective sync:p99<10ms: 12.3 ms in CELL". */
static void describe_missed(const struct report_node *objective, char *why, size_t length)
{
	const char *text = report_read_attribute(objective, "text");
	const char *id = objective->parent ? report_read_attribute(objective->parent, "id") : NULL;
	char reached[UNITS_TEXT] = "";
	double ns;

	if (!report_read_double(objective, schema_reached, &ns))
		units_format_duration(ns, reached, sizeof(reached));
	snprintf(why, length, "objective %s%s%s%s%s", text ? text : "", reached[0] ? ": " : "", reached, id ? " in " : "",
		id ? id : "");
}

/* Without a word about it a report is trusted: older ones have none. */
static enum verdict verdict_of(const char *report, char *why, size_t length)
{
	struct report_document *document;
	const struct report_node *node;
	const char *status;
	enum verdict verdict = VERDICT_OK;

	if (report_read_file(report, &document, why, length))
		return VERDICT_NONE;
	node = report_read_find(report_read_root(document), "report/verdict");
	status = node ? report_read_attribute(node, "status") : NULL;
	if (status && !strcmp(status, "interrupted"))
		verdict = VERDICT_INTERRUPTED;
	else if (status && !strcmp(status, "untrustworthy"))
		verdict = VERDICT_UNTRUSTED;
	if (verdict == VERDICT_OK && (node = find_missed(report_read_root(document)))) {
		verdict = VERDICT_MISSED;
		describe_missed(node, why, length);
	} else if (verdict == VERDICT_UNTRUSTED) {
		snprintf(why, length, "%s", report_read_text(node, "reason"));
	}
	report_read_free(document);
	return verdict;
}

static void fail(struct run_record *record, const char *what, const char *said)
{
	record->state = RUN_FAILED;
	snprintf(record->reason, sizeof(record->reason), "%s%s%s", what, *said ? ": " : "", said);
}

/* Statuses 0 and 4 come with a report, and 1 when an objective was missed. */
static void decide_report(const char *report, const char *said, struct run_record *record)
{
	char why[SAID_MAX] = "", what[64];

	switch (verdict_of(report, why, sizeof(why))) {
	case VERDICT_OK:
		record->state = RUN_DONE;
		if (record->exit_status == DIAG_EXIT_OK)
			return;
		record->state = RUN_UNTRUSTED;
		snprintf(record->reason, sizeof(record->reason), "%s", said);
		return;
	case VERDICT_MISSED:
		record->state = RUN_MISSED;
		snprintf(record->reason, sizeof(record->reason), "%s", why);
		return;
	case VERDICT_UNTRUSTED:
		record->state = RUN_UNTRUSTED;
		snprintf(record->reason, sizeof(record->reason), "%s", why);
		return;
	case VERDICT_INTERRUPTED:
		record->state = RUN_INTERRUPTED;
		return;
	case VERDICT_NONE:
		break;
	}
	snprintf(what, sizeof(what), "exit status %d without a report", record->exit_status);
	fail(record, what, *said ? said : why);
}

static void decide_end(const struct run_step *step, int error, const char *report, struct run_record *record)
{
	char said[SAID_MAX], what[64], why[SAID_MAX] = "";
	enum verdict verdict = record->exit_status == DIAG_EXIT_NEGATIVE ? verdict_of(report, why, sizeof(why)) : VERDICT_NONE;

	run_tail(error, step->suite->words[0], RUN_TAIL_LAST, said, sizeof(said));
	if (record->signal) {
		snprintf(what, sizeof(what), "killed by signal %d", record->signal);
		fail(record, what, said);
	} else if (!step->program->result && record->exit_status == 0) {
		record->state = RUN_DONE;
	} else if (step->program->result && (record->exit_status == DIAG_EXIT_OK || record->exit_status == DIAG_EXIT_UNTRUSTED ||
					     verdict == VERDICT_MISSED)) {
		decide_report(report, said, record);
	} else {
		snprintf(what, sizeof(what), "exit status %d", record->exit_status);
		fail(record, what, said);
	}
}

void run_decide(const struct run_step *step, const struct run_child_outcome *outcome, int error, const char *report,
	struct run_record *record)
{
	char budget[UNITS_TEXT];

	record->seconds = (double)outcome->wall_ns / UNITS_NS_PER_SEC;
	record->exit_status = -1;
	record->signal = 0;
	record->reason[0] = '\0';
	if (outcome->end == RUN_CHILD_LOST) {
		fail(record, "its keeper was killed", "");
		return;
	}
	record->has_usage = true;
	record->usage = (struct run_usage){
		.user_us = (uint64_t)outcome->usage.ru_utime.tv_sec * 1000000 + (uint64_t)outcome->usage.ru_utime.tv_usec,
		.system_us = (uint64_t)outcome->usage.ru_stime.tv_sec * 1000000 + (uint64_t)outcome->usage.ru_stime.tv_usec,
		.max_rss_kib = (uint64_t)outcome->usage.ru_maxrss,
		.minor_faults = (uint64_t)outcome->usage.ru_minflt,
		.major_faults = (uint64_t)outcome->usage.ru_majflt,
		.in_blocks = (uint64_t)outcome->usage.ru_inblock,
		.out_blocks = (uint64_t)outcome->usage.ru_oublock,
		.voluntary_switches = (uint64_t)outcome->usage.ru_nvcsw,
		.involuntary_switches = (uint64_t)outcome->usage.ru_nivcsw,
	};
	if (WIFEXITED(outcome->wait_status))
		record->exit_status = WEXITSTATUS(outcome->wait_status);
	if (WIFSIGNALED(outcome->wait_status))
		record->signal = WTERMSIG(outcome->wait_status);
	if (outcome->end == RUN_CHILD_OVERRUN) {
		record->state = RUN_OVERRUN;
		snprintf(record->reason, sizeof(record->reason), "it was ended when its budget of %s was used up",
			units_format_duration((double)step->suite->budget_ns, budget, sizeof(budget)));
	} else if (outcome->end == RUN_CHILD_STOPPED && record->exit_status != DIAG_EXIT_OK) {
		/* One that had just ended by itself has a result. */
		record->state = RUN_INTERRUPTED;
	} else {
		decide_end(step, error, report, record);
	}
}

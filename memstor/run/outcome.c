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

void run_tail(int fd, const char *program, enum run_tail which, char *line, size_t length)
{
	char text[TAIL_BYTES + 1], *nul;
	size_t prefix = strlen(program);
	struct stat status;
	off_t from = 0;
	ssize_t size;

	*line = '\0';
	if (which == RUN_TAIL_LAST && !fstat(fd, &status) && status.st_size > TAIL_BYTES)
		from = status.st_size - TAIL_BYTES;
	size = pread(fd, text, TAIL_BYTES, from);
	if (size < 0)
		return;
	while ((nul = memchr(text, '\0', (size_t)size)))
		*nul = '?';
	text[size] = '\0';
	for (const char *at = text + strspn(text, "\n"); *at; at += strspn(at, "\n")) {
		size_t used = strcspn(at, "\n"), skipped = 0;

		if (used > prefix + 1 && !strncmp(at, program, prefix) && !strncmp(at + prefix, ": ", 2))
			skipped = prefix + 2;
		snprintf(line, length, "%.*s", (int)(used - skipped), at + skipped);
		diag_clean(line, strlen(line), "");
		if (which == RUN_TAIL_FIRST)
			return;
		at += used;
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

/* Reads the verdict of a report. A report without one, as older ones are, is trusted. why receives the reason, of
 * VERDICT_NONE why it cannot be read. */
static enum verdict verdict_of(const char *report, char *why, size_t length)
{
	struct report_document *document;
	const struct report_node *root, *node, *missed;
	const char *status;
	enum verdict verdict = VERDICT_OK;

	if (report_read_file(report, &document, why, length))
		return VERDICT_NONE;
	root = report_read_root(document);
	node = report_read_find(root, "report/verdict");
	status = node ? report_read_attribute(node, "status") : NULL;
	missed = find_missed(root);
	if (status && !strcmp(status, "interrupted")) {
		verdict = VERDICT_INTERRUPTED;
	} else if (status && !strcmp(status, "untrustworthy")) {
		verdict = VERDICT_UNTRUSTED;
		snprintf(why, length, "%s", report_read_text(node, "reason"));
	} else if (missed) {
		/* "objective sync:p99<10ms: 12.3 ms in CELL" */
		const char *text = report_read_attribute(missed, "text");
		const char *id = missed->parent ? report_read_attribute(missed->parent, "id") : NULL;
		char reached[UNITS_TEXT] = "";
		double ns;

		verdict = VERDICT_MISSED;
		if (!report_read_double(missed, schema_reached, &ns))
			units_format_duration(ns, reached, sizeof(reached));
		snprintf(why, length, "objective %s%s%s%s%s", text ? text : "", reached[0] ? ": " : "", reached,
			id ? " in " : "", id ? id : "");
	}
	report_read_free(document);
	return verdict;
}

static void fail(struct run_record *record, const char *what, const char *said)
{
	record->state = RUN_FAILED;
	snprintf(record->reason, sizeof(record->reason), "%s%s%s", what, *said ? ": " : "", said);
}

/* Decides on a program that ended by itself or by a signal that memstor did not send. */
static void decide_end(const struct run_step *step, int error, const char *report, struct run_record *record)
{
	static const enum run_state states[] = {[VERDICT_NONE] = RUN_FAILED, [VERDICT_OK] = RUN_DONE,
		[VERDICT_MISSED] = RUN_MISSED, [VERDICT_UNTRUSTED] = RUN_UNTRUSTED, [VERDICT_INTERRUPTED] = RUN_INTERRUPTED};
	char said[SAID_MAX], what[64], why[SAID_MAX] = "";
	bool has_result = step->program->result;
	int status = record->exit_status;
	enum verdict verdict = VERDICT_NONE;

	run_tail(error, step->suite->words[0], RUN_TAIL_LAST, said, sizeof(said));
	if (record->signal) {
		snprintf(what, sizeof(what), "killed by signal %d", record->signal);
		fail(record, what, said);
		return;
	}
	if (!has_result && status == DIAG_EXIT_OK) {
		record->state = RUN_DONE;
		return;
	}
	/* Statuses 0 and 4 come with a report, and 1 if an objective was missed. */
	if (has_result && (status == DIAG_EXIT_OK || status == DIAG_EXIT_NEGATIVE || status == DIAG_EXIT_UNTRUSTED))
		verdict = verdict_of(report, why, sizeof(why));
	if (!has_result || verdict == VERDICT_NONE || (status == DIAG_EXIT_NEGATIVE && verdict != VERDICT_MISSED)) {
		bool is_missing = has_result && (status == DIAG_EXIT_OK || status == DIAG_EXIT_UNTRUSTED);

		snprintf(what, sizeof(what), "exit status %d%s", status, is_missing ? " without a report" : "");
		fail(record, what, *said || !is_missing ? said : why);
		return;
	}
	record->state = states[verdict];
	if (verdict == VERDICT_OK && status == DIAG_EXIT_UNTRUSTED) {
		record->state = RUN_UNTRUSTED;
		snprintf(record->reason, sizeof(record->reason), "%s", said);
	} else if (verdict == VERDICT_MISSED || verdict == VERDICT_UNTRUSTED) {
		snprintf(record->reason, sizeof(record->reason), "%s", why);
	}
}

void run_decide(const struct run_step *step, const struct run_child_outcome *outcome, int error, const char *report,
	struct run_record *record)
{
	const struct rusage *usage = &outcome->usage;
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
		.user_us = (uint64_t)usage->ru_utime.tv_sec * 1000000 + (uint64_t)usage->ru_utime.tv_usec,
		.system_us = (uint64_t)usage->ru_stime.tv_sec * 1000000 + (uint64_t)usage->ru_stime.tv_usec,
		.max_rss_kib = (uint64_t)usage->ru_maxrss,
		.minor_faults = (uint64_t)usage->ru_minflt,
		.major_faults = (uint64_t)usage->ru_majflt,
		.in_blocks = (uint64_t)usage->ru_inblock,
		.out_blocks = (uint64_t)usage->ru_oublock,
		.voluntary_switches = (uint64_t)usage->ru_nvcsw,
		.involuntary_switches = (uint64_t)usage->ru_nivcsw,
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

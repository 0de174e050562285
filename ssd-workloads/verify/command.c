/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ssd-workloads verify: reads a target back. */
#include "config.h"
#include "ssd-workloads/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/target.h"
#include "ssd-workloads/run/report.h"
#include "ssd-workloads/verify/verify.h"

struct verify_options {
	const char *target, *xml_path, *json_path; /* paths NULL = no report */
	struct opt_line line;
};

#define FIELD(NAME) offsetof(struct verify_options, NAME)

static const struct opt options[] = {
	{"target", 0, "TARGET", OPT_STRING, OPT_ARGUMENT, .offset = FIELD(target)},
	{"file", 'f', "FILE", OPT_OWN, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(xml_path), .begins = "<?xml",
		.set = ssd_set_path,
		.help = "write the report as XML",
		.manual = "Write the report as XML. `-` is standard output, where it replaces the text."},
	{"json", 0, "FILE", OPT_OWN, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(json_path), .begins = "{", .bare = "-",
		.set = ssd_set_path,
		.help = "write the report as JSON to FILE (default: stdout)",
		.manual = "Write the report as JSON; without FILE it replaces the text on standard output."},
	{0},
};

static int check(void *data, struct opt_line *line)
{
	const struct verify_options *found = data;

	(void)line;
	if (!found->target)
		diag_error(0, "TARGET: name the file or block device to read");
	else if (report_is_same_file(found->xml_path, found->target) || report_is_same_file(found->json_path, found->target))
		diag_error(0, "%s: the report would replace the target; give it another name", found->target);
	else
		return DIAG_EXIT_OK;
	return DIAG_EXIT_USAGE;
}

/* The device is asked, not the page cache, where there is O_DIRECT: what is only in memory is not written. */
static int read_back(const struct target *target, struct header *header, struct verify_result *result)
{
	struct ack_log *ack_log = verify_ack_log(header);
	int direct = -1, rc;

	if (target->has_direct && target_reopen(target, O_RDONLY | O_DIRECT, &direct))
		direct = -1;
	rc = verify_target(direct < 0 ? target->fd : direct, target->memory_align, header, ack_log, interrupt_flag(),
		result);
	if (direct >= 0)
		close(direct);
	ack_log_close(ack_log, false);
	if (rc)
		diag_error(rc == -EINTR ? 0 : rc, rc == -EINTR ? "interrupted: not all of %s was read" : "cannot verify %s",
			target->path);
	return rc;
}

static int publish(const struct verify_options *found, struct frame *frame, const struct verify_result *verify)
{
	const struct ssd_result_values result = {
		.clock = FIELD_BY(frame_clock, frame), .verification = FIELD_BY(run_report_verification, verify)};
	const struct ssd_report_values values = {FRAME_MEMBERS(frame), .result = FIELD_ONE(&result)};

	if (!opt_is_stdout(found->xml_path) && !opt_is_stdout(found->json_path))
		verify_print(stdout, verify);
	frame->signature.options = found->line.effective;
	frame->signature.option_count = found->line.effective_count;
	return frame_publish(frame, "ssdworkloads", &(struct ssd_document_values){FIELD_ONE(&values)}, found->xml_path,
		found->json_path);
}

/* Locks the target and reads its header. */
static int take_header(const struct target *target, struct header *header)
{
	int rc = target_lock(target->fd, true);

	if (rc == -EWOULDBLOCK) {
		target_say_locked(target->path, target->fd);
		return DIAG_EXIT_HOST;
	}
	if (!rc)
		rc = header_read(target->fd, header);
	if (!rc)
		return DIAG_EXIT_OK;
	if (rc == -EBADMSG)
		diag_error(0, "%s is no target of ssd-workloads, or its header is broken: name one that 'ssd-workloads run "
			      "--keep' has written", target->path);
	else
		diag_error(rc, "cannot read %s", target->path);
	return rc == -EBADMSG ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
}

static int verify(const struct verify_options *found, struct frame *frame, const struct target *target,
	struct header *header)
{
	struct verify_result result;
	char how[TARGET_CHANGE] = "";
	struct target_mark mark;
	int rc = target_mark(target, &mark), code;

	if (rc) {
		diag_error(rc, "cannot examine %s", target->path);
		return DIAG_EXIT_HOST;
	}
	rc = read_back(target, header, &result);
	if (rc)
		return rc == -EINTR ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_HOST;
	if (result.total_lost)
		frame_reason(frame, "lost-data", "%" PRIu64 " of %" PRIu64 " blocks do not hold what was acknowledged",
			result.total_lost, result.blocks + result.lost[VERIFY_UNREADABLE]);
	if (!result.is_complete)
		frame_reason(frame, "unknown-acknowledged",
			"the run was killed, and what it had acknowledged is unknown");
	if (header->durability != HEADER_NONE && frame->durability.not_durable[0]) {
		frame_reason(frame, "not-durable", "%s", frame->durability.not_durable);
		diag_error(0, "%s: %s", target->path, frame->durability.not_durable);
	}
	if (target_is_changed(target, &mark, true, how)) {
		frame_reason(frame, "target-changed", "%s while it was read", how);
		diag_error(0, "%s: %s while it was read; end that process and verify again", target->path, how);
	}
	code = publish(found, frame, &result);
	if (!code)
		code = verify_code(&result);
	return !code && frame->reason_count ? DIAG_EXIT_UNTRUSTED : code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct verify_options found = {.target = NULL};
	struct target target = {.fd = -1};
	struct frame *frame = malloc(sizeof(*frame));
	struct header header;
	int code = command_parse(command, argc, argv, &found, &found.line, NULL), rc;

	if (code)
		goto out;
	rc = frame ? opt_list_effective(&found.line, &found) : -ENOMEM;
	if (!rc)
		rc = interrupt_install();
	if (rc) {
		diag_error(rc, "cannot begin");
		code = DIAG_EXIT_HOST;
		goto out;
	}
	code = target_open_read(found.target, &target);
	if (code)
		goto out;
	code = take_header(&target, &header);
	if (!code)
		code = frame_start(frame, "ssd-workloads", argc, argv, &target);
	if (!code)
		code = verify(&found, frame, &target, &header);
	target_close(&target);
out:
	opt_free(&found.line);
	free(frame);
	return code;
}

const struct command command_verify = {
	.program = &ssd_program,
	.name = "verify",
	.arguments = "TARGET",
	.summary = "read a target back and check it against the acknowledged writes",
	.doc = "Read back what a run, even a killed one, has written to this target, and fail on any loss.",
	.examples = "  ssd-workloads verify log.bin\n"
		    "  ssd-workloads verify log.bin -f verified.xml\n",
	.notes = "Exit status: 0 nothing is lost; 1 acknowledged data is lost; 4 the acknowledged writes are unknown, or the "
		 "target is memory. See "
		 "ssd-workloads(1).",
	.options = options,
	.check = check,
	.run = run,
};

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

enum { KEY_JSON = 256 };

struct verify_options {
	const char *target, *xml_path, *json_path; /* paths NULL = no report */
};

static const struct argp_option options[] = {
	{"file", 'f', "FILE", 0, "write the report as XML; - is stdout, and then there is no text", 1},
	{"json", KEY_JSON, "FILE", OPTION_ARG_OPTIONAL, "write the report as JSON, to stdout by default", 1},
	{0},
};

static error_t set_path(const char *option, const char *text, const char **path)
{
	if (!*text)
		return command_refuse(option, text, "must be the name of a file");
	if (*path)
		return command_refuse(option, text, "was given already: once is allowed");
	*path = text;
	return 0;
}

static error_t parse(int key, char *word, struct argp_state *state)
{
	struct verify_options *found = state->input;

	switch (key) {
	case 'f':
		return set_path("--file", word, &found->xml_path);
	case KEY_JSON:
		return set_path("--json", word ? word : "-", &found->json_path);
	case ARGP_KEY_ARG:
		if (found->target)
			return command_refuse("argument", word, "one target is verified at a time");
		found->target = word;
		return *word ? 0 : command_refuse("argument", word, "must be the name of a file or block device");
	case ARGP_KEY_END:
		return found->target ? 0 : command_refuse("argument", "", "name the file or block device to be read");
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static bool is_on_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

/* The device is asked, not the page cache, where there is O_DIRECT: what is only in memory is not written. */
static int read_back(const struct target *target, struct header *header, struct verify_result *result)
{
	struct witness *witness = verify_witness(header);
	int direct = -1, rc;

	if (target->has_direct && target_reopen(target, O_RDONLY | O_DIRECT, &direct))
		direct = -1;
	rc = verify_target(direct < 0 ? target->fd : direct, target->memory_align, header, witness, interrupt_flag(),
		result);
	if (direct >= 0)
		close(direct);
	witness_close(witness, false);
	if (rc)
		diag_error(rc == -EINTR ? 0 : rc, rc == -EINTR ? "interrupted: not all of %s was read" : "cannot verify %s",
			target->path);
	return rc;
}

static int publish(const struct verify_options *found, struct frame *frame, const struct verify_result *result)
{
	const struct report_option shown[] = {{"target", found->target}};
	struct report *report;
	int rc;

	if (!is_on_stdout(found->xml_path) && !is_on_stdout(found->json_path))
		verify_print(stdout, result);
	if (!found->xml_path && !found->json_path)
		return DIAG_EXIT_OK;
	frame->signature.options = shown;
	frame->signature.option_count = 1;
	rc = frame_begin(frame, "ssdworkloads", &report);
	if (rc) {
		diag_error(rc, "cannot make the report");
		return DIAG_EXIT_HOST;
	}
	report_write_verification(report, result);
	frame_end_result(report);
	frame_end(frame, report);
	return frame_publish(report, found->xml_path, found->json_path);
}

static int verify(const struct verify_options *found, struct frame *frame, const struct target *target,
	struct header *header)
{
	struct verify_result result;
	char how[TARGET_CHANGE] = "";
	struct target_mark mark;
	int rc = target_mark(target, &mark), code;

	if (rc) {
		diag_error(rc, "cannot look at %s", target->path);
		return DIAG_EXIT_HOST;
	}
	rc = read_back(target, header, &result);

	if (rc)
		return rc == -EINTR ? DIAG_EXIT_UNTRUSTED : DIAG_EXIT_HOST;
	if (result.total_lost)
		frame_reason(frame, "lost-data", "%" PRIu64 " of %" PRIu64 " blocks are not as they must be",
			result.total_lost, result.blocks + result.lost[VERIFY_UNREADABLE]);
	if (!result.is_complete)
		frame_reason(frame, "unknown-acknowledged",
			"the run was ended from outside, and what it had acknowledged is not known any more");
	if (target_is_changed(target, &mark, true, how)) {
		frame_reason(frame, "target-changed", "%s while it was read", how);
		diag_error(0, "%s: %s while it was read; end that process and verify again", target->path, how);
	}
	code = publish(found, frame, &result);
	if (!code)
		code = verify_code(&result);
	return !code && how[0] ? DIAG_EXIT_UNTRUSTED : code;
}

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

static int verify_path(const struct verify_options *found, int argc, char **argv)
{
	struct frame *frame = malloc(sizeof(*frame));
	struct target target;
	struct header header;
	int code = target_open_read(found->target, &target);

	if (code) {
		free(frame);
		return code;
	}
	code = take_header(&target, &header);
	if (!code && !frame) {
		diag_error(ENOMEM, "cannot begin");
		code = DIAG_EXIT_HOST;
	}
	if (!code)
		code = frame_start(frame, "ssd-workloads", argc, argv, &target);
	if (!code)
		code = verify(found, frame, &target, &header);
	target_close(&target);
	free(frame);
	return code;
}

static int check_names(const struct verify_options *found)
{
	if (report_is_same_file(found->xml_path, found->json_path))
		diag_error(0, "-f and --json: both would write %s; give them two names",
			is_on_stdout(found->xml_path) ? "to stdout" : found->xml_path);
	else if (report_is_same_file(found->xml_path, found->target) || report_is_same_file(found->json_path, found->target))
		diag_error(0, "the report would take the place of %s, which is verified: give it another name", found->target);
	else
		return DIAG_EXIT_OK;
	return DIAG_EXIT_USAGE;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct verify_options found = {.target = NULL};
	int code = command_parse_argp(command, parse, argc, argv, &found), rc;

	if (!code)
		code = frame_check_output("--file", found.xml_path);
	if (!code)
		code = frame_check_output("--json", found.json_path);
	if (!code)
		code = check_names(&found);
	if (code)
		return code;
	rc = interrupt_install();
	if (rc) {
		diag_error(rc, "cannot begin");
		return DIAG_EXIT_HOST;
	}
	return verify_path(&found, argc, argv);
}

const struct command command_verify = {
	.program = &ssd_program,
	.name = "verify",
	.arguments = "TARGET",
	.summary = "read a target back and hold it against what was acknowledged",
	.doc = "Reads back what a run has written to this target, also one that was killed, and fails on any loss.\v"
	       "Examples:\n"
	       "  ssd-workloads verify log.bin\n"
	       "  ssd-workloads verify log.bin -f verified.xml\n"
	       "Exit status: 0 all is there; 1 something is lost; 4 not known what was acknowledged. See "
	       "ssd-workloads(1).",
	.argp_options = options,
	.run = run,
};

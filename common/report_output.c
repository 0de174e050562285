/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/report_output.h"

#include <errno.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "common/report_draft.h"
#include "common/report_private.h"

struct report_output {
	FILE *stream;
	bool is_draft; /* otherwise stream is written to where it goes */
	struct report_draft draft;
};

/* One without a name is better, but only /proc can give it one when it is complete. */
static int open_draft(struct report_output *output, const char *path)
{
	int copy;
	int error = access("/proc/self/fd", X_OK) ? -errno : report_draft_open(path, true, &output->draft);

	if (error)
		error = report_draft_open(path, false, &output->draft);
	if (error)
		return error;
	output->is_draft = true;
	/* The draft keeps its own descriptor until it is published. */
	copy = dup(output->draft.fd);
	output->stream = copy < 0 ? NULL : fdopen(copy, "w");
	if (output->stream)
		return 0;
	error = -errno;
	if (copy >= 0)
		close(copy);
	report_draft_close(&output->draft);
	return error;
}

static int open_target(struct report_output *output, const char *path)
{
	enum report_target target;
	int error = report_file_target(path, &target);

	if (error)
		return error;
	if (target == REPORT_TARGET_FILE)
		return open_draft(output, path);
	if (target == REPORT_TARGET_STDOUT) {
		output->stream = stdout;
	} else {
		int fd = report_file_stream(path);

		if (fd < 0)
			return fd;
		output->stream = fdopen(fd, "w");
	}
	return output->stream ? 0 : -errno;
}

int report_output_open(const char *path, struct report_output **output)
{
	struct report_output *new = calloc(1, sizeof(*new));
	int error = new ? open_target(new, path) : -ENOMEM;

	if (error) {
		free(new);
		return error;
	}
	*output = new;
	return 0;
}

FILE *report_output_stream(struct report_output *output)
{
	return output->stream;
}

/* What stdio has forgotten of a failed write is most likely space. */
static int end_stream(FILE *stream)
{
	int error = 0;

	errno = 0;
	if (fflush(stream) != 0)
		error = -errno;
	else if (ferror(stream))
		error = -ENOSPC;
	errno = 0;
	if (stream != stdout && fclose(stream) != 0 && !error)
		error = -errno;
	if (stream == stdout && error) {
		/* It is told now, and not again when the program ends. */
		__fpurge(stdout);
		clearerr(stdout);
	}
	return error;
}

int report_output_close(struct report_output *output, bool is_complete)
{
	int error;

	if (!output)
		return 0;
	error = end_stream(output->stream);
	if (output->is_draft) {
		/* Of what is not wanted nothing matters. */
		if (!is_complete)
			error = 0;
		else if (!error)
			error = report_draft_publish(&output->draft);
		if (is_complete && !error)
			report_draft_remove_abandoned(&output->draft);
		report_draft_close(&output->draft);
	}
	free(output);
	return error;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/stage.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/sysfs.h"
#include "common/units.h"
#include "iowrite-bench/commands.h"
#include "iowrite-bench/stage_private.h"

#define VM "/proc/sys/vm/"

static struct undo_action threshold(const char *name, const char *twin, uint64_t bytes)
{
	struct undo_action action = {.act = UNDO_SETTING};

	snprintf(action.path, sizeof(action.path), VM "%s", name);
	snprintf(action.twin, sizeof(action.twin), "%s", twin);
	snprintf(action.ours, sizeof(action.ours), "%" PRIu64, bytes);
	return action;
}

/* Writing one sets its twin to 0; writing 0 to *_bytes is refused by the kernel (Linux 6.18), so that a ratio comes
 * back only by a write to the ratio. */
static int set_threshold(struct stage *stage, const char *name, const char *twin, uint64_t bytes)
{
	const struct undo_action action = threshold(name, twin, bytes);
	int ret;

	if (!bytes)
		return undo_revert(stage->undo, &action) ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
	if (undo_add(stage->undo, &action))
		return DIAG_EXIT_HOST;
	ret = sysfs_write("", action.path, action.ours);
	if (!ret)
		return DIAG_EXIT_OK;
	diag_error(ret, "cannot write %s to %s%s", action.ours, action.path,
		ret == -EROFS || ret == -EACCES ? " (in a container /proc/sys must be writable)" : "");
	return DIAG_EXIT_HOST;
}

/* " vm.name = 64 MiB", nothing for 0. */
static void name_value(const char *name, uint64_t bytes, char *text, size_t length)
{
	char size[UNITS_TEXT];

	text[0] = '\0';
	if (bytes)
		snprintf(text, length, " vm.%s = %s", name, units_format_size(bytes, size, sizeof(size)));
}

/* Each pair once: of a list of scenarios each has its own, again and again. */
static void warn(struct stage *stage, uint64_t background_bytes, uint64_t dirty_bytes)
{
	char background[64], dirty[64];

	if (!background_bytes && !dirty_bytes)
		return;
	for (size_t i = 0; i < stage->warned_count; i++) {
		if (stage->warned[i][0] == background_bytes && stage->warned[i][1] == dirty_bytes)
			return;
	}
	if (stage->warned_count < STAGE_WARNED) {
		stage->warned[stage->warned_count][0] = background_bytes;
		stage->warned[stage->warned_count++][1] = dirty_bytes;
	}
	name_value("dirty_background_bytes", background_bytes, background, sizeof(background));
	name_value("dirty_bytes", dirty_bytes, dirty, sizeof(dirty));
	diag_warn("until this run ends the writes of all programs are throttled by its thresholds:%s%s%s", background,
		background_bytes && dirty_bytes ? "," : "", dirty);
}

static int check_thresholds(uint64_t background_bytes, uint64_t dirty_bytes)
{
	uint64_t least = 2 * (uint64_t)sysconf(_SC_PAGESIZE);

	if (dirty_bytes && dirty_bytes < least) {
		diag_error(0, "a dirty threshold of %" PRIu64 " bytes: the kernel takes none below two pages, %" PRIu64,
			dirty_bytes, least);
		return DIAG_EXIT_USAGE;
	}
	if (background_bytes && dirty_bytes && background_bytes >= dirty_bytes) {
		diag_error(0, "a background threshold of %" PRIu64 " bytes is not below the dirty threshold of %" PRIu64
			      ": the kernel would take half of that", background_bytes, dirty_bytes);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

int stage_thresholds(struct stage *stage, uint64_t background_bytes, uint64_t dirty_bytes)
{
	int code = check_thresholds(background_bytes, dirty_bytes);

	if (code)
		return code;
	code = set_threshold(stage, "dirty_bytes", "dirty_ratio", dirty_bytes);
	if (!code)
		code = set_threshold(stage, "dirty_background_bytes", "dirty_background_ratio", background_bytes);
	/* Not before: it may be refused, in one line. */
	if (!code)
		warn(stage, background_bytes, dirty_bytes);
	return code;
}

/* The device first: making its file system is not to be throttled by thresholds. */
static int fill(struct stage *stage, const struct stage_request *request)
{
	int code = request->slow_bytes_per_second ? stage_slow_open(stage, request) : DIAG_EXIT_OK;

	if (!code && (request->background_bytes || request->dirty_bytes))
		code = stage_thresholds(stage, request->background_bytes, request->dirty_bytes);
	return code;
}

int stage_open(const struct stage_request *request, struct stage **stage)
{
	struct stage *made;
	int code = check_thresholds(request->background_bytes, request->dirty_bytes);

	if (code)
		return code;
	if (geteuid()) {
		diag_error(0, "small dirty thresholds and a slow device need root: run it with sudo");
		return DIAG_EXIT_HOST;
	}
	made = calloc(1, sizeof(*made));
	if (!made) {
		diag_error(ENOMEM, "cannot set the stage");
		return DIAG_EXIT_HOST;
	}
	made->root = "";
	made->slow.mount_fd = -1;
	if (undo_open(iowrite_program.name, &made->undo)) {
		free(made);
		return DIAG_EXIT_HOST;
	}
	code = fill(made, request);
	if (code)
		stage_close(made);
	else
		*stage = made;
	return code;
}

struct undo *stage_undo(const struct stage *stage)
{
	return stage->undo;
}

const char *stage_folder(const struct stage *stage)
{
	return stage->slow.folder[0] ? stage->slow.folder : NULL;
}

int stage_close(struct stage *stage)
{
	int code;

	if (!stage)
		return DIAG_EXIT_OK;
	code = stage_slow_close(stage);
	if (undo_close(stage->undo)) {
		diag_error(0, "not everything is put back: mend what the lines above name, then 'iowrite-bench recover'");
		code = DIAG_EXIT_HOST;
	}
	free(stage);
	return code;
}

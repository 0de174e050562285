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
	diag_error(ret, "cannot write %s to %s (small thresholds need root, and /proc/sys writable)", action.ours,
		action.path);
	return DIAG_EXIT_HOST;
}

static void warn(struct stage *stage, uint64_t background_bytes, uint64_t dirty_bytes)
{
	char background[32], dirty[32];

	if (stage->has_warned)
		return;
	stage->has_warned = true;
	diag_warn("every program's writes are throttled by vm.dirty_background_bytes = %s and vm.dirty_bytes = %s "
		  "until this run ends",
		units_format_size(background_bytes, background, sizeof(background)),
		units_format_size(dirty_bytes, dirty, sizeof(dirty)));
}

int stage_thresholds(struct stage *stage, uint64_t background_bytes, uint64_t dirty_bytes)
{
	int code;

	if (background_bytes && dirty_bytes && background_bytes >= dirty_bytes) {
		diag_error(0, "the background threshold must be below the dirty threshold: the kernel would take half of "
			      "it (%" PRIu64 ", %" PRIu64 " bytes)", background_bytes, dirty_bytes);
		return DIAG_EXIT_USAGE;
	}
	if (background_bytes || dirty_bytes)
		warn(stage, background_bytes, dirty_bytes);
	code = set_threshold(stage, "dirty_bytes", "dirty_ratio", dirty_bytes);
	if (!code)
		code = set_threshold(stage, "dirty_background_bytes", "dirty_background_ratio", background_bytes);
	return code;
}

int stage_open(const struct stage_request *request, struct stage **stage)
{
	struct stage *made;
	int code = DIAG_EXIT_OK;

	if (geteuid()) {
		diag_error(0, "small dirty thresholds and a slow device need root: run it with sudo");
		return DIAG_EXIT_HOST;
	}
	made = calloc(1, sizeof(*made));
	if (!made) {
		diag_error(ENOMEM, "cannot set the stage");
		return DIAG_EXIT_HOST;
	}
	made->slow.mount_fd = -1;
	if (undo_open("iowrite-bench", &made->undo)) {
		free(made);
		return DIAG_EXIT_HOST;
	}
	if (request->slow_bytes_per_second)
		code = stage_slow_open(made, request);
	if (!code && (request->background_bytes || request->dirty_bytes))
		code = stage_thresholds(made, request->background_bytes, request->dirty_bytes);
	if (code)
		stage_close(made);
	else
		*stage = made;
	return code;
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
	if (undo_close(stage->undo))
		code = DIAG_EXIT_HOST;
	free(stage);
	return code;
}

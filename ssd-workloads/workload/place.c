/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/workload/place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/diag.h"
#include "ssd-workloads/workload/stamp.h"

/* --- former contents --- */

/* Returns whether every stamp position of the new blocks had a stamp of the old ones. */
static bool has_same_places(const struct layout_area *old, const struct layout_area *area)
{
	uint64_t between = area->begin - old->begin;

	if (old->block_bytes % STAMP_UNIT == 0 && area->block_bytes % STAMP_UNIT == 0)
		return between % STAMP_UNIT == 0;
	return old->block_bytes == area->block_bytes && between % area->block_bytes == 0;
}

static bool is_prewritten(const struct header *header, const struct layout *layout)
{
	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct layout_area *area = &layout->areas[i];
		bool is_covered = !area->bytes;

		for (int k = 0; k < MIX_STREAMS; k++) {
			const struct layout_area *old = &header->layout.areas[k];

			is_covered = is_covered || (old->bytes && old->begin <= area->begin &&
				area->begin + area->bytes <= old->begin + old->bytes && has_same_places(old, area));
		}
		if (!is_covered)
			return false;
	}
	return header->is_prepared;
}

static bool is_new(const struct target *target)
{
	return target->is_created || target->kind == TARGET_NAMELESS || !target->size_bytes;
}

/* target_open checks only the first bytes of a header; a target is ours if its whole header is valid. */
static int check_header(const struct place_request *request, struct place *place)
{
	struct target *target = &place->target;
	struct header header;
	int rc = is_new(target) ? -EBADMSG : header_read(target->fd, &header);
	bool is_ours = is_new(target) || (!rc && target->is_own);

	if (rc && rc != -EBADMSG) {
		diag_error(rc, "cannot read %s", request->path);
		return DIAG_EXIT_HOST;
	}
	if (!rc && !header.is_ended) {
		place->left_run = header.run;
		place->left_layout = header.layout;
	}
	if (!rc && is_ours)
		place->is_prewritten = target->size_bytes >= request->layout->bytes &&
				       is_prewritten(&header, request->layout);
	place->has_others_data = !is_ours;
	if (is_ours)
		return DIAG_EXIT_OK;
	if (!target->is_confirmed) {
		diag_error(0, "%s: begins as a target of ssd-workloads, but its header is broken; name a new file, or confirm "
			      "with --destroy-data=%s", request->path, request->path);
		return DIAG_EXIT_USAGE;
	}
	if (target->kind == TARGET_DEVICE || target->size_bytes >= request->layout->bytes)
		return DIAG_EXIT_OK;
	diag_error(0, "%s has %" PRIu64 " bytes, and %" PRIu64 " are to be written: only a file of ssd-workloads grows; use a "
		      "new name or write less", request->path, target->size_bytes, request->layout->bytes);
	return DIAG_EXIT_USAGE;
}

static int check_blocks(const struct place_request *request, const struct target *target)
{
	static const char *const options[] = {[MIX_LOG] = "--log-bs", [MIX_CHECKPOINT] = "--ckpt-bs"};

	for (int i = 0; i < MIX_STREAMS; i++) {
		const struct layout_area *area = &request->layout->areas[i];

		if (!area->bytes || area->block_bytes % target->offset_align == 0)
			continue;
		diag_error(0, "%s is %" PRIu32 " bytes, and O_DIRECT on %s needs multiples of %u: give %s one", options[i],
			area->block_bytes, request->path, target->offset_align, options[i]);
		return DIAG_EXIT_HOST;
	}
	return DIAG_EXIT_OK;
}

/* --- claiming the target --- */

/* Space is allocated at once, so that a lack of it is reported before the run. */
int place_reserve(const struct place_request *request, struct place *place)
{
	const struct target *target = &place->target;
	off_t bytes = (off_t)request->layout->bytes;
	int rc = 0;

	if (target->kind == TARGET_DEVICE || target->size_bytes >= request->layout->bytes)
		return DIAG_EXIT_OK;
	if (fallocate(target->fd, 0, 0, bytes))
		rc = errno;
	if (rc == EOPNOTSUPP)
		rc = ftruncate(target->fd, bytes) ? errno : 0;
	place->is_grown = true;
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "cannot extend %s to %" PRIu64 " bytes", request->path, request->layout->bytes);
	return DIAG_EXIT_HOST;
}

void place_release(struct place *place)
{
	if (place->is_grown && ftruncate(place->target.fd, (off_t)place->target.size_bytes))
		diag_error(errno, "cannot truncate %s to its old size", place->target.path);
	place->is_grown = false;
}

/* Wipes signatures that would otherwise remain after our header (file systems, partition tables). */
static int wipe_signatures(const struct place_request *request, const struct place *place)
{
	size_t bytes = LAYOUT_HEADER_BYTES - HEADER_BYTES;
	void *zeros;
	ssize_t written;
	int rc = 0;

	if (!place->has_others_data)
		return DIAG_EXIT_OK;
	zeros = calloc(1, bytes);
	written = zeros ? pwrite(place->target.fd, zeros, bytes, HEADER_BYTES) : -1;
	if (written < 0)
		rc = zeros ? errno : ENOMEM;
	else if (written < (ssize_t)bytes)
		rc = EIO;
	else if (fdatasync(place->target.fd))
		rc = errno;
	free(zeros);
	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "cannot write to %s", request->path);
	return DIAG_EXIT_HOST;
}

int place_claim(const struct place_request *request, struct place *place)
{
	const struct header header = {.run = request->run, .layout = *request->layout};
	int code = wipe_signatures(request, place), rc = 0;

	/* A run that is killed before it begins then leaves a file that is recognised as its own. */
	if (!code && place->target.is_created && place->target.kind == TARGET_FILE)
		rc = header_write(place->target.fd, &header);
	if (rc) {
		diag_error(rc, "cannot write to %s", request->path);
		code = DIAG_EXIT_HOST;
	}
	place->is_kept = request->is_kept && !code;
	return code;
}

/* In a dry run a nameless file in the folder has the properties of the file to be created. */
static int open_target(const struct place_request *request, const struct target_request *asked, struct target *target)
{
	struct target_request wanted = *asked;
	char path[sizeof(target->path)];
	struct stat stat_of;
	int code;

	/* A name with a slash at its end cannot be created. */
	if (!request->is_read_only_check || !lstat(request->path, &stat_of) || errno != ENOENT ||
		strlen(request->path) >= sizeof(path) || request->path[strlen(request->path) - 1] == '/')
		return target_open(&wanted, target);
	snprintf(path, sizeof(path), "%s", request->path);
	wanted.path = dirname(path);
	if (stat(wanted.path, &stat_of) || !S_ISDIR(stat_of.st_mode)) {
		diag_error(ENOENT, "cannot open for writing: %s", request->path);
		return DIAG_EXIT_HOST;
	}
	code = target_open(&wanted, target);
	if (!code) {
		snprintf(target->path, sizeof(target->path), "%s", request->path);
		target->kind = TARGET_FILE;
	}
	return code;
}

int place_open(const struct place_request *request, struct place *place)
{
	const struct target_request wanted = {.path = request->path, .bytes = request->layout->bytes, .needs_direct = true,
		.destroy_data = request->destroy_data, .header = HEADER_MAGIC, .header_bytes = HEADER_MAGIC_BYTES};
	struct place made = {.direct_fd = -1};
	int code = open_target(request, &wanted, &made.target), rc;

	if (code)
		return code;
	code = check_header(request, &made);
	if (!code)
		code = check_blocks(request, &made.target);
	if (!code) {
		rc = target_reopen(&made.target, O_RDWR | O_DIRECT, &made.direct_fd);
		if (rc) {
			diag_error(rc, "cannot open %s with O_DIRECT", request->path);
			code = DIAG_EXIT_HOST;
		}
	}
	if (code) {
		place_close(&made);
		return code;
	}
	made.block_bytes = made.target.offset_align;
	made.memory_align = made.target.memory_align;
	*place = made;
	return DIAG_EXIT_OK;
}

void place_close(struct place *place)
{
	if (place->direct_fd >= 0)
		close(place->direct_fd);
	place->direct_fd = -1;
	if (place->is_kept)
		place->target.is_created = false;
	target_close(&place->target);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/run/traffic.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/kernel/counters.h"
#include "schema/shared.h"

#define NS_PER_MS 1000000u

/* --- choice of the disk --- */

void traffic_watch(const struct durability *durability, struct traffic *traffic)
{
	const struct durability_layer *layers = durability->layers;
	size_t at = 0;

	if (!durability->count || layers[0].stack)
		return;
	/* Descends to the disk while there is only one device below. */
	while (at + 1 < durability->count && layers[at].is_followed && !layers[at + 1].stack)
		at++;
	for (size_t i = 0; i < traffic->disk_count; i++) {
		if (!strcmp(traffic->disks[i], layers[at].name))
			return;
	}
	if (traffic->disk_count < TRAFFIC_DISKS)
		snprintf(traffic->disks[traffic->disk_count++], sizeof(traffic->disks[0]), "%s", layers[at].name);
}

/* --- counting --- */

/* A counter of 32 bits may have wrapped. */
static double since(uint64_t before, uint64_t now)
{
	return now > before ? (double)(now - before) : 0;
}

void traffic_add(struct traffic *traffic, const struct traffic_counts *now)
{
	const struct traffic_counts *last = &traffic->last;
	struct traffic_sums *sums = &traffic->sums;
	double moved, own, data, theirs;

	if (traffic->has_last) {
		moved = since(last->moved_bytes, now->moved_bytes);
		data = since(last->own_bytes, now->own_bytes) - since(last->cancelled_bytes, now->cancelled_bytes);
		own = traffic->ahead_bytes + data + since(last->metadata_bytes, now->metadata_bytes);
		theirs = fmax(0, moved - fmax(0, own));
		sums->time_ns += since(last->time_ns, now->time_ns);
		sums->moved_bytes += moved;
		sums->own_bytes += fmax(0, data);
		sums->foreign_bytes += theirs;
		if (moved > 0)
			sums->foreign_ns += since(last->busy_ns, now->busy_ns) * theirs / moved;
		/* Limited by the pending bytes, because the allowance for metadata must not hide other programs for good. */
		traffic->ahead_bytes = fmin(fmax(0, own - moved), (double)now->pending_bytes);
	}
	traffic->last = *now;
	traffic->has_last = true;
}

void traffic_begin(struct traffic *traffic)
{
	traffic->begun = traffic->sums;
}

struct traffic_sums traffic_end(struct traffic *traffic)
{
	const struct traffic_sums *begun = &traffic->begun, *sums = &traffic->sums;
	const struct traffic_sums window = {sums->time_ns - begun->time_ns, sums->moved_bytes - begun->moved_bytes,
		sums->own_bytes - begun->own_bytes, sums->foreign_bytes - begun->foreign_bytes,
		sums->foreign_ns - begun->foreign_ns};
	struct traffic_sums *measured = &traffic->measured;

	measured->time_ns += window.time_ns;
	measured->moved_bytes += window.moved_bytes;
	measured->own_bytes += window.own_bytes;
	measured->foreign_bytes += window.foreign_bytes;
	measured->foreign_ns += window.foreign_ns;
	return window;
}

static int read_disk(const char *root, const char *disk, struct traffic_counts *counts)
{
	uint64_t values[COUNTERS_DISK];
	char text[8];

	if (!sysfs_read(root, SYSFS_PATH("/sys/block/%s/queue/iostats", disk), text, sizeof(text)) && !strcmp(text, "0"))
		return -EOPNOTSUPP;
	if (counters_read_disk(root, SYSFS_PATH("/sys/block/%s/stat", disk), values) <= COUNTERS_IO_TICKS_MS)
		return -EINVAL;
	counts->moved_bytes += (values[COUNTERS_READ_SECTORS] + values[COUNTERS_WRITE_SECTORS]) * (uint64_t)COUNTERS_SECTOR;
	counts->busy_ns += values[COUNTERS_IO_TICKS_MS] * NS_PER_MS;
	return 0;
}

int traffic_read(const char *root, const struct traffic *traffic, struct traffic_counts *counts)
{
	struct traffic_counts found = {.metadata_bytes = counts->metadata_bytes, .time_ns = clock_ns(CLOCK_MONOTONIC)};
	uint64_t dirty, writeback;
	int rc = traffic->disk_count ? 0 : -ENODEV;

	for (size_t i = 0; i < traffic->disk_count && !rc; i++)
		rc = read_disk(root, traffic->disks[i], &found);
	if (!rc)
		rc = sysfs_read_field(root, "/proc/vmstat", "nr_dirty", 10, &dirty);
	if (!rc)
		rc = sysfs_read_field(root, "/proc/vmstat", "nr_writeback", 10, &writeback);
	if (rc)
		return rc;
	found.pending_bytes = (dirty + writeback) * (uint64_t)sysconf(_SC_PAGESIZE);
	*counts = found;
	return 0;
}

int traffic_read_process(const char *root, unsigned process_id, struct traffic_counts *counts)
{
	char path[40] = "/proc/self/io";
	uint64_t read, written, cancelled;
	int rc;

	if (process_id)
		snprintf(path, sizeof(path), "/proc/%u/io", process_id);
	rc = sysfs_read_field(root, path, "read_bytes", 10, &read);
	if (!rc)
		rc = sysfs_read_field(root, path, "write_bytes", 10, &written);
	if (!rc)
		rc = sysfs_read_field(root, path, "cancelled_write_bytes", 10, &cancelled);
	if (rc)
		return rc;
	counts->own_bytes += read + written;
	counts->cancelled_bytes += cancelled;
	return 0;
}

/* --- the finding --- */

bool traffic_is_foreign(const struct traffic_sums *window)
{
	return 100 * window->foreign_bytes > TRAFFIC_PERCENT * window->own_bytes &&
	       window->foreign_bytes > TRAFFIC_LEAST_BYTES + TRAFFIC_LEAST_RATE * window->time_ns / 1e9;
}

static void list_disks(const struct traffic *traffic, char *text, size_t length)
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < traffic->disk_count && used < length; i++)
		used += (size_t)snprintf(text + used, length - used, "%s%s", i ? ", " : "", traffic->disks[i]);
}

void traffic_text(const struct traffic *traffic, const struct traffic_sums *window, char *text, size_t length)
{
	char disks[96], foreign[UNITS_TEXT], own[UNITS_TEXT];

	list_disks(traffic, disks, sizeof(disks));
	snprintf(text, length, "other programs read or wrote %s on %s in %.1f s, the run itself %s: stop them, or use a disk that "
		"they do not use", units_format_size((uint64_t)window->foreign_bytes, foreign, sizeof(foreign)), disks,
		window->time_ns / 1e9, units_format_size((uint64_t)window->own_bytes, own, sizeof(own)));
}

uint64_t traffic_metadata(const struct target *target, bool is_in_place_data_only)
{
	static const char copying[] = "btrfs bcachefs f2fs nilfs2 zfs";

	if (target->kind == TARGET_DEVICE)
		return 0;
	if (sysfs_has_word(copying, " ", target->file_system))
		return TRAFFIC_METADATA_COPIED;
	return is_in_place_data_only ? 0 : TRAFFIC_METADATA;
}

void traffic_rows(struct report *report, const struct field *field, const void *from)
{
	const struct traffic *traffic = from;
	const struct traffic_sums *sums = &traffic->measured;
	char disks[TRAFFIC_DISKS * sizeof(traffic->disks[0])];

	list_disks(traffic, disks, sizeof(disks));
	if (sums->time_ns > 0)
		FIELD_ROW(report, field, disk_traffic, .disks = disks, .moved_bytes = (uint64_t)sums->moved_bytes,
			.own_bytes = (uint64_t)sums->own_bytes, .foreign_bytes = (uint64_t)sums->foreign_bytes);
}

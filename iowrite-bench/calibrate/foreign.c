/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/calibrate/foreign.h"

#include <errno.h>
#include <math.h>

#include "common/counters.h"
#include "common/sysfs.h"

#define SECTOR 512
#define NS_PER_MS 1000000u
#define OWN "/proc/self/io"

/* Counters of 32 bits begin again. */
static double since(uint64_t before, uint64_t now)
{
	return now > before ? (double)(now - before) : 0;
}

uint64_t foreign_add(struct foreign *foreign, const struct foreign_counts *now)
{
	const struct foreign_counts *last = &foreign->last;
	double moved, own, theirs;

	if (foreign->has_last) {
		moved = since(last->moved_bytes, now->moved_bytes);
		own = foreign->ahead_bytes + since(last->own_bytes, now->own_bytes) -
		      since(last->cancelled_bytes, now->cancelled_bytes) +
		      FOREIGN_METADATA * since(last->own_syncs, now->own_syncs);
		theirs = fmax(0, moved - fmax(0, own));
		if (moved > 0)
			foreign->ns += since(last->busy_ns, now->busy_ns) * theirs / moved;
		/* No more than there is: the allowance for metadata must not hide others permanently. */
		foreign->ahead_bytes = fmin(fmax(0, own - moved), (double)now->pending_bytes);
	}
	foreign->last = *now;
	foreign->has_last = true;
	return (uint64_t)foreign->ns;
}

int foreign_read(const char *root, const char *disk, struct foreign_counts *counts)
{
	uint64_t values[COUNTERS_DISK], read, written, cancelled;
	int rc;

	if (counters_read_disk(root, SYSFS_PATH("/sys/block/%s/stat", disk), values) <= COUNTERS_IO_TICKS_MS)
		return -EINVAL;
	rc = sysfs_read_field(root, OWN, "read_bytes", 10, &read);
	if (!rc)
		rc = sysfs_read_field(root, OWN, "write_bytes", 10, &written);
	if (!rc)
		rc = sysfs_read_field(root, OWN, "cancelled_write_bytes", 10, &cancelled);
	if (rc)
		return rc;
	counts->own_bytes = read + written;
	counts->cancelled_bytes = cancelled;
	counts->moved_bytes = (values[COUNTERS_READ_SECTORS] + values[COUNTERS_WRITE_SECTORS]) * SECTOR;
	counts->busy_ns = values[COUNTERS_IO_TICKS_MS] * NS_PER_MS;
	return 0;
}

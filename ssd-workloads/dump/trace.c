/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/dump/trace.h"

#include <errno.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/storage/storage.h"
#include "common/undo/tracefs.h"

#define PREFIX "memstor-ssd-"
#define BUFFERS_KIB (64u << 10) /* for all CPUs: one second at 300000 events per second */
#define BUFFER_MIN_KIB 1024u
#define BUFFER_MAX_KIB 16384u

#define SECTOR 512u
#define CALL_EXTENTS 256u /* extents per ioctl */
#define NO_PLACE (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_ENCRYPTED | \
	FIEMAP_EXTENT_NOT_ALIGNED | FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL)

#define KEPT (1u << 25) /* events: up to 800 MB, allocated as needed */
#define KINDS 3

static const char *const tracepoints[KINDS] = {[SPLIT_BIO_QUEUE] = "block/block_bio_queue",
	[SPLIT_RQ_ISSUE] = "block/block_rq_issue", [SPLIT_RQ_COMPLETE] = "block/block_rq_complete"};

struct traced_format {
	unsigned id;
	struct trace_field sector, sectors, rwbs;
};

struct traced_extents {
	struct split_extent *list;
	size_t count, capacity;
};

struct trace {
	struct trace_instance instance;
	struct trace_drain *drain;
	struct traced_format formats[KINDS];
	struct traced_extents extents;
	uint64_t lost_before;    /* lost events when the trace started */
};

struct disk {
	dev_t disk, part;        /* equal if the device is no partition */
	uint64_t begin_sector;   /* of the partition */
};

static int find_disk(dev_t device, struct disk *disk)
{
	char path[128], number[32];
	struct storage storage;
	unsigned major_number, minor_number;

	storage_read("", device, &storage);
	if (!storage.device[0])
		return -ENODEV;
	*disk = (struct disk){.disk = device, .part = device};
	if (!strcmp(storage.device, storage.disk))
		return 0;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/start", major(device), minor(device));
	if (sysfs_read_u64("", path, &disk->begin_sector))
		return -ENODEV;
	snprintf(path, sizeof(path), "/sys/block/%s/dev", storage.disk);
	if (sysfs_read("", path, number, sizeof(number)) || sscanf(number, "%u:%u", &major_number, &minor_number) != 2)
		return -ENODEV;
	disk->disk = makedev(major_number, minor_number);
	return 0;
}

/* Devices that take whole bios (device mapper, md, brd) never issue a request. */
static bool has_requests(const struct disk *disk)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/mq", major(disk->disk), minor(disk->disk));
	return !access(path, F_OK);
}

int trace_check(const struct target *target, const char **why)
{
	struct disk disk;
	int rc = trace_instance_try();

	if (rc) {
		*why = rc == -EACCES || rc == -EPERM ? "the kernel's tracing needs root" : "this kernel has no tracing (tracefs)";
		return rc;
	}
	rc = find_disk(target->device, &disk);
	if (rc)
		*why = "the file system is not on a single block device";
	else if (!has_requests(&disk))
		*why = "the device issues no requests itself: the layer below it (mapper, array, memory) does";
	else
		return 0;
	return rc ? rc : -EOPNOTSUPP;
}

/* --- extents of the target on its disk --- */

static int add_extent(struct traced_extents *extents, uint64_t offset, uint64_t bytes, uint64_t sector)
{
	struct split_extent *last = extents->count ? &extents->list[extents->count - 1] : NULL;
	int rc;

	if (last && last->offset + last->bytes == offset && last->sector + last->bytes / SECTOR == sector) {
		last->bytes += bytes;
		return 0;
	}
	rc = arena_grow(&extents->list, &extents->capacity, extents->count, sizeof(*extents->list));
	if (!rc)
		extents->list[extents->count++] = (struct split_extent){offset, bytes, sector};
	return rc;
}

/* Adds the extents of one call, cut to [*at, bytes), and advances *at past them, after the last extent to bytes. */
static int read_call(int fd, struct fiemap *map, uint64_t bytes, uint64_t begin_sector, uint64_t *at,
	struct traced_extents *extents)
{
	int rc = 0;

	memset(map, 0, sizeof(*map));
	map->fm_start = *at;
	map->fm_length = bytes - *at;
	map->fm_flags = FIEMAP_FLAG_SYNC;
	map->fm_extent_count = CALL_EXTENTS;
	if (ioctl(fd, FS_IOC_FIEMAP, map))
		return errno == ENOTTY || errno == EBADR ? -EOPNOTSUPP : -errno;
	for (unsigned i = 0; i < map->fm_mapped_extents && !rc; i++) {
		const struct fiemap_extent *extent = &map->fm_extents[i];
		uint64_t from = extent->fe_logical > *at ? extent->fe_logical : *at;
		uint64_t end = extent->fe_logical + extent->fe_length;

		end = end < bytes ? end : bytes;
		if (extent->fe_flags & NO_PLACE || extent->fe_physical % SECTOR)
			return -EOPNOTSUPP;
		if (end > from)
			rc = add_extent(extents, from, end - from,
				begin_sector + (extent->fe_physical + (from - extent->fe_logical)) / SECTOR);
		*at = end > *at ? end : *at;
		if (extent->fe_flags & FIEMAP_EXTENT_LAST)
			*at = bytes;
	}
	if (!map->fm_mapped_extents)
		*at = bytes;
	return rc;
}

/* Reads the extents of the first bytes of the target: of a file by FIEMAP, of a device itself; begin_sector is the partition's
 * begin. Holes have no extent. Returns -EOPNOTSUPP if the file system does not report places on the disk (also compressed, inline
 * or delayed extents). */
static int read_extents(const struct target *target, uint64_t bytes, uint64_t begin_sector, struct traced_extents *extents)
{
	struct fiemap *map;
	int rc;

	if (target->kind == TARGET_DEVICE)
		return add_extent(extents, 0, bytes, begin_sector);
	map = malloc(sizeof(*map) + CALL_EXTENTS * sizeof(struct fiemap_extent));
	rc = map ? 0 : -ENOMEM;
	for (uint64_t at = 0; at < bytes && !rc;)
		rc = read_call(target->fd, map, bytes, begin_sector, &at, extents);
	free(map);
	return rc;
}

/* --- events --- */

static bool make_event(void *context, uint64_t time_ns, const void *event, size_t size, void *item)
{
	const struct traced_format *formats = context;
	uint16_t type;

	if (size < sizeof(type))
		return false;
	memcpy(&type, event, sizeof(type));
	for (unsigned kind = 0; kind < KINDS; kind++) {
		const struct traced_format *format = &formats[kind];

		if (type != format->id || format->rwbs.offset + 2 > size)
			continue;
		*(struct split_event *)item = (struct split_event){.time_ns = time_ns,
			.sector = trace_field_get(&format->sector, event, size),
			.sectors = (uint32_t)trace_field_get(&format->sectors, event, size),
			.kind = (uint8_t)split_event_kind((enum split_event_kind)kind, (const char *)event + format->rwbs.offset)};
		return true;
	}
	return false;
}

static int set_up(struct undo *undo, const struct target *target, uint64_t bytes, struct trace *trace, const char **why)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned kib = BUFFERS_KIB / (cpus > 0 ? (unsigned)cpus : 1);
	char filter[112], *text;
	struct disk disk;
	int rc = trace_check(target, why);

	if (!rc)
		rc = find_disk(target->device, &disk);
	if (rc)
		return rc;
	rc = read_extents(target, bytes, disk.begin_sector, &trace->extents);
	if (rc) {
		*why = "the file system does not report where on the disk the file is";
		return rc;
	}
	*why = "cannot make a trace instance with the block events";
	kib = kib < BUFFER_MIN_KIB ? BUFFER_MIN_KIB : kib > BUFFER_MAX_KIB ? BUFFER_MAX_KIB : kib;
	rc = trace_instance_open(undo, PREFIX, kib, &trace->instance);
	if (rc)
		return rc;
	text = malloc(TRACE_INSTANCE_TEXT);
	rc = text ? 0 : -ENOMEM;
	for (unsigned kind = 0; kind < KINDS && !rc; kind++) {
		struct traced_format *format = &trace->formats[kind];

		rc = trace_instance_format(&trace->instance, tracepoints[kind], text, TRACE_INSTANCE_TEXT);
		if (!rc)
			rc = trace_format_id(text, &format->id);
		if (!rc)
			rc = trace_format_field(text, "sector", &format->sector);
		if (!rc)
			rc = trace_format_field(text, "nr_sector", &format->sectors);
		if (!rc)
			rc = trace_format_array(text, "rwbs", &format->rwbs);
	}
	free(text);
	/* Events have the number of the partition or of its disk; their sectors are the disk's. In the kernel a device number has
	 * 20 bits for the minor. Reads are excluded. "FF" is a flush. */
	snprintf(filter, sizeof(filter), "(dev == %u || dev == %u) && (rwbs ~ \"*W*\" || rwbs ~ \"F*\")",
		major(disk.disk) << 20 | minor(disk.disk), major(disk.part) << 20 | minor(disk.part));
	for (unsigned kind = 0; kind < KINDS && !rc; kind++)
		rc = trace_instance_enable(&trace->instance, tracepoints[kind], filter);
	return rc ? rc
		  : trace_drain_open(&trace->instance, KEPT, sizeof(struct split_event), make_event, trace->formats, &trace->drain);
}

int trace_open(struct undo *undo, const struct target *target, uint64_t bytes, struct trace **opened, const char **why)
{
	struct trace *trace = calloc(1, sizeof(*trace));
	int rc;

	if (!trace) {
		*why = "out of memory";
		return -ENOMEM;
	}
	trace->instance.fd = trace->instance.tracefs = -1;
	rc = set_up(undo, target, bytes, trace, why);
	if (rc)
		trace_close(trace);
	else
		*opened = trace;
	return rc;
}

/* --- a run --- */

int trace_start(struct trace *trace)
{
	int rc;

	trace->lost_before = trace_instance_lost(&trace->instance);
	rc = trace_drain_start(trace->drain);
	if (!rc)
		rc = trace_instance_write(&trace->instance, "tracing_on", "1");
	if (rc)
		diag_error(rc, "cannot start the trace instance %s", trace->instance.name);
	return rc;
}

int trace_stop(struct trace *trace)
{
	int rc = trace_instance_write(&trace->instance, "tracing_on", "0"), drained = trace_drain_stop(trace->drain);

	rc = rc ? rc : drained;
	if (rc)
		diag_error(rc, "cannot read the trace instance %s", trace->instance.name);
	return rc;
}

void trace_events(struct trace *trace, const struct split_event **list, size_t *count, uint64_t *lost)
{
	const void *kept;

	trace_drain_kept(trace->drain, &kept, count);
	*list = kept;
	*lost = trace_instance_lost(&trace->instance) - trace->lost_before;
}

void trace_extents(const struct trace *trace, const struct split_extent **extents, size_t *count)
{
	*extents = trace->extents.list;
	*count = trace->extents.count;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	trace_drain_close(trace->drain);
	trace_instance_close(&trace->instance);
	free(trace->extents.list);
	free(trace);
}

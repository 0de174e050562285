/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/storage/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/base/sysfs.h"
#include "common/kernel/blockdev.h"
#include "common/kernel/counters.h"

static const struct {
	const char *name, *file; /* below the disk's folder */
} known[] = {
	{"queue.scheduler", "queue/scheduler"},
	{"queue.rotational", "queue/rotational"},
	{"queue.write_cache", "queue/write_cache"},
	{"queue.wbt_lat_usec", "queue/wbt_lat_usec"},
	{"queue.nr_requests", "queue/nr_requests"},
	{"queue.max_sectors_kb", "queue/max_sectors_kb"},
	{"queue.logical_block_size", "queue/logical_block_size"},
	{"queue.physical_block_size", "queue/physical_block_size"},
	{"bdi.max_ratio", "bdi/max_ratio"},
	{"bdi.min_ratio", "bdi/min_ratio"},
	{"bdi.strict_limit", "bdi/strict_limit"},
	{"bdi.read_ahead_kb", "bdi/read_ahead_kb"},
};

static bool exists(const char *root, const char *folder, const char *name)
{
	return !access(SYSFS_PATH("%s%s/%s", root, folder, name), F_OK);
}

/* Reads the last component of a link's text: /sys/dev/block/254:0 -> ../../devices/.../block/vda */
static void name_of_link(const char *root, const char *path, char *name, size_t length)
{
	char target[PATH_MAX];
	ssize_t size = readlink(SYSFS_PATH("%s%s", root, path), target, sizeof(target) - 1);

	if (size <= 0)
		return;
	target[size] = '\0';
	snprintf(name, length, "%.*s", (int)length - 1, strrchr(target, '/') ? strrchr(target, '/') + 1 : target);
}

void storage_read(const char *root, dev_t device, struct storage *storage)
{
	char folder[96], parent[128];
	dev_t disk;

	*storage = (struct storage){0};
	snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", major(device), minor(device));
	name_of_link(root, folder, storage->device, sizeof(storage->device));
	if (!storage->device[0])
		return;
	snprintf(storage->stat_path, sizeof(storage->stat_path), "%s/stat", folder);
	snprintf(storage->disk, sizeof(storage->disk), "%s", storage->device);
	/* The queue belongs to the disk, whose folder contains those of its partitions. */
	snprintf(parent, sizeof(parent), "%s%s", folder, exists(root, folder, "partition") ? "/.." : "");
	if (strcmp(parent, folder) && !blockdev_number(root, SYSFS_PATH("%s/dev", parent), &disk))
		name_of_link(root, SYSFS_PATH("/sys/dev/block/%u:%u", major(disk), minor(disk)), storage->disk,
			sizeof(storage->disk));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct storage_setting *setting = &storage->settings[storage->setting_count];
		const char *path = SYSFS_PATH("%s/%s", parent, known[i].file);

		/* "none [mq-deadline]" is a choice, most settings are not. */
		if (sysfs_read_choice(root, path, setting->value, sizeof(setting->value)) &&
			sysfs_read(root, path, setting->value, sizeof(setting->value)))
			continue;
		snprintf(setting->name, sizeof(setting->name), "%s", known[i].name);
		storage->setting_count++;
	}
}

/* --- durability --- */

void durability_layers(struct report *report, const struct field *field, const void *from)
{
	const struct durability *durability = from;

	for (size_t i = 0; i < durability->count; i++) {
		const struct durability_layer *layer = &durability->layers[i];

		FIELD_ROW(report, field, storage_layer,
			.device = layer->name,
			.device_model = FIELD_UNLESS_EMPTY(layer->model),
			.firmware = FIELD_UNLESS_EMPTY(layer->firmware),
			.write_cache = FIELD_UNLESS_EMPTY(layer->write_cache),
			.fua = FIELD_UNLESS_EMPTY(layer->fua),
			.mount_options = FIELD_UNLESS_EMPTY(layer->mount_options));
	}
}

/* --- flushes --- */

static bool is_volatile(const struct durability_layer *layer)
{
	return strcmp(layer->write_cache, "write through") != 0;
}

void durability_flushes(const char *root, const struct durability *durability, struct durability_flushes *flushes)
{
	uint64_t values[COUNTERS_DISK];

	memset(flushes, 0, sizeof(*flushes));
	for (size_t i = 0; i < durability->count; i++) {
		flushes->is_known[i] = counters_read_disk(root, durability->layers[i].stat_path, values) > COUNTERS_FLUSH_IOS;
		flushes->count[i] = values[COUNTERS_FLUSH_IOS];
	}
}

void durability_add(const struct durability_flushes *before, const struct durability_flushes *after,
	struct durability_check *check)
{
	for (size_t i = 0; i < DURABILITY_LAYERS; i++) {
		check->flushes.is_known[i] = before->is_known[i] && after->is_known[i];
		check->flushes.count[i] += after->count[i] - before->count[i];
	}
}

void durability_counter_open(const char *root, const struct durability *durability, struct durability_counter *counter)
{
	*counter = (struct durability_counter){.fd = -1};
	for (size_t i = durability->count; i-- > 0 && counter->fd < 0;) {
		const struct durability_layer *layer = &durability->layers[i];

		if (!layer->stat_path[0] || layer->stack || !is_volatile(layer))
			continue;
		counter->fd = open(SYSFS_PATH("%s%s", root, layer->stat_path), O_RDONLY | O_CLOEXEC);
		counter->layer = i;
		if (counter->fd >= 0 && durability_counter_read(counter) < 0)
			durability_counter_close(counter);
	}
}

int64_t durability_counter_read(void *state)
{
	const struct durability_counter *counter = state;
	char text[512];
	ssize_t size = pread(counter->fd, text, sizeof(text) - 1, 0);
	const char *at = text;
	uint64_t value;

	if (size < 0)
		return -errno;
	text[size] = '\0';
	for (int i = 0; at && i <= COUNTERS_FLUSH_IOS; i++)
		at = sysfs_scan_u64(at + strspn(at, " "), &value);
	return at ? (int64_t)value : -ENODATA;
}

void durability_counter_close(struct durability_counter *counter)
{
	if (counter->fd >= 0)
		close(counter->fd);
	counter->fd = -1;
}

/* --- the check --- */

static void conclude(struct durability_check *check, enum durability_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Keeps the worst status, and the first reason for it. */
static void conclude(struct durability_check *check, enum durability_status status, const char *format, ...)
{
	va_list arguments;

	if (status <= check->status)
		return;
	check->status = status;
	va_start(arguments, format);
	vsnprintf(check->why, sizeof(check->why), format, arguments);
	va_end(arguments);
}

/* Returns the flushes of all devices in this one's stack. *has_other: another device of the stack may take data without a
 * counted flush. */
static uint64_t add_stack(const struct durability *durability, size_t index, const struct durability_check *check,
	bool *has_other)
{
	const struct durability_layer *layers = durability->layers;
	uint64_t sum = check->flushes.count[index];

	*has_other = false;
	for (size_t i = 0; i < durability->count; i++) {
		if (i == index || !layers[i].stack || layers[i].stack != layers[index].stack)
			continue;
		if (check->flushes.is_known[i] && is_volatile(&layers[i]))
			sum += check->flushes.count[i];
		else
			*has_other = true;
	}
	return sum;
}

static void decide_layer(const struct durability *durability, size_t index, struct durability_check *check)
{
	const struct durability_layer *layer = &durability->layers[index];
	bool is_counted = check->flushes.is_known[index], has_other;
	uint64_t flushes = add_stack(durability, index, check, &has_other);
	uint64_t needed = (check->syncs + check->outstanding - 1) / check->outstanding;
	/* The kernel sends no FUA write to a device without FUA. */
	bool has_fua_writes = check->is_fua_possible && strcmp(layer->fua, "0") != 0;
	bool has_no_barrier = sysfs_has_word(layer->mount_options, ",", "nobarrier") ||
		sysfs_has_word(layer->mount_options, ",", "barrier=0") ||
		sysfs_has_word(layer->mount_options, ",", "fsync_mode=nobarrier");
	const char *barrier = has_no_barrier ? "; its file system is mounted with nobarrier" : "";

	if (!is_volatile(layer))
		conclude(check, DURABILITY_NOT_NEEDED, "%s declares no volatile write cache", layer->name);
	else if (is_counted && flushes < needed && has_other)
		conclude(check, DURABILITY_NOT_COUNTED, "not all flushes of the devices other than %s are counted", layer->name);
	else if (is_counted && flushes < needed && !has_fua_writes)
		conclude(check, DURABILITY_NOT_CONFIRMED, "%" PRIu64 " syncs were acknowledged, at most %u at a time, and %s, "
			"whose write cache is volatile, completed %" PRIu64 " flushes of %" PRIu64 " needed%s",
			check->syncs, check->outstanding, layer->name, flushes, needed, barrier);
	else if (check->unflushed && index == check->layer && !has_fua_writes)
		conclude(check, DURABILITY_NOT_CONFIRMED,
			"%" PRIu64 " of %" PRIu64 " examined syncs were acknowledged before %s, whose write cache is "
			"volatile, had completed a flush: not all of its %" PRIu64 " flushes are of this run",
			check->unflushed, check->examined, layer->name, flushes);
	else if (has_no_barrier && !has_fua_writes)
		conclude(check, DURABILITY_NOT_CONFIRMED, "the file system on %s is mounted with nobarrier, and its write cache is "
			"volatile", layer->name);
	else if (is_counted && flushes < needed)
		conclude(check, DURABILITY_NOT_COUNTED, "%s takes FUA writes, which the kernel does not count", layer->name);
	else if (is_counted && index == check->layer && check->examined)
		conclude(check, DURABILITY_FLUSHED, "%s completed %" PRIu64 " flushes, for all processes, of at least %" PRIu64
			" needed, and one or more during each of %" PRIu64 " examined syncs", layer->name, flushes, needed,
			check->examined);
	else if (is_counted)
		conclude(check, DURABILITY_FLUSHED, "%s completed %" PRIu64 " flushes, for all processes, of at least %" PRIu64
			" needed", layer->name, flushes, needed);
	else if (!layer->is_followed)
		conclude(check, DURABILITY_NOT_COUNTED, "the kernel counts no flushes of %s", layer->name);
}

void durability_decide(const struct durability *durability, struct durability_check *check)
{
	check->status = DURABILITY_UNASKED;
	check->why[0] = '\0';
	if (!check->syncs || !check->outstanding)
		return;
	for (size_t i = 0; i < durability->count; i++)
		decide_layer(durability, i, check);
	if (durability->not_durable[0])
		conclude(check, DURABILITY_NOT_DURABLE, "%s", durability->not_durable);
	if (durability->unknown[0])
		conclude(check, DURABILITY_NOT_COUNTED, "%s", durability->unknown);
	if (check->status == DURABILITY_UNASKED)
		conclude(check, DURABILITY_NOT_COUNTED, "no block device is known");
}

const char *durability_status_name(enum durability_status status)
{
	static const char *const names[] = {[DURABILITY_UNASKED] = "unasked", [DURABILITY_NOT_NEEDED] = "not-needed",
		[DURABILITY_FLUSHED] = "flushed", [DURABILITY_NOT_COUNTED] = "not-counted",
		[DURABILITY_NOT_CONFIRMED] = "not-confirmed", [DURABILITY_NOT_DURABLE] = "not-durable"};

	return names[status];
}

const char *durability_doubt(const struct durability *durability, const struct durability_check *check)
{
	bool is_unknown = durability->unknown[0] || !durability->count;

	return check->status > DURABILITY_NOT_COUNTED || (check->status == DURABILITY_NOT_COUNTED && is_unknown) ? check->why
														 : NULL;
}

static void write_device_flushes(struct report *report, const struct field *field, const void *from)
{
	const struct durability_checked *checked = from;

	for (size_t i = 0; i < checked->durability->count; i++) {
		if (checked->check->flushes.is_known[i])
			FIELD_ROW(report, field, device_flushes, checked->durability->layers[i].name,
				checked->check->flushes.count[i]);
	}
}

void durability_checked(struct report *report, const struct field *field, const void *from)
{
	const struct durability_checked *checked = from;
	const struct durability_check *check = checked->check;

	if (check->status == DURABILITY_UNASKED)
		return;
	FIELD_ROW(report, field, durability_check,
		.cell_id = checked->cell,
		.stream = checked->stream,
		.status = durability_status_name(check->status),
		.finding = check->why,
		.acknowledged_syncs = check->syncs,
		.outstanding = check->outstanding,
		.examined_syncs = check->examined ? check->examined : FIELD_NO_COUNT,
		.unflushed_syncs = check->examined ? check->unflushed : FIELD_NO_COUNT,
		.flushes = FIELD_BY(write_device_flushes, checked));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/storage.h"

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/blockdev.h"
#include "common/counters.h"
#include "common/sysfs.h"

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

/* The last word of a path that is a link: /sys/dev/block/254:0 -> ../../devices/.../block/vda */
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
	/* The queue is the disk's, whose folder a partition's lies in. */
	snprintf(parent, sizeof(parent), "%s%s", folder, exists(root, folder, "partition") ? "/.." : "");
	if (strcmp(parent, folder) && !blockdev_number(root, SYSFS_PATH("%s/dev", parent), &disk))
		name_of_link(root, SYSFS_PATH("/sys/dev/block/%u:%u", major(disk), minor(disk)), storage->disk,
			sizeof(storage->disk));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct storage_setting *setting = &storage->settings[storage->setting_count];
		const char *path = SYSFS_PATH("%s/%s", parent, known[i].file);

		/* "none [mq-deadline]" has a choice, most have not. */
		if (sysfs_read_choice(root, path, setting->value, sizeof(setting->value)) &&
			sysfs_read(root, path, setting->value, sizeof(setting->value)))
			continue;
		snprintf(setting->name, sizeof(setting->name), "%s", known[i].name);
		storage->setting_count++;
	}
}

/* --- durability --- */

#define DEPTH_MAX 6             /* a file on a loop device over a file on ... */
#define MOUNTINFO_MAX (4u << 20)

/* --- mounts --- */

/* Of the mount with this device, from /proc/self/mountinfo: its options, the file system's own behind the mount's, and what
 * it was mounted from. Of several mounts the options of the file system are the same. */
static bool find_mount(const char *root, dev_t device, char *options, size_t length, char *source, size_t source_length)
{
	char *text, *rest, *line, number[32];
	bool is_found = false;
	size_t size;

	if (sysfs_slurp(root, "/proc/self/mountinfo", MOUNTINFO_MAX, &text, &size))
		return false;
	snprintf(number, sizeof(number), "%u:%u", major(device), minor(device));
	rest = text;
	while (!is_found && (line = strsep(&rest, "\n"))) {
		char *words[32] = {NULL}, *word;
		size_t count = 0, dash;

		while (count < 32 && (word = strsep(&line, " ")))
			words[count++] = word;
		for (dash = 6; dash < count && strcmp(words[dash], "-") != 0; dash++)
			;
		if (count < 7 || dash + 3 >= count || strcmp(words[2], number) != 0)
			continue;
		snprintf(options, length, "%s,%s", words[5], words[dash + 3]);
		snprintf(source, source_length, "%s", words[dash + 2]);
		sysfs_unescape(source);
		is_found = true;
	}
	free(text);
	return is_found;
}

/* --- devices --- */

static void say_unknown(struct durability *durability, const char *what, const char *name)
{
	if (!durability->unknown[0])
		snprintf(durability->unknown, sizeof(durability->unknown), "%s%s%.60s", what, *name ? " " : "", name);
}

static void read_fact(const char *root, const char *folder, const char *name, char *value, size_t length)
{
	if (sysfs_read(root, SYSFS_PATH("%s/%s", folder, name), value, length))
		value[0] = '\0';
}

static void walk_file(const char *root, dev_t device, unsigned depth, struct durability *durability);
static void walk_device(const char *root, dev_t device, const char *mount_options, unsigned depth,
	struct durability *durability);

/* Devices that this one is made of (dm, md, bcache). */
static bool walk_slaves(const char *root, const char *folder, unsigned depth, struct durability *durability)
{
	DIR *slaves = opendir(SYSFS_PATH("%s%s/slaves", root, folder));
	const struct dirent *entry;
	size_t first, stack = durability->count; /* behind the stacked device itself */
	bool is_any = false;
	dev_t device;

	while (slaves && (entry = readdir(slaves))) {
		if (entry->d_name[0] == '.' ||
			blockdev_number(root, SYSFS_PATH("%s/slaves/%.100s/dev", folder, entry->d_name), &device))
			continue;
		is_any = true;
		first = durability->count;
		walk_device(root, device, "", depth + 1, durability);
		if (first < durability->count)
			durability->layers[first].stack = (unsigned)stack;
	}
	if (slaves)
		closedir(slaves);
	return is_any;
}

static void walk_backing(const char *root, const char *folder, const char *name, unsigned depth,
	struct durability *durability)
{
	char path[PATH_MAX], whole[PATH_MAX + 64];
	struct stat stat_of;

	read_fact(root, folder, "loop/backing_file", path, sizeof(path));
	snprintf(whole, sizeof(whole), "%s%s", root, path);
	if (!path[0] || stat(whole, &stat_of))
		say_unknown(durability, "cannot examine the backing file of", name);
	else if (S_ISBLK(stat_of.st_mode))
		walk_device(root, stat_of.st_rdev, "", depth + 1, durability);
	else
		walk_file(root, stat_of.st_dev, depth + 1, durability);
}

static void walk_device(const char *root, dev_t device, const char *mount_options, unsigned depth,
	struct durability *durability)
{
	struct durability_layer *layer = &durability->layers[durability->count];
	char folder[96], target[PATH_MAX], text[8];
	const char *name;

	snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", major(device), minor(device));
	/* Flushes are counted of disks, and a partition's queue is its disk's. */
	if (exists(root, folder, "partition"))
		snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u/..", major(device), minor(device));
	name = realpath(SYSFS_PATH("%s%s", root, folder), target) ? strrchr(target, '/') + 1 : NULL;
	if (!name || depth > DEPTH_MAX || durability->count == DURABILITY_LAYERS) {
		say_unknown(durability, name ? "there are too many devices below" : "no block device is known", name ? name : "");
		return;
	}
	for (size_t i = 0; i < durability->count; i++) {
		if (!strcmp(durability->layers[i].name, name))
			return;
	}
	*layer = (struct durability_layer){.name = ""};
	durability->count++;
	snprintf(layer->name, sizeof(layer->name), "%.63s", name);
	snprintf(layer->mount_options, sizeof(layer->mount_options), "%s", mount_options);
	read_fact(root, folder, "device/model", layer->model, sizeof(layer->model));
	read_fact(root, folder, "device/firmware_rev", layer->firmware, sizeof(layer->firmware));
	if (!layer->firmware[0])
		read_fact(root, folder, "device/rev", layer->firmware, sizeof(layer->firmware));
	read_fact(root, folder, "queue/write_cache", layer->write_cache, sizeof(layer->write_cache));
	read_fact(root, folder, "queue/fua", layer->fua, sizeof(layer->fua));
	read_fact(root, folder, "queue/iostats", text, sizeof(text));
	/* A driver that takes bios (dm, md, nvme multipath) passes flushes on, and nothing counts them. */
	if (exists(root, folder, "mq") && strcmp(text, "0") != 0)
		snprintf(layer->stat_path, sizeof(layer->stat_path), "%s/stat", folder);
	layer->is_followed = walk_slaves(root, folder, depth, durability);
	if (exists(root, folder, "loop/backing_file"))
		walk_backing(root, folder, layer->name, depth, durability);
}

static void walk_file(const char *root, dev_t device, unsigned depth, struct durability *durability)
{
	char options[sizeof(durability->layers[0].mount_options)] = "", source[PATH_MAX] = "", whole[PATH_MAX + 64];
	struct stat stat_of;
	bool is_mounted = find_mount(root, device, options, sizeof(options), source, sizeof(source));

	/* btrfs has device numbers of its own; what it was mounted from is one of its devices. */
	snprintf(whole, sizeof(whole), "%s%s", root, source);
	if (major(device) == 0 && is_mounted && !strncmp(source, "/dev/", 5) && !stat(whole, &stat_of) &&
		S_ISBLK(stat_of.st_mode))
		device = stat_of.st_rdev;
	walk_device(root, device, options, depth, durability);
}

void durability_read(const char *root, dev_t device, struct durability *durability)
{
	memset(durability, 0, sizeof(*durability));
	walk_file(root, device, 0, durability);
}

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

/* --- the check --- */

static bool is_volatile(const struct durability_layer *layer)
{
	return strcmp(layer->write_cache, "write through") != 0;
}

static void conclude(struct durability_check *check, enum durability_status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The worst of what is said counts, and the first that says it. */
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

/* The flushes of the devices that are in one stack with this one; whether one of them may have taken the data without any. */
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
	/* The kernel sends no FUA write to a device that has not got it. */
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
	else if (has_no_barrier && !has_fua_writes)
		conclude(check, DURABILITY_NOT_CONFIRMED, "the file system on %s is mounted with nobarrier, and its write cache is "
			"volatile", layer->name);
	else if (is_counted && flushes < needed)
		conclude(check, DURABILITY_NOT_COUNTED, "%s takes FUA writes, which the kernel does not count", layer->name);
	else if (is_counted)
		conclude(check, DURABILITY_FLUSHED, "%s completed %" PRIu64 " flushes of %" PRIu64 " needed", layer->name, flushes,
			needed);
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
	if (durability->unknown[0])
		conclude(check, DURABILITY_NOT_COUNTED, "%s", durability->unknown);
	if (check->status == DURABILITY_UNASKED)
		conclude(check, DURABILITY_NOT_COUNTED, "no block device is known");
}

const char *durability_status_name(enum durability_status status)
{
	static const char *const names[] = {[DURABILITY_UNASKED] = "unasked", [DURABILITY_NOT_NEEDED] = "not-needed",
		[DURABILITY_FLUSHED] = "flushed", [DURABILITY_NOT_COUNTED] = "not-counted",
		[DURABILITY_NOT_CONFIRMED] = "not-confirmed"};

	return names[status];
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
		.flushes = FIELD_BY(write_device_flushes, checked));
}

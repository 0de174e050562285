/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The storage below a target: the file system's device and its kernel settings. A partition has the queue of its disk.
 */
#ifndef COMMON_STORAGE_STORAGE_H
#define COMMON_STORAGE_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "schema/shared.h"

#define STORAGE_SETTINGS 24

struct storage_setting {
	char name[32];  /* "queue.scheduler", "bdi.max_ratio" */
	char value[64]; /* as the kernel prints it; the selected word of a choice */
};

struct storage {
	char device[64]; /* the kernel's name of the device or partition, "" = none (tmpfs, network) */
	char disk[64];   /* the disk that device is a part of, or device itself */
	char stat_path[128]; /* /sys/dev/block/M:m/stat of the device, "" = none */
	size_t setting_count;
	struct storage_setting settings[STORAGE_SETTINGS];
};

/* root as in common/base/sysfs.h. Unreadable settings are left out. */
void storage_read(const char *root, dev_t device, struct storage *storage);

/*
 * Tells whether data that a kernel call has acknowledged as durable can be durable: the devices below a target, and the cache
 * flushes that they completed.
 *
 * The law that is checked: a sync is acknowledged only after a flush of each volatile cache below that began after the data had
 * been written. One flush can serve every sync that waits for it, but a sync that begins later needs another one. So a device
 * with a volatile cache must fulfil `flushes * outstanding >= syncs`, with the largest number of syncs that were waiting at a
 * time; several commits in one sync, and one journal transaction for several callers, are within the law. Flushes are those of
 * the whole device, for all processes: too few prove that acknowledged data were in a volatile cache; enough do not prove the
 * opposite. So some syncs are examined one by one: each must have had a flush complete while it waited. The flushes of the
 * devices of an array, volume or cache are added up: not each of them has to be flushed.
 */

#define DURABILITY_LAYERS 8

struct durability_layer { /* a disk, also for its partitions; "" = not known */
	char name[64];
	char model[64], firmware[32];
	char write_cache[32];      /* "write back": volatile; "write through": there is none, or it is protected */
	char fua[8];               /* "1": the device takes writes that bypass its cache (FUA) */
	char mount_options[256];   /* of the file system on it that contains the target, or the file of the layer above */
	char stat_path[128];       /* file with the counter of flushes; "" = the kernel counts none for this kind of device */
	unsigned stack;            /* number above 0 that devices of one array, volume or cache share; 0 = not part of one */
	bool is_followed;          /* it has no counter, but the devices below it are layers, too */
};

struct durability {
	size_t count;
	struct durability_layer layers[DURABILITY_LAYERS];
	char unknown[128];         /* why a device below is not in the list; "" = all are */
	char not_durable[128];     /* sentence why data are not durable (memory, dropped syncs); "" = no reason known */
	bool is_page_cache;        /* the file's own file system has no device: tmpfs, or an overlay over it */
};

/* Finds the devices below a file on this device, or below the device itself. mount: of the file (storage_mount), 0 = the first
 * one of the device. root as in common/base/sysfs.h. */
void durability_read(const char *root, dev_t device, uint64_t mount, struct durability *durability);
/* Does the same for the file or device at a path, which is without root. False: it cannot be examined. */
bool durability_read_path(const char *root, const char *path, struct durability *durability);
/* Reads the kernel's number of the mount that a descriptor was opened on. Returns 0 or -errno. */
int storage_mount(int fd, uint64_t *mount);
/* Writes the layers, for FIELD_BY (common/report/field.h). from: struct durability */
void durability_layers(struct report *report, const struct field *field, const void *from);

struct durability_flushes {
	bool is_known[DURABILITY_LAYERS];
	uint64_t count[DURABILITY_LAYERS]; /* since boot; after durability_add within the windows */
};
void durability_flushes(const char *root, const struct durability *durability, struct durability_flushes *flushes);

/* The counter of one device that a probe reads (common/hot/flush_probe.h): the lowest device with a volatile cache whose
 * flushes are counted and are not shared with another device. */
struct durability_counter {
	int fd;                    /* -1 = there is none */
	size_t layer;
};
void durability_counter_open(const char *root, const struct durability *durability, struct durability_counter *counter);
/* Returns the flushes since boot, or -errno. state: the struct durability_counter; any thread may call it. */
int64_t durability_counter_read(void *state);
void durability_counter_close(struct durability_counter *counter);

enum durability_status {
	DURABILITY_UNASKED,        /* no sync was acknowledged */
	DURABILITY_NOT_NEEDED,     /* no device below declares a volatile write cache */
	DURABILITY_FLUSHED,        /* as many flushes as the law requires */
	DURABILITY_NOT_COUNTED,    /* unknown; why has the reason */
	DURABILITY_NOT_CONFIRMED,  /* too few flushes, or a mount option that disables them */
	DURABILITY_NOT_DURABLE,    /* the target is memory, or a layer above the devices drops syncs */
};

struct durability_check { /* zero at first */
	uint64_t syncs;            /* acknowledged within the windows */
	unsigned outstanding;      /* the most syncs that waited at one time */
	bool is_fua_possible;      /* the writes themselves carry the durability: the kernel may send FUA writes, uncounted */
	struct durability_flushes flushes;
	uint64_t examined, unflushed; /* examined syncs, and those in which no flush of this device completed */
	size_t layer;
	enum durability_status status;
	char why[256];
};
/* Adds a window: flushes counted before its first write and after its last acknowledgement. */
void durability_add(const struct durability_flushes *before, const struct durability_flushes *after,
	struct durability_check *check);
/* Sets status and why from the other members. */
void durability_decide(const struct durability *durability, struct durability_check *check);
/* Returns "not-needed" "flushed" "not-counted" "not-confirmed" "not-durable". */
const char *durability_status_name(enum durability_status status);
/* Returns a reason why the duration of these syncs does not describe durable writes: the devices are unknown, or the syncs are
 * not confirmed or not durable. NULL when there is none. */
const char *durability_doubt(const struct durability *durability, const struct durability_check *check);
struct durability_checked {
	const struct durability *durability;
	const struct durability_check *check;
	const char *cell, *stream; /* of the check, or NULL */
};
/* Writes the check, for FIELD_BY; nothing when no sync was acknowledged. from: struct durability_checked */
void durability_checked(struct report *report, const struct field *field, const void *from);

#endif

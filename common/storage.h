/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a target lies: the file system's device and what the kernel is set to do with it. Of a partition the queue is
 * its disk's.
 */
#ifndef COMMON_STORAGE_H
#define COMMON_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/target.h"
#include "schema/shared.h"

#define STORAGE_SETTINGS 24

struct storage_setting {
	char name[32];  /* "queue.scheduler", "bdi.max_ratio" */
	char value[64]; /* as the kernel prints it; of a choice the word that is chosen */
};

struct storage {
	char device[64]; /* the kernel's name of the device or partition, "" = none (tmpfs, network) */
	char disk[64];   /* of which it is a part, or itself */
	char stat_path[128]; /* /sys/dev/block/M:m/stat of the device, "" = none */
	size_t setting_count;
	struct storage_setting settings[STORAGE_SETTINGS];
};

/* root as in common/sysfs.h. What cannot be read is not in the list. */
void storage_read(const char *root, dev_t device, struct storage *storage);

/*
 * Whether data that a kernel call has acknowledged as durable can be durable: the devices below a target, and the cache
 * flushes that they completed.
 *
 * The law that is checked: a sync is acknowledged only after a flush of each volatile cache below that began after the data
 * had been written. One flush can serve every sync that waits for it, but a sync that begins later needs another one. So of
 * a device with a volatile cache `flushes * outstanding >= syncs` holds, with the largest number of syncs that were waiting
 * at a time; several commits in one sync, and one journal transaction for several callers, are within the law. Flushes are
 * those of the whole device, for all processes: too few prove that acknowledged data were in a volatile cache; enough
 * do not prove the opposite. Of the devices that an array, volume or cache is made of the flushes are added up: not each of them
 * has to be flushed.
 */

#define DURABILITY_LAYERS 8

struct durability_layer { /* a disk; of a partition its disk. "" = not known */
	char name[64];
	char model[64], firmware[32];
	char write_cache[32];      /* "write back": volatile; "write through": there is none, or it is protected */
	char fua[8];               /* "1": a write can say that it passes the cache by */
	char mount_options[256];   /* of the file system on it that holds the target, or the file of the layer above */
	char stat_path[128];       /* whose counter of flushes is kept; "" = the kernel counts none for this kind of device */
	unsigned stack;            /* devices of one array, volume or cache have the same, above 0; 0 = none of one */
	bool is_followed;          /* without a counter, but the devices that it is made of are layers, too */
};

struct durability {
	size_t count;
	struct durability_layer layers[DURABILITY_LAYERS];
	char unknown[128];         /* why a part of what is below is not among them; "" = all of it is */
};

/* The devices below a file on this device, or below the device itself. root as in common/sysfs.h. */
void durability_read(const char *root, dev_t device, struct durability *durability);
/* For FIELD_BY (common/field.h): the layers. from: struct durability */
void durability_layers(struct report *report, const struct field *field, const void *from);

struct durability_flushes {
	bool is_known[DURABILITY_LAYERS];
	uint64_t count[DURABILITY_LAYERS]; /* since boot; or, of durability_add, within the windows */
};
void durability_flushes(const char *root, const struct durability *durability, struct durability_flushes *flushes);

enum durability_status {
	DURABILITY_UNASKED,        /* no sync was acknowledged */
	DURABILITY_NOT_NEEDED,     /* no device below declares a volatile write cache */
	DURABILITY_FLUSHED,        /* as many flushes as the law asks for */
	DURABILITY_NOT_COUNTED,    /* nothing can be said; why says what is missing */
	DURABILITY_NOT_CONFIRMED,  /* too few flushes, or a mount option that leaves them out */
};

struct durability_check { /* zero at first */
	uint64_t syncs;            /* acknowledged within the windows */
	unsigned outstanding;      /* at most that many waited at a time */
	bool is_fua_possible;      /* the writes themselves carry the durability: the kernel may send FUA writes, uncounted */
	struct durability_flushes flushes;
	enum durability_status status;
	char why[256];
};
/* One more window: flushes counted before its first write and after its last acknowledgement. */
void durability_add(const struct durability_flushes *before, const struct durability_flushes *after,
	struct durability_check *check);
/* status and why, from the rest. */
void durability_decide(const struct durability *durability, struct durability_check *check);
/* "not-needed" "flushed" "not-counted" "not-confirmed" */
const char *durability_status_name(enum durability_status status);
struct durability_checked {
	const struct durability *durability;
	const struct durability_check *check;
	const char *cell, *stream; /* that it is about, or NULL */
};
/* For FIELD_BY: the check; nothing when no sync was acknowledged. from: struct durability_checked */
void durability_checked(struct report *report, const struct field *field, const void *from);

#endif

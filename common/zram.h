/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A private zram device: made by hot_add, so that no device of another user is touched. A device is known
 * by its number and its diskseq, which the kernel never gives twice in one boot; number alone is reused.
 * `root` as in sysfs.h. Return 0 or -errno.
 */
#ifndef COMMON_ZRAM_H
#define COMMON_ZRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ZRAM_DEVICES 256

struct zram {
	unsigned id;
	uint64_t diskseq; /* 0: this kernel has none (before 5.15) */
};

/* The module is there and can make devices. */
bool zram_is_available(const char *root);
/* Numbers of all devices, ascending. -E2BIG beyond max. */
int zram_list(const char *root, unsigned *ids, size_t max, size_t *count);
/* The number that the next hot_add gets: the smallest free one. */
unsigned zram_next_id(const unsigned *ids, size_t count);
/* The device behind a number as it is now; -ENODEV when there is none. */
int zram_identify(const char *root, unsigned id, struct zram *zram);
/* Nothing was configured on it: just made, or reset. */
bool zram_is_blank(const char *root, unsigned id);
/* The largest diskseq of any block device: what is made later has a larger one. 0 when there is none. */
uint64_t zram_newest_diskseq(const char *root);

int zram_add(struct zram *zram);
/* algorithm "" = the kernel's default; limit_bytes 0 = none, else the most memory it may use. */
int zram_configure(
	const char *root, unsigned id, const char *algorithm, uint64_t limit_bytes, uint64_t bytes);
/* "lzo-rle lzo lz4": what the kernel offers, read from any device; -ENODEV when there is no device to ask. */
int zram_algorithms(const char *root, char *list, size_t length);
/* Resets and removes it, if it still is the one in zram; a device that is gone is success, one that
 * carries the number but is another is -ESTALE and stays. Not while it is swapped on (-EBUSY). */
int zram_remove(const char *root, const struct zram *zram);

#endif

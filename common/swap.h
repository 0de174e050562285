/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Swap areas: which are active, and making one whose header carries a uuid of ours, by which it is known
 * again. `root` as in sysfs.h. Return 0 or -errno.
 */
#ifndef COMMON_SWAP_H
#define COMMON_SWAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWAP_AREAS 32
#define SWAP_UUID_BYTES 16
#define SWAP_LABEL "memstor"
#define SWAP_MIN_BYTES (1024ull * 1024)

#define SWAP_PRIORITY 32767 /* of our areas: the highest that there is */

struct swap_area {
	char path[256]; /* as the kernel names it */
	uint64_t size_bytes, used_bytes;
	int priority;
};

struct swap_line {
	char *path;       /* as the kernel names it */
	const char *type; /* "partition", "file" */
	uint64_t size_bytes, used_bytes;
	int priority;
};
/* The next area of the text of /proc/swaps, in place; *rest begins as the whole text. False: no more. */
bool swap_next(char **rest, struct swap_line *area);
/* Active areas from /proc/swaps; a kernel without swap has none. -E2BIG beyond max. */
int swap_list(const char *root, struct swap_area *areas, size_t max, size_t *count);

/* Writes the header of an area of `bytes` (whole pages, up to 2^32 of them) at the start of fd. */
int swap_format(int fd, uint64_t bytes, const unsigned char uuid[SWAP_UUID_BYTES]);
/* The uuid in the header at path; -EINVAL when there is no header. Works on active areas. */
int swap_read_uuid(const char *path, unsigned char uuid[SWAP_UUID_BYTES]);
/* An area that a run of this suite has made, by its label. */
bool swap_is_of_a_run(const char *path);
bool swap_has_uuid(const char *path, const unsigned char uuid[SWAP_UUID_BYTES]);

/* Opens the area at path if it carries this uuid: what was checked is what swap_on and swap_off are about. -ESTALE: it is
 * another, or none. */
int swap_open(const char *path, const unsigned char uuid[SWAP_UUID_BYTES], int *fd);

/* On with the highest priority there is, so that it is filled before any other area. */
int swap_on(int fd);
/* Reads everything back that is still in it. Not active is success, and was_active tells. While there is no memory for
 * what is read back (other processes' pages may be in it, in cgroups of theirs) it is tried again for 10 s; then
 * -ENOMEM. */
int swap_off(int fd, bool *was_active);

/*
 * A private zram device: made by hot_add, so that no device of another user is touched. A device is known
 * by its number and its diskseq, which the kernel never gives twice in one boot; number alone is reused.
 * `root` as in sysfs.h. Return 0 or -errno.
 */

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

/*
 * A loop device over a file of ours. It is known again by the file behind it (device and inode), so a
 * number that passed to another file is never detached. Return 0 or -errno.
 */

#define LOOPDEV_PATH 32

/* Attaches file_fd to a free device, with direct I/O so that nothing is cached twice, and detaching itself
 * with the last user. *device_fd keeps it attached until closed; the caller closes it. path as
 * "/dev/loop3". is_direct: direct I/O is really on (the file system may not have it). */
int loopdev_attach(int file_fd, char path[LOOPDEV_PATH], int *device_fd, bool *is_direct);
/* The device behind path is attached to the file with these numbers. */
bool loopdev_is_over(const char *path, uint64_t device, uint64_t inode);
/* The same, distinguished: 1, 0 (also when it is attached to nothing), or -errno when it cannot be seen. */
int loopdev_look(const char *path, uint64_t device, uint64_t inode);
/* As loopdev_look, of a loop device over the block device of this number. */
int loopdev_look_device(const char *path, uint64_t number);
/* Detaches path if it is over that file; success when it is not. */
int loopdev_detach(const char *path, uint64_t device, uint64_t inode);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Swap areas: lists active ones, and makes areas whose header has a uuid by which they are recognised later. `root` as in
 * sysfs.h. Functions return 0 or -errno.
 */
#ifndef COMMON_KERNEL_SWAP_H
#define COMMON_KERNEL_SWAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWAP_AREAS 32
#define SWAP_UUID_BYTES 16
#define SWAP_LABEL "memstor"
#define SWAP_MIN_BYTES (1024ull * 1024)

/* The highest priority that the kernel accepts. The areas of runs use it, or the highest free one below it. */
#define SWAP_PRIORITY 32767
#define SWAP_PRIORITY_LEAST 31744

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
/* Parses the next area of /proc/swaps in place; *rest begins as the whole text. False: no more. */
bool swap_next(char **rest, struct swap_line *area);
/* Lists active areas from /proc/swaps; none on a kernel without swap. -E2BIG beyond max. */
int swap_list(const char *root, struct swap_area *areas, size_t max, size_t *count);

/* Writes the header of an area of `bytes` (whole pages, up to 2^32 of them) at the start of fd. */
int swap_format(int fd, uint64_t bytes, const unsigned char uuid[SWAP_UUID_BYTES]);
/* Tells by the label in the header whether a run of this suite made the area. */
bool swap_is_of_a_run(const char *path);
/* Tells whether the header at path has this uuid; works for active areas, too. */
bool swap_has_uuid(const char *path, const unsigned char uuid[SWAP_UUID_BYTES]);

/* Opens the area at path if it has this uuid, so that swap_on and swap_off act on the area that was checked. -ESTALE: path is
 * another area, or none. */
int swap_open(const char *path, const unsigned char uuid[SWAP_UUID_BYTES], int *fd);

/* Returns the priority for the area of another run: the highest free one below all areas of runs, so that the kernel continues
 * to fill each run's area before that of a later run. If all are in use it is the lowest, which is then shared. */
int swap_free_priority(const char *root);
/* Activates the area. The kernel fills the area with the highest priority first, and areas with the same priority in turn. */
int swap_on(int fd, int priority);
/* Deactivates the area, which reads back all of its pages; an inactive area is success, and was_active is false. When memory is
 * too short (the area may hold other processes' pages, charged to their cgroups) it tries again for 10 s, then returns -ENOMEM. */
int swap_off(int fd, bool *was_active);

/*
 * A private zram device: made by hot_add, so that no device of another user is touched. A device is identified by its number and
 * its diskseq, which the kernel never gives twice in one boot; numbers alone are reused. `root` as in sysfs.h. Functions return 0
 * or -errno.
 */

#define ZRAM_DEVICES 256

struct zram {
	unsigned id;
	uint64_t diskseq; /* 0: this kernel has none (before 5.15) */
};

/* Tells whether the module is loaded and can make devices. */
bool zram_is_available(const char *root);
/* Lists the numbers of all devices, ascending. -E2BIG beyond max. */
int zram_list(const char *root, unsigned *ids, size_t max, size_t *count);
/* Returns the number that the next hot_add gets: the smallest free one. */
unsigned zram_next_id(const unsigned *ids, size_t count);
/* Reads the current device with this number; -ENODEV when there is none. */
int zram_identify(const char *root, unsigned id, struct zram *zram);
/* Tells whether the device is not configured: just made, or reset. */
bool zram_is_blank(const char *root, unsigned id);
/* Returns the largest diskseq of any block device; devices made later have larger ones. 0 when there is none. */
uint64_t zram_newest_diskseq(const char *root);

int zram_add(struct zram *zram);
/* algorithm "" = the kernel's default; limit_bytes: the most memory it may use, 0 = no limit. */
int zram_configure(
	const char *root, unsigned id, const char *algorithm, uint64_t limit_bytes, uint64_t bytes);
/* Lists the kernel's compressors, "lzo-rle lzo lz4", read from any device; -ENODEV when there is no device. */
int zram_algorithms(const char *root, char *list, size_t length);
/* Resets and removes the device, if it still is the one in zram. A device that is gone is success; another device with the same
 * number is -ESTALE and stays. -EBUSY while it is swapped on. */
int zram_remove(const char *root, const struct zram *zram);

/*
 * A loop device over a file of this run. It is identified by its backing file (device and inode), so that a
 * number reused for another file is never detached. Functions return 0 or -errno.
 */

#define LOOPDEV_PATH 32

/* Attaches file_fd to a free device, with direct I/O so that nothing is cached twice, and with automatic detaching
 * after the last close. *device_fd keeps it attached until the caller closes it. path as
 * "/dev/loop3". is_direct: direct I/O is on (the file system may not support it). */
int loopdev_attach(int file_fd, char path[LOOPDEV_PATH], int *device_fd, bool *is_direct);
/* Tells whether the loop device path is attached to the file with these numbers, or to the block device of this number: 1, 0
 * (also when it is detached), or -errno when that cannot be determined. */
int loopdev_is_over(const char *path, uint64_t device, uint64_t inode);
int loopdev_is_over_device(const char *path, uint64_t number);
/* Tells whether the loop device path is another one than that of fd (or of its disk) over the same bytes of a file: 1, 0 (also
 * when one of them is no loop device, or is detached), or -errno when that cannot be determined. */
int loopdev_shares_bytes(const char *path, int fd);
/* Detaches path if it is attached to that file; success when it is not. */
int loopdev_detach(const char *path, uint64_t device, uint64_t inode);

#endif

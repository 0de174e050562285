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

#endif

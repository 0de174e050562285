/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file or device that a storage tool writes to. Every refusal that protects somebody's data is made here, before
 * the first byte. A folder gets a file without a name (O_TMPFILE, or unlinked at once), which is gone with its last
 * descriptor, also after kill -9. An existing file, be it empty, is written only when it carries the tool's own header or
 * is named a second time (--destroy-data=PATH, the same words); a device only when named a second time by its path or serial,
 * and never while it is mounted, swapped on, held by anybody, or part of an array, volume group or pool (also one of its
 * partitions); nor what is swapped on, or that a loop device is made of.
 */
#ifndef COMMON_TARGET_H
#define COMMON_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TARGET_MARGIN_BYTES (64ull << 20) /* that are left to others on a file system */

enum target_kind { TARGET_NAMELESS, TARGET_FILE, TARGET_DEVICE };

struct target_request {
	const char *path;         /* folder, file or block device */
	bool needs_folder;        /* from --directory: nothing else is taken, and nothing made of this name */
	uint64_t bytes;           /* that are going to be written, at most; room for it is checked */
	bool needs_direct;        /* O_DIRECT must be possible */
	const char *destroy_data; /* value of --destroy-data, NULL = not given */
	const void *header;       /* with which the tool's own files begin, NULL = none */
	size_t header_bytes;
};

struct target {
	enum target_kind kind;
	int fd;                       /* O_RDWR; a device's is O_EXCL: nobody else takes it meanwhile */
	bool is_created;              /* by us: target_close removes it */
	char path[512];               /* as given */
	dev_t device;                 /* that it is on, or is */
	uint64_t size_bytes;          /* of what is there now; a device's size */
	char file_system[32];         /* "ext4", "tmpfs", "none" for a device */
	bool has_direct;              /* O_DIRECT reaches the device */
	unsigned memory_align, offset_align; /* of O_DIRECT; bytes */
	unsigned fs_block;            /* st_blksize: a part of it costs a read */
};

/* 0 or a diag_exit code after one line: 2 when the words are wrong or would cost somebody's data, 3 when this host
 * cannot (space, read-only, no O_DIRECT, limits). On failure nothing is left behind. */
int target_open(const struct target_request *request, struct target *target);
/* Once more whether a file may be written, for who has taken a lock on it since: another may have written or removed it
 * meanwhile. What another has written is not removed. 0 or a diag_exit code after one line. */
int target_check_again(const struct target_request *request, struct target *target);
/* For who only looks: nothing is refused but what cannot be read. target_close removes nothing. 0 or a diag_exit code
 * after one line. */
int target_open_read(const char *path, struct target *target);
/* Another descriptor of the same file with these open(2) flags beside O_CLOEXEC, as O_WRONLY | O_DIRECT. 0 or -errno. */
int target_reopen(const struct target *target, int flags, int *fd);
/* Closes; a file that was made is removed. */
void target_close(struct target *target);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file or device that a storage tool writes to. Every refusal that protects existing data is made here, before the first byte
 * is written. A folder gets a file without a name (O_TMPFILE, or unlinked at once), which is removed with its last descriptor,
 * also after kill -9. An existing file, even an empty one, is written only when it has the tool's own header or is named a second
 * time (--destroy-data=PATH, the same text); a device only when named a second time by its path or serial, and never while it is
 * mounted, swapped on, open in another process, or part of an array, volume group or pool (also one of its partitions). A file
 * that is swapped on or backs a loop device is refused. A target with the tool's header and another signature as well does not
 * count as the tool's own. A target that cannot be checked is refused.
 *
 * A named target is locked (flock, exclusive) from before these checks until it is closed; a reader takes the same lock shared.
 * So no two runs of any tool write to one file or device, and no run writes to a file that another run reads back.
 */
#ifndef COMMON_STORAGE_TARGET_H
#define COMMON_STORAGE_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TARGET_MARGIN_BYTES (64ull << 20) /* left free on a file system */

enum target_kind { TARGET_NAMELESS, TARGET_FILE, TARGET_DEVICE, TARGET_SIMULATED /* never opened: a model */ };

struct target_request {
	const char *path;         /* folder, file or block device */
	bool needs_folder;        /* from --directory: must be a folder, and no file of this name is made */
	uint64_t bytes;           /* the most that will be written; free space is checked */
	bool needs_direct;        /* O_DIRECT must be possible */
	const char *destroy_data; /* value of --destroy-data, NULL = not given */
	const void *header;       /* first bytes of the tool's own files, NULL = none */
	size_t header_bytes;
};

struct target {
	enum target_kind kind;
	int fd;                       /* O_RDWR; a device's is O_EXCL, so that no other program can claim it */
	bool is_created;              /* created here: target_close removes it */
	bool is_confirmed;            /* named a second time, which confirms overwriting it */
	bool is_own;                  /* it existed with the tool's header and without another signature */
	char path[512];               /* as given */
	bool has_folder;
	int folder;                   /* with has_folder: the folder of the target; O_PATH */
	char name[NAME_MAX + 1];      /* within that folder; "" for a folder */
	dev_t device;                 /* the device of its file system, or the device itself */
	uint64_t mount;               /* of a file: the kernel's number of its mount (common/storage/storage.h), 0 = not known */
	uint64_t size_bytes;          /* present size; a device's size */
	char file_system[32];         /* "ext4", "tmpfs", "none" for a device */
	bool has_direct;              /* O_DIRECT reaches the device */
	unsigned memory_align, offset_align; /* of O_DIRECT; bytes */
	unsigned fs_block;            /* st_blksize: writing a part of a block costs a read */
};

/* Returns 0 or a diag_exit code after one line: 2 for a usage error or when data of others would be lost, 3 when this host
 * cannot (space, read-only, no O_DIRECT, limits). On failure nothing is left behind. */
int target_open(const struct target_request *request, struct target *target);
/* Opens a file or block device for reading; it is refused only if it cannot be read. target_close then removes nothing. Returns
 * 0 or a diag_exit code after one line: 2 when it is missing or of another kind. */
int target_open_read(const char *path, struct target *target);
/* Opens another descriptor of the same file with these open(2) flags and O_CLOEXEC. Returns 0 or -errno. */
int target_reopen(const struct target *target, int flags, int *fd);
/* Locks a file that is open for writing, and checks whether it may be written; a file that another process has written to since
 * it was created here is not removed. Returns 0 or a diag_exit code after one line. */
int target_take(const struct target_request *request, struct target *target);
/* Closes the target; a file created by target_open is removed. */
void target_close(struct target *target);

#endif

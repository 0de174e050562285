/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file or device that a storage tool writes to. Every refusal that protects data of others is made here, before
 * the first byte. A folder gets a file without a name (O_TMPFILE, or unlinked at once), which is gone with its last
 * descriptor, also after kill -9. An existing file, be it empty, is written only when it carries the tool's own header or
 * is named a second time (--destroy-data=PATH, the same words); a device only when named a second time by its path or serial,
 * and never while it is mounted, swapped on, open in another process, or part of an array, volume group or pool (also one of
 * its partitions); nor what is swapped on, or that a loop device is made of. The header makes nothing the tool's own that
 * carries another signature, too. What cannot be checked is refused.
 *
 * A named target is locked (flock, exclusive) from before these checks until it is closed; who reads one takes the same lock
 * shared. So no two runs of any tool write to one file or device, and no run writes to what another reads back.
 */
#ifndef COMMON_TARGET_H
#define COMMON_TARGET_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define TARGET_CHANGE 160 /* bytes of a sentence about a change */
#define TARGET_MARGIN_BYTES (64ull << 20) /* that are left to others on a file system */

enum target_kind { TARGET_NAMELESS, TARGET_FILE, TARGET_DEVICE, TARGET_SIMULATED /* never opened: a model */ };

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
	int fd;                       /* O_RDWR; a device's is O_EXCL: no other program takes it meanwhile */
	bool is_created;              /* by us: target_close removes it */
	bool is_confirmed;            /* named a second time: what is in it may be lost */
	bool is_own;                  /* it was there, with the tool's header, and without another signature */
	char path[512];               /* as given */
	bool has_folder;
	int folder;                   /* with has_folder, the one that the path led to; O_PATH */
	char name[NAME_MAX + 1];      /* in it; "" of a folder */
	dev_t device;                 /* that it is on, or is */
	uint64_t size_bytes;          /* of what is there now; a device's size */
	char file_system[32];         /* "ext4", "tmpfs", "none" for a device */
	bool has_direct;              /* O_DIRECT reaches the device */
	unsigned memory_align, offset_align; /* of O_DIRECT; bytes */
	unsigned fs_block;            /* st_blksize: a part of it costs a read */
};

/* 0 or a diag_exit code after one line: 2 for a usage error or when data of others would be lost, 3 when this host
 * cannot (space, read-only, no O_DIRECT, limits). On failure nothing is left behind. */
int target_open(const struct target_request *request, struct target *target);
/* For who only looks: nothing is refused but what cannot be read. target_close removes nothing. 0 or a diag_exit code
 * after one line. */
int target_open_read(const char *path, struct target *target);
/* Another descriptor of the same file with these open(2) flags beside O_CLOEXEC, as O_WRONLY | O_DIRECT. 0 or -errno. */
int target_reopen(const struct target *target, int flags, int *fd);
/* Closes; a file that was made is removed. */
void target_close(struct target *target);

/* Locks for writing or, shared, for reading; waits up to 3 s. 0, -EWOULDBLOCK when another process has the lock, -errno. */
int target_lock(int fd, bool is_shared);
/* One line that another process has the lock; it names the process when /proc/locks does. */
void target_say_locked(const char *path, int fd);
/* Whether `count` more descriptors can be opened, before anything is written. 0 or DIAG_EXIT_HOST after one line. */
int target_check_descriptors(const char *path, unsigned count);

/* What a file is like between own writes. */
struct target_mark {
	uint64_t bytes, allocated;    /* allocated: of the bytes; 0 where the file system's number may change by itself */
	struct timespec modified, changed;
};

/* Nothing of a device. 0 or -errno. */
int target_mark(const struct target *target, struct target_mark *mark);
/* Whether the name, if it has one, still leads to the file that is open. */
bool target_is_named(const struct target *target);
/* Whether another process has changed the file since: its name leads to another file, its size differs, parts of it are no
 * longer allocated; is_idle: this process has not written to it since, so its times may not differ either. `how` says it then,
 * or is "". What cannot be read has changed. */
bool target_is_changed(const struct target *target, const struct target_mark *mark, bool is_idle,
	char how[TARGET_CHANGE]);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of target only. */
#ifndef COMMON_TARGET_PRIVATE_H
#define COMMON_TARGET_PRIVATE_H

#include "common/target.h"

#define TARGET_SIGNATURES 512 /* bytes of a list of them */

/* Opens a block device, or refuses it, as target_open. */
int target_open_device(const struct target_request *request, struct target *target);
/* A file that is in use as something else is refused, whatever is said. 0 or a diag_exit code after one line. */
int target_check_use(const char *path, int fd);
/* The same of a block device, which nothing else holds: a loop device over it does not say so to the kernel. */
int target_check_device_use(const char *path, dev_t device);
/* Nobody else has this file open, no loop device either; false also when that cannot be told: of another's file, or on a
 * file system that does not know. */
bool target_is_open_once(int fd);
/* Fills file_system, has_direct and the alignments from what fd is; 0 or -errno. */
int target_facts(struct target *target);

#endif

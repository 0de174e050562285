/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of target only. */
#ifndef COMMON_TARGET_PRIVATE_H
#define COMMON_TARGET_PRIVATE_H

#include "common/target.h"

/* Opens a block device, or refuses it, as target_open. */
int target_open_device(const struct target_request *request, struct target *target);
/* Fills file_system, has_direct and the alignments from what fd is; 0 or -errno. */
int target_facts(struct target *target);

#endif

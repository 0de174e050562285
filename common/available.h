/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that this process may still take without being killed, or making others page. */
#ifndef COMMON_AVAILABLE_H
#define COMMON_AVAILABLE_H

#include <stdint.h>

/* Bytes: what the kernel says is available (with what it can reclaim from the page cache), and not more than RLIMIT_AS and the
 * cgroups above this process leave. UINT64_MAX = nothing is known. root as in common/sysfs.h. */
uint64_t available_memory(const char *root);

#endif

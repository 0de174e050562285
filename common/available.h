/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory that this process may still take without being killed, or making others page. */
#ifndef COMMON_AVAILABLE_H
#define COMMON_AVAILABLE_H

#include <stdint.h>

/* Bytes: what the kernel says is available (with what it can take back from the page cache), and not more than any cgroup above
 * this process leaves. UINT64_MAX = neither is known. root as in common/sysfs.h. */
uint64_t available_memory(const char *root);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the kernel says of the device and of waiting, at the intervals' edges; read by the thread that does not write. */
#ifndef SSD_WORKLOADS_ENGINE_LOOK_H
#define SSD_WORKLOADS_ENGINE_LOOK_H

#include "ssd-workloads/engine/engine.h"

/* root as in common/sysfs.h. What cannot be read is marked as not there. */
void look_take(const char *root, const struct storage *storage, uint64_t now_ns, struct engine_look *look);
/* Of struct engine_look's disk: "disk.read_ios", ... */
const char *look_disk_name(unsigned index);

#endif

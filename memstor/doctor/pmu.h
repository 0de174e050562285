/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events of a performance monitoring unit as the kernel describes them below /sys/bus/event_source/devices/NAME: type,
 * format/TERM ("config1:0-15") and events/EVENT ("event=0xcd,umask=0x1,ldlat=3"). Nothing of a CPU is known here. root as in
 * common/sysfs.h. Return 0 or -errno: -ENOENT no such unit, event or term; -EINVAL a description that cannot be read; -ERANGE
 * a value that its bits cannot hold. attr is changed only on success.
 */
#ifndef MEMSTOR_DOCTOR_PMU_H
#define MEMSTOR_DOCTOR_PMU_H

#include <linux/perf_event.h>
#include <stdint.h>

/* attr->type of this unit. */
int pmu_type(const char *root, const char *unit, struct perf_event_attr *attr);
/* The type, and the bits of one term in config, config1 or config2. */
int pmu_term(const char *root, const char *unit, const char *term, uint64_t value, struct perf_event_attr *attr);
/* The type, and every term of an event. */
int pmu_event(const char *root, const char *unit, const char *event, struct perf_event_attr *attr);

#endif

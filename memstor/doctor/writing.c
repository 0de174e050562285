/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What decides when writes are throttled, and what can be done about it: thresholds, slow devices, cold memory. */
#include "config.h"
#include "memstor/doctor/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/balloon.h"
#include "common/cgroup.h"
#include "common/sysfs.h"
#include "common/units.h"
#include "common/vmcounters.h"

#define DIRTY_BYTES "/proc/sys/vm/dirty_bytes"
#define BLKIO_FILE "blkio.throttle.write_bps_device"

/* "background 512 MiB, limit 1 GiB", as the kernel has them now; false when it does not tell. */
static bool read_thresholds(const struct doctor_host *host, char *text, size_t length)
{
	struct vmcounters *counters = calloc(1, sizeof(*counters));
	uint64_t background, limit;
	char low[UNITS_TEXT], high[UNITS_TEXT];
	bool is_known = counters && !vmcounters_read(host->root, NULL, VMCOUNTERS_VMSTAT, counters) &&
			vmcounters_get(counters, "vmstat.nr_dirty_background_threshold", &background) &&
			vmcounters_get(counters, "vmstat.nr_dirty_threshold", &limit);

	if (is_known)
		snprintf(text, length, "background %s, limit %s",
			units_format_size(background * host->machine->page_bytes, low, sizeof(low)),
			units_format_size(limit * host->machine->page_bytes, high, sizeof(high)));
	free(counters);
	return is_known;
}

void doctor_dirty_thresholds(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	int err = host->hooks->is_writable(DIRTY_BYTES);
	char text[128] = "not in /proc/vmstat";

	(void)path;
	read_thresholds(host, text, sizeof(text));
	if (!err) {
		doctor_say(finding, DOCTOR_OK, "%s; can be set", text);
		return;
	}
	doctor_say(finding, DOCTOR_LIMITED, "%s; cannot be set: %s", text, strerror(-err));
	if (err == -EACCES || err == -EPERM || err == -EROFS)
		doctor_mend_privilege(host, finding);
}

static bool has_blkio(const struct doctor_host *host)
{
	struct cgroup_place place;
	char path[CGROUP_DIR + 128];

	return !cgroup_find_hierarchy(host->root, "blkio", &place) &&
	       snprintf(path, sizeof(path), "%s%s/" BLKIO_FILE, host->root, place.dir) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

/* Write-back belongs to the group that made the pages dirty only where it has both controllers. */
static bool has_io_max(const struct doctor_host *host)
{
	struct cgroup_place place;
	char path[CGROUP_DIR + 64], controllers[512];

	if (cgroup_find_hierarchy(host->root, NULL, &place))
		return false;
	snprintf(path, sizeof(path), "%s/cgroup.controllers", place.mount_point);
	return !sysfs_read(host->root, path, controllers, sizeof(controllers)) && sysfs_has_word(controllers, " ", "io") &&
	       sysfs_has_word(controllers, " ", "memory");
}

void doctor_io_throttle(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	(void)path;
	if (has_blkio(host))
		doctor_say(finding, DOCTOR_OK, "blkio (cgroup version 1)");
	else if (has_io_max(host))
		doctor_say(finding, DOCTOR_OK, "io.max (cgroup version 2)");
	else
		doctor_say(finding, DOCTOR_MISSING, "neither blkio nor io and memory in version 2");
}

void doctor_cold_memory(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	struct balloon balloon;

	(void)path;
	balloon_look(host->root, &balloon);
	if (balloon.reports_pages)
		doctor_say(finding, DOCTOR_NOTE, "free pages go back to the hypervisor (page reporting)");
	else if (balloon.count)
		doctor_say(finding, DOCTOR_NOTE, "the hypervisor may take free pages (virtio_balloon)");
	else
		doctor_say(finding, DOCTOR_OK, "no balloon, no page reporting");
}

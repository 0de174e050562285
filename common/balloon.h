/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the host of a virtual machine takes its free memory: what comes back is cold, its first touch is slow. */
#ifndef COMMON_BALLOON_H
#define COMMON_BALLOON_H

#include <stdbool.h>

struct balloon {
	unsigned count;     /* devices that virtio_balloon holds: the host may take free pages when it wants */
	bool reports_pages; /* free pages are told to the host, which takes them after seconds (page reporting) */
};

/* root as in common/sysfs.h. What cannot be read is not there. */
void balloon_look(const char *root, struct balloon *balloon);

#endif

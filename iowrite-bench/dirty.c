/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/dirty.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/sysfs.h"

#define TEXT_BYTES 16384 /* /proc/vmstat has some 6 KiB */
#define LOOK_EVERY_NS 10000000

int dirty_open(const char *root, struct dirty *dirty)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/proc/vmstat", root);
	dirty->fd = open(path, O_RDONLY | O_CLOEXEC);
	dirty->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	return dirty->fd < 0 ? -errno : 0;
}

void dirty_close(struct dirty *dirty)
{
	if (dirty->fd >= 0)
		close(dirty->fd);
	dirty->fd = -1;
}

/* "\nname 17\n" in the text; false when there is none. */
static int find(const char *text, const char *name, uint64_t *value)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, length) && line[length] == ' ')
			return sysfs_scan_u64(line + length + 1, value) ? 0 : -ENODATA;
	}
	return -ENODATA;
}

int dirty_read(const struct dirty *dirty, struct dirty_state *state)
{
	struct dirty_state pages;
	char text[TEXT_BYTES];
	ssize_t length = pread(dirty->fd, text, sizeof(text) - 1, 0);

	if (length < 0)
		return -errno;
	text[length] = '\0';
	if (find(text, "nr_dirty", &pages.dirty) || find(text, "nr_writeback", &pages.writeback) ||
		find(text, "nr_dirty_background_threshold", &pages.background_threshold) ||
		find(text, "nr_dirty_threshold", &pages.threshold))
		return -ENODATA;
	state->dirty = pages.dirty * dirty->page_bytes;
	state->writeback = pages.writeback * dirty->page_bytes;
	state->background_threshold = pages.background_threshold * dirty->page_bytes;
	state->threshold = pages.threshold * dirty->page_bytes;
	return 0;
}

uint64_t dirty_settle(const struct dirty *dirty, uint64_t limit, uint64_t timeout_ns, int wants_sync,
	const volatile int *stop)
{
	const struct timespec pause = {0, LOOK_EVERY_NS};
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + timeout_ns, left = UINT64_MAX;
	struct dirty_state state = {0};

	if (wants_sync)
		sync();
	for (;;) {
		if (!dirty_read(dirty, &state))
			left = state.dirty + state.writeback;
		if (left <= limit || clock_ns(CLOCK_MONOTONIC) >= end || __atomic_load_n(stop, __ATOMIC_RELAXED))
			return left;
		nanosleep(&pause, NULL);
	}
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a recorded pattern: what is read has its tables within its pages, what is refused has a reason. */
#include "config.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "common/stats/recorded.h"

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recorded *recorded;
	char path[64], why[128];
	int fd = memfd_create("pattern", MFD_CLOEXEC), err;

	check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = recorded_read(path, &recorded, why, sizeof(why));
	check(!err || why[0] || err == -ENOMEM);
	for (uint32_t i = 0; !err && i < recorded->pages; i++)
		check(recorded->alias[i] < recorded->pages);
	for (uint64_t i = 0; !err && i < recorded->order_count; i++)
		check(recorded->order[i] < recorded->pages);
	if (!err)
		recorded_free(recorded);
	close(fd);
	return 0;
}

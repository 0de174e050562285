/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Swap areas, and what is behind each. */
#include "config.h"
#include "common/machine_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/swap.h"
#include "common/sysfs.h"

#define SWAPS_MAX (1u << 20)

static const char *backing_of(const struct machine_swap *swap, const char *device)
{
	static const char *const kinds[][2] = {{"zram", "zram"}, {"loop", "loop"}, {"dm-", "other"}, {"md", "other"},
		{"nbd", "other"}, {"rbd", "other"}, {"mapper/", "other"}};

	if (!strcmp(swap->type, "file"))
		return "file";
	if (!device)
		return "other";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(device, kinds[i][0], strlen(kinds[i][0])))
			return kinds[i][1];
	return "disk";
}

static void describe_backing(const char *root, struct machine_swap *swap)
{
	const char *device = strncmp(swap->path, "/dev/", 5) ? NULL : swap->path + 5;
	char path[256], algorithm[sizeof(swap->algorithm)];

	snprintf(swap->backing, sizeof(swap->backing), "%s", backing_of(swap, device));
	if (strcmp(swap->backing, "zram"))
		return;
	snprintf(path, sizeof(path), "/sys/block/%s/comp_algorithm", device);
	if (!sysfs_read_choice(root, path, algorithm, sizeof(algorithm)))
		machine_text(swap->algorithm, sizeof(swap->algorithm), algorithm, strlen(algorithm));
}

void machine_read_swaps(const char *root, struct machine *machine)
{
	struct swap_line area;
	char *text, *rest;
	size_t length;

	if (sysfs_slurp(root, "/proc/swaps", SWAPS_MAX, &text, &length))
		return;
	rest = text;
	while (machine->swap_count < sizeof(machine->swaps) / sizeof(machine->swaps[0]) && swap_next(&rest, &area)) {
		struct machine_swap *swap = &machine->swaps[machine->swap_count++];

		machine_text(swap->path, sizeof(swap->path), area.path, strlen(area.path));
		machine_text(swap->type, sizeof(swap->type), area.type, strlen(area.type));
		swap->size_bytes = area.size_bytes;
		swap->used_bytes = area.used_bytes;
		swap->priority = area.priority;
		describe_backing(root, swap);
	}
	free(text);
}

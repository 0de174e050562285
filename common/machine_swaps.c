/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Swap areas, and what is behind each. */
#include "config.h"
#include "common/machine_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

static char *next_field(char **rest)
{
	char *field;

	do {
		field = strsep(rest, " \t");
	} while (field && !*field);
	return field;
}

/* "/dev/sda2  partition  2097148  0  -2": sizes in KiB. */
static bool parse_swap(char *line, struct machine_swap *swap)
{
	char *path = next_field(&line), *type = next_field(&line), *size = next_field(&line);
	char *used = next_field(&line), *priority = next_field(&line);
	uint64_t size_kib, used_kib;

	if (!priority || !sysfs_scan_u64(size, &size_kib) || !sysfs_scan_u64(used, &used_kib))
		return false;
	sysfs_unescape(path);
	machine_text(swap->path, sizeof(swap->path), path, strlen(path));
	machine_text(swap->type, sizeof(swap->type), type, strlen(type));
	swap->size_bytes = size_kib * 1024;
	swap->used_bytes = used_kib * 1024;
	swap->priority = (int)strtol(priority, NULL, 10);
	return true;
}

void machine_read_swaps(const char *root, struct machine *machine)
{
	char *text, *rest, *line;
	size_t length;

	if (sysfs_slurp(root, "/proc/swaps", SWAPS_MAX, &text, &length))
		return;
	rest = text;
	strsep(&rest, "\n"); /* the headings */
	while ((line = strsep(&rest, "\n"))) {
		struct machine_swap *swap = &machine->swaps[machine->swap_count];

		if (machine->swap_count == sizeof(machine->swaps) / sizeof(machine->swaps[0]))
			break;
		if (!parse_swap(line, swap))
			continue;
		describe_backing(root, swap);
		machine->swap_count++;
	}
	free(text);
}

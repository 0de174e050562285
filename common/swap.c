/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/swap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/swap.h>
#include <time.h>
#include <unistd.h>

#include "common/sysfs.h"

#define HEADER_OFFSET 1024 /* what comes before belongs to boot loaders: union swap_header in linux/swap.h   \
			    */
#define SIGNATURE "SWAPSPACE2"
#define SIGNATURE_BYTES 10
#define OFF_PAUSE_MS 100
#define OFF_TRIES (10 * 1000 / OFF_PAUSE_MS)

struct header {
	uint32_t version, last_page, bad_pages;
	unsigned char uuid[SWAP_UUID_BYTES];
	char label[16];
};

static char *next_field(char **rest)
{
	char *field;

	do {
		field = strsep(rest, " \t");
	} while (field && !*field);
	return field;
}

/* "/dev/sda2  partition  2097148  0  -2": sizes in KiB. The heading has no numbers. */
bool swap_next(char **rest, struct swap_line *area)
{
	char *line;

	while ((line = strsep(rest, "\n"))) {
		char *path = next_field(&line), *type = next_field(&line), *size = next_field(&line);
		char *used = next_field(&line), *priority = next_field(&line);
		uint64_t size_kib, used_kib;

		if (!path || !priority || !sysfs_scan_u64(size, &size_kib) || !sysfs_scan_u64(used, &used_kib))
			continue;
		sysfs_unescape(path);
		*area = (struct swap_line){path, type, size_kib * 1024, used_kib * 1024, (int)strtol(priority, NULL, 10)};
		return true;
	}
	return false;
}

int swap_list(const char *root, struct swap_area *areas, size_t max, size_t *count)
{
	size_t length, found = 0;
	struct swap_line line;
	char *text, *rest;
	int ret = sysfs_slurp(root, "/proc/swaps", 64 * 1024, &text, &length);

	if (ret == -ENOENT) {
		*count = 0;
		return 0;
	}
	if (ret)
		return ret;
	rest = text;
	while (!ret && swap_next(&rest, &line)) {
		struct swap_area *area = &areas[found];

		if (strlen(line.path) >= sizeof(area->path))
			continue;
		if (found == max) {
			ret = -E2BIG;
			break;
		}
		*area = (struct swap_area){.size_bytes = line.size_bytes, .used_bytes = line.used_bytes, .priority = line.priority};
		memcpy(area->path, line.path, strlen(line.path) + 1);
		found++;
	}
	free(text);
	if (!ret)
		*count = found;
	return ret;
}

int swap_format(int fd, uint64_t bytes, const unsigned char uuid[SWAP_UUID_BYTES])
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct header header = {.version = 1, .label = SWAP_LABEL};
	uint64_t pages = bytes / page_bytes;
	unsigned char *page;
	ssize_t done;
	int ret = 0;

	if (bytes < SWAP_MIN_BYTES || pages - 1 > UINT32_MAX)
		return -ERANGE;
	page = calloc(1, page_bytes);
	if (!page)
		return -ENOMEM;
	header.last_page = (uint32_t)(pages - 1);
	memcpy(header.uuid, uuid, SWAP_UUID_BYTES);
	memcpy(page + HEADER_OFFSET, &header, sizeof(header));
	memcpy(page + page_bytes - SIGNATURE_BYTES, SIGNATURE, SIGNATURE_BYTES);
	done = pwrite(fd, page, page_bytes, 0);
	if (done < 0 || fsync(fd))
		ret = -errno;
	else if ((size_t)done != page_bytes)
		ret = -EIO;
	free(page);
	return ret;
}

static int read_header(int fd, struct header *header)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	char signature[SIGNATURE_BYTES];

	if (pread(fd, header, sizeof(*header), HEADER_OFFSET) != (ssize_t)sizeof(*header) ||
		pread(fd, signature, SIGNATURE_BYTES, (off_t)page_bytes - SIGNATURE_BYTES) != SIGNATURE_BYTES ||
		memcmp(signature, SIGNATURE, SIGNATURE_BYTES))
		return -EINVAL;
	return 0;
}

static int open_area(const char *path, int *fd, struct header *header)
{
	int ret, found = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (found < 0)
		return -errno;
	ret = read_header(found, header);
	if (ret)
		close(found);
	else
		*fd = found;
	return ret;
}

int swap_read_uuid(const char *path, unsigned char uuid[SWAP_UUID_BYTES])
{
	struct header header;
	int fd, ret = open_area(path, &fd, &header);

	if (ret)
		return ret;
	memcpy(uuid, header.uuid, SWAP_UUID_BYTES);
	close(fd);
	return 0;
}

bool swap_is_of_a_run(const char *path)
{
	struct header header;
	int fd;

	if (open_area(path, &fd, &header))
		return false;
	close(fd);
	return !strncmp(header.label, SWAP_LABEL, sizeof(header.label));
}

bool swap_has_uuid(const char *path, const unsigned char uuid[SWAP_UUID_BYTES])
{
	unsigned char found[SWAP_UUID_BYTES];

	return !swap_read_uuid(path, found) && !memcmp(found, uuid, SWAP_UUID_BYTES);
}

int swap_open(const char *path, const unsigned char uuid[SWAP_UUID_BYTES], int *fd)
{
	struct header header;
	int found, ret = open_area(path, &found, &header);

	if (ret)
		return ret == -EINVAL || ret == -ELOOP ? -ESTALE : ret;
	if (memcmp(header.uuid, uuid, SWAP_UUID_BYTES)) {
		close(found);
		return -ESTALE;
	}
	*fd = found;
	return 0;
}

/* swapon(2) and swapoff(2) take names: this one leads to what is open, whatever its own name leads to now. */
static const char *name_of(int fd, char path[32])
{
	snprintf(path, 32, "/proc/self/fd/%d", fd);
	return path;
}

int swap_on(int fd)
{
	char path[32];

	return swapon(name_of(fd, path), SWAP_FLAG_PREFER | SWAP_PRIORITY) ? -errno : 0;
}

int swap_off(int fd, bool *was_active)
{
	const struct timespec pause = {.tv_nsec = OFF_PAUSE_MS * 1000 * 1000};
	char path[32];

	for (int tries = 0;; tries++) {
		*was_active = !swapoff(name_of(fd, path));
		if (*was_active || errno == EINVAL)
			return 0;
		if ((errno != ENOMEM && errno != EINTR) || tries == OFF_TRIES)
			return -errno;
		nanosleep(&pause, NULL);
	}
}

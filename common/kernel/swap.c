/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/kernel/swap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/swap.h>
#include <time.h>
#include <unistd.h>

#include "common/base/sysfs.h"
#include "common/base/units.h"

#define HEADER_OFFSET 1024 /* the bytes before belong to boot loaders: union swap_header in linux/swap.h */
#define SIGNATURE "SWAPSPACE2"
#define SIGNATURE_BYTES 10
#define OFF_PAUSE_MS 100
#define OFF_TRIES (10 * 1000 / OFF_PAUSE_MS)

struct swap_header {
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

/* Parses "/dev/sda2  partition  2097148  0  -2", with sizes in KiB. The heading has no numbers. */
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
	struct swap_header header = {.version = 1, .label = SWAP_LABEL};
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

/* -EINVAL: path is no area. */
static int open_area(const char *path, int *fd, struct swap_header *header)
{
	off_t signature_at = (off_t)sysconf(_SC_PAGESIZE) - SIGNATURE_BYTES;
	int found = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char signature[SIGNATURE_BYTES];

	if (found < 0)
		return -errno;
	if (pread(found, header, sizeof(*header), HEADER_OFFSET) != (ssize_t)sizeof(*header) ||
		pread(found, signature, SIGNATURE_BYTES, signature_at) != SIGNATURE_BYTES ||
		memcmp(signature, SIGNATURE, SIGNATURE_BYTES)) {
		close(found);
		return -EINVAL;
	}
	*fd = found;
	return 0;
}

bool swap_is_of_a_run(const char *path)
{
	struct swap_header header;
	int fd;

	if (open_area(path, &fd, &header))
		return false;
	close(fd);
	return !strncmp(header.label, SWAP_LABEL, sizeof(header.label));
}

int swap_open(const char *path, const unsigned char uuid[SWAP_UUID_BYTES], int *fd)
{
	struct swap_header header;
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

bool swap_has_uuid(const char *path, const unsigned char uuid[SWAP_UUID_BYTES])
{
	int fd;

	if (swap_open(path, uuid, &fd))
		return false;
	close(fd);
	return true;
}

/* This name leads to the open file, wherever the file's own name leads now. */
#define NAME_OF(fd) SYSFS_PATH("/proc/self/fd/%d", fd)

int swap_free_priority(const char *root)
{
	struct swap_area areas[SWAP_AREAS];
	int priority = SWAP_PRIORITY;
	size_t count;

	if (swap_list(root, areas, SWAP_AREAS, &count))
		return priority;
	for (size_t i = 0; i < count; i++)
		if (areas[i].priority > SWAP_PRIORITY_LEAST && areas[i].priority <= priority)
			priority = areas[i].priority - 1;
	return priority;
}

int swap_on(int fd, int priority)
{
	return swapon(NAME_OF(fd), SWAP_FLAG_PREFER | priority) ? -errno : 0;
}

int swap_off(int fd, bool *was_active)
{
	const struct timespec pause = {.tv_nsec = OFF_PAUSE_MS * 1000 * 1000};

	for (int tries = 0;; tries++) {
		*was_active = !swapoff(NAME_OF(fd));
		if (*was_active || errno == EINVAL)
			return 0;
		if ((errno != ENOMEM && errno != EINTR) || tries == OFF_TRIES)
			return -errno;
		nanosleep(&pause, NULL);
	}
}

/* --- zram --- */

#define CONTROL "/sys/class/zram-control"

static int read_number(const char *root, unsigned id, const char *name, uint64_t *value)
{
	return sysfs_read_u64(root, SYSFS_PATH("/sys/block/zram%u/%s", id, name), value);
}

static int write_text(const char *root, unsigned id, const char *name, const char *value)
{
	return sysfs_write(root, SYSFS_PATH("/sys/block/zram%u/%s", id, name), value);
}

static int write_number(const char *root, unsigned id, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return write_text(root, id, name, text);
}

bool zram_is_available(const char *root)
{
	return access(SYSFS_PATH("%s" CONTROL "/hot_add", root), F_OK) == 0;
}

static int compare_ids(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

int zram_list(const char *root, unsigned *ids, size_t max, size_t *count)
{
	DIR *dir = opendir(SYSFS_PATH("%s/sys/block", root));
	struct dirent *entry;
	size_t found = 0;
	uint64_t id;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "zram", 4) ||
			units_parse_u64(entry->d_name + 4, 0, UINT32_MAX, &id))
			continue;
		if (found == max)
			ret = -E2BIG;
		else
			ids[found++] = (unsigned)id;
	}
	closedir(dir);
	if (ret)
		return ret;
	qsort(ids, found, sizeof(ids[0]), compare_ids);
	*count = found;
	return 0;
}

unsigned zram_next_id(const unsigned *ids, size_t count)
{
	unsigned id = 0;

	for (size_t i = 0; i < count && ids[i] == id; i++)
		id++;
	return id;
}

int zram_identify(const char *root, unsigned id, struct zram *zram)
{
	uint64_t size, diskseq;

	if (read_number(root, id, "disksize", &size))
		return -ENODEV;
	if (read_number(root, id, "diskseq", &diskseq))
		diskseq = 0;
	*zram = (struct zram){.id = id, .diskseq = diskseq};
	return 0;
}

bool zram_is_blank(const char *root, unsigned id)
{
	uint64_t initialised, size;

	return !read_number(root, id, "initstate", &initialised) && !initialised &&
	       !read_number(root, id, "disksize", &size) && !size;
}

uint64_t zram_newest_diskseq(const char *root)
{
	DIR *dir = opendir(SYSFS_PATH("%s/sys/block", root));
	struct dirent *entry;
	uint64_t newest = 0, diskseq;

	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.' &&
			!sysfs_read_u64(root, SYSFS_PATH("/sys/block/%s/diskseq", entry->d_name), &diskseq) && diskseq > newest)
			newest = diskseq;
	}
	closedir(dir);
	return newest;
}

int zram_add(struct zram *zram)
{
	char text[16];
	uint64_t id;
	ssize_t got;
	int fd, ret;

	/* Each read of hot_add makes a device, so read it once, without a helper that may repeat the read. */
	fd = open(CONTROL "/hot_add", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = read(fd, text, sizeof(text) - 1);
	ret = got < 0 ? -errno : 0;
	close(fd);
	if (ret)
		return ret;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	ret = units_parse_u64(text, 0, UINT32_MAX, &id);
	return ret ? ret : zram_identify("", (unsigned)id, zram);
}

int zram_configure(const char *root, unsigned id, const char *algorithm, uint64_t limit_bytes, uint64_t bytes)
{
	int ret = 0;

	if (algorithm[0])
		ret = write_text(root, id, "comp_algorithm", algorithm);
	if (!ret && limit_bytes)
		ret = write_number(root, id, "mem_limit", limit_bytes);
	if (!ret)
		ret = write_number(root, id, "disksize", bytes);
	return ret;
}

int zram_algorithms(const char *root, char *list, size_t length)
{
	unsigned ids[ZRAM_DEVICES];
	size_t count;
	char *out = list;
	int ret = zram_list(root, ids, ZRAM_DEVICES, &count);

	if (ret)
		return ret;
	if (!count)
		return -ENODEV;
	ret = sysfs_read(root, SYSFS_PATH("/sys/block/zram%u/comp_algorithm", ids[0]), list, length);
	if (ret)
		return ret;
	for (const char *in = list; *in; in++)
		if (*in != '[' && *in != ']')
			*out++ = *in;
	*out = '\0';
	return 0;
}

/* Retries, because udev and blkid briefly open new devices, and reset and hot_remove then fail with EBUSY. */
static int write_when_free(const char *root, const char *path, const char *value)
{
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
	int ret = 0;

	for (int tries = 0; tries < 100; tries++) {
		ret = sysfs_write(root, path, value);
		if (ret != -EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	return ret;
}

int zram_remove(const char *root, const struct zram *zram)
{
	struct zram now;
	char number[16];
	int ret = zram_identify(root, zram->id, &now);

	if (ret)
		return ret == -ENODEV ? 0 : ret;
	if (now.diskseq != zram->diskseq)
		return -ESTALE;
	snprintf(number, sizeof(number), "%u", zram->id);
	ret = write_when_free(root, SYSFS_PATH("/sys/block/zram%u/reset", zram->id), "1");
	if (!ret)
		ret = write_when_free(root, CONTROL "/hot_remove", number);
	return ret == -ENODEV ? 0 : ret;
}

/* --- loopdev --- */

#define ATTEMPTS 32       /* another process may take the free device first */
#define SECTOR_BYTES 4096 /* a page, so that direct I/O is aligned on every file system */

static int try_attach(int control, int file_fd, char path[LOOPDEV_PATH], int *device_fd)
{
	const struct loop_config config = {
		.fd = (uint32_t)file_fd,
		.block_size = SECTOR_BYTES,
		.info = {.lo_flags = LO_FLAGS_DIRECT_IO | LO_FLAGS_AUTOCLEAR},
	};
	int number = ioctl(control, LOOP_CTL_GET_FREE);
	int fd, ret = 0;

	if (number < 0)
		return -errno;
	snprintf(path, LOOPDEV_PATH, "/dev/loop%d", number);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, LOOP_CONFIGURE, &config)) {
		ret = -errno;
		close(fd);
		return ret;
	}
	*device_fd = fd;
	return 0;
}

int loopdev_attach(int file_fd, char path[LOOPDEV_PATH], int *device_fd, bool *is_direct)
{
	struct loop_info64 info;
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int ret = -EBUSY;

	if (control < 0)
		return -errno;
	for (int attempt = 0; ret == -EBUSY && attempt < ATTEMPTS; attempt++)
		ret = try_attach(control, file_fd, path, device_fd);
	close(control);
	if (ret)
		return ret;
	*is_direct = !ioctl(*device_fd, LOOP_GET_STATUS64, &info) && (info.lo_flags & LO_FLAGS_DIRECT_IO);
	return 0;
}

/* Tells the same as loopdev_is_over. number: of a backing block device instead of a file; 0 = none. */
static int is_over(int fd, uint64_t device, uint64_t inode, uint64_t number)
{
	struct loop_info64 info;

	if (ioctl(fd, LOOP_GET_STATUS64, &info))
		return errno == ENXIO ? 0 : -errno;
	return number ? info.lo_rdevice == number : info.lo_device == device && info.lo_inode == inode;
}

static int is_path_over(const char *path, uint64_t device, uint64_t inode, uint64_t number)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), found;

	if (fd < 0)
		return -errno;
	found = is_over(fd, device, inode, number);
	close(fd);
	return found;
}

int loopdev_is_over(const char *path, uint64_t device, uint64_t inode)
{
	return is_path_over(path, device, inode, 0);
}

int loopdev_is_over_device(const char *path, uint64_t number)
{
	return is_path_over(path, 0, 0, number);
}

/* Returns 1; 0 when it is no loop device or is detached; or -errno. */
static int read_loop(int fd, struct loop_info64 *info)
{
	if (!ioctl(fd, LOOP_GET_STATUS64, info))
		return 1;
	return errno == ENXIO || errno == ENOTTY ? 0 : -errno;
}

static bool begins_before_end(const struct loop_info64 *one, const struct loop_info64 *other)
{
	return !other->lo_sizelimit || one->lo_offset < other->lo_offset + other->lo_sizelimit;
}

int loopdev_shares_bytes(const char *path, int fd)
{
	struct loop_info64 ours, theirs;
	int other, rc = read_loop(fd, &ours);

	if (rc != 1)
		return rc;
	other = open(path, O_RDONLY | O_CLOEXEC);
	if (other < 0)
		return -errno;
	rc = read_loop(other, &theirs);
	close(other);
	if (rc != 1 || theirs.lo_number == ours.lo_number)
		return rc == 1 ? 0 : rc;
	return theirs.lo_device == ours.lo_device && theirs.lo_inode == ours.lo_inode && begins_before_end(&ours, &theirs) &&
	       begins_before_end(&theirs, &ours);
}

int loopdev_detach(const char *path, uint64_t device, uint64_t inode)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	int ret = 0;

	if (fd < 0)
		return errno == ENOENT || errno == ENXIO ? 0 : -errno;
	/* While others have it open, the kernel delays the detaching until their last close. */
	if (is_over(fd, device, inode, 0) == 1 && ioctl(fd, LOOP_CLR_FD) && errno != ENXIO)
		ret = -errno;
	close(fd);
	return ret;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/memory/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/cli/opt.h"
#include "common/hot/rng.h"
#include "common/report/report_file.h"

static const char *const kind_names[] = {
	[MAPPING_ANONYMOUS] = "anon",
	[MAPPING_SHARED] = "shared",
	[MAPPING_MEMFD] = "memfd",
	[MAPPING_FILE] = "file",
	[MAPPING_HUGETLB] = "hugetlb",
	NULL,
};
static const char *const content_names[] = {
	[CONTENT_NONE] = "none",
	[CONTENT_RANDOM] = "random",
	[CONTENT_POINTER] = "ptr",
	[CONTENT_ZERO] = "zero",
	[CONTENT_RATIO] = "ratio",
	NULL,
};

const char *mapping_kind_name(enum mapping_kind kind)
{
	return kind_names[kind];
}

const char *mapping_content_name(enum mapping_content content)
{
	return content_names[content];
}

int mapping_parse_kind(const char *text, struct mapping_request *request, const char **why)
{
	bool is_file = !strncmp(text, "file:", 5);
	int kind = is_file ? MAPPING_FILE : opt_choice(kind_names, text);

	if (kind < 0 || (kind == MAPPING_FILE && (!is_file || !text[5])))
		return diag_why(-EINVAL, why, "allowed are anon, shared, memfd, file:PATH and hugetlb");
	if (is_file && strlen(text + 5) >= sizeof(request->path))
		return diag_why(-ERANGE, why, "the path of the file is longer than 255 bytes");
	if (is_file)
		snprintf(request->path, sizeof(request->path), "%s", text + 5);
	request->kind = (enum mapping_kind)kind;
	return 0;
}

int mapping_parse_content(const char *text, struct mapping_request *request, const char **why)
{
	bool is_ratio = !strncmp(text, "ratio:", 6);
	int content = is_ratio ? CONTENT_RATIO : opt_choice(content_names, text);
	double percent = 0;
	int err = is_ratio ? units_parse_double(text + 6, 0, 100, &percent) : 0;

	if (err == -ERANGE)
		return diag_why(err, why, "the share of zeros in ratio:P is 0 to 100 percent");
	if (err || content < 0 || (content == CONTENT_RATIO && !is_ratio))
		return diag_why(-EINVAL, why, "allowed are random, ptr, zero, none and ratio:P with P in percent");
	if (is_ratio)
		request->compressible_percent = percent;
	request->content = (enum mapping_content)content;
	return 0;
}

size_t mapping_huge_page_bytes(void)
{
	uint64_t kib = 0;

	(void)sysfs_read_field("", "/proc/meminfo", "Hugepagesize", 10, &kib);
	return kib * 1024;
}

static int check_hugetlb(size_t bytes, unsigned processes, char *why, size_t length)
{
	size_t huge = mapping_huge_page_bytes();
	uint64_t free_pages, needed;

	if (!huge || sysfs_read_u64("", SYSFS_PATH("/sys/kernel/mm/hugepages/hugepages-%zukB/free_hugepages", huge / 1024),
			     &free_pages))
		return diag_explain(-ENOTSUP, why, length, "this kernel has no huge pages (CONFIG_HUGETLBFS)");
	needed = (bytes + huge - 1) / huge * processes;
	if (needed <= free_pages)
		return 0;
	return diag_explain(-ENOMEM, why, length,
		"the map needs %llu huge pages of %zu KiB and %llu are free: raise /proc/sys/vm/nr_hugepages",
		(unsigned long long)needed, huge / 1024, (unsigned long long)free_pages);
}

bool mapping_is_swapped(const struct mapping_request *request)
{
	char copy[sizeof(request->path)];
	struct statfs system;

	if (request->kind != MAPPING_FILE)
		return request->kind != MAPPING_HUGETLB;
	snprintf(copy, sizeof(copy), "%s", request->path);
	if (statfs(request->path, &system) && statfs(dirname(copy), &system))
		return false; /* mapping_check says why it cannot be mapped */
	return (uint32_t)system.f_type == TMPFS_MAGIC || (uint32_t)system.f_type == RAMFS_MAGIC;
}

static int check_existing_file(const struct stat *status, const char *path, size_t bytes, bool is_writable, char *why,
	size_t length)
{
	if (!S_ISREG(status->st_mode))
		return diag_explain(-EINVAL, why, length, "%s is not a regular file: name a file that does not exist yet", path);
	if (is_writable)
		return diag_explain(-EEXIST, why, length,
			"%s exists and would be written: name a file that does not exist yet, or only read it (-r 100, no content)",
			path);
	if ((uint64_t)status->st_size < bytes)
		return diag_explain(-ERANGE, why, length, "%s has %lld bytes and the map %zu: map less, or name a longer file",
			path, (long long)status->st_size, bytes);
	if (access(path, R_OK)) {
		int err = -errno;

		return diag_explain(err, why, length, "%s cannot be read: %s", path, strerror(-err));
	}
	return 0;
}

static int check_new_file(const char *path, size_t bytes, unsigned processes, char *why, size_t length)
{
	char copy[sizeof(((struct mapping_request *)NULL)->path)];
	struct stat status;
	struct statvfs space;
	const char *folder;
	int err = stat(path, &status) ? -errno : 0;

	/* The path may be in a folder without search permission, or be a dangling link. */
	if (err != -ENOENT)
		return diag_explain(err, why, length, "%s cannot be examined: %s", path, strerror(-err));
	if (!lstat(path, &status))
		return diag_explain(-EEXIST, why, length,
			"%s is a link to a file that does not exist: name that file, or a name that is free", path);
	snprintf(copy, sizeof(copy), "%s", path);
	folder = dirname(copy);
	if (access(folder, W_OK | X_OK) || statvfs(folder, &space)) {
		err = -errno;
		return diag_explain(err, why, length, "%s cannot be created in %s: %s", path, folder, strerror(-err));
	}
	if ((uint64_t)space.f_bavail * space.f_frsize / processes >= bytes)
		return 0;
	return diag_explain(-ENOSPC, why, length,
		"%s has %llu MiB left and the file needs %llu MiB: map less, or use another folder", folder,
		(unsigned long long)space.f_bavail * space.f_frsize >> 20,
		(unsigned long long)bytes * processes >> 20);
}

int mapping_check(const struct mapping_request *request, size_t bytes, unsigned processes, bool is_writable, char *why,
	size_t length)
{
	const char *path = request->path;
	char name[NAME_MAX + 1];
	struct stat status;
	int folder, err;

	if (request->kind == MAPPING_HUGETLB)
		return check_hugetlb(bytes, processes, why, length);
	if (request->kind != MAPPING_FILE)
		return 0;
	/* Other errors of the path are reported below. */
	err = report_draft_place(path, &folder, name);
	if (!err)
		close(folder);
	if (err == -EACCES && report_draft_met_link(path))
		return diag_explain(-EINVAL, why, length,
			"%s: a symbolic link of another user is on the way (only links of root or of the user are followed); "
			"name the file without it", path);
	if (!stat(path, &status))
		return check_existing_file(&status, path, bytes, is_writable, why, length);
	return check_new_file(path, bytes, processes, why, length);
}

/* Creates and unlinks a file: before its first byte is written, no other process can open it by name. */
static int open_new_file(struct mapping *mapping, int folder, const char *name)
{
	struct stat status;
	int fd, err;

	/* As in open(2) with O_EXCL, a link as last component counts as an existing file; report_draft_place has resolved it. */
	if (!lstat(mapping->request.path, &status) && S_ISLNK(status.st_mode))
		return -EEXIST;
	fd = openat(folder, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	mapping->fd = fd;
	if (unlinkat(folder, name, 0))
		return -errno;
	mapping->is_unlinked = true;
	/* Blocks are allocated: writing to a sparse file would raise SIGBUS when the disk is full. */
	do {
		err = posix_fallocate(fd, 0, (off_t)mapping->bytes);
	} while (err == EINTR);
	return -err;
}

static int open_existing_file(struct mapping *mapping, int folder, const char *name)
{
	/* Opening a device can have effects (a watchdog starts, a tape rewinds), so its type is checked first. */
	int path_fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), err = 0;
	struct stat status;

	if (path_fd < 0)
		return -errno;
	if (fstat(path_fd, &status))
		err = -errno;
	else if (!S_ISREG(status.st_mode))
		err = -EINVAL;
	if (!err) {
		mapping->fd = open(SYSFS_PATH("/proc/self/fd/%d", path_fd), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		err = mapping->fd < 0 ? -errno : 0;
	}
	close(path_fd);
	if (err)
		return err;
	return (uint64_t)status.st_size < mapping->bytes ? -ERANGE : 0;
}

/* All opens use one descriptor of the folder, so that a link which another user inserts meanwhile is not followed. */
static int open_file(struct mapping *mapping, bool is_writable)
{
	char name[NAME_MAX + 1];
	int folder, err = report_draft_place(mapping->request.path, &folder, name);

	if (err)
		return err;
	err = open_new_file(mapping, folder, name);
	if (err == -EEXIST && !is_writable)
		err = open_existing_file(mapping, folder, name);
	close(folder);
	return err;
}

int mapping_open(const struct mapping_request *request, size_t bytes, bool is_writable, struct mapping *mapping)
{
	bool is_written = is_writable || request->content != CONTENT_NONE;
	struct mapping new = {.request = *request, .base = MAP_FAILED, .bytes = bytes, .mapped_bytes = bytes, .fd = -1};
	int flags = MAP_PRIVATE | MAP_ANONYMOUS, err = 0;
	size_t huge;

	switch (request->kind) {
	case MAPPING_ANONYMOUS:
		break;
	case MAPPING_SHARED:
		flags = MAP_SHARED | MAP_ANONYMOUS;
		break;
	case MAPPING_MEMFD:
		flags = MAP_SHARED;
		new.fd = memfd_create("pmbench", MFD_CLOEXEC);
		if (new.fd < 0 || ftruncate(new.fd, (off_t)bytes))
			err = -errno;
		break;
	case MAPPING_FILE:
		flags = MAP_SHARED;
		err = open_file(&new, is_written);
		break;
	case MAPPING_HUGETLB:
		flags |= MAP_HUGETLB;
		huge = mapping_huge_page_bytes();
		/* munmap refuses a length that is not whole huge pages. */
		if (huge)
			new.mapped_bytes = (bytes + huge - 1) / huge * huge;
		else
			err = -ENOTSUP;
		break;
	}
	if (err)
		goto out;
	new.base = mmap(NULL, new.mapped_bytes, is_written ? PROT_READ | PROT_WRITE : PROT_READ, flags, new.fd, 0);
	if (new.base == MAP_FAILED) {
		err = -errno;
		goto out;
	}
	if (request->kind == MAPPING_FILE && !request->is_in_order && madvise(new.base, new.mapped_bytes, MADV_RANDOM)) {
		err = -errno;
		goto out;
	}
	/* A kernel without transparent huge pages returns EINVAL, which matters only if they were requested. */
	if (request->kind != MAPPING_HUGETLB &&
		madvise(new.base, new.mapped_bytes, request->wants_thp ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) &&
		(errno != EINVAL || request->wants_thp)) {
		err = -errno;
		goto out;
	}
	*mapping = new;
	return 0;
out:
	mapping_close(&new);
	return err;
}

void mapping_close(struct mapping *mapping)
{
	if (mapping->base != MAP_FAILED)
		munmap(mapping->base, mapping->mapped_bytes);
	if (mapping->fd >= 0)
		close(mapping->fd);
	mapping->base = MAP_FAILED;
	mapping->fd = -1;
}

/* --- content of the pages --- */

#define SAMPLES_MAX 4096

static void fill_random(unsigned char *base, size_t bytes, struct rng *rng)
{
	uint64_t word;
	size_t i;

	for (i = 0; i + sizeof(word) <= bytes; i += sizeof(word)) {
		word = rng_next(rng);
		memcpy(base + i, &word, sizeof(word));
	}
	word = rng_next(rng);
	memcpy(base + i, &word, bytes - i);
}

static void fill_pointers(unsigned char *base, size_t bytes)
{
	for (size_t i = 0; i + sizeof(uintptr_t) <= bytes; i += sizeof(uintptr_t)) {
		uintptr_t address = (uintptr_t)(base + i);

		memcpy(base + i, &address, sizeof(address));
	}
}

/* The zeros are at the end of each page, as in a partly filled page of a heap. */
static void fill_ratio(unsigned char *base, size_t bytes, double zero_percent, struct rng *rng)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t random = (size_t)((double)page * (100 - zero_percent) / 100 + 0.5);

	for (size_t i = 0; i + page <= bytes; i += page) {
		fill_random(base + i, random, rng);
		memset(base + i + random, 0, page - random);
	}
}

void mapping_fill(struct mapping *mapping, uint64_t seed)
{
	struct rng rng;

	rng_seed(&rng, seed, 0);
	switch (mapping->request.content) {
	case CONTENT_NONE:
		break;
	case CONTENT_RANDOM:
		fill_random(mapping->base, mapping->bytes, &rng);
		break;
	case CONTENT_POINTER:
		fill_pointers(mapping->base, mapping->bytes);
		break;
	case CONTENT_ZERO:
		memset(mapping->base, 0, mapping->bytes);
		break;
	case CONTENT_RATIO:
		fill_ratio(mapping->base, mapping->bytes, mapping->request.compressible_percent, &rng);
		break;
	}
}

/* from include/uapi/linux/fs.h since Linux 6.7; older headers lack it */
#define SCAN_IS_ZERO_PAGE (1u << 5)
struct scan_region {
	uint64_t start, end, categories;
};
struct scan_arguments {
	uint64_t size, flags, start, end, walk_end, vector, vector_length, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};
#define SCAN_IOCTL _IOWR('f', 16, struct scan_arguments)

static int scan_zero_pages(int fd, uintptr_t base, size_t bytes, uint64_t *pages)
{
	struct scan_region regions[64];
	struct scan_arguments scan = {.size = sizeof(scan), .start = base, .end = base + bytes,
		.vector = (uintptr_t)regions, .vector_length = sizeof(regions) / sizeof(regions[0]),
		.category_mask = SCAN_IS_ZERO_PAGE, .return_mask = SCAN_IS_ZERO_PAGE};
	uint64_t zero_bytes = 0;

	while (scan.start < scan.end) {
		int count = (int)TEMP_FAILURE_RETRY(ioctl(fd, SCAN_IOCTL, &scan));

		if (count < 0)
			return -errno;
		for (int i = 0; i < count; i++)
			zero_bytes += regions[i].end - regions[i].start;
		scan.start = scan.walk_end;
	}
	*pages = zero_bytes / (size_t)sysconf(_SC_PAGESIZE);
	return 0;
}

/* Stores the page frame number of an address; 0 if no page is mapped or the numbers are hidden. */
static int frame_of(int fd, uintptr_t address, uint64_t *frame)
{
	const uint64_t is_present = 1ull << 63, frame_mask = (1ull << 55) - 1;
	off_t offset = (off_t)(address / (size_t)sysconf(_SC_PAGESIZE) * sizeof(uint64_t));
	uint64_t entry;
	ssize_t got = pread(fd, &entry, sizeof(entry), offset);

	if (got != sizeof(entry))
		return got < 0 ? -errno : -EIO;
	*frame = entry & is_present ? entry & frame_mask : 0;
	return 0;
}

/* A page that was only read is the zero page, whose number is the same everywhere. */
static int find_zero_frame(int fd, uint64_t *frame)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *probe = mmap(NULL, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int err;

	if (probe == MAP_FAILED)
		return -errno;
	(void)*probe;
	err = frame_of(fd, (uintptr_t)probe, frame);
	munmap((void *)probe, page);
	return err ? err : *frame ? 0 : -EPERM;
}

static int sample_zero_pages(int fd, uintptr_t base, size_t bytes, uint64_t *pages)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t total = bytes / page, found = 0, zero_frame = 0;
	uint64_t samples = total < SAMPLES_MAX ? total : SAMPLES_MAX;
	int err = find_zero_frame(fd, &zero_frame);

	for (uint64_t i = 0; i < samples && !err; i++) {
		uint64_t frame = 0;

		err = frame_of(fd, base + i * total / samples * page, &frame);
		found += frame == zero_frame;
	}
	if (!err)
		*pages = samples ? found * total / samples : 0;
	return err;
}

int mapping_zero_pages(const struct mapping *mapping, size_t set_bytes, uint64_t *pages)
{
	uintptr_t base = (uintptr_t)mapping->base;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = scan_zero_pages(fd, base, set_bytes, pages);
	if (err)
		err = sample_zero_pages(fd, base, set_bytes, pages);
	close(fd);
	return err;
}

uint64_t mapping_cached_pages(const struct mapping *mapping)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = mapping->mapped_bytes / page;
	unsigned char resident[SAMPLES_MAX];
	uint64_t cached = 0;
	struct stat status;

	if (mapping->fd < 0 || fstat(mapping->fd, &status) ||
		(status.st_uid != geteuid() && faccessat(AT_FDCWD, SYSFS_PATH("/proc/self/fd/%d", mapping->fd), W_OK, AT_EACCESS)))
		return UINT64_MAX;
	for (size_t first = 0; first < pages; first += SAMPLES_MAX) {
		size_t count = pages - first < SAMPLES_MAX ? pages - first : SAMPLES_MAX;

		if (mincore((char *)mapping->base + first * page, count * page, resident))
			return UINT64_MAX;
		for (size_t i = 0; i < count; i++)
			cached += resident[i] & 1;
	}
	return cached;
}

/* smaps shows the mapping as one area, or as several adjacent ones if their properties differ. */
uint64_t mapping_huge_bytes(const struct mapping *mapping)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	uintptr_t base = (uintptr_t)mapping->base;
	uint64_t bytes = 0;
	bool is_inside = false;
	char line[256];

	while (smaps && fgets(line, sizeof(line), smaps)) {
		unsigned long begin, end, kib;

		if (sscanf(line, "%lx-%lx ", &begin, &end) == 2)
			is_inside = begin < base + mapping->mapped_bytes && end > base;
		else if (is_inside && (sscanf(line, "AnonHugePages: %lu", &kib) == 1 ||
			sscanf(line, "ShmemPmdMapped: %lu", &kib) == 1 || sscanf(line, "FilePmdMapped: %lu", &kib) == 1))
			bytes += (uint64_t)kib * 1024;
	}
	if (smaps)
		fclose(smaps);
	return bytes;
}

uint64_t mapping_read_ahead_kb(const char *root, const struct mapping *mapping)
{
	/* a file system's own setting, a disk's, and that of a partition's disk */
	static const char *const places[][2] = {{"class/bdi", ""}, {"dev/block", "queue/"}, {"dev/block", "../queue/"}};
	struct stat status;
	uint64_t kib;

	if (mapping->fd < 0 || fstat(mapping->fd, &status))
		return UINT64_MAX;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (!sysfs_read_u64(root, SYSFS_PATH("/sys/%s/%u:%u/%sread_ahead_kb", places[i][0], major(status.st_dev),
				minor(status.st_dev), places[i][1]), &kib))
			return kib;
	}
	return UINT64_MAX;
}

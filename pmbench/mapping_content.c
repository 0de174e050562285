/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is in the pages: filling them, and finding out which were never given one of their own, or are in the page cache. */
#include "config.h"
#include "pmbench/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "common/sysfs.h"
#include "common/hot/rng.h"

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

/* The zeros stand together at the end of each page, as in a page of a heap that is not full. */
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

/* include/uapi/linux/fs.h since 6.7, for headers that are older. */
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
		int count = ioctl(fd, SCAN_IOCTL, &scan);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		for (int i = 0; i < count; i++)
			zero_bytes += regions[i].end - regions[i].start;
		scan.start = scan.walk_end;
	}
	*pages = zero_bytes / (size_t)sysconf(_SC_PAGESIZE);
	return 0;
}

/* The page frame number of one address; 0 when there is no page, or when numbers are hidden. */
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

/* A page that was only read is the zero page: its number tells all others. */
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

void mapping_look_at_cache(const struct mapping *mapping, struct mapping_cache *cache)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = mapping->mapped_bytes / page;
	unsigned char resident[SAMPLES_MAX];
	char link[32];
	struct stat status;

	*cache = (struct mapping_cache){0};
	snprintf(link, sizeof(link), "/proc/self/fd/%d", mapping->fd);
	if (mapping->fd < 0 || fstat(mapping->fd, &status) ||
		(status.st_uid != geteuid() && faccessat(AT_FDCWD, link, W_OK, AT_EACCESS)))
		return;
	for (size_t first = 0; first < pages; first += SAMPLES_MAX) {
		size_t count = pages - first < SAMPLES_MAX ? pages - first : SAMPLES_MAX;

		if (mincore((char *)mapping->base + first * page, count * page, resident))
			return;
		for (size_t i = 0; i < count; i++)
			cache->resident_pages += resident[i] & 1;
	}
	cache->is_known = true;
}

/* A mapping is one area of smaps, or several in a row when its parts differ. */
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

int64_t mapping_read_ahead_kb(const char *root, const struct mapping *mapping)
{
	/* A file system's own, a disk's, that of a partition's disk. */
	static const char *const places[][2] = {{"class/bdi", ""}, {"dev/block", "queue/"}, {"dev/block", "../queue/"}};
	struct stat status;
	char path[80];
	uint64_t kib;

	if (mapping->fd < 0 || fstat(mapping->fd, &status))
		return -1;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "/sys/%s/%u:%u/%sread_ahead_kb", places[i][0], major(status.st_dev),
			minor(status.st_dev), places[i][1]);
		if (!sysfs_read_u64(root, path, &kib) && kib < INT64_MAX)
			return (int64_t)kib;
	}
	return -1;
}

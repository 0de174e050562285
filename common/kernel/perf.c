/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/kernel/perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/sysfs.h"

#define UNITS "/sys/bus/event_source/devices"

int perf_open_in(const struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int perf_open(const struct perf_event_attr *attr, int pid, int cpu)
{
	return perf_open_in(attr, pid, cpu, -1);
}

struct perf_event_attr perf_software(uint64_t config, uint64_t sample_type)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE, .size = sizeof(struct perf_event_attr), .config = config,
		.sample_period = 1, .sample_type = sample_type, .disabled = 1, .exclude_kernel = 1, .exclude_hv = 1};
}

void perf_open_reason(const char *root, int err, int most, char *reason, size_t length)
{
	char paranoid[16] = "unknown";

	if (err == -ENOSYS || err == -ENOENT) {
		snprintf(reason, length, "perf_event_open: %s (the kernel has no such perf events)", strerror(-err));
	} else if (err == -EACCES || err == -EPERM) {
		(void)sysfs_read(root, "/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid));
		snprintf(reason, length, "perf_event_open: %s (kernel.perf_event_paranoid is %s and must be at most %d, or the "
			"user needs CAP_PERFMON; run as root)", strerror(-err), paranoid, most);
	} else {
		snprintf(reason, length, "perf_event_open: %s", strerror(-err));
	}
}

int perf_ring_open(int fd, size_t pages, struct perf_ring *ring)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *map;

	*ring = (struct perf_ring){.bytes = pages * page_bytes};
	map = mmap(NULL, page_bytes + ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	for (size_t offset = 0; offset < page_bytes + ring->bytes; offset += page_bytes)
		(void)*(volatile char *)((char *)map + offset);
	ring->map = map;
	return 0;
}

void perf_ring_close(struct perf_ring *ring)
{
	if (ring->map)
		munmap(ring->map, ring->bytes + (size_t)sysconf(_SC_PAGESIZE));
	ring->map = NULL;
}

int perf_aux_open(int fd, const struct perf_ring *ring, uint64_t bytes, struct perf_aux *aux)
{
	uint64_t offset = ring->bytes + (uint64_t)sysconf(_SC_PAGESIZE);
	void *area;

	ring->map->aux_offset = offset;
	ring->map->aux_size = bytes;
	/* A mapping without PROT_WRITE lets the kernel overwrite unread data. */
	area = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);
	if (area == MAP_FAILED)
		return -errno;
	*aux = (struct perf_aux){area, bytes};
	return 0;
}

void perf_aux_close(struct perf_aux *aux)
{
	if (aux->area)
		munmap((void *)(uintptr_t)aux->area, aux->bytes);
	aux->area = NULL;
}

int perf_read_anchor(struct perf_anchor *anchor)
{
	/* A comm record ends with thread and time. */
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME, .sample_id_all = 1, .comm = 1, .exclude_kernel = 1};
	int fd = perf_open(&attr, 0, -1), err;
	struct perf_event_header header;
	struct perf_ring ring;
	char name[16] = "";
	uint64_t word, before, after;

	if (fd < 0)
		return fd;
	err = perf_ring_open(fd, 1, &ring);
	if (!err && (prctl(PR_GET_NAME, name) || prctl(PR_SET_NAME, name)))
		err = -errno;
	before = clock_ns(CLOCK_MONOTONIC);
	/* The first prctl warms the caches for this one, whose record is used. */
	if (!err && prctl(PR_SET_NAME, name))
		err = -errno;
	after = clock_ns(CLOCK_MONOTONIC);
	if (!err) {
		uint64_t head = ring.map ? perf_ring_head(&ring) : 0, last = 0;

		for (uint64_t at = 0; at < head; at += header.size) {
			word = perf_ring_word(&ring, at, 0);
			memcpy(&header, &word, sizeof(header));
			if (header.size < sizeof(header))
				break;
			if (header.type == PERF_RECORD_COMM)
				last = perf_ring_word(&ring, at, header.size / 8u - 1);
		}
		err = last ? 0 : -ENODATA;
		if (last)
			*anchor = (struct perf_anchor){last, before + (after - before) / 2,
				clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_MONOTONIC) - before), (after - before + 1) / 2};
	}
	perf_ring_close(&ring);
	close(fd);
	return err;
}

static int read_value(const char *root, const char *unit, const char *folder, const char *name, char *text, size_t length)
{
	char path[256];

	if (snprintf(path, sizeof(path), UNITS "/%s/%s%s", unit, folder, name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	return sysfs_read(root, path, text, length);
}

int perf_unit_type(const char *root, const char *unit, struct perf_event_attr *attr)
{
	char text[32];
	uint64_t type;
	int err = read_value(root, unit, "", "type", text, sizeof(text));

	if (err)
		return err;
	if (!sysfs_scan_u64(text, &type) || type > UINT32_MAX)
		return -EINVAL;
	attr->type = (uint32_t)type;
	return 0;
}

/* Puts value into the bits "0-7,32-35" of word, the lowest ones first. */
static int deposit(const char *bits, uint64_t value, uint64_t *word)
{
	uint64_t result = *word;

	for (const char *at = bits; *at;) {
		uint64_t first, last;

		at = sysfs_scan_u64(at, &first);
		last = first;
		if (at && *at == '-')
			at = sysfs_scan_u64(at + 1, &last);
		if (!at || last < first || last > 63 || (*at && *at != ','))
			return -EINVAL;
		at += *at == ',';
		for (uint64_t bit = first; bit <= last; bit++, value >>= 1)
			result = (result & ~(1ull << bit)) | (value & 1) << bit;
	}
	if (value)
		return -ERANGE;
	*word = result;
	return 0;
}

int perf_unit_term(const char *root, const char *unit, const char *term, uint64_t value, struct perf_event_attr *attr)
{
	static const char *const names[] = {"config:", "config1:", "config2:"};
	struct perf_event_attr changed = *attr;
	__u64 *const words[] = {&changed.config, &changed.config1, &changed.config2};
	char format[128];
	int err = perf_unit_type(root, unit, &changed);

	if (!err)
		err = read_value(root, unit, "format/", term, format, sizeof(format));
	if (err)
		return err;
	/* "config1:0-15" names the word and its bits. */
	err = -EINVAL;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *bits = format + strlen(names[i]);

		if (!strncmp(format, names[i], strlen(names[i])) && *bits)
			err = deposit(bits, value, (uint64_t *)words[i]);
	}
	if (!err)
		*attr = changed;
	return err;
}

int perf_unit_event(const char *root, const char *unit, const char *event, struct perf_event_attr *attr)
{
	struct perf_event_attr changed = *attr;
	char terms[512], *rest = terms, *term;
	int err = perf_unit_type(root, unit, &changed);

	if (!err)
		err = read_value(root, unit, "events/", event, terms, sizeof(terms));
	while (!err && (term = strsep(&rest, ","))) {
		char *equals = strchr(term, '='), *end = equals;
		uint64_t value = 1;

		if (equals) {
			*equals = '\0';
			value = strtoull(equals + 1, &end, 0);
		}
		err = end && (*end || end == equals + 1) && equals ? -EINVAL
								   : perf_unit_term(root, unit, term, value, &changed);
	}
	if (!err)
		*attr = changed;
	return err;
}

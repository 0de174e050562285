/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/perf.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/sysfs.h"

#define UNITS "/sys/bus/event_source/devices"

int perf_open(const struct perf_event_attr *attr, int pid, int cpu)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

void perf_open_reason(int err, char *reason, size_t length)
{
	char paranoid[16] = "unknown";

	if (err == -ENOSYS || err == -ENOENT) {
		snprintf(reason, length, "perf_event_open: %s (the kernel has no such perf events)", strerror(-err));
	} else if (err == -EACCES || err == -EPERM) {
		(void)sysfs_read("", "/proc/sys/kernel/perf_event_paranoid", paranoid, sizeof(paranoid));
		snprintf(reason, length,
			"perf_event_open: %s (kernel.perf_event_paranoid=%s; set it to 2 or run as root)", strerror(-err),
			paranoid);
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

/* "config1:0-15" names the word; bits is what stands behind the colon. */
static uint64_t *config_of(const char *format, struct perf_event_attr *attr, const char **bits)
{
	static const char *const names[] = {"config:", "config1:", "config2:"};
	__u64 *const words[] = {&attr->config, &attr->config1, &attr->config2};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strncmp(format, names[i], strlen(names[i])))
			continue;
		*bits = format + strlen(names[i]);
		return (uint64_t *)words[i];
	}
	return NULL;
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
	struct perf_event_attr changed = *attr;
	char format[128];
	const char *bits;
	uint64_t *word;
	int err = perf_unit_type(root, unit, &changed);

	if (!err)
		err = read_value(root, unit, "format/", term, format, sizeof(format));
	if (err)
		return err;
	word = config_of(format, &changed, &bits);
	err = word && *bits ? deposit(bits, value, word) : -EINVAL;
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf_event_open(2), rings of records, and events as the kernel describes them in sysfs. No CPU model is known here. */
#ifndef COMMON_KERNEL_PERF_H
#define COMMON_KERNEL_PERF_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

/* pid and cpu as in perf_event_open(2); close-on-exec. Returns a descriptor or -errno. */
int perf_open(const struct perf_event_attr *attr, int pid, int cpu);
/* Does the same within the group of an event; group_fd -1: as the leader of a group. */
int perf_open_in(const struct perf_event_attr *attr, int pid, int cpu, int group_fd);
/* Returns the attributes of a PERF_COUNT_SW_ event that samples every occurrence in user mode, disabled at first. */
struct perf_event_attr perf_software(uint64_t config, uint64_t sample_type);
/* Example: "perf_event_open: Permission denied (kernel.perf_event_paranoid is 3 and must be at most 2, or the user needs
 * CAP_PERFMON; run as root)". most: the largest value that permits the event without a capability: 0 for all processes, 1 for
 * kernel mode, else 2. */
void perf_open_reason(const char *root, int err, int most, char *reason, size_t length);

/* Records of an event, mapped for reading. */
struct perf_ring {
	struct perf_event_mmap_page *map; /* NULL = none */
	uint64_t bytes;                   /* of records, a power of two */
};

/* pages: a power of two. Every page is touched, so that reading it later does not fault. Returns 0 or -errno; bytes is always
 * set. */
int perf_ring_open(int fd, size_t pages, struct perf_ring *ring);
void perf_ring_close(struct perf_ring *ring);

static inline uint64_t perf_ring_head(const struct perf_ring *ring)
{
	return __atomic_load_n(&ring->map->data_head, __ATOMIC_ACQUIRE);
}

/* Lets the kernel overwrite everything before tail. */
static inline void perf_ring_release(const struct perf_ring *ring, uint64_t tail)
{
	__atomic_store_n(&ring->map->data_tail, tail, __ATOMIC_RELEASE);
}

/* Returns the index-th 8 bytes of the record at position. Records consist of whole words: a record may wrap, a word cannot. */
static inline uint64_t perf_ring_word(const struct perf_ring *ring, uint64_t position, unsigned index)
{
	const char *records = (const char *)ring->map + ring->map->data_offset;

	return *(const uint64_t *)(records + ((position + 8 * (uint64_t)index) & (ring->bytes - 1)));
}

/* An area that an event fills without records, mapped for reading. */
struct perf_aux {
	const uint8_t *area; /* NULL = none */
	uint64_t bytes;      /* a power of two */
};

/* Maps the AUX area of an event, fd, whose records go to ring; bytes: a power of two of pages. Returns 0 or -errno. */
int perf_aux_open(int fd, const struct perf_ring *ring, uint64_t bytes, struct perf_aux *aux);
void perf_aux_close(struct perf_aux *aux);

/* Lets the kernel overwrite everything before tail, an offset from the first byte ever written. */
static inline void perf_aux_release(const struct perf_ring *ring, uint64_t tail)
{
	__atomic_store_n(&ring->map->aux_tail, tail, __ATOMIC_RELEASE);
}

/*
 * A performance monitoring unit is /sys/bus/event_source/devices/UNIT: type, format/TERM ("config1:0-15") and events/EVENT
 * ("event=0xcd,umask=0x1,ldlat=3"). root as in common/base/sysfs.h. Functions return 0 or -errno: -ENOENT no such unit, event or
 * term; -EINVAL a description that cannot be read; -ERANGE a value that its bits cannot hold. attr is changed only on success.
 */
/* Sets attr->type of this unit. */
int perf_unit_type(const char *root, const char *unit, struct perf_event_attr *attr);
/* Sets the type, and the bits of one term in config, config1 or config2. */
int perf_unit_term(const char *root, const char *unit, const char *term, uint64_t value, struct perf_event_attr *attr);
/* Sets the type, and every term of an event. */
int perf_unit_event(const char *root, const char *unit, const char *event, struct perf_event_attr *attr);

/* Simultaneous readings of the clock of perf's records, CLOCK_MONOTONIC and CLOCK_REALTIME, +-error_ns. */
struct perf_anchor {
	uint64_t perf_ns, monotonic_ns, realtime_ns, error_ns;
};
/* Takes the readings from a record that renaming this thread to its own name produces. Returns 0 or -errno. */
int perf_read_anchor(struct perf_anchor *anchor);

#endif

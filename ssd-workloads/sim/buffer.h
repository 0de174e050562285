/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The write buffer without time: which slice each entry has, found by a hash and replaced in the order of last use. What
 * happens to an entry happens in order: links of its chain, of which only the first is under way (device). Behind the entries
 * of slices there is one of each die, through which garbage collection copies.
 */
#ifndef SSD_WORKLOADS_SIM_BUFFER_H
#define SSD_WORKLOADS_SIM_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#define BUFFER_NONE UINT32_MAX

struct buffer_entry {
	uint32_t lsa;                 /* BUFFER_NONE = holds nothing */
	bool is_dirty;
	uint8_t stream;
	uint32_t newer, older;        /* by last use */
	uint32_t next;                /* in its bucket */
	uint32_t chain_first, chain_last; /* links; BUFFER_NONE = idle */
};

struct buffer {
	struct buffer_entry *entries; /* count, then one of each die */
	uint32_t count, newest, oldest;
	uint32_t *buckets, mask;
};

int buffer_open(uint32_t count, uint32_t dies, struct buffer *buffer); /* 0 or -ENOMEM */
void buffer_close(struct buffer *buffer);
/* The entry of this slice, BUFFER_NONE = a miss. */
uint32_t buffer_find(const struct buffer *buffer, uint32_t lsa);
/* Becomes the newest. */
void buffer_use(struct buffer *buffer, uint32_t entry);
/* The oldest entry, which becomes the newest and lsa's; *old: what it was. lsa BUFFER_NONE: it is found by nobody. */
uint32_t buffer_take(struct buffer *buffer, uint32_t lsa, struct buffer_entry *old);
/* Counts again. NULL, or what is wrong (static text). */
const char *buffer_check(const struct buffer *buffer);

#endif

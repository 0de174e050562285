/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The write buffer without time: the slice of each entry, found by a hash and replaced in the order of last use. The operations of
 * an entry are executed in order: links of its chain, of which only the first is in progress (device). After the entries of slices
 * there is one per die, through which garbage collection copies.
 */
#ifndef SSD_WORKLOADS_SIM_BUFFER_H
#define SSD_WORKLOADS_SIM_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#define BUFFER_NONE UINT32_MAX

struct buffer_entry {
	uint32_t lsa;                 /* BUFFER_NONE = empty */
	bool is_dirty;
	uint8_t stream;
	uint32_t newer, older;        /* by last use */
	uint32_t next;                /* next entry of its bucket */
	uint32_t chain_first, chain_last; /* links; BUFFER_NONE = idle */
};

struct buffer {
	struct buffer_entry *entries; /* count, then one per die */
	uint32_t count, newest, oldest;
	uint32_t *buckets, mask;
};

int buffer_open(uint32_t count, uint32_t dies, struct buffer *buffer); /* 0 or -ENOMEM */
void buffer_close(struct buffer *buffer);
/* Returns the entry of this slice, BUFFER_NONE = a miss. */
uint32_t buffer_find(const struct buffer *buffer, uint32_t lsa);
/* Makes the entry the newest. */
void buffer_use(struct buffer *buffer, uint32_t entry);
/* Assigns the oldest entry to lsa, and makes it the newest; *old receives its former state. An entry of lsa BUFFER_NONE cannot
 * be found. Returns the entry. */
uint32_t buffer_take(struct buffer *buffer, uint32_t lsa, struct buffer_entry *old);
/* Checks the consistency of the buffer. Returns NULL, or the violation (static text). */
const char *buffer_check(const struct buffer *buffer);

#endif

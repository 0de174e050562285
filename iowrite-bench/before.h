/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a file is written beforehand that will be written over: as it will be written later, in whole pages, and at most
 * 4 MiB at a time. Linux caches what one write brings in as few folios as it can, and a small write into a large folio
 * costs twice what it does into a small one (ext4 of 6.18): what is measured, what is calibrated and what is predicted
 * must have met the same.
 */
#ifndef IOWRITE_BENCH_BEFORE_H
#define IOWRITE_BENCH_BEFORE_H

#include <stdint.h>

#define BEFORE_PAGE 4096
#define BEFORE_MOST (4ull << 20)

/* Bytes of one write beforehand, where the writes over it will be of so many; of several sizes the largest counts. */
static inline uint64_t before_chunk(uint64_t write_bytes)
{
	uint64_t pages = write_bytes + -write_bytes % BEFORE_PAGE;

	if (!pages)
		return BEFORE_PAGE;
	return pages < BEFORE_MOST ? pages : BEFORE_MOST;
}

#endif

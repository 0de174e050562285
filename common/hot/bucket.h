/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the bucket of a latency; the cold side (edges, merge, percentiles) is common/stats/histogram.h.
 *
 * log16 is the pmbench paper's (section 3): one bucket below 2^8 ns, 16 equal ones in each power of two from 2^8 to 2^23, one a
 * power of two from 2^23 to 2^30, and one from 2^30 up: 249 in all, so that two of them and their sums fit one page.
 *
 * hdr has 1 ns buckets below 2^7 ns and 2^7 equal ones in each power of two from there to 2^45 ns (9.8 hours): a width of at most
 * 1/128 (0.78 %) of the value.
 */
#ifndef COMMON_HOT_BUCKET_H
#define COMMON_HOT_BUCKET_H

#include "common/hot/keep.h"

#define BUCKET_LOG16_COUNT 249u
#define BUCKET_HDR_BITS 7u
#define BUCKET_HDR_TOP 45u
#define BUCKET_HDR_COUNT ((BUCKET_HDR_TOP - BUCKET_HDR_BITS + 1u) << BUCKET_HDR_BITS)

KEEP_INLINE unsigned bucket_log2(uint64_t value)
{
	return 63u - (unsigned)__builtin_clzll(value);
}

KEEP_INLINE unsigned bucket_log16(uint64_t ns)
{
	unsigned power;

	if (ns < 256)
		return 0;
	power = bucket_log2(ns);
	if (KEEP_LIKELY(power < 23))
		return (power - 8) * 16 + ((unsigned)(ns >> (power - 4)) & 15u) + 1;
	return power < 30 ? 241 + (power - 23) : 248;
}

KEEP_INLINE unsigned bucket_hdr(uint64_t ns)
{
	unsigned power;

	if (ns < (1u << BUCKET_HDR_BITS))
		return (unsigned)ns;
	power = bucket_log2(ns);
	if (KEEP_UNLIKELY(power >= BUCKET_HDR_TOP))
		return BUCKET_HDR_COUNT - 1;
	return ((power - BUCKET_HDR_BITS) << BUCKET_HDR_BITS) + (unsigned)(ns >> (power - BUCKET_HDR_BITS));
}

#endif

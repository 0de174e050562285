/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Binary search, for arrays whose elements are compared with a value of another type. */
#ifndef MEMTRACE_FILE_SEARCH_H
#define MEMTRACE_FILE_SEARCH_H

#include <stddef.h>

/* Returns how many of the indices from 0 to before count fulfil the condition, which must be true up to some index and false
 * from there on. The condition uses the index by the name `index`. */
#define SEARCH(count, index, condition) \
	__extension__({ \
		size_t search_low = 0, search_high = (count); \
\
		while (search_low < search_high) { \
			const size_t index = search_low + (search_high - search_low) / 2; \
\
			if (condition) \
				search_low = index + 1; \
			else \
				search_high = index; \
		} \
		search_low; \
	})

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pages of the kernel's trace buffer, as reading per_cpu/cpuN/trace_pipe_raw gives them: events with their times in ns,
 * which the text of a trace_pipe cuts to us, at a tenth of its cost. The layout is that of Documentation/trace/
 * ring-buffer-design and of events/header_page; nothing in a page is trusted.
 */
#ifndef COMMON_TRACE_PAGE_H
#define COMMON_TRACE_PAGE_H

#include <stddef.h>
#include <stdint.h>

#include "common/trace_format.h"

#define TRACE_PAGE_MAX 65536u

struct trace_page_layout {
	struct trace_field timestamp, commit;
	unsigned data_offset, page_bytes; /* of what one read gives */
};

/* The text of events/header_page. 0 or -EINVAL. */
int trace_page_layout_read(const char *text, struct trace_page_layout *layout);

/* For each event in turn; time_ns by the instance's trace_clock; event: size bytes, from its common_type on, aligned to
 * 4. */
typedef void trace_page_take(void *context, uint64_t time_ns, const void *event, size_t size);

/* page: as it was read, size bytes, aligned to 8. 0; -EBADMSG when it contradicts itself: what came before that was
 * taken. */
int trace_page_parse(const struct trace_page_layout *layout, const void *page, size_t size, trace_page_take *take,
	void *context);

#endif

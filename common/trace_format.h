/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the kernel's trace events keep their values: the format file of an event (events/SYSTEM/NAME/format) says it,
 * so that a kernel with another order or more fields is read as it is. For events as they lie in the kernel's buffer
 * (common/trace_page.h), in this machine's byte order.
 */
#ifndef COMMON_TRACE_FORMAT_H
#define COMMON_TRACE_FORMAT_H

#include <stddef.h>
#include <stdint.h>

struct trace_field {
	unsigned offset, size; /* bytes in the event; of a number 1, 2, 4 or 8, and 0 where the kernel has none */
};

/* The event's number, which its common_type has. 0 or -EINVAL. */
int trace_format_id(const char *text, unsigned *id);
/* A number of this name. 0; -ENOENT: there is no such field; -EINVAL: it is no number, or lies beyond 64 KiB. */
int trace_format_field(const char *text, const char *name, struct trace_field *field);
/* An array of bytes ("char bdi[32]"): 0, -ENOENT, or -EINVAL. */
int trace_format_array(const char *text, const char *name, struct trace_field *field);
/* The value of a number, unsigned; size: of the event. 0 when the event is too short to have it, or has none. */
uint64_t trace_field_get(const struct trace_field *field, const void *event, size_t size);

#endif

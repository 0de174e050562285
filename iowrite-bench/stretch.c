/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/stretch.h"

uint64_t stretch_add(struct stretch *stretch, uint64_t offset, uint64_t size)
{
	uint64_t end = offset + size, before = stretch->end - stretch->begin;

	if (!before)
		*stretch = (struct stretch){offset, offset};
	if (offset > stretch->end || end < stretch->begin)
		return size;
	stretch->begin = offset < stretch->begin ? offset : stretch->begin;
	stretch->end = end > stretch->end ? end : stretch->end;
	return stretch->end - stretch->begin - before;
}

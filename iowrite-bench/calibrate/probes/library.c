/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fwrite(3) without the writes behind it: as many small ones as the buffer holds, all between two stamps, and what is
 * left of them when the bytes are taken away by a line through several sizes.
 */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#include <errno.h>

#include "iowrite-bench/line.h"

#define SIZES 4
#define SAMPLES 40

static int measure_size(struct rig *rig, uint64_t size, struct system_point *point)
{
	const struct calibrate_hooks *hooks = rig->hooks;
	unsigned times = (unsigned)(rig->buffer_bytes / size), count = 0;
	double values[SAMPLES];

	while (count < SAMPLES) {
		uint64_t begin = rig_now(rig), end;
		int rc = hooks->lib_write(hooks->state, size, times);

		end = rig_now(rig);
		if (!rc)
			rc = hooks->lib_flush(hooks->state);
		if (rc)
			return rig_told(rig, rc, "write to a stream");
		values[count++] = ((double)(end - begin) - rig->clock_ns) / times;
		if (rig_is_late(rig))
			break;
	}
	*point = (struct system_point){.size = size, .ns = {.value = rig_median(values, count)}};
	return 0;
}

int probe_library(struct rig *rig, const struct probe *probe)
{
	static const uint64_t sizes[SIZES] = {32, 64, 128, 256};
	const struct calibrate_hooks *hooks = rig->hooks;
	struct system_point points[SIZES];
	double fixed, slope, error;
	bool has_first;
	int rc = hooks->lib_open(hooks->state, &rig->buffer_bytes, &has_first), closed;

	(void)probe;
	if (rc)
		return rig_told(rig, rc, "open a stream on the target");
	rig_fact(rig, SYSTEM_LIB_BUFFER, (double)rig->buffer_bytes, "__fbufsize(3)");
	rig_fact(rig, SYSTEM_LIB_FIRST, has_first, "first write(2) of an fwrite(3) of 2.5 buffers");
	for (int i = 0; i < SIZES && !rc && rig->buffer_bytes >= sizes[SIZES - 1]; i++)
		rc = measure_size(rig, sizes[i], &points[i]);
	closed = hooks->lib_close(hooks->state);
	if (!rc && rig->buffer_bytes >= sizes[SIZES - 1]) {
		line_fit(points, SIZES, &fixed, &slope, &error);
		rig_parameter(rig, SYSTEM_LIB_METACOST, fixed, "median of blocks' line at 0 bytes");
	}
	return rc ? rc : rig_told(rig, closed, "close a stream");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * l_w: what is left of a write(2) to one cached page when its bytes are taken away, by a line through small sizes. The
 * page is alone in its folio, since it was written alone: file systems go through all blocks of a large one.
 */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#include "iowrite-bench/line.h"

#define SIZES 6
#define SAMPLES 60
#define BATCH 8 /* summed up, since the clock counts in tens of ns */

int probe_call(struct rig *rig, const struct probe *probe)
{
	static const uint64_t sizes[SIZES] = {1, 64, 256, 1024, 2048, 4096};
	struct system_point points[SIZES];
	double fixed, slope, error, values[SAMPLES];
	uint64_t page = rig->plan->has_append ? rig->plan->written_bytes : 0;
	int rc = rig_fresh(rig);

	(void)probe;
	if (!rc)
		rc = rig_fill(rig, OP_BUFFERED, page, page + sizes[SIZES - 1], sizes[SIZES - 1]);
	for (int i = 0; i < SIZES && !rc; i++) {
		size_t count = 0;

		while (count < SAMPLES && !rc && !(count && rig_is_late(rig))) {
			double sum = 0, ns;

			/* The same bytes again, so that it stays one page. */
			for (int k = 0; k < BATCH && !rc; k++) {
				rc = rig_write(rig, OP_BUFFERED, page, sizes[i], &ns);
				sum += ns;
			}
			if (!rc)
				values[count++] = sum / BATCH;
		}
		points[i] = (struct system_point){.size = sizes[i], .ns = {.value = rig_median(values, count)}};
	}
	if (rc)
		return rc;
	line_fit(points, SIZES, &fixed, &slope, &error);
	rig_parameter(rig, SYSTEM_SC_W, fixed, "median of blocks' line at 0 bytes");
	return 0;
}

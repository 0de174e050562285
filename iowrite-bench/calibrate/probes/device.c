/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device past the page cache: bandwidth of large writes one after another, reads, and what it costs to go elsewhere. */
#include "config.h"
#include "iowrite-bench/calibrate/probe.h"

#include <math.h>

#include "common/hot/rng.h"

#define MIB (1ull << 20)
#define SMALL 4096
#define SEEKS 48
#define READS 96
#define READ_BYTES (16 * MIB)
#define STREAM_WRITES 16
#define STREAM_LEAST 6
#define STREAM_SKIPPED 2

/* What a throttle or a cache lets through at once goes with the first writes, which do not count. */
static bool is_enough(const struct rig *rig, unsigned count)
{
	return count >= STREAM_WRITES || (count >= STREAM_LEAST && rig_is_late(rig));
}

int probe_device(struct rig *rig, const struct probe *probe)
{
	uint64_t at = rig->plan->written_bytes, room = calibrate_plan_room(rig->plan) / STREAM_WRITES;
	uint64_t size = room < rig->plan->largest_bytes ? room : rig->plan->largest_bytes, bytes = 0;
	double sum = 0, ns;
	int rc = rig_fresh(rig);

	(void)probe;
	size -= size % SMALL;
	for (unsigned i = 0; !rc && !is_enough(rig, i); i++, at += size) {
		rc = rig_write(rig, OP_DIRECT, at, size, &ns);
		if (i < STREAM_SKIPPED)
			continue;
		sum += ns;
		bytes += size;
	}
	if (rc)
		return rc;
	rig_parameter(rig, SYSTEM_BW_DEV, rig_rate(bytes, sum), "median of blocks' rates of large O_DIRECT appends");
	return rig_fresh(rig);
}

int probe_read(struct rig *rig, const struct probe *probe)
{
	uint64_t end = rig->plan->written_bytes, step = end < 2 * READ_BYTES ? end / 2 : READ_BYTES, at = 0;
	struct rng rng;
	double ns;
	int rc = rig_uncached(rig);

	(void)probe;
	rng_seed(&rng, rig_now(rig), 0);
	step = step < rig->plan->largest_bytes ? step : rig->plan->largest_bytes;
	for (int i = 0; i < READS && !rc && !(i && rig_is_late(rig)); i++) {
		rc = rig_read(rig, rng_next(&rng) % (end / SMALL) * SMALL, SMALL, &ns);
		if (!rc)
			rig_parameter(rig, SYSTEM_LAT_RDEV, ns, "median of block medians");
	}
	for (; at + step <= end && !rc && !(at && rig_is_late(rig)); at += step) {
		rc = rig_read(rig, at, step, &ns);
		if (!rc)
			rig_parameter(rig, SYSTEM_BW_RDEV, rig_rate(step, ns), "median of block medians");
	}
	return rc;
}

/* Eight behind one another, eight anywhere, again and again: what drifts meets both. */
int probe_seek(struct rig *rig, const struct probe *probe)
{
	uint64_t end = rig->plan->written_bytes, at = 0;
	double near[SEEKS], far[SEEKS], ns;
	size_t count = 0;
	struct rng rng;
	int rc = rig_uncached(rig);

	(void)probe;
	rng_seed(&rng, rig_now(rig), 1);
	while (count < SEEKS && !rc && !(count && rig_is_late(rig))) {
		for (int i = 0; i < 8 && !rc; i++, at += SMALL) {
			rc = rig_write(rig, OP_DIRECT, at, SMALL, &ns);
			near[count + (size_t)i] = ns;
		}
		for (int i = 0; i < 8 && !rc; i++) {
			rc = rig_write(rig, OP_DIRECT, rng_next(&rng) % (end / SMALL) * SMALL, SMALL, &ns);
			far[count + (size_t)i] = ns;
		}
		count += 8;
	}
	if (!rc) {
		double usual = rig_median(near, count), further = rig_median(far, count);
		const struct collector_key key = {.parameter = SYSTEM_SC_SK, .scale = usual,
			.method = "median of blocks' random less sequential, 4 KiB"};

		collector_add(rig->collector, &key, fmax(0, further - usual));
	}
	return rc;
}

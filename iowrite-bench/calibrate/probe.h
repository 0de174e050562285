/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is measured: one table. A probe measures one block at a time, of everything it is for; the schedule mixes the
 * blocks of all of them.
 */
#ifndef IOWRITE_BENCH_CALIBRATE_PROBE_H
#define IOWRITE_BENCH_CALIBRATE_PROBE_H

#include "iowrite-bench/calibrate/rig.h"

#define PROBE_GIVES 4

struct probe {
	const char *name;
	unsigned weight;  /* of its share in the time */
	unsigned turns;   /* that are enough when nothing says how well it is known; 0 = 3 */
	int (*run)(struct rig *rig, const struct probe *probe); /* one block; as rig.h says */
	/* Why it cannot be measured here; NULL = it can. NULL function = always. */
	const char *(*lacks)(const struct rig *rig, const struct probe *probe);
	bool is_last;     /* once, when all others are done, and however long it takes */
	bool is_staged;   /* in the phase of small thresholds, when there is one */
	size_t give_count;
	enum system_parameter gives[PROBE_GIVES];
	bool is_curve;    /* gives that of mode and regime, too */
	enum op_mode mode;
	enum op_regime regime;
};

extern const struct probe probes[];
extern const size_t probe_count;

/* In probes/, each as struct probe says. */
int probe_memory(struct rig *rig, const struct probe *probe);
int probe_library(struct rig *rig, const struct probe *probe);
int probe_call(struct rig *rig, const struct probe *probe);
int probe_append(struct rig *rig, const struct probe *probe);
int probe_rewrite(struct rig *rig, const struct probe *probe);
int probe_cold(struct rig *rig, const struct probe *probe);
int probe_device(struct rig *rig, const struct probe *probe);
int probe_read(struct rig *rig, const struct probe *probe);
int probe_seek(struct rig *rig, const struct probe *probe);
int probe_synchronous(struct rig *rig, const struct probe *probe);
int probe_edge(struct rig *rig, const struct probe *probe);
int probe_burst(struct rig *rig, const struct probe *probe);
const char *probe_burst_lacks(const struct rig *rig, const struct probe *probe);
int probe_writeback(struct rig *rig, const struct probe *probe);
int probe_throttled(struct rig *rig, const struct probe *probe);
const char *probe_throttled_lacks(const struct rig *rig, const struct probe *probe);

#endif

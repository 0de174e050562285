/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every block of the areas is written once, so that no write of the run meets an unwritten extent. */
#ifndef SSD_WORKLOADS_ENGINE_PREPARE_H
#define SSD_WORKLOADS_ENGINE_PREPARE_H

#include "common/progress.h"
#include "common/report_common.h"
#include "ssd-workloads/engine/engine.h"

struct prepare_result {
	uint64_t bytes;
	double seconds;
	bool is_done;                       /* false: it was interrupted, or has failed */
	struct engine_failure failure;
};

/* The memory of prepare: mapped and kept for it, and each place's backend opened and closed once. Nothing is
 * written. 0 or a diag_exit code after one line. */
int prepare_open(const struct engine_setup *setup, void **memory);
void prepare_close(void *memory); /* NULL is allowed */
/* Every block, in targets that have their size (place_reserve), with stamps of STAMP_PREPARED. 0 or a diag_exit code after
 * one line; 0 also, after one line, when a write has failed, for then there is a result. */
int prepare(const struct engine_setup *setup, void *memory, struct progress *progress, struct prepare_result *result);

#endif

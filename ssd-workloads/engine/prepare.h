/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preparation: writes every block of the areas once, so that the run writes to no unwritten extents. */
#ifndef SSD_WORKLOADS_ENGINE_PREPARE_H
#define SSD_WORKLOADS_ENGINE_PREPARE_H

#include "common/base/progress.h"
#include "common/report/report_common.h"
#include "ssd-workloads/engine/engine.h"

struct prepare_result {
	uint64_t bytes;
	double seconds;
	bool is_done;                       /* false: interrupted or failed */
	struct engine_failure failure;
};

/* Allocates the memory of prepare, and opens and closes each place's backend once as a check. Nothing is written. Returns 0 or a
 * diag_exit code after an error message. */
int prepare_open(const struct engine_setup *setup, void **memory);
void prepare_close(void *memory); /* NULL is allowed */
/* Writes every block with stamps of STAMP_PREPARED, in targets that have their size (place_reserve). Returns 0 or a diag_exit
 * code after an error message; also 0, after a message, if a write has failed, since then there is a result. */
int prepare(const struct engine_setup *setup, void *memory, struct progress *progress, struct prepare_result *result);

#endif

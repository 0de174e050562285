/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a workload definition of MQSim: refused in one line, or a log, a checkpoint or both that a mix can have. */
#include "config.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "ssd-workloads/run/mqsim.h"

static void check(bool is_true)
{
	if (!is_true)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* The last byte chooses the scenario. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mqsim_scenario scenario;
	char why[192] = "";
	unsigned streams = 0;
	int rc;

	if (!size)
		return 0;
	rc = mqsim_parse((const char *)data, size, data[size - 1] % 3 + 1, &scenario, why, sizeof(why));
	check(rc ? (rc == -EINVAL || rc == -ENOMEM) && why[0] && !strchr(why, '\n') : scenario.count >= 1 && scenario.count <= 2);
	for (int i = 0; i < MIX_STREAMS && !rc; i++) {
		const struct mqsim_flow *flow = &scenario.flows[i];

		if (!flow->depth)
			continue;
		streams++;
		check(flow->depth <= MIX_DEPTH_MAX && flow->block_bytes && flow->block_bytes <= MIX_BLOCK_MAX &&
		      flow->block_bytes % 512 == 0 && flow->working_percent >= 1 && flow->working_percent <= 100 &&
		      flow->hot_percent < 100 && (flow->is_random || !flow->hot_percent) && !(flow->is_random && i == MIX_LOG));
	}
	check(rc || streams == scenario.count);
	return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/option_rows.h"

#include <errno.h>
#include <string.h>

#include "ssd-workloads/backend/choose.h"

#define BLOCK_STEP 512u

int run_set_mix(struct opt_value *in)
{
	const struct mix *mix = mix_find(in->text);

	*(const struct mix **)opt_field(in) = mix;
	return mix ? 0 : -EINVAL;
}

int run_set_block(struct opt_value *in)
{
	uint64_t bytes;

	if (units_parse_size(in->text, 1, &bytes) || !bytes || bytes > MIX_BLOCK_MAX || bytes % BLOCK_STEP)
		return -EINVAL;
	*(uint32_t *)opt_field(in) = (uint32_t)bytes;
	return 0;
}

/* "random" is a permutation; other values are patterns from which blocks are drawn. */
int run_set_order(struct opt_value *in)
{
	struct ssd_run_options *options = in->options;
	int rc;

	options->is_random = !strcmp(in->text, "random");
	options->has_pattern = !options->is_random && strcmp(in->text, "sequential") != 0;
	rc = options->has_pattern ? pattern_parse(in->text, &options->pattern, &in->why) : 0;
	if (rc == -EINVAL)
		in->why = "must be sequential or random, or of a simulated device a pattern, as uniform, hotset,20,80 or zipf,0.8";
	return rc;
}

int run_set_engine(struct opt_value *in)
{
	*(const char **)opt_field(in) = in->text;
	return backend_find(in->text) ? 0 : -EINVAL;
}

int run_add_sim(struct opt_value *in)
{
	struct run_device *device = &((struct ssd_run_options *)in->options)->device;

	in->why = "is allowed up to 64 times";
	if (device->value_count == RUN_SIM_VALUES)
		return -ERANGE;
	if (!device->params.channels)
		sim_params_init(NULL, &device->params);
	in->why = in->allowed;
	device->values[device->value_count++] = in->text;
	return sim_params_set(&device->params, in->text, in->allowed, sizeof(in->allowed));
}

int run_add_policy(struct opt_value *in)
{
	struct run_device *device = &((struct ssd_run_options *)in->options)->device;
	int rc = sim_policy_add(&device->policies, in->text, in->allowed, sizeof(in->allowed));

	in->why = in->allowed;
	if (!rc)
		device->policy_texts[device->policy_count++] = in->text;
	return rc;
}

int run_add_slo(struct opt_value *in)
{
	struct ssd_run_options *options = in->options;
	int rc = options->slo_count < SLOS_MAX ? slo_parse(in->text, run_slo_names, &options->slos[options->slo_count], &in->why)
					       : -ERANGE;

	if (rc == -ERANGE)
		in->why = "is allowed up to 16 times";
	options->slo_count += !rc;
	return rc;
}

bool run_is_real_target(const char *text)
{
	return strncmp(text, RUN_SIM_TARGET, strlen(RUN_SIM_TARGET)) != 0;
}

const char *const run_slo_names[] = {[RUN_SLO_LOG] = "log", [RUN_SLO_CHECKPOINT] = "checkpoint",
	[RUN_SLO_COMMIT] = "commit", [RUN_SLO_SYNC] = "sync", NULL};
const char *const run_without_names[] = {[RUN_WITHOUT_NOTHING] = "none", [RUN_WITHOUT_OTHER] = "other",
	[RUN_WITHOUT_GC] = "gc", [RUN_WITHOUT_ERASE] = "erase", NULL};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <stdio.h>

#include "common/diag.h"
#include "common/units.h"
#include "with-pressure/options.h"
#include "with-pressure/run.h"

static int recover(const struct with_pressure_options *options)
{
	unsigned journals = 0, aside = 0;

	if (options->recovery == PRESSURE_RECOVER_SET_ASIDE && pressure_set_aside(&aside))
		return DIAG_EXIT_HOST;
	if (pressure_recover(&journals))
		return DIAG_EXIT_HOST;
	if (!journals && !aside)
		diag_info("nothing to restore");
	return DIAG_EXIT_OK;
}

static void print_plan(const struct with_pressure_options *options)
{
	static const char *const kinds[] = {
		[PRESSURE_SWAP_KEEP] = "as the system has it",
		[PRESSURE_SWAP_NONE] = "none",
		[PRESSURE_SWAP_ZRAM] = "zram",
		[PRESSURE_SWAP_FILE] = "file",
		[PRESSURE_SWAP_LOOP] = "loop",
		[PRESSURE_SWAP_DEVICE] = "device",
	};
	const struct pressure_plan *plan = &options->plan;
	char size[32], begin[32], end[32];

	printf("ram: %s\n",
		plan->ram_bytes ? units_format_size(plan->ram_bytes, size, sizeof(size)) : "no limit");
	printf("swap: %s", kinds[plan->swap.kind]);
	if (pressure_swap_bytes(&plan->swap))
		printf(" %s %s%s", units_format_size(pressure_swap_bytes(&plan->swap), size, sizeof(size)), plan->swap.path,
			plan->swap.algorithm);
	printf("\n");
	if (plan->high_bytes)
		printf("high: %s\n", units_format_size(plan->high_bytes, size, sizeof(size)));
	if (plan->has_swappiness)
		printf("swappiness: %u\n", plan->swappiness);
	if (plan->has_page_cluster && plan->page_cluster < 0)
		printf("page-cluster: keep\n");
	else if (plan->has_page_cluster)
		printf("page-cluster: %d\n", plan->page_cluster);
	for (size_t i = 0; i < plan->eater_count; i++) {
		const struct pressure_eater *eater = &plan->eaters[i];

		printf("eater: node %d, %s, from %s to %s\n", eater->node,
			units_format_size(eater->bytes, size, sizeof(size)),
			units_format_duration((double)eater->begin_ns, begin, sizeof(begin)),
			units_format_duration((double)eater->end_ns, end, sizeof(end)));
	}
	printf("command:");
	for (char **word = options->command; *word; word++)
		printf(" %s", *word);
	printf("\n");
}

static int run(const struct with_pressure_options *options)
{
	char why[512];

	if (options->recovery != PRESSURE_RECOVER_NOT)
		return recover(options);
	if (pressure_check(&options->plan, why, sizeof(why))) {
		if (why[0])
			diag_error(0, "%s", why);
		return WITH_PRESSURE_FAILED;
	}
	if (options->is_dry_run) {
		print_plan(options);
		return DIAG_EXIT_OK;
	}
	return with_pressure_run(options);
}

int main(int argc, char **argv)
{
	struct with_pressure_options options;
	int code;

	diag_claim_descriptors();
	diag_watch_stdout();
	with_pressure_options(argc, argv, &options);
	code = run(&options);
	opt_free(&options.line);
	return code;
}

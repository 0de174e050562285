/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked of this machine before anything is measured, and what is said of a plan. */
#include "config.h"
#include "iowrite-bench/evaluate/plan.h"

#include <string.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/target.h"
#include "common/units.h"
#include "common/storage.h"
#include "iowrite-bench/feed.h"
#include "iowrite-bench/room.h"

static int look_at_memory(struct plan_host *host)
{
	host->memory_bytes = feed_available();
	if (host->memory_bytes)
		return DIAG_EXIT_OK;
	diag_error(0, "cannot read in /proc/meminfo and in this cgroup how much memory is left");
	return DIAG_EXIT_HOST;
}

static int look_at_room(const char *folder, struct plan_host *host)
{
	int rc = room_free(folder, &host->room_bytes);

	if (!rc)
		return DIAG_EXIT_OK;
	diag_error(rc, "cannot see how much room %s has", folder);
	return DIAG_EXIT_HOST;
}

static void take_facts(const struct target *target, struct plan_host *host)
{
	struct storage storage;

	storage_read("", target->device, &storage);
	memcpy(host->device, storage.device, sizeof(host->device));
	memcpy(host->file_system, target->file_system, sizeof(host->file_system));
	host->has_direct = target->has_direct;
	host->offset_align = target->offset_align ? target->offset_align : 1;
}

int plan_look(const struct evaluate_options *options, struct plan_host *host)
{
	struct target_request request = {.path = options->shared.directory, .needs_folder = true};
	struct target target;
	int code;

	*host = (struct plan_host){.is_root = geteuid() == 0};
	code = target_open(&request, &target);
	if (code)
		return code;
	take_facts(&target, host);
	target_close(&target);
	code = look_at_room(options->shared.directory, host);
	return code ? code : look_at_memory(host);
}

static void print_row(FILE *out, const struct plan_row *row)
{
	char bytes[UNITS_TEXT], background[UNITS_TEXT], dirty[UNITS_TEXT], thresholds[2 * UNITS_TEXT + 4] = "-";

	if (row->dirty_bytes)
		snprintf(thresholds, sizeof(thresholds), "%s / %s",
			units_format_size(row->background_bytes, background, sizeof(background)),
			units_format_size(row->dirty_bytes, dirty, sizeof(dirty)));
	fprintf(out, "%-8s  %10s  %-19s  ", row->scenario->id, units_format_size(row->bytes, bytes, sizeof(bytes)),
		thresholds);
	if (row->is_run)
		fprintf(out, "some %.1f s: %s\n", row->predicted_s, row->scenario->meaning);
	else
		fprintf(out, "not measured: %s\n", row->reason);
}

void plan_print(FILE *out, const struct evaluate_options *options, const struct evaluate_plan *plan)
{
	char size[UNITS_TEXT], rate[UNITS_TEXT];

	if (options->shared.slow_bytes_per_second)
		fprintf(out, "A loop device of %s with %s/s in %s\n",
			units_format_size(plan->stage.slow_size_bytes, size, sizeof(size)),
			units_format_size(options->shared.slow_bytes_per_second, rate, sizeof(rate)), options->shared.directory);
	fprintf(out, "%-8s  %10s  %-19s  \n", "scenario", "written", "thresholds");
	for (size_t i = 0; i < plan->count; i++)
		print_row(out, &plan->rows[i]);
	fprintf(out, "%zu of %zu, %u time%s\n", plan->run_count, plan->count, options->repetitions,
		options->repetitions == 1 ? "" : "s");
}

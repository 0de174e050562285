/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/plan_check.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/diag.h"
#include "iowrite-bench/feed.h"
#include "iowrite-bench/measure.h"

static bool is_direct(const struct run_cell *cell)
{
	return cell->mode == OP_DIRECT || cell->mode == OP_DIRECT_SYNC || cell->mode == OP_DIRECT_DSYNC;
}

static void __attribute__((format(printf, 2, 3))) skip(struct run_cell *cell, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(cell->skipped, sizeof(cell->skipped), format, arguments);
	va_end(arguments);
}

/* --- by words --- */

static void check_words(const struct run_plan *plan, struct run_cell *cell)
{
	const char *method = cell->method->name;

	if (is_direct(cell) && !cell->method->has_direct)
		skip(cell, "%s writes to the page cache, O_DIRECT goes past it: take write, pwrite, writev, pwritev2 or io_uring",
			method);
	else if (cell->method->is_mapped && cell->mode != OP_BUFFERED)
		skip(cell, "stores into a mapping know nothing of O_SYNC: take --mode=buffered and --sync-each");
	else if (cell->sync->rwf_flags && !cell->method->has_rwf)
		skip(cell, "%s takes no RWF_DSYNC: take pwritev2 or io_uring", method);
	else if (cell->sync_every > 1 && !cell->sync->sync && !cell->way)
		skip(cell, "--sync-every is of syncs that are calls of their own: take --sync-each=fsync, fdatasync, "
			"sync_file_range, syncfs or msync");
	else if (plan->options->files > 1 && cell->sync_every > 1)
		skip(cell, "--files takes a sync after each write, or none: leave --sync-every out");
	else if (cell->sync->needs_mapping && !cell->method->mapping)
		skip(cell, "msync is of a mapping, which %s does not have: take --method=mmap, or fsync", method);
	else if (cell->order == RUN_RANDWRITE && cell->regime == OP_APPEND)
		skip(cell, "what is appended is not random: take --regime=prealloc or overwrite");
	else if (cell->order == RUN_BACKWRITE && plan->options->back == 0)
		skip(cell, "--back=0 is --rw=write");
}

/* --- by the target --- */

static void check_direct(struct run_cell *cell, const struct target *target)
{
	if (!target->has_direct) {
		skip(cell, "%s is on %s, which has no O_DIRECT: name another place", target->path, target->file_system);
		return;
	}
	cell->align = target->offset_align;
	if (cell->size.low % cell->align || cell->size.high % cell->align)
		skip(cell, "O_DIRECT on %s takes multiples of %u bytes", target->path, target->offset_align);
}

static void check_kind(const struct run_plan *plan, struct run_cell *cell, const struct target *target)
{
	if (target->kind == TARGET_DEVICE && cell->regime != OP_OVERWRITE)
		skip(cell, "a device is always written over: take --regime=overwrite");
	else if (plan->is_shared && cell->regime == OP_APPEND)
		skip(cell, "%u threads cannot all append to one file: give --directory, or another regime",
			plan->options->threads);
}

/* Half of it is for who writes (feed.h). */
static void check_memory(const struct run_plan *plan, struct run_cell *cell)
{
	const struct run_options *options = plan->options;
	uint64_t need = 2 * options->threads * feed_need_some(cell->size.high, plan->size_bytes);

	if (!plan->memory_bytes || need <= plan->memory_bytes ||
		!measure_is_fed(options->memory, cell->mode, cell->regime, false))
		return;
	skip(cell, "--mem=warm needs %llu MiB of memory, and %llu MiB are available: take a smaller --size or --mem=as-is",
		(unsigned long long)(need >> 20), (unsigned long long)(plan->memory_bytes >> 20));
	cell->lacks_memory = true;
}

static void check_target(const struct run_plan *plan, struct run_cell *cell, const struct target *target)
{
	if (is_direct(cell))
		check_direct(cell, target);
	if (!cell->skipped[0])
		check_kind(plan, cell, target);
	if (!cell->skipped[0])
		check_memory(plan, cell);
}

int plan_check(struct run_plan *plan, const struct target *target)
{
	const struct run_cell *first = NULL;
	size_t left = 0;
	bool is_host = true;

	for (size_t i = 0; i < plan->cell_count; i++) {
		struct run_cell *cell = &plan->cells[i];
		bool was_skipped = cell->skipped[0];

		if (!was_skipped && target)
			check_target(plan, cell, target);
		else if (!was_skipped)
			check_words(plan, cell);
		left += !cell->skipped[0];
		first = !first && cell->skipped[0] ? cell : first;
		is_host &= cell->lacks_memory || (is_direct(cell) && target && !target->has_direct);
	}
	if (left || !first)
		return DIAG_EXIT_OK;
	diag_error(0, "%s%s: %s", first->id, plan->cell_count > 1 ? " and all others cannot be" : "", first->skipped);
	return is_host ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
}

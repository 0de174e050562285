/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/diag.h"
#include "common/probe.h"
#include "common/units.h"
#include "iowrite-bench/memory.h"
#include "iowrite-bench/measure.h"

#define STANDARD_SIZE (64 * UNITS_MIB)
#define STANDARD_ROUNDS 3
#define PART_ALIGN UNITS_MIB

/* --- names --- */

/* "4k" for what was said as 4096, and the bytes where no unit fits. */
static void name_size(uint64_t bytes, char *name, size_t length)
{
	static const char units[] = "kmgt";
	char unit = 0;

	for (size_t i = 0; i + 1 < sizeof(units) && bytes && bytes % 1024 == 0; i++) {
		bytes /= 1024;
		unit = units[i];
	}
	snprintf(name, length, unit ? "%llu%c" : "%llu", (unsigned long long)bytes, unit);
}

static void name_method(struct run_cell *cell)
{
	char size[24];

	snprintf(cell->method_name, sizeof(cell->method_name), "%s", cell->method->name);
	if (strcmp(cell->method->name, "fwrite") || cell->buffer.buffering == METHOD_LIBC_DEFAULT)
		return;
	name_size(cell->buffer.bytes, size, sizeof(size));
	snprintf(cell->method_name, sizeof(cell->method_name), "fwrite-%s",
		cell->buffer.buffering == METHOD_UNBUFFERED ? "unbuffered" : size);
}

static void name_cell(struct run_cell *cell)
{
	char low[24], high[24], every[24] = "";

	name_method(cell);
	name_size(cell->size.low, low, sizeof(low));
	name_size(cell->size.high, high, sizeof(high));
	if (cell->sync_every > 1)
		snprintf(every, sizeof(every), "-every-%u", cell->sync_every);
	snprintf(cell->id, sizeof(cell->id), "%s.%s.%s%s.%s.%s.%s%s%s", cell->method_name, op_mode_name(cell->mode),
		cell->sync->name, every, op_regime_name(cell->regime), run_order_name(cell->order), low,
		cell->size.low == cell->size.high ? "" : "-", cell->size.low == cell->size.high ? "" : high);
}

/* --- combinations --- */

static size_t buffers_of(const struct run_options *options, const struct method *method)
{
	return strcmp(method->name, "fwrite") ? 1 : options->buffer_count;
}

/* A preset's own, or the lists' product of modes and syncs. */
static size_t count_ways(const struct run_options *options)
{
	const struct preset_way *ways = options->preset ? options->preset->ways : NULL;
	size_t count = 0;

	if (!ways)
		return options->mode_count * options->sync_count;
	for (; ways->name; ways++)
		count += ways->mode != NULL;
	return count;
}

static void set_way(const struct run_options *options, size_t index, struct run_cell *cell)
{
	const struct preset_way *way = options->preset ? options->preset->ways : NULL;

	if (!way) {
		cell->sync = options->syncs[index % options->sync_count];
		cell->mode = options->modes[index / options->sync_count % options->mode_count];
		return;
	}
	while (!way->mode || index--)
		way++;
	cell->way = way;
	cell->sync = method_sync_of(way->sync);
	for (int mode = 0; mode < OP_MODES; mode++)
		cell->mode = strcmp(op_mode_name((enum op_mode)mode), way->mode) ? cell->mode : (enum op_mode)mode;
}

static size_t count_cells(const struct run_options *options)
{
	size_t ways = 0;

	for (size_t i = 0; i < options->method_count; i++)
		ways += buffers_of(options, options->methods[i]);
	return ways * count_ways(options) * options->every_count * options->regime_count * options->order_count *
	       options->size_count;
}

/* The index-th of the lists' product; the last list turns fastest. */
static struct run_cell cell_at(const struct run_options *options, const struct method *method,
	const struct run_buffer *buffer, size_t index)
{
	struct run_cell cell = {.method = method, .buffer = *buffer, .align = 1};

	cell.size = options->sizes[index % options->size_count];
	index /= options->size_count;
	cell.order = options->orders[index % options->order_count];
	index /= options->order_count;
	cell.regime = options->regimes[index % options->regime_count];
	index /= options->regime_count;
	cell.sync_every = options->sync_every[index % options->every_count];
	index /= options->every_count;
	set_way(options, index, &cell);
	return cell;
}

static void fill_cells(struct run_plan *plan)
{
	const struct run_options *options = plan->options;
	size_t each = options->size_count * options->order_count * options->regime_count * options->every_count *
		      count_ways(options);

	for (size_t method = 0; method < options->method_count; method++) {
		for (size_t buffer = 0; buffer < buffers_of(options, options->methods[method]); buffer++) {
			for (size_t i = 0; i < each; i++) {
				struct run_cell *cell = &plan->cells[plan->cell_count++];

				*cell = cell_at(options, options->methods[method], &options->buffers[buffer], i);
				name_cell(cell);
			}
		}
	}
}

/* --- sizes --- */

static void plan_sizes(struct run_plan *plan)
{
	const struct run_options *options = plan->options;

	plan->size_bytes = options->size_bytes ? options->size_bytes : STANDARD_SIZE;
	plan->runtime_ns = options->runtime_ns;
	if (!options->size_bytes && !options->runtime_ns)
		plan->runtime_ns = UNITS_NS_PER_SEC;
	plan->is_repeated = options->runtime_ns && (!options->size_bytes || options->is_size_of_preset);
	plan->rounds = options->rounds ? options->rounds : options->csv_path ? 1 : STANDARD_ROUNDS;
	/* A large --bs without a --size means some of them. */
	for (size_t i = 0; i < options->size_count && !options->size_bytes; i++) {
		if (options->sizes[i].high > plan->size_bytes)
			plan->size_bytes = options->sizes[i].high;
	}
}

static int check_sizes(const struct run_plan *plan)
{
	const struct run_options *options = plan->options;
	char size[24], whole[24];

	if (options->files > 1 && plan->size_bytes / options->files >= OP_FILE_BYTES / 2)
		return diag_usage("--files: each of several files has less than 8 TiB: give a smaller --size");
	for (size_t i = 0; i < options->size_count; i++) {
		if (options->sizes[i].high <= plan->size_bytes / options->files)
			continue;
		name_size(options->sizes[i].high, size, sizeof(size));
		name_size(plan->size_bytes, whole, sizeof(whole));
		if (options->files > 1)
			diag_error(0, "--files: writes of %s to each of %u files are more than --size=%s, all that is written in a "
				"round", size, options->files, whole);
		else
			diag_error(0, "--bs: a write of %s is more than --size=%s, all that is written in a round", size, whole);
		return DIAG_EXIT_USAGE;
	}
	return DIAG_EXIT_OK;
}

static int check_csv(const struct run_plan *plan)
{
	const struct run_options *options = plan->options;

	if (!options->csv_path)
		return DIAG_EXIT_OK;
	if (plan->cell_count > 1 || plan->rounds > 1 || options->threads > 1)
		return diag_usage("--ops-csv: needs one thread, combination and round; these are %u, %zu "
			"and %u", options->threads, plan->cell_count, plan->rounds);
	return DIAG_EXIT_OK;
}

/* An objective about nothing would be met. */
static int check_slos(const struct run_plan *plan)
{
	const struct run_options *options = plan->options;
	bool has_sync = false;

	for (size_t i = 0; i < plan->cell_count; i++)
		has_sync |= plan->cells[i].sync->sync && !plan->cells[i].skipped[0];
	for (size_t i = 0; i < options->slo_count && !has_sync; i++) {
		if (options->slos[i].of != SLO_SYNC)
			continue;
		return diag_usage("--slo %s: no write is followed by a sync: use --sync-each=fsync or fdatasync, or write+sync:",
			options->slos[i].text);
	}
	return DIAG_EXIT_OK;
}

int run_plan_make(const struct run_options *options, struct run_plan *plan)
{
	size_t count = count_cells(options);
	uint64_t most = 0;
	int code;

	*plan = (struct run_plan){.options = options};
	if (count > RUN_CELLS_MAX)
		return diag_usage("the lists have %zu combinations, and a run has at most %d: shorten one", count,
			RUN_CELLS_MAX);
	plan->cells = reallocarray(NULL, count ? count : 1, sizeof(*plan->cells));
	if (!plan->cells)
		return diag_host(ENOMEM, "cannot plan");
	plan_sizes(plan);
	fill_cells(plan);
	/* Room for the longest of what can be: a write drawn from a range may end behind. */
	plan->part_bytes = (plan->size_bytes + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
	plan->bytes = options->threads == 1 ? plan->size_bytes : plan->part_bytes * options->threads;
	for (size_t i = 0; i < options->size_count && options->files > 1; i++)
		most = options->sizes[i].high > most ? options->sizes[i].high : most;
	/* Of some files the last turn is not written. */
	plan->bytes += most * options->files * options->threads;
	code = check_sizes(plan);
	if (!code)
		code = check_csv(plan);
	if (!code)
		code = plan_check(plan, NULL);
	if (!code)
		code = check_slos(plan);
	if (code)
		run_plan_free(plan);
	return code;
}

/* --- with the target --- */

static void fit_cell(const struct run_plan *plan, struct run_cell *cell)
{
	uint64_t count;

	cell->back_bytes = cell->order == RUN_BACKWRITE
				   ? (uint64_t)((double)cell->size.low * plan->options->back) / cell->align * cell->align
				   : 0;
	cell->file_bytes = plan->size_bytes;
	count = plan->size_bytes / cell->size.low + 1;
	/* Whole turns. */
	if (plan->options->files > 1)
		cell->file_bytes = (count - 1 + plan->options->files - 1) / plan->options->files * cell->size.low;
	cell->ring = count < RUN_RING_MAX ? (size_t)count : RUN_RING_MAX;
}

int run_plan_fit(struct run_plan *plan, const struct target *target)
{
	int code;

	plan->is_shared = target->kind != TARGET_NAMELESS && plan->options->threads > 1;
	code = plan_check(plan, target);
	for (size_t i = 0; i < plan->cell_count && !code; i++) {
		fit_cell(plan, &plan->cells[i]);
		plan->measured_count += !plan->cells[i].skipped[0];
	}
	return code;
}

void run_plan_free(struct run_plan *plan)
{
	free(plan->cells);
	plan->cells = NULL;
	plan->cell_count = 0;
}

/* --- for people --- */

void run_plan_print(const struct run_plan *plan, const struct target *target)
{
	const struct run_options *options = plan->options;
	char size[UNITS_TEXT], time[UNITS_TEXT], room[UNITS_TEXT];

	printf("target      %s (%s%s)\n", target->path, target->file_system,
		target->has_direct ? "" : ", without O_DIRECT");
	printf("each round  %u thread%s, up to %s each", options->threads, options->threads == 1 ? "" : "s",
		units_format_size(plan->size_bytes, size, sizeof(size)));
	if (options->files > 1)
		printf(" in %u files", options->files);
	if (plan->runtime_ns)
		printf("%s for up to %s", plan->is_repeated ? " repeatedly" : "",
			units_format_duration((double)plan->runtime_ns, time, sizeof(time)));
	if (options->warmup_ns)
		printf("\nwarm-up     %s before each round", units_format_duration((double)options->warmup_ns, time, sizeof(time)));
	printf("\nrounds      %u, forth and back through %zu combination%s\n", plan->rounds, plan->measured_count,
		plan->measured_count == 1 ? "" : "s");
	printf("needs       %s of space\n", units_format_size(plan->bytes, room, sizeof(room)));
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct run_cell *cell = &plan->cells[i];

		printf("  %s%s%s\n", cell->id, cell->skipped[0] ? "  not measured: " : "", cell->skipped);
	}
}

/* --- plan check --- */

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
		skip(cell, "%s writes to the page cache, O_DIRECT bypasses it: use write, pwrite, writev, pwritev2 or io_uring",
			method);
	else if (cell->method->is_mapped && cell->mode != OP_BUFFERED)
		skip(cell, "stores into a mapping ignore O_SYNC: use --mode=buffered and --sync-each");
	else if (cell->sync->rwf_flags && !cell->method->has_rwf)
		skip(cell, "%s does not support RWF_DSYNC: use pwritev2 or io_uring", method);
	else if (cell->sync_every > 1 && !cell->sync->sync && !cell->way)
		skip(cell, "--sync-every needs a separate sync call: use --sync-each=fsync, fdatasync, "
			"sync_file_range, syncfs or msync");
	else if (plan->options->files > 1 && cell->sync_every > 1)
		skip(cell, "--files needs a sync after each write, or none: drop --sync-every");
	else if (cell->sync->needs_mapping && !cell->method->mapping)
		skip(cell, "msync needs a mapping, which %s does not have: use --method=mmap, or fsync", method);
	else if (cell->order == RUN_RANDWRITE && cell->regime == OP_APPEND)
		skip(cell, "randwrite needs a preallocated or existing file: use --regime=prealloc or overwrite");
	else if (cell->order == RUN_BACKWRITE && plan->options->back == 0)
		skip(cell, "--back=0 is --rw=write");
}

/* --- by the target --- */

static void check_target(const struct run_plan *plan, struct run_cell *cell, const struct target *target)
{
	const struct run_options *options = plan->options;
	/* Half of it is for who writes (memory.h). */
	uint64_t need = 2 * options->threads * memory_need_largest(cell->size.high, plan->size_bytes);
	char why[160];

	cell->align = is_direct(cell) && target->has_direct ? target->offset_align : cell->align;
	if (!strcmp(cell->method->name, "io_uring") && probe_require("", "io-uring", why, sizeof(why))) {
		skip(cell, "needs io-uring: %s", why);
		cell->lacks_host = true;
	} else if (is_direct(cell) && !target->has_direct) {
		skip(cell, "%s is on %s, which has no O_DIRECT: name another place", target->path, target->file_system);
	} else if (cell->size.low % cell->align || cell->size.high % cell->align) {
		skip(cell, "O_DIRECT on %s needs multiples of %u bytes", target->path, target->offset_align);
	} else if (target->kind == TARGET_DEVICE && cell->regime != OP_OVERWRITE) {
		skip(cell, "a device is always overwritten: use --regime=overwrite");
	} else if (plan->is_shared && cell->regime == OP_APPEND) {
		skip(cell, "%u threads cannot all append to one file: give --directory, or another regime", options->threads);
	} else if (plan->memory_bytes && need > plan->memory_bytes &&
		   memory_is_needed(options->memory, cell->mode, cell->regime, false)) {
		skip(cell, "--mem=warm needs %llu MiB of memory, and %llu MiB are available: use a smaller --size or --mem=as-is",
			(unsigned long long)(need >> 20), (unsigned long long)(plan->memory_bytes >> 20));
		cell->lacks_host = true;
	}
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
		is_host &= cell->lacks_host || (is_direct(cell) && target && !target->has_direct);
	}
	if (left || !first)
		return DIAG_EXIT_OK;
	diag_error(0, "%s%s: %s", first->id, plan->cell_count > 1 ? " and all others cannot be" : "", first->skipped);
	return is_host ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
}

/* --- source --- */

#define SEED 20201

static void rewind_source(struct source *source)
{
	source->index = source->done = 0;
	memset(source->offsets, 0, sizeof(source->offsets));
	rng_seed(&source->rng, SEED, source->thread);
}

void source_init(struct source *source, const struct run_plan *plan, const struct run_cell *cell, unsigned thread)
{
	*source = (struct source){
		.cell = cell,
		.begin_bytes = plan->is_shared ? thread * plan->part_bytes : 0,
		.size_bytes = plan->size_bytes,
		.files = plan->options->files,
		.delay_ns = plan->options->delay_ns,
		.thread = thread,
	};
	if (cell->order == RUN_RANDWRITE)
		pattern_permutation_init(&source->permutation, cell->file_bytes / cell->size.low, SEED + thread);
	rewind_source(source);
}

/* Of a range all multiples of its alignment alike. */
static uint64_t next_size(struct source *source)
{
	const struct run_size *size = &source->cell->size;

	if (size->low == size->high)
		return size->low;
	return size->low + source->cell->align *
				   rng_below(&source->rng, (size->high - size->low) / source->cell->align + 1);
}

static uint64_t random_offset(struct source *source, uint64_t size)
{
	const struct run_cell *cell = source->cell;

	if (cell->size.low == cell->size.high)
		return pattern_permute(&source->permutation, source->index / source->files) * size;
	return cell->align * rng_below(&source->rng, (source->size_bytes - size) / cell->align + 1);
}

static uint64_t back_of(const struct source *source, uint64_t size)
{
	const struct run_cell *cell = source->cell;

	/* The same share of each, on whole blocks where the mode wants them. */
	return cell->back_bytes == 0 || size == cell->size.low
		       ? cell->back_bytes
		       : (uint64_t)((double)size * (double)cell->back_bytes / (double)cell->size.low) / cell->align *
				 cell->align;
}

size_t source_refill(void *state, struct op *ops, size_t room)
{
	struct source *source = state;
	size_t count = 0;

	while (count < room) {
		uint64_t size = next_size(source), file = source->index % source->files, offset = source->offsets[file];

		if (source->done + size > source->size_bytes) {
			/* The end, wherever the ring was. */
			source->done = source->size_bytes;
			break;
		}
		if (source->cell->order == RUN_RANDWRITE)
			offset = random_offset(source, size);
		ops[count++] = (struct op){source->delay_ns, file * OP_FILE_BYTES + source->begin_bytes + offset, size};
		source->offsets[file] = offset + size - back_of(source, size);
		source->done += size;
		source->index++;
	}
	if (!count)
		rewind_source(source);
	return count;
}

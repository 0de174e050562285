/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/run/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/probe/probe.h"
#include "iowrite-bench/write/measure.h"
#include "iowrite-bench/write/memory.h"

#define STANDARD_SIZE (64 * UNITS_MIB)
#define STANDARD_ROUNDS 3
#define PART_ALIGN UNITS_MIB

/* --- combinations --- */

/* Writes "4k" for 4096, bytes where no unit fits. */
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

static void name_cell(struct run_cell *cell)
{
	const char *own_buffer = "";
	char low[24], high[24], buffer[24], every[24] = "";

	if (!strcmp(cell->method->name, "fwrite") && cell->buffer.buffering != METHOD_LIBC_DEFAULT) {
		name_size(cell->buffer.bytes, buffer, sizeof(buffer));
		own_buffer = cell->buffer.buffering == METHOD_UNBUFFERED ? "unbuffered" : buffer;
	}
	snprintf(cell->method_name, sizeof(cell->method_name), "%s%s%s", cell->method->name, *own_buffer ? "-" : "", own_buffer);
	name_size(cell->size.low, low, sizeof(low));
	name_size(cell->size.high, high, sizeof(high));
	if (cell->sync_every > 1)
		snprintf(every, sizeof(every), "-every-%u", cell->sync_every);
	snprintf(cell->id, sizeof(cell->id), "%s.%s.%s%s.%s.%s.%s%s%s", cell->method_name, op_mode_name(cell->mode),
		cell->sync->name, every, op_regime_name(cell->regime), run_order_name(cell->order), low,
		cell->size.low == cell->size.high ? "" : "-", cell->size.low == cell->size.high ? "" : high);
}

/* Only fwrite has a buffer to choose. */
static size_t buffers_of(const struct iow_run_options *options, const struct method *method)
{
	return strcmp(method->name, "fwrite") ? 1 : options->buffer_count;
}

/* Removes the last digit of *number, in base count, and returns it. */
static size_t take_digit(size_t *number, size_t count)
{
	size_t digit = *number % count;

	*number /= count;
	return digit;
}

/* Counts a preset's own modes and syncs, or all combinations of the lists. */
static size_t count_ways(const struct iow_run_options *options)
{
	const struct preset_way *ways = options->preset ? options->preset->ways : NULL;
	size_t count = 0;

	if (!ways)
		return options->mode_count * options->sync_count;
	for (; ways->name; ways++)
		count += ways->mode != NULL;
	return count;
}

/* Makes the number-th combination of a method and buffer: its digits are indexes of the lists, the last one of the sizes. */
static struct run_cell make_cell(const struct iow_run_options *options, const struct method *method, struct run_buffer buffer,
	size_t number)
{
	const struct preset_way *way = options->preset ? options->preset->ways : NULL;
	struct run_cell cell = {.method = method, .buffer = buffer, .align = 1};

	cell.size = options->sizes[take_digit(&number, options->size_count)];
	cell.order = options->orders[take_digit(&number, options->order_count)];
	cell.regime = options->regimes[take_digit(&number, options->regime_count)];
	cell.sync_every = options->sync_every[take_digit(&number, options->every_count)];
	if (way) {
		while (!way->mode || number--)
			way++;
		cell.way = way;
		cell.sync = method_sync_of(way->sync);
		cell.mode = (enum op_mode)opt_choice(op_mode_names, way->mode);
	} else {
		cell.sync = options->syncs[take_digit(&number, options->sync_count)];
		cell.mode = options->modes[number];
	}
	name_cell(&cell);
	return cell;
}

static int make_cells(struct iow_run_plan *plan)
{
	const struct iow_run_options *options = plan->options;
	size_t each = options->size_count * options->order_count * options->regime_count * options->every_count *
		      count_ways(options), count = 0;

	for (size_t i = 0; i < options->method_count; i++)
		count += buffers_of(options, options->methods[i]) * each;
	if (count > RUN_CELLS_MAX)
		return diag_usage("the lists have %zu combinations, and a run has at most %d: shorten one", count,
			RUN_CELLS_MAX);
	plan->cells = reallocarray(NULL, count ? count : 1, sizeof(*plan->cells));
	if (!plan->cells)
		return diag_host(ENOMEM, "cannot plan");
	for (size_t i = 0; i < options->method_count; i++) {
		for (size_t buffer = 0; buffer < buffers_of(options, options->methods[i]); buffer++) {
			for (size_t k = 0; k < each; k++)
				plan->cells[plan->cell_count++] =
					make_cell(options, options->methods[i], options->buffers[buffer], k);
		}
	}
	return DIAG_EXIT_OK;
}

/* --- possible combinations --- */

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

static void check_combination(const struct iow_run_plan *plan, struct run_cell *cell)
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

static void check_target(const struct iow_run_plan *plan, struct run_cell *cell, const struct target *target)
{
	const struct iow_run_options *options = plan->options;
	/* The pools hold at most half of the available memory (memory.h). */
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

/* Marks impossible combinations as skipped: without a target those that contradict themselves, else those that the target
 * excludes. When none is left, returns a diag_exit code after one line: DIAG_EXIT_HOST when another target would do. */
static int check_cells(struct iow_run_plan *plan, const struct target *target)
{
	const struct run_cell *first = NULL;
	size_t left = 0;
	bool is_host = true;

	for (size_t i = 0; i < plan->cell_count; i++) {
		struct run_cell *cell = &plan->cells[i];

		if (!cell->skipped[0] && target)
			check_target(plan, cell, target);
		else if (!cell->skipped[0])
			check_combination(plan, cell);
		left += !cell->skipped[0];
		first = !first && cell->skipped[0] ? cell : first;
		is_host &= cell->lacks_host || (is_direct(cell) && target && !target->has_direct);
	}
	if (left || !first)
		return DIAG_EXIT_OK;
	diag_error(0, "%s%s: %s", first->id, plan->cell_count > 1 ? " and all others are not possible" : "", first->skipped);
	return is_host ? DIAG_EXIT_HOST : DIAG_EXIT_USAGE;
}

/* --- the plan --- */

static void plan_sizes(struct iow_run_plan *plan)
{
	const struct iow_run_options *options = plan->options;
	uint64_t largest = 0;

	for (size_t i = 0; i < options->size_count; i++)
		largest = options->sizes[i].high > largest ? options->sizes[i].high : largest;
	/* The default without --size grows to the largest --bs. */
	plan->size_bytes = options->size_bytes ? options->size_bytes : largest > STANDARD_SIZE ? largest : STANDARD_SIZE;
	plan->runtime_ns = options->runtime_ns;
	if (!options->size_bytes && !options->runtime_ns)
		plan->runtime_ns = UNITS_NS_PER_SEC;
	plan->is_repeated = options->runtime_ns && (!options->size_bytes || options->is_size_of_preset);
	plan->rounds = options->rounds ? options->rounds : options->csv_path ? 1 : STANDARD_ROUNDS;
	/* Space for the longest possible part: a write drawn from a range may end behind the size. */
	plan->part_bytes = (plan->size_bytes + PART_ALIGN - 1) / PART_ALIGN * PART_ALIGN;
	plan->bytes = options->threads == 1 ? plan->size_bytes : plan->part_bytes * options->threads;
	/* Each of several files is rounded up to whole turns. */
	if (options->files > 1)
		plan->bytes += largest * options->files * options->threads;
}

static int check_sizes(const struct iow_run_plan *plan)
{
	const struct iow_run_options *options = plan->options;
	char size[24], whole[24];

	if (options->files > 1 && plan->size_bytes / options->files >= OP_FILE_BYTES / 2)
		return diag_usage("--files: each of several files has less than 8 TiB: give a smaller --size");
	for (size_t i = 0; i < options->size_count; i++) {
		if (options->sizes[i].high <= plan->size_bytes / options->files)
			continue;
		name_size(options->sizes[i].high, size, sizeof(size));
		name_size(plan->size_bytes, whole, sizeof(whole));
		if (options->files > 1)
			return diag_usage("--files: writes of %s to each of %u files are more than --size=%s, all that is written "
				"in a round", size, options->files, whole);
		return diag_usage("--bs: a write of %s is more than --size=%s, all that is written in a round", size, whole);
	}
	if (options->csv_path && (plan->cell_count > 1 || plan->rounds > 1 || options->threads > 1))
		return diag_usage("--ops-csv: needs one thread, combination and round; these are %u, %zu "
			"and %u", options->threads, plan->cell_count, plan->rounds);
	return DIAG_EXIT_OK;
}

/* Refuses an objective that applies to no write, because it would be met. */
static int check_slos(const struct iow_run_plan *plan)
{
	const struct iow_run_options *options = plan->options;

	for (size_t i = 0; i < plan->cell_count; i++) {
		if (plan->cells[i].sync->sync && !plan->cells[i].skipped[0])
			return DIAG_EXIT_OK;
	}
	for (size_t i = 0; i < options->slo_count; i++) {
		if (options->slos[i].of == TALLY_SYNC)
			return diag_usage("--slo %s: no write is followed by a sync: use --sync-each=fsync or fdatasync, or "
				"write+sync:", options->slos[i].text);
	}
	return DIAG_EXIT_OK;
}

int iow_run_plan_make(const struct iow_run_options *options, struct iow_run_plan *plan)
{
	int code;

	*plan = (struct iow_run_plan){.options = options};
	plan_sizes(plan);
	code = make_cells(plan);
	if (!code)
		code = check_sizes(plan);
	if (!code)
		code = check_cells(plan, NULL);
	if (!code)
		code = check_slos(plan);
	if (code)
		iow_run_plan_free(plan);
	return code;
}

int iow_run_plan_fit(struct iow_run_plan *plan, const struct target *target)
{
	const struct iow_run_options *options = plan->options;
	int code;

	plan->is_shared = target->kind != TARGET_NAMELESS && options->threads > 1;
	code = check_cells(plan, target);
	for (size_t i = 0; i < plan->cell_count && !code; i++) {
		struct run_cell *cell = &plan->cells[i];
		uint64_t count = plan->size_bytes / cell->size.low;

		if (cell->order == RUN_BACKWRITE)
			cell->back_bytes = (uint64_t)((double)cell->size.low * options->back) / cell->align * cell->align;
		/* The size is rounded up to whole turns through several files. */
		cell->file_bytes = options->files > 1 ? (count + options->files - 1) / options->files * cell->size.low
						      : plan->size_bytes;
		cell->ring = count < RUN_RING_MAX ? (size_t)count + 1 : RUN_RING_MAX;
		plan->measured_count += !cell->skipped[0];
	}
	return code;
}

void iow_run_plan_free(struct iow_run_plan *plan)
{
	free(plan->cells);
	plan->cells = NULL;
	plan->cell_count = 0;
}

/* --- text --- */

void iow_run_plan_print(const struct iow_run_plan *plan, const struct target *target)
{
	const struct iow_run_options *options = plan->options;
	char size[UNITS_TEXT], time[UNITS_TEXT], buffer[UNITS_TEXT];

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
	printf("needs       %s of space\n", units_format_size(plan->bytes, buffer, sizeof(buffer)));
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct run_cell *cell = &plan->cells[i];

		printf("  %s%s%s\n", cell->id, cell->skipped[0] ? "  not measured: " : "", cell->skipped);
	}
}

/* --- source --- */

#define SEED 20201

static void rewind_source(struct op_source *source)
{
	source->index = source->done = 0;
	memset(source->offsets, 0, sizeof(source->offsets));
	rng_seed(&source->rng, SEED, source->thread);
}

void source_init(struct op_source *source, const struct iow_run_plan *plan, const struct run_cell *cell, unsigned thread)
{
	*source = (struct op_source){
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

size_t source_refill(void *state, struct op *ops, size_t capacity)
{
	struct op_source *source = state;
	const struct run_cell *cell = source->cell;
	const bool is_range = cell->size.low != cell->size.high;
	size_t count = 0;

	while (count < capacity) {
		uint64_t size = cell->size.low, back = cell->back_bytes, file = source->index % source->files,
			offset = source->offsets[file];

		/* Each multiple of the alignment has the same probability. */
		if (is_range)
			size += cell->align * rng_below(&source->rng, (cell->size.high - cell->size.low) / cell->align + 1);
		if (source->done + size > source->size_bytes) {
			/* The list ends here, wherever the ring was. */
			source->done = source->size_bytes;
			break;
		}
		if (cell->order == RUN_RANDWRITE && is_range)
			offset = cell->align * rng_below(&source->rng, (source->size_bytes - size) / cell->align + 1);
		else if (cell->order == RUN_RANDWRITE)
			offset = pattern_permute(&source->permutation, source->index / source->files) * size;
		/* Each write goes back by the same share, rounded to whole blocks where the mode needs them. */
		if (size != cell->size.low)
			back = (uint64_t)((double)size * (double)back / (double)cell->size.low) / cell->align * cell->align;
		ops[count++] = (struct op){source->delay_ns, file * OP_FILE_BYTES + source->begin_bytes + offset, size};
		source->offsets[file] = offset + size - back;
		source->done += size;
		source->index++;
	}
	if (!count)
		rewind_source(source);
	return count;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/analyze/device_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/arena.h"
#include "ssd-workloads/sim/section.h"

const char *device_work_name(enum device_work work)
{
	static const char *const names[] = {[DEVICE_PROGRAM] = "program", [DEVICE_READ] = "read", [DEVICE_GC_READ] = "gc-read",
		[DEVICE_GC_PROGRAM] = "gc-program", [DEVICE_ERASE] = "erase"};

	return names[work];
}

/* --- maps from numbers, which may have any value in a file, to indices in a table --- */

struct map {
	size_t count, capacity;   /* capacity: a power of two */
	struct map_entry { uint64_t key; uint32_t value; } *entries; /* value: DEVICE_NONE = free */
};

static struct map_entry *map_at(const struct map *map, uint64_t key)
{
	size_t at = (size_t)(key * 0x9e3779b97f4a7c15ull >> 20) & (map->capacity - 1);

	while (map->entries[at].value != DEVICE_NONE && map->entries[at].key != key)
		at = (at + 1) & (map->capacity - 1);
	return &map->entries[at];
}

static uint32_t map_get(const struct map *map, uint64_t key)
{
	return map->capacity ? map_at(map, key)->value : DEVICE_NONE;
}

static int map_grow(struct map *map)
{
	struct map grown = {.count = map->count, .capacity = map->capacity ? 2 * map->capacity : 1024};

	grown.entries = reallocarray(NULL, grown.capacity, sizeof(*grown.entries));
	if (!grown.entries)
		return -ENOMEM;
	memset(grown.entries, 0xff, grown.capacity * sizeof(*grown.entries));
	for (size_t i = 0; i < map->capacity; i++) {
		if (map->entries[i].value != DEVICE_NONE)
			*map_at(&grown, map->entries[i].key) = map->entries[i];
	}
	free(map->entries);
	*map = grown;
	return 0;
}

static int map_set(struct map *map, uint64_t key, uint32_t value)
{
	int rc = 2 * map->count >= map->capacity ? map_grow(map) : 0;
	struct map_entry *entry;

	if (rc)
		return rc;
	entry = map_at(map, key);
	map->count += entry->value == DEVICE_NONE;
	*entry = (struct map_entry){key, value};
	return 0;
}

/* --- building --- */

struct builder {
	struct device_table *table;
	struct map commands, slices, gcs; /* by number, by number and index, by gc_id */
	struct map entries;               /* by lsa: the slice that wrote it last */
	struct map blocks;                /* by block in the device: number of the command whose operation was queued last */
	struct open { uint64_t begin_ns; uint32_t slice, gc; uint8_t work; bool is_open; } *open; /* by die */
};

static int find_command(struct builder *builder, uint32_t number, uint8_t stream, uint32_t *found)
{
	struct device_table *table = builder->table;
	int rc;

	*found = map_get(&builder->commands, number);
	if (*found != DEVICE_NONE)
		return 0;
	rc = arena_grow(&table->commands, &table->command_capacity, table->command_count, sizeof(*table->commands));
	if (rc)
		return rc;
	*found = (uint32_t)table->command_count++;
	table->commands[*found] = (struct device_command){.number = number, .stream = stream, .first = DEVICE_NONE,
		.critical = DEVICE_NONE};
	return map_set(&builder->commands, number, *found);
}

static int find_slice(struct builder *builder, const struct sim_io *io, uint32_t *found)
{
	struct device_table *table = builder->table;
	uint64_t key = (uint64_t)io->cmd << 16 | io->slice;
	struct device_command *command;
	uint32_t at, *link;
	int rc;

	*found = map_get(&builder->slices, key);
	if (*found != DEVICE_NONE)
		return 0;
	rc = find_command(builder, io->cmd, io->stream, &at);
	if (!rc)
		rc = arena_grow(&table->slices, &table->slice_capacity, table->slice_count, sizeof(*table->slices));
	if (rc)
		return rc;
	*found = (uint32_t)table->slice_count++;
	table->slices[*found] = (struct device_slice){.command = at, .next = DEVICE_NONE, .lsa = io->lsa, .index = io->slice,
		.before = DEVICE_NONE, .ahead = DEVICE_NONE, .read_ahead = DEVICE_NONE, .die = DEVICE_NONE,
		.read_die = DEVICE_NONE};
	command = &table->commands[at];
	/* Slices are linked in the order in which they were cut. */
	link = command->count ? &table->slices[*found - 1].next : &command->first;
	if (command->count && table->slices[*found - 1].command != at) {
		for (link = &command->first; *link != DEVICE_NONE; link = &table->slices[*link].next)
			;
	}
	*link = *found;
	command->count++;
	return map_set(&builder->slices, key, *found);
}

static int begin_op(struct builder *builder, uint32_t die, uint64_t t_ns, enum device_work work, uint32_t slice, uint32_t gc)
{
	struct open *open = &builder->open[die];

	if (open->is_open && !builder->table->is_sampled)
		return -EBADMSG;
	*open = (struct open){t_ns, slice, gc, (uint8_t)work, true};
	return 0;
}

static int add_op(struct builder *builder, uint32_t die, const struct open *open, uint64_t end_ns)
{
	struct device_table *table = builder->table;
	struct device_way *way = &table->ways[die];
	int rc = arena_grow(&way->ops, &way->capacity, way->count, sizeof(*way->ops));

	if (rc)
		return rc;
	way->ops[way->count++] = (struct device_op){.begin_ns = open->begin_ns, .end_ns = end_ns, .slice = open->slice,
		.gc = open->gc, .work = open->work};
	return 0;
}

/* Adds an operation. Without a recorded begin it is counted from the first kept unit, in sampled records from its end. */
static int end_op(struct builder *builder, uint32_t die, uint64_t t_ns, enum device_work work, uint32_t slice, uint32_t gc,
	uint64_t *took_ns)
{
	const struct device_table *table = builder->table;
	struct open *open = &builder->open[die],
		lost = {table->is_sampled ? t_ns : table->first_ns, slice, gc, (uint8_t)work, true};
	bool is_own = open->is_open && open->slice == slice && open->gc == gc && open->work == work;

	if (!is_own && !table->is_sampled && (open->is_open || table->ways[die].count))
		return -EBADMSG;
	if (is_own)
		lost = *open;
	open->is_open = false;
	*took_ns += t_ns - lost.begin_ns;
	return add_op(builder, die, &lost, t_ns);
}

/* --- records of commands --- */

static uint32_t die_of(const struct device_table *table, uint8_t ch, uint8_t way)
{
	return ch == SIM_NO_PLACE ? DEVICE_NONE : way * table->section->channels + ch;
}

/* Operations of a block are queued in its order: each follows the one before. */
static int take_turn(struct builder *builder, const struct sim_io *io, struct device_slice *slice)
{
	uint32_t block = io->aux / builder->table->section->pages, last = map_get(&builder->blocks, block);

	if (io->flags & SIM_READ) {
		slice->read_ahead = last;
		return 0;
	}
	slice->ahead = last;
	return map_set(&builder->blocks, block, io->cmd);
}

static int take_op(struct builder *builder, const struct sim_io *io, uint32_t at)
{
	struct device_slice *slice = &builder->table->slices[at];
	uint32_t die = die_of(builder->table, io->ch, io->way);
	bool is_read = io->flags & SIM_READ;
	enum device_work work = is_read ? DEVICE_READ : DEVICE_PROGRAM;
	uint64_t took_ns = 0;

	if (die == DEVICE_NONE)
		return -EBADMSG;
	if (is_read) {
		slice->read_ns[io->station - SIM_QUEUED] = io->t_ns;
		slice->read_die = die;
	} else {
		slice->at_ns[io->station] = io->t_ns;
	}
	if (io->station == SIM_QUEUED)
		return take_turn(builder, io, slice);
	if (io->station == SIM_TRANSFER)
		return begin_op(builder, die, io->t_ns, work, at, DEVICE_NONE);
	return end_op(builder, die, io->t_ns, work, at, DEVICE_NONE, &took_ns);
}

static int take_io(struct builder *builder, const struct sim_io *io)
{
	struct device_table *table = builder->table;
	struct device_slice *slice;
	uint32_t at;
	int rc;

	if (io->station == SIM_COMPLETED) {
		rc = find_command(builder, io->cmd, io->stream, &at);
		if (!rc) {
			table->commands[at].done_ns = io->t_ns;
			table->commands[at].is_whole = table->commands[at].count == io->aux;
		}
		return rc;
	}
	rc = find_slice(builder, io, &at);
	if (rc)
		return rc;
	slice = &table->slices[at];
	slice->flags |= io->flags;
	if (io->station >= SIM_QUEUED && io->station <= SIM_FLASH_DONE)
		return take_op(builder, io, at);
	slice->at_ns[io->station] = io->t_ns;
	slice->die = die_of(table, io->ch, io->way);
	if (io->station == SIM_FTL)
		slice->before = map_get(&builder->entries, io->aux != SIM_NONE ? io->aux : io->lsa);
	return io->station == SIM_FTL_DONE ? map_set(&builder->entries, slice->lsa, at) : 0;
}

/* --- records of garbage collection --- */

static int find_gc(struct builder *builder, const struct sim_gc *gc, uint32_t *found)
{
	struct device_table *table = builder->table;
	int rc;

	*found = map_get(&builder->gcs, gc->gc_id);
	if (*found != DEVICE_NONE)
		return 0;
	rc = arena_grow(&table->gcs, &table->gc_capacity, table->gc_count, sizeof(*table->gcs));
	if (rc)
		return rc;
	*found = (uint32_t)table->gc_count++;
	table->gcs[*found] = (struct device_gc){.id = gc->gc_id, .command = DEVICE_NONE, .number = gc->cmd,
		.die = die_of(table, gc->ch, gc->way)};
	return map_set(&builder->gcs, gc->gc_id, *found);
}

static int take_gc(struct builder *builder, const struct sim_gc *record)
{
	struct device_gc *gc;
	uint32_t at;
	int rc = find_gc(builder, record, &at);

	if (rc)
		return rc;
	gc = &builder->table->gcs[at];
	if (gc->die != die_of(builder->table, record->ch, record->way))
		return -EBADMSG;
	switch (record->task) {
	case SIM_GC_BEGIN:
		gc->begin_ns = record->t_ns;
		return 0;
	case SIM_WR_QUEUED:
	case SIM_ER_QUEUED:
		return map_set(&builder->blocks, gc->die * builder->table->section->blocks + record->block, record->cmd);
	case SIM_RD_START:
		return begin_op(builder, gc->die, record->t_ns, DEVICE_GC_READ, DEVICE_NONE, at);
	case SIM_WR_START:
		return begin_op(builder, gc->die, record->t_ns, DEVICE_GC_PROGRAM, DEVICE_NONE, at);
	case SIM_ER_START:
		return begin_op(builder, gc->die, record->t_ns, DEVICE_ERASE, DEVICE_NONE, at);
	case SIM_RD_END:
		return end_op(builder, gc->die, record->t_ns, DEVICE_GC_READ, DEVICE_NONE, at, &gc->read_ns);
	case SIM_WR_END:
		gc->copies++;
		return end_op(builder, gc->die, record->t_ns, DEVICE_GC_PROGRAM, DEVICE_NONE, at, &gc->program_ns);
	case SIM_ER_END:
		return end_op(builder, gc->die, record->t_ns, DEVICE_ERASE, DEVICE_NONE, at, &gc->erase_ns);
	case SIM_GC_END:
		gc->end_ns = record->t_ns;
		return 0;
	default:
		return 0;
	}
}

/* --- whether a command is complete --- */

/* Returns whether the times are in order. */
static bool follows(uint64_t t_ns, uint64_t *last_ns)
{
	bool is_later = t_ns >= *last_ns;

	*last_ns = t_ns;
	return is_later;
}

static bool is_slice_whole(const struct device_table *table, const struct device_slice *slice, uint64_t last_ns)
{
	static const uint8_t buffered[] = {SIM_QUEUED, SIM_TRANSFER, SIM_FLASH_DONE, SIM_DMA, SIM_DMA_DONE},
		direct[] = {SIM_DMA, SIM_DMA_DONE, SIM_QUEUED, SIM_TRANSFER, SIM_FLASH_DONE};
	const uint8_t *order = table->section->write_mode == SIM_BUFFERED ? buffered : direct;
	bool has_op = slice->die != DEVICE_NONE, is_whole;

	is_whole = (has_op || order == buffered) && follows(slice->at_ns[SIM_CUT], &last_ns) &&
		   follows(slice->at_ns[SIM_FTL], &last_ns) && follows(slice->at_ns[SIM_FTL_DONE], &last_ns);
	for (size_t i = 0; i < sizeof(buffered) && is_whole; i++) {
		bool is_of_op = order[i] >= SIM_QUEUED && order[i] <= SIM_FLASH_DONE;

		if (order[i] == SIM_DMA && slice->read_die != DEVICE_NONE)
			is_whole = follows(slice->read_ns[0], &last_ns) && follows(slice->read_ns[1], &last_ns) &&
				   follows(slice->read_ns[2], &last_ns);
		if (has_op || !is_of_op)
			is_whole = is_whole && follows(slice->at_ns[order[i]], &last_ns);
	}
	return is_whole;
}

static void finish_command(struct device_table *table, struct device_command *command)
{
	uint32_t page = table->section->page_bytes;
	uint64_t done_ns = 0, fetched_ns;

	command->is_whole = command->is_whole && command->record && command->count;
	if (!command->is_whole)
		return;
	fetched_ns = device_fetched_ns(table, command);
	for (uint32_t at = command->first; at != DEVICE_NONE && command->is_whole; at = table->slices[at].next) {
		struct device_slice *slice = &table->slices[at];
		uint64_t begin = command->record->offset, end = begin + command->record->length;
		uint64_t from = (uint64_t)slice->lsa * page, to = from + page;

		if (begin < to && end > from)
			slice->bytes = (uint32_t)((to < end ? to : end) - (from > begin ? from : begin));
		command->is_whole = is_slice_whole(table, slice, fetched_ns);
		if (device_slice_done_ns(table, slice) > done_ns) {
			done_ns = device_slice_done_ns(table, slice);
			command->critical = at;
		}
	}
	command->is_whole = command->is_whole && command->critical != DEVICE_NONE && command->done_ns >= done_ns;
}

/* --- time from which all operations have records --- */

struct table_change { uint64_t t_ns; int64_t by; uint32_t command; }; /* begin or end of a write with all records since its cut */

/* At equal times a completion precedes a submission. */
static int compare_changes(const void *a, const void *b)
{
	const struct table_change *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	if (x->by != y->by)
		return x->by < y->by ? -1 : 1;
	return (x->command > y->command) - (x->command < y->command);
}

/* Commands without records (begun before the recording, or overwritten) still occupy ways. They have ended when the host has no
 * more writes in flight than have records. */
static int find_known(struct device_table *table)
{
	struct table_change *changes = reallocarray(NULL, 2 * table->command_count + 1, sizeof(*changes));
	int64_t under_way[MIX_STREAMS] = {0};
	size_t count = 0;

	if (!changes)
		return -ENOMEM;
	for (uint32_t i = 0; i < table->command_count; i++) {
		const struct device_command *command = &table->commands[i];

		if (!command->record || command->first == DEVICE_NONE || !table->slices[command->first].at_ns[SIM_CUT])
			continue;
		changes[count++] = (struct table_change){command->record->enter_ns, 1, i};
		changes[count++] = (struct table_change){command->record->reap_ns, -1, i};
	}
	qsort(changes, count, sizeof(*changes), compare_changes);
	table->known_ns = UINT64_MAX;
	for (size_t i = 0; i < count && table->known_ns == UINT64_MAX; i++) {
		const struct record *record = table->commands[changes[i].command].record;

		under_way[record->stream] += changes[i].by;
		/* inflight_own counts all writes of a batch, so it matches at the last of them. */
		if (changes[i].by > 0 && under_way[record->stream] == record->inflight_own &&
			under_way[MIX_STREAMS - 1 - record->stream] == record->inflight_other)
			table->known_ns = changes[i].t_ns > table->first_ns ? changes[i].t_ns : table->first_ns;
	}
	free(changes);
	return 0;
}

static int finish(struct builder *builder)
{
	struct device_table *table = builder->table;
	const struct dump *dump = table->dump;
	int rc = 0;

	for (size_t i = 0; i < dump->head.segment_count; i++) {
		for (uint64_t k = 0; k < dump->segments[i].part.count; k++) {
			const struct record *record = &dump->segments[i].records[k];
			uint32_t at = map_get(&builder->commands, record->batch);

			if (at != DEVICE_NONE && table->commands[at].stream == record->stream && !record_is_sync(record))
				table->commands[at].record = record;
		}
	}
	for (uint32_t die = 0; die < table->dies && !rc; die++) {
		if (builder->open[die].is_open)
			rc = add_op(builder, die, &builder->open[die], table->last_ns);
	}
	for (size_t i = 0; i < table->gc_count; i++) {
		struct device_gc *gc = &table->gcs[i];

		gc->command = map_get(&builder->commands, gc->number);
		if (gc->command == DEVICE_NONE)
			continue;
		table->commands[gc->command].gcs++;
		table->commands[gc->command].copies += gc->copies;
	}
	for (size_t i = 0; i < table->slice_count; i++) {
		table->slices[i].ahead = map_get(&builder->commands, table->slices[i].ahead);
		table->slices[i].read_ahead = map_get(&builder->commands, table->slices[i].read_ahead);
	}
	for (size_t i = 0; i < table->command_count; i++)
		finish_command(table, &table->commands[i]);
	return rc ? rc : find_known(table);
}

static int build(struct builder *builder)
{
	struct device_table *table = builder->table;
	const union sim_unit *units = table->dump->units;
	bool has_first = false;
	int rc = 0;

	for (uint64_t at = 0; at < table->section->unit_count && !rc; at += sim_unit_span(&units[at])) {
		if (units[at].io.type == SIM_PAD)
			continue;
		if (!has_first)
			table->first_ns = units[at].io.t_ns;
		has_first = true;
		table->last_ns = units[at].io.t_ns;
		if (units[at].io.type == SIM_IO)
			rc = take_io(builder, &units[at].io);
		else if (units[at].io.type == SIM_GC)
			rc = take_gc(builder, &units[at].gc);
	}
	return rc ? rc : finish(builder);
}

int device_table_make(const struct dump *dump, struct device_table *made)
{
	const struct sim_section *section = dump->section;
	struct device_table table = {.dump = dump, .section = section, .dies = section->channels * section->ways,
		.is_sampled = section->sample != 1 || section->stations != UINT32_MAX};
	struct builder builder = {.table = &table};
	int rc = -ENOMEM;

	table.ways = calloc(table.dies, sizeof(*table.ways));
	builder.open = calloc(table.dies, sizeof(*builder.open));
	if (table.ways && builder.open)
		rc = build(&builder);
	free(builder.commands.entries);
	free(builder.slices.entries);
	free(builder.gcs.entries);
	free(builder.entries.entries);
	free(builder.open);
	free(builder.blocks.entries);
	if (rc)
		device_table_free(&table);
	else
		*made = table;
	return rc;
}

void device_table_free(struct device_table *table)
{
	for (uint32_t die = 0; die < table->dies && table->ways; die++)
		free(table->ways[die].ops);
	free(table->ways);
	free(table->commands);
	free(table->slices);
	free(table->gcs);
	memset(table, 0, sizeof(*table));
}

/* --- queries --- */

uint32_t device_table_find(const struct device_table *table, uint32_t number)
{
	for (uint32_t i = 0; i < table->command_count; i++) {
		if (table->commands[i].number == number)
			return i;
	}
	return DEVICE_NONE;
}

uint64_t device_issued_ns(const struct device_command *command)
{
	return command->record->enter_ns;
}

uint64_t device_fetched_ns(const struct device_table *table, const struct device_command *command)
{
	return command->record->enter_ns + table->section->fetch_ns;
}

uint64_t device_latency_ns(const struct device_command *command)
{
	return command->done_ns - command->record->enter_ns;
}

uint64_t device_slice_done_ns(const struct device_table *table, const struct device_slice *slice)
{
	return slice->at_ns[table->section->write_mode == SIM_BUFFERED ? SIM_DMA_DONE : SIM_FLASH_DONE];
}

uint32_t device_op_command(const struct device_table *table, const struct device_op *op)
{
	return op->gc != DEVICE_NONE ? table->gcs[op->gc].command : table->slices[op->slice].command;
}

size_t device_way_find(const struct device_way *way, uint64_t t_ns)
{
	size_t low = 0, high = way->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (way->ops[middle].end_ns <= t_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

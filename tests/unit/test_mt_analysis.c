/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selections and analyses of constructed recordings. */
#include "config.h"
#include "tests/unit/unit.h"

#include "memtrace/analyze/analysis.h"
#include "memtrace/analyze/map_parts.h"

#define BASE 0x10000000ull /* of the mapping "//anon" of 16 MiB; "[heap]" begins behind it */
#define HEAP (BASE + (16ull << 20))
#define SIZE 4096ull

static char paths[3][64];

static int set_up(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		int fd;

		snprintf(paths[i], sizeof(paths[i]), "/tmp/memtrace.XXXXXX");
		fd = mkstemp(paths[i]);
		if (fd < 0 || close(fd))
			return -1;
	}
	return 0;
}

/* --- recordings: begin, samples, end --- */

static struct trace_writer *writer;
static int writer_fd;

static void event(enum trace_event_type type, uint64_t time, uint32_t pid, uint32_t tid, uint64_t first, uint64_t second,
	const char *text)
{
	struct trace_event item = {.time_ns = time, .pid = pid, .tid = tid, .type = type, .value = {first, second}, .text = text};

	assert_int_equal(trace_write_event(writer, &item), 0);
}

/* Process 10 with threads 10 "main" and 11 "worker", and process 20 "other" with the same mappings. */
static void begin(const char *path, const char *header)
{
	writer_fd = open(path, O_WRONLY | O_TRUNC);
	assert_true(writer_fd >= 0);
	assert_int_equal(trace_writer_open(writer_fd, header, 1, &writer), 0);
	event(TRACE_COMM, 1000, 10, 10, 1, 0, "main");
	event(TRACE_FORK, 1000, 10, 11, 10, 10, "");
	event(TRACE_COMM, 1000, 10, 11, 0, 0, "worker");
	event(TRACE_COMM, 1000, 20, 20, 1, 0, "other");
	for (uint32_t pid = 10; pid <= 20; pid += 10) {
		event(TRACE_MAP, 1000, pid, pid, BASE, HEAP - BASE, "//anon");
		event(TRACE_MAP, 1000, pid, pid, HEAP, 1 << 20, "[heap]");
	}
}

static void sample(uint64_t time, uint32_t tid, uint64_t address, enum trace_kind kind)
{
	struct trace_sample item = {.time_ns = 1000 + time, .address = address, .tid = tid, .kind = kind, .node = UINT8_MAX};

	assert_int_equal(trace_write_sample(writer, &item), 0);
}

static void end(void)
{
	event(TRACE_END, 0, 10, 10, 0, 0, "");
	assert_int_equal(trace_writer_flush(writer), 0);
	trace_writer_close(writer);
	close(writer_fd);
}

#define EVERY "engine\tburst\nperiod\t1\ncommand\ttest\n"
#define SAMPLED "engine\tpebs\nperiod\t1000\ncommand\ttest\n"

/* --- analyses --- */

/* Of the next analysis, which resets them. */
static struct analysis_options options;
static struct selection selection;

static struct { /* the last analysis */
	struct analysis_run run;
	struct analysis_options options;
	struct selection selection;
	int err;
	const char *why;
} done;

static void finish(void)
{
	arena_free(&done.run.arena);
	source_free(done.run.source);
	source_free(done.run.after);
	source_free(done.run.equal);
	selection_free(&done.selection);
	memset(&done, 0, sizeof(done));
}

/* The values, until the next analysis. */
static const void *analyze_with(const char *name, size_t sources)
{
	finish();
	done.options = options;
	done.selection = selection;
	options = (struct analysis_options){0};
	selection = (struct selection){0};
	done.run.analysis = analysis_find(name);
	assert_non_null(done.run.analysis);
	done.run.options = &done.options;
	if (!done.options.rows)
		done.options.rows = 20;
	done.run.shift = (unsigned)__builtin_ctzll(
		done.options.bucket_bytes ? done.options.bucket_bytes : done.run.analysis->bucket_bytes);
	assert_int_equal(selection_check(&done.selection), 0);
	assert_int_equal(source_open(paths[0], &done.selection, &done.run.source), 0);
	if (sources > 1)
		assert_int_equal(source_open(paths[1], &done.selection, &done.run.after), 0);
	if (sources > 2)
		assert_int_equal(source_open(paths[2], &done.selection, &done.run.equal), 0);
	done.run.values = analysis_allocate(&done.run, 1, analysis_field(done.run.analysis)->record()->size);
	done.err = done.run.analysis->run(&done.run, &done.why);
	return done.run.values;
}

static const void *analyze(const char *name)
{
	return analyze_with(name, 1);
}

static int tear_down(void **state)
{
	(void)state;
	finish();
	for (int i = 0; i < 3; i++)
		unlink(paths[i]);
	return 0;
}

UNIT_GROUP(set_up, tear_down)

static void add_range(const char *text)
{
	const char *why;

	assert_true(!arena_grow(&selection.ranges, &selection.range_capacity, selection.range_count, sizeof(*selection.ranges)));
	assert_int_equal(selection_parse_range(text, &selection.ranges[selection.range_count++], &why), 0);
}

TEST("a range is a name, hexadecimal addresses and perhaps the size of an element")
{
	struct named_range range;
	const char *why, *const bad[] = {"", "a", "a=", "a=1", "a=1-", "=1-2", "a=2-2", "a=3-2", "a=1-2/", "a=1-2/0", "a=1-2x",
		"a=g-2", "a=1-11112222333344445", "[heap]=1-2", "/x=1-2", "unknown=1-2"};

	assert_int_equal(selection_parse_range("l_tax=0x7F00-0x8000/8", &range, &why), 0);
	assert_int_equal(range.length, 5);
	assert_true(range.begin == 0x7f00 && range.end == 0x8000 && range.element == 8);
	assert_int_equal(selection_parse_range("a=b=10-ffffffffffffffff", &range, &why), 0);
	assert_true(range.length == 3 && range.begin == 0x10 && range.end == UINT64_MAX && range.element == 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(selection_parse_range(bad[i], &range, &why), -EINVAL);
		assert_non_null(why);
	}
}

/* Ten samples each: main loads [heap] in phase "load" (until 100), worker stores in //anon behind it, other as main. */
static void write_mixed(void)
{
	begin(paths[0], SAMPLED);
	event(TRACE_MARK, 1005, 10, 10, 0, 0, "load");
	event(TRACE_MARK, 1100, 10, 10, 0, 0, "query 1");
	for (uint64_t i = 0; i < 10; i++) {
		sample(50 + i, 10, HEAP + i * SIZE, TRACE_LOAD);
		sample(150 + i, 11, BASE + i * SIZE, TRACE_STORE);
		sample(70 + i, 20, HEAP + i * SIZE, TRACE_LOAD);
	}
	sample(200, 10, 0x1000, TRACE_LOAD);
	end();
}

static uint64_t selected(struct selection wanted)
{
	selection = wanted;
	analyze("count");
	assert_int_equal(done.err, 0);
	assert_int_equal(done.run.source->samples, 31);
	return done.run.source->selected;
}

TEST("samples are selected by thread, process, time, phase, region, kind and privilege")
{
	write_mixed();
	assert_int_equal(selected((struct selection){0}), 31);
	assert_int_equal(selected((struct selection){.threads = {"11"}, .thread_count = 1}), 10);
	assert_int_equal(selected((struct selection){.threads = {"work*", "other"}, .thread_count = 2}), 20);
	assert_int_equal(selected((struct selection){.process = 10}), 21);
	assert_int_equal(selected((struct selection){.from_ns = 150}), 11);
	assert_int_equal(selected((struct selection){.to_ns = 70}), 10);
	assert_int_equal(selected((struct selection){.phase = "load"}), 20);
	assert_int_equal(selected((struct selection){.phase = "query*"}), 11);
	assert_int_equal(selected((struct selection){.regions = {"[heap]"}, .region_count = 1}), 20);
	assert_int_equal(selected((struct selection){.regions = {"unknown"}, .region_count = 1}), 1);
	assert_int_equal(selected((struct selection){.kinds = 1u << TRACE_STORE}), 10);
	assert_int_equal(selected((struct selection){.privilege = SELECTION_KERNEL}), 0);
	assert_int_equal(selected((struct selection){.privilege = SELECTION_USER}), 31);
}

TEST("the selected samples are counted by range and mapping, and those in neither are unknown")
{
	const struct source *source;

	write_mixed();
	add_range("column=10000000-10005000/8");
	analyze("count");
	source = done.run.source;
	assert_int_equal(source->in[REGION_RANGE], 5);
	assert_int_equal(source->in[REGION_MAPPING], 25);
	assert_string_equal(source->names[SOURCE_UNKNOWN].text, "unknown");
	assert_int_equal(source->names[SOURCE_UNKNOWN].samples, 1);
	assert_string_equal(source->names[1].text, "column");
	assert_int_equal(source->names[1].samples, 5);
}

TEST("processes have memory of their own, or with is_by_address the same")
{
	const struct mt_count_values *values;

	write_mixed();
	values = analyze("count");
	assert_int_equal(values->touched_buckets, 31);
	selection.is_by_address = true;
	values = analyze("count");
	assert_int_equal(values->touched_buckets, 21);
	assert_int_equal(((const struct mt_bucket_values *)values->hot_bucket.rows)[0].samples, 2);
}

TEST("an address belongs to the mapping that is there at its time")
{
	begin(paths[0], SAMPLED);
	for (uint64_t i = 0; i < 300; i++) {
		if (i == 100)
			event(TRACE_MAP, 1000 + 100, 10, 10, BASE + SIZE, SIZE, "new");
		sample(10 + i, 10, BASE + i % 3 * SIZE, TRACE_LOAD);
	}
	end();
	analyze("count");
	for (size_t i = 0; i < done.run.source->name_count; i++) {
		const struct source_name *name = &done.run.source->names[i];

		/* From time 100, the sample of number 90, on every third is in the new one. */
		assert_int_equal(name->samples, !strcmp(name->text, "new") ? 70 : !strcmp(name->text, "//anon") ? 230 : 0);
	}
}

TEST("count lists the buckets with the most samples, their elements and estimated accesses, and all in order")
{
	const struct mt_count_values *values;
	const struct mt_bucket_values *hot;
	const struct mt_bin_values *bins;
	uint64_t sum = 0;

	begin(paths[0], SAMPLED);
	for (uint64_t i = 0; i < 5000; i++)
		sample(i, 10, i % 5 ? BASE + 0x1000 + 8 * 997 : BASE + 0x1000 + 8 * (i % 1000), TRACE_LOAD);
	end();
	add_range("dictionary=10001000-10003000/8");
	options.bucket_bytes = 8;
	values = analyze("count");
	hot = values->hot_bucket.rows;
	assert_int_equal(values->touched_buckets, 201);
	assert_int_equal(values->hot_bucket.count, 20);
	assert_string_equal(hot[0].address, "0x10002f28");
	assert_string_equal(hot[0].region, "dictionary");
	assert_true(hot[0].element == 997);
	assert_int_equal(hot[0].samples, 4000);
	assert_true(hot[0].percent == 80);
	assert_true(hot[0].estimated_accesses == 4e6);
	assert_true(hot[0].estimated_accesses_low < 3.9e6 && hot[0].estimated_accesses_low > 3.8e6);
	/* Of equal ones the lowest first. */
	assert_true(hot[1].element == 0 && hot[1].samples == 5);
	bins = values->address_bin.rows;
	assert_int_equal(values->address_bin.count, 201);
	for (size_t i = 0; i < values->address_bin.count; i++) {
		sum += bins[i].samples;
		assert_true(bins[i].position == 8. * (double)i);
	}
	assert_int_equal(sum, 5000);
}

TEST("pattern of a scan is a diagonal, over time and over samples, and has every sample")
{
	for (unsigned x = 0; x < 2; x++) {
		const struct mt_pattern_values *values;
		const struct mt_cell_values *cells;
		const struct mt_band_values *bands;
		uint64_t sum = 0, of_bands = 0;

		begin(paths[0], SAMPLED);
		for (uint64_t i = 0; i < 24000; i++)
			sample(i * 10, 10, BASE + i * 256, TRACE_LOAD);
		end();
		options.x = x;
		values = analyze("pattern");
		cells = values->map_cell.rows;
		bands = values->map_band.rows;
		assert_int_equal(values->map_band.count, ANALYSIS_BANDS_MAX);
		assert_true(values->map_column.count > 230);
		for (size_t i = 0; i < values->map_cell.count; i++) {
			double part = (double)cells[i].column_index / (double)values->map_column.count;

			sum += cells[i].samples;
			assert_true(fabs((double)cells[i].band_index / ANALYSIS_BANDS_MAX - part) < 0.03);
		}
		for (size_t i = 0; i < values->map_band.count; i++)
			of_bands += bands[i].samples;
		assert_int_equal(sum, 24000);
		assert_int_equal(of_bands, 24000);
		assert_int_equal(done.run.interval_count, x ? 0 : values->map_column.count);
	}
}

/* Samples of the part's row: the sum is added to sums, by column and band of the map. Returns the number of cells. */
static size_t take_cells(const struct mt_part_values *part, const struct mt_part_band_values *row, size_t band, uint64_t *sums)
{
	size_t count = 0;
	char *end;

	for (const char *at = row->cells; *at; at = *end ? end + 1 : end, count++) {
		uint64_t column = part->first_column + count / part->cells_each;

		sums[column * ANALYSIS_BANDS_MAX + band] += strtoull(at, &end, 10);
		assert_true(end > at && (*end == ' ' || !*end));
	}
	return count;
}

TEST("a band of a pattern has the name of most of its samples, and what memtrace maps is left out")
{
	const struct mt_pattern_values *values;
	const struct mt_band_values *bands;
	const struct mt_part_values *parts;

	begin(paths[0], SAMPLED);
	for (uint64_t page = 0; page < 2048; page += 4)
		event(TRACE_MAP, 1000, 10, 10, BASE + page * 4096, 4096, "[vvar]");
	event(TRACE_MAP, 1000, 10, 10, BASE - 8192, 4096, "/memfd:memtrace-allocs (deleted)");
	event(TRACE_MAP, 1000, 10, 10, BASE - 4096, 4096, "/usr/lib/memstor/libmemtrace-allocs.so");
	for (uint64_t i = 0; i < 2048; i++) {
		for (uint64_t j = 0; j < (i % 4 ? 10 : 1); j++)
			sample(2000 + i * 10 + j, 10, BASE + i * 4096, TRACE_LOAD);
		sample(2000 + i * 10, 10, BASE - (i % 2 ? 8192 : 4096), TRACE_STORE);
	}
	end();
	values = analyze("pattern");
	bands = values->map_band.rows;
	assert_true(values->map_band.count > 1);
	for (size_t i = 0; i < values->map_band.count; i++)
		assert_string_not_equal(bands[i].region, "[vvar]");
	parts = values->map_part.rows;
	for (size_t i = 0; i < values->map_part.count; i++) {
		const struct mt_part_band_values *rows = parts[i].part_band.rows;

		for (size_t j = 0; j < parts[i].part_band.count; j++)
			assert_true(strcmp(rows[j].region, "[vvar]") || rows[j].samples == 1);
	}
	assert_int_equal(done.run.source->selected, 512 * 31);
	assert_int_equal(done.run.source->losses[TRACE_OWN], 2048);
}

TEST("parts of a pattern have finer cells where most samples are, and add up to the cells that they cover")
{
	const struct mt_pattern_values *values;
	const struct mt_cell_values *cells;
	const struct mt_band_values *bands;
	const struct mt_part_values *parts;
	uint64_t *sums = calloc((size_t)ANALYSIS_COLUMNS_MAX * ANALYSIS_BANDS_MAX, sizeof(*sums));
	uint64_t hot = 0, covered = 0, in_parts = 0;

	begin(paths[0], SAMPLED);
	for (uint64_t i = 0; i < 200000; i++) {
		/* One page of 4096 has half of the samples, in the second half of the time only. */
		uint64_t page = i > 100000 ? 1000 : i * 7919 % 4096;

		sample(i * 10, 10, BASE + page * SIZE, TRACE_LOAD);
	}
	end();
	values = analyze("pattern");
	cells = values->map_cell.rows;
	bands = values->map_band.rows;
	parts = values->map_part.rows;
	assert_true(values->map_part.count > 8 && values->map_part.count <= MAP_PARTS);
	for (size_t i = 0; i < values->map_part.count; i++) {
		const struct mt_part_band_values *rows = parts[i].part_band.rows;
		size_t band = (size_t)parts[i].first_band;
		uint64_t bytes = 0, samples = 0;

		assert_string_equal(parts[i].address, bands[band].address);
		assert_true(parts[i].part_band.count > parts[i].bands || parts[i].cells_each > 1);
		for (size_t row = 0; row < parts[i].part_band.count; row++) {
			if (bytes == bands[band].size_bytes) {
				bytes = 0;
				band++;
				/* A band begins where a row does. */
				assert_string_equal(rows[row].address, bands[band].address);
			}
			bytes += rows[row].size_bytes;
			samples += rows[row].samples;
			assert_int_equal(take_cells(&parts[i], &rows[row], band, sums), parts[i].columns * parts[i].cells_each);
			if (rows[row].samples > 1000)
				hot += rows[row].size_bytes == SIZE && parts[i].cells_each == 16;
		}
		assert_true(bytes == bands[band].size_bytes && band + 1 == parts[i].first_band + parts[i].bands);
		assert_int_equal(samples, parts[i].samples);
		in_parts += samples;
	}
	/* The hot page is a row of its own, of the finest cells, in each of the parts that it is in. */
	assert_int_equal(hot, 8);
	for (size_t i = 0; i < values->map_cell.count; i++) {
		uint64_t sum = sums[cells[i].column_index * ANALYSIS_BANDS_MAX + cells[i].band_index];

		assert_true(sum == 0 || sum == cells[i].samples);
		covered += sum;
	}
	/* Nothing is where the map has no samples, and parts do not overlap. */
	assert_int_equal(covered, in_parts);
	assert_true(covered > 100000);
	free(sums);
}

TEST("parts of a pattern are bounded, whatever the recording")
{
	const struct mt_pattern_values *values;
	const struct mt_part_values *parts;
	size_t bytes = 0;

	begin(paths[0], SAMPLED);
	/* A 16th of the pages has most samples: enough for more cells than fit. */
	for (uint64_t i = 0; i < 3000000; i++)
		sample(i * 10, 10, BASE + i * 7919 % (i % 16 ? 1024 : 16384) * SIZE, TRACE_LOAD);
	end();
	values = analyze("pattern");
	parts = values->map_part.rows;
	for (size_t i = 0; i < values->map_part.count; i++) {
		const struct mt_part_band_values *rows = parts[i].part_band.rows;

		for (size_t row = 0; row < parts[i].part_band.count; row++)
			bytes += strlen(rows[row].cells) + strlen(rows[row].region) + 100;
	}
	assert_true(bytes > MAP_PARTS_BYTES / 2 && bytes < MAP_PARTS_BYTES);
}

TEST("a pattern over samples has no parts")
{
	const struct mt_pattern_values *values;

	begin(paths[0], SAMPLED);
	for (uint64_t i = 0; i < 100000; i++)
		sample(i * 10, 10, BASE + i * 7919 % 4096 * SIZE, TRACE_LOAD);
	end();
	options.x = 1;
	values = analyze("pattern");
	assert_int_equal(values->map_part.count, 0);
}

TEST("with y address a gap is cut to a part of what was touched, and marked")
{
	const struct mt_pattern_values *values;
	const struct mt_band_values *bands;
	size_t gaps = 0;

	begin(paths[0], SAMPLED);
	for (uint64_t i = 0; i < 1000; i++)
		sample(i, 10, BASE + i * SIZE + (i < 500 ? 0 : 2000 * SIZE), TRACE_LOAD);
	end();
	options.y = 1;
	values = analyze("pattern");
	bands = values->map_band.rows;
	for (size_t i = 0; i < values->map_band.count; i++)
		gaps += bands[i].is_behind_gap;
	assert_int_equal(gaps, 1);
	assert_true(values->map_band.count > 100);
}

TEST("hotset says how much memory has at least as many samples, and estimates what no sample met")
{
	const struct mt_hotset_values *values;
	const struct mt_step_values *steps;

	begin(paths[0], SAMPLED);
	for (uint64_t i = 0; i < 100; i++) {
		for (uint64_t k = 0; k < (i < 10 ? 50 : i < 40 ? 2 : 1); k++)
			sample(i, 10, BASE + i * SIZE, TRACE_LOAD);
	}
	end();
	values = analyze("hotset");
	steps = values->size_step.rows;
	assert_int_equal(values->size_step.count, 3);
	assert_true(steps[0].samples == 50 && steps[0].size_bytes == 10 * SIZE);
	assert_true(steps[1].samples == 2 && steps[1].size_bytes == 40 * SIZE);
	assert_true(steps[2].samples == 1 && steps[2].size_bytes == 100 * SIZE && steps[2].percent == 100);
	assert_int_equal(values->touched_bytes, 100 * SIZE);
	/* 620 samples, f1 60, f2 30. */
	assert_true(fabs(values->working_set_bytes / SIZE - (100 + 619. / 620 * 60 * 59 / 62)) < 1e-6);
	assert_true(fabs(values->coverage_percent - (1 - 60. / 620) * 100) < 1e-9);
}

TEST("missratio uses reuses where every access was recorded, independent references elsewhere, and says so")
{
	const struct mt_missratio_values *values;
	const struct mt_point_values *points;
	double mapped_bytes;
	uint64_t last_bytes;

	begin(paths[0], EVERY);
	for (uint64_t i = 0; i < 5000; i++)
		sample(i, 10, BASE + i % 50 * SIZE, TRACE_LOAD);
	end();
	values = analyze("missratio");
	assert_non_null(strstr(values->estimator, "StatStack"));
	assert_int_equal(values->pairs, 4950);
	assert_true(values->working_set_bytes == 50 * (double)SIZE);
	begin(paths[0], SAMPLED);
	for (uint64_t i = 0; i < 5000; i++)
		sample(i, 10, BASE + i * i % 50 * SIZE, TRACE_LOAD);
	end();
	values = analyze("missratio");
	assert_non_null(strstr(values->estimator, "Che"));
	assert_int_equal(values->pairs, 0);
	assert_true(values->curve_point.count > 5);
	/* What is mapped may be accessed later, also beyond the number of accesses that the recording had. */
	points = values->curve_point.rows;
	last_bytes = points[values->curve_point.count - 1].buffer_bytes;
	mapped_bytes = ((const struct mt_hotset_values *)analyze("hotset"))->mapped_bytes;
	assert_true((double)last_bytes == mapped_bytes);
	options.estimator = ANALYSIS_STATSTACK;
	analyze("missratio");
	assert_int_equal(done.err, -ENODATA);
}

TEST("skew finds adjacent buckets that have many times the samples of the others")
{
	const struct mt_skew_values *values;
	const struct mt_populous_values *populous;

	begin(paths[0], SAMPLED);
	for (uint64_t i = 0; i < 1000; i++) {
		for (uint64_t k = 0; k < (i == 500 || i == 501 ? 40 : i == 900 ? 100 : 2); k++)
			sample(i, 10, BASE + i * SIZE, TRACE_LOAD);
	}
	end();
	values = analyze("skew");
	populous = values->populous.rows;
	assert_int_equal(values->populous.count, 2);
	assert_true(populous[0].size_bytes == SIZE && populous[0].samples == 100 && populous[0].times_median == 50);
	assert_true(populous[1].size_bytes == 2 * SIZE && populous[1].samples == 80 && populous[1].times_median == 20);
	assert_string_equal(populous[1].address, "0x101f4000");
	assert_true(values->gini > 0 && values->gini < 0.2);
}

static void write_volumes(const char *path, uint64_t first, uint64_t second)
{
	begin(path, SAMPLED);
	for (uint64_t i = 0; i < first; i++)
		sample(i, 10, BASE + i % 64 * SIZE, TRACE_LOAD);
	for (uint64_t i = 0; i < second; i++)
		sample(i, 10, HEAP + i % 64 * SIZE, TRACE_LOAD);
	end();
}

/* Of page k of 200, from 1: 50 times out, which it comes back from after about k times `step_ns`. Others are out once and stay. */
static void record_returns(const char *header, uint64_t step_ns, uint64_t others)
{
	begin(paths[0], header);
	for (uint64_t i = 0; i < 50; i++) {
		for (uint64_t page = 1; page <= 200; page++) {
			uint64_t time = i * 200000000 + page * 1000, order = step_ns ? page * step_ns : 100000;

			sample(time, 10, BASE + page * SIZE, TRACE_OUT);
			sample(time + order * ((7 * i + 13 * page) % 50 + 1) / 25, 10, BASE + page * SIZE + 8, TRACE_MAJOR_FAULT);
		}
	}
	for (uint64_t page = 201; page <= 200 + others; page++)
		sample(10000000000 + page * 1000, 10, BASE + page * SIZE, TRACE_OUT);
	sample(20000000000, 10, BASE, TRACE_OUT);
}

#define REFAULT "engine\trefault\ncommand\ttest\npaged_out_per_second\t2000\n"
#define POPULARITY "engine\tpopularity\ncommand\ttest\npaged_out_per_second\t2000\nbursts_per_second\t20\n"

TEST("of pages that were paged out count has the order of their returns, and no shares of accesses")
{
	const struct mt_count_values *counts;
	const struct mt_bucket_values *hot;

	record_returns(REFAULT, 400000, 0);
	end();
	counts = analyze("count");
	assert_int_equal(done.err, 0);
	/* Each page was drawn as often. */
	hot = counts->hot_bucket.rows;
	assert_int_equal(counts->hot_bucket.count, 20);
	assert_string_equal(hot[0].address, "0x10001000");
	assert_string_equal(hot[9].address, "0x1000a000");
	assert_true(hot[0].samples == 50 && hot[9].samples == 50);
	assert_true(hot[9].return_seconds > 8 * hot[0].return_seconds && hot[9].return_seconds < 12 * hot[0].return_seconds);
	assert_true(isnan(hot[0].percent) && isnan(hot[0].estimated_accesses));
	assert_int_equal(counts->address_bin.count, 0);
	/* Faults alone. */
	assert_int_equal(done.run.source->selected, 50 * 200);
}

TEST("count refuses pages whose returns show no order, and more than its rows that came back at once")
{
	record_returns(REFAULT, 0, 0);
	end();
	analyze("count");
	assert_int_equal(done.err, -ENODATA);
	assert_non_null(strstr(done.why, "no order"));
	record_returns(REFAULT, 3000, 0);
	end();
	analyze("count");
	assert_int_equal(done.err, -ENODATA);
	assert_non_null(strstr(done.why, "pages that came back within 0.1 ms"));
	options.rows = 40;
	analyze("count");
	assert_int_equal(done.err, 0);
	options.bucket_bytes = 8192;
	analyze("count");
	assert_int_equal(done.err, -ENODATA);
	assert_non_null(strstr(done.why, "--bucket 4k"));
}

TEST("of pages that were paged out hotset has the working set without those that never came back, and nothing of their accesses")
{
	const struct mt_hotset_values *hotset;

	record_returns(REFAULT, 400000, 100);
	end();
	hotset = analyze("hotset");
	assert_int_equal(done.err, 0);
	assert_true(hotset->working_set_bytes == 200. * SIZE);
	assert_int_equal(hotset->touched_bytes, 200 * SIZE);
	assert_int_equal(hotset->size_step.count, 0);
	assert_true(isnan(hotset->coverage_percent));
}

TEST("analyses of accesses refuse pages that were paged out, but take the bursts recorded with them")
{
	static const char *const names[] = {"pattern", "missratio", "skew", "partition", "reuse", "stride", "sharing"};
	const struct mt_hotset_values *hotset;
	const struct mt_count_values *counts;
	const struct mt_bucket_values *hot;

	record_returns(REFAULT, 400000, 0);
	end();
	analyze("count");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_non_null(analysis_why_not(analysis_find(names[i]), done.run.source));
	assert_null(analysis_why_not(analysis_find("count"), done.run.source));
	assert_null(analysis_why_not(analysis_find("hotset"), done.run.source));
	record_returns(POPULARITY, 400000, 0);
	for (uint64_t i = 0; i < 300; i++)
		sample(20000000000 + i, 10, BASE + (300 + i % 3) * SIZE, TRACE_LOAD);
	end();
	counts = analyze("count");
	assert_int_equal(done.err, 0);
	hot = counts->hot_bucket.rows;
	assert_int_equal(counts->hot_bucket.count, 3);
	assert_true(hot[0].samples == 100 && fabs(hot[0].percent - 100 / 3.) < 0.1);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_null(analysis_why_not(analysis_find(names[i]), done.run.source));
	hotset = analyze("hotset");
	assert_int_equal(done.err, 0);
	assert_int_equal(hotset->touched_bytes, 203 * SIZE);
	assert_int_equal(((const struct mt_step_values *)hotset->size_step.rows)[hotset->size_step.count - 1].buckets, 3);
}

TEST("partition finds less volume where there is less, and none inside the noise of samples or of equal runs")
{
	const struct mt_partition_values *values;
	const struct mt_change_values *changes;

	write_volumes(paths[0], 10000, 1000);
	write_volumes(paths[1], 2800, 1020);
	write_volumes(paths[2], 40000, 1000);
	values = analyze_with("partition", 2);
	changes = values->change.rows;
	assert_int_equal(values->change.count, 2);
	assert_string_equal(changes[0].id, "//anon");
	assert_string_equal(changes[0].decision, "less");
	assert_true(fabs(changes[0].change_percent + 72) < 1e-9);
	assert_true(changes[0].low_percent < -72 && changes[0].high_percent > -72 && changes[0].high_percent < -70);
	assert_int_equal(changes[0].before_bytes, 10000 * 1000 * SIZE);
	assert_string_equal(changes[1].id, "[heap]");
	assert_string_equal(changes[1].decision, "none");
	/* When two equal runs differ by a factor of four, a change by less than that is none. */
	values = analyze_with("partition", 3);
	changes = values->change.rows;
	assert_string_equal(changes[0].decision, "none");
}

TEST("reuse counts the samples between two of one bucket")
{
	const struct mt_reuse_values *values;
	const struct mt_distance_values *bins;

	begin(paths[0], EVERY);
	for (uint64_t i = 0; i < 1000; i++)
		sample(i, 10, BASE + i % 10 * SIZE, TRACE_LOAD);
	end();
	values = analyze("reuse");
	bins = values->reuse_bin.rows;
	assert_int_equal(values->pairs, 990);
	assert_int_equal(values->first_touches, 10);
	assert_int_equal(values->reuse_bin.count, 1);
	assert_true(bins[0].from == 8 && bins[0].to == 16 && bins[0].count == 990);
	assert_true(bins[0].between_bytes >= 10 * SIZE - 100 && bins[0].between_bytes <= 10 * SIZE);
}

TEST("strides are those between successive samples of one thread")
{
	const struct mt_strides_values *values;
	const struct mt_stride_values *strides;

	begin(paths[0], EVERY);
	for (uint64_t i = 0; i < 1000; i++) {
		sample(2 * i, 10, BASE + i * 64, TRACE_LOAD);
		sample(2 * i + 1, 11, HEAP + (i % 2 ? 0 : 100000), TRACE_LOAD);
	}
	end();
	values = analyze("stride");
	strides = values->stride.rows;
	assert_int_equal(values->pairs, 1998);
	assert_int_equal(values->stride.count, 3);
	assert_true(strides[0].stride_bytes == 64 && strides[0].count == 999);
	assert_true(strides[1].stride_bytes == -100000 && strides[1].count == 500);
	assert_true(strides[2].stride_bytes == 100000 && strides[2].count == 499);
	assert_true(values->forward_percent == 50 && values->far_percent == 50 && values->backward_percent == 0);
}

TEST("strides of bursts are those within a burst, and samples that are not successive have none")
{
	static const char bursts[] = "engine\tburst\nbursts_per_second\t20\nburst_instructions\t256\n";
	static const char clock[] = "engine\tcpu-clock\nperiod\t1000000\nperiod_unit\tns of CPU time\n";
	static const char popularity[] = "engine\tpopularity\npaged_out_per_second\t2000\nbursts_per_second\t20\n";
	static const char pebs[] = "engine\tpebs\nperiod\t4000\nperiod_unit\tloads or stores\n";
	static const char *const headers[] = {bursts, clock, popularity, pebs};
	const struct mt_strides_values *values;

	for (unsigned i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		begin(paths[0], headers[i]);
		for (uint64_t j = 0; j < 1000; j++)
			sample(j / 100 * 50000000 + j * 20000, 10, BASE + j / 100 * (1 << 20) + j % 100 * 64, TRACE_LOAD);
		end();
		values = analyze("stride");
		assert_int_equal(done.err, i ? -ENODATA : 0);
		if (i)
			continue;
		assert_int_equal(values->pairs, 990);
		assert_int_equal(values->stride.count, 1);
		assert_true(values->forward_percent == 100 && values->far_percent == 0);
	}
}

TEST("sharing finds lines that two threads touch and one stores to, and whether in different words")
{
	const struct mt_sharing_values *values;
	const struct mt_line_values *lines;

	begin(paths[0], EVERY);
	for (uint64_t i = 0; i < 30; i++) {
		sample(i, 10, BASE + 8, TRACE_STORE);
		sample(i, 11, BASE + 40, TRACE_LOAD);
		if (i < 10) {
			sample(i, 10, BASE + 128, TRACE_LOAD);
			sample(i, 11, BASE + 128, TRACE_STORE);
		}
		sample(i, 10, BASE + 256, TRACE_LOAD);
		sample(i, 11, BASE + 264, TRACE_LOAD);
		sample(i, 10, BASE + 512, TRACE_STORE);
		sample(i, 20, BASE + 520, TRACE_STORE); /* another process */
	}
	end();
	values = analyze("sharing");
	lines = values->shared_line.rows;
	assert_int_equal(values->candidates, 2);
	assert_int_equal(values->shared_line.count, 2);
	assert_string_equal(lines[0].address, "0x10000000");
	assert_string_equal(lines[0].sharing, "false");
	assert_true(lines[0].samples == 60 && lines[0].stores == 30);
	assert_true(lines[0].first_thread == 10 && lines[0].second_thread == 11 && !lines[0].has_more_threads);
	assert_string_equal(lines[1].sharing, "true");
}

TEST("sharing lists the lines with the most samples, of equal ones the lowest, and counts those that are not listed")
{
	const struct mt_sharing_values *values;
	const struct mt_line_values *lines;

	begin(paths[0], EVERY);
	event(TRACE_FORK, 1000, 10, 12, 10, 10, "");
	for (uint64_t line = 5; line-- > 0;) {
		for (uint64_t i = 0; i < (line == 3 ? 9 : 4); i++)
			sample(i, 10, BASE + line * 64, TRACE_LOAD);
		sample(10, 11, BASE + line * 64 + 8, TRACE_LOAD);
		sample(11, 12, BASE + line * 64, TRACE_STORE);
	}
	end();
	options.rows = 2;
	values = analyze("sharing");
	lines = values->shared_line.rows;
	assert_true(values->candidates == 5 && values->shared_line.count == 2);
	assert_string_equal(lines[0].address, "0x100000c0");
	assert_string_equal(lines[1].address, "0x10000000");
	assert_true(lines[0].samples == 11 && lines[1].samples == 6 && lines[1].stores == 1);
	assert_true(lines[1].first_thread == 10 && lines[1].second_thread == 11 && lines[1].has_more_threads);
}

TEST("sharing needs stores")
{
	begin(paths[0], EVERY);
	sample(1, 10, BASE, TRACE_LOAD);
	end();
	analyze("sharing");
	assert_int_equal(done.err, -ENODATA);
}

TEST("of a recording that was cut off the rest is analyzed, and it is not complete")
{
	begin(paths[0], SAMPLED);
	for (uint64_t i = 0; i < 50000; i++)
		sample(i, 10, BASE + i * 64, TRACE_LOAD);
	end();
	assert_int_equal(truncate(paths[0], 150000), 0);
	analyze("count");
	assert_int_equal(done.err, 0);
	assert_false(done.run.source->is_complete);
	assert_true(done.run.source->samples > 10000 && done.run.source->samples < 50000);
	assert_true(done.run.source->unread_bytes > 0);
}

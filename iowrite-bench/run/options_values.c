/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of options and their values without an option; and those whose values are one thing. */
#include "config.h"
#include "iowrite-bench/run/option_rows.h"

#include <errno.h>
#include <string.h>

#include "common/cpus.h"
#include "common/units.h"
#include "iowrite-bench/memory.h"

#define INTERVAL_MIN_NS 10000000u
#define DELAY_MAX_NS (60 * UNITS_NS_PER_SEC)
#define WARMUP_MAX_NS (86400 * UNITS_NS_PER_SEC)
#define RUNTIME_MAX_NS (7 * 86400 * UNITS_NS_PER_SEC)

static int set_size(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	return units_parse_size(text, 1, &options->size_bytes) || !options->size_bytes ||
			       options->size_bytes > 1ull << 50
		       ? -EINVAL
		       : 0;
}

static int set_runtime(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	return units_parse_duration(text, &options->runtime_ns) || !options->runtime_ns ||
			       options->runtime_ns > RUNTIME_MAX_NS
		       ? -EINVAL
		       : 0;
}

static int set_warmup(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	return units_parse_duration(text, &options->warmup_ns) || options->warmup_ns > WARMUP_MAX_NS ? -EINVAL : 0;
}

static int set_percent(const char *text, unsigned *percent)
{
	uint64_t value;

	if (units_parse_u64(text, 0, 100, &value))
		return -EINVAL;
	*percent = (unsigned)value;
	return 0;
}

static int set_compress(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	return set_percent(text, &options->compress_percent);
}

static int set_dedupe(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	return set_percent(text, &options->dedupe_percent);
}

static int set_back(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	return units_parse_double(text, 0, 1, &options->back) || options->back >= 1 ? -EINVAL : 0;
}

static int set_count(const char *text, uint64_t max, unsigned *count)
{
	uint64_t value;

	if (units_parse_u64(text, 1, max, &value))
		return -EINVAL;
	*count = (unsigned)value;
	return 0;
}

static int set_threads(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	return set_count(text, RUN_THREADS_MAX, &options->threads);
}

static int set_files(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	return set_count(text, OP_FILES_MAX, &options->files);
}

static int set_rounds(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	return set_count(text, 1000, &options->rounds);
}

static int set_delay(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	return units_parse_duration(text, &options->delay_ns) || options->delay_ns > DELAY_MAX_NS ? -EINVAL : 0;
}

static int set_delay_kind(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->is_sleeping = !strcmp(text, "sleep");
	return options->is_sleeping || !strcmp(text, "busy") ? 0 : -EINVAL;
}

static int set_memory(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	return memory_of(text, &options->memory);
}

static int set_path(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->path = text;
	return *text ? 0 : -EINVAL;
}

static int set_destroy(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->destroy_data = text;
	return *text ? 0 : -EINVAL;
}

static int set_cpus(struct run_options *options, const char *text, const char **why)
{
	cpu_set_t set;
	int rc = cpus_parse(text, NULL, &set, why);

	if (rc)
		return rc;
	options->cpu_count = 0;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &set))
			options->cpus[options->cpu_count++] = cpu;
	}
	return 0;
}

static int set_interval(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	if (units_parse_duration(text, &options->interval_ns))
		return -EINVAL;
	return options->interval_ns && options->interval_ns < INTERVAL_MIN_NS ? -EINVAL : 0;
}

static int set_look(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	return units_parse_duration(text, &options->look_every_ns) ? -EINVAL : 0;
}

static int set_preset(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->preset = preset_of(text);
	return options->preset ? 0 : -EINVAL;
}

static int set_slo(struct run_options *options, const char *text, const char **why)
{
	if (options->slo_count == RUN_SLOS_MAX) {
		*why = "at most 16 objectives";
		return -EINVAL;
	}
	if (slo_parse(text, &options->slos[options->slo_count], why))
		return -EINVAL;
	options->slo_count++;
	return 0;
}

#define SET_FILE(name, field)                                                                                \
	static int name(struct run_options *options, const char *text, const char **why)                     \
	{                                                                                                    \
		(void)why;                                                                                   \
		options->field = text;                                                                       \
		return *text ? 0 : -EINVAL;                                                                  \
	}
SET_FILE(set_xml, xml_path)
SET_FILE(set_system, system_path)

/* Its end is a rename, which a pipe cannot have. */
static int set_csv(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->csv_path = text;
	return *text && strcmp(text, "-") ? 0 : -EINVAL;
}

static int set_json(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->json_path = text ? text : "-";
	return *options->json_path ? 0 : -EINVAL;
}

static const char a_file[] = "must be the name of a file";

const struct option_row option_rows[] = {
	{"preset", NULL, set_preset, "must be one of etcd-wal, pg-wal, pg_test_fsync, sqlite, kafka", false, false},
	{"method", "pwrite", option_set_methods,
		"must be a list of write, pwrite, writev, pwritev2, io_uring, fwrite, mmap", false, false},
	{"mode", "buffered", option_set_modes,
		"must be a list of buffered, sync, dsync, direct, direct-sync, direct-dsync", false, false},
	{"sync-each", "none", option_set_syncs,
		"must be a list of none, fsync, fdatasync, sync_file_range, rwf-dsync, syncfs, msync", false, false},
	{"sync-every", "1", option_set_every, "must be a list of numbers of writes from 1 to 1000000, as 1,8", false, false},
	{"regime", "append", option_set_regimes, "must be a list of append, prealloc, overwrite", false, false},
	{"rw", "write", option_set_orders, "must be a list of write, randwrite, backwrite", false, false},
	{"back", "0.5", set_back, "must be a share of a write from 0 to below 1, as 0.25", false, false},
	{"bs", "4k", option_set_sizes, "must be a list of sizes from 1 byte to 1 TiB, as 4k,64k", false, false},
	{"bsrange", NULL, option_set_ranges, "must be a list of ranges of sizes, each from a smaller to a larger one, as 512-64k",
		false, false},
	{"stdio-buffer", "glibc", option_set_buffers, "must be a list of glibc, unbuffered and sizes up to 1 GiB, as 64k",
		false, false},
	{"buffer-compress-percentage", "0", set_compress, "must be a whole percentage from 0 to 100", false, false},
	{"dedupe-percentage", "0", set_dedupe, "must be a whole percentage from 0 to 100", false, false},
	{"size", NULL, set_size, "must be a size from 1 byte to 1 PiB, as 64m", false, false},
	{"runtime", NULL, set_runtime, "must be a time above 0 and up to 7 days, as 5s", false, false},
	{"warmup", "0", set_warmup, "must be a time up to a day, as 2s", false, false},
	{"rounds", NULL, set_rounds, "must be 1 to 1000", false, false},
	{"numjobs", "1", set_threads, "must be 1 to 256", false, false},
	{"files", "1", set_files, "must be 1 to 256", false, false},
	{"thinktime", "0", set_delay, "must be a time up to 60 s, as 20ms", false, false},
	{"thinktime-type", "busy", set_delay_kind, "must be busy or sleep", false, false},
	{"mem", "as-is", set_memory, "must be warm, cold or as-is", false, false},
	{"cpus", NULL, set_cpus, "must be a list of CPUs as 0-3,8 or core:0-3 or numa:1", false, false},
	{"directory", NULL, set_path, "must be the name of a folder", false, false},
	{"filename", NULL, set_path, "must be the name of a file or block device", false, false},
	{"destroy-data", NULL, set_destroy, "must be the same words as --filename", false, true},
	{"interval", "1s", set_interval, "must be a time of 10ms or more, or 0 for no series", false, false},
	{"system", NULL, set_system, a_file, false, false},
	{"slo", NULL, set_slo, "must be an objective", true, false},
	{"label", NULL, option_set_label, LABEL_FORM, true, true},
	{"ops-csv", NULL, set_csv, a_file, false, true},
	{"look", "1ms", set_look, "must be a time, or 0 for before each write", false, false},
	{"file", NULL, set_xml, a_file, false, true},
	{"json", NULL, set_json, a_file, false, true},
	{0},
};

const struct option_row *option_row(const char *name)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (!strcmp(row->name, name))
			return row;
	}
	return NULL;
}

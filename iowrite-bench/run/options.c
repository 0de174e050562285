/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/cli/start_option.h"
#include "common/host/topology.h"
#include "common/run/limits.h"
#include "iowrite-bench/predict/scenario_options.h"
#include "iowrite-bench/run/plan.h"
#include "iowrite-bench/write/memory.h"

#define AT(member) offsetof(struct iow_run_options, member)
#define DAY_NS (86400 * UNITS_NS_PER_SEC)
#define WRITE_MAX_BYTES (1ull << 40) /* write(2) itself takes 2 GiB at a time */

static const char *const order_names[] = {
	[RUN_WRITE] = "write", [RUN_RANDWRITE] = "randwrite", [RUN_BACKWRITE] = "backwrite", NULL};

const char *run_order_name(enum run_order order)
{
	return order_names[order];
}

/* --- lists --- */

/* Refuses a value that the list already has: it would be measured twice. */
static int append(struct opt_value *in, void *list, size_t max, size_t size, size_t *count, const void *value)
{
	for (size_t i = 0; i < *count; i++) {
		if (!memcmp((char *)list + i * size, value, size)) {
			in->why = "has a value twice";
			return -EINVAL;
		}
	}
	if (*count == max) {
		snprintf(in->allowed, sizeof(in->allowed), "has more than %zu values", max);
		in->why = in->allowed;
		return -EINVAL;
	}
	memcpy((char *)list + (*count)++ * size, value, size);
	return 0;
}
#define APPEND(in, list, count, value) \
	append(in, list, sizeof(list) / sizeof((list)[0]), sizeof((list)[0]), &(count), &(value))

/* Parses "4k", or "512-64k" of --bsrange. */
static int parse_write_size(const char *word, bool is_range, struct run_size *size)
{
	const char *dash = is_range ? strchr(word, '-') : NULL;
	char low[64] = "";

	if (is_range && (!dash || (size_t)(dash - word) >= sizeof(low)))
		return -EINVAL;
	if (is_range)
		memcpy(low, word, (size_t)(dash - word));
	if (units_parse_size(is_range ? low : word, 1, &size->low) ||
		units_parse_size(is_range ? dash + 1 : word, 1, &size->high))
		return -EINVAL;
	if (!size->low || size->high > WRITE_MAX_BYTES || (is_range && size->low >= size->high))
		return -EINVAL;
	return 0;
}

static int add_word(struct opt_value *in, const char *word)
{
	struct iow_run_options *options = in->options;
	const struct method *method = method_of(word);
	const struct method_sync *sync = method_sync_of(word);
	struct run_buffer buffer;
	struct run_size size;
	uint64_t number;
	unsigned every;
	int index;

	switch (in->row->offset) {
	case AT(method_count):
		return method ? APPEND(in, options->methods, options->method_count, method) : -EINVAL;
	case AT(mode_count):
		index = opt_choice(op_mode_names, word);
		return index < 0 ? index : APPEND(in, options->modes, options->mode_count, index);
	case AT(sync_count):
		return sync ? APPEND(in, options->syncs, options->sync_count, sync) : -EINVAL;
	case AT(every_count):
		if (units_parse_u64(word, 1, 1000000, &number))
			return -EINVAL;
		every = (unsigned)number;
		return APPEND(in, options->sync_every, options->every_count, every);
	case AT(regime_count):
		index = opt_choice(op_regime_names, word);
		return index < 0 ? index : APPEND(in, options->regimes, options->regime_count, index);
	case AT(order_count):
		index = opt_choice(order_names, word);
		return index < 0 ? index : APPEND(in, options->orders, options->order_count, index);
	case AT(size_count):
		if (parse_write_size(word, !strcmp(in->row->name, "bsrange"), &size))
			return -EINVAL;
		return APPEND(in, options->sizes, options->size_count, size);
	case AT(buffer_count):
		/* append() compares the padding, too. */
		memset(&buffer, 0, sizeof(buffer));
		if (!strcmp(word, "glibc"))
			buffer.buffering = METHOD_LIBC_DEFAULT;
		else if (!strcmp(word, "unbuffered"))
			buffer.buffering = METHOD_UNBUFFERED;
		else if (units_parse_size(word, 1, &buffer.bytes) || !buffer.bytes || buffer.bytes > 1 << 30)
			return -EINVAL;
		else
			buffer.buffering = METHOD_FULL;
		return APPEND(in, options->buffers, options->buffer_count, buffer);
	default:
		return -EINVAL;
	}
}

/* The row's offset is that of the list's count. */
static int set_list(struct opt_value *in)
{
	*(size_t *)opt_field(in) = 0;
	return opt_each_word(in, add_word);
}

/* --- other values --- */

static int set_preset(struct opt_value *in)
{
	struct iow_run_options *options = in->options;

	options->preset = preset_of(in->text);
	return options->preset ? 0 : -EINVAL;
}

static int set_cpus(struct opt_value *in)
{
	struct iow_run_options *options = in->options;
	cpu_set_t set;
	int rc = cpus_parse(in->text, NULL, &set, &in->why);

	options->cpu_count = 0;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE && !rc; cpu++) {
		if (CPU_ISSET(cpu, &set))
			options->cpus[options->cpu_count++] = cpu;
	}
	return rc;
}

const char *const tally_names[] = {[TALLY_BOTH] = "write+sync", [TALLY_WRITE] = "write", [TALLY_SYNC] = "sync", NULL};

static int set_slo(struct opt_value *in)
{
	struct iow_run_options *options = in->options;

	if (options->slo_count == SLOS_MAX) {
		in->why = "at most 16 objectives";
		return -EINVAL;
	}
	if (slo_parse(in->text, tally_names, &options->slos[options->slo_count], &in->why))
		return -EINVAL;
	options->slo_count++;
	return 0;
}

/* --- the table --- */

static const char *const thinktime_types[] = {"busy", "sleep", NULL};

const struct opt iow_run_option_table[] = {
	{.type = OPT_TITLE, .help = "Writes (all combinations of the lists are measured)"},
	{"preset", 0, "PRESET", OPT_OWN, OPT_FIRST, .set = set_preset,
		.allowed = "must be etcd-wal, pg-wal, pg_test_fsync, sqlite or kafka",
		.help = "write as a known log: etcd-wal, pg-wal, pg_test_fsync, sqlite, kafka",
		.manual = "Writes as this program writes its log. Options on the command line replace\n"
			  "the preset's. With --runtime and without --size the preset's size is written\n"
			  "repeatedly until the time is over. Excludes --replay.\n\n"
			  "`etcd-wal`: records of 2300 bytes into a preallocated file of 22 MiB,\n"
			  "fdatasync after each. etcd asks for a 99th percentile of the sync below 10 ms,\n"
			  "which is the objective unless --slo gives another.\n\n"
			  "`pg-wal`: PostgreSQL's pages of 8 KiB over a recycled segment of 16 MiB,\n"
			  "fdatasync after each.\n\n"
			  "`pg_test_fsync`: PostgreSQL's choice of wal_sync_method. Commits of one and of\n"
			  "two writes of 8 KiB by open_datasync (direct-dsync), fdatasync, fsync and\n"
			  "open_sync (direct-sync), each in 5 rounds of a second, over a file of 16 MiB\n"
			  "that was written before. fsync_writethrough is not available on Linux. The text\n"
			  "ends in a ranking by commits per second with the lowest and highest round;\n"
			  "methods whose ranges overlap are not shown to differ. Excludes --mode and\n"
			  "--sync-each.\n\n"
			  "`sqlite`: a WAL of 1000 frames of 4120 bytes, overwritten, fdatasync after each.\n\n"
			  "`kafka`: a broker's segment of 1 GiB, appended in batches of 16 KiB, not synced."},
	{"method", 0, "LIST", OPT_OWN, 0, AT(method_count), .set = set_list, .preset = "pwrite",
		.allowed = "must be a list of write, pwrite, writev, pwritev2, io_uring, fwrite, mmap",
		.help = "write by write, pwrite, writev, pwritev2, io_uring, fwrite, mmap",
		.manual = "Writes by each of these methods: `write`, `pwrite`, `writev` (up to 16 pieces),\n"
			  "`pwritev2`, `io_uring` (one write at a time), `fwrite`, `mmap` (stores into a\n"
			  "shared mapping)."},
	{"mode", 0, "LIST", OPT_OWN, 0, AT(mode_count), .set = set_list, .preset = "buffered",
		.allowed = "must be a list of buffered, sync, dsync, direct, direct-sync, direct-dsync",
		.help = "open the file in mode buffered, sync, dsync, direct, direct-sync, direct-dsync",
		.manual = "Opens the file in each of these modes: `buffered`, `sync` (`O_SYNC`), `dsync`\n"
			  "(`O_DSYNC`), `direct` (`O_DIRECT`), `direct-sync`, `direct-dsync`."},
	{"sync-each", 0, "LIST", OPT_OWN, 0, AT(sync_count), .set = set_list, .preset = "none",
		.allowed = "must be a list of none, fsync, fdatasync, sync_file_range, rwf-dsync, syncfs, msync",
		.help = "sync each write by none, fsync, fdatasync, sync_file_range, rwf-dsync, syncfs, msync",
		.manual = "Makes each write durable by each of these: `none`, `fsync`, `fdatasync`,\n"
			  "`sync_file_range` (the data, not the device's cache), `syncfs`, `msync` (the\n"
			  "range written, with --method=mmap), all after the write, or `rwf-dsync`, part of\n"
			  "the write.\n\n"
			  "The syncs that were acknowledged are compared with the cache flushes that the\n"
			  "devices below completed. Fewer flushes than syncs that wait together can share\n"
			  "make the verdict `durability-not-confirmed`, with the numbers, as on a file\n"
			  "system mounted with `nobarrier`. Where the kernel counts no flushes the report\n"
			  "says `durability-not-counted`. As flushes are counted for all processes, the counter\n"
			  "is also read before and after a sync every 10 ms: a sync in which no flush completed\n"
			  "is not confirmed. In memory (tmpfs, zram, a loop device over them), and\n"
			  "on an overlay mounted with `volatile`, no sync is durable: `not-durable`."},
	{"sync-every", 0, "LIST", OPT_OWN, 0, AT(every_count), .set = set_list, .preset = "1",
		.allowed = "must be a list of numbers of writes from 1 to 1000000, as 1,8",
		.help = "sync after every N writes",
		.manual = "Syncs after every N writes, 1 to 1000000, as a database does that groups\n"
			  "commits. The sync covers all writes since the last one and its time is reported\n"
			  "with the write that it follows. Writes left at the end of a round are not synced.\n"
			  "Needs a --sync-each that is a call of its own."},
	{"regime", 0, "LIST", OPT_OWN, 0, AT(regime_count), .set = set_list, .preset = "append",
		.allowed = "must be a list of append, prealloc, overwrite",
		.help = "start with an empty file (append), a preallocated one (prealloc) or one with data (overwrite)",
		.manual = "Prepares the file in each of these states before it is written: `append` (empty,\n"
			  "the file grows), `prealloc` (blocks allocated by `fallocate` and never written),\n"
			  "`overwrite` (data)."},
	{"rw", 0, "LIST", OPT_OWN, 0, AT(order_count), .set = set_list, .preset = "write",
		.allowed = "must be a list of write, randwrite, backwrite",
		.help = "write sequentially (write), at random (randwrite) or backwards (backwrite)",
		.manual = "Writes in each of these orders: `write` (sequentially), `randwrite` (each\n"
			  "place of the size once, in random order), `backwrite` (each write begins before\n"
			  "the end of the one before it, see --back)."},
	{"back", 0, "FRACTION", OPT_DOUBLE, 0, AT(back), .high = 1 - 0x1p-53, .preset = "0.5",
		.allowed = "must be a share of a write from 0 to below 1, as 0.25",
		.help = "start each backwrite FRACTION of a write before the end of the last one",
		.manual = "With --rw=backwrite: begins each write this FRACTION of a write, from 0 to below\n"
			  "1, before the end of the one before it."},
	{"bs", 0, "SIZES", OPT_OWN, 0, AT(size_count), .set = set_list, .preset = "4k",
		.allowed = "must be a list of sizes from 1 byte to 1 TiB, as 4k,64k",
		.help = "write SIZES bytes at a time, as 512,4k,1m",
		.manual = "Writes this many bytes at a time: up to 32 sizes, each from 1 byte to 1 TiB and,\n"
			  "where the mode needs it, a multiple of the device's blocks. Excludes --bsrange."},
	{"bsrange", 0, "RANGES", OPT_OWN, 0, AT(size_count), .set = set_list,
		.allowed = "must be a list of ranges of sizes, each from a smaller to a larger one, as 512-64k",
		.help = "draw the bytes of each write from RANGES, as 512-64k",
		.manual = "Draws the bytes of each write from a range, as `512-64k`. Excludes --bs."},
	{"stdio-buffer", 0, "LIST", OPT_OWN, 0, AT(buffer_count), .set = set_list, .preset = "glibc",
		.allowed = "must be a list of glibc, unbuffered and sizes up to 1 GiB, as 64k",
		.help = "set the buffer of fwrite: glibc, SIZE, unbuffered",
		.manual = "Gives `fwrite` each of these buffers: `glibc` (the libc's own choice), a size up to\n"
			  "1 GiB, `unbuffered`. Other methods are measured once."},
	{"buffer-compress-percentage", 0, "N", OPT_UNSIGNED, 0, AT(compress_percent), .max = 100, .preset = "0",
		.help = "fill N % of every 512 bytes with zeros",
		.manual = "Writes zeros into the last N % of every 512 bytes, 0 to 100, as fio does. With 0 all\n"
			  "data are random bytes, new ones in each write, which neither compress nor\n"
			  "deduplicate. They are generated right before each write, outside of its time, at some\n"
			  "0.05 ns per byte (fill_mean_ns in the report). Rates do not include it. The\n"
			  "data are therefore in the CPU's caches as far as they fit."},
	{"dedupe-percentage", 0, "N", OPT_UNSIGNED, 0, AT(dedupe_percent), .max = 100, .preset = "0",
		.help = "repeat the data of the last write in N % of the writes",
		.manual = "Writes the same bytes as in the write before with a probability of N %, 0 to 100, as\n"
			  "fio does."},
	{.type = OPT_TITLE, .help = "Amount, repetitions and target"},
	{"size", 0, "SIZE", OPT_SIZE, 0, AT(size_bytes), .min = 1, .max = 1ull << 50,
		.help = "write SIZE bytes from each thread in each round (default: 64m)",
		.manual = "Writes SIZE bytes from each thread in each round, up to 1 PiB. The default is 64 MiB,\n"
			  "or the largest write if that is more."},
	{"runtime", 0, "TIME", OPT_TIME, 0, AT(runtime_ns), .min = 1, .max = 7 * DAY_NS,
		.help = "end each round after TIME (default without --size: 1s)",
		.manual = "Ends each round after TIME, up to 7 days. Without --size its 64 MiB are written\n"
			  "repeatedly until then, each time on a file in the state of --regime; with\n"
			  "--size the round ends by whichever comes first. The default is 1 s without --size,\n"
			  "which then ends the round as well, and no limit with it."},
	{"warmup", 0, "TIME", OPT_TIME, 0, AT(warmup_ns), .max = DAY_NS, .preset = "0",
		.help = "write for TIME before each round without counting",
		.manual = "Writes for TIME, up to a day, before each round of each combination, in the same\n"
			  "way and without counting; the round continues where that ended. --size counts from the\n"
			  "end of the warm-up."},
	{"rounds", 0, "N", OPT_UNSIGNED, 0, AT(rounds), .min = 1, .max = 1000,
		.help = "measure all combinations N times (default: 3, or 1 with --ops-csv)",
		.manual = "Measures all combinations N times, 1 to 1000, in one order and then in the\n"
			  "reverse one. The default is 3, with --ops-csv 1."},
	{"numjobs", 0, "N", OPT_UNSIGNED, 0, AT(threads), .min = 1, .max = RUN_THREADS_MAX, .preset = "1",
		.help = "write from N threads, each with its own file or part of --filename",
		.manual = "Writes from N threads, 1 to 256, that start together: each into its own file in\n"
			  "--directory, or into its part of --filename."},
	{"files", 0, "N", OPT_UNSIGNED, 0, AT(files), .min = 1, .max = OP_FILES_MAX, .preset = "1",
		.help = "write N files of each thread in turn",
		.manual = "Writes N files of each thread in turn, 1 to 256: one write to each, then the next to\n"
			  "each. --size is that of all of them together, a sync applies to the file just\n"
			  "written, and choosing the file is part of each measured write. Excludes\n"
			  "--filename, --bsrange and --sync-every."},
	{"thinktime", 0, "TIME", OPT_TIME, 0, AT(delay_ns), .max = 60 * UNITS_NS_PER_SEC, .preset = "0",
		.help = "wait TIME between the end of a write and the next",
		.manual = "Waits TIME, up to 60 s, from the end of a write to the next one."},
	{"thinktime-type", 0, "busy|sleep", OPT_CHOICE, 0, AT(is_sleeping), .choices = thinktime_types,
		.preset = "busy", .help = "compute or sleep for --thinktime",
		.manual = "Computes (`busy`) or sleeps (`sleep`) for --thinktime."},
	{"mem", 0, MEMORY_NAMES, OPT_CHOICE, 0, AT(memory), .choices = memory_names, .preset = "as-is",
		.help = "fill the page cache from recently used memory (warm), memory without host backing (cold) or any (as-is)",
		.manual = "Chooses the memory that the page cache takes: `warm` (pages that the host backs,\n"
			  "held by the run), `cold` (unused for 30 seconds before) or `as-is` (any free\n"
			  "memory). In a virtual machine they may differ by a factor of ten.\n\n"
			  "With `warm`, cold pages that the allocator would use first are allocated before,\n"
			  "and the blocks of a buffered file that grows are allocated and freed again, so that\n"
			  "no write waits for ext4 to read its block bitmaps, which may take tens of\n"
			  "milliseconds. The run holds up to twice of what is written, and at most half of the\n"
			  "available memory. Prefaulting it right before a write may take some milliseconds\n"
			  "between two writes and none of theirs. A run for which it is too little has the\n"
			  "verdict `host-memory-exhausted` and status 4."},
	{"cpus", 0, "LIST", OPT_OWN, .set = set_cpus,
		.allowed = "must be a list of CPUs as 0-3,8 or core:0-3 or numa:1",
		.help = "pin threads in turn to 0-3, core:0-3, numa:1",
		.manual = "Pins threads to these CPUs in turn, as `0-3`, `core:0-3`, `numa:1`. Threads that only\n"
			  "observe run elsewhere. Without this option no thread is pinned."},
	{"accept-limit", 0, NULL, OPT_FLAG, 0, AT(accepts_limits), .help = LIMITS_OPTION_HELP,
		.manual = LIMITS_OPTION_MANUAL},
	{"directory", 0, "DIR", OPT_STRING, OPT_TYPED_ONLY, AT(path),
		.help = "write an unnamed file in DIR (default: the current folder)",
		.manual = "Writes to a file without a name in DIR, the current folder by default. Excludes\n"
			  "--filename."},
	{"filename", 0, "FILE", OPT_STRING, OPT_TYPED_ONLY, AT(path),
		.help = "write to this file or block device instead",
		.manual = "Writes to this file or block device. A file that the run creates is removed at the\n"
			  "end (not after `kill -9`); one that exists keeps its name and loses its data. The\n"
			  "target is locked with `flock` until the end, and refused while another run has it,\n"
			  "or while another process has the device, its disk or one of its partitions open.\n"
			  "What these checks cannot see is listed in `ssd-workloads`(1); a check that fails\n"
			  "refuses the target with status 3. A combination during which another process\n"
			  "truncates, extends or replaces the file fails, and the exit status is 4, or 3 with\n"
			  "--method=mmap when it is truncated under a store. Excludes --directory."},
	{"destroy-data", 0, "FILE", OPT_STRING, OPT_UNREPORTED, AT(destroy_data),
		.help = "confirm overwriting FILE, the target of --filename",
		.manual = "Confirms overwriting the data of FILE: the same text as in --filename, or for a\n"
			  "device its path or serial number. Needs --filename."},
	{.type = OPT_TITLE, .help = "Output"},
	{"interval", 0, "TIME", OPT_TIME, OPT_ZERO, AT(interval_ns), .min = 10000000, .preset = "1s",
		.help = "add a row to the series every TIME, 0 for no series",
		.manual = "Adds a row to the report's series every TIME, at least 10 ms: operations, dirty bytes,\n"
			  "thresholds, pressure, the device's own counters. 0 records no series."},
	{"system", 0, "FILE", OPT_STRING, 0, AT(system_path),
		.help = "split the time of buffered writes by this calibration",
		.manual = "Reads a calibration, with which the report splits the time of buffered writes without\n"
			  "syncs into its parts. The split is left out with --mem=as-is on a host that may have\n"
			  "reclaimed free memory."},
	{"slo", 0, "OBJECTIVE", OPT_OWN, OPT_REPEATS, .set = set_slo,
		.allowed = "must be [write:|sync:|write+sync:]STATISTIC<TIME as in 'p99<10ms' or 'sync:max<=1s'",
		.help = "exit with status 1 unless 'p99<10ms', 'sync:max<1s', ...; repeatable",
		.manual = "Exits with status 1 unless every combination meets this OBJECTIVE: `write:`, `sync:`\n"
			  "or `write+sync:` (the default: of a write and its sync together), then `mean`,\n"
			  "`max` or a percentile as `p99.9`, then `<` or `<=` and a time. One that applies to no\n"
			  "combination is refused. Repeatable, up to 16."},
	{"label", 0, "NAME=VALUE", OPT_OWN, OPT_REPEATS | OPT_UNREPORTED, AT(labels), .set = scenario_options_add_label,
		.help = "add a label to the report; repeatable",
		.manual = "Adds a label to the report. Repeatable, up to 32."},
	START_OPTION(offsetof(struct iow_run_options, start), "to measure",
		"The file is prepared before, and --warmup is over; only the first combination waits."),
	{"ops-csv", 0, "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, AT(csv_path), .begins = "offset,",
		.help = "write a table of all writes of one combination and round",
		.manual = "Writes a table of all writes, for `predict --trace`: see FILES. Needs one thread, one\n"
			  "combination and one round; standard output is not possible."},
	{"look", 0, "TIME", OPT_TIME, 0, AT(sample_every_ns), .preset = "1ms",
		.help = "sample dirty bytes for --ops-csv every TIME, 0 for before each write",
		.manual = "For --ops-csv, samples the bytes that are dirty or under write-back every TIME, between\n"
			  "two writes; 0 samples before each write. A sample costs some 30 us, which are in the\n"
			  "delay before the write and not in its time, and takes a part of the caches: small\n"
			  "writes after it are a little slower."},
	{"file", 'f', "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, AT(xml_path), .begins = "<?xml",
		.help = "write the report as XML, - for stdout",
		.manual = "Writes the report as XML; `-` is standard output, where it replaces the text."},
	{"json", 0, "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, AT(json_path), .begins = "{", .bare = "-",
		.help = "write the report as JSON to FILE (default: stdout)",
		.manual = "Writes the report as JSON; without FILE it replaces the text on standard output."},
	{"replay", 0, "FILE", OPT_STRING, OPT_FIRST | OPT_UNREPORTED, AT(replay_path),
		.help = "take the options of an earlier run from its report",
		.manual = "Takes the options of an earlier `run` from its report in XML, and prints them.\n"
			  "Options on the command line replace them. A report that has --directory or\n"
			  "--filename is refused unless a target is given on the command line. Outputs and\n"
			  "labels are not repeated. Excludes --preset; a preset of the report is repeated."},
	{"dry-run", 'n', NULL, OPT_FLAG, OPT_UNREPORTED, AT(is_dry_run),
		.help = "check everything, print what would be measured, and end"},
	{0},
};

const struct opt_relation iow_run_option_relations[] = {
	{OPT_EXCLUDES, "bs", "bsrange", "both set the size of a write; keep one"},
	{OPT_EXCLUDES, "directory", "filename", "both name the target; keep one"},
	{OPT_NEEDS, "destroy-data", "filename", "it confirms that target"},
	{0},
};

/* --- checks of several options --- */

/* Returns a list that a row without a name ends; it is empty without a preset. */
static const struct preset_option *options_of_preset(const struct iow_run_options *options)
{
	static const struct preset_option none;

	return options->preset ? options->preset->options : &none;
}

int iow_run_options_add(void *input, struct opt_line *line)
{
	static const struct replay replay = {.root = "iowritebench", .command = "run"};
	struct iow_run_options *options = input;
	int code = DIAG_EXIT_OK;

	if (options->replay_path && options->preset)
		return opt_refuse(line, "preset", "the report of --replay has its own options; keep one");
	if (options->replay_path) {
		code = replay_take(&replay, options->replay_path, line);
		/* The report may have a preset. */
		if (!code)
			code = opt_apply_first(line, options);
	}
	for (const struct preset_option *option = options_of_preset(options); option->name && !code; option++) {
		if (opt_add(line, opt_row(line->rows, option->name), option->value, OPT_BY_PRESET, NULL))
			code = diag_host(ENOMEM, "--preset");
	}
	return code;
}

int iow_run_options_check(void *input, struct opt_line *line)
{
	/* The table's relations do not fit: the default of --files neither excludes nor is excluded. */
	static const struct {
		const char *other, *why;
	} excluded[] = {
		{"filename", "several files have no names; give --directory"},
		{"bsrange", "writes to several files have one size; give --bs"},
	};
	struct iow_run_options *options = input;
	bool has_files = options->files > 1 || opt_is_typed(line, "files");
	bool has_mode = opt_is_typed(line, "mode");
	char why[128];

	for (size_t i = 0; i < sizeof(excluded) / sizeof(excluded[0]) && has_files; i++) {
		if (opt_source_of(line, excluded[i].other) == OPT_BY_DEFAULT)
			continue;
		return diag_usage("--files and --%s: %s", excluded[i].other, excluded[i].why);
	}
	if (options->preset && options->preset->ways && (has_mode || opt_is_typed(line, "sync-each"))) {
		snprintf(why, sizeof(why),
			"the preset %s sets modes and syncs itself; drop this option or the preset",
			options->preset->name);
		return opt_refuse(line, has_mode ? "mode" : "sync-each", why);
	}
	/* The file is renamed at the end, which is impossible for a pipe. */
	if (opt_is_stdout(options->csv_path))
		return opt_refuse(line, "ops-csv", "must be a file name");
	/* A report does not distinguish typed options from those of the preset. */
	for (const struct preset_option *option = options_of_preset(options); option->name; option++) {
		if (!strcmp(option->name, "size") && !opt_is_typed(line, "size"))
			options->is_size_of_preset = !strcmp(opt_text(line, "size"), option->value);
	}
	options->is_folder = opt_source_of(line, "filename") == OPT_BY_DEFAULT;
	if (!options->path)
		options->path = ".";
	return DIAG_EXIT_OK;
}

int iow_run_options_parse(const struct command *command, int argc, char **argv, struct iow_run_options *options)
{
	int code;

	memset(options, 0, sizeof(*options));
	options->argc = argc;
	options->argv = argv;
	code = command_parse(command, argc, argv, options, &options->line, NULL);
	if (!code && opt_list_effective(&options->line, options))
		code = diag_host(ENOMEM, "cannot read the command line");
	if (code)
		iow_run_options_free(options);
	return code;
}

void iow_run_options_free(struct iow_run_options *options)
{
	label_free(&options->labels);
	opt_free(&options->line);
}

bool iow_run_options_print_text(const struct iow_run_options *options)
{
	return !opt_is_stdout(options->xml_path) && !opt_is_stdout(options->json_path);
}

/* --- presets --- */

#define OPTIONS(...) (const struct preset_option[]){__VA_ARGS__, {NULL, NULL}}

/* The order is that of PostgreSQL's documentation. pg_test_fsync adds O_DIRECT to O_DSYNC and O_SYNC. */
static const struct preset_way wal_sync_methods[] = {
	{"open_datasync", "direct-dsync", "none"},
	{"fdatasync", "buffered", "fdatasync"},
	{"fsync", "buffered", "fsync"},
	{"fsync_writethrough", NULL, NULL},
	{"open_sync", "direct-sync", "none"},
	{0},
};

const struct preset presets[] = {
	{"etcd-wal", "etcd's log: small records into a preallocated segment, fdatasync after each",
		"64 MiB segments are fallocated (SegmentSizeBytes), a batch of entries is some 2 KiB and is written and "
		"fdatasynced at once; etcd asks for a 99th percentile of the sync below 10 ms",
		OPTIONS({"method", "write"}, {"mode", "buffered"}, {"sync-each", "fdatasync"}, {"regime", "prealloc"},
			{"rw", "write"}, {"bs", "2300"}, {"size", "22m"}, {"slo", "sync:p99<10ms"}), NULL, NULL},
	{"pg-wal", "PostgreSQL's log: pages of 8 KiB over a recycled segment, fdatasync at each commit",
		"wal_segment_size 16 MiB, XLOG_BLCKSZ 8 KiB, wal_init_zero and wal_recycle on (segments are written "
		"before they are used), wal_sync_method fdatasync, pwrite(2)",
		OPTIONS({"method", "pwrite"}, {"mode", "buffered"}, {"sync-each", "fdatasync"}, {"regime", "overwrite"},
			{"rw", "write"}, {"bs", "8k"}, {"size", "16m"}), NULL, NULL},
	{"pg_test_fsync", "PostgreSQL's choice of wal_sync_method: commits of one and of two pages of 8 KiB by each",
		"the comparison of pg_test_fsync: one write of 8 KiB to a commit, and two; over a segment of 16 MiB that was "
		"written before, from its start to its end and again, where pg_test_fsync writes its first pages repeatedly",
		OPTIONS({"method", "pwrite"}, {"sync-every", "1,2"}, {"regime", "overwrite"}, {"rw", "write"}, {"bs", "8k"},
			{"size", "16m"}, {"runtime", "1s"}, {"rounds", "5"}), "wal_sync_method", wal_sync_methods},
	{"sqlite", "SQLite's WAL: a page and its frame header over a log that is restarted, fdatasync at each commit",
		"page_size 4096 and 24 bytes of frame header, wal_autocheckpoint 1000 pages, after which the log is written "
		"from its start again, synchronous=FULL",
		OPTIONS({"method", "pwrite"}, {"mode", "buffered"}, {"sync-each", "fdatasync"}, {"regime", "overwrite"},
			{"rw", "write"}, {"bs", "4120"}, {"size", "4120000"}), NULL, NULL},
	{"kafka", "a Kafka broker's log: batches appended to a segment, left to the kernel's write-back",
		"batch.size 16 KiB, log.segment.bytes 1 GiB, preallocate=false, log.flush.interval.messages unlimited: "
		"nothing is synced",
		OPTIONS({"method", "write"}, {"mode", "buffered"}, {"sync-each", "none"}, {"regime", "append"},
			{"rw", "write"}, {"bs", "16k"}, {"size", "1g"}), NULL, NULL},
	{0},
};

const struct preset *preset_of(const char *name)
{
	for (const struct preset *preset = presets; preset->name; preset++) {
		if (!strcmp(preset->name, name))
			return preset;
	}
	return NULL;
}

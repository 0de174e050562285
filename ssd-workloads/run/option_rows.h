/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of options that `run` and `sweep` share; the structure of each command begins with a struct ssd_run_options. */
#ifndef SSD_WORKLOADS_RUN_OPTION_ROWS_H
#define SSD_WORKLOADS_RUN_OPTION_ROWS_H

#include "common/base/units.h"
#include "common/run/limits.h"
#include "ssd-workloads/run/option_values.h"

#define RUN_DAYS_MAX_NS (7 * 86400 * UNITS_NS_PER_SEC)
#define RUN_HOUR_NS (3600 * UNITS_NS_PER_SEC)
#define RUN_NS_PER_MS 1000000u
#define RUN_AREA_MAX (1ull << 50)
#define RUN_SIM_TARGET "sim:"
#define RUN_POLICY_NAME(id, name, ...) name,
#define RUN_BLOCK_ALLOWED "must be a multiple of 512 bytes up to 4M"
#define RUN_ENGINE_ALLOWED "must be uring or threads"
#define RUN_SLO_ALLOWED \
	"must be [log:|checkpoint:|commit:|sync:]STATISTIC<TIME as in 'p99<10ms' or 'commit:p99.9<=20ms'"
#define RUN_AT(NAME) offsetof(struct ssd_run_options, NAME)
#define RUN_LOG_AT(NAME) RUN_AT(override.streams[MIX_LOG].NAME)
#define RUN_CHECKPOINT_AT(NAME) RUN_AT(override.streams[MIX_CHECKPOINT].NAME)

opt_set_fn run_set_mix, run_set_block, run_set_order, run_set_engine, run_add_sim, run_add_policy, run_add_slo;
bool run_is_real_target(const char *text);

/* options of the streams */
#define RUN_WRITE_OPTIONS \
	{.type = OPT_TITLE, .help = "Writes"}, \
	{"mix", 0, "MIX", OPT_OWN, .offset = RUN_AT(mix), .set = run_set_mix, \
		.allowed = "must be one of the mixes that 'ssd-workloads list' prints", \
		.help = "write this mix: 1-1, 1-N, M-N, 1-0, M-0, 0-1, 0-N or custom", \
		.manual = "Write this mix: `1-1`, `1-N` or `M-N`, one stream alone (`1-0`, `M-0`, `0-1`, `0-N`), " \
			  "or `custom`, whose depths are those of --log-depth and --ckpt-depth. The first number " \
			  "is of the log, the second of the checkpoint: 1 is one outstanding write, M 64, N 8. " \
			  "Required."}, \
	{"log-bs", 0, "SIZE", OPT_OWN, .offset = RUN_LOG_AT(block_bytes), .set = run_set_block, \
		.allowed = RUN_BLOCK_ALLOWED, \
		.help = "write the log in blocks of SIZE (default: 16k)", \
		.manual = "Write the log in blocks of SIZE, a multiple of 512 bytes up to 4M (default: 16k)."}, \
	{"log-depth", 0, "N", OPT_UNSIGNED, .offset = RUN_LOG_AT(depth), .max = MIX_DEPTH_MAX, \
		.help = "keep N log writes outstanding (default: the mix's)", \
		.manual = "Keep N log writes outstanding, 0 to 1024; 0 leaves the log out (default: the mix's)."}, \
	{"log-size", 0, "SIZE", OPT_SIZE, .offset = RUN_LOG_AT(area_bytes), .min = 1, .max = RUN_AREA_MAX, \
		.help = "write the log in an area of SIZE, which starts over at its end (default: 512m)", \
		.manual = "Write the log in an area of SIZE, which starts over at its end (default: 512m). " \
			  "SIZE is rounded down to whole blocks of each worker and holds at least two blocks for " \
			  "each outstanding write."}, \
	{"ckpt-bs", 0, "SIZE", OPT_OWN, .offset = RUN_CHECKPOINT_AT(block_bytes), .set = run_set_block, \
		.allowed = RUN_BLOCK_ALLOWED, \
		.help = "write the checkpoint in blocks of SIZE (default: 128k)", \
		.manual = "Write the checkpoint in blocks of SIZE, a multiple of 512 bytes up to 4M (default: " \
			  "128k)."}, \
	{"ckpt-depth", 0, "N", OPT_UNSIGNED, .offset = RUN_CHECKPOINT_AT(depth), .max = MIX_DEPTH_MAX, \
		.help = "keep N checkpoint writes outstanding (default: the mix's)", \
		.manual = "Keep N checkpoint writes outstanding, 0 to 1024; 0 leaves the checkpoint out (default: " \
			  "the mix's)."}, \
	{"ckpt-size", 0, "SIZE", OPT_SIZE, .offset = RUN_CHECKPOINT_AT(area_bytes), .min = 1, .max = RUN_AREA_MAX, \
		.help = "rewrite SIZE in each checkpoint (default: 1g)", \
		.manual = "Rewrite SIZE in each checkpoint (default: 1g). SIZE is rounded down to whole blocks of " \
			  "each worker and holds at least two blocks for each outstanding write."}, \
	{"ckpt-pause", 0, "TIME", OPT_TIME, .offset = RUN_CHECKPOINT_AT(pause_ns), .max = RUN_HOUR_NS, .preset = "0", \
		.help = "wait for TIME between two checkpoints", \
		.manual = "Wait for TIME, up to an hour, between the last completion of a checkpoint (or of its " \
			  "sync) and the first write of the next one. Excludes --ckpt-every."}, \
	{"ckpt-every", 0, "TIME", OPT_TIME, .offset = RUN_CHECKPOINT_AT(every_ns), .min = RUN_NS_PER_MS, .max = RUN_HOUR_NS, \
		.help = "begin a checkpoint every TIME (default: when one ends)", \
		.manual = "Begin a checkpoint every TIME, 1ms to an hour, counted from the first write of the one " \
			  "before, as checkpoint_timeout of PostgreSQL does (default: when one ends). After a " \
			  "checkpoint that takes longer the next one begins at once. The report has the lateness of " \
			  "the checkpoints; if its mean exceeds a tenth of TIME, that is a reason not to trust the " \
			  "result. Excludes --ckpt-pause."}, \
	{"ckpt-completion", 0, "SHARE", OPT_DOUBLE, .offset = RUN_CHECKPOINT_AT(completion), .high = 1, \
		.help = "spread a checkpoint over SHARE of --ckpt-every (default: 0.9)", \
		.manual = "Spread the writes of a checkpoint evenly over SHARE of --ckpt-every, from 0 (all at " \
			  "once) to 1 (default: 0.9), as checkpoint_completion_target of PostgreSQL does. A write " \
			  "that waits for its turn has not begun: this time is not part of its response. Needs " \
			  "--ckpt-every."}, \
	{"ckpt-order", 0, "ORDER", OPT_OWN, .set = run_set_order, \
		.choices = (const char *const[]){"sequential", "random", "uniform", "hotset", "zipf", NULL}, \
		.preset = "sequential", .help = "write the blocks of a checkpoint in sequential or random order", \
		.manual = "Write the blocks of a checkpoint in this order. With `random` each checkpoint writes " \
			  "every block of its area once, in an order that is drawn for the run, as a database " \
			  "writes pages that became dirty anywhere. It takes 4 bytes of memory for each block; a " \
			  "checkpoint has at most 2^30 blocks. On a simulated device blocks may also be drawn, each " \
			  "write for itself, so that a pass writes some blocks more than once and others not: " \
			  "`uniform`, `hotset,SET,WRITES` (SET % of the blocks, the first ones, receive WRITES % of " \
			  "the writes), `zipf,S`, or another pattern of `pmbench`(1)."}, \
	{"ckpt-io", 0, "direct|buffered", OPT_CHOICE, .offset = RUN_AT(is_buffered), \
		.choices = (const char *const[]){"direct", "buffered", NULL}, .preset = "direct", \
		.help = "write the checkpoint with O_DIRECT or through the page cache", \
		.manual = "Write the checkpoint with O_DIRECT (`direct`), or through the page cache (`buffered`) " \
			  "as PostgreSQL does, where --ckpt-sync=pass makes it durable. The response of a buffered " \
			  "write is the time to copy it into the page cache or to wait while the kernel throttles " \
			  "it; its cost on the device shows in the syncs and in the log. Dirty pages that are left " \
			  "are written back before each repetition. On a file system buffered and direct writes to " \
			  "one file wait for each other: give the log another file (--ckpt-target). Kernel events " \
			  "are not recorded."}, \
	{"ckpt-flush-after", 0, "SIZE", OPT_SIZE, .offset = RUN_AT(hint_bytes), .max = UNITS_GIB, \
		.help = "start writeback of a buffered checkpoint every SIZE; 0 is never (default: 256k)", \
		.manual = "Start writeback of each SIZE of consecutive writes with `sync_file_range`(2) and " \
			  "SYNC_FILE_RANGE_WRITE, as checkpoint_flush_after of PostgreSQL does. From 0, for never, " \
			  "to 1 GiB (default: 256k). Needs --ckpt-io=buffered."}, \
	{"workers", 0, "N", OPT_UNSIGNED, .offset = RUN_AT(override.workers), .min = 1, .max = MIX_WORKERS_MAX, .preset = "1", \
		.help = "divide the depth and area of each stream among N threads", \
		.manual = "Divide the depth and the area of each stream among N threads, 1 to 64. A stream has at " \
			  "most as many threads as outstanding writes."}, \
	{"durability", 0, "none|dsync|fdatasync", OPT_CHOICE, .offset = RUN_AT(durability), \
		.choices = (const char *const[]){ \
			[BACKEND_NONE] = "none", [BACKEND_DSYNC] = "dsync", [BACKEND_FDATASYNC] = "fdatasync", NULL}, \
		.preset = "none", .help = "make each log write durable by this method", \
		.manual = "Make each log write durable: `dsync` writes with RWF_DSYNC, `fdatasync` links an " \
			  "`fdatasync`(2) to each write. Checkpoint writes are not made durable one by one, see " \
			  "--ckpt-sync. The run compares the acknowledged syncs with the cache flushes that the " \
			  "devices below completed: fewer flushes than syncs that wait together can share make the " \
			  "verdict `durability-not-confirmed`, with the numbers, as on a file system mounted with " \
			  "nobarrier. Where the kernel counts no flushes the report says so " \
			  "(`durability-not-counted`). As flushes are counted for all processes, the counter is " \
			  "also read before and after a sync every 10 ms: a sync in which no flush completed is " \
			  "not confirmed. On a device in memory, or an overlay mounted with `volatile`, the " \
			  "verdict is `not-durable`. Needs a mix with a log."}, \
	{"ckpt-sync", 0, "none|pass", OPT_CHOICE, .offset = RUN_AT(checkpoint_sync), \
		.choices = (const char *const[]){[RUN_SYNC_NONE] = "none", [RUN_SYNC_PASS] = "pass", NULL}, \
		.help = "sync each checkpoint at its end (default: pass if the log is durable)", \
		.manual = "With `pass` each checkpoint ends with one `fdatasync`(2) after its last write, as in a " \
			  "database before it truncates its log; the pause and the next checkpoint follow it. " \
			  "During the sync the stream has no outstanding write. The sync is not a write: it is " \
			  "counted and timed by itself. With --workers the part of each worker is a checkpoint of " \
			  "its own. A checkpoint that the end of the run interrupts is not synced. The default is " \
			  "`pass` with --durability other than `none` and with --ckpt-io=buffered, and `none` " \
			  "otherwise."}, \
	{"group-commit", 0, "N", OPT_UNSIGNED, .offset = RUN_AT(group_commit), .min = 1, .max = 1000, .preset = "1", \
		.help = "carry N commits in each log write", \
		.manual = "Carry N commits, 1 to 1000, in each log write; all of them complete when it is durable. " \
			  "More than one needs --durability or --rate."}, \
	{"rate", 0, "N", OPT_U64, .offset = RUN_AT(rate), .min = 1, .max = 100000000, \
		.help = "issue N commits per second (default: when writes complete)", \
		.manual = "Issue N commits per second at equal intervals, 1 to 100000000, whether or not " \
			  "earlier ones are done: an open loop. A write is due when the last of its commits has " \
			  "arrived. Without this option as many writes as the depth are always outstanding."}

/* options of target, time and engine, without --replay: reports of other commands have other options */
#define RUN_TARGET_OPTIONS \
	{.type = OPT_TITLE, .help = "Target, time and engine"}, \
	{"target", 0, "PATH", OPT_STRING, OPT_TYPED_ONLY, .offset = RUN_AT(target), .must_be_typed = run_is_real_target, \
		.help = "write to this file, folder or block device, or sim:PRESET (required)", \
		.manual = "Write to this file or block device, or to a file without a name in this folder, or to a " \
			  "simulated device: `sim:small`, `sim:full` or `sim:mqsim-like` (see SIMULATED DEVICE; a " \
			  "file of such a name is `./sim:small`). This option is required; --replay takes only a " \
			  "simulated one from a report."}, \
	{"sim", 0, "KEY=VALUE", OPT_OWN, OPT_REPEATS, .set = run_add_sim, \
		.help = "set a parameter of the simulated device; repeatable", \
		.manual = "Set a parameter of the simulated device, up to 64 times; the last value of a key is used. Needs " \
			  "--target sim:PRESET. The keys:" SIM_PARAMS_MANUAL}, \
	{"sim-config", 0, "FILE", OPT_STRING, .offset = RUN_AT(device.config), \
		.help = "read KEY=VALUE lines of parameters from FILE", \
		.manual = "Read parameters of the simulated device from FILE, one KEY=VALUE a line; empty lines and lines " \
			  "that begin with # are skipped. They replace those of the preset, and --sim replaces them."}, \
	{"policy", 0, "NAME", OPT_OWN, OPT_REPEATS, .set = run_add_policy, \
		.choices = (const char *const[]){SIM_POLICIES(RUN_POLICY_NAME) NULL}, \
		.help = "place pages or order writes in the simulated device by a policy", \
		.manual = "Place pages or order waiting work in the simulated device by a policy instead of by the board's " \
			  "firmware. NAME may be followed by parameters, `NAME,KEY=VALUE`, and by a condition, " \
			  "`NAME:if=COND` or `NAME:if=COND for TIME`. `multistream` and `fdp` are placements, the others " \
			  "orders; one of each may be given. An order applies to the commands that have arrived, to the " \
			  "host DMA, and to what waits for a way: the flash operations of a command, and the copies of a " \
			  "collection that it caused. Running operations are not interrupted, pages of a block are " \
			  "programmed in order, and an erase passes nothing. With a condition the policy reacts to the " \
			  "device's own records: it becomes active when a command is completed of which COND holds, and " \
			  "stays so to the end, or for TIME after the last such command. COND is a condition of --freeze-if " \
			  "with the fields `step(A,B)`, `copies`, `busy`, `qdepth` and `cmd`. The report has the write " \
			  "amplification of each stream, and how often and how long policies were active. Example:\n\n" \
			  "  --policy=multistream --policy='log-first:if=log.step(6,7)>5ms && busy>20 for 50ms'\n\n" \
			  "Needs --target sim:PRESET. The policies:" SIM_POLICY_MANUAL}, \
	{"destroy-data", 0, "PATH", OPT_STRING, OPT_UNREPORTED, .offset = RUN_AT(destroy_data), \
		.help = "confirm overwriting the contents of PATH, the same as --target", \
		.manual = "Confirm that the contents of the target may be overwritten. PATH is the same text as in " \
			  "--target, or of a device its path or serial number."}, \
	{"log-target", 0, "PATH", OPT_STRING, OPT_TYPED_ONLY, .offset = RUN_AT(log_target), \
		.must_be_typed = run_is_real_target, \
		.help = "write every second block of the log to another file, folder or device", \
		.manual = "Stripe the log: write every second block of it to another file, folder or block device, as a " \
			  "database whose log is on two devices; --target has the others, and the checkpoint unless " \
			  "--ckpt-target names its target. Block i of the log goes to target i mod 2. With " \
			  "`--durability=fdatasync` each log write is followed by an `fdatasync`(2) of both targets at the " \
			  "same time, and its commits are durable when both are done; with `dsync` a write is made " \
			  "durable in its own target. Syncs are checked against the flushes of each target's devices, " \
			  "and the worse check decides. Every check of a target applies to all before any is changed. " \
			  "`verify` needs both targets and refuses one alone. Kernel events are not recorded. With --target " \
			  "sim:PRESET it is the same sim:PRESET, a second device with equal parameters. Needs a mix with a " \
			  "log; --replay takes only a simulated one from a report."}, \
	{"log-destroy-data", 0, "PATH", OPT_STRING, OPT_UNREPORTED, .offset = RUN_AT(log_destroy), \
		.help = "confirm overwriting the contents of PATH, the same as --log-target", \
		.manual = "Confirm that the contents of --log-target may be overwritten. PATH is the same text as " \
			  "there. Needs --log-target."}, \
	{"ckpt-target", 0, "PATH", OPT_STRING, OPT_TYPED_ONLY, .offset = RUN_AT(checkpoint_target), \
		.must_be_typed = run_is_real_target, \
		.help = "write the checkpoint to another file, folder or device", \
		.manual = "Write the checkpoint to another file, folder or block device, as a database whose log " \
			  "has its own device; --target then has the log alone. Every check of a target applies to " \
			  "both before either is changed. Each has a header, and `verify` reads either by itself. " \
			  "Kernel events are not recorded, and disk counters are of the log's target. With --target " \
			  "sim:PRESET it is the same sim:PRESET, a device of its own with equal parameters; the devices " \
			  "have one time, and nothing else in common. Needs a mix of two streams; --replay takes only a " \
			  "simulated one from a report."}, \
	{"ckpt-destroy-data", 0, "PATH", OPT_STRING, OPT_UNREPORTED, .offset = RUN_AT(checkpoint_destroy), \
		.help = "confirm overwriting the contents of PATH, the same as --ckpt-target", \
		.manual = "Confirm that the contents of --ckpt-target may be overwritten. PATH is the same text as " \
			  "there. Needs --ckpt-target."}, \
	{"keep", 0, NULL, OPT_FLAG, OPT_UNREPORTED, .offset = RUN_AT(is_kept), .help = "keep a file that the run creates", \
		.manual = "Keep a file that the run creates, for `verify` and for the next run. A device always " \
			  "keeps its header and is written again without confirmation."}, \
	{"no-prepare", 0, NULL, OPT_FLAG, .offset = RUN_AT(is_unprepared), \
		.help = "skip writing the areas in full before the run", \
		.manual = "Skip writing the areas in full before the run. Writes then meet extents that were never " \
			  "written, which costs more, and the verdict says so."}, \
	{"runtime", 0, "TIME", OPT_TIME, .offset = RUN_AT(runtime_ns), .min = 1, .max = RUN_DAYS_MAX_NS, .preset = "20s", \
		.help = "measure for TIME", \
		.manual = "Measure for TIME, up to 7 days, in each repetition of each cell."}, \
	{"warmup", 0, "TIME", OPT_TIME, .offset = RUN_AT(warmup_ns), .max = RUN_DAYS_MAX_NS, .preset = "0", \
		.help = "write for TIME before the measurement", \
		.manual = "Write for TIME, up to 7 days, before the measurement of each repetition."}, \
	{"accept-limit", 0, NULL, OPT_FLAG, .offset = RUN_AT(accepts_limits), .help = LIMITS_OPTION_HELP, \
		.manual = LIMITS_OPTION_MANUAL}, \
	{"engine", 0, "uring|threads", OPT_OWN, .offset = RUN_AT(engine), .set = run_set_engine, .allowed = RUN_ENGINE_ALLOWED, \
		.help = "try this engine first (default: uring)", \
		.manual = "Try this engine first: io_uring, or a thread with `pwritev2`(2) for each outstanding " \
			  "write (default: uring). The report names the one that was used, and why another was " \
			  "unavailable."}, \
	{"require", 0, "uring|threads", OPT_OWN, .offset = RUN_AT(require), .set = run_set_engine, .allowed = RUN_ENGINE_ALLOWED, \
		.help = "fail if this engine is unavailable", \
		.manual = "Use this engine, and end with status 3 if it is unavailable."}, \
	{"sqpoll", 0, NULL, OPT_FLAG, .offset = RUN_AT(is_sqpoll), .help = "submit from a kernel thread (io_uring)", \
		.manual = "Submit from a kernel thread (IORING_SETUP_SQPOLL). Needs the engine `uring`."}, \
	{"iopoll", 0, NULL, OPT_FLAG, .offset = RUN_AT(is_iopoll), .help = "poll for completions (io_uring)", \
		.manual = "Poll for completions (IORING_SETUP_IOPOLL), on devices that support it. Needs the " \
			  "engine `uring`; excludes --ckpt-io=buffered."}, \
	{"seed", 0, "N", OPT_U64, .offset = RUN_AT(seed), .preset = "1", .help = "seed the data and the order of repetitions", \
		.manual = "Seed the data and the order of repetitions, 0 to 2^64 - 1."}

/* options of the report, and --dry-run */
#define RUN_REPORT_OPTIONS \
	{"label", 0, "NAME=VALUE", OPT_OWN, OPT_REPEATS, .offset = RUN_AT(labels), .set = label_set, .allowed = LABEL_FORM, \
		.help = "add a label to the report; repeatable", \
		.manual = "Add a label to the report. May be given up to 32 times."}, \
	{"file", 'f', "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = RUN_AT(xml_path), .begins = "<?xml", \
		.help = "write the report as XML", \
		.manual = "Write the report as XML. `-` is standard output, where it replaces the text."}, \
	{"json", 0, "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = RUN_AT(json_path), .begins = "{", .bare = "-", \
		.help = "write the report as JSON to FILE (default: stdout)", \
		.manual = "Write the report as JSON; without FILE it replaces the text on standard output."}, \
	{"dry-run", 'n', NULL, OPT_FLAG, OPT_UNREPORTED, .offset = RUN_AT(is_dry_run), \
		.help = "check everything, print the plan, and end", \
		.manual = "Check everything, print what would be done, and end. Nothing is created or written."}

#endif

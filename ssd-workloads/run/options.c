/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "ssd-workloads/run/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "common/diag.h"
#include "common/frame.h"
#include "common/command.h"
#include "common/limits.h"
#include "common/units.h"
#include "ssd-workloads/backend/choose.h"
#include "ssd-workloads/baseline/baseline.h"
#include "ssd-workloads/run/mqsim.h"

#define DAYS_MAX_NS (7 * 86400 * UNITS_NS_PER_SEC)
#define HOUR_NS (3600 * UNITS_NS_PER_SEC)
#define NS_PER_MS 1000000u
#define BLOCK_STEP 512u
#define AREA_MAX (1ull << 50)
#define SIM_TARGET "sim:"
#define POLICY_NAME(id, name, ...) name,
#define HINT_BYTES (256 * UNITS_KIB) /* checkpoint_flush_after of PostgreSQL */

static int set_mix(struct opt_value *in)
{
	const struct mix *mix = mix_find(in->text);

	*(const struct mix **)opt_field(in) = mix;
	return mix ? 0 : -EINVAL;
}

static int set_block(struct opt_value *in)
{
	uint64_t bytes;

	if (units_parse_size(in->text, 1, &bytes) || !bytes || bytes > MIX_BLOCK_MAX || bytes % BLOCK_STEP)
		return -EINVAL;
	*(uint32_t *)opt_field(in) = (uint32_t)bytes;
	return 0;
}

/* random: a permutation; else a pattern by which blocks are drawn. */
static int set_order(struct opt_value *in)
{
	struct run_options *options = in->options;
	int rc;

	options->is_random = !strcmp(in->text, "random");
	options->has_pattern = !options->is_random && strcmp(in->text, "sequential") != 0;
	rc = options->has_pattern ? pattern_parse(in->text, &options->pattern, &in->why) : 0;
	if (rc == -EINVAL)
		in->why = "must be sequential or random, or of a simulated device a pattern, as uniform, hotset,20,80 or zipf,0.8";
	return rc;
}

static int set_engine(struct opt_value *in)
{
	*(const char **)opt_field(in) = in->text;
	return backend_find(in->text) ? 0 : -EINVAL;
}

static int set_freeze(struct opt_value *in)
{
	struct run_options *options = in->options;

	return freeze_parse(in->text, &options->freeze, &in->why);
}

static int add_at(struct opt_value *in)
{
	return script_add(&((struct run_options *)in->options)->script, in->text, &in->why);
}

static int add_sim(struct opt_value *in)
{
	struct run_device *device = &((struct run_options *)in->options)->device;

	in->why = "is allowed up to 64 times";
	if (device->value_count == RUN_SIM_VALUES)
		return -ERANGE;
	if (!device->params.channels)
		sim_params_init(NULL, &device->params);
	in->why = in->allowed;
	device->values[device->value_count++] = in->text;
	return sim_params_set(&device->params, in->text, in->allowed, sizeof(in->allowed));
}

static int add_policy(struct opt_value *in)
{
	struct run_device *device = &((struct run_options *)in->options)->device;
	int rc = sim_policy_add(&device->policies, in->text, in->allowed, sizeof(in->allowed));

	in->why = in->allowed;
	if (!rc)
		device->policy_texts[device->policy_count++] = in->text;
	return rc;
}

static int add_slo(struct opt_value *in)
{
	struct run_options *options = in->options;
	int rc = options->slo_count < SLOS_MAX ? slo_parse(in->text, run_slo_names, &options->slos[options->slo_count], &in->why)
					       : -ERANGE;

	if (rc == -ERANGE)
		in->why = "is allowed up to 16 times";
	options->slo_count += !rc;
	return rc;
}

static bool is_real_target(const char *text)
{
	return strncmp(text, SIM_TARGET, strlen(SIM_TARGET)) != 0;
}

#define FIELD(NAME) offsetof(struct run_options, NAME)
#define LOG(NAME) FIELD(override.streams[MIX_LOG].NAME)
#define CHECKPOINT(NAME) FIELD(override.streams[MIX_CHECKPOINT].NAME)
#define A_BLOCK "must be a multiple of 512 bytes up to 4M"
#define AN_ENGINE "must be uring or threads"

const char *const run_slo_names[] = {[RUN_SLO_LOG] = "log", [RUN_SLO_CHECKPOINT] = "checkpoint",
	[RUN_SLO_COMMIT] = "commit", [RUN_SLO_SYNC] = "sync", NULL};
const char *const run_without_names[] = {[RUN_WITHOUT_NOTHING] = "none", [RUN_WITHOUT_OTHER] = "other",
	[RUN_WITHOUT_GC] = "gc", [RUN_WITHOUT_ERASE] = "erase", NULL};

const struct opt run_option_rows[] = {
	{.type = OPT_TITLE, .help = "Writes"},
	{"mix", 0, "MIX", OPT_OWN, .offset = FIELD(mix), .set = set_mix,
		.allowed = "must be one of the mixes that 'ssd-workloads list' prints",
		.help = "write this mix: 1-1, 1-N, M-N, 1-0, M-0, 0-1, 0-N or custom",
		.manual = "Write this mix: `1-1`, `1-N` or `M-N`, one stream alone (`1-0`, `M-0`, `0-1`, `0-N`), "
			  "or `custom`, whose depths are those of --log-depth and --ckpt-depth. The first number "
			  "is of the log, the second of the checkpoint: 1 is one outstanding write, M 64, N 8. "
			  "Required without --mqsim."},
	{"log-bs", 0, "SIZE", OPT_OWN, .offset = LOG(block_bytes), .set = set_block, .allowed = A_BLOCK,
		.help = "write the log in blocks of SIZE (default: 16k)",
		.manual = "Write the log in blocks of SIZE, a multiple of 512 bytes up to 4M (default: 16k)."},
	{"log-depth", 0, "N", OPT_UNSIGNED, .offset = LOG(depth), .max = MIX_DEPTH_MAX,
		.help = "keep N log writes outstanding (default: the mix's)",
		.manual = "Keep N log writes outstanding, 0 to 1024; 0 leaves the log out (default: the mix's)."},
	{"log-size", 0, "SIZE", OPT_SIZE, .offset = LOG(area_bytes), .min = 1, .max = AREA_MAX,
		.help = "write the log in an area of SIZE, which starts over at its end (default: 512m)",
		.manual = "Write the log in an area of SIZE, which starts over at its end (default: 512m). "
			  "SIZE is rounded down to whole blocks of each worker and holds at least two blocks for "
			  "each outstanding write."},
	{"ckpt-bs", 0, "SIZE", OPT_OWN, .offset = CHECKPOINT(block_bytes), .set = set_block, .allowed = A_BLOCK,
		.help = "write the checkpoint in blocks of SIZE (default: 128k)",
		.manual = "Write the checkpoint in blocks of SIZE, a multiple of 512 bytes up to 4M (default: "
			  "128k)."},
	{"ckpt-depth", 0, "N", OPT_UNSIGNED, .offset = CHECKPOINT(depth), .max = MIX_DEPTH_MAX,
		.help = "keep N checkpoint writes outstanding (default: the mix's)",
		.manual = "Keep N checkpoint writes outstanding, 0 to 1024; 0 leaves the checkpoint out (default: "
			  "the mix's)."},
	{"ckpt-size", 0, "SIZE", OPT_SIZE, .offset = CHECKPOINT(area_bytes), .min = 1, .max = AREA_MAX,
		.help = "rewrite SIZE in each checkpoint (default: 1g)",
		.manual = "Rewrite SIZE in each checkpoint (default: 1g). SIZE is rounded down to whole blocks of "
			  "each worker and holds at least two blocks for each outstanding write."},
	{"ckpt-pause", 0, "TIME", OPT_TIME, .offset = CHECKPOINT(pause_ns), .max = HOUR_NS, .preset = "0",
		.help = "wait for TIME between two checkpoints",
		.manual = "Wait for TIME, up to an hour, between the last completion of a checkpoint (or of its "
			  "sync) and the first write of the next one. Excludes --ckpt-every."},
	{"ckpt-every", 0, "TIME", OPT_TIME, .offset = CHECKPOINT(every_ns), .min = NS_PER_MS, .max = HOUR_NS,
		.help = "begin a checkpoint every TIME (default: when one ends)",
		.manual = "Begin a checkpoint every TIME, 1ms to an hour, counted from the first write of the one "
			  "before, as checkpoint_timeout of PostgreSQL does (default: when one ends). After a "
			  "checkpoint that takes longer the next one begins at once. The report has the lateness of "
			  "the checkpoints; if its mean exceeds a tenth of TIME, that is a reason not to trust the "
			  "result. Excludes --ckpt-pause."},
	{"ckpt-completion", 0, "SHARE", OPT_DOUBLE, .offset = CHECKPOINT(completion), .high = 1,
		.help = "spread a checkpoint over SHARE of --ckpt-every (default: 0.9)",
		.manual = "Spread the writes of a checkpoint evenly over SHARE of --ckpt-every, from 0 (all at "
			  "once) to 1 (default: 0.9), as checkpoint_completion_target of PostgreSQL does. A write "
			  "that waits for its turn has not begun: this time is not part of its response. Needs "
			  "--ckpt-every."},
	{"ckpt-order", 0, "ORDER", OPT_OWN, .set = set_order,
		.choices = (const char *const[]){"sequential", "random", "uniform", "hotset", "zipf", NULL},
		.preset = "sequential", .help = "write the blocks of a checkpoint in sequential or random order",
		.manual = "Write the blocks of a checkpoint in this order. With `random` each checkpoint writes "
			  "every block of its area once, in an order that is drawn for the run, as a database "
			  "writes pages that became dirty anywhere. It takes 4 bytes of memory for each block; a "
			  "checkpoint has at most 2^30 blocks. On a simulated device blocks may also be drawn, each "
			  "write for itself, so that a pass writes some blocks more than once and others not: "
			  "`uniform`, `hotset,SET,WRITES` (SET % of the blocks, the first ones, receive WRITES % of "
			  "the writes), `zipf,S`, or another pattern of `pmbench`(1)."},
	{"ckpt-io", 0, "direct|buffered", OPT_CHOICE, .offset = FIELD(is_buffered),
		.choices = (const char *const[]){"direct", "buffered", NULL}, .preset = "direct",
		.help = "write the checkpoint with O_DIRECT or through the page cache",
		.manual = "Write the checkpoint with O_DIRECT (`direct`), or through the page cache (`buffered`) "
			  "as PostgreSQL does, where --ckpt-sync=pass makes it durable. The response of a buffered "
			  "write is the time to copy it into the page cache or to wait while the kernel throttles "
			  "it; its cost on the device shows in the syncs and in the log. Dirty pages that are left "
			  "are written back before each repetition. On a file system buffered and direct writes to "
			  "one file wait for each other: give the log another file (--ckpt-target). Kernel events "
			  "are not recorded."},
	{"ckpt-flush-after", 0, "SIZE", OPT_SIZE, .offset = FIELD(hint_bytes), .max = UNITS_GIB,
		.help = "start writeback of a buffered checkpoint every SIZE; 0 is never (default: 256k)",
		.manual = "Start writeback of each SIZE of consecutive writes with `sync_file_range`(2) and "
			  "SYNC_FILE_RANGE_WRITE, as checkpoint_flush_after of PostgreSQL does. From 0, for never, "
			  "to 1 GiB (default: 256k). Needs --ckpt-io=buffered."},
	{"workers", 0, "N", OPT_UNSIGNED, .offset = FIELD(override.workers), .min = 1, .max = MIX_WORKERS_MAX, .preset = "1",
		.help = "divide the depth and area of each stream among N threads",
		.manual = "Divide the depth and the area of each stream among N threads, 1 to 64. A stream has at "
			  "most as many threads as outstanding writes."},
	{"durability", 0, "none|dsync|fdatasync", OPT_CHOICE, .offset = FIELD(durability),
		.choices = (const char *const[]){
			[BACKEND_NONE] = "none", [BACKEND_DSYNC] = "dsync", [BACKEND_FDATASYNC] = "fdatasync", NULL},
		.preset = "none", .help = "make each log write durable by this method",
		.manual = "Make each log write durable: `dsync` writes with RWF_DSYNC, `fdatasync` links an "
			  "`fdatasync`(2) to each write. Checkpoint writes are not made durable one by one, see "
			  "--ckpt-sync. The run compares the acknowledged syncs with the cache flushes that the "
			  "devices below completed: fewer flushes than syncs that wait together can share make the "
			  "verdict `durability-not-confirmed`, with the numbers, as on a file system mounted with "
			  "nobarrier. Where the kernel counts no flushes the report says so "
			  "(`durability-not-counted`). As flushes are counted for all processes, the counter is "
			  "also read before and after a sync every 10 ms: a sync in which no flush completed is "
			  "not confirmed. On a device in memory, or an overlay mounted with `volatile`, the "
			  "verdict is `not-durable`. Needs a mix with a log."},
	{"ckpt-sync", 0, "none|pass", OPT_CHOICE, .offset = FIELD(checkpoint_sync),
		.choices = (const char *const[]){[RUN_SYNC_NONE] = "none", [RUN_SYNC_PASS] = "pass", NULL},
		.help = "sync each checkpoint at its end (default: pass if the log is durable)",
		.manual = "With `pass` each checkpoint ends with one `fdatasync`(2) after its last write, as in a "
			  "database before it truncates its log; the pause and the next checkpoint follow it. "
			  "During the sync the stream has no outstanding write. The sync is not a write: it is "
			  "counted and timed by itself. With --workers the part of each worker is a checkpoint of "
			  "its own. A checkpoint that the end of the run interrupts is not synced. The default is "
			  "`pass` with --durability other than `none` and with --ckpt-io=buffered, and `none` "
			  "otherwise."},
	{"group-commit", 0, "N", OPT_UNSIGNED, .offset = FIELD(group_commit), .min = 1, .max = 1000, .preset = "1",
		.help = "carry N commits in each log write",
		.manual = "Carry N commits, 1 to 1000, in each log write; all of them complete when it is durable. "
			  "More than one needs --durability or --rate."},
	{"rate", 0, "N", OPT_U64, .offset = FIELD(rate), .min = 1, .max = 100000000,
		.help = "issue N commits per second (default: when writes complete)",
		.manual = "Issue N commits per second at equal intervals, 1 to 100000000, whether or not "
			  "earlier ones are done: an open loop. A write is due when the last of its commits has "
			  "arrived. Without this option as many writes as the depth are always outstanding."},

	{.type = OPT_TITLE, .help = "Target, time and engine"},
	{"target", 0, "PATH", OPT_STRING, OPT_TYPED_ONLY, .offset = FIELD(target), .must_be_typed = is_real_target,
		.help = "write to this file, folder or block device, or sim:PRESET (required)",
		.manual = "Write to this file or block device, or to a file without a name in this folder, or to a "
			  "simulated device: `sim:small`, `sim:full` or `sim:mqsim-like` (see SIMULATED DEVICE; a "
			  "file of such a name is `./sim:small`). This option is required; --replay takes only a "
			  "simulated one from a report."},
	{"sim", 0, "KEY=VALUE", OPT_OWN, OPT_REPEATS, .set = add_sim,
		.help = "set a parameter of the simulated device; repeatable",
		.manual = "Set a parameter of the simulated device, up to 64 times; the last value of a key is used. Needs "
			  "--target sim:PRESET. The keys:" SIM_PARAMS_MANUAL},
	{"sim-config", 0, "FILE", OPT_STRING, .offset = FIELD(device.config),
		.help = "read KEY=VALUE lines of parameters from FILE",
		.manual = "Read parameters of the simulated device from FILE, one KEY=VALUE a line; empty lines and lines "
			  "that begin with # are skipped. They replace those of the preset, and --sim replaces them."},
	{"mqsim", 0, "FILE", OPT_STRING, .offset = FIELD(device.mqsim),
		.help = "take the streams from a workload definition of MQSim",
		.manual = "Take the streams of a custom mix from FILE, a workload definition (XML) of the "
			  "simulator MQSim. A scenario may have one or two flows of "
			  "IO_Flow_Parameter_Set_Synthetic that only write (Read_Percentage 0), blocks of one "
			  "size (Request_Size_Distribution FIXED), by QUEUE_DEPTH. A flow whose "
			  "Address_Distribution is STREAMING is the log, or of two the second one the checkpoint; "
			  "a random one is the checkpoint, its blocks drawn `uniform`, or with RANDOM_HOTCOLD and "
			  "Percentage_of_Hot_Region P as `hotset,P,100-P`, which is what MQSim does. As there, "
			  "flows divide the exported space equally, and each uses Working_Set_Percentage of its "
			  "part. Stop_Time is the runtime. Options that are given replace what the file says. A "
			  "flow without a write cache (TURNED_OFF, READ_CACHE) needs --sim mode=direct or "
			  "write-through. Ignored are Channel_IDs, Chip_IDs, Die_IDs, Plane_IDs, Seed and "
			  "Initial_Occupancy_Percentage (see --sim precondition); a STREAMING flow begins at its "
			  "area's start, not anywhere. All else is refused by the name of its element. Needs "
			  "--target sim:PRESET; excludes all mixes but `custom`, which need not be given."},
	{"mqsim-scenario", 0, "N", OPT_UNSIGNED, .offset = FIELD(device.mqsim_number), .min = 1,
		.max = MQSIM_SCENARIOS, .preset = "1",
		.help = "take scenario N of the file of --mqsim",
		.manual = "Take scenario N of the file of --mqsim, 1 to 1000."},
	{"policy", 0, "NAME", OPT_OWN, OPT_REPEATS, .set = add_policy,
		.choices = (const char *const[]){SIM_POLICIES(POLICY_NAME) NULL},
		.help = "place pages or order writes in the simulated device by a policy",
		.manual = "Place pages or order waiting work in the simulated device by a policy instead of by the board's "
			  "firmware. NAME may be followed by parameters, `NAME,KEY=VALUE`, and by a condition, `NAME:if=COND` or "
			  "`NAME:if=COND for TIME`. `multistream` and `fdp` are placements, the others orders; one of each may be "
			  "given. An order applies to the commands that have arrived, to the host DMA, and to what waits for a "
			  "way: the flash operations of a command, and the copies of a collection that it caused. Running "
			  "operations are not interrupted, pages of a block are programmed in order, and an erase passes nothing. "
			  "With a condition the policy reacts to the device's own records: it becomes active when a command "
			  "is completed of which COND holds, and stays so to the end, or for TIME after the last such command. "
			  "COND is a condition of --freeze-if with the fields `step(A,B)`, `copies`, `busy`, `qdepth` and "
			  "`cmd`. The report has the write amplification of each stream, and how often and how long "
			  "policies were active. Example:\n\n"
			  "  --policy=multistream --policy='log-first:if=log.step(6,7)>5ms && busy>20 for 50ms'\n\n"
			  "Needs --target sim:PRESET. The policies:" SIM_POLICY_MANUAL},
	{"destroy-data", 0, "PATH", OPT_STRING, OPT_UNREPORTED, .offset = FIELD(destroy_data),
		.help = "confirm overwriting the contents of PATH, the same as --target",
		.manual = "Confirm that the contents of the target may be overwritten. PATH is the same text as in "
			  "--target, or of a device its path or serial number."},
	{"ckpt-target", 0, "PATH", OPT_STRING, OPT_TYPED_ONLY, .offset = FIELD(checkpoint_target),
		.help = "write the checkpoint to another file, folder or device",
		.manual = "Write the checkpoint to another file, folder or block device, as a database whose log "
			  "has its own device; --target then has the log alone. Every check of a target applies to "
			  "both before either is changed. Each has a header, and `verify` reads either by itself. "
			  "Kernel events are not recorded; disk counters and the check of flushes are of the log's "
			  "target. Needs a mix of two streams; --replay does not take it from a report."},
	{"ckpt-destroy-data", 0, "PATH", OPT_STRING, OPT_UNREPORTED, .offset = FIELD(checkpoint_destroy),
		.help = "confirm overwriting the contents of PATH, the same as --ckpt-target",
		.manual = "Confirm that the contents of --ckpt-target may be overwritten. PATH is the same text as "
			  "there. Needs --ckpt-target."},
	{"keep", 0, NULL, OPT_FLAG, OPT_UNREPORTED, .offset = FIELD(is_kept), .help = "keep a file that the run creates",
		.manual = "Keep a file that the run creates, for `verify` and for the next run. A device always "
			  "keeps its header and is written again without confirmation."},
	{"no-prepare", 0, NULL, OPT_FLAG, .offset = FIELD(is_unprepared), .help = "skip writing the areas in full before the run",
		.manual = "Skip writing the areas in full before the run. Writes then meet extents that were never "
			  "written, which costs more, and the verdict says so."},
	{"runtime", 0, "TIME", OPT_TIME, .offset = FIELD(runtime_ns), .min = 1, .max = DAYS_MAX_NS, .preset = "20s",
		.help = "measure for TIME",
		.manual = "Measure for TIME, up to 7 days, in each repetition of each cell."},
	{"warmup", 0, "TIME", OPT_TIME, .offset = FIELD(warmup_ns), .max = DAYS_MAX_NS, .preset = "0",
		.help = "write for TIME before the measurement",
		.manual = "Write for TIME, up to 7 days, before the measurement of each repetition."},
	{"accept-limit", 0, NULL, OPT_FLAG, .offset = FIELD(accepts_limits), .help = LIMITS_OPTION_HELP,
		.manual = LIMITS_OPTION_MANUAL},
	{"engine", 0, "uring|threads", OPT_OWN, .offset = FIELD(engine), .set = set_engine, .allowed = AN_ENGINE,
		.help = "try this engine first (default: uring)",
		.manual = "Try this engine first: io_uring, or a thread with `pwritev2`(2) for each outstanding "
			  "write (default: uring). The report names the one that was used, and why another was "
			  "unavailable."},
	{"require", 0, "uring|threads", OPT_OWN, .offset = FIELD(require), .set = set_engine, .allowed = AN_ENGINE,
		.help = "fail if this engine is unavailable",
		.manual = "Use this engine, and end with status 3 if it is unavailable."},
	{"sqpoll", 0, NULL, OPT_FLAG, .offset = FIELD(is_sqpoll), .help = "submit from a kernel thread (io_uring)",
		.manual = "Submit from a kernel thread (IORING_SETUP_SQPOLL). Needs the engine `uring`."},
	{"iopoll", 0, NULL, OPT_FLAG, .offset = FIELD(is_iopoll), .help = "poll for completions (io_uring)",
		.manual = "Poll for completions (IORING_SETUP_IOPOLL), on devices that support it. Needs the "
			  "engine `uring`; excludes --ckpt-io=buffered."},
	{"seed", 0, "N", OPT_U64, .offset = FIELD(seed), .preset = "1", .help = "seed the data and the order of repetitions",
		.manual = "Seed the data and the order of repetitions, 0 to 2^64 - 1."},
	{"replay", 0, "REPORT", OPT_STRING, OPT_FIRST | OPT_UNREPORTED, .offset = FIELD(replay_path),
		.help = "take the options of an earlier run; options on the command line replace them",
		.manual = "Take the options of the run that made this report; those on the command line replace "
			  "them. --engine and --require replace each other, --ckpt-pause replaces --ckpt-every and "
			  "--ckpt-completion, and --ckpt-io replaces --ckpt-flush-after. Targets, confirmations "
			  "and output files are not taken from a report: give --target, and --ckpt-target for a "
			  "run of two targets."},

	{.type = OPT_TITLE, .help = "Measurement"},
	{"verify", 0, NULL, OPT_FLAG, .offset = FIELD(has_verify), .help = "read everything back; status 1 on any loss",
		.manual = "Read everything back at the end; the exit status is 1 on any loss. Excludes --baselines."},
	{"baselines", 0, NULL, OPT_FLAG, .offset = FIELD(has_baselines), .help = "measure each stream alone as well, in turn",
		.manual = "Measure each stream alone as well, on the same areas, interleaved with the mix in an "
			  "order that changes from repetition to repetition. The report has the ratio of the "
			  "medians over the repetitions with a 95 % bootstrap interval: of the response, of the "
			  "writes a second (throughput), and with --durability also of the commits, which a "
			  "transaction waits for; with `fdatasync` only commits include the time to become "
			  "durable. Needs a mix of two streams; excludes --verify and --dump."},
	{"without", 0, "none|other|gc|erase", OPT_CHOICE, .offset = FIELD(without),
		.choices = run_without_names, .preset = "none",
		.help = "measure also without this cause of waiting in a simulated device",
		.manual = "Measure the mix, and in turn the mix without this cause: `other` is each stream alone "
			  "(--baselines), with `gc` garbage collection takes no time, with `erase` erases take none. For "
			  "each stream the report has both mean times of a write, their difference, and the time that `analyze "
			  "attribution` gives to the cause in the mix's last repetition. Means are of all writes, that time of "
			  "those whose records are kept: where these are fewer (--sim cache) the report says how many. "
			  "Difference and attributed time are close where the device has idle time, and differ where "
			  "without the cause the write waits for another one: attribution is accounting. A collection belongs to "
			  "the stream that triggers it, even if it copies pages of the other one, so `other` costs more than it "
			  "is given. Where the device is always busy (M-N), what one stream gains the other may lose. Needs "
			  "--target sim:PRESET and --records; `other` needs a mix of two streams."},
	{"runs", 0, "N", OPT_UNSIGNED, .offset = FIELD(runs), .min = 1, .max = BASELINE_RUNS_MAX,
		.help = "repeat each cell N times (default: 1; 5 with baselines)",
		.manual = "Repeat each cell N times, 1 to 1000 (default: 1; with --baselines 5). Fewer than five "
			  "have wide intervals, one has none."},
	{"records", 0, "TIME", OPT_TIME, OPT_ZERO, .offset = FIELD(record_ns), .min = 10 * UNITS_NS_PER_SEC, .max = DAYS_MAX_NS,
		.preset = "10s", .help = "keep the records of the last TIME in memory; 0 is none",
		.manual = "Keep the records of the last TIME in memory: 10s to 7 days, or 0 for no records. Rings "
			  "are allocated before the run; the oldest records are overwritten. A trial of up to a "
			  "second measures how fast the mix writes; rings are for at least twice its peak, for all "
			  "that its depth could do if each write were as quick as the quickest (up to 64 MiB of a "
			  "stream), and for one and a half times the rate of any earlier repetition. A faster run "
			  "holds less, and the report says how much (`held_s`). Rings take at most three quarters "
			  "of the memory that is free and that cgroups allow: they are shortened with a warning, "
			  "and the run is refused where not even the smallest fit."},
	{"freeze-if", 0, "COND", OPT_OWN, .set = set_freeze, .allowed = "must be a condition such as 'log.latency>5ms&&other>=8'",
		.help = "stop recording when COND is true of a write",
		.manual = "Stop recording when COND is true of a write: up to 8 terms joined by `&&`, each a "
			  "field, one of `> >= < <= ==` and a value, as in `'log.latency>5ms&&other>=8'`. Fields "
			  "are `latency` (the response: with --rate from when the write was due), `service` (from "
			  "the system call on), `batching` (before it), `late` (the delay behind --rate when it "
			  "began), `own` and `other` (writes of this and of the other stream in flight), "
			  "`sequence` (of the writes of a worker, those of the trial before the run included), "
			  "`time` (since the measurement began) and `error`, which takes no value. Of a simulated "
			  "device, which has no `batching` and no `error`, further fields are `step(A,B)`, the "
			  "longest time that a page of the write took from station A to station B (1 is the system "
			  "call, 2 the arrival in the device, 3 to 11 are in SIMULATED DEVICE), `copies` (pages that "
			  "garbage collection copied for the write), and when it is completed `busy` (ways at "
			  "work), `qdepth` (commands in the device, this one included) and `cmd` (its number), as "
			  "in `'step(6,7)>1ms && busy>20'`. With `log.` or "
			  "`checkpoint.` before a field the term is of this stream. Many ordinary writes exceed a "
			  "duration alone: add a context. Needs --records."},
	{"post", 0, "N", OPT_U64, .offset = FIELD(post), .max = UINT32_MAX, .preset = "0",
		.help = "record N more writes after --freeze-if",
		.manual = "Record N more writes, up to 4294967295, after the condition of --freeze-if was true. "
			  "Needs --freeze-if."},
	{"at", 0, "TIME:COMMAND", OPT_OWN, OPT_REPEATS, .set = add_at,
		.help = "give the simulated device's recorder COMMAND at TIME; repeatable",
		.manual = "Give the recorder COMMAND, TIME after the measurement began in virtual time; up to 16 times. "
			  "`freeze` stops recording. `freeze-if COND` or `freeze-if COND post N` replaces the condition of "
			  "--freeze-if. `arm` restarts recording: the records until then are dropped, and the condition can fire "
			  "again. `clear` removes the condition. `sample 1/K` makes the device record one of K commands "
			  "that are submitted from then on. `stations LIST` makes it record these stations, as in "
			  "`3,6-8`, or `all`. `reset` does what `arm` does and sets condition, sample and stations to what "
			  "they were at the beginning. `freeze-if` and `clear` do not undo a freeze. A dump (--dump) has "
			  "what is kept at the end of the run. Commands change no time of a write, unless records have a "
			  "cost (--sim record-cost). Example:\n\n"
			  "  --at '5s:sample 1/10' --at '10s:freeze-if step(6,7)>5ms && busy>20 post 1000'\n\n"
			  "Needs --target sim:PRESET and --records."},
	{"trace", 0, "auto|on|off", OPT_CHOICE, .offset = FIELD(trace),
		.choices = (const char *const[]){
			[RUN_TRACE_AUTO] = "auto", [RUN_TRACE_ON] = "on", [RUN_TRACE_OFF] = "off", NULL},
		.preset = "auto", .help = "record the kernel's block events",
		.manual = "Record the kernel's block events in a trace instance of this run. They divide the time of each "
			  "write and sync, with the flush of the device's cache as a part of its own; any flush of "
			  "the disk in that time counts, also one that another process asked for. `on` ends with "
			  "status 3 where they are unavailable, `auto` says why. `on` needs --records and excludes "
			  "--ckpt-io=buffered and --ckpt-target."},
	{"slo", 0, "OBJECTIVE", OPT_OWN, OPT_REPEATS, .set = add_slo,
		.allowed = "must be [log:|checkpoint:|commit:|sync:]STATISTIC<TIME as in 'p99<10ms' or 'commit:p99.9<=20ms'",
		.help = "exit with status 1 unless 'p99<10ms', 'commit:p99.9<20ms', ...; repeatable",
		.manual = "Exit with status 1 unless the mix, all repetitions together, meets this OBJECTIVE: `log:` (the "
			  "default) or `checkpoint:` for the response of the stream's writes, `commit:` for the time until a "
			  "commit is durable, or `sync:` for the sync at the end of a checkpoint; then `mean`, `max` or a "
			  "percentile as `p99.9`, then `<` or `<=` and a time. Up to 16 times. Where the target is memory, or "
			  "the devices below it are unknown or did not confirm the syncs, an objective of something durable "
			  "(`commit:`, `sync:`, and `log:` with --durability=dsync) is undecided, and the status is 4, "
			  "as with every other verdict that is not ok. `commit:` needs --durability, `sync:` needs "
			  "--ckpt-sync=pass, which is the default of a durable log."},
	{"interval", 0, "TIME", OPT_TIME, OPT_ZERO, .offset = FIELD(interval_ns), .min = 10 * NS_PER_MS, .preset = "1s",
		.help = "add a row to the series every TIME; 0 is none",
		.manual = "Add a row to the series in the report every TIME: at least 10ms, or 0 for no series. A "
			  "run has at most 100000 rows."},

	{.type = OPT_TITLE, .help = "Output"},
	{"dump", 0, "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(dump_path), .begins = DUMP_MAGIC,
		.help = "write the records, for 'ssd-workloads analyze'",
		.manual = "Write the records of writes and syncs, 64 bytes each, for `analyze`. They are of one "
			  "run: measure the mix and each stream alone in runs of their own, and give `analyze` the latter with "
			  "`--alone`. Needs --records; excludes --baselines."},
	{"label", 0, "NAME=VALUE", OPT_OWN, OPT_REPEATS, .offset = FIELD(labels), .set = label_set, .allowed = LABEL_FORM,
		.help = "add a label to the report; repeatable",
		.manual = "Add a label to the report. May be given up to 32 times."},
	{"file", 'f', "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(xml_path), .begins = "<?xml",
		.help = "write the report as XML",
		.manual = "Write the report as XML. `-` is standard output, where it replaces the text."},
	{"json", 0, "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(json_path), .begins = "{", .bare = "-",
		.help = "write the report as JSON to FILE (default: stdout)",
		.manual = "Write the report as JSON; without FILE it replaces the text on standard output."},
	{"dry-run", 'n', NULL, OPT_FLAG, OPT_UNREPORTED, .offset = FIELD(is_dry_run),
		.help = "check everything, print the plan, and end",
		.manual = "Check everything, print what would be done, and end. Nothing is created or written."},
	{0},
};

const struct opt_relation run_option_relations[] = {
	{OPT_EXCLUDES, "verify", "baselines", "a verification covers one run; keep one"},
	{OPT_EXCLUDES, "dump", "baselines", "a dump has one run; keep one"},
	{OPT_NEEDS, "ckpt-destroy-data", "ckpt-target", NULL},
	{OPT_REPLACES, "engine", "require", NULL},
	{OPT_REPLACES, "require", "engine", NULL},
	{OPT_REPLACES, "ckpt-pause", "ckpt-every", NULL},
	{OPT_REPLACES, "ckpt-pause", "ckpt-completion", NULL},
	{OPT_REPLACES, "ckpt-io", "ckpt-flush-after", NULL},
	{0},
};

static int add_preset(struct opt_line *line, const char *name, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int add_preset(struct opt_line *line, const char *name, const char *format, ...)
{
	char text[64];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	return opt_add(line, opt_row(run_option_rows, name), text, OPT_BY_PRESET, NULL);
}

/* The options of a definition of MQSim, which others replace. How large its areas are depends on the device. */
static int add_mqsim(struct run_options *options, struct opt_line *line)
{
	static const char *const names[MIX_STREAMS][2] = {{"log-depth", "log-bs"}, {"ckpt-depth", "ckpt-bs"}};
	struct run_device *device = &options->device;
	struct mqsim_scenario scenario;
	uint64_t number;
	int rc = 0;

	if (!opt_text(line, "mqsim"))
		return DIAG_EXIT_OK;
	/* What is no number is refused when all options are set. */
	if (units_parse_u64(opt_text(line, "mqsim-scenario"), 1, MQSIM_SCENARIOS, &number))
		number = 1;
	if (mqsim_read(opt_text(line, "mqsim"), (unsigned)number, &scenario, device->why, sizeof(device->why)))
		return opt_refuse(line, "mqsim", device->why);
	device->is_mqsim_uncached = scenario.is_uncached;
	for (int i = 0; i < MIX_STREAMS && !rc; i++) {
		const struct mqsim_flow *flow = &scenario.flows[i];

		if (!flow->depth)
			continue;
		device->mqsim_shares[i] = flow->working_percent / 100.0 / scenario.count;
		rc = add_preset(line, names[i][0], "%u", flow->depth);
		if (!rc)
			rc = add_preset(line, names[i][1], "%u", flow->block_bytes);
		if (!rc && flow->hot_percent)
			rc = add_preset(line, "ckpt-order", "hotset,%u,%u", flow->hot_percent, 100 - flow->hot_percent);
		else if (!rc && flow->is_random)
			rc = add_preset(line, "ckpt-order", "uniform");
	}
	if (!rc && scenario.stop_ns)
		rc = add_preset(line, "runtime", "%" PRIu64 "ns", scenario.stop_ns);
	if (!rc)
		rc = add_preset(line, "mix", "custom");
	if (rc)
		diag_error(rc, "cannot take options of --mqsim");
	return rc ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

int run_options_add(void *data, struct opt_line *line)
{
	static const struct replay replay = {.root = "ssdworkloads", .command = "run"};
	struct run_options *options = data;
	int code = options->replay_path ? replay_take(&replay, options->replay_path, line) : DIAG_EXIT_OK;

	return code ? code : add_mqsim(options, line);
}

/* Two outputs in one place, or one in the place of the target. */
static int check_outputs(const struct run_options *options)
{
	const char *const targets[][2] = {{"--target", options->target}, {"--ckpt-target", options->checkpoint_target}};
	int code = DIAG_EXIT_OK;

	for (int i = 0; i < MIX_STREAMS && !code; i++) {
		const struct frame_file files[] = {{"-f", options->xml_path}, {"--json", options->json_path},
			{"--dump", options->dump_path}, {targets[i][0], targets[i][1]}};

		code = frame_check_apart(files, sizeof(files) / sizeof(files[0]));
	}
	return code;
}

/* In a folder each gets a file of its own. */
static bool is_same_target(const struct run_options *options)
{
	struct stat facts;

	if (!options->target || !options->checkpoint_target || (!stat(options->target, &facts) && S_ISDIR(facts.st_mode)))
		return false;
	return report_is_same_file(options->target, options->checkpoint_target);
}

/* What has no meaning in a model. */
static int check_simulated(const struct run_options *options, struct opt_line *line)
{
	static const char *const refused[] = {"verify", "keep", "destroy-data", "ckpt-target", "ckpt-destroy-data", "no-prepare",
		"engine", "require", "sqpoll", "iopoll", "ckpt-flush-after"};
	const char *why = "has no meaning for a simulated device; omit it";

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		if (opt_source_of(line, refused[i]) != OPT_BY_DEFAULT)
			return opt_refuse(line, refused[i], strcmp(refused[i], "no-prepare") ? why : "use --sim precondition=none");
	}
	if (options->is_buffered)
		return opt_refuse(line, "ckpt-io", why);
	return options->trace == RUN_TRACE_ON ? opt_refuse(line, "trace", why) : DIAG_EXIT_OK;
}

/* The preset, then the file, then what was typed. */
static int check_device(struct run_options *options, struct opt_line *line)
{
	struct run_device *device = &options->device;
	const struct script *script = &options->script;
	bool is_real = !options->target || is_real_target(options->target);
	int rc, code;

	if (freeze_check(&options->freeze, !is_real, device->why, sizeof(device->why)))
		return opt_refuse(line, "freeze-if", device->why);
	for (size_t i = 0; i < script->count && !is_real; i++) {
		if (freeze_check(&script->commands[i].freeze, true, device->why, sizeof(device->why)))
			return opt_refuse(line, "at", device->why);
	}
	if (is_real && device->mqsim)
		return opt_refuse(line, "mqsim", "needs --target sim:PRESET");
	if (is_real && options->has_pattern)
		return opt_refuse(line, "ckpt-order", "must be sequential or random; patterns need --target sim:PRESET");
	if (is_real && device->policy_count)
		return opt_refuse(line, "policy", "needs --target sim:PRESET");
	if (is_real && script->count)
		return opt_refuse(line, "at", "needs --target sim:PRESET");
	if (is_real) {
		const char *given = device->value_count ? "sim" : device->config ? "sim-config" : NULL;

		return given ? opt_refuse(line, given, "needs --target sim:PRESET") : DIAG_EXIT_OK;
	}
	device->preset = sim_preset_find(options->target + strlen(SIM_TARGET));
	if (!device->preset)
		return opt_refuse(line, "target", "must be sim:small, sim:full or sim:mqsim-like; of a file "
						  "give ./sim:NAME");
	code = check_simulated(options, line);
	if (code)
		return code;
	sim_params_init(device->preset, &device->params);
	rc = device->config ? sim_params_read(&device->params, device->config, device->why, sizeof(device->why)) : 0;
	if (rc)
		return opt_refuse(line, "sim-config", device->why);
	for (size_t i = 0; i < device->value_count; i++)
		(void)sim_params_set(&device->params, device->values[i], device->why, sizeof(device->why));
	if (sim_params_check(&device->params, device->why, sizeof(device->why)))
		return opt_refuse(line, "target", device->why);
	if (device->mqsim && strcmp(options->mix->name, "custom") != 0)
		return opt_refuse(line, "mix", "--mqsim gives the streams; omit this or give custom");
	if (device->is_mqsim_uncached && device->params.write_mode == SIM_BUFFERED)
		return opt_refuse(line, "mqsim", "Device_Level_Data_Caching_Mode has no write cache; give --sim mode=direct");
	options->trace = RUN_TRACE_OFF;
	return DIAG_EXIT_OK;
}

int run_options_check(void *data, struct opt_line *line)
{
	struct run_options *options = data;
	const char *engine = options->require ? options->require : options->engine;
	bool has_threads = engine && !strcmp(engine, "threads"), is_traced = options->trace == RUN_TRACE_ON;
	bool has_hint = opt_text(line, "ckpt-flush-after");
	const struct {
		bool is_wrong;
		const char *name, *why;
	} rules[] = {
		{!options->mix, "mix", "is required without --mqsim; 'ssd-workloads list' prints the mixes"},
		{!options->target, "target", "is required; name a new file, a folder or a block device"},
		{options->engine && options->require && strcmp(options->engine, options->require) != 0, "engine",
			"--require names another engine; keep one"},
		{opt_is_stdout(options->dump_path), "dump", "must be a file name"},
		{(options->dump_path || options->freeze.count || options->script.count) && !options->record_ns, "records",
			"there are no records for --dump, --freeze-if or --at; omit it"},
		{options->script.count && script_last_ns(&options->script) >= options->runtime_ns, "at",
			"must be before the end of the run; increase --runtime"},
		{is_traced && !options->record_ns, "records", "--trace on joins kernel events with records; keep one"},
		{options->is_sqpoll && has_threads, "sqpoll", "needs io_uring, which --engine or --require excludes"},
		{options->is_iopoll && has_threads, "iopoll", "needs io_uring, which --engine or --require excludes"},
		{has_hint && !options->is_buffered, "ckpt-flush-after", "needs --ckpt-io=buffered"},
		{options->is_buffered && options->is_iopoll, "iopoll",
			"the page cache of --ckpt-io=buffered cannot be polled; keep one"},
		{options->is_buffered && is_traced, "trace",
			"the kernel writes pages of --ckpt-io=buffered back after the writes; keep one"},
		{is_same_target(options), "ckpt-target", "--target names the same file; omit one or name another"},
		{options->checkpoint_target && is_traced, "trace", "kernel events cover one target; omit --ckpt-target"},
		{options->post && !options->freeze.count, "post", "needs --freeze-if"},
		{options->device.mqsim_number > 1 && !options->device.mqsim, "mqsim-scenario", "needs --mqsim"},
		{options->without && options->target && is_real_target(options->target), "without", "needs --target sim:PRESET"},
		{options->without && !options->record_ns, "records", "--without needs the records; keep one"},
		{options->without > RUN_WITHOUT_OTHER && options->has_baselines, "baselines",
			"--without=gc and erase compare the whole mix; keep one"},
		{options->without && (options->freeze.count || options->script.count), "without",
			"compares all writes; omit --freeze-if and --at"},
	};

	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (rules[i].is_wrong)
			return opt_refuse(line, rules[i].name, rules[i].why);
	}
	if (check_device(options, line))
		return DIAG_EXIT_USAGE;
	options->override.streams[MIX_LOG].has_depth = opt_text(line, "log-depth");
	options->override.streams[MIX_CHECKPOINT].has_depth = opt_text(line, "ckpt-depth");
	options->override.streams[MIX_CHECKPOINT].has_completion = opt_text(line, "ckpt-completion");
	if (!opt_text(line, "ckpt-sync"))
		options->checkpoint_sync = RUN_SYNC_AUTO;
	if (!has_hint)
		options->hint_bytes = HINT_BYTES;
	return check_outputs(options);
}

int run_options_parse(const struct command *command, int argc, char **argv, struct run_options *options)
{
	int code;

	*options = (struct run_options){.argc = argc, .argv = argv};
	code = command_parse(command, argc, argv, options, &options->line, NULL);
	if (!code && opt_list_effective(&options->line, options)) {
		diag_error(ENOMEM, "cannot list the options");
		code = DIAG_EXIT_HOST;
	}
	if (code)
		run_options_free(options);
	return code;
}

void run_options_free(struct run_options *options)
{
	label_free(&options->labels);
	opt_free(&options->line);
}

bool run_options_print_text(const struct run_options *options)
{
	return !opt_is_stdout(options->xml_path) && !opt_is_stdout(options->json_path);
}

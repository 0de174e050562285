/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memtrace record: chooses an engine, starts or finds the processes to record, writes the file. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/base/interrupt.h"
#include "common/base/units.h"
#include "common/cli/start_option.h"
#include "common/kernel/perf.h"
#include "memtrace/active/burst.h"
#include "memtrace/commands.h"
#include "memtrace/file/losses.h"
#include "memtrace/perf/cost.h"
#include "memtrace/perf/engine.h"
#include "memtrace/perf/recorder.h"
#include "memtrace/perf/recording.h"
#include "memtrace/target/allocs.h"
#include "memtrace/target/child.h"
#include "memtrace/target/control.h"

#define DRAIN_MS 200
#define FLUSH_NS 100000000ull
#define NOT_FOUND 127
#define NOT_RUN 126

struct record_options {
	const char *output, *control;
	uint64_t ring_bytes, max_bytes, duration_ns, period, hz, pid, allocs_bytes;
	double most_percent; /* 0 = the engine's default */
	unsigned engine; /* index in engine_names */
	struct start start; /* --start-at */
	bool wants_user, wants_kernel, is_system, is_paused, is_compressed, is_quiet;
};

#define FIELD(NAME) offsetof(struct record_options, NAME)

static int set_overhead(struct opt_value *in)
{
	char text[32];
	size_t length = strlen(in->text);

	in->why = "must be a percentage from 0.1 to 50";
	if (length && in->text[length - 1] == '%')
		length--;
	snprintf(text, sizeof(text), "%.*s", (int)length, in->text);
	return units_parse_double(text, 0.1, 50, &((struct record_options *)in->options)->most_percent);
}

/* The names have the order of the table in memtrace/perf/engine.c. */
static const char *const engine_names[] = {"auto", "pebs", "ibs", "spe", "burst", "cpu-clock", "page-faults", "refault",
	"popularity", NULL};

static const struct opt rows[] = {
	{.type = OPT_TITLE, .help = "Engine"},
	{"engine", 'e', "ENGINE", OPT_CHOICE, .offset = FIELD(engine), .choices = engine_names, .preset = "auto",
		.help = "record memory accesses by this engine",
		.manual = "Record by this engine; see ENGINES. `auto` takes the first of the list that this machine has. A line on "
			  "stderr (not with --quiet) and the recording say which one and why; the line has the published accuracy "
			  "of the engine, too, and `memtrace selfcheck` measures that of this machine. `auto` does not take "
			  "refault and popularity, and burst neither with --all nor with --count and --frequency."},
	{"count", 'c', "PERIOD", OPT_U64, .offset = FIELD(period), .min = 1, .max = 1ull << 40,
		.help = "take a sample every PERIOD events of the engine (default: the engine's)",
		.manual = "Take a sample every PERIOD events of the engine: loads or stores (pebs: 4000), micro-operations (ibs: "
			  "65536, a multiple of 16), operations (spe: 4096, a multiple of 256), nanoseconds of CPU time "
			  "(cpu-clock: 1000000, at least 10000), page faults (page-faults: 1). With burst: execute PERIOD "
			  "instructions in each (256, at most 65536), and --frequency may be given, too. Not with refault "
			  "and popularity."},
	{"frequency", 'F', "HZ", OPT_U64, .offset = FIELD(hz), .min = 1, .max = 100000,
		.help = "take HZ samples per second of CPU time instead",
		.manual = "Take HZ samples per second of CPU time instead. Not with spe and page-faults. With pebs and ibs the "
			  "kernel adjusts the period all the time, and interrupts for each sample. With refault and popularity: "
			  "page out HZ pages per second (2000); with burst: make HZ bursts per second (20)."},
	{"overhead", 0, "PERCENT", OPT_OWN, .offset = FIELD(most_percent), .set = set_overhead,
		.help = "take at most PERCENT of the program's time; with burst, refault, popularity and cpu-clock (50)",
		.manual = "Take at most PERCENT of the program's time, from 0.1 to 50; see COST. burst, refault and popularity "
			  "pause after each burst or page until the program has had its part, whatever --frequency says "
			  "(default 50). cpu-clock lowers the frequency at the start if a sample, by a calibration, takes "
			  "more. Other engines are refused: the cost of their samples is not known, or they record every event."},
	{"user", 0, .type = OPT_FLAG, .offset = FIELD(wants_user),
		.help = "record accesses in user mode (default: user; page faults: user and kernel)"},
	{"kernel", 0, .type = OPT_FLAG, .offset = FIELD(wants_kernel), .help = "record accesses in kernel mode",
		.manual = "Record accesses in kernel mode; with --user both. It needs kernel.perf_event_paranoid 1 or root. Not "
			  "with cpu-clock, burst and popularity; refault always has both."},
	{.type = OPT_TITLE, .help = "Target"},
	{"pid", 'p', "PID", OPT_U64, .offset = FIELD(pid), .min = 1, .max = 1 << 22,
		.help = "record the process PID instead of a command",
		.manual = "Record the process PID, with all its threads and what they start, instead of a command. The recording "
			  "ends with the process, after --duration, or by SIGINT. Only burst and popularity stop the process, "
			  "for their bursts."},
	{"all", 'a', .type = OPT_FLAG, .offset = FIELD(is_system), .help = "record all processes of this machine",
		.manual = "Record all processes of this machine until --duration is over or SIGINT comes. It needs root, or "
			  "kernel.perf_event_paranoid 0."},
	{"duration", 'd', "TIME", OPT_TIME, .offset = FIELD(duration_ns), .min = 1000000, .max = 1000000000000000000ull,
		.help = "end after TIME; with --pid and --all (default: never)"},
	START_OPTION(FIELD(start), "to record",
		"The engine is prepared before; the command, or the recording of what runs, begins at TIME."),
	{"control", 0, "FILE", OPT_STRING, .offset = FIELD(control),
		.help = "take commands from the FIFO FILE: start, stop, mark, name, forget",
		.manual = "Take commands from the FIFO FILE, which is made, and removed at the end, unless it exists; one that "
			  "another user owns or may write to is refused. A command is a "
			  "line: `stop` and `start` stop and start sampling, `mark TEXT` begins the phase TEXT, `name NAME "
			  "START END [ELEMENT_BYTES]` names the addresses from START to before END, in hexadecimal, from then "
			  "on, and `forget NAME` removes the name. `memtrace control` and `memtrace mark` write them; the "
			  "command that is recorded finds the path in `" CONTROL_VARIABLE "` and may write to it itself."},
	{"allocs", 0, "BYTES", OPT_SIZE, .offset = FIELD(allocs_bytes), .min = 4096, .max = 1ull << 40, .bare = "64k",
		.help = "name samples by allocations of at least BYTES (64k)",
		.manual = "Name samples by allocations of at least BYTES (64k without a value, at least 4k): a library is "
			  "preloaded into the command that logs the calls of malloc, calloc, realloc, posix_memalign, "
			  "aligned_alloc, free, mmap, munmap, brk and sbrk of that size, with the place that made them. Not "
			  "with `--pid` and `--all`. See ALLOCATIONS."},
	{"paused", 0, .type = OPT_FLAG, .offset = FIELD(is_paused), .help = "take no samples before --control says start"},
	{.type = OPT_TITLE, .help = "Output"},
	{"output", 'o', "FILE", OPT_STRING, OPT_OUTPUT, .offset = FIELD(output), .begins = TRACE_MAGIC, .preset = "recording.mtr",
		.help = "write the recording to FILE",
		.manual = "Write the recording to FILE. A recording is replaced once the command runs; any other file with content "
			  "is refused. A recording that was interrupted, or whose disk became full, can be read up to there."},
	{"compress", 0, .type = OPT_FLAG, .offset = FIELD(is_compressed), .help = "compress the recording with zstd",
		.manual = "Compress each block of the recording with zstd: about a third of the size."},
	{"max-size", 0, "SIZE", OPT_SIZE, .offset = FIELD(max_bytes), .min = 1 << 20, .max = 1ull << 50,
		.help = "end the recording before it is larger than SIZE (default: no limit)",
		.manual = "End the recording before it is larger than SIZE, at least 1m. The command, or the process of --pid, "
			  "continues; record waits for the command and ends with its status, or 4. To keep the newest part of a "
			  "long recording, record a running process piece by piece; each piece is readable alone: `while memtrace "
			  "record -p PID -d 60s -o piece.$((n = (n + 1) % 10)); do :; done`."},
	{"ring", 0, "SIZE", OPT_SIZE, .offset = FIELD(ring_bytes), .min = 64 << 10, .max = 1ull << 30, .preset = "4m",
		.help = "use a ring of SIZE for each CPU, a power of two",
		.manual = "Use a ring of SIZE for each CPU, a power of two from 64k to 1g. The kernel drops records when a ring is "
			  "full; the report counts them. Without root the ring is reduced to what may be locked."},
	{"quiet", 'q', .type = OPT_FLAG, .offset = FIELD(is_quiet), .help = "print neither the engine nor a summary"},
	{0},
};

static const struct opt_relation relations[] = {
	{OPT_EXCLUDES, "pid", "all", "both set the target; keep one"},
	{OPT_NEEDS, "paused", "control", "only a command on the FIFO can start it"},
	{0},
};

static const struct engine *wanted_engine(const struct record_options *record)
{
	return record->engine ? engine_find(engine_names[record->engine]) : NULL;
}

static int check(void *options, struct opt_line *line)
{
	struct record_options *record = options;
	const struct engine *engine = wanted_engine(record);

	if (record->ring_bytes & (record->ring_bytes - 1))
		return opt_refuse(line, "ring", "must be a power of two");
	if (engine && record->hz && !engine->has_frequency)
		return opt_refuse(line, "frequency", "this engine takes a period (use --count)");
	if (engine && record->wants_kernel && (engine->is_decoded || engine->steps))
		return opt_refuse(line, "kernel", "this engine records accesses in user mode only");
	if (engine && record->period && engine->pages_out)
		return opt_refuse(line, "count", "this engine takes pages per second (use --frequency)");
	if (engine && record->period > BURST_STEPS_MAX && engine->steps)
		return opt_refuse(line, "count", "must be at most 65536 instructions");
	if (record->period && record->hz && !(engine && engine->steps))
		return opt_refuse(line, "count",
			"sets the number of samples, as --frequency does; keep one (burst takes both)");
	if (engine && record->is_system && engine_is_sampler(engine))
		return opt_refuse(line, "all", "this engine needs a command or --pid");
	if (engine && record->most_percent && !engine_is_sampler(engine) && !engine->is_decoded)
		return opt_refuse(line, "overhead", "not with this engine: its cost is not known before, or it records all events");
	if (record->allocs_bytes && (record->pid || record->is_system))
		return opt_refuse(line, "allocs", "needs a command: a library is preloaded into it");
	if (record->duration_ns && !record->pid && !record->is_system)
		return opt_refuse(line, "duration", "needs --pid or --all: a command ends by itself");
	return 0;
}

/* --- recording --- */

struct record_session {
	const struct record_options *options;
	struct recorder *recorder;
	struct trace_writer *writer;
	struct mt_control *control;
	struct start start;     /* --start-at */
	struct engine_choice choice;
	uint64_t sample_ns;     /* time of the program per sample; 0 = unknown */
	struct allocs *allocs;
	struct child child;     /* with -p only its pid_fd is set */
	char **command;         /* empty: nothing was started */
	int status;             /* of the command */
	uint64_t ran_ns;        /* how long it was recorded */
	uint64_t begun_ns;      /* CLOCK_MONOTONIC */
	bool was_paused;
	bool is_over;           /* the recording has ended, the command perhaps not */
	bool is_whole;          /* it is complete */
};

/* Sets perf_ns to the clock of this recording, which is perf's unless the engine samples itself. */
static int read_anchor(const struct engine_choice *choice, struct perf_anchor *anchor)
{
	int err = perf_read_anchor(anchor);

	if (!err && engine_is_sampler(choice->engine))
		anchor->perf_ns = anchor->monotonic_ns;
	return err;
}

static int write_moment(struct record_session *session, enum trace_event_type type, const char *text)
{
	struct perf_anchor anchor;
	int err = read_anchor(&session->choice, &anchor);
	struct trace_event event = {.time_ns = anchor.perf_ns, .type = type, .text = text};

	return err ? err : trace_write_event(session->writer, &event);
}

static int write_name(struct record_session *session, enum control_word word, char text[CONTROL_TEXT], uint64_t time_ns)
{
	char words[CONTROL_TEXT];
	struct trace_event event;
	const char *why;

	memcpy(words, text, sizeof(words));
	if (mt_control_event(word, words, &event, &why)) {
		diag_warn("%s: %s %s: %s", session->options->control, word == CONTROL_NAME ? "name" : "forget", text, why);
		return 0;
	}
	event.time_ns = time_ns;
	return trace_write_event(session->writer, &event);
}

static int obey(struct record_session *session)
{
	char text[CONTROL_TEXT];
	enum control_word word;
	struct pollfd ready = {.fd = mt_control_fd(session->control), .events = POLLIN};
	struct perf_anchor read;
	int err;

	if (poll(&ready, 1, 0) <= 0)
		return 0;
	/* Read the time before the lines: once its line is gone, a program accesses the memory under the new name. */
	err = read_anchor(&session->choice, &read);
	while (!err && (word = mt_control_next(session->control, text)) != CONTROL_NONE) {
		switch (word) {
		case CONTROL_START:
			err = recorder_resume(session->recorder);
			if (!err)
				err = write_moment(session, TRACE_RESUME, "");
			break;
		case CONTROL_STOP:
			session->was_paused = true;
			err = recorder_pause(session->recorder);
			if (!err)
				err = write_moment(session, TRACE_PAUSE, "");
			break;
		case CONTROL_MARK:
			err = write_moment(session, TRACE_MARK, text);
			break;
		case CONTROL_NAME: case CONTROL_FORGET:
			err = write_name(session, word, text, read.perf_ns);
			break;
		default:
			diag_warn("%s: '%s' is no command (" CONTROL_WORDS ")", session->options->control, text);
		}
	}
	return err;
}

static int take_allocs(struct record_session *session)
{
	struct perf_anchor anchor;
	int err = session->allocs ? read_anchor(&session->choice, &anchor) : 0;

	return err || !session->allocs ? err : allocs_drain(session->allocs, &anchor, session->writer);
}

/* Tells whether the sampling process ran to the end; otherwise prints one line. */
static bool has_sampled(const struct record_session *session)
{
	const char *path = session->options->output;
	struct sampler_counts counts = {0};

	if (!recorder_sampled(session->recorder, &counts))
		return true;
	if (counts.signal)
		diag_error(0, "%s: the process that samples by %s was ended by signal %d: it has no samples from then on", path,
			session->choice.engine->name, counts.signal);
	else if (counts.err == -EPERM)
		diag_error(0, "%s: sampling by %s ended early: the kernel denied %s; allow it in the seccomp filter (docker run "
			"--cap-add SYS_PTRACE), and set kernel.yama.ptrace_scope to 1 or less", path,
			session->choice.engine->name, session->choice.engine->pages_out ? "process_madvise" : "ptrace");
	else if (counts.err)
		diag_error(counts.err, "%s: sampling by %s ended early", path, session->choice.engine->name);
	return !counts.signal && !counts.err;
}

/* Returns the expected samples, or bursts; 0 = not known. */
static uint64_t asked_samples(const struct record_session *session)
{
	const struct engine_choice *choice = &session->choice;
	const struct perf_event_attr *attr = &choice->events[0].attr;
	struct sampler_counts counts = {0};
	struct rusage used;
	double user_s;

	if (!session->command[0] || session->options->is_paused || session->was_paused || getrusage(RUSAGE_CHILDREN, &used))
		return 0;
	user_s = (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec / 1e6;
	if (choice->rates.bursts_hz) {
		(void)recorder_sampled(session->recorder, &counts);
		/* There is one burst at a time, however many threads run. */
		return (uint64_t)(fmin(user_s, (double)session->ran_ns / 1e9) * losses_bursts_asked((double)choice->rates.bursts_hz,
			session->options->most_percent, counts.bursts, (double)counts.stopped_ns / 1e9));
	}
	return choice->engine->is_decoded
		? (uint64_t)(user_s * (attr->freq ? (double)attr->sample_freq : 1e9 / (double)attr->sample_period)) : 0;
}

static void find_costs(const struct record_session *session, struct cost costs[TRACE_COSTS])
{
	const uint64_t *losses = recorder_losses(session->recorder);
	uint64_t samples = trace_writer_samples(session->writer);

	recorder_costs(session->recorder, costs);
	for (unsigned i = 0; i < TRACE_LOSSES; i++)
		samples += losses_counts_samples(i) ? losses[i] : 0;
	if (session->sample_ns)
		costs[TRACE_COST_SAMPLES] = (struct cost){samples, samples * session->sample_ns, true};
}

static int write_costs(const struct record_session *session)
{
	struct cost costs[TRACE_COSTS];
	int err = 0;

	find_costs(session, costs);
	for (unsigned i = 0; !err && i < TRACE_COSTS; i++) {
		struct trace_event event = {.type = TRACE_COST, .value = {costs[i].count, costs[i].ns, i, session->ran_ns},
			.text = ""};

		err = costs[i].is_known ? trace_write_event(session->writer, &event) : 0;
	}
	return err;
}

static int finish(struct record_session *session)
{
	struct trace_event end = {.type = TRACE_END, .pid = (uint32_t)session->child.pid, .tid = (uint32_t)session->child.pid,
		.value = {(uint64_t)(unsigned)session->status}, .text = ""};
	const int none[2] = {-1, -1};
	uint64_t asked;
	int err;

	session->is_over = true;
	session->ran_ns = clock_ns(CLOCK_MONOTONIC) - session->begun_ns;
	/* The children's time must be read before memtrace's own processes end, whose time it would include. */
	asked = asked_samples(session);
	err = recorder_end(session->recorder, session->writer);

	if (!err)
		err = recorder_drain(session->recorder, session->writer, none, 0);
	if (!err)
		err = take_allocs(session);
	/* The file may have become full just now. */
	end.value[1] = trace_writer_is_full(session->writer);
	trace_writer_limit(session->writer, 0);
	recorder_expect(session->recorder, trace_writer_samples(session->writer), asked);
	if (!err)
		err = recorder_write_losses(session->recorder, session->writer);
	if (!err)
		err = write_costs(session);
	/* A recording without TRACE_END counts as truncated. */
	session->is_whole = has_sampled(session);
	if (!err && session->is_whole)
		err = trace_write_event(session->writer, &end);
	if (!err)
		err = trace_writer_flush(session->writer);
	if (!err && end.value[1]) {
		char size[UNITS_TEXT];

		session->is_whole = false;
		diag_error(0, "%s: the recording ended at --max-size %s", session->options->output,
			units_format_size(session->options->max_bytes, size, sizeof(size)));
	}
	return err;
}

/* The recording has ended: control lines have no effect, but are read. */
static void wait_for_command(struct record_session *session, const int fds[2])
{
	struct pollfd ends[2] = {{.fd = fds[0], .events = POLLIN}, {.fd = fds[1], .events = POLLIN}};
	char text[CONTROL_TEXT];

	if (poll(ends, 2, DRAIN_MS) > 0 && ends[1].revents) {
		while (mt_control_next(session->control, text) != CONTROL_NONE)
			;
	}
}

static int record_some(struct record_session *session, const int fds[2], int wait_ms, uint64_t *flushed_ns)
{
	int err = recorder_drain(session->recorder, session->writer, fds, wait_ms);
	uint64_t now_ns;

	if (!err)
		err = obey(session);
	if (!err)
		err = take_allocs(session);
	now_ns = clock_ns(CLOCK_MONOTONIC);
	/* A killed recorder loses at most this much time. */
	if (!err && now_ns - *flushed_ns > FLUSH_NS) {
		err = trace_writer_flush(session->writer);
		*flushed_ns = now_ns;
	}
	return err ? err : trace_writer_is_full(session->writer) ? finish(session) : 0;
}

/* Records until the end, and passes signals to memtrace on to the command. */
static int follow(struct record_session *session)
{
	const int fds[2] = {session->child.pid_fd, mt_control_fd(session->control)};
	const uint64_t begun_ns = session->begun_ns, duration_ns = session->options->duration_ns;
	uint64_t now_ns, flushed_ns = begun_ns;
	bool has_command = session->command[0], has_ended = false;
	int err = 0, signal_sent = 0;

	while (!err && !has_ended) {
		int signal = interrupt_signal(), wait_ms = DRAIN_MS;

		if (signal && !signal_sent && has_command) {
			kill(session->child.pid, signal);
			signal_sent = signal;
		}
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (duration_ns && now_ns - begun_ns + DRAIN_MS * 1000000ull >= duration_ns)
			wait_ms = now_ns - begun_ns < duration_ns ? (int)((duration_ns - (now_ns - begun_ns)) / 1000000 + 1) : 0;
		if (session->is_over)
			wait_for_command(session, fds);
		else
			err = record_some(session, fds, wait_ms, &flushed_ns);
		now_ns = clock_ns(CLOCK_MONOTONIC);
		if (has_command) {
			has_ended = waitpid(session->child.pid, &session->status, WNOHANG) > 0;
		} else {
			struct pollfd end = {.fd = session->child.pid_fd, .events = POLLIN};

			has_ended = session->is_over || interrupt_signal() || (duration_ns && now_ns - begun_ns >= duration_ns) ||
				(end.fd >= 0 && poll(&end, 1, 0) > 0);
		}
	}
	if (!has_ended && has_command) {
		kill(session->child.pid, SIGTERM);
		while (waitpid(session->child.pid, &session->status, 0) < 0 && errno == EINTR)
			;
	}
	return err || session->is_over ? err : finish(session);
}

static void warn_allocs(const struct record_session *session)
{
	uint64_t dropped = session->allocs ? allocs_dropped(session->allocs) : 0;

	if (session->allocs && !allocs_processes(session->allocs))
		diag_warn("--allocs: %s did not load the library (it is static, set-user-ID or cleared its environment); "
			"no allocation is named", session->command[0]);
	if (dropped)
		diag_warn("--allocs: %llu calls were not logged; a larger BYTES logs fewer", (unsigned long long)dropped);
}

static void print_summary(const struct record_session *session)
{
	const struct engine_choice *choice = &session->choice;
	const uint64_t *losses = recorder_losses(session->recorder);
	const char *path = session->options->output;
	struct sampler_counts counts = {0};
	char size[UNITS_TEXT], text[LOSSES_TEXT], phrase[COST_TEXT];
	struct cost costs[TRACE_COSTS];
	bool is_known = false;

	/* Without a sampler its rates are 0. */
	(void)recorder_sampled(session->recorder, &counts);
	diag_info("%s: %llu samples by %s, %s", path,
		(unsigned long long)(trace_writer_samples(session->writer) - counts.outs),
		choice->engine->name, units_format_size(trace_writer_bytes(session->writer), size, sizeof(size)));
	find_costs(session, costs);
	if (choice->rates.pages_hz)
		diag_info("%s: %llu pages were paged out", path, (unsigned long long)costs[TRACE_COST_REFAULTS].count);
	if (choice->rates.bursts_hz)
		diag_info("%s: %llu instructions in %llu bursts; %llu times the chosen thread did not run", path,
			(unsigned long long)counts.steps, (unsigned long long)counts.bursts, (unsigned long long)counts.idle);
	for (unsigned i = 0; i < TRACE_COSTS; i++) {
		if (costs[i].is_known)
			diag_info("%s: recording took %s", path, cost_phrase(i, &costs[i], session->ran_ns, phrase));
		is_known |= costs[i].is_known;
	}
	if (!is_known)
		diag_info("%s: what recording took of the program's time is unknown: %s", path, choice->engine->cost);
	for (unsigned i = 0; i < TRACE_RECOVERIES && recorder_recovered(session->recorder); i++) {
		uint64_t recovered = recorder_recovered(session->recorder)[i];

		if (recovered)
			diag_info("%s: %llu samples whose base register was overwritten were recovered %s", path,
				(unsigned long long)recovered, trace_recovery_name(i));
	}
	for (unsigned i = 0; i < TRACE_LOSSES; i++) {
		/* print_reasons prints the reasons. */
		if (losses[i] && !losses_is_reason(losses, trace_writer_samples(session->writer), i))
			diag_warn("%s: %llu samples are missing: %s", path, (unsigned long long)losses[i],
				losses_phrase(losses, trace_writer_samples(session->writer), i, text));
	}
}

static bool print_reasons(const struct record_session *session)
{
	struct losses_reason reasons[LOSSES_REASONS];
	size_t count = losses_reasons(recorder_losses(session->recorder), trace_writer_samples(session->writer), reasons);

	char late[128];
	bool is_late = start_late_text(&session->start, late, sizeof(late));

	for (size_t i = 0; i < count; i++)
		diag_error(0, "%s: %s", session->options->output, reasons[i].text);
	if (is_late)
		diag_error(0, "%s: " START_LATE ": %s", session->options->output, late);
	return count || is_late;
}

/* A signal ends memtrace as it would have ended the command. Returns an exit code, after one line when it is not 0. */
static int wait_for_start(struct record_session *session)
{
	int err;

	session->start = session->options->start;
	err = start_wait(&session->start, interrupt_fd(), session->child.pid_fd);
	if (err != -EINTR)
		return err ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
	if (!interrupt_signal())
		return diag_host(0, "the process to record ended before --start-at");
	diag_error(0, "interrupted before --start-at: nothing was recorded");
	return 128 + interrupt_signal();
}

/* The command is executed before the file is emptied, so that an earlier recording survives a command that cannot be run. */
static int record_to(struct report_output *output, struct record_session *session)
{
	const struct record_options *options = session->options;
	struct perf_anchor anchor = {0};
	char *header;
	int err, failed, code = wait_for_start(session);

	if (code)
		return code;
	code = DIAG_EXIT_HOST;
	err = read_anchor(&session->choice, &anchor);
	header = err ? NULL : recording_header(&(struct recording_head){.choice = &session->choice, .anchor = &anchor,
		.start = &session->start,
		.ring_bytes = recorder_ring_bytes(session->recorder), .most_percent = options->most_percent,
		.allocs_bytes = options->allocs_bytes,
		.pid = options->pid, .is_system = options->is_system, .command = session->command});
	if (!header) {
		diag_error(err ? err : -ENOMEM, "cannot start recording");
		return code;
	}
	failed = session->command[0] ? child_go(&session->child) : 0;
	if (failed) {
		diag_error(-failed, "cannot run %s", session->command[0]);
		code = failed == ENOENT ? NOT_FOUND : NOT_RUN;
		goto out;
	}
	/* With its name the file survives a kill of the recorder. */
	err = report_output_publish(output);
	if (!err)
		err = trace_writer_open(fileno(report_output_stream(output)), header, recorder_cpus(session->recorder),
			&session->writer);
	if (!err && options->is_compressed)
		err = trace_writer_compress(session->writer);
	if (!err)
		trace_writer_limit(session->writer, options->max_bytes);
	session->begun_ns = clock_ns(CLOCK_MONOTONIC);
	failed = err ? 0 : recorder_begin(session->recorder, session->writer, anchor.perf_ns);
	if (failed) {
		diag_error(failed, "cannot start recording");
		goto out;
	}
	if (!err && options->is_paused)
		err = write_moment(session, TRACE_PAUSE, "");
	if (!err)
		err = follow(session);
	else if (session->command[0])
		kill(session->child.pid, SIGTERM);
	if (err) {
		diag_error(err, "cannot write %s: it can be read up to there", options->output);
		goto out;
	}
	warn_allocs(session);
	if (!options->is_quiet)
		print_summary(session);
	code = WIFSIGNALED(session->status) ? 128 + WTERMSIG(session->status) : WEXITSTATUS(session->status);
	if (print_reasons(session) || !session->is_whole)
		code = code ? code : DIAG_EXIT_UNTRUSTED;
	if (WIFSIGNALED(session->status))
		diag_error(0, "%s was ended by signal %d (%s)", session->command[0], WTERMSIG(session->status),
			strsignal(WTERMSIG(session->status)));
out:
	trace_writer_close(session->writer);
	free(header);
	return code;
}

/* --- preparing --- */

/* Applies --overhead: bursts and page-outs are bounded while they are taken, the clock's period is set now. Returns 0 or
 * -EINVAL. */
static int bound_overhead(double most_percent, uint64_t sample_ns, struct engine_choice *choice)
{
	struct perf_event_attr *attr = &choice->events[0].attr;
	double least_ns = (double)sample_ns * 100 / most_percent;

	if (engine_is_sampler(choice->engine)) {
		choice->rates.most = most_percent / 100;
		choice->rates.is_bounded = true;
		return 0;
	}
	if (!choice->engine->is_decoded || !sample_ns)
		return -EINVAL;
	if ((double)attr->sample_period < least_ns)
		attr->sample_period = (uint64_t)least_ns;
	return 0;
}

/* Returns an exit code, after one line when it is not 0. */
static int choose_engine(const struct record_options *options, struct engine_choice *choice, uint64_t *sample_ns)
{
	const struct engine *wanted = wanted_engine(options);
	struct perf_memory_request request = {.period = options->period, .hz = options->hz,
		.with_user = options->wants_user, .with_kernel = options->wants_kernel, .is_system = options->is_system};
	int err = engine_choose("", wanted, &request, perf_open_in, choice);

	if (err) {
		diag_error(0, "%s", choice->reason);
		return err == -EINVAL ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
	}
	*sample_ns = cost_calibrate(choice);
	if (options->most_percent && bound_overhead(options->most_percent, *sample_ns, choice))
		return diag_usage("--overhead: %s cannot be bounded: %s", choice->engine->name, choice->engine->is_decoded
			? "the cost of a sample could not be measured" : "a lower rate of it cannot be computed from its cost");
	return DIAG_EXIT_OK;
}

static int open_control(const struct record_options *options, struct mt_control **control)
{
	char *path;
	int err;

	if (!options->control)
		return DIAG_EXIT_OK;
	err = mt_control_open(options->control, control);
	if (err) {
		const char *why = err == -EEXIST ? ": exists and is not a FIFO"
			: err == -EBUSY ? ": another recording listens there"
			: err == -EREMOTE ? ": others may write to it; use a FIFO of your own, of mode 600" : NULL;

		diag_error(why ? 0 : err, "--control %s%s", options->control, why ? why : "");
		return why ? DIAG_EXIT_USAGE : DIAG_EXIT_HOST;
	}
	/* The path of a descriptor, /proc/PID/fd/N, cannot be resolved. */
	path = options->control[0] == '/' ? strdup(options->control) : realpath(options->control, NULL);
	if (path)
		setenv(CONTROL_VARIABLE, path, 1);
	free(path);
	return DIAG_EXIT_OK;
}

static int open_allocs(const struct record_options *options, struct allocs **allocs)
{
	int err = options->allocs_bytes ? allocs_open(options->allocs_bytes, allocs) : 0;

	if (err == -ENOENT)
		diag_error(0, "--allocs: libmemtrace-allocs.so is neither next to memtrace nor installed");
	else if (err)
		diag_error(err, "--allocs");
	return err ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

/* Starts the command's process, or opens the running one. Returns an exit code, after one line when it is not 0. */
static int find_target(struct record_session *session)
{
	const struct record_options *options = session->options;
	int err = 0;

	if (session->command[0]) {
		err = child_start(session->command, &session->child);
		if (err)
			diag_error(err, "cannot start %s", session->command[0]);
	} else if (options->pid) {
		session->child.pid_fd = (int)syscall(SYS_pidfd_open, (pid_t)options->pid, 0);
		err = session->child.pid_fd < 0 ? -errno : 0;
		if (err == -EINVAL)
			diag_error(0, "process %llu: is a thread, not a process", (unsigned long long)options->pid);
		else if (err)
			diag_error(err, "process %llu", (unsigned long long)options->pid);
	}
	return err ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

static int prepare_and_record(struct record_session *session)
{
	const struct record_options *options = session->options;
	struct recorder_request request = {.choice = &session->choice,
		.ring_bytes = options->ring_bytes, .is_paused = options->is_paused};
	char reason[256];
	struct report_output *output;
	int failed, code = choose_engine(options, &session->choice, &session->sample_ns);

	if (!code)
		code = open_control(options, &session->control);
	if (!code)
		code = open_allocs(options, &session->allocs);
	if (!code)
		code = find_target(session);
	if (code)
		return code;
	request.target = options->is_system ? RECORDER_SYSTEM : options->pid ? RECORDER_PROCESS : RECORDER_COMMAND;
	request.pid = options->pid ? (pid_t)options->pid : session->child.pid;
	failed = recorder_open(&request, &session->recorder, reason, sizeof(reason));
	if (failed) {
		diag_error(0, "%s", reason);
		return DIAG_EXIT_HOST;
	}
	code = recording_create(options->output, &output);
	if (code)
		return code;
	if (!wanted_engine(options) && !options->is_quiet)
		diag_info("engine %s (%s); %s; selfcheck measures it here", session->choice.engine->name, session->choice.reason,
			session->choice.engine->accuracy);
	code = record_to(output, session);
	/* A recording that was not begun leaves no file. */
	(void)report_output_close(output, false);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct record_options options = {0};
	struct record_session session = {.options = &options, .child = {.go_fd = -1, .failure_fd = -1, .pid_fd = -1}};
	struct opt_line line;
	bool is_attached;
	int code = command_parse(command, argc, argv, &options, &line, &session.command);

	is_attached = options.pid || options.is_system;
	if (!code && !is_attached && !session.command[0])
		code = (diag_error(0, "record: a command to run is missing"), DIAG_EXIT_USAGE);
	if (!code && is_attached && session.command[0])
		code = (diag_error(0, "record: %s: --pid and --all take no command", session.command[0]), DIAG_EXIT_USAGE);
	if (code) {
		opt_free(&line);
		return code;
	}
	interrupt_install();
	code = prepare_and_record(&session);
	recorder_close(session.recorder);
	mt_control_close(session.control);
	allocs_close(session.allocs);
	child_close(&session.child);
	while (session.child.pid > 0 && waitpid(session.child.pid, NULL, 0) < 0 && errno == EINTR)
		;
	opt_free(&line);
	return code;
}

const struct command memtrace_record = {
	.program = &memtrace_program,
	.name = "record",
	.arguments = "COMMAND [ARGUMENT...]",
	.summary = "record the memory accesses of a command, a process or the machine",
	.doc = "Run COMMAND and record its memory accesses, with those of all threads and processes that it starts, in a file.",
	.examples = "  memtrace record -o sort.mtr -- sort big.txt\n"
		    "  memtrace record --pid 4711 --duration 10s -o db.mtr\n",
	.notes = "The exit status is that of the command, or 128 + N when signal N ended it; 126 or 127: it could not be run.",
	.options = rows,
	.relations = relations,
	.flags = COMMAND_IN_ORDER,
	.check = check,
	.run = run,
};

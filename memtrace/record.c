/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/interrupt.h"
#include "common/units.h"
#include "memtrace/commands.h"
#include "memtrace/recorder.h"

#define DRAIN_MS 200
#define FLUSH_NS 1000000000ull
#define ARGUMENTS_MAX 64 /* of the command, in the header */
#define TEXT_MAX 256     /* bytes of one of them */
#define NOT_FOUND 127
#define NOT_RUN 126

struct record_options {
	const char *output;
	uint64_t ring_bytes;
	unsigned engine;
	bool is_quiet;
};

#define FIELD(NAME) offsetof(struct record_options, NAME)

static const char *const engines[] = {"page-faults", NULL};

static const struct opt rows[] = {
	{"engine", 'e', "page-faults", OPT_CHOICE, .offset = FIELD(engine), .choices = engines, .preset = "page-faults",
		.help = "record memory accesses by this engine",
		.manual = "Record by this engine. `page-faults` records every page fault of the command and its children: the "
			  "first access to each page, and each access to a page that was swapped out. It sees no other access."},
	{"output", 'o', "FILE", OPT_STRING, .offset = FIELD(output), .preset = "recording.mtr",
		.help = "write the recording to FILE",
		.manual = "Write the recording to FILE. A recording is replaced once the command runs; any other file with content "
			  "is refused. A recording that was interrupted, or whose disk became full, can be read up to there."},
	{"ring", 0, "SIZE", OPT_SIZE, .offset = FIELD(ring_bytes), .min = 64 << 10, .max = 1ull << 30, .preset = "4m",
		.help = "use a ring of SIZE for each CPU, a power of two",
		.manual = "Use a ring of SIZE for each CPU, a power of two from 64k to 1g. The kernel drops records when a ring is "
			  "full; the report counts them. Without root the ring is reduced to what may be locked."},
	{"quiet", 'q', .type = OPT_FLAG, .offset = FIELD(is_quiet), .help = "print no summary"},
	{0},
};

static int check(void *options, struct opt_line *line)
{
	struct record_options *record = options;

	if (record->ring_bytes & (record->ring_bytes - 1))
		return opt_refuse(line, "ring", "must be a power of two");
	return 0;
}

/* --- the command --- */

/* A child that waits for a byte, then becomes the command; errno of a failed exec comes back through the pipe. */
struct child {
	pid_t pid;
	int go_fd, failure_fd, pid_fd;
};

static int start_child(char **command, struct child *child)
{
	int go[2], failure[2];

	if (pipe2(go, O_CLOEXEC))
		return -errno;
	if (pipe2(failure, O_CLOEXEC)) {
		int err = -errno;

		close(go[0]);
		close(go[1]);
		return err;
	}
	child->pid = fork();
	if (!child->pid) {
		char byte;

		interrupt_reset();
		close(go[1]);
		/* The end of the file instead of the byte: the recorder is gone. */
		if (read(go[0], &byte, 1) == 1) {
			execvp(command[0], command);
			if (write(failure[1], &errno, sizeof(errno)) < 0)
				_exit(NOT_RUN);
		}
		_exit(NOT_FOUND);
	}
	close(go[0]);
	close(failure[1]);
	child->go_fd = go[1];
	child->failure_fd = failure[0];
	child->pid_fd = child->pid > 0 ? (int)syscall(SYS_pidfd_open, child->pid, 0) : -1;
	if (child->pid < 0 || child->pid_fd < 0) {
		int err = -errno;

		close(child->go_fd);
		close(child->failure_fd);
		return err;
	}
	return 0;
}

/* 0, or the positive errno of exec. */
static int let_go(struct child *child)
{
	int failed = 0;
	char byte = 1;

	if (write(child->go_fd, &byte, 1) != 1)
		return errno;
	close(child->go_fd);
	child->go_fd = -1;
	if (read(child->failure_fd, &failed, sizeof(failed)) != sizeof(failed))
		failed = 0;
	return failed;
}

static void close_child(struct child *child)
{
	if (child->go_fd >= 0)
		close(child->go_fd);
	close(child->failure_fd);
	close(child->pid_fd);
}

/* --- the header --- */

/* Cut: a header has up to 64 KiB. */
static void put_text(FILE *header, const char *value)
{
	for (const char *end = value + strnlen(value, TEXT_MAX); value < end; value++)
		fputc((unsigned char)*value < ' ' ? '?' : *value, header);
}

static void put(FILE *header, const char *name, const char *value)
{
	fprintf(header, "%s\t", name);
	put_text(header, value);
	fputc('\n', header);
}

static char *make_header(const struct recorder *recorder, const struct record_options *options, char **command)
{
	char *text = NULL, number[32], date[64];
	size_t length;
	FILE *header = open_memstream(&text, &length);
	struct utsname host;
	time_t now = time(NULL);
	struct tm utc;

	if (!header)
		return NULL;
	uname(&host);
	strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	put(header, "tool", "memtrace " PACKAGE_VERSION);
	put(header, "date", date);
	put(header, "host", host.nodename);
	put(header, "kernel", host.release);
	put(header, "arch", host.machine);
	put(header, "engine", engines[options->engine]);
	put(header, "period", "1");
	put(header, "clock", "perf (the kernel's sched_clock), ns");
	put(header, "kernel_faults", recorder_sees_kernel(recorder) ? "recorded" : "not recorded: kernel.perf_event_paranoid");
	snprintf(number, sizeof(number), "%llu", (unsigned long long)recorder_ring_bytes(recorder));
	put(header, "ring_bytes", number);
	snprintf(number, sizeof(number), "%ld", sysconf(_SC_PAGESIZE));
	put(header, "page_bytes", number);
	fputs("command\t", header);
	for (size_t i = 0; i < ARGUMENTS_MAX && command[i]; i++) {
		fputs(i ? " " : "", header);
		put_text(header, command[i]);
	}
	fputs(command[0] ? "\n" : "", header);
	return fclose(header) ? free(text), NULL : text;
}

/* --- recording --- */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UNITS_NS_PER_SEC + (uint64_t)now.tv_nsec;
}

/* Until the command has ended: signals that memtrace gets go to it. */
static int follow(struct recorder *recorder, struct trace_writer *writer, const struct child *child, int *status)
{
	int err = 0, signal_sent = 0;
	uint64_t flushed_ns = now_ns();
	pid_t ended = 0;

	while (!err && !ended) {
		int signal = interrupt_signal();

		if (signal && !signal_sent) {
			kill(child->pid, signal);
			signal_sent = signal;
		}
		err = recorder_drain(recorder, writer, child->pid_fd, DRAIN_MS);
		/* What a recording loses when memtrace is killed. */
		if (!err && now_ns() - flushed_ns > FLUSH_NS) {
			err = trace_writer_flush(writer);
			flushed_ns = now_ns();
		}
		ended = waitpid(child->pid, status, WNOHANG);
	}
	if (!ended) {
		kill(child->pid, SIGTERM);
		while (waitpid(child->pid, status, 0) < 0 && errno == EINTR)
			;
	}
	return err;
}

static int finish(struct recorder *recorder, struct trace_writer *writer, const struct child *child, int status)
{
	struct trace_event end = {.type = TRACE_END, .pid = (uint32_t)child->pid, .tid = (uint32_t)child->pid,
		.value = {(uint64_t)(unsigned)status}, .text = ""};
	int err = recorder_end(recorder);

	if (!err)
		err = recorder_drain(recorder, writer, -1, 0);
	if (!err)
		err = recorder_write_losses(recorder, writer);
	if (!err)
		err = trace_write_event(writer, &end);
	return err ? err : trace_writer_flush(writer);
}

static void print_summary(const struct recorder *recorder, const struct trace_writer *writer, const char *path)
{
	const uint64_t *losses = recorder_losses(recorder);
	char size[UNITS_TEXT];

	diag_info("%s: %llu page faults, %s", path, (unsigned long long)trace_writer_samples(writer),
		units_format_size(trace_writer_bytes(writer), size, sizeof(size)));
	for (unsigned i = 0; i < TRACE_LOSSES; i++) {
		if (losses[i])
			diag_warn("%s: %llu samples are missing: %s", path, (unsigned long long)losses[i], trace_loss_name(i));
	}
}

/* The command runs before the file is emptied: an earlier recording outlives a command that cannot be run. */
static int record_to(int fd, const struct record_options *options, struct recorder *recorder, struct child *child,
	char **command)
{
	char *header = make_header(recorder, options, command);
	struct trace_writer *writer = NULL;
	int status = 0, err = 0, failed = header ? let_go(child) : ENOMEM, code = DIAG_EXIT_HOST;

	if (failed) {
		diag_error(-failed, "cannot run %s", command[0]);
		code = failed == ENOENT ? NOT_FOUND : NOT_RUN;
		goto out;
	}
	/* A pipe or a device has no length to set. */
	if (ftruncate(fd, 0) && errno != EINVAL)
		err = -errno;
	if (!err)
		err = trace_writer_open(fd, header, recorder_cpus(recorder), &writer);
	if (!err)
		err = follow(recorder, writer, child, &status);
	else
		kill(child->pid, SIGTERM);
	if (!err)
		err = finish(recorder, writer, child, status);
	if (err) {
		diag_error(err, "cannot write %s: it can be read up to there", options->output);
		goto out;
	}
	if (!options->is_quiet)
		print_summary(recorder, writer, options->output);
	code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	if (WIFSIGNALED(status))
		diag_error(0, "%s was ended by signal %d (%s)", command[0], WTERMSIG(status), strsignal(WTERMSIG(status)));
out:
	trace_writer_close(writer);
	free(header);
	return code;
}

/* A file that may be replaced: new, empty, or a recording. Descriptor, or -(exit code) after one line. */
static int open_output(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	struct trace_reader *reader;
	struct stat status = {0};
	int err;

	if (fd < 0 && (errno == EACCES || errno == EISDIR || errno == ENXIO))
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status)) {
		diag_error(-errno, "cannot write %s", path);
		return -DIAG_EXIT_HOST;
	}
	if (!S_ISREG(status.st_mode) || !status.st_size)
		return fd;
	err = trace_reader_open(path, &reader);
	if (!err)
		trace_reader_close(reader);
	if (!err || err == -ENOTSUP)
		return fd;
	diag_error(0, "%s: exists and is not a recording; name another file", path);
	close(fd);
	return -DIAG_EXIT_USAGE;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct record_options options = {0};
	struct opt_line line;
	struct recorder *recorder = NULL;
	struct child child = {.go_fd = -1, .failure_fd = -1, .pid_fd = -1};
	char **rest, reason[256];
	int fd, err, code = command_parse(command, argc, argv, &options, &line, &rest);

	if (!code && !rest[0])
		code = (diag_error(0, "record: a command to run is missing"), DIAG_EXIT_USAGE);
	if (code) {
		opt_free(&line);
		return code;
	}
	fd = open_output(options.output);
	if (fd < 0) {
		code = -fd;
		goto free_line;
	}
	code = DIAG_EXIT_HOST;
	interrupt_install();
	err = start_child(rest, &child);
	if (err) {
		diag_error(err, "cannot start %s", rest[0]);
		goto close_file;
	}
	err = recorder_open(child.pid, options.ring_bytes, &recorder, reason, sizeof(reason));
	if (err)
		diag_error(0, "%s", reason);
	else
		code = record_to(fd, &options, recorder, &child, rest);
	recorder_close(recorder);
	close_child(&child);
	while (waitpid(child.pid, NULL, 0) < 0 && errno == EINTR)
		;
close_file:
	close(fd);
free_line:
	opt_free(&line);
	return code;
}

const struct command memtrace_record = {
	.program = &memtrace_program,
	.name = "record",
	.arguments = "COMMAND [ARGUMENT...]",
	.summary = "run a command and record its memory accesses",
	.doc = "Run COMMAND and record its memory accesses, with those of all threads and processes that it starts, in a file.",
	.examples = "  memtrace record -o sort.mtr -- sort big.txt\n",
	.notes = "The exit status is the command's, or 128 + N when signal N ended it; 126 and 127: it could not be run.",
	.options = rows,
	.flags = COMMAND_IN_ORDER,
	.check = check,
	.run = run,
};

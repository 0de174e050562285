/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/kernel/counters.h"
#include "common/pressure/pressure.h"
#include "with-pressure/options.h"
#include "with-pressure/report.h"

/* Exit codes of with-pressure itself, distinct from those of the command (docs/adr/0012), as in env(1) and timeout(1). */
enum with_pressure_exit {
	WITH_PRESSURE_FAILED = 125,    /* bad usage, refused, not restored, or no report */
	WITH_PRESSURE_NOT_RUN = 126,   /* the command was found and cannot be run */
	WITH_PRESSURE_NOT_FOUND = 127, /* there is no such command */
};

/* --- one run --- */

#define GATE_OPEN 'o'
#define GATE_SHUT 's' /* the command is not to start */

struct command_child {
	char **argv;
	sigset_t mask; /* our mask before we blocked signals */
	/* Used with a report or --start-at: the command starts when it reads GATE_OPEN here; its process fills in `launch`. */
	int gate[2]; /* -1 = neither */
	struct wp_launch *launch;
};

static int exec_command(void *arg)
{
	const struct command_child *command = arg;
	struct wp_launch *launch = command->launch;
	char byte;
	int err;

	if (launch) {
		close(command->gate[1]);
		if (TEMP_FAILURE_RETRY(read(command->gate[0], &byte, 1)) != 1 || byte != GATE_OPEN) {
			/* A signal that was passed on ends this process here, as it would have ended the command. */
			sigprocmask(SIG_SETMASK, &command->mask, NULL);
			return WITH_PRESSURE_FAILED;
		}
		/* This store touches the page before the faults are counted. */
		launch->exec_error = 0;
	}
	sigprocmask(SIG_SETMASK, &command->mask, NULL);
	if (launch) {
		getrusage(RUSAGE_SELF, &launch->before);
		launch->start_ns = clock_ns(CLOCK_MONOTONIC);
	}
	execvp(command->argv[0], command->argv);
	err = errno;
	if (launch)
		launch->exec_error = err;
	diag_error(err, "cannot run %s", command->argv[0]);
	return err == ENOENT ? WITH_PRESSURE_NOT_FOUND : WITH_PRESSURE_NOT_RUN;
}

/* A shell as the command has made itself the terminal's foreground group and has ended now. */
static void take_terminal_back(bool had_terminal)
{
	sigset_t set, before;

	if (!had_terminal || tcgetpgrp(STDIN_FILENO) == getpgrp())
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGTTOU);
	sigprocmask(SIG_BLOCK, &set, &before);
	(void)tcsetpgrp(STDIN_FILENO, getpgrp());
	sigprocmask(SIG_SETMASK, &before, NULL);
}

/* The costs of the command, by its cgroup's counters where there are some, else by the whole machine's. */
struct summary {
	struct vmcounters before, after;
	uint64_t peak_bytes; /* 0 = not known */
};

static const char *of_machine(bool is_own)
{
	return is_own ? "" : " (whole machine)";
}

/* Reads a count since the start. own: NULL = the kernel has none. Returns false when both counters are missing. */
static bool count_of(const struct summary *summary, const char *own, const char *machine, uint64_t *count, bool *is_own)
{
	uint64_t before;

	*is_own = own && vmcounters_get(&summary->after, own, count);
	if (*is_own)
		return true;
	if (!vmcounters_get(&summary->before, machine, &before) || !vmcounters_get(&summary->after, machine, count))
		return false;
	*count -= before;
	return true;
}

static void say_pages(const struct summary *summary, const char *what, const char *own, const char *machine, bool says_none)
{
	uint64_t pages;
	char size[32];
	bool is_own;

	if (count_of(summary, own, machine, &pages, &is_own) && (pages || says_none))
		diag_info("%s: %s%s", what, units_format_size(pages * (uint64_t)sysconf(_SC_PAGESIZE), size, sizeof(size)),
			of_machine(is_own));
}

static void say_count(const struct summary *summary, const char *what, const char *own, const char *machine)
{
	uint64_t count;
	bool is_own;

	if (count_of(summary, own, machine, &count, &is_own))
		diag_info("%s: %llu%s", what, (unsigned long long)count, of_machine(is_own));
}

/* Version 1 includes nested cgroups only in the counters total_*. */
static const char *own_name(const struct summary *summary, const char *total, const char *name)
{
	uint64_t value;

	return vmcounters_get(&summary->after, total, &value) ? total : name;
}

static void print_summary(const struct summary *summary)
{
	uint64_t some_us, full_us;
	char size[32], some[32], full[32];
	bool is_own;

	if (summary->peak_bytes)
		diag_info("peak memory: %s", units_format_size(summary->peak_bytes, size, sizeof(size)));
	say_pages(summary, "swapped in", "cgroup.pswpin", "vmstat.pswpin", true);
	say_pages(summary, "swapped out", "cgroup.pswpout", "vmstat.pswpout", true);
	/* The counters above do not include zswap. */
	say_pages(summary, "swapped in from zswap", "cgroup.zswpin", "vmstat.zswpin", false);
	say_pages(summary, "swapped out to zswap", "cgroup.zswpout", "vmstat.zswpout", false);
	/* Pages of zeros are not included, either: Linux 6.12 does not write them, but a fault on one is a major one. */
	say_pages(summary, "swapped in as pages of zeros", "cgroup.swpin_zero", "vmstat.swpin_zero", false);
	say_pages(summary, "swapped out as pages of zeros", "cgroup.swpout_zero", "vmstat.swpout_zero", false);
	say_count(summary, "major faults", own_name(summary, "cgroup.total_pgmajfault", "cgroup.pgmajfault"),
		"vmstat.pgmajfault");
	say_count(summary, "anonymous pages refaulted soon after they were swapped out",
		own_name(summary, "cgroup.total_workingset_refault_anon", "cgroup.workingset_refault_anon"),
		"vmstat.workingset_refault_anon");
	say_count(summary, "anonymous pages scanned", NULL, "vmstat.pgscan_anon");
	say_count(summary, "anonymous pages reclaimed", NULL, "vmstat.pgsteal_anon");
	if (count_of(summary, "cgroup.psi.memory.some.total", "psi.memory.some.total", &some_us, &is_own) &&
		count_of(summary, "cgroup.psi.memory.full.total", "psi.memory.full.total", &full_us, &is_own))
		diag_info("memory stalls (PSI): some %s, full %s%s",
			units_format_duration((double)some_us * 1e3, some, sizeof(some)),
			units_format_duration((double)full_us * 1e3, full, sizeof(full)), of_machine(is_own));
	say_count(summary, "OOM kills", "cgroup.events.oom_kill", "vmstat.oom_kill");
}

/* Returns the command's own status, unless it is 0 and the run was not as requested (docs/adr/0012). */
static int exit_code(const struct pressure_outcome *outcome)
{
	if (WIFSIGNALED(outcome->wait_status))
		return 128 + WTERMSIG(outcome->wait_status);
	if (!WEXITSTATUS(outcome->wait_status) && outcome->reason_count)
		return DIAG_EXIT_UNTRUSTED;
	return WEXITSTATUS(outcome->wait_status);
}

static void add_late_start(const struct start *start, struct pressure_outcome *outcome)
{
	struct report_reason *reason = &outcome->reasons[outcome->reason_count];

	if (outcome->reason_count == PRESSURE_REASONS || !start_late_text(start, reason->text, sizeof(reason->text)))
		return;
	snprintf(reason->code, sizeof(reason->code), START_LATE);
	outcome->reason_count++;
}

static void print_reasons(const struct pressure_outcome *outcome)
{
	if (outcome->was_oom_killed)
		diag_warn("the kernel killed processes of the command for lack of memory: give more --ram or --swap");
	for (size_t i = 0; i < outcome->reason_count; i++)
		diag_warn("%s: %s", outcome->reasons[i].code, outcome->reasons[i].text);
	if (outcome->was_contained)
		diag_warn("--contain: the command was killed");
}

/* Passes on the signals that have come. Returns whether one of them was to end the command. */
static bool pass_signals(struct pressure *pressure, int signal_fd)
{
	struct signalfd_siginfo info;
	bool was_interrupted = false;

	while (read(signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		was_interrupted |= info.ssi_signo != SIGUSR1 && info.ssi_signo != SIGUSR2;
		/* The terminal sends its signals to the whole foreground group: the command has this one already. */
		if (info.ssi_code != SI_KERNEL)
			pressure_kill(pressure, (int)info.ssi_signo);
	}
	return was_interrupted;
}

/* Passes signals on until the command has ended. Returns whether one of them was to end it. */
static bool wait_for_end(struct pressure *pressure, int signal_fd)
{
	struct pollfd polled[2] = {{.fd = pressure_fd(pressure), .events = POLLIN}, {.fd = signal_fd, .events = POLLIN}};
	bool was_interrupted = false;

	while (!polled[0].revents) {
		if (poll(polled, 2, -1) > 0 && polled[1].revents & POLLIN)
			was_interrupted |= pass_signals(pressure, signal_fd);
	}
	return was_interrupted;
}

/* Returns 0, or a diag_exit code after one line. */
static int prepare_gate(struct command_child *command)
{
	void *shared = mmap(NULL, sizeof(*command->launch), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared == MAP_FAILED)
		return diag_host(errno, "cannot hold the command");
	command->launch = shared;
	return pipe2(command->gate, O_CLOEXEC) ? diag_host(errno, "cannot hold the command") : DIAG_EXIT_OK;
}

/* The command's process, forked before, waits: it has neither the memory nor the CPU time of reading the facts. */
static int open_gate(struct wp_options *options, const struct command_child *command, struct pressure *pressure, int signal_fd,
	struct wp_report *report, struct summary *summary, bool *was_interrupted)
{
	const char *cgroup_dir = pressure_cgroup_dir(pressure);
	char byte = GATE_OPEN;

	if (start_wait(&options->start, signal_fd, pressure_fd(pressure))) {
		*was_interrupted = pass_signals(pressure, signal_fd);
		byte = GATE_SHUT;
	}
	if (report)
		wp_report_start(report, cgroup_dir);
	if (summary && options->start.at_ns)
		vmcounters_read("", NULL, VMCOUNTERS_VMSTAT | VMCOUNTERS_PSI, &summary->before);
	start_mark(&options->start);
	return TEMP_FAILURE_RETRY(write(command->gate[1], &byte, 1)) == 1 ? 0 : diag_host(errno, "cannot start the command");
}

static int run_command(struct wp_options *options, int argc, char **argv)
{
	static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
	struct command_child command = {.argv = options->command, .gate = {-1, -1}};
	bool had_terminal = tcgetpgrp(STDIN_FILENO) == getpgrp(), was_interrupted = false;
	struct wp_report *report = NULL;
	struct pressure_outcome outcome;
	struct pressure *pressure;
	struct summary *summary = NULL;
	const char *cgroup_dir;
	char setup[32], teardown[32];
	int signal_fd, code = DIAG_EXIT_OK;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, &command.mask);
	signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_fd < 0) {
		diag_error(errno, "cannot watch signals");
		return WITH_PRESSURE_FAILED;
	}
	if ((options->xml_path || options->start.at_ns) && prepare_gate(&command))
		return WITH_PRESSURE_FAILED;
	if (!options->is_quiet && pressure_is_wanted(&options->plan))
		summary = calloc(1, sizeof(*summary));
	if (summary)
		vmcounters_read("", NULL, VMCOUNTERS_VMSTAT | VMCOUNTERS_PSI, &summary->before);
	if (pressure_start(&options->plan, exec_command, &command, &pressure)) {
		free(summary);
		return WITH_PRESSURE_FAILED;
	}
	cgroup_dir = pressure_cgroup_dir(pressure);
	if (options->xml_path)
		code = wp_report_begin(options, cgroup_dir, argc, argv, &report);
	if (!code && command.launch)
		code = open_gate(options, &command, pressure, signal_fd, report, summary, &was_interrupted);
	if (code)
		pressure_kill(pressure, SIGKILL);
	pressure_mark_start(pressure);
	if (options->is_verbose && cgroup_dir)
		diag_info("the command runs in %s", cgroup_dir);

	was_interrupted |= wait_for_end(pressure, signal_fd);
	pressure_reap(pressure);
	if (report)
		wp_report_end(report, cgroup_dir);
	/* The cgroup's counters go when it is removed. */
	if (summary)
		vmcounters_read("", cgroup_dir, VMCOUNTERS_VMSTAT | VMCOUNTERS_PSI | VMCOUNTERS_CGROUP, &summary->after);
	if (summary && cgroup_dir && !wp_cgroup_peak(cgroup_dir, &summary->peak_bytes))
		summary->peak_bytes = 0;
	pressure_finish(pressure, &outcome);
	add_late_start(&options->start, &outcome);
	close(signal_fd);
	take_terminal_back(had_terminal);
	if (summary)
		print_summary(summary);
	free(summary);
	if (options->is_verbose)
		diag_info("set up in %s, restored in %s",
			units_format_duration((double)outcome.setup_ns, setup, sizeof(setup)),
			units_format_duration((double)outcome.teardown_ns, teardown, sizeof(teardown)));
	print_reasons(&outcome);
	if (code)
		wp_report_free(report);
	else if (report)
		code = wp_report_write(report, options, command.launch, &outcome, was_interrupted);
	if (!outcome.is_restored)
		diag_error(0, "not everything could be restored: see above, then run 'with-pressure --recover'");
	return code || !outcome.is_restored ? WITH_PRESSURE_FAILED : exit_code(&outcome);
}

/* --- the program --- */

static int recover(const struct wp_options *options)
{
	unsigned journals = 0, aside = 0;

	if (options->recovery == PRESSURE_RECOVER_SET_ASIDE && pressure_set_aside(&aside))
		return DIAG_EXIT_HOST;
	if (pressure_recover(&journals))
		return DIAG_EXIT_HOST;
	if (!journals && !aside)
		diag_info("nothing to restore");
	return DIAG_EXIT_OK;
}

int main(int argc, char **argv)
{
	struct wp_options options = {0};
	char why[512];
	int code;

	diag_claim_descriptors();
	diag_watch_stdout();
	if (wp_options_parse(argc, argv, &options)) {
		code = WITH_PRESSURE_FAILED;
	} else if (options.recovery != PRESSURE_RECOVER_NOT) {
		code = recover(&options);
	} else if (pressure_check("", &options.plan, why, sizeof(why))) {
		if (why[0])
			diag_error(0, "%s", why);
		code = WITH_PRESSURE_FAILED;
	} else if (options.is_dry_run) {
		wp_options_print(&options);
		code = DIAG_EXIT_OK;
	} else {
		code = run_command(&options, argc, argv);
	}
	wp_options_free(&options);
	return code;
}

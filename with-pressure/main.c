/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>
#include "common/command.h"
#include "common/diag.h"
#include "common/opt.h"
#include "common/pressure_options.h"
#include "common/sysfs.h"
#include "common/units.h"
#include "common/counters.h"

/* Exit codes of with-pressure itself, distinct from those of the command (docs/adr/0012), as in env(1) and timeout(1). */
enum with_pressure_exit {
	WITH_PRESSURE_FAILED = 125,    /* bad usage, refused, or not restored */
	WITH_PRESSURE_NOT_RUN = 126,   /* the command was found and cannot be run */
	WITH_PRESSURE_NOT_FOUND = 127, /* there is no such command */
};

struct with_pressure_options {
	struct pressure_plan plan;
	enum pressure_recovery recovery;
	bool is_dry_run, is_verbose, is_quiet;
	char **command;       /* points into argv, NULL-terminated; empty with --recover */
	struct opt_line line; /* owns the texts; opt_free */
};

/* --- options --- */

#define AT(field) offsetof(struct with_pressure_options, field)

static const struct opt rows[] = {
	PRESSURE_OPTIONS(offsetof(struct with_pressure_options, plan)),
	PRESSURE_SET_OPTION(offsetof(struct with_pressure_options, plan)),
	PRESSURE_RECOVER_OPTION(offsetof(struct with_pressure_options, recovery)),
	{"contain", 0, NULL, OPT_FLAG, 0, AT(plan.is_contained),
		.help = "kill the command when a process leaves the cgroup, or a limit is changed",
		.manual = "Kill all processes of the command when one of them leaves its memory cgroup, or\n"
			"when a limit of the cgroup is changed.\n"
			"Without this option with-pressure only says so at the end.\n"
			"It needs --ram, --high or --swap=none, which make the cgroup."},
	{"dry-run", 0, NULL, OPT_FLAG, 0, AT(is_dry_run), .help = "check everything, print what would be done, and exit"},
	{"quiet", 'q', NULL, OPT_FLAG, 0, AT(is_quiet), .help = "print no summary at the end"},
	{"verbose", 'v', NULL, OPT_FLAG, 0, AT(is_verbose),
		.help = "print where the command runs and how long set-up and restoring took"},
	{0},
};

static int check(void *values, struct opt_line *line)
{
	struct with_pressure_options *options = values;
	const char *why;

	(void)line;
	if (pressure_parse_finish(&options->plan, &why))
		return diag_usage("%s", why);
	if (options->plan.is_contained && !options->plan.ram_bytes && !options->plan.high_bytes &&
		options->plan.swap.kind != PRESSURE_SWAP_NONE)
		return diag_usage("--contain: needs --ram, --high or --swap none: without a limit there is no cgroup to leave");
	if (options->recovery == PRESSURE_RECOVER_NOT && !*options->command)
		return diag_usage("no command: with-pressure [--ram SIZE] [--swap SPEC] -- COMMAND [ARGS], or --help");
	if (options->recovery != PRESSURE_RECOVER_NOT &&
		(*options->command || options->is_dry_run || pressure_is_wanted(&options->plan)))
		return diag_usage("--recover: must be given without a command and without other options than -v");
	return DIAG_EXIT_OK;
}

/* --- one run --- */

struct child {
	char **argv;
	sigset_t mask; /* ours before we blocked signals */
};

static int exec_command(void *arg)
{
	const struct child *command = arg;
	int err;

	sigprocmask(SIG_SETMASK, &command->mask, NULL);
	execvp(command->argv[0], command->argv);
	err = errno;
	diag_error(err, "cannot run %s", command->argv[0]);
	return err == ENOENT ? WITH_PRESSURE_NOT_FOUND : WITH_PRESSURE_NOT_RUN;
}

/* A shell that was the command has made itself the terminal's foreground group and is gone now. */
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

/* What the command cost, by its cgroup's counters where there are some, else by the whole machine's. */
struct summary {
	struct vmcounters before, after;
	uint64_t peak_bytes; /* 0 = not known */
};

static const char *of_machine(bool is_own)
{
	return is_own ? "" : " (whole machine)";
}

/* Since the start; own: NULL = the kernel has none. False: neither is there. */
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

/* Version 1 counts what is nested in total_. */
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
	/* What zswap takes is not in the counters above. */
	say_pages(summary, "swapped in from zswap", "cgroup.zswpin", "vmstat.zswpin", false);
	say_pages(summary, "swapped out to zswap", "cgroup.zswpout", "vmstat.zswpout", false);
	/* Nor is a page of zeros, which Linux 6.12 does not write; a fault on it is a major one all the same. */
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

/* The command's own status, unless it is 0 and the run was not what was asked for (docs/adr/0012). */
static int exit_code(const struct pressure_outcome *outcome)
{
	if (WIFSIGNALED(outcome->wait_status))
		return 128 + WTERMSIG(outcome->wait_status);
	if (!WEXITSTATUS(outcome->wait_status) && outcome->reason_count)
		return DIAG_EXIT_UNTRUSTED;
	return WEXITSTATUS(outcome->wait_status);
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

static int run_command(const struct with_pressure_options *options)
{
	static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
	static const char *const peaks[] = {"memory.peak", "memory.max_usage_in_bytes"};
	struct child command = {.argv = options->command};
	bool had_terminal = tcgetpgrp(STDIN_FILENO) == getpgrp();
	struct signalfd_siginfo info;
	struct pressure_outcome outcome;
	struct pressure *pressure;
	struct summary *summary = NULL;
	struct pollfd polled[2] = {{.events = POLLIN}, {.events = POLLIN}};
	const char *cgroup_dir;
	char path[PATH_MAX], setup[32], teardown[32];
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		sigaddset(&set, forwarded[i]);
	sigprocmask(SIG_BLOCK, &set, &command.mask);
	polled[1].fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (polled[1].fd < 0) {
		diag_error(errno, "cannot watch signals");
		return WITH_PRESSURE_FAILED;
	}
	if (!options->is_quiet && pressure_is_wanted(&options->plan))
		summary = calloc(1, sizeof(*summary));
	if (summary)
		vmcounters_read("", NULL, VMCOUNTERS_VMSTAT | VMCOUNTERS_PSI, &summary->before);
	if (pressure_start(&options->plan, exec_command, &command, &pressure)) {
		free(summary);
		return WITH_PRESSURE_FAILED;
	}
	pressure_mark_start(pressure);
	cgroup_dir = pressure_cgroup_dir(pressure);
	if (options->is_verbose && cgroup_dir)
		diag_info("the command runs in %s", cgroup_dir);

	polled[0].fd = pressure_fd(pressure);
	while (!polled[0].revents) {
		if (poll(polled, 2, -1) < 0 || !(polled[1].revents & POLLIN))
			continue;
		while (read(polled[1].fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
			/* The terminal sends its signals to the whole foreground group: the command has this one already. */
			if (info.ssi_code != SI_KERNEL)
				pressure_kill(pressure, (int)info.ssi_signo);
		}
	}

	/* Before the cgroup is removed. */
	if (summary)
		vmcounters_read("", cgroup_dir, VMCOUNTERS_VMSTAT | VMCOUNTERS_PSI | VMCOUNTERS_CGROUP, &summary->after);
	for (size_t i = 0; summary && cgroup_dir && !summary->peak_bytes && i < sizeof(peaks) / sizeof(peaks[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", cgroup_dir, peaks[i]);
		if (sysfs_read_u64("", path, &summary->peak_bytes))
			summary->peak_bytes = 0;
	}
	pressure_finish(pressure, &outcome);
	close(polled[1].fd);
	take_terminal_back(had_terminal);
	if (summary)
		print_summary(summary);
	free(summary);
	if (options->is_verbose)
		diag_info("set up in %s, restored in %s",
			units_format_duration((double)outcome.setup_ns, setup, sizeof(setup)),
			units_format_duration((double)outcome.teardown_ns, teardown, sizeof(teardown)));
	print_reasons(&outcome);
	if (!outcome.is_restored) {
		diag_error(0, "not everything could be restored: see above, then run 'with-pressure --recover'");
		return WITH_PRESSURE_FAILED;
	}
	return exit_code(&outcome);
}

/* --- the program --- */

static int recover(const struct with_pressure_options *options)
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

static void print_plan(const struct with_pressure_options *options)
{
	static const char *const kinds[] = {
		[PRESSURE_SWAP_KEEP] = "as the system has it",
		[PRESSURE_SWAP_NONE] = "none",
		[PRESSURE_SWAP_ZRAM] = "zram",
		[PRESSURE_SWAP_FILE] = "file",
		[PRESSURE_SWAP_LOOP] = "loop",
		[PRESSURE_SWAP_ZSWAP] = "zswap",
		[PRESSURE_SWAP_DEVICE] = "device",
	};
	const struct pressure_plan *plan = &options->plan;
	char size[32], begin[32], end[32];

	printf("ram: %s\n",
		plan->ram_bytes ? units_format_size(plan->ram_bytes, size, sizeof(size)) : "no limit");
	printf("swap: %s", kinds[plan->swap.kind]);
	if (pressure_swap_bytes(&plan->swap))
		printf(" %s %s%s", units_format_size(pressure_swap_bytes(&plan->swap), size, sizeof(size)), plan->swap.path,
			plan->swap.algorithm);
	printf("\n");
	if (plan->high_bytes)
		printf("high: %s\n", units_format_size(plan->high_bytes, size, sizeof(size)));
	if (plan->has_swappiness)
		printf("swappiness: %u\n", plan->swappiness);
	if (plan->has_page_cluster && plan->page_cluster < 0)
		printf("page-cluster: keep\n");
	else if (plan->has_page_cluster)
		printf("page-cluster: %d\n", plan->page_cluster);
	for (size_t i = 0; i < plan->eater_count; i++) {
		const struct pressure_eater *eater = &plan->eaters[i];

		printf("eater: node %d, %s, from %s to %s\n", eater->node,
			units_format_size(eater->bytes, size, sizeof(size)),
			units_format_duration((double)eater->begin_ns, begin, sizeof(begin)),
			units_format_duration((double)eater->end_ns, end, sizeof(end)));
	}
	for (size_t i = 0; i < plan->setting_count; i++)
		printf("set: %s=%s\n", plan->settings[i].path, plan->settings[i].value);
	if (plan->is_contained)
		printf("contain: kill the command when it leaves the cgroup or a limit is changed\n");
	printf("command:");
	for (char **word = options->command; *word; word++)
		printf(" %s", *word);
	printf("\n");
}

int main(int argc, char **argv)
{
	static const struct program program = {.name = "with-pressure"};
	static const struct command command = {
		.program = &program,
		.arguments = "-- COMMAND [ARGS...]",
		.doc = "Run a command with limited memory and a private swap area, and restore everything at its end.",
		.examples = "  with-pressure --ram=1G --swap=zram:4G -- make -j4\n"
			    "  with-pressure --ram=512M --swap=none -- ./program\n",
		.notes = "The command's exit status is passed on (128 + N when signal N killed it); 125 means that with-pressure "
			 "itself failed, 126 that the command cannot be run, 127 that it was not found.",
		.options = rows,
		.flags = COMMAND_IN_ORDER,
		.check = check,
	};
	struct with_pressure_options options = {0};
	char why[512];
	int code;

	diag_claim_descriptors();
	diag_watch_stdout();
	/* It exits by itself on --help and --version. */
	if (command_parse(&command, argc, argv, &options, &options.line, &options.command)) {
		code = WITH_PRESSURE_FAILED;
	} else if (options.recovery != PRESSURE_RECOVER_NOT) {
		code = recover(&options);
	} else if (pressure_check("", &options.plan, why, sizeof(why))) {
		if (why[0])
			diag_error(0, "%s", why);
		code = WITH_PRESSURE_FAILED;
	} else if (options.is_dry_run) {
		print_plan(&options);
		code = DIAG_EXIT_OK;
	} else {
		code = run_command(&options);
	}
	opt_free(&options.line);
	return code;
}

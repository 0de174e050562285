/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes of perf events: permissions, sources of addresses, the limits of a recorder, process_madvise and trace marks. */
#include "config.h"
#include "common/probe/probe_checks.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/kernel/perf_memory.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define PERIOD 65536
#define RINGS_KIB 4100 /* of memtrace, for each CPU: 4 MiB and a page */

static bool is_privileged(const struct probe_host *host)
{
	return probe_can(host, CAP_PERFMON) || probe_can(host, CAP_SYS_ADMIN);
}

static void refuse_event(const struct probe_host *host, int err, struct probe_answer *answer)
{
	char level[16] = "unknown";

	if (err == -EACCES || err == -EPERM) {
		(void)sysfs_read(host->root, PARANOID, level, sizeof(level));
		if (host->is_filtered && is_privileged(host)) {
			probe_say(answer, PROBE_MISSING, "%s: a seccomp filter is on this process", strerror(-err));
			probe_fix(answer, "docker run --security-opt seccomp=unconfined");
		} else {
			probe_say(answer, PROBE_MISSING, "%s, kernel.perf_event_paranoid=%s", strerror(-err), level);
			probe_fix(answer, "sysctl kernel.perf_event_paranoid=1");
		}
	} else if (err == -ENOSYS) {
		probe_say(answer, PROBE_MISSING, "not in this kernel");
	} else if (err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV) {
		probe_say(answer, PROBE_MISSING, "%s", host->machine->hypervisor[0] ? "the hypervisor shows none" : "none");
	} else {
		probe_say(answer, PROBE_MISSING, "%s", strerror(-err));
	}
}

void probe_perf_paranoid(const struct probe_host *host, struct probe_answer *answer)
{
	char text[16];
	int64_t level;
	int err = sysfs_read(host->root, PARANOID, text, sizeof(text));

	if (err || units_parse_i64(text, INT32_MIN, INT32_MAX, &level)) {
		probe_say(answer, PROBE_MISSING, "not in this kernel");
		probe_no_fix(answer);
		return;
	}
	if (is_privileged(host))
		probe_say(answer, PROBE_OK, "%s, no limit for this user", text);
	else
		/* Level 2 permits a user's own programs in user mode, level 3 (Debian, Android) nothing. */
		probe_say(answer, level < 2 ? PROBE_OK : level == 2 ? PROBE_LIMITED : PROBE_MISSING, "%s", text);
}

void probe_perf_faults(const struct probe_host *host, struct probe_answer *answer)
{
	int err = host->hooks->fault_address();

	if (!err)
		probe_say(answer, PROBE_OK, "a fault was sampled with its address");
	else if (err == -ENOMSG)
		probe_say(answer, PROBE_MISSING, "the event opens, but no fault was recorded");
	else
		refuse_event(host, err, answer);
}

static int try_event(const struct probe_host *host, const struct perf_event_attr *attr)
{
	int fd = host->hooks->perf_open(attr, 0, -1, -1);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

void probe_perf_cycles(const struct probe_host *host, struct probe_answer *answer)
{
	struct perf_event_attr attr = {.size = sizeof(struct perf_event_attr), .type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES, .sample_period = PERIOD, .sample_type = PERF_SAMPLE_IP, .disabled = 1,
		.exclude_kernel = 1, .exclude_hv = 1};
	int err = try_event(host, &attr), precise;

	if (err) {
		refuse_event(host, err, answer);
		return;
	}
	for (precise = 3; precise > 0; precise--) {
		attr.precise_ip = (unsigned)precise & 3;
		if (!try_event(host, &attr))
			break;
	}
	probe_say(answer, PROBE_OK, "cycles can be sampled, precise level %d of 3", precise);
}

/* --- engines that sample addresses: the first that opens is used ----------------------------------------- */

static const struct {
	const char *name;
	bool is_hardware;
} engines[PERF_MEMORY_SOURCES] = {
	[PERF_MEMORY_PEBS] = {"mem-loads (PEBS)", true},
	[PERF_MEMORY_IBS] = {"ibs_op (AMD IBS)", true},
	[PERF_MEMORY_SPE] = {"arm_spe (ARM SPE)", true},
	[PERF_MEMORY_CLOCK] = {"cpu-clock, decoded", false},
	[PERF_MEMORY_FAULTS] = {"page faults", false},
};

static int open_engine(const struct probe_host *host, enum perf_memory source)
{
	const struct perf_memory_request request = {.with_user = true};
	struct perf_memory_event events[PERF_MEMORY_EVENTS];
	int fds[PERF_MEMORY_EVENTS], err;
	unsigned count;

	if (source == PERF_MEMORY_FAULTS)
		return host->hooks->fault_address();
	err = perf_memory_events(host->root, source, &request, events, &count);
	if (err)
		return err;
	err = perf_memory_open(events, count, 0, -1, host->hooks->perf_open, fds);
	/* Some units sample only a whole CPU. */
	if (err == -EINVAL || err == -EOPNOTSUPP)
		err = perf_memory_open(events, count, -1, 0, host->hooks->perf_open, fds);
	for (unsigned i = 0; !err && i < count; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
	return err;
}

void probe_memory_trace(const struct probe_host *host, struct probe_answer *answer)
{
	int err = -ENOENT, hardware = -ENOENT;

	for (unsigned i = 0; i < PERF_MEMORY_SOURCES; i++) {
		err = open_engine(host, (enum perf_memory)i);
		if (engines[i].is_hardware && err != -ENOENT)
			hardware = err;
		if (err)
			continue;
		probe_say(answer, engines[i].is_hardware ? PROBE_OK : PROBE_LIMITED, "%s", engines[i].name);
		if (hardware == -EACCES || hardware == -EPERM)
			probe_fix(answer, "sysctl kernel.perf_event_paranoid=1");
		return;
	}
	refuse_event(host, err, answer);
}

/* --- further limits of a recorder --- */

void probe_perf_mlock(const struct probe_host *host, struct probe_answer *answer)
{
	uint64_t kib;

	if (sysfs_read_u64(host->root, "/proc/sys/kernel/perf_event_mlock_kb", &kib))
		probe_say(answer, PROBE_NOTHING, "not in this kernel");
	else if (probe_can(host, CAP_IPC_LOCK))
		probe_say(answer, PROBE_OK, "%" PRIu64 " KiB for each CPU, no limit for this user", kib);
	else
		probe_say(answer, kib < RINGS_KIB ? PROBE_LIMITED : PROBE_OK, "%" PRIu64 " KiB for each CPU", kib);
}

void probe_ptrace_scope(const struct probe_host *host, struct probe_answer *answer)
{
	uint64_t level;

	if (sysfs_read_u64(host->root, "/proc/sys/kernel/yama/ptrace_scope", &level)) {
		probe_say(answer, PROBE_OK, "not in this kernel: a user's processes may be read");
	} else if (level == 3) {
		probe_say(answer, PROBE_MISSING, "3: no process may be traced until the next boot");
		probe_no_fix(answer);
	} else if (!level || probe_can(host, CAP_SYS_PTRACE)) {
		probe_say(answer, PROBE_OK, "%" PRIu64 "%s", level, level ? ", no limit for this user" : "");
	} else {
		probe_say(answer, PROBE_LIMITED, "%" PRIu64, level);
	}
}

void probe_lockdown(const struct probe_host *host, struct probe_answer *answer)
{
	char mode[32];

	if (sysfs_read_choice(host->root, "/sys/kernel/security/lockdown", mode, sizeof(mode)))
		probe_say(answer, PROBE_OK, "none");
	else
		probe_say(answer, strcmp(mode, "confidentiality") ? PROBE_OK : PROBE_MISSING, "%s", mode);
}

void probe_process_madvise(const struct probe_host *host, struct probe_answer *answer)
{
	int err = host->hooks->process_madvise();

	if (!err)
		probe_say(answer, PROBE_OK, "memory can be paged out");
	else
		probe_say(answer, PROBE_MISSING, "%s",
			err == -ENOSYS && !host->is_filtered ? "not in this kernel" : strerror(-err));
	if (err && host->is_filtered)
		probe_fix(answer, "docker run --security-opt seccomp=unconfined");
}

void probe_tracefs(const struct probe_host *host, struct probe_answer *answer)
{
	int err = host->hooks->tracefs();

	if (!err) {
		probe_say(answer, PROBE_OK, "trace_marker can be written");
		return;
	}
	probe_say(answer, PROBE_MISSING, "%s", err == -ENODEV ? "not in this kernel" : strerror(-err));
	if (err == -EACCES || err == -EPERM)
		probe_fix_privilege(host, answer);
	else if (err == -ENOENT)
		probe_fix(answer, "mount -t tracefs nodev /sys/kernel/tracing");
}

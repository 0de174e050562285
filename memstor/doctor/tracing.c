/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Perf events and which step of memtrace's ladder they allow, trace marks, faults handed to a program. */
#include "config.h"
#include "memstor/doctor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <string.h>

#include "common/perf.h"
#include "common/sysfs.h"
#include "common/units.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif
#ifndef UFFD_FEATURE_WP_ASYNC /* Linux 6.7 */
#define UFFD_FEATURE_WP_ASYNC (1u << 15)
#endif

#define PARANOID "/proc/sys/kernel/perf_event_paranoid"
#define PERIOD 65536 /* a multiple of 16, as AMD's IBS wants it */

static bool is_privileged(const struct doctor_host *host)
{
	return doctor_can(host, CAP_PERFMON) || doctor_can(host, CAP_SYS_ADMIN);
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t config, uint64_t sample_type)
{
	return (struct perf_event_attr){.size = sizeof(struct perf_event_attr), .type = type, .config = config,
		.sample_period = PERIOD, .sample_type = sample_type, .disabled = 1, .exclude_kernel = 1, .exclude_hv = 1};
}

/* Why perf_event_open failed, as a finding. */
static void refuse_event(const struct doctor_host *host, int err, struct doctor_finding *finding)
{
	char level[16] = "unknown";

	if (err == -EACCES || err == -EPERM) {
		(void)sysfs_read(host->root, PARANOID, level, sizeof(level));
		if (host->is_filtered && is_privileged(host)) {
			doctor_say(finding, DOCTOR_MISSING, "%s: a seccomp filter is on this process", strerror(-err));
			doctor_mend(finding, "docker run --security-opt seccomp=unconfined");
		} else {
			doctor_say(finding, DOCTOR_MISSING, "%s, kernel.perf_event_paranoid=%s", strerror(-err), level);
			doctor_mend(finding, "sysctl kernel.perf_event_paranoid=1");
		}
	} else if (err == -ENOSYS) {
		doctor_say(finding, DOCTOR_MISSING, "not in this kernel");
	} else if (err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV) {
		doctor_say(finding, DOCTOR_MISSING, "%s", host->machine->hypervisor[0] ? "the hypervisor shows none" : "none");
	} else {
		doctor_say(finding, DOCTOR_MISSING, "%s", strerror(-err));
	}
}

void doctor_perf_paranoid(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	char text[16];
	int64_t level;
	int err = sysfs_read(host->root, PARANOID, text, sizeof(text));

	(void)path;
	if (err || units_parse_i64(text, INT32_MIN, INT32_MAX, &level)) {
		doctor_say(finding, DOCTOR_MISSING, "not in this kernel");
		doctor_mend(finding, "%s", "");
		return;
	}
	if (is_privileged(host))
		doctor_say(finding, DOCTOR_OK, "%s, which does not bind us", text);
	else
		/* Level 2 leaves a user's own programs in user mode; Debian's and Android's 3 nothing. */
		doctor_say(finding, level < 2 ? DOCTOR_OK : level == 2 ? DOCTOR_LIMITED : DOCTOR_MISSING, "%s", text);
}

void doctor_perf_faults(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	int err = host->hooks->fault_address();

	(void)path;
	if (!err)
		doctor_say(finding, DOCTOR_OK, "a fault was sampled with its address");
	else if (err == -ENOMSG)
		doctor_say(finding, DOCTOR_MISSING, "the event opens, but no fault was recorded");
	else
		refuse_event(host, err, finding);
}

void doctor_perf_cycles(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERF_SAMPLE_IP);
	int err = host->hooks->perf_event(&attr, 0, -1), precise;

	(void)path;
	if (err) {
		refuse_event(host, err, finding);
		return;
	}
	for (precise = 3; precise > 0; precise--) {
		attr.precise_ip = (unsigned)precise & 3;
		if (!host->hooks->perf_event(&attr, 0, -1))
			break;
	}
	doctor_say(finding, DOCTOR_OK, "cycles can be sampled, precise level %d of 3", precise);
}

/* --- the ladder of memtrace: the first step that opens is the one it takes ------------------------------- */

static int open_for_self(const struct doctor_host *host, const struct perf_event_attr *attr)
{
	int err = host->hooks->perf_event(attr, 0, -1);

	/* Some units sample a whole CPU only. */
	return err == -EINVAL || err == -EOPNOTSUPP ? host->hooks->perf_event(attr, -1, 0) : err;
}

static int try_mem_loads(const struct doctor_host *host)
{
	static const char *const units[] = {"cpu", "cpu_core"};
	int err = -ENOENT;

	for (size_t i = 0; i < 2 && err; i++) {
		struct perf_event_attr attr = attr_of(0, 0, PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IP);

		attr.precise_ip = 2;
		err = perf_unit_event(host->root, units[i], "mem-loads", &attr);
		if (!err)
			err = open_for_self(host, &attr);
	}
	return err;
}

static int try_ibs(const struct doctor_host *host)
{
	struct perf_event_attr attr = attr_of(0, 0, PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IP);
	int err = perf_unit_term(host->root, "ibs_op", "cnt_ctl", 1, &attr);

	if (err)
		return err;
	/* IBS has no filter by privilege, and refuses to be asked for one. */
	attr.exclude_kernel = attr.exclude_hv = 0;
	return open_for_self(host, &attr);
}

static int try_spe(const struct doctor_host *host)
{
	struct perf_event_attr attr = attr_of(0, 0, PERF_SAMPLE_IP);
	int err = perf_unit_term(host->root, "arm_spe_0", "load_filter", 1, &attr);

	return err ? err : open_for_self(host, &attr);
}

static int try_clock(const struct doctor_host *host)
{
	struct perf_event_attr attr =
		attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER);

	/* Every architecture has a first register. */
	attr.sample_regs_user = 1;
	return open_for_self(host, &attr);
}

static int try_faults(const struct doctor_host *host)
{
	return host->hooks->fault_address();
}

static const struct {
	const char *name;
	int (*open)(const struct doctor_host *host);
	bool is_hardware;
} ladder[] = {
	{"mem-loads (PEBS)", try_mem_loads, true},
	{"ibs_op (AMD IBS)", try_ibs, true},
	{"arm_spe (ARM SPE)", try_spe, true},
	{"cpu-clock, decoded", try_clock, false},
	{"page faults", try_faults, false},
};

void doctor_memory_trace(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	int err = -ENOENT, hardware = -ENOENT;

	(void)path;
	for (size_t i = 0; i < sizeof(ladder) / sizeof(ladder[0]); i++) {
		err = ladder[i].open(host);
		if (ladder[i].is_hardware && err != -ENOENT)
			hardware = err;
		if (err)
			continue;
		doctor_say(finding, ladder[i].is_hardware ? DOCTOR_OK : DOCTOR_LIMITED, "%s", ladder[i].name);
		if (hardware == -EACCES || hardware == -EPERM)
			doctor_mend(finding, "sysctl kernel.perf_event_paranoid=1");
		return;
	}
	refuse_event(host, err, finding);
}

void doctor_tracefs(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	int err = host->hooks->tracefs();

	(void)path;
	if (!err) {
		doctor_say(finding, DOCTOR_OK, "trace_marker can be written");
		return;
	}
	doctor_say(finding, DOCTOR_MISSING, "%s", err == -ENODEV ? "not in this kernel" : strerror(-err));
	if (err == -EACCES || err == -EPERM)
		doctor_mend_privilege(host, finding);
	else if (err == -ENOENT)
		doctor_mend(finding, "mount -t tracefs nodev /sys/kernel/tracing");
}

void doctor_userfaultfd(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	uint64_t features = 0;
	int err = host->hooks->userfaultfd(0, &features);
	bool is_user_only = err == -EPERM;

	(void)path;
	if (is_user_only)
		err = host->hooks->userfaultfd(UFFD_USER_MODE_ONLY, &features);
	if (err) {
		doctor_say(finding, DOCTOR_MISSING, "%s",
			err == -ENOSYS && !host->is_filtered ? "not in this kernel" : strerror(-err));
		if (host->is_filtered)
			doctor_mend(finding, "docker run --security-opt seccomp=unconfined");
		else if (err == -EPERM)
			doctor_mend(finding, "sysctl vm.unprivileged_userfaultfd=1");
	} else if (!(features & UFFD_FEATURE_WP_ASYNC)) {
		doctor_say(finding, DOCTOR_LIMITED, "without asynchronous write protection (Linux 6.7)");
		doctor_mean(finding, "memtrace must handle each first write itself, which slows the program down");
	} else if (is_user_only) {
		doctor_say(finding, DOCTOR_LIMITED, "for faults in user mode");
		doctor_mean(finding, "memtrace does not see what the kernel writes for the program, as read(2) does");
		doctor_mend(finding, "sysctl vm.unprivileged_userfaultfd=1");
	} else {
		doctor_say(finding, DOCTOR_OK, "with asynchronous write protection");
	}
}

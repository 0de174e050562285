/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Perf events, which sources of addresses they allow, trace marks, faults handed to a program. */
#include "config.h"
#include "common/probe_private.h"

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

static bool is_privileged(const struct probe_host *host)
{
	return probe_can(host, CAP_PERFMON) || probe_can(host, CAP_SYS_ADMIN);
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t config, uint64_t sample_type)
{
	return (struct perf_event_attr){.size = sizeof(struct perf_event_attr), .type = type, .config = config,
		.sample_period = PERIOD, .sample_type = sample_type, .disabled = 1, .exclude_kernel = 1, .exclude_hv = 1};
}

/* Why perf_event_open failed, as an answer. */
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
		probe_say(answer, PROBE_OK, "%s, which does not bind us", text);
	else
		/* Level 2 leaves a user's own programs in user mode; Debian's and Android's 3 nothing. */
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

void probe_perf_cycles(const struct probe_host *host, struct probe_answer *answer)
{
	struct perf_event_attr attr = attr_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERF_SAMPLE_IP);
	int err = host->hooks->perf_event(&attr, 0, -1), precise;

	if (err) {
		refuse_event(host, err, answer);
		return;
	}
	for (precise = 3; precise > 0; precise--) {
		attr.precise_ip = (unsigned)precise & 3;
		if (!host->hooks->perf_event(&attr, 0, -1))
			break;
	}
	probe_say(answer, PROBE_OK, "cycles can be sampled, precise level %d of 3", precise);
}

/* --- engines that sample addresses: the first that opens is used ----------------------------------------- */

static int open_for_self(const struct probe_host *host, const struct perf_event_attr *attr)
{
	int err = host->hooks->perf_event(attr, 0, -1);

	/* Some units sample a whole CPU only. */
	return err == -EINVAL || err == -EOPNOTSUPP ? host->hooks->perf_event(attr, -1, 0) : err;
}

static int try_mem_loads(const struct probe_host *host)
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

static int try_ibs(const struct probe_host *host)
{
	struct perf_event_attr attr = attr_of(0, 0, PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IP);
	int err = perf_unit_term(host->root, "ibs_op", "cnt_ctl", 1, &attr);

	if (err)
		return err;
	/* IBS has no filter by privilege, and refuses to be asked for one. */
	attr.exclude_kernel = attr.exclude_hv = 0;
	return open_for_self(host, &attr);
}

static int try_spe(const struct probe_host *host)
{
	struct perf_event_attr attr = attr_of(0, 0, PERF_SAMPLE_IP);
	int err = perf_unit_term(host->root, "arm_spe_0", "load_filter", 1, &attr);

	return err ? err : open_for_self(host, &attr);
}

static int try_clock(const struct probe_host *host)
{
	struct perf_event_attr attr =
		attr_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, PERF_SAMPLE_IP | PERF_SAMPLE_REGS_USER);

	/* Every architecture has a first register. */
	attr.sample_regs_user = 1;
	return open_for_self(host, &attr);
}

static int try_faults(const struct probe_host *host)
{
	return host->hooks->fault_address();
}

static const struct {
	const char *name;
	int (*open)(const struct probe_host *host);
	bool is_hardware;
} engines[] = {
	{"mem-loads (PEBS)", try_mem_loads, true},
	{"ibs_op (AMD IBS)", try_ibs, true},
	{"arm_spe (ARM SPE)", try_spe, true},
	{"cpu-clock, decoded", try_clock, false},
	{"page faults", try_faults, false},
};

void probe_memory_trace(const struct probe_host *host, struct probe_answer *answer)
{
	int err = -ENOENT, hardware = -ENOENT;

	for (size_t i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
		err = engines[i].open(host);
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

void probe_userfaultfd(const struct probe_host *host, struct probe_answer *answer)
{
	uint64_t features = 0;
	int err = host->hooks->userfaultfd(0, &features);
	bool is_user_only = err == -EPERM;

	if (is_user_only)
		err = host->hooks->userfaultfd(UFFD_USER_MODE_ONLY, &features);
	if (err) {
		probe_say(answer, PROBE_MISSING, "%s",
			err == -ENOSYS && !host->is_filtered ? "not in this kernel" : strerror(-err));
		if (host->is_filtered)
			probe_fix(answer, "docker run --security-opt seccomp=unconfined");
		else if (err == -EPERM)
			probe_fix(answer, "sysctl vm.unprivileged_userfaultfd=1");
	} else if (!(features & UFFD_FEATURE_WP_ASYNC)) {
		probe_say(answer, PROBE_LIMITED, "without asynchronous write protection (Linux 6.7)");
		probe_mean(answer, "each first write must be handled one by one, which slows the program down");
	} else if (is_user_only) {
		probe_say(answer, PROBE_LIMITED, "for faults in user mode");
		probe_mean(answer, "writes by the kernel for the program, as in read(2), are not seen");
		probe_fix(answer, "sysctl vm.unprivileged_userfaultfd=1");
	} else {
		probe_say(answer, PROBE_OK, "with asynchronous write protection");
	}
}

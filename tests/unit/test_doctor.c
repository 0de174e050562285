/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "common/base/diag.h"
#include "common/probe/probe.h"
#include "common/probe/probe_checks.h"
#include "tests/unit/examined.h"
#include "tests/unit/fakeroot.h"

static const struct doctor_finding *found(const char *code)
{
	for (size_t i = 0; i < result.finding_count; i++) {
		if (!strcmp(result.findings[i].row->code, code))
			return &result.findings[i];
	}
	fail_msg("no finding %s", code);
	return NULL;
}

static bool has(const char *code)
{
	for (size_t i = 0; i < result.finding_count; i++) {
		if (!strcmp(result.findings[i].row->code, code))
			return true;
	}
	return false;
}

/* After a change of fake_kernel or host: the finding of the code. */
static const struct doctor_finding *again(const char *code)
{
	doctor_examine(&host, paths, 2, &result);
	return found(code);
}

static void is(const struct doctor_finding *finding, enum probe_status status, const char *value, const char *fix)
{
	assert_string_equal(finding->answer.value, value);
	assert_string_equal(probe_status_name(finding->answer.status), probe_status_name(status));
	assert_string_equal(finding->answer.fix, fix);
	assert_true(status == PROBE_OK ? !finding->answer.meaning[0] : finding->answer.meaning[0]);
}

TEST("each row of doctor has a unique code, tools and a group")
{
	size_t row_count, tool_count;
	const struct doctor_row *rows = doctor_rows(&row_count);
	const struct doctor_tool *tools = doctor_tools(&tool_count);

	for (size_t i = 0; i < row_count; i++) {
		assert_int_equal(strspn(rows[i].code, "abcdefghijklmnopqrstuvwxyz-"), strlen(rows[i].code));
		assert_in_range(strlen(rows[i].code), 3, 18);
		assert_true(rows[i].tools && !(rows[i].tools & ~(unsigned)DOCTOR_ALL));
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(rows[i].code, rows[j].code);
		/* Groups are printed one after another. */
		assert_true(!i || rows[i].group >= rows[i - 1].group);
	}
	assert_int_equal(tool_count, 5);
	for (size_t i = 0; i < tool_count; i++) {
		assert_int_equal(tools[i].bit, 1 << i);
		for (size_t j = 0; j < 4 && tools[i].needs[j]; j++) {
			size_t k = 0;

			while (k < row_count && strcmp(rows[k].code, tools[i].needs[j]) != 0)
				k++;
			assert_true(k < row_count && rows[k].tools & tools[i].bit);
		}
	}
}

/* Whatever a kernel answers, each finding says what was found, and each that is not ok what follows. */
TEST("every answer of a probe has a text")
{
	static const char *const names[] = {"laptop", "epyc", "container"};

	for (int err = 0; err < 3 * 134; err++) {
		examine(names[err % 3]);
		fake_kernel.time_source = fake_kernel.memlock = fake_kernel.pid_namespace = fake_kernel.writable =
			fake_kernel.swap_file = fake_kernel.uring = fake_kernel.uring_plain = fake_kernel.direct =
				fake_kernel.fault_address = fake_kernel.tracefs =
					fake_kernel.hardware = fake_kernel.clock = fake_kernel.unit = -(err / 3);
		doctor_examine(&host, paths, 2, &result);
		assert_in_range(result.finding_count, 21, DOCTOR_FINDINGS);
		for (size_t i = 0; i < result.finding_count; i++) {
			const struct doctor_finding *finding = &result.findings[i];

			assert_in_range(strlen(finding->answer.value), 1, sizeof(finding->answer.value) - 2);
			assert_true(strlen(finding->answer.meaning) < sizeof(finding->answer.meaning) - 1);
			assert_true(strlen(finding->answer.fix) < sizeof(finding->answer.fix) - 1);
			if (finding->answer.status != PROBE_OK && !finding->answer.meaning[0])
				fail_msg("%s: '%s' without what follows", finding->row->code, finding->answer.value);
			assert_true(finding->answer.status != PROBE_OK || !finding->answer.fix[0]);
		}
	}
}

TEST("io_uring and its features are probed")
{
	char root[64];

	examine("epyc");
	is(found("io-uring"), PROBE_OK, "a ring was set up", "");
	is(found("io-uring-deferred"), PROBE_OK, "completions can be deferred", "");
	/* Before Linux 6.1: that is ssd-workloads' alone. */
	fake_kernel.uring = -EINVAL;
	is(again("io-uring"), PROBE_OK, "a ring was set up", "");
	is(found("io-uring-deferred"), PROBE_LIMITED, "not in this kernel", "");
	assert_int_equal(found("io-uring-deferred")->row->tools, DOCTOR_SSD);
	fake_kernel.uring = -ENOMEM;
	is(again("io-uring-deferred"), PROBE_LIMITED, "Cannot allocate memory", "");
	fake_kernel.uring_plain = -ENOSYS;
	is(again("io-uring"), PROBE_MISSING, "not in this kernel", "");
	assert_false(has("io-uring-deferred"));
	fake_kernel.uring_plain = -ENOMEM;
	is(again("io-uring"), PROBE_MISSING, "Cannot allocate memory", "ulimit -l unlimited");
	fake_kernel.uring_plain = -EPERM;
	is(again("io-uring"), PROBE_MISSING, "Operation not permitted", "");
	host.is_filtered = true;
	is(again("io-uring"), PROBE_MISSING, "Operation not permitted: a seccomp filter is on this process",
		"docker run --security-opt seccomp=unconfined");
	fakeroot_make(root);
	fakeroot_put(root, "/proc/sys/kernel/io_uring_disabled", "1\n");
	host.root = root;
	is(again("io-uring"), PROBE_MISSING, "kernel.io_uring_disabled=1", "sysctl kernel.io_uring_disabled=0");
	host.is_filtered = false;
	fake_kernel.uring_plain = -ENOSYS;
	is(again("io-uring"), PROBE_MISSING, "not in this kernel", "");
	/* Nothing that a terminal obeys. */
	fake_kernel.uring_plain = -EPERM;
	fakeroot_put(root, "/proc/sys/kernel/io_uring_disabled", "\033[1m\177\n");
	is(again("io-uring"), PROBE_MISSING, "kernel.io_uring_disabled=?[1m?", "sysctl kernel.io_uring_disabled=0");
	fakeroot_remove(root);
}

TEST("memory sampling falls back from one engine to the next")
{
	examine("epyc");
	is(found("memory-sampling"), PROBE_OK, "ibs_op (AMD IBS)", "");
	is(found("hardware-counters"), PROBE_OK, "cycles can be sampled, precise level 2 of 3", "");
	fake_kernel.unit = -EACCES;
	is(again("memory-sampling"), PROBE_LIMITED, "cpu-clock, decoded", "sysctl kernel.perf_event_paranoid=1");
	fake_kernel.unit = -ENOENT;
	is(again("memory-sampling"), PROBE_LIMITED, "cpu-clock, decoded", "");
	fake_kernel.clock = -EOPNOTSUPP;
	is(again("memory-sampling"), PROBE_LIMITED, "page faults", "");
	fake_kernel.fault_address = -ENOMSG;
	is(again("memory-sampling"), PROBE_MISSING, "No message of desired type", "");
	is(found("page-fault-events"), PROBE_MISSING, "the event opens, but no fault was recorded", "");

	examine("laptop");
	is(found("memory-sampling"), PROBE_MISSING, "Permission denied, kernel.perf_event_paranoid=4",
		"sysctl kernel.perf_event_paranoid=1");
	fake_kernel.unit = 0;
	is(again("memory-sampling"), PROBE_OK, "mem-loads (PEBS)", "");
	fake_kernel.hardware = -ENOENT;
	is(again("hardware-counters"), PROBE_MISSING, "none", "");
	snprintf(machine.hypervisor, sizeof(machine.hypervisor), "KVM");
	is(again("hardware-counters"), PROBE_MISSING, "the hypervisor shows none", "");
}

TEST("the limits of recorders are probed")
{
	char root[64];

	examine("laptop");
	fakeroot_make(root);
	host.root = root;
	host.capabilities = 0;
	is(again("ptrace-scope"), PROBE_OK, "not in this kernel: a user's processes may be read", "");
	is(found("lockdown"), PROBE_OK, "none", "");
	assert_false(has("perf-mlock"));
	fakeroot_put(root, "/proc/sys/kernel/yama/ptrace_scope", "1\n");
	fakeroot_put(root, "/proc/sys/kernel/perf_event_mlock_kb", "516\n");
	fakeroot_put(root, "/sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	is(again("ptrace-scope"), PROBE_LIMITED, "1", "sysctl kernel.yama.ptrace_scope=0");
	is(found("lockdown"), PROBE_OK, "integrity", "");
	is(found("perf-mlock"), PROBE_LIMITED, "516 KiB for each CPU", "sysctl kernel.perf_event_mlock_kb=4100");
	fakeroot_put(root, "/proc/sys/kernel/yama/ptrace_scope", "3\n");
	fakeroot_put(root, "/sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	fake_kernel.process_madvise = -ENOSYS;
	is(again("ptrace-scope"), PROBE_MISSING, "3: no process may be traced until the next boot", "");
	is(found("lockdown"), PROBE_MISSING, "confidentiality", "");
	is(found("process-madvise"), PROBE_MISSING, "not in this kernel", "");
	host.capabilities = UINT64_MAX;
	fakeroot_put(root, "/proc/sys/kernel/yama/ptrace_scope", "2\n");
	is(again("ptrace-scope"), PROBE_OK, "2, no limit for this user", "");
	is(found("perf-mlock"), PROBE_OK, "516 KiB for each CPU, no limit for this user", "");
	fakeroot_remove(root);
}

TEST("loads are probed with the leader that the kernel asks for")
{
	char root[64];

	examine("laptop");
	fakeroot_make(root);
	host.root = root;
	fakeroot_put(root, "/sys/bus/event_source/devices/cpu_core/type", "4\n");
	fakeroot_put(root, "/sys/bus/event_source/devices/cpu_core/format/event", "config:0-7\n");
	fakeroot_put(root, "/sys/bus/event_source/devices/cpu_core/format/umask", "config:8-15\n");
	fakeroot_put(root, "/sys/bus/event_source/devices/cpu_core/format/ldlat", "config1:0-15\n");
	fakeroot_put(root, "/sys/bus/event_source/devices/cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	fake_kernel.unit = 0;
	fake_kernel.leader_config = 0x8203;
	/* No fallback but the clock is asked for. */
	fake_kernel.clock = 0;
	is(again("memory-sampling"), PROBE_LIMITED, "cpu-clock, decoded", "");
	fakeroot_put(root, "/sys/bus/event_source/devices/cpu_core/events/mem-loads-aux", "event=0x03,umask=0x82\n");
	is(again("memory-sampling"), PROBE_OK, "mem-loads (PEBS)", "");
	fakeroot_remove(root);
}

TEST("O_DIRECT and its alignment are probed")
{
	examine("epyc");
	is(found("o-direct"), PROBE_OK, "ext4, memory aligned to 512 bytes, offsets to 4096", "");
	fake_kernel.direct_facts.memory_bytes = 0;
	is(again("o-direct"), PROBE_MISSING, "ext4: accepted, but the kernel reports that it is not direct", "");
	fake_kernel.direct_facts.has_alignment = false;
	is(again("o-direct"), PROBE_LIMITED, "ext4: works in whole pages, alignment unknown", "");
	fake_kernel.direct_facts = (struct probe_direct){.filesystem = "tmpfs", .step = "write", .is_cached = true};
	is(again("o-direct"), PROBE_MISSING, "tmpfs: accepted, but its files are in memory", "");
	fake_kernel.direct_facts = (struct probe_direct){.step = "open"};
	fake_kernel.direct = -EINVAL;
	is(again("o-direct"), PROBE_MISSING, "a file system of another kind: open: Invalid argument", "");
	fake_kernel.direct = -EACCES;
	is(again("o-direct"), PROBE_MISSING, "a file system of another kind: open: Permission denied", "");
	host.uid = 1000;
	is(again("o-direct"), PROBE_MISSING, "a file system of another kind: open: Permission denied", "sudo COMMAND");
}

TEST("perf_event_paranoid decides what is available")
{
	static const struct {
		const char *level, *value;
		enum probe_status status;
	} levels[] = {{"-1\n", "-1", PROBE_OK}, {"1\n", "1", PROBE_OK}, {"2\n", "2", PROBE_LIMITED},
		{"3\n", "3", PROBE_MISSING}};
	char root[64];

	examine("laptop");
	fakeroot_make(root);
	host.root = root;
	is(again("perf-paranoid"), PROBE_MISSING, "not in this kernel", "");
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		fakeroot_put(root, "/proc/sys/kernel/perf_event_paranoid", levels[i].level);
		is(again("perf-paranoid"), levels[i].status, levels[i].value,
			levels[i].status ? "sysctl kernel.perf_event_paranoid=1" : "");
	}
	host.capabilities = 1ull << 38; /* CAP_PERFMON */
	is(again("perf-paranoid"), PROBE_OK, "3, no limit for this user", "");
	fakeroot_remove(root);
}

TEST("modules and devices are probed")
{
	char root[64];

	examine("epyc");
	is(found("zram"), PROBE_OK, "compressors lzo lzo-rle lz4 zstd", "");
	is(found("loop"), PROBE_OK, "/dev/loop-control", "");
	fakeroot_make(root);
	host.root = root;
	is(again("zram"), PROBE_MISSING, "neither in this kernel nor a module", "");
	is(found("loop"), PROBE_MISSING, "no /dev/loop-control", "");
	/* Not by a part of the name. */
	fakeroot_put(root, "/lib/modules/6.12.9/modules.dep", "a/myzram.ko: a/b.ko\na/zramx.ko:\na/zram.kox:\n");
	is(again("zram"), PROBE_MISSING, "neither in this kernel nor a module", "");
	fakeroot_put(root, "/lib/modules/6.12.9/modules.dep", "a/zram.ko: a/b.ko\na/loop.ko.xz:\n");
	is(again("zram"), PROBE_NOTE, "the module is installed and not loaded", "modprobe zram num_devices=0");
	is(found("loop"), PROBE_MISSING, "the module is installed and not loaded", "modprobe loop");
	fakeroot_remove(root);
}

TEST("a writable memory cgroup is probed")
{
	char root[64];

	examine("epyc");
	is(found("memory-cgroup"), PROBE_OK, "version 2, below /sys/fs/cgroup", "");
	fake_kernel.writable = -EROFS;
	is(again("memory-cgroup"), PROBE_MISSING, "version 2, below /sys/fs/cgroup: Read-only file system",
		"mount -o remount,rw /sys/fs/cgroup");
	fakeroot_make(root);
	host.root = root;
	is(again("memory-cgroup"), PROBE_MISSING, "no memory controller", "mount -t cgroup2 none /sys/fs/cgroup");
	fakeroot_put(root, "/proc/self/cgroup", "0::/me\n");
	fakeroot_put(root, "/proc/self/mountinfo", "30 20 0:28 / /cg rw - cgroup2 cgroup2 rw\n");
	fakeroot_put(root, "/cg/cgroup.controllers", "cpu memory\n");
	fakeroot_put(root, "/cg/me/cgroup.controllers", "cpu\n");
	is(again("memory-cgroup"), PROBE_MISSING,
		"version 2: no cgroup from ours upwards gives its children the memory controller",
		"systemd-run --scope -p MemoryAccounting=yes COMMAND");
	fakeroot_remove(root);
	examine("container");
	is(found("memory-cgroup"), PROBE_MISSING, "no memory controller", "docker run --privileged");
}

TEST("the time source is probed")
{
	examine("epyc");
	is(found("time-source"), PROBE_OK, "rdtscp, 2995.200 MHz, invariant, the same on all CPUs, 18 ns a pair", "");
	fake_kernel.timebase.method = TICKS_PERFC;
	is(again("time-source"), PROBE_LIMITED, "perfc: clock_gettime, 18 ns a pair of stamps", "");
	fake_kernel.timebase.method = TICKS_CNTVCT;
	snprintf(fake_kernel.timebase.distrust, sizeof(fake_kernel.timebase.distrust), "it jumps");
	is(again("time-source"), PROBE_LIMITED, "cntvct: it jumps", "pmbench -t perfc");
}

TEST("user and capabilities are read")
{
	char root[64];

	examine("laptop");
	assert_int_equal(host.uid, 1000);
	assert_int_equal(host.capabilities, 0);
	assert_false(host.is_filtered);
	examine("container");
	assert_int_equal(host.uid, 0);
	assert_int_equal(host.capabilities, 0xa80425fb);
	assert_true(host.is_filtered);
	is(found("privilege"), PROBE_MISSING, "root without CAP_SYS_ADMIN", "docker run --privileged");
	fakeroot_make(root);
	host.root = root;
	probe_read_credentials(&host);
	assert_true(host.capabilities == UINT64_MAX && !host.uid && !host.is_filtered);
	/* The effective one, of a line of its own. */
	fakeroot_put(root, "/proc/self/status", "XUid:\t7\t8\t9\t9\nUid:\t1\t2\t3\t4\nCapEff:\t0000000000200000\n");
	probe_read_credentials(&host);
	assert_int_equal(host.uid, 2);
	assert_true(probe_can(&host, 21));
	is(again("privilege"), PROBE_OK, "uid 2 with CAP_SYS_ADMIN", "");
	fakeroot_remove(root);
}

TEST("the findings decide what each tool can do")
{
	size_t count;
	const struct doctor_tool *tools = doctor_tools(&count);
	const char *needs[5];

	examine("laptop");
	assert_int_equal(doctor_exit_code(&result), DIAG_EXIT_HOST);
	assert_int_equal(doctor_decide(&result, &tools[0], needs), PROBE_LIMITED);
	assert_null(needs[0]);
	assert_int_equal(doctor_decide(&result, &tools[1], needs), PROBE_MISSING);
	assert_string_equal(needs[0], "privilege");
	assert_string_equal(needs[2], "memory-cgroup");
	assert_null(needs[3]);
	examine("epyc");
	assert_int_equal(doctor_exit_code(&result), DIAG_EXIT_OK);
	/* What nobody has set up is no tool's limit. */
	is(found("swap"), PROBE_NOTE, "no area", "with-pressure --swap zram:2G -- COMMAND");
	assert_int_equal(doctor_decide(&result, &tools[0], needs), PROBE_OK);
	assert_int_equal(doctor_decide(&result, &tools[1], needs), PROBE_OK);
	/* Who needs a ring, and who has other ways. */
	fake_kernel.uring = fake_kernel.uring_plain = -EPERM;
	doctor_examine(&host, paths, 2, &result);
	assert_int_equal(doctor_decide(&result, &tools[3], needs), PROBE_MISSING);
	assert_int_equal(doctor_decide(&result, &tools[2], needs), PROBE_LIMITED);
	assert_int_equal(doctor_exit_code(&result), DIAG_EXIT_HOST);
	/* Before Linux 6.1 one of them is less for it. */
	fake_kernel.uring = -EINVAL;
	fake_kernel.uring_plain = 0;
	doctor_examine(&host, paths, 2, &result);
	assert_int_equal(doctor_decide(&result, &tools[3], needs), PROBE_LIMITED);
	assert_int_equal(doctor_decide(&result, &tools[2], needs), PROBE_OK);
	assert_int_equal(doctor_exit_code(&result), DIAG_EXIT_OK);
	/* Without samples of memory, page faults are enough for memtrace; not without these. One path that can is enough. */
	fake_kernel.uring = 0;
	fake_kernel.unit = -ENOENT;
	fake_kernel.clock = -EOPNOTSUPP;
	doctor_examine(&host, paths, 2, &result);
	assert_int_not_equal(doctor_decide(&result, &tools[4], needs), PROBE_MISSING);
	assert_int_equal(doctor_exit_code(&result), DIAG_EXIT_OK);
	fake_kernel.fault_address = -ENOMSG;
	doctor_examine(&host, paths, 2, &result);
	assert_int_equal(doctor_decide(&result, &tools[4], needs), PROBE_MISSING);
	assert_int_equal(doctor_exit_code(&result), DIAG_EXIT_HOST);
	fake_kernel.fault_address = 0;
	fake_kernel.direct = -EINVAL;
	doctor_examine(&host, paths, 2, &result);
	assert_int_equal(doctor_decide(&result, &tools[2], needs), PROBE_MISSING);
	assert_int_equal(doctor_exit_code(&result), DIAG_EXIT_HOST);
	for (size_t i = 0; i < result.finding_count; i++) {
		if (!strcmp(result.findings[i].row->code, "o-direct") && !strcmp(result.findings[i].answer.path, "/tmp"))
			result.findings[i].answer.status = PROBE_OK;
	}
	assert_int_equal(doctor_decide(&result, &tools[2], needs), PROBE_OK);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/fake_doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/perf_event.h>
#include <string.h>
#include "common/base/units.h"
#include "tests/unit/fakeroot.h"

struct fake_kernel fake_kernel;

static int time_source(const char *root, struct timebase *timebase)
{
	(void)root;
	*timebase = fake_kernel.timebase;
	return fake_kernel.time_source;
}

static int memlock_limit(uint64_t *bytes)
{
	*bytes = fake_kernel.memlock_bytes;
	return fake_kernel.memlock;
}

static int pid_namespace(void)
{
	return fake_kernel.pid_namespace;
}

static int is_writable(const char *path)
{
	(void)path;
	return fake_kernel.writable;
}

static int swap_file(const char *root, const char *folder, char *why, size_t length)
{
	(void)root;
	snprintf(why, length, "--swap: %s/memstor-probe.swap is on overlay", folder);
	return fake_kernel.swap_file;
}

static int uring(unsigned flags)
{
	return flags ? fake_kernel.uring : fake_kernel.uring_plain;
}

static int direct(const char *path, struct probe_direct *facts)
{
	(void)path;
	*facts = fake_kernel.direct_facts;
	return fake_kernel.direct;
}

/* Of the last event that was opened. */
static int last_fd;
static uint64_t last_config;

static int answer_event(const struct perf_event_attr *attr, int group_fd)
{
	assert_int_equal(attr->size, sizeof(*attr));
	if (attr->type == PERF_TYPE_HARDWARE)
		/* Precise levels 1 and 2 are there. */
		return fake_kernel.hardware ? fake_kernel.hardware : attr->precise_ip == 3 ? -EOPNOTSUPP : 0;
	if (attr->type == PERF_TYPE_SOFTWARE)
		return fake_kernel.clock;
	/* AMD's IBS has no filters. */
	if (attr->type == 11 && (attr->exclude_kernel || attr->exclude_hv || attr->sample_period % 16))
		return -EINVAL;
	if (attr->type != fake_kernel.unit_type)
		return -ENOENT;
	if (fake_kernel.leader_config && attr->config == 0x1cd &&
		(group_fd < 0 || group_fd != last_fd || last_config != fake_kernel.leader_config))
		return -ENODATA;
	return fake_kernel.unit;
}

static int open_event(const struct perf_event_attr *attr, int pid, int cpu, int group_fd)
{
	int err = answer_event(attr, group_fd);

	(void)pid;
	(void)cpu;
	if (err)
		return err;
	last_config = attr->config;
	last_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return last_fd;
}

static int fault_address(void)
{
	return fake_kernel.fault_address;
}

static int tracefs(void)
{
	return fake_kernel.tracefs;
}

static int process_madvise_answer(void)
{
	return fake_kernel.process_madvise;
}

static void pause_for(uint64_t ns)
{
	fake_kernel.paused_ns += ns;
}

const struct probe_hooks fake_hooks = {
	.time_source = time_source,
	.memlock_limit = memlock_limit,
	.pid_namespace = pid_namespace,
	.is_writable = is_writable,
	.swap_file = swap_file,
	.uring = uring,
	.direct = direct,
	.perf_open = open_event,
	.process_madvise = process_madvise_answer,
	.fault_address = fault_address,
	.tracefs = tracefs,
	.pause = pause_for,
};

static void set_laptop(struct machine *machine)
{
	fake_kernel.pid_namespace = fake_kernel.writable = fake_kernel.uring = fake_kernel.uring_plain = -EPERM;
	fake_kernel.fault_address = fake_kernel.hardware = fake_kernel.clock = fake_kernel.unit = fake_kernel.tracefs = -EACCES;
	fake_kernel.memlock_bytes = 64 * UNITS_KIB;
	fake_kernel.unit_type = 4;
	*machine = (struct machine){.cpu_model = "Intel(R) Core(TM) i7-1185G7", .threads = 8, .page_bytes = 4096,
		.memory_bytes = 16116388ull * 1024, .available_bytes = 9604120ull * 1024, .os_release = "6.8.0-45-generic",
		.hostname = "laptop", .node_count = 1, .swap_count = 1,
		.swaps = {{.path = "/dev/nvme0n1p3", .type = "partition", .backing = "disk", .size_bytes = 8388604ull * 1024,
			.used_bytes = 262144ull * 1024, .priority = -2}},
		.setting_count = 3,
		.settings = {{"thp.enabled", "always"}, {"cpu.governor", "powersave"}, {"vm.page-cluster", "3"}}};
}

static void set_epyc(struct machine *machine)
{
	fake_kernel.unit_type = 11;
	*machine = (struct machine){.cpu_model = "AMD EPYC 9354P", .threads = 64, .page_bytes = 4096,
		.memory_bytes = 395886188ull * 1024, .available_bytes = 388604120ull * 1024, .os_release = "6.12.9",
		.hostname = "epyc", .node_count = 2, .nodes = {{0, 1ull << 37, "0-63"}, {1, 1ull << 37, ""}},
		.setting_count = 2, .settings = {{"thp.enabled", "madvise"}, {"cpu.governor", "performance"}}};
}

static void set_container(struct machine *machine)
{
	fake_kernel.pid_namespace = fake_kernel.uring = fake_kernel.uring_plain = -EPERM;
	fake_kernel.swap_file = -EOPNOTSUPP;
	fake_kernel.writable = -EROFS;
	fake_kernel.fault_address = fake_kernel.hardware = fake_kernel.clock = fake_kernel.tracefs = -EPERM;
	fake_kernel.memlock_bytes = UINT64_MAX;
	fake_kernel.direct_facts =
		(struct probe_direct){.filesystem = "overlay", .step = "write", .has_alignment = false};
	snprintf(fake_kernel.timebase.distrust, sizeof(fake_kernel.timebase.distrust),
		"the TSC is not invariant (no constant_tsc and nonstop_tsc in /proc/cpuinfo)");
	*machine = (struct machine){.threads = 2, .page_bytes = 65536, .memory_bytes = 4014080ull * 1024,
		.available_bytes = 304120ull * 1024, .os_release = "6.1.0", .hypervisor = "KVM", .node_count = 1};
}

void fake_doctor(const char *name, struct machine *machine, struct probe_host *host)
{
	static const struct {
		const char *name;
		void (*set)(struct machine *machine);
	} machines[] = {{"laptop", set_laptop}, {"epyc", set_epyc}, {"container", set_container}};

	fake_kernel = (struct fake_kernel){.memlock_bytes = UINT64_MAX,
		.timebase = {.method = TICKS_RDTSCP, .start = {.khz = 2995200.1}, .overhead_ns = 18.4, .is_invariant = true,
			.is_synchronised = true},
		.direct_facts = {.filesystem = "ext4", .step = "write", .has_alignment = true, .memory_bytes = 512,
			.offset_bytes = 4096}};
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		if (!strcmp(machines[i].name, name))
			machines[i].set(machine);
	}
	snprintf(machine->os_name, sizeof(machine->os_name), "Linux");
	snprintf(machine->arch, sizeof(machine->arch), "x86_64");
	if (!machine->cgroup_limit_bytes)
		machine->cgroup_limit_bytes = UINT64_MAX;
	*host = (struct probe_host){.root = fakeroot_fixture(name), .hooks = &fake_hooks, .machine = machine};
	probe_read_credentials(host);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Probes of the clock, of memory and its pages, and of programs that the tools start. */
#include "config.h"
#include "common/probe/probe_checks.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/kernel/cgroup.h"
#include "common/kernel/counters.h"
#include "common/kernel/swap.h"
#include "common/run/limits.h"

#define DEFAULT_MAP (256 * UNITS_MIB) /* typical size for a program that uses huge pages */
#define MIN_AVAILABLE (512 * UNITS_MIB)
#define MIN_MEMLOCK (8 * UNITS_MIB) /* the kernel's own default since Linux 5.16 */

void probe_time_source(const struct probe_host *host, struct probe_answer *answer)
{
	struct timebase timebase;
	int err = host->hooks->time_source(host->root, &timebase);
	const char *name = timebase_method_name(err ? TICKS_DEFAULT : timebase.method);

	if (err) {
		probe_say(answer, PROBE_LIMITED, "%s: %s", name, strerror(-err));
	} else if (timebase.distrust[0]) {
		probe_say(answer, PROBE_LIMITED, "%s: %s", name, timebase.distrust);
	} else if (timebase.method == TICKS_PERFC) {
		probe_say(answer, PROBE_LIMITED, "perfc: clock_gettime, %.0f ns a pair of stamps", timebase.overhead_ns);
		probe_mean(answer, "no usable counter in this CPU: timestamps use the system's clock, which takes longer");
		probe_no_fix(answer);
	} else {
		probe_say(answer, PROBE_OK, "%s, %.3f MHz, invariant, the same on all CPUs, %.0f ns a pair", name,
			timebase.start.khz / 1000, timebase.overhead_ns);
	}
}

void probe_page_size(const struct probe_host *host, struct probe_answer *answer)
{
	char size[UNITS_TEXT];

	probe_say(answer, PROBE_OK, "%s", units_format_size(host->machine->page_bytes, size, sizeof(size)));
}

void probe_memory(const struct probe_host *host, struct probe_answer *answer)
{
	const struct machine *machine = host->machine;
	char all[UNITS_TEXT], left[UNITS_TEXT], limit[UNITS_TEXT];
	uint64_t available = machine->available_bytes;

	units_format_size(machine->memory_bytes, all, sizeof(all));
	units_format_size(available, left, sizeof(left));
	units_format_size(machine->cgroup_limit_bytes, limit, sizeof(limit));
	if (machine->cgroup_limit_bytes < available)
		available = machine->cgroup_limit_bytes;
	if (machine->cgroup_limit_bytes < machine->memory_bytes)
		probe_say(answer, PROBE_OK, "%s, %s available, limit of our cgroup %s", all, left, limit);
	else
		probe_say(answer, PROBE_OK, "%s, %s available", all, left);
	if (available < MIN_AVAILABLE)
		answer->status = PROBE_LIMITED;
}

void probe_numa(const struct probe_host *host, struct probe_answer *answer)
{
	const struct machine *machine = host->machine;
	size_t without_cpus = 0;

	for (size_t i = 0; i < machine->node_count; i++)
		without_cpus += !machine->nodes[i].cpus[0];
	if (machine->node_count < 2)
		probe_say(answer, PROBE_OK, "1 node: --membind, --interleave and --preferred change nothing");
	else if (without_cpus)
		probe_say(answer, PROBE_OK, "%zu nodes, %zu of memory only", machine->node_count, without_cpus);
	else
		probe_say(answer, PROBE_OK, "%zu nodes", machine->node_count);
}

void probe_thp(const struct probe_host *host, struct probe_answer *answer)
{
	const char *enabled = machine_setting(host->machine, "thp.enabled");

	if (enabled) {
		probe_say(answer, strcmp(enabled, "never") ? PROBE_OK : PROBE_LIMITED, "%s", enabled);
		return;
	}
	probe_say(answer, PROBE_MISSING, "not in this kernel");
	probe_no_fix(answer);
}

void probe_hugetlb(const struct probe_host *host, struct probe_answer *answer)
{
	struct vmcounters *meminfo = calloc(1, sizeof(*meminfo));
	uint64_t total, unused = 0, size_bytes = 0, wanted;
	char size[UNITS_TEXT];

	if (!meminfo || vmcounters_read(host->root, NULL, VMCOUNTERS_MEMINFO, meminfo) ||
		!vmcounters_get(meminfo, "meminfo.HugePages_Total", &total)) {
		probe_say(answer, PROBE_MISSING, "not in this kernel");
		goto out;
	}
	vmcounters_get(meminfo, "meminfo.HugePages_Free", &unused);
	vmcounters_get(meminfo, "meminfo.Hugepagesize", &size_bytes);
	units_format_size(size_bytes, size, sizeof(size));
	probe_say(answer, unused ? PROBE_OK : PROBE_NOTE,
		"%" PRIu64 " of %" PRIu64 " pages of %s are free", unused, total, size);
	wanted = size_bytes ? (DEFAULT_MAP + size_bytes - 1) / size_bytes : 1;
	probe_fix(answer, "sysctl vm.nr_hugepages=%" PRIu64, total - unused + wanted);
out:
	free(meminfo);
}

void probe_memlock(const struct probe_host *host, struct probe_answer *answer)
{
	char limit[UNITS_TEXT];
	uint64_t bytes;
	int err = host->hooks->memlock_limit(&bytes);

	if (err)
		probe_say(answer, PROBE_LIMITED, "unknown: %s", strerror(-err));
	else if (probe_can(host, CAP_IPC_LOCK))
		probe_say(answer, PROBE_OK, "no limit (CAP_IPC_LOCK)");
	else if (bytes == UINT64_MAX)
		probe_say(answer, PROBE_OK, "no limit");
	else
		probe_say(answer, bytes < MIN_MEMLOCK ? PROBE_LIMITED : PROBE_OK, "%s",
			units_format_size(bytes, limit, sizeof(limit)));
}

static void say_limit(const struct limit *limit, struct probe_answer *answer)
{
	char text[256];

	if (!limit) {
		probe_say(answer, PROBE_OK, "none");
		return;
	}
	limits_text(limit, text, sizeof(text));
	probe_say(answer, PROBE_LIMITED, "%s", text);
	limits_fix(limit, text, sizeof(text));
	probe_fix(answer, "%s", text);
}

void probe_cpu_quota(const struct probe_host *host, struct probe_answer *answer)
{
	struct limits limits = {0};

	limits_read_cpu(host->root, &limits);
	say_limit(limits.count ? &limits.all[0] : NULL, answer);
}

void probe_io_limit(const struct probe_host *host, struct probe_answer *answer)
{
	struct durability durability;
	struct limits limits = {0};

	if (!durability_read_path(host->root, answer->path, &durability)) {
		answer->status = PROBE_NOTHING;
		return;
	}
	limits_read_io(host->root, &durability, &limits);
	say_limit(limits_of_io(&limits), answer);
}

/* Preconditions of limited memory and of a swap area for one run, as in common/pressure/pressure_check.h, one by one. */

#define MODULES_MAX (16u << 20)

static bool exists(const struct probe_host *host, const char *path)
{
	char full[512];

	return snprintf(full, sizeof(full), "%s%s", host->root, path) < (int)sizeof(full) && !access(full, F_OK);
}

/* modprobe finds a module in modules.dep: "kernel/drivers/block/zram/zram.ko.xz: ...". */
static bool has_module(const struct probe_host *host, const char *name)
{
	char file[64], *list;
	bool is_there = false;
	size_t length;

	if (sysfs_slurp(host->root, SYSFS_PATH("/lib/modules/%s/modules.dep", host->machine->os_release), MODULES_MAX, &list,
		    &length))
		return false;
	snprintf(file, sizeof(file), "/%s.ko", name);
	for (const char *at = list; !is_there && (at = strstr(at, file)); at += strlen(file))
		is_there = at[strlen(file)] == ':' || at[strlen(file)] == '.';
	free(list);
	return is_there;
}

void probe_privilege(const struct probe_host *host, struct probe_answer *answer)
{
	if (probe_can(host, CAP_SYS_ADMIN)) {
		probe_say(answer, PROBE_OK, host->uid ? "uid %u with CAP_SYS_ADMIN" : "root", host->uid);
		return;
	}
	probe_say(answer, PROBE_MISSING, host->uid ? "uid %u" : "root without CAP_SYS_ADMIN", host->uid);
	probe_fix_privilege(host, answer);
}

void probe_pid_namespace(const struct probe_host *host, struct probe_answer *answer)
{
	int err = host->hooks->pid_namespace();

	if (!err) {
		probe_say(answer, PROBE_OK, "can be made");
		return;
	}
	probe_say(answer, PROBE_MISSING, "%s", strerror(-err));
	if (err == -EPERM && host->is_filtered && probe_can(host, CAP_SYS_ADMIN))
		probe_fix(answer, "docker run --security-opt seccomp=unconfined");
	else if (err == -EPERM)
		probe_fix_privilege(host, answer);
	else if (err == -ENOSPC)
		probe_fix(answer, "sysctl user.max_pid_namespaces=1024");
}

void probe_memory_cgroup(const struct probe_host *host, struct probe_answer *answer)
{
	struct cgroup parent;
	char why[512];
	int err = cgroup_find_parent(host->root, &parent, why, sizeof(why));

	if (err == -EOPNOTSUPP) {
		probe_say(answer, PROBE_MISSING,
			"version 2: no cgroup from ours upwards gives its children the memory controller");
		probe_fix(answer, "systemd-run --scope -p MemoryAccounting=yes COMMAND");
		return;
	}
	if (err) {
		probe_say(answer, PROBE_MISSING, "no memory controller");
		if (probe_can(host, CAP_SYS_ADMIN))
			probe_fix(answer, "mount -t cgroup2 none /sys/fs/cgroup");
		else
			probe_fix_privilege(host, answer);
		return;
	}
	err = host->hooks->is_writable(parent.dir);
	probe_say(answer, err ? PROBE_MISSING : PROBE_OK, "version %d, below %s%s%s", parent.version,
		parent.dir + strlen(host->root), err ? ": " : "", err ? strerror(-err) : "");
	if (err == -EROFS)
		probe_fix(answer, "mount -o remount,rw /sys/fs/cgroup");
	else
		probe_fix_privilege(host, answer);
}

void probe_swap(const struct probe_host *host, struct probe_answer *answer)
{
	const struct machine *machine = host->machine;
	char size[UNITS_TEXT], used[UNITS_TEXT];
	uint64_t size_bytes = 0, used_bytes = 0;

	if (!exists(host, "/proc/swaps")) {
		probe_say(answer, PROBE_MISSING, "not in this kernel");
		probe_no_fix(answer);
		return;
	}
	if (!machine->swap_count) {
		probe_say(answer, PROBE_NOTE, "no area");
		return;
	}
	for (size_t i = 0; i < machine->swap_count; i++) {
		size_bytes += machine->swaps[i].size_bytes;
		used_bytes += machine->swaps[i].used_bytes;
	}
	units_format_size(size_bytes, size, sizeof(size));
	units_format_size(used_bytes, used, sizeof(used));
	probe_say(answer, PROBE_OK, "%zu area%s, %s, %s of it used, %s (%s)", machine->swap_count,
		machine->swap_count == 1 ? "" : "s", size, used, machine->swaps[0].path, machine->swaps[0].backing);
}

void probe_zram(const struct probe_host *host, struct probe_answer *answer)
{
	char algorithms[128];

	if (zram_is_available(host->root)) {
		bool is_known = !zram_algorithms(host->root, algorithms, sizeof(algorithms));

		probe_say(answer, PROBE_OK, "%s%s", is_known ? "compressors " : "can make devices",
			is_known ? algorithms : "");
	} else if (has_module(host, "zram")) {
		probe_say(answer, PROBE_NOTE, "the module is installed and not loaded");
		/* Without num_devices=0 the module makes one unwanted device. */
		probe_fix(answer, "modprobe zram num_devices=0");
	} else {
		probe_say(answer, PROBE_MISSING, "neither in this kernel nor a module");
	}
}

void probe_loop(const struct probe_host *host, struct probe_answer *answer)
{
	int err;

	if (!exists(host, "/dev/loop-control")) {
		bool is_module = has_module(host, "loop");

		probe_say(answer, PROBE_MISSING, is_module ? "the module is installed and not loaded" : "no /dev/loop-control");
		probe_fix(answer, "%s", is_module ? "modprobe loop" : "");
		return;
	}
	err = host->hooks->is_writable(SYSFS_PATH("%s/dev/loop-control", host->root));
	probe_say(answer, err ? PROBE_LIMITED : PROBE_OK, "/dev/loop-control%s%s", err ? ": " : "",
		err ? strerror(-err) : "");
	probe_fix_privilege(host, answer);
}

void probe_swap_file(const struct probe_host *host, struct probe_answer *answer)
{
	static const char option[] = "--swap: ";
	char why[512] = "";
	struct stat status;
	int err;

	/* Only a folder can get a swap file. */
	if (stat(answer->path, &status) || !S_ISDIR(status.st_mode)) {
		answer->status = PROBE_NOTHING;
		return;
	}
	err = host->hooks->swap_file(host->root, answer->path, why, sizeof(why));
	if (!err) {
		probe_say(answer, PROBE_OK, "can be made");
		return;
	}
	probe_say(answer, PROBE_MISSING, "%s", strerror(-err));
	probe_mean(answer, "--swap file:PATH,SIZE: %s",
		strncmp(why, option, strlen(option)) ? why : why + strlen(option));
}

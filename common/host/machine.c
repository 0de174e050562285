/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/host/machine.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/base/sysfs.h"
#include "common/base/units.h"
#include "common/host/topology.h"
#include "common/kernel/cgroup.h"
#include "common/kernel/counters.h"
#include "common/kernel/swap.h"

/* Copies at most capacity - 1 bytes for reports; unprintable ones become '?'. */
static void copy_text(char *text, size_t capacity, const char *from, size_t length)
{
	size_t used = length < capacity ? length : capacity - 1;

	for (size_t i = 0; i < used; i++)
		text[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	text[used] = '\0';
}

/* --- swap areas --- */

#define SWAPS_MAX (1u << 20)

static const char *backing_of(const struct machine_swap *swap, const char *device)
{
	static const char *const kinds[][2] = {{"zram", "zram"}, {"loop", "loop"}, {"dm-", "other"}, {"md", "other"},
		{"nbd", "other"}, {"rbd", "other"}, {"mapper/", "other"}};

	if (!strcmp(swap->type, "file"))
		return "file";
	if (!device)
		return "other";
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strncmp(device, kinds[i][0], strlen(kinds[i][0])))
			return kinds[i][1];
	return "disk";
}

static void read_swaps(const char *root, struct machine *machine)
{
	char *text, *rest, algorithm[sizeof(machine->swaps[0].algorithm)];
	struct swap_line area;
	size_t length;

	if (sysfs_slurp(root, "/proc/swaps", SWAPS_MAX, &text, &length))
		return;
	rest = text;
	while (machine->swap_count < sizeof(machine->swaps) / sizeof(machine->swaps[0]) && swap_next(&rest, &area)) {
		struct machine_swap *swap = &machine->swaps[machine->swap_count++];
		const char *device = strncmp(area.path, "/dev/", 5) ? NULL : swap->path + 5;

		copy_text(swap->path, sizeof(swap->path), area.path, strlen(area.path));
		copy_text(swap->type, sizeof(swap->type), area.type, strlen(area.type));
		swap->size_bytes = area.size_bytes;
		swap->used_bytes = area.used_bytes;
		swap->priority = area.priority;
		snprintf(swap->backing, sizeof(swap->backing), "%s", backing_of(swap, device));
		if (!strcmp(swap->backing, "zram") && !sysfs_read_choice(root,
			    SYSFS_PATH("/sys/block/%s/comp_algorithm", device), algorithm, sizeof(algorithm)))
			copy_text(swap->algorithm, sizeof(swap->algorithm), algorithm, strlen(algorithm));
	}
	free(text);
}

/* --- settings --- */

#define TEXT_MAX 4096 /* bytes of a value */

struct setting_source {
	const char *name;
	const char *path;
	bool is_choice; /* "always [madvise] never" */
};

static const struct setting_source sources[] = {
	{"vm.swappiness", "/proc/sys/vm/swappiness", false},
	{"vm.page-cluster", "/proc/sys/vm/page-cluster", false},
	{"vm.overcommit_memory", "/proc/sys/vm/overcommit_memory", false},
	{"vm.dirty_ratio", "/proc/sys/vm/dirty_ratio", false},
	{"vm.dirty_background_ratio", "/proc/sys/vm/dirty_background_ratio", false},
	{"vm.dirty_bytes", "/proc/sys/vm/dirty_bytes", false},
	{"vm.dirty_background_bytes", "/proc/sys/vm/dirty_background_bytes", false},
	{"vm.min_free_kbytes", "/proc/sys/vm/min_free_kbytes", false},
	{"vm.watermark_scale_factor", "/proc/sys/vm/watermark_scale_factor", false},
	{"vm.zone_reclaim_mode", "/proc/sys/vm/zone_reclaim_mode", false},
	{"vm.nr_hugepages", "/proc/sys/vm/nr_hugepages", false},
	{"kernel.numa_balancing", "/proc/sys/kernel/numa_balancing", false},
	{"kernel.perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid", false},
	{"kernel.randomize_va_space", "/proc/sys/kernel/randomize_va_space", false},
	{"thp.enabled", "/sys/kernel/mm/transparent_hugepage/enabled", true},
	{"thp.defrag", "/sys/kernel/mm/transparent_hugepage/defrag", true},
	{"thp.shmem_enabled", "/sys/kernel/mm/transparent_hugepage/shmem_enabled", true},
	{"ksm.run", "/sys/kernel/mm/ksm/run", false},
	{"zswap.enabled", "/sys/module/zswap/parameters/enabled", false},
	{"zswap.compressor", "/sys/module/zswap/parameters/compressor", false},
	{"zswap.max_pool_percent", "/sys/module/zswap/parameters/max_pool_percent", false},
	{"zswap.accept_threshold_percent", "/sys/module/zswap/parameters/accept_threshold_percent", false},
	{"zswap.shrinker_enabled", "/sys/module/zswap/parameters/shrinker_enabled", false},
	{"zswap.zpool", "/sys/module/zswap/parameters/zpool", false},
	{"lru_gen.enabled", "/sys/kernel/mm/lru_gen/enabled", false},
	{"numa.demotion_enabled", "/sys/kernel/mm/numa/demotion_enabled", false},
	{"damon.reclaim", "/sys/module/damon_reclaim/parameters/enabled", false},
	{"damon.lru_sort", "/sys/module/damon_lru_sort/parameters/enabled", false},
	{"clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource", false},
	{"cpu.smt", "/sys/devices/system/cpu/smt/control", false},
	{"lockdown", "/sys/kernel/security/lockdown", true},
	{"cmdline", "/proc/cmdline", false},
};

static void add(struct machine *machine, const char *name, const char *value)
{
	struct machine_setting *setting = &machine->settings[machine->setting_count];

	if (machine->setting_count == sizeof(machine->settings) / sizeof(machine->settings[0]))
		return;
	machine->setting_count++;
	snprintf(setting->name, sizeof(setting->name), "%s", name);
	copy_text(setting->value, sizeof(setting->value), value, strlen(value));
}

/* Each governor is listed once: "performance", or "performance,powersave". */
static void read_governors(const char *root, char text[TEXT_MAX], struct machine *machine)
{
	char governor[64], all[MACHINE_TEXT] = "";
	unsigned cpus[CPU_SETSIZE];
	size_t count, used = 0;

	if (sysfs_read(root, "/sys/devices/system/cpu/online", text, TEXT_MAX) ||
		units_parse_list(text, CPU_SETSIZE, cpus, CPU_SETSIZE, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		if (sysfs_read(root, SYSFS_PATH("/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpus[i]), governor,
			    sizeof(governor)) ||
			sysfs_has_word(all, ",", governor))
			continue;
		if (used + strlen(governor) + 2 > sizeof(all))
			break;
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", used ? "," : "", governor);
	}
	if (used)
		add(machine, "cpu.governor", all);
}

/* Lists the vulnerabilities that are not mitigated: "mds,meltdown", or "none". */
static void read_vulnerabilities(const char *root, struct machine *machine)
{
	static const char folder[] = "/sys/devices/system/cpu/vulnerabilities";
	char value[256], open_ones[MACHINE_TEXT] = "";
	struct dirent **entries;
	size_t used = 0;
	int count = scandir(SYSFS_PATH("%s%s", root, folder), &entries, NULL, alphasort);

	if (count < 0)
		return;
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		if (!sysfs_read(root, SYSFS_PATH("%s/%s", folder, name), value, sizeof(value)) &&
			!strncmp(value, "Vulnerable", 10) && used + strlen(name) + 2 <= sizeof(open_ones))
			used += (size_t)snprintf(open_ones + used, sizeof(open_ones) - used, "%s%s", used ? "," : "",
				name);
		free(entries[i]);
	}
	free(entries);
	add(machine, "vulnerable", used ? open_ones : "none");
}

static int is_size(const struct dirent *entry)
{
	return !strncmp(entry->d_name, "hugepages-", 10);
}

/* Adds the choice of each size of multi-size THP: "mthp.64kB" is "inherit". */
static void read_mthp(const char *root, struct machine *machine)
{
	static const char folder[] = "/sys/kernel/mm/transparent_hugepage";
	char value[64], name[64];
	struct dirent **entries;
	int count = scandir(SYSFS_PATH("%s%s", root, folder), &entries, is_size, versionsort);

	for (int i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "mthp.%.40s", entries[i]->d_name + 10);
		if (!sysfs_read_choice(root, SYSFS_PATH("%s/%s/enabled", folder, entries[i]->d_name), value, sizeof(value)))
			add(machine, name, value);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

static void read_damon(const char *root, struct machine *machine)
{
	uint64_t count, running = 0;
	char state[16], text[32];

	if (sysfs_read_u64(root, "/sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds", &count))
		return;
	for (uint64_t i = 0; i < count && i < 1024; i++) {
		running += !sysfs_read(root, SYSFS_PATH("/sys/kernel/mm/damon/admin/kdamonds/%" PRIu64 "/state", i), state,
				   sizeof(state)) &&
			   !strcmp(state, "on");
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)count);
	add(machine, "damon.kdamonds", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)running);
	add(machine, "damon.running", text);
}

/* The texts are allocated because this is called deep in the stack. */
static void read_settings(const char *root, struct machine *machine)
{
	char *text = malloc(TEXT_MAX);

	for (size_t i = 0; text && i < sizeof(sources) / sizeof(sources[0]); i++) {
		const struct setting_source *source = &sources[i];
		int err = source->is_choice ? sysfs_read_choice(root, source->path, text, TEXT_MAX)
					    : sysfs_read(root, source->path, text, TEXT_MAX);

		if (!err)
			add(machine, source->name, text);
	}
	if (text) {
		read_governors(root, text, machine);
		/* The last mitigations= counts, as it does for the kernel. */
		if (!sysfs_read(root, "/proc/cmdline", text, TEXT_MAX)) {
			const char *mitigations = "default";

			for (char *rest = text, *word; (word = strsep(&rest, " "));)
				mitigations = strncmp(word, "mitigations=", 12) ? mitigations : word + 12;
			add(machine, "mitigations", mitigations);
		}
	}
	free(text);
	read_mthp(root, machine);
	read_vulnerabilities(root, machine);
	read_damon(root, machine);
}

/* --- the machine --- */

#define CPUINFO_MAX (16u << 20)

static void read_text(const char *root, const char *path, char *text, size_t capacity)
{
	char value[4096];

	if (!sysfs_read(root, path, value, sizeof(value)))
		copy_text(text, capacity, value, strlen(value));
}

static void read_system(const char *root, struct machine *machine)
{
	struct utsname name;

	read_text(root, "/proc/sys/kernel/ostype", machine->os_name, sizeof(machine->os_name));
	read_text(root, "/proc/sys/kernel/osrelease", machine->os_release, sizeof(machine->os_release));
	read_text(root, "/proc/sys/kernel/version", machine->os_version, sizeof(machine->os_version));
	read_text(root, "/proc/sys/kernel/hostname", machine->hostname, sizeof(machine->hostname));
	read_text(root, "/proc/sys/kernel/random/boot_id", machine->boot_id, sizeof(machine->boot_id));
	read_text(root, "/proc/sys/kernel/arch", machine->arch, sizeof(machine->arch));
	/* Kernels before 6.1 lack the file. */
	if (!machine->arch[0] && !*root && !uname(&name))
		copy_text(machine->arch, sizeof(machine->arch), name.machine, strlen(name.machine));
}

static bool find_cpu_field(const char *cpuinfo, const char *key, char *text, size_t capacity)
{
	const char *value = sysfs_field(cpuinfo, key);

	if (value)
		copy_text(text, capacity, value, strcspn(value, "\n"));
	return value;
}

/* Names the hypervisor by the clock sources that the kernel offers, which needs neither privilege nor cpuid. */
static void name_hypervisor(const char *root, struct machine *machine)
{
	static const char *const hints[][2] = {
		{"kvm-clock", "KVM"}, {"hyperv_clocksource_tsc_page", "Hyper-V"}, {"xen", "Xen"}};
	const char *path = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
	char clocks[256] = "";

	read_text(root, path, clocks, sizeof(clocks));
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		if (!sysfs_has_word(clocks, " ", hints[i][0]))
			continue;
		snprintf(machine->hypervisor, sizeof(machine->hypervisor), "%s", hints[i][1]);
		return;
	}
	read_text(root, "/sys/class/dmi/id/sys_vendor", machine->hypervisor, sizeof(machine->hypervisor));
	if (!machine->hypervisor[0])
		snprintf(machine->hypervisor, sizeof(machine->hypervisor), "unknown");
}

static void read_cpu(const char *root, struct machine *machine)
{
	char implementer[32], part[32], flags[4096] = "";
	char *cpuinfo;
	size_t length;

	if (sysfs_slurp(root, "/proc/cpuinfo", CPUINFO_MAX, &cpuinfo, &length))
		return;
	if (!find_cpu_field(cpuinfo, "model name", machine->cpu_model, sizeof(machine->cpu_model)) &&
		find_cpu_field(cpuinfo, "CPU implementer", implementer, sizeof(implementer)) &&
		find_cpu_field(cpuinfo, "CPU part", part, sizeof(part)))
		snprintf(machine->cpu_model, sizeof(machine->cpu_model), "implementer %s part %s", implementer, part);
	find_cpu_field(cpuinfo, "vendor_id", machine->vendor, sizeof(machine->vendor));
	find_cpu_field(cpuinfo, "flags", flags, sizeof(flags));
	free(cpuinfo);
	read_text(root, "/sys/hypervisor/type", machine->hypervisor, sizeof(machine->hypervisor));
	if (!machine->hypervisor[0])
		read_text(root, "/proc/device-tree/hypervisor/compatible", machine->hypervisor,
			sizeof(machine->hypervisor));
	if (!machine->hypervisor[0] && sysfs_has_word(flags, " ", "hypervisor"))
		name_hypervisor(root, machine);
}

static int read_topology(const char *root, struct machine *machine)
{
	struct topology topology;
	int err = topology_read(root, &topology);

	if (err)
		return err;
	machine->cores = topology.cores;
	machine->threads = topology.threads;
	machine->cache_count = topology.cache_count;
	machine->node_count = topology.node_count;
	memcpy(machine->caches, topology.caches, sizeof(machine->caches));
	memcpy(machine->nodes, topology.nodes, sizeof(machine->nodes));
	return 0;
}

int machine_read(const char *root, struct machine *machine)
{
	struct machine *new = calloc(1, sizeof(*new));
	struct vmcounters *meminfo = malloc(sizeof(*meminfo));
	struct cgroup_place place;
	int err = new && meminfo ? vmcounters_read(root, NULL, VMCOUNTERS_MEMINFO, meminfo) : -ENOMEM;

	if (!err && !vmcounters_get(meminfo, "meminfo.MemTotal", &new->memory_bytes))
		err = -ENODATA;
	if (!err)
		vmcounters_get(meminfo, "meminfo.MemAvailable", &new->available_bytes);
	if (!err)
		err = read_topology(root, new);
	if (err)
		goto out;
	new->page_bytes = (unsigned)sysconf(_SC_PAGESIZE);
	read_system(root, new);
	read_cpu(root, new);
	read_settings(root, new);
	read_swaps(root, new);
	new->cgroup_version = cgroup_find_memory(root, &place, &new->cgroup_limit_bytes);
	if (new->cgroup_version && strlen(place.dir) < sizeof(new->cgroup_dir))
		memcpy(new->cgroup_dir, place.dir, strlen(place.dir) + 1);
	*machine = *new;
out:
	free(meminfo);
	free(new);
	return err;
}

const char *machine_setting(const struct machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->setting_count; i++)
		if (!strcmp(machine->settings[i].name, name))
			return machine->settings[i].value;
	return NULL;
}

/* --- balloon --- */

#define DRIVER "/sys/bus/virtio/drivers/virtio_balloon"
#define REPORTING_ORDER "/sys/module/page_reporting/parameters/page_reporting_order"
#define REPORTING_FEATURE 5  /* VIRTIO_BALLOON_F_REPORTING */
#define LARGEST_ORDER 63     /* page_reporting_order is -1 until a device has registered */

void balloon_read(const char *root, struct balloon *balloon)
{
	const struct dirent *entry;
	char bits[160];
	uint64_t order;
	DIR *dir = opendir(SYSFS_PATH("%s" DRIVER, root));

	*balloon = (struct balloon){0, false};
	/* The folder also has the files of every driver: bind, module, uevent. */
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "virtio", 6) || entry->d_name[6] < '0' || entry->d_name[6] > '9')
			continue;
		balloon->count++;
		if (!sysfs_read(root, SYSFS_PATH(DRIVER "/%s/features", entry->d_name), bits, sizeof(bits)) &&
			strlen(bits) > REPORTING_FEATURE && bits[REPORTING_FEATURE] == '1')
			balloon->reports_pages = true;
	}
	if (dir)
		closedir(dir);
	/* Other drivers, as Hyper-V's, report free pages, too. */
	if (!sysfs_read_u64(root, REPORTING_ORDER, &order) && order <= LARGEST_ORDER)
		balloon->reports_pages = true;
}

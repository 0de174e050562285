/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of the kernel that decide what paging costs, as they are; none is ever written. */
#include "config.h"
#include "common/machine_parts.h"

#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "common/sysfs.h"
#include "common/units.h"

#define TEXT_MAX 4096 /* bytes of a value */

struct source {
	const char *name;
	const char *path;
	bool is_choice; /* "always [madvise] never" */
};

static const struct source sources[] = {
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
	machine_text(setting->value, sizeof(setting->value), value, strlen(value));
}

/* The governors of all CPUs, each once: "performance", or "performance,powersave". */
static void read_governors(const char *root, char text[TEXT_MAX], struct machine *machine)
{
	char path[80], governor[64], all[MACHINE_TEXT] = "";
	unsigned cpus[CPU_SETSIZE];
	size_t count, used = 0;

	if (sysfs_read(root, "/sys/devices/system/cpu/online", text, TEXT_MAX) ||
		units_parse_list(text, CPU_SETSIZE, cpus, CPU_SETSIZE, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", cpus[i]);
		if (sysfs_read(root, path, governor, sizeof(governor)) || sysfs_has_word(all, ",", governor))
			continue;
		if (used + strlen(governor) + 2 > sizeof(all))
			break;
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s", used ? "," : "", governor);
	}
	if (used)
		add(machine, "cpu.governor", all);
}

/* What the command line says of mitigations: the last word counts, as for the kernel. */
static void read_mitigations(const char *root, char text[TEXT_MAX], struct machine *machine)
{
	const char *value = "default";
	char *rest = text, *word;

	if (sysfs_read(root, "/proc/cmdline", text, TEXT_MAX))
		return;
	while ((word = strsep(&rest, " ")))
		if (!strncmp(word, "mitigations=", 12))
			value = word + 12;
	add(machine, "mitigations", value);
}

/* The names of the vulnerabilities that are open: "mds,meltdown", or "none". */
static void read_vulnerabilities(const char *root, struct machine *machine)
{
	static const char folder[] = "/sys/devices/system/cpu/vulnerabilities";
	char path[512], value[256], open_ones[MACHINE_TEXT] = "";
	struct dirent **entries;
	size_t used = 0;
	int count;

	snprintf(path, sizeof(path), "%s%s", root, folder);
	count = scandir(path, &entries, NULL, alphasort);
	if (count < 0)
		return;
	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		snprintf(path, sizeof(path), "%s/%s", folder, name);
		if (!sysfs_read(root, path, value, sizeof(value)) && !strncmp(value, "Vulnerable", 10) &&
			used + strlen(name) + 2 <= sizeof(open_ones))
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

/* Each size of multi-size THP has a choice of its own: "mthp.64kB" is "inherit". */
static void read_mthp(const char *root, struct machine *machine)
{
	static const char folder[] = "/sys/kernel/mm/transparent_hugepage";
	char path[512], value[64], name[64];
	struct dirent **entries;
	int count;

	snprintf(path, sizeof(path), "%s%s", root, folder);
	count = scandir(path, &entries, is_size, versionsort);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s/enabled", folder, entries[i]->d_name);
		snprintf(name, sizeof(name), "mthp.%.40s", entries[i]->d_name + 10);
		if (!sysfs_read_choice(root, path, value, sizeof(value)))
			add(machine, name, value);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* How many kdamonds there are, and how many of them run. */
static void read_damon(const char *root, struct machine *machine)
{
	uint64_t count, running = 0;
	char path[80], state[16], text[32];

	if (sysfs_read_u64(root, "/sys/kernel/mm/damon/admin/kdamonds/nr_kdamonds", &count))
		return;
	for (uint64_t i = 0; i < count && i < 1024; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/mm/damon/admin/kdamonds/%llu/state", (unsigned long long)i);
		running += !sysfs_read(root, path, state, sizeof(state)) && !strcmp(state, "on");
	}
	snprintf(text, sizeof(text), "%llu", (unsigned long long)count);
	add(machine, "damon.kdamonds", text);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)running);
	add(machine, "damon.running", text);
}

/* The texts are not on the stack: this is read deep below others. */
void machine_read_settings(const char *root, struct machine *machine)
{
	char *text = malloc(TEXT_MAX);

	for (size_t i = 0; text && i < sizeof(sources) / sizeof(sources[0]); i++) {
		const struct source *source = &sources[i];
		int err = source->is_choice ? sysfs_read_choice(root, source->path, text, TEXT_MAX)
					    : sysfs_read(root, source->path, text, TEXT_MAX);

		if (!err)
			add(machine, source->name, text);
	}
	if (text) {
		read_governors(root, text, machine);
		read_mitigations(root, text, machine);
	}
	free(text);
	read_mthp(root, machine);
	read_vulnerabilities(root, machine);
	read_damon(root, machine);
}

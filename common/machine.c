/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/machine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "common/machine_parts.h"
#include "common/sysfs.h"
#include "common/topology.h"
#include "common/vmcounters.h"

#define CPUINFO_MAX (16u << 20)

void machine_text(char *text, size_t room, const char *from, size_t length)
{
	size_t used = length < room ? length : room - 1;

	for (size_t i = 0; i < used; i++)
		text[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	text[used] = '\0';
}

static void read_text(const char *root, const char *path, char *text, size_t room)
{
	char value[4096];

	if (!sysfs_read(root, path, value, sizeof(value)))
		machine_text(text, room, value, strlen(value));
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
	/* The file is there since Linux 6.1. */
	if (!machine->arch[0] && !*root && !uname(&name))
		machine_text(machine->arch, sizeof(machine->arch), name.machine, strlen(name.machine));
}

/* The value of "key : value" in the first processor's lines. */
static bool find_cpu_field(const char *cpuinfo, const char *key, char *text, size_t room)
{
	size_t length = strlen(key);

	for (const char *line = cpuinfo; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *value = line + length;

		if (strncmp(line, key, length))
			continue;
		value += strspn(value, " \t");
		if (*value++ != ':')
			continue;
		value += strspn(value, " \t");
		machine_text(text, room, value, strcspn(value, "\n"));
		return true;
	}
	return false;
}

/* Linux tells a hypervisor's name by the clock that it offers, without privilege and without cpuid. */
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

static int read_memory(const char *root, struct machine *machine)
{
	struct vmcounters *snapshot = malloc(sizeof(*snapshot));
	int err;

	if (!snapshot)
		return -ENOMEM;
	err = vmcounters_read(root, NULL, VMCOUNTERS_MEMINFO, snapshot);
	if (!err && !vmcounters_get(snapshot, "meminfo.MemTotal", &machine->memory_bytes))
		err = -ENODATA;
	if (!err)
		vmcounters_get(snapshot, "meminfo.MemAvailable", &machine->available_bytes);
	free(snapshot);
	return err;
}

static int read_topology(const char *root, struct machine *machine)
{
	struct topology *topology;
	int err = topology_load(root, &topology);

	if (err)
		return err;
	machine->cores = topology_count(topology, TOPOLOGY_CORE);
	machine->threads = topology_count(topology, TOPOLOGY_CPU);
	machine->cache_count = topology_caches(topology, machine->caches,
		sizeof(machine->caches) / sizeof(machine->caches[0]));
	machine->node_count = topology_nodes(topology, root, machine->nodes,
		sizeof(machine->nodes) / sizeof(machine->nodes[0]));
	topology_free(topology);
	return 0;
}

int machine_read(const char *root, struct machine *machine)
{
	struct machine *new = calloc(1, sizeof(*new));
	int err;

	if (!new)
		return -ENOMEM;
	err = read_memory(root, new);
	if (!err)
		err = read_topology(root, new);
	if (err)
		goto out;
	new->page_bytes = (unsigned)sysconf(_SC_PAGESIZE);
	read_system(root, new);
	read_cpu(root, new);
	machine_read_settings(root, new);
	machine_read_swaps(root, new);
	machine_read_cgroup(root, new);
	*machine = *new;
out:
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What little memory and a swap area for one run need: the same questions as common/pressure_check.h, one by one. */
#include "config.h"
#include "memstor/doctor/doctor.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/sysfs.h"
#include "common/units.h"
#include "common/zram.h"

#define MODULES_MAX (16u << 20)

static bool exists(const struct doctor_host *host, const char *path)
{
	char full[512];

	return snprintf(full, sizeof(full), "%s%s", host->root, path) < (int)sizeof(full) && !access(full, F_OK);
}

/* modprobe would find it: "kernel/drivers/block/zram/zram.ko.xz: ..." in modules.dep. */
static bool has_module(const struct doctor_host *host, const char *name)
{
	char path[256], file[64], *list;
	bool is_there = false;
	size_t length;

	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", host->machine->os_release);
	if (sysfs_slurp(host->root, path, MODULES_MAX, &list, &length))
		return false;
	snprintf(file, sizeof(file), "/%s.ko", name);
	for (const char *at = list; !is_there && (at = strstr(at, file)); at += strlen(file))
		is_there = at[strlen(file)] == ':' || at[strlen(file)] == '.';
	free(list);
	return is_there;
}

void doctor_privilege(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	(void)path;
	if (doctor_can(host, CAP_SYS_ADMIN)) {
		doctor_say(finding, DOCTOR_OK, host->uid ? "uid %u with CAP_SYS_ADMIN" : "root", host->uid);
		return;
	}
	doctor_say(finding, DOCTOR_MISSING, host->uid ? "uid %u" : "root without CAP_SYS_ADMIN", host->uid);
	doctor_mend_privilege(host, finding);
}

void doctor_pid_namespace(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	int err = host->hooks->pid_namespace();

	(void)path;
	if (!err) {
		doctor_say(finding, DOCTOR_OK, "can be made");
		return;
	}
	doctor_say(finding, DOCTOR_MISSING, "%s", strerror(-err));
	if (err == -EPERM && host->is_filtered && doctor_can(host, CAP_SYS_ADMIN))
		doctor_mend(finding, "docker run --security-opt seccomp=unconfined");
	else if (err == -EPERM)
		doctor_mend_privilege(host, finding);
	else if (err == -ENOSPC)
		doctor_mend(finding, "sysctl user.max_pid_namespaces=1024");
}

static void no_controller(const struct doctor_host *host, int err, struct doctor_finding *finding)
{
	if (err == -EOPNOTSUPP) {
		doctor_say(finding, DOCTOR_MISSING,
			"version 2: no cgroup from ours upwards gives its children the memory controller");
		doctor_mend(finding, "systemd-run --scope -p MemoryAccounting=yes COMMAND");
		return;
	}
	doctor_say(finding, DOCTOR_MISSING, "no memory controller");
	if (doctor_can(host, CAP_SYS_ADMIN))
		doctor_mend(finding, "mount -t cgroup2 none /sys/fs/cgroup");
	else
		doctor_mend_privilege(host, finding);
}

void doctor_memory_cgroup(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	const char *dir;
	struct cgroup parent;
	char why[512];
	int err = cgroup_find_parent(host->root, &parent, why, sizeof(why));

	(void)path;
	if (err) {
		no_controller(host, err, finding);
		return;
	}
	dir = parent.dir + strlen(host->root);
	err = host->hooks->is_writable(parent.dir);
	doctor_say(finding, err ? DOCTOR_MISSING : DOCTOR_OK, "version %d, below %s%s%s", parent.version, dir,
		err ? ": " : "", err ? strerror(-err) : "");
	if (err == -EROFS)
		doctor_mend(finding, "mount -o remount,rw /sys/fs/cgroup");
	else
		doctor_mend_privilege(host, finding);
}

void doctor_swap(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	const struct machine *machine = host->machine;
	char size[UNITS_TEXT], used[UNITS_TEXT];
	uint64_t size_bytes = 0, used_bytes = 0;

	(void)path;
	if (!exists(host, "/proc/swaps")) {
		doctor_say(finding, DOCTOR_MISSING, "not in this kernel");
		doctor_mend(finding, "%s", "");
		return;
	}
	if (!machine->swap_count) {
		doctor_say(finding, DOCTOR_NOTE, "no area");
		return;
	}
	for (size_t i = 0; i < machine->swap_count; i++) {
		size_bytes += machine->swaps[i].size_bytes;
		used_bytes += machine->swaps[i].used_bytes;
	}
	units_format_size(size_bytes, size, sizeof(size));
	units_format_size(used_bytes, used, sizeof(used));
	doctor_say(finding, DOCTOR_OK, "%zu area%s, %s, %s of it used, %s (%s)", machine->swap_count,
		machine->swap_count == 1 ? "" : "s", size, used, machine->swaps[0].path, machine->swaps[0].backing);
}

void doctor_zram(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	char algorithms[128];

	(void)path;
	if (zram_is_available(host->root)) {
		bool is_known = !zram_algorithms(host->root, algorithms, sizeof(algorithms));

		doctor_say(finding, DOCTOR_OK, "%s%s", is_known ? "compresses by " : "can make devices",
			is_known ? algorithms : "");
	} else if (has_module(host, "zram")) {
		doctor_say(finding, DOCTOR_NOTE, "the module is there and not loaded");
		/* By itself it would make one device that nobody asked for. */
		doctor_mend(finding, "modprobe zram num_devices=0");
	} else {
		doctor_say(finding, DOCTOR_MISSING, "neither in this kernel nor a module");
	}
}

void doctor_loop(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	char full[512];
	int err;

	(void)path;
	if (!exists(host, "/dev/loop-control")) {
		bool is_module = has_module(host, "loop");

		doctor_say(finding, DOCTOR_MISSING, is_module ? "the module is there and not loaded" : "no /dev/loop-control");
		doctor_mend(finding, "%s", is_module ? "modprobe loop" : "");
		return;
	}
	snprintf(full, sizeof(full), "%s/dev/loop-control", host->root);
	err = host->hooks->is_writable(full);
	doctor_say(finding, err ? DOCTOR_LIMITED : DOCTOR_OK, "/dev/loop-control%s%s", err ? ": " : "",
		err ? strerror(-err) : "");
	doctor_mend_privilege(host, finding);
}

void doctor_swap_file(const struct doctor_host *host, const char *path, struct doctor_finding *finding)
{
	static const char option[] = "--swap: ";
	char why[512] = "";
	struct stat status;
	int err;

	/* A device can be a swap area, but not one that we make. */
	if (stat(path, &status) || !S_ISDIR(status.st_mode)) {
		finding->status = DOCTOR_NOTHING;
		return;
	}
	err = host->hooks->swap_file(host->root, path, why, sizeof(why));
	if (!err) {
		doctor_say(finding, DOCTOR_OK, "can be made");
		return;
	}
	doctor_say(finding, DOCTOR_MISSING, "%s", strerror(-err));
	doctor_mean(finding, "pmbench and with-pressure --swap file:PATH,SIZE: %s",
		strncmp(why, option, strlen(option)) ? why : why + strlen(option));
}

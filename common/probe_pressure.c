/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What little memory and a swap area for one run need: the same questions as common/pressure_check.h, one by one. */
#include "config.h"
#include "common/probe_private.h"

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

static bool exists(const struct probe_host *host, const char *path)
{
	char full[512];

	return snprintf(full, sizeof(full), "%s%s", host->root, path) < (int)sizeof(full) && !access(full, F_OK);
}

/* modprobe would find it: "kernel/drivers/block/zram/zram.ko.xz: ..." in modules.dep. */
static bool has_module(const struct probe_host *host, const char *name)
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

static void no_controller(const struct probe_host *host, int err, struct probe_answer *answer)
{
	if (err == -EOPNOTSUPP) {
		probe_say(answer, PROBE_MISSING,
			"version 2: no cgroup from ours upwards gives its children the memory controller");
		probe_fix(answer, "systemd-run --scope -p MemoryAccounting=yes COMMAND");
		return;
	}
	probe_say(answer, PROBE_MISSING, "no memory controller");
	if (probe_can(host, CAP_SYS_ADMIN))
		probe_fix(answer, "mount -t cgroup2 none /sys/fs/cgroup");
	else
		probe_fix_privilege(host, answer);
}

void probe_memory_cgroup(const struct probe_host *host, struct probe_answer *answer)
{
	const char *dir;
	struct cgroup parent;
	char why[512];
	int err = cgroup_find_parent(host->root, &parent, why, sizeof(why));

	if (err) {
		no_controller(host, err, answer);
		return;
	}
	dir = parent.dir + strlen(host->root);
	err = host->hooks->is_writable(parent.dir);
	probe_say(answer, err ? PROBE_MISSING : PROBE_OK, "version %d, below %s%s%s", parent.version, dir,
		err ? ": " : "", err ? strerror(-err) : "");
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

		probe_say(answer, PROBE_OK, "%s%s", is_known ? "compresses by " : "can make devices",
			is_known ? algorithms : "");
	} else if (has_module(host, "zram")) {
		probe_say(answer, PROBE_NOTE, "the module is there and not loaded");
		/* By itself it would make one device that nobody asked for. */
		probe_fix(answer, "modprobe zram num_devices=0");
	} else {
		probe_say(answer, PROBE_MISSING, "neither in this kernel nor a module");
	}
}

void probe_loop(const struct probe_host *host, struct probe_answer *answer)
{
	char full[512];
	int err;

	if (!exists(host, "/dev/loop-control")) {
		bool is_module = has_module(host, "loop");

		probe_say(answer, PROBE_MISSING, is_module ? "the module is there and not loaded" : "no /dev/loop-control");
		probe_fix(answer, "%s", is_module ? "modprobe loop" : "");
		return;
	}
	snprintf(full, sizeof(full), "%s/dev/loop-control", host->root);
	err = host->hooks->is_writable(full);
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

	/* A device can be a swap area, but not one that we make. */
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

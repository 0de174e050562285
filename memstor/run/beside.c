/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/run/beside.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/sysfs.h"

/* As /proc/net/unix writes it: the NUL at its beginning becomes an @. */
static const char prefix[] = "@memstor-run/";
#define UNIX_TABLE_MAX ((size_t)16 << 20)

void run_beside_open(struct run_beside *beside)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int used;

	memset(beside, 0, sizeof(*beside));
	beside->self = getpid();
	beside->socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (beside->socket < 0)
		return;
	used = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s%d", prefix + 1, (int)beside->self);
	if (bind(beside->socket, (struct sockaddr *)&address,
		(socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)used)))
		run_beside_close(beside);
}

void run_beside_close(struct run_beside *beside)
{
	if (beside->socket >= 0)
		close(beside->socket);
	beside->socket = -1;
}

static bool is_seen(const struct run_beside *beside, pid_t pid)
{
	for (size_t i = 0; i < beside->count; i++) {
		if (beside->seen[i] == pid)
			return true;
	}
	return false;
}

static void warn_of(struct run_beside *beside, pid_t pid)
{
	if (is_seen(beside, pid) || beside->count == RUN_BESIDE_MAX)
		return;
	beside->seen[beside->count++] = pid;
	diag_warn("another suite runs on this host (process %d): the two disturb each other's numbers", (int)pid);
}

unsigned run_beside_look(struct run_beside *beside, const char *root)
{
	unsigned found = 0;
	size_t length;
	uint64_t pid;
	char *text;

	if (sysfs_slurp(root, "/proc/net/unix", UNIX_TABLE_MAX, &text, &length))
		return 0;
	for (const char *at = strstr(text, prefix); at; at = strstr(at, prefix)) {
		at += strlen(prefix);
		if (!sysfs_scan_u64(at, &pid) || (pid_t)pid == beside->self)
			continue;
		found++;
		warn_of(beside, (pid_t)pid);
	}
	free(text);
	return found;
}

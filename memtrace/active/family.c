/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/active/family.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/arena.h"
#include "common/base/clock.h"
#include "common/base/sysfs.h"
#include "memtrace/file/search.h"
#include "memtrace/target/process.h"

#define CHILDREN_MAX (1u << 20) /* bytes of a list */
#define PROCESSES_MAX 4096      /* each has two descriptors */
#define REFRESH_GAP_NS 10000000ull /* between two refreshes that are caused by an exec */
/* Bits of an entry of /proc/PID/pagemap. */
#define RESIDENT (1ull << 63)
#define OF_FILE (1ull << 61)    /* or shared */
#define EXCLUSIVE (1ull << 56)

struct relative {
	pid_t pid;
	int pid_fd;
	int pagemap_fd; /* of the address space at the last refresh; -1 = none */
};

struct area {
	uint64_t begin, before; /* before: pages of the earlier areas */
	size_t relative;
};

struct family {
	pid_t root; /* 0 = already in relatives, or ended */
	uint64_t page_bytes, pages;
	struct relative *relatives;
	size_t count, capacity;
	struct area *areas;
	size_t area_count, area_capacity;
	uint64_t refreshed_ns;
};

int family_new(pid_t root, struct family **family)
{
	struct family *new = calloc(1, sizeof(*new));

	if (!new)
		return -ENOMEM;
	new->root = root;
	new->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	*family = new;
	return 0;
}

static void close_relative(const struct relative *relative)
{
	close(relative->pid_fd);
	if (relative->pagemap_fd >= 0)
		close(relative->pagemap_fd);
}

int family_add(struct family *family, pid_t pid)
{
	struct relative new = {.pid = pid, .pagemap_fd = -1};

	for (size_t i = 0; i < family->count; i++) {
		if (family->relatives[i].pid == pid)
			return 0;
	}
	if (family->count == PROCESSES_MAX || pid == getpid() || pid == getppid())
		return 0;
	if (arena_grow(&family->relatives, &family->capacity, family->count, sizeof(*family->relatives)))
		return -ENOMEM;
	new.pid_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (new.pid_fd < 0)
		return 0;
	family->relatives[family->count++] = new;
	return 0;
}

static int add_children(struct family *family, pid_t pid)
{
	pid_t *tids;
	size_t threads;
	int err = process_threads("", pid, &tids, &threads);

	if (err)
		return err == -ENOMEM ? err : 0;
	for (size_t i = 0; i < threads && !err; i++) {
		size_t length;
		uint64_t child;
		char *text;

		if (sysfs_slurp("", SYSFS_PATH("/proc/%d/task/%d/children", (int)pid, (int)tids[i]), CHILDREN_MAX, &text, &length))
			continue;
		for (const char *at = text; !err && (at = sysfs_scan_u64(at, &child)); at += *at == ' ')
			err = family_add(family, (pid_t)child);
		free(text);
	}
	free(tids);
	return err;
}

static int add_area(void *context, const struct trace_event *event)
{
	struct family *family = context;
	struct area area = {event->value[0], family->pages, 0};

	/* Private pages with data are in writable mappings. */
	if (!(event->value[3] & PROT_WRITE))
		return 0;
	if (arena_grow(&family->areas, &family->area_capacity, family->area_count, sizeof(area)))
		return -ENOMEM;
	family->areas[family->area_count++] = area;
	family->pages += event->value[1] / family->page_bytes;
	return 0;
}

/* Opens pagemap again, because a descriptor stays with its address space: with that of the program before exec, or of the
 * parent before the exec that follows a vfork. */
static void open_pagemap(struct relative *relative)
{
	if (relative->pagemap_fd >= 0)
		close(relative->pagemap_fd);
	relative->pagemap_fd = open(SYSFS_PATH("/proc/%d/pagemap", (int)relative->pid), O_RDONLY | O_CLOEXEC);
}

int family_refresh(struct family *family)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < family->count; i++) {
		/* EPERM means that the process lives and is another user's. */
		if (syscall(SYS_pidfd_send_signal, family->relatives[i].pid_fd, 0, NULL, 0) && errno == ESRCH)
			close_relative(&family->relatives[i]);
		else
			family->relatives[kept++] = family->relatives[i];
	}
	family->count = kept;
	if (family->root)
		err = family_add(family, family->root);
	family->root = 0;
	/* The loop also visits added processes. Adopted ones are already in the list. */
	for (size_t i = 0; i < family->count && !err; i++)
		err = add_children(family, family->relatives[i].pid);
	family->area_count = 0;
	family->pages = 0;
	for (size_t i = 0, areas; i < family->count && !err; i++) {
		areas = family->area_count;
		open_pagemap(&family->relatives[i]);
		err = process_list_mappings("", family->relatives[i].pid, 0, add_area, family);
		for (; areas < family->area_count; areas++)
			family->areas[areas].relative = i;
		if (err != -ENOMEM)
			err = 0;
	}
	family->refreshed_ns = clock_ns(CLOCK_MONOTONIC);
	return err ? err : family->count ? 0 : -ESRCH;
}

/* Reads an entry; 0 = not resident, or unknown. is_gone: the address space has ended. */
static uint64_t entry_of(const struct family *family, const struct relative *relative, uint64_t address, bool *is_gone)
{
	uint64_t entry = 0;
	ssize_t bytes = relative->pagemap_fd < 0 ? -1 :
		pread(relative->pagemap_fd, &entry, sizeof(entry), (off_t)(address / family->page_bytes * sizeof(entry)));

	*is_gone = !bytes;
	return bytes == (ssize_t)sizeof(entry) ? entry : 0;
}

int family_pick_page(struct family *family, struct rng *rng, struct family_page *page)
{
	for (unsigned i = 0; i < FAMILY_TRIES && family->pages; i++) {
		uint64_t drawn = rng_below(rng, family->pages), address;
		bool is_gone;
		const struct area *area = family->areas + SEARCH(family->area_count, j, family->areas[j].before <= drawn) - 1;
		const struct relative *relative = &family->relatives[area->relative];

		address = area->begin + (drawn - area->before) * family->page_bytes;
		if ((entry_of(family, relative, address, &is_gone) & (RESIDENT | OF_FILE | EXCLUSIVE)) == (RESIDENT | EXCLUSIVE)) {
			*page = (struct family_page){relative->pid, relative->pid_fd, address};
			return 0;
		}
		/* Refresh now, because a short program may end before the next regular refresh. */
		if (is_gone && clock_ns(CLOCK_MONOTONIC) - family->refreshed_ns >= REFRESH_GAP_NS) {
			int err = family_refresh(family);

			if (err)
				return err;
		}
	}
	return -ENODATA;
}

bool family_is_resident(const struct family *family, const struct family_page *page)
{
	bool is_gone;

	for (size_t i = 0; i < family->count; i++) {
		if (family->relatives[i].pid == page->pid)
			return entry_of(family, &family->relatives[i], page->address, &is_gone) & RESIDENT;
	}
	return false;
}

/* Tells whether a thread is runnable now; cpu receives its CPU (-1: unknown). The name before the state may contain any
 * characters. */
static bool is_running(pid_t pid, pid_t tid, int *cpu)
{
	char text[1024], state;
	uint64_t number;
	const char *at;

	if (sysfs_read("", SYSFS_PATH("/proc/%d/task/%d/stat", (int)pid, (int)tid), text, sizeof(text)))
		return false;
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %c", &state) != 1 || state != 'R')
		return false;
	/* The processor is field 39; the state is the third. */
	for (unsigned field = 2; at && field < 39; field++)
		at = strchr(at + 1, ' ');
	*cpu = at && sysfs_scan_u64(at + 1, &number) ? (int)number : -1;
	return true;
}

int family_pick_thread(struct family *family, struct rng *rng, pid_t *pid, pid_t *tid, int *cpu)
{
	uint64_t seen = 0;

	*tid = 0;
	/* Reservoir sampling: each thread replaces the chosen one with probability 1 / number. */
	for (size_t i = 0; i < family->count; i++) {
		pid_t *tids;
		size_t count;

		if (process_threads("", family->relatives[i].pid, &tids, &count))
			continue;
		for (size_t j = 0; j < count; j++) {
			if (!rng_below(rng, ++seen)) {
				*pid = family->relatives[i].pid;
				*tid = tids[j];
			}
		}
		free(tids);
	}
	return *tid && is_running(*pid, *tid, cpu) ? 0 : -ENODATA;
}

void family_free(struct family *family)
{
	if (!family)
		return;
	for (size_t i = 0; i < family->count; i++)
		close_relative(&family->relatives[i]);
	free(family->relatives);
	free(family->areas);
	free(family);
}

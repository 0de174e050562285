/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/writes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "common/arena.h"
#include "common/clock.h"
#include "common/sysfs.h"
#include "memtrace/preload.h"
#include "memtrace/process.h"
#include "memtrace/writes_uffd.h"

#define REGIONS 512
#define BACKLOG 128
/* linux/fs.h since 6.7, which older headers lack. */
#define WP_ALLOWED (1ull << 0)
#define WRITTEN (1ull << 1)
#define OF_FILE (1ull << 2)
#define PRESENT (1ull << 3)
#define SWAPPED (1ull << 4)
#define ZERO_PAGE (1ull << 5)
#define WP_MATCHING (1ull << 0)

struct scan_arguments {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN _IOWR('f', 16, struct scan_arguments)

struct area {
	uint64_t begin, bytes;
};

struct process {
	pid_t pid;
	int uffd, pagemap_fd;
};

struct writes {
	int listen_fd;
	uint64_t page_bytes, joined;
	struct process *processes;
	size_t count, room;
	struct area *areas; /* of the process that is scanned */
	size_t area_count, area_room;
	struct writes_region regions[REGIONS];
};

static int scan_range(int pagemap_fd, uint64_t begin, uint64_t end, struct writes_region *regions, uint64_t *scanned_to)
{
	struct scan_arguments arguments = {.size = sizeof(arguments), .flags = WP_MATCHING, .start = begin, .end = end,
		.vec = (uint64_t)(uintptr_t)regions, .vec_len = REGIONS, .category_inverted = OF_FILE | ZERO_PAGE,
		.category_mask = WP_ALLOWED | WRITTEN | OF_FILE | ZERO_PAGE, .return_mask = WRITTEN,
		.category_anyof_mask = PRESENT | SWAPPED}; /* what was never touched is not protected either */
	int count = ioctl(pagemap_fd, SCAN, &arguments);

	*scanned_to = arguments.walk_end;
	return count < 0 ? -errno : count;
}

const char *writes_why_not(void)
{
	struct writes_region regions[REGIONS];
	int uffd = writes_open_uffd(), pagemap_fd, err;
	uint64_t to;

	if (uffd == -EPERM)
		return "userfaultfd is not permitted here (by a seccomp filter, as a container has)";
	if (uffd < 0)
		return uffd == -ENOSYS ? "this kernel has no userfaultfd" :
			"asynchronous write protection by userfaultfd needs Linux 6.7 and a processor that has it";
	close(uffd);
	pagemap_fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	err = pagemap_fd < 0 ? -errno : scan_range(pagemap_fd, 0, (uint64_t)sysconf(_SC_PAGESIZE), regions, &to);
	if (pagemap_fd >= 0)
		close(pagemap_fd);
	return err < 0 ? "PAGEMAP_SCAN of /proc/PID/pagemap needs Linux 6.7" : NULL;
}

int writes_listen(void)
{
	struct sockaddr_un address;
	char name[64];
	int fd, err;

	snprintf(name, sizeof(name), "memtrace-writes-%d-%llx", (int)getpid(), (unsigned long long)clock_ns(CLOCK_MONOTONIC));
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	err = bind(fd, (const struct sockaddr *)&address, writes_address(name, &address)) || listen(fd, BACKLOG) ||
		setenv(WRITES_VARIABLE, name, 1) ||
		(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) > 0 && setenv(WRITES_NO_HUGE_VARIABLE, "1", 1)) ? -errno : preload_library();
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

int writes_new(int listen_fd, struct writes **writes)
{
	struct writes *new = calloc(1, sizeof(*new));

	if (!new) {
		close(listen_fd);
		return -ENOMEM;
	}
	new->listen_fd = listen_fd;
	new->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	*writes = new;
	return 0;
}

int writes_fd(const struct writes *writes)
{
	return writes->listen_fd;
}

uint64_t writes_joined(const struct writes *writes)
{
	return writes->joined;
}

static void close_process(const struct process *process)
{
	close(process->uffd);
	close(process->pagemap_fd);
}

void writes_free(struct writes *writes)
{
	if (!writes)
		return;
	for (size_t i = 0; i < writes->count; i++)
		close_process(&writes->processes[i]);
	close(writes->listen_fd);
	free(writes->processes);
	free(writes->areas);
	free(writes);
}

int writes_pages(const struct writes_region *regions, size_t count, uint64_t page_bytes, const struct trace_sample *sample,
	writes_take_fn *take, void *context)
{
	struct trace_sample page = *sample;
	int err = 0;

	page.kind = TRACE_STORE;
	for (size_t i = 0; i < count; i++) {
		if (!(regions[i].categories & WRITTEN))
			continue;
		for (page.address = regions[i].begin; !err && page.address < regions[i].end; page.address += page_bytes)
			err = take(context, &page);
	}
	return err;
}

static int add_area(void *context, const struct trace_event *event)
{
	struct writes *writes = context;

	/* Of a shared mapping every page is one of a file, and left out by the scan. */
	if (!(event->value[3] & PROT_WRITE))
		return 0;
	if (arena_grow(&writes->areas, &writes->area_room, writes->area_count, sizeof(*writes->areas)))
		return -ENOMEM;
	writes->areas[writes->area_count++] = (struct area){event->value[0], event->value[1]};
	return 0;
}

/* -ESRCH: it has ended. */
static int scan_process(struct writes *writes, const struct process *process, writes_take_fn *take, void *context)
{
	struct trace_sample sample = {.tid = (uint32_t)process->pid, .node = UINT8_MAX};
	int err;

	writes->area_count = 0;
	err = process_list_mappings("", process->pid, 0, add_area, writes);
	if (err == -ENOMEM)
		return err;
	if (err || !writes->area_count)
		return -ESRCH;
	/* All of them were mapped before that. */
	sample.time_ns = clock_ns(CLOCK_MONOTONIC);
	for (size_t i = 0; i < writes->area_count && !err; i++) {
		const struct area *area = &writes->areas[i];
		struct uffdio_register range = {.range = {area->begin, area->bytes}, .mode = UFFDIO_REGISTER_MODE_WP};
		uint64_t at = area->begin, end = area->begin + area->bytes, to;

		/* It was replaced since, or is another userfaultfd's: the scan leaves out what is not registered. */
		(void)ioctl(process->uffd, UFFDIO_REGISTER, &range);
		for (; at < end && !err; at = to) {
			int count = scan_range(process->pagemap_fd, at, end, writes->regions, &to);

			if (count < 0 || to <= at)
				break;
			if (take)
				err = writes_pages(writes->regions, (size_t)count, writes->page_bytes, &sample, take, context);
		}
	}
	return err;
}

int writes_scan(struct writes *writes, writes_take_fn *take, void *context)
{
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < writes->count; i++) {
		int failed = err ? 0 : scan_process(writes, &writes->processes[i], take, context);

		if (failed == -ESRCH) {
			close_process(&writes->processes[i]);
			continue;
		}
		writes->processes[kept++] = writes->processes[i];
		err = err ? err : failed;
	}
	writes->count = kept;
	return err;
}

/* -1 or the descriptor that came with the word; the word is 0 when there is none. */
static int receive(int from, char *word)
{
	struct iovec part = {word, 1};
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	const struct cmsghdr *rights;
	int fd = -1;

	*word = 0;
	if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	rights = CMSG_FIRSTHDR(&message);
	if (rights && rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS &&
		rights->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(rights), sizeof(int));
	return fd;
}

static struct process *find_process(struct writes *writes, pid_t pid)
{
	for (size_t i = 0; i < writes->count; i++) {
		if (writes->processes[i].pid == pid)
			return &writes->processes[i];
	}
	return NULL;
}

/* Takes the userfaultfd. */
static int join(struct writes *writes, pid_t pid, int uffd)
{
	struct process new = {pid, uffd, open(SYSFS_PATH("/proc/%d/pagemap", (int)pid), O_RDONLY | O_CLOEXEC)};
	struct process *before = find_process(writes, pid);
	int err = 0;

	if (new.pagemap_fd < 0) {
		close(uffd);
		return 0;
	}
	if (!before)
		err = arena_grow(&writes->processes, &writes->room, writes->count, sizeof(new));
	if (err) {
		close_process(&new);
		return err;
	}
	writes->joined++;
	/* It has executed another program. */
	if (before) {
		close_process(before);
		*before = new;
	} else {
		writes->processes[writes->count++] = new;
	}
	return 0;
}

int writes_accept(struct writes *writes, writes_take_fn *take, void *context)
{
	const struct timeval timeout = {.tv_sec = 1};
	int from = accept4(writes->listen_fd, NULL, NULL, SOCK_CLOEXEC), uffd = -1, err = 0;
	struct ucred peer;
	socklen_t length = sizeof(peer);
	const struct process *process;
	char word = 0;

	if (from < 0)
		return 0;
	if (!getsockopt(from, SOL_SOCKET, SO_PEERCRED, &peer, &length) && peer.pid > 0 && peer.uid == geteuid() &&
		!setsockopt(from, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)))
		uffd = receive(from, &word);
	if (uffd >= 0 && (word == WRITES_BEGIN || word == WRITES_FORK))
		err = join(writes, peer.pid, uffd);
	else if (uffd >= 0)
		close(uffd);
	process = word ? find_process(writes, peer.pid) : NULL;
	if (!err && process && word != WRITES_BEGIN)
		err = scan_process(writes, process, word == WRITES_END ? take : NULL, context);
	close(from);
	return err == -ESRCH ? 0 : err;
}

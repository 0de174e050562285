/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "pmbench/worker/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void clear_minima(struct control *control)
{
	for (size_t i = 0; i < control->count; i++) {
		for (int class = 0; class < ACCESS_CLASSES; class++) {
			for (int direction = 0; direction < ACCESS_DIRECTIONS; direction++)
				control->slots[i].page[class].half[direction].min_ticks = UINT64_MAX;
		}
	}
}

int control_open(struct control *control, size_t threads, bool wants_hdr)
{
	size_t hdr_bytes = wants_hdr ? threads * ACCESS_CLASSES * sizeof(struct access_hdr) : 0;
	int err;

	memset(control, 0, sizeof(*control));
	control->count = threads;
	control->bytes = KEEP_PAGE_BYTES + threads * sizeof(struct control_slot) + hdr_bytes;
	control->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (control->done_fd < 0)
		return -errno;
	control->base = mmap(NULL, control->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE,
		-1, 0);
	if (control->base == MAP_FAILED) {
		err = -errno;
		close(control->done_fd);
		return err;
	}
	control->proc_fd = open("/proc", O_PATH | O_CLOEXEC);
	control->is_locked = mlock(control->base, control->bytes) == 0;
	control->command = control->base;
	control->slots = (struct control_slot *)(void *)((char *)control->base + KEEP_PAGE_BYTES);
	if (wants_hdr)
		control->hdr = (struct access_hdr *)(void *)(control->slots + threads);
	clear_minima(control);
	return 0;
}

void control_close(struct control *control)
{
	munmap(control->base, control->bytes);
	close(control->done_fd);
	if (control->proc_fd >= 0)
		close(control->proc_fd);
}

static long futex(uint32_t *word, int operation, uint32_t value)
{
	return syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

void control_order(struct control *control, enum control_command command)
{
	__atomic_store_n(control->command, command, __ATOMIC_SEQ_CST);
	futex(control->command, FUTEX_WAKE, INT_MAX);
}

void control_await(const struct control *control, enum control_command command)
{
	uint32_t seen;

	while ((seen = __atomic_load_n(control->command, __ATOMIC_ACQUIRE)) < (uint32_t)command)
		futex(control->command, FUTEX_WAIT, seen);
}

void control_set_state(struct control_slot *slot, enum control_state state)
{
	__atomic_store_n(&slot->status.state, state, __ATOMIC_RELEASE);
}

enum control_state control_get_state(const struct control_slot *slot)
{
	return (enum control_state)__atomic_load_n(&slot->status.state, __ATOMIC_ACQUIRE);
}

void control_stop(struct control_slot *slot)
{
	__atomic_store_n(&slot->status.stop, 1, __ATOMIC_SEQ_CST);
	__atomic_store_n(&slot->page[ACCESS_ALL].half[ACCESS_READ].deadline, 0, __ATOMIC_SEQ_CST);
}

/* A stop takes effect whichever of the two stores comes last. */
void control_set_deadline(struct control_slot *slot, uint64_t ticks)
{
	uint64_t *deadline = &slot->page[ACCESS_ALL].half[ACCESS_READ].deadline;

	__atomic_store_n(deadline, ticks, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&slot->status.stop, __ATOMIC_SEQ_CST))
		__atomic_store_n(deadline, 0, __ATOMIC_SEQ_CST);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include "tests/unit/fake_backend.h"

#include <errno.h>

static uint64_t fake_now(void *state)
{
	struct fake_backend *fake = state;

	return fake->now_ns += fake->step_ns;
}

static int fake_attach(void *state)
{
	(void)state;
	return 0;
}

static void fake_detach(void *state)
{
	(void)state;
}

static uint64_t fake_cpu(void *state)
{
	(void)state;
	return 0;
}

/* What is in flight never meets: neither a slot nor a place on the medium twice. */
static void check_free(const struct fake_backend *fake, uint32_t slot, uint64_t offset, uint32_t length)
{
	assert_true(slot < FAKE_SLOTS);
	assert_false(fake->slots[slot].is_busy);
	for (unsigned i = 0; i < FAKE_SLOTS; i++) {
		const struct fake_write *other = &fake->writes[fake->slots[i].write];

		if (fake->slots[i].is_busy)
			assert_true(offset + length <= other->offset || other->offset + other->length <= offset);
	}
}

static void fake_queue(void *state, uint32_t slot, uint64_t offset, uint32_t length)
{
	struct fake_backend *fake = state;

	assert_true(fake->count < FAKE_WRITES && !fake->whole_at_ns && !fake->is_whole_queued);
	check_free(fake, slot, offset, length);
	fake->slots[slot] = (struct fake_slot){.is_busy = true, .is_queued = true, .write = fake->count};
	fake->writes[fake->count++] = (struct fake_write){.offset = offset, .queued_ns = fake->now_ns, .slot = slot,
		.length = length};
	if (++fake->outstanding > fake->deepest)
		fake->deepest = fake->outstanding;
}

static void fake_sync(void *state)
{
	struct fake_backend *fake = state;

	/* Nothing is outstanding beside it. */
	assert_int_equal(fake->outstanding, 0);
	assert_int_equal(fake->whole_at_ns, 0);
	fake->is_whole_queued = true;
	fake->whole_after[fake->wholes++ % FAKE_SLOTS] = fake->count;
}

static void start_queued(struct fake_backend *fake)
{
	if (fake->is_whole_queued)
		fake->whole_at_ns = fake->now_ns + fake->sync_ns;
	fake->is_whole_queued = false;
	for (unsigned i = 0; i < FAKE_SLOTS; i++) {
		struct fake_slot *slot = &fake->slots[i];
		struct fake_write *write = &fake->writes[slot->write];

		if (!slot->is_busy || !slot->is_queued)
			continue;
		slot->is_queued = false;
		slot->result = slot->write + 1 == fake->fail_at ? fake->fail_result : (int32_t)write->length;
		slot->written_ns = fake->now_ns + fake->service(slot->write);
		slot->durable_ns = slot->written_ns + (fake->durability == BACKEND_FDATASYNC ? fake->sync_ns : 0);
		write->done_ns = slot->durable_ns;
	}
}

static uint64_t next_event(const struct fake_backend *fake)
{
	uint64_t next = fake->whole_at_ns ? fake->whole_at_ns : UINT64_MAX;

	for (unsigned i = 0; i < FAKE_SLOTS; i++) {
		const struct fake_slot *slot = &fake->slots[i];
		uint64_t at = slot->is_written ? slot->durable_ns : slot->written_ns;

		if (slot->is_busy && at < next)
			next = at;
	}
	return next;
}

static int fake_enter(void *state, unsigned wait_for, uint64_t until_ns)
{
	struct fake_backend *fake = state;
	uint64_t next;

	fake->enters++;
	if (fake->enters == fake->break_at)
		return -EBADF;
	start_queued(fake);
	next = next_event(fake);
	/* Waiting for what never comes would last for ever. */
	assert_true(!wait_for || next != UINT64_MAX || until_ns != BACKEND_NO_LIMIT);
	next = next < until_ns ? next : until_ns;
	if (fake->early_ns > fake->now_ns && fake->early_ns < next)
		next = fake->early_ns;
	if (wait_for && next > fake->now_ns)
		fake->now_ns = next;
	return 0;
}

static bool take(struct fake_backend *fake, uint32_t index, struct backend_completion *done)
{
	struct fake_slot *slot = &fake->slots[index];

	if (!slot->is_busy || slot->is_queued)
		return false;
	*done = (struct backend_completion){index, BACKEND_WRITTEN | BACKEND_DURABLE, slot->result};
	if (!slot->is_written && slot->written_ns > fake->now_ns)
		return false;
	if (fake->durability == BACKEND_FDATASYNC && !slot->is_written) {
		slot->is_written = true;
		done->what = BACKEND_WRITTEN;
		return true;
	}
	if (slot->durable_ns > fake->now_ns)
		return false;
	if (fake->durability == BACKEND_FDATASYNC) {
		done->what = BACKEND_DURABLE;
		done->result = slot->result < 0 ? -ECANCELED : slot->write + 1 == fake->sync_fail_at ? fake->fail_result : 0;
	}
	slot->is_busy = false;
	fake->outstanding--;
	return true;
}

static unsigned fake_reap(void *state, struct backend_completion *done, unsigned most)
{
	struct fake_backend *fake = state;
	unsigned count = 0;

	if (fake->whole_at_ns && fake->whole_at_ns <= fake->now_ns) {
		done[count++] = (struct backend_completion){BACKEND_NO_SLOT, BACKEND_SYNCED,
			fake->wholes == fake->whole_fail_at ? fake->fail_result : 0};
		fake->whole_at_ns = 0;
	}
	for (uint32_t i = 0; i < FAKE_SLOTS && count < most; i++)
		count += take(fake, i, &done[count]);
	return count;
}

static void fake_close(void *state)
{
	(void)state;
}

static const char *fake_features(const void *state)
{
	(void)state;
	return "fake";
}

const struct backend_ops fake_ops = {
	.name = "fake",
	.meaning = "a time of its own",
	.attach = fake_attach,
	.detach = fake_detach,
	.queue = fake_queue,
	.sync = fake_sync,
	.enter = fake_enter,
	.reap = fake_reap,
	.now_ns = fake_now,
	.cpu_ns = fake_cpu,
	.close = fake_close,
	.features = fake_features,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Its memory and its libc. */
#include "config.h"
#include "tests/unit/fake_store_private.h"

static int warm(void *state, uint64_t size)
{
	struct fake_store *store = state;

	store->fed = size;
	return 0;
}

static void give(void *state, uint64_t size)
{
	struct fake_store *store = state;

	if (store->given > size + (4u << 20))
		return;
	size += 8u << 20;
	size = size < store->fed ? size : store->fed;
	store->fed -= size;
	store->given += size;
}

static void rewarm(void *state)
{
	struct fake_store *store = state;

	store->given = store->fed = 0;
	store->pool_left = store->warm_pool;
}

static void copy(void *state, uint64_t size, unsigned times)
{
	struct fake_store *store = state;

	fake_store_spend(store, (double)size * times / store->memory_rate * 1e9);
}

static int lib_open(void *state, uint64_t *buffer_bytes, bool *has_first_rule)
{
	const struct fake_store *store = state;

	*buffer_bytes = store->lib_buffer;
	*has_first_rule = true;
	return 0;
}

static int lib_write(void *state, uint64_t size, unsigned times)
{
	struct fake_store *store = state;

	store->lib_held += size * times;
	/* What does not fit goes to the kernel. */
	fake_store_spend(store, times * (store->lib_ns + (double)size / store->memory_rate * 1e9) +
			     (store->lib_held > store->lib_buffer ? 5000 : 0));
	return 0;
}

static int lib_flush(void *state)
{
	struct fake_store *store = state;

	store->lib_held = 0;
	fake_store_pass(store, 5000);
	return 0;
}

static int lib_close(void *state)
{
	(void)state;
	return 0;
}

void fake_store_memory_hooks(struct calibrate_hooks *hooks)
{
	hooks->warm = warm;
	hooks->give = give;
	hooks->rewarm = rewarm;
	hooks->copy = copy;
	hooks->lib_open = lib_open;
	hooks->lib_write = lib_write;
	hooks->lib_flush = lib_flush;
	hooks->lib_close = lib_close;
}

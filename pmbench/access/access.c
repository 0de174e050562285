/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pmbench/access/access.h"
#include "pmbench/access/access_insn.h"

/* A loop within one page of code occupies one page of memory (docs/measuring.md); a test checks the sizes. */
#define ACCESS_LOOP_BYTES 4096
#define ACCESS_FRAME_BYTES 1024 /* more than a loop's frame */
#define ACCESS_LOOP static void __attribute__((noinline, aligned(ACCESS_LOOP_BYTES)))
#define WORDS_PER_PAGE_OF(thread) ((thread)->page_bytes / 4)

/*
 * One draw gives page, word and, from its remaining bits, the direction of the access after this one. Reads and
 * writes differ in code, so the branch between them is often mispredicted. With the direction known one access ahead the
 * misprediction is resolved while the clock is read. The address must not be known ahead: a CPU would prefetch it.
 */
struct draw {
	uint32_t *address;
	enum access_direction next;
};

KEEP_INLINE enum access_direction direction_of(const struct access_thread *thread, uint64_t random)
{
	return (random >> 1) < thread->read_threshold ? ACCESS_READ : ACCESS_WRITE;
}

KEEP_INLINE struct draw draw_next(const struct access_thread *thread, struct rng *rng, const bool is_uniform)
{
	struct draw draw;
	uint64_t page, rest, word;

	if (is_uniform) {
		page = rng_below_rest(rng, thread->pages, &rest);
	} else {
		page = thread->draw(thread->draw_state);
		rest = rng_next(rng);
	}
	word = thread->offset < 0 ? rng_split(&rest, WORDS_PER_PAGE_OF(thread)) : (uint64_t)thread->offset;
	draw.address = (uint32_t *)(void *)(thread->base + page * thread->page_bytes) + word;
	draw.next = direction_of(thread, rest);
	return draw;
}

/* The branch on the kind precedes the start stamp. */
KEEP_INLINE uint64_t timed_access(enum ticks_method method, bool is_store_visible, bool write_needs_read,
	enum access_direction direction, uint32_t *address, uint64_t *stop)
{
	if (direction == ACCESS_READ)
		return access_window(method, ACCESS_LOAD, false, address, stop);
	if (KEEP_UNLIKELY(write_needs_read))
		return access_window(method, ACCESS_UPDATE, is_store_visible, address, stop);
	return access_window(method, ACCESS_STORE, is_store_visible, address, stop);
}

KEEP_INLINE void record(const struct access_thread *thread, enum access_direction direction, uint64_t ticks)
{
	struct access_half *half = &thread->all->half[direction];
	uint64_t ns = ticks_to_ns(ticks, thread->mult);

	keep_add(&half->count[bucket_log16(ns)], 1);
	keep_add(&half->sum_ticks, ticks);
	half->sum_squares += (double)ticks * (double)ticks;
	if (KEEP_UNLIKELY(ticks < half->min_ticks))
		half->min_ticks = ticks;
	if (KEEP_UNLIKELY(ticks > half->max_ticks))
		half->max_ticks = ticks;
	if (thread->hdr)
		keep_add(&thread->hdr->count[direction][bucket_hdr(ns)], 1);
}

/* Most slow accesses of a resident map are hits that an interrupt lengthened. They end here, in pages that the loop uses. */
KEEP_INLINE bool is_slow_hit(const struct access_thread *now, struct fault_counts *asked, enum access_direction direction,
	uint64_t ticks)
{
	struct access_half *half = &now->all->half[direction];

	*asked = (struct fault_counts){0, 0};
	if (!now->asks_kernel)
		return false;
	faults_read(asked);
	if (ticks > now->over_ticks || asked->minor != now->known.minor || asked->major != now->known.major)
		return false;
	keep_add(&now->all->half[ACCESS_WRITE].slow_hits, 1);
	if (ticks > half->max_hit_ticks)
		half->max_hit_ticks = ticks;
	return true;
}

/* Returns false if the access must not be recorded. */
KEEP_INLINE bool pass_on(struct access_thread *thread, struct access_thread *now, struct fault_counts asked,
	enum access_direction direction, uint64_t ticks, uint64_t stop, const void *address)
{
	bool is_recorded;

	thread->slow_stop_ticks = stop;
	thread->asked = asked;
	is_recorded = thread->on_slow(thread, direction, ticks, address);
	now->known = thread->known;
	return is_recorded;
}

KEEP_INLINE uint64_t wait_from(enum ticks_method method, uint64_t since, uint64_t ticks)
{
	uint64_t now;

	do {
		access_relax();
		now = ticks_stop(method);
	} while (now - since < ticks);
	return now;
}

/* The struct is copied so that the loop reads registers and its own frame only. */
KEEP_INLINE void loop(struct access_thread *thread, const enum ticks_method method, const bool is_store_visible,
	const bool is_uniform)
{
	struct access_thread now = *thread;
	const uint64_t *deadline = &now.all->half[ACCESS_READ].deadline;
	struct rng rng = thread->rng;
	enum access_direction direction = direction_of(&now, rng_next(&rng));
	uint64_t done = 0, stop = ticks_stop(method);

	thread->begin_ticks = stop;
	while (KEEP_LIKELY(stop < keep_read(deadline) && done != now.limit)) {
		struct draw draw = draw_next(&now, &rng, is_uniform);
		enum access_direction present = direction;
		uint64_t ticks = timed_access(method, is_store_visible, now.write_needs_read, present, draw.address, &stop);

		direction = draw.next;
		done++;
		if (KEEP_UNLIKELY(ticks > now.slow_ticks)) {
			struct fault_counts asked;

			if (!is_slow_hit(&now, &asked, present, ticks) &&
				!pass_on(thread, &now, asked, present, ticks, stop, draw.address))
				continue;
		}
		if (KEEP_LIKELY(!now.is_touch))
			record(&now, present, ticks);
		else
			keep_add(&now.all->half[present].touched, 1);
		if (KEEP_UNLIKELY(now.delay_ticks))
			stop = wait_from(method, stop, now.delay_ticks);
	}
	thread->rng = rng;
	thread->end_ticks = stop;
	thread->done = done;
}

#define LOOPS(name, method)                                                                                         \
	ACCESS_LOOP name##_uniform(struct access_thread *thread)                                                      \
	{                                                                                                             \
		loop(thread, method, false, true);                                                                    \
	}                                                                                                             \
	ACCESS_LOOP name##_drawn(struct access_thread *thread)                                                        \
	{                                                                                                             \
		loop(thread, method, false, false);                                                                   \
	}                                                                                                             \
	ACCESS_LOOP name##_visible_uniform(struct access_thread *thread)                                              \
	{                                                                                                             \
		loop(thread, method, true, true);                                                                     \
	}                                                                                                             \
	ACCESS_LOOP name##_visible_drawn(struct access_thread *thread)                                                \
	{                                                                                                             \
		loop(thread, method, true, false);                                                                    \
	}
#define ROW(name)                                                                                                   \
	{                                                                                                             \
		{name##_drawn, name##_uniform},                                                                       \
		{                                                                                                     \
			name##_visible_drawn, name##_visible_uniform                                                  \
		}                                                                                                     \
	}

LOOPS(perfc, TICKS_PERFC)
#if TICKS_HAVE_TSC
LOOPS(rdtscp, TICKS_RDTSCP)
LOOPS(unfenced, TICKS_RDTSCP_UNFENCED)
LOOPS(rdtsc, TICKS_RDTSC)
#endif
#if TICKS_HAVE_CNTVCT
LOOPS(cntvct, TICKS_CNTVCT)
#endif

/* [method][is_store_visible][is_uniform] */
static void (*const loops[TICKS_METHODS][2][2])(struct access_thread *) = {
	[TICKS_PERFC] = ROW(perfc),
#if TICKS_HAVE_TSC
	[TICKS_RDTSCP] = ROW(rdtscp),
	[TICKS_RDTSCP_UNFENCED] = ROW(unfenced),
	[TICKS_RDTSC] = ROW(rdtsc),
#endif
#if TICKS_HAVE_CNTVCT
	[TICKS_CNTVCT] = ROW(cntvct),
#endif
};

void access_run(struct access_thread *thread)
{
	/* The loop's frame begins where this one ends: aligned, it does not straddle two pages of stack. */
	char edge[1] __attribute__((aligned(ACCESS_FRAME_BYTES)));

	__asm__ volatile("" : : "r"(edge) : "memory");
	/* done counts from 0, so a limit of 0 would end at once. */
	if (!thread->limit)
		thread->limit = UINT64_MAX;
	loops[thread->method][thread->is_store_visible][!thread->draw](thread);
}

uint64_t access_draw_cost(struct access_thread *thread, uint64_t count)
{
	const bool is_uniform = !thread->draw;
	struct rng rng = thread->rng;
	uint64_t start = ticks_start(thread->method);

	for (uint64_t i = 0; i < count; i++) {
		struct draw draw = draw_next(thread, &rng, is_uniform);

		keep_value((uint64_t)(uintptr_t)draw.address + (uint64_t)draw.next);
	}
	thread->rng = rng;
	return ticks_stop(thread->method) - start;
}

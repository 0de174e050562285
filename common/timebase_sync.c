/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "common/timebase_sync.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#define ROUNDS 400
#define PARTNERS 63

/* One cache line that goes back and forth: `turn` counts half rounds. */
struct exchange {
	enum ticks_method method;
	uint64_t turn;
	uint64_t answer;
};

/* The unfenced pair's stamps are not ordered against the exchange. */
static uint64_t stamp(enum ticks_method method)
{
	return ticks_start(method == TICKS_RDTSCP_UNFENCED ? TICKS_RDTSCP : method);
}

/* The partner may share a CPU with something else, so waiting gives the CPU away now and then. */
static void await_turn(struct exchange *exchange, uint64_t turn)
{
	for (unsigned spins = 1; __atomic_load_n(&exchange->turn, __ATOMIC_ACQUIRE) < turn; spins++) {
		if (spins % 4096 == 0)
			sched_yield();
	}
}

static void *answer_all(void *argument)
{
	struct exchange *exchange = argument;

	for (uint64_t round = 0; round < ROUNDS; round++) {
		await_turn(exchange, 2 * round + 1);
		exchange->answer = stamp(exchange->method);
		__atomic_store_n(&exchange->turn, 2 * round + 2, __ATOMIC_RELEASE);
	}
	return NULL;
}

static int64_t ask_all(struct exchange *exchange)
{
	int64_t worst = 0;

	for (uint64_t round = 0; round < ROUNDS; round++) {
		uint64_t sent = stamp(exchange->method), received;
		int64_t early, late;

		__atomic_store_n(&exchange->turn, 2 * round + 1, __ATOMIC_RELEASE);
		await_turn(exchange, 2 * round + 2);
		received = stamp(exchange->method);
		early = (int64_t)(sent - exchange->answer);
		late = (int64_t)(exchange->answer - received);
		if (early > worst)
			worst = early;
		if (late > worst)
			worst = late;
	}
	return worst;
}

static int64_t skew_with(int cpu, enum ticks_method method)
{
	struct exchange exchange = {.method = method};
	pthread_attr_t attributes;
	pthread_t partner;
	cpu_set_t set;
	int64_t worst = 0;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (pthread_attr_init(&attributes))
		return 0;
	if (!pthread_attr_setaffinity_np(&attributes, sizeof(set), &set) &&
		!pthread_create(&partner, &attributes, answer_all, &exchange)) {
		worst = ask_all(&exchange);
		pthread_join(partner, NULL);
	}
	pthread_attr_destroy(&attributes);
	return worst;
}

double timebase_sync_skew_ticks(enum ticks_method method)
{
	cpu_set_t allowed, first;
	int home = -1, stride, seen = 0;
	int64_t worst = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return 0;
	stride = (CPU_COUNT(&allowed) - 2) / PARTNERS + 1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		int64_t skew;

		if (!CPU_ISSET(cpu, &allowed))
			continue;
		if (home < 0) {
			home = cpu;
			CPU_ZERO(&first);
			CPU_SET(cpu, &first);
			if (sched_setaffinity(0, sizeof(first), &first))
				return 0;
			continue;
		}
		if (seen++ % stride)
			continue;
		skew = skew_with(cpu, method);
		worst = skew > worst ? skew : worst;
	}
	if (home >= 0)
		sched_setaffinity(0, sizeof(allowed), &allowed);
	return (double)worst;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/estimate/order.h"

#include <math.h>
#include <stdlib.h>

/* In standard errors; one of 15,000 independent sequences deviates by more. */
#define DEVIATION 4

void order_add(struct order *order, int64_t distance)
{
	order->pairs++;
	order->same += !distance;
	order->next += llabs(distance) == 1;
	order->near += distance && llabs(distance) <= ORDER_NEAR;
}

void order_expect(struct order *order, const struct bucket *sorted, size_t count)
{
	double same = 0, next = 0, near = 0, n = 0;

	for (size_t i = 0; i < count; i++) {
		double samples = sorted[i].samples;

		n += samples;
		same += samples * (samples - 1);
		for (size_t j = i + 1; j < count && sorted[j].key - sorted[i].key <= ORDER_NEAR; j++) {
			near += 2 * samples * sorted[j].samples;
			next += sorted[j].key - sorted[i].key == 1 ? 2 * samples * sorted[j].samples : 0;
		}
	}
	if (n > 1) {
		order->expected_same = same / (n * (n - 1));
		order->expected_next = next / (n * (n - 1));
		order->expected_near = near / (n * (n - 1));
	}
}

static bool is_more(uint64_t pairs, uint64_t found, double expected)
{
	double wanted = (double)pairs * expected;

	return (double)found > wanted + DEVIATION * sqrt(wanted * (1 - expected) + 1);
}

enum order_kind order_kind(const struct order *order, bool is_successive)
{
	if (order->pairs < ORDER_PAIRS_MIN)
		return ORDER_UNSEEN;
	if (is_more(order->pairs, order->same, order->expected_same) ||
		is_more(order->pairs, order->next, order->expected_next) ||
		is_more(order->pairs, order->near, order->expected_near))
		return ORDER_DEPENDENT;
	return is_successive ? ORDER_INDEPENDENT : ORDER_UNSEEN;
}

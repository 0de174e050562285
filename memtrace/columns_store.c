/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/columns_store.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "common/hot/rng.h"

#define LAST_ORDER_DAY 2404 /* the second of August 1998: what is ordered then is shipped in 1998 */
#define SHIP_DAYS 121       /* between order and shipment, at most */
#define STATUS_FROM 1143    /* orders before the 17th of February 1995 are finished, */
#define STATUS_TO 1263      /* those behind the 17th of June are open */
#define SCATTER 7919        /* a prime: the first rows take each price once, in no order */
#define LINES_MOST 5        /* of an order that is not populous: 3 on average */

/* A row before it is packed. */
struct item {
	uint32_t order, part, price;
	uint16_t supplier, date;
	uint8_t quantity, mode, partition;
};

struct order {
	uint32_t total;
	uint16_t date;
	uint8_t status, priority, partition;
};

uint64_t columns_day(unsigned year, unsigned quarter)
{
	static const uint16_t begins[] = {0, 90, 181, 273, 365};
	unsigned leap = year % 4 == 0;
	uint64_t day = 0;

	for (unsigned before = COLUMNS_FIRST_YEAR; before < year; before++)
		day += before % 4 == 0 ? 366 : 365;
	return day + begins[quarter] + (quarter ? leap : 0);
}

static unsigned year_of(uint64_t day)
{
	unsigned year = COLUMNS_FIRST_YEAR;

	while (day >= columns_day(year + 1, 0))
		year++;
	return year;
}

/* Codes up to most. */
static int make_packed(struct packed *column, const char *name, uint64_t count, uint64_t most)
{
	unsigned bits = 1;

	while (most >> bits)
		bits++;
	*column = (struct packed){.name = name, .count = count, .bits = bits, .per_word = 64 / bits};
	column->words = calloc(count / column->per_word + 1, sizeof(*column->words));
	return column->words ? 0 : -ENOMEM;
}

static void put(struct packed *column, uint64_t row, uint64_t code)
{
	column->words[row / column->per_word] |= code << (row % column->per_word * column->bits);
}

/* --- rows --- */

/* Prices have distinct codes: each is taken once, then any. */
struct drawing {
	struct rng rng;
	uint64_t plain_rows, price_count;
};

static void draw_item(struct drawing *drawing, struct columns_store *store, struct item *item, const struct order *order,
	uint64_t key, int populous)
{
	struct rng *rng = &drawing->rng;

	*item = (struct item){.order = (uint32_t)key, .part = (uint32_t)rng_below(rng, store->orders / 7 + 1),
		.supplier = (uint16_t)rng_below(rng, store->orders / 150 % 60000 + 1), .quantity = (uint8_t)rng_below(rng, 50),
		.mode = (uint8_t)rng_below(rng, 7)};
	if (populous >= 0) {
		unsigned popular = (unsigned)populous * (COLUMNS_POPULAR / COLUMNS_POPULOUS) +
			(unsigned)rng_below(rng, COLUMNS_POPULAR / COLUMNS_POPULOUS);

		/* All within the quarter that begins with the order's date. */
		item->date = (uint16_t)(order->date + 1 + rng_below(rng, 90));
		item->price = (uint32_t)store->popular_code[popular];
	} else {
		item->date = (uint16_t)(order->date + 1 + rng_below(rng, SHIP_DAYS));
		item->price = (uint32_t)(drawing->plain_rows < store->price_count
			? drawing->plain_rows * SCATTER % store->price_count
			: rng_below(rng, store->price_count));
		drawing->plain_rows++;
	}
	for (unsigned i = 0; i < COLUMNS_POPULAR; i++)
		store->popular_rows[i] += store->popular_code[i] == item->price;
}

static void draw_rows(struct columns_store *store, uint64_t seed, struct order *orders, struct item *items, uint64_t *count)
{
	struct drawing drawing = {.price_count = store->price_count};
	uint64_t populous_lines = store->items / 4 / COLUMNS_POPULOUS, row = 0;

	rng_seed(&drawing.rng, seed, 0);
	for (uint64_t key = 0; key < store->orders; key++) {
		struct order *order = &orders[key];
		int populous = -1;
		uint64_t lines = 1 + rng_below(&drawing.rng, LINES_MOST);

		*order = (struct order){.date = (uint16_t)rng_below(&drawing.rng, LAST_ORDER_DAY + 1),
			.total = (uint32_t)rng_below(&drawing.rng, 50000000), .priority = 0};
		for (int i = 0; i < COLUMNS_POPULOUS; i++) {
			if (store->populous_order[i] == key)
				populous = i;
		}
		if (populous >= 0) {
			order->date = (uint16_t)columns_day(store->populous_year[populous], 1);
			lines = populous_lines;
		}
		order->status = order->date < STATUS_FROM ? 0 : order->date > STATUS_TO ? 1 : 2;
		/* The room for rows is what they are on average and a margin. */
		for (uint64_t line = 0; line < lines && row < *count; line++)
			draw_item(&drawing, store, &items[row++], order, key, populous);
	}
	*count = row;
}

/* --- partitions --- */

static uint8_t partition_of(const struct columns_store *store, uint64_t date, uint64_t key)
{
	if (store->partition == COLUMNS_BY_YEAR)
		return (uint8_t)(year_of(date) - COLUMNS_FIRST_YEAR);
	for (unsigned i = 0; i < COLUMNS_POPULOUS && store->partition == COLUMNS_BY_ORDER; i++) {
		if (store->populous_order[i] == key)
			return (uint8_t)i;
	}
	return store->partition == COLUMNS_BY_ORDER ? COLUMNS_POPULOUS : 0;
}

/* The row at which each partition begins, from how many rows it has. */
static void begin_parts(struct part *parts, unsigned count)
{
	uint64_t row = 0;

	for (unsigned i = 0; i < count; i++) {
		parts[i].first = row;
		row += parts[i].end;
		parts[i].end = parts[i].first; /* rises with the rows that are put there */
		parts[i].least_date = parts[i].least_order = UINT64_MAX;
	}
}

static uint64_t take_row(struct part *part, uint64_t date, uint64_t order)
{
	part->least_date = date < part->least_date ? date : part->least_date;
	part->most_date = date > part->most_date ? date : part->most_date;
	part->least_order = order < part->least_order ? order : part->least_order;
	part->most_order = order > part->most_order ? order : part->most_order;
	return part->end++;
}

static int pack_items(struct columns_store *store, struct item *items)
{
	uint64_t n = store->items;

	if (make_packed(&store->orderkey, "l_orderkey", n, store->orders - 1) ||
		make_packed(&store->partkey, "l_partkey", n, store->orders / 7) ||
		make_packed(&store->suppkey, "l_suppkey", n, store->orders / 150 % 60000) ||
		make_packed(&store->quantity, "l_quantity", n, 49) ||
		make_packed(&store->price, "l_extendedprice", n, store->price_count - 1) ||
		make_packed(&store->shipdate, "l_shipdate", n, LAST_ORDER_DAY + SHIP_DAYS) ||
		make_packed(&store->shipmode, "l_shipmode", n, 6))
		return -ENOMEM;
	store->item_part_count = store->partition == COLUMNS_BY_YEAR ? COLUMNS_YEARS
		: store->partition == COLUMNS_BY_ORDER ? COLUMNS_POPULOUS + 1 : 1;
	for (uint64_t i = 0; i < n; i++) {
		items[i].partition = partition_of(store, items[i].date, items[i].order);
		store->item_parts[items[i].partition].end++;
	}
	begin_parts(store->item_parts, store->item_part_count);
	for (unsigned i = 0; i < COLUMNS_POPULOUS; i++)
		store->populous_first[i] = UINT64_MAX;
	for (uint64_t i = 0; i < n; i++) {
		const struct item *item = &items[i];
		uint64_t row = take_row(&store->item_parts[item->partition], item->date, item->order);

		put(&store->orderkey, row, item->order);
		put(&store->partkey, row, item->part);
		put(&store->suppkey, row, item->supplier);
		put(&store->quantity, row, item->quantity);
		put(&store->price, row, item->price);
		put(&store->shipdate, row, item->date);
		put(&store->shipmode, row, item->mode);
		for (unsigned order = 0; order < COLUMNS_POPULOUS; order++) {
			if (store->populous_order[order] != item->order)
				continue;
			if (store->populous_first[order] == UINT64_MAX)
				store->populous_first[order] = row;
			store->populous_end[order] = row + 1;
		}
	}
	return 0;
}

/* Orders are partitioned by year only: an order of its own is a row. */
static int pack_orders(struct columns_store *store, struct order *orders)
{
	uint64_t n = store->orders;
	bool is_by_year = store->partition == COLUMNS_BY_YEAR;

	store->totalprice = calloc(n, sizeof(*store->totalprice));
	if (!store->totalprice || make_packed(&store->orderdate, "o_orderdate", n, LAST_ORDER_DAY) ||
		make_packed(&store->orderstatus, "o_orderstatus", n, 2) ||
		make_packed(&store->shippriority, "o_shippriority", n, 1))
		return -ENOMEM;
	store->order_part_count = is_by_year ? COLUMNS_YEARS : 1;
	for (uint64_t i = 0; i < n; i++) {
		orders[i].partition = is_by_year ? (uint8_t)(year_of(orders[i].date) - COLUMNS_FIRST_YEAR) : 0;
		store->order_parts[orders[i].partition].end++;
	}
	begin_parts(store->order_parts, store->order_part_count);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t row = take_row(&store->order_parts[orders[i].partition], orders[i].date, i);

		put(&store->orderdate, row, orders[i].date);
		put(&store->orderstatus, row, orders[i].status);
		put(&store->shippriority, row, orders[i].priority);
		store->totalprice[row] = orders[i].total;
	}
	return 0;
}

/* --- all --- */

int columns_make(struct columns_store *store, double scale, uint64_t seed, enum columns_partition partition)
{
	static const unsigned years[COLUMNS_POPULOUS] = {1996, 1993, 1997, 1994, 1995};
	uint64_t room;
	struct order *orders;
	struct item *items;
	int err = -ENOMEM;

	*store = (struct columns_store){.partition = partition, .orders = (uint64_t)(1.5e6 * scale),
		.items = (uint64_t)(6e6 * scale)};
	for (unsigned i = 0; i < COLUMNS_POPULOUS; i++) {
		store->populous_order[i] = store->orders * (2 * i + 1) / (2 * COLUMNS_POPULOUS);
		store->populous_year[i] = years[i];
	}
	store->price_count = (uint64_t)((double)store->items * 0.0223);
	store->price_count += store->price_count % SCATTER == 0;
	for (unsigned i = 0; i < COLUMNS_POPULAR; i++)
		store->popular_code[i] = store->price_count * (2 * i + 1) / (2 * COLUMNS_POPULAR);
	room = store->items + store->items / 8;
	orders = calloc(store->orders, sizeof(*orders));
	items = calloc(room, sizeof(*items));
	store->prices = calloc(store->price_count, sizeof(*store->prices));
	if (orders && items && store->prices) {
		for (uint64_t i = 0; i < store->price_count; i++)
			store->prices[i] = (int64_t)(90000 + i * 10000000 / store->price_count);
		draw_rows(store, seed, orders, items, &room);
		store->items = room;
		err = pack_items(store, items);
		if (!err)
			err = pack_orders(store, orders);
	}
	free(orders);
	free(items);
	if (err)
		columns_free(store);
	return err;
}

void columns_free(struct columns_store *store)
{
	for (unsigned i = 0; i < COLUMNS_PACKED; i++) {
		free(store->packed[i].words);
		store->packed[i].words = NULL;
	}
	free(store->totalprice);
	free(store->prices);
	store->totalprice = store->prices = NULL;
}

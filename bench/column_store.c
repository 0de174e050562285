/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * column_store sort|average|queries SCALE N [year|order|without-orders]: runs the queries of the
 * memory-trace paper (Noll and others, DaMoN 2020) N times on tables with known skew, and names its
 * columns and phases in a recording of memtrace; suites/memtrace/columns.sh records it. The tables
 * have the skew of JCC-H (Boncz and others, 2018): scale 1 has 1.5 million orders with 6 million
 * items, of which 5 populous orders have a quarter; 97.77 % of the prices are duplicates, and 20 of
 * them have nearly a quarter of the items. `year` and `order` partition the tables by year and by
 * populous order; `without-orders` leaves out the queries that read the table orders. Equal
 * arguments give equal results, and partitions only change the order of rows. Prints results,
 * seconds and major faults of the queries, and where popular prices and populous orders are.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/base/clock.h"
#include "common/base/diag.h"
#include "common/base/units.h"
#include "common/hot/rng.h"
#include "memtrace/target/control.h"

#define SEED 1
#define THREADS 2              /* of average and queries */
#define SETTLE_NS 10000000000u /* for the recording to read names */
#define POPULOUS 5             /* orders */
#define POPULAR 20             /* values of l_extendedprice */
#define YEARS 7                /* 1992 to 1998 */
#define FIRST_YEAR 1992
#define LAST_ORDER_DAY 2404    /* the second of August 1998: the last is shipped in 1998 */
#define SHIP_DAYS 121          /* between order and shipment, at most */
#define STATUS_FROM 1143       /* orders before the 17th of February 1995 are finished, */
#define STATUS_TO 1263         /* those after the 17th of June are open */
#define SCATTER 7919           /* a prime: the first rows take each price once, in no order */
#define LINES_MOST 5           /* of an order that is not populous: 3 on average */
#define GROUP_QUANTITY 300     /* more than any order has that is not populous */
#define INSERTION 16           /* shorter lists are sorted by insertion */

enum partition { WHOLE, BY_YEAR, BY_ORDER };

enum { ORDERKEY, QUANTITY, PARTKEY, SUPPKEY, SHIPDATE, SHIPMODE, PRICE, ITEM_COLUMNS,
	ORDERDATE = ITEM_COLUMNS, ORDERSTATUS, SHIPPRIORITY, COLUMNS };
static const char *const column_names[] = {"l_orderkey", "l_quantity", "l_partkey", "l_suppkey",
	"l_shipdate", "l_shipmode", "l_extendedprice", "o_orderdate", "o_orderstatus",
	"o_shippriority"};

/* Codes of a fixed number of bits, none in two words. A recording counts elements in words. */
struct packed {
	uint64_t *words;
	uint64_t word_count;
	unsigned bits, per_word;
};

/* Rows from first to before end, and the least and largest code of what a query may filter by. */
struct part {
	uint64_t first, end;
	uint64_t least_date, most_date;
	uint64_t least_order, most_order;
};

struct store {
	enum partition partition;
	uint64_t orders, items;
	struct packed columns[COLUMNS]; /* dates are days since 1992-01-01 */
	int64_t *totalprice; /* of orders, in cents, not encoded */
	int64_t *prices;     /* cents by code of l_extendedprice, rising */
	uint64_t price_count;
	struct part item_parts[YEARS], order_parts[YEARS];
	uint64_t populous_order[POPULOUS], populous_first[POPULOUS], populous_end[POPULOUS];
	uint64_t popular_code[POPULAR], popular_rows[POPULAR];
};

static const unsigned populous_years[POPULOUS] = {1996, 1993, 1997, 1994, 1995};

static void *allocate(uint64_t count, size_t size)
{
	void *memory = calloc(count, size);

	if (!memory)
		exit(diag_host(ENOMEM, "a smaller SCALE is needed"));
	return memory;
}

/* --- phases and names for the recording, if there is one --- */

static void tell(enum control_word word, const char *text)
{
	const char *path = getenv(CONTROL_VARIABLE);
	int err = path ? mt_control_send(path, word, text) : 0;

	/* What comes next is to be in the phase, and under the name. */
	if (!err && path)
		err = mt_control_settle(path, SETTLE_NS);
	if (err)
		exit(diag_host(err, "cannot send to the recording: %s", text));
}

static void name(const char *what, const void *memory, uint64_t count, unsigned element_bytes)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	char text[CONTROL_TEXT];

	snprintf(text, sizeof(text), "%s %" PRIx64 " %" PRIx64 " %u", what, begin,
		begin + count * element_bytes, element_bytes);
	tell(CONTROL_NAME, text);
}

/* --- the tables --- */

/* The column is passed by value: in a loop that stores, a compiler would load the members of a
 * pointer again for each row. */
static inline uint64_t packed_get(struct packed column, uint64_t row)
{
	return column.words[row / column.per_word] >> (row % column.per_word * column.bits) &
		((1ull << column.bits) - 1);
}

static void put(struct packed *column, uint64_t row, uint64_t code)
{
	column->words[row / column->per_word] |= code << (row % column->per_word * column->bits);
}

/* Codes up to most. */
static void make_packed(struct packed *column, uint64_t count, uint64_t most)
{
	column->bits = 1;
	while (most >> column->bits)
		column->bits++;
	column->per_word = 64 / column->bits;
	column->word_count = count / column->per_word + 1;
	column->words = allocate(column->word_count, sizeof(*column->words));
}

/* The day on which a quarter (0 to 3) of a year begins; quarter 4: the end of the year. */
static uint64_t day_of(unsigned year, unsigned quarter)
{
	static const uint16_t begins[] = {0, 90, 181, 273, 365};
	uint64_t day = 0;

	for (unsigned before = FIRST_YEAR; before < year; before++)
		day += before % 4 == 0 ? 366 : 365;
	return day + begins[quarter] + (quarter && year % 4 == 0);
}

static unsigned year_of(uint64_t day)
{
	unsigned year = FIRST_YEAR;

	while (day >= day_of(year + 1, 0))
		year++;
	return year;
}

/* Rows before they are packed. */
struct item {
	uint32_t order, part, price;
	uint16_t supplier, date;
	uint8_t quantity, mode;
};

struct order {
	uint32_t total;
	uint16_t date;
	uint8_t status, priority;
};

/* Which of the populous orders it is, or POPULOUS. */
static unsigned find_populous(const struct store *store, uint64_t key)
{
	unsigned i = 0;

	while (i < POPULOUS && store->populous_order[i] != key)
		i++;
	return i;
}

/* plain_rows: of other than populous orders. Their prices differ until each was taken once. */
static void draw_item(struct rng *rng, uint64_t *plain_rows, struct store *store, struct item *item,
	const struct order *order, uint64_t key, unsigned populous)
{
	*item = (struct item){.order = (uint32_t)key,
		.part = (uint32_t)rng_below(rng, store->orders / 7 + 1),
		.supplier = (uint16_t)rng_below(rng, store->orders / 150 % 60000 + 1),
		.quantity = (uint8_t)rng_below(rng, 50), .mode = (uint8_t)rng_below(rng, 7)};
	if (populous < POPULOUS) {
		uint64_t popular =
			populous * (POPULAR / POPULOUS) + rng_below(rng, POPULAR / POPULOUS);

		/* All within the quarter that begins with the order's date. */
		item->date = (uint16_t)(order->date + 1 + rng_below(rng, 90));
		item->price = (uint32_t)store->popular_code[popular];
	} else {
		item->date = (uint16_t)(order->date + 1 + rng_below(rng, SHIP_DAYS));
		item->price = (uint32_t)(*plain_rows < store->price_count
			? *plain_rows * SCATTER % store->price_count
			: rng_below(rng, store->price_count));
		++*plain_rows;
	}
	for (unsigned i = 0; i < POPULAR; i++)
		store->popular_rows[i] += store->popular_code[i] == item->price;
}

/* At most `capacity` items; their number. */
static uint64_t draw_rows(struct store *store, struct order *orders, struct item *items,
	uint64_t capacity)
{
	uint64_t plain_rows = 0, row = 0;
	struct rng rng;

	rng_seed(&rng, SEED, 0);
	for (uint64_t key = 0; key < store->orders; key++) {
		struct order *order = &orders[key];
		unsigned populous = find_populous(store, key);
		uint64_t lines = 1 + rng_below(&rng, LINES_MOST);

		*order = (struct order){.date = (uint16_t)rng_below(&rng, LAST_ORDER_DAY + 1),
			.total = (uint32_t)rng_below(&rng, 50000000), .priority = 0};
		if (populous < POPULOUS) {
			order->date = (uint16_t)day_of(populous_years[populous], 1);
			lines = store->items / 4 / POPULOUS;
		}
		order->status = order->date < STATUS_FROM ? 0 : order->date > STATUS_TO ? 1 : 2;
		for (uint64_t line = 0; line < lines && row < capacity; line++)
			draw_item(&rng, &plain_rows, store, &items[row++], order, key, populous);
	}
	return row;
}

/* The row at which each partition begins, from how many rows it has. */
static void begin_parts(struct part parts[YEARS])
{
	uint64_t row = 0;

	for (unsigned i = 0; i < YEARS; i++) {
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

static struct part *item_part(struct store *store, const struct item *item)
{
	return &store->item_parts[store->partition == BY_YEAR ? year_of(item->date) - FIRST_YEAR
		: store->partition == BY_ORDER ? find_populous(store, item->order) : 0];
}

static void pack_items(struct store *store, const struct item *items)
{
	const uint64_t most[ITEM_COLUMNS] = {store->orders - 1, 49, store->orders / 7,
		store->orders / 150 % 60000, LAST_ORDER_DAY + SHIP_DAYS, 6, store->price_count - 1};

	for (unsigned i = 0; i < ITEM_COLUMNS; i++)
		make_packed(&store->columns[i], store->items, most[i]);
	for (uint64_t i = 0; i < store->items; i++)
		item_part(store, &items[i])->end++;
	begin_parts(store->item_parts);
	for (uint64_t i = 0; i < store->items; i++) {
		const struct item *item = &items[i];
		const uint64_t codes[ITEM_COLUMNS] = {item->order, item->quantity, item->part,
			item->supplier, item->date, item->mode, item->price};
		uint64_t row = take_row(item_part(store, item), item->date, item->order);
		unsigned populous = find_populous(store, item->order);

		for (unsigned column = 0; column < ITEM_COLUMNS; column++)
			put(&store->columns[column], row, codes[column]);
		if (populous < POPULOUS && !store->populous_end[populous])
			store->populous_first[populous] = row;
		if (populous < POPULOUS)
			store->populous_end[populous] = row + 1;
	}
}

/* Orders are partitioned by year only: an order of its own is a row. */
static struct part *order_part(struct store *store, const struct order *order)
{
	bool is_by_year = store->partition == BY_YEAR;

	return &store->order_parts[is_by_year ? year_of(order->date) - FIRST_YEAR : 0];
}

static void pack_orders(struct store *store, const struct order *orders)
{
	store->totalprice = allocate(store->orders, sizeof(*store->totalprice));
	make_packed(&store->columns[ORDERDATE], store->orders, LAST_ORDER_DAY);
	make_packed(&store->columns[ORDERSTATUS], store->orders, 2);
	make_packed(&store->columns[SHIPPRIORITY], store->orders, 1);
	for (uint64_t i = 0; i < store->orders; i++)
		order_part(store, &orders[i])->end++;
	begin_parts(store->order_parts);
	for (uint64_t i = 0; i < store->orders; i++) {
		uint64_t row = take_row(order_part(store, &orders[i]), orders[i].date, i);

		put(&store->columns[ORDERDATE], row, orders[i].date);
		put(&store->columns[ORDERSTATUS], row, orders[i].status);
		put(&store->columns[SHIPPRIORITY], row, orders[i].priority);
		store->totalprice[row] = orders[i].total;
	}
}

static void make_store(struct store *store, double scale, enum partition partition)
{
	uint64_t capacity;
	struct order *orders;
	struct item *items;

	*store = (struct store){.partition = partition,
		.orders = (uint64_t)(1.5e6 * scale), .items = (uint64_t)(6e6 * scale)};
	for (unsigned i = 0; i < POPULOUS; i++)
		store->populous_order[i] = store->orders * (2 * i + 1) / (2 * POPULOUS);
	store->price_count = (uint64_t)((double)store->items * 0.0223);
	store->price_count += store->price_count % SCATTER == 0;
	for (unsigned i = 0; i < POPULAR; i++)
		store->popular_code[i] = store->price_count * (2 * i + 1) / (2 * POPULAR);
	capacity = store->items + store->items / 8; /* what they are on average, and a margin */
	orders = allocate(store->orders, sizeof(*orders));
	items = allocate(capacity, sizeof(*items));
	store->prices = allocate(store->price_count, sizeof(*store->prices));
	for (uint64_t i = 0; i < store->price_count; i++)
		store->prices[i] = (int64_t)(90000 + i * 10000000 / store->price_count);
	store->items = draw_rows(store, orders, items, capacity);
	pack_items(store, items);
	pack_orders(store, orders);
	free(orders);
	free(items);
}

static void name_store(const struct store *store)
{
	name("l_extendedprice_dictionary", store->prices, store->price_count,
		sizeof(*store->prices));
	for (unsigned i = 0; i < COLUMNS; i++)
		name(column_names[i], store->columns[i].words, store->columns[i].word_count,
			sizeof(uint64_t));
	name("o_totalprice", store->totalprice, store->orders, sizeof(*store->totalprice));
}

/* --- sort: price, date and priority of the open orders, in the order of the price --- */

/* rows: of the open orders; filtered: their prices; list: positions in both. Their number. */
static uint64_t filter_open(const struct store *store, uint64_t *rows, int64_t *filtered,
	uint32_t *list)
{
	const struct packed status = store->columns[ORDERSTATUS];
	const int64_t *price = store->totalprice;
	uint64_t n = 0, orders = store->orders;

	for (uint64_t row = 0; row < orders; row++) {
		if (packed_get(status, row) != 1)
			continue;
		rows[n] = row;
		filtered[n] = price[row];
		list[n] = (uint32_t)n;
		n++;
	}
	return n;
}

/* Quicksort of positions by the value that each stands for, as the paper describes it for DuckDB:
 * both ends of a part move to its middle, each comparison fetches filtered[position]. The shorter
 * side first: 64 levels at most. */
static void sort_positions(const int64_t *filtered, uint32_t *list, uint64_t count)
{
	while (count > INSERTION) {
		int64_t pivot = filtered[list[count / 2]];
		uint64_t low = 0, high = count - 1;

		for (;;) {
			uint32_t swapped;

			while (filtered[list[low]] < pivot)
				low++;
			while (filtered[list[high]] > pivot)
				high--;
			if (low >= high)
				break;
			swapped = list[low];
			list[low++] = list[high];
			list[high--] = swapped;
		}
		if (low < count - low) {
			sort_positions(filtered, list, low);
			list += low;
			count -= low;
		} else {
			sort_positions(filtered, list + low, count - low);
			count = low;
		}
	}
	for (uint64_t i = 1; i < count; i++) {
		uint32_t position = list[i];
		uint64_t at = i;

		for (; at && filtered[list[at - 1]] > filtered[position]; at--)
			list[at] = list[at - 1];
		list[at] = position;
	}
}

/* By column, as the positions of all rows are known. */
static void materialise(const struct store *store, const uint64_t *rows, const uint32_t *list,
	uint64_t count, int64_t *result)
{
	const struct packed date = store->columns[ORDERDATE];
	const struct packed priority = store->columns[SHIPPRIORITY];
	const int64_t *price = store->totalprice;

	for (uint64_t i = 0; i < count; i++)
		result[3 * i] = price[rows[list[i]]];
	for (uint64_t i = 0; i < count; i++)
		result[3 * i + 1] = (int64_t)packed_get(date, rows[list[i]]);
	for (uint64_t i = 0; i < count; i++)
		result[3 * i + 2] = (int64_t)packed_get(priority, rows[list[i]]);
}

static void run_sort(const struct store *store, uint64_t times)
{
	uint64_t n = store->orders, count = 0, unsorted = 0, *rows = allocate(n, sizeof(*rows));
	int64_t *filtered = allocate(n, sizeof(*filtered));
	int64_t *result = allocate(3 * n, sizeof(*result));
	uint32_t *list = allocate(n, sizeof(*list));

	name("row_ids", rows, n, sizeof(*rows));
	name("filtered_column", filtered, n, sizeof(*filtered));
	name("position_list", list, n, sizeof(*list));
	name("result", result, 3 * n, sizeof(*result));
	for (uint64_t i = 0; i < times; i++) {
		tell(CONTROL_MARK, "filter");
		count = filter_open(store, rows, filtered, list);
		tell(CONTROL_MARK, "sort");
		sort_positions(filtered, list, count);
		tell(CONTROL_MARK, "materialise");
		materialise(store, rows, list, count, result);
		tell(CONTROL_MARK, "end");
	}
	for (uint64_t i = 1; i < count; i++)
		unsorted += result[3 * i] < result[3 * (i - 1)];
	printf("sorted %" PRIu64 " unsorted %" PRIu64 "\n", count, unsorted);
	free(rows);
	free(filtered);
	free(list);
	free(result);
}

/* --- average and queries: threads share the rows of each partition --- */

enum query_kind {
	QUERY_DATE,   /* items that were shipped in a quarter: sums of five columns */
	QUERY_GROUP,  /* quantities of the items of orders with more than GROUP_QUANTITY */
	QUERY_LOOKUP, /* quantities of the items of one order */
	QUERY_KINDS
};
static const char *const query_names[] = {"date", "group", "lookup"};

struct query {
	enum query_kind kind;
	uint64_t low, high; /* dates from low to before high; the order */
};

struct shared {
	const struct store *store;
	struct query *queries;
	uint64_t query_count; /* repetitions of average */
	pthread_barrier_t barrier;
	uint32_t *positions; /* by item, then by order: threads share nothing */
	uint32_t *sums;      /* by thread and order */
};

struct worker {
	struct shared *shared;
	pthread_t thread;
	unsigned index;
	uint64_t results[QUERY_KINDS], rows[QUERY_KINDS]; /* of average: results[0], the sum */
};

/* The worker's rows of a partition. */
static void cut(const struct worker *worker, const struct part *part, uint64_t *first,
	uint64_t *end)
{
	uint64_t rows = part->end - part->first;

	*first = part->first + rows * worker->index / THREADS;
	*end = part->first + rows * (worker->index + 1) / THREADS;
}

/* The loops over columns are functions of their own: in one with two columns registers are short,
 * and accesses to the stack between those to columns would be sampled, too. */
#define COLUMN_LOOP static __attribute__((noinline))

/* Positions of the rows with a code from low to before high: each word is loaded once. */
COLUMN_LOOP uint64_t scan(struct packed column, uint64_t first, uint64_t end, uint64_t low,
	uint64_t high, uint32_t *positions)
{
	uint64_t mask = (1ull << column.bits) - 1, count = 0, row = first;

	while (row < end) {
		unsigned at = (unsigned)(row % column.per_word);
		uint64_t word = column.words[row / column.per_word] >> (at * column.bits);

		for (; at < column.per_word && row < end; at++, row++) {
			positions[count] = (uint32_t)row;
			count += (word & mask) - low < high - low;
			word >>= column.bits;
		}
	}
	return count;
}

/* The sum of the codes of these rows. */
COLUMN_LOOP uint64_t sum_at(struct packed column, const uint32_t *positions, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += packed_get(column, positions[i]);
	return sum;
}

/* The sum of what the codes stand for. */
COLUMN_LOOP uint64_t sum_values(struct packed column, const int64_t *values,
	const uint32_t *positions, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += (uint64_t)values[packed_get(column, positions[i])];
	return sum;
}

static void query_date(struct worker *worker, const struct query *query)
{
	const struct store *store = worker->shared->store;
	const struct packed *columns = store->columns;
	uint32_t *positions = worker->shared->positions, *found;
	uint64_t first, end, sum = 0, rows = 0;

	for (unsigned i = 0; i < YEARS; i++) {
		const struct part *part = &store->order_parts[i];

		if (part->most_date < query->low || part->least_date >= query->high)
			continue;
		cut(worker, part, &first, &end);
		found = positions + store->items + first;
		sum += scan(columns[ORDERDATE], first, end, query->low, query->high, found);
	}
	for (unsigned i = 0; i < YEARS; i++) {
		const struct part *part = &store->item_parts[i];
		uint64_t count;

		if (part->most_date < query->low || part->least_date >= query->high)
			continue;
		cut(worker, part, &first, &end);
		found = positions + first;
		count = scan(columns[SHIPDATE], first, end, query->low, query->high, found);
		sum += sum_at(columns[SHIPDATE], found, count);
		sum += sum_at(columns[PARTKEY], found, count) * 3;
		sum += sum_at(columns[SUPPKEY], found, count) * 5;
		sum += sum_at(columns[SHIPMODE], found, count) * 7;
		sum += sum_values(columns[PRICE], store->prices, found, count);
		rows += count;
	}
	worker->results[QUERY_DATE] += sum;
	worker->rows[QUERY_DATE] += rows;
}

COLUMN_LOOP void decode(struct packed column, uint64_t first, uint64_t end, uint32_t *codes)
{
	uint64_t mask = (1ull << column.bits) - 1, row = first;

	while (row < end) {
		unsigned at = (unsigned)(row % column.per_word);
		uint64_t word = column.words[row / column.per_word] >> (at * column.bits);

		for (; at < column.per_word && row < end; at++, row++) {
			*codes++ = (uint32_t)(word & mask);
			word >>= column.bits;
		}
	}
}

/* sums[codes of the rows] += codes + 1 of another column. */
COLUMN_LOOP void add_by(struct packed column, uint64_t first, uint64_t end, const uint32_t *codes,
	uint32_t *sums)
{
	for (uint64_t row = first; row < end; row++)
		sums[*codes++] += (uint32_t)packed_get(column, row) + 1;
}

/* Replaces the orders of successive rows by the rows whose order has a large sum. Their number. */
COLUMN_LOOP uint64_t keep_large(uint32_t *orders, uint64_t count, uint64_t first,
	const uint32_t *sums)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (sums[orders[i]] > GROUP_QUANTITY)
			orders[kept++] = (uint32_t)(first + i);
	}
	return kept;
}

static void query_group(struct worker *worker, const struct query *query)
{
	struct shared *shared = worker->shared;
	const struct store *store = shared->store;
	const struct packed orderkey = store->columns[ORDERKEY];
	const struct packed quantity = store->columns[QUANTITY];
	uint32_t *sums = shared->sums + worker->index * store->orders;
	uint64_t first, end, sum = 0, rows = 0;

	(void)query;
	memset(sums, 0, store->orders * sizeof(*sums));
	for (unsigned i = 0; i < YEARS; i++) {
		cut(worker, &store->item_parts[i], &first, &end);
		decode(orderkey, first, end, shared->positions + first);
		add_by(quantity, first, end, shared->positions + first, sums);
	}
	pthread_barrier_wait(&shared->barrier);
	/* Each its part of the orders: which are large is in the first worker's sums. */
	first = store->orders * worker->index / THREADS;
	end = store->orders * (worker->index + 1) / THREADS;
	for (unsigned other = 1; other < THREADS; other++) {
		const uint32_t *more = shared->sums + other * store->orders;

		for (uint64_t order = first; order < end; order++)
			shared->sums[order] += more[order];
	}
	pthread_barrier_wait(&shared->barrier);
	for (unsigned i = 0; i < YEARS; i++) {
		uint32_t *found;
		uint64_t count;

		cut(worker, &store->item_parts[i], &first, &end);
		found = shared->positions + first;
		decode(orderkey, first, end, found);
		count = keep_large(found, end - first, first, shared->sums);
		sum += sum_at(orderkey, found, count) + sum_at(quantity, found, count);
		rows += count;
	}
	pthread_barrier_wait(&shared->barrier);
	worker->results[QUERY_GROUP] += sum;
	worker->rows[QUERY_GROUP] += rows;
}

static void query_lookup(struct worker *worker, const struct query *query)
{
	const struct store *store = worker->shared->store;
	const struct packed *columns = store->columns;
	uint64_t first, end, sum = 0, rows = 0;

	for (unsigned i = 0; i < YEARS; i++) {
		const struct part *part = &store->item_parts[i];
		uint32_t *found;
		uint64_t count;

		if (part->most_order < query->low || part->least_order > query->low)
			continue;
		cut(worker, part, &first, &end);
		found = worker->shared->positions + first;
		count = scan(columns[ORDERKEY], first, end, query->low, query->low + 1, found);
		sum += sum_at(columns[QUANTITY], found, count) + count;
		rows += count;
	}
	worker->results[QUERY_LOOKUP] += sum;
	worker->rows[QUERY_LOOKUP] += rows;
}

static void *run_queries_of(void *data)
{
	static void (*const runs[])(struct worker *, const struct query *) = {
		query_date, query_group, query_lookup};
	struct worker *worker = data;
	const struct query *query = worker->shared->queries;

	for (uint64_t i = 0; i < worker->shared->query_count; i++, query++)
		runs[query->kind](worker, query);
	return NULL;
}

static void *run_average_of(void *data)
{
	struct worker *worker = data;
	const struct store *store = worker->shared->store;
	const struct packed price = store->columns[PRICE];
	const int64_t *prices = store->prices;
	const struct part all = {.end = store->items};
	uint64_t first, end, mask = (1ull << price.bits) - 1;

	cut(worker, &all, &first, &end);
	for (uint64_t i = 0; i < worker->shared->query_count; i++) {
		int64_t total = 0;

		for (uint64_t row = first; row < end;) {
			unsigned at = (unsigned)(row % price.per_word);
			uint64_t word = price.words[row / price.per_word] >> (at * price.bits);

			for (; at < price.per_word && row < end; at++, row++) {
				total += prices[word & mask];
				word >>= price.bits;
			}
		}
		worker->results[0] = (uint64_t)total;
	}
	return NULL;
}

/* Half by date, of which four in five ask for the quarter in which a populous order of 1993 or 1994
 * was shipped; a quarter group all; a quarter look up an order, every second time a populous one.
 * Those by date are left out without the table orders: the others are the same. How many queries
 * there are. */
static uint64_t make_queries(const struct store *store, uint64_t times, bool is_without_orders,
	struct query *queries)
{
	struct rng rng;
	uint64_t count = 0;

	rng_seed(&rng, SEED, 1);
	for (uint64_t i = 0; i < times; i++) {
		struct query *query = &queries[count];
		bool is_preferred = rng_below(&rng, 5) < 4, is_populous = rng_below(&rng, 2);
		unsigned year = FIRST_YEAR + (unsigned)rng_below(&rng, YEARS);
		unsigned quarter = (unsigned)rng_below(&rng, 4);
		uint64_t order = rng_below(&rng, store->orders), which = rng_below(&rng, POPULOUS);

		query->kind = i % 4 < 2 ? QUERY_DATE : i % 4 == 2 ? QUERY_GROUP : QUERY_LOOKUP;
		if (query->kind == QUERY_DATE && is_preferred) {
			year = which % 2 ? 1993 : 1994;
			quarter = 1;
		}
		query->low = query->kind == QUERY_DATE ? day_of(year, quarter)
			: is_populous ? store->populous_order[which] : order;
		query->high = day_of(year, quarter + 1);
		count += !is_without_orders || query->kind != QUERY_DATE;
	}
	return count;
}

static void print_queries(const struct store *store, const struct worker workers[THREADS])
{
	for (unsigned kind = 0; kind < QUERY_KINDS; kind++) {
		uint64_t result = 0, rows = 0;

		for (unsigned i = 0; i < THREADS; i++) {
			result += workers[i].results[kind];
			rows += workers[i].rows[kind];
		}
		printf("%s rows %" PRIu64 " sum %" PRIu64 "\n", query_names[kind], rows, result);
	}
	/* Elements of each column that a populous order is in. */
	for (unsigned i = ORDERKEY; i <= SHIPMODE; i++) {
		for (unsigned order = 0; order < POPULOUS; order++)
			printf("populous %s %u %" PRIu64 " %" PRIu64 "\n", column_names[i],
				populous_years[order],
				store->populous_first[order] / store->columns[i].per_word,
				(store->populous_end[order] - 1) / store->columns[i].per_word);
	}
}

static void print_average(const struct store *store, const struct worker workers[THREADS])
{
	uint64_t total = 0;

	for (unsigned i = 0; i < THREADS; i++)
		total += workers[i].results[0];
	printf("average %.4f\n", (double)total / 100 / (double)store->items);
	for (unsigned i = 0; i < POPULAR; i++)
		printf("popular %" PRIu64 " %.2f %" PRIu64 "\n", store->popular_code[i],
			(double)store->prices[store->popular_code[i]] / 100,
			store->popular_rows[i]);
}

static long major_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_majflt;
}

/* Runs it on all threads, and prints what it took. */
static void run_workers(struct worker workers[THREADS], void *(*run)(void *), const char *phase)
{
	uint64_t took_ns;
	long faults;

	tell(CONTROL_MARK, phase);
	faults = major_faults();
	took_ns = clock_ns(CLOCK_MONOTONIC);
	for (unsigned i = 1; i < THREADS; i++) {
		int err = pthread_create(&workers[i].thread, NULL, run, &workers[i]);

		/* Those that run wait for all at a barrier. */
		if (err)
			exit(diag_host(err, "cannot create a thread"));
	}
	run(&workers[0]);
	for (unsigned i = 1; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	took_ns = clock_ns(CLOCK_MONOTONIC) - took_ns;
	printf("seconds %.3f\nfaults %ld\n", (double)took_ns / CLOCK_NS_PER_S,
		major_faults() - faults);
	tell(CONTROL_MARK, "end");
}

static void run_threads(const struct store *store, bool is_average, uint64_t times,
	bool is_without_orders)
{
	struct shared shared = {.store = store, .query_count = times};
	struct worker workers[THREADS] = {{0}};
	uint64_t capacity = store->items + store->orders;

	for (unsigned i = 0; i < THREADS; i++)
		workers[i] = (struct worker){.shared = &shared, .index = i};
	if (is_average) {
		run_workers(workers, run_average_of, "average");
		print_average(store, workers);
		return;
	}
	shared.queries = allocate(times, sizeof(*shared.queries));
	shared.positions = allocate(capacity, sizeof(*shared.positions));
	shared.sums = allocate(THREADS * store->orders, sizeof(*shared.sums));
	shared.query_count = make_queries(store, times, is_without_orders, shared.queries);
	name("positions", shared.positions, capacity, sizeof(*shared.positions));
	name("group_sums", shared.sums, THREADS * store->orders, sizeof(*shared.sums));
	pthread_barrier_init(&shared.barrier, NULL, THREADS);
	run_workers(workers, run_queries_of, "queries");
	print_queries(store, workers);
	free(shared.queries);
	free(shared.positions);
	free(shared.sums);
}

int main(int argc, char **argv)
{
	static struct store store;
	const char *workload = argc > 1 ? argv[1] : "", *variant = argc > 4 ? argv[4] : "";
	bool is_sort = !strcmp(workload, "sort"), is_average = !strcmp(workload, "average");
	bool is_without_orders = !strcmp(variant, "without-orders");
	enum partition partition =
		!strcmp(variant, "year") ? BY_YEAR : !strcmp(variant, "order") ? BY_ORDER : WHOLE;
	double scale;
	uint64_t times;

	if (argc < 4 || argc > 5 || !(is_sort || is_average || !strcmp(workload, "queries")) ||
		units_parse_double(argv[2], 0.001, 100, &scale) ||
		units_parse_u64(argv[3], 1, 1000000, &times) ||
		(argc > 4 && !partition && !(is_without_orders && !is_sort && !is_average)))
		return diag_usage("sort|average|queries SCALE N [year|order]; queries also without-orders");
	make_store(&store, scale, partition);
	printf("items %" PRIu64 " orders %" PRIu64 " prices %" PRIu64 "\n", store.items,
		store.orders, store.price_count);
	name_store(&store);
	if (is_sort)
		run_sort(&store, times);
	else
		run_threads(&store, is_average, times, is_without_orders);
	return 0;
}

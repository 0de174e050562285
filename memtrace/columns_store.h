/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of `memtrace columns`: orders and lineitem with the skew of the benchmark JCC-H (Boncz, Anatiotis, Klaebe: "JCC-H:
 * Adding Join Crossing Correlations with Skew to TPC-H", 2018), stored by column.
 *
 * Scale 1 has 1.5 million orders with 6 million items. A quarter of the items belongs to 5 populous orders, two of which are of
 * 1993 and 1994. The number of distinct values of l_extendedprice is 2.23 % of the number of items, and 20 of them have nearly a
 * quarter of the items. Equal scale and seed yield equal rows; partitions only change their order.
 */
#ifndef MEMTRACE_COLUMNS_STORE_H
#define MEMTRACE_COLUMNS_STORE_H

#include <stdint.h>

#define COLUMNS_POPULOUS 5       /* orders */
#define COLUMNS_POPULAR 20       /* values of l_extendedprice */
#define COLUMNS_YEARS 7          /* 1992 to 1998 */
#define COLUMNS_FIRST_YEAR 1992
#define COLUMNS_PACKED 10

enum columns_partition { COLUMNS_WHOLE, COLUMNS_BY_YEAR, COLUMNS_BY_ORDER };

/* Codes of a fixed number of bits; no code spans two words. The elements of the named range are the words. */
struct packed {
	const char *name; /* "l_orderkey" */
	uint64_t *words;
	uint64_t count;   /* codes */
	unsigned bits, per_word;
};

/* The column is passed by value: in a loop that stores, a compiler would load the members of a pointer again for each row. */
static inline uint64_t packed_get(struct packed column, uint64_t row)
{
	return column.words[row / column.per_word] >> (row % column.per_word * column.bits) & ((1ull << column.bits) - 1);
}

/* Rows from first to before end, and the least and largest code of the columns that a query may filter by. */
struct part {
	uint64_t first, end;
	uint64_t least_date, most_date;
	uint64_t least_order, most_order;
};

struct columns_store {
	enum columns_partition partition;
	uint64_t orders, items;
	/* Of lineitem, then of orders. Dates are days since 1992-01-01. */
	union {
		struct {
			struct packed orderkey, partkey, suppkey, quantity, price, shipdate, shipmode;
			struct packed orderdate, orderstatus, shippriority;
		};
		struct packed packed[COLUMNS_PACKED];
	};
	int64_t *totalprice; /* of orders, in cents, not encoded */
	struct part item_parts[COLUMNS_YEARS], order_parts[COLUMNS_YEARS];
	unsigned item_part_count, order_part_count;
	/* Cents by code of l_extendedprice, rising. */
	int64_t *prices;
	uint64_t price_count;
	/* Known facts: the populous orders, the years in which they were shipped, their rows; the codes of the popular prices. */
	uint64_t populous_order[COLUMNS_POPULOUS];
	unsigned populous_year[COLUMNS_POPULOUS];
	uint64_t populous_first[COLUMNS_POPULOUS], populous_end[COLUMNS_POPULOUS];
	uint64_t popular_code[COLUMNS_POPULAR], popular_rows[COLUMNS_POPULAR];
};

/* Returns the day, since 1992-01-01, on which a quarter (0 to 3) of a year begins; quarter 4 means the end of the year. */
uint64_t columns_day(unsigned year, unsigned quarter);
/* Creates the tables; scale is 0.001 to 100. Returns 0 or -ENOMEM; on errors there is nothing to free. */
int columns_make(struct columns_store *store, double scale, uint64_t seed, enum columns_partition partition);
void columns_free(struct columns_store *store);

#endif

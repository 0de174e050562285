/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * memtrace columns: a small column store that runs the queries of the memory-trace paper (Noll, Teubner, May, Boehm: "Analyzing
 * Memory Accesses With Modern Processors", DaMoN 2020) on data whose skew is known, and that names its data structures in a
 * recording. The results of an analysis can be compared with its output.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "common/clock.h"
#include "common/diag.h"
#include "common/frame.h"
#include "common/hot/rng.h"
#include "memtrace/columns_store.h"
#include "memtrace/commands.h"
#include "memtrace/control.h"
#include "schema/memtrace.h"

#define THREADS_MOST 64
#define SETTLE_NS 10000000000u /* the recording has this long to read names */
#define GROUP_QUANTITY 300     /* more than any order has that is not populous */
#define INSERTION 16           /* shorter lists are sorted by insertion */
#define QUERIES_PER_TURN 4     /* two by date, one that groups, one that looks up */

enum workload { WORKLOAD_NONE, WORKLOAD_SORT, WORKLOAD_AVERAGE, WORKLOAD_QUERIES };
static const char *const workload_names[] = {"", "sort", "average", "queries", NULL};

struct columns_options {
	enum workload workload;
	double scale;
	uint64_t seed;
	unsigned threads, repeat;
	unsigned partition;
	bool is_without_orders;
	const char *xml_path;
};

/* Of average and queries, without the generation of the tables. */
struct columns_cost {
	uint64_t queries, major_faults;
	double seconds;
};

/* --- phases and names for the recording --- */

/* 0, also without a recording, or a diag_exit code. */
static int send(enum control_word word, const char *text)
{
	const char *path = getenv(CONTROL_VARIABLE);
	int err = path && *path ? control_send(path, word, text) : 0;

	/* What comes next is to be in the phase, and under the name. */
	if (!err && path && *path)
		err = control_settle(path, SETTLE_NS);
	if (err)
		diag_error(err, "columns: cannot send to the recording: %s", text);
	return err ? DIAG_EXIT_HOST : DIAG_EXIT_OK;
}

static int name(const char *what, const void *memory, uint64_t count, unsigned element_bytes)
{
	uint64_t begin = (uint64_t)(uintptr_t)memory;
	char text[CONTROL_TEXT];

	snprintf(text, sizeof(text), "%s %" PRIx64 " %" PRIx64 " %u", what, begin, begin + count * element_bytes, element_bytes);
	return send(CONTROL_NAME, text);
}

static int name_store(const struct columns_store *store)
{
	int code = name("l_extendedprice_dictionary", store->prices, store->price_count, sizeof(*store->prices));

	for (unsigned i = 0; i < COLUMNS_PACKED && !code; i++) {
		const struct packed *column = &store->packed[i];

		code = name(column->name, column->words, column->count / column->per_word + 1, sizeof(*column->words));
	}
	return code ? code : name("o_totalprice", store->totalprice, store->orders, sizeof(*store->totalprice));
}

/* --- sort: o_totalprice, o_orderdate, o_shippriority of the open orders, in the order of o_totalprice --- */

struct sorting {
	uint64_t *rows;    /* of orders, by position in filtered */
	int64_t *filtered; /* o_totalprice of the open orders */
	uint32_t *list;    /* positions, which are sorted */
	int64_t *result;   /* three columns */
	uint64_t count;
};

static void filter_open(const struct columns_store *store, struct sorting *sorting)
{
	const struct packed status = store->orderstatus;
	const int64_t *price = store->totalprice;
	uint64_t n = 0, *rows = sorting->rows, orders = store->orders;
	int64_t *filtered = sorting->filtered;
	uint32_t *list = sorting->list;

	for (uint64_t row = 0; row < orders; row++) {
		if (packed_get(status, row) != 1)
			continue;
		rows[n] = row;
		filtered[n] = price[row];
		list[n] = (uint32_t)n;
		n++;
	}
	sorting->count = n;
}

/* Quicksort of positions by the value that each stands for, as the paper describes it for DuckDB: both ends of a part move to
 * its middle, each comparison fetches filtered[position]. The shorter side first: 64 levels at most. */
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

static void materialise(const struct columns_store *store, const struct sorting *sorting)
{
	const struct packed date = store->orderdate, priority = store->shippriority;
	const int64_t *price = store->totalprice;
	const uint64_t *rows = sorting->rows;
	const uint32_t *list = sorting->list;
	int64_t *result = sorting->result;
	uint64_t count = sorting->count;

	/* By column, as the positions of all rows are known. */
	for (uint64_t i = 0; i < count; i++)
		result[3 * i] = price[rows[list[i]]];
	for (uint64_t i = 0; i < count; i++)
		result[3 * i + 1] = (int64_t)packed_get(date, rows[list[i]]);
	for (uint64_t i = 0; i < count; i++)
		result[3 * i + 2] = (int64_t)packed_get(priority, rows[list[i]]);
}

static int run_sort(const struct columns_store *store, const struct columns_options *options)
{
	uint64_t n = store->orders, unsorted = 0;
	struct sorting sorting = {.rows = calloc(n, sizeof(*sorting.rows)), .filtered = calloc(n, sizeof(*sorting.filtered)),
		.list = calloc(n, sizeof(*sorting.list)), .result = calloc(n, 3 * sizeof(*sorting.result))};
	int64_t sum = 0;
	int code = DIAG_EXIT_OK;

	if (!sorting.rows || !sorting.filtered || !sorting.list || !sorting.result) {
		diag_error(ENOMEM, "columns: cannot sort");
		code = DIAG_EXIT_HOST;
	}
	if (!code)
		code = name("row_ids", sorting.rows, n, sizeof(*sorting.rows));
	if (!code)
		code = name("filtered_column", sorting.filtered, n, sizeof(*sorting.filtered));
	if (!code)
		code = name("position_list", sorting.list, n, sizeof(*sorting.list));
	if (!code)
		code = name("result", sorting.result, 3 * n, sizeof(*sorting.result));
	for (unsigned i = 0; i < options->repeat && !code; i++) {
		code = send(CONTROL_MARK, "filter");
		filter_open(store, &sorting);
		if (!code)
			code = send(CONTROL_MARK, "sort");
		sort_positions(sorting.filtered, sorting.list, sorting.count);
		if (!code)
			code = send(CONTROL_MARK, "materialise");
		materialise(store, &sorting);
		if (!code)
			code = send(CONTROL_MARK, "end");
	}
	for (uint64_t i = 0; i < sorting.count && !code; i++) {
		sum += sorting.result[3 * i] ^ sorting.result[3 * i + 1];
		unsorted += i && sorting.result[3 * i] < sorting.result[3 * (i - 1)];
	}
	if (!code)
		printf("sorted %" PRIu64 " unsorted %" PRIu64 " sum %" PRId64 "\n", sorting.count, unsorted, sum);
	free(sorting.rows);
	free(sorting.filtered);
	free(sorting.list);
	free(sorting.result);
	return code;
}

/* --- average and queries: threads share the rows of each partition --- */

enum query_kind {
	QUERY_DATE,   /* items that were shipped in a quarter: three columns, and the sum of their prices */
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
	const struct columns_store *store;
	const struct columns_options *options;
	struct query *queries;
	uint64_t query_count; /* repetitions of average */
	pthread_barrier_t barrier;
	uint32_t *positions; /* of items, then of orders: room for each in its own place, so threads share nothing */
	uint32_t *sums;      /* by thread and order */
};

struct worker {
	struct shared *shared;
	pthread_t thread;
	unsigned index;
	uint64_t results[QUERY_KINDS], rows[QUERY_KINDS];
	int64_t total;
};

/* The worker's rows of a partition. */
static void cut(const struct worker *worker, const struct part *part, uint64_t *first, uint64_t *end)
{
	uint64_t rows = part->end - part->first, threads = worker->shared->options->threads;

	*first = part->first + rows * worker->index / threads;
	*end = part->first + rows * (worker->index + 1) / threads;
}

/* The loops over columns are functions of their own: in one with two columns registers are short, and accesses to the stack
 * between those to columns would be sampled, too. */
#define COLUMN_LOOP static __attribute__((noinline))

/* Positions of the rows with a code from low to before high: each word is loaded once. */
COLUMN_LOOP uint64_t scan(struct packed column, uint64_t first, uint64_t end, uint64_t low, uint64_t high, uint32_t *positions)
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
COLUMN_LOOP uint64_t sum_values(struct packed column, const int64_t *values, const uint32_t *positions, uint64_t count)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++)
		sum += (uint64_t)values[packed_get(column, positions[i])];
	return sum;
}

static void query_date(struct worker *worker, const struct query *query)
{
	const struct columns_store *store = worker->shared->store;
	uint32_t *positions = worker->shared->positions, *found;
	uint64_t first, end, sum = 0, rows = 0;

	for (unsigned i = 0; i < store->order_part_count; i++) {
		const struct part *part = &store->order_parts[i];

		if (part->first == part->end || part->most_date < query->low || part->least_date >= query->high)
			continue;
		cut(worker, part, &first, &end);
		sum += scan(store->orderdate, first, end, query->low, query->high, positions + store->items + first);
	}
	for (unsigned i = 0; i < store->item_part_count; i++) {
		const struct part *part = &store->item_parts[i];
		uint64_t count;

		if (part->first == part->end || part->most_date < query->low || part->least_date >= query->high)
			continue;
		cut(worker, part, &first, &end);
		count = scan(store->shipdate, first, end, query->low, query->high, positions + first);
		found = positions + first;
		sum += sum_at(store->shipdate, found, count) + sum_at(store->partkey, found, count) * 3 +
			sum_at(store->suppkey, found, count) * 5 + sum_at(store->shipmode, found, count) * 7 +
			sum_values(store->price, store->prices, found, count);
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
COLUMN_LOOP void add_by(struct packed column, uint64_t first, uint64_t end, const uint32_t *codes, uint32_t *sums)
{
	for (uint64_t row = first; row < end; row++)
		sums[*codes++] += (uint32_t)packed_get(column, row) + 1;
}

/* Replaces the orders of successive rows by the positions of those rows whose order has a large sum. Their number. */
COLUMN_LOOP uint64_t keep_large(uint32_t *orders, uint64_t count, uint64_t first, const uint32_t *sums)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < count; i++) {
		if (sums[orders[i]] > GROUP_QUANTITY)
			orders[kept++] = (uint32_t)(first + i);
	}
	return kept;
}

static void query_group(struct worker *worker)
{
	struct shared *shared = worker->shared;
	const struct columns_store *store = shared->store;
	uint32_t *sums = shared->sums + worker->index * store->orders, *positions = shared->positions;
	uint64_t first, end, sum = 0, rows = 0;

	memset(sums, 0, store->orders * sizeof(*sums));
	for (unsigned i = 0; i < store->item_part_count; i++) {
		cut(worker, &store->item_parts[i], &first, &end);
		decode(store->orderkey, first, end, positions + first);
		add_by(store->quantity, first, end, positions + first, sums);
	}
	pthread_barrier_wait(&shared->barrier);
	/* Each its part of the orders: which are large is in the first worker's sums. */
	first = store->orders * worker->index / shared->options->threads;
	end = store->orders * (worker->index + 1) / shared->options->threads;
	for (unsigned other = 1; other < shared->options->threads; other++) {
		const uint32_t *more = shared->sums + other * store->orders;

		for (uint64_t order = first; order < end; order++)
			shared->sums[order] += more[order];
	}
	pthread_barrier_wait(&shared->barrier);
	for (unsigned i = 0; i < store->item_part_count; i++) {
		uint64_t count;

		cut(worker, &store->item_parts[i], &first, &end);
		decode(store->orderkey, first, end, positions + first);
		count = keep_large(positions + first, end - first, first, shared->sums);
		sum += sum_at(store->orderkey, positions + first, count) + sum_at(store->quantity, positions + first, count);
		rows += count;
	}
	pthread_barrier_wait(&shared->barrier);
	worker->results[QUERY_GROUP] += sum;
	worker->rows[QUERY_GROUP] += rows;
}

static void query_lookup(struct worker *worker, const struct query *query)
{
	const struct columns_store *store = worker->shared->store;
	uint32_t *positions = worker->shared->positions;
	uint64_t first, end, sum = 0, rows = 0;

	for (unsigned i = 0; i < store->item_part_count; i++) {
		const struct part *part = &store->item_parts[i];
		uint64_t count;

		if (part->first == part->end || part->most_order < query->low || part->least_order > query->low)
			continue;
		cut(worker, part, &first, &end);
		count = scan(store->orderkey, first, end, query->low, query->low + 1, positions + first);
		sum += sum_at(store->quantity, positions + first, count) + count;
		rows += count;
	}
	worker->results[QUERY_LOOKUP] += sum;
	worker->rows[QUERY_LOOKUP] += rows;
}

static void *run_queries_of(void *data)
{
	struct worker *worker = data;

	for (uint64_t i = 0; i < worker->shared->query_count; i++) {
		const struct query *query = &worker->shared->queries[i];

		if (query->kind == QUERY_DATE)
			query_date(worker, query);
		else if (query->kind == QUERY_GROUP)
			query_group(worker);
		else
			query_lookup(worker, query);
	}
	return NULL;
}

static void *run_average_of(void *data)
{
	struct worker *worker = data;
	const struct columns_store *store = worker->shared->store;
	const struct packed price = store->price;
	const int64_t *prices = store->prices;
	const struct part all = {.end = store->items};
	uint64_t first, end, mask = (1ull << price.bits) - 1;

	cut(worker, &all, &first, &end);
	for (unsigned i = 0; i < worker->shared->options->repeat; i++) {
		int64_t total = 0;

		for (uint64_t row = first; row < end;) {
			unsigned at = (unsigned)(row % price.per_word);
			uint64_t word = price.words[row / price.per_word] >> (at * price.bits);

			for (; at < price.per_word && row < end; at++, row++) {
				total += prices[word & mask];
				word >>= price.bits;
			}
		}
		worker->total = total;
	}
	return NULL;
}

/* Half by date, of which four in five ask for the quarter in which a populous order of 1993 or 1994 was shipped; a quarter
 * group all; a quarter look up an order, every second time a populous one. Those by date are left out without the table
 * orders: the others are the same. How many queries there are. */
static uint64_t make_queries(const struct columns_store *store, const struct columns_options *options, struct query *queries)
{
	struct rng rng;
	uint64_t count = 0;

	rng_seed(&rng, options->seed, 1);
	for (uint64_t i = 0; i < options->repeat; i++) {
		struct query *query = &queries[count];
		bool is_preferred = rng_below(&rng, 5) < 4, is_populous = rng_below(&rng, 2);
		unsigned year = COLUMNS_FIRST_YEAR + (unsigned)rng_below(&rng, COLUMNS_YEARS);
		unsigned quarter = (unsigned)rng_below(&rng, 4);
		uint64_t order = rng_below(&rng, store->orders), which = rng_below(&rng, COLUMNS_POPULOUS);

		query->kind = i % QUERIES_PER_TURN < 2 ? QUERY_DATE : i % QUERIES_PER_TURN == 2 ? QUERY_GROUP : QUERY_LOOKUP;
		if (query->kind == QUERY_DATE && is_preferred) {
			year = which % 2 ? 1993 : 1994;
			quarter = 1;
		}
		query->low = query->kind == QUERY_DATE ? columns_day(year, quarter)
			: is_populous ? store->populous_order[which] : order;
		query->high = columns_day(year, quarter + 1);
		count += !options->is_without_orders || query->kind != QUERY_DATE;
	}
	return count;
}

/* Starts a thread for each worker and waits for all. */
static void run_workers(struct worker *workers, unsigned count, void *(*run)(void *))
{
	unsigned started = 1;
	int err = 0;

	for (; started < count && !err; started++)
		err = -pthread_create(&workers[started].thread, NULL, run, &workers[started]);
	/* Those that run wait for all at a barrier. */
	if (err) {
		diag_error(err, "columns: cannot create %u threads", count);
		exit(DIAG_EXIT_HOST);
	}
	run(&workers[0]);
	for (unsigned i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
}

static void print_queries(const struct shared *shared, const struct worker *workers)
{
	const struct columns_store *store = shared->store;
	const struct packed *const columns[] = {&store->orderkey, &store->quantity, &store->partkey, &store->suppkey,
		&store->shipdate, &store->shipmode};

	for (unsigned kind = 0; kind < QUERY_KINDS; kind++) {
		uint64_t result = 0, rows = 0;

		for (unsigned i = 0; i < shared->options->threads; i++) {
			result += workers[i].results[kind];
			rows += workers[i].rows[kind];
		}
		printf("%s rows %" PRIu64 " sum %" PRIu64 "\n", query_names[kind], rows, result);
	}
	/* Elements of each column that a populous order is in. */
	for (unsigned i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		for (unsigned order = 0; order < COLUMNS_POPULOUS; order++)
			printf("populous %s %u %" PRIu64 " %" PRIu64 "\n", columns[i]->name, store->populous_year[order],
				store->populous_first[order] / columns[i]->per_word,
				(store->populous_end[order] - 1) / columns[i]->per_word);
	}
}

static uint64_t major_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_majflt;
}

static int run_threads(const struct columns_store *store, const struct columns_options *options, struct columns_cost *cost)
{
	bool is_average = options->workload == WORKLOAD_AVERAGE;
	struct shared shared = {.store = store, .options = options, .query_count = options->repeat};
	struct worker *workers = calloc(options->threads, sizeof(*workers));
	uint64_t room = store->items + store->orders, begun_ns;
	int code = DIAG_EXIT_HOST;

	shared.queries = calloc(options->repeat, sizeof(*shared.queries));
	shared.positions = is_average ? NULL : calloc(room, sizeof(*shared.positions));
	shared.sums = is_average ? NULL : calloc(options->threads * store->orders, sizeof(*shared.sums));
	if (!workers || !shared.queries || (!is_average && (!shared.positions || !shared.sums))) {
		diag_error(ENOMEM, "columns: cannot run queries");
		goto out;
	}
	for (unsigned i = 0; i < options->threads; i++)
		workers[i] = (struct worker){.shared = &shared, .index = i};
	if (!is_average)
		shared.query_count = make_queries(store, options, shared.queries);
	code = is_average ? DIAG_EXIT_OK : name("positions", shared.positions, room, sizeof(*shared.positions));
	if (!code && !is_average)
		code = name("group_sums", shared.sums, options->threads * store->orders, sizeof(*shared.sums));
	if (!code)
		code = send(CONTROL_MARK, workload_names[options->workload]);
	if (code)
		goto out;
	pthread_barrier_init(&shared.barrier, NULL, options->threads);
	*cost = (struct columns_cost){.queries = shared.query_count, .major_faults = major_faults()};
	begun_ns = clock_ns(CLOCK_MONOTONIC);
	run_workers(workers, options->threads, is_average ? run_average_of : run_queries_of);
	cost->seconds = (double)(clock_ns(CLOCK_MONOTONIC) - begun_ns) / CLOCK_NS_PER_S;
	cost->major_faults = major_faults() - cost->major_faults;
	printf("seconds %.3f\nfaults %" PRIu64 "\n", cost->seconds, cost->major_faults);
	pthread_barrier_destroy(&shared.barrier);
	code = send(CONTROL_MARK, "end");
	if (is_average) {
		int64_t total = 0;

		for (unsigned i = 0; i < options->threads; i++)
			total += workers[i].total;
		printf("average %.4f\n", (double)total / 100 / (double)store->items);
		for (unsigned i = 0; i < COLUMNS_POPULAR; i++)
			printf("popular %" PRIu64 " %.2f %" PRIu64 "\n", store->popular_code[i],
				(double)store->prices[store->popular_code[i]] / 100, store->popular_rows[i]);
	} else {
		print_queries(&shared, workers);
	}
out:
	free(workers);
	free(shared.queries);
	free(shared.positions);
	free(shared.sums);
	return code;
}

/* --- the command --- */

#define FIELD(NAME) offsetof(struct columns_options, NAME)

static const char *const partition_names[] = {"none", "year", "order", NULL};

static const struct opt rows[] = {
	{"scale", 0, "FACTOR", OPT_DOUBLE, .offset = FIELD(scale), .low = 0.001, .high = 100, .preset = "0.1",
		.help = "generate 6 million items times FACTOR",
		.manual = "Generate tables of this size, 0.001 to 100. At 1, `lineitem` has 6 million rows and `orders` 1.5 "
			  "million; columns and queries take 150 MiB, the generation 300 MiB."},
	{"seed", 0, "N", OPT_U64, .offset = FIELD(seed), .preset = "1", .help = "draw rows and queries from this seed"},
	{"threads", 'j', "N", OPT_UNSIGNED, .offset = FIELD(threads), .min = 1, .max = THREADS_MOST, .preset = "2",
		.help = "run average and queries on N threads"},
	{"repeat", 'n', "N", OPT_UNSIGNED, .offset = FIELD(repeat), .min = 1, .max = 1000000,
		.help = "repeat N times (default: 1); of queries: run N queries (default: 200)"},
	{"partition", 0, "none|year|order", OPT_CHOICE, .offset = FIELD(partition), .choices = partition_names,
		.preset = "none", .help = "partition the tables",
		.manual = "Partition the tables: `year`, each year of `l_shipdate` and of `o_orderdate` is a partition; `order`, "
			  "each populous order is one and all other items are the sixth. A query skips a partition without "
			  "matching rows. Results do not depend on it."},
	{"without-orders", 0, .type = OPT_FLAG, .offset = FIELD(is_without_orders),
		.help = "leave out the queries that read the table orders",
		.manual = "Of `queries`, leave out those that read the table `orders`, which are those by date: half of the N "
			  "queries. The others are the same."},
	{"file", 'f', "FILE", OPT_STRING, OPT_UNREPORTED | OPT_OUTPUT, .offset = FIELD(xml_path), .begins = "<?xml",
		.help = "write a report as XML",
		.manual = "Write a report of `average` or `queries` as XML, with the queries per second and the major faults. "
			  "`memstor plot buffer` draws several reports of runs in less and less memory."},
	{0},
};

static int take(void *data, const char *text, bool is_behind)
{
	struct columns_options *options = data;

	(void)is_behind;
	for (unsigned i = WORKLOAD_SORT; i <= WORKLOAD_QUERIES && options->workload == WORKLOAD_NONE; i++) {
		if (!strcmp(workload_names[i], text)) {
			options->workload = (enum workload)i;
			return DIAG_EXIT_OK;
		}
	}
	diag_error(0, "columns: %s: one of sort, average and queries is needed", text);
	return DIAG_EXIT_USAGE;
}

/* What a workload does not have is refused, not ignored. */
static int check(void *data, struct opt_line *line)
{
	struct columns_options *options = data;

	if (options->workload == WORKLOAD_NONE) {
		diag_error(0, "columns: one of sort, average and queries is needed");
		return DIAG_EXIT_USAGE;
	}
	if (!options->repeat)
		options->repeat = options->workload == WORKLOAD_QUERIES ? 200 : 1;
	if (options->is_without_orders && options->workload != WORKLOAD_QUERIES)
		return opt_refuse(line, "without-orders", "is for queries");
	if (options->is_without_orders && options->repeat < QUERIES_PER_TURN)
		return opt_refuse(line, "without-orders", "leaves no query of fewer than 4; give --repeat 4 or more");
	if (options->xml_path && options->workload == WORKLOAD_SORT)
		return opt_refuse(line, "file", "is for average and queries");
	return DIAG_EXIT_OK;
}

static int write_report(const struct columns_store *store, const struct columns_options *options, const struct columns_cost *cost,
	struct opt_line *line, int argc, char **argv)
{
	struct frame *frame = calloc(1, sizeof(*frame));
	struct mt_column_store_values values = {.workload = workload_names[options->workload], .items = store->items,
		.orders = store->orders, .queries = cost->queries, .seconds = cost->seconds,
		.queries_per_second = (double)cost->queries / cost->seconds, .major_faults = cost->major_faults};
	const struct mt_result_values result = {.column_store = FIELD_ONE(&values)};
	struct target target = {.kind = TARGET_FILE, .fd = -1};
	int code = frame ? frame_start(frame, "memtrace", argc, argv, &target) : DIAG_EXIT_HOST;

	if (!code)
		code = memtrace_publish(frame, options->xml_path, options, line, &result, NULL);
	free(frame);
	return code;
}

static int run_command(const struct command *command, int argc, char **argv)
{
	struct columns_options options = {0};
	struct columns_store *store = calloc(1, sizeof(*store));
	struct columns_cost cost = {0};
	struct opt_line line;
	int code = command_parse(command, argc, argv, &options, &line, NULL);

	if (!code && (!store || columns_make(store, options.scale, options.seed, options.partition)))
		code = (diag_error(ENOMEM, "columns: cannot make the tables; give a smaller --scale"), DIAG_EXIT_HOST);
	if (!code) {
		printf("items %" PRIu64 " orders %" PRIu64 " prices %" PRIu64 "\n", store->items, store->orders,
			store->price_count);
		code = name_store(store);
		if (!code)
			code = options.workload == WORKLOAD_SORT ? run_sort(store, &options) : run_threads(store, &options, &cost);
		if (!code && options.xml_path)
			code = write_report(store, &options, &cost, &line, argc, argv);
		columns_free(store);
	}
	free(store);
	opt_free(&line);
	return code;
}

const struct command memtrace_columns = {
	.program = &memtrace_program,
	.name = "columns",
	.arguments = "sort|average|queries",
	.summary = "run a small column store with known accesses",
	.doc = "Run a small column store on generated tables, to be recorded: sort (filter, sort and materialise orders), average "
	       "(of a dictionary-encoded column) or queries (a mix of 200). It names its structures through --control, and "
	       "prints their known skew.",
	.examples = "  memtrace record --control c -o sort.mtr -- memtrace columns sort\n"
		    "  memtrace columns queries --partition year --scale 1\n",
	.notes = "The same scale and seed give the same rows and results, whatever the threads and partitions.",
	.options = rows,
	.take = take,
	.check = check,
	.run = run_command,
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/predict.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/diag.h"
#include "common/units.h"

static int write_all(const struct predict_setup *setup, void *model, struct stdio *stdio, const struct op *ops,
	struct prediction *prediction)
{
	int rc = 0;

	for (size_t i = 0; i < prediction->count && !rc; i++) {
		struct model_cost *cost = &prediction->costs[i];

		rc = stdio ? stdio_write(stdio, &ops[i], cost) : setup->kind->write(model, &ops[i], cost);
		prediction->total_ns += cost->ns;
	}
	if (!rc && stdio) {
		struct model_cost last = {0};

		rc = stdio_flush(stdio, &last);
		prediction->close_ns = last.ns;
	}
	return rc;
}

int predict(const struct system *system, const struct predict_setup *setup, const struct op *ops, size_t count,
	struct prediction *prediction, const char **missing)
{
	struct prediction made = {.count = count, .costs = calloc(count ? count : 1, sizeof(*made.costs))};
	const struct stdio_policy *policy = setup->kind->has_cache ? setup->policy : NULL;
	struct stdio stdio;
	void *model;
	int rc;

	if (!made.costs)
		return -ENOMEM;
	rc = setup->kind->create(system, &setup->model, &model, missing);
	if (!rc) {
		if (policy)
			rc = stdio_init(&stdio, policy, setup->buffer_bytes, system, setup->kind, model, missing);
		if (!rc)
			rc = write_all(setup, model, policy ? &stdio : NULL, ops, &made);
		if (!rc)
			made.drain_ns = setup->kind->drain(model);
		setup->kind->free(model);
	}
	if (rc)
		free(made.costs);
	else
		*prediction = made;
	return rc;
}

void predict_free(struct prediction *prediction)
{
	free(prediction->costs);
	*prediction = (struct prediction){0};
}

/* --- split --- */

void split_make(const struct prediction *prediction, const char *predicted_by, double measured_ns,
	struct iow_cost_split_values *split)
{
	double scale = measured_ns > 0 ? 100 / measured_ns : 0, syscall = 0, copy = 0, throttle = 0, device = 0;

	for (size_t i = 0; i < prediction->count; i++) {
		const struct model_cost *cost = &prediction->costs[i];

		syscall += cost->syscall_ns;
		copy += cost->copy_ns;
		throttle += cost->throttle_ns;
		device += cost->device_ns;
	}
	/* A share below zero is the rounding of a difference, or a model as printed (is_paper_literal). */
	*split = (struct iow_cost_split_values){
		.predicted_by = predicted_by,
		.syscall_percent = fmax(0, syscall) * scale,
		.copy_percent = fmax(0, copy) * scale,
		.throttle_percent = fmax(0, throttle) * scale,
		.device_percent = fmax(0, device) * scale,
	};
	split->residual_percent = 100 - split->syscall_percent - split->copy_percent - split->throttle_percent -
				  split->device_percent;
}

/* --- trace file --- */

enum column { OFFSET, SIZE, DELAY, WRITE, DIRTY, WRITEBACK, START, SYNC_TIME, FILE_INDEX, MODE, REGIME, SYNC, COLUMNS };

static const char *mode_word(size_t index)
{
	return index < OP_MODES ? op_mode_name((enum op_mode)index) : NULL;
}

static const char *regime_word(size_t index)
{
	return index < OP_REGIMES ? op_regime_name((enum op_regime)index) : NULL;
}

static const char *sync_word(size_t index)
{
	return method_syncs[index].name;
}

static const struct {
	const char *name;
	uint64_t least, most;
	bool may_be_empty;
	/* Of a column of words: each that there is, NULL behind the last; the value is its index. */
	const char *(*word)(size_t index);
} columns[COLUMNS] = {
	[OFFSET] = {"offset", 0, TRACE_END_MAX, false, NULL},
	[SIZE] = {"size", 1, TRACE_SIZE_MAX, false, NULL},
	[DELAY] = {"delay_ns", 0, TRACE_DELAY_MAX, false, NULL},
	[WRITE] = {"write_ns", 0, TRACE_DELAY_MAX, false, NULL},
	[DIRTY] = {"dirty_bytes", 0, TRACE_END_MAX, true, NULL},
	[WRITEBACK] = {"writeback_bytes", 0, TRACE_END_MAX, true, NULL},
	[START] = {"start_ns", 0, UINT64_MAX, false, NULL},
	[SYNC_TIME] = {"sync_ns", 0, TRACE_DELAY_MAX, false, NULL},
	[FILE_INDEX] = {"file", 0, OP_FILES_MAX - 1, false, NULL},
	[MODE] = {"mode", .word = mode_word},
	[REGIME] = {"regime", .word = regime_word},
	[SYNC] = {"sync", .word = sync_word},
};
#define NAMES "offset, size, delay_ns, start_ns, write_ns, sync_ns, dirty_bytes, writeback_bytes, file, mode, " \
	"regime and sync"

/* One row as numbers. */
struct row {
	uint64_t values[COLUMNS];
	bool has[COLUMNS];
};

struct reading {
	FILE *in;
	const char *name;
	char *why;
	size_t line_number;
	char line[TRACE_LINE_MAX + 1];
	enum column order[COLUMNS]; /* of the columns of this file */
	size_t column_count;
	size_t place[COLUMNS];      /* in order, plus 1; 0 = not there */
	size_t room;
	struct row first;
};

__attribute__((format(printf, 2, 3)))
static int refuse(struct reading *reading, const char *format, ...)
{
	va_list arguments;
	int used = snprintf(reading->why, TRACE_WHY, "%s:%zu: ", reading->name, reading->line_number);

	if (used >= 0 && used < TRACE_WHY) {
		va_start(arguments, format);
		vsnprintf(reading->why + used, (size_t)(TRACE_WHY - used), format, arguments);
		va_end(arguments);
	}
	return -EINVAL;
}

/* The next line without its end. 1 = there is one, 0 = no more, or a negative errno. */
static int next_line(struct reading *reading)
{
	size_t used = 0;
	int c = getc_unlocked(reading->in);

	if (c == EOF)
		return ferror(reading->in) ? -EIO : 0;
	reading->line_number++;
	for (; c != EOF && c != '\n'; c = getc_unlocked(reading->in)) {
		if (c == '\r') {
			c = getc_unlocked(reading->in);
			if (c == '\n' || c == EOF)
				break;
			return refuse(reading, "there is a carriage return inside the line");
		}
		if (c < ' ' || c > '~')
			return refuse(reading, "a byte of value %d is not text; a table of numbers is expected", c);
		if (used == TRACE_LINE_MAX)
			return refuse(reading, "is longer than %d characters", TRACE_LINE_MAX);
		reading->line[used++] = (char)c;
	}
	reading->line[used] = '\0';
	return ferror(reading->in) ? -EIO : 1;
}

/* The text up to the next comma, ended in place; *rest is what follows, NULL behind the last one. */
static char *cell(char **rest)
{
	char *begin = *rest, *comma = strchr(begin, ',');

	*rest = comma ? comma + 1 : NULL;
	if (comma)
		*comma = '\0';
	return begin;
}

static int read_name(struct reading *reading, const char *name)
{
	int column = 0;

	while (column < COLUMNS && strcmp(columns[column].name, name))
		column++;
	if (column == COLUMNS)
		return refuse(reading, "'%.40s' is not a column; allowed: " NAMES, name);
	if (reading->place[column])
		return refuse(reading, "the column %s occurs twice", name);
	reading->order[reading->column_count++] = (enum column)column;
	reading->place[column] = reading->column_count;
	return 0;
}

static int read_header(struct reading *reading)
{
	int rc = next_line(reading);
	char *rest = reading->line;

	if (rc < 0)
		return rc;
	if (!rc) {
		reading->line_number = 1;
		return refuse(reading, "is empty: the first line names the columns, offset and size at least");
	}
	for (rc = 0; rest && !rc;)
		rc = read_name(reading, cell(&rest));
	for (enum column column = OFFSET; !rc && column <= SIZE; column++) {
		if (!reading->place[column])
			rc = refuse(reading, "column %s is missing", columns[column].name);
	}
	return rc;
}

static int read_word(struct reading *reading, enum column column, const char *text, struct row *row)
{
	const char *word;

	for (size_t i = 0; (word = columns[column].word(i)); i++) {
		if (strcmp(word, text))
			continue;
		row->values[column] = i;
		row->has[column] = true;
		return 0;
	}
	return refuse(reading, "%s '%.40s' is no value of run --%s", columns[column].name, text,
		column == SYNC ? "sync-each" : columns[column].name);
}

static int read_cell(struct reading *reading, enum column column, const char *text, struct row *row)
{
	uint64_t least = columns[column].least, most = columns[column].most;
	int rc;

	if (!text[0] && columns[column].may_be_empty)
		return 0;
	if (columns[column].word)
		return read_word(reading, column, text, row);
	rc = units_parse_u64(text, least, most, &row->values[column]);
	row->has[column] = true;
	if (rc == -EINVAL)
		return refuse(reading, "%s '%.40s' is not a number: digits only", columns[column].name, text);
	if (rc)
		return refuse(reading, "%s %.40s is not from %llu to %llu", columns[column].name, text,
			(unsigned long long)least, (unsigned long long)most);
	return 0;
}

static int read_row(struct reading *reading, struct row *row)
{
	char *rest = reading->line;
	size_t i = 0;
	int rc = 0;

	*row = (struct row){0};
	for (; rest && i < reading->column_count && !rc; i++)
		rc = read_cell(reading, reading->order[i], cell(&rest), row);
	if (!rc && (rest || i < reading->column_count))
		rc = refuse(reading, "has %s columns than the %zu of the first line", rest ? "more" : "fewer",
			reading->column_count);
	if (!rc && row->values[OFFSET] + row->values[SIZE] > TRACE_END_MAX)
		rc = refuse(reading, "ends beyond %llu bytes, where no file can end", TRACE_END_MAX);
	if (!rc && reading->place[FILE_INDEX] && row->values[OFFSET] + row->values[SIZE] > OP_FILE_BYTES)
		rc = refuse(reading, "ends beyond 16 TiB, where each of several files ends at most");
	return rc;
}

static int grow_times(double **times, size_t room)
{
	double *grown = reallocarray(*times, room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	*times = grown;
	return 0;
}

static int grow(struct reading *reading, struct trace_file *trace)
{
	size_t room = reading->room ? reading->room * 2 : 1024;
	struct op *ops = reallocarray(trace->ops, room, sizeof(*ops));

	if (!ops)
		return -ENOMEM;
	trace->ops = ops;
	if (reading->place[WRITE] && grow_times(&trace->measured_ns, room))
		return -ENOMEM;
	if (reading->place[SYNC_TIME] && grow_times(&trace->sync_ns, room))
		return -ENOMEM;
	reading->room = room;
	return 0;
}

/* How the writes were made: of the first row, which the others repeat. */
static void keep_words(struct reading *reading, const struct row *row, struct trace_file *trace)
{
	reading->first = *row;
	trace->has_mode = row->has[MODE];
	trace->mode = (enum op_mode)row->values[MODE];
	trace->has_regime = row->has[REGIME];
	trace->regime = (enum op_regime)row->values[REGIME];
	trace->sync = row->has[SYNC] ? &method_syncs[row->values[SYNC]] : NULL;
}

static int keep(struct reading *reading, const struct row *row, struct trace_file *trace)
{
	if (trace->count == TRACE_WRITES_MAX)
		return refuse(reading, "is one write too many: up to %u", TRACE_WRITES_MAX);
	if ((!trace->ops || trace->count == reading->room) && grow(reading, trace))
		return -ENOMEM;
	if (!trace->count && row->has[DIRTY] && row->has[WRITEBACK]) {
		trace->has_start = true;
		trace->dirty_bytes = row->values[DIRTY];
		trace->writeback_bytes = row->values[WRITEBACK];
	}
	for (enum column column = MODE; column <= SYNC; column++) {
		if (trace->count && row->values[column] != reading->first.values[column])
			return refuse(reading, "%s is not that of the first write: one table has one", columns[column].name);
	}
	if (!trace->count)
		keep_words(reading, row, trace);
	trace->synced += row->values[SYNC_TIME] != 0;
	if (trace->sync_ns)
		trace->sync_ns[trace->count] = (double)row->values[SYNC_TIME];
	if (trace->measured_ns)
		trace->measured_ns[trace->count] = (double)row->values[WRITE];
	if (row->values[FILE_INDEX] >= trace->files)
		trace->files = (unsigned)row->values[FILE_INDEX] + 1;
	trace->ops[trace->count++] = (struct op){row->values[DELAY],
		row->values[FILE_INDEX] * OP_FILE_BYTES + row->values[OFFSET], row->values[SIZE]};
	return 0;
}

static int read_rows(struct reading *reading, struct trace_file *trace)
{
	struct row row;
	int rc;

	while ((rc = next_line(reading)) == 1) {
		rc = read_row(reading, &row);
		if (!rc)
			rc = keep(reading, &row, trace);
		if (rc)
			return rc;
	}
	if (!rc && !trace->count) {
		reading->line_number++;
		rc = refuse(reading, "the table has no writes");
	}
	return rc;
}

int trace_file_parse(FILE *in, const char *name, struct trace_file *trace, char *why)
{
	struct reading reading = {.in = in, .name = name, .why = why};
	struct trace_file made = {0};
	int rc = read_header(&reading);

	if (!rc)
		rc = read_rows(&reading, &made);
	if (rc)
		trace_file_free(&made);
	else
		*trace = made;
	return rc;
}

int trace_file_read(const char *path, struct trace_file *trace)
{
	bool is_stdin = !strcmp(path, "-");
	const char *name = is_stdin ? "(standard input)" : path;
	int fd = is_stdin ? -1 : report_read_open(path);
	FILE *in = is_stdin ? stdin : fd < 0 ? NULL : fdopen(fd, "r");
	char why[TRACE_WHY] = "";
	int rc;

	if (!in) {
		diag_error(0, "--trace %s: cannot be opened: %s", path, report_read_open_error(fd < 0 ? fd : -errno));
		if (fd >= 0)
			close(fd);
		return DIAG_EXIT_USAGE;
	}
	errno = 0;
	rc = trace_file_parse(in, name, trace, why);
	if (rc == -EIO && errno)
		rc = -errno;
	if (!is_stdin)
		fclose(in);
	if (rc == -EINVAL && why[0])
		diag_error(0, "%s", why);
	else if (rc)
		diag_error(rc, "--trace %s: cannot be read", name);
	if (rc == -ENOMEM)
		return DIAG_EXIT_HOST;
	return rc ? DIAG_EXIT_USAGE : DIAG_EXIT_OK;
}

void trace_file_free(struct trace_file *trace)
{
	free(trace->ops);
	free(trace->measured_ns);
	free(trace->sync_ns);
	*trace = (struct trace_file){0};
}

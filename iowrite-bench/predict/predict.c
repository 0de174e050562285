/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/predict.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/diag.h"
#include "common/base/input.h"
#include "common/base/units.h"

/* Does the same as predict(), but made->costs may be NULL when only the sums are needed. */
static int run_model(const struct system *system, const struct predict_setup *setup, const struct op *ops, size_t count,
	struct prediction *made, const char **missing)
{
	const struct model_kind *kind = setup->kind;
	bool has_buffer = kind->has_cache && setup->policy;
	struct model_cost last = {0};
	struct stdio stdio;
	void *model;
	int rc = kind->create(system, &setup->model, &model, missing);

	if (rc)
		return rc;
	if (has_buffer)
		rc = stdio_init(&stdio, setup->policy, setup->buffer_bytes, system, kind, model, missing);
	for (size_t i = 0; i < count && !rc; i++) {
		struct model_cost one = {0}, *cost = made->costs ? &made->costs[i] : &one;

		rc = has_buffer ? stdio_write(&stdio, &ops[i], cost) : kind->write(model, &ops[i], cost);
		made->total_ns += cost->ns;
	}
	if (!rc && has_buffer) {
		rc = stdio_flush(&stdio, &last);
		made->close_ns = last.ns;
	}
	if (!rc)
		made->drain_ns = kind->drain(model);
	kind->free(model);
	return rc;
}

int predict(const struct system *system, const struct predict_setup *setup, const struct op *ops, size_t count,
	struct prediction *prediction, const char **missing)
{
	struct prediction made = {.count = count, .costs = calloc(count ? count : 1, sizeof(*made.costs)),
		.total_low_ns = NAN, .total_high_ns = NAN};
	int rc = made.costs ? run_model(system, setup, ops, count, &made, missing) : -ENOMEM;

	if (rc)
		free(made.costs);
	else
		*prediction = made;
	return rc;
}

int predict_interval(const struct system *system, const struct predict_setup *setup, const struct op *ops, size_t count,
	struct prediction *prediction)
{
	double low = prediction->total_ns, high = prediction->total_ns;

	for (int is_dear = 0; is_dear < 2; is_dear++) {
		struct system *moved = system_at_ends(system, is_dear);
		struct prediction made = {0};
		const char *missing;
		int rc;

		if (!moved)
			return -ENOMEM;
		rc = run_model(moved, setup, ops, count, &made, &missing);
		system_free(moved);
		free(moved);
		/* The interval is unknown when the model has no prediction at one of its ends. */
		if (rc)
			return rc == -ENODATA ? 0 : rc;
		low = fmin(low, made.total_ns);
		high = fmax(high, made.total_ns);
	}
	if (low < high) {
		prediction->total_low_ns = low;
		prediction->total_high_ns = high;
	}
	return 0;
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
	/* A share below zero comes from the rounding of a difference, or from is_paper_literal. */
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

/* Returns the word of an index in the columns from MODE on; NULL behind the last one. */
static const char *word_of(enum column column, size_t index)
{
	return column == MODE ? op_mode_names[index] : column == REGIME ? op_regime_names[index] : method_syncs[index].name;
}

static const struct {
	const char *name;
	uint64_t least, most;
	bool may_be_empty;
} columns[COLUMNS] = {
	[OFFSET] = {"offset", 0, TRACE_END_MAX, false},
	[SIZE] = {"size", 1, TRACE_SIZE_MAX, false},
	[DELAY] = {"delay_ns", 0, TRACE_DELAY_MAX, false},
	[WRITE] = {"write_ns", 0, TRACE_DELAY_MAX, false},
	[DIRTY] = {"dirty_bytes", 0, TRACE_END_MAX, true},
	[WRITEBACK] = {"writeback_bytes", 0, TRACE_END_MAX, true},
	[START] = {"start_ns", 0, UINT64_MAX, false},
	[SYNC_TIME] = {"sync_ns", 0, TRACE_DELAY_MAX, false},
	[FILE_INDEX] = {"file", 0, OP_FILES_MAX - 1, false},
	[MODE] = {.name = "mode"},
	[REGIME] = {.name = "regime"},
	[SYNC] = {.name = "sync"},
};
#define NAMES "offset, size, delay_ns, start_ns, write_ns, sync_ns, dirty_bytes, writeback_bytes, file, mode, " \
	"regime and sync"

/* One row as numbers; a word is its index. */
struct prediction_row {
	uint64_t values[COLUMNS];
	bool has[COLUMNS];
};

struct predict_reading {
	FILE *in;
	const char *name;
	char *why;
	size_t line_number;
	char line[TRACE_LINE_MAX + 1];
	enum column order[COLUMNS]; /* of the columns of this file */
	size_t column_count;
	bool has[COLUMNS];
	size_t capacity;            /* for writes */
	struct prediction_row first;
};

__attribute__((format(printf, 2, 3)))
static int refuse(struct predict_reading *reading, const char *format, ...)
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

/* Reads the next line without its end. Returns 1, 0 when there are no more, or a negative errno. */
static int next_line(struct predict_reading *reading)
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

static int read_header(struct predict_reading *reading)
{
	int rc = next_line(reading);
	char *rest = reading->line;

	if (rc < 0)
		return rc;
	if (!rc) {
		reading->line_number = 1;
		return refuse(reading, "is empty: the first line names the columns, offset and size at least");
	}
	while (rest) {
		const char *name = strsep(&rest, ",");
		int column = 0;

		while (column < COLUMNS && strcmp(columns[column].name, name))
			column++;
		if (column == COLUMNS)
			return refuse(reading, "'%.40s' is not a column; allowed: " NAMES, name);
		if (reading->has[column])
			return refuse(reading, "the column %s occurs twice", name);
		reading->has[column] = true;
		reading->order[reading->column_count++] = (enum column)column;
	}
	for (enum column column = OFFSET; column <= SIZE; column++) {
		if (!reading->has[column])
			return refuse(reading, "column %s is missing", columns[column].name);
	}
	return 0;
}

static int read_cell(struct predict_reading *reading, enum column column, const char *text, struct prediction_row *row)
{
	uint64_t least = columns[column].least, most = columns[column].most, *value = &row->values[column];
	const char *name = columns[column].name, *word;
	int rc;

	if (!text[0] && columns[column].may_be_empty)
		return 0;
	row->has[column] = true;
	if (column >= MODE) {
		for (*value = 0; (word = word_of(column, *value)); ++*value) {
			if (!strcmp(word, text))
				return 0;
		}
		return refuse(reading, "%s '%.40s' is no value of run --%s", name, text, column == SYNC ? "sync-each" : name);
	}
	rc = units_parse_u64(text, least, most, value);
	if (rc == -EINVAL)
		return refuse(reading, "%s '%.40s' is not a number: digits only", name, text);
	if (rc)
		return refuse(reading, "%s %.40s is not from %llu to %llu", name, text, (unsigned long long)least,
			(unsigned long long)most);
	return 0;
}

static int read_row(struct predict_reading *reading, struct prediction_row *row)
{
	char *rest = reading->line;
	size_t i = 0;
	int rc = 0;

	*row = (struct prediction_row){0};
	for (; rest && i < reading->column_count && !rc; i++)
		rc = read_cell(reading, reading->order[i], strsep(&rest, ","), row);
	if (!rc && (rest || i < reading->column_count))
		rc = refuse(reading, "has %s columns than the %zu of the first line", rest ? "more" : "fewer",
			reading->column_count);
	if (!rc && row->values[OFFSET] + row->values[SIZE] > TRACE_END_MAX)
		rc = refuse(reading, "ends beyond %llu bytes, where no file can end", TRACE_END_MAX);
	if (!rc && reading->has[FILE_INDEX] && row->values[OFFSET] + row->values[SIZE] > OP_FILE_BYTES)
		rc = refuse(reading, "ends beyond 16 TiB, where each of several files ends at most");
	return rc;
}

/* Adds a row to the table; the first row has the mode, file state and sync of all. */
static int keep(struct predict_reading *reading, const struct prediction_row *row, struct trace_file *trace)
{
	const uint64_t *values = row->values;

	if (trace->count == TRACE_WRITES_MAX)
		return refuse(reading, "is one write too many: up to %u", TRACE_WRITES_MAX);
	if (trace->count == reading->capacity) {
		size_t capacity = reading->capacity ? reading->capacity * 2 : 1024;
		struct op *ops = reallocarray(trace->ops, capacity, sizeof(*ops));
		double **times[] = {reading->has[WRITE] ? &trace->measured_ns : NULL,
			reading->has[SYNC_TIME] ? &trace->sync_ns : NULL};

		if (!ops)
			return -ENOMEM;
		trace->ops = ops;
		for (size_t i = 0; i < 2; i++) {
			double *grown;

			if (!times[i])
				continue;
			grown = reallocarray(*times[i], capacity, sizeof(*grown));
			if (!grown)
				return -ENOMEM;
			*times[i] = grown;
		}
		reading->capacity = capacity;
	}
	if (!trace->count) {
		reading->first = *row;
		if (row->has[DIRTY] && row->has[WRITEBACK]) {
			trace->dirty_bytes = values[DIRTY];
			trace->writeback_bytes = values[WRITEBACK];
		}
		trace->has_mode = row->has[MODE];
		trace->mode = (enum op_mode)values[MODE];
		trace->has_regime = row->has[REGIME];
		trace->regime = (enum op_regime)values[REGIME];
		trace->sync = row->has[SYNC] ? &method_syncs[values[SYNC]] : NULL;
	}
	for (enum column column = MODE; column <= SYNC; column++) {
		if (values[column] != reading->first.values[column])
			return refuse(reading, "%s is not that of the first write: one table has one", columns[column].name);
	}
	trace->synced += values[SYNC_TIME] != 0;
	if (trace->sync_ns)
		trace->sync_ns[trace->count] = (double)values[SYNC_TIME];
	if (trace->measured_ns)
		trace->measured_ns[trace->count] = (double)values[WRITE];
	if (values[FILE_INDEX] >= trace->files)
		trace->files = (unsigned)values[FILE_INDEX] + 1;
	if (!trace->ops)
		return -ENOMEM;
	trace->ops[trace->count++] =
		(struct op){values[DELAY], values[FILE_INDEX] * OP_FILE_BYTES + values[OFFSET], values[SIZE]};
	return 0;
}

int trace_file_parse(FILE *in, const char *name, struct trace_file *trace, char *why)
{
	struct predict_reading reading = {.in = in, .name = name, .why = why};
	struct trace_file made = {0};
	struct prediction_row row;
	int rc = read_header(&reading);

	while (!rc && (rc = next_line(&reading)) == 1) {
		rc = read_row(&reading, &row);
		if (!rc)
			rc = keep(&reading, &row, &made);
	}
	if (!rc && !made.count) {
		reading.line_number++;
		rc = refuse(&reading, "the table has no writes");
	}
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
	char why[TRACE_WHY] = "";
	FILE *in = stdin;
	int rc = is_stdin ? 0 : input_stream(path, TRACE_FILE_MAX, &in);

	if (rc)
		return diag_usage("--trace %s: cannot be read: %s", path, input_error(rc));
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"
#include "iowrite-bench/predict/predict.h"

static int parse(const char *text, size_t length, struct trace_file *trace, char *why)
{
	FILE *in = length ? fmemopen((void *)(uintptr_t)text, length, "r") : fopen("/dev/null", "r");
	int rc;

	assert_non_null(in);
	why[0] = '\0';
	rc = trace_file_parse(in, "t.csv", trace, why);
	fclose(in);
	return rc;
}

static struct trace_file read_text(const char *text)
{
	struct trace_file trace;
	char why[TRACE_WHY];

	if (parse(text, strlen(text), &trace, why))
		fail_msg("%s", why);
	return trace;
}

static void assert_refused(const char *text, const char *wanted)
{
	struct trace_file trace;
	char why[TRACE_WHY];

	assert_int_equal(parse(text, strlen(text), &trace, why), -EINVAL);
	assert_string_equal(why, wanted);
}

static void assert_op(const struct op *op, uint64_t delay_ns, uint64_t offset, uint64_t size)
{
	assert_int_equal(op->delay_ns, delay_ns);
	assert_int_equal(op->offset, offset);
	assert_int_equal(op->size, size);
}

TEST("offsets of several files are apart")
{
	struct trace_file trace = read_text("file,offset,size\n2,4096,100\n0,4096,100\n");

	assert_int_equal(trace.files, 3);
	assert_op(&trace.ops[0], 0, 2 * OP_FILE_BYTES + 4096, 100);
	assert_op(&trace.ops[1], 0, 4096, 100);
	trace_file_free(&trace);
	/* Without the column a file may be larger than each of several. */
	trace = read_text("offset,size\n17592186044416,100\n");
	assert_int_equal(trace.files, 1);
	assert_op(&trace.ops[0], 0, OP_FILE_BYTES, 100);
	trace_file_free(&trace);
	assert_refused("offset,size,file\n17592186044416,1,0\n",
		"t.csv:2: ends beyond 16 TiB, where each of several files ends at most");
}

TEST("a trace file with all columns is read in full")
{
	struct trace_file trace = read_text(
		"offset,size,delay_ns,start_ns,write_ns,sync_ns,dirty_bytes,writeback_bytes\n"
		"0,4096,0,1000,2900,0,8192,4096\n"
		"4096,100,70,5000,300,10,,\n");

	assert_int_equal(trace.count, 2);
	assert_op(&trace.ops[0], 0, 0, 4096);
	assert_op(&trace.ops[1], 70, 4096, 100);
	assert_true(trace.measured_ns[0] == 2900 && trace.measured_ns[1] == 300);
	assert_int_equal(trace.dirty_bytes, 8192);
	assert_int_equal(trace.writeback_bytes, 4096);
	trace_file_free(&trace);
	assert_null(trace.ops);
}

TEST("columns may be in any order, only needed ones are required")
{
	struct trace_file trace = read_text("size,offset\r\n10,500\r\n20,0");

	assert_int_equal(trace.count, 2);
	assert_op(&trace.ops[0], 0, 500, 10);
	assert_op(&trace.ops[1], 0, 0, 20);
	assert_null(trace.measured_ns);
	trace_file_free(&trace);
	/* Only the first write begins with what was dirty before all. */
	trace = read_text("size,dirty_bytes,offset,writeback_bytes\n1,,0,\n1,9,0,9\n");
	assert_int_equal(trace.dirty_bytes, 0);
	trace_file_free(&trace);
}

TEST("a long table is read in full")
{
	size_t capacity = 16 << 20, used;
	char *text = malloc(capacity);
	struct trace_file trace;

	assert_non_null(text);
	used = (size_t)snprintf(text, capacity, "write_ns,offset,size\n");
	for (unsigned i = 0; i < 5000; i++)
		used += (size_t)snprintf(text + used, capacity - used, "%u,%u,%u\n", i, 2 * i, i + 1);
	trace = read_text(text);
	free(text);
	assert_int_equal(trace.count, 5000);
	for (unsigned i = 0; i < 5000; i++) {
		assert_op(&trace.ops[i], 0, 2 * i, i + 1);
		assert_true(trace.measured_ns[i] == i);
	}
	trace_file_free(&trace);
}

TEST("offsets, sizes and delays beyond their bounds are refused")
{
	struct trace_file trace = read_text("offset,size,delay_ns\n1152921435887370240,68719476736,86400000000000\n");

	assert_op(&trace.ops[0], 86400000000000, (1ull << 60) - (1ull << 36), 1ull << 36);
	trace_file_free(&trace);
	assert_refused("offset,size\n1152921504606846976,1\n",
		"t.csv:2: ends beyond 1152921504606846976 bytes, where no file can end");
	assert_refused("offset,size\n0,0\n", "t.csv:2: size 0 is not from 1 to 68719476736");
	assert_refused("offset,size\n0,68719476737\n", "t.csv:2: size 68719476737 is not from 1 to 68719476736");
	assert_refused("offset,size\n18446744073709551616,1\n",
		"t.csv:2: offset 18446744073709551616 is not from 0 to 1152921504606846976");
	assert_refused("offset,size,delay_ns\n0,1,0\n0,1,86400000000001\n",
		"t.csv:3: delay_ns 86400000000001 is not from 0 to 86400000000000");
}

TEST("malformed headers are refused")
{
	assert_refused("", "t.csv:1: is empty: the first line names the columns, offset and size at least");
	assert_refused("0,4096\n", "t.csv:1: '0' is not a column; allowed: offset, size, delay_ns, start_ns, write_ns, "
				   "sync_ns, dirty_bytes, writeback_bytes, file, mode, regime and sync");
	assert_refused("offset,size,\n1,2,3\n",
		"t.csv:1: '' is not a column; allowed: offset, size, delay_ns, start_ns, write_ns, "
		"sync_ns, dirty_bytes, writeback_bytes, file, mode, regime and sync");
	assert_refused("offset\n", "t.csv:1: column size is missing");
	assert_refused("size,write_ns\n1,2\n", "t.csv:1: column offset is missing");
	assert_refused("size,offset,size\n", "t.csv:1: the column size occurs twice");
	assert_refused("offset,size\n", "t.csv:2: the table has no writes");
}

TEST("malformed rows are refused")
{
	char text[2100] = "offset,size\n";

	assert_refused("offset,size\n1,2\n\n1,2\n", "t.csv:3: offset '' is not a number: digits only");
	assert_refused("offset,size\n1\n", "t.csv:2: has fewer columns than the 2 of the first line");
	assert_refused("offset,size\n1,2,3\n", "t.csv:2: has more columns than the 2 of the first line");
	assert_refused("offset,size\n1,4k\n", "t.csv:2: size '4k' is not a number: digits only");
	assert_refused("offset,size\n-1,4\n", "t.csv:2: offset '-1' is not a number: digits only");
	assert_refused("offset,size\n 1,4\n", "t.csv:2: offset ' 1' is not a number: digits only");
	assert_refused("offset,size,write_ns\n1,4,\n", "t.csv:2: write_ns '' is not a number: digits only");
	assert_refused("offset,size\n1,\"4\"\n", "t.csv:2: size '\"4\"' is not a number: digits only");
	assert_refused("offset,size\n1,2\r3\n", "t.csv:2: there is a carriage return inside the line");
	assert_refused("offset,size\n1,\t2\n", "t.csv:2: a byte of value 9 is not text; a table of numbers is expected");
	memset(text + strlen(text), '1', 1001);
	assert_refused(text, "t.csv:2: is longer than 1000 characters");
}

TEST("bytes that are not text are refused")
{
	static const char text[] = "offset,size\n1,2\n\0,3\n";
	struct trace_file trace;
	char why[TRACE_WHY];

	assert_int_equal(parse(text, sizeof(text) - 1, &trace, why), -EINVAL);
	assert_string_equal(why, "t.csv:3: a byte of value 0 is not text; a table of numbers is expected");
	assert_int_equal(parse("\xff\xfe", 2, &trace, why), -EINVAL);
	assert_string_equal(why, "t.csv:1: a byte of value 255 is not text; a table of numbers is expected");
}

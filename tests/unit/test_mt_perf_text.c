/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "tests/unit/unit.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "memtrace/exchange/perf_text.h"

#define EVENT "# event : name = "
#define TYPE ", , id = { 8, 9 }, type = 4, size = 128, config = 0x1cd, { sample_period, sample_freq } = 4000, sample_type = "

static char line[PERF_TEXT_LINE];
static struct perf_text parsed;

static enum perf_text_kind parse(const char *text)
{
	snprintf(line, sizeof(line), "%s", text);
	return perf_text_parse(line, &parsed);
}

static struct trace_sample sample_of(const char *text)
{
	struct trace_sample sample;

	assert_int_equal(parse(text), PERF_TEXT_SAMPLE);
	assert_int_equal(perf_text_sample(&parsed, &sample), TRACE_LOSSES);
	return sample;
}

static enum trace_loss loss_of(const char *text)
{
	struct trace_sample sample;

	assert_int_equal(parse(text), PERF_TEXT_SAMPLE);
	return perf_text_sample(&parsed, &sample);
}

TEST("a page fault has time, thread, address and instruction; its kind only when the event is of one kind")
{
	struct trace_sample sample = sample_of("13720/13721   307.405937775: page-faults:     55e011f41008      1e05080021 "
		"|OP N/A|LVL N/A or N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A     7f206b0b5106");

	assert_int_equal(sample.time_ns, 307405937775);
	assert_int_equal(sample.tid, 13721);
	assert_int_equal(parsed.fields.pid, 13720);
	assert_int_equal(sample.address, 0x55e011f41008);
	assert_int_equal(sample.ip, 0x7f206b0b5106);
	assert_int_equal(sample.kind, TRACE_ACCESS);
	assert_int_equal(sample.weight, 0);
	assert_int_equal(sample.source, 0);
	assert_int_equal(sample.node, UINT8_MAX);
	assert_int_equal(sample_of("7/7 1.000001: minor-faults:u: 1000 2000").kind, TRACE_MINOR_FAULT);
	assert_int_equal(sample_of("7/7 1.000001: major-faults: 1000 2000").kind, TRACE_MAJOR_FAULT);
	assert_int_equal(sample_of("7/7 1.000001: faults: 1000 1e05080021 |OP N/A 2000").kind, TRACE_ACCESS);
}

TEST("a sample of PEBS has kind, data source and latency")
{
	struct trace_sample sample = sample_of(" 41/42     5.000000100: cpu/mem-loads,ldlat=30/P:     7f0000001040         "
		"68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A               36     55d0c0de1234");

	assert_int_equal(sample.kind, TRACE_LOAD);
	assert_int_equal(sample.source, 0x68100142);
	assert_int_equal(sample.weight, 36);
	assert_int_equal(sample.ip, 0x55d0c0de1234);
	assert_int_equal(sample.time_ns, 5000000100);
	sample = sample_of("41/42 5.0: cpu/mem-stores/P: 7f0000001040 5080144 |OP STORE|LVL L1 hit 55d0c0de1234");
	assert_int_equal(sample.kind, TRACE_STORE);
	assert_int_equal(sample.weight, 0);
}

TEST("the meaning of a data source may be cut in a word, and may have words like numbers")
{
	struct trace_sample sample = sample_of("1/2 3.4: ibs_op//: 7f0000001040 142 |OP LOAD|LVL Remote RAM (1 hop) hit|SNP "
		"None|TLB L1 or L2 hit|LCK No|BLK 4000000000 beef");

	assert_int_equal(sample.ip, 0xbeef);
	assert_int_equal(sample.weight, 4000000000);
	sample = sample_of("1/2 3.4: ibs_op//: 7f0000001040 142 |OP LOAD|LVL Remote RAM (1 hop) hit|SNP No beef");
	assert_int_equal(sample.ip, 0xbeef);
	assert_int_equal(sample.weight, 0);
	assert_int_equal(sample_of("1/2 3.4: ibs_op//: 7f0000001040 142 |OP LOAD 18446744073709551615 beef").weight, UINT32_MAX);
}

TEST("a sample of IBS that is no memory operation, has no address or no thread says why")
{
	assert_int_equal(loss_of("1/2 3.4: ibs_op//: 0 1 |OP N/A|LVL N/A 0 beef"), TRACE_NOT_MEMORY);
	assert_int_equal(loss_of("1/2 3.4: ibs_op//: 0 142 |OP LOAD|LVL N/A 0 beef"), TRACE_NO_ADDRESS);
	assert_int_equal(loss_of("1/2 3.4: cpu-clock: 0 beef"), TRACE_NO_ADDRESS);
	assert_int_equal(loss_of("-1/-1 3.4: ibs_op//: 1000 142 |OP LOAD|LVL N/A 0 beef"), TRACE_NO_THREAD);
}

TEST("a sample of SPE is perf's own event memory")
{
	struct trace_sample sample = sample_of("9/9 2.000000001: memory:     ffff80001000          1050144 |OP STORE|LVL L1 hit"
		"|SNP N/A|TLB Walker hit|LCK No|BLK  N/A               12     aaaad0001234");

	assert_int_equal(sample.kind, TRACE_STORE);
	assert_int_equal(sample.weight, 12);
	assert_int_equal(sample.address, 0xffff80001000);
}

TEST("a command, a CPU and a period before the event are skipped, whatever the command is called")
{
	struct trace_sample sample = sample_of("a 1/2 b: 3/4 [001]   307.5:       4000 mem-loads:     1000              77 2000");

	assert_int_equal(sample.tid, 4);
	assert_int_equal(sample.time_ns, 307500000000);
	assert_int_equal(sample.address, 0x1000);
	assert_int_equal(sample.weight, 77);
	assert_int_equal(sample.ip, 0x2000);
	assert_int_equal(sample.kind, TRACE_LOAD);
	assert_int_equal(sample_of("3/4 307.5: mem-stores: 1000").ip, 0);
}

TEST("a mapping has range, offset, protection and name")
{
	assert_int_equal(parse("13712/13712   306.983398567: PERF_RECORD_MMAP2 13712/13713: [0x7ffa1a8d6000(0x156000) @ 0x26000 "
		"fe:00 332835 0]: r-xp /usr/lib/a b.so"), PERF_TEXT_EVENT);
	assert_int_equal(parsed.event.type, TRACE_MAP);
	assert_int_equal(parsed.event.time_ns, 306983398567);
	assert_int_equal(parsed.event.pid, 13712);
	assert_int_equal(parsed.event.tid, 13713);
	assert_int_equal(parsed.event.value[0], 0x7ffa1a8d6000);
	assert_int_equal(parsed.event.value[1], 0x156000);
	assert_int_equal(parsed.event.value[2], 0x26000);
	assert_int_equal(parsed.event.value[3], PROT_READ | PROT_EXEC);
	assert_string_equal(parsed.event.text, "/usr/lib/a b.so");
	assert_int_equal(parse("1/1 2.0: PERF_RECORD_MMAP2 5/6: [0x1000(0x2000) @ 0 <0123456789abcdef>]: rw-p //anon"),
		PERF_TEXT_EVENT);
	assert_int_equal(parsed.event.value[3], PROT_READ | PROT_WRITE);
	assert_string_equal(parsed.event.text, "//anon");
	assert_int_equal(parse("1/1 2.0: PERF_RECORD_MMAP 5/6: [0x1000(0x2000) @ 0]: r [heap]"), PERF_TEXT_EVENT);
	assert_int_equal(parsed.event.value[3], PROT_READ);
	assert_string_equal(parsed.event.text, "[heap]");
	assert_int_equal(parse("0/0 0.0: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1209988) @ 0xffffffff81000000]: x "
		"[kernel.kallsyms]_text"), PERF_TEXT_NOTHING);
}

TEST("names, forks and ends have process and thread")
{
	assert_int_equal(parse("13712/13712 306.98: PERF_RECORD_COMM exec: a:b c:13720/13721"), PERF_TEXT_EVENT);
	assert_int_equal(parsed.event.type, TRACE_COMM);
	assert_int_equal(parsed.event.value[0], 1);
	assert_int_equal(parsed.event.tid, 13721);
	assert_string_equal(parsed.event.text, "a:b c");
	assert_int_equal(parse("0/0 0.000000000: PERF_RECORD_COMM: sh:7/8"), PERF_TEXT_EVENT);
	assert_int_equal(parsed.event.value[0], 0);
	assert_string_equal(parsed.event.text, "sh");
	assert_int_equal(parse("13712/13712 306.98: PERF_RECORD_FORK(13720:13721):(13712:13713)"), PERF_TEXT_EVENT);
	assert_int_equal(parsed.event.type, TRACE_FORK);
	assert_int_equal(parsed.event.pid, 13720);
	assert_int_equal(parsed.event.tid, 13721);
	assert_int_equal(parsed.event.value[0], 13712);
	assert_int_equal(parsed.event.value[1], 13713);
	assert_int_equal(parse("1/1 2.0: PERF_RECORD_EXIT(7:8):(1:1)"), PERF_TEXT_EVENT);
	assert_int_equal(parsed.event.type, TRACE_EXIT);
}

TEST("losses are counted; those at the end of a file count all again")
{
	assert_int_equal(parse("29700/29700   458.031538893: PERF_RECORD_LOST lost 74"), PERF_TEXT_LOST);
	assert_int_equal(parsed.lost, 74);
	assert_false(parsed.is_total);
	assert_int_equal(parse("29700/29700   458.03: PERF_RECORD_LOST_SAMPLES lost 75"), PERF_TEXT_LOST);
	assert_int_equal(parsed.lost, 75);
	assert_true(parsed.is_total);
	assert_int_equal(parse("1/1 2.0: PERF_RECORD_LOST lost many"), PERF_TEXT_WRONG);
	assert_int_equal(parse("1/1 2.0: PERF_RECORD_LOST"), PERF_TEXT_WRONG);
}

TEST("lines without memory information are skipped, malformed ones are refused")
{
	static const char *const wrong[] = {
		"nonsense", "1/2", "1/2 3.4", "1/2 3.4:", "1/2 3.4: page-faults:", "1/2 3.4: page-faults 1000 2000",
		"1/2 3: page-faults: 1000", "1/2 3.4: page-faults: nonsense", "1/2 3.4: page-faults: 1000 2000 nonsense",
		"1/2 3.4: page-faults: 1000 1 2 3", "1/2 3.4: page-faults: 10000000000000000 2000",
		"1/2 3.4: page-faults: 1000 | 2000", "1/2 3.4: page-faults: |", "1/2 3.4: page-faults: 1000g 2000",
		"1/2 99999999999999.4: page-faults: 1000 2000", "9999999999/2 3.4: page-faults: 1000 2000",
		"\tffffffff8168bcdf asm_exc_page_fault", "1/2 3.4: PERF_RECORD_MMAP2 5/6: [0x1000(0x2000) @ 0",
		"1/2 3.4: PERF_RECORD_MMAP2 5/6: [0x(0x2000) @ 0 fe:00 1 0]: r--p a", "1/2 3.4: PERF_RECORD_COMM: sh",
		"1/2 3.4: PERF_RECORD_COMM exec", "1/2 3.4: PERF_RECORD_FORK(1:2)", "1/2 3.4: PERF_RECORD_EXIT",
	};

	assert_int_equal(parse(""), PERF_TEXT_NOTHING);
	assert_int_equal(parse("  \t"), PERF_TEXT_NOTHING);
	assert_int_equal(parse("1/2 3.4: PERF_RECORD_KSYMBOL addr 1000 len 1 type 1 flags 0x0 name x"), PERF_TEXT_NOTHING);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		if (parse(wrong[i]) != PERF_TEXT_WRONG)
			fail_msg("'%s' is taken", wrong[i]);
	}
}

TEST("the header says what the events have, their engine and their period")
{
	struct perf_text_header header = {0};

	perf_text_header(&header, "# hostname : vm ");
	perf_text_header(&header, "# os release : 6.18.44");
	perf_text_header(&header, "# arch : x86_64");
	perf_text_header(&header, "# cmdline : /usr/bin/perf mem record -- ls : -l ");
	perf_text_header(&header, EVENT "cpu/mem-loads-aux/" TYPE "IP|TID|TIME|ID, freq = 1");
	perf_text_header(&header, EVENT "cpu/mem-loads,ldlat=30/P" TYPE "IP|TID|TIME|ADDR|ID|DATA_SRC|WEIGHT_STRUCT, "
		"read_format = ID");
	perf_text_header(&header, EVENT "cpu/mem-stores/P" TYPE "IP|TID|TIME|ADDR|ID|DATA_SRC|WEIGHT");
	perf_text_header(&header, EVENT "dummy:HG" TYPE "IP|TID|TIME|CPU");
	assert_string_equal(header.host, "vm");
	assert_string_equal(header.kernel, "6.18.44");
	assert_string_equal(header.arch, "x86_64");
	assert_string_equal(header.command, "/usr/bin/perf mem record -- ls : -l");
	assert_int_equal(header.events, 2);
	assert_null(header.lacks);
	assert_string_equal(header.event, "cpu/mem-loads,ldlat=30/P");
	assert_string_equal(header.engine->name, "pebs");
	assert_true(header.has_source && header.has_weight);
	assert_int_equal(header.period, 4000);
	assert_false(header.is_frequency || header.is_aux);
}

TEST("an event without addresses is named; of several engines or periods there is none")
{
	struct perf_text_header header = {0};

	perf_text_header(&header, EVENT "page-faults" TYPE "IP|TID|TIME|ADDR|DATA_SRC, freq = 1, inherit = 1");
	assert_string_equal(header.engine->name, "page-faults");
	assert_true(header.is_frequency && header.has_source);
	assert_false(header.has_weight);
	perf_text_header(&header, EVENT "ibs_op//" TYPE "IP|TID|TIME|PHYS_ADDR|PERIOD");
	perf_text_header(&header, EVENT "ibs_op//" TYPE "IP|TID|TIME|PHYS_ADDR|PERIOD");
	assert_int_equal(header.events, 3);
	assert_string_equal(header.event, "ibs_op//");
	assert_string_equal(header.lacks, "ADDR");
	assert_null(header.engine);
	assert_false(header.has_source);
	assert_int_equal(header.period, 0);
	header = (struct perf_text_header){0};
	perf_text_header(&header, EVENT "arm_spe_0/ts_enable=1/" TYPE "IP|TID|TIME|CPU|IDENTIFIER");
	assert_null(header.lacks);
	assert_string_equal(header.engine->name, "spe");
	assert_true(header.is_aux && header.has_source && header.has_weight);
	header = (struct perf_text_header){0};
	perf_text_header(&header, "# event : ");
	perf_text_header(&header, "#");
	perf_text_header(&header, "# event : name = a");
	assert_int_equal(header.events, 0);
}

TEST("a line is read without its line feed, a carriage return before it too; one that is too long is refused")
{
	static char text[PERF_TEXT_LINE + 16];
	FILE *in;

	memcpy(text, "a\n\nb\0c", 6);
	in = fmemopen(text, 6, "r");
	assert_int_equal(perf_text_read(in, line), 1);
	assert_string_equal(line, "a");
	assert_int_equal(perf_text_read(in, line), 1);
	assert_string_equal(line, "");
	assert_int_equal(perf_text_read(in, line), 1);
	assert_string_equal(line, "b?c");
	assert_int_equal(perf_text_read(in, line), 0);
	fclose(in);
	memcpy(text, "a\r\n\r\nb\rc\r", 10);
	in = fmemopen(text, 9, "r");
	assert_int_equal(perf_text_read(in, line), 1);
	assert_string_equal(line, "a");
	assert_int_equal(perf_text_read(in, line), 1);
	assert_string_equal(line, "");
	assert_int_equal(perf_text_read(in, line), 1);
	assert_string_equal(line, "b\rc");
	assert_int_equal(perf_text_read(in, line), 0);
	fclose(in);
	memset(text, 'x', sizeof(text));
	text[PERF_TEXT_LINE - 1] = '\n';
	in = fmemopen(text, sizeof(text), "r");
	assert_int_equal(perf_text_read(in, line), 1);
	assert_int_equal(strlen(line), PERF_TEXT_LINE - 1);
	fclose(in);
	text[PERF_TEXT_LINE - 1] = 'x';
	in = fmemopen(text, sizeof(text), "r");
	assert_int_equal(perf_text_read(in, line), -E2BIG);
	fclose(in);
}

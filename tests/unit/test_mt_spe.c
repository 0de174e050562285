/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets constructed after the architecture's manual: no such processor was at hand. */
#include "config.h"
#include "tests/unit/unit.h"

#include "memtrace/perf/spe.h"

static const uint8_t load[] = {
	0xb0, 0x00, 0x10, 0x40, 0x00, 0x00, 0x00, 0x00, 0x80, /* instruction 0x401000, EL0 */
	0x65, 0x39, 0x30, 0x00, 0x00,                         /* context 12345, EL1 */
	0x49, 0x00,                                           /* a load */
	0xb2, 0x08, 0x00, 0x00, 0x00, 0xff, 0xff, 0x00, 0x5a, /* address 0xffff00000008 with a tag */
	0x9a, 0x11, 0x00,                                     /* 17 cycles of translation */
	0x98, 0x2c, 0x01,                                     /* 300 cycles in all */
	0x52, 0x0a, 0x00,                                     /* events 1 and 3 */
	0x43, 0x0d,                                           /* data source 13 */
	0x00, 0x00,
	0x71, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, /* the time */
};
static const uint8_t store[] = {
	0xb0, 0x00, 0x10, 0x40, 0x00, 0x00, 0x80, 0xff, 0xc0, 0x49, 0x01, 0xb2, 0, 0x20, 0, 0, 0, 0, 0, 0, 0xb3, 0, 0x30, 0, 0,
	0, 0, 0, 0x80, 0x01,
};

TEST("a load has instruction, address, latency, events, source, context and time")
{
	struct spe_reader reader;
	struct spe_record record;

	spe_begin(&reader, load, sizeof(load));
	assert_true(spe_next(&reader, &record));
	assert_int_equal(record.pc, 0x401000);
	assert_false(record.is_kernel);
	assert_int_equal(record.context, 12345);
	assert_true(record.is_load && !record.is_store);
	assert_true(record.address == 0xffff00000008);
	assert_int_equal(record.latency, 300);
	assert_int_equal(record.events, 0xa);
	assert_int_equal(record.source, 13);
	assert_true(record.timestamp == 0x1122334455667788);
	assert_false(spe_next(&reader, &record));
	assert_int_equal(reader.skipped_bytes, 0);
}

TEST("a store of the kernel ends with END, and has a physical address")
{
	struct spe_reader reader;
	struct spe_record record;

	spe_begin(&reader, store, sizeof(store));
	assert_true(spe_next(&reader, &record));
	assert_true(record.is_kernel && record.is_store && !record.is_load);
	assert_true(record.pc == 0xffff800000401000);
	assert_int_equal(record.address, 0x2000);
	assert_int_equal(record.physical, 0x3000);
	assert_int_equal(record.timestamp, 0);
}

TEST("operations are distinguished by class: an atomic one loads and stores, a branch does neither")
{
	static const struct {
		uint8_t bytes[3];
		bool is_load, is_store;
	} rows[] = {
		{{0x49, 0x00, 0x01}, true, false}, {{0x49, 0x01, 0x01}, false, true}, {{0x49, 0x06, 0x01}, true, true},
		{{0x49, 0x04, 0x01}, true, false}, {{0x49, 0x0a, 0x01}, true, false}, {{0x4a, 0x01, 0x01}, false, false},
		{{0x48, 0x01, 0x01}, false, false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct spe_reader reader;
		struct spe_record record;

		spe_begin(&reader, rows[i].bytes, 3);
		assert_true(spe_next(&reader, &record));
		assert_int_equal(record.is_load, rows[i].is_load);
		assert_int_equal(record.is_store, rows[i].is_store);
	}
}

TEST("packets are aligned, unknown bytes are skipped and counted, a record that is cut off is none")
{
	/* Aligned to 4 bytes, then the end of an empty record. */
	static const uint8_t aligned[] = {0x21, 0x00, 0xff, 0xff, 0x01};
	static const uint8_t unknown[] = {0x49, 0x01, 0xff, 0x49, 0x00, 0x01};
	struct spe_reader reader;
	struct spe_record record;

	spe_begin(&reader, aligned, sizeof(aligned));
	assert_true(spe_next(&reader, &record));
	assert_int_equal(reader.skipped_bytes, 0);
	/* Two bytes behind a multiple of 4 the next packet follows at once, and is none. */
	spe_begin(&reader, aligned, sizeof(aligned));
	reader.position = 6;
	assert_true(spe_next(&reader, &record));
	assert_int_equal(reader.skipped_bytes, 2);
	spe_begin(&reader, unknown, sizeof(unknown));
	assert_true(spe_next(&reader, &record));
	assert_true(record.is_load && !record.is_store);
	assert_int_equal(reader.skipped_bytes, 1);
	for (size_t size = 0; size < sizeof(load); size++) {
		spe_begin(&reader, load, size);
		assert_false(spe_next(&reader, &record));
	}
}

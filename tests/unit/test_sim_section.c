/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The device's part of a dump: what is written comes back, and what cannot be is refused. */
#include "config.h"
#include "tests/unit/unit.h"
#include <errno.h>
#include <unistd.h>

#include "ssd-workloads/dump/dump.h"
#include "ssd-workloads/sim/section.h"
#include "tests/unit/ssd_dump.h"

#define WHY 256
/* An io, a gc, padding, an index, an index of a channel. */
#define IO 0
#define GC 1
#define INDEX 4
#define CHANNEL 7
#define ALL (CHANNEL + 3)

static const struct sim_section device = {.unit_count = ALL, .emitted = ALL + 5, .overwritten = 5, .exported_pages = 100,
	.channels = 2, .ways = 3, .blocks = 10, .pages = 4, .page_bytes = 16384, .sample = 1};

static void make_units(union sim_unit units[ALL])
{
	memset(units, 0, ALL * sizeof(units[0]));
	units[IO].io = (struct sim_io){.t_ns = 100, .lsa = 7, .type = SIM_IO, .station = SIM_QUEUED, .ch = 1, .way = 2, .op = 1};
	units[GC].gc = (struct sim_gc){.t_ns = 100, .lsa = 7, .type = SIM_GC, .task = SIM_RD_END, .ch = 0, .way = 2, .block = 9,
		.owner = SIM_NO_PLACE, .gc_id = 1};
	units[INDEX].prefix = (struct sim_prefix){.t_ns = 200, .ch = SIM_NONE, .type = SIM_INDEX, .units = 3};
	units[CHANNEL].prefix = (struct sim_prefix){.t_ns = 200, .ch = 1, .type = SIM_INDEX_CHANNEL, .units = 3};
}

TEST("a dump's device section is read back the same and analyses of the host's records do not see it")
{
	struct ssd_dump *made;
	struct dump *read;
	union sim_unit units[ALL];
	char path[] = "/tmp/test_sim_section.XXXXXX", why[WHY] = "";
	int fd;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		skip(); /* no dump is made or read there */
	made = ssd_dump_make();
	read = calloc(1, sizeof(*read));
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	make_units(units);
	made->dump.section = &device;
	made->dump.units = units;
	assert_int_equal(dump_write(path, &made->dump), 0);
	if (dump_read(path, read, why, sizeof(why)))
		fail_msg("%s", why);
	assert_int_equal(read->head.source, DUMP_DEVICE);
	assert_int_equal(read->head.segment_count, 3);
	assert_memory_equal(read->segments[2].records, made->records[2], sizeof(made->records[2]));
	assert_memory_equal(read->section, &device, sizeof(device));
	assert_memory_equal(read->units, units, sizeof(units));
	dump_free(read);
	unlink(path);
	free(read);
	free(made);
}

TEST("a device that cannot be is refused")
{
	static const size_t zeroes[] = {offsetof(struct sim_section, channels), offsetof(struct sim_section, ways),
		offsetof(struct sim_section, blocks), offsetof(struct sim_section, pages), offsetof(struct sim_section, page_bytes),
		offsetof(struct sim_section, sample)};
	struct sim_section lie;
	char why[WHY] = "";

	assert_int_equal(sim_section_check(&device, why, sizeof(why)), 0);
	for (size_t i = 0; i < sizeof(zeroes) / sizeof(zeroes[0]); i++) {
		lie = device;
		memset((char *)&lie + zeroes[i], 0, sizeof(uint32_t));
		assert_int_equal(sim_section_check(&lie, why, sizeof(why)), -EBADMSG);
		assert_non_null(strstr(why, "impossible device"));
	}
	lie = device;
	lie.exported_pages = 2 * 3 * 10 * 4 + 1;
	assert_int_equal(sim_section_check(&lie, why, sizeof(why)), -EBADMSG);
	lie = device;
	lie.overwritten = 4;
	assert_int_equal(sim_section_check(&lie, why, sizeof(why)), -EBADMSG);
	assert_non_null(strstr(why, "10 units of 15"));
}

#define LIE(PLACE, VALUE)                                                                                    \
	do {                                                                                                 \
		typeof(PLACE) truth = (PLACE);                                                               \
		(PLACE) = (VALUE);                                                                           \
		assert_int_equal(sim_units_check(&device, units, why, sizeof(why)), -EBADMSG);               \
		assert_non_null(strstr(why, "impossible device record"));                                \
		(PLACE) = truth;                                                                             \
		assert_int_equal(sim_units_check(&device, units, why, sizeof(why)), 0);                      \
	} while (0)

TEST("device records of unknown kinds, places that do not exist and times that decrease are refused")
{
	union sim_unit units[ALL];
	char why[WHY] = "";

	make_units(units);
	assert_int_equal(sim_units_check(&device, units, why, sizeof(why)), 0);
	LIE(units[IO].io.type, SIM_TYPES);
	LIE(units[IO].io.station, 2);
	LIE(units[IO].io.station, 12);
	LIE(units[IO].io.ch, 2);
	LIE(units[IO].io.way, 3);
	LIE(units[IO].io.way, SIM_NO_PLACE);
	LIE(units[IO].io.stream, 2);
	LIE(units[IO].io.t_ns, 101);
	LIE(units[GC].gc.task, SIM_TASKS);
	LIE(units[GC].gc.block, 10);
	LIE(units[GC].gc.owner, 2);
	LIE(units[GC].gc.gc_id, 0);
	LIE(units[GC].gc.ch, 3);
	LIE(units[INDEX].prefix.ch, 0);
	LIE(units[INDEX].prefix.units, 2);
	LIE(units[CHANNEL].prefix.ch, 2);
	LIE(units[CHANNEL].prefix.t_ns, 199);
	/* The last record has to be whole. */
	memcpy(&units[ALL - 1], &units[IO], sizeof(units[IO]));
	units[ALL - 1].prefix = units[CHANNEL].prefix;
	memset(&units[CHANNEL], 0, 2 * sizeof(units[0]));
	assert_int_equal(sim_units_check(&device, units, why, sizeof(why)), -EBADMSG);
}

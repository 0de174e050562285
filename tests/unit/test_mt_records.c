/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rings and AUX areas constructed as the kernel fills them for AMD's IBS and ARM's SPE: no such processor was at hand. */
#include "config.h"
#include "memtrace/perf/recorder.h"
#include "tests/unit/unit.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memtrace/perf/recorder_state.h"

#define CPUS 2
#define BYTES 4096u /* of a ring and of an area */
#define RECORD_BYTES 48u
#define LOAD_BYTES 32u

static char path[64];
static int fd;
static struct recorder *recorder;
static struct trace_writer *writer;
static struct engine_choice choice;
static uint8_t *areas[CPUS];
static struct opened opened[CPUS][2];
static const int none[2] = {-1, -1};

static int set_up(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/memtrace.XXXXXX");
	fd = mkstemp(path);
	recorder = calloc(1, sizeof(*recorder) + CPUS * sizeof(recorder->rings[0]));
	if (fd < 0 || !recorder || trace_writer_open(fd, "engine\tspe\n", CPUS, &writer))
		return -1;
	choice = (struct engine_choice){.engine = engine_find("spe"), .sees_user = true};
	recorder->request = (struct recorder_request){.target = RECORDER_PROCESS, .choice = &choice};
	recorder->polls = calloc(CPUS + 2, sizeof(*recorder->polls));
	recorder->ring_count = CPUS;
	for (unsigned i = 0; i < CPUS; i++) {
		struct cpu_ring *ring = &recorder->rings[i];
		struct perf_event_mmap_page *map = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		areas[i] = malloc(BYTES);
		memset(areas[i], 0xff, BYTES);
		map->data_offset = BYTES;
		opened[i][0] = (struct opened){-1, false};
		opened[i][1] = (struct opened){-1, true};
		*ring = (struct cpu_ring){.cpu = (int)i, .opened = opened[i], .count = 1,
			.ring = {map, BYTES}, .aux = {areas[i], BYTES}};
	}
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	for (unsigned i = 0; i < CPUS; i++) {
		munmap(recorder->rings[i].ring.map, 2 * BYTES);
		free(areas[i]);
	}
	trace_writer_close(writer);
	free(recorder->polls);
	free(recorder->piece);
	free(recorder);
	close(fd);
	return unlink(path);
}

/* The ring and the area have been used up to there. */
static void begin_at(unsigned cpu, uint64_t position)
{
	recorder->rings[cpu].tail = position;
	recorder->rings[cpu].ring.map->data_head = recorder->rings[cpu].ring.map->data_tail = position;
}

static void put_word(unsigned cpu, uint64_t position, uint64_t word)
{
	memcpy((char *)recorder->rings[cpu].ring.map + BYTES + position % BYTES, &word, sizeof(word));
}

/* What the kernel says of a piece. */
static void announce(unsigned cpu, uint64_t offset, uint64_t bytes, uint64_t flags, uint32_t tid, uint64_t time_ns)
{
	struct perf_event_mmap_page *map = recorder->rings[cpu].ring.map;
	struct perf_event_header header = {.type = PERF_RECORD_AUX, .size = RECORD_BYTES};
	const uint32_t ids[] = {100, tid};
	uint64_t words[RECORD_BYTES / 8] = {0, offset, bytes, flags, 0, time_ns};

	memcpy(words, &header, sizeof(header));
	memcpy(words + 4, ids, sizeof(ids));
	for (unsigned i = 0; i < RECORD_BYTES / 8; i++)
		put_word(cpu, map->data_head + 8ull * i, words[i]);
	map->data_head += RECORD_BYTES;
}

/* A load of an instruction at 0x401000, 32 bytes; level: of the exception. */
static void put_load(unsigned cpu, uint64_t offset, uint64_t address, uint64_t ticks, unsigned level)
{
	uint8_t packets[LOAD_BYTES] = {0xb0, 0x00, 0x10, 0x40, 0, 0, 0, 0, (uint8_t)(0x80 | level << 5), 0x49, 0x00, 0xb2,
		[20] = 0x98, 0x2c, 0x01, 0x71};

	/* SPE is little-endian. */
	address = htole64(address);
	ticks = htole64(ticks);
	memcpy(packets + 12, &address, 8);
	memcpy(packets + 24, &ticks, 8);
	for (unsigned i = 0; i < LOAD_BYTES; i++)
		areas[cpu][(offset + i) % BYTES] = packets[i];
}

static struct trace_sample samples[16];

/* What was written. */
static size_t read_samples(void)
{
	struct trace_reader *reader;
	struct trace_event event;
	size_t count = 0;

	assert_int_equal(trace_writer_flush(writer), 0);
	assert_int_equal(trace_reader_open(path, &reader), 0);
	while (count < 16 && trace_next(reader, &samples[count], &event) == TRACE_ITEM_SAMPLE)
		count++;
	trace_reader_close(reader);
	return count;
}

TEST_WITH("the pieces of each CPU become its samples, with the thread and time of their record", set_up, tear_down)
{
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		put_load(cpu, 0, 0x1000 + cpu, 0, 0);
		put_load(cpu, LOAD_BYTES, 0x2000 + cpu, 0, 0);
		announce(cpu, 0, LOAD_BYTES, 0, 7 + cpu, 500);
		announce(cpu, LOAD_BYTES, LOAD_BYTES, 0, 9, 600);
	}
	assert_int_equal(recorder_drain(recorder, writer, none, 0), 0);
	assert_int_equal(read_samples(), 4);
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		const struct trace_sample *first = &samples[2 * cpu];

		assert_int_equal(first->cpu, cpu);
		assert_int_equal(first->address, 0x1000 + cpu);
		assert_int_equal(first->tid, 7 + cpu);
		assert_int_equal(first->time_ns, 500);
		assert_int_equal(first->ip, 0x401000);
		assert_int_equal(first->kind, TRACE_LOAD);
		assert_int_equal(first->weight, 300);
		assert_int_equal(first[1].address, 0x2000 + cpu);
		assert_int_equal(first[1].tid, 9);
		assert_int_equal(first[1].time_ns, 600);
		assert_int_equal(recorder->rings[cpu].ring.map->data_tail, 2 * RECORD_BYTES);
		assert_int_equal(recorder->rings[cpu].ring.map->aux_tail, 2 * LOAD_BYTES);
	}
}

TEST_WITH("a record across the end of the ring and a packet across the end of the area are read whole", set_up, tear_down)
{
	/* The wrap is in the address. */
	const uint64_t offset = 7 * BYTES - 15;

	begin_at(0, 3 * BYTES - 16);
	put_load(0, offset, 0x123456789abc, 0, 0);
	announce(0, offset, LOAD_BYTES, 0, 7, 500);
	assert_int_equal(recorder_drain(recorder, writer, none, 0), 0);
	assert_int_equal(read_samples(), 1);
	assert_true(samples[0].address == 0x123456789abc);
	assert_int_equal(recorder->rings[0].ring.map->aux_tail, offset + LOAD_BYTES);
	assert_int_equal(recorder->rings[0].ring.map->data_tail, 3 * BYTES - 16 + RECORD_BYTES);
	assert_int_equal(recorder->losses[TRACE_LOST_BY_KERNEL], 0);
}

TEST_WITH("the timer's ticks become perf's time, also of a narrow counter", set_up, tear_down)
{
	struct perf_event_mmap_page *map = recorder->rings[0].ring.map;

	/* 40 ns a tick. */
	map->cap_user_time_zero = 1;
	map->time_zero = 1000;
	map->time_shift = 4;
	map->time_mult = 640;
	put_load(0, 0, 0x1000, 25, 0);
	announce(0, 0, LOAD_BYTES, 0, 7, 500000);
	assert_int_equal(recorder_drain(recorder, writer, none, 0), 0);
	map->cap_user_time_short = 1;
	map->time_cycles = 0x1f0;
	map->time_mask = 0xff;
	put_load(0, LOAD_BYTES, 0x1000, 0x10, 0);
	announce(0, LOAD_BYTES, LOAD_BYTES, 0, 7, 500000);
	assert_int_equal(recorder_drain(recorder, writer, none, 0), 0);
	assert_int_equal(read_samples(), 2);
	assert_int_equal(samples[0].time_ns, 2000);
	assert_int_equal(samples[1].time_ns, 1000 + 0x210 * 40);
}

TEST_WITH("data that was lost and collisions are counted, and what is whole before them is kept", set_up, tear_down)
{
	put_load(0, 0, 0x1000, 0, 0);
	put_load(0, LOAD_BYTES, 0x2000, 0, 0);
	/* The second record is cut off. */
	announce(0, 0, LOAD_BYTES + 20, PERF_AUX_FLAG_TRUNCATED | PERF_AUX_FLAG_PARTIAL, 7, 500);
	announce(0, 2 * LOAD_BYTES, 0, PERF_AUX_FLAG_COLLISION, 7, 600);
	announce(0, 2 * LOAD_BYTES, 0, PERF_AUX_FLAG_TRUNCATED, 7, 700);
	assert_int_equal(recorder_drain(recorder, writer, none, 0), 0);
	assert_int_equal(read_samples(), 1);
	assert_int_equal(samples[0].address, 0x1000);
	assert_int_equal(recorder->losses[TRACE_LOST_BY_KERNEL], 2);
	assert_int_equal(recorder->losses[TRACE_COLLISION], 1);
}

TEST_WITH("an event that the kernel has stopped since data was lost is started again, unless sampling is paused", set_up, tear_down)
{
	/* No event: what is asked of it fails (under an emulator, which does not know the call, otherwise). */
	int other = open("/dev/null", O_RDONLY | O_CLOEXEC);

	opened[1][1].fd = other;
	recorder->rings[1].count = 2;
	announce(1, 0, 0, PERF_AUX_FLAG_TRUNCATED, 7, 500);
	assert_int_equal(recorder_drain(recorder, writer, none, 0), 0);
	recorder->is_sampling = true;
	announce(1, 0, 0, PERF_AUX_FLAG_COLLISION, 7, 500);
	assert_int_equal(recorder_drain(recorder, writer, none, 0), 0);
	announce(1, 0, 0, PERF_AUX_FLAG_TRUNCATED, 7, 500);
	assert_true(recorder_drain(recorder, writer, none, 0) < 0);
	close(other);
}

TEST_WITH("samples of the kernel, without an address or thread, and other operations are dropped and counted", set_up, tear_down)
{
	static const uint8_t branch[] = {0x4a, 0x00, 0x01};

	put_load(0, 0, 0x1000, 0, 1);
	put_load(0, LOAD_BYTES, 0, 0, 0);
	memcpy(areas[0] + 2 * LOAD_BYTES, branch, sizeof(branch));
	announce(0, 0, 2 * LOAD_BYTES + sizeof(branch), 0, 7, 500);
	assert_int_equal(recorder_drain(recorder, writer, none, 0), 0);
	assert_int_equal(recorder->losses[TRACE_PRIVILEGE], 1);
	assert_int_equal(recorder->losses[TRACE_NO_ADDRESS], 1);
	assert_int_equal(recorder->losses[TRACE_NOT_MEMORY], 1);
	/* A piece of a whole CPU has several threads: only the packets have them. */
	recorder->request.target = RECORDER_SYSTEM;
	put_load(1, 0, 0x1000, 0, 0);
	announce(1, 0, LOAD_BYTES, 0, 7, 500);
	memcpy(areas[1] + LOAD_BYTES, (uint8_t[]){0x65, 42, 0, 0, 0}, 5);
	put_load(1, LOAD_BYTES + 5, 0x1000, 0, 0);
	announce(1, LOAD_BYTES, LOAD_BYTES + 5, 0, 7, 500);
	assert_int_equal(recorder_drain(recorder, writer, none, 0), 0);
	assert_int_equal(recorder->losses[TRACE_NO_THREAD], 1);
	assert_int_equal(read_samples(), 1);
	assert_int_equal(samples[0].tid, 42);
}

/* As IBS has it: instruction, process and thread, time, address, weight, data source. */
static void put_sample(bool is_kernel, uint64_t operation, uint64_t address)
{
	struct perf_event_mmap_page *map = recorder->rings[0].ring.map;
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .size = 56,
		.misc = is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER};
	uint64_t words[7] = {0, 0x401000, 7ull << 32 | 100, 500, address, 12, operation};

	memcpy(words, &header, sizeof(header));
	for (unsigned i = 0; i < 7; i++)
		put_word(0, map->data_head + 8ull * i, words[i]);
	map->data_head += header.size;
}

TEST_WITH("micro-operations of IBS that access no memory or are the kernel's are dropped and counted", set_up, tear_down)
{
	struct perf_event_attr attr = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
		PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC};

	choice.engine = engine_find("ibs");
	recorder->attr = &attr;
	put_sample(false, PERF_MEM_OP_NA, 0x1000);
	put_sample(false, PERF_MEM_OP_LOAD, 0x2000);
	put_sample(true, PERF_MEM_OP_LOAD, 0x3000);
	put_sample(false, PERF_MEM_OP_STORE, 0);
	put_sample(false, PERF_MEM_OP_NA, 0);
	assert_int_equal(recorder_drain(recorder, writer, none, 0), 0);
	assert_int_equal(read_samples(), 1);
	assert_int_equal(samples[0].address, 0x2000);
	assert_int_equal(samples[0].weight, 12);
	assert_int_equal(samples[0].tid, 7);
	assert_int_equal(recorder->losses[TRACE_NOT_MEMORY], 2);
	assert_int_equal(recorder->losses[TRACE_PRIVILEGE], 1);
	assert_int_equal(recorder->losses[TRACE_NO_ADDRESS], 1);
}

TEST_WITH("a piece that is larger than its area is refused", set_up, tear_down)
{
	announce(0, 0, BYTES + 1, 0, 7, 500);
	assert_int_equal(recorder_drain(recorder, writer, none, 0), -EBADMSG);
}

/* --- page faults --- */

static void put_fault(unsigned cpu, const struct perf_event_attr *attr, uint32_t tid, uint64_t time_ns, uint64_t address)
{
	struct perf_event_mmap_page *map = recorder->rings[cpu].ring.map;
	const uint64_t words[] = {time_ns, address, 0}, id = 0;
	const uint32_t ids[] = {100, tid};
	struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER};
	uint64_t at = map->data_head + sizeof(header), thread;

	memcpy(&thread, ids, sizeof(ids));
	if (attr->sample_type & PERF_SAMPLE_IDENTIFIER) {
		put_word(cpu, at, id);
		at += 8;
	}
	put_word(cpu, at, thread);
	for (unsigned i = 0; i < (attr->sample_type & PERF_SAMPLE_CPU ? 3 : 2); i++)
		put_word(cpu, at += 8, words[i]);
	header.size = (uint16_t)(at + 8 - map->data_head);
	memcpy(&thread, &header, sizeof(header));
	put_word(cpu, map->data_head, thread);
	map->data_head += header.size;
}

static void put_preemption(unsigned cpu, uint32_t tid, uint64_t time_ns)
{
	struct perf_event_mmap_page *map = recorder->rings[cpu].ring.map;
	struct perf_event_header header = {.type = PERF_RECORD_SWITCH, .size = 24,
		.misc = PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT};
	const uint32_t ids[] = {100, tid};
	uint64_t words[3] = {0, 0, time_ns};

	memcpy(words, &header, sizeof(header));
	memcpy(words + 1, ids, sizeof(ids));
	for (unsigned i = 0; i < 3; i++)
		put_word(cpu, map->data_head + 8ull * i, words[i]);
	map->data_head += header.size;
}

TEST_WITH("a page fault took the time since its beginning, unless another thread ran meanwhile", set_up, tear_down)
{
	const struct perf_memory_request request = {.with_user = true, .with_begins = true};

	choice.engine = engine_find("refault");
	assert_int_equal(perf_memory_events("", PERF_MEMORY_FAULTS, &request, choice.events, &choice.count), 0);
	assert_int_equal(choice.count, 3);
	assert_int_equal(choice.events[2].attr.config, PERF_COUNT_SW_PAGE_FAULTS);
	for (unsigned i = 0; i < 3; i++)
		choice.events[i].attr.sample_type |= PERF_SAMPLE_TID;
	recorder->attr = &choice.events[0].attr;
	recorder->major = &choice.events[1].attr;
	recorder->begin = &choice.events[2].attr;
	/* A minor one, two major ones, one that is preempted, one that ends on another CPU. */
	put_fault(0, recorder->begin, 7, 1000, 0x1000);
	put_fault(0, recorder->attr, 7, 1100, 0x1000);
	put_fault(0, recorder->begin, 7, 2000, 0x2008);
	put_fault(0, recorder->major, 7, 2500, 0x2008);
	put_fault(0, recorder->begin, 8, 3000, 0x3000);
	put_fault(0, recorder->major, 8, 3700, 0x3000);
	put_fault(0, recorder->begin, 7, 4000, 0x4000);
	put_preemption(0, 7, 4100);
	put_fault(0, recorder->major, 7, 9000, 0x4000);
	put_fault(0, recorder->begin, 7, 9500, 0x5000);
	put_fault(1, recorder->major, 7, 9900, 0x5000);
	assert_int_equal(recorder_drain(recorder, writer, none, 0), 0);
	assert_int_equal(recorder->minors.timed, 1);
	assert_int_equal(recorder->minors.ns, 100);
	assert_int_equal(recorder->majors.count, 4);
	assert_int_equal(recorder->majors.timed, 2);
	assert_int_equal(recorder->majors.ns, 500 + 700);
	assert_int_equal(read_samples(), 5);
	assert_int_equal(samples[0].kind, TRACE_MINOR_FAULT);
	assert_int_equal(samples[1].kind, TRACE_MAJOR_FAULT);
	assert_int_equal(samples[1].address, 0x2008);
}

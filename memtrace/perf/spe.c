/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memtrace/perf/spe.h"

enum {
	HEADER_PADDING = 0x00,
	HEADER_END = 0x01,
	HEADER_TIMESTAMP = 0x71,
	HEADER_EXTENDED = 0x20, /* the two low bits: the upper part of an index */
	HEADER_EVENTS = 0x42,
	HEADER_SOURCE = 0x43,
	HEADER_OPERATION = 0x48, /* the two low bits: the class */
	HEADER_CONTEXT = 0x64,   /* the two low bits: the exception level */
	HEADER_COUNTER = 0x98,   /* the three low bits: the index */
	HEADER_ADDRESS = 0xb0,
};
enum { ADDRESS_PC, ADDRESS_BRANCH, ADDRESS_DATA, ADDRESS_PHYSICAL };
enum { COUNTER_TOTAL };
enum { CLASS_LOAD_STORE = 1 };

#define ADDRESS_BITS 56 /* the bits above have the exception level or a tag */
#define ATOMIC 0x02     /* in a load or store: extended; with 0x04: atomic */

void spe_begin(struct spe_reader *reader, const uint8_t *bytes, size_t size)
{
	*reader = (struct spe_reader){.at = bytes, .end = bytes + size, .begin = bytes};
}

static uint64_t read_value(const uint8_t *at, unsigned size)
{
	uint64_t value = 0;

	for (unsigned i = 0; i < size; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

/* Extends the highest recorded bit, which decides the half of the address space. */
static uint64_t extend(uint64_t address)
{
	uint64_t low = address & ((1ull << ADDRESS_BITS) - 1);

	return low >> (ADDRESS_BITS - 1) ? low | ~((1ull << ADDRESS_BITS) - 1) : low;
}

static void take_address(unsigned index, uint64_t value, struct spe_record *record)
{
	switch (index) {
	case ADDRESS_PC:
		record->pc = extend(value);
		record->is_kernel = value >> 61 & 3;
		break;
	case ADDRESS_DATA:
		record->address = extend(value);
		break;
	case ADDRESS_PHYSICAL:
		record->physical = value & ((1ull << ADDRESS_BITS) - 1);
		break;
	default:
		break;
	}
}

/* Bit 0: a store. Atomic operations (bit 1 with bit 2 of the extended kinds) load and store. */
static void take_operation(unsigned class, uint64_t value, struct spe_record *record)
{
	bool is_atomic = (value & 0xe2) == ATOMIC && value & 0x04;

	if (class != CLASS_LOAD_STORE)
		return;
	record->is_store = value & 1 || is_atomic;
	record->is_load = !(value & 1) || is_atomic;
}

/* Reads a packet. Returns 1 = the record's last, 0 = another, -1 = unknown or truncated. */
static int read_packet(struct spe_reader *reader, struct spe_record *record)
{
	const uint8_t *at = reader->at;
	unsigned header = *at++, upper = 0, size;
	uint64_t value;

	if ((header & 0xfc) == HEADER_EXTENDED) {
		if (at == reader->end)
			return -1;
		upper = header & 3;
		header = *at++;
		if (!header) {
			/* The first byte encodes an alignment to a power of two. */
			size_t align = 2ull << (reader->at[0] & 0xf);
			size_t done = (size_t)reader->position + (size_t)(at - reader->begin);
			size_t skip = (align - done % align) % align;

			reader->at = skip < (size_t)(reader->end - at) ? at + skip : reader->end;
			return 0;
		}
	}
	if (header == HEADER_PADDING || header == HEADER_END) {
		reader->at = at;
		return header == HEADER_END;
	}
	size = 1u << (header >> 4 & 3);
	if ((size_t)(reader->end - at) < size)
		return -1;
	value = read_value(at, size);
	if (header == HEADER_TIMESTAMP)
		record->timestamp = value;
	else if ((header & 0xcf) == HEADER_EVENTS)
		record->events = value;
	else if ((header & 0xcf) == HEADER_SOURCE)
		record->source = (uint32_t)value;
	else if ((header & 0xfc) == HEADER_OPERATION)
		take_operation(header & 3, value, record);
	else if ((header & 0xfc) == HEADER_CONTEXT)
		record->context = (uint32_t)value;
	else if ((header & 0xf8) == HEADER_ADDRESS)
		take_address(upper << 3 | (header & 7), value, record);
	else if ((header & 0xf8) != HEADER_COUNTER)
		return -1;
	else if ((upper << 3 | (header & 7)) == COUNTER_TOTAL)
		record->latency = (uint16_t)value;
	reader->at = at + size;
	return header == HEADER_TIMESTAMP;
}

bool spe_next(struct spe_reader *reader, struct spe_record *record)
{
	*record = (struct spe_record){0};
	while (reader->at < reader->end) {
		int packet = read_packet(reader, record);

		if (packet > 0)
			return true;
		if (packet < 0) {
			reader->at++;
			reader->skipped_bytes++;
			*record = (struct spe_record){0};
		}
	}
	return false;
}

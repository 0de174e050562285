/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conditions to stop recording, so that the records before an event are still in the ring: terms joined by "&&", all of one
 * record.
 *   log.latency>5ms    checkpoint.latency>=20ms    latency>5ms    (the response: reap - prep, in an open loop reap - due)
 *   service>5ms        (reap - enter)              batching>1ms   (enter - prep)
 *   late<1ms           (prep - due: the lag of an open loop; 0 in a closed one)
 *   own>60  other>=8   (in flight at its enter)
 *   sequence==1000     time>=10s  (since the measurement began)   error
 * On a simulated device, when the write is completed:
 *   step(6,7)>1ms      (the longest time of a page of it from one station to another: 1 the host enters it, 2 it is in the
 *                       device, 3 to 11 as in sim/records.h; a page that did not pass both, in this order, has no value)
 *   copies>=8          (pages that garbage collection copied for it)
 *   busy>20            (ways that are busy now)   qdepth>4 (commands in the device now, this one included)
 *   cmd==1000          (its number)
 * A stream's name before any word but time restricts the term to this stream. A duration alone fires on normal
 * writes (section 6.1 of the paper): combine it with other terms. HOT: freeze_matches.
 */
#ifndef SSD_WORKLOADS_RECORD_FREEZE_H
#define SSD_WORKLOADS_RECORD_FREEZE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/hot/keep.h"
#include "ssd-workloads/record/record.h"

#define FREEZE_TERMS 8
#define FREEZE_TEXT 256
#define FREEZE_STATIONS 12 /* 1 to 11 */
#define FREEZE_NO_VALUE UINT64_MAX

enum freeze_field { FREEZE_LATENCY, FREEZE_SERVICE, FREEZE_BATCHING, FREEZE_LATE, FREEZE_OWN, FREEZE_OTHER, FREEZE_SEQUENCE,
	FREEZE_TIME, FREEZE_ERROR, FREEZE_STEP, FREEZE_COPIES, FREEZE_BUSY, FREEZE_QDEPTH, FREEZE_CMD };
enum freeze_operator { FREEZE_ABOVE, FREEZE_AT_LEAST, FREEZE_BELOW, FREEZE_AT_MOST, FREEZE_EQUAL };

struct freeze {
	unsigned count;           /* 0 = no condition */
	struct freeze_term {
		uint8_t field, operator;
		int8_t stream;        /* enum mix_stream, -1 = any */
		uint64_t value;
		uint8_t from, to;     /* stations of FREEZE_STEP */
	} terms[FREEZE_TERMS];
	char text[FREEZE_TEXT];   /* as specified */
};

struct freeze_device { /* data of a simulated device about the command that it completes */
	const uint64_t (*stations)[FREEZE_STATIONS]; /* by slice: times of the stations; 0 = not passed */
	uint64_t slices;
	uint64_t copies, busy_ways, depth;
};

KEEP_INLINE uint64_t freeze_step(const struct freeze_term *term, const struct freeze_device *device)
{
	uint64_t longest = FREEZE_NO_VALUE;

	for (uint64_t i = 0; i < device->slices; i++) {
		uint64_t from = device->stations[i][term->from], to = device->stations[i][term->to];

		if (from && to >= from && (longest == FREEZE_NO_VALUE || to - from > longest))
			longest = to - from;
	}
	return longest;
}

KEEP_INLINE uint64_t freeze_device_value(const struct freeze_term *term, const struct record *record,
	const struct freeze_device *device)
{
	if (!device)
		return FREEZE_NO_VALUE;
	switch (term->field) {
	case FREEZE_STEP:
		return freeze_step(term, device);
	case FREEZE_COPIES:
		return device->copies;
	case FREEZE_BUSY:
		return device->busy_ways;
	case FREEZE_QDEPTH:
		return device->depth;
	default:
		return record->batch;
	}
}

KEEP_INLINE uint64_t freeze_value(const struct freeze_term *term, const struct record *record, uint64_t due_ns,
	uint64_t begin_ns, const struct freeze_device *device)
{
	switch (term->field) {
	case FREEZE_LATENCY:
		return record->reap_ns - due_ns;
	case FREEZE_SERVICE:
		return record->reap_ns - record->enter_ns;
	case FREEZE_BATCHING:
		return record->enter_ns - record->prep_ns;
	case FREEZE_LATE:
		return record->prep_ns - due_ns;
	case FREEZE_OWN:
		return record->inflight_own;
	case FREEZE_OTHER:
		return record->inflight_other;
	case FREEZE_SEQUENCE:
		return record->sequence;
	case FREEZE_TIME:
		return record->reap_ns - begin_ns;
	case FREEZE_ERROR:
		return record->result < 0 || (uint32_t)record->result != record->length;
	default:
		return freeze_device_value(term, record, device);
	}
}

KEEP_INLINE int freeze_holds(const struct freeze_term *term, uint64_t value)
{
	switch (term->operator) {
	case FREEZE_ABOVE:
		return value > term->value;
	case FREEZE_AT_LEAST:
		return value >= term->value;
	case FREEZE_BELOW:
		return value < term->value;
	case FREEZE_AT_MOST:
		return value <= term->value;
	default:
		return value == term->value;
	}
}

/* Returns whether a completed write meets all terms. due_ns is its due time, or prep_ns in a closed loop; device NULL = a real
 * device. */
KEEP_INLINE int freeze_matches(const struct freeze *freeze, const struct record *record, uint64_t due_ns, uint64_t begin_ns,
	const struct freeze_device *device)
{
	for (unsigned i = 0; i < freeze->count; i++) {
		const struct freeze_term *term = &freeze->terms[i];
		uint64_t value;

		if (term->stream >= 0 && term->stream != record->stream)
			return 0;
		value = freeze_value(term, record, due_ns, begin_ns, device);
		if (value == FREEZE_NO_VALUE || !freeze_holds(term, value))
			return 0;
	}
	return freeze->count > 0;
}

/* Parses a condition; not hot, in freeze.c. Returns 0, or -EINVAL and the reason in *why (static text). */
int freeze_parse(const char *text, struct freeze *freeze, const char **why);
/* Checks that a run on such a target has the values of the condition. Returns 0, or -EINVAL and in why the word that is not
 * available. */
int freeze_check(const struct freeze *freeze, bool is_simulated, char *why, size_t length);
/* Returns the first word that the device itself cannot evaluate; NULL = none. */
const char *freeze_host_word(const struct freeze *freeze);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When to stop recording, so that what led to something is still in the ring: terms joined by "&&", all of one record.
 *   log.latency>5ms    checkpoint.latency>=20ms    latency>5ms    (the response: reap - prep, in an open loop reap - due)
 *   service>5ms        (reap - enter)              batching>1ms   (enter - prep)
 *   late<1ms           (prep - due: how far an open loop was behind; 0 in a closed one)
 *   own>60  other>=8   (in flight when it was entered)
 *   sequence==1000     time>=10s  (since the measurement began)   error
 * A stream's name before any word but time makes it about this stream. A duration alone fires on what is normal
 * (section 6.1 of the paper): give it a context. HOT: freeze_matches.
 */
#ifndef SSD_WORKLOADS_RECORD_FREEZE_H
#define SSD_WORKLOADS_RECORD_FREEZE_H

#include "common/hot/keep.h"
#include "ssd-workloads/record/record.h"

#define FREEZE_TERMS 8

enum freeze_field { FREEZE_LATENCY, FREEZE_SERVICE, FREEZE_BATCHING, FREEZE_LATE, FREEZE_OWN, FREEZE_OTHER, FREEZE_SEQUENCE,
	FREEZE_TIME, FREEZE_ERROR };
enum freeze_operator { FREEZE_ABOVE, FREEZE_AT_LEAST, FREEZE_BELOW, FREEZE_AT_MOST, FREEZE_EQUAL };

struct freeze {
	unsigned count;           /* 0 = never */
	struct freeze_term {
		uint8_t field, operator;
		int8_t stream;        /* enum mix_stream, -1 = any */
		uint64_t value;
	} terms[FREEZE_TERMS];
};

KEEP_INLINE uint64_t freeze_value(const struct freeze_term *term, const struct record *record, uint64_t due_ns,
	uint64_t begin_ns)
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
	default:
		return record->result < 0 || (uint32_t)record->result != record->length;
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

/* Whether all terms hold of a completed write; due_ns: when it was due, of a closed loop its prep_ns. */
KEEP_INLINE int freeze_matches(const struct freeze *freeze, const struct record *record, uint64_t due_ns, uint64_t begin_ns)
{
	for (unsigned i = 0; i < freeze->count; i++) {
		const struct freeze_term *term = &freeze->terms[i];

		if (term->stream >= 0 && term->stream != record->stream)
			return 0;
		if (!freeze_holds(term, freeze_value(term, record, due_ns, begin_ns)))
			return 0;
	}
	return freeze->count > 0;
}

/* Cold, freeze.c: 0, or -EINVAL and *why (static text). */
int freeze_parse(const char *text, struct freeze *freeze, const char **why);

#endif

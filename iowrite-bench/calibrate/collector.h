/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples on their way to a calibration: of each quantity in the blocks in which they were taken. A block is what one
 * probe measures in one turn, and carries how much the machine was needed by others meanwhile.
 */
#ifndef IOWRITE_BENCH_CALIBRATE_COLLECTOR_H
#define IOWRITE_BENCH_CALIBRATE_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iowrite-bench/system.h"

#define COLLECTOR_POINT SYSTEM_PARAMETERS /* parameter of what is a point of a curve */
#define COLLECTOR_DISTURBED 0.1           /* share of a block's time that others wanted the CPUs or the disk: not to be used */

struct collector_key {
	enum system_parameter parameter;
	enum op_mode mode;         /* of COLLECTOR_POINT */
	enum op_regime regime;
	uint64_t size;
	/* Not part of what it is: */
	const char *method;        /* string literal */
	double scale;              /* of a difference: what it is small against; 0 = itself */
	bool is_fact;              /* the same each time: one block will do */
};

struct collector;

int collector_new(struct collector **collector); /* 0 or -ENOMEM */
void collector_free(struct collector *collector);

void collector_begin(struct collector *collector, unsigned probe, uint64_t now_ns);
/* Not between two stamps. A sample that memory is lacking for is an error that sticks. */
void collector_add(struct collector *collector, const struct collector_key *key, double value);
void collector_end(struct collector *collector, double disturbance);
int collector_error(const struct collector *collector); /* 0 or -ENOMEM */

/* Of everything that this probe measures there are enough blocks, at times far enough from each other, and it is known
 * well enough. What it has not found does not count; one that has found nothing is done when it is tired. */
bool collector_is_done(struct collector *collector, unsigned probe, bool is_tired);

/* quantities, in the order in which they were first seen */
size_t collector_count(const struct collector *collector);
const struct collector_key *collector_key(const struct collector *collector, size_t index);
/* 0 or -ENOMEM */
int collector_value(struct collector *collector, size_t index, struct system_value *value);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of iowrite-bench calibrate. */
#ifndef IOWRITE_BENCH_CALIBRATE_OPTIONS_H
#define IOWRITE_BENCH_CALIBRATE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/command.h"
#include "iowrite-bench/pin.h"

enum calibrate_memory { CALIBRATE_WARM, CALIBRATE_AS_IS };

struct calibrate_options {
	const char *output;       /* system.xml */
	const char *compare;      /* an older one, NULL = none */
	const char *directory, *filename; /* one of them, the other is NULL */
	const char *path;         /* folder, file or device */
	bool is_folder;           /* path is directory */
	const char *destroy_data;
	uint64_t size_bytes;      /* 0 = by memory and free space */
	uint64_t max_bytes;
	uint64_t burst_bytes;     /* --find-cache; 0 = no */
	uint64_t runtime_ns;
	uint64_t spread_ns;       /* 0 = no rests */
	enum calibrate_memory memory;
	struct pin_request cpus;
	bool is_staged;
	uint64_t slow_bytes_per_second; /* --slow-device, which is staged; 0 = none */
	bool is_quiet, is_dry_run;
};

extern const struct opt calibrate_option_rows[];
extern const struct opt_relation calibrate_option_relations[];
/* command.check: path, is_folder, and what depends on several values. */
int calibrate_options_check(void *whole, struct opt_line *line);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line of iowrite-bench calibrate. */
#ifndef IOWRITE_BENCH_CALIBRATE_OPTIONS_H
#define IOWRITE_BENCH_CALIBRATE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/command.h"
#include "iowrite-bench/pin.h"

struct calibrate_options {
	const char *output;       /* system.xml */
	const char *compare;      /* an older one, NULL = none */
	const char *path;         /* folder, file or device */
	bool is_folder;           /* path is --directory's, not --filename's */
	const char *destroy_data;
	uint64_t size_bytes;      /* 0 = by memory and room */
	uint64_t max_bytes;
	uint64_t burst_bytes;     /* --find-cache; 0 = no */
	uint64_t runtime_ns;
	uint64_t spread_ns;       /* 0 = no rests */
	bool is_fed;              /* --mem=warm */
	struct pin_request cpus;
	bool is_staged;
	uint64_t slow_bytes_per_second; /* --slow-device, which is staged; 0 = none */
	bool is_quiet, is_dry_run;
};

extern const struct argp_option calibrate_option_table[];

/* 0 or a diag_exit code after one line. */
int calibrate_options_parse(const struct command *command, int argc, char **argv, struct calibrate_options *options);

#endif

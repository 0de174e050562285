/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words that evaluate and trace share: from which calibration, where, under what conditions, and where results go. */
#ifndef IOWRITE_BENCH_SCENARIO_OPTIONS_H
#define IOWRITE_BENCH_SCENARIO_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/label.h"
#include "common/report_common.h"
#include "iowrite-bench/model/model.h"

#define SCENARIO_SHOWN 16

/* Keys of the rows with these names in a table of options; -f is 'f', -n is 'n' (dry-run). Each command says in its own
 * words what they mean. */
enum {
	SCENARIO_KEY_SYSTEM = 512, /* "system" */
	SCENARIO_KEY_DIRECTORY,
	SCENARIO_KEY_MEM,
	SCENARIO_KEY_SLOW_DEVICE,
	SCENARIO_KEY_SLOW_SIZE,
	SCENARIO_KEY_JSON,
	SCENARIO_KEY_LABEL,
	SCENARIO_KEY_OUTPUT, /* "output", hidden: as 'f' */
};

struct scenario_options {
	const char *system_path; /* NULL = not given */
	const char *directory;
	uint64_t slow_bytes_per_second, slow_size_bytes; /* 0 = no slow device; as large as is needed */
	const char *slow_text, *slow_size_text; /* as typed */
	enum model_memory memory;
	bool is_dry_run;
	const char *xml_path, *json_path; /* NULL = none, "-" = stdout */
	struct label_list labels;
	/* As the report's signature shows them. */
	size_t shown_count;
	struct report_option shown[SCENARIO_SHOWN];
};

/* Without a word on the command line: warm memory, the working folder. */
void scenario_options_init(struct scenario_options *options);
void scenario_options_free(struct scenario_options *options);
/* 0, an error after one line, or ARGP_ERR_UNKNOWN for keys of the command's own. */
error_t scenario_options_parse(int key, char *text, struct scenario_options *options);
/* After the last word. Places that cannot be written to are refused here, before anything is measured. 0 or a diag_exit
 * code after one line. */
int scenario_options_check(const struct scenario_options *options);

/* Adds an option to what is shown, unless it has no value. */
void scenario_options_show(struct scenario_options *options, const char *name, const char *value);
/* Adds the shared ones. */
void scenario_options_show_all(struct scenario_options *options);
/* What is shown, and the labels; options must outlive the signature. */
void scenario_options_sign(const struct scenario_options *options, struct report_signature *signature);

/* The report, or its text, goes to stdout: nothing else may. */
bool scenario_options_take_stdout(const struct scenario_options *options);

#endif

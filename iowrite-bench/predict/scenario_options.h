/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Options that several commands share, each as one row: calibration, place, conditions and outputs. at: offset of the value in
 * the command's structure. owner: such a structure, whose struct scenario_options is called shared.
 */
#ifndef IOWRITE_BENCH_PREDICT_SCENARIO_OPTIONS_H
#define IOWRITE_BENCH_PREDICT_SCENARIO_OPTIONS_H

#include "common/base/units.h"
#include "common/cli/label.h"
#include "common/cli/opt.h"
#include "common/run/frame.h"
#include "iowrite-bench/predict/scenario.h"
#include "iowrite-bench/system/system.h"
#include "iowrite-bench/write/memory.h"
#include "schema/iowrite.h"

struct scenario_options {
	struct opt_line line;                            /* of command_parse; owns all texts */
	const char *system_path;                         /* NULL = not given */
	const char *directory;
	uint64_t slow_bytes_per_second, slow_size_bytes; /* 0 = no slow device; as large as is needed */
	const char *slow_text, *slow_size_text;          /* as typed */
	enum model_memory memory;
	bool is_dry_run;
	const char *xml_path, *json_path;                /* NULL = none, "-" = stdout */
	struct label_list labels;
};

#define SCENARIO_ARGUMENT_ROW(at) \
	{.name = "scenario", .value = "SCENARIO", .type = OPT_OWN, .flags = OPT_ARGUMENT, .offset = (at), \
		.set = scenario_options_name, .allowed = "no such scenario; iowrite-bench scenarios lists them"}

#define SCENARIO_SYSTEM_ROW(at, help_text, manual_text) \
	{.name = "system", .value = "FILE", .type = OPT_STRING, .offset = (at), .help = (help_text), .manual = (manual_text)}

#define SCENARIO_MEM_ROW(at, manual_text) \
	{.name = "mem", .value = MEMORY_NAMES, .type = OPT_CHOICE, .offset = (at), \
		.choices = memory_names, .preset = "warm", \
		.help = "fill the page cache from recently used memory (warm), memory without host backing (cold) or any (as-is)", \
		.manual = (manual_text)}

#define SCENARIO_JSON_ROW(at) \
	{.name = "json", .value = "FILE", \
		.bare = "-", .type = OPT_STRING, .flags = OPT_UNREPORTED | OPT_OUTPUT, .begins = "{", .offset = (at), \
		.help = "write the result as JSON to FILE, or to standard output", \
		.manual = "Write the result as JSON to FILE, or to standard output, where it replaces the text."}

#define SCENARIO_PLACE_ROWS(owner) \
	{.name = "directory", .value = "DIR", .type = OPT_STRING, \
		.offset = offsetof(struct owner, shared.directory), .preset = ".", \
		.help = "write to a file without a name in DIR"}, \
	SCENARIO_MEM_ROW(offsetof(struct owner, shared.memory), \
		"Memory that the page cache takes: recently used (`warm`), returned to the host before (`cold`), or " \
		"any free memory (`as-is`).\n\n" \
		"The run holds host-backed memory for this: twice what the writes need must be available. When it is used up " \
		"nevertheless, the result says `host-memory-exhausted`, and the status is 4. For a buffered file that " \
		"grows, free space is prepared as with `run --mem=warm`. Cold memory is left unused for 30 seconds: what the " \
		"host has not reclaimed by then is warm, which is not visible; `evaluate` says `cold-not-proven`."), \
	{.name = "slow-device", .value = "RATE", .type = OPT_SIZE, \
		.offset = offsetof(struct owner, shared.slow_bytes_per_second), .min = UNITS_MIB, \
		.allowed = "must be a rate of at least 1M bytes/s, as 400M", \
		.help = "build a loop device of RATE bytes/s in the folder, and write there (root)", \
		.manual = "Build a loop device in --directory that writes at most RATE bytes per second, at least " \
			  "1M, with a file system of its own, and write there. It is removed at the end, also when " \
			  "the program is killed. Needs root."}, \
	{.name = "slow-size", .value = "SIZE", .type = OPT_SIZE, \
		.offset = offsetof(struct owner, shared.slow_size_bytes), .min = 64 * UNITS_MIB, \
		.help = "make this device of SIZE bytes (default: what the writes need)", \
		.manual = "Size of the slow device, at least 64M, and 256 MiB more than the file. The default is " \
			  "what the writes need and, where --directory has the space, twice what they may leave " \
			  "dirty: with less free space ext4 writes back early, at the end of large files. Needs " \
			  "--slow-device."}

#define SCENARIO_OUTPUT_ROWS(owner) \
	{.name = "dry-run", .letter = 'n', .type = OPT_FLAG, .flags = OPT_UNREPORTED, \
		.offset = offsetof(struct owner, shared.is_dry_run), \
		.help = "print the plan, and why the rest is not possible; change nothing"}, \
	{.name = "file", .letter = 'f', .value = "FILE", .type = OPT_STRING, .flags = OPT_UNREPORTED | OPT_OUTPUT, \
		.begins = "<?xml", \
		.offset = offsetof(struct owner, shared.xml_path), .help = "write the report as XML to FILE", \
		.manual = "Write the report as XML to FILE; `-` is standard output, where it replaces the text."}, \
	{.name = "output", .value = "FILE", .type = OPT_STRING, .flags = OPT_UNREPORTED | OPT_HIDDEN | OPT_OUTPUT, \
		.begins = "<?xml", \
		.offset = offsetof(struct owner, shared.xml_path)}, /* the older name */ \
	SCENARIO_JSON_ROW(offsetof(struct owner, shared.json_path)), \
	{.name = "label", .value = "NAME=VALUE", .type = OPT_OWN, .flags = OPT_REPEATS | OPT_UNREPORTED, \
		.offset = offsetof(struct owner, shared.labels), .set = scenario_options_add_label, \
		.help = "add a label to the report", \
		.manual = "Add a label to the report: NAME has 1 to 64 letters, digits or `_.-`, VALUE up to 500 " \
			  "printable bytes. Repeatable, up to 32 times."}

#define SCENARIO_RELATIONS \
	{OPT_NEEDS, "slow-size", "slow-device", NULL}

opt_set_fn scenario_options_add_label, scenario_options_name;

/* Refuses a command that predicts without a calibration. Returns 0 or a diag_exit code after one line. */
int scenario_options_need_system(const struct opt_line *line);
/* Part of command.check when whole, which contains shared, is complete: lists the effective options, and refuses places that
 * cannot be written to before anything is measured. Returns 0 or a diag_exit code after one line. */
int scenario_options_check(const void *whole, struct scenario_options *shared);
void scenario_options_free(struct scenario_options *options);

/* Writes the report of a command, with the effective options and the labels. Returns 0 or a diag_exit code after one line. */
int scenario_options_publish(const struct scenario_options *options, struct frame *frame, const struct iow_result_values *result);
/* Returns whether the report goes to stdout, where nothing else may then go. */
bool scenario_options_take_stdout(const struct scenario_options *options);

/* Comparison of a calibration with the device to be written, and the speed of that device. */

#define CALIBRATED_FAST 1e9 /* bytes a second: from here on a scenario's thresholds for fast devices are taken */

/* Returns false when the rate is unknown. */
bool calibrated_is_fast(const struct system *system);
/* Stores the scenario's own thresholds for such a device; 0 = it has none. */
void calibrated_thresholds(const struct scenario *scenario, bool is_fast, uint64_t *background_bytes,
	uint64_t *dirty_bytes);

/* Checks that the options' calibration is of the device and file system of their folder (device "" = there is none), or of
 * their slow device. Returns 0, or DIAG_EXIT_USAGE after one line. */
int calibrated_check(const struct system *system, const struct scenario_options *options, const char *device,
	const char *file_system);
/* A calibration of another kernel may follow another law: calibrated_warn says so before anything is measured,
 * calibrated_decide adds "other-kernel", and "partial-calibration", to the frame. */
void calibrated_warn(const struct system *system, const char *path);
void calibrated_decide(const struct system *system, struct frame *frame);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of options and their values without an option. */
#include "config.h"
#include "ssd-workloads/run/option_rows.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/units.h"
#include "ssd-workloads/backend/ladder.h"
#include "ssd-workloads/baseline/baseline.h"

#define RUNTIME_MAX_NS (7 * 86400 * UNITS_NS_PER_SEC)
#define PAUSE_MAX_NS (3600 * UNITS_NS_PER_SEC)
#define RECORD_MIN_NS (10 * UNITS_NS_PER_SEC)
#define NS_PER_MS 1000000u
#define HINT_MAX (1u << 30)
#define INTERVAL_MIN_NS 10000000u
#define RATE_MAX 100000000u
#define LABEL_NAME_MAX 64
#define LABEL_VALUE_MAX 500

static int set_mix(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->mix = mix_find(text);
	return options->mix ? 0 : -EINVAL;
}

static int set_block(const char *text, uint32_t *bytes)
{
	uint64_t value;

	if (units_parse_size(text, 1, &value) || value < 512 || value > MIX_BLOCK_MAX || value % 512)
		return -EINVAL;
	*bytes = (uint32_t)value;
	return 0;
}

static int set_area(const char *text, uint64_t *bytes)
{
	return units_parse_size(text, 1, bytes) || !*bytes || *bytes > 1ull << 50 ? -EINVAL : 0;
}

static int set_time(const char *text, uint64_t min_ns, uint64_t max_ns, uint64_t *ns)
{
	return units_parse_duration(text, ns) || *ns < min_ns || *ns > max_ns ? -EINVAL : 0;
}

static int set_count(const char *text, uint64_t min, uint64_t max, unsigned *count)
{
	uint64_t value;

	if (units_parse_u64(text, min, max, &value))
		return -EINVAL;
	*count = (unsigned)value;
	return 0;
}

#define SETTER(NAME, EXPRESSION)                                                                             \
	static int NAME(struct run_options *options, const char *text, const char **why)                     \
	{                                                                                                    \
		(void)text;                                                                                  \
		(void)why;                                                                                   \
		return (EXPRESSION);                                                                         \
	}
#define LOG override.streams[MIX_LOG]
#define CHECKPOINT override.streams[MIX_CHECKPOINT]
SETTER(set_log_block, set_block(text, &options->LOG.block_bytes))
SETTER(set_checkpoint_block, set_block(text, &options->CHECKPOINT.block_bytes))
SETTER(set_log_size, set_area(text, &options->LOG.area_bytes))
SETTER(set_checkpoint_size, set_area(text, &options->CHECKPOINT.area_bytes))
SETTER(set_pause, set_time(text, 0, PAUSE_MAX_NS, &options->CHECKPOINT.pause_ns))
SETTER(set_every, set_time(text, NS_PER_MS, PAUSE_MAX_NS, &options->CHECKPOINT.every_ns))
SETTER(set_workers, set_count(text, 1, MIX_WORKERS_MAX, &options->override.workers))
SETTER(set_runtime, set_time(text, 1, RUNTIME_MAX_NS, &options->runtime_ns))
SETTER(set_warmup, set_time(text, 0, RUNTIME_MAX_NS, &options->warmup_ns))
SETTER(set_commits, set_count(text, 1, 1000, &options->group_commit))
SETTER(set_rate, units_parse_u64(text, 1, RATE_MAX, &options->rate))
SETTER(set_seed, units_parse_u64(text, 0, UINT64_MAX, &options->seed))
SETTER(set_runs, set_count(text, 1, BASELINE_RUNS_MAX, &options->runs))
SETTER(set_post, units_parse_u64(text, 0, UINT32_MAX, &options->post))
SETTER(set_target, (options->target = text, *text ? 0 : -EINVAL))
SETTER(set_destroy, (options->destroy_data = text, *text ? 0 : -EINVAL))
SETTER(set_checkpoint_target, (options->checkpoint_target = text, *text ? 0 : -EINVAL))
SETTER(set_checkpoint_destroy, (options->checkpoint_destroy = text, *text ? 0 : -EINVAL))
SETTER(set_engine, (options->engine = text, ladder_find(text) ? 0 : -EINVAL))
SETTER(set_require, (options->require = text, ladder_find(text) ? 0 : -EINVAL))
SETTER(set_dump, (options->dump_path = text, *text && strcmp(text, "-") != 0 ? 0 : -EINVAL))
SETTER(set_xml, (options->xml_path = text, *text ? 0 : -EINVAL))
SETTER(set_json, (options->json_path = text ? text : "-", *options->json_path ? 0 : -EINVAL))
SETTER(set_unprepared, (options->is_unprepared = true, 0))
SETTER(set_kept, (options->is_kept = true, 0))
SETTER(set_sqpoll, (options->is_sqpoll = true, 0))
SETTER(set_iopoll, (options->is_iopoll = true, 0))
SETTER(set_verify, (options->has_verify = true, 0))
SETTER(set_baselines, (options->has_baselines = true, 0))

static int set_checkpoint_io(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->is_buffered = !strcmp(text, "buffered");
	return options->is_buffered || !strcmp(text, "direct") ? 0 : -EINVAL;
}

static int set_order(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->is_random = !strcmp(text, "random");
	return options->is_random || !strcmp(text, "sequential") ? 0 : -EINVAL;
}

static int set_hint(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->has_hint = true;
	return units_parse_size(text, 1, &options->hint_bytes) || options->hint_bytes > HINT_MAX ? -EINVAL : 0;
}

static int set_completion(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->CHECKPOINT.has_completion = true;
	return units_parse_double(text, 0, 1, &options->CHECKPOINT.completion);
}

static int set_log_depth(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->LOG.has_depth = true;
	return set_count(text, 0, MIX_DEPTH_MAX, &options->LOG.depth);
}

static int set_checkpoint_depth(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	options->CHECKPOINT.has_depth = true;
	return set_count(text, 0, MIX_DEPTH_MAX, &options->CHECKPOINT.depth);
}

static int set_durability(struct run_options *options, const char *text, const char **why)
{
	static const char *const names[] = {
		[BACKEND_NONE] = "none", [BACKEND_DSYNC] = "dsync", [BACKEND_FDATASYNC] = "fdatasync"};

	(void)why;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], text)) {
			options->durability = (enum backend_durability)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int set_checkpoint_sync(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	if (strcmp(text, "none") != 0 && strcmp(text, "pass") != 0)
		return -EINVAL;
	options->checkpoint_sync = *text == 'n' ? RUN_SYNC_NONE : RUN_SYNC_PASS;
	return 0;
}

static int set_trace(struct run_options *options, const char *text, const char **why)
{
	static const char *const names[] = {
		[RUN_TRACE_AUTO] = "auto", [RUN_TRACE_ON] = "on", [RUN_TRACE_OFF] = "off"};

	(void)why;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], text)) {
			options->trace = (enum run_trace)i;
			return 0;
		}
	}
	return -EINVAL;
}

static int set_interval(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	if (units_parse_duration(text, &options->interval_ns))
		return -EINVAL;
	return options->interval_ns && options->interval_ns < INTERVAL_MIN_NS ? -EINVAL : 0;
}

static int set_records(struct run_options *options, const char *text, const char **why)
{
	(void)why;
	if (units_parse_duration(text, &options->record_ns))
		return -EINVAL;
	return options->record_ns && (options->record_ns < RECORD_MIN_NS || options->record_ns > RUNTIME_MAX_NS) ? -EINVAL
													       : 0;
}

static int set_freeze(struct run_options *options, const char *text, const char **why)
{
	options->freeze_text = text;
	return freeze_parse(text, &options->freeze, why);
}

static bool is_label(const char *text, const char *equals)
{
	size_t name = (size_t)(equals - text), value = strlen(equals + 1);

	if (!name || name > LABEL_NAME_MAX || value > LABEL_VALUE_MAX)
		return false;
	for (const char *at = text; at < equals; at++) {
		if (!isalnum((unsigned char)*at) && !strchr("_.-", *at))
			return false;
	}
	for (const char *at = equals + 1; *at; at++) {
		if (!isprint((unsigned char)*at))
			return false;
	}
	return !value || (equals[1] != ' ' && equals[value] != ' ');
}

static int set_label(struct run_options *options, const char *text, const char **why)
{
	const char *equals = strchr(text, '=');
	struct report_option *label = &options->labels.list[options->labels.count];
	char *copy;

	if (!equals || !is_label(text, equals))
		return -EINVAL;
	if (options->labels.count == RUN_LABELS_MAX) {
		*why = "at most 32 labels";
		return -EINVAL;
	}
	copy = strdup(text);
	if (!copy) {
		*why = "out of memory";
		return -EINVAL;
	}
	copy[equals - text] = '\0';
	label->name = copy;
	label->value = copy + (equals - text) + 1;
	options->labels.count++;
	return 0;
}

static const char a_file[] = "must be the name of a file";
static const char a_block[] = "must be a multiple of 512 bytes up to 4 MiB, as 16k";
static const char a_depth[] = "must be 0 to 1024";
static const char an_area[] = "must be a size up to 1 PiB, as 512m";
static const char a_rung[] = "must be uring or threads";

const struct option_row option_rows[] = {
	{"mix", NULL, set_mix, "must be a mix that 'ssd-workloads list' has", false, false},
	{"log-bs", NULL, set_log_block, a_block, false, false},
	{"log-depth", NULL, set_log_depth, a_depth, false, false},
	{"log-size", NULL, set_log_size, an_area, false, false},
	{"ckpt-bs", NULL, set_checkpoint_block, a_block, false, false},
	{"ckpt-depth", NULL, set_checkpoint_depth, a_depth, false, false},
	{"ckpt-size", NULL, set_checkpoint_size, an_area, false, false},
	{"ckpt-pause", "0", set_pause, "must be a time up to 1 h, as 2s", false, false},
	{"ckpt-every", NULL, set_every, "must be a time from 1ms to 1 h, as 30s", false, false},
	{"ckpt-completion", NULL, set_completion, "must be a share from 0 to 1, as 0.9", false, false},
	{"ckpt-order", "sequential", set_order, "must be sequential or random", false, false},
	{"ckpt-io", "direct", set_checkpoint_io, "must be direct or buffered", false, false},
	{"ckpt-flush-after", NULL, set_hint, "must be a size up to 1 GiB, as 256k, or 0 for never", false, false},
	{"workers", "1", set_workers, "must be 1 to 64", false, false},
	{"durability", "none", set_durability, "must be none, dsync or fdatasync", false, false},
	{"ckpt-sync", NULL, set_checkpoint_sync, "must be none or pass", false, false},
	{"group-commit", "1", set_commits, "must be 1 to 1000", false, false},
	{"rate", NULL, set_rate, "must be 1 to 100000000 a second", false, false},
	{"target", NULL, set_target, "must be the name of a file, folder or block device", false, false},
	{"destroy-data", NULL, set_destroy, "must be the same words as --target", false, true},
	{"ckpt-target", NULL, set_checkpoint_target, "must be the name of a file, folder or block device", false, false},
	{"ckpt-destroy-data", NULL, set_checkpoint_destroy, "must be the same words as --ckpt-target", false, true},
	{"keep", NULL, set_kept, NULL, false, true},
	{"no-prepare", NULL, set_unprepared, NULL, false, false},
	{"runtime", "20s", set_runtime, "must be a time above 0 and up to 7 days, as 20s", false, false},
	{"warmup", "0", set_warmup, "must be a time up to 7 days, as 5s", false, false},
	{"engine", NULL, set_engine, a_rung, false, false},
	{"require", NULL, set_require, a_rung, false, false},
	{"sqpoll", NULL, set_sqpoll, NULL, false, false},
	{"iopoll", NULL, set_iopoll, NULL, false, false},
	{"verify", NULL, set_verify, NULL, false, false},
	{"baselines", NULL, set_baselines, NULL, false, false},
	{"runs", NULL, set_runs, "must be 1 to 1000", false, false},
	{"seed", "1", set_seed, "must be a whole number up to 2^64 - 1", false, false},
	{"records", "10s", set_records, "must be a time from 10s to 7 days, or 0 for none", false, false},
	{"freeze-if", NULL, set_freeze, "must be a condition as 'log.latency>5ms&&other>=8'", false, false},
	{"post", "0", set_post, "must be 0 to 4294967295", false, false},
	{"trace", "auto", set_trace, "must be auto, on or off", false, false},
	{"interval", "1s", set_interval, "must be a time of 10ms or more, or 0 for no series", false, false},
	{"dump", NULL, set_dump, a_file, false, true},
	{"label", NULL, set_label,
		"must be NAME=VALUE: a name of 1 to 64 letters, digits or _.-, up to 500 printable bytes, no blank at "
		"either end", true, true},
	{"file", NULL, set_xml, a_file, false, true},
	{"json", NULL, set_json, a_file, false, true},
	{0},
};

const struct option_row *option_row(const char *name)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		if (!strcmp(row->name, name))
			return row;
	}
	return NULL;
}

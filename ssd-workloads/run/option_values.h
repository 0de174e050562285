/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of the options of `ssd-workloads run`. */
#ifndef SSD_WORKLOADS_RUN_OPTION_VALUES_H
#define SSD_WORKLOADS_RUN_OPTION_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "common/cli/command.h"
#include "common/cli/label.h"
#include "common/report/start.h"
#include "common/run/slo.h"
#include "common/stats/pattern.h"
#include "ssd-workloads/backend/backend.h"
#include "ssd-workloads/record/script.h"
#include "ssd-workloads/sim/params.h"
#include "ssd-workloads/sim/policy.h"
#include "ssd-workloads/workload/mix.h"

enum run_sync { RUN_SYNC_NONE, RUN_SYNC_PASS, RUN_SYNC_AUTO /* yes, if the log is durable */ };
enum run_without { RUN_WITHOUT_NOTHING, RUN_WITHOUT_OTHER, RUN_WITHOUT_GC, RUN_WITHOUT_ERASE }; /* cause of waiting to remove */
extern const char *const run_without_names[]; /* ended by NULL */
/* Latencies that an objective can limit: responses of a stream, commits of the log, syncs of the checkpoint's passes. */
enum run_slo_of { RUN_SLO_LOG, RUN_SLO_CHECKPOINT, RUN_SLO_COMMIT, RUN_SLO_SYNC };
extern const char *const run_slo_names[]; /* ended by NULL */
enum run_trace { RUN_TRACE_AUTO, RUN_TRACE_ON, RUN_TRACE_OFF };

#define RUN_SIM_VALUES 64u

struct run_device { /* --target sim:PRESET */
	const struct sim_preset *preset;    /* NULL = a real target */
	struct sim_params params;           /* effective values; before ssd_run_options_check a scratch copy to check values */
	const char *config;                 /* --sim-config; NULL = none */
	size_t value_count;
	const char *values[RUN_SIM_VALUES]; /* --sim */
	struct sim_policies policies;       /* --policy */
	size_t policy_count;
	const char *policy_texts[SIM_POLICY_KINDS]; /* as specified */
	char why[192];
};

struct ssd_run_options {
	struct run_device device;
	const struct mix *mix;
	struct workload_override override;
	const char *target, *destroy_data;  /* destroy_data NULL = no option */
	const char *log_target, *log_destroy; /* of every second block; NULL = the same target; NULL = no option */
	const char *checkpoint_target, *checkpoint_destroy; /* the same */
	uint64_t runtime_ns, warmup_ns;
	bool accepts_limits;
	bool is_unprepared, is_kept;
	const char *engine, *require;       /* a backend's name, NULL = any */
	bool is_sqpoll, is_iopoll;
	enum backend_durability durability;
	enum run_sync checkpoint_sync;
	bool is_random;                     /* the checkpoint's blocks are written in random order */
	bool has_pattern;                   /* of a simulated device: blocks are drawn from the pattern */
	struct pattern_spec pattern;
	unsigned is_buffered;               /* 0 or 1: the checkpoint uses the page cache */
	uint64_t hint_bytes;                /* of the buffered checkpoint: bytes between calls of sync_file_range, 0 = never */
	unsigned group_commit;
	uint64_t rate;                      /* 0 = closed loop */
	uint64_t seed;
	bool has_verify, has_baselines;
	enum run_without without;
	unsigned runs;                      /* 0 = no option */
	uint64_t record_ns;                 /* time that rings hold, 0 = no records */
	struct freeze freeze;               /* no terms = no condition */
	uint64_t post;
	struct script script;               /* --at */
	enum run_trace trace;
	uint64_t interval_ns;               /* 0 = no series */
	size_t slo_count;
	struct slo slos[SLOS_MAX];          /* --slo; of: enum run_slo_of */
	const char *dump_path, *checkpoint_dump, *xml_path, *json_path; /* NULL = none */
	const char *replay_path;            /* NULL = none */
	struct label_list labels;
	struct start start; /* --start-at */
	bool is_dry_run;
	int argc;                           /* as called, for the report */
	char **argv;
	struct opt_line line;               /* with all effective options; owns the texts above */
};

#endif

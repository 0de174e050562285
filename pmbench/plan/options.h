/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The values of a command line. Each is in its range; the plan checks them against the machine. */
#ifndef PMBENCH_PLAN_OPTIONS_H
#define PMBENCH_PLAN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "common/base/units.h"
#include "common/cli/label.h"
#include "common/cli/opt.h"
#include "common/hot/ticks.h"
#include "common/pressure/pressure_options.h"
#include "common/report/start.h"
#include "common/stats/pattern.h"
#include "pmbench/memory/mapping.h"
#include "pmbench/memory/placement.h"

#define OPTIONS_PHASES 64
#define OPTIONS_AFFINITY 64
#define OPTIONS_SETSIZES 64
#define OPTIONS_TIME_MIN 1000000ull                          /* ns; of DURATION, --phase and warm-ups */
#define OPTIONS_TIME_MAX (100000000 * UNITS_NS_PER_SEC)      /* ns; of DURATION */
#define OPTIONS_HOUR (3600 * UNITS_NS_PER_SEC)

enum options_access { ACCESS_HISTO, ACCESS_TOUCH };
enum options_classify { CLASSIFY_AUTO, CLASSIFY_NONE };
enum options_warmup { WARMUP_PATTERN, WARMUP_TIME, WARMUP_NONE }; /* original length, --warmup TIME, -c */

struct options_affinity { /* -y CPUS[:THREADS] */
	char cpus[128];       /* cpulist or hwloc location */
	unsigned threads;     /* 0 = one per CPU */
};

struct options_phase { /* --phase TIME:PATTERN */
	uint64_t duration_ns;
	struct pattern_spec pattern;
};

struct pmbench_options {
	/* options of the original pmbench */
	bool has_map, has_set;
	struct units_share map, set;  /* -m -s */
	bool has_shape;
	double shape;                 /* -e as given; without effect on uniform and normal_ih, as in the original */
	const char *pattern_path;     /* of a recorded pattern; NULL = a named pattern */
	struct recorded *recorded;    /* the recorded pattern, owned */
	struct pattern_spec pattern;  /* -p, with -e and --scatter merged in; unused when there are phases */
	bool is_scattered;            /* --scatter, merged into every pattern */
	unsigned jobs;                /* -j; 0 = not given */
	enum ticks_method method;     /* -t */
	size_t affinity_count;
	struct options_affinity affinity[OPTIONS_AFFINITY]; /* -y */
	unsigned ratio;               /* -r, percent of reads */
	bool is_quiet;                /* -q */
	bool is_cold;                 /* -c or --warmup none */
	bool is_initialized;          /* -i or --content: the map is written before the run */
	const char *xml_path;         /* -f */
	bool write_needs_read;        /* -z */
	enum options_access access;   /* -a */
	uint64_t delay_ticks;         /* -d */
	int offset;                   /* -o, index of the 4-byte word in the page, as in the original; -1 = random */
	uint64_t threshold_ns;        /* -h, 0 = none */
	uint64_t duration_ns;         /* the argument; 0 = only --accesses or phases bound the run */
	bool has_duration;

	/* options that the original does not have */
	bool has_seed;
	uint64_t seed;
	size_t phase_count;
	struct options_phase phases[OPTIONS_PHASES];
	uint64_t accesses;            /* --accesses, per thread, 0 = none */
	enum options_warmup warmup;
	uint64_t warmup_ns;
	uint64_t warmup_limit_ns;     /* of WARMUP_PATTERN; 0 = the duration */
	bool is_store_visible;
	bool accepts_limits;          /* --accept-limit */
	bool is_forced;               /* --force: run on a clock that is not trusted */
	bool wants_hdr;
	enum options_classify classify;
	bool wants_kernel_split;
	struct mapping_request mapping;   /* --map --content --thp */
	struct placement_request placement; /* --membind --interleave --preferred --balancing --cpus */
	unsigned processes;
	size_t setsize_count;
	struct units_share setsizes[OPTIONS_SETSIZES]; /* --setsize-list, one per process */
	struct pressure_plan pressure;    /* --ram --swap --eater */
	bool has_interval;
	uint64_t interval_ns;
	double media_latency_us;          /* --media-latency, 0 = not given */
	const char *json_path;
	const char *replay_path;
	struct label_list labels;
	struct start start;               /* --start-at */
	bool is_brief;                    /* --brief */
	bool is_dry_run;
	enum pressure_recovery recovery;  /* --recover */
	struct opt_line line;             /* owns the texts; the report lists its effective options */
	int argc;
	char **argv;
};

/* Returns whether the text output goes to stdout: not if a report is written there. */
static inline bool options_prints_text(const struct pmbench_options *options)
{
	return !opt_is_stdout(options->xml_path) && !opt_is_stdout(options->json_path);
}

#endif

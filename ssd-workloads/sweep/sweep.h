/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep: a search over a parameter of `run`, its options, its measurements and its report. */
#ifndef SSD_WORKLOADS_SWEEP_SWEEP_H
#define SSD_WORKLOADS_SWEEP_SWEEP_H

#include "common/base/progress.h"
#include "common/cli/opt.h"
#include "ssd-workloads/run/options.h"
#include "ssd-workloads/run/result.h"
#include "ssd-workloads/sweep/search.h"

#define SWEEP_TEXT 640 /* a sentence */

struct sweep_parameter {
	const char *name;      /* of the option */
	bool is_reversed;      /* a smaller value is a higher load */
	const char *overload;  /* reason that a run has if the target did not keep up; NULL = none */
	void (*set)(struct workload_override *override, uint64_t value); /* NULL = the rate, which belongs to no stream */
};

struct sweep_options {
	struct ssd_run_options run; /* first, because rows shared with `run` use its offsets */
	const struct sweep_parameter *parameter;
	uint64_t low, high;     /* above 0 */
};

struct sweep { /* too large for a stack */
	struct sweep_options options;
	struct ssd_run_options point;      /* options of the run that is measured */
	struct search search;
	enum mix_stream stream;        /* stream of the means: the log if there is one */
	struct frame frame;            /* of the first run, with the checks of all runs and the sweep's own reasons */
	bool has_frame;
	struct progress progress;
};

extern const struct opt sweep_option_rows[];
extern const struct opt_relation sweep_option_relations[];
/* callback of struct command */
int sweep_options_check(void *data, struct opt_line *line);
/* Sets the parameter in the options of a run. */
void sweep_set(const struct sweep_options *options, uint64_t value, struct ssd_run_options *run);
/* Formats a value of the parameter as its option takes it. */
void sweep_format(const struct sweep_options *options, uint64_t value, char text[OPT_WHOLE]);

/* Formats the answer in one sentence. Returns text. */
const char *sweep_answer(const struct sweep *sweep, char text[SWEEP_TEXT]);
/* Prints the table of the points, the answer and the knee. */
void sweep_text(FILE *out, const struct sweep *sweep);
/* Writes the report to the files of the options. Returns a diag_exit code, after an error message if it is not 0. */
int sweep_report(struct sweep *sweep);

#endif

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report says of the split. */
#include "config.h"
#include "ssd-workloads/run/report.h"

#include <math.h>
#include <stdio.h>

#include "common/report.h"

static void write_stream(struct report *report, const struct run_split *split, enum mix_stream stream)
{
	const double *means = split->mean_ns[stream];

	if (isnan(means[SPLIT_QUEUE]) || isnan(means[SPLIT_DEVICE]))
		return;
	report_begin(report, "stream_split");
	report_attribute(report, "stream", mix_stream_name(stream));
	if (!split->why_not) {
		report_double(report, "batching_ns", means[SPLIT_BATCHING]);
		report_double(report, "submit_ns", means[SPLIT_SUBMIT]);
	}
	report_double(report, "queue_ns", means[SPLIT_QUEUE]);
	report_double(report, "device_ns", means[SPLIT_DEVICE]);
	if (!split->why_not)
		report_double(report, "reap_ns", means[SPLIT_REAP]);
	report_end(report);
}

void report_write_split(struct report *report, const struct run_split *split)
{
	report_begin(report, "split");
	if (split->why_not) {
		report_text(report, "not_available", split->why_not);
	} else {
		report_u64(report, "joined", split->counts.joined);
		report_u64(report, "merged", split->counts.merged);
		report_u64(report, "unjoined", split->counts.unjoined);
		report_u64(report, "lost_events", split->counts.lost_events);
	}
	for (int stream = 0; stream < MIX_STREAMS; stream++)
		write_stream(report, split, (enum mix_stream)stream);
	report_end(report);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* <baselines>: docs/report-ssd.md. */
#include "config.h"
#include "ssd-workloads/run/report.h"

static void write_ratio(struct report *report, enum mix_stream stream, enum baseline_statistic statistic,
	const struct baseline_ratio *ratio)
{
	report_begin(report, "interference");
	report_attribute(report, "stream", mix_stream_name(stream));
	report_attribute(report, "statistic", baseline_statistic_name(statistic));
	report_double(report, "value", ratio->ratio);
	report_double(report, "low", ratio->low);
	report_double(report, "high", ratio->high);
	report_double(report, statistic == BASELINE_THROUGHPUT ? "alone_per_second" : "alone_ns", ratio->alone);
	report_double(report, statistic == BASELINE_THROUGHPUT ? "mix_per_second" : "mix_ns", ratio->mix);
	report_end(report);
}

void report_write_baselines(struct report *report, const struct baseline_result *baselines)
{
	report_begin(report, "baselines");
	report_u64(report, "runs", baselines->runs);
	for (int stream = 0; stream < MIX_STREAMS; stream++) {
		for (int statistic = 0; statistic < BASELINE_STATISTICS; statistic++) {
			const struct baseline_ratio *ratio = &baselines->ratios[stream][statistic];

			if (ratio->is_known)
				write_ratio(report, (enum mix_stream)stream, (enum baseline_statistic)statistic, ratio);
		}
	}
	report_end(report);
}

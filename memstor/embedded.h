/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that are embedded in the program, so that it needs no data files. */
#ifndef MEMSTOR_EMBEDDED_H
#define MEMSTOR_EMBEDDED_H

#include <stddef.h>

struct embedded {
	const char *text; /* followed by a NUL */
	size_t size;      /* without the NUL */
};

struct embedded embedded_viewer(void); /* viewer/viewer.html */
struct embedded embedded_schema(void); /* docs/memstor-report.xsd */
/* suites/NAME.suite; suite/find.h finds them by name. */
struct embedded embedded_suite_smoke(void);
struct embedded embedded_suite_ci(void);
struct embedded embedded_suite_paging(void);
struct embedded embedded_suite_paper_pmbench(void);
struct embedded embedded_suite_paper_cawl(void);
struct embedded embedded_suite_instrumented_ssd(void);
struct embedded embedded_suite_log_checkpoint(void);
struct embedded embedded_suite_write_cost(void);
/* plot/NAME.gp: the common part of all pictures, and a template for each kind; plot/plot.h lists them by kind. */
struct embedded embedded_plot_access_count(void);
struct embedded embedded_plot_access_map(void);
struct embedded embedded_plot_bars(void);
struct embedded embedded_plot_buffer(void);
struct embedded embedded_plot_cdf(void);
struct embedded embedded_plot_common(void);
struct embedded embedded_plot_cost(void);
struct embedded embedded_plot_errors(void);
struct embedded embedded_plot_heatmap(void);
struct embedded embedded_plot_histogram(void);
struct embedded embedded_plot_hot_set(void);
struct embedded embedded_plot_interference(void);
struct embedded embedded_plot_trace(void);
struct embedded embedded_plot_lba(void);
struct embedded embedded_plot_miss_ratio(void);
struct embedded embedded_plot_percentile(void);
struct embedded embedded_plot_popularity(void);
struct embedded embedded_plot_prediction(void);
struct embedded embedded_plot_ratios(void);
struct embedded embedded_plot_reuse_distance(void);
struct embedded embedded_plot_series(void);
struct embedded embedded_plot_slowest(void);
struct embedded embedded_plot_stride(void);
struct embedded embedded_plot_tail(void);
struct embedded embedded_plot_volume(void);
/* Pictures of the simulated device. */
struct embedded embedded_plot_attribution(void);
struct embedded embedded_plot_bandwidth(void);
struct embedded embedded_plot_collections(void);
struct embedded embedded_plot_copies(void);
struct embedded embedded_plot_counters(void);
struct embedded embedded_plot_gantt(void);
struct embedded embedded_plot_segments(void);
struct embedded embedded_plot_window(void);

#endif

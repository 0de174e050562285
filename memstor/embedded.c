/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The assembler reads the files, so that no generator is needed, also in cross builds. -Wa,-I sets their folder. */
#include "memstor/embedded.h"

#define EMBED(name, file)                                                                                    \
	__asm__(".section .rodata\n"                                                                         \
		"embedded_" #name "_begin: .incbin \"" file "\"\n"                                          \
		"embedded_" #name "_end: .byte 0\n"                                                         \
		".previous");                                                                               \
	extern const char embedded_##name##_begin[] __attribute__((visibility("hidden")));                   \
	extern const char embedded_##name##_end[] __attribute__((visibility("hidden")));                     \
	struct embedded embedded_##name(void)                                                                \
	{                                                                                                    \
		return (struct embedded){embedded_##name##_begin,                                            \
			(size_t)(embedded_##name##_end - embedded_##name##_begin)};                          \
	}

EMBED(viewer, "memstor/viewer/viewer.html")
EMBED(schema, "docs/memstor-report.xsd")
EMBED(suite_smoke, "suites/smoke.suite")
EMBED(suite_ci, "suites/ci.suite")
EMBED(suite_paging, "suites/paging.suite")
EMBED(suite_paper_pmbench, "suites/paper-pmbench.suite")
EMBED(suite_paper_cawl, "suites/paper-cawl.suite")
EMBED(suite_instrumented_ssd, "suites/instrumented-ssd.suite")
EMBED(suite_log_checkpoint, "suites/log-checkpoint.suite")
EMBED(suite_write_cost, "suites/write-cost.suite")
EMBED(plot_access_count, "memstor/plot/access-count.gp")
EMBED(plot_access_map, "memstor/plot/access-pattern.gp")
EMBED(plot_volume, "memstor/plot/accessed-volume.gp")
EMBED(plot_bars, "memstor/plot/bars.gp")
EMBED(plot_buffer, "memstor/plot/buffer.gp")
EMBED(plot_cdf, "memstor/plot/cdf.gp")
EMBED(plot_common, "memstor/plot/common.gp")
EMBED(plot_cost, "memstor/plot/cost.gp")
EMBED(plot_errors, "memstor/plot/errors.gp")
EMBED(plot_heatmap, "memstor/plot/heatmap.gp")
EMBED(plot_histogram, "memstor/plot/histogram.gp")
EMBED(plot_hot_set, "memstor/plot/hot-set.gp")
EMBED(plot_interference, "memstor/plot/interference.gp")
EMBED(plot_trace, "memstor/plot/kernel-trace.gp")
EMBED(plot_lba, "memstor/plot/lba.gp")
EMBED(plot_miss_ratio, "memstor/plot/miss-ratio.gp")
EMBED(plot_percentile, "memstor/plot/percentile.gp")
EMBED(plot_popularity, "memstor/plot/popularity.gp")
EMBED(plot_prediction, "memstor/plot/prediction.gp")
EMBED(plot_ratios, "memstor/plot/ratios.gp")
EMBED(plot_reuse_distance, "memstor/plot/reuse-distance.gp")
EMBED(plot_series, "memstor/plot/series.gp")
EMBED(plot_slowest, "memstor/plot/slowest.gp")
EMBED(plot_stride, "memstor/plot/stride.gp")
EMBED(plot_tail, "memstor/plot/tail.gp")
EMBED(plot_attribution, "memstor/plot/attribution.gp")
EMBED(plot_bandwidth, "memstor/plot/bandwidth.gp")
EMBED(plot_collections, "memstor/plot/collections.gp")
EMBED(plot_copies, "memstor/plot/copies.gp")
EMBED(plot_counters, "memstor/plot/counters.gp")
EMBED(plot_gantt, "memstor/plot/gantt.gp")
EMBED(plot_segments, "memstor/plot/segments.gp")
EMBED(plot_window, "memstor/plot/window.gp")

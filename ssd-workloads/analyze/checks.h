/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The checks of figures[]: the expected results of figures of the simulated device. */
#ifndef SSD_WORKLOADS_ANALYZE_CHECKS_H
#define SSD_WORKLOADS_ANALYZE_CHECKS_H

#include "ssd-workloads/analyze/device_figures.h"

figure_check check_segments, check_collections, check_ratios, check_scheduled, check_delayed, check_tail, check_copies,
	check_places, check_counters, check_window, check_bandwidth, check_interference, check_attribution;

#endif

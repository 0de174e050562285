/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/predict/split.h"

#include <math.h>

void split_make(const struct prediction *prediction, const char *predicted_by, double measured_ns, struct split *split)
{
	double scale = measured_ns > 0 ? 100 / measured_ns : 0, syscall = 0, copy = 0, throttle = 0, device = 0;

	for (size_t i = 0; i < prediction->count; i++) {
		const struct model_cost *cost = &prediction->costs[i];

		syscall += cost->syscall_ns;
		copy += cost->copy_ns;
		throttle += cost->throttle_ns;
		device += cost->device_ns;
	}
	/* A share below zero is the rounding of a difference, or a model as printed (is_paper_literal). */
	*split = (struct split){
		.predicted_by = predicted_by,
		.syscall_percent = fmax(0, syscall) * scale,
		.copy_percent = fmax(0, copy) * scale,
		.throttle_percent = fmax(0, throttle) * scale,
		.device_percent = fmax(0, device) * scale,
	};
	split->residual_percent = 100 - split->syscall_percent - split->copy_percent - split->throttle_percent -
				  split->device_percent;
}

void split_write(struct report *report, const struct split *split)
{
	report_begin(report, "cost_split");
	report_text(report, "predicted_by", split->predicted_by);
	report_double(report, "syscall_percent", split->syscall_percent);
	report_double(report, "copy_percent", split->copy_percent);
	report_double(report, "throttle_percent", split->throttle_percent);
	report_double(report, "device_percent", split->device_percent);
	report_double(report, "residual_percent", split->residual_percent);
	report_end(report);
}

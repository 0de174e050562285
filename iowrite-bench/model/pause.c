/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/model/pause.h"

#include <math.h>

#define PAGE 4096.0
#define POLL_PAGES 32.0  /* DIRTY_POLL_THRESH: checks are not more frequent */
#define MOST_PAUSE_S 0.2 /* MAX_PAUSE, which wb_max_pause comes down from where little is dirty */

static double octave(double pages)
{
	return floor(log2(fmax(1, pages)));
}

double pause_check_bytes(const struct model_control *control, double ratelimit, double device_rate)
{
	double hz, second, ticks, above, pages;

	if (!(control->tick_s > 0 && control->step_bytes > 0 && ratelimit > 0))
		return 0;
	hz = round(1 / control->tick_s);
	second = exp2(ceil(log2(hz)));
	/* wb_min_pause aims at a pause of 10 ms, and longer where the device seems to have more than one writer. */
	above = octave(device_rate / PAGE) - octave(ratelimit / PAGE);
	ticks = fmax(1, floor(hz / 100)) + (above > 0 ? floor(above * 10 * hz / 1024) : 0);
	pages = floor(ratelimit / PAGE * ticks / second);
	if (pages < POLL_PAGES)
		pages = fmin(POLL_PAGES, floor(ratelimit / PAGE * floor(MOST_PAUSE_S * hz) / second));
	return fmax(1, ceil(pages * PAGE / control->step_bytes)) * control->step_bytes;
}

double pause_mean_s(const struct model_control *control, double bytes, double rate, double check_bytes)
{
	double each_s = check_bytes / rate, ticks;

	if (!(check_bytes > 0))
		return bytes / rate;
	ticks = each_s / control->tick_s;
	/* Truncation takes half a tick in the mean. Below a tick the kernel doubles the bytes between two checks until there is
	 * one: the loss, between nothing and half a tick, is interpolated smoothly. */
	ticks -= (ticks < 1 ? ticks * ticks : 1) / 2;
	return bytes / check_bytes * ticks * control->tick_s;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "iowrite-bench/model/pause.h"

#include <math.h>

#define PAGE 4096.0
#define POLL_PAGES 32.0  /* DIRTY_POLL_THRESH: it does not look more often */
#define MOST_PAUSE_S 0.2 /* MAX_PAUSE, which wb_max_pause comes down from where little is dirty */

static double octave(double pages)
{
	return floor(log2(fmax(1, pages)));
}

/* wb_min_pause: for a pause of 10 ms, and longer where the device seems to have more than one writer. */
static double wanted_ticks(double hz, double ratelimit, double device_rate)
{
	double ticks = fmax(1, floor(hz / 100)), above = octave(device_rate / PAGE) - octave(ratelimit / PAGE);

	return ticks + (above > 0 ? floor(above * 10 * hz / 1024) : 0);
}

static double wanted_pages(double hz, double ratelimit, double device_rate)
{
	double second = exp2(ceil(log2(hz)));
	double pages = floor(ratelimit / PAGE * wanted_ticks(hz, ratelimit, device_rate) / second);

	return pages < POLL_PAGES ? fmin(POLL_PAGES, floor(ratelimit / PAGE * floor(MOST_PAUSE_S * hz) / second)) : pages;
}

double pause_check_bytes(const struct model_control *control, double ratelimit, double device_rate)
{
	double pages;

	if (!(control->tick_s > 0 && control->step_bytes > 0 && ratelimit > 0))
		return 0;
	pages = wanted_pages(round(1 / control->tick_s), ratelimit, device_rate);
	return fmax(1, ceil(pages * PAGE / control->step_bytes)) * control->step_bytes;
}

/* Below a tick the kernel looks at twice, four times as much, until there is one: between nothing and half a tick of what it
 * then is, a smooth way between. */
static double cut(double ticks)
{
	return ticks - (ticks < 1 ? ticks * ticks : 1) / 2;
}

double pause_mean_s(const struct model_control *control, double bytes, double rate, double check_bytes)
{
	double each_s = check_bytes / rate;

	if (!(check_bytes > 0))
		return bytes / rate;
	return bytes / check_bytes * cut(each_s / control->tick_s) * control->tick_s;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "config.h"
#include "memstor/plot/options_parts.h"

#include "memstor/plot/kind.h"

const struct argp_option plot_option_table[] = {
	{"output", 'o', "FILE", 0, "write the picture there; - is stdout", 0},
	{"format", KEY_FORMAT, "svg|png|pdf", 0, "what FILE is, if not by its suffix", 0},
	{"keep-script", KEY_KEEP_SCRIPT, "FILE", OPTION_ARG_OPTIONAL, "keep the script with its data (OUTPUT.gp)", 0},
	{"size", KEY_SIZE, "WxH", 0, "pixels (svg and pdf 960x600, png 1920x1200)", 0},
	{"title", KEY_TITLE, "TEXT", 0, "in place of the one made from the options", 0},
	{"legend", KEY_LEGEND, "NAME,...", 0, "labels, options or facts that name the reports; repeatable", 0},
	{"type", KEY_TYPE, "TYPE", 0, "read, write, sync, or both (default); of streams response, service, commit", 0},
	{"class", KEY_CLASS, "CLASS,...", 0, "all (default), hit, minor, major, or cells, as 'pwrite.*'; repeatable", 0},
	{"y", KEY_Y, "log|linear", 0, "scale of the y axis", 0},
	{"share", KEY_SHARE, NULL, 0, "y in shares of all accesses", 0},
	{"mark", KEY_MARK, "PERCENTILES", 0, "mark p50,p99.9 (p50,p99), or none; repeatable", 0},
	{"x-range", KEY_X_RANGE, "LOW:HIGH", 0, "latencies on the x axis, as 100ns:1ms", 0},
	{"y-range", KEY_Y_RANGE, "LOW:HIGH", 0, "latencies on the y axis", 0},
	{"from", KEY_FROM, "TIME", 0, "only what was measured from then on", 0},
	{"to", KEY_TO, "TIME", 0, "only what was measured until then", 0},
	{"metric", KEY_METRIC, "NAME,...", 0, "numbers to show, as p99 or write.p50; repeatable", 0},
	{"counter", KEY_COUNTER, "NAME,...", 0, "a counter on the second axis, as meminfo.Dirty; repeatable", 0},
	{"threshold", KEY_THRESHOLD, "VALUE", 0, "a line at 100us, 1G, 5000 or 2e6/s, or VALUE:LABEL; repeatable", 0},
	{"group-by", KEY_GROUP_BY, "NAME", 0, "runs with the same label, option or fact are a group", 0},
	{"scenario", KEY_SCENARIO, "ID[:N]", 0, "of an evaluation (the first), and which repetition", 0},
	{"model", KEY_MODEL, "NAME,...", 0, "naive, cawl, kernel (all of them); repeatable", 0},
	{0},
};

const struct plot_option_use plot_option_uses[PLOT_OPTION_USES] = {
	{KEY_TYPE, PLOT_TAKES_TYPE},
	{KEY_CLASS, PLOT_TAKES_CLASS},
	{KEY_MARK, PLOT_TAKES_MARK},
	{KEY_METRIC, PLOT_TAKES_METRIC},
	{KEY_COUNTER, PLOT_TAKES_COUNTER},
	{KEY_THRESHOLD, PLOT_TAKES_THRESHOLD},
	{KEY_FROM, PLOT_TAKES_WINDOW},
	{KEY_TO, PLOT_TAKES_WINDOW},
	{KEY_X_RANGE, PLOT_TAKES_X_RANGE},
	{KEY_Y_RANGE, PLOT_TAKES_Y_RANGE},
	{KEY_Y, PLOT_TAKES_Y},
	{KEY_SHARE, PLOT_TAKES_SHARE},
	{KEY_GROUP_BY, PLOT_TAKES_GROUPS},
	{KEY_LEGEND, PLOT_TAKES_LEGEND},
	{KEY_SCENARIO, PLOT_TAKES_SCENARIO},
	{KEY_MODEL, PLOT_TAKES_MODEL},
};

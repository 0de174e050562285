# SPDX-License-Identifier: GPL-3.0-or-later
# $data: an index for each report; touched bytes before a bin, samples of each of its buckets, buckets, size of a bucket,
# touched bytes behind it. $regions of the first report: touched bytes from, to; $region_names; $names of the reports.
eval put_names
bottom = lower + below
single = |$names| == 1
# Names of ranges and mappings stand over the panel, where there is room.
if (single) { upper = upper - 16 }
eval put_panel(left, right, bottom, upper)
log_y = is_log(y_high > 30 * max(y_least, 1))
eval axis("y", log_y, 0, y_least, y_high, 0, "")
floor_y = log_y ? log_low(y_least, max(y_least, y_high)) : 0
eval linear_tics("x", 0, x_high, "B", 6)
set xlabel "touched memory in the order of addresses" textcolor rgb ink
set ylabel "samples of a bucket" textcolor rgb ink
last_x = 0
do for [i=1:(single ? |$regions| : 0)] {
	from = field($regions[i], 1); to = field($regions[i], 2)
	if (i > 1) { set arrow from first from, graph 0 to first from, graph 1 nohead back linewidth 0.6 linecolor rgb weak }
	wide = (to - from) / x_high * (right - left)
	if (wide > strlen($region_names[i]) * 6) {
		set label $region_names[i][2:*] at first (from + to) / 2, graph 1 center offset 0,0.5 front font ",11" textcolor rgb weak
	}
}
plot for [i=1:|$names|] $data index i - 1 using (0.5*($1+$5)):2:1:5:(floor_y):2 with boxxyerror fillcolor rgb colour(i - 1) \
		fillstyle solid single ? 0.85 : 0.4 border linecolor rgb colour(i - 1) linewidth 0.5 notitle, \
	for [i=1:(single ? 0 : |$names|)] keyentry with lines linewidth 4 linecolor rgb colour(i - 1) title $names[i][2:*]

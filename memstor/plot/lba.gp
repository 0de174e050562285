# SPDX-License-Identifier: GPL-3.0-or-later
# $data: an index for each stream; seconds, offset in bytes. $names, $styles: colour, dash.
eval put_names
eval put_panel(left, right, lower + below, upper)
eval linear_tics("x", min(x_low, 0), top(min(x_low, 0), x_high, "s"), "s", 6)
# From power to power of two is far for an area's end.
eval linear_tics("y", 0, max(y_high, 1) * 1.02, "B", 6)
set xlabel "time since the measurement began (s)" textcolor rgb ink
set ylabel "place in the target" textcolor rgb ink
plot for [i=1:|$names|] $data index i - 1 using 1:2 with points pointtype 7 pointsize 0.25 linecolor rgb colour(field($styles[i], 1)) notitle, \
	for [i=1:|$names|] keyentry with points pointtype 7 pointsize 0.8 linecolor rgb colour(field($styles[i], 1)) title $names[i][2:*]

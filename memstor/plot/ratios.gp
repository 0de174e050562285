# SPDX-License-Identifier: GPL-3.0-or-later
# over_write: 1 = ratios to a flash write. $data: an index for each curve; ratio from which a step begins, percent of writes in it. $names, $styles: colour, dash.
eval put_names
upper = upper - 14
eval put_panel(left, right, lower + below, upper)
eval linear_axis("x", 0, x_high, "")
eval linear_axis("y", 0, y_high, "%")
unity = over_write ? "undisturbed flash write" : "median of the stream alone"
set xlabel "response time over the ".unity textcolor rgb ink
set ylabel "share of writes in each step of 0.05" textcolor rgb ink
set arrow from first 1, graph 0 to first 1, graph 1 nohead front linewidth 1 dashtype 3 linecolor rgb weak
set label unity at first 1, graph 1 center offset 0,0.6 front font ",11" textcolor rgb weak
plot for [i=1:|$names|] $data index i - 1 using 1:2 with steps linewidth 2 + 0.01 * field($styles[i], 2) \
	dashtype int(field($styles[i], 2)) + 1 linecolor rgb colour(field($styles[i], 1)) title $names[i][2:*]

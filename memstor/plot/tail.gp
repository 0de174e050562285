# SPDX-License-Identifier: GPL-3.0-or-later
# $data: an index for each curve; response time in ns, percent that took longer. $names, $styles: colour, dash.
eval put_names
eval put_panel(left, right, lower + below, upper)
eval log_axis("x", x_least, x_high, "ns")
eval log_axis("y", y_least, y_high, "%")
set xlabel "response time of a write" textcolor rgb ink
set ylabel "share of writes that took longer" textcolor rgb ink
plot for [i=1:|$names|] $data index i - 1 using 1:2 with lines linewidth 2 + 0.01 * field($styles[i], 2) \
	dashtype int(field($styles[i], 2)) + 1 linecolor rgb colour(field($styles[i], 1)) title $names[i][2:*]

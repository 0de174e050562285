# SPDX-License-Identifier: GPL-3.0-or-later
# $data: an index for each report; stride in bytes, percent of all pairs of samples. $names of the reports.
eval put_names
eval put_panel(left, right, lower + below, upper)
reach = max(abs(x_low), abs(x_high)) * 1.05 + 1
eval linear_tics("x", -reach, reach, "", 6)
eval linear_axis("y", 0, y_high, "%")
set xlabel "bytes from one sample of a thread to its next" textcolor rgb ink
set ylabel "share of pairs" textcolor rgb ink
set arrow from first 0, graph 0 to first 0, graph 1 nohead back linewidth 0.8 dashtype 3 linecolor rgb weak
plot for [i=1:|$names|] $data index i - 1 using 1:2 with impulses linewidth 3 linecolor rgb colour(i - 1) notitle, \
	for [i=1:|$names|] $data index i - 1 using 1:2 with points pointtype 7 pointsize 0.5 linecolor rgb colour(i - 1) notitle, \
	for [i=1:|$names|] keyentry with points pointtype 7 pointsize 0.8 linecolor rgb colour(i - 1) \
		title (strlen($names[i]) > 1 ? $names[i][2:*] : "")

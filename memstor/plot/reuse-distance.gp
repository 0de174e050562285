# SPDX-License-Identifier: GPL-3.0-or-later
# $data: an index for each report; samples between two of a bucket from, percent of all samples, bytes touched meanwhile,
# samples to. $names of the reports.
eval put_names
single = |$names| == 1
eval put_panel(left, right, lower + below, upper)
eval log_axis("x", x_least, 2 * x_high, "")
eval linear_axis("y", 0, y_high, "%")
set xlabel "samples from one of a bucket to the next" textcolor rgb ink
set ylabel "share of samples, for each doubling" textcolor rgb ink
plot for [i=1:(single ? 1 : 0)] $data index i - 1 using (sqrt($1*$4)):2:1:4:(0):2 with boxxyerror fillcolor rgb colour(0) \
		fillstyle solid 0.7 border linecolor rgb "#ffffff" notitle, \
	for [i=1:(single ? 0 : |$names|)] $data index i - 1 using (sqrt($1*$4)):2 with linespoints pointtype 7 pointsize 0.5 linewidth 2 \
		linecolor rgb colour(i - 1) title $names[i][2:*]

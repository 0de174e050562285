# SPDX-License-Identifier: GPL-3.0-or-later
# $data: an index for each report; rank, samples, samples by the fitted Zipf distribution. $names of the reports.
eval put_names
eval put_panel(left, right, lower + below, upper)
eval log_axis("x", x_least, max(x_high, 2), "")
eval log_axis("y", y_least, max(y_high, 2), "")
set xlabel "rank of a bucket" textcolor rgb ink
set ylabel "samples" textcolor rgb ink
plot for [i=1:|$names|] $data index i - 1 using 1:2 with points pointtype 7 pointsize 0.4 linecolor rgb colour(i - 1) notitle, \
	for [i=1:|$names|] $data index i - 1 using 1:3 with lines linewidth 1.6 dashtype 2 linecolor rgb colour(i - 1 + (|$names| == 1 ? 4 : 0)) notitle, \
	for [i=1:|$names|] keyentry with points pointtype 7 pointsize 0.8 linecolor rgb colour(i - 1) \
		title (strlen($names[i]) > 1 ? $names[i][2:*] : "")

# SPDX-License-Identifier: GPL-3.0-or-later
# $data: an index for each report; size of the buffer, miss ratio, its interval from, to. $names of the reports.
eval put_names
eval put_panel(left, right, lower + below, upper)
eval linear_tics("x", 0, x_high * 1.02, "B", 6)
eval linear_tics("y", 0, top(0, 100 * y_high, "%"), "%", 6)
set xlabel "size of the buffer" textcolor rgb ink
set ylabel "accesses that miss it" textcolor rgb ink
plot for [i=1:|$names|] $data index i - 1 using 1:(100 * $3):(100 * $4) with filledcurves fillcolor rgb colour(i - 1) notitle, \
	for [i=1:|$names|] $data index i - 1 using 1:(100 * $2) with lines linewidth 2 linecolor rgb colour(i - 1) \
		title (strlen($names[i]) > 1 ? $names[i][2:*] : "")

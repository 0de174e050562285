# SPDX-License-Identifier: GPL-3.0-or-later
# $names of the curves ("" where the one before of the same colour has the name), $styles: colour and dash of each.
# $data: an index for each curve; latency in ns, height, count. $marks: latency, colour, dash.
# zero: where latencies of 0 are drawn, from half of it; 0 = there are none.
eval put_names
eval put_panel(left, right, lower + below, upper)
log_y = is_log(1)
# The lowest stands out from the floor, too; and a few equal ones are not drawn as different.
floor_y = log_y ? min(y_least / 2, y_high / 10) : 0
eval axis("y", log_y, 0, floor_y, y_high, 0, share ? "%" : "")
if (log_y) { floor_y = log_low(floor_y, y_high) }
eval axis("x", 1, x_low, x_least, x_high, x_given, "ns")
eval zero_tic("x", zero / sqrt(2))
things = what eq "access" ? "accesses" : "operations"
set xlabel "latency of an ".what textcolor rgb ink
set ylabel (share ? "share of ".things." per 1/16 doubling of latency" : things." per doubling of latency") textcolor rgb ink
do for [i=1:|$marks|] {
	set arrow from first field($marks[i], 1), graph 0 to first field($marks[i], 1), graph 1 nohead front \
		linewidth 1 + 0.01 * i dashtype int(field($marks[i], 3)) + 1 linecolor rgb colour(field($marks[i], 2))
}
height_of(y) = y > floor_y ? y : floor_y
n = |$styles|
# More areas over one another are mud.
plot for [i=1:(n <= 2 ? n : 0)] $data index i - 1 using 1:(height_of($2)) with filledcurves y=floor_y \
		fillcolor rgb colour(field($styles[i], 1)) notitle, \
	for [i=1:n] $data index i - 1 using 1:(height_of($2)) with lines linewidth thin(field($styles[i], 2)) \
		dashtype int(field($styles[i], 2)) + 1 linecolor rgb colour(field($styles[i], 1)) title $names[i][2:*]

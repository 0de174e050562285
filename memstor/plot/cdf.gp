# SPDX-License-Identifier: GPL-3.0-or-later
# $names, $styles, $marks, zero: as in histogram.gp. samples: of the curve that has most. $data: an index for
# each curve; latency in ns, percent up to it, percent beyond, count.
log_y = scale_y eq "log"
left = log_y ? left + 14 : left
eval put_names
eval put_panel(left, right, lower + below, upper)
# One sample must still be seen.
floor_y = log_y ? min(50. / samples, 50) : 0
eval log_y ? exact_log_axis("y", floor_y, 100, "%") : linear_tics("y", 0, 100, "%", 5)
eval axis("x", 1, x_low, x_least, x_high, x_given, "ns")
eval zero_tic("x", zero / sqrt(2))
things = what eq "access" ? "accesses" : "operations"
set xlabel "latency of an ".what textcolor rgb ink
set ylabel "share of ".things.(log_y ? " that took longer" : " that took at most this long") textcolor rgb ink
do for [i=1:|$marks|] {
	set arrow from first field($marks[i], 1), graph 0 to first field($marks[i], 1), graph 1 nohead front \
		linewidth 1 + 0.01 * i dashtype int(field($marks[i], 3)) + 1 linecolor rgb colour(field($marks[i], 2))
}
n = |$styles|
plot for [i=1:n] $data index i - 1 using 1:(log_y ? max($3, floor_y) : $2) with lines linewidth thin(field($styles[i], 2)) \
		dashtype int(field($styles[i], 2)) + 1 linecolor rgb colour(field($styles[i], 1)) title $names[i][2:*]

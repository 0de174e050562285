# SPDX-License-Identifier: GPL-3.0-or-later
# $names, $styles: as in histogram.gp. samples: of the curve that has most. $data: an index for each curve;
# 1 / (1 - p), latency in ns. zero: where latencies of 0 are drawn; 0 = there are none.
eval put_names
eval put_panel(left, right, lower + below, upper)
log_y = is_log(1)
eval axis("y", log_y, y_low, log_y && zero > 0 && !y_given ? zero : y_least, y_high, y_given, "ns")
if (log_y) { eval zero_tic("y", zero) }
eval axis_range("x", 1, max(samples, 10) * 1.2).axis_tics("x")
set logscale x
if (samples < 1e5) { set xtics add ("0 %%" 1) }
set xtics add ("50 %%" 2)
# One nine more at each; the last one has room to its left alone.
do for [nines=1:floor(log10(max(samples, 10)) + 1e-9)] {
	set xtics add (sprintf("%.12g %%%%", 100 - 100. / 10**nines) 10**nines)
}
set xlabel "percentile" textcolor rgb ink
set ylabel "latency of an ".what textcolor rgb ink
n = |$styles|
plot for [i=1:n] $data index i - 1 using 1:(log_y && $2 <= 0 ? zero : $2) with lines linewidth thin(field($styles[i], 2)) \
		dashtype int(field($styles[i], 2)) + 1 linecolor rgb colour(field($styles[i], 1)) title $names[i][2:*]

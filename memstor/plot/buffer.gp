# SPDX-License-Identifier: GPL-3.0-or-later
# $data: an index for each program; memory, median of the slowdown, least, largest. $curves: an index for each; size of a buffer,
# miss ratio, or, is_hot_set, samples of the buckets that fill it. $names of the programs.
# slowdown_most: the largest median; ratio_most: the largest miss ratio in a measured size.
right = W - 92
eval put_names
eval put_panel(left, right, lower + below, upper)
set border 11
log_y = is_log(0)
eval linear_tics("x", 0, x_high * 1.02, "B", 8)
eval axis("y", log_y, 0, y_least, y_high, 0, "")
y_top = log_y ? log_high(y_least, y_high) : top(0, y_high, "")
# No misses are at a slowdown of 1, and the most of each at one height.
percent = ratio_most > 0 && slowdown_most > 1 ? 100 * ratio_most / (log_y ? 1 : slowdown_most - 1) : 10
y2_top = log_y ? percent * 1.2 : percent * (y_top - 1)
y2_tics = axis_range("y2", log_y ? 0 : -percent, y2_top).axis_tics("y2").sprintf( \
	"set for [i_=0:40] y2tics add (tic(i_ * %.12g, '%%') i_ * %.12g)", tic_step(y2_top, "%", 6), tic_step(y2_top, "%", 6))
if (is_hot_set) { eval log_axis("y2", curve_least, curve_high, "") } else { eval y2_tics }
set xlabel "memory of the program; size of the buffer" textcolor rgb ink
set ylabel "slowdown (solid)" textcolor rgb ink
set y2label (is_hot_set ? "samples of a bucket (dashed)" : "accesses that miss the buffer (dashed)") textcolor rgb ink
scaled(y) = is_hot_set ? y : 100 * y
plot for [i=1:|$names|] $curves index i - 1 using 1:(scaled($2)) axes x1y2 with lines linewidth thin(1) dashtype 2 \
		linecolor rgb colour(i - 1) notitle, \
	for [i=1:|$names|] $data index i - 1 using 1:2:3:4 with yerrorbars linewidth 1.2 pointtype 7 pointsize 0.5 \
		linecolor rgb colour(i - 1) notitle, \
	for [i=1:|$names|] $data index i - 1 using 1:2 with lines linewidth 2 linecolor rgb colour(i - 1) \
		title (strlen($names[i]) > 1 ? $names[i][2:*] : "")

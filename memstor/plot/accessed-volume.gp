# SPDX-License-Identifier: GPL-3.0-or-later
# $data: row, volume before, after, interval of that from, to, change in percent, 1 = a change. $tics: the ranges, $names:
# before and after.
rows = |$tics|
longest = 6
do for [i=1:rows] { longest = max(longest, strlen($tics[i])) }
left = 24 + longest * 6.7
right = W - 110
eval put_names
bottom = lower + below
eval put_panel(left, right, bottom, upper)
if ((upper - bottom) / rows < 16) { panel_is_small = 1; eval check_panel }
eval linear_tics("x", 0, top(0, x_high, "B"), "B", 6)
set xlabel "accessed volume: accesses times size of a bucket" textcolor rgb ink
set yrange [rows + 0.5:0.5] noextend
set ytics scale 0 ("" 0) font ",12"
do for [i=1:rows] { set ytics add ($tics[i][2:*] i) }
graph_right = top(0, x_high, "B")
change_of(x) = (x > 0 ? "+" : "").sprintf("%.3g %%", x)
plot $data using 2:($1-0.2):(0):2:($1-0.36):($1-0.04) with boxxyerror fillcolor rgb colour(7) fillstyle solid 0.8 noborder notitle, \
	$data using 3:($1+0.2):(0):3:($1+0.04):($1+0.36) with boxxyerror fillcolor rgb colour(0) fillstyle solid 0.85 noborder notitle, \
	$data using 4:($1+0.2):($5-$4):(0) with vectors heads size screen 0.004,90 nofilled linewidth 1.4 linecolor rgb strong notitle, \
	$data using (graph_right):1:($7 > 0 ? change_of($6) : "no change") with labels left offset 0.6,0 font ",11" textcolor rgb ink notitle, \
	keyentry with lines linewidth 5 linecolor rgb colour(7) title $names[1][2:*], \
	keyentry with lines linewidth 5 linecolor rgb colour(0) title $names[2][2:*]

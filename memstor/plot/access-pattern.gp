# SPDX-License-Identifier: GPL-3.0-or-later
# $data: x from, to (seconds, or with by_samples samples), touched bytes from, to, samples. $regions: touched bytes from, to;
# $region_names.
set palette defined (0 "#ebda73", 1 "#c3cf6c", 2 "#9ac46c", 3 "#6eb871", 4 "#3ca977", 5 "#06977e", 6 "#00837e", \
	7 "#006f79", 8 "#005c71", 9 "#004a69", 10 "#003664", 11 "#081e64", 12 "#160452")
longest = 6
do for [i=1:|$region_names|] { longest = max(longest, strlen($region_names[i])) }
left = 40 + longest * 6.5
right = W - 96
bottom = lower + below
eval put_panel(left, right, bottom, upper)
eval log_axis("cb", heat_least, heat_high, "")
set style fill solid noborder
set colorbox vertical user origin screen sx(right + 16), sy(bottom) size screen sx(14), sy(upper - bottom) noborder
eval side_title("samples in a cell", W - 16, (bottom + upper) / 2)
eval linear_tics("x", x_low, x_high, by_samples ? "" : "s", 6)
set xlabel (by_samples ? "samples in the order of time" : "time since the recording began (s)") textcolor rgb ink
eval axis_range("y", 0, y_high)
unset grid
set ytics out nomirror scale 0 ("" 0) textcolor rgb ink font ",12"
# Each range or mapping has its name where there is room for it, and a line where it begins.
before_y = -100
do for [i=1:|$regions|] {
	from = field($regions[i], 1); to = field($regions[i], 2)
	middle = (from + to) / 2 / y_high * (upper - bottom)
	if (i > 1) { set arrow from graph 0, first from to graph 1, first from nohead front linewidth 0.6 linecolor rgb weak }
	if (middle - before_y >= 13) { set ytics add ($region_names[i][2:*] (from + to) / 2); before_y = middle }
}
eval side_title("touched memory, ".number(y_high, "B", 3), 20, (bottom + upper) / 2)
# Cells touch: each reaches a little under its neighbours, or the ground would shine through.
over_x = (x_high - x_low) / (right - left) * 0.5
over_y = y_high / (upper - bottom) * 0.5
plot $data using (0.5*($1+$2)):(0.5*($3+$4)):1:($2+over_x):3:($4+over_y):5 with boxxyerror fillcolor palette \
	fillstyle solid noborder notitle

# SPDX-License-Identifier: GPL-3.0-or-later
# is_by_size: $data has an index for each line; size, value; $names and $styles (colour, dash) of the lines. Else $data: row, values of
# each number; $tics: the cells, $names: the numbers. unit, value_title: of the values.
log_y = is_log(1)
if (is_by_size) {
	eval put_names
	eval put_panel(left, right, lower + below, upper)
	eval log_axis("x", x_least, x_high, "B")
	eval axis("y", log_y, y_low, y_least, y_high, 0, unit)
	set xlabel "size of a write" textcolor rgb ink
	set ylabel value_title textcolor rgb ink
	plot for [i=1:|$names|] $data index i - 1 using 1:2 with linespoints linewidth thin(field($styles[i], 2)) pointtype 7 pointsize 0.5 \
		dashtype int(field($styles[i], 2)) + 1 linecolor rgb colour(field($styles[i], 1)) title $names[i][2:*]
} else {
	cells = |$tics|
	longest = 0
	do for [i=1:cells] { longest = max(longest, strlen($tics[i])) }
	left = 24 + longest * 6.7
	eval put_names
	eval put_panel(left, right, lower + below, upper)
	if ((upper - lower - below) / cells < 13) { panel_is_small = 1; eval check_panel }
	# --y is about the axis of the values, which is the level one here.
	eval axis("x", log_y, y_low, y_least, y_high, 0, unit)
	set xlabel value_title textcolor rgb ink
	set yrange [cells + 0.5:0.5] noextend
	set ytics scale 0 ("" 0) font ",12"
	do for [i=1:cells] { set ytics add ($tics[i][2:*] i) }
	n = |$names|
	plot for [i=2:n] $data using (column(2)):1:(column(i + 1) - column(2)):(0) with vectors nohead linewidth 2 linecolor rgb "#9a9a9a" notitle, \
		for [i=1:n] $data using (column(i + 1)):1 with points pointtype 7 pointsize 0.8 linecolor rgb colour(i - 1) title $names[i][2:*]
}

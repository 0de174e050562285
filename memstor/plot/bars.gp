# SPDX-License-Identifier: GPL-3.0-or-later
# A panel for each number. $panels, $subtitles, $names of the groups. $data: panel, group,
# median, interval from, to, runs, what the median is below when it is not known. $runs: panel, group, value, place from 0
# to 1. $ranges: of each panel the least value above 0, the highest, 1 = in ns.
panels = |$panels|
groups = |$names|
# Few groups are colours with a legend and their numbers below; many have their names there.
has_legend = groups <= 8
tics_left = 58
longest = 0
do for [g=1:groups] { longest = max(longest, strlen($names[g]) - 1) }
group_colour(g) = colour(has_legend ? g - 1 : 0)
set multiplot
# The legend is a plot of its own, since gnuplot makes legends as wide as their panels.
if (has_legend && groups > 1) {
	eval put_names
	eval put_panel(26, right, lower, upper)
	set xrange [0:1]; set yrange [0:1]
	unset border; unset xtics; unset ytics
	plot for [g=1:groups] keyentry with lines linewidth 4 linecolor rgb group_colour(g) title $names[g][2:*], 2 notitle
	set border 3
	unset key
	unset label
}
columns = has_legend ? min(4, panels) : max(1, min(4, int((W - 12) / (tics_left + 12 + groups * 13))))
rows = ceil(1. * panels / columns)
columns = ceil(1. * panels / rows)
panel_width = (W - 12.) / columns
panel_height = (upper - lower) / rows
# Names below the bars may take three fifths of a panel; what is longer is cut.
shown = max(12, min(longest, int((panel_height - 46) * 0.6 / 6.1)))
short(name) = strlen(name) > shown ? name[1:shown - 3]."..." : name
bottom_room = has_legend ? 24 : 12 + min(longest, shown) * 6.1
do for [p=1:panels] {
	column = (p - 1) % columns
	row = (p - 1) / columns
	l = panel_width * column + tics_left + 12
	r = panel_width * (column + 1)
	t = upper - panel_height * row - 34
	b = upper - panel_height * (row + 1) + bottom_room
	if (!has_legend && (r - l) / groups < 13) { l = r }
	eval put_panel(l, r, b, t)
	set label $panels[p][2:*] at screen sx(l - 30), sy(t + 24) left front font ",12" textcolor rgb strong
	set label $subtitles[p][2:*] at screen sx(l - 30), sy(t + 10) left front font ",10" textcolor rgb weak
	unit = field($ranges[p], 3) == 1 ? "ns" : ""
	least = field($ranges[p], 1)
	highest = field($ranges[p], 2)
	# What differs by more has no place on one linear axis.
	log_y = is_log(highest > 30 * least)
	if (log_y) { eval log_axis("y", least, max(highest, least), unit) } else { eval linear_axis("y", 0, highest, unit) }
	# Few bars stand in the middle.
	places = max(groups, (r - l) / 110.)
	set xrange [(groups + 1 - places) / 2. : (groups + 1 + places) / 2.] noextend
	set xtics scale 0 ("" 0)
	do for [g=1:(has_legend ? 0 : groups)] {
		set label short($names[g][2:*]) at first g, graph 0 right rotate by 90 offset 0,-0.5 front font ",11" textcolor rgb ink
	}
	bottom = log_y ? log_low(least, max(highest, least)) * 1.0001 : 0
	wide = (r - l) / places
	# On a log axis a bar has no honest begin: there the median is a stroke.
	plot for [g=1:groups] $data using ($1 == p && $2 == g && !log_y ? $2 : NaN):3:($2-0.36):($2+0.36):(0):3 with boxxyerror \
			fillcolor rgb group_colour(g) fillstyle solid 0.75 border linecolor rgb group_colour(g) notitle, \
		for [g=1:groups] $data using ($1 == p && $2 == g && log_y ? $2 - 0.36 : NaN):3:(0.72):(0) with vectors nohead \
			linewidth 4 linecolor rgb group_colour(g) notitle, \
		$data using ($1 == p ? $2 : NaN):4:(0):($5-$4) with vectors heads size screen 0.004,90 nofilled linewidth 1.5 \
			linecolor rgb strong notitle, \
		$runs using ($1 == p ? $2 - 0.2 + 0.4 * $4 : NaN):3 with points pointtype 7 pointsize 0.5 linecolor rgb "#ffffff" notitle, \
		$runs using ($1 == p ? $2 - 0.2 + 0.4 * $4 : NaN):3 with points pointtype 6 pointsize 0.5 linewidth 1 linecolor rgb strong \
			notitle, \
		$data using ($1 == p && has_legend && wide > 44 ? $2 : NaN):(bottom):(($7 > 0 ? "<" : "").number($7 > 0 ? $7 : $3, unit, 3)) \
			with labels offset 0,-0.8 font ",11" textcolor rgb ink notitle
	unset label
}
unset multiplot

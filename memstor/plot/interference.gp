# SPDX-License-Identifier: GPL-3.0-or-later
# $panels; $names of the reports; $data: panel, report, statistic (1 mean, 2 p50, 3 p99, 4 p99.9), ratio, low, high;
# $ranges: of each panel lowest and highest.
panels = |$panels|
reports = |$names|
place(statistic, report) = statistic + 0.7 / reports * (report - 1 - (reports - 1) / 2.)
if (reports > 1) { eval put_names }
high = (upper - lower - panels * 46) / panels
set multiplot
do for [p=1:panels] {
	t = upper - 22 - (p - 1) * (high + 46)
	eval put_panel(left, right, t - high, t)
	set label $panels[p][2:*] at screen sx(left - 20), sy(t + 11) left front font ",12" textcolor rgb strong
	set xrange [0.5:4.5] noextend
	set xtics scale 0 ("mean" 1, "p50" 2, "p99" 3, "p99.9" 4)
	do for [s=1:3] {
		set arrow from first s + 0.5, graph 0 to first s + 0.5, graph 1 nohead back linewidth 0.7 linecolor rgb light
	}
	lowest = field($ranges[p], 1)
	highest = field($ranges[p], 2)
	eval axis("y", is_log(0), 0, lowest, highest, 0, "")
	# Three of the longer ones would run into each other.
	set ylabel (panels < 3 ? "times as long as alone" : "times alone") textcolor rgb ink
	if (p > 1) { unset key }
	plot 1 with lines linewidth 1.2 dashtype 2 linecolor rgb weak notitle, \
		for [r=1:reports] $data using ($1 == p && $2 == r ? place($3, $2) : NaN):4:5:6 with yerrorbars pointtype 7 pointsize 0.9 \
			linewidth 2 linecolor rgb colour(r - 1) title $names[r][2:*]
	unset label
	unset arrow
}
unset multiplot

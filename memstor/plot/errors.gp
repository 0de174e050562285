# SPDX-License-Identifier: GPL-3.0-or-later
# A panel for each error, $panels. $data: panel, model (0 kernel, 1 cawl, 2 naive), scenario, median in percent; $each: the
# same of each repetition; $floor: panel, scenario, floor; $ranges: of each panel least above 0, highest; $tics: scenarios.
model_name(m) = word("kernel cawl naive", m)
model_colour(m) = colour(m == 1 ? 0 : m == 2 ? 1 : 4)
place(scenario, model) = scenario + 0.26 * (model - 1)
# Less is not distinguishable.
smallest = 0.1
panels = |$panels|
scenarios = |$tics|
array has_model[3] = [0, 0, 0]
do for [i=1:|$data|] { has_model[int(field($data[i], 2)) + 1] = 1 }
floor_name = "floor: three costs, chosen knowing the result"
dummy = key_room(has_model[1] + has_model[2] + has_model[3] + (|$floor| > 0), |$floor| > 0 ? strlen(floor_name) : 6)
eval put_key
# Names that would touch are turned.
is_crowded = (right - left) / scenarios < 60
bottom = lower + below + (is_crowded ? 34 : 0)
high = (upper - bottom - panels * 22 - (panels - 1) * 8) / panels
set multiplot
do for [p=1:panels] {
	t = upper - 22 - (p - 1) * (high + 30)
	eval put_panel(left, right, t - high, t)
	if (right - left < 26 * scenarios) { panel_is_small = 1; eval check_panel }
	set label $panels[p][2:*] at screen sx(left - 20), sy(t + 11) left front font ",12" textcolor rgb strong
	set xrange [0.5:scenarios + 0.5] noextend
	set xtics scale 0 ("" 0)
	if (p == panels) {
		if (is_crowded) { set xtics rotate by 40 right }
		do for [s=1:scenarios] { set xtics add ($tics[s][2:*] s) }
		set xlabel "scenario" textcolor rgb ink
	}
	do for [s=1:scenarios - 1] {
		set arrow from first s + 0.5, graph 0 to first s + 0.5, graph 1 nohead back linewidth 0.7 linecolor rgb light
	}
	log_y = is_log(1)
	least = max(field($ranges[p], 1), smallest)
	highest = max(field($ranges[p], 2), smallest)
	if (log_y) { eval log_axis("y", least, highest, "%") } else { eval linear_axis("y", 0, highest, "%") }
	if (log_y && least <= smallest) { set ytics add ("<= 0.1 %%" smallest) }
	# On a log axis a bar has no honest beginning: there the median is a stroke.
	if (log_y) {
		plot for [m=1:3] $data using ($1 == p && $2 == m - 1 ? place($3, $2) - 0.11 : NaN):(max($4, smallest)):(0.22):(0) with vectors nohead \
				linewidth 4 linecolor rgb model_colour(m) title (has_model[m] ? model_name(m) : ""), \
			for [m=1:3] $each using ($1 == p && $2 == m - 1 ? place($3, $2) : NaN):(max($4, smallest)) with points pointtype 6 \
				pointsize 0.45 linewidth 1 linecolor rgb model_colour(m) notitle, \
			$floor using ($1 == p ? $2 - 0.42 : NaN):3:(0.84):(0) with vectors nohead linewidth 1.4 dashtype 3 linecolor rgb strong \
				title (|$floor| > 0 ? floor_name : "")
	} else {
		plot for [m=1:3] $data using ($1 == p && $2 == m - 1 ? place($3, $2) : NaN):4:(place($3,$2)-0.11):(place($3,$2)+0.11):(0):4 \
				with boxxyerror fillcolor rgb model_colour(m) fillstyle solid 0.75 border linecolor rgb model_colour(m) \
				title (has_model[m] ? model_name(m) : ""), \
			for [m=1:3] $each using ($1 == p && $2 == m - 1 ? place($3, $2) : NaN):4 with points pointtype 6 pointsize 0.45 \
				linewidth 1 linecolor rgb strong notitle, \
			$floor using ($1 == p ? $2 - 0.42 : NaN):3:(0.84):(0) with vectors nohead linewidth 1.4 dashtype 3 linecolor rgb strong \
				title (|$floor| > 0 ? floor_name : "")
	}
	unset label
	unset arrow
	unset key
}
unset multiplot

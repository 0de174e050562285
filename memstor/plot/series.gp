# SPDX-License-Identifier: GPL-3.0-or-later
# $lines: 0 rate, 1 latency, 2 counter, and colour and dash of each; $names ("" where the one before of the same colour
# has the name). $data: an index for each line; seconds, value. rate_*, latency_*, counter_*: extents, titles and the counters'
# unit. $marks and $mark_names: upright lines. $thresholds: of which panel (-1 none), value; $threshold_names.
kind(i) = int(field($lines[i], 1))
right = has_counter ? W - 92 : right
panels = has_rate + has_latency
# A counter without rates is in the panel of latencies.
counters_at = has_counter ? (has_rate ? 0 : 1) : -1
in_panel(i, p) = kind(i) == p || (kind(i) == 2 && p == counters_at)
array rooms[2]; array columns[2]
do for [p=0:1] {
	longest = 4
	entries = 0
	do for [i=1:|$lines|] { if (in_panel(i, p)) { longest = max(longest, strlen($names[i])); entries = entries + (strlen($names[i]) > 1) }}
	dummy = upper
	dummy = key_room(entries, longest)
	rooms[p + 1] = key_upper - upper
	columns[p + 1] = key_columns
	upper = key_upper
}
shown(p) = p == 0 ? has_rate : has_latency
bottom = lower + below
high = (upper - bottom - (has_rate ? rooms[1] : 0) - (has_latency ? rooms[2] : 0) - (panels - 1) * 14) / panels
at_line(axes, is) = "axes x1".axes." with lines linewidth thin(field($lines[i], 3)) dashtype int(field($lines[i], 3)) + 1 " \
	."linecolor rgb colour(field($lines[i], 2)) title (in_panel(i, p) && kind(i) ".is." 2 ? $names[i][2:*] : '')"
if (panels > 1) { set multiplot }
t = upper
do for [p=0:1] { if (shown(p)) {
	key_upper = t
	key_columns = columns[p + 1]
	t = t - rooms[p + 1]
	eval put_key
	eval put_panel(left, right, t - high, t)
	is_last = p == 1 || !has_latency
	eval linear_tics("x", x_low, x_high, "s", 6)
	if (!is_last) { set xtics ("" 0); set for [j=0:40] xtics add ("" j * tic_step(x_high - x_low, "s", 6)) }
	if (is_last) { set xlabel time_title textcolor rgb ink }
	log_y = p == 1 && is_log(1)
	zero_y = log_y && latency_low <= 0 ? latency_least / 4 : 0
	if (p == 0) { eval linear_axis("y", rate_low, rate_high, "") } else {
		eval axis("y", log_y, latency_low, zero_y > 0 ? zero_y : latency_least, latency_high, latency_given, "ns") }
	eval zero_tic("y", zero_y)
	if (p == 0) { set ylabel $rate_title[1][2:*] textcolor rgb ink } else { set ylabel latency_title textcolor rgb ink }
	unset y2tics
	unset y2label
	set border 3
	if (p == counters_at) {
		set border 11
		eval linear_axis("y2", counter_low, counter_high, counter_unit)
		set y2label counter_title textcolor rgb ink
	}
	do for [i=1:|$marks|] {
		x = field($marks[i], 1)
		set arrow from first x, graph 0 to first x, graph 1 nohead front linewidth 1 + 0.01 * i dashtype 3 linecolor rgb weak
		if (p == (has_rate ? 0 : 1)) {
			set label $mark_names[i][2:*] at first x, graph 0.98 right rotate by 90 offset 0.7,0 front font ",11" textcolor rgb weak
		}
	}
	do for [i=1:|$thresholds|] {
		at = int(field($thresholds[i], 1))
		y = field($thresholds[i], 2)
		name = $threshold_names[i][2:*]
		if (name eq "") { name = number(y, at == 1 ? "ns" : at == 2 ? counter_unit : "", 4) }
		if (at == p) {
			set arrow from graph 0, first y to graph 1, first y nohead front linewidth 1.2 + 0.01 * i dashtype 3 linecolor rgb red
			set label name at graph 0.005, first y left offset 0,0.6 front font ",11" textcolor rgb red
		}
		if (at == 2 && p == counters_at) {
			set arrow from graph 0, second y to graph 1, second y nohead front linewidth 1.2 + 0.01 * i dashtype 3 linecolor rgb red
			set label name at graph 0.995, second y right offset 0,0.6 front font ",11" textcolor rgb red
		}
	}
	command = "plot for [i=1:|$lines|] $data index i - 1 using (in_panel(i, p) && kind(i) != 2 ? $1 : NaN):(log_y && $2 <= 0 ? zero_y : $2) ".at_line("y1", "!=")
	if (p == counters_at) {
		command = command.", for [i=1:|$lines|] $data index i - 1 using (kind(i) == 2 ? $1 : NaN):2 ".at_line("y2", "==")
	}
	eval command
	t = t - high - 14
	unset label
	unset arrow
}}
if (panels > 1) { unset multiplot }

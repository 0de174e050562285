# SPDX-License-Identifier: GPL-3.0-or-later
# $data: row from the top, part, from ns, to ns, 1 = it is the cause. $rows: sum in ns, 1 = a usual write for comparison,
# 1 = the first of its stream, the part that is the cause (-1 none). $names of the rows, $parts.
n = |$rows|
left = 178
right = W - 100
array has_part[7] = [0, 0, 0, 0, 0, 0, 0]
do for [i=1:|$data|] { has_part[int(field($data[i], 2)) + 1] = 1 }
key_left = left
left = 92
dummy = key_room(has_part[1] + has_part[2] + has_part[3] + has_part[4] + has_part[5] + has_part[6] + has_part[7], 14)
eval put_key
left = key_left
eval put_panel(left, right, lower + below, upper)
height_of_row = (upper - lower - below) / n
if (height_of_row < 11) { panel_is_small = 1; eval check_panel }
set yrange [n + 0.5:0.5] noextend
set ytics scale 0 ("" 0)
eval linear_tics("x", 0, max(x_high, 1), "ns", 4)
set xlabel "response time of a write or sync" textcolor rgb ink
do for [i=1:n] {
	ink_of_row = field($rows[i], 2) == 1 ? weak : ink
	cause = int(field($rows[i], 4))
	set label $names[i][2:*] at graph 0, first i right offset -1,0 front font ",10" textcolor rgb ink_of_row
	set label number(field($rows[i], 1), "ns", 3).(cause < 0 ? "" : ", ".$parts[cause + 1][2:*]) at first field($rows[i], 1), first i \
		left offset 0.8,0 front font ",10" textcolor rgb ink_of_row
	if (field($rows[i], 3) == 1) {
		set arrow from screen sx(28), first i - 0.5 to graph 1, first i - 0.5 nohead front linewidth 0.7 linecolor rgb weak
	}
}
plot for [p=1:7] $data using ($2 == p - 1 ? ($3+$4)/2 : NaN):1:3:4:($1-0.36):($1+0.36) with boxxyerror fillcolor rgb colour(p - 1) \
		fillstyle solid 0.85 noborder title (has_part[p] ? $parts[p][2:*] : ""), \
	$data using ($5 == 1 ? ($3+$4)/2 : NaN):1:3:4:($1-0.36):($1+0.36) with boxxyerror linewidth 2 linecolor rgb red \
		fillstyle empty border linecolor rgb red notitle

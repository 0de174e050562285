# SPDX-License-Identifier: GPL-3.0-or-later
# $data: report, stream (a number of $words), bytes a second in the mix, alone, loss in percent. $names of the reports.
word_at(i) = i >= 1 ? $words[int(i)][2:*] : ""
n = |$data|
most = 1
do for [i=1:n] {
	most = max(most, max(field($data[i], 3), field($data[i], 4) == field($data[i], 4) ? field($data[i], 4) : 0))
	set label (|$names| > 1 ? $names[int(field($data[i], 1))][2:*].", " : "").word_at(field($data[i], 2)) at graph 0, first i right offset -1,0 front textcolor rgb ink
	if (field($data[i], 5) == field($data[i], 5)) {
		set label sprintf("%.0f %% less", field($data[i], 5)) at first field($data[i], 3), first i left offset 0.8,0.7 front font ",10" textcolor rgb ink
	}
}
left = 170
right = W - 50
dummy = key_room(2, 20)
eval put_key
eval put_panel(left, right, lower + below, upper)
set yrange [n + 0.6:0.4] noextend
set ytics scale 0 ("" 0)
eval linear_axis("x", 0, most, "B/s")
set xlabel "written by the stream" textcolor rgb ink
plot $data using ($3 / 2):($0+0.82):(0):3:($0+0.66):($0+0.98) with boxxyerror fillcolor rgb colour(0) fillstyle solid 0.85 noborder title "in the mix", \
	$data using ($4 / 2):($0+1.18):(0):4:($0+1.02):($0+1.34) with boxxyerror fillcolor rgb colour(7) fillstyle solid 0.85 noborder title "alone"

# SPDX-License-Identifier: GPL-3.0-or-later
# $data: report, records (a number of $words; "all" is drawn), seconds, units a second, percent. $names of the reports.
word_at(i) = i >= 1 ? $words[int(i)][2:*] : ""
reports = |$names|
most = 0
do for [i=1:|$data|] {
	if (word_at(field($data[i], 2)) eq "all") {
		r = field($data[i], 1)
		most = max(most, field($data[i], 3))
		set label $names[int(r)][2:*] at graph 0, first r right offset -1,0 front textcolor rgb ink
		set label number(field($data[i], 3) * 1e9, "ns", 3).", ".number(field($data[i], 4), "", 3)." units/s" at first field($data[i], 3), first r \
			left offset 0.8,0 front font ",10" textcolor rgb ink
	}
}
right = W - 150
eval put_panel(left, right, lower + below, upper)
set yrange [reports + 0.6:0.4] noextend
set ytics scale 0 ("" 0)
eval linear_axis("x", 0, most, "s")
set xlabel "time that the instrumentation cache holds (s)" textcolor rgb ink
plot $data using (word_at($2) eq "all" ? $3 / 2 : NaN):1:(0):3:($1-0.34):($1+0.34) with boxxyerror fillcolor rgb colour(0) fillstyle solid 0.85 noborder notitle

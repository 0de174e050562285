# SPDX-License-Identifier: GPL-3.0-or-later
# $data: report, stream, cause, origin, mean of all writes and of the slowest percent in ns; texts as numbers of $words. Two
# matrices: of each stream and origin a row, of each cause a column; the colour is the share of the stream's time.
word_at(i) = i >= 1 ? $words[int(i)][2:*] : ""
streams = "log checkpoint"
origins = "self same other"
is_part(i) = word_at(field($data[i], 3)) ne "latency" && word_at(field($data[i], 3)) ne "slack"
columns = 0
array column_of[|$words|]
do for [w=1:|$words|] { column_of[w] = 0 }
do for [i=1:|$data|] {
	if (is_part(i) && column_of[int(field($data[i], 3))] == 0) { columns = columns + 1; column_of[int(field($data[i], 3))] = columns }
}
array sums[4] = [0, 0, 0, 0]
stream_of(i) = word_at(field($data[i], 2)) eq "log" ? 1 : 2
row_of(i) = 3 * (stream_of(i) - 1) + (word_at(field($data[i], 4)) eq "self" ? 1 : word_at(field($data[i], 4)) eq "same" ? 2 : 3)
do for [i=1:|$data|] {
	if (word_at(field($data[i], 3)) eq "latency") {
		sums[stream_of(i)] = field($data[i], 5)
		sums[2 + stream_of(i)] = field($data[i], 6)
	}
}
left = 150
right = W - 20
set palette defined (0 "#ffffff", 1 "#e69f00")
unset colorbox
set cbrange [0:100]
unset grid
panels = sums[3] > 0 || sums[4] > 0 ? 2 : 1
high = (upper - lower - 30 - panels * 22) / panels
set multiplot
do for [m=1:panels] {
	t = upper - 22 - (m - 1) * (high + 22 + 30)
	eval put_panel(left, right, t - high + (m == panels ? 0 : 8), t)
	set label (m == 1 ? "all writes: mean time" : "the slowest percent of each stream: mean time") at screen sx(left), sy(t + 10) left front font ",12" textcolor rgb strong
	set xrange [0.5:columns + 0.5] noextend
	set yrange [6.5:0.5] noextend
	set xtics scale 0 ("" 0) font ",10"
	do for [w=1:|$words|] { if (column_of[w] > 0) { set xtics add (word_at(w) column_of[w]) } }
	set ytics scale 0 ("log: self" 1, "same stream" 2, "other stream" 3, "checkpoint: self" 4, "same stream" 5, "other stream" 6)
	do for [i=1:|$data|] {
		if (is_part(i) && field($data[i], 4 + m) > 0) {
			set label number(field($data[i], 4 + m), "ns", 3) at first column_of[int(field($data[i], 3))], first row_of(i) center front font ",10" textcolor rgb strong
		}
	}
	set arrow from graph 0, first 3.5 to graph 1, first 3.5 nohead front linewidth 0.7 linecolor rgb weak
	cell(line) = is_part(int(line) + 1) && column(4 + m) > 0
	share(line) = 100 * column(4 + m) / sums[2 * (m - 1) + stream_of(int(line) + 1)]
	plot $data using (cell($0) ? column_of[int($3)] : NaN):(row_of(int($0) + 1)):(column_of[int($3)]-0.5):(column_of[int($3)]+0.5):(row_of(int($0) + 1)-0.5):(row_of(int($0) + 1)+0.5):(share($0)) \
		with boxxyerror fillcolor palette fillstyle solid 1.0 noborder notitle
	unset label
	unset arrow
}
unset multiplot

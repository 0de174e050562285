# SPDX-License-Identifier: GPL-3.0-or-later
# $data: report, kind ("empty", "copying" or "fit", a number of $words), copies, time over an erase, slope, r2, and in ns the
# time without work, of reads, programs, the erase and all. Of the fit the time over an erase is its intercept.
word_at(i) = i >= 1 ? $words[int(i)][2:*] : ""
array count[2] = [0, 0]
array parts[8] = [0, 0, 0, 0, 0, 0, 0, 0]
most = 1
slowest = 1
fit = 0
do for [i=1:|$data|] {
	kind = word_at(field($data[i], 2))
	k = kind eq "empty" ? 1 : kind eq "copying" ? 2 : 0
	if (k) {
		unit = field($data[i], 11) / field($data[i], 4)
		count[k] = count[k] + 1
		do for [p=1:4] { parts[4 * (k - 1) + p] = parts[4 * (k - 1) + p] + field($data[i], 6 + p) / unit }
		most = max(most, field($data[i], 3))
		slowest = max(slowest, field($data[i], 4))
	} else {
		fit = 1; intercept = field($data[i], 4); slope = field($data[i], 5); r2 = field($data[i], 6)
	}
}
mean(k, p) = count[k] ? parts[4 * (k - 1) + p] / count[k] : 0
to(k, p) = sum [q=1:p] mean(k, q)
set print $means
do for [k=1:2] { do for [p=1:4] { print sprintf("%d %d %.9g %.9g", k, p, to(k, p) - mean(k, p), to(k, p)) } }
set print
titles = "'without work' 'reading valid pages' 'programming them' 'erasing'"
dummy = key_room(4, 20)
eval put_key
left = 160
set multiplot
bars = min(96, (upper - lower) / 3.5)
eval put_panel(left, right, upper - bars, upper)
eval linear_axis("x", 0, max(to(1, 4), to(2, 4)), "")
set yrange [2.5:0.5] noextend
set ytics scale 0 ("without copies" 1, "with copies" 2)
do for [k=1:2] { if (count[k]) { set label sprintf("%.2f, mean of %d", to(k, 4), count[k]) at first to(k, 4), first k left offset 0.8,0 front font ",10" textcolor rgb ink } }
plot for [p=1:4] $means using ($2 == p ? ($3+$4)/2 : NaN):1:3:4:($1-0.36):($1+0.36) with boxxyerror fillcolor rgb colour(p == 4 ? 4 : p - 1) \
	fillstyle solid 0.85 noborder title word(titles, p)
unset label
unset key
eval put_panel(left, right, lower + below, upper - bars - 40)
eval linear_axis("x", 0, most, "")
eval linear_axis("y", 0, slowest, "")
set xlabel "valid pages copied" textcolor rgb ink
set ylabel "time of a collection over that of an erase" textcolor rgb ink
if (fit) { set label sprintf("%.3f + %.4f for each page, r2 = %.3f", intercept, slope, r2) at graph 0.02, graph 0.93 left front font ",11" textcolor rgb ink }
plot $data using (word_at($2) ne "fit" ? $3 : NaN):4 with points pointtype 7 pointsize 0.5 linecolor rgb colour(0) notitle, \
	fit ? intercept + slope * x : NaN with lines linewidth 1.5 dashtype 2 linecolor rgb red notitle
unset multiplot

# SPDX-License-Identifier: GPL-3.0-or-later
# $data: report, stream, copies from, to, writes; a box for each report and step, of both streams together. $names of the reports.
reports = |$names|
position(copies) = copies < 1 ? 0 : 1 + int(log(copies) / log(2) + 0.5)
array total[reports]
array writes[reports * 24]
do for [r=1:reports] { total[r] = 0 }
do for [i=1:reports * 24] { writes[i] = 0 }
last = 1
do for [i=1:|$data|] {
	r = int(field($data[i], 1))
	p = int(min(position(field($data[i], 4)), 23))
	total[r] = total[r] + field($data[i], 5)
	writes[24 * (r - 1) + p + 1] = writes[24 * (r - 1) + p + 1] + field($data[i], 5)
	if (field($data[i], 5) > 0) { last = max(last, p) }
}
share(r, p) = total[r] > 0 ? 100. * writes[24 * (r - 1) + p + 1] / total[r] : 0
set print $shares
most = 1
do for [r=1:reports] { do for [p=0:last] { print sprintf("%d %d %.9g", r, p, share(r, p)); most = max(most, share(r, p)) } }
set print
eval put_names
eval put_panel(left, right, lower + below, upper)
wide = 0.8 / reports
set xrange [-0.5:last + 0.5] noextend
set xtics scale 0 ("0" 0, "1" 1, "2" 2)
do for [p=3:last] { set xtics add (sprintf("%d to %d", 2**(p - 2) + 1, 2**(p - 1)) p) }
eval linear_axis("y", 0, most, "%")
set xlabel "valid pages copied for a write" textcolor rgb ink
set ylabel "share of the writes that triggered a collection" textcolor rgb ink
middle(r) = (r - 1 - (reports - 1) / 2.) * wide
plot for [r=1:reports] $shares using ($1 == r ? $2 + middle(r) : NaN):($3 / 2):($2 + middle(r) - 0.45 * wide):($2 + middle(r) + 0.45 * wide):(0):3 \
	with boxxyerror fillcolor rgb colour(r - 1) fillstyle solid 0.85 noborder title $names[r][2:*]

# SPDX-License-Identifier: GPL-3.0-or-later
# $names of the reports. $data: an index for each; seconds from, to, latency in ns from, to, heat, count. zero: the upper
# end of the cells of latencies of 0, from half of it; 0 = there are none.
n = |$names|
# From light to dark in equal steps of lightness (OKLCH, hue from 100 to 280 degrees): the order stays in grey.
set palette defined (0 "#ebda73", 1 "#c3cf6c", 2 "#9ac46c", 3 "#6eb871", 4 "#3ca977", 5 "#06977e", 6 "#00837e", \
	7 "#006f79", 8 "#005c71", 9 "#004a69", 10 "#003664", 11 "#081e64", 12 "#160452")
right = W - 132
above = n > 1 ? 20 : 6
bottom = lower + below
high = (upper - bottom - n * above - (n - 1) * 8) / n
log_y = is_log(1)
set style fill solid noborder
set cblabel ""
things = what eq "access" ? "accesses" : "operations"
eval log_axis("cb", heat_least, heat_high, share ? "%" : "")
set colorbox vertical user origin screen sx(right + 16), sy(bottom) size screen sx(14), sy(upper - above - bottom) noborder
eval side_title(share ? "share of ".things." per 1/16 doubling of latency" : things." per second and doubling of latency", \
	W - 20, (bottom + upper - above) / 2)
eval side_title("latency of an ".what, 24, (bottom + upper - above) / 2)
# Each cell reaches a little under those right of it and above, which are drawn later: between two that only touch the
# ground would shine through.
over_x = (x_high - x_low) / (right - left) * 0.5
if (n > 1) { set multiplot }
do for [i=1:n] {
	t = upper - above - (i - 1) * (high + above + 8)
	eval put_panel(left, right, t - high, t)
	if (n > 1) { set label $names[i][2:*] at screen sx(left), sy(t + 9) left front font ",12" textcolor rgb ink }
	eval linear_tics("x", x_low, x_high, "s", 6)
	if (i < n) { set format x ""; set xtics ("" 0); set for [j=0:40] xtics add ("" j * tic_step(x_high - x_low, "s", 6)) }
	if (i == n) { set xlabel "time since the run began (s)" textcolor rgb ink }
	eval axis("y", log_y, y_low, y_least, y_high, y_given, "ns")
	if (log_y) { eval zero_tic("y", zero / sqrt(2)) }
	over_y = 0.5 / high
	y_ratio = y_given ? y_high / y_low : log_high(y_least, y_high) / log_low(y_least, y_high)
	plot $data index i - 1 using (0.5*($1+$2)):(sqrt($3*$4)):1:($2+over_x):3:(log_y ? $4 * y_ratio**over_y : $4 + y_high * over_y):5 \
		with boxxyerror fillcolor palette fillstyle solid noborder notitle
	unset label
	unset colorbox
}
if (n > 1) { unset multiplot }

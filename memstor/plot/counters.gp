# SPDX-License-Identifier: GPL-3.0-or-later
# $data: report, time in s, channel (a number of $words: "all", "0" ...), seconds, ways busy in percent, bus busy, bytes to and from
# the flash, and the host, blocks erased.
word_at(i) = i >= 1 ? $words[int(i)][2:*] : ""
last = 0; most_bytes = 1
set print $all
do for [i=1:|$data|] {
	if (word_at(field($data[i], 3)) eq "all" && field($data[i], 4) > 0) {
		flash = field($data[i], 7) / field($data[i], 4); host = field($data[i], 8) / field($data[i], 4)
		last = max(last, field($data[i], 2)); most_bytes = max(most_bytes, max(flash, host))
		print sprintf("%.9g %.9g %.9g %.9g %.9g", field($data[i], 2), field($data[i], 5), field($data[i], 6), flash, host)
	}
}
set print
if (|$all| < 1) { print "no counters of the whole device are among these"; exit status 8 }
dummy = key_room(4, 24)
eval put_key
high = (upper - lower - below - 34) / 2
set multiplot
eval put_panel(left, right, upper - high, upper)
eval linear_tics("x", 0, last, "s", 6)
eval linear_axis("y", 0, 100, "%")
set ylabel "busy" textcolor rgb ink
plot $all using 1:2 with linespoints pointtype 7 pointsize 0.5 linewidth 2 linecolor rgb colour(0) title "ways", \
	$all using 1:3 with linespoints pointtype 7 pointsize 0.5 linewidth 2 linecolor rgb colour(1) title "buses", \
	for [i=2:3] keyentry with linespoints pointtype 7 pointsize 0.5 linewidth 2 linecolor rgb colour(i) title word("flash host", i - 1)
unset key
unset label
eval put_panel(left, right, lower + below, upper - high - 34)
eval linear_axis("y", 0, most_bytes, "B/s")
set xlabel "time since the measurement began (s)" textcolor rgb ink
set ylabel "moved to or from" textcolor rgb ink
plot $all using 1:4 with linespoints pointtype 7 pointsize 0.5 linewidth 2 linecolor rgb colour(2) notitle, \
	$all using 1:5 with linespoints pointtype 7 pointsize 0.5 linewidth 2 linecolor rgb colour(3) notitle
unset multiplot

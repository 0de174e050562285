# SPDX-License-Identifier: GPL-3.0-or-later
# $data: report, stream, kind, latency over a flash write, latency in ns, nine steps in ns, the step to blame; stream, kind and
# step as numbers of $words. $names of the reports. Of several reports the log's writes alone, but where there are none.
word_at(i) = i >= 1 ? $words[int(i)][2:*] : ""
parts = "fetch 'wait for the FTL' FTL 'turn in the block' 'wait for the way' flash 'wait for the scheduler' 'host DMA' completion"
steps = "fetch ftl_wait ftl build way_wait flash lls_wait dma completion"
cap = 8. # what is longer is cut: the shortest could not be seen next to it
array place[|$data|]
has_log = 0
do for [i=1:|$data|] { has_log = has_log || (|$names| > 1 && word_at(field($data[i], 2)) eq "log") }
n = 0
longest_write = 1
do for [i=1:|$data|] {
	shown = word_at(field($data[i], 3)) ne "slow" && (!has_log || word_at(field($data[i], 2)) eq "log")
	n = n + shown
	place[i] = shown ? n : NaN
	if (shown) { longest_write = max(longest_write, field($data[i], 4)) }
}
if (n == 0) { print "no write of a kind is among these: the report has the slowest ones alone"; exit status 8 }
array has_part[9]
do for [p=1:9] {
	has_part[p] = 0
	do for [i=1:|$data|] { if (place[i] == place[i] && field($data[i], 5 + p) * field($data[i], 4) > 0.02 * field($data[i], 5)) { has_part[p] = 1 } }
}
high = min(longest_write * 1.02, cap)
left = 228
right = W - 160
key_left = left
left = 92
dummy = key_room(sum [p=1:9] has_part[p], 22)
eval put_key
left = key_left
eval put_panel(left, right, lower + below, upper)
if ((upper - lower - below) / n < 11) { panel_is_small = 1; eval check_panel }
set yrange [n + 0.5:0.5] noextend
set ytics scale 0 ("" 0)
eval linear_tics("x", 0, high, "", 8)
set xlabel "time over that of an undisturbed flash write".(high < longest_write ? sprintf(", cut at %g", high) : "") textcolor rgb ink
do for [i=1:|$data|] {
	if (place[i] == place[i]) {
		over = field($data[i], 4)
		blamed = word_at(field($data[i], 15))
		kind = word_at(field($data[i], 3))
		name = (|$names| > 1 ? $names[int(field($data[i], 1))][2:*].", " : "").word_at(field($data[i], 2)).", ".kind
		set label name at graph 0, first place[i] right offset -1,0 front font ",11" textcolor rgb (kind eq "clean" ? weak : ink)
		cause = ""
		do for [p=1:9] { if (word(steps, p) eq blamed && kind ne "clean") { cause = ", ".word(parts, p) } }
		set label sprintf("%.3g", over).cause at first min(over, high), first place[i] left offset 0.8,0 front font ",10" textcolor rgb (over > high ? red : ink)
	}
}
set arrow from first 1, graph 0 to first 1, graph 1 nohead front linewidth 1 dashtype 3 linecolor rgb weak
begin(p) = (sum [k=1:p-1] column(5 + k)) * $4 / $5
end(p) = (sum [k=1:p] column(5 + k)) * $4 / $5
at(line) = place[int(line) + 1]
plot for [p=1:9] $data using ((min(begin(p), high) + min(end(p), high)) / 2):(at($0)):(min(begin(p), high)):(min(end(p), high)):(at($0)-0.36):(at($0)+0.36) \
	with boxxyerror fillcolor rgb colour(p - 1) fillstyle solid 0.85 noborder title (has_part[p] ? word(parts, p) : "")

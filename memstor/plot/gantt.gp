# SPDX-License-Identifier: GPL-3.0-or-later
# $data: report, command, stream, origin, work, command that it was for, channel, way, queued, begin and end in ns; stream,
# origin and work as numbers of $words. A line for each way of a command; what is outside of the write's time is cut.
word_at(i) = i >= 1 ? $words[int(i)][2:*] : ""
works = "program read gc-read gc-program erase"
work_index(text) = text eq "program" ? 1 : text eq "read" ? 2 : text eq "gc-read" ? 3 : text eq "gc-program" ? 4 : text eq "erase" ? 5 : 0
shades = "0 5 2 1 4"
array lane[|$data|]
array from[|$data|]
array to[|$data|]
array has[15]
do for [i=1:15] { has[i] = 0 }
n = 0
last = -1
begin = 0; end = 1
x_begin = 0; x_end = 1
do for [i=1:|$data|] {
	command = field($data[i], 2)
	lane[i] = NaN; from[i] = NaN; to[i] = NaN
	if (command != last) {
		n = n + 1 # its title
		last = command
		first_lane = n + 1
		set label sprintf("command %d of the %s", command, word_at(field($data[i], 3))) at graph 0, first n left offset 0.5,0 front font ",11" textcolor rgb strong
	}
	if (word_at(field($data[i], 5)) eq "write") {
		begin = field($data[i], 10); end = field($data[i], 11)
		x_begin = min(x_begin, begin); x_end = max(x_end, end)
		lane[i] = n; from[i] = begin; to[i] = end
	} else {
		do for [k=1:i-1] {
			if (field($data[k], 2) == command && field($data[k], 7) == field($data[i], 7) && field($data[k], 8) == field($data[i], 8)) { lane[i] = lane[k] }
		}
		if (lane[i] != lane[i]) {
			n = n + 1
			lane[i] = n
			set label sprintf("channel %d, way %d", field($data[i], 7), field($data[i], 8)) at graph 0, first n right offset -1,0 front font ",10" textcolor rgb ink
		}
		from[i] = max(field($data[i], 10), begin)
		to[i] = max(from[i], min(field($data[i], 11), end))
		origin = word_at(field($data[i], 4))
		class = 3 * (work_index(word_at(field($data[i], 5))) - 1) + (origin eq "self" ? 1 : origin eq "same" ? 2 : 3)
		if (class > 0) { has[class] = 1 }
	}
}
array titles[15] = ["own program", "program of the same stream", "program of the other stream", "own read", "read of the same stream", \
	"read of the other stream", "own GC read", "GC read for the same stream", "GC read for the other stream", "own GC program", \
	"GC program for the same stream", "GC program for the other stream", "own erase", "erase for the same stream", "erase for the other stream"]
dummy = key_room(sum [c=1:15] has[c], 30)
eval put_key
left = 150
eval put_panel(left, right, lower + below, upper)
if ((upper - lower - below) / n < 9) { panel_is_small = 1; eval check_panel }
set yrange [n + 0.5:0.4] noextend
set ytics scale 0 ("" 0)
eval linear_tics("x", x_begin, x_end, "ns", 6)
set xlabel "time since the device began with the write" textcolor rgb ink
class_of(line) = 3 * (work_index(word_at($5)) - 1) + (word_at($4) eq "self" ? 1 : word_at($4) eq "same" ? 2 : 3)
k(line) = int(line) + 1
plot $data using (word_at($5) eq "write" ? (from[k($0)] + to[k($0)]) / 2 : NaN):(lane[k($0)]):(from[k($0)]):(to[k($0)]):(lane[k($0)]-0.4):(lane[k($0)]+0.4) \
		with boxxyerror fillcolor rgb light fillstyle solid 0.9 noborder notitle, \
	for [c=1:15] $data using (class_of($0) == c && to[k($0)] > from[k($0)] ? (from[k($0)] + to[k($0)]) / 2 : NaN):(lane[k($0)]):(from[k($0)]):(to[k($0)]):(lane[k($0)]-0.36):(lane[k($0)]+0.36) \
		with boxxyerror fillcolor rgb colour(word(shades, (c - 1) / 3 + 1)) linewidth 1 linecolor rgb colour(word(shades, (c - 1) / 3 + 1)) \
		fillstyle solid (c % 3 == 1 ? 0.9 : c % 3 == 2 ? 0.6 : 0.35) border title (has[c] ? titles[c] : "")

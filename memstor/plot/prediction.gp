# SPDX-License-Identifier: GPL-3.0-or-later
# $writes: seconds, size, measured ns, kernel, cawl, naive, low, high, ...; $sizes: size and means of kernel, cawl, naive,
# low, high. $cached: an index each for what was measured, the kernel's model and cawl; seconds, bytes dirty and being
# written. $begins: the same, where flushing and throttling begin. background, freerun, dirty_limit: thresholds in bytes.
# has_*: what there is to draw; is_by_size: writes differ in size; is_jumping: costs jump between two writes.
measured = "#202020"; cached = "#9a9a9a"
model_name(m) = word("kernel cawl naive", m)
model_colour(m) = colour(m == 1 ? 0 : m == 2 ? 1 : 4)
model_dash(m) = m == 3 ? 4 : m
model_width(m) = m == 1 ? 2.6 : 1.6 + 0.01 * m
has_model(m) = m == 1 ? has_kernel : m == 2 ? has_cawl : has_naive
has_y2 = has_cached && !is_by_size
right = has_y2 ? W - 92 : right
entries = 1 + has_kernel + has_cawl + has_naive + has_band + (is_by_size ? 0 : 2 * (has_cached + has_cached_kernel + has_cached_cawl))
dummy = key_room(entries, is_by_size ? 22 : 34)
eval put_key
eval put_panel(left, right, lower + below, upper)
log_y = is_log(1)
eval axis("y", log_y, y_low, y_least, y_high, 0, "ns")
set ylabel "cost of a write" textcolor rgb ink
if (is_by_size) {
	eval log_axis("x", x_least, x_high, "B")
	set xlabel "size of a write" textcolor rgb ink
	command = "plot "
	if (has_band) { command = command."$sizes using 1:5:6 with filledcurves fillcolor rgb model_colour(1) title 'kernel, 10 to 90 %', " }
	command = command."$writes using 2:3 with points pointtype 7 pointsize 0.35 linecolor rgb measured title 'measured'"
	do for [m=1:3] { if (has_model(m)) {
		command = command.sprintf(", $sizes using 1:%d with lines linewidth model_width(%d) dashtype model_dash(%d) linecolor rgb model_colour(%d) title model_name(%d)", m + 1, m, m, m, m)
	}}
	eval command
	exit
}
eval linear_tics("x", x_low, max(x_high, x_low + 1e-9), "s", 6)
set xlabel "time since the first write (s)" textcolor rgb ink
if (has_y2) {
	set border 11
	# The upper half is of the costs, which are highest when most is dirty.
	eval linear_axis("y2", 0, 2 * bytes_high, "B")
	set y2label "page cache of the machine" textcolor rgb ink
	# Names side by side, so that those of thresholds that are close do not cover each other.
	do for [i=1:3] {
		bytes = i == 1 ? background : i == 2 ? freerun : dirty_limit
		if (bytes <= 2 * bytes_high) {
			set arrow from graph 0, second bytes to graph 1, second bytes nohead back linewidth 1 + 0.01 * i dashtype 3 linecolor rgb weak
			set label (i == 1 ? "background " : i == 2 ? "throttling begins " : "limit ").number(bytes, "B", 4) \
				at graph 0.43 + 0.28 * (i - 1), second bytes right offset 0,0.55 front font ",11" textcolor rgb weak
		}
	}
}
lines = "with lines linewidth 1.2"
command = "plot $writes using 1:3 with points pointtype 7 pointsize 0.35 linecolor rgb measured title 'measured'"
if (has_cached) {
	command = command.", $cached index 0 using 1:2 axes x1y2 with filledcurves y2=0 fillcolor rgb cached notitle, $cached index 0 using 1:2 axes x1y2 ".lines." linecolor rgb cached title 'dirty + being written'"
}
if (has_cached_kernel) { command = command.", $cached index 1 using 1:2 axes x1y2 ".lines."1 dashtype 2 linecolor rgb cached title 'the same by kernel'" }
if (has_cached_cawl) { command = command.", $cached index 2 using 1:2 axes x1y2 ".lines."2 dashtype 3 linecolor rgb model_colour(2) title 'the same by cawl'" }
if (has_band) { command = command.", $writes using 1:7:8 with filledcurves fillcolor rgb model_colour(1) title 'kernel, 10 to 90 %'" }
# Each model over the one before it, which is wider.
do for [m=1:3] { if (has_model(m)) {
	style = is_jumping ? "points pointtype 7 pointsize 0.3" : sprintf("lines linewidth model_width(%d) dashtype model_dash(%d)", m, m)
	command = command.sprintf(", $writes using 1:%d with %s linecolor rgb model_colour(%d) title model_name(%d)", m + 3, style, m, m)
}}
if (has_cached) { command = command.", $begins index 0 using 1:2 axes x1y2 with points pointtype 13 pointsize 1 linecolor rgb measured title 'flushing, throttling begin'" }
if (has_cached_kernel) { command = command.", $begins index 1 using 1:2 axes x1y2 with points pointtype 12 pointsize 1.4 linewidth 1.4 linecolor rgb model_colour(1) title 'both begin, by kernel'" }
if (has_cached_cawl) { command = command.", $begins index 2 using 1:2 axes x1y2 with points pointtype 12 pointsize 1.8 linewidth 1.4 linecolor rgb model_colour(2) title 'both begin, by cawl'" }
eval command

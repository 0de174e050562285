# SPDX-License-Identifier: GPL-3.0-or-later
# $states: seconds, dirty, being written, limit; $pauses: seconds, pause ns, a task's bytes per second; $rates: seconds,
# bytes per second of dirtying, balanced, of write-back; $writes: seconds, measured ns, predicted; predicted dirty, being
# written. background, freerun, dirty_limit: thresholds in bytes. has_predicted, has_predicted_cache, is_limit_moving.
kernel = "#6e6e6e"; dirty = "#00795a"; measured = "#202020"; pause = "#b23b00"; limit = "#d98cb3"
left = 104
has_panel(p) = p == 1 ? |$states| > 0 || has_predicted_cache : p == 2 ? |$rates| + |$pauses| > 0 : |$writes| + |$pauses| > 0
share_of(p) = has_panel(p) ? (p == 1 ? 3. : 2.) : 0.
panels = has_panel(1) + has_panel(2) + has_panel(3)
last = has_panel(3) ? 3 : has_panel(2) ? 2 : 1
bottom = lower + below
# Four names take two lines.
legend_of(p) = p == 2 && |$rates| > 0 && |$pauses| > 0 ? 42 : 24
high = (upper - bottom - panels * 24 - (legend_of(2) - 24) - (panels - 1) * 8) / (share_of(1) + share_of(2) + share_of(3))
t = upper
set multiplot
do for [p=1:3] { if (has_panel(p)) {
	upper = t
	dummy = key_room(4, 22)
	key_columns = 5
	eval put_key
	t = t - legend_of(p)
	b = t - high * share_of(p)
	eval put_panel(left, right, b, t)
	eval linear_tics("x", x_low, max(x_high, x_low + 1e-9), "s", 6)
	if (p < last) { set xtics ("" 0); set for [j=0:40] xtics add ("" j * tic_step(x_high - x_low, "s", 6)) }
	if (p == last) { set xlabel "time since the first write (s)" textcolor rgb ink }
	if (p == 1) {
		set ylabel "page cache" textcolor rgb ink
		eval linear_axis("y", 0, cache_high, "B")
		do for [i=1:3] {
			bytes = i == 1 ? background : i == 2 ? freerun : dirty_limit
			if (bytes <= cache_high) {
				set arrow from graph 0, first bytes to graph 1, first bytes nohead back linewidth 1 + 0.01 * i dashtype 3 linecolor rgb weak
				set label (i == 1 ? "background " : i == 2 ? "throttling begins " : "limit ").number(bytes, "B", 4) \
					at graph 0.43 + 0.28 * (i - 1), first bytes right offset 0,0.5 front font ",11" textcolor rgb weak
			}
		}
		command = ""
		if (|$states| > 0) {
			command = command."$states using 1:($2+$3) with filledcurves y1=0 fillcolor rgb kernel notitle, $states using 1:($2+$3) with lines linewidth 1.4 linecolor rgb kernel title 'dirty + being written', $states using 1:2 with lines linewidth 1 linecolor rgb dirty title 'dirty', "
		}
		if (is_limit_moving) { command = command."$states using 1:4 with lines linewidth 1.2 dashtype 4 linecolor rgb limit title 'limit', " }
		if (has_predicted_cache) { command = command."$writes using 1:($4+$5) with lines linewidth 1.6 dashtype 2 linecolor rgb colour(0) title 'sum by the model', " }
	}
	if (p == 2) {
		set ylabel "rate" textcolor rgb ink
		eval linear_axis("y", 0, rate_high, "B/s")
		command = ""
		if (|$pauses| > 0) { command = "$pauses using 1:3 with points pointtype 7 pointsize 0.2 linecolor rgb kernel title 'limit of a task', " }
		do for [i=1:(|$rates| > 0 ? 3 : 0)] {
			command = command.sprintf("$rates using 1:%d with steps linewidth thin(%d) dashtype %d linecolor rgb colour(%d) title '%s', ", i + 1, i, i, i - 1, \
				i == 1 ? "limit on dirtying" : i == 2 ? "balanced rate" : "write-back")
		}
	}
	if (p == 3) {
		set ylabel "cost, pause" textcolor rgb ink
		log_y = is_log(1)
		eval axis("y", log_y, cost_low, cost_least, cost_high, 0, "ns")
		floor_y = log_y ? log_low(cost_least, cost_high) : 0
		command = ""
		if (|$pauses| > 0) { command = "$pauses using ($2 > 0 ? $1 : NaN):(floor_y):(0):($2-floor_y) with vectors nohead linewidth 1 linecolor rgb pause title 'pause in the kernel', " }
		if (has_predicted) { command = command."$writes using 1:3 with lines linewidth 2.2 linecolor rgb colour(0) title 'cost by the model', " }
		if (|$writes| > 0) { command = command."$writes using 1:2 with points pointtype 7 pointsize 0.35 linecolor rgb measured title 'cost of a write', " }
	}
	eval "plot ".command[1:strlen(command) - 2]
	t = b - 8
	unset label
	unset arrow
}}
unset multiplot

# SPDX-License-Identifier: GPL-3.0-or-later
# $data: an index for each report; size of the buckets with at least as many samples, these samples, percent of all samples.
# $names of the reports.
eval put_names
eval put_panel(left, right, lower + below, upper)
log_y = is_log(1)
eval axis("y", log_y, 0, y_least, y_high, 0, "")
eval linear_tics("x", 0, x_high * 1.02, "B", 6)
set xlabel "size of the memory that has at least as many" textcolor rgb ink
set ylabel "samples of a bucket" textcolor rgb ink
plot for [i=1:|$names|] $data index i - 1 using 1:2 with fsteps linewidth 2 linecolor rgb colour(i - 1) \
	title (strlen($names[i]) > 1 ? $names[i][2:*] : "")

# SPDX-License-Identifier: GPL-3.0-or-later
# What the templates of all kinds share. memstor writes in front of it, as variables and data blocks:
#   format, width, height  of the picture ("svg" "png" "pdf", pixels); scale: how much finer a PNG is than its layout
#   scale_y, share, what   --y ("" = not given), --share, "access" or "operation"
#   $title $machine $notes texts around the data; warnings: number of notes that are warnings, which come first
#   and what the kind's template says. AXIS_low, AXIS_least (above 0) and AXIS_high are the extent of what is drawn.
# A text is a line of a data block behind a blank, $names[i][2:*], so that nothing in it is a command. Places and sizes
# are in units: the picture is W by H of them, from the lower left corner.

# --- terminal ---
has_terminal(t) = strstrt(GPVAL_TERMINALS, " ".t." ") > 0
terminal = format eq "svg" ? "svg" : format eq "pdf" ? "pdfcairo" : has_terminal("pngcairo") ? "pngcairo" : "png"
set encoding utf8
if (!has_terminal(terminal)) {
	print "this gnuplot has no terminal for ".format." (".(format eq "png" ? "pngcairo or png" : terminal)."): install gnuplot-nox (Debian)"
	exit status 9
}
if (terminal eq "svg") {
	set terminal svg noenhanced size width,height font "sans-serif,13" linewidth 1 background "#ffffff"
}
if (terminal eq "pdfcairo") {
	set terminal pdfcairo noenhanced size width/96.,height/96. font "sans-serif,13" fontscale 0.565 linewidth 1.6 rounded background "#ffffff"
}
if (terminal eq "pngcairo") {
	set terminal pngcairo noenhanced size width,height font "sans-serif,13" fontscale 0.75*scale pointscale scale linewidth scale background "#ffffff"
}
if (terminal eq "png") {
	set terminal png noenhanced size width,height font "sans-serif,13" fontscale 0.75*scale linewidth scale background "#ffffff"
	print "remark: this gnuplot has no terminal pngcairo but png: lines have no dashes, and areas hide each other"
}

# --- colours and lines, distinguishable with any kind of colour blindness; neighbours differ in lightness, too ---
colour(i) = word("#0b4f8a #e69f00 #00795a #d98cb3 #b23b00 #56b4e9 #202020 #9a9a9a", int(i) % 8 + 1)
set dashtype 1 solid
set dashtype 2 (10,4)
set dashtype 3 (3,3)
set dashtype 4 (12,3,3,3)
ink = "#303030"; strong = "#101010"; weak = "#666666"; red = "#a01010"; light = "#dcdcdc"
# gnuplot's SVG keeps the dashes of the line before when neither colour nor width change.
thin(dash) = 1.6 + 0.01 * dash
set border 3 linecolor rgb "#808080" linewidth 1
set grid xtics ytics linetype 1 linecolor rgb light linewidth 0.7 back
set style fill transparent solid 0.22 noborder
set xtics out nomirror scale 0.6,0.3 textcolor rgb ink
set ytics out nomirror scale 0.6,0.3 textcolor rgb ink
unset key
set xlabel offset 0,0.7 # away from the notes below it

# --- numbers as people read them: "100 ns", "2.5 M", "512 MiB"; unit: "ns" "s" "B" "B/s" "%" "" ---
min(a, b) = a < b ? a : b
max(a, b) = a > b ? a : b
# Groups of digits, and powers of 1024, of a number; 999.9996 is 1000.
digits(n, x) = sprintf("%.".n."g", x)
thousands(x) = int(floor(log10(abs(x) * 1.0000001) / 3))
kibis(x) = min(5, max(0, int(floor(log10(abs(x) * 1.0000001) / log10(1024)))))
si_limited(x, e, n) = digits(abs(x / 1000.0**e) >= 1000 ? 4 : n, x / 1000.0**e)." ".word("n u m . k M G T P", e + 4)
si_cut(text) = text[strlen(text):*] eq "." ? text[1:strlen(text) - 2] : text
si_e(x, time) = time ? min(0, max(-3, thousands(x))) : min(5, max(0, thousands(x)))
si(x, time, n) = x == 0 ? "0" : si_cut(si_limited(x, si_e(x, time), n))
number(x, unit, n) = unit eq "ns" ? si(x * 1e-9, 1, n).(x >= 999999999 || x == 0 ? " s" : "s") \
	: unit[1:1] eq "B" ? digits(n, x < 1 ? 0 : x / 1024.0**kibis(x))." ".word("B KiB MiB GiB TiB PiB", x < 1 ? 1 : kibis(x) + 1).unit[2:*] \
	: unit eq "%" ? digits(abs(x) >= 1000 ? 7 : n, x)." %" : unit eq "s" ? sprintf("%.6g", x) : si(x, 0, n)
# Of a tic's label, which is a format.
tic(x, unit) = x == 0 && unit ne "%" && unit[1:1] ne "B" ? "0" : number(x, unit, 4).(unit eq "%" ? "%" : "")

# --- axes: eval linear_axis("y", from, to, "ns") or log_axis("x", from, to, "ns") ---
power(x) = 10.0**floor(log10(x) + 1e-9)
step10(rough) = rough <= 1.0001 * power(rough) ? power(rough) : rough <= 2 * power(rough) ? 2 * power(rough) \
	: rough <= 5 * power(rough) ? 5 * power(rough) : 10 * power(rough)
step2(rough) = max(1, 2.0**ceil(log(rough) / log(2) - 1e-9))
tic_step(range, unit, tics) = unit[1:1] eq "B" ? step2(1.0 * range / tics) : step10(1.0 * range / tics)
axis_range(a, low, high) = sprintf("set %srange [%.12g:%.12g] noextend; unset logscale %s; ", a, low, high, a)
axis_tics(a) = sprintf("set %stics out nomirror scale 0.6,0.3 ('' 1e-300) textcolor rgb ink; ", a)
linear_tics(a, low, high, unit, tics) = axis_range(a, low, high).axis_tics(a).sprintf( \
	"set for [i_=0:40] %stics add (tic((i_ + (%d)) * %.12g, '%s') (i_ + (%d)) * %.12g); ", \
	a, ceil(low / tic_step(high - low, unit, tics) - 1e-9), tic_step(high - low, unit, tics), unit, \
	ceil(low / tic_step(high - low, unit, tics) - 1e-9), tic_step(high - low, unit, tics))
# From 0 (or below) to a tic.
top(low, high, unit) = high <= low ? low + 1.0 : ceil(high / tic_step(high - low, unit, 6) - 1e-9) * tic_step(high - low, unit, 6)
linear_axis(a, low, high, unit) = linear_tics(a, min(low, 0), top(min(low, 0), high, unit), unit, 6)
# With some room on both sides, and at least a factor of 2 wide; exact_log_axis: from low to high.
log_low(low, high) = high / low >= 1.5 ? low / 1.15 : sqrt(low * high) / 1.45
log_high(low, high) = high / low >= 1.5 ? high * 1.15 : sqrt(low * high) * 1.45
decades(low, high) = log10(high / low)
multiples(low, high) = decades(low, high) >= 2.2 ? "1" : decades(low, high) >= 1.2 ? "1 2 5" : "1 2 3 5 7"
log_tics(a, low, high, unit) = sprintf( \
	"do for [p_=%d:%d] { do for [m_=1:9] { if (p_ %% %d == 0 && strstrt('%s', sprintf('%%d', m_)) > 0) { set %stics add (tic(m_ * 10.0**p_, '%s') m_ * 10.0**p_) } else { set %stics add ('' m_ * 10.0**p_ 1) }}}; ", \
	floor(log10(low)), ceil(log10(high)), 1 + int(decades(low, high) / 10), multiples(low, high), a, unit, a)
binary_tics(a, low, high, unit) = sprintf( \
	"do for [p_=%d:%d] { if (p_ %% %d == 0) { set %stics add (tic(2.0**p_, '%s') 2.0**p_) } else { set %stics add ('' 2.0**p_ 1) }}; ", \
	ceil(log(low) / log(2)), floor(log(high) / log(2)), 1 + int(log(high / low) / log(2) / 10), a, unit, a)
exact_log_axis(a, low, high, unit) = high / low < 5 ? linear_tics(a, low, high, unit, 6).sprintf("set logscale %s; ", a) \
	: axis_range(a, low, high).axis_tics(a).(unit[1:1] eq "B" ? binary_tics(a, low, high, unit) : log_tics(a, low, high, unit)) \
	.sprintf("set logscale %s; ", a)
log_axis(a, low, high, unit) = exact_log_axis(a, log_low(low, high), log_high(low, high), unit)
# What --y says, else log or linear as usual; given: the range is the user's.
is_log(usual) = scale_y eq "" ? usual : scale_y eq "log"
axis(a, log, low, least, high, given, unit) = given ? (log ? exact_log_axis(a, low, high, unit) : linear_tics(a, low, high, unit, 6)) \
	: log ? log_axis(a, least, max(least, high), unit) : linear_axis(a, low, high, unit)
# Zeros have no place on a log axis: those of latencies are drawn at a place of their own, with this tic.
zero_tic(a, at) = at > 0 ? sprintf("set %stics add ('0' %.12g)", a, at) : ""

# --- the page: title and machine at the top, notes at the foot; upper and lower are what is left between ---
W = width / scale
H = height / scale
sx(x) = x / W
sy(y) = y / H
left = 92; right = W - 34; upper = H - 8; lower = 14
do for [i=1:|$title|] {
	set label $title[i][2:*] at screen sx(left - 20), sy(upper - 8) left front font ",16" textcolor rgb strong
	upper = upper - 21.6
}
upper = upper - 2
do for [i=1:|$machine|] {
	set label $machine[i][2:*] at screen sx(left - 20), sy(upper - 5.5) left front font ",11" textcolor rgb weak
	upper = upper - 14.9
}
upper = upper - 6
do for [i=|$notes|:1:-1] {
	set label $notes[i][2:*] at screen sx(left - 20), sy(lower + 5.5) left front font ",11" textcolor rgb i <= warnings ? red : weak
	lower = lower + 15.4
}
# Reserves the space of a legend with `count` names, the longest of `longest` characters, in columns, and places it;
# put_names does this for the texts of $names that are not empty.
em = 7.9
key_room(count, longest) = (key_columns = max(1, int((right - left + 20) / (longest * em + 56))), \
	key_rows = ceil(1. * count / key_columns), key_upper = upper, upper = upper - (count ? key_rows * 17.5 + 6 : 0), upper)
put_key = "set key at screen sx(left - 26), sy(key_upper) left top horizontal Left reverse samplen 2.6 spacing 0.88 noautotitle maxcols key_columns textcolor rgb ink"
put_names = "longest = 4; entries = 0; do for [i=1:|$names|] { longest = max(longest, strlen($names[i])); entries = entries + (strlen($names[i]) > 1) }; dummy = key_room(entries, longest); eval put_key"
# The panel between these; check_panel refuses a picture that is too small for it.
put_panel(l, r, b, t) = (panel_is_small = r - l < 50 || t - b < 50, \
	sprintf("set lmargin at screen %.6f; set rmargin at screen %.6f; set bmargin at screen %.6f; set tmargin at screen %.6f; eval check_panel", \
	sx(l), sx(r), sy(b), sy(t)))
check_panel = "if (panel_is_small) { print sprintf('the picture would have no room for its data: draw fewer, or give a larger --size than %dx%d', width, height); exit status 8 }"
below = 60 # room for tics and title of an x axis
# A title of a y axis, in the middle of several panels or of one.
side_title(text, x, y) = sprintf("set label '%s' at screen %.6f, screen %.6f center rotate by 90 front textcolor rgb ink", text, sx(x), sy(y))
# The second part of a number in a row of a block: word($block[i], n) as a number, NaN too.
field(row, n) = word(row, n) eq "NaN" ? NaN : real(word(row, n))

set encoding utf8
if (strstrt(GPVAL_TERMINALS, " svg ") > 0) {
	set terminal svg noenhanced size 960,600 font "sans-serif,13" linewidth 1 background "#ffffff"
} else {
	print "this gnuplot has no terminal for svg (svg): install gnuplot-nox (Debian)"
	exit status 9
}
set border 3 linecolor rgb "#808080" linewidth 1
set grid xtics ytics linetype 1 linecolor rgb "#dcdcdc" linewidth 0.7 back
unset key
set style fill transparent solid 0.22 noborder
$texts << END_OF_TEXTS
 Cost of a write by cell: append, write, warm
 Fixture CPU @ 3.00GHz, Linux 6.18.0-fixture, 2026-11-21
 write.p50
 write.p99
 cost of a write
 pwrite direct none 64 KiB
 pwrite buffered none 64 KiB
 pwrite buffered fsync 64 KiB
 fwrite buffered none 64 KiB
END_OF_TEXTS
# row, least, most, values
$rows << END
1 186289.2308 243712 186289.2308 243712
2 13979.42857 19200 13979.42857 19200
3 15020.30769 19968 15020.30769 19968
4 23148.30769 31872 23148.30769 31872
END
set label 1 $texts[1][2:*] at screen 0.08958,0.96333 left front font ",16" textcolor rgb "#101010"
set label 2 $texts[2][2:*] at screen 0.08958,0.92817 left front font ",11" textcolor rgb "#666666"
set lmargin at screen 0.21750
set rmargin at screen 0.96875
set bmargin at screen 0.11167
set tmargin at screen 0.85925
set arrow from screen 0.21750,0.88758 to screen 0.25292,0.88758 nohead front linewidth 2 dashtype solid linecolor rgb "#0b4f8a"
set label 3 $texts[3][2:*] at screen 0.26125,0.88758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.35328,0.88758 to screen 0.38870,0.88758 nohead front linewidth 2.01 dashtype solid linecolor rgb "#e69f00"
set label 4 $texts[4][2:*] at screen 0.39703,0.88758 left front font ",13" textcolor rgb "#303030"
set logscale x
set xrange [12156.0248447205:280268.8] noextend
set xtics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("20 us" 20000, "" 30000 1, "" 40000 1, "50 us" 50000, "" 60000 1, "" 70000 1, "" 80000 1, "" 90000 1, "100 us" 100000, "200 us" 200000)
set label 5 $texts[5][2:*] at screen 0.59313,0.03667 center front font ",13" textcolor rgb "#303030"
set yrange [4.5:0.5] noextend
unset ytics
set label 6 $texts[6][2:*] at screen 0.20917,0.76580 right front font ",12" textcolor rgb "#303030"
set label 7 $texts[7][2:*] at screen 0.20917,0.57891 right front font ",12" textcolor rgb "#303030"
set label 8 $texts[8][2:*] at screen 0.20917,0.39201 right front font ",12" textcolor rgb "#303030"
set label 9 $texts[9][2:*] at screen 0.20917,0.20511 right front font ",12" textcolor rgb "#303030"
plot $rows using 2:1:($3-$2):(0) with vectors nohead linewidth 2 linecolor rgb "#9a9a9a", \
	$rows using 4:1 with points pointtype 7 pointsize 0.8 linecolor rgb "#0b4f8a", \
	$rows using 5:1 with points pointtype 7 pointsize 0.8 linecolor rgb "#e69f00"

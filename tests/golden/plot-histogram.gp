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
 pmbench: map of 8 GiB
 Fake CPU (R) <tm> & Co, Linux 6.18.0, 2026-11-20
 pmbench-report.xml is not to be trusted: inexact.
 p50 80.9 ns
 p50 111 ns
 p99 111 ns
 p99 161 ns
 read
 write
 latency of an access
 accesses per doubling of latency
END_OF_TEXTS
# latency in ns, height, count
$curve0 << END
75.111 5.573956499 0
75.111 1.107589925e+11 20000000000
85.1258 1.107589925e+11 0
85.1258 5.573956499 0
155.2294 5.573956499 0
155.2294 1.592027404e+11 14359738368
165.2442 1.592027404e+11 0
165.2442 5.573956499 0
435.6438 5.573956499 0
435.6438 10393.35575 1000
465.6882 10393.35575 0
465.6882 5.573956499 0
1408 5.573956499 0
1408 1021918.84 65536
1472 1021918.84 0
1472 5.573956499 0
6912 5.573956499 0
6912 76237787.34 4000000
7168 76237787.34 0
7168 5.573956499 0
32768 5.573956499 0
32768 80.03398815 7
34816 80.03398815 0
34816 5.573956499 0
8912896 5.573956499 0
8912896 375.9300014 31
9437184 375.9300014 0
9437184 5.573956499 0
4831838208 5.573956499 0
4831838208 12.82009995 1
5100273664 12.82009995 0
5100273664 5.573956499 0
END
# latency in ns, height, count
$curve1 << END
105.1554 5.573956499 0
105.1554 3.272492339e+10 4294967297
115.1702 3.272492339e+10 0
115.1702 5.573956499 0
7424 5.573956499 0
7424 81763088.65 3999000
7680 81763088.65 0
7680 5.573956499 0
622592 5.573956499 0
622592 13513.40733 1000
655360 13513.40733 0
655360 5.573956499 0
END
set label 1 $texts[1][2:*] at screen 0.08958,0.96333 left front font ",16" textcolor rgb "#101010"
set label 2 $texts[2][2:*] at screen 0.08958,0.92817 left front font ",11" textcolor rgb "#666666"
set label 3 $texts[3][2:*] at screen 0.08958,0.02250 left front font ",11" textcolor rgb "#a01010"
set lmargin at screen 0.08958
set rmargin at screen 0.96875
set bmargin at screen 0.13733
set tmargin at screen 0.76592
set arrow from screen 0.09983,0.13733 to screen 0.09983,0.76592 nohead front linewidth 1 dashtype solid linecolor rgb "#0b4f8a"
set label 4 $texts[4][2:*] at screen 0.12424,0.77758 center front font ",11" textcolor rgb "#0b4f8a"
set arrow from screen 0.11483,0.13733 to screen 0.11483,0.76592 nohead front linewidth 1.01 dashtype (10,4) linecolor rgb "#e69f00"
set label 5 $texts[5][2:*] at screen 0.12109,0.80092 center front font ",11" textcolor rgb "#e69f00"
set arrow from screen 0.11504,0.13733 to screen 0.11504,0.76592 nohead front linewidth 1 dashtype (10,4) linecolor rgb "#e69f00"
set label 6 $texts[6][2:*] at screen 0.12109,0.82425 center front font ",11" textcolor rgb "#e69f00"
set arrow from screen 0.13289,0.13733 to screen 0.13289,0.76592 nohead front linewidth 1.01 dashtype solid linecolor rgb "#0b4f8a"
set label 7 $texts[7][2:*] at screen 0.13289,0.84758 center front font ",11" textcolor rgb "#0b4f8a"
set arrow from screen 0.08958,0.88758 to screen 0.12500,0.88758 nohead front linewidth 2 dashtype solid linecolor rgb "#0b4f8a"
set label 8 $texts[8][2:*] at screen 0.13333,0.88758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.19557,0.88758 to screen 0.23099,0.88758 nohead front linewidth 2.01 dashtype (10,4) linecolor rgb "#e69f00"
set label 9 $texts[9][2:*] at screen 0.23932,0.88758 left front font ",13" textcolor rgb "#303030"
set logscale x
set xrange [65.3139130434783:5865314713.6] noextend
set xtics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("" 70 1, "" 80 1, "" 90 1, "100 ns" 100, "" 200 1, "" 300 1, "" 400 1, "" 500 1, "" 600 1, "" 700 1, "" 800 1, "" 900 1, "1 us" 1000, "" 2000 1, "" 3000 1, "" 4000 1, "" 5000 1, "" 6000 1, "" 7000 1, "" 8000 1, "" 9000 1, "10 us" 10000, "" 20000 1, "" 30000 1, "" 40000 1, "" 50000 1, "" 60000 1, "" 70000 1, "" 80000 1, "" 90000 1, "100 us" 100000, "" 200000 1, "" 300000 1, "" 400000 1, "" 500000 1, "" 600000 1, "" 700000 1, "" 800000 1, "" 900000 1, "1 ms" 1000000, "" 2000000 1, "" 3000000 1, "" 4000000 1, "" 5000000 1, "" 6000000 1, "" 7000000 1, "" 8000000 1, "" 9000000 1, "10 ms" 10000000, "" 20000000 1, "" 30000000 1, "" 40000000 1, "" 50000000 1, "" 60000000 1, "" 70000000 1, "" 80000000 1, "" 90000000 1, "100 ms" 100000000, "" 200000000 1, "" 300000000 1, "" 400000000 1, "" 500000000 1, "" 600000000 1, "" 700000000 1, "" 800000000 1, "" 900000000 1, "1 s" 1000000000, "" 2000000000 1, "" 3000000000 1, "" 4000000000 1, "" 5000000000 1)
set label 10 $texts[10][2:*] at screen 0.52917,0.06233 center front font ",13" textcolor rgb "#303030"
set logscale y
set yrange [5.57395649884398:183083151481.024] noextend
set ytics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("" 10 1, "100" 100, "" 1000 1, "10 k" 10000, "" 100000 1, "1 M" 1000000, "" 10000000 1, "100 M" 100000000, "" 1000000000 1, "10 G" 10000000000, "" 100000000000 1)
set label 11 $texts[11][2:*] at screen 0.01250,0.45162 center rotate by 90 front font ",13" textcolor rgb "#303030"
plot $curve0 using 1:2 with filledcurves y=5.573956499 fillcolor rgb "#0b4f8a", \
	$curve1 using 1:2 with filledcurves y=5.573956499 fillcolor rgb "#e69f00", \
	$curve0 using 1:2 with lines linewidth 1.6 dashtype solid linecolor rgb "#0b4f8a", \
	$curve1 using 1:2 with lines linewidth 1.6 dashtype (10,4) linecolor rgb "#e69f00"

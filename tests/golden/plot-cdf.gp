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
 p99 161 ns
 p50 7.16 us
 p99 7.17 us
 read all
 read major
 latency of an access
 share of accesses that took at most so long
END_OF_TEXTS
# latency in ns, share in percent, count
$curve0 << END
80 0 0
81 58.20077268 20000000000
160 58.20077268 0
161 99.98816611 14359738368
440 99.98816611 0
442 99.98816902 1000
1408 99.98816902 0
1416 99.98835973 65536
7136 99.98835973 0
7168 99.99999989 4000000
32768 99.99999989 0
33024 99.99999991 7
8978432 99.99999991 0
9043968 100 31
4999610368 100 0
5000000000 100 1
END
# latency in ns, share in percent, count
$curve1 << END
7161 0 0
7168 99.99920001 4000000
8978432 99.99920001 0
9043968 99.999975 31
4999610368 99.999975 0
5000000000 100 1
END
set label 1 $texts[1][2:*] at screen 0.08958,0.96333 left front font ",16" textcolor rgb "#101010"
set label 2 $texts[2][2:*] at screen 0.08958,0.92817 left front font ",11" textcolor rgb "#666666"
set label 3 $texts[3][2:*] at screen 0.08958,0.02250 left front font ",11" textcolor rgb "#a01010"
set lmargin at screen 0.08958
set rmargin at screen 0.96875
set bmargin at screen 0.13733
set tmargin at screen 0.81258
set arrow from screen 0.09684,0.13733 to screen 0.09684,0.81258 nohead front linewidth 1 dashtype solid linecolor rgb "#0b4f8a"
set label 4 $texts[4][2:*] at screen 0.12424,0.82425 center front font ",11" textcolor rgb "#0b4f8a"
set arrow from screen 0.13003,0.13733 to screen 0.13003,0.81258 nohead front linewidth 1.01 dashtype solid linecolor rgb "#0b4f8a"
set label 5 $texts[5][2:*] at screen 0.13003,0.84758 center front font ",11" textcolor rgb "#0b4f8a"
set arrow from screen 0.31301,0.13733 to screen 0.31301,0.81258 nohead front linewidth 1 dashtype solid linecolor rgb "#e69f00"
set label 6 $texts[6][2:*] at screen 0.31301,0.82425 center front font ",11" textcolor rgb "#e69f00"
set arrow from screen 0.31303,0.13733 to screen 0.31303,0.81258 nohead front linewidth 1.01 dashtype solid linecolor rgb "#e69f00"
set label 7 $texts[7][2:*] at screen 0.31303,0.84758 center front font ",11" textcolor rgb "#e69f00"
set arrow from screen 0.08958,0.88758 to screen 0.12500,0.88758 nohead front linewidth 2 dashtype solid linecolor rgb "#0b4f8a"
set label 8 $texts[8][2:*] at screen 0.13333,0.88758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.23281,0.88758 to screen 0.26823,0.88758 nohead front linewidth 2.01 dashtype solid linecolor rgb "#e69f00"
set label 9 $texts[9][2:*] at screen 0.27656,0.88758 left front font ",13" textcolor rgb "#303030"
set logscale x
set xrange [69.5652173913044:5788139520] noextend
set xtics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("" 70 1, "" 80 1, "" 90 1, "100 ns" 100, "" 200 1, "" 300 1, "" 400 1, "" 500 1, "" 600 1, "" 700 1, "" 800 1, "" 900 1, "1 us" 1000, "" 2000 1, "" 3000 1, "" 4000 1, "" 5000 1, "" 6000 1, "" 7000 1, "" 8000 1, "" 9000 1, "10 us" 10000, "" 20000 1, "" 30000 1, "" 40000 1, "" 50000 1, "" 60000 1, "" 70000 1, "" 80000 1, "" 90000 1, "100 us" 100000, "" 200000 1, "" 300000 1, "" 400000 1, "" 500000 1, "" 600000 1, "" 700000 1, "" 800000 1, "" 900000 1, "1 ms" 1000000, "" 2000000 1, "" 3000000 1, "" 4000000 1, "" 5000000 1, "" 6000000 1, "" 7000000 1, "" 8000000 1, "" 9000000 1, "10 ms" 10000000, "" 20000000 1, "" 30000000 1, "" 40000000 1, "" 50000000 1, "" 60000000 1, "" 70000000 1, "" 80000000 1, "" 90000000 1, "100 ms" 100000000, "" 200000000 1, "" 300000000 1, "" 400000000 1, "" 500000000 1, "" 600000000 1, "" 700000000 1, "" 800000000 1, "" 900000000 1, "1 s" 1000000000, "" 2000000000 1, "" 3000000000 1, "" 4000000000 1, "" 5000000000 1)
set label 10 $texts[10][2:*] at screen 0.52917,0.06233 center front font ",13" textcolor rgb "#303030"
unset logscale y
set yrange [0:100] noextend
set ytics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("0 %%" 0, "20 %%" 20, "40 %%" 40, "60 %%" 60, "80 %%" 80, "100 %%" 100)
set label 11 $texts[11][2:*] at screen 0.01250,0.47496 center rotate by 90 front font ",13" textcolor rgb "#303030"
plot $curve0 using 1:2 with lines linewidth 1.6 dashtype solid linecolor rgb "#0b4f8a", \
	$curve1 using 1:2 with lines linewidth 1.6 dashtype solid linecolor rgb "#e69f00"

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
 accesses per second
 vmstat.pgmajfault (right)
 uniform
 accesses per second
 events per second
 p50
 p99
 time since the run began (s)
 latency of an access
END_OF_TEXTS
# seconds, value
$line0 << END
0 3333333334
1.5 3333333334
1.5 0
3 0
END
# seconds, value
$line1 << END
0 128
1.5 128

END
# seconds, value
$line2 << END
0 253.44
1.5 253.44

END
# seconds, value
$line3 << END
0 2
1.5 2
1.5 0
3 0
END
set multiplot
set label 1 $texts[1][2:*] at screen 0.08958,0.96333 left front font ",16" textcolor rgb "#101010"
set label 2 $texts[2][2:*] at screen 0.08958,0.92817 left front font ",11" textcolor rgb "#666666"
set label 3 $texts[3][2:*] at screen 0.08958,0.02250 left front font ",11" textcolor rgb "#a01010"
set lmargin at screen 0.08958
set rmargin at screen 0.91042
set bmargin at screen 0.51996
set tmargin at screen 0.83592
set arrow from screen 0.08958,0.88758 to screen 0.12500,0.88758 nohead front linewidth 2 dashtype solid linecolor rgb "#0b4f8a"
set label 4 $texts[4][2:*] at screen 0.13333,0.88758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.34453,0.88758 to screen 0.37995,0.88758 nohead front linewidth 2.01 dashtype (10,4) linecolor rgb "#d98cb3"
set label 5 $texts[5][2:*] at screen 0.38828,0.88758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.08958,0.51996 to screen 0.08958,0.83592 nohead front linewidth 1 dashtype (3,3) linecolor rgb "#666666"
set label 6 $texts[6][2:*] at screen 0.11164,0.84758 center front font ",11" textcolor rgb "#666666"
unset logscale x
set xrange [0:3] noextend
set xtics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("" 0, "" 0.5, "" 1, "" 1.5, "" 2, "" 2.5, "" 3)
unset logscale y
set yrange [0:4000000000] noextend
set ytics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("0" 0, "1 G" 1000000000, "2 G" 2000000000, "3 G" 3000000000, "4 G" 4000000000)
set label 7 $texts[7][2:*] at screen 0.01250,0.67794 center rotate by 90 front font ",13" textcolor rgb "#303030"
set border 11 linecolor rgb "#808080" linewidth 1
unset logscale y2
set y2range [0:2] noextend
set y2tics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("0" 0, "0.5" 0.5, "1" 1, "1.5" 1.5, "2" 2)
set label 8 $texts[8][2:*] at screen 0.98750,0.67794 center rotate by 90 front font ",13" textcolor rgb "#303030"
plot $line0 using 1:2 axes x1y1 with lines linewidth 1.5 dashtype solid linecolor rgb "#0b4f8a", \
	$line3 using 1:2 axes x1y2 with lines linewidth 1.5 dashtype (10,4) linecolor rgb "#d98cb3"
unset label
unset arrow
unset object
set lmargin at screen 0.08958
set rmargin at screen 0.91042
set bmargin at screen 0.13733
set tmargin at screen 0.45329
set arrow from screen 0.08958,0.48162 to screen 0.12500,0.48162 nohead front linewidth 2.01 dashtype solid linecolor rgb "#e69f00"
set label 1 $texts[9][2:*] at screen 0.13333,0.48162 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.18068,0.48162 to screen 0.21609,0.48162 nohead front linewidth 2 dashtype solid linecolor rgb "#00795a"
set label 2 $texts[10][2:*] at screen 0.22443,0.48162 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.08958,0.13733 to screen 0.08958,0.45329 nohead front linewidth 1.01 dashtype (3,3) linecolor rgb "#666666"
unset logscale x
set xrange [0:3] noextend
set xtics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("0" 0, "0.5" 0.5, "1" 1, "1.5" 1.5, "2" 2, "2.5" 2.5, "3" 3)
set label 3 $texts[11][2:*] at screen 0.50000,0.06233 center front font ",13" textcolor rgb "#303030"
set logscale y
set yrange [111.304347826087:291.456] noextend
set ytics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("150 ns" 150, "200 ns" 200, "250 ns" 250)
set label 4 $texts[12][2:*] at screen 0.01250,0.29531 center rotate by 90 front font ",13" textcolor rgb "#303030"
set border 3 linecolor rgb "#808080" linewidth 1
unset y2tics
plot $line1 using 1:2 axes x1y1 with lines linewidth 1.5 dashtype solid linecolor rgb "#e69f00", \
	$line2 using 1:2 axes x1y1 with lines linewidth 1.5 dashtype solid linecolor rgb "#00795a"
unset multiplot

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
 All accesses below 256 ns are in one bucket.
 pmbench-report.xml is not to be trusted: inexact.
 accesses per second and doubling of latency
 time since the run began (s)
 latency of an access
END_OF_TEXTS
# seconds from, to, latency in ns from, to, heat, count
$heat0 << END
0 1.5 128 256 3.33333e+09 5000000000
0 1.5 1073741824 2147483648 0.666667 1
END
set label 1 $texts[1][2:*] at screen 0.08958,0.96333 left front font ",16" textcolor rgb "#101010"
set label 2 $texts[2][2:*] at screen 0.08958,0.92817 left front font ",11" textcolor rgb "#666666"
set label 3 $texts[3][2:*] at screen 0.08958,0.02250 left front font ",11" textcolor rgb "#666666"
set label 4 $texts[4][2:*] at screen 0.08958,0.04817 left front font ",11" textcolor rgb "#a01010"
set lmargin at screen 0.08958
set rmargin at screen 0.86875
set bmargin at screen 0.16300
set tmargin at screen 0.89258
set style fill solid noborder
set palette defined (0 "#ebda73", 1 "#c3cf6c", 2 "#9ac46c", 3 "#6eb871", 4 "#3ca977", 5 "#06977e", 6 "#00837e", 7 "#006f79", 8 "#005c71", 9 "#004a69", 10 "#003664", 11 "#081e64", 12 "#160452")
set colorbox vertical user origin screen 0.88542,0.16300 size screen 0.01458,0.72958 noborder
set logscale cb
set cbrange [0.579710144927536:3833333333.33333] noextend
set cbtics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("1" 1, "10" 10, "100" 100, "1 k" 1000, "10 k" 10000, "100 k" 100000, "1 M" 1000000, "10 M" 10000000, "100 M" 100000000, "1 G" 1000000000)
set label 5 $texts[5][2:*] at screen 0.97708,0.52779 center rotate by 90 front font ",13" textcolor rgb "#303030"
unset logscale x
set xrange [0:3] noextend
set xtics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("0" 0, "0.5" 0.5, "1" 1, "1.5" 1.5, "2" 2, "2.5" 2.5, "3" 3)
set label 6 $texts[6][2:*] at screen 0.47917,0.08800 center front font ",13" textcolor rgb "#303030"
set logscale y
set yrange [111.304347826087:2469606195.2] noextend
set ytics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("" 200 1, "" 300 1, "" 400 1, "" 500 1, "" 600 1, "" 700 1, "" 800 1, "" 900 1, "1 us" 1000, "" 2000 1, "" 3000 1, "" 4000 1, "" 5000 1, "" 6000 1, "" 7000 1, "" 8000 1, "" 9000 1, "10 us" 10000, "" 20000 1, "" 30000 1, "" 40000 1, "" 50000 1, "" 60000 1, "" 70000 1, "" 80000 1, "" 90000 1, "100 us" 100000, "" 200000 1, "" 300000 1, "" 400000 1, "" 500000 1, "" 600000 1, "" 700000 1, "" 800000 1, "" 900000 1, "1 ms" 1000000, "" 2000000 1, "" 3000000 1, "" 4000000 1, "" 5000000 1, "" 6000000 1, "" 7000000 1, "" 8000000 1, "" 9000000 1, "10 ms" 10000000, "" 20000000 1, "" 30000000 1, "" 40000000 1, "" 50000000 1, "" 60000000 1, "" 70000000 1, "" 80000000 1, "" 90000000 1, "100 ms" 100000000, "" 200000000 1, "" 300000000 1, "" 400000000 1, "" 500000000 1, "" 600000000 1, "" 700000000 1, "" 800000000 1, "" 900000000 1, "1 s" 1000000000, "" 2000000000 1)
set label 7 $texts[7][2:*] at screen 0.01250,0.52779 center rotate by 90 front font ",13" textcolor rgb "#303030"
plot $heat0 using (0.5*($1+$2)):(sqrt($3*$4)):1:($2+0.00200535):3:($4*1.0195083):5 with boxxyerror fillcolor palette fillstyle solid noborder

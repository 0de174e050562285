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
 Errors of the models by scenario
 Fixture CPU @ 3.00GHz, Linux 6.18.0-fixture, 2026-11-21
 Medians of the repetitions; circles: each of them.
 Goals that are met: sync per-write 8.25 (15) %.
 Goals that are missed: buffered-slow per-write 22.5 (20) %.
 kernel
 cawl
 naive
 floor: three costs, chosen knowing the result
 error per write
 error of the total
 c2
 c4
 f4b
 scenario
END_OF_TEXTS
# place, median of the repetitions
$median0_0 << END
0.74 12.4716063
1.74 65.07884092
2.74 8.47092386
END
# place, each repetition
$each0_0 << END
0.74 12.23226908
0.74 12.71094352
1.74 76.6864235
1.74 53.47125833
2.74 7.585545755
2.74 9.356301966
END
# place, median of the repetitions
$median0_1 << END
1 48.95252906
2 28.40889496
3 14.00607874
END
# place, each repetition
$each0_1 << END
1 48.42478698
1 49.48027113
2 29.01771036
2 27.80007955
3 13.7927167
3 14.21944077
END
# place, median of the repetitions
$median0_2 << END
1.26 639.8923021
2.26 1046.914187
3.26 149.618959
END
# place, each repetition
$each0_2 << END
1.26 620.585466
1.26 659.1991382
2.26 1047.40129
2.26 1046.427085
3.26 150.3962269
3.26 148.8416912
END
# place, floor
$floor0 << END
1 11.2
2 11.2
3 9.5
END
# place, median of the repetitions
$median1_0 << END
0.74 3.238053544
1.74 13.03521017
2.74 2.339014486
END
# place, each repetition
$each1_0 << END
0.74 3.554582166
0.74 2.921524921
1.74 12.99920125
1.74 13.07121909
2.74 1.944127129
2.74 2.733901843
END
# place, median of the repetitions
$median1_1 << END
1 80.23953843
2 38.96334683
3 5.432810563
END
# place, each repetition
$each1_1 << END
1 80.30417904
1 80.17489782
2 38.9380738
2 38.98861986
3 5.050432817
3 5.815188309
END
# place, median of the repetitions
$median1_2 << END
1.26 106.7669058
2.26 583.9271485
3.26 159.5729324
END
# place, each repetition
$each1_2 << END
1.26 106.0905279
1.26 107.4432838
2.26 584.2103375
2.26 583.6439594
3.26 160.6225027
3.26 158.5233621
END
# place, floor
$floor1 << END
END
set multiplot
set label 1 $texts[1][2:*] at screen 0.08958,0.96333 left front font ",16" textcolor rgb "#101010"
set label 2 $texts[2][2:*] at screen 0.08958,0.92817 left front font ",11" textcolor rgb "#666666"
set label 3 $texts[3][2:*] at screen 0.08958,0.02250 left front font ",11" textcolor rgb "#666666"
set label 4 $texts[4][2:*] at screen 0.08958,0.04817 left front font ",11" textcolor rgb "#666666"
set label 5 $texts[5][2:*] at screen 0.08958,0.07383 left front font ",11" textcolor rgb "#a01010"
set arrow from screen 0.08958,0.88758 to screen 0.12500,0.88758 nohead front linewidth 2 dashtype solid linecolor rgb "#0b4f8a"
set label 6 $texts[6][2:*] at screen 0.13333,0.88758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.08958,0.85758 to screen 0.12500,0.85758 nohead front linewidth 2.01 dashtype solid linecolor rgb "#e69f00"
set label 7 $texts[7][2:*] at screen 0.13333,0.85758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.49349,0.88758 to screen 0.52891,0.88758 nohead front linewidth 2 dashtype solid linecolor rgb "#b23b00"
set label 8 $texts[8][2:*] at screen 0.53724,0.88758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.49349,0.85758 to screen 0.52891,0.85758 nohead front linewidth 2.01 dashtype (3,3) linecolor rgb "#202020"
set label 9 $texts[9][2:*] at screen 0.53724,0.85758 left front font ",13" textcolor rgb "#303030"
set lmargin at screen 0.08958
set rmargin at screen 0.96875
set bmargin at screen 0.50896
set tmargin at screen 0.78592
set label 10 $texts[10][2:*] at screen 0.08958,0.80592 left front font ",12" textcolor rgb "#101010"
set xrange [0.5:3.5] noextend
unset xtics
set arrow from screen 0.38264,0.50896 to screen 0.38264,0.78592 nohead front linewidth 0.7 dashtype solid linecolor rgb "#dcdcdc"
set arrow from screen 0.67569,0.50896 to screen 0.67569,0.78592 nohead front linewidth 0.71 dashtype solid linecolor rgb "#dcdcdc"
set logscale y
set yrange [6.5961267431113:1204.51148321037] noextend
set ytics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("" 7 1, "" 8 1, "" 9 1, "10 %%" 10, "" 20 1, "" 30 1, "" 40 1, "" 50 1, "" 60 1, "" 70 1, "" 80 1, "" 90 1, "100 %%" 100, "" 200 1, "" 300 1, "" 400 1, "" 500 1, "" 600 1, "" 700 1, "" 800 1, "" 900 1, "1000 %%" 1000)
set label 11 "" at screen 0.01250,0.64744 center rotate by 90 front font ",13" textcolor rgb "#303030"
plot $median0_0 using ($1-0.11):2:(0.22):(0) with vectors nohead linewidth 4 linecolor rgb "#0b4f8a", \
	$median0_1 using ($1-0.11):2:(0.22):(0) with vectors nohead linewidth 4 linecolor rgb "#e69f00", \
	$median0_2 using ($1-0.11):2:(0.22):(0) with vectors nohead linewidth 4 linecolor rgb "#b23b00", \
	$each0_0 using 1:2 with points pointtype 6 pointsize 0.45 linewidth 1 linecolor rgb "#0b4f8a", \
	$each0_1 using 1:2 with points pointtype 6 pointsize 0.45 linewidth 1 linecolor rgb "#e69f00", \
	$each0_2 using 1:2 with points pointtype 6 pointsize 0.45 linewidth 1 linecolor rgb "#b23b00", \
	$floor0 using ($1-0.42):2:(0.84):(0) with vectors nohead linewidth 1.4 dashtype (3,3) linecolor rgb "#202020"
unset label
unset arrow
unset object
set lmargin at screen 0.08958
set rmargin at screen 0.96875
set bmargin at screen 0.18200
set tmargin at screen 0.45896
set label 1 $texts[11][2:*] at screen 0.08958,0.47896 left front font ",12" textcolor rgb "#101010"
set xrange [0.5:3.5] noextend
unset xtics
set label 2 $texts[12][2:*] at screen 0.23611,0.15867 center front font ",12" textcolor rgb "#303030"
set arrow from screen 0.38264,0.18200 to screen 0.38264,0.45896 nohead front linewidth 0.7 dashtype solid linecolor rgb "#dcdcdc"
set label 3 $texts[13][2:*] at screen 0.52917,0.15867 center front font ",12" textcolor rgb "#303030"
set arrow from screen 0.67569,0.18200 to screen 0.67569,0.45896 nohead front linewidth 0.71 dashtype solid linecolor rgb "#dcdcdc"
set label 4 $texts[14][2:*] at screen 0.82222,0.15867 center front font ",12" textcolor rgb "#303030"
set label 5 $texts[15][2:*] at screen 0.52917,0.11867 center front font ",13" textcolor rgb "#303030"
set logscale y
set yrange [1.69054532954353:671.841888163943] noextend
set ytics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("" 2 1, "" 3 1, "" 4 1, "" 5 1, "" 6 1, "" 7 1, "" 8 1, "" 9 1, "10 %%" 10, "" 20 1, "" 30 1, "" 40 1, "" 50 1, "" 60 1, "" 70 1, "" 80 1, "" 90 1, "100 %%" 100, "" 200 1, "" 300 1, "" 400 1, "" 500 1, "" 600 1)
set label 6 "" at screen 0.01250,0.32048 center rotate by 90 front font ",13" textcolor rgb "#303030"
plot $median1_0 using ($1-0.11):2:(0.22):(0) with vectors nohead linewidth 4 linecolor rgb "#0b4f8a", \
	$median1_1 using ($1-0.11):2:(0.22):(0) with vectors nohead linewidth 4 linecolor rgb "#e69f00", \
	$median1_2 using ($1-0.11):2:(0.22):(0) with vectors nohead linewidth 4 linecolor rgb "#b23b00", \
	$each1_0 using 1:2 with points pointtype 6 pointsize 0.45 linewidth 1 linecolor rgb "#0b4f8a", \
	$each1_1 using 1:2 with points pointtype 6 pointsize 0.45 linewidth 1 linecolor rgb "#e69f00", \
	$each1_2 using 1:2 with points pointtype 6 pointsize 0.45 linewidth 1 linecolor rgb "#b23b00"
unset multiplot

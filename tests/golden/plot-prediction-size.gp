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
 Scenario f4b (figure 4b of CAWL): sizes from 4 KiB to 1 MiB
 Fixture CPU @ 3.00GHz, Linux 6.18.0-fixture, 2026-11-21
 Floor: 9.5 % per write, with three costs chosen knowing the result.
 kernel: off by 7.6 % per write, -1.9 % in all, 75 % of the writes in the band.
 measured
 kernel, and where 10 to 90 % lie
 size of a write
 cost of a write
END_OF_TEXTS
# size, measured ns
$measured << END
4096 143606
4096 156714
4096 178002
4096 164048
4096 196929
4096 154868
4096 137473
4096 169551
4096 205966
4096 183809
4096 174625
4096 165144
16384 180528
16384 167501
16384 161610
16384 169980
16384 189067
16384 199149
16384 180095
16384 152316
16384 176097
16384 167079
16384 187693
16384 187665
65536 145449
65536 183171
65536 194758
65536 209635
65536 162047
65536 181589
65536 191016
65536 169928
65536 208714
65536 176890
65536 195820
65536 175683
262144 250527
262144 233285
262144 228601
262144 275975
262144 255297
262144 221837
262144 276449
262144 248212
262144 264986
262144 257685
262144 251859
262144 242097
1048576 476755
1048576 475682
1048576 568448
1048576 486470
1048576 475494
1048576 485503
1048576 378494
1048576 460233
1048576 500925
1048576 449295
1048576 493449
1048576 530139
END
# size, means: kernel, cawl, naive, low, high
$sizes << END
4096 161280 137517 9638 141926 180634
16384 165120 142068 38551 145306 184934
65536 180480 160273 154202 158822 202138
262144 241920 233090 616809 212890 270950
1048576 487680 524361 2467238 429158 546202
END
set label 1 $texts[1][2:*] at screen 0.08958,0.96333 left front font ",16" textcolor rgb "#101010"
set label 2 $texts[2][2:*] at screen 0.08958,0.92817 left front font ",11" textcolor rgb "#666666"
set label 3 $texts[3][2:*] at screen 0.08958,0.02250 left front font ",11" textcolor rgb "#666666"
set label 4 $texts[4][2:*] at screen 0.08958,0.04817 left front font ",11" textcolor rgb "#666666"
set lmargin at screen 0.08958
set rmargin at screen 0.96875
set bmargin at screen 0.16300
set tmargin at screen 0.85925
set label 5 "" at screen 0.09549,0.88758 front point pointtype 7 pointsize 0.5 linecolor rgb "#202020"
set label 6 "" at screen 0.10729,0.88758 front point pointtype 7 pointsize 0.5 linecolor rgb "#202020"
set label 7 "" at screen 0.11910,0.88758 front point pointtype 7 pointsize 0.5 linecolor rgb "#202020"
set label 8 $texts[5][2:*] at screen 0.13333,0.88758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.39667,0.88758 to screen 0.43208,0.88758 nohead front linewidth 2 dashtype solid linecolor rgb "#0b4f8a"
set label 9 $texts[6][2:*] at screen 0.44042,0.88758 left front font ",13" textcolor rgb "#303030"
set logscale x
set xrange [3561.73913043478:1205862.4] noextend
set xtics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("4 KiB" 4096, "8 KiB" 8192, "16 KiB" 16384, "32 KiB" 32768, "64 KiB" 65536, "128 KiB" 131072, "256 KiB" 262144, "512 KiB" 524288, "1 MiB" 1048576)
set label 10 $texts[7][2:*] at screen 0.52917,0.08800 center front font ",13" textcolor rgb "#303030"
set logscale y
set yrange [119541.739130435:653715.2] noextend
set ytics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("200 us" 200000, "300 us" 300000, "" 400000 1, "500 us" 500000, "" 600000 1)
set label 11 $texts[8][2:*] at screen 0.01250,0.51112 center rotate by 90 front font ",13" textcolor rgb "#303030"
plot $sizes using 1:5:6 with filledcurves fillcolor rgb "#0b4f8a", \
	$measured using 1:2 with points pointtype 7 pointsize 0.35 linecolor rgb "#202020", \
	$sizes using 1:2 with lines linewidth 1.6 dashtype solid linecolor rgb "#0b4f8a"

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
 Cost of a write by size: append, write, warm
 Fixture CPU @ 3.00GHz, Linux 6.18.0-fixture, 2026-11-21
 pwrite direct none, write.mean
 pwrite buffered none, write.mean
 pwrite buffered fsync, write.mean
 pwrite buffered fsync, sync.mean
 fwrite buffered none, write.mean
 size of a write
 cost of a write
END_OF_TEXTS
# size, value
$line0 << END
4096 170867.4383
65536 190509.325
1048576 614449.2891
END
# size, value
$line1 << END
4096 2972.936667
65536 14840.18333
1048576 193033.7031
END
# size, value
$line2 << END
4096 3681.036667
65536 15894.725
1048576 218294.7656
END
# size, value
$line3 << END
4096 237219.5467
65536 445341.3983
1048576 3159623.047
END
# size, value
$line4 << END
4096 1520.258333
65536 24139.085
1048576 237871.6875
END
set label 1 $texts[1][2:*] at screen 0.08958,0.96333 left front font ",16" textcolor rgb "#101010"
set label 2 $texts[2][2:*] at screen 0.08958,0.92817 left front font ",11" textcolor rgb "#666666"
set lmargin at screen 0.08958
set rmargin at screen 0.96875
set bmargin at screen 0.11167
set tmargin at screen 0.79925
set arrow from screen 0.08958,0.88758 to screen 0.12500,0.88758 nohead front linewidth 2 dashtype solid linecolor rgb "#0b4f8a"
set label 3 $texts[3][2:*] at screen 0.13333,0.88758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.08958,0.85758 to screen 0.12500,0.85758 nohead front linewidth 2.01 dashtype solid linecolor rgb "#e69f00"
set label 4 $texts[4][2:*] at screen 0.13333,0.85758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.08958,0.82758 to screen 0.12500,0.82758 nohead front linewidth 2 dashtype solid linecolor rgb "#00795a"
set label 5 $texts[5][2:*] at screen 0.13333,0.82758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.40411,0.88758 to screen 0.43953,0.88758 nohead front linewidth 2.01 dashtype (10,4) linecolor rgb "#00795a"
set label 6 $texts[6][2:*] at screen 0.44786,0.88758 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.40411,0.85758 to screen 0.43953,0.85758 nohead front linewidth 2 dashtype solid linecolor rgb "#d98cb3"
set label 7 $texts[7][2:*] at screen 0.44786,0.85758 left front font ",13" textcolor rgb "#303030"
set logscale x
set xrange [3561.73913043478:1205862.4] noextend
set xtics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("4 KiB" 4096, "8 KiB" 8192, "16 KiB" 16384, "32 KiB" 32768, "64 KiB" 65536, "128 KiB" 131072, "256 KiB" 262144, "512 KiB" 524288, "1 MiB" 1048576)
set label 8 $texts[8][2:*] at screen 0.52917,0.03667 center front font ",13" textcolor rgb "#303030"
set logscale y
set yrange [1321.96376811594:3633566.50390625] noextend
set ytics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("" 2000 1, "" 3000 1, "" 4000 1, "" 5000 1, "" 6000 1, "" 7000 1, "" 8000 1, "" 9000 1, "10 us" 10000, "" 20000 1, "" 30000 1, "" 40000 1, "" 50000 1, "" 60000 1, "" 70000 1, "" 80000 1, "" 90000 1, "100 us" 100000, "" 200000 1, "" 300000 1, "" 400000 1, "" 500000 1, "" 600000 1, "" 700000 1, "" 800000 1, "" 900000 1, "1 ms" 1000000, "" 2000000 1, "" 3000000 1)
set label 9 $texts[9][2:*] at screen 0.01250,0.45546 center rotate by 90 front font ",13" textcolor rgb "#303030"
plot $line0 using 1:2 with linespoints linewidth 1.6 pointtype 7 pointsize 0.5 dashtype solid linecolor rgb "#0b4f8a", \
	$line1 using 1:2 with linespoints linewidth 1.6 pointtype 7 pointsize 0.5 dashtype solid linecolor rgb "#e69f00", \
	$line2 using 1:2 with linespoints linewidth 1.6 pointtype 7 pointsize 0.5 dashtype solid linecolor rgb "#00795a", \
	$line3 using 1:2 with linespoints linewidth 1.6 pointtype 7 pointsize 0.5 dashtype (10,4) linecolor rgb "#00795a", \
	$line4 using 1:2 with linespoints linewidth 1.6 pointtype 7 pointsize 0.5 dashtype solid linecolor rgb "#d98cb3"

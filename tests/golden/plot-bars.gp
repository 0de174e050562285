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
 pmbench
 One run each: nothing is known of what differs from run to run.
 pmbench-report.xml is not to be trusted: inexact.
 kind <fake>
 no kind
 throughput (1/s)
 higher is better
 5.37 M
 59.4 k
 p99
 lower is better
 161 ns
 530 us
END_OF_TEXTS
# group, median, from, to, runs
$bars0 << END
1 5369828.7 5369828.7 5369828.7 1
2 59391.94526 59391.94526 59391.94526 1
END
# place, value, group
$runs0 << END
END
# group, median, from, to, runs
$bars1 << END
1 160.9736373 160.9736373 160.9736373 1
2 530167.219 530167.219 530167.219 1
END
# place, value, group
$runs1 << END
END
set multiplot
set label 1 $texts[1][2:*] at screen 0.08958,0.96333 left front font ",16" textcolor rgb "#101010"
set label 2 $texts[2][2:*] at screen 0.08958,0.02250 left front font ",11" textcolor rgb "#666666"
set label 3 $texts[3][2:*] at screen 0.08958,0.04817 left front font ",11" textcolor rgb "#a01010"
set arrow from screen 0.08958,0.91233 to screen 0.12500,0.91233 nohead front linewidth 2 dashtype solid linecolor rgb "#0b4f8a"
set label 4 $texts[4][2:*] at screen 0.13333,0.91233 left front font ",13" textcolor rgb "#303030"
set arrow from screen 0.24026,0.91233 to screen 0.27568,0.91233 nohead front linewidth 2.01 dashtype solid linecolor rgb "#e69f00"
set label 5 $texts[5][2:*] at screen 0.28401,0.91233 left front font ",13" textcolor rgb "#303030"
set lmargin at screen 0.07708
set rmargin at screen 0.47813
set bmargin at screen 0.08800
set tmargin at screen 0.83067
set label 6 $texts[6][2:*] at screen 0.07708,0.87000 left front font ",12" textcolor rgb "#101010"
set label 7 $texts[7][2:*] at screen 0.07708,0.84400 left front font ",10" textcolor rgb "#666666"
set xrange [-0.25:3.25] noextend
unset xtics
set label 8 $texts[8][2:*] at screen 0.22031,0.60150 center front font ",11" textcolor rgb "#303030"
set label 9 $texts[9][2:*] at screen 0.33490,0.10851 center front font ",11" textcolor rgb "#303030"
unset logscale y
set yrange [0:8000000] noextend
set ytics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("0" 0, "2 M" 2000000, "4 M" 4000000, "6 M" 6000000, "8 M" 8000000)
set label 10 "" at screen 0.00000,0.45933 center rotate by 90 front font ",13" textcolor rgb "#303030"
plot $bars0 using ($1==1?$1-0.36:NaN):2:($1-0.36):($1+0.36):(0):2 with boxxyerror fillcolor rgb "#0b4f8a" fillstyle solid 0.75 border rgb "#0b4f8a", \
	$bars0 using ($1==2?$1-0.36:NaN):2:($1-0.36):($1+0.36):(0):2 with boxxyerror fillcolor rgb "#e69f00" fillstyle solid 0.75 border rgb "#e69f00", \
	$bars0 using 1:3:(0):($4-$3) with vectors heads size screen 0.004,90 nofilled linewidth 1.5 linecolor rgb "#101010", \
	$runs0 using 1:2 with points pointtype 7 pointsize 0.5 linecolor rgb "#ffffff", \
	$runs0 using 1:2 with points pointtype 6 pointsize 0.5 linewidth 1 linecolor rgb "#101010"
unset label
unset arrow
unset object
set lmargin at screen 0.55521
set rmargin at screen 0.95625
set bmargin at screen 0.08800
set tmargin at screen 0.83067
set label 1 $texts[10][2:*] at screen 0.55521,0.87000 left front font ",12" textcolor rgb "#101010"
set label 2 $texts[11][2:*] at screen 0.55521,0.84400 left front font ",10" textcolor rgb "#666666"
set xrange [-0.25:3.25] noextend
unset xtics
set label 3 $texts[12][2:*] at screen 0.69844,0.10320 center front font ",11" textcolor rgb "#303030"
set label 4 $texts[13][2:*] at screen 0.81302,0.75923 center front font ",11" textcolor rgb "#303030"
unset logscale y
set yrange [0:600000] noextend
set ytics out nomirror scale 0.6,0.3 textcolor rgb "#303030" ("0 ns" 0, "100 us" 100000, "200 us" 200000, "300 us" 300000, "400 us" 400000, "500 us" 500000, "600 us" 600000)
set label 5 "" at screen 0.47813,0.45933 center rotate by 90 front font ",13" textcolor rgb "#303030"
plot $bars1 using ($1==1?$1-0.36:NaN):2:($1-0.36):($1+0.36):(0):2 with boxxyerror fillcolor rgb "#0b4f8a" fillstyle solid 0.75 border rgb "#0b4f8a", \
	$bars1 using ($1==2?$1-0.36:NaN):2:($1-0.36):($1+0.36):(0):2 with boxxyerror fillcolor rgb "#e69f00" fillstyle solid 0.75 border rgb "#e69f00", \
	$bars1 using 1:3:(0):($4-$3) with vectors heads size screen 0.004,90 nofilled linewidth 1.5 linecolor rgb "#101010", \
	$runs1 using 1:2 with points pointtype 7 pointsize 0.5 linecolor rgb "#ffffff", \
	$runs1 using 1:2 with points pointtype 6 pointsize 0.5 linewidth 1 linecolor rgb "#101010"
unset multiplot

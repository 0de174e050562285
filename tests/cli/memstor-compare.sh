#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor compare: what it finds, says and ends with.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/compare.sh"
cd "$tmp" || exit 1
unset NO_COLOR

group a uniform 1000000:5000 1001000:5010 1002000:5020 1003000:5030 1004000:5040
group b uniform 900000:5500 901000:5510 902000:5520 903000:5530 904000:5540
pattern=zipf group a zipf 2000000:2500 2002000:2505 2004000:2510 2006000:2515 2008000:2520
pattern=zipf group b zipf 2001000:2501 2003000:2506 2005000:2511 2007000:2516 2009000:2521
pattern=linear group a linear 3000000:1600 3000100:1604 3000200:1608 3000300:1612 3000400:1616

compare() { memstor compare "$@"; }
row() { sed -n "s/^  $1  *//p" out | sed 's/  */ /g'; }

# one set: -10 % and 10 %, by hand
check_exit 1 "slower ends with 1" compare a/uniform* -- b/uniform*
cp out text
is "the heading" "$(head -n 1 out)" 'pmbench, 5 runs against 5'
is "throughput" "$(row throughput)" '1.00 M/s 902 k/s -9.98 % -10.3 .. -9.70 % 0.0079 slower'
# 5500/5040 is the least of 25 ratios; the third one is 5510/5040 or 5500/5030
is "the mean" "$(row mean)" '5.02 us 5.52 us +9.96 % +9.34 .. +10.6 % 0.0079 slower'
check "the overall verdict" grep -q '^overall: slower (5 slower, 0 faster, 0 no difference, 0 inconclusive;' out
check "nothing on stderr" test ! -s err
check_exit 0 "faster ends with 0" compare b/uniform* -- a/uniform*
check "and says so" grep -q '^overall: faster (0 slower, 5 faster' out
check_exit 0 "no difference ends with 0" compare a/zipf* -- b/zipf*
check "and says so" grep -q '^overall: no difference (0 slower, 0 faster, 5 no difference' out
check_exit 4 "what cannot be told ends with 4" compare --margin 0 a/zipf* -- b/zipf*
check "and says so" grep -q '^overall: inconclusive' out
check_exit 4 "one run against one" compare a/uniform-1.xml -- b/uniform-1.xml
is "has no interval" "$(row throughput)" '1.00 M/s 900 k/s -10.0 % - - inconclusive: too few runs'
check "and says how there would be one" grep -q '^note: so few runs have no interval' out
check_exit 1 "3 against 3" compare --metric throughput a/uniform-[123].xml -- b/uniform-[123].xml
check "rest on an assumption, which is named" grep -q '^note: so few runs have no interval by ranks' out
is "and have no p" "$(row throughput | cut -d ' ' -f 11)" '-'
check_exit 1 "4 against 5" compare --metric throughput a/uniform-[1234].xml -- b/uniform*
is "have no p either" "$(row throughput | cut -d ' ' -f 11)" '-'
check "but no assumption" sh -c '! grep -q ^note: out'

# folder against folder
# folder against folder
check_exit 1 "folders of several sets" compare a -- b
is "each set has its heading" "$(grep -c 'runs against' out)" 2
is "by what sets it apart" "$(head -n 1 out)" 'pattern=uniform: pmbench, 5 runs against 5'
check "a set without runs in NEW is named" grep -qx 'note: only in BASE, 5 runs: pattern=linear' out
check "and counted" grep -q '^overall: slower (5 slower, .*; 1 set of BASE without runs in NEW' out
check_exit 4 "and not passed over" compare a/zipf* a/linear* -- b/zipf*
check "for it may be what got slower" grep -q '^overall: inconclusive (0 slower, 0 faster, 5 no difference, 0 inc' out
check_exit 0 "unless told to" compare --allow-different=sets a/zipf* a/linear* -- b/zipf*
check_exit 0 "sets that are new in NEW do no harm" compare a/zipf* -- b/zipf* a/linear*
check "and are named" grep -qx 'note: only in NEW, 5 runs: pattern=linear' out
step=popular group s/a zipf 2000000:2500 2002000:2505
step=popular group s/b zipf 2000000:2500 2002000:2505
step=other pattern=zipf group s/a other 2000000:2500
step=other pattern=zipf group s/b other 2000000:2500
check_exit 0 "steps of a suite with the same numbers are no different" compare s/a -- s/b
is "name their sets" "$(grep 'run.* against' out)" "other: pmbench, 1 run against 1
popular: pmbench, 2 runs against 2"

# metrics that not every run has
mkdir part
cp a/uniform* part
sed '/<latency_histogram/,/<\/latency_histogram>/d' a/uniform-2.xml >part/uniform-2.xml
check_exit 0 "a metric that one run does not have" compare part -- a/uniform*
check "is left out" sh -c '! grep -q "^  mean " out'
check "with a note" grep -qx 'note: mean is in 4 of 5 runs of BASE and 5 of 5 of NEW, so it is left out; --metric mean compares those that have it' out
check_exit 0 "unless it is asked for" compare --metric mean part -- a/uniform*
check "in those that have it" grep -q '^  mean ' out

# the order of words
check_exit 1 "options before, between and behind" compare --margin 1 a/uniform* --metric mean -- --confidence 95 b/uniform* --csv=o.csv
is "only the metric that was asked for" "$(sed -n 's/^  \([a-z.0-9]*\) .*/\1/p' out | tr '\n' ' ')" 'metric mean '
check "and what was behind" test -s o.csv
check_exit 1 "a second --" compare a/uniform* -- --metric mean -- b/uniform*
(cd b && cp uniform-1.xml ./-x.xml)
(cd b && memstor compare ../a/uniform-1.xml -- -- -x.xml >out 2>&1)
check "is for names that begin with -" grep -q '^pmbench, 1 run against 1' b/out
rm b/-x.xml b/out
check_exit 2 "wrong options behind" compare a/uniform* -- b/uniform* --nonsense
is "are called what they are" "$(cat err)" "memstor: --nonsense: no such option; --help lists them"

# gates
gate() { # STATUS GATE...: one line each, results in $gates
	wanted=$1
	shift
	words=
	for gate; do words="$words --gate $gate"; done
	# shellcheck disable=SC2086 # words
	check_exit "$wanted" "gates: $*" compare $words a/uniform* -- b/uniform*
	gates=$(sed -n 's/^  gate \([^:]*: [a-z]*\):.*/\1/p' out)
}
gate 0 'mean<+12%' 'throughput>-12%'
is "pass" "$gates" 'mean<+12%: passed
throughput>-12%: passed'
check "and that is what counts" grep -qx 'gates: passed (2 passed, 0 failed, 0 inconclusive)' out
gate 1 'mean<+12%' 'mean<+5%'
is "fail" "$gates" 'mean<+12%: passed
mean<+5%: failed'
gate 4 'mean<+12%' 'mean<+10%'
is "are inconclusive" "$gates" 'mean<+12%: passed
mean<+10%: inconclusive'
is "with the value and its interval" "$(sed -n 's/^  gate mean<+12%: //p' out)" 'passed: +9.96 %, 95 % interval +9.34 .. +10.6 %'
gate 0 'mean<6us' 'read.p50<6us' 'throughput>800000'
gate 1 'mean<5us'
is "a gate on the value shows the value and its interval" "$(sed -n 's/^  gate mean<5us: //p' out)" \
	'failed: 5.52 us, 95 % interval 5.50 us .. 5.54 us'
# Two gates of one metric that no table has by itself.
gate 0 'read.p90<6us' 'read.p90<+20%'
check "are in the table" grep -q '^  read.p90  ' out
check_exit 0 "gates hold in each set" compare --allow-different=sets --gate 'mean<+12%' a -- b
is "that has the metric" "$(grep -c 'gate mean<+12%: passed' out)" 2
check_exit 4 "and none may be lost" compare --gate 'mean<+12%' a -- b
check "of which the last line speaks" grep -q '^gates: inconclusive (2 passed' out

# gates of one set
sets() { check_exit "$1" "a gate of one set: $2" compare --allow-different=sets --gate "$2" a -- b; }
sets 1 'pattern=uniform:mean<+5%'
is "stands at that set alone" "$(grep -c '^  gate' out)" 1
check "and its value, too" grep -q '^  gate pattern=uniform:mean<+5%: failed: +9.96 %' out
sets 0 'pattern=zipf:mean<+5%'
sets 2 'pattern=linear2:mean<+5%'
is "a set that there is not is refused with those that there are" "$(cat err)" "memstor: --gate pattern=linear2:mean<+5%: \
no compared report has pattern=linear2:mean, and no set is called so (sets: pattern=uniform, pattern=zipf)"
sets 4 'pattern=linear:mean<+5%'
is "nor does one without runs in NEW pass" "$(cat err)" "memstor: --gate pattern=linear:mean<+5%: this set has runs in BASE alone"
check_exit 0 "a gate names a step, too" compare --gate 'popular:mean<+5%' s/a -- s/b

# quantiles
check_exit 1 "--quantiles" compare --quantiles a/uniform* -- b/uniform*
check "of runs" grep -qx '  read: 5000 samples of 5 runs against 5000 of 5; 95 % band of all quantiles' out
is "eleven of them" "$(grep -c '^ *[0-9.]* %  ' out)" 11
check "all a tenth later" awk '/^ *[0-9.]+ %  / { change = $(NF - 5) + 0; if (change < 8 || change > 11) exit 1; if ($(NF - 3) <= 0) exit 1 }' out
check "no writes where there are none" sh -c '! grep -q "^  write" out'
check_exit 4 "--quantiles of single runs" compare --quantiles=read,all a/uniform-1.xml -- b/uniform-1.xml
is "say that they are within the run" "$(grep -c 'WITHIN THE RUN: it says nothing about the next run' out)" 2

sed 's/ hi="\([0-9]*\)0"/ hi="\15"/' b/uniform-1.xml >wider.xml
check_exit 4 "--quantiles of other buckets" compare --quantiles a/uniform-1.xml wider.xml -- b/uniform-2.xml
check "have no shift" \
	grep -qx 'note: the histograms read do not fit together, so there is no shift of quantiles' out

# the floor
for at in 1 2 3 4 5 6 7 8 9 10; do report "floor/$at.xml" "$((1000000 + at * 3000))" "$((5000 + at * 15))"; done
check_exit 1 "--floor: one run against one" compare --floor floor a/uniform-1.xml -- b/uniform-1.xml
is "is decided by it" "$(row throughput | sed 's/.* //')" slower
check "which is said" grep -q "^note: intervals of so few runs are the A/A floor's" out
check_exit 4 "a change below a floor that is above the margin is inconclusive" \
	compare --floor floor a/uniform-1.xml -- a/uniform-4.xml
check "which says so" grep -q 'inconclusive: floor [0-9.]* %' out
check "and why" grep -q '^note: the A/A floor is wider than the margin' out
check_exit 4 "nor does a gate pass then" compare --floor floor --gate 'mean<+2%' a/uniform-1.xml -- a/uniform-4.xml
check_exit 0 "with a margin above the noise it is no difference" \
	compare --floor floor --margin 10 a/uniform-1.xml -- a/uniform-4.xml
check "of which the floor is shown" grep -q 'no difference: floor [0-9.]* %' out
check_exit 4 "no floor, no verdict" compare a/uniform-1.xml -- a/uniform-4.xml

# series
intervals=20 report w/a.xml 1000000 5000
intervals=20 report w/b.xml 900000 5500
check_exit 4 "series of single runs" compare w/a.xml -- w/b.xml
check "are shown in brackets" grep -q '^  throughput .*  \[-1.*\]  ' out
check "with their meaning" grep -q '^note: intervals in brackets are of these two runs alone' out
check_exit 1 "--within-run lets them decide" compare --within-run w/a.xml -- w/b.xml
check "with their meaning" grep -q '^note: intervals are of these two runs alone, .*: they say nothing about the next run' out

# the same data
for at in 1 2; do sed 's/<uuid>0/<uuid>9/' a/uniform-$at.xml >same-$at.xml; done
check_exit 0 "a run with the same numbers is no different" compare a/uniform-1.xml -- same-1.xml
check "and is called identical" grep -q '^  throughput .* no difference: identical$' out
check "with a note" grep -q '^note: identical: BASE and NEW have the same numbers' out
check "nothing on stderr for a copy of another name" test ! -s err
check_exit 0 "nor are two in another order" compare a/uniform-1.xml a/uniform-2.xml -- same-2.xml same-1.xml
check_exit 0 "a gate on the change passes then" compare --gate 'mean<+1%' a/uniform-1.xml -- same-1.xml
check_exit 4 "but not with others" compare a/uniform-1.xml a/uniform-3.xml -- same-2.xml same-1.xml

# what may differ
for side in a b; do
	for at in uniform zipf; do pattern=$at group mix/$side $at 1000000:5000 1001000:5010 1002000:5020 1003000:5030; done
done
pattern=linear group mix/a linear 2000000:2500 2001000:2505
pattern=pareto group mix/b pareto 2000000:2500 2001000:2505
compare --allow-different mix/a -- mix/b >out
is "equal sets are paired before --allow-different pairs the rest" "$(grep 'against' out)" \
	"pattern=linear->pareto: pmbench, 2 runs against 2
pattern=uniform: pmbench, 4 runs against 4
pattern=zipf: pmbench, 4 runs against 4"
step=one pattern=uniform group st/a one 1000:5000
step=two pattern=zipf group st/a two 1000:5000
step=one pattern=linear group st/b one 1000:5000
step=two pattern=pareto group st/b two 1000:5000
compare --allow-different st/a -- st/b >out
is "steps of a suite are paired by their names" "$(grep 'against' out)" \
	"one: pmbench, 1 run against 1
two: pmbench, 1 run against 1"
release=6.2.0 group k uniform 1000000:5000 1001000:5010 1002000:5020 1003000:5030 1004000:5040
check_exit 0 "--allow-different=machine" compare --allow-different=machine a/uniform* -- k
check "names what it lets through" \
	grep -qx 'note: different, but let through: machine release: 6.1.0 in BASE, 6.2.0 in NEW' out
check_exit 0 "--allow-different=release" compare --allow-different=release,mapsize a/uniform* -- k
check_exit 0 "--allow-different" compare --allow-different a/uniform* -- k
check_exit 0 "--allow-different=pattern" compare --allow-different=pattern a/uniform* -- b/zipf*
check "pairs across it" grep -q '^note: different, but let through: option pattern: uniform in BASE, zipf in NEW' out
label=x group l/a x 1000000:5000 1001000:5010 1002000:5020 1003000:5030
label=y group l/a y 500000:9000 501000:9010 502000:9020 503000:9030
label=x group l/b x 1000000:5000 1001000:5010 1002000:5020 1003000:5030
label=y group l/b y 500000:9000 501000:9010 502000:9020 503000:9030
check_exit 0 "--group-by a label" compare --group-by kind l/a -- l/b
is "makes sets of it" "$(grep 'against' out)" 'kind=x: pmbench, 4 runs against 4
kind=y: pmbench, 4 runs against 4'

# notes of what may be in a change
boot=two start=2026-02-01T00:00:00Z group n uniform 1000000:5000 1001000:5010 1002000:5020 1003000:5030
boot=one start=2026-01-01T00:00:00Z group m uniform 1000000:5000 1001000:5010 1002000:5020 1003000:5030
check_exit 0 "groups of one boot each" compare m -- n
check "are noted" grep -q '^note: BASE ran in one boot and NEW in another' out

# outputs
check_exit 1 "--json" compare --json a/uniform* -- b/uniform*
is "begins as JSON" "$(head -c 1 out)" '{'
is "and ends so" "$(tail -n 1 out)" '}'
check "has no text" sh -c '! grep -q ^overall out'
if command -v jq >/dev/null; then
	is "JSON: the verdict" "$(jq -r '.overall, .exit_status' out | tr '\n' ' ')" 'slower 1 '
	is "JSON: a metric" "$(jq -c '.sets[0].metrics[0] | [.metric, .base, .new, .verdict, .basis, .holds]' out)" \
		'["throughput",1002000,902000,"slower","ranks",true]'
	is "JSON: reports" "$(jq -r '.sets[0].base_reports[0]' out)" a/uniform-1.xml
	is "JSON: options without seed" "$(jq -c '[.sets[0].options[].name]' out)" '["mapsize","pattern"]'
	compare --json --quantiles=all a/uniform-1.xml -- b/uniform-1.xml >out
	is "JSON: null is nothing" "$(jq -c '.sets[0].metrics[0] | [.low, .p_value, .floor]' out)" '[null,null,null]'
	is "JSON: quantiles" "$(jq -c '.sets[0].quantiles[0] | [.histogram, .is_within_run, (.shift | length)]' out)" \
		'["all",true,11]'
else
	skip "JSON: the verdict" 'needs jq'
fi
check_exit 1 "--csv" compare --csv a/uniform* -- b/uniform*
is "CSV: a line a metric" "$(wc -l <out)" 6
is "CSV: as many fields in each" "$(awk -F, '{ print NF }' out | sort -u)" 18
is "CSV: throughput" "$(sed -n 2p out | cut -d, -f 1-9,13,17-18)" \
	',pmbench,throughput,1/s,higher,5,5,1002000,902000,ranks,slower,true'
check_exit 1 "--markdown" compare --markdown a/uniform* -- b/uniform*
check "Markdown: a table" grep -qx '|---|---:|---:|---:|---:|---:|---|' out
check "Markdown: the verdict" grep -q '^\*\*Overall:\*\* slower (' out
check_exit 1 "files beside the text" compare --json=r.json --csv=r.csv --markdown=r.md a/uniform* -- b/uniform*
check "which is as without" cmp -s text out
check "and are whole" test -s r.json -a -s r.csv -a -s r.md
check_exit 1 "a file and standard output" compare --json=- --csv=r2.csv a/uniform* -- b/uniform*
check "are the same twice" cmp -s r.json out
check "each" cmp -s r.csv r2.csv
label='&lt;b&gt;|`x`,&quot;y&quot;' group h/a x 1000:5000
label='&lt;b&gt;|`x`,&quot;y&quot;' group h/b x 1000:5000
compare --group-by kind --markdown h/a -- h/b >out
check "Markdown: what a report says is escaped" grep -qF '### kind=\<b>\|\`x\`,"y": ' out
compare --group-by kind --csv h/a -- h/b >out
check "CSV: so here" grep -qF '"kind=<b>|`x`,""y""",pmbench' out

# colours
compare a/uniform* -- b/uniform* >out
check "no colours in a file" sh -c '! grep -q "$(printf "\033")" out'
compare --color=always a/uniform* -- b/uniform* >out
check "--color=always" grep -q "$(printf '\033\\[31mslower\033\\[0m')" out
# shellcheck disable=SC2016 # for the inner shell
if command -v script >/dev/null; then
	on_terminal() { TERM=xterm script -qec "$1 memstor compare a/uniform* -- b/uniform*" /dev/null </dev/null >out 2>&1; }
	on_terminal ''
	check "colours on a terminal" grep -q "$(printf '\033\\[31mslower')" out
	on_terminal 'NO_COLOR=1'
	check "but for NO_COLOR" sh -c '! grep -q "$(printf "\033")" out'
	on_terminal 'TERM=dumb'
	check "and dumb ones" sh -c '! grep -q "$(printf "\033")" out'
else
	skip "colours on a terminal" 'needs script(1)'
fi

# bootstrap
check_exit 1 "--method bootstrap" compare --method bootstrap --seed 7 --metric throughput a/uniform* -- b/uniform*
cp out first
compare --method bootstrap --seed 7 --metric throughput a/uniform* -- b/uniform* >out
check "the same seed gives the same" cmp -s first out
check "which is said" grep -q '^note: intervals by bootstrap on runs' out

# original reports
fixtures=$top_srcdir/tests/fixtures/pmbench-original
set -- "$fixtures"/*.xml
check_exit 0 "the original pmbench's reports are compared, too" compare "$1" -- "$1"
check "by their own histograms" grep -q '^  read.p50 ' out
# A percentile in the open first bucket is its bound; the interpolated number is for programs.
coarse() { # FILE LATENCY_NS
	report "$1" 1000000 "$2"
	sed -i 's/layout="hdr"/layout="log16"/; /<bucket lo="[^3]/d; s|^</latency_histogram>|<bucket lo="0" hi="256" count="1000"/>\n&|' "$1"
}
for i in 1 2 3; do
	coarse c/one-$i.xml 150
	coarse d/one-$i.xml 160
done
check_exit 4 "a comparison in the open first bucket is inconclusive" compare --metric p50 --metric mean --quantiles=read --csv=c.csv \
	--markdown=c.md c -- d
is "a median in the open first bucket is its bound" "$(sed -n 's/^  p50  *\([^ ]* ns\)  *\([^ ]* ns\) .*/\1 \2/p' out)" '<256 ns <256 ns'
is "so is a quantile" "$(sed -n 's/^  *50 %  *\([^ ]* ns\)  *\([^ ]* ns\) .*/\1 \2/p' out)" '<256 ns <256 ns'
is "a mean is known" "$(sed -n 's/^  mean  *\([^ ]* ns\)  *\([^ ]* ns\) .*/\1 \2/p' out)" '150 ns 160 ns'
check "the bound is in Markdown" grep -qF '| p50 | \<256 ns | \<256 ns |' c.md
is "CSV has numbers" "$(awk -F, '$3 == "p50" { print ($8 < 256 && $9 < 256) }' c.csv)" 1
check_exit 0 "bars of a median in the open first bucket" memstor plot bars c/one-1.xml --metric p50,mean -o bars.svg
is "bars show the bound" "$(grep -o '&lt;256 ns' bars.svg | wc -l | tr -d ' ')" 1
tap_done

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memstor compare: verdicts, notes, outputs and exit status.
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
check_exit 1 'memstor compare: five slower runs end with 1' compare a/uniform* -- b/uniform*
cp out text
is 'memstor compare: the heading has tool and numbers of runs' "$(head -n 1 out)" 'pmbench, 5 runs against 5'
is 'memstor compare: the row of throughput has values, change, interval, p and verdict' \
	"$(row throughput)" '1.00 M/s 902 k/s -9.98 % -10.3 .. -9.70 % 0.0079 slower'
# 5500/5040 is the least of 25 ratios; the third one is 5510/5040 or 5500/5030
is 'memstor compare: the row of the mean has the interval of the ranks' \
	"$(row mean)" '5.02 us 5.52 us +9.96 % +9.34 .. +10.6 % 0.0079 slower'
check 'memstor compare: the last line counts the verdicts' \
	grep -q '^overall: slower (5 slower, 0 faster, 0 no difference, 0 inconclusive;' out
check 'memstor compare: a comparison prints nothing on stderr' test ! -s err
check_exit 0 'memstor compare: five faster runs end with 0' compare b/uniform* -- a/uniform*
check 'memstor compare: the last line says faster' grep -q '^overall: faster (0 slower, 5 faster' out
check_exit 0 'memstor compare: runs within the margin end with 0' compare a/zipf* -- b/zipf*
check 'memstor compare: the last line says no difference' grep -q '^overall: no difference (0 slower, 0 faster, 5 no difference' out
check_exit 4 'memstor compare: runs within no margin end with 4' compare --margin 0 a/zipf* -- b/zipf*
check 'memstor compare: the last line says inconclusive' grep -q '^overall: inconclusive' out
check_exit 4 'memstor compare: one run against one ends with 4' compare a/uniform-1.xml -- b/uniform-1.xml
is 'memstor compare: one run against one has no interval' \
	"$(row throughput)" '1.00 M/s 900 k/s -10.0 % - - inconclusive: too few runs'
check 'memstor compare: one run against one has a note on how to get an interval' \
	grep -q '^note: there are too few runs for an interval' out
check_exit 1 'memstor compare: three clearly slower runs against three end with 1' \
	compare --metric throughput a/uniform-[123].xml -- b/uniform-[123].xml
check 'memstor compare: three runs have a note on the assumption of their interval' \
	grep -q '^note: so few runs have no interval by ranks' out
is 'memstor compare: three runs have no p' "$(row throughput | cut -d ' ' -f 11)" '-'
check_exit 1 'memstor compare: four clearly slower runs against five end with 1' \
	compare --metric throughput a/uniform-[1234].xml -- b/uniform*
is 'memstor compare: four runs have no p' "$(row throughput | cut -d ' ' -f 11)" '-'
check 'memstor compare: four runs need no assumption' sh -c '! grep -q ^note: out'

# folder against folder
check_exit 1 'memstor compare: folders of several sets end with the worst verdict' compare a -- b
is 'memstor compare: each set in both folders has a heading' "$(grep -c 'runs against' out)" 2
is 'memstor compare: a heading names the option that distinguishes the sets' \
	"$(head -n 1 out)" 'pattern=uniform: pmbench, 5 runs against 5'
check 'memstor compare: a note names a set without runs in NEW' grep -qx 'note: only in BASE, 5 runs: pattern=linear' out
check 'memstor compare: the last line counts sets without runs in NEW' \
	grep -q '^overall: slower (5 slower, .*; 1 set of BASE without runs in NEW' out
check_exit 4 'memstor compare: a set without runs in NEW makes the result inconclusive' compare a/zipf* a/linear* -- b/zipf*
check 'memstor compare: the last line is inconclusive though no metric is' \
	grep -q '^overall: inconclusive (0 slower, 0 faster, 5 no difference, 0 inc' out
check_exit 0 'memstor compare: --allow-different=sets accepts sets without runs in NEW' \
	compare --allow-different=sets a/zipf* a/linear* -- b/zipf*
check_exit 0 'memstor compare: sets that are only in NEW do not change the result' compare a/zipf* -- b/zipf* a/linear*
check 'memstor compare: a note names a set that is only in NEW' grep -qx 'note: only in NEW, 5 runs: pattern=linear' out
step=popular group s/a zipf 2000000:2500 2002000:2505
step=popular group s/b zipf 2000000:2500 2002000:2505
step=other pattern=zipf group s/a other 2000000:2500
step=other pattern=zipf group s/b other 2000000:2500
check_exit 0 'memstor compare: steps of a suite with equal numbers end with 0' compare s/a -- s/b
is 'memstor compare: headings name the steps of a suite' "$(grep 'run.* against' out)" "other: pmbench, 1 run against 1
popular: pmbench, 2 runs against 2"

# metrics that not every run has
mkdir part
cp a/uniform* part
sed '/<latency_histogram/,/<\/latency_histogram>/d' a/uniform-2.xml >part/uniform-2.xml
check_exit 0 'memstor compare: a metric that one run lacks does not change the result' compare part -- a/uniform*
check 'memstor compare: a metric that one run lacks has no row' sh -c '! grep -q "^  mean " out'
check 'memstor compare: a note says how many runs have the metric' \
	grep -qx 'note: mean is in 4 of 5 runs of BASE and 5 of 5 of NEW, so it is left out; --metric mean compares those that have it' out
check_exit 0 'memstor compare: --metric accepts a metric that one run lacks' compare --metric mean part -- a/uniform*
check 'memstor compare: --metric compares the runs that have it' grep -q '^  mean ' out

# the order of arguments
check_exit 1 'memstor compare: options are accepted before, between and behind the reports' \
	compare --margin 1 a/uniform* --metric mean -- --confidence 95 b/uniform* --csv=o.csv
is 'memstor compare: --metric prints only its metric' "$(sed -n 's/^  \([a-z.0-9]*\) .*/\1/p' out | tr '\n' ' ')" 'metric mean '
check 'memstor compare: --csv behind the reports writes its file' test -s o.csv
check_exit 1 'memstor compare: options are accepted between the two --' compare a/uniform* -- --metric mean -- b/uniform*
(cd b && cp uniform-1.xml ./-x.xml)
(cd b && memstor compare ../a/uniform-1.xml -- -- -x.xml >out 2>&1)
check 'memstor compare: a second -- allows names that begin with a dash' grep -q '^pmbench, 1 run against 1' b/out
rm b/-x.xml b/out
check_exit 2 'memstor compare: an unknown option behind the reports is refused' compare a/uniform* -- b/uniform* --nonsense
is 'memstor compare: the refusal names the unknown option' "$(cat err)" "memstor: --nonsense: no such option; --help lists them"

# gates
gate() { # STATUS GATE...: one line each, results in $gates
	wanted=$1
	shift
	words=
	for gate; do words="$words --gate $gate"; done
	# shellcheck disable=SC2086 # words
	check_exit "$wanted" "memstor compare: gates $* end with $wanted" compare $words a/uniform* -- b/uniform*
	gates=$(sed -n 's/^  gate \([^:]*: [a-z]*\):.*/\1/p' out)
}
gate 0 'mean<+12%' 'throughput>-12%'
is 'memstor compare: gates that hold have passed' "$gates" 'mean<+12%: passed
throughput>-12%: passed'
check 'memstor compare: the last line counts gates' grep -qx 'gates: passed (2 passed, 0 failed, 0 inconclusive)' out
gate 1 'mean<+12%' 'mean<+5%'
is 'memstor compare: a gate that does not hold has failed' "$gates" 'mean<+12%: passed
mean<+5%: failed'
gate 4 'mean<+12%' 'mean<+10%'
is 'memstor compare: a gate within the interval is inconclusive' "$gates" 'mean<+12%: passed
mean<+10%: inconclusive'
is 'memstor compare: a gate shows the change and its interval' \
	"$(sed -n 's/^  gate mean<+12%: //p' out)" 'passed: +9.96 %, 95 % interval +9.34 .. +10.6 %'
gate 0 'mean<6us' 'read.p50<6us' 'throughput>800000'
gate 1 'mean<5us'
is 'memstor compare: a gate on a value shows the value and its interval' "$(sed -n 's/^  gate mean<5us: //p' out)" \
	'failed: 5.52 us, 95 % interval 5.50 us .. 5.54 us'
# Two gates of one metric that no table has by itself.
gate 0 'read.p90<6us' 'read.p90<+20%'
check 'memstor compare: a metric of gates alone has a row' grep -q '^  read.p90  ' out
check_exit 0 'memstor compare: gates apply to every set' compare --allow-different=sets --gate 'mean<+12%' a -- b
is 'memstor compare: each set with the metric has a line for the gate' "$(grep -c 'gate mean<+12%: passed' out)" 2
check_exit 4 'memstor compare: a gate is inconclusive when a set has no runs in NEW' compare --gate 'mean<+12%' a -- b
check 'memstor compare: the last line says that the gates are inconclusive' grep -q '^gates: inconclusive (2 passed' out

# gates of one set
sets() { check_exit "$1" "memstor compare: --gate $2 ends with $1" compare --allow-different=sets --gate "$2" a -- b; }
sets 1 'pattern=uniform:mean<+5%'
is 'memstor compare: a gate of one set has one line' "$(grep -c '^  gate' out)" 1
check "memstor compare: a gate of one set shows that set's change" grep -q '^  gate pattern=uniform:mean<+5%: failed: +9.96 %' out
sets 0 'pattern=zipf:mean<+5%'
sets 2 'pattern=linear2:mean<+5%'
is 'memstor compare: a gate of an unknown set is refused with the known sets' \
	"$(cat err)" "memstor: --gate pattern=linear2:mean<+5%: \
no compared report has pattern=linear2:mean, and no set is called so (sets: pattern=uniform, pattern=zipf)"
sets 4 'pattern=linear:mean<+5%'
is 'memstor compare: a warning names a gate whose set has no runs in NEW' \
	"$(cat err)" "memstor: --gate pattern=linear:mean<+5%: this set has runs in BASE alone"
check_exit 0 'memstor compare: a gate may name a step of a suite' compare --gate 'popular:mean<+5%' s/a -- s/b

# quantiles
check_exit 1 'memstor compare: --quantiles of slower runs ends with 1' compare --quantiles a/uniform* -- b/uniform*
check 'memstor compare: --quantiles has a heading with samples and runs' \
	grep -qx '  read: 5000 samples of 5 runs against 5000 of 5; 95 % band of all quantiles' out
is 'memstor compare: --quantiles prints eleven quantiles' "$(grep -c '^ *[0-9.]* %  ' out)" 11
check 'memstor compare: every quantile is a tenth slower with its interval above 0' \
	awk '/^ *[0-9.]+ %  / { change = $(NF - 5) + 0; if (change < 8 || change > 11) exit 1; if ($(NF - 3) <= 0) exit 1 }' out
check 'memstor compare: --quantiles prints no writes when there are none' sh -c '! grep -q "^  write" out'
check_exit 4 'memstor compare: --quantiles of single runs ends with 4' \
	compare --quantiles=read,all a/uniform-1.xml -- b/uniform-1.xml
is 'memstor compare: quantiles of single runs are marked as within the run' \
	"$(grep -c 'WITHIN THE RUN: it says nothing about the next run' out)" 2

sed 's/ hi="\([0-9]*\)0"/ hi="\15"/' b/uniform-1.xml >wider.xml
check_exit 4 'memstor compare: --quantiles of histograms with other buckets ends with 4' \
	compare --quantiles a/uniform-1.xml wider.xml -- b/uniform-2.xml
check 'memstor compare: a note says why there is no shift of quantiles' \
	grep -qx 'note: the histograms read do not fit together, so there is no shift of quantiles' out

# the floor
for at in 1 2 3 4 5 6 7 8 9 10; do report "floor/$at.xml" "$((1000000 + at * 3000))" "$((5000 + at * 15))"; done
check_exit 1 'memstor compare: --floor with a change above it ends with 1' compare --floor floor a/uniform-1.xml -- b/uniform-1.xml
is 'memstor compare: the floor decides one run against one' "$(row throughput | sed 's/.* //')" slower
check "memstor compare: a note says that the interval is the floor's" \
	grep -q "^note: intervals of so few runs are the A/A floor's" out
check_exit 4 'memstor compare: a change below a floor above the margin ends with 4' \
	compare --floor floor a/uniform-1.xml -- a/uniform-4.xml
check 'memstor compare: the row says that the floor made it inconclusive' grep -q 'inconclusive: floor [0-9.]* %' out
check 'memstor compare: a note says that the floor is wider than the margin' \
	grep -q '^note: the A/A floor is wider than the margin' out
check_exit 4 'memstor compare: a gate within the floor does not pass' \
	compare --floor floor --gate 'mean<+2%' a/uniform-1.xml -- a/uniform-4.xml
check_exit 0 'memstor compare: a change below a floor below the margin ends with 0' \
	compare --floor floor --margin 10 a/uniform-1.xml -- a/uniform-4.xml
check 'memstor compare: the row shows the floor' grep -q 'no difference: floor [0-9.]* %' out
check_exit 4 'memstor compare: without --floor one run against one is inconclusive' compare a/uniform-1.xml -- a/uniform-4.xml

# series
intervals=20 report w/a.xml 1000000 5000
intervals=20 report w/b.xml 900000 5500
check_exit 4 'memstor compare: single runs with series end with 4' compare w/a.xml -- w/b.xml
check 'memstor compare: intervals within single runs are in brackets' grep -q '^  throughput .*  \[-1.*\]  ' out
check 'memstor compare: a note says what intervals in brackets mean' \
	grep -q '^note: intervals in brackets are of these two runs alone' out
check_exit 1 'memstor compare: --within-run decides by the series of single runs' compare --within-run w/a.xml -- w/b.xml
check 'memstor compare: a note says that --within-run says nothing about the next run' \
	grep -q '^note: intervals are of these two runs alone, .*: they say nothing about the next run' out

# the same data
for at in 1 2; do sed 's/<uuid>0/<uuid>9/' a/uniform-$at.xml >same-$at.xml; done
check_exit 0 'memstor compare: a copy of a run is no different' compare a/uniform-1.xml -- same-1.xml
check 'memstor compare: rows of a copy are called identical' grep -q '^  throughput .* no difference: identical$' out
check 'memstor compare: a note says that the numbers are the same' \
	grep -q '^note: identical: BASE and NEW have the same numbers' out
check 'memstor compare: a copy under another name prints nothing on stderr' test ! -s err
check_exit 0 'memstor compare: copies in another order are no different' \
	compare a/uniform-1.xml a/uniform-2.xml -- same-2.xml same-1.xml
check_exit 0 'memstor compare: a gate on the change passes for a copy' compare --gate 'mean<+1%' a/uniform-1.xml -- same-1.xml
check_exit 4 'memstor compare: a copy beside another run is inconclusive' \
	compare a/uniform-1.xml a/uniform-3.xml -- same-2.xml same-1.xml

# what may differ
for side in a b; do
	for at in uniform zipf; do pattern=$at group mix/$side $at 1000000:5000 1001000:5010 1002000:5020 1003000:5030; done
done
pattern=linear group mix/a linear 2000000:2500 2001000:2505
pattern=pareto group mix/b pareto 2000000:2500 2001000:2505
compare --allow-different mix/a -- mix/b >out
is 'memstor compare: equal sets are paired before --allow-different pairs the rest' "$(grep 'against' out)" \
	"pattern=linear->pareto: pmbench, 2 runs against 2
pattern=uniform: pmbench, 4 runs against 4
pattern=zipf: pmbench, 4 runs against 4"
step=one pattern=uniform group st/a one 1000:5000
step=two pattern=zipf group st/a two 1000:5000
step=one pattern=linear group st/b one 1000:5000
step=two pattern=pareto group st/b two 1000:5000
compare --allow-different st/a -- st/b >out
is 'memstor compare: steps of a suite are paired by their names' "$(grep 'against' out)" \
	"one: pmbench, 1 run against 1
two: pmbench, 1 run against 1"
release=6.2.0 group k uniform 1000000:5000 1001000:5010 1002000:5020 1003000:5030 1004000:5040
check_exit 0 'memstor compare: --allow-different=machine accepts another kernel release' \
	compare --allow-different=machine a/uniform* -- k
check 'memstor compare: a note names the difference that was accepted' \
	grep -qx 'note: different, but accepted: machine release: 6.1.0 in BASE, 6.2.0 in NEW' out
check_exit 0 'memstor compare: --allow-different takes a list of properties' \
	compare --allow-different=release,mapsize a/uniform* -- k
check_exit 0 'memstor compare: --allow-different without a list accepts any difference' compare --allow-different a/uniform* -- k
check_exit 0 'memstor compare: --allow-different=pattern accepts another pattern' \
	compare --allow-different=pattern a/uniform* -- b/zipf*
check 'memstor compare: --allow-different=pattern pairs sets of different patterns' \
	grep -q '^note: different, but accepted: option pattern: uniform in BASE, zipf in NEW' out
label=x group l/a x 1000000:5000 1001000:5010 1002000:5020 1003000:5030
label=y group l/a y 500000:9000 501000:9010 502000:9020 503000:9030
label=x group l/b x 1000000:5000 1001000:5010 1002000:5020 1003000:5030
label=y group l/b y 500000:9000 501000:9010 502000:9020 503000:9030
check_exit 0 'memstor compare: --group-by takes a label' compare --group-by kind l/a -- l/b
is 'memstor compare: --group-by makes a set for each value of the label' "$(grep 'against' out)" 'kind=x: pmbench, 4 runs against 4
kind=y: pmbench, 4 runs against 4'

# notes on other causes of a change
boot=two start=2026-02-01T00:00:00Z group n uniform 1000000:5000 1001000:5010 1002000:5020 1003000:5030
boot=one start=2026-01-01T00:00:00Z group m uniform 1000000:5000 1001000:5010 1002000:5020 1003000:5030
check_exit 0 'memstor compare: groups of one boot each are compared' compare m -- n
check 'memstor compare: a note says that each group ran in one boot' grep -q '^note: BASE ran in one boot and NEW in another' out

# outputs
check_exit 1 'memstor compare: --json has the exit status of the text' compare --json a/uniform* -- b/uniform*
is 'memstor compare: --json begins with a brace' "$(head -c 1 out)" '{'
is 'memstor compare: --json ends with a brace' "$(tail -n 1 out)" '}'
check 'memstor compare: --json prints no text' sh -c '! grep -q ^overall out'
if command -v jq >/dev/null; then
	is 'memstor compare: the JSON has overall verdict and exit status' \
		"$(jq -r '.overall, .exit_status' out | tr '\n' ' ')" 'slower 1 '
	is 'memstor compare: the JSON of a metric has values, verdict and basis' \
		"$(jq -c '.sets[0].metrics[0] | [.metric, .base, .new, .verdict, .basis, .holds]' out)" \
		'["throughput",1002000,902000,"slower","ranks",true]'
	is 'memstor compare: the JSON names the reports' "$(jq -r '.sets[0].base_reports[0]' out)" a/uniform-1.xml
	is 'memstor compare: the JSON has the options without the seed' \
		"$(jq -c '[.sets[0].options[].name]' out)" '["mapsize","pattern"]'
	compare --json --quantiles=all a/uniform-1.xml -- b/uniform-1.xml >out
	is 'memstor compare: the JSON has null for what is unknown' \
		"$(jq -c '.sets[0].metrics[0] | [.low, .p_value, .floor]' out)" '[null,null,null]'
	is 'memstor compare: the JSON of quantiles says that they are within the run' \
		"$(jq -c '.sets[0].quantiles[0] | [.histogram, .is_within_run, (.shift | length)]' out)" \
		'["all",true,11]'
else
	skip 'memstor compare: the JSON has overall verdict and exit status' 'needs jq'
fi
check_exit 1 'memstor compare: --csv has the exit status of the text' compare --csv a/uniform* -- b/uniform*
is 'memstor compare: the CSV has a line for each metric' "$(wc -l <out)" 6
is 'memstor compare: the CSV has the same number of fields in each line' "$(awk -F, '{ print NF }' out | sort -u)" 18
is 'memstor compare: the CSV line of throughput has values and verdict' "$(sed -n 2p out | cut -d, -f 1-9,13,17-18)" \
	',pmbench,throughput,1/s,higher,5,5,1002000,902000,ranks,slower,true'
check_exit 1 'memstor compare: --markdown has the exit status of the text' compare --markdown a/uniform* -- b/uniform*
check 'memstor compare: the Markdown has a table' grep -qx '|---|---:|---:|---:|---:|---:|---|' out
check 'memstor compare: the Markdown has the overall verdict' grep -q '^\*\*Overall:\*\* slower (' out
check_exit 1 'memstor compare: --json, --csv and --markdown to files end as the text alone does' \
	compare --json=r.json --csv=r.csv --markdown=r.md a/uniform* -- b/uniform*
check 'memstor compare: --json, --csv and --markdown to files do not change the text' cmp -s text out
check 'memstor compare: the files of --json, --csv and --markdown are written' test -s r.json -a -s r.csv -a -s r.md
check_exit 1 'memstor compare: --json to stdout with --csv to a file is accepted' \
	compare --json=- --csv=r2.csv a/uniform* -- b/uniform*
check 'memstor compare: --json writes the same to stdout and to a file' cmp -s r.json out
check 'memstor compare: --csv writes the same beside JSON and beside text' cmp -s r.csv r2.csv
label='&lt;b&gt;|`x`,&quot;y&quot;' group h/a x 1000:5000
label='&lt;b&gt;|`x`,&quot;y&quot;' group h/b x 1000:5000
compare --group-by kind --markdown h/a -- h/b >out
check 'memstor compare: labels are escaped in Markdown' grep -qF '### kind=\<b>\|\`x\`,"y": ' out
compare --group-by kind --csv h/a -- h/b >out
check 'memstor compare: labels are quoted in CSV' grep -qF '"kind=<b>|`x`,""y""",pmbench' out

# colours
compare a/uniform* -- b/uniform* >out
check 'memstor compare: text in a file has no colours' sh -c '! grep -q "$(printf "\033")" out'
compare --color=always a/uniform* -- b/uniform* >out
check 'memstor compare: --color=always colours text in a file' grep -q "$(printf '\033\\[31mslower\033\\[0m')" out
# shellcheck disable=SC2016 # for the inner shell
if command -v script >/dev/null; then
	on_terminal() { TERM=xterm script -qec "$1 memstor compare a/uniform* -- b/uniform*" /dev/null </dev/null >out 2>&1; }
	on_terminal ''
	check 'memstor compare: text on a terminal has colours' grep -q "$(printf '\033\\[31mslower')" out
	on_terminal 'NO_COLOR=1'
	check 'memstor compare: NO_COLOR prevents colours on a terminal' sh -c '! grep -q "$(printf "\033")" out'
	on_terminal 'TERM=dumb'
	check 'memstor compare: a dumb terminal has no colours' sh -c '! grep -q "$(printf "\033")" out'
else
	skip 'memstor compare: text on a terminal has colours' 'needs script(1)'
fi

# bootstrap
check_exit 1 'memstor compare: --method bootstrap of slower runs ends with 1' \
	compare --method bootstrap --seed 7 --metric throughput a/uniform* -- b/uniform*
cp out first
compare --method bootstrap --seed 7 --metric throughput a/uniform* -- b/uniform* >out
check 'memstor compare: bootstrap with the same seed gives the same text' cmp -s first out
check 'memstor compare: a note says that intervals are by bootstrap' grep -q '^note: intervals by bootstrap on runs' out

# original reports
fixtures=$top_srcdir/tests/fixtures/pmbench-original
set -- "$fixtures"/*.xml
check_exit 0 'memstor compare: reports of the original pmbench are compared' compare "$1" -- "$1"
check 'memstor compare: reports of the original pmbench have a row for the median of reads' grep -q '^  read.p50 ' out
# A percentile in the open first bucket is its bound; the interpolated number is for programs.
coarse() { # FILE LATENCY_NS
	report "$1" 1000000 "$2"
	sed -i 's/layout="hdr"/layout="log16"/; /<bucket lo="[^3]/d; s|^</latency_histogram>|<bucket lo="0" hi="256" count="1000"/>\n&|' "$1"
}
for i in 1 2 3; do
	coarse c/one-$i.xml 150
	coarse d/one-$i.xml 160
done
check_exit 4 'memstor compare: medians in the open first bucket are inconclusive' \
	compare --metric p50 --metric mean --quantiles=read --csv=c.csv \
	--markdown=c.md c -- d
is 'memstor compare: a median in the open first bucket is shown as its bound' \
	"$(sed -n 's/^  p50  *\([^ ]* ns\)  *\([^ ]* ns\) .*/\1 \2/p' out)" '<256 ns <256 ns'
is 'memstor compare: a quantile in the open first bucket is shown as its bound' \
	"$(sed -n 's/^  *50 %  *\([^ ]* ns\)  *\([^ ]* ns\) .*/\1 \2/p' out)" '<256 ns <256 ns'
is 'memstor compare: a mean in the open first bucket is shown as it is' \
	"$(sed -n 's/^  mean  *\([^ ]* ns\)  *\([^ ]* ns\) .*/\1 \2/p' out)" '150 ns 160 ns'
check 'memstor compare: Markdown shows the bound of the open first bucket' grep -qF '| p50 | \<256 ns | \<256 ns |' c.md
is 'memstor compare: CSV has numbers for the open first bucket' "$(awk -F, '$3 == "p50" { print ($8 < 256 && $9 < 256) }' c.csv)" 1
check_exit 0 'memstor plot bars draws a median in the open first bucket' memstor plot bars c/one-1.xml --metric p50,mean -o bars.svg
is 'memstor plot bars shows the bound of the open first bucket' "$(grep -o '&lt;256 ns' bars.svg | wc -l | tr -d ' ')" 1
tap_done

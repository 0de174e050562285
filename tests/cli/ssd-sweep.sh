#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads sweep: answers that follow from a simulated device of one way, where a write takes the time of one program for
# each outstanding write (591 us), and that runs confirm; its exit statuses, its report, and what it refuses.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
cd "$tmp" || exit 1

# simulate COMMAND OPTION...
simulate() {
	command=$1
	shift
	ssd-workloads "$command" --mix=custom --target=sim:small --sim channels=1 --sim ways=1 --sim mode=direct --sim jitter=0ns \
		--sim precondition=none --log-size=16m --runtime=500ms "$@"
}
sweep() {
	simulate sweep "$@"
}
# value_of ELEMENT FILE
value_of() {
	sed -n "s,^ *<$1>\\(.*\\)</$1>\$,\\1,p" "$2"
}

# --- a depth: 5 x 591 us is below 3.2 ms, 6 x 591 us is not
check_exit 0 'a sweep that finds the answer ends with 0' sweep --over=log-depth=1..64 --slo='mean<3.2ms' -f depth.xml
cp out depth.txt
check 'the text has the largest depth that meets the objective, and the next one' \
	grep -qx 'log-depth=5 is the largest that meets the objectives; log-depth=6 misses them' depth.txt
check 'the text has no knee of a response in proportion to the depth' grep -q '^knee: none, as no mean' depth.txt
check 'the table has the deciding runs of a depth near the limit, their interval, mean and rate' \
	grep -Eq '^ +6 +[35]  3\.5[0-9] ms \(3\.5[0-9] ms to 3\.5[0-9] ms\)  MISSED +3\.5[0-9] ms +16[0-9]{2}$' depth.txt
check 'the table has one run of a depth far from the limit' grep -Eq '^ +64 +1  3[67]\.[0-9] ms +MISSED ' depth.txt
check 'the ends of the range, 5 depths between them and one more are all that is measured' test "$(wc -l <depth.txt)" -le 12
check_exit 0 'the same sweep once more ends with 0' sweep --over=log-depth=1..64 --slo='mean<3.2ms'
check 'the same options and seed give the same text' cmp out depth.txt
check_exit 0 'a run at the answer meets the objective' simulate run --log-depth=5 --slo='mean<3.2ms'
check_exit 1 'a run at the next depth misses it' simulate run --log-depth=6 --slo='mean<3.2ms'

check_exit 0 'the report is valid and keeps the laws' memstor validate depth.xml
is 'the report has outcome, answer and the next depth' \
	"$(value_of outcome depth.xml) $(value_of answer depth.xml) $(value_of beyond depth.xml)" 'answered 5 6'
check 'the report has each depth as a subject' grep -q '<point load="64">' depth.xml
check 'the report has the objective at a depth' grep -q '<goal text="mean&lt;3.2ms">' depth.xml
check 'the report has the range among the options' grep -q '<option name="over">log-depth=1..64</option>' depth.xml
check 'objectives that were missed on the way do not make the result untrustworthy' grep -q '<verdict status="ok"' depth.xml
check_exit 0 'of two objectives both have to be met' sweep --over=log-depth=1..64 --slo='mean<3.2ms' --slo='p99<2ms'
check 'the stricter objective decides' grep -q '^log-depth=3 is the largest that meets the objectives; log-depth=4 misses' out

check_exit 0 'a sweep of a device with jitter ends with 0' sweep --sim jitter=60us --over=log-depth=5..6 --slo='mean<3.2ms' -f jitter.xml
check 'the runs of a depth have different seeds: their interval has a width' \
	test "$(value_of low_ns jitter.xml | head -1)" != "$(value_of high_ns jitter.xml | head -1)"

# --- a rate: the way writes 1692 times a second
check_exit 0 'a rate at which the target falls behind is missed, not undecided' \
	sweep --log-depth=4 --over=rate=100..100000 --slo='max<5ms' -f rate.xml
check 'the table names the rates at which the target falls behind' grep -Eq '^100000 .* MISSED, late ' out
check 'the knee is near the largest rate' grep -Eq '^knee: rate=1[56][0-9]{2}, where the mean response is [89][0-9] % below' out
rate=$(value_of answer rate.xml) beyond=$(value_of beyond rate.xml)
check "the largest rate is what the way can write: $rate" test "$rate" -ge 1600 -a "$rate" -le 1700
check "the next rate is at most 5 % larger: $beyond" test "$((beyond * 100))" -le "$((rate * 105))"
check_exit 0 "a run at $rate meets the objective" simulate run --log-depth=4 --rate="$rate" --slo='max<5ms'
check_exit 1 "a run at $beyond misses it" simulate run --log-depth=4 --rate="$beyond" --slo='max<5ms'
check_exit 0 'the report with a knee is valid' memstor validate rate.xml

# A table of more than a page of the pipe's reader, who leaves.
# shellcheck disable=SC2046 # each a word
(sweep --over=log-depth=1..64 $(seq -f '--slo=p%g<3200us' 80 95) -f piped.xml 2>err) | true
check_exit 0 'a table that nobody reads to its end leaves a valid report' memstor validate piped.xml

# --- an interval: the smaller one is the higher load
paused() {
	simulate "$1" --log-depth=1 --ckpt-depth=4 --ckpt-size=8m --slo='p90<2ms' "$2"
}
check_exit 0 'a sweep over a pause ends with 0' paused sweep --over=ckpt-pause=1ms..1s
pause=$(sed -n 's/^ckpt-pause=\([0-9]*[mu]s\) is the smallest that meets the objectives; .*/\1/p' out)
beyond=$(sed -n 's/.*; ckpt-pause=\([0-9]*[mu]s\) misses them$/\1/p' out)
check "the text has the smallest pause: $pause" test "$pause"
check 'the table begins with the longest pause, the lowest load' sh -c 'sed -n 2p out | grep -Eq "^ +1s +[0-9]+ .* met "'
check_exit 0 "a run with a pause of $pause meets the objective" paused run --ckpt-pause="$pause"
check_exit 1 "a run with a pause of $beyond misses it" paused run --ckpt-pause="$beyond"

# --- no answer
check_exit 1 'a sweep of which no load meets the objective ends with 1' sweep --over=log-depth=1..64 --slo='mean<1us' -f none.xml
check 'the text says that no load meets it' grep -qx 'no log-depth from 1 to 64 meets the objectives' out
is 'the report says so, without an answer' "$(value_of outcome none.xml)$(value_of answer none.xml)" none
check_exit 0 'a sweep of which all loads meet the objective ends with 0' sweep --over=log-depth=1..64 --slo='mean<1s'
check 'the text says that the end of the range meets it' grep -qx 'log-depth=64, the end of the range, meets the objectives' out
check_exit 4 'a sweep whose objective has no sample is undecided' sweep --over=log-depth=1..8 --ckpt-depth=1 --ckpt-size=64m \
	--durability=dsync --slo='sync:p99<1s' -f undecided.xml
check 'the text says what is undecided, and why' grep -q '^not decided: .*log-depth=1 is undecided (objective-undecided: ' out
check 'the reason of the verdict is the same' grep -q '<reason code="not-decided">not decided: ' undecided.xml
check_exit 0 'the reports without an answer are valid' memstor validate none.xml undecided.xml
check_exit 4 'SIGINT ends a sweep with 4' timeout --preserve-status -s INT 3 ssd-workloads sweep --mix=1-1 --target=sim:small \
	--runtime=10h --over=log-depth=1..64 --slo='mean<1s' -f stopped.xml
check 'the report of a sweep that SIGINT ended says so' grep -q '<verdict status="interrupted"' stopped.xml
is 'and that nothing is decided' "$(value_of outcome stopped.xml)" not-decided
check_exit 0 'the report of a sweep that SIGINT ended is valid' memstor validate stopped.xml
check_exit 0 '--dry-run prints a plan' sweep --over=log-depth=1..64 --slo='mean<1s' --dry-run
check 'the plan has the range' grep -q '^sweep: log-depth from 1 to 64; the plan of 64:$' out

# --- refused: in one line, before anything is written
mkdir work
# no MESSAGE OPTION...
no() {
	message=$1
	shift
	check_exit 2 "sweep refuses $*" ssd-workloads sweep --mix=1-1 --target=work/x --runtime=1s "$@"
	is "sweep refuses in one line: $*" "$(cat "$tmp/err")" "ssd-workloads: $message"
}
form='must be PARAM=LOW..HIGH, as rate=100..10000, of ckpt-every, ckpt-pause, log-depth, ckpt-depth or rate'
for range in rate rate=100 100..200 =1..2 rates=1..2 rat=1..2 mix=1..2; do
	no "--over $range: $form" --over="$range" --slo='p99<1s'
done
for range in 0..5 5..0 5..5 1..100000001 1.. ..5 1..2..3 1-5.. a..b -1..5 1.5..3; do
	no "--over rate=$range: must be LOW..HIGH, two values of --rate from 1 to 100000000, the smaller one first" \
		--over="rate=$range" --slo='p99<1s'
done
for range in 0..1s 1s..2h 8s..1s 100us..1s; do
	no "--over ckpt-every=$range: must be LOW..HIGH, two values of --ckpt-every from 1ms to 1h, the smaller one first" \
		--over="ckpt-every=$range" --slo='p99<1s'
done
no '--over: is required, as rate=100..10000' --slo='p99<1s'
no "--slo: is required, as 'p99<10ms'" --over=rate=1..5
no '--rate 7: is what --over changes; omit it' --over=rate=1..5 --slo='p99<1s' --rate=7
no '--ckpt-every and --ckpt-pause: both set when the next checkpoint begins; keep one' --over=ckpt-every=1s..5s --slo='p99<1s' \
	--ckpt-pause=1s
no '--ckpt-destroy-data: needs --ckpt-target' --over=rate=1..5 --slo='p99<1s' --ckpt-destroy-data=x
no '--log-destroy-data: needs --log-target' --over=rate=1..5 --slo='p99<1s' --log-destroy-data=x
no '--rate: this mix has no log' --mix=0-1 --over=rate=1..5 --slo='checkpoint:p99<1s'
no '--slo commit:p99<1s: no commit is made durable; use --durability, or log:' --over=rate=1..5 --slo='commit:p99<1s'
no '--verify: no such option; --help lists them' --over=rate=1..5 --slo='p99<1s' --verify
no '-f and --target: both would write work/x; give them two names' --over=rate=1..5 --slo='p99<1s' -f work/x
no '--log-size: must hold at least two blocks for each outstanding write' --over=log-depth=1..1024 --slo='p99<1s' --log-size=1m
is 'no refused sweep wrote anything' "$(ls work)" ''
tap_done

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run --replay: the options of a run from its report, of the command line those that replace them.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
need_direct
cd "$work" || exit 99

options() { sed -n 's|.*<option name="\([^"]*\)">\(.*\)</option>.*|\1=\2|p' "$1"; }
# measures DESCRIPTION OPTION...: what is not to be trusted was written all the same.
measures() {
	title=$1
	shift
	status=0
	ssd-workloads run "$@" >"$tmp/out" 2>"$tmp/err" || status=$?
	check "$title" sh -c 'case $1 in 0 | 4) ;; *) cat "$2"; exit 1 ;; esac' sh $status "$tmp/err"
}
refused() { # DESCRIPTION MESSAGE OPTION...
	title=$1 message=$2
	shift 2
	check_exit 2 "$title" ssd-workloads run "$@"
	is "$title in one line" "$(cat "$tmp/err")" "ssd-workloads: $message"
}

# shellcheck disable=SC2086 # words
measures 'a run of many options' --mix=custom --log-depth=2 --log-bs=4k --log-size=64k --ckpt-depth=1 \
	--ckpt-bs=8k --ckpt-size=128k --ckpt-every=20ms --ckpt-completion=0.5 --ckpt-io=buffered --ckpt-flush-after=16k --trace=off \
	--records=0 --interval=0 --runtime=100ms --durability=dsync --require=threads --seed=7 --verify \
	--label 'a=b & c' --label d=e --target=one --keep -f one.xml
check 'its options are in the report' test "$(options one.xml | wc -l)" -gt 25
is 'each label is one of them' "$(options one.xml | grep -c '^label=')" 2
is 'what is not repeated is not' "$(options one.xml | grep -E '^(keep|file|json|dump|dry-run|replay|destroy-data)=')" ''

# --- the same again
refused 'a target is not taken from a report' \
	'one.xml: --target one: is not taken from a report; give it, or another one, on the command line' --replay one.xml
measures 'the same run again' --replay one.xml --target=one -f again.xml
check 'what is taken is said' \
	grep -q '^ssd-workloads: --replay one.xml: takes mix=custom log-bs=4k .* seed=7 .*verify=yes' "$tmp/err"
is 'all effective options are the same' "$(options again.xml)" "$(options one.xml)"
measures 'from the report of the repetition' --replay again.xml --target=one --dry-run
mkdir folder
measures 'on another target' --replay one.xml --target=folder -f folder.xml
is 'the target is the only difference' "$(options one.xml >a; options folder.xml >b; diff a b | grep '^[<>]' | tr '\n' ' ')" \
	'< target=one > target=folder '

# --- the command line replaces
measures 'other values' --replay one.xml --target=one --runtime=50ms --durability=none --label f=g -f other.xml
is 'replace those of the report, labels all together' "$(options other.xml >b; diff a b | grep '^[<>]' | tr '\n' ' ')" \
	"< durability=dsync > durability=none < runtime=100ms > runtime=50ms < label=a=b &amp; c < label=d=e > label=f=g "
measures 'a pause and an engine' --replay one.xml --target=one --ckpt-pause=1ms --engine=threads -f pause.xml
is 'a pause replaces a period, an engine the one that was required' \
	"$(options pause.xml >b; diff a b | grep '^[<>]' | tr '\n' ' ')" \
	'< ckpt-pause=0 < ckpt-every=20ms < ckpt-completion=0.5 > ckpt-pause=1ms < require=threads > engine=threads '
measures 'a direct checkpoint' --replay one.xml --target=one --ckpt-io=direct --dry-run
check 'a replayed plan has no write-back hints that the report lacks' sh -c '! grep -q flush-after "$1"' sh "$tmp/err"
measures 'baselines replace the verification of a report' --replay one.xml --target=one --baselines --runs=1 --dry-run

# --- two targets
measures 'two targets' --replay one.xml --target=folder --ckpt-target=folder -f two.xml
refused 'the second target is not taken from a report' \
	'two.xml: --ckpt-target folder: is not taken from a report; give it, or another one, on the command line' \
	--replay two.xml --target=folder
measures 'unless it is given' --replay two.xml --target=folder --ckpt-target=folder --dry-run

# --- data of another program is in the way of a repetition as of any run
echo precious >mine
check_exit 2 'a file of another program is refused' ssd-workloads run --replay one.xml --target=mine
is 'a foreign file that --replay names is not changed' "$(cat mine)" precious

# --- other reports
none='not a report of this command: it has no options to repeat'
check_exit 0 'verify writes a report for --replay' ssd-workloads verify one -f verify.xml
refused 'a report of verify is refused' "verify.xml: $none" --replay verify.xml --target=one
ssd-workloads analyze fig11 "$top_srcdir/tests/fuzz/corpus-ssd_dump/small" -f analyze.xml >/dev/null
refused 'a report of analyze is refused' "analyze.xml: $none" --replay analyze.xml --target=one
for other in "$top_srcdir"/tests/fixtures/pmbench-original/linear-r100.xml "$top_srcdir"/tests/fixtures/ssd/fig9.xml; do
	refused "${other##*/} is refused" "$other: $none" --replay "$other" --target=one
done
sed 's/name="seed"/name="sede"/' one.xml >bad.xml
refused 'an option of another version is refused' 'bad.xml: --sede: this version has no such option' --replay bad.xml --target=one
sed 's|name="log-depth">2<|name="log-depth">2000<|' one.xml >bad.xml
check_exit 2 'a value out of range is refused' ssd-workloads run --replay bad.xml --target=one
check 'the line names the report and the option' grep -q '^ssd-workloads: bad.xml: --log-depth 2000: must ' "$tmp/err"
check_exit 2 'a report that is not there is refused' ssd-workloads run --replay nothing.xml --target=one
check 'the refusal of --replay names the report' grep -q '^ssd-workloads: --replay nothing.xml' "$tmp/err"
tap_done

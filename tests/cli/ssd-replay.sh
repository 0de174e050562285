#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run --replay takes the options of a run from its report; the command line replaces them.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
need_direct
cd "$work" || exit 99

options() { sed -n 's|.*<option name="\([^"]*\)">\(.*\)</option>.*|\1=\2|p' "$1"; }
# measures DESCRIPTION OPTION...: a run that ends with 4 (not trustworthy) has a report, too.
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
measures 'a run with many options is measured' --mix=custom --log-depth=2 --log-bs=4k --log-size=64k --ckpt-depth=1 \
	--ckpt-bs=8k --ckpt-size=128k --ckpt-every=20ms --ckpt-completion=0.5 --ckpt-io=buffered --ckpt-flush-after=16k --trace=off \
	--records=0 --interval=0 --runtime=100ms --durability=dsync --require=threads --seed=7 --verify \
	--label 'a=b & c' --label d=e --target=one --keep -f one.xml
check 'the report of a run has more than 25 options' test "$(options one.xml | wc -l)" -gt 25
is 'the report of a run has each label as an option' "$(options one.xml | grep -c '^label=')" 2
is 'the report of a run has no option that is not to be repeated' \
	"$(options one.xml | grep -E '^(keep|file|json|dump|dry-run|replay|destroy-data)=')" ''

# --- repetition of a run
refused '--replay without --target is refused' \
	'one.xml: --target one: is not taken from a report; give it, or another one, on the command line' --replay one.xml
measures '--replay measures again' --replay one.xml --target=one -f again.xml
check '--replay prints the options that it takes from the report' \
	grep -q '^ssd-workloads: --replay one.xml: takes mix=custom log-bs=4k .* seed=7 .*verify=yes' "$tmp/err"
is '--replay has the effective options of the report' "$(options again.xml)" "$(options one.xml)"
measures 'the report of a replay is replayed in turn' --replay again.xml --target=one --dry-run
mkdir folder
measures '--replay with another target is measured' --replay one.xml --target=folder -f folder.xml
is '--replay with another target changes the option target only' \
	"$(options one.xml >a; options folder.xml >b; diff a b | grep '^[<>]' | tr '\n' ' ')" \
	'< target=one > target=folder '

# --- the command line replaces
measures '--replay with other typed values is measured' \
	--replay one.xml --target=one --runtime=50ms --durability=none --label f=g -f other.xml
is 'typed options replace those of the report, labels all together' \
	"$(options other.xml >b; diff a b | grep '^[<>]' | tr '\n' ' ')" \
	"< durability=dsync > durability=none < runtime=100ms > runtime=50ms < label=a=b &amp; c < label=d=e > label=f=g "
measures '--replay with a typed pause and engine is measured' \
	--replay one.xml --target=one --ckpt-pause=1ms --engine=threads -f pause.xml
is 'a typed pause replaces a period, and a typed engine the required one' \
	"$(options pause.xml >b; diff a b | grep '^[<>]' | tr '\n' ' ')" \
	'< ckpt-pause=0 < ckpt-every=20ms < ckpt-completion=0.5 > ckpt-pause=1ms < require=threads > engine=threads '
measures '--replay with a typed direct checkpoint is planned' --replay one.xml --target=one --ckpt-io=direct --dry-run
check 'a typed --ckpt-io=direct drops the write-back hints of the report' sh -c '! grep -q flush-after "$1"' sh "$tmp/err"
measures 'typed baselines replace the verification of the report' --replay one.xml --target=one --baselines --runs=1 --dry-run

# --- two targets
measures '--replay with a second target is measured' --replay one.xml --target=folder --ckpt-target=folder -f two.xml
refused '--replay of two targets without --ckpt-target is refused' \
	'two.xml: --ckpt-target folder: is not taken from a report; give it, or another one, on the command line' \
	--replay two.xml --target=folder
measures '--replay of two targets with both typed again is planned' --replay two.xml --target=folder --ckpt-target=folder --dry-run

# --- data of another program is protected from --replay, too
echo precious >mine
check_exit 2 '--replay refuses a target with data of another program' ssd-workloads run --replay one.xml --target=mine
is '--replay does not change data of another program' "$(cat mine)" precious

# --- other reports
none='not a report of this command: it has no options to repeat'
check_exit 0 'verify writes a report' ssd-workloads verify one -f verify.xml
refused '--replay refuses a report of verify' "verify.xml: $none" --replay verify.xml --target=one
ssd-workloads analyze fig11 "$top_srcdir/tests/fuzz/corpus-ssd_dump/small" -f analyze.xml >/dev/null
refused '--replay refuses a report of analyze' "analyze.xml: $none" --replay analyze.xml --target=one
for other in "$top_srcdir"/tests/fixtures/pmbench-original/linear-r100.xml "$top_srcdir"/tests/fixtures/ssd/fig9.xml; do
	refused "--replay refuses ${other##*/}" "$other: $none" --replay "$other" --target=one
done
sed 's/name="seed"/name="sede"/' one.xml >bad.xml
refused '--replay refuses an option of another version' \
	'bad.xml: --sede: this version has no such option' --replay bad.xml --target=one
sed 's|name="log-depth">2<|name="log-depth">2000<|' one.xml >bad.xml
check_exit 2 '--replay refuses a value out of range' ssd-workloads run --replay bad.xml --target=one
check '--replay names the report and the option of a value out of range' \
	grep -q '^ssd-workloads: bad.xml: --log-depth 2000: must ' "$tmp/err"
check_exit 2 '--replay refuses a report that does not exist' ssd-workloads run --replay nothing.xml --target=one
check '--replay names the report that does not exist' grep -q '^ssd-workloads: --replay nothing.xml' "$tmp/err"
tap_done

# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2034 # top_srcdir comes from the harness; the tests use what is set here
# For tests of memstor run, on top of tap.sh: memstor with a fake pmbench whose arguments say what it does.
#   --dry-run: refuse, cannot, slowly, or nothing
#   quick untrusted missed no-report broken fail die flaky sleep deaf orphan leftover scratch
# Each start is a line "STEP RUN" in $log; $token-WORD is in the command line of what it starts.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
cd "$tmp" || exit 1
token=memstor-suite-$$-$(date +%s%N)
log=$tmp/log
export log token tmp
mkdir bin
cp "$(command -v memstor)" bin/memstor
sed 's|<verdict status="untrustworthy">.*|<verdict status="ok">|
	/<verdict/,/<.verdict>/ { /<reason/d; }' "$top_srcdir/tests/golden/pmbench-report.xml" >ok.xml
cat >bin/pmbench <<'TOOL'
#!/bin/sh
step= run= report= words=
for word; do
	case $word in
	step=*) step=${word#step=} ;;
	run=*) run=${word#run=} ;;
	esac
done
while [ $# -gt 0 ]; do
	case $1 in
	-f) report=$2; shift ;;
	--label) shift ;;
	--dry-run) checks=yes ;;
	*) words="$words $1" ;;
	esac
	shift
done
if [ "$checks" ]; then
	case $words in
	*' refuse'*) echo "pmbench: -p 'x': must be a pattern" >&2; exit 2 ;;
	*' slowly'*) echo check >>"$log"; sleep 15 ;;
	*' cannot'*) echo 'pmbench: this host has no such thing' >&2; exit 3 ;;
	esac
	exit 0
fi
echo "$step $run" >>"$log"
interrupted() {
	sed 's|<verdict status="ok">|<verdict status="interrupted">|' "$tmp/ok.xml" >"$report"
	exit 4
}
trap interrupted INT TERM HUP
echo "out of$words"
for word in $words; do
	case $word in
	quick) ;;
	untrusted)
		sed 's|<verdict status="ok">|<verdict status="untrustworthy"><reason code="steal">stolen</reason>|' \
			"$tmp/ok.xml" >"$report"
		exit 4 ;;
	missed)
		sed 's|</result>|<cells><cell id="c"><objective text="p99\&lt;1us"><limit_ns>1000</limit_ns>\
<reached_ns>2500</reached_ns><is_met>false</is_met></objective></cell></cells></result>|' "$tmp/ok.xml" >"$report"
		exit 1 ;;
	no-report) exit 0 ;;
	broken) head -c 1000 "$tmp/ok.xml" >"$report"; exit 0 ;;
	fail) echo 'pmbench: first line' >&2; echo 'pmbench: it broke' >&2; exit 1 ;;
	die) kill -9 $$ ;;
	flaky) [ -e "$tmp/mended" ] || { echo 'pmbench: not yet' >&2; exit 3; } ;;
	sleep) sh -c 'for i in $(seq 500); do sleep 0.2; done' "$token-sleep" & wait $! ;;
	deaf)
		[ ! -e "$tmp/calm" ] || continue
		trap '' INT TERM HUP
		sh -c 'for i in $(seq 500); do sleep 0.2; done' "$token-deaf" & wait $! ;;
	orphan) setsid sh -c 'for i in $(seq 500); do sleep 0.2; done' "$token-orphan" & ;;
	leftover) sh -c 'trap "echo TERM >$tmp/heard; exit" TERM; for i in $(seq 500); do sleep 0.2; done' "$token-leftover" &
		sleep 0.3 ;;
	scratch)
		pwd >"$tmp/cwd"
		ls -A >"$tmp/listing"
		readlink /proc/$$/fd/0 >"$tmp/stdin"
		echo left >left-behind ;;
	esac
done
cp "$tmp/ok.xml" "$report"
TOOL
chmod +x bin/pmbench
PATH=$tmp/bin:$PATH

stop_all() {
	for pid in $(pgrep -f -- "$token"); do
		kill -9 "$pid" 2>/dev/null
	done
	tap_cleanup
}
trap stop_all EXIT

suite() { cat >"$1.suite"; }       # suite NAME <<lines: NAME.suite
order() { tr '\n' '|' <"$log"; }   # what was started, in order
state() { # state DIR STEP RUN: the word of the index
	sed -n "/<step name=\"$2\"/,/<.step>/s/.*<run number=\"$3\" state=\"\([a-z]*\)\".*/\1/p" "$1/index.xml"
}
reason() { # reason DIR STEP RUN
	sed -n "/<step name=\"$2\"/,/<.step>/p" "$1/index.xml" |
		sed -n "/<run number=\"$3\"/,/<.run>/s/.*<reason>\(.*\)<.reason>/\1/p"
}
valid_index() { # valid_index WHAT DIR
	if command -v xmllint >/dev/null; then
		check "$1: the index is valid by the schema" xmllint --noout --schema "$top_srcdir/docs/memstor-index.xsd" "$2/index.xml"
	else
		skip "$1: the index is valid by the schema" 'needs xmllint (libxml2-utils)'
	fi
}
# stderr without the warnings about this machine.
said() { grep -v "^memstor: warning: " "$tmp/err"; }
# until_true COMMAND...: waits until it succeeds; fails after 30 s
until_true() {
	tries=600
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}

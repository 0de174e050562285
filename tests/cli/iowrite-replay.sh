#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench run --replay takes the options of an earlier run from its report; the command line replaces them.
. "$top_srcdir/tests/lib/tap.sh"
work=$tmp/work
mkdir "$work"
cd "$work" || exit 1

cells() { sed -n 's/^ *<cell .*id="\([^"]*\)".*/\1/p' "$1" | sort; }
effective() { sed -n '/<options>/,/<\/options>/p' "$1"; }
# shellcheck disable=SC2317 # called by check_exit
replay() { iowrite-bench run --replay "$@"; }
# refuses: status 2, and one line that has TEXT.
refuses() { # DESCRIPTION TEXT WORD...
	description=$1 text=$2
	shift 2
	check_exit 2 "--replay refuses $description" replay "$@"
	is "--replay refuses in one line: $description" "$(wc -l <"$tmp/err")" 1
	check "--replay names the cause when it refuses $description" grep -qF -e "$text" "$tmp/err"
	check "--replay prints nothing on stdout when it refuses $description" test ! -s "$tmp/out"
}

check_exit 0 'a run with lists of sizes, modes and regimes is measured' \
	iowrite-bench run --size=64k --rounds=2 --bs=4k,16k --mode=buffered,dsync \
	--sync-each=none,fdatasync --label=a=b -f first.xml
is 'the report of lists has eight combinations' "$(cells first.xml | wc -l)" 8
check 'the report of lists has its effective options' sh -c "grep -q '<option name=\"mode\">buffered,dsync</option>' first.xml"

# --- repetition of a run
check_exit 0 '--replay of a report with lists measures again' replay first.xml -f again.xml
is '--replay measures the combinations of the report' "$(cells again.xml)" "$(cells first.xml)"
is '--replay has the effective options of the report' "$(effective again.xml)" "$(effective first.xml)"
check '--replay prints the options that it takes from the report' \
	grep -q '^iowrite-bench: --replay first.xml: takes .* bs=4k,16k' "$tmp/err"
check 'the first report has a label' grep -q '<label name="a">b</label>' first.xml
check '--replay does not repeat the label of the report' sh -c '! grep -q "<label name=" again.xml'
check_exit 0 'the report of a replay is replayed in turn' replay again.xml -f third.xml
is 'a replay of a replay measures the same combinations' "$(cells third.xml)" "$(cells first.xml)"

# --- typed options
check_exit 0 'typed options replace those of the report' replay first.xml --bs=8k --rounds=1 -f changed.xml
is 'typed options give combinations of the typed size and the other options' "$(cells changed.xml)" \
	"$(cells first.xml | sed 's/\.[0-9]*k$/.8k/' | sort -u)"
check_exit 0 'a typed --bsrange replaces the --bs of the report' replay first.xml --bsrange=4k-8k --dry-run
is 'a typed --bsrange plans one size in each combination' "$(grep -c '^  pwrite.*\.4k-8k' "$tmp/out")" 4
check_exit 0 'a run with --bsrange is measured' iowrite-bench run --size=64k --rounds=1 --bsrange=4k-8k -f range.xml
check_exit 0 '--replay of a report with --bsrange is accepted' replay range.xml --dry-run
is '--replay of --bsrange plans its one combination' "$(grep -c '^  pwrite.*\.4k-8k' "$tmp/out")" 1
check_exit 0 'a typed --bs replaces its --bsrange' replay range.xml --bs=4k --dry-run
is 'a typed --bs plans its size alone' "$(grep '^  pwrite' "$tmp/out")" '  pwrite.buffered.none.append.write.4k'

# --- presets
check_exit 0 'a run with the preset pg_test_fsync is measured' iowrite-bench run --preset=pg_test_fsync --size=64k --runtime=10ms --rounds=1 -f preset.xml
check_exit 0 '--replay of the preset pg_test_fsync measures again' replay preset.xml -f preset-again.xml
is '--replay of a preset measures the combinations of the preset' "$(cells preset-again.xml)" "$(cells preset.xml)"
check_exit 0 'a typed option replaces one of the preset' replay preset.xml --bs=16k --dry-run
is 'a typed --bs replaces the size of the preset in all combinations' "$(grep '^  pwrite' "$tmp/out" | grep -vc '\.16k')" 0
check_exit 0 'a run with the preset sqlite is measured' iowrite-bench run --preset=sqlite --rounds=1 --runtime=10ms -f sqlite.xml
check_exit 0 '--replay of the preset sqlite is accepted' replay sqlite.xml --dry-run
check '--replay of the preset sqlite writes its size again until the time is over' grep -q 'repeatedly for up to 10' "$tmp/out"
refuses 'a report with a typed preset' '--preset kafka: ' first.xml --preset=kafka

# --- targets
refuses 'a report with a folder that is not typed again' "folder.xml: --directory $work/folder: " "$(
	mkdir folder
	iowrite-bench run --size=64k --rounds=1 --directory="$work/folder" -f folder.xml >/dev/null 2>&1
	echo folder.xml)" --dry-run
check_exit 0 '--replay takes the folder of the report when it is typed again' replay folder.xml --directory=folder --dry-run
check_exit 0 '--replay takes another folder than that of the report' replay folder.xml --directory=. --dry-run
check_exit 0 '--replay takes a file instead of the folder of the report' replay folder.xml --filename=new --dry-run
check_exit 0 'a run in a named file is measured' iowrite-bench run --size=64k --rounds=1 --filename=named -f file.xml
refuses 'a report with a file that is not typed again' 'file.xml: --filename named: ' file.xml
check 'a refused replay does not make the file' test ! -e named
echo precious >named
refuses 'a report with a file whose loss is confirmed' 'file.xml: --filename named: ' file.xml --destroy-data=named
is 'a refused replay does not change the file' "$(cat named)" precious
check_exit 0 '--replay takes the file of the report when it is typed again' replay file.xml --filename=fresh --dry-run

# --- files that are no reports of run
sed 's/iowritebench/pmbenchmark/g' first.xml >other.xml
refuses 'a report of another tool' 'other.xml: not a report of this command' other.xml
sed 's|<argument>run</argument>|<argument>evaluate</argument>|' first.xml >evaluate.xml
refuses 'a report of evaluate' 'evaluate.xml: not a report of this command' evaluate.xml
sed 's/name="bs"/name="block"/' first.xml >newer.xml
refuses 'an option of another version' 'newer.xml: --block: ' newer.xml
sed 's|<option name="rounds">2<|<option name="rounds">0<|' first.xml >range0.xml
check_exit 2 '--replay refuses a value out of range' replay range0.xml
check 'the refusal of an option of the report names report and option' grep -q '^iowrite-bench: range0.xml: --rounds 0: ' "$tmp/err"
refuses 'a report that does not exist' 'nowhere.xml' nowhere.xml
echo nothing >text
refuses 'a text that is not a report' 'text' text
rm -f ./*.xml ./*.json
is '--replay leaves no other file behind' "$(ls)" "$(printf 'folder\nnamed\ntext')"
tap_done

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# with-pressure -f: the report of a command, its verdict, and where it is written, for an ordinary user.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1
mkdir made

value() { sed -n "s,.*<$1>\(.*\)</$1>.*,\1,p" "$2"; } # value ELEMENT FILE
at_least() { awk -v value="$1" -v least="$2" 'BEGIN { exit !(value != "" && value + 0 >= least) }'; }
reason() { sed -n 's/.*<reason code="\([a-z-]*\)".*/\1/p' "$1" | tr '\n' ' '; }

# --- the command and what it used
journals=$(ls /run/with-pressure 2>/dev/null)
check_exit 0 '-f writes a report of a command without limits' with-pressure -f true.xml -- true
is '-f without limits prints nothing' "$(cat out err)" ''
is '-f without limits leaves one file' "$(ls made; ls ./*.xml)" ./true.xml
is '-f without limits makes no journal' "$(ls /run/with-pressure 2>/dev/null)" "$journals"
check_exit 0 'the report is valid' memstor validate true.xml
is 'the report of true has exit status 0, and no signal' "$(value exit_status true.xml)$(value exit_signal true.xml)" 0
check 'the verdict of true is ok' grep -q '<verdict status="ok"/>' true.xml
is 'without limits the report has none' "$(grep -c '<pressure>' true.xml)" 0
start=$(value monotonic_start_ns true.xml)
end=$(value monotonic_end_ns true.xml)
is 'the wall time is from the start to the end of the signature' "$(value wall_ns true.xml)" $((end - start))

# A process of a known size, which waits for 0.2 s, and its child.
cat >work.py <<'END'
import subprocess, sys, time
data = bytearray(48 << 20)
time.sleep(0.2)
if sys.argv[1:]:
    subprocess.run([sys.executable, "-S", "work.py"], check=True)
END
python=$(command -v python3)
if [ -n "$python" ]; then
	check_exit 0 '-f writes a report of a program' with-pressure -f work.xml --label step=work -- "$python" -S work.py
	check 'the wall time has the time in which a program sleeps' at_least "$(value wall_ns work.xml)" 200000000
	check 'the peak memory is at least what the program has written to' at_least "$(value peak_bytes work.xml)" $((48 << 20))
	check 'each page that the program wrote to first was a minor fault, unless it was a huge one' \
		at_least "$(value minor_faults work.xml)" 100
	check 'a program that sleeps switches voluntarily' at_least "$(value voluntary_switches work.xml)" 1
	check 'the report has the arguments of the command' grep -q '<argument>work.py</argument>' work.xml
	check 'the report has its labels' grep -q '<label name="step">work</label>' work.xml
	check 'the command is an option, so that only equal ones are compared' \
		grep -q "<option name=\"command\">$python -S work.py</option>" work.xml
	check_exit 0 '-f writes a report of a program with a child' with-pressure -f child.xml -- "$python" -S work.py child
	check 'the faults of a child that was waited for are counted' \
		at_least "$(value minor_faults child.xml)" $(($(value minor_faults work.xml) * 3 / 2))
	with-pressure -f child.xml -- sh -c "$python -S work.py & exit 0"
	check 'the peak memory of a process that was not waited for is not counted' eval "! at_least '$(value peak_bytes child.xml)' $((48 << 20))"
else
	skip '-f writes a report of a program' 'needs python3'
fi
for element in wall_ns user_ns system_ns minor_faults major_faults voluntary_switches involuntary_switches \
	block_input_bytes block_output_bytes; do
	is "the report has $element once" "$(value $element true.xml | grep -c '^[0-9]*$')" 1
done
if [ -r /proc/pressure/memory ] && cat /proc/pressure/memory >/dev/null 2>&1; then
	for element in memory_some_ns memory_full_ns io_some_ns io_full_ns; do
		is "the report has the stalls of the machine: $element" "$(value $element true.xml | grep -c '^[0-9]*$')" 1
	done
else
	check 'without PSI the report says why it has no stalls' grep -q '<unavailable name="stalls">' true.xml
fi

# --- verdict and exit status
check_exit 3 'the exit status is that of the command' with-pressure -f failed.xml -- sh -c 'exit 3'
is 'a status other than 0 is in the report, and a reason' "$(value exit_status failed.xml) $(reason failed.xml)" '3 failed '
check 'the reason names the status' grep -q 'ended with status 3' failed.xml
check_exit 137 'the exit status has the signal' with-pressure -f killed.xml -- sh -c 'kill -9 $$'
is 'a signal is in the report, and a reason' \
	"$(value exit_signal killed.xml)$(value exit_status killed.xml) $(reason killed.xml)" '9 killed '
check_exit 127 'a command that does not exist ends with 127' with-pressure -f none.xml -- "$tmp/none"
is 'a command that does not exist is a reason' "$(reason none.xml)" 'not-started '
is 'a command that did not start has no time and no status' "$(value wall_ns none.xml)$(value exit_status none.xml)" ''
check_exit 126 'a command that cannot be run ends with 126' with-pressure -f folder.xml -- "$tmp/made"
is 'a command that cannot be run is a reason' "$(reason folder.xml) $(value start_error folder.xml)" 'not-started  Permission denied'
check_exit 143 'SIGTERM is passed on' timeout --foreground --preserve-status 1 with-pressure -f stopped.xml -- sleep 60
check 'a run that was ended by SIGTERM is marked so' grep -q '<verdict status="interrupted">' stopped.xml
check_exit 0 'all of these reports are valid' memstor validate failed.xml killed.xml none.xml folder.xml stopped.xml

# --- output files
check_exit 0 '-f - prints the report after what the command prints' with-pressure -f - -- echo first
is '-f -: the command comes first' "$(head -n 1 out)" first
sed 1d out >printed.xml
check_exit 0 '-f -: the report is valid' memstor validate printed.xml
check_exit 125 '-f into a folder that does not exist is refused' with-pressure -f none/r.xml -- touch made/ran
is '-f into a folder that does not exist runs no command' "$(ls made)" ''
check 'the refusal is one line' says_in_one_line err '-f none/r.xml: cannot be written'
echo precious >other
check_exit 125 '-f does not replace a file of another kind' with-pressure -f other -- touch made/ran
is '-f leaves the other file, and runs no command' "$(cat other; ls made)" precious
check_exit 125 '--label without -f is refused' with-pressure --label a=b -- true
check_exit 125 '--recover with -f is refused' with-pressure --recover -f r.xml
check_exit 0 '--dry-run prints where the report goes' with-pressure --dry-run -f made/r.xml -- true
is '--dry-run writes no report' "$(grep '^report:' out) $(ls made)" 'report: made/r.xml '
if [ -w /dev/full ]; then
	check_exit 125 'a report that cannot be written ends with 125' with-pressure -f /dev/full -- true
	check 'a report that cannot be written is reported in one line' says_in_one_line err \
		'-f /dev/full: the report could not be written: No space left on device'
	check_exit 125 'a report that cannot be printed ends with 125' sh -c 'with-pressure -f - -- true >/dev/full'
else
	skip 'a report that cannot be written ends with 125' 'there is no /dev/full'
fi
# kill -9: the shell writes its number, and then waits for a time that no test has.
mkfifo up
# shellcheck disable=SC2016 # the command's shell expands
with-pressure -f made/r.xml -- sh -c 'echo $$ >up; exec sleep 1000' &
front=$!
read -r command <up
is 'while the command runs there is no file' "$(ls -A made)" ''
kill -9 $front
wait $front 2>/dev/null
is 'kill -9 leaves no file' "$(ls -A made)" ''
gone() {
	for try in 1 2 3 4 5 6 7 8 9 10; do
		kill -0 "$command" 2>/dev/null || return 0
		sleep 0.$try
	done
	return 1
}
check 'kill -9 ends the command' gone

# --- reports for memstor
# The peak of true is too small to be known.
sed -i "/peak_bytes/d; s,^ *<minor_faults>,<peak_bytes>9000000</peak_bytes>&,; /<unavailable/d" true.xml
mkdir base new
for run in 1 2 3 4 5; do
	# The same run, in more time than true ever takes.
	sed "s/<uuid>......../<uuid>0000000$run/; s,<wall_ns>.*<,<wall_ns>999999999999<," true.xml >new/$run.xml
	sed "s/<uuid>......../<uuid>0000001$run/" true.xml >base/$run.xml
done
# Those that are 0 everywhere are compared when asked for.
metrics='wall user system cpu-time peak-memory minor-faults major-faults'
# shellcheck disable=SC2046 # words
memstor compare --json $(printf -- '--metric=%s ' $metrics) base -- new >compared.json
for metric in $metrics; do
	check "memstor compare has the metric $metric" grep -q "\"metric\": \"$metric\"" compared.json
done
check_exit 1 'memstor compare finds a longer wall time' memstor compare --metric wall base -- new
with-pressure -f new/other.xml -- sh -c true
check_exit 5 'memstor compare refuses runs of different commands' memstor compare base/1.xml -- new/other.xml
long=$(head -c 3000 /dev/zero | tr '\0' x)
with-pressure -f one.xml -- true "${long}1"
with-pressure -f two.xml -- true "${long}2"
check_exit 5 'commands that differ behind 3000 characters are different' memstor compare one.xml -- two.xml
with-pressure -f one.xml -- true 'a b'
with-pressure -f two.xml -- true a b
check_exit 5 'commands whose words are divided elsewhere are different' memstor compare one.xml -- two.xml
check_exit 0 'memstor merge takes the reports' memstor merge -o merged.xml base/1.xml new/2.xml
check_exit 0 'a merged report is valid' memstor validate merged.xml
is 'merging adds faults' "$(value minor_faults merged.xml)" \
	$(($(value minor_faults base/1.xml) + $(value minor_faults new/2.xml)))
check_exit 0 'memstor convert takes the reports' memstor convert --to csv --what values base/1.xml
is 'the CSV has the wall time with its unit' "$(grep -o 'wall_ns,ns,.*' out)" "wall_ns,ns,$(value wall_ns base/1.xml)"
check_exit 0 'memstor html takes the reports' memstor html -o page.html base -- new
tap_done

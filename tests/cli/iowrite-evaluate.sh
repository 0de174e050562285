#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench evaluate: usage errors, unusable calibrations, and the plan of its measurements.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/iowrite.sh"
cd "$tmp" || exit 1
write_system s.xml no-such-device ext4 500000000

refuses() { # STATUS LINE ARGUMENT...
	status=$1
	line=$2
	shift 2
	check_exit "$status" "evaluate $* ends with $status" iowrite-bench evaluate "$@"
	is "evaluate refuses in one line: $*" "$(cat "$tmp/err")" "iowrite-bench: $line"
	check "evaluate prints nothing on stdout when it refuses $*" test ! -s "$tmp/out"
}

# --- arguments
refuses 2 '--system: is required: the calibration that iowrite-bench calibrate -o FILE writes'
names='must be quick, paper, all, or names with commas between: iowrite-bench scenarios lists them'
for list in c99 '' 'c1,' ',c1' 'c1,,c2' quic 'c1 c2'; do
	case $list in '' | *' '*) shown="'$list'" ;; *) shown=$list ;; esac
	refuses 2 "--scenarios $shown: $names" --system s.xml "--scenarios=$list"
done
for number in 0 101 -1 1.5 x ''; do
	refuses 2 "--repetitions ${number:-''}: must be a whole number from 1 to 100" --system s.xml "--repetitions=$number"
done
refuses 2 "--mem hot: must be warm, cold or as-is" --system s.xml --mem hot
refuses 2 "--thresholds large: must be keep or small" --system s.xml --thresholds large
for rate in 1k 0 -1 fast; do
	refuses 2 "--slow-device $rate: must be a rate of at least 1M bytes/s, as 400M" --system s.xml \
		"--slow-device=$rate"
done
refuses 2 "--warm-up 11m: must be a time from 0 to 10m" --system s.xml --warm-up 11m
refuses 2 "--slow-size 1M: must be a size of at least 64M" --system s.xml --slow-device 400M --slow-size 1M
refuses 2 '--slow-size: needs --slow-device' --system s.xml --slow-size 1G
for label in x =x '' 'a b=c' 'a= b'; do
	case $label in '' | *' '*) shown="'$label'" ;; *) shown=$label ;; esac
	refuses 2 "--label $shown: must be NAME=VALUE: a name of 1 to 64 letters, digits or _.-, up to 500 printable bytes, no blank at either end" \
		--system s.xml "--label=$label"
done
refuses 2 's.xml: no argument is expected; --help lists the options' s.xml
refuses 2 '-f and --json: both would write stdout; give them two names' --system s.xml -f - --json
refuses 2 '-f and --json: both would write r; give them two names' --system s.xml -f r --json=r
refuses 2 "-f '': must not be empty" --system s.xml -f ''
refuses 3 '-f no/r.xml: cannot be written: No such file or directory' --system s.xml -f no/r.xml
refuses 3 '--output no/r.xml: cannot be written: No such file or directory' --system s.xml --output no/r.xml
refuses 2 "--directory 's.xml': must be a folder" --system s.xml --directory s.xml
refuses 2 "--directory 'no': must be a folder" --system s.xml --directory no

# --- calibrations
refuses 2 'no.xml: No such file or directory' --system no.xml
echo '<pmbenchmark/>' >other.xml
refuses 2 'other.xml:1: pmbenchmark: is not a calibration; iowrite-bench calibrate -o FILE makes one' --system other.xml
check_exit 2 'evaluate refuses half of a calibration' sh -c "head -c 300 s.xml >half.xml; iowrite-bench evaluate --system half.xml"
is 'evaluate refuses half of a calibration in one line' "$(grep -c '^iowrite-bench: half.xml:' err)" 1
check_exit 2 'evaluate refuses the calibration of another device' iowrite-bench evaluate --system s.xml --thresholds keep
here=$(sed -n 's/.* and \. is on \(.*\) (\(.*\)): take --directory there, or calibrate here$/\1 \2/p' err)
is 'evaluate refuses the calibration of another device in one line' \
	"$(cat err)" "iowrite-bench: s.xml is a calibration of no-such-device (ext4), and . is on ${here% *} \
(${here##* }): take --directory there, or calibrate here"
sed 's/no-such-device//' s.xml >nowhere.xml
refuses 2 'nowhere.xml does not name its device: calibrate again' --system nowhere.xml --thresholds keep

if [ "$(id -u)" -eq 0 ]; then
	refuses 2 's.xml is a calibration of no-such-device with 500 MB/s, not of a slow device with 105 MB/s: iowrite-bench '"\
calibrate --slow-device 100M makes one" --system s.xml --slow-device 100M --thresholds keep
else
	check_exit 3 'evaluate --thresholds small without root is refused' iowrite-bench evaluate --system s.xml --thresholds small
	check 'evaluate --thresholds small without root says what this host lacks' \
		grep -q '^iowrite-bench: --thresholds small needs dirty-thresholds: ' err
	check_exit 3 'evaluate --slow-device without root is refused' \
		iowrite-bench evaluate --system s.xml --slow-device 100M --thresholds keep
	check 'evaluate --slow-device without root says what this host lacks' \
		grep -q '^iowrite-bench: --slow-device needs privilege: ' err
fi

# --- what would be measured
case $here in
'no device'*)
	skip 'evaluate --dry-run plans every scenario' 'no device is behind this folder'
	tap_done
	;;
esac
write_system here.xml "${here% *}" "${here##* }" 500000000
check_exit 0 'evaluate --dry-run with every scenario ends with 0' \
	iowrite-bench evaluate --system here.xml --thresholds keep --scenarios all -n
is 'evaluate --dry-run prints a row for each scenario' "$(sed '1d; $d' out | cut -d ' ' -f 1)" \
	"$(iowrite-bench scenarios | sed 1d | cut -d ' ' -f 1)"
check 'evaluate --dry-run says how long each scenario takes, or why it is not measured' sh -c \
	"! sed '1d; \$d' out | grep -v -e ' some [0-9.]* s: ' -e ' not measured: [^ ]'"
check_exit 0 'evaluate --dry-run without --scenarios ends with 0' \
	iowrite-bench evaluate --system here.xml --thresholds keep --dry-run
quick=$(sed '1d; $d' out | cut -d ' ' -f 1)
is 'evaluate without --scenarios plans those that the list calls quick' \
	"$quick" "$(iowrite-bench scenarios | awk '$6 == "yes" || $7 == "yes" { print $1 }')"
check_exit 0 'evaluate --dry-run takes scenarios in any order' iowrite-bench evaluate --system here.xml --thresholds keep \
	--scenarios f9-256,f4a,f9-256 --repetitions 3 --dry-run
is 'evaluate --dry-run prints each scenario once in the order of the list' \
	"$(sed '1d; $d' out | cut -d ' ' -f 1 | tr '\n' ' ')" 'f4a f9-256 '
check 'evaluate --dry-run counts scenarios and repetitions' grep -q '^[0-2] of 2, 3 times$' out
sed '/lib_metacost/d' here.xml >less.xml
check_exit 0 'evaluate --dry-run takes a calibration that lacks a value' \
	iowrite-bench evaluate --system less.xml --thresholds keep \
	--scenarios f9-256 --dry-run
check 'evaluate --dry-run names the value that is missing' grep -q \
	'not measured: the calibration lacks lib_metacost, which the kernel model needs$' out
check_exit 3 'evaluate refuses when no scenario can be measured' iowrite-bench evaluate --system less.xml --thresholds keep \
	--scenarios f9-256 -f r.xml
is 'evaluate refuses in one line when no scenario can be measured' \
	"$(cat err)" "iowrite-bench: none of 1 scenarios can be measured here; the first one (f9-256)\
: the calibration lacks lib_metacost, which the kernel model needs"
check 'evaluate writes no report when no scenario can be measured' test ! -e r.xml
check 'evaluate leaves no file when no scenario can be measured' test -z "$(find . -name '.memstor*')"

# --- a run without root: the libc's buffer
if iowrite-bench evaluate --system here.xml --thresholds keep --scenarios f9-4096 --dry-run | grep -q '^1 of 1'; then
	check_exit 0 'evaluate measures the scenario f9-4096' \
		iowrite-bench evaluate --system here.xml --thresholds keep --scenarios f9-4096 \
		--repetitions 2 --mem as-is -f r.xml --json=r.json --label 'who=it is I'
	is 'evaluate --repetitions 2 prints a row for each repetition' "$(grep -c '^f9-4096  *[12]  *16384 ' out)" 2
	is_valid 'the report of evaluate is valid by the schema' r.xml
	check 'memstor validate accepts the report of evaluate' memstor validate r.xml
	check 'evaluate does not pin its writer when the calibration did not' \
		grep -q '<writer>not pinned: the calibration was not</writer>' r.xml
	sed 's,</file_system>,&<writer>pinned to CPU 0</writer>,' here.xml >pinned.xml
	check_exit 0 'evaluate takes a calibration with a pinned writer' \
		iowrite-bench evaluate --system pinned.xml --thresholds keep \
		--scenarios f9-4096 --mem as-is -f pinned-report.xml
	check 'evaluate pins its writer as the calibration did' \
		grep -Eq '<writer>(pinned to CPU|not pinned: there is one CPU)' pinned-report.xml
	first=$(sed -n 's/^Cpus_allowed_list:[[:blank:]]*\([0-9]*\).*/\1/p' /proc/self/status)
	last=$(sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9]*\)$/\1/p' /proc/self/status)
	if [ "$first" != "$last" ]; then
		check 'evaluate says when the calibration names no CPU of the writer' grep -Eq \
			"^The writer was pinned to CPU $last, .*; the CPU of the calibration is unknown\$" out
		for cpu in "$first" 9999; do
			sed "s,</writer>,&<writer_cpu>$cpu</writer_cpu>," pinned.xml >"at-$cpu.xml"
			check_exit 0 "evaluate takes a calibration whose writer was on CPU $cpu" \
				iowrite-bench evaluate --system "at-$cpu.xml" --thresholds keep \
				--scenarios f9-4096 --mem as-is -f "r-$cpu.xml"
		done
		check 'evaluate pins its writer to the CPU of the calibration' \
			grep -Eq "<writer>pinned to CPU $first, [0-9]+ CPUs left to others</writer>" "r-$first.xml"
		check 'evaluate says that the CPU of the calibration is not available' grep -Eq \
			"<writer>pinned to CPU $last, [0-9]+ CPUs left to others; the calibration used CPU 9999, which is not available here</writer>" \
			r-9999.xml
	fi
	sed 's,</file_system>,&<writer_cpu>one</writer_cpu>,' here.xml >no-cpu.xml
	check_exit 2 'evaluate refuses a calibration with a CPU that is no number' \
		iowrite-bench evaluate --system no-cpu.xml --thresholds keep --scenarios f9-4096
	is 'evaluate refuses a CPU that is no number with the line of the calibration' \
		"$(cat err)" "iowrite-bench: no-cpu.xml:$(grep -n writer_cpu no-cpu.xml | cut -d : -f 1): writer_cpu: needs the number of a CPU"
	is 'the report of evaluate has both repetitions' "$(grep -o '<scenario id="f9-4096" repetition="[12]"' r.xml | wc -l)" 2
	is 'the report of evaluate has three models' "$(grep -o '<model name="[a-z]*"' r.xml | sort | uniq -c | tr -s ' \n' ' ')" \
		' 2 <model name="cawl" 2 <model name="kernel" 2 <model name="naive" '
	check 'the report of evaluate has the label' grep -q '<label name="who">it is I</label>' r.xml
	check 'the report of evaluate has the options' grep -q '<option name="scenarios">f9-4096</option>' r.xml
	check 'the JSON of evaluate is valid by the schema' memstor validate r.json
	check_exit 0 'evaluate prints its report on stdout' iowrite-bench evaluate --system here.xml --thresholds keep \
		--scenarios f9-4096 --mem as-is -f -
	cp out s-out.xml
	is_valid 'evaluate -f - prints nothing but a report valid by the schema' s-out.xml
else
	skip 'evaluate measures the scenario f9-4096' 'needs 64 MiB of free space, and memory'
fi
tap_done

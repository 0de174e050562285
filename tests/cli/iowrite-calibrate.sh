#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench calibrate: usage errors in one line, a plan that changes nothing, and a short calibration.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
work=$tmp/work
mkdir "$work"
cd "$work" || exit 1

# no STATUS MESSAGE OPTION...
no() {
	status=$1 message=$2
	shift 2
	check_exit "$status" "calibrate refuses $*" iowrite-bench calibrate "$@"
	is "calibrate refuses in one line: $*" "$(cat "$tmp/err")" "iowrite-bench: $message"
	is "calibrate prints nothing on stdout when it refuses $*" "$(cat "$tmp/out")" ''
	check "calibrate leaves no file when it refuses $*" sh -c 'test -z "$(ls -A)"'
}

no 2 '-o: is required unless --dry-run is given, as -o system.xml'
no 2 'out.xml: no argument is expected; --help lists the options' -o a.xml out.xml
for size in 0 63m 2x -1 '' 2p; do
	no 2 "--size ${size:-''}: must be a size from 64M to 1P" -o a.xml --size="$size"
done
no 2 "--max-bytes 1m: must be a size from 128M to 1P" -o a.xml --max-bytes=1m
no 2 "--find-cache 1m: must be a size from 1G to 1P" -o a.xml --find-cache=1m
no 2 "--find-cache 40g: must be at most half of --max-bytes: the rest is measured with the other half" -o a.xml --find-cache=40g
no 2 "--max-bytes 1g: must be at least twice --size: the file is written more than once" -o a.xml --size=1g --max-bytes=1g
for time in 0 0.5s 61m x ''; do
	no 2 "--runtime ${time:-''}: must be a time from 1s to 1h" -o a.xml --runtime="$time"
done
for time in 0 0.5s 25h x ''; do
	no 2 "--spread ${time:-''}: must be a time from 1s to 24h" -o a.xml --spread="$time"
done
no 2 '--spread 89s: must be at least --runtime: it includes that time and the rests' -o a.xml --spread=89s
no 2 "--mem hot: must be warm or as-is (cold memory is measured in any case)" -o a.xml --mem=hot
no 2 "--mem cold: must be warm or as-is (cold memory is measured in any case)" -o a.xml --mem=cold
no 2 "--cpus 4096: allowed are a list like 0-3,8 and the locations core:LIST, package:LIST, numa:LIST, pu:LIST" -o a.xml --cpus=4096
no 2 "--directory and --filename: both name the target; keep one" -o a.xml --directory=. --filename=b
no 2 '--destroy-data: needs --filename' -o a.xml --destroy-data=b
no 2 "--size: the slow device in nowhere has 4864 MiB of space, 4865 MiB are needed: give a smaller one" \
	-o a.xml --directory=nowhere --slow-device=100m --size=4865m
no 2 "--directory 'nowhere': must be a folder" -o a.xml --dry-run --directory=nowhere --slow-device=100m --size=4864m
no 2 "--directory 'nowhere': must be a folder" -o a.xml --directory=nowhere
no 3 "-o no/a.xml: cannot be written: No such file or directory" -o no/a.xml
no 3 "-o .: cannot be written: Is a directory" -o .

if [ "$(id -u)" != 0 ]; then
	check_exit 3 "calibrate --stage without root is refused" iowrite-bench calibrate -o a.xml --stage --size=1g
	check "calibrate --stage without root says what this host lacks, as memstor doctor does" \
		grep -q '^iowrite-bench: --stage needs dirty-thresholds: ' "$tmp/err"
	is "calibrate --stage without root is refused in one line" "$(wc -l <"$tmp/err")" 1
fi
if [ "$(id -u)" = 0 ]; then
	no 2 '--stage needs --size of 1024 MiB or more: its thresholds are 256 and 512 MiB' -o a.xml --stage --size=512m
fi

echo mine >"$tmp/data"
check_exit 2 "calibrate --filename refuses a file with data" iowrite-bench calibrate -o a.xml --filename="$tmp/data" --size=64m
is "calibrate --filename refuses a file with data in one line" "$(cat "$tmp/err")" \
	"iowrite-bench: $tmp/data: holds data of another program; name a new file, or confirm with --destroy-data=$tmp/data"
is "calibrate --filename does not change a file with data" "$(cat "$tmp/data")" mine

check_exit 0 "calibrate --dry-run ends with 0" iowrite-bench calibrate --dry-run --size=64m --runtime=20s --max-bytes=4g
is "calibrate --dry-run prints how much would be written" "$(sed -n 2p "$tmp/out")" 'writes      up to 4 GiB in 20 s'
check "calibrate --dry-run prints nothing on stderr" test ! -s "$tmp/err"
check "calibrate --dry-run prints where the writer would run" \
	grep -Eq '^writer      (pinned to CPU [0-9]+, [0-9]+ CPUs left to others|not pinned: there is one CPU, .*)$' "$tmp/out"
check_exit 0 "calibrate --dry-run --spread ends with 0" iowrite-bench calibrate -n --size=64m --spread=20m
is "calibrate --dry-run --spread prints the number of rounds" \
	"$(sed -n 3p "$tmp/out")" 'rounds      8 over 20 min, with rests between them'
check_exit 0 "calibrate --dry-run --find-cache ends with 0" iowrite-bench calibrate -n --size=64m --find-cache=2g
check "calibrate --dry-run --find-cache prints how the cache would be measured" \
	grep -q '^cache       measured at the end, by up to 2 GiB without a pause$' "$tmp/out"
check_exit 0 "calibrate --dry-run --cpus=none ends with 0" iowrite-bench calibrate --dry-run --size=64m --cpus=none
check "calibrate --cpus=none does not pin the writer" grep -q '^writer      not pinned: as requested$' "$tmp/out"
if command -v taskset >/dev/null; then
	cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
	check_exit 0 "calibrate --dry-run on one CPU ends with 0" taskset -c "$cpu" iowrite-bench calibrate --dry-run --size=64m
	check "calibrate on one CPU does not pin the writer and says why" \
		grep -q '^writer      not pinned: there is one CPU, which the flusher needs, too$' "$tmp/out"
fi
check "calibrate leaves no file when it is refused or only plans" sh -c 'test -z "$(ls -A)"'

# --- a short calibration: laws only
iowrite-bench calibrate -o "$tmp/a.xml" --size=64m --runtime=2s >"$tmp/out" 2>"$tmp/err"
is "calibrate for 2 s ends with 4, as no value is stable" $? 4
# On a busy machine other processes may be the only reason.
check "calibrate names unstable values, or the processes that disturbed it, in one line" \
	grep -Eq "^iowrite-bench: $tmp/a.xml: (values that predictions need are unstable: .*; measure longer \(--runtime, --spread\), |other processes competed for )" "$tmp/err"
check "memstor validate accepts the calibration" memstor validate "$tmp/a.xml"
check "calibrate prints a table of at least 20 parameters" awk '
	/^parameter/ { on = 1; next } /^$/ { on = 0 } on { n++ } END { exit !(n >= 20) }' "$tmp/out"
check "calibrate leaves no file of its measurement" sh -c 'test -z "$(ls -A)"'
check "each value of the calibration has its number of samples and its method" awk '
	/<(parameter|point) / && !(/ value="[0-9]/ && / n="/ && / method="[^"]/) { exit 1 }' "$tmp/a.xml"
check "each value of the calibration is within its interval" awk '
	function field(name,   text) { text = $0; if (!sub(".* " name "=\"", "", text)) return ""; sub(/".*/, "", text); return text }
	/<(parameter|point) / && / low="/ && !(field("low") + 0 <= field("value") + 0 && field("value") + 0 <= field("high") + 0) {
		print; exit 1 }' "$tmp/a.xml"
check "the calibration says whether the writer was pinned" grep -Eq '<writer>(pinned to CPU|not pinned: )' "$tmp/a.xml"
is "the calibration has the number of the writer's CPU" "$(sed -n 's/.*<writer_cpu>\([0-9]*\)<.*/\1/p' "$tmp/a.xml")" \
	"$(sed -n 's/.*<writer>pinned to CPU \([0-9]*\),.*/\1/p' "$tmp/a.xml")"
check "the calibration says that the device's cache was not measured" \
	grep -q '<unknown name="sync_cache" why="not measured without --find-cache"' "$tmp/a.xml"
check "the calibration has the hard limit of dirty bytes" grep -q 'name="limit_hard" unit="bytes" value="[1-9]' "$tmp/a.xml"
if grep -q '<parameter name="bw_dev"' "$tmp/a.xml"; then
	check "predict accepts the calibration for the model naive" \
		iowrite-bench predict --system "$tmp/a.xml" --model=naive --bs=1m
else
	check "the calibration says why the device was not measured" grep -q '<unknown name="bw_dev" why=' "$tmp/a.xml"
fi
iowrite-bench calibrate -o "$tmp/c.xml" --size=64m --runtime=60s >"$tmp/out" 2>"$tmp/err" &
pid=$!
sleep 1
kill -TERM $pid
status=0
wait $pid || status=$?
is "calibrate interrupted by SIGTERM ends with 4" "$status" 4
check "memstor validate accepts an interrupted calibration" memstor validate "$tmp/c.xml"
check "an interrupted calibration says which values were not measured" \
	grep -q 'why="the calibration was interrupted before"' "$tmp/c.xml"
check "an interrupted calibration says that it is partial" \
	grep -q '<partial>it was interrupted before everything was measured</partial>' "$tmp/c.xml"
check "the table of an interrupted calibration says that it is partial" \
	sh -c 'sed -n 3p "$1" | grep -q "^PARTIAL: it was interrupted before everything was measured$"' sh "$tmp/out"
iowrite-bench predict --system "$tmp/c.xml" --model=naive --bs=1m >"$tmp/out" 2>"$tmp/err"
is "predict warns of an incomplete calibration" "$(sed -n 1p "$tmp/err")" \
	"iowrite-bench: warning: $tmp/c.xml is an incomplete calibration: it was interrupted before everything was measured (calibrate again)"

# 20 s of measuring in an hour: a signal comes in its first round, or in the rest after it.
# Its rounds begin 7 minutes apart; how long the first one takes depends on the machine.
for pause in 4 10 30 90; do
	iowrite-bench calibrate -q -o "$tmp/e.xml" --size=64m --runtime=20s --spread=1h >"$tmp/out" 2>"$tmp/err" &
	pid=$!
	sleep "$pause"
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	! grep -q '<parameter name="bw_mem"' "$tmp/e.xml" || break
done
is "calibrate --spread=1h interrupted by SIGTERM ends with 4" "$status" 4
check "memstor validate accepts a calibration interrupted after one round" memstor validate "$tmp/e.xml"
# On a busy machine another reason comes before "measured in 1 of 3 blocks".
check "a calibration interrupted after one round has the values of that round, as unstable" \
	grep -q '<parameter name="bw_mem" .* unstable="[^"]' "$tmp/e.xml"

# A limit of file sizes: status 3 and one line.
if command -v prlimit >/dev/null; then
	check_exit 3 "calibrate above the limit of file sizes ends with 3" \
		prlimit --fsize=33554432 iowrite-bench calibrate -q -o "$tmp/d.xml" --size=64m --runtime=2s
	is "calibrate above the limit of file sizes is refused in one line" "$(wc -l <"$tmp/err")" 1
fi
tap_done

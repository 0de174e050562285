#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace import: what perf prints becomes a recording with the same samples, mappings and losses; what perf is asked for; what
# is refused. perf is a script that prints recorded and constructed texts.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
cd "$tmp" || exit 1

event() { # NAME PERIOD SAMPLE_TYPE [MORE]
	echo "# event : name = $1, , id = { 8, 9 }, type = 1, size = 128, config = 0x2, { sample_period, sample_freq } = $2, sample_type = $3, inherit = 1${4:+, $4}"
}
head_of() { printf '# ========\n# hostname : vm\n# os release : 6.1.0\n# arch : x86_64\n# cmdline : /usr/bin/perf record -d -- sort big.txt \n'; }
none='1e05080021 |OP N/A|LVL N/A or N/A|SNP N/A|TLB N/A|LCK N/A|BLK  N/A'

# --- page faults of a process, its child and a thread
{
	head_of
	event page-faults 1 'IP|TID|TIME|ADDR|DATA_SRC'
	cat <<END
# ========
#
    0/0         0.000000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1209988) @ 0xffffffff81000000]: x [kernel.kallsyms]_text
    0/0         0.000000000: PERF_RECORD_COMM: perf-exec:712/712
  712/712     306.982904476: PERF_RECORD_COMM exec: sort:712/712
  712/712     306.982926379: PERF_RECORD_MMAP2 712/712: [0x5560cda07000(0x22000) @ 0 fe:00 247230 0]: r--p /usr/bin/sort
  712/712     306.982997224: PERF_RECORD_MMAP2 712/712: [0x7ffa1aaa8000(0x2000) @ 0x7ffa1aaa8000 00:00 0 0]: rw-p //anon
  712/712     306.983000000:         page-faults:     5560cda26240      $none ffffffff8175336a
  712/712     306.983001000:         page-faults:     7ffa1aaa8008      $none     5560cda07010
  712/712     306.983785087: PERF_RECORD_FORK(720:720):(712:712)
  720/720     306.984000000:         page-faults:     7ffa1aaa9008      $none     5560cda07010
  712/712     306.985000000: PERF_RECORD_FORK(712:713):(712:712)
  712/713     306.986000000:         page-faults:     7ffa1aaa9010      $none     5560cda07010
  712/712     306.987000000: PERF_RECORD_LOST lost 74
  712/712     306.988000000: PERF_RECORD_LOST lost 1
  712/712     306.988500000: PERF_RECORD_LOST_SAMPLES lost 75
  720/720     306.989000000: PERF_RECORD_EXIT(720:720):(712:712)
END
} >faults.txt
check_exit 0 "import of perf's text of page faults succeeds" memtrace import -o faults.mtr faults.txt
check "import prints the number of samples" grep -q '^memtrace: faults.mtr: 4 samples of page-faults' "$tmp/err"
check "import warns of samples that are missing" grep -q '75 samples are missing: lost by the kernel' "$tmp/err"
check_exit 4 "report of an imported recording with most samples missing ends with 4" memtrace report faults.mtr
check "report of an imported recording has perf's losses" grep -q '^missing  *75 lost by the kernel' "$tmp/out"
check "report of an imported recording has perf's command" grep -q '^command  */usr/bin/perf record -d -- sort big.txt$' "$tmp/out"
check "report of an imported recording has the period" grep -q '^period  *1 faults$' "$tmp/out"
is "import gives each sample its process and mapping, also in a forked process" \
	"$(memtrace report --noheadings -o samples,id,name faults.mtr | tr -s ' ' | sed 's/^ //' | sort | tr '\n' ',')" \
	'1 712 /usr/bin/sort,1 720 //anon,2 712 //anon,'
memtrace export faults.mtr >faults.csv
is "export of an imported recording has each sample as perf printed it" \
	"$(sed -n '3p;5p' faults.csv | cut -d, -f2-6 | tr '\n' ' ')" \
	"712,712,access,$((0x7ffa1aaa8008)),$((0x5560cda07010)) 712,713,access,$((0x7ffa1aaa9010)),$((0x5560cda07010)) "
check_exit 0 "import - reads standard input" sh -c 'memtrace import -q -o stdin.mtr - <faults.txt'
is "import --quiet prints nothing" "$(cat "$tmp/out" "$tmp/err")" ''
is "import - gives the samples that the file gives" "$(memtrace export stdin.mtr 2>/dev/null)" "$(cat faults.csv)"
grep -v '^#' faults.txt >bare.txt
check_exit 0 "import of a text without header succeeds" memtrace import -o bare.mtr bare.txt
check "import warns of what is unknown without a header" grep -q "bare.txt: no line '# event': events, period and host" "$tmp/err"
is "import of a text without header gives the same samples" "$(memtrace export bare.mtr 2>/dev/null)" "$(cat faults.csv)"
check "report says that a text without header was imported" \
	sh -c 'memtrace report bare.mtr | grep -q "^engine  *perf (imported from a text without header"'
sed 's/$/\r/' faults.txt >crlf.txt
check_exit 0 "import of a text with carriage returns succeeds" memtrace import -q -o crlf.mtr crlf.txt
is "import of a text with carriage returns gives the same samples" "$(memtrace export crlf.mtr 2>/dev/null)" "$(cat faults.csv)"
check "import removes carriage returns from names" sh -c '! memtrace report crlf.mtr | grep -q "$(printf "\r")"'
check_exit 4 "analyze of an imported recording with most samples missing ends with 4" memtrace analyze count faults.mtr
check "report of page faults with period 1 says that every fault is seen" \
	sh -c 'memtrace report faults.mtr | grep -q "^records  *every page fault"'
sed '/^# event/s/{ sample_period, sample_freq } = 1/{ sample_period, sample_freq } = 99/' faults.txt >some.txt
memtrace import -q -o some.mtr some.txt
check "report of page faults with period 99 does not say that every fault is seen" \
	sh -c 'memtrace report some.mtr | grep -q "^records  *what these events sample"'

# --- loads and stores of PEBS
{
	head_of
	event cpu/mem-loads,ldlat=30/P 4000 'IP|TID|TIME|ADDR|ID|DATA_SRC|WEIGHT_STRUCT'
	event cpu/mem-stores/P 4000 'IP|TID|TIME|ADDR|ID|DATA_SRC|WEIGHT_STRUCT'
	event dummy:HG 4000 'IP|TID|TIME'
	cat <<END
    7/7         1.000000000: PERF_RECORD_MMAP2 7/7: [0x7f0000000000(0x100000) @ 0 00:00 0 0]: rw-p //anon
    7/7         1.000000100: cpu/mem-loads,ldlat=30/P:     7f0000001040         68100142 |OP LOAD|LVL L1 hit|SNP None|TLB L1 or L2 hit|LCK No|BLK  N/A               36     55d0c0de1234
    7/7         1.000000200:         cpu/mem-stores/P:     7f0000002040          5080144 |OP STORE|LVL L1 hit|SNP N/A|TLB N/A|LCK No|BLK  N/A                          0     55d0c0de1238
    7/7         1.000000300:         cpu/mem-stores/P:                0          5080144 |OP STORE|LVL L1 hit|SNP N/A|TLB N/A|LCK No|BLK  N/A                          0     55d0c0de1238
END
} >pebs.txt
check_exit 0 "import of a text of PEBS succeeds" memtrace import -o pebs.mtr pebs.txt
check_exit 0 "report --json of imported PEBS samples succeeds" memtrace report --json pebs.mtr
check "report --json of imported PEBS samples names the engine pebs" grep -q '"engine": "pebs"' "$tmp/out"
check "report --json of imported PEBS samples has the period of both events" grep -q '"period": "4000"' "$tmp/out"
check "report --json counts the samples without an address" grep -q '"without an address": 1' "$tmp/out"
is "export of imported PEBS samples has loads and stores with their latency" \
	"$(memtrace export pebs.mtr | sed 1d | cut -d, -f4,5,7 | tr '\n' ' ')" \
	"load,$((0x7f0000001040)),36 store,$((0x7f0000002040)), "

# --- perf itself: perf script is called for the fields of the events
mkdir bin
cat >bin/perf <<'END'
#!/bin/sh
case $* in
*--header-only*) cat header ;;
*--stats*) printf '\nAggregated stats:\n      UNTHROTTLE events:          9\n        THROTTLE events:          5  ( 0.0%%)\n' ;;
*) echo "$*" >arguments; cat header body; exit "$(cat status)" ;;
esac
END
chmod 755 bin bin/perf
PATH=$tmp/bin:$PATH
printf 'PERFILE2rest' >perf.data
grep '^#' pebs.txt >header
grep -v '^#' pebs.txt >body
echo 0 >status
check_exit 0 "import of a perf.data succeeds" memtrace import -o data.mtr perf.data
is "import calls perf script for the fields that the events have" "$(cat arguments)" \
	'script -f -i perf.data --header -G --ns --show-mmap-events --show-task-events --show-lost-events -F pid,tid,time,event,addr,ip,data_src,weight'
is "import of a perf.data gives the samples of its text" \
	"$(memtrace export data.mtr 2>/dev/null)" "$(memtrace export pebs.mtr 2>/dev/null)"
check_exit 4 "report of an imported perf.data that was throttled ends with 4" memtrace report data.mtr
check "report of an imported perf.data states how often the kernel throttled" \
	grep -q '^missing  *5 throttled by the kernel' "$tmp/out"
grep '^#' faults.txt >header
grep -v '^#' faults.txt >body
check_exit 0 "import of a perf.data of page faults succeeds" memtrace import -q -o data.mtr perf.data
check "import of a perf.data of page faults asks perf for no latency" grep -q -- '-F pid,tid,time,event,addr,ip,data_src$' arguments
{ head_of; event arm_spe_0/ts_enable=1/ 4096 'IP|TID|TIME|CPU|IDENTIFIER'; } >header
cat >body <<END
    9/9         2.000000001:        memory:     ffff80001000          1050144 |OP STORE|LVL L1 hit|SNP N/A|TLB Walker hit|LCK No|BLK  N/A               12     aaaad0001234
END
check_exit 0 "import of a perf.data of ARM SPE succeeds" memtrace import -q -o spe.mtr perf.data
check "import of a perf.data of ARM SPE decodes each access once" \
	grep -q -- '-F pid,tid,time,event,addr,ip,data_src,weight --itrace=M$' arguments
is "import of a perf.data of ARM SPE has the store with its latency" \
	"$(memtrace export spe.mtr | sed 1d | cut -d, -f4,5,7)" "store,$((0xffff80001000)),12"
echo 1 >status
check_exit 3 "import ends with 3 when perf fails" memtrace import -o failed.mtr perf.data
is "import says in one line that perf failed" \
	"$(cat "$tmp/err")" 'memtrace: perf.data: perf script cannot read it; perf script -i perf.data says why'
check "import writes no recording when perf fails" test ! -e failed.mtr
echo '# hostname : vm' >header
echo 0 >status
refuses 'memtrace: perf.data: perf finds no event in it; perf script -i perf.data says why' memtrace import perf.data
# perf script would refuse to print addresses.
{ head_of; event page-faults 1 'IP|TID|TIME'; } >header
refuses 'memtrace: perf.data: event page-faults was recorded without addresses; record with perf record -d, or perf mem record' \
	memtrace import perf.data

# --- what is refused
refuses 'memtrace: import: the name of a perf.data file is missing' memtrace import
refuses 'memtrace: import: one file at a time; b is a second' memtrace import a b
check_exit 2 "import refuses a file that does not exist" memtrace import nothing.data
check_exit 2 "import -o refuses the name of its input" memtrace import -o faults.txt faults.txt
check "import leaves an input that -o names unchanged" grep -q PERF_RECORD_FORK faults.txt
echo text >other
check_exit 2 "import -o refuses a file that is not a recording" memtrace import -o other faults.txt
is "import leaves a file that is not a recording unchanged" "$(cat other)" text
refused() { # WHAT PATTERN: the text bad.txt
	check_exit 2 "import refuses $1" memtrace import -o bad.mtr bad.txt
	is "import refuses in one line: $1" "$(wc -l <"$tmp/err")" 1
	check "import names the cause when it refuses $1" grep -q "$2" "$tmp/err"
	check "import writes no recording when it refuses $1" test ! -e bad.mtr
}
echo nonsense >bad.txt
refused "a text of something else" "bad.txt: line 1 is not output of perf script"
: >bad.txt
refused "an empty file" "bad.txt: no sample in it;"
echo '712/712 306.983: page-faults: 5560cda26240' >bad.txt
refused "a text without header and with one number, an address or an instruction" "bad.txt: line 1: the text has no header"
{ cat faults.txt; echo nonsense; } >bad.txt
refused "a line that perf does not print" "bad.txt: line $(wc -l <bad.txt) is not output of perf script"
memtrace import -q -o kept.mtr faults.txt
cp kept.mtr kept.before
check_exit 2 "import refuses a wrong line after valid ones" memtrace import -o kept.mtr bad.txt
check "import leaves an older recording unchanged when it refuses a text" cmp kept.mtr kept.before
{ cat faults.txt; head -c 9000 /dev/zero | tr '\0' x; } >bad.txt
refused "a line that does not end" 'is longer than 8191 bytes'
{ head_of; event cpu-clock 1 'IP|TID|TIME|PERIOD'; } >bad.txt
refused "an event without addresses" 'bad.txt: event cpu-clock was recorded without addresses; record with perf record -d'
{ head_of; event cpu-clock 1 'IP|TID|TIME|ADDR'; echo '7/7 1.000000001: cpu-clock: 0 1000'; } >bad.txt
refused "an event whose addresses are 0" 'bad.txt: none of 1 samples has an address'
full=$(command -v memtrace)
check_exit 3 "import of a perf.data without perf ends with 3" env PATH="$tmp/none" "$full" import perf.data
check "import without perf names the package that has it" \
	grep -q 'perf (package linux-perf), which reads perf.data, is not installed' "$tmp/err"
refuses 'memtrace: -o -: a recording is not written to standard output; name a file' memtrace import -o - faults.txt
mkfifo pipe
check_exit 2 "import refuses a FIFO without waiting for a writer" timeout 20 memtrace import -o piped.mtr pipe
check "import names the FIFO" grep -q '^memtrace: cannot read pipe: is a FIFO' "$tmp/err"
check "import reads a text from an open pipe" sh -c 'cat faults.txt | memtrace import -q -o piped.mtr /dev/stdin'
printf 'PERFILE2 and more' >magic
check_exit 2 "import - refuses a perf.data" sh -c 'memtrace import -o bad.mtr - <magic'
is "import - refuses a perf.data in one line" "$(cat "$tmp/err")" 'memtrace: -: a perf.data is read from a file only; write it to one (perf record -o FILE)'
mkdir locked
chmod 555 locked
bare=
[ "$(id -u)" = 0 ] && bare='setpriv --inh-caps=-all --bounding-set=-all'
if $bare true 2>/dev/null; then
	# shellcheck disable=SC2086 # several words
	check_exit 3 "import -o in a folder without write permission ends with 3" $bare memtrace import -o locked/new.mtr faults.txt
	is "import -o in a folder without write permission is refused in one line" \
		"$(cat "$tmp/err")" 'memtrace: -o locked/new.mtr: cannot be written: Permission denied'
fi
[ -w /dev/full ] && check_exit 3 "import -o on a full disk ends with 3" memtrace import -o /dev/full faults.txt
tap_done

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run --target=sim:PRESET: the same mixes and analyses, the same bytes each time, and refusals in one line.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
work=$tmp/work
mkdir "$work"
cd "$work" || exit 1

simulate() { # OPTION...
	ssd-workloads run --mix=1-1 --target=sim:small --runtime=500ms --sim blocks=8 "$@"
}

# no STATUS MESSAGE OPTION...
no() {
	status=$1 message=$2
	shift 2
	check_exit "$status" "run refuses $*" simulate "$@"
	is "run refuses in one line: $*" "$(cat "$tmp/err")" "ssd-workloads: $message"
	is "run prints nothing on stdout when it refuses $*" "$(cat "$tmp/out")" ''
}

# --- runs, analyses and reports
check_exit 0 'a run on the simulated device succeeds' simulate --dump=a.rec -f a.xml
check_exit 0 'a second run with the same options succeeds' simulate --dump=b.rec
check 'the same options give the same dump' cmp a.rec b.rec
check_exit 0 'a run with another seed succeeds' simulate --seed=2 --dump=c.rec
uuid() { dd if="$1" bs=1 skip=40 count=36 2>/dev/null; }
check 'a dump has a uuid of version 8' sh -c \
	'printf %s "$1" | grep -qE "^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"' sh "$(uuid a.rec)"
check 'the dumps of two seeds have different uuids' test "$(uuid a.rec)" != "$(uuid c.rec)"
is 'the report has the uuid of its dump' "$(sed -n 's,.*<dump_uuid>\(.*\)</.*,\1,p' a.xml)" "$(uuid a.rec)"
check 'another seed gives another dump' sh -c '! cmp -s a.rec c.rec'
check 'a run after two passes of each area has no finding about its start' \
	sh -c '! grep -q "not written twice" a.xml && grep -q "<fill_is_steady>true<" a.xml'
check_exit 0 'a run after half a pass succeeds' simulate --sim fill=0.5 -f half.xml
check 'the report of a run after half a pass is not steady, and says which streams were not written twice' \
	grep -q '<measured>mix: 0.[5-9][0-9]* passes of the log' half.xml
check 'preconditioning is not called steady after half a pass' grep -q '<fill_is_steady>false<' half.xml
check_exit 0 'a run after half a pass prints text' simulate --sim fill=0.5
check 'the text says that half a pass is not enough' grep -q '^not-steady: mix: 0.[5-9][0-9]* passes of the log' "$tmp/out"
rm half.xml
check_exit 4 'an open loop that is faster than the device ends with 4' simulate --rate=20000 --json=late.json
check 'the backlog of preconditioning is not measured: nothing is later than the run is long' sh -c \
	'sed -n "s,.*did not keep up with --rate: \([0-9.]*\) s behind.*,\1,p" "$1" | awk "{ exit !(\$1 > 0.1 && \$1 <= 0.5) }"' \
	sh late.json
rm late.json
for figure in fig4 fig9 fig11 interference records; do
	check_exit 0 "analyze $figure reads the records of a simulated run" ssd-workloads analyze "$figure" a.rec
	check "analyze $figure has rows of both streams" \
		sh -c 'cut -f 1 -d "$2" "$1" | sort -u | grep -c -e log -e checkpoint | grep -qx 2' \
		sh "$tmp/out" "$(test "$figure" = records && echo , || printf '\t')"
done
check_exit 0 'a simulated run of the log alone succeeds' simulate --mix=1-0 --dump=log.rec
check_exit 0 'analyze fig6 compares the mix with a stream alone' ssd-workloads analyze fig6 a.rec --alone=log.rec
for figure in fig5 fig7 fig10 attribution window bandwidth; do
	check_exit 0 "analyze $figure reads the records of a simulated run" ssd-workloads analyze "$figure" a.rec --json=figure.json
	check "analyze $figure --json has columns and rows" \
		sh -c 'grep -q "\"column\"" "$1" && grep -q "\"row\"" "$1"' sh figure.json
done
rm -f figure.json
check_exit 0 'analyze attribution --assert: the parts of each write add up to its latency' \
	ssd-workloads analyze attribution a.rec --assert
check "analyze attribution: the log waits for its own and for others' work" sh -c \
	'for origin in self other; do cut -f 1,3 "$1" | grep -qx "log	$origin" || exit 1; done' sh "$tmp/out"
command=$(ssd-workloads analyze fig4 a.rec --rows=1 | sed -n 2p | cut -f 3)
check_exit 0 'analyze gantt --command takes a command of fig4' ssd-workloads analyze gantt a.rec --command="$command"
is 'analyze gantt: the first row is the command itself' "$(sed -n 2p "$tmp/out" | cut -f 1,3,4)" "$command	self	write"
check_exit 2 'analyze gantt without --command is refused' ssd-workloads analyze gantt a.rec
check_exit 0 'a simulated run with --sim index succeeds' simulate --sim index=100ms --dump=index.rec
check_exit 0 'analyze counters reads records with several indices' ssd-workloads analyze counters index.rec
is 'analyze counters has rows for all channels and for each, in the order of the device' \
	"$(sed -n 2,6p "$tmp/out" | cut -f 2 | tr '\n' ' ')" 'all 0 1 2 3 '
rm -f index.rec
check_exit 0 'a simulated run of the log alone without garbage collection succeeds' \
	sh -c 'ssd-workloads run --mix=1-0 --target=sim:small --runtime=200ms \
	--sim precondition=none --dump=none.rec >/dev/null'
for figure in fig5 fig8 fig10 counters; do
	check_exit 2 "analyze $figure of records without its events is a usage error" ssd-workloads analyze $figure none.rec
	check "analyze $figure says in one line that its events are missing" \
		says_in_one_line "$tmp/err" "ssd-workloads: $figure: none.rec "
done
check_exit 2 'analyze fig8 --command refuses a command that does not exist' \
	ssd-workloads analyze fig8 none.rec --command=4000000000
rm -f none.rec
check_exit 0 'memstor validate accepts the report of a simulated run' memstor validate a.xml
check 'the report of a simulated run has no CPU time, disk or pressure' \
	sh -c '! grep -qE "process_cpu_ns|cpu_ns_per_operation|other_cpu_ns|<counters" a.xml'
check 'the report of a simulated run has parameters, write amplification and the kind simulated' sh -c \
	'grep -q "key=\"blocks\"" a.xml && grep -q "<write_amplification>" a.xml && grep -q "kind>simulated<" a.xml'
check_exit 0 'a simulated run with --baselines succeeds' simulate --baselines --runs=2 --json=b.json
for without in other gc erase; do
	check_exit 0 "--without=$without succeeds" simulate --without=$without -f without.xml
	check "memstor validate accepts the report of --without=$without" memstor validate without.xml
	is "the report of --without=$without compares both streams" "$(grep -c "<cause>$without</cause>" without.xml)" 2
	for element in mean_ns without_ns difference_ns attributed_ns; do
		eval "$element=$(sed -n '/<counterfactual stream="checkpoint"/,/<\/counterfactual>/'"s,.*<$element>\(.*\)</.*,\1,p" without.xml)"
	done
	check "--without=$without: the checkpoint is faster without the cause" \
		awk "BEGIN { exit !($mean_ns > $without_ns && $without_ns > 0) }"
	check "--without=$without: the records attribute a part of the mean to the cause" \
		awk "BEGIN { exit !($attributed_ns > 0 && $attributed_ns < $mean_ns) }"
done
check '--without: the report has the number of attributed writes, and the text does not limit it to the last ones' \
	sh -c 'grep -q "<attributed_writes>" without.xml && ! grep -q "last .* writes" "$tmp/out"'
check_exit 0 '--without=erase with few records succeeds' simulate --without=erase --sim cache=1024 -f few.xml
check_exit 0 '--without=erase with few records prints text' simulate --without=erase --sim cache=1024
check '--without: the text says how many of the last writes the attribution covers' \
	grep -qE '^attributed covers the last [0-9]+ of [0-9]+ writes, whose records are kept; increase --sim cache$' "$tmp/out"
check '--without: the report has fewer attributed writes than writes when records are few' \
	sh -c 'test "$(sed -n "s,.*<attributed_writes>\(.*\)<.*,\1,p" few.xml | head -n 1)" -lt \
	"$(sed -n "s,.*<writes>\(.*\)</writes>.*,\1,p" few.xml | head -n 1)"'
check_exit 0 'memstor validate accepts the report of --without with few records' memstor validate few.xml
rm few.xml
check '--without: the run without the cause is not a repetition of the mix' \
	sh -c 'test "$(grep -c "<repetition " without.xml)" -eq 1'
check_exit 0 '--without=erase of one stream succeeds' simulate --mix=1-0 --without=erase
rm without.xml
check_exit 0 '--dry-run of a simulated device succeeds' simulate -n
check '--dry-run prints all parameters of the simulated device in one line' \
	grep -q 'target: sim:small: channels=4 ways=8 blocks=8 pages=128' "$tmp/out"
printf '# a comment\n\nways=2\nblocks=16\n' >config
check_exit 0 '--sim-config reads parameters from a file' simulate --sim-config=config -n
check '--sim replaces a parameter of --sim-config' grep -q ' ways=2 blocks=8 ' "$tmp/out"
check_exit 0 '--freeze-if with a condition on the host succeeds' simulate --freeze-if='log.latency>1ms && other>=1' --post=3
check_exit 0 '--freeze-if with a condition on the simulated device succeeds' \
	simulate --freeze-if='step( 6, 7 )>1us && busy>=1 && qdepth<9 && copies>=0' -f frozen.xml
check 'the report has the time when the condition of --freeze-if fired' grep -q '<fired_s>' frozen.xml
rm frozen.xml
check_exit 0 '--at with commands for the records succeeds' simulate --at=100ms:freeze --at='200ms: arm' \
	--at='250ms:freeze-if step(6,7)>1us && qdepth>=1 post 5' --at='300ms:stations 3,6-8' --dump=at.rec -f at.xml
check_exit 0 'memstor validate accepts the report of --at' memstor validate at.xml
check 'the report of --at has the last condition' grep -q '<condition>step(6,7)&gt;1us &amp;&amp; qdepth&gt;=1</condition>' at.xml
check 'the report of --at has the time when the condition fired' \
	sh -c 'sed -n "s,.*<fired_s>\(.*\)</fired_s>.*,\1,p" "$1" | awk "{ exit !(\$1 >= 0.25 && \$1 < 0.3) }"' \
	sh at.xml
check_exit 0 'analyze records reads the dump of --at' ssd-workloads analyze records at.rec
check 'the dump of --at has no record from before the last arm' \
	awk -F , 'NR > 1 && $13 < 200000000 { bad = 1 } END { exit bad || NR < 10 }' "$tmp/out"
check_exit 0 '--at with a freeze succeeds' simulate --at=100ms:freeze --json=at.json
check 'the report of a freeze by --at has its time, and neither stream nor condition' \
	sh -c 'grep -q "\"fired_s\": 0.1" "$1" && ! grep -q -e fired_stream -e \"condition\" "$1"' sh at.json
check_exit 0 '--replay of a report of --at succeeds' simulate --replay=at.xml --dump=again.rec
check '--replay of a report of --at gives the same dump' cmp at.rec again.rec
rm at.rec at.xml at.json again.rec
for order in uniform hotset,20,80 zipf,0.8; do
	check_exit 0 "--ckpt-order=$order succeeds on a simulated device" \
		simulate --mix=custom --ckpt-depth=8 --ckpt-bs=16k --ckpt-order="$order" -f order.xml
	check "the report has the checkpoint order $order" grep -q "<checkpoint_order>$order</checkpoint_order>" order.xml
done
check_exit 0 'memstor validate accepts the report of --ckpt-order' memstor validate order.xml
rm order.xml
for policy in multistream fdp log-first hints,log=2ms history 'hints:if=log.step(6,8)>600us && busy>=0 for 1ms'; do
	check_exit 0 "--policy=$policy succeeds with a second policy" \
		simulate --policy="$policy" --policy="$(case $policy in multistream | fdp) echo log-first ;; \
		*) echo multistream ;; esac)" --dump=policy.rec -f policy.xml
	check_exit 0 "memstor validate accepts the report of --policy=$policy" memstor validate policy.xml
	check_exit 0 "--policy=$policy: the parts of each write add up to its latency" \
		ssd-workloads analyze attribution policy.rec --assert
done
check 'the report names a policy with all of its parameters and its condition' grep -q \
	'<policy name="hints,log=1000000ns,checkpoint=20000000ns:if=log.step(6,8)&gt;600us &amp;&amp; busy&gt;=0 for 1000000ns">' policy.xml
check 'the report of a policy has the data of both streams' sh -c 'test "$(grep -c "<handle data=" "$1")" -eq 2' sh policy.xml
check 'the report says that the condition of the policy held at least once' \
	sh -c 'sed -n "s,.*<activated>\(.*\)</activated>.*,\1,p" "$1" | grep -vqx 0' sh policy.xml
check_exit 0 '--replay of a report with policies succeeds' simulate --replay=policy.xml --dump=again.rec
check '--replay of a report with policies gives the same dump' cmp policy.rec again.rec
check_exit 0 '--policy with a condition that never holds succeeds' simulate --policy='log-first:if=copies>100000' --dump=again.rec
check '--policy with a condition that never holds changes no byte of the dump' cmp a.rec again.rec
rm policy.rec policy.xml again.rec
is 'simulated runs leave no file behind but those that they name' \
	"$(find . -type f | sort | tr '\n' ' ')" './a.rec ./a.xml ./b.json ./b.rec ./c.rec ./config ./log.rec '

# --- options without meaning for a simulated device
meaning='has no meaning for a simulated device; omit it'
no 2 "--verify: $meaning" --verify
no 2 "--keep: $meaning" --keep
no 2 "--destroy-data sim:small: $meaning" --destroy-data=sim:small
no 2 "--require uring: $meaning" --require=uring
no 2 "--engine threads: $meaning" --engine=threads
no 2 "--sqpoll: $meaning" --sqpoll
no 2 "--iopoll: $meaning" --iopoll
no 2 "--trace on: $meaning" --trace=on
no 2 "--ckpt-io buffered: $meaning" --ckpt-io=buffered
no 2 '--ckpt-target .: must be the same sim:PRESET as --target: simulated devices are equal' --ckpt-target=.
no 2 '--no-prepare: use --sim precondition=none' --no-prepare

no 2 '--freeze-if own>1&&error: a simulated device has no error; omit this term' --freeze-if='own>1&&error'
check_exit 2 '--freeze-if with a term of the device is refused on a real target' \
	ssd-workloads run --mix=1-1 --target=. --freeze-if='copies>=8'
is 'the refusal of --freeze-if on a real target names the term in one line' "$(cat "$tmp/err")" \
	'ssd-workloads: --freeze-if copies>=8: copies is available for a simulated device only (--target sim:PRESET)'

no 2 '--at 500ms:freeze: must be before the end of the run; increase --runtime' --at=500ms:freeze
no 2 '--at 1ms:dump: a dump is written at the end of the run; give --dump' --at=1ms:dump
no 2 "--at '1ms:freeze-if error': a simulated device has no error; omit this term" --at='1ms:freeze-if error'
no 2 '--records 0: there are no records for --dump, --freeze-if or --at; omit it' --at=1ms:arm --records=0
check_exit 2 '--at is refused on a real target' ssd-workloads run --mix=1-1 --target=. --at=1ms:freeze
is '--at is refused on a real target in one line' "$(cat "$tmp/err")" 'ssd-workloads: --at 1ms:freeze: needs --target sim:PRESET'

no 2 '--ckpt-order hotset,120: the hot set must be above 0% and at most 100% of the pages' --ckpt-order=hotset,120
check_exit 2 '--ckpt-order=uniform is refused on a real target' ssd-workloads run --mix=1-1 --target=. --ckpt-order=uniform
is '--ckpt-order=uniform is refused on a real target in one line' "$(cat "$tmp/err")" \
	'ssd-workloads: --ckpt-order uniform: must be sequential or random; patterns need --target sim:PRESET'
no 2 '--ckpt-order: this mix has no checkpoint' --mix=1-0 --ckpt-order=uniform

no 2 '--without other: this mix has one stream; use one of two streams' --mix=1-0 --without=other
no 2 '--records 0: --without needs the records; keep one' --without=gc --records=0
no 2 '--without gc: compares all writes; omit --freeze-if and --at' --without=gc --at=1ms:freeze
no 2 '--baselines: --without=gc and erase compare the whole mix; keep one' --without=gc --baselines
check_exit 2 '--without is refused when no target is given' ssd-workloads run --mix=1-1 --without=gc
is '--without is refused in one line when no target is given' \
	"$(cat "$tmp/err")" 'ssd-workloads: --target: is required; name a new file, a folder or a block device'
check_exit 2 '--without is refused on a real target' ssd-workloads run --mix=1-1 --target=. --without=gc
is '--without is refused on a real target in one line' "$(cat "$tmp/err")" 'ssd-workloads: --without gc: needs --target sim:PRESET'

policies='must be multistream, fdp, log-first, hints or history, with ,KEY=VALUE and :if=COND'
no 2 "--policy fair: $policies" --policy=fair
no 2 '--policy hints: contradicts --policy log-first, which orders what waits, too; keep one' --policy=log-first --policy=hints
check_exit 2 '--policy is refused on a real target' ssd-workloads run --mix=1-1 --target=. --policy=fdp
is '--policy is refused on a real target in one line' "$(cat "$tmp/err")" 'ssd-workloads: --policy fdp: needs --target sim:PRESET'

# --- invalid parameters
no 2 '--target sim:large: must be sim:small, sim:full or sim:mqsim-like; of a file give ./sim:NAME' --target=sim:large
check_exit 2 '--sim is refused on a real target' ssd-workloads run --mix=1-1 --target=. --sim ways=2
is '--sim is refused on a real target in one line' "$(cat "$tmp/err")" 'ssd-workloads: --sim ways=2: needs --target sim:PRESET'
no 2 '--sim ways=0: must be from 1 to 64' --sim ways=0
no 2 "--sim speed=1: no parameter has this name; ssd-workloads(1) names them below --sim" --sim speed=1
no 2 '--target sim:small: blocks: must be at least two more than reserve' --sim reserve=7
no 2 '--target sim:small: page: must be a power of two' --sim page=24k
check_exit 2 'areas beyond the capacity of the simulated device are refused' simulate --ckpt-size=1g
check 'the refusal of areas beyond the capacity names the option in one line' \
	sh -c 'test "$(wc -l <"$1")" -eq 1 && grep -q -e "--ckpt-size: the areas end at" "$1"' sh "$tmp/err"
check_exit 2 'a buffer smaller than a command is refused' simulate --sim channels=1 --sim ways=1 --sim blocks=64 --sim buffer=8
check 'the refusal of a buffer smaller than a command names it in one line' \
	sh -c 'test "$(wc -l <"$1")" -eq 1 && grep -q -e "--sim buffer: the buffer of" "$1"' sh "$tmp/err"
no 2 '--target sim:small: op: nothing is left to export; use a smaller share or more blocks' \
	--sim channels=1 --sim ways=1 --sim blocks=4 --sim pages=2 --sim op=9
no 2 '--target sim:small: jitter: must not be longer than program' --sim program=10us
no 2 '--target sim:small: dma-fifo: must hold a page' --sim dma-fifo=3
no 2 '--target sim:small: 17179607040 pages: a device has fewer than 4294967295; use fewer blocks or ways' \
	--sim channels=64 --sim ways=64 --sim blocks=65535 --sim pages=64
no 2 "--sim mode=cached: must be buffered, write-through or direct" --sim mode=cached
no 2 "--sim gc=best-of:0: must be greedy or best-of:D, D from 1 to 1000" --sim gc=best-of:0

# config MESSAGE LINES: refused with the number of the line
config() {
	printf "$2" >config
	no 2 "--sim-config config: $1" --sim-config=config
}
config 'line 1, ways: must be KEY=VALUE, as ways=8' 'ways'
config 'line 3, ways=0: must be from 1 to 64' '# a comment\n\nways=0\nblocks=16\n'
config "line 2, speed=1: no parameter has this name; ssd-workloads(1) names them below --sim" 'ways=2\nspeed=1\n'
config 'line 2 has a NUL byte, which no text has' 'ways=2\nblocks=16\0, or 64\n'
config 'line 2 is too long' 'ways=2\n%300s\n'
printf 'reserve=7\n' >config
no 2 '--target sim:small: blocks: must be at least two more than reserve' --sim-config=config
check_exit 2 '--sim-config refuses a folder' simulate --sim-config=.
is '--sim-config refuses a folder in one line' "$(cat "$tmp/err")" 'ssd-workloads: --sim-config .: Is a directory'
check_exit 2 '--sim-config refuses a file that does not exist' simulate --sim-config=none
is '--sim-config refuses a file that does not exist in one line' \
	"$(cat "$tmp/err")" 'ssd-workloads: --sim-config none: No such file or directory'
tap_done

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
	check_exit "$status" "run $*" simulate "$@"
	is "one line" "$(cat "$tmp/err")" "ssd-workloads: $message"
	is "and no output" "$(cat "$tmp/out")" ''
}

# --- what it gives
check_exit 0 'a run on the simulated device succeeds' simulate --dump=a.rec -f a.xml
check_exit 0 'and again' simulate --dump=b.rec
check 'the same options give the same dump' cmp a.rec b.rec
check_exit 0 'with another seed' simulate --seed=2 --dump=c.rec
check 'another seed gives another dump' sh -c '! cmp -s a.rec c.rec'
for figure in fig4 fig9 fig11 interference records; do
	check_exit 0 "$figure reads its records" ssd-workloads analyze "$figure" a.rec
	check "$figure has rows of both streams" sh -c 'cut -f 1 -d "$2" "$1" | sort -u | grep -c -e log -e checkpoint | grep -qx 2' \
		sh "$tmp/out" "$(test "$figure" = records && echo , || printf '\t')"
done
check_exit 0 'the log alone is recorded' simulate --mix=1-0 --dump=log.rec
check_exit 0 'fig6 compares with a stream alone' ssd-workloads analyze fig6 a.rec --alone=log.rec
for figure in fig5 fig7 fig10 attribution window bandwidth; do
	check_exit 0 "$figure reads its records" ssd-workloads analyze "$figure" a.rec --json=figure.json
	check "$figure has columns and rows" sh -c 'grep -q "\"column\"" "$1" && grep -q "\"row\"" "$1"' sh figure.json
done
rm -f figure.json
check_exit 0 'the parts of each write add up to its latency' ssd-workloads analyze attribution a.rec --assert
check "the log waits for its own and for others' work" sh -c \
	'for origin in self other; do cut -f 1,3 "$1" | grep -qx "log	$origin" || exit 1; done' sh "$tmp/out"
command=$(ssd-workloads analyze fig4 a.rec --rows=1 | sed -n 2p | cut -f 3)
check_exit 0 'a command of fig4 is shown by gantt' ssd-workloads analyze gantt a.rec --command="$command"
is 'its first row is the command itself' "$(sed -n 2p "$tmp/out" | cut -f 1,3,4)" "$command	self	write"
check_exit 2 'gantt needs a command' ssd-workloads analyze gantt a.rec
check_exit 0 'counters need two indices' simulate --sim index=100ms --dump=index.rec
check_exit 0 'and have a row for each channel and for all' ssd-workloads analyze counters index.rec --check
is 'in the order of the device' "$(sed -n 2,6p "$tmp/out" | cut -f 2 | tr '\n' ' ')" 'all 0 1 2 3 '
rm -f index.rec
check_exit 0 'what is expected holds' ssd-workloads analyze fig7 a.rec --check
check_exit 1 'what is not expected is a negative verdict' sh -c \
	'ssd-workloads run --mix=1-1 --target=sim:small --runtime=500ms --sim precondition=none --dump=odd.rec >/dev/null &&
	exec ssd-workloads analyze fig8 odd.rec --check'
is 'in one line' "$(head -n 1 "$tmp/err")" \
	'ssd-workloads: fig8: odd.rec: no checkpoint write has exactly one page that waited for an erase of the log'
rm -f odd.rec
check_exit 0 'the log alone, before the device collects garbage' sh -c 'ssd-workloads run --mix=1-0 --target=sim:small --runtime=200ms \
	--sim precondition=none --dump=none.rec >/dev/null'
for figure in fig5 fig8 fig10 counters; do
	check_exit 2 "$figure of records that hold nothing of it is a usage error" ssd-workloads analyze $figure none.rec
	check_exit 1 "with --check it is a negative verdict" ssd-workloads analyze $figure none.rec --check
	check 'in one line' says_in_one_line "$tmp/err" "ssd-workloads: $figure: none.rec "
done
check_exit 2 'a command that is not there is a usage error' ssd-workloads analyze fig8 none.rec --check --command=4000000000
rm -f none.rec
check_exit 0 'the report is valid' memstor validate a.xml
check 'it has no CPU time, disk or pressure' sh -c '! grep -qE "process_cpu_ns|cpu_ns_per_operation|other_cpu_ns|<counters" a.xml'
check 'it has the parameters and what the device did' sh -c \
	'grep -q "key=\"blocks\"" a.xml && grep -q "<write_amplification>" a.xml && grep -q "kind>simulated<" a.xml'
check_exit 0 'baselines are measured in turn' simulate --baselines --runs=2 --json=b.json
for without in other gc erase; do
	check_exit 0 "a run without $without" simulate --without=$without -f without.xml
	check 'its report is valid' memstor validate without.xml
	is 'it compares both streams' "$(grep -c "<cause>$without</cause>" without.xml)" 2
	for element in mean_ns without_ns difference_ns attributed_ns; do
		eval "$element=$(sed -n '/<counterfactual stream="checkpoint"/,/<\/counterfactual>/'"s,.*<$element>\(.*\)</.*,\1,p" without.xml)"
	done
	check 'the checkpoint loses time to the cause' awk "BEGIN { exit !($mean_ns > $without_ns && $without_ns > 0) }"
	check 'and the records give it some' awk "BEGIN { exit !($attributed_ns > 0 && $attributed_ns < $mean_ns) }"
done
check 'what attribution is of is said' sh -c 'grep -q "<attributed_writes>" without.xml && ! grep -q "last .* writes" "$tmp/out"'
check_exit 0 'without erases, with few records' simulate --without=erase --sim cache=1024 -f few.xml
check_exit 0 'the same as text' simulate --without=erase --sim cache=1024
check 'attribution is of the last writes, and the text says of how many' \
	grep -qE '^attributed covers the last [0-9]+ of [0-9]+ writes, whose records are kept; increase --sim cache$' "$tmp/out"
check 'the report says so too' sh -c 'test "$(sed -n "s,.*<attributed_writes>\(.*\)<.*,\1,p" few.xml | head -n 1)" -lt \
	"$(sed -n "s,.*<writes>\(.*\)</writes>.*,\1,p" few.xml | head -n 1)"'
check_exit 0 'and is valid' memstor validate few.xml
rm few.xml
check 'what is measured without it is no repetition of the mix' sh -c 'test "$(grep -c "<repetition " without.xml)" -eq 1'
check_exit 0 'one stream without erases' simulate --mix=1-0 --without=erase
rm without.xml
check_exit 0 'a dry run prints all parameters' simulate -n
check 'in one line' grep -q 'target: sim:small: channels=4 ways=8 blocks=8 pages=128' "$tmp/out"
printf '# a comment\n\nways=2\nblocks=16\n' >config
check_exit 0 'parameters are read from a file' simulate --sim-config=config -n
check '--sim replaces those of the file' grep -q ' ways=2 blocks=8 ' "$tmp/out"
check_exit 0 'a condition freezes the records of the host' simulate --freeze-if='log.latency>1ms && other>=1' --post=3
check_exit 0 'a condition on the device does' simulate --freeze-if='step( 6, 7 )>1us && busy>=1 && qdepth<9 && copies>=0' -f frozen.xml
check 'and has fired' grep -q '<fired_s>' frozen.xml
rm frozen.xml
check_exit 0 'commands are given to the records' simulate --at=100ms:freeze --at='200ms: arm' \
	--at='250ms:freeze-if step(6,7)>1us && qdepth>=1 post 5' --at='300ms:stations 3,6-8' --dump=at.rec -f at.xml
check_exit 0 'the report is valid' memstor validate at.xml
check 'it has the last condition' grep -q '<condition>step(6,7)&gt;1us &amp;&amp; qdepth&gt;=1</condition>' at.xml
check 'and when it fired' sh -c 'sed -n "s,.*<fired_s>\(.*\)</fired_s>.*,\1,p" "$1" | awk "{ exit !(\$1 >= 0.25 && \$1 < 0.3) }"' \
	sh at.xml
check_exit 0 'the dump is read' ssd-workloads analyze records at.rec
check 'it has nothing from before the last arm' awk -F , 'NR > 1 && $13 < 200000000 { bad = 1 } END { exit bad || NR < 10 }' "$tmp/out"
check_exit 0 'a freeze by command is reported without a write' simulate --at=100ms:freeze --json=at.json
check 'nor a condition' sh -c 'grep -q "\"fired_s\": 0.1" "$1" && ! grep -q -e fired_stream -e \"condition\" "$1"' sh at.json
check_exit 0 'the commands are replayed' simulate --replay=at.xml --dump=again.rec
check 'with the same bytes' cmp at.rec again.rec
rm at.rec at.xml at.json again.rec
for order in uniform hotset,20,80 zipf,0.8; do
	check_exit 0 "blocks are drawn by $order" simulate --mix=custom --ckpt-depth=8 --ckpt-bs=16k --ckpt-order="$order" -f order.xml
	check 'the report says so' grep -q "<checkpoint_order>$order</checkpoint_order>" order.xml
done
check_exit 0 'the report is valid' memstor validate order.xml
rm order.xml
for policy in multistream fdp log-first hints,log=2ms history 'hints:if=log.step(6,8)>600us && busy>=0 for 1ms'; do
	check_exit 0 "policy $policy" simulate --policy="$policy" --policy="$(case $policy in multistream | fdp) echo log-first ;; \
		*) echo multistream ;; esac)" --dump=policy.rec -f policy.xml
	check_exit 0 'the report is valid' memstor validate policy.xml
	check_exit 0 'the parts of each write add up to its latency' ssd-workloads analyze attribution policy.rec --assert
done
check 'the report names the policy with all of its parameters, its condition, and how often that held' grep -q \
	'<policy name="hints,log=1000000ns,checkpoint=20000000ns:if=log.step(6,8)&gt;600us &amp;&amp; busy&gt;=0 for 1000000ns">' policy.xml
check 'and both streams' sh -c 'test "$(grep -c "<handle data=" "$1")" -eq 2' sh policy.xml
check 'the condition held' sh -c 'sed -n "s,.*<activated>\(.*\)</activated>.*,\1,p" "$1" | grep -vqx 0' sh policy.xml
check_exit 0 'policies are replayed' simulate --replay=policy.xml --dump=again.rec
check 'with the same bytes' cmp policy.rec again.rec
check_exit 0 'a policy that is never active' simulate --policy='log-first:if=copies>100000' --dump=again.rec
check 'changes no byte' cmp a.rec again.rec
rm policy.rec policy.xml again.rec
definition=$top_srcdir/tests/fixtures/mqsim-workload.xml
small='--target=sim:small --sim blocks=8'
# shellcheck disable=SC2086 # words
check_exit 0 'streams are those of a definition of MQSim' ssd-workloads run --mqsim="$definition" $small -f mqsim.xml --dump=mqsim.rec
check_exit 0 'the report is valid' memstor validate mqsim.xml
check 'it has their order, size, depth and time' sh -c 'for line in "<checkpoint_order>hotset,20,80<" "<runtime_ns>500000000<" \
	"<block_bytes>131072<" "<depth>64<" "name=\"log-bs\">16384<"; do grep -q "$line" "$1" || exit 1; done' sh mqsim.xml
check_exit 0 'it is replayed' ssd-workloads run --replay=mqsim.xml --dump=again.rec
check 'with the same bytes' cmp mqsim.rec again.rec
# shellcheck disable=SC2086
check_exit 0 'options replace what the definition says' ssd-workloads run --mqsim="$definition" --mqsim-scenario=2 $small \
	--ckpt-depth=3 --runtime=1s -n
check 'and the rest is from there' grep -q '^checkpoint: 3 writes of 128 KiB outstanding' "$tmp/out"
check 'without a log' sh -c '! grep -q ^log: "$1"' sh "$tmp/out"
rm mqsim.xml mqsim.rec again.rec
is 'nothing is left behind' "$(find . -type f | sort | tr '\n' ' ')" './a.rec ./a.xml ./b.json ./b.rec ./c.rec ./config ./log.rec '

# --- what has no meaning
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
no 2 "--ckpt-target .: $meaning" --ckpt-target=.
no 2 '--no-prepare: use --sim precondition=none' --no-prepare

no 2 '--freeze-if own>1&&error: a simulated device has no error; omit this term' --freeze-if='own>1&&error'
check_exit 2 'a condition on the device of a real target' ssd-workloads run --mix=1-1 --target=. --freeze-if='copies>=8'
is 'names its term' "$(cat "$tmp/err")" \
	'ssd-workloads: --freeze-if copies>=8: copies is available for a simulated device only (--target sim:PRESET)'

no 2 '--at 500ms:freeze: must be before the end of the run; increase --runtime' --at=500ms:freeze
no 2 '--at 1ms:dump: a dump is written at the end of the run; give --dump' --at=1ms:dump
no 2 "--at '1ms:freeze-if error': a simulated device has no error; omit this term" --at='1ms:freeze-if error'
no 2 '--records 0: there are no records for --dump, --freeze-if or --at; omit it' --at=1ms:arm --records=0
check_exit 2 'commands to a real target' ssd-workloads run --mix=1-1 --target=. --at=1ms:freeze
is 'are refused in one line' "$(cat "$tmp/err")" 'ssd-workloads: --at 1ms:freeze: needs --target sim:PRESET'

no 2 '--ckpt-order hotset,120: the hot set must be above 0% and at most 100% of the pages' --ckpt-order=hotset,120
check_exit 2 'drawn blocks of a real target' ssd-workloads run --mix=1-1 --target=. --ckpt-order=uniform
is 'are refused in one line' "$(cat "$tmp/err")" \
	'ssd-workloads: --ckpt-order uniform: must be sequential or random; patterns need --target sim:PRESET'
no 2 '--ckpt-order: this mix has no checkpoint' --mix=1-0 --ckpt-order=uniform

no 2 '--without other: this mix has one stream; use one of two streams' --mix=1-0 --without=other
no 2 '--records 0: --without needs the records; keep one' --without=gc --records=0
no 2 '--without gc: compares all writes; omit --freeze-if and --at' --without=gc --at=1ms:freeze
no 2 '--baselines: --without=gc and erase compare the whole mix; keep one' --without=gc --baselines
check_exit 2 'a cause without a target' ssd-workloads run --mix=1-1 --without=gc
is 'is refused in one line' "$(cat "$tmp/err")" 'ssd-workloads: --target: is required; name a new file, a folder or a block device'
check_exit 2 'a cause of a real target' ssd-workloads run --mix=1-1 --target=. --without=gc
is 'is refused in one line' "$(cat "$tmp/err")" 'ssd-workloads: --without gc: needs --target sim:PRESET'

policies='must be multistream, fdp, log-first, hints or history, with ,KEY=VALUE and :if=COND'
no 2 "--policy fair: $policies" --policy=fair
no 2 '--policy fdp: contradicts --policy multistream, which places pages, too; keep one' --policy=multistream --policy=fdp
no 2 '--policy hints: contradicts --policy log-first, which orders what waits, too; keep one' --policy=log-first --policy=hints
no 2 '--policy hints,log=0: log takes a time above 0, as 5ms' --policy=hints,log=0
no 2 '--policy hints:if=latency>5ms: latency is known to the host only; a policy reacts to step(A,B), copies, busy, qdepth and cmd' \
	--policy='hints:if=latency>5ms'
check_exit 2 'a policy of a real target' ssd-workloads run --mix=1-1 --target=. --policy=fdp
is 'is refused in one line' "$(cat "$tmp/err")" 'ssd-workloads: --policy fdp: needs --target sim:PRESET'

no 2 "--mix 1-1: --mqsim gives the streams; omit this or give custom" --mqsim="$definition"
no 2 '--mqsim-scenario 2: needs --mqsim' --mqsim-scenario=2
sed 's/<Read_Percentage>0/<Read_Percentage>70/' "$definition" >reads.xml
check_exit 2 'a definition that reads' ssd-workloads run --mqsim=reads.xml --target=sim:small
is 'is refused by the name of its element' "$(cat "$tmp/err")" \
	'ssd-workloads: --mqsim reads.xml: line 11, Read_Percentage: 70 is not supported; flows write only, which is 0'
sed 's/WRITE_CACHE/TURNED_OFF/' "$definition" >reads.xml
check_exit 2 'a definition without a write cache' ssd-workloads run --mqsim=reads.xml --target=sim:small
is 'needs a device without one' "$(cat "$tmp/err")" \
	'ssd-workloads: --mqsim reads.xml: Device_Level_Data_Caching_Mode has no write cache; give --sim mode=direct'
check_exit 0 'which is accepted' ssd-workloads run --mqsim=reads.xml --target=sim:small --sim mode=direct -n
rm reads.xml
check_exit 2 'a definition that is not there' ssd-workloads run --mqsim=none --target=sim:small
is 'is one line' "$(cat "$tmp/err")" 'ssd-workloads: --mqsim none: No such file or directory'
check_exit 2 'a definition on a real target' ssd-workloads run --mqsim="$definition" --target=.
is 'is refused' "$(cat "$tmp/err")" "ssd-workloads: --mqsim $definition: needs --target sim:PRESET"

# --- what cannot be
no 2 '--target sim:large: must be sim:small, sim:full or sim:mqsim-like; of a file give ./sim:NAME' --target=sim:large
check_exit 2 'parameters without a simulated device' ssd-workloads run --mix=1-1 --target=. --sim ways=2
is 'one line' "$(cat "$tmp/err")" 'ssd-workloads: --sim ways=2: needs --target sim:PRESET'
no 2 '--sim ways=0: must be from 1 to 64' --sim ways=0
no 2 "--sim speed=1: no parameter has this name; ssd-workloads(1) names them below --sim" --sim speed=1
no 2 '--target sim:small: blocks: must be at least two more than reserve' --sim reserve=7
no 2 '--target sim:small: page: must be a power of two' --sim page=24k
check_exit 2 'an area over the capacity' simulate --ckpt-size=1g
check 'one line names the options' sh -c 'test "$(wc -l <"$1")" -eq 1 && grep -q -e "--ckpt-size: the areas end at" "$1"' sh "$tmp/err"
check_exit 2 'a buffer smaller than a command' simulate --sim channels=1 --sim ways=1 --sim blocks=64 --sim buffer=8
check 'one line names the buffer' sh -c 'test "$(wc -l <"$1")" -eq 1 && grep -q -e "--sim buffer: the buffer of" "$1"' sh "$tmp/err"
no 2 '--target sim:small: op: nothing is left to export; use a smaller share or more blocks' --sim blocks=4 --sim op=0.9
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
config 'line 2 is too long' 'ways=2\n%300s\n'
printf 'reserve=7\n' >config
no 2 '--target sim:small: blocks: must be at least two more than reserve' --sim-config=config
check_exit 2 'a folder as a file of parameters' simulate --sim-config=.
is 'one line' "$(cat "$tmp/err")" 'ssd-workloads: --sim-config .: Is a directory'
check_exit 2 'a file of parameters that is not there' simulate --sim-config=none
is 'one line' "$(cat "$tmp/err")" 'ssd-workloads: --sim-config none: No such file or directory'
tap_done

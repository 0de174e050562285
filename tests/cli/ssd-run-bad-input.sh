#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run: invalid values and combinations are refused in one line, and no file is left behind.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
work=$tmp/work
mkdir "$work"
cd "$work" || exit 1

# no STATUS MESSAGE OPTION...
no() {
	status=$1 message=$2
	shift 2
	check_exit "$status" "run refuses $*" ssd-workloads run --mix=1-1 --target=. --runtime=1s "$@"
	is "run refuses in one line: $*" "$(cat "$tmp/err")" "ssd-workloads: $message"
	check "run prints nothing on stdout when it refuses $*" test ! -s "$tmp/out"
}

# refused OPTION VALUE [OPTION...]: a value of its type or range; the line names the option and the value.
refused() {
	option=$1 value=$2
	shift 2
	check_exit 2 "run refuses $option=$value" ssd-workloads run --mix=1-1 --target=. --runtime=1s "$@" "$option=$value"
	shown=$option
	[ "$option" != --file ] || shown=-f
	case $value in '' | *' '*) shown="$shown '$value'" ;; *) shown="$shown $value" ;; esac
	check "run names option, value and what is allowed in one line: $option=$value" \
		says_in_one_line "$tmp/err" "ssd-workloads: $shown: must "
	check "run prints nothing on stdout when it refuses $option=$value" test ! -s "$tmp/out"
}

# --- mixes, blocks, checkpoints and durability
for mix in 1-2 m-n ''; do
	refused "--mix" "$mix"
done
for size in 0 511 1000 5m x -4k '' 4k,8k; do
	for option in log-bs ckpt-bs; do
		refused "--$option" "$size"
	done
done
for depth in 1025 -1 x ''; do
	for option in log-depth ckpt-depth; do
		refused "--$option" "$depth"
	done
done
for size in 0 x 2p -1 '' 50%; do
	for option in log-size ckpt-size; do
		refused "--$option" "$size"
	done
done
for time in 2h x -1s ''; do
	refused "--ckpt-pause" "$time"
done
for time in 0 2h x ''; do
	refused "--ckpt-every" "$time"
done
for share in -1 1.1 x ''; do
	refused "--ckpt-completion" "$share" --ckpt-every=1s
done
no 2 "--ckpt-completion: needs --ckpt-every" --mix=1-1 --ckpt-completion=0.5
no 2 "--ckpt-every: this mix has no checkpoint" --mix=1-0 --ckpt-every=1s
no 2 "--ckpt-every and --ckpt-pause: both set when the next checkpoint begins; keep one" --mix=1-1 --ckpt-every=1s --ckpt-pause=1s
refused "--ckpt-order" "any"
no 2 "--ckpt-order: this mix has no checkpoint" --mix=1-0 --ckpt-order=random
refused "--ckpt-io" "mmap"
for size in x -1 2g ''; do
	refused "--ckpt-flush-after" "$size" --ckpt-io=buffered
done
no 2 "--ckpt-flush-after 1m: needs --ckpt-io=buffered" --mix=1-1 --ckpt-flush-after=1m
no 2 "--ckpt-io: this mix has no checkpoint" --mix=1-0 --ckpt-io=buffered
no 2 "--iopoll: the page cache of --ckpt-io=buffered cannot be polled; keep one" --mix=1-1 --ckpt-io=buffered --iopoll
no 2 "--trace on: the kernel writes pages of --ckpt-io=buffered back after the writes; keep one" --mix=1-1 \
	--ckpt-io=buffered --trace=on
for count in 0 65 x ''; do
	refused "--workers" "$count"
done
refused "--durability" "fsync"
refused "--ckpt-sync" "end"
no 2 "--ckpt-sync: this mix has no checkpoint" --mix=1-0 --ckpt-sync=pass
for count in 0 1001 x ''; do
	refused "--group-commit" "$count"
done
for rate in 0 100000001 1.5 -1 ''; do
	refused "--rate" "$rate"
done

# --- target, times, engine and seed
refused "--target" ""
refused "--destroy-data" ""
for time in 0 8000h -1s 1x ''; do
	refused "--runtime" "$time"
done
for time in 8000h -1s 1x ''; do
	refused "--warmup" "$time"
done
for option in engine require; do
	refused "--$option" "libaio"
done
for seed in -1 x 18446744073709551616 ''; do
	refused "--seed" "$seed"
done

# --- repetitions, records and trace
for count in 0 1001 x ''; do
	refused "--runs" "$count"
done
for time in 9s 8000h x ''; do
	refused "--records" "$time"
done
for count in -1 4294967296 x ''; do
	refused "--post" "$count" '--freeze-if=log.latency>5ms'
done
refused "--trace" "yes"
for time in 1ms x ''; do
	refused "--interval" "$time"
done

# --- outputs
for path in '' -; do
	refused "--dump" "$path"
done
for label in x =x 'a b=c' "a= b"; do
	refused "--label" "$label"
done
refused "--file" ""
refused "--json" ""
no 2 '-f and --json: both would write stdout; give them two names' -f - --json
no 2 '-f and --json: both would write x; give them two names' -f x --json=x
no 2 '-f and --json: both would write x; give them two names' -f x --json=./x
no 2 '-f and --dump: both would write x; give them two names' -f x --dump=../work/x
no 2 '--json and --dump: both would write x; give them two names' --json=x --dump=x
for option in --file --json --dump; do
	shown=$(echo $option | sed 's/^--file/-f/')
	no 2 "$shown and --target: both would write x; give them two names" $option=x --target=./x
done
no 2 'x: no argument is expected; --help lists the options' x

# --- combinations
refuses "ssd-workloads: --mix: is required; 'ssd-workloads list' prints the mixes" ssd-workloads run --target=.
refuses "ssd-workloads: --target: is required; name a new file, a folder or a block device" ssd-workloads run --mix=1-1
no 2 '--engine uring: --require names another engine; keep one' --engine=uring --require=threads
no 2 '--verify and --baselines: a verification covers one run; keep one' --verify --baselines
no 2 '--dump and --baselines: a dump has one run; keep one' --dump=x --baselines
no 2 '--durability: this mix has no log' --mix=0-1 --durability=dsync
no 2 '--rate: this mix has no log' --mix=0-N --rate=5
no 2 '--group-commit: this mix has no log' --mix=0-N --group-commit=2
no 2 '--group-commit: needs --durability or --rate' --group-commit=2
no 2 '--records 0: there are no records for --dump, --freeze-if or --at; omit it' --records=0 --dump=x
for option in --sqpoll --iopoll; do
	for option_of_engine in --engine=threads --require=threads; do
		no 2 "$option: needs io_uring, which --engine or --require excludes" $option $option_of_engine
	done
done
no 2 '--records 0: --trace on joins kernel events with records; keep one' --trace=on --records=0
no 2 '--post 5: needs --freeze-if' --post=5
no 2 '--mix: no stream has a depth; give --log-depth or --ckpt-depth' --mix=custom
no 2 '--mix: no stream has a depth; give --log-depth or --ckpt-depth' --log-depth=0 --ckpt-depth=0
no 2 '--log-size: must hold at least two blocks for each outstanding write' --mix=M-0 --log-size=1m
no 2 '--ckpt-size: must hold at least two blocks for each outstanding write' --mix=0-N --ckpt-size=1m

# --- a name that no file can have, also with --dry-run
for dry in '' --dry-run; do
	# shellcheck disable=SC2086 # no word or one
	no 3 'cannot open for writing: none/: Is a directory' --target=none/ $dry
done

is 'refused runs leave no file behind' "$(ls -A)" ''
tap_done

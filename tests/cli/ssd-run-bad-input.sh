#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# ssd-workloads run: each value that is none, each combination that cannot be: one line, and nothing is left behind.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
work=$tmp/work
mkdir "$work"
cd "$work" || exit 1

# no STATUS MESSAGE OPTION...
no() {
	status=$1 message=$2
	shift 2
	check_exit "$status" "run $*" ssd-workloads run --mix=1-1 --target=. --runtime=1s "$@"
	is "one line" "$(cat "$tmp/err")" "ssd-workloads: $message"
	is "and no output" "$(cat "$tmp/out")" ''
}

# --- what is written
for mix in 1-2 m-n ''; do
	no 2 "--mix '$mix': must be a mix that 'ssd-workloads list' has" --mix=$mix
done
for size in 0 511 1000 5m x -4k '' 4k,8k; do
	for option in log-bs ckpt-bs; do
		no 2 "--$option '$size': must be a multiple of 512 bytes up to 4 MiB, as 16k" "--$option=$size"
	done
done
for depth in 1025 -1 x ''; do
	for option in log-depth ckpt-depth; do
		no 2 "--$option '$depth': must be 0 to 1024" --$option=$depth
	done
done
for size in 0 x 2p -1 '' 50%; do
	for option in log-size ckpt-size; do
		no 2 "--$option '$size': must be a size up to 1 PiB, as 512m" --$option=$size
	done
done
for time in 2h x -1s ''; do
	no 2 "--ckpt-pause '$time': must be a time up to 1 h, as 2s" --ckpt-pause=$time
done
for time in 0 2h x ''; do
	no 2 "--ckpt-every '$time': must be a time from 1ms to 1 h, as 30s" --ckpt-every=$time
done
for share in -1 1.1 x ''; do
	no 2 "--ckpt-completion '$share': must be a share from 0 to 1, as 0.9" --ckpt-every=1s --ckpt-completion=$share
done
no 2 "--ckpt-completion: is a share of --ckpt-every, which is not given" --mix=1-1 --ckpt-completion=0.5
no 2 "--ckpt-every: this mix has no checkpoint" --mix=1-0 --ckpt-every=1s
no 2 "--ckpt-every and --ckpt-pause: both say when the next checkpoint begins; keep one" --mix=1-1 --ckpt-every=1s --ckpt-pause=1s
no 2 "--ckpt-order 'any': must be sequential or random" --ckpt-order=any
no 2 "--ckpt-order: this mix has no checkpoint" --mix=1-0 --ckpt-order=random
no 2 "--ckpt-io 'mmap': must be direct or buffered" --ckpt-io=mmap
for size in x -1 2g ''; do
	no 2 "--ckpt-flush-after '$size': must be a size up to 1 GiB, as 256k, or 0 for never" --ckpt-io=buffered --ckpt-flush-after=$size
done
no 2 "--ckpt-flush-after: is of --ckpt-io=buffered, which is not given" --mix=1-1 --ckpt-flush-after=1m
no 2 "--ckpt-io: this mix has no checkpoint" --mix=1-0 --ckpt-io=buffered
no 2 "--iopoll and --ckpt-io=buffered: the page cache cannot be polled; keep one" --mix=1-1 --ckpt-io=buffered --iopoll
no 2 "--trace on and --ckpt-io=buffered: the kernel writes pages back later than the writes; keep one" --mix=1-1 \
	--ckpt-io=buffered --trace=on
for count in 0 65 x ''; do
	no 2 "--workers '$count': must be 1 to 64" --workers=$count
done
no 2 "--durability 'fsync': must be none, dsync or fdatasync" --durability=fsync
no 2 "--ckpt-sync 'end': must be none or pass" --ckpt-sync=end
no 2 "--ckpt-sync: this mix has no checkpoint" --mix=1-0 --ckpt-sync=pass
for count in 0 1001 x ''; do
	no 2 "--group-commit '$count': must be 1 to 1000" --group-commit=$count
done
for rate in 0 100000001 1.5 -1 ''; do
	no 2 "--rate '$rate': must be 1 to 100000000 a second" --rate=$rate
done

# --- where, how long, by what
no 2 "--target '': must be the name of a file, folder or block device" --target=
no 2 "--destroy-data '': must be the same words as --target" --destroy-data=
for time in 0 8000h -1s 1x ''; do
	no 2 "--runtime '$time': must be a time above 0 and up to 7 days, as 20s" --runtime=$time
done
for time in 8000h -1s 1x ''; do
	no 2 "--warmup '$time': must be a time up to 7 days, as 5s" --warmup=$time
done
for option in engine require; do
	no 2 "--$option 'libaio': must be uring or threads" --$option=libaio
done
for seed in -1 x 18446744073709551616 ''; do
	no 2 "--seed '$seed': must be a whole number up to 2^64 - 1" --seed=$seed
done

# --- what is found out
for count in 0 1001 x ''; do
	no 2 "--runs '$count': must be 1 to 1000" --runs=$count
done
for time in 9s 8000h x ''; do
	no 2 "--records '$time': must be a time from 10s to 7 days, or 0 for none" --records=$time
done
for count in -1 4294967296 x ''; do
	no 2 "--post '$count': must be 0 to 4294967295" '--freeze-if=log.latency>5ms' --post=$count
done
no 2 "--trace 'yes': must be auto, on or off" --trace=yes
for time in 1ms x ''; do
	no 2 "--interval '$time': must be a time of 10ms or more, or 0 for no series" --interval=$time
done

# --- what comes out
for path in '' -; do
	no 2 "--dump '$path': must be the name of a file" --dump=$path
done
for label in x =x 'a b=c' "a= b"; do
	no 2 "--label '$label': must be NAME=VALUE: a name of 1 to 64 letters, digits or _.-, up to 500 printable bytes, no blank at either end" \
		"--label=$label"
done
no 2 "-f '': must be the name of a file" --file=
no 2 "--json '': must be the name of a file" --json=
no 2 '-f - and --json: both would go to stdout; give one of them a file' -f - --json
no 2 '-f and --json: both would write x; give them two names' -f x --json=x
no 2 '-f and --json: both would write x; give them two names' -f x --json=./x
no 2 '-f and --dump: both would write x; give them two names' -f x --dump=../work/x
no 2 '--json and --dump: both would write x; give them two names' --json=x --dump=x
for option in --file --json --dump; do
	shown=$(echo $option | sed 's/^--file/-f/')
	no 2 "$shown and --target: both would write x; give them two names" $option=x --target=./x
done
no 2 "argument 'x': run takes none: what is written to is --target" x

# --- combinations
refuses "ssd-workloads: --mix: which mix? 'ssd-workloads list' has them" ssd-workloads run --target=.
refuses "ssd-workloads: --target: where? name a file that does not exist, a folder or a block device" ssd-workloads run --mix=1-1
no 2 '--engine and --require: name two engines; keep one' --engine=uring --require=threads
no 2 '--verify and --baselines: a verification is of one run; keep one' --verify --baselines
no 2 '--dump and --baselines: records are of one run; keep one' --dump=x --baselines
no 2 '--records 0: there is nothing to dump or to freeze; leave it out' --records=0 --dump=x
for option in --sqpoll --iopoll; do
	for rung in --engine=threads --require=threads; do
		no 2 '--sqpoll and --iopoll: are of io_uring, which --engine or --require leave out; keep one' $option $rung
	done
done
no 2 "--trace on and --records 0: the kernel's events are joined with records; keep one" --trace=on --records=0
no 2 '--post: says what is kept after --freeze-if, which is not given' --post=5
no 2 '--mix: neither stream has a depth; give --log-depth or --ckpt-depth' --mix=custom
no 2 '--mix: neither stream has a depth; give --log-depth or --ckpt-depth' --log-depth=0 --ckpt-depth=0
no 2 '--log-size: must hold two blocks for each outstanding write' --mix=M-0 --log-size=1m
no 2 '--ckpt-size: must hold two blocks for each outstanding write' --mix=0-N --ckpt-size=1m

# --- a name that no file can have, also when it is only looked at
for dry in '' --dry-run; do
	# shellcheck disable=SC2086 # no word or one
	no 3 'cannot open for writing: none/: Is a directory' --target=none/ $dry
done

is 'nothing is left behind' "$(ls -A)" ''
tap_done

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench run: invalid values and combinations are refused in one line, and no file is left behind.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
work=$tmp/work
mkdir "$work"
cd "$work" || exit 1

# no STATUS MESSAGE OPTION...
no() {
	status=$1 message=$2
	shift 2
	check_exit "$status" "run refuses $*" iowrite-bench run --size=1m --rounds=1 "$@"
	is "run refuses in one line: $*" "$(cat "$tmp/err")" "iowrite-bench: $message"
	check "run prints nothing on stdout when it refuses $*" test ! -s "$tmp/out"
}

# Refused with 2; the line begins with option and value, and the rest of it is of common/cli/opt.c.
refused() { # OPTION VALUE WORD...
	object="$1 $2"
	[ -n "$2" ] || object="$1 ''"
	shift 2
	check_exit 2 "run refuses $*" iowrite-bench run --size=1m --rounds=1 "$@"
	check "run names option, value and what is allowed in one line: $*" says_in_one_line "$tmp/err" "iowrite-bench: $object: must "
	check "run prints nothing on stdout when it refuses $*" test ! -s "$tmp/out"
}

methods='must be a list of write, pwrite, writev, pwritev2, io_uring, fwrite, mmap'
no 2 "--method aio: $methods" --method=aio
no 2 "--method write,: $methods" --method=write,
no 2 "--method '': $methods" --method=
no 2 "--method write,write: has a value twice" --method=write,write
no 2 "--mode fast: must be a list of buffered, sync, dsync, direct, direct-sync, direct-dsync" --mode=fast
no 2 "--sync-every 0: must be a list of numbers of writes from 1 to 1000000, as 1,8" --sync-every=0
no 2 "--sync-every 2,2: has a value twice" --sync-every=2,2
refused --warmup 2d --warmup=2d
refused --buffer-compress-percentage 101 --buffer-compress-percentage=101
refused --dedupe-percentage half --dedupe-percentage=half
no 2 "--mode direct: the preset pg_test_fsync sets modes and syncs itself; drop this option or the preset" --preset=pg_test_fsync --mode=direct
no 2 "--sync-each always: must be a list of none, fsync, fdatasync, sync_file_range, rwf-dsync, syncfs, msync" --sync-each=always
no 2 "--regime new: must be a list of append, prealloc, overwrite" --regime=new
no 2 "--rw read: must be a list of write, randwrite, backwrite" --rw=read
for back in 1 -0.1 x ''; do
	refused --back "$back" --back=$back
done
for size in 0 4x -1 2t '4k,' 1e3; do
	no 2 "--bs $size: must be a list of sizes from 1 byte to 1 TiB, as 4k,64k" "--bs=$size"
done
no 2 "--bs 4k,4096: has a value twice" --bs=4k,4096
for range in 4k 64k-4k 4k-4k 0-4k -4k 4k- 1-2-3; do
	no 2 "--bsrange $range: must be a list of ranges of sizes, each from a smaller to a larger one, as 512-64k" --bsrange=$range
done
no 2 "--bs and --bsrange: both set the size of a write; keep one" --bs=4k --bsrange=4k-8k
for buffer in musl 0 2g; do
	no 2 "--stdio-buffer $buffer: must be a list of glibc, unbuffered and sizes up to 1 GiB, as 64k" --stdio-buffer=$buffer
done
for size in 0 x 2p 75%; do
	refused --size "$size" --size=$size
done
for time in 0 8000h -1s 1x; do
	refused --runtime "$time" --runtime=$time
done
refused --rounds 0 --rounds=0
refused --rounds 1001 --rounds=1001
refused --numjobs 257 --numjobs=257
refused --thinktime 2m --thinktime=2m
refused --thinktime-type idle --thinktime-type=idle
refused --mem hot --mem=hot
no 2 "--cpus x: allowed are a list like 0-3,8 and the locations core:LIST, package:LIST, numa:LIST, pu:LIST" --cpus=x
no 2 "--cpus 1023: names a CPU that is offline or not in the inherited affinity (taskset -cp \$\$ shows it)" --cpus=1023
refused --directory '' --directory=
no 2 "--directory and --filename: both name the target; keep one" --directory=. --filename=x
refused --look -1 --look=-1
refused --interval 1ms --interval=1ms
refused --preset mysql --preset=mysql
shape="must be [write:|sync:|write+sync:]STATISTIC<TIME as in 'p99<10ms' or 'sync:max<=1s'"
no 2 "--slo p99: $shape" --slo=p99
no 2 "--slo p99>10ms: $shape" '--slo=p99>10ms'
no 2 "--slo p101<1s: the statistic must be mean, max or p with 0 to 100, as p99.9" '--slo=p101<1s'
no 2 "--slo read:p99<1s: the statistic must be mean, max or p with 0 to 100, as p99.9" '--slo=read:p99<1s'
no 2 "--slo max<0: the bound must be a time above 0, as 10ms or 1.5s" '--slo=max<0'
no 2 "--label x: must be NAME=VALUE: a name of 1 to 64 letters, digits or _.-, up to 500 printable bytes, no blank at either end" \
	--label=x
refused -f '' --file=
refused --json '' --json=
no 2 "--ops-csv -: must be a file name" --ops-csv=-
no 2 '-f and --json: both would write stdout; give them two names' -f - --json
no 2 '-f and --json: both would write x; give them two names' -f x --json=x
no 2 '--ops-csv and -f: both would write ./x; give them two names' -f x --ops-csv=./x
for option in --file --json --ops-csv; do
	shown=$(echo $option | sed 's/^--file/-f/')
	no 2 "$shown and --filename: both would write x; give them two names" --bs=4k $option=x --filename=./x
done
no 2 "/tmp: no argument is expected; --help lists the options" /tmp
no 3 "-f /nowhere/x: cannot be written: No such file or directory" -f /nowhere/x
no 3 "--ops-csv /nowhere/x: cannot be written: No such file or directory" --ops-csv=/nowhere/x

# --- combinations
no 2 "--bs: a write of 2m is more than --size=1m, all that is written in a round" --bs=2m
no 2 "--ops-csv: needs one thread, combination and round; these are 2, 2 and 1" \
	--ops-csv=x --bs=4k,8k --numjobs=2
no 2 "fwrite.direct.none.append.write.4k: fwrite writes to the page cache, O_DIRECT bypasses it: use write, pwrite, writev, pwritev2 or io_uring" \
	--method=fwrite --mode=direct
no 2 "mmap.sync.none.append.write.4k: stores into a mapping ignore O_SYNC: use --mode=buffered and --sync-each" \
	--method=mmap --mode=sync
no 2 "pwrite.buffered.rwf-dsync.append.write.4k: pwrite does not support RWF_DSYNC: use pwritev2 or io_uring" --sync-each=rwf-dsync
no 2 "pwrite.buffered.none.append.randwrite.4k: randwrite needs a preallocated or existing file: use --regime=prealloc or overwrite" --rw=randwrite
no 2 "pwrite.buffered.none.append.backwrite.4k: --back=0 is --rw=write" --rw=backwrite --back=0
no 2 "fwrite.direct.none.append.write.4k and all others are not possible: fwrite writes to the page cache, O_DIRECT bypasses it: use write, pwrite, writev, pwritev2 or io_uring" \
	--method=fwrite,mmap --mode=direct
all=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
no 2 "the lists have 2304 combinations, and a run has at most 1024: shorten one" \
	--method=write,pwrite --mode=buffered,sync --sync-each=none,fsync,fdatasync,syncfs --regime=append,prealloc,overwrite \
	--rw=write,randwrite,backwrite --bs=$all

refused --files 0 --files=0
refused --files 257 --files=257
no 2 "--files and --filename: several files have no names; give --directory" --files=2 --filename=x
no 2 "--files and --bsrange: writes to several files have one size; give --bs" --files=2 --bsrange=4k-8k
no 2 "--files: writes of 128k to each of 9 files are more than --size=1m, all that is written in a round" --files=9 --bs=128k
no 2 "pwrite.buffered.fsync-every-2.append.write.4k: --files needs a sync after each write, or none: drop --sync-every" \
	--files=2 --sync-each=fsync --sync-every=2

# --- targets
# Root has permission there, but the file system makes no files.
[ "$(id -u)" = 0 ] && why='No such file or directory' || why='Permission denied'
no 3 "cannot make a file in /proc: $why" --directory=/proc
echo precious >file
no 2 "file: holds data of another program; name a new file, or confirm with --destroy-data=file" --filename=file
no 2 "file: holds data of another program; name a new file, or confirm with --destroy-data=file" --filename=file --destroy-data=./file
is 'a refused file is not changed' "$(cat file)" precious
ln -s file link
no 2 "link: is a symbolic link, which is never written through; name the file" --filename=link
mkfifo pipe
no 2 "pipe: must be a regular file, folder or block device" --filename=pipe
no 2 "pwrite.buffered.none.append.write.4k: 2 threads cannot all append to one file: give --directory, or another regime" \
	--filename=new --numjobs=2
no 2 "./nothing/here: No such file or directory" --system=./nothing/here
no 2 "--directory 'nowhere': must be a folder" --directory=nowhere
no 2 "--directory 'file': must be a folder" --directory=file
no 2 '--destroy-data: needs --filename: it confirms that target' --directory=file --destroy-data=file
no 2 '--destroy-data: needs --filename: it confirms that target' --destroy-data=file
is 'a refused file is not changed by --directory or --destroy-data' "$(cat file)" precious
no 2 "--slo sync:p99<1s: no write is followed by a sync: use --sync-each=fsync or fdatasync, or write+sync:" \
	'--slo=sync:p99<1s' --method=pwrite,pwritev2 --sync-each=none,rwf-dsync
if [ -d /dev/shm ] && [ "$(stat -f -c %T /dev/shm)" = tmpfs ]; then
	no 3 "pwrite.direct.none.append.write.4k: /dev/shm is on tmpfs, which has no O_DIRECT: name another place" \
		--directory=/dev/shm --mode=direct
else
	skip 'run refuses O_DIRECT on tmpfs' 'there is no /dev/shm'
fi
if command -v prlimit >/dev/null; then
	check_exit 3 'run refuses a size above the limit of file sizes' prlimit --fsize=512000 iowrite-bench run --size=10m
	is 'run refuses a size above the limit of file sizes in one line' "$(cat "$tmp/err")" \
		'iowrite-bench: files are limited to 512000 bytes (ulimit -f), 10485760 needed; raise it or write less'
else
	skip 'run refuses a size above the limit of file sizes' 'prlimit is not installed'
fi
is 'refused runs make and remove no file' "$(ls)" "$(printf 'file\nlink\npipe')"
tap_done

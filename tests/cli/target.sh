#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The lock of both storage tools on a file that they write; changes of the file by another process during a run; refusals at
# the limit of descriptors; a FIFO where a file is read.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/ssd.sh"
need_direct
run=
clean_up() {
	[ -z "$run" ] || kill -9 "$run" 2>/dev/null
	ssd_cleanup
}
trap clean_up EXIT
file=$work/file

# in_background AT COMMAND...: until the byte there is not 0.
in_background() {
	at=$1
	shift
	"$@" >"$tmp/run.out" 2>"$tmp/run.err" &
	run=$!
	tries=400
	until [ "$(od -An -tu1 -j "$at" -N 1 "$file" 2>/dev/null | tr -d ' 0')" ]; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] && kill -0 $run 2>/dev/null || break
		sleep 0.05
	done
}
prepared=72 # the header's flags, when the areas are written
ends() { # ends STATUS DESCRIPTION
	status=0
	wait $run || status=$?
	run=
	is "$2" "$status" "$1"
	[ "$status" = "$1" ] || sed 's/^/# /' "$tmp/run.err" "$tmp/run.out"
}
overwrite() { # the whole file, confirmed
	iowrite-bench run --bs=4k --size=64k --rounds=1 --mode=buffered --filename="$file" --destroy-data="$file"
}
# A run of 2 min that a signal ends.
write_long() { # OPTION...
	# shellcheck disable=SC2086 # words
	exec ssd-workloads run $small --runtime=2m --target="$file" --keep "$@"
}
write_long_iowrite() { # OPTION...
	exec iowrite-bench run --bs=4k --thinktime=2ms --thinktime-type=sleep --runtime=2m --rounds=1 --filename="$file" "$@"
}
stop() {
	kill -TERM $run
	ends "$@"
}

# --- two runs, one file
in_background $prepared write_long
check_exit 2 'iowrite-bench run: a file that ssd-workloads writes is refused' overwrite
check 'iowrite-bench run: a file that ssd-workloads writes is refused in one line' test "$(wc -l <"$tmp/err")" = 1
check 'iowrite-bench run: the refusal says that another run writes the file' \
	grep -q "^iowrite-bench: $file: another run.* is writing it" "$tmp/err"
# Each of them waits 3 s for the other run to end: they run at once.
iowrite-bench calibrate --filename="$file" --destroy-data="$file" -o "$tmp/c.xml" >"$tmp/calibrate" 2>&1 &
calibrate=$!
write_small "$file" >"$tmp/small" 2>&1 &
small_run=$!
check_exit 3 'ssd-workloads verify: a file that ssd-workloads writes is refused' ssd-workloads verify "$file"
refused() { # PID DESCRIPTION
	status=0
	wait "$1" || status=$?
	is "$2: a file that ssd-workloads writes is refused" $status 2
}
refused $calibrate 'iowrite-bench calibrate'
refused $small_run 'ssd-workloads run'
stop 4 'a run with a lock on its file ends with 4 on SIGTERM'
check_exit 0 'ssd-workloads verify finds no loss after the refusal' ssd-workloads verify "$file"
rm -f "$file"
in_background 0 write_long_iowrite
check_exit 2 'ssd-workloads run: a file that iowrite-bench writes is refused' write_small "$file" --destroy-data="$file"
check 'ssd-workloads run: the refusal says that another run writes the file' \
	grep -q "^ssd-workloads: $file: another run.* is writing it" "$tmp/err"
stop 4 'a run with a lock on its file ends with 4 on SIGTERM'
check 'iowrite-bench run removes its file after the refusal of another' test ! -e "$file"

# --- a process without a lock
changed() { # DESCRIPTION COMMAND...
	description=$1
	shift
	rm -f "$file" "$tmp/r.xml"
	in_background $prepared write_long -f "$tmp/r.xml"
	"$@"
	ends 4 "ssd-workloads run ends with 4 when its file is $description during the run"
	check "ssd-workloads run: the verdict names the change of a file that is $description" grep -q 'code="target-changed"' "$tmp/r.xml"
	check "ssd-workloads run: one line says that the file is $description by another process" \
		grep -q "^ssd-workloads: $file: another process " "$tmp/run.err"
}
changed truncated truncate -s 0 "$file"
changed shortened truncate -s 2M "$file"
changed extended truncate -s 1G "$file"
changed replaced sh -c 'cp "$1" "$1.new" && mv "$1.new" "$1"' sh "$file"
check 'ssd-workloads run keeps a file that replaces its target' test -e "$file"
# The header is checked when the run ends.
wipe_header() {
	dd if=/dev/zero of="$file" bs=4096 count=1 conv=notrunc status=none
	kill -TERM $run
}
changed 'without its header' wipe_header
is 'ssd-workloads run writes no header over the data of another process' "$(od -An -tu1 -N 4 "$file" | tr -d ' ')" 0000
rm -f "$file"
# iowrite-bench finds the change when it closes the file, after 0.5 s of writes.
in_background 0 write_long_iowrite --regime=prealloc --size=1m
truncate -s 0 "$file"
ends 4 'iowrite-bench run ends with 4 when its file is truncated during the run'
check 'iowrite-bench run says that another process changed its file' grep -q 'was changed by another process' "$tmp/run.err"
rm -f "$file"

# --- few descriptors: the file is unchanged whenever the run is refused
head -c 4194304 /dev/urandom >"$file"
sum=$(cksum <"$file")
changes='' refusals=0
for limit in 32 24 18 16 14 12 11 10 9 8 7 6 5 4 3; do
	for tool in write_small overwrite; do
		# The shell's own files are open before the limit is.
		status=0
		(
			exec >"$tmp/out" 2>"$tmp/err"
			# shellcheck disable=SC3045 # every sh has it
			ulimit -n $limit
			if [ $tool = overwrite ]; then overwrite; else write_small "$file" --destroy-data="$file"; fi
		) || status=$?
		new=$(cksum <"$file")
		case $status in
		0 | 4) # it ran; 4: on a busy machine it may have no samples
			head -c 4194304 /dev/urandom >"$file"
			new=$(cksum <"$file")
			;;
		*)
			refusals=$((refusals + 1))
			[ "$new" = "$sum" ] || changes="$changes $tool:$limit"
			;;
		esac
		sum=$new
	done
done
check 'some runs with 3 to 32 descriptors are refused' test $refusals -gt 0
is 'runs refused for want of descriptors do not change the file' "$changes" ''
rm -f "$file"

# --- a FIFO where a file is read
mkfifo "$tmp/fifo"
check_exit 2 'iowrite-bench predict --trace refuses a FIFO' timeout 20 iowrite-bench predict --trace="$tmp/fifo" \
	--system="$top_srcdir/tests/fixtures/iowrite/system.xml"
check 'iowrite-bench predict --trace names the FIFO' grep -q "$tmp/fifo: .*is a FIFO" "$tmp/err"
check_exit 2 'iowrite-bench predict --system refuses a FIFO' timeout 20 iowrite-bench predict --system="$tmp/fifo" --bs=4k
check 'iowrite-bench predict --system names the FIFO' grep -q "$tmp/fifo: is a FIFO" "$tmp/err"
check_exit 2 'iowrite-bench run --system refuses a FIFO' \
	timeout 20 iowrite-bench run --system="$tmp/fifo" --directory="$work" --bs=4k
check_exit 2 'ssd-workloads analyze refuses a FIFO' timeout 20 ssd-workloads analyze fig9 "$tmp/fifo"
check_exit 2 'ssd-workloads verify refuses a FIFO' timeout 20 ssd-workloads verify "$tmp/fifo"
check 'ssd-workloads verify names the FIFO' grep -q "cannot read $tmp/fifo: is a FIFO" "$tmp/err"
check_exit 2 'ssd-workloads run refuses a FIFO' \
	timeout 20 ssd-workloads run --mix=1-0 --target="$tmp/fifo" --destroy-data="$tmp/fifo"
tap_done

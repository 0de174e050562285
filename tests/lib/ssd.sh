# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# Small targets of ssd-workloads, in a folder with O_DIRECT. Needs tap.sh. The folder is $work; SSD_WORKLOADS_DIR names
# where it is made.
work=$(mktemp -d "${SSD_WORKLOADS_DIR:-/var/tmp}/ssd.XXXXXX")
# A test that makes more calls this from its own trap.
ssd_cleanup() {
	for ssd_ack_log in $ssd_ack_logs; do
		rm -f "$ssd_ack_log"
	done
	rm -rf "$work"
	tap_cleanup
}
ssd_ack_logs=
trap ssd_cleanup EXIT

# 16 log blocks of 4 KiB from 1 MiB on, 16 checkpoint blocks of 8 KiB from 3 MiB on.
small='--mix=custom --log-depth=2 --log-bs=4k --log-size=64k --ckpt-depth=1 --ckpt-bs=8k --ckpt-size=128k --records=0
	--trace=off --interval=0'
export log_at=$((1 << 20)) checkpoint_at=$((3 << 20))
write_small() { # TARGET OPTION...
	ssd_target=$1
	shift
	# shellcheck disable=SC2086 # words
	ssd-workloads run $small --runtime=100ms --target="$ssd_target" "$@"
}

need_direct() {
	tap_status=0
	write_small "$work/try" >"${tmp:?}/out" 2>"$tmp/why" || tap_status=$?
	# An untrustworthy run has written its target, too.
	case $tap_status in 0 | 4) ;; *) skip_all "$(head -n 1 "$tmp/why" | grep . || echo "ssd-workloads ended with $tap_status")" ;; esac
}

# The file of the acknowledgement log of the run that wrote the target.
ack_log_of() { # TARGET
	echo "/dev/shm/ssd-workloads-$(dd if="$1" bs=8 skip=2 count=1 2>/dev/null | od -An -tx8 | tr -d ' ')"
}

copy_bytes() { # FROM OFFSET TO OFFSET BYTES
	dd if="$1" of="$3" iflag=skip_bytes,count_bytes oflag=seek_bytes skip="$2" seek="$4" count="$5" conv=notrunc 2>/dev/null
}

# Writes a byte that differs from the current one: a fixed byte would be equal in one of 256 cases.
spoil_byte() { # FILE OFFSET
	was=$(od -An -tu1 -j "$2" -N 1 "$1")
	# shellcheck disable=SC2059 # the byte, in octal
	printf "\\$(printf %03o $((255 - was)))" | copy_bytes /dev/stdin 0 "$1" "$2" 1
}

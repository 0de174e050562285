#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No sync is durable in memory: tmpfs, an overlay over it, a volatile overlay. Unsynced writes are measured there as
# anywhere. None of them holds a swap file. The storage tools, in a mount namespace of their own.
if [ -z "$IS_INSIDE" ]; then
	export IS_INSIDE=yes
	for how in -m -rm; do
		unshare $how sh -c 'mount -t tmpfs none /mnt' 2>/dev/null && exec unshare $how sh "$0"
	done
	echo '1..0 # SKIP cannot mount a tmpfs in a mount namespace'
	exit 0
fi
. "$top_srcdir/tests/lib/tap.sh"
command -v xmllint >/dev/null || skip_all 'needs xmllint (libxml2-utils)'
work=/mnt
mount -t tmpfs -o size=1g none "$work"
disk=$(mktemp -d /var/tmp/memory-target.XXXXXX)
trap 'rm -rf "$disk"; tap_cleanup' EXIT
report=$tmp/report.xml

has() { # DESCRIPTION XPATH
	is "$1" "$(xmllint --xpath "boolean($2)" "$report" 2>/dev/null)" true
}
each_sync() { # FOLDER OPTION...
	folder=$1
	shift
	iowrite-bench run --bs=4k --size=256k --rounds=1 --directory="$folder" -f "$report" "$@"
}
log_write() { # TARGET OPTION...
	file=$1
	shift
	ssd-workloads run --mix=custom --log-depth=1 --log-bs=4k --log-size=1m --runtime=200ms --records=0 --trace=off \
		--target="$file" -f "$report" "$@"
}
nothing_durable() { # NAME FOLDER WORD
	check_exit 4 "$1: a met objective of syncs is not ok" each_sync "$2" --sync-each=fdatasync --slo='sync:p99<10s'
	check "$1: the objective is undecided" grep -q 'sync:p99<10s is UNDECIDED: .*nothing is durable' "$tmp/out"
	has "$1: the report has the reason, and what the target is" \
		"//reason[@code='not-durable'][contains(., 'nothing is durable') and contains(., '$3')]"
	has "$1: the report's objective is not met, and says why" "//objective[is_met = 'false'][contains(undecided, '$3')]"
	has "$1: the check's status is not-durable" "//durability_check[status = 'not-durable']"
	check_exit 4 "$1: an objective of writes that are durable by themselves is not ok" each_sync "$2" --mode=dsync \
		--slo='write:p99<10s'
	check_exit 0 "$1: writes without a sync are measured, and met" each_sync "$2" --mode=buffered --slo='write:p99<10s'
	has "$1: writes without a sync have no check of durability" "not(//durability_check) and not(//reason[@code='not-durable'])"
}
# The log's writes are direct, so that a run needs a device; what it wrote can be copied.
log_write "$disk/none" --keep >"$tmp/out" 2>&1
log_write "$disk/log" --durability=fdatasync --keep >"$tmp/out" 2>&1
not_verified() { # NAME TARGET
	check_exit 4 "$1: what verify reads back is not durable" ssd-workloads verify "$2" -f "$report"
	check "$1: verify says so in one line" grep -q '^ssd-workloads: .*nothing is durable' "$tmp/err"
	has "$1: the report of verify names the reason" "//verdict[@status='untrustworthy']/reason[@code='not-durable']"
}

no_swap() { # NAME FOLDER
	check_exit 125 "$1: holds no swap file" with-pressure --ram 32M --swap "file:$2/swap,64M" --dry-run -- true
	check "$1: the refusal names the file system" grep -q "is on $1 .*cannot hold a swap file" "$tmp/err"
}

nothing_durable tmpfs "$work" tmpfs
no_swap tmpfs "$work"
if [ -f "$disk/log" ]; then
	cp "$disk/log" "$disk/none" "$work"
	not_verified tmpfs "$work/log"
	check_exit 0 'tmpfs: verify of a log that was never synced is ok' ssd-workloads verify "$work/none" -f "$report"
	rm "$work/log" "$work/none"
else
	skip 'tmpfs: what verify reads back is not durable' "$disk has no O_DIRECT"
fi

overlay() { # UPPER OPTIONS
	mkdir -p "$1/upper" "$1/work" "$work/lower" "$work/merged"
	mount -t overlay -o "lowerdir=$work/lower,upperdir=$1/upper,workdir=$1/work$2" none "$work/merged" 2>/dev/null
}
mkdir "$work/memory"
if overlay "$work/memory" ''; then
	nothing_durable 'overlay over tmpfs' "$work/merged" tmpfs
	no_swap overlay "$work/merged"
	check_exit 3 'overlay over tmpfs: O_DIRECT is refused as on tmpfs' each_sync "$work/merged" --mode=direct
	check_exit 3 'overlay over tmpfs: a log is refused as on tmpfs' log_write "$work/merged/log" --durability=fdatasync
	mount --bind "$disk" "$work/memory/upper"
	check_exit 4 'an overlay whose upper folder has another name here: an objective of syncs is not ok' \
		each_sync "$work/merged" --sync-each=fdatasync --slo='sync:p99<10s'
	check 'the objective is undecided because the upper folder is not visible' \
		grep -q 'sync:p99<10s is UNDECIDED: .*upper folder' "$tmp/out"
	umount "$work/memory/upper" "$work/merged"
else
	skip 'overlay over tmpfs' 'this kernel mounts no overlay here'
fi
if overlay "$disk" ,volatile; then
	nothing_durable 'volatile overlay' "$work/merged" volatile
	if [ -f "$disk/log" ]; then
		check_exit 4 'volatile overlay: a verified log of durable writes is not ok' \
			log_write "$work/merged/log" --durability=fdatasync --verify --keep --slo='commit:p99<100s'
		has 'volatile overlay: an objective of commits is undecided' \
			"//objective[@text = 'commit:p99<100s' and is_met = 'false'][contains(undecided, 'volatile')]"
		has 'volatile overlay: its verdict names the reason' "//reason[@code='not-durable'][contains(., 'nothing is durable')]"
		not_verified 'volatile overlay' "$work/merged/log"
	fi
	umount "$work/merged"
else
	skip 'volatile overlay' 'this kernel mounts no volatile overlay here'
fi
rm -rf "$disk/work"
if overlay "$disk" ''; then
	each_sync "$work/merged" --sync-each=fdatasync >"$tmp/out" 2>&1
	has 'an overlay over a disk: nothing says that the target is memory' "not(//reason[@code='not-durable'])"
	umount "$work/merged"
else
	skip 'an overlay over a disk' 'this kernel mounts no overlay here'
fi
tap_done

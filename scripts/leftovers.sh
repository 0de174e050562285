#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: leftovers.sh >BEFORE; ...; leftovers.sh | diff BEFORE -
# What a run could leave on this machine, one line each: swap areas, cgroups, zram and loop devices, file systems (those
# that are mounted in no folder, too), throttles, mounts, trace instances, journals, guardians, files in /var/tmp, the
# settings that runs change and restore.
# Arguments are folders: processes whose program or working folder lies below one are listed, too.
set -u
tail -n +2 /proc/swaps 2>/dev/null | awk '{ print "swap " $1 }'
find /sys/fs/cgroup -type d 2>/dev/null | sed 's/^/cgroup /' | grep -E '/(memstor|pmbench|with-pressure|iowrite-bench)[^/]*$' |
	sort
find /sys/block/ -maxdepth 1 -name 'zram*' 2>/dev/null | sed 's,.*/,zram ,' | sort
losetup -a 2>/dev/null | sed 's/: .*(\(.*\)).*/ \1/; s/^/loop /' | sort
find /sys/fs/ext4 /sys/fs/xfs /sys/fs/btrfs -mindepth 1 -maxdepth 1 2>/dev/null | grep -Ev '/(features|stats|debug)$' |
	sed 's,^/sys/fs/,file system ,' | sort
find /sys/fs/cgroup \( -name 'blkio.throttle.*_device' -o -name io.max \) 2>/dev/null | sort | while read -r file; do
	sed "s,^,throttle ${file#/sys/fs/cgroup/}: ," "$file" 2>/dev/null
done
# Instances are there without a mount, too; it takes one to see them.
instances() { find "$1/instances" -mindepth 1 -maxdepth 1 2>/dev/null | sed 's,.*/,trace instance ,' | sort; }
if [ -d /sys/kernel/tracing/instances ]; then
	instances /sys/kernel/tracing
elif [ -d /sys/kernel/debug/tracing/instances ]; then
	instances /sys/kernel/debug/tracing
else
	unshare -m sh -c 'mount -t tracefs none /sys/kernel/tracing && ls /sys/kernel/tracing/instances' 2>/dev/null |
		sed 's/^/trace instance /' | sort
fi
awk '{ print "mount " $2 }' /proc/self/mounts | sort
find /run/with-pressure /run/iowrite-bench /run/ssd-workloads /run/memstor -type f 2>/dev/null | sed 's/^/journal /' | sort
# What init has yet to reap is dead.
for guard in pressure-guard undo-guard; do
	for pid in $(pgrep -x "$guard"); do
		grep -q '^State:.Z' "/proc/$pid/status" 2>/dev/null || echo "guardian $guard $pid"
	done
done
find /var/tmp /dev/shm -mindepth 1 -maxdepth 1 2>/dev/null | sed 's/^/file /' | sort
for setting in page-cluster swappiness overcommit_memory dirty_ratio dirty_bytes dirty_background_ratio dirty_background_bytes \
	dirty_expire_centisecs dirty_writeback_centisecs; do
	echo "vm.$setting $(cat "/proc/sys/vm/$setting" 2>/dev/null)"
done
for folder; do
	folder=$(readlink -f "$folder")
	for process in /proc/[0-9]*; do
		for link in exe cwd; do
			target=$(readlink "$process/$link" 2>/dev/null) || continue
			case $target in "$folder"/*)
				echo "process ${process#/proc/} $(tr '\0' ' ' <"$process/cmdline") in $target"
				break
				;;
			esac
		done
	done
done

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: leftovers.sh >BEFORE; ...; leftovers.sh | diff BEFORE -
# What a run could leave on this machine, one sorted line each: swap areas, cgroups, zram and loop devices,
# mounts, trace instances, journals, files in /var/tmp, the settings that runs pin and restore.
# Arguments are folders: processes whose program or working folder lies below one are listed, too.
set -u
tail -n +2 /proc/swaps 2>/dev/null | awk '{ print "swap " $1 }'
find /sys/fs/cgroup -type d 2>/dev/null | sed 's/^/cgroup /' | grep -E '/(memstor|pmbench|with-pressure|iowrite-bench)[^/]*$'
find /sys/block/ -maxdepth 1 -name 'zram*' 2>/dev/null | sed 's,.*/,zram ,' | sort
losetup -a 2>/dev/null | sed 's/: .*(\(.*\)).*/ \1/; s/^/loop /' | sort
for tracefs in /sys/kernel/tracing /sys/kernel/debug/tracing; do
	find "$tracefs/instances" -mindepth 1 -maxdepth 1 2>/dev/null | sed 's/^/trace instance /' | sort
done
awk '{ print "mount " $2 }' /proc/self/mounts | sort
find /run/with-pressure /run/memstor /run/iowrite-bench -type f 2>/dev/null | sed 's/^/journal /' | sort
find /var/tmp /dev/shm -mindepth 1 -maxdepth 1 2>/dev/null | sed 's/^/file /' | sort
for setting in page-cluster swappiness overcommit_memory dirty_bytes dirty_background_bytes dirty_ratio \
	dirty_background_ratio dirty_expire_centisecs dirty_writeback_centisecs; do
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

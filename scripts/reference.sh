#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: reference.sh FOLDER     the reference runs of results/README.md into FOLDER, with pmbench from PATH.
# The first needs root, zram, 2 GiB of memory for the map's cgroup and up to 8 GiB for what is swapped; about two minutes.
# REFERENCE_SECONDS (60) and REFERENCE_MAP_MIB (8192, in a quarter of it) make it smaller.
set -eu
folder=$1
seconds=${REFERENCE_SECONDS:-60}
map_mib=${REFERENCE_MAP_MIB:-8192}
ram_mib=$((map_mib / 4))

# reference NAME OPTION...: one run into FOLDER/NAME: command, report.xml, report.txt.
reference() {
	name=$1
	shift
	mkdir -p "$folder/$name"
	printf 'pmbench' >"$folder/$name/command"
	printf ' %s' "$@" >>"$folder/$name/command"
	echo >>"$folder/$name/command"
	echo "reference: $name: $(cat "$folder/$name/command")"
	pmbench "$@" -f "$folder/$name/report.xml" >"$folder/$name/report.txt"
}

# The paper's own command (its footnote 2), shorter, with the memory that it had and a compressed swap in memory.
if [ "$(id -u)" = 0 ] && [ -e /sys/class/zram-control/hot_add ]; then
	reference paper -m "$map_mib" -s "$map_mib" -j 2 -r 50 -d 0 -o -1 -p uniform -t rdtscp -c -i \
		--ram "${ram_mib}M" --swap "zram:${map_mib}M" "$seconds"
else
	echo "reference: paper: skipped, needs root and zram (modprobe zram num_devices=0)"
fi
# What an access costs when nothing is paged: cache, memory and TLB.
reference resident -m 256 -p uniform --hdr -i $((seconds > 10 ? 10 : seconds))

if command -v lscpu >/dev/null; then lscpu >"$folder/machine.txt"; fi
{ uname -srvm; free -m; } >>"$folder/machine.txt"
echo "reference: in $folder"

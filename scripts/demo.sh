#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: demo.sh PARENT     pmbench from PATH for about DEMO_SECONDS (20); report, text and page go to PARENT/demo-TIME/.
# As root: a map four times the memory it is given, swap on zram or else in a file: it pages for real.
# Otherwise: a map that fits, and a line that says so.
set -eu
parent=${1:-.}
seconds=${DEMO_SECONDS:-20}
map_mib=${DEMO_MAP_MIB:-512}
folder=$parent/demo-$(date +%Y%m%d-%H%M%S)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# A word as a shell reads it back: bare when nothing in it means something to one.
quoted() {
	case $1 in
	'' | *[!A-Za-z0-9_.,:/=%+@-]*) printf "'%s'" "$(printf %s "$1" | sed "s/'/'\\\\''/g")" ;;
	*) printf %s "$1" ;;
	esac
}

# Runs pmbench in the folder; its text is shown and kept, its exit status is ours (a pipe into tee would hide it). The
# command is kept so that it can be pasted there, with the program that this was.
run() {
	program=$(command -v pmbench)
	{
		quoted "$program"
		for word; do
			printf ' '
			quoted "$word"
		done
		echo
	} >"$folder/command"
	echo "demo: $(cat "$folder/command")"
	status=0
	(cd "$folder" && "$program" "$@" >report.txt) || status=$?
	cat "$folder/report.txt"
	return $status
}
common_run() { run -m "$map_mib" -i -c -p uniform -f report.xml "$@" "$seconds"; }

has_zram() {
	[ -e /sys/class/zram-control/hot_add ] || modprobe zram num_devices=0 2>/dev/null
	[ -e /sys/class/zram-control/hot_add ]
}

if [ "$(id -u)" = 0 ]; then
	ram_mib=$((map_mib / 4))
	if has_zram; then
		swap=zram:$((map_mib * 2))M
		kind='a zram device of its own'
	else
		swap=file:/var/tmp/memstor-demo-$$.swap,$((map_mib * 2))M
		kind="a swap file of its own (this kernel has no zram)"
	fi
	echo "demo: a map of $map_mib MiB in $ram_mib MiB of memory, swap on $kind, for $seconds s"
	status=0
	common_run --ram "${ram_mib}M" --swap "$swap" || status=$?
else
	echo "demo: not root, so nothing can be limited: a map of $map_mib MiB that fits, nothing pages." \
		"Run 'sudo make demo' to see paging."
	status=0
	common_run || status=$?
fi
[ $status = 0 ] || echo "demo: pmbench ended with status $status (see docs/ARCHITECTURE.md, exit codes)" >&2
page=$folder/report.html
[ ! -e "$folder/report.xml" ] || memstor html --title 'memstor demo' -o "$page" "$folder/report.xml" || status=$?
echo "demo: report.xml, report.txt and the command are in $folder"
[ ! -e "$page" ] || echo "demo: to look at it, open $page in a browser"
exit $status

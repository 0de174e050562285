# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2154 # top_srcdir, top_builddir come from the harness
# For tests/host/pressure-*.sh, on top of tap.sh: runs of with-pressure and their leftovers on the machine.
# Journals are in a folder of the test, so that a run of another process is never taken for a leftover.
. "$top_srcdir/tests/lib/tap.sh"

# The folder must allow swap files, which not every /tmp does.
work=$(mktemp -d /var/tmp/with-pressure-test.XXXXXX) || exit 99
export WITH_PRESSURE_DIR="$work/journals"
# shellcheck disable=SC2034 # for the tests
hog=$top_builddir/tests/host/page_uniform
token=token-$$-$(date +%s%N)

clean_up() {
	trap - EXIT
	# Only processes with the token of this test are killed.
	for pid in $(pgrep -f -- "$token"); do
		kill -9 "$pid" 2>/dev/null
	done
	sleep 0.2
	with-pressure --recover >/dev/null 2>&1
	[ -z "$swap_device" ] || losetup -d "$swap_device"
	rm -rf "$work"
	tap_cleanup
}
trap clean_up EXIT

need_host() { # need_host zram|loop...: or skip, saying why
	[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
	for need; do
		case $need in
		zram) [ -e /sys/class/zram-control/hot_add ] || skip_all 'needs zram (modprobe zram)' ;;
		loop) [ -w /dev/loop-control ] || skip_all 'needs loop devices (modprobe loop)' ;;
		esac
	done
	with-pressure --ram 8M --swap none --dry-run -- true >/dev/null 2>"$tmp/why" || skip_all "$(cat "$tmp/why")"
	# A run in a folder of its own cannot hand page-cluster on to runs in other folders.
	with-pressure --ram 8M --swap none -- true 2>"$tmp/why" || skip_all "$(cat "$tmp/why")"
}

within() { # within SECONDS COMMAND...: until it succeeds
	tries=$(($1 * 20))
	shift
	until "$@"; do
		tries=$((tries - 1))
		[ $tries -gt 0 ] || return 1
		sleep 0.05
	done
}

# The cgroup of the memory controller, where systemd mounts it.
cgroup_version() { if grep -q :memory: /proc/self/cgroup; then echo 1; else echo 2; fi; }
own_cgroup() {
	case $(cgroup_version) in
	1) echo "/sys/fs/cgroup/memory$(awk -F: '$2 == "memory" { print $3 }' /proc/self/cgroup)" ;;
	2) echo "/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)" ;;
	esac
}

child_of() { pgrep -P "$1" | head -n 1; }

# A device that exists before and after the run, with a swap area.
swap_device=
make_swap_device() {
	truncate -s 256M "$work/device"
	swap_device=$(losetup -f --show "$work/device") || exit 99
	mkswap -U 11111111-2222-3333-4444-555555555555 "$swap_device" >/dev/null
}
device_stays() { # the same header, and not in use as swap
	! grep -q "^$swap_device " /proc/swaps &&
		[ "$(blkid -p -s UUID -o value "$swap_device")" = 11111111-2222-3333-4444-555555555555 ]
}

# The blank in the name is deliberate: /proc/swaps escapes it.
swap_spec() { # swap_spec zram|file|loop|device: a value for --swap
	case $1 in
	zram) echo zram:256M ;;
	device) echo "dev:$swap_device" ;;
	*) echo "$1:$work/swap file,256M" ;;
	esac
}

in_proc_swaps() { # in_proc_swaps PATH: its line
	grep -F "$(printf %s "$1" | sed 's/ /\\040/g') " /proc/swaps
}

# A field of a journal's line as it is; blanks are written as \040.
journal_text() { printf %b "$1"; }
# A line "WORD A B PATH" as a journal has it.
journal_line() {
	printf '%s\n' "$1" | awk '{
		head = $1 " " $2 " " $3
		path = substr($0, length(head) + 2)
		gsub(/ /, "\\040", path)
		print head, path == "" ? "\\000" : path, "\\000 \\000 \\000"
	}'
}

job_runs() { pgrep -f -- "$token" >/dev/null; }

# Prints a line for each object that the journal in $1 (a copy) lists and that still exists; nothing when all is clean.
leftovers() {
	while read -r word a b path _ _ before; do
		path=$(journal_text "$path")
		case $word in
		swap | swap-device) in_proc_swaps "$path" | sed 's/^/swap: /' ;;
		cgroup) [ ! -d "$path" ] || echo "cgroup: $path" ;;
		zram) [ "$(cat "/sys/block/zram$a/diskseq" 2>/dev/null)" != "$b" ] || echo "zram: $a" ;;
		swap-loop) losetup -n -O BACK-FILE "$path" 2>/dev/null | grep -F "$work" | sed 's/^/loop: /' ;;
		swap-file) [ ! -e "$path" ] || echo "file: $path" ;;
		# 0: another run had set it then, and has restored it since.
		shared) [ "$before" = 0 ] || [ "$(sed 's/.*\[\(.*\)\].*/\1/' "$path")" = "$before" ] || echo "$path: not $before" ;;
		esac
	done <"$1"
	! job_runs || echo "process: $(pgrep -f -a -- "$token" | head -n 3)"
	[ ! -e "$WITH_PRESSURE_DIR" ] || echo "journals: $(ls "$WITH_PRESSURE_DIR")"
}
is_clean() { [ -z "$(leftovers "$1")" ]; }

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The environment and the exit status of a command: limits, swap, exit codes, signals, the terminal, eaters, runs side by side.
. "$top_srcdir/tests/lib/pressure.sh"
need_host zram loop

under() { with-pressure --ram 64M --swap zram:128M -- "$@"; }
anonymous_kib() { awk '/^AnonPages/ { print $2 }' /proc/meminfo; }

# --- what the command sees
# shellcheck disable=SC2016 # the command's shell expands
case $(cgroup_version) in
1)
	see='dir=/sys/fs/cgroup/memory$(awk -F: "\$2 == \"memory\" { print \$3 }" /proc/self/cgroup)
	cat "$dir/memory.limit_in_bytes" "$dir/memory.swappiness"'
	may_swap=60
	;;
2)
	see='dir=/sys/fs/cgroup$(sed -n "s/^0:://p" /proc/self/cgroup)
	cat "$dir/memory.max" "$dir/memory.swap.max"'
	may_swap=max
	;;
esac
is '--swap none sets a limit and permits no swapping' \
	"$(with-pressure --ram 64M --swap none -- sh -c "$see" | tr '\n' ' ')" '67108864 0 '
# shellcheck disable=SC2016
see="$see"'
cat /proc/sys/vm/page-cluster /proc/self/oom_score_adj
awk -v path="$(sed -n "s/^swap 0 0 \([^ ]*\) .*/\1/p" "$WITH_PRESSURE_DIR"/*)" "\$1 == path { print \$NF }" /proc/swaps
ps -o pid= -p $$ | tr -d " "'
is 'the command has its limit, swapping, page-cluster, oom_score_adj, priority of swap and process number' \
	"$(under sh -c "$see" | tr '\n' ' ')" "67108864 $may_swap 0 1000 32767 2 "
# shellcheck disable=SC2016
see='cat /sys/block/$(sed -n "s,^swap 0 0 /dev/\([^ ]*\) .*,\1,p" "$WITH_PRESSURE_DIR"/*)/comp_algorithm'
with-pressure --swap zram:64M,lzo -- sh -c "$see" >"$tmp/algorithm"
check '--swap zram uses the compressor that is given' grep -qF '[lzo]' "$tmp/algorithm"
with-pressure --ram 64M --swap "$(swap_spec loop)" -- losetup -n -O DIO,BACK-FILE >"$tmp/loops"
is '--swap loop makes a loop device with direct I/O' "$(awk -v work="$work" 'index($0, work) { print $1 }' "$tmp/loops")" 1
check 'a command pages within its limit' under "$hog" 128 1 "$token"

# --- exit codes
check_exit 7 'the exit code is passed on' under sh -c 'exit 7'
check_exit 143 'a signal that ends the command is in the exit status' under sh -c 'kill -TERM $$'
check_exit 127 'a command that does not exist ends with 127' under "$work/none"
check_exit 126 'a command that cannot be run ends with 126' under /etc/passwd
check_exit 7 "without pressure the exit status is the command's" with-pressure -- sh -c 'exit 7'
check_exit 125 '--ram that is too small is refused' with-pressure --ram 1M -- true
check_exit 125 'a swap file that exists is refused' with-pressure --swap file:/etc/passwd,1M -- true
check 'the refusal says that the file exists' grep -q '/etc/passwd exists already' "$tmp/err"
check 'the refused file is not changed' grep -q root /etc/passwd

# --- signals and what is left running
# timeout and not &: a shell's background commands ignore SIGINT.
for signal in 'TERM 143' 'INT 130' 'HUP 129'; do
	check_exit "${signal#* }" "SIG${signal% *} to the front reaches the command" \
		timeout --foreground --preserve-status -k 5 -s "${signal% *}" 1 \
		with-pressure --ram 64M --swap none -- sleep 60
done
under sh -c "setsid sh -c ': $token; sleep 60; :' & exit 3"
is 'a daemon of the command does not change the exit status' $? 3
check 'a daemon of the command is ended with it' test -z "$(pgrep -f -- "$token")"

# --- the terminal
if command -v script >/dev/null && command -v bash >/dev/null; then
	# Typed only when the command runs.
	# shellcheck disable=SC2016 # the command's shell expands
	(within 20 test -e "$work/up" && sleep 0.2 && printf '\003' && sleep 0.5) |
		script -qec "with-pressure --ram 64M --swap none -- sh -c ': >\"\$0\"; exec sleep 60' \"$work/up\"" \
			/dev/null >/dev/null
	is 'SIGINT on a terminal ends the command' $? 130
	(sleep 1 && printf 'sleep 50 &\nkill %%1; exit 5\n' && sleep 1) |
		script -qec "with-pressure --ram 64M --swap none -- bash --norc -i" /dev/null >"$tmp/shell"
	is 'a shell on a terminal ends with its own status' $? 5
	is 'a shell on a terminal does not complain' "$(grep -ciE 'job control|cannot set' "$tmp/shell")" 0
else
	skip 'SIGINT on a terminal ends the command' 'needs script(1) and bash'
fi

# --- a kill for lack of memory is distinguished from other kills
check_exit 137 'a command above --ram is killed' with-pressure --ram 16M --swap none -- "$hog" 64 5 "$token"
check 'a warning says that memory was short' grep -q 'for lack of memory' "$tmp/err"
check_exit 137 'a command that kills itself ends with 137' with-pressure --ram 16M --swap none -- sh -c 'kill -9 $$'
is 'a command that kills itself is not reported as short of memory' "$(grep -c 'for lack of memory' "$tmp/err")" 0

# --- eaters
idle=$(anonymous_kib)
with-pressure --eater any=512M@0s-60s -- sh -c ": $token; sleep 60" &
front=$!
ate() { [ $(($(anonymous_kib) - idle)) -ge 400000 ]; }
check 'an eater holds memory of the machine' within 10 ate
kill -9 "$(child_of $front)"
wait $front 2>/dev/null
ate_nothing() { ! ate; }
check 'an eater ends with the guardian' within 5 ate_nothing
for run in 1 2 3 4; do
	check "run $run: an eater within the limit makes the command page" with-pressure --ram 128M --swap zram:128M \
		--eater any=96M@0s-60s -- "$hog" 64 1 "$token"
done
check_exit 4 'without swap the eater is killed before the command' with-pressure --ram 128M --swap none \
	--eater any=112M@0s-60s -- "$hog" 24 3 "$token"
check 'a warning says that an eater was killed' grep -q 'eater 1 was killed before its time' "$tmp/err"
check 'a killed eater is the reason why the status is not 0' grep -q 'lost-eaters: 1 of the eaters' "$tmp/err"
is 'a killed eater is not reported as short memory' "$(grep -c 'for lack of memory' "$tmp/err")" 0

# --- two at once
before=$(cat /proc/sys/vm/page-cluster)
# The first ends when the second is up, and the second when the first is gone.
# shellcheck disable=SC2016 # the command's shell expands
under sh -c 'until [ -e "$0" ]; do sleep 0.05; done' "$work/second" &
first=$!
# shellcheck disable=SC2016
under sh -c ': >"$0"; until [ -e "$1" ]; do sleep 0.05; done; cat /proc/sys/vm/page-cluster' \
	"$work/second" "$work/over" >"$tmp/second" &
second=$!
wait $first
is 'the first to end leaves page-cluster to the second' "$(cat /proc/sys/vm/page-cluster)" 0
: >"$work/over"
wait $second
is 'a second run keeps the setting of the first' "$(cat "$tmp/second")" 0
is 'the last run restores the setting' "$(cat /proc/sys/vm/page-cluster)" "$before"

# --- a run within a run
check_exit 9 'a run within a run ends with the status of its command' under with-pressure --ram 32M --swap none -- sh -c 'exit 9'
under sh -c "with-pressure --ram 32M --swap zram:64M -- sh -c ': $token; sleep 60' & sleep 1; kill -9 \$\$" 2>/dev/null
check 'a run killed from outside leaves no process' test -z "$(pgrep -f -- "$token")"
check_exit 0 '--recover of a run within a killed run ends with 0' with-pressure --recover
is 'a run killed from outside leaves no journal' "$(ls "$WITH_PRESSURE_DIR" 2>/dev/null)" ''
tap_done

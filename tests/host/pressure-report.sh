#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# with-pressure -f with limits: the run's cgroup and what was set in the report, kills, kill -9, a full disk.
. "$top_srcdir/tests/lib/pressure.sh"
need_host zram
cd "$work" || exit 99
mkdir reports

value() { sed -n "s,.*<$1>\(.*\)</$1>.*,\1,p" "$2"; }
reason() { sed -n 's/.*<reason code="\([a-z-]*\)".*/\1/p' "$1" | tr '\n' ' '; }

check_exit 0 '-f writes a report of a run with limits' \
	with-pressure --ram 64M --swap zram:128M -f reports/r.xml -- "$hog" 96 1 "$token"
check_exit 0 'the report is valid' memstor validate reports/r.xml
is 'the report has the limits' "$(value ram_bytes reports/r.xml) $(value swap_kind reports/r.xml) $(value swap_bytes reports/r.xml)" \
	"$((64 << 20)) zram $((128 << 20))"
is "the machine's description has the limit of the run" "$(value limit_bytes reports/r.xml)" $((64 << 20))
check "the machine's description has the swap area of the run" grep -q '<backing>zram<' reports/r.xml
check 'the peak of the cgroup is near its limit' test "$(value cgroup_peak_bytes reports/r.xml)" -ge $((60 << 20))
check 'the peak of the cgroup is not above its limit' test "$(value cgroup_peak_bytes reports/r.xml)" -le $((64 << 20))
check 'a command that pages has major faults' test "$(value major_faults reports/r.xml)" -gt 100
check 'set-up is not part of the wall time' \
	test "$(value wall_ns reports/r.xml)" = $(($(value monotonic_end_ns reports/r.xml) - $(value monotonic_start_ns reports/r.xml)))
case $(cgroup_version) in
1) scope=machine ;;
2) scope=cgroup ;;
esac
if grep -q '<stalls' reports/r.xml; then
	check "the stalls are those of the $scope" grep -q "<stalls scope=\"$scope\">" reports/r.xml
else
	check 'without PSI the report says why it has no stalls' grep -q '<unavailable name="stalls">' reports/r.xml
fi

check_exit 137 'a command above --ram is killed' with-pressure --ram 16M --swap none -f reports/oom.xml -- "$hog" 64 5 "$token"
is 'a kill for lack of memory is a reason, and in the limits' "$(reason reports/oom.xml) $(value was_oom reports/oom.xml)" \
	'killed oom  true'
check_exit 127 'a command that does not exist ends with 127' with-pressure --ram 64M --swap none -f reports/none.xml -- "$work/none"
is 'a command that does not exist is a reason' "$(reason reports/none.xml)" 'not-started '
check_exit 0 'these reports are valid' memstor validate reports/oom.xml reports/none.xml

before=$(cat /proc/sys/vm/page-cluster)
check_exit 0 'a value that is set is in the report' \
	with-pressure --set "/proc/sys/vm/page-cluster=$((before == 1 ? 2 : 1))" -f reports/set.xml -- true
is 'the report has the value by its path' \
	"$(value 'setting name="/proc/sys/vm/page-cluster"' reports/set.xml; grep -c '<setting name="/proc/sys/vm/page-cluster">' reports/set.xml)" 1

# --- kill -9 of the guardian, and of both
for victim in guardian both; do
	mkfifo "up-$victim"
	with-pressure --ram 64M --swap zram:128M -f "reports/$victim.xml" -- sh -c ": $token; echo >up-$victim; sleep 1000" 2>/dev/null &
	front=$!
	read -r _ <"up-$victim"
	kill -9 "$(child_of $front)"
	[ $victim = guardian ] || kill -9 $front
	wait $front 2>/dev/null
	job_is_over() { ! job_runs; }
	check "kill -9 of $victim ends the command" within 10 job_is_over
done
check_exit 0 '--recover after kill -9 of both' with-pressure --recover
is 'kill -9 of both leaves no file' "$(find reports -name '*both*')" ''
check_exit 0 'kill -9 of the guardian leaves a valid report' memstor validate reports/guardian.xml
is 'kill -9 of the guardian is a kill of the command, whose time is not known' \
	"$(reason reports/guardian.xml)$(value wall_ns reports/guardian.xml)" 'killed '
check 'the report says why the time is not known' grep -q '<unavailable name="wall_ns">' reports/guardian.xml

# --- a full disk, in a namespace of its own
cat >full.sh <<'END'
mkdir disk && mount -t tmpfs -o size=4k tmpfs disk || exit 77
echo '<?xml version="1.0"?><memstor precious="yes"/>' >disk/r.xml
with-pressure -f disk/r.xml -- true 2>said
echo "$? $(ls -A disk) $(cat disk/r.xml said)"
umount disk
END
full=$(unshare -m sh full.sh 2>&1)
if [ $? = 77 ]; then
	skip 'a full disk' 'cannot mount a tmpfs'
else
	is 'a report to a full disk ends with 125, and leaves the older one and nothing else' "$full" \
		"125 r.xml <?xml version=\"1.0\"?><memstor precious=\"yes\"/>
with-pressure: -f disk/r.xml: the report could not be written: No space left on device"
fi
tap_done

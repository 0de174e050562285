#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace record of an ordinary user where the kernel permits little: 16 KiB of rings, kernel.perf_event_paranoid 3.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1
PATH=$top_builddir/memtrace:$PATH
sysctl=/proc/sys/kernel
old_mlock=$(cat $sysctl/perf_event_mlock_kb) old_paranoid=$(cat $sysctl/perf_event_paranoid)
status=0
memtrace record -q -e cpu-clock -o probe.mtr -- true 2>err || status=$?
if [ $status = 3 ] || [ ! -w $sysctl/perf_event_mlock_kb ]; then
	echo "1..0 # SKIP $(cat err; [ -w $sysctl/perf_event_mlock_kb ] || echo 'kernel.perf_event_mlock_kb cannot be set')"
	exit
fi
trap 'echo "$old_mlock" >$sysctl/perf_event_mlock_kb; echo "$old_paranoid" >$sysctl/perf_event_paranoid; rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
mkdir user
chown 65534:65534 user
chmod 711 "$tmp"
cp "$(command -v memtrace)" ordinary
chmod 755 ordinary
ordinary() { (cd user && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"); }

# --- little memory for rings
echo 16 >$sysctl/perf_event_mlock_kb
for engine in cpu-clock page-faults burst; do
	status=0
	ordinary ../ordinary record -q -e $engine -o little.mtr -- sha256sum /usr/bin/python3 >out 2>err || status=$?
	check "record -e $engine with perf_event_mlock_kb 16 runs ($status)" sh -c "[ $status = 0 ] || [ $status = 4 ]"
	status=0
	ordinary prlimit --memlock=0 ../ordinary record -q -e $engine -o none.mtr -- sha256sum /usr/bin/python3 >out 2>err || status=$?
	is "record -e $engine without memory that may be locked ends with 3" $status 3
	check "record -e $engine without memory that may be locked names both limits" \
		grep -q 'cannot be locked (raise ulimit -l or kernel.perf_event_mlock_kb' err
done
echo "$old_mlock" >$sysctl/perf_event_mlock_kb

# --- kernel.perf_event_paranoid 3: a kernel with Debian's patch permits nothing, others what they permit with 2
if echo 3 2>/dev/null >$sysctl/perf_event_paranoid; then
	for engine in cpu-clock page-faults burst; do
		status=0
		ordinary ../ordinary record -q -e $engine -o paranoid.mtr -- sha256sum /usr/bin/python3 >out 2>err || status=$?
		check "record -e $engine with perf_event_paranoid 3 runs or says why not ($status)" sh -c "[ $status = 0 ] || [ $status = 4 ] ||
			{ [ $status = 3 ] && grep -q 'kernel.perf_event_paranoid is 3' err && [ \$(wc -l <err) = 1 ]; }"
	done
	echo "$old_paranoid" >$sysctl/perf_event_paranoid
else
	skip "record with perf_event_paranoid 3" 'this kernel does not take it'
fi
tap_done

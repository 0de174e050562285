#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace overhead: its table, JSON and report; rates; what is refused; that nothing is left behind.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed, which reads the result'
cd "$tmp" || exit 1
TMPDIR=$tmp
export TMPDIR

refuses 'memtrace: overhead: a command to run is missing' memtrace overhead
for options in '-e nonsense' '-c 0' '-c 1,x' '-c 1,2,3,4,5,6,7,8,9' '-F 1 -c 1' '-n 0' '-e page-faults -F 100' \
	'--range a=1-5 --range b=2-6' '-o nonsense'; do
	# shellcheck disable=SC2086 # several words
	check_exit 2 "overhead $options is refused" memtrace overhead $options -- true
	is "overhead $options is refused in one line" "$(wc -l <"$tmp/err")" 1
done

status=0
memtrace record -q -e page-faults -o probe.mtr -- true 2>"$tmp/err" || status=$?
if [ $status = 3 ]; then
	echo "ok $((tap_count + 1)) # SKIP $(cat "$tmp/err")"
	tap_count=$((tap_count + 1))
	tap_done
	exit
fi
check_exit 3 "overhead of a command that fails ends with 3" memtrace overhead --no-lackey -e page-faults -c 1 -n 1 -- false
is "overhead of a command that fails is reported in one line" \
	"$(cat "$tmp/err")" 'memtrace: overhead: false: ended with status 1; only runs that succeed are compared'

cat >touch.py <<'END'
import mmap
area = mmap.mmap(-1, 2000 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
area.madvise(mmap.MADV_NOHUGEPAGE)
for page in range(2000):
    area[page * mmap.PAGESIZE] = 1
print("dropped")
END
check_exit 0 "overhead -c with two periods succeeds" \
	memtrace overhead --no-lackey -e page-faults -c 1,100 -n 3 --range all=1000-7fffffffffff --json \
	-f cost.xml -- python3 touch.py
check "overhead --json: the output of the command is not in the result" sh -c "! grep -q dropped '$tmp/out'"
is "overhead runs each variant three times; the smaller period has more samples and a larger trace" "$(python3 -c 'import json, sys
rows = json.load(open(sys.argv[1])); rows = rows if isinstance(rows, list) else next(iter(rows.values()))
alone, every, some = rows
print(alone["id"], [row["runs"] for row in rows], "samples" in alone, every["samples"] >= 2000, some["samples"] < every["samples"] / 20,
    some["trace"] < every["trace"], 0 < every["named"] <= every["trace"], alone["slowdown"],
    all(row["least"] <= row["slowdown"] <= row["most"] for row in rows))' "$tmp/out")" \
	'none [3, 3, 3] False True True True True 1 True'
check_exit 0 "memstor validate accepts the report of overhead" memstor validate cost.xml
is "the report of overhead has three variants" "$(grep -c '<variant id=' cost.xml)" 3
if command -v valgrind >/dev/null; then
	check_exit 0 "overhead with lackey succeeds" memtrace overhead -e page-faults -c 1 -n 2 --json -- true
	is "overhead runs lackey once and traces every access" "$(python3 -c 'import json, sys
rows = json.load(open(sys.argv[1])); rows = rows if isinstance(rows, list) else next(iter(rows.values()))
row = rows[-1]; print(row["id"], row["runs"], row["samples"] > 10000, row["trace"] > 10 * row["samples"])' "$tmp/out")" \
		'valgrind lackey 1 True True'
else
	skip "overhead with lackey succeeds" 'valgrind is not installed'
fi
mkdir bin
for program in sh true; do ln -s "$(command -v $program)" bin/; done
memtrace=$(command -v memtrace)
if [ "$(id -u)" != 0 ]; then
	check_exit 0 "overhead without valgrind succeeds" env PATH="$tmp/bin" "$memtrace" overhead -e page-faults -c 1 -n 1 -- true
	check "overhead without valgrind says that it is not installed" grep -q 'valgrind is not installed' "$tmp/err"
fi
mkdir empty
# The recorded command kills overhead.
echo '[ -z "$MEMTRACE_CONTROL" ] || kill -KILL $(ps -o ppid= $PPID)' >kill.sh
check_exit 137 "overhead that is killed while it records ends with 137" \
	env TMPDIR="$tmp/empty" "$memtrace" overhead -e page-faults -c 1 -n 1 --no-lackey -- sh "$tmp/kill.sh"
is "overhead that is killed leaves nothing in TMPDIR" "$(ls -A empty)" ''
tap_done

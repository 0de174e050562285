#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# memtrace: names that a program gives its memory through the control file, in report, analyze, export and filters.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
command -v python3 >/dev/null || skip_all 'python3 is not installed, which names its memory'
cd "$tmp" || exit 1

# --- what is refused
for arguments in 'control name t' 'control name t 2000 1000' 'control name t 1000 2000 0' 'control name' 'control forget' \
	'control forget a b' 'control name [t] 1000 2000'; do
	# shellcheck disable=SC2086 # several words
	check_exit 2 "memtrace $arguments is refused" memtrace $arguments --control none
	is "memtrace $arguments is refused in one line" "$(wc -l <"$tmp/err")" 1
done
check_exit 3 "control name without a recording ends with 3" memtrace control name t 1000 2000 --control none

status=0
memtrace record -q -e page-faults -o probe.mtr -- true 2>"$tmp/err" || status=$?
if [ $status = 3 ]; then
	echo "ok $((tap_count + 1)) # SKIP $(cat "$tmp/err")"
	tap_count=$((tap_count + 1))
	tap_done
	exit
fi

# 300 pages named, 200 of no name, 100 of a name that is forgotten: each is touched once.
cat >names.py <<'END'
import array, ctypes, fcntl, mmap, os, sys, termios, time
def send(line):
    control = os.open(os.environ["MEMTRACE_CONTROL"], os.O_WRONLY)
    os.write(control, (line + "\n").encode())
    left = array.array("i", [1])
    while left[0]:
        time.sleep(0.01)
        fcntl.ioctl(control, termios.FIONREAD, left)
    os.close(control)
PAGE = mmap.PAGESIZE
area = mmap.mmap(-1, 600 * PAGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
area.madvise(mmap.MADV_NOHUGEPAGE)
start = ctypes.addressof(ctypes.c_char.from_buffer(area))
send(f"name table {start:x} {start + 300 * PAGE:#x} {PAGE}")
send(f"name brief {start + 500 * PAGE:x} {start + 600 * PAGE:x}")
for page in range(300):
    area[page * PAGE] = 1
send("forget brief")
for page in range(300, 600):
    area[page * PAGE] = 1
send("name wrong 10 5")
send("nonsense")
END
check_exit 0 "record of a program that names its memory succeeds" \
	memtrace record -q -e page-faults --control fifo -o names.mtr -- python3 names.py
check "record reports a name whose END is not above START" grep -q "name wrong 10 5: END must be above START" "$tmp/err"
check "record reports a control command that does not exist" \
	grep -q "'nonsense' is no command (start, stop, mark TEXT, name" "$tmp/err"
check_exit 0 "report of a recording with named memory succeeds" memtrace report names.mtr
check "report states the shares of samples in objects and in allocations" \
	grep -Eq '^named  *[0-9.]+ % .*: [1-9][0-9.]* % in objects, 0.00 % in allocations' "$tmp/out"
memtrace report --noheadings -o samples,name names.mtr >groups
is "report counts each page of a named object" "$(awk '$2 == "table" { print $1 }' groups)" 300
is "report has no group for a name that was forgotten" "$(awk '$2 == "brief"' groups)" ''
check_exit 0 "analyze count --region of a named object succeeds" memtrace analyze count --region table --json --rows 400 names.mtr
is "analyze count --region has each element of a named object once" "$(python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(sorted(int(b["element"]) for b in d["hot_bucket"]) == list(range(300)), d["in_objects"], d["selected"])' "$tmp/out")" 'True 300 300'
check_exit 0 "analyze count --range over a named object succeeds" \
	memtrace analyze count --range all=1000-7fffffffffff --json names.mtr
is "analyze count: --range takes precedence over a named object" "$(python3 -c 'import json, sys
d = json.load(open(sys.argv[1])); print(d["in_objects"], d["in_mappings"])' "$tmp/out")" '0 0'
check_exit 0 "analyze count -f of a recording with named memory succeeds" memtrace analyze count -f names.xml names.mtr
check_exit 0 "memstor validate accepts a report with named objects" memstor validate names.xml
check "the report has the share of samples in objects" grep -q '<in_objects_percent>' names.xml
check "the report lists a named object with the kind object" \
	sh -c "tr -d '\n' <names.xml | grep -q '<range id=\"table\">[^/]*<kind>object<'"
memtrace export --region table names.mtr >names.csv
is "export: CSV has offset and element of each sample in a named object" \
	"$(awk -F, 'NR > 1 && $9 == $10 * 4096' names.csv | wc -l)" 300
tap_done

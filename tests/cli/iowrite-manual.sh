#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench.1: sections and options as in --help; the examples are accepted.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
program_manual iowrite-bench "$top_builddir/iowrite-bench/iowrite-bench.1"
mkdir "$tmp/work"
mkdir -m 700 "$tmp/journals"
cd "$tmp/work" || exit 1
for file in system.xml slow.xml; do cp "$top_srcdir/tests/fixtures/iowrite/system.xml" $file; done
printf 'offset,size,mode,sync\n0,4096,buffered,none\n4096,4096,buffered,none\n' >ops.csv
printf '%s' '<?xml version="1.0"?><iowritebench><report><signature><command><argument>run</argument></command><options>' \
	'<option name="sync-each">fsync,fdatasync</option></options></signature></report></iowritebench>' >syncs.xml
files=$(ls)
IOWRITE_BENCH_DIR=$tmp/journals
export IOWRITE_BENCH_DIR

# --- a calibration can be read and written by docs/report-iowrite.md: every parameter, with its unit
sed -n '/^static const struct system_row rows/,/^};/s/.*= {"\([^"]*\)", "\([^"]*\)",.*/\1 \2/p' "$top_srcdir/iowrite-bench/system/system.c" >"$tmp/parameters"
check 'the source lists the parameters of a calibration' test "$(wc -l <"$tmp/parameters")" -ge 20
check "calibrate: the documentation has each parameter with its unit" sh -c 'while read -r name unit; do
	grep -q "^| \`$name\` | $unit *|.*|.*|.*|$" "$1" || { echo "$name ($unit)"; exit 1; }
done <"$2"' sh "$top_srcdir/docs/report-iowrite.md" "$tmp/parameters"

# --- the examples: what measures runs with --dry-run, for which 3 (not possible on this host) is accepted, too
while read -r example; do
	command=$(echo "$example" | cut -d ' ' -f 2)
	example=$(echo "$example" | sed 's,/mnt/disk,.,')
	allowed=0
	if iowrite-bench "$command" --help | grep -q -e --dry-run; then
		case $example in *--dry-run*) ;; *) example="$example --dry-run" ;; esac
		allowed='0 3'
	fi
	status=0
	sh -c "$example" >"$tmp/out" 2>"$tmp/err" || status=$?
	# The calibration is of another machine.
	grep -q '^iowrite-bench: system.xml is a calibration of .*: take --directory there' "$tmp/err" && allowed=2
	check "the example of the page is accepted: $example" \
		sh -c 'case " $1 " in *" $2 "*) ;; *) echo "status $2"; cat "$3"; exit 1 ;; esac' sh \
		"$allowed" $status "$tmp/err"
	is "the example of the page leaves no file behind: $example" "$(ls -A "$tmp/work")" "$files"
	is "the example of the page leaves no journal behind: $example" "$(ls -A "$tmp/journals")" ''
done <"$tmp/examples"
tap_done

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The demo without root, in folders with blanks, quotes and a dollar sign in their names; its command can be pasted.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/report.sh"
mkdir "$tmp/bin" "$tmp/a 'b' \$c"
cd "$tmp/a 'b' \$c" || exit 1
# A fake id prints that the user is not root; the program is in a folder with a blank.
printf '#!/bin/sh\necho 1000\n' >"$tmp/bin/id"
ln -s "$(command -v pmbench)" "$tmp/a 'b' \$c/pmbench"
chmod +x "$tmp/bin/id"
PATH="$PWD:$tmp/bin:$PATH"
DEMO_MAP_MIB=4 DEMO_SECONDS=100ms check_run 'the demo runs' sh "$top_srcdir/scripts/demo.sh" .
folder=$(echo demo-*)
lawful 'the demo' "$folder/report.xml"
check 'the demo keeps the text of the run' grep -q '^Total samples: ' "$folder/report.txt"
check 'the demo shows the text of the run' grep -q '^Total samples: ' "$tmp/out"
check 'the demo names the folder of its files' \
	grep -qxF "demo: report.xml, report.txt and the command are in $PWD/$folder" "$tmp/out"
is 'the last line of the demo names the page' "$(tail -n 1 "$tmp/out")" "demo: to look at it, open $PWD/$folder/report.html in a browser"
check 'the page of the demo holds the report' grep -q '"name":"[^"]*/report.xml"' "$folder/report.html"
cd "$folder" || exit 1
first=$(values report.xml uuid)
PATH=/usr/bin:/bin
check_run 'the command of the demo runs in a shell' sh ./command
check 'the command of the demo makes the report anew' test "$(values report.xml uuid)" != "$first"
is 'the command of the demo makes no other file' "$(echo *)" 'command report.html report.txt report.xml'
tap_done

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# tools -> the layers of common; the rule finds each kind of violation that is planted in a copy of the tree.
. "$top_srcdir/tests/lib/tap.sh"
rule=$top_srcdir/scripts/check-includes.sh

check "check-includes accepts the tree" "$rule" "$top_srcdir"

mkdir "$tmp/tree"
for folder in common pmbench with-pressure memtrace; do
	cp -R "$top_srcdir/$folder" "$tmp/tree/"
done
# The source of distcheck is read-only.
chmod -R u+w "$tmp/tree"
check "check-includes accepts a copy of the tree" "$rule" "$tmp/tree"

plant() { # FILE INCLUDE TEXT: the rule finds TEXT in FILE
	cp "$tmp/tree/$1" "$tmp/saved"
	printf '#include %s\n' "$2" >>"$tmp/tree/$1"
	line=$(wc -l <"$tmp/tree/$1")
	check_exit 1 "check-includes refuses $2 in $1" "$rule" "$tmp/tree"
	check "check-includes names line and rule for $2 in $1" grep -qF "$1:$line: $3" "$tmp/out"
	cp "$tmp/saved" "$tmp/tree/$1"
}
plant pmbench/access/access.c '"common/base/units.h"' 'a HOT file includes only its own headers'
plant pmbench/access/access.h '"pmbench/plan/options.h"' 'a HOT file includes only its own headers'
plant pmbench/access/access.c '<stdio.h>' 'a HOT file may not include <stdio.h>'
plant common/hot/ticks.h '"common/base/units.h"' 'common/hot/ includes only itself'
plant common/hot/rng.h '<stdlib.h>' 'a HOT file may not include <stdlib.h>'
plant common/base/units.c '"pmbench/plan/options.h"' 'common/ knows no tool'
plant common/base/units.c '"common/stats/stats.h"' 'common/base/ stands below'
plant common/kernel/cgroup.c '"schema/shared.h"' 'common/ knows no tool'
plant common/cli/opt.h '"common/run/frame.h"' 'common/cli/ stands below'
plant common/undo/undo.c '"common/undo.h"' 'common/undo/ stands below'
plant pmbench/memory/scratch.c '"pmbench/access/classify.h"' 'pmbench/memory/ stands below'
plant pmbench/worker/control.h '"pmbench/run/result.h"' 'pmbench/worker/ stands below'
plant pmbench/run/run.c '"pmbench/report/text.h"' 'pmbench/run/ stands below'
plant memtrace/file/search.h '"memtrace/perf/engine.h"' 'memtrace/file/ stands below'
plant memtrace/names/regions.c '"memtrace/target/child.h"' 'memtrace/names/ stands below'
mkdir "$tmp/tree/memtrace/new"
echo '#include "memtrace/commands.h"' >"$tmp/tree/memtrace/new/new.c"
check_exit 1 "check-includes refuses a folder that has no place in the order" "$rule" "$tmp/tree"
rm -r "$tmp/tree/memtrace/new"
plant pmbench/plan/plan.c '"with-pressure/main.h"' 'tools do not include each other'
plant with-pressure/main.c '"pmbench/plan/plan.h"' 'tools do not include each other'
plant pmbench/plan/plan.c '"tests/unit/unit.h"' 'neither common/ nor the own folder'
plant pmbench/plan/plan.c '"plan.h"' 'not as "folder/file.h"'
plant pmbench/plan/plan.c '"pmbench/../common/base/units.h"' 'not as "folder/file.h"'
plant pmbench/plan/plan.h '"config.h"' 'config.h belongs into .c files'

check "check-includes finds no cycle between modules" "$rule" --cycles "$top_srcdir"
# Two modules, a private header that belongs to one of them, and a third one that is in no cycle.
folder=$tmp/tree/memtrace/active
echo '#include "memtrace/active/one_private.h"' >"$folder/one.c"
echo '#include "memtrace/active/two.h"' >"$folder/one_private.h"
echo >"$folder/one.h"
echo >"$folder/two.h"
echo '#include "memtrace/active/one.h"' >"$folder/three.h"
check "check-includes accepts a private header of one module" "$rule" --cycles "$tmp/tree"
echo '#include "memtrace/active/one.h"' >"$folder/two.c"
check_exit 1 "check-includes refuses a cycle" "$rule" --cycles "$tmp/tree"
cycle="cycle: memtrace/active/one_private.h -> memtrace/active/two.h; memtrace/active/two.c -> memtrace/active/one.h"
check "check-includes names the includes that close the cycle, and no other cycle" test "$(cat "$tmp/out")" = "$cycle"
tap_done

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# .ci/run ends on SIGTERM, and ends its stage.
. "$top_srcdir/tests/lib/tap.sh"
[ -f "$top_srcdir/.ci/run" ] || skip_all '.ci/run is not in the tarball'

# A repository whose setup takes longer than the limit of this test.
mkdir -p "$tmp/tree/.ci" "$tmp/tree/scripts"
cp "$top_srcdir/.ci/run" "$tmp/tree/.ci"
cat >"$tmp/tree/scripts/setup.sh" <<END
#!/bin/sh
trap 'echo "cleaned up" >>"$tmp/stage"; exit 1' TERM
echo \$\$ >"$tmp/stage"
sleep 1000 & wait
END
printf '#!/bin/sh\n' >"$tmp/tree/scripts/leftovers.sh"
chmod +x "$tmp"/tree/scripts/*.sh
mkdir "$tmp/work"

unset CI_KEEP
TMPDIR=$tmp/work bash "$tmp/tree/.ci/run" setup >"$tmp/out" 2>&1 &
run=$!
while ! [ -s "$tmp/stage" ] && kill -0 $run 2>/dev/null; do sleep 0.05; done
kill -TERM $run
status=0
wait $run || status=$?
is '.ci/run ends with 143 on SIGTERM while its stage sleeps' $status 143
is 'the stage of .ci/run gets SIGTERM and cleans up' "$(sed -n 2p "$tmp/stage")" 'cleaned up'
check 'the stage of .ci/run has ended when .ci/run ends' sh -c '! kill -0 "$1" 2>/dev/null' sh "$(sed -n 1p "$tmp/stage")"
is '.ci/run leaves no temporary folder on SIGTERM' "$(ls "$tmp/work")" ''
tap_done

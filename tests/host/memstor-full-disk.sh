#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# No space for results: one line, status 3, the index stays as it was, and the suite continues when there is space.
[ "$(id -u)" -eq 0 ] || { echo '1..0 # SKIP needs root, to mount a file system'; exit 0; }
if [ -z "$IS_INSIDE" ]; then
	unshare -m true 2>/dev/null || { echo '1..0 # SKIP cannot make a mount namespace'; exit 0; }
	IS_INSIDE=yes unshare -m sh "$0"
	exit
fi
. "$top_srcdir/tests/lib/suite.sh"
mkdir disk
mount -t tmpfs -o size=4m tmpfs disk || skip_all 'cannot mount a tmpfs'
unmount() {
	cd /
	umount "$tmp/disk"
	stop_all
}
trap unmount EXIT
suite two <<'END'
step one
    run pmbench quick
step two
    run pmbench fill
step three
    run pmbench quick
END
# The second step fills the disk.
mv bin/pmbench bin/real
cat >bin/pmbench <<'END'
#!/bin/sh
case "$* $FILLS" in
*--dry-run*) ;;
*fill*yes) dd if=/dev/zero of="$tmp/disk/filler" bs=4k 2>/dev/null ;;
esac
exec "$tmp/bin/real" "$@"
END
chmod +x bin/pmbench
check_exit 3 'memstor run on a disk that becomes full ends with 3' env FILLS=yes memstor run ./two.suite -o disk/out
is 'a disk that becomes full is reported in one line' "$(said | tail -n 1)" \
	'memstor: -o disk/out: index.xml cannot be written: No space left on device; fix it, then continue with --resume'
is 'a disk that becomes full: the index has the runs done before' "$(state disk/out one 1) $(state disk/out two 1)" 'done waiting'
valid_index 'a disk that becomes full' disk/out
check_exit 3 'memstor run --resume on a full disk ends with 3' env FILLS=yes memstor run ./two.suite -o disk/out --resume
check 'a disk that is full is reported in one line' sh -c '[ "$(grep -vc "^memstor: warning: " err)" = 1 ]'
sed 's/^/# /' err
check 'a disk that is full: a warning at the start states free and needed space' \
	grep -q '^memstor: warning: -o disk/out: 0 B are free, and the reports may need 6 MiB$' err
truncate -s 0 disk/filler
head -c "$(($(stat -f -c '%a * %S' disk) - 400000))" /dev/zero >disk/filler
check_exit 3 'memstor run --resume with too little space for a report ends with 3' memstor run ./two.suite -o disk/out --resume
is 'too little space for a report is reported in one line' "$(said)" \
	'memstor: -o disk/out: the next step is not run: No space left on device; fix it, then continue with --resume'
rm disk/filler log
check_exit 0 'memstor run --resume with enough space ends with 0' memstor run ./two.suite -o disk/out --resume
is '--resume with enough space runs only what is not done' "$(order)" 'two 1|three 1|'
is '--resume completes the suite when there is space again' \
	"$(state disk/out one 1) $(state disk/out two 1) $(state disk/out three 1)" 'done done done'
tap_done

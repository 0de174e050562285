#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Root writes into folders of other users: no link of theirs leads it elsewhere.
. "$top_srcdir/tests/lib/tap.sh"
cd "$tmp" || exit 1
[ "$(id -u)" = 0 ] || skip_all 'needs root'
chown 65534 . 2>/dev/null || skip_all 'needs the right to give files away'
chmod 755 .
cat >one.toml <<'END'
[[step]]
name = "a"
run = "pmbench -q -m 4 1"
END
foreign() { chown -h 65534:65534 "$@"; }

# --- memstor run
mkdir theirs
foreign theirs
check_exit 2 'memstor run: a folder of another user is refused' memstor run ./one.toml -o theirs
is 'memstor run: a folder of another user is refused in one line' "$(cat "$tmp/err")" \
	'memstor: -o theirs: belongs to user 65534 (must be user 0, who runs this); give the name of a new folder'
is 'memstor run: nothing is written into the folder of another user' "$(ls -A theirs)" ''
mkdir safe
ln -s "$tmp/safe" link
foreign link
check_exit 2 'memstor run: a link of another user is not followed' memstor run ./one.toml -o link
check_exit 2 'memstor run: a link of another user on the way is not followed' memstor run ./one.toml -o link/there
is 'memstor run: a link of another user on the way is refused in one line' "$(cat "$tmp/err")" \
	'memstor: -o link/there: a folder of its path has no search permission, or is a link of another user'
is 'memstor run: nothing is written where the link leads' "$(ls -A safe)" ''
# Links with the names that memstor would choose.
now=$(date +%s)
for second in 0 1 2 3 4 5; do
	ln -s "$tmp/safe" "one-$(date -d "@$((now + second))" +%Y%m%d-%H%M%S)"
done
foreign one-*
check_exit 2 'memstor run: a link with the default name is not followed' memstor run ./one.toml
is 'memstor run: nothing is written where the default name leads' "$(ls -A safe)" ''
rm -f one-*

# --- reports and pictures
cp "$top_srcdir/tests/golden/pmbench-report.xml" base.xml
echo precious >safe/passwd
ln -s "$tmp/safe/passwd" report.xml
mkdir folder
ln -s "$tmp/safe" folder/link
foreign report.xml folder folder/link
cannot() { # WHAT STATUS COMMAND...
	what=$1
	status=$2
	shift 2
	check_exit "$status" "$what: a link of another user is not followed" "$@"
	check "$what: the error names the link" grep -qE 'Permission denied$|is a symbolic link|another user' "$tmp/err"
	is "$what: the file that the link leads to is not changed" "$(cat safe/passwd) $(ls safe)" 'precious passwd'
}
for file in report.xml folder/link/passwd folder/link/new.xml; do
	cannot "memstor convert -o $file" 3 memstor convert --to json base.xml -o "$file"
	cannot "memstor html -o $file" 3 memstor html base.xml -o "$file"
	cannot "memstor merge -o $file" 3 memstor merge base.xml base.xml -o "$file"
	cannot "pmbench -f $file" 3 pmbench -m 16 -f "$file" 1
done

# --- a target of a measurement
led() { # WHAT COMMAND...
	what=$1
	shift
	check_exit 2 "$what: a link of another user on the way is not followed" "$@"
	check "$what: the error names the link on the way" grep -q 'a symbolic link of another user is on the way' "$tmp/err"
	is "$what: nothing is made where the link leads" "$(ls safe)" passwd
}
led 'ssd-workloads --target' ssd-workloads run --mix=1-1 --target=folder/link/new --keep --log-size=1m --ckpt-size=2m --runtime=1s
led 'ssd-workloads --target, a folder' ssd-workloads run --mix=1-1 --target=folder/link --log-size=1m --ckpt-size=2m --runtime=1s
led 'iowrite-bench --filename' iowrite-bench run --filename=folder/link/new --size=64k
led 'iowrite-bench --filename and --destroy-data' iowrite-bench run --filename=folder/link/passwd --destroy-data=folder/link/passwd \
	--size=64k
is 'iowrite-bench --filename: the file that the link leads to is not changed' "$(cat safe/passwd)" precious
rm report.xml
ln -s "$tmp/safe/own" report.xml
check_exit 3 'a link of root is refused, too' memstor html base.xml -o report.xml
check 'nothing is written where the link of root leads' test ! -e safe/own
tap_done

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench trace: usage errors, its plan, and what it needs.
. "$top_srcdir/tests/lib/tap.sh"
cp "$top_srcdir/tests/fixtures/iowrite/system.xml" "$tmp/system.xml"
cd "$tmp" || exit 1
printf 'offset,size\n0,65536\n65536,65536\n' >ops.csv

refuses_by() { # STATUS LINE ARGUMENT...
	status=$1
	line=$2
	shift 2
	check_exit "$status" "trace $* ends with $status" iowrite-bench trace "$@"
	is "trace refuses in one line: $*" "$(cat err)" "iowrite-bench: $line"
	is "trace prints nothing on stdout when it refuses $*" "$(cat out)" ''
}
refuses() { # LINE ARGUMENT...
	refuses_by 2 "$@"
}

# --- arguments
refuses 'nothing to write: name a scenario (iowrite-bench scenarios lists them), or give --trace FILE'
refuses 'SCENARIO and --trace: both give the writes; keep one' c1 --trace ops.csv
refuses 'c2: one argument too many: SCENARIO is c1 already' c1 c2
refuses "SCENARIO c99: no such scenario; iowrite-bench scenarios lists them" c99
refuses "SCENARIO '': no such scenario; iowrite-bench scenarios lists them" ''
refuses "--mem hot: must be warm, cold or as-is" --mem hot c1
for word in '' tiny 1m ',' '1m,' ',2m' 2m,1m 1m,1m 1m,2m,3m 1k,2m -1m,2m 1m,2x 1%,2%; do
	refuses "--thresholds ${word:-''}: must be keep, small, or two sizes of 1M or more, the first below the second, as 256M,512M" \
		"--thresholds=$word" c1
done
for word in '' 0 1k fast -1m; do
	refuses "--slow-device ${word:-''}: must be a rate of at least 1M bytes/s, as 400M" "--slow-device=$word" c1
done
refuses "--slow-size 1m: must be a size of at least 64M" --slow-device 400m --slow-size 1m c1
# A size that is too small is refused before anything is made, also without root.
refuses "--slow-size '255m': the slow device in . needs 257 MiB or more: 1 MiB for the file, the rest for its file system" \
	--trace ops.csv --slow-device 400m --slow-size 255m
printf 'offset,size\n1048577,1048576\n' >large.csv
refuses "--slow-size '258m': the slow device in /var/tmp needs 259 MiB or more: 3 MiB for the file, the rest for its file system" \
	--dry-run --trace large.csv --directory /var/tmp --slow-device 400m --slow-size 258m
rm large.csv
refuses '--slow-size: needs --slow-device' --slow-size 1g c1
for label in x =x 'a b=c' 'a= b'; do
	case $label in *' '*) shown="'$label'" ;; *) shown=$label ;; esac
	refuses "--label $shown: must be NAME=VALUE: a name of 1 to 64 letters, digits or _.-, up to 500 printable bytes, no blank at either end" \
		--label "$label" c1
done
refuses '-f and --json: both would write r; give them two names' -f r --json=r c1
refuses '-f and --json: both would write stdout; give them two names' -f - --json c1
refuses_by 3 '-f no/r: cannot be written: No such file or directory' -f no/r c1
refuses_by 3 '-f no/r: cannot be written: No such file or directory' --file=no/r c1
refuses_by 3 '--output no/r: cannot be written: No such file or directory' --output=no/r c1 # as it was called once
refuses_by 3 '--json no/r: cannot be written: No such file or directory' --json=no/r c1

# --- files
check_exit 2 'trace --trace refuses a file that is not a table' iowrite-bench trace --trace system.xml
is 'trace --trace refuses a file that is not a table in one line' "$(wc -l <err)" 1
check_exit 2 'trace --trace refuses a table that does not exist' iowrite-bench trace --trace no.csv
is 'trace --trace refuses a table that does not exist in one line' "$(wc -l <err)" 1
check_exit 2 'trace --system refuses a file that is not a calibration' iowrite-bench trace --trace ops.csv --system ops.csv
is 'trace --system refuses a file that is not a calibration in one line' "$(wc -l <err)" 1

# --- without root
if [ "$(id -u)" -eq 0 ]; then
	nobody='setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all'
else
	nobody=
fi
chmod 777 .
# shellcheck disable=SC2086 # several words, or none
if [ -n "$nobody" ] && ! $nobody test -x "$(command -v iowrite-bench)" -a -r ops.csv; then
	skip 'trace without root is refused' 'other users cannot read the build folder'
else
	for words in '--dry-run' ''; do
		# shellcheck disable=SC2086
		check_exit 3 "trace without root is refused: $words" $nobody iowrite-bench trace $words --trace ops.csv
		check "trace says what this host lacks: $words" grep -q '^iowrite-bench: trace needs tracefs: ' err
		is "trace refuses in one line without root: $words" "$(wc -l <err)" 1
		is "trace prints nothing on stdout without root: $words" "$(cat out)" ''
	done
fi

# --- as root: what would be done
if [ "$(id -u)" -eq 0 ] && iowrite-bench trace --dry-run --trace ops.csv --directory /var/tmp >out 2>err; then
	is 'trace --dry-run prints the plan of a table' "$(grep -v '^trace' out)" "ops.csv
writes       2 of 128 KiB by pwrite, buffered, to a file without a name in /var/tmp
thresholds   unchanged"
	check 'trace --dry-run prints the events' \
		grep -q 'writeback:global_dirty_state writeback:balance_dirty_pages writeback:bdi_dirty_ratelimit$' out
	check_exit 0 'trace --dry-run takes thresholds' \
		iowrite-bench trace --dry-run --trace ops.csv --directory /var/tmp --thresholds 1g,2g
	check 'trace --dry-run prints the thresholds given' grep -q '^thresholds *background 1 GiB, limit 2 GiB' out
	check_exit 0 'trace --dry-run takes the scenario f8' iowrite-bench trace --dry-run f8 --directory /var/tmp
	check 'trace --dry-run prints the thresholds of the scenario' grep -q '^thresholds *background 512 MiB, limit 1 GiB' out
	check 'trace --dry-run prints how the scenario writes' grep -q '^writes *192 of 3 GiB by fwrite, buffered' out
	check_exit 0 'trace --dry-run takes --thresholds keep' \
		iowrite-bench trace --dry-run c2 --directory /var/tmp --thresholds keep
	check 'trace --dry-run says that thresholds stay' grep -qx 'thresholds *unchanged' out
	check_exit 0 'trace --dry-run takes a slow device' \
		iowrite-bench trace --dry-run --trace ops.csv --directory /var/tmp --slow-device 400M \
		--system system.xml
	check 'trace --dry-run makes the slow device large enough' \
		grep -qx 'device       a loop device of 320 MiB with 400 MiB/s' out
	check 'trace --dry-run names the model and its calibration' \
		grep -q '^model *compared with the kernel model by system.xml, of 2026-11-21T12:00:00Z$' out
	check_exit 0 'trace --dry-run takes the size of the slow device' \
		iowrite-bench trace --dry-run --trace ops.csv --directory /var/tmp --slow-device 400M \
		--slow-size 1g
	check 'trace --dry-run prints the size of the slow device' grep -q '^device *a loop device of 1 GiB' out
	check_exit 2 'trace --dry-run refuses the calibration of another device' \
		iowrite-bench trace --dry-run --trace ops.csv --directory /var/tmp \
		--system system.xml
	check 'trace names both devices when the calibration is of another' grep -Eqx \
		'iowrite-bench: system.xml is a calibration of loop0 \(ext4\), and /var/tmp is on .*: take --directory there, or calibrate here' \
		err
	refuses "system.xml is a calibration of loop0 with 420 MB/s, not of a slow device with 105 MB/s: iowrite-bench calibrate \
--slow-device 100M makes one" --dry-run --trace ops.csv --directory /var/tmp --slow-device 100M --system system.xml
	sed '/"dirty_expire"/d' system.xml >less.xml
	refuses 'less.xml lacks dirty_expire, which the kernel model needs: calibrate again, or leave --system out' \
		--dry-run --trace ops.csv --directory /var/tmp --slow-device 400M --system less.xml
	sed '/"lib_metacost"/d' system.xml >less.xml
	check_exit 0 'trace --dry-run accepts a calibration that lacks a value the writes do not need' \
		iowrite-bench trace --dry-run --trace ops.csv \
		--directory /var/tmp --slow-device 400M --system less.xml
	refuses 'less.xml lacks lib_metacost, which the kernel model needs: calibrate again, or leave --system out' \
		--dry-run f9-4096 --directory /var/tmp --slow-device 400M --system less.xml
	rm less.xml
	refuses "--directory 'no': must be a folder" --trace ops.csv --directory no
	refuses "--directory 'ops.csv': must be a folder" --trace ops.csv --directory ops.csv
	refuses "--directory 'no': must be a folder" --trace ops.csv --directory no --slow-device 400M
	if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ]; then
		check_exit 3 'trace refuses a folder on tmpfs' iowrite-bench trace --trace ops.csv --directory /dev/shm
		is 'trace says that tmpfs is never written back' "$(cat err)" \
			"iowrite-bench: --directory '/dev/shm': a file on tmpfs has no device that could be traced; take a folder on a disk, or --slow-device"
	fi
	is 'trace --dry-run makes no file' "$(ls)" "$(printf '%s\n' err ops.csv out system.xml tap.out)"
else
	skip 'trace --dry-run plans what root would do' 'needs root, tracing and free space in /var/tmp'
fi
tap_done

# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh disable=SC2154,SC2086 # from the harness; words
# Hostile paths for every option and argument that names a file, taken from the option tables of all programs: a row that is
# not known here fails, so that no program and no option is forgotten.
. "$top_srcdir/tests/lib/tap.sh"
unset SUDO_UID
cd "$tmp" || exit 99
report=$top_srcdir/tests/fixtures/report-1.0.xml
system=$top_srcdir/tests/fixtures/iowrite/system.xml
mkfifo fifo hold
ln -s nowhere dangling
echo precious >precious
ln -s precious link
printf 'memtrace\001\000\000\000' >recording
mkdir folder another

# What a command needs besides, so that its line is complete; unknown to the caller: no test.
base() { # base PROGRAM COMMAND OPTION
	case "$1 $2" in
	'pmbench ') echo --accesses=1000 -m 4 ;;
	'with-pressure ') echo true ;;
	'iowrite-bench run') [ "$3" = --filename ] || echo --directory=folder --size=64k ;;
	'iowrite-bench calibrate') [ "$3" = --filename ] || echo --directory=folder; [ "$3" = --output ] || echo -o free ;;
	'iowrite-bench predict') [ "$3" = --trace ] || echo --bs=4k; [ "$3" = --system ] || echo --system=$system ;;
	'iowrite-bench evaluate') echo --directory=folder; [ "$3" = --system ] || echo --system=$system ;;
	'ssd-workloads run')
		case $3 in
		--sim-config) echo --mix=custom --target=sim:small ;;
		--target) echo --mix=1-0 ;;
		--ckpt-dump) echo --mix=1-1 --target=sim:small --ckpt-target=sim:small ;;
		--destroy-data) echo --mix=1-0 --target=./fifo ;;
		*) echo --mix=1-1 --target=folder ;;
		esac
		;;
	'ssd-workloads sweep') base "$1" run "$3"; echo --over=ckpt-depth=1..8 --slo='checkpoint:mean<1s' ;;
	'ssd-workloads verify') [ "$3" = argument ] || echo folder/none ;;
	'ssd-workloads analyze')
		case $3 in
		argument) echo fig9 ;;
		--alone) echo fig4 dump ;;
		*) echo fig9 dump ;;
		esac
		;;
	'memtrace record' | 'memtrace overhead') echo -- true ;;
	'memtrace import' | 'memtrace export' | 'memtrace report') [ "$3" = argument ] || echo folder/none ;;
	'memtrace analyze')
		case $3 in
		argument) echo count ;;
		--equal) echo partition recorded recorded ;;
		*) echo count folder/none ;;
		esac
		;;
	'memtrace selfcheck') ;;
	'memtrace control') echo start ;;
	'memtrace mark') echo text ;;
	'memstor run') [ "$3" = argument ] || echo folder/none.toml ;;
	'memstor validate' | 'memstor convert') [ "$3" = argument ] || echo $report; [ "$2" = validate ] || echo --to json ;;
	'memstor merge') [ "$3" = argument ] || echo $report $report ;;
	'memstor compare') echo $report --; [ "$3" = argument ] || echo $report ;;
	'memstor plot') echo cdf; [ "$3" = argument ] || echo $report; [ "$3" = --output ] || echo -o free.svg; echo --format svg ;;
	'memstor html') [ "$3" = argument ] || echo $report; [ "$3" = --output ] || echo -o free.html ;;
	'memstor history') echo show ;;
	'memstor mpi') [ "$3" = --file ] || echo -f free.xml; echo -- true ;;
	'memstor bisect') [ "$3" = --suite ] || echo --suite=smoke; echo --step=x --metric=p99 --limit=+5% --build=true --base-bin=/ ;;
	'memstor doctor') ;;
	*) return 1 ;;
	esac
}

# attempt NAME VALUE: the command of the row with this value, in bounded time
attempt() {
	attempt_words=$(base $program "$command" "$name") || return 125
	if [ "$name" = argument ]; then
		timeout -k 2 20 $program $command $attempt_words "$1" >out 2>err </dev/null
	else
		timeout -k 2 20 $program $command "$name=$1" $attempt_words >out 2>err </dev/null
	fi
}

# refused VALUE WORDS: with 2 or 3, for the reason that contains WORDS
refused() {
	attempt "$1"
	refused_status=$?
	case $refused_status in
	[23]) ;;
	125) [ $program = with-pressure ] ;; # their own errors have these statuses
	128) [ "$program $command" = 'memstor bisect' ] ;;
	*) false ;;
	esac && grep -q "$2" err && return
	bad="$bad; $1: status $refused_status: $(head -1 err)"
}

test_output() {
	bad=
	other=recording
	grep -q -x -F "$program $command $name" recordings && other=$report
	refused /dev/zero 'cannot be written: is a device'
	refused ./fifo 'cannot be written: is a FIFO'
	refused ./dangling 'cannot be written: is a symbolic link'
	refused ./link 'cannot be written: is a symbolic link'
	# A table for each tool goes into a folder.
	[ "$program $command $name" = 'memstor convert --output' ] || refused ./another 'cannot be written: Is a directory'
	refused ./held 'cannot be written: another program is writing it'
	cp "$other" theirs
	refused ./theirs 'cannot be written: exists with content of another kind'
	cmp -s "$other" theirs || bad="$bad; the file of another tool was changed"
	if [ -n "$is_root" ]; then
		refused ./foreign/new 'cannot be written: its folder is another user'
		refused ./foreign/way/new 'cannot be written: '
		refused ./block 'cannot be written: is a device'
		[ "$(ls foreign)" = way ] && [ -z "$(ls folder)" ] || bad="$bad; a file was made as root where another user is"
	fi
	[ "$(cat precious)" = precious ] && [ ! -e nowhere ] && [ ! -e held ] || bad="$bad; a file was changed"
	is "$program $command $name refuses each hostile path" "$bad" ''
}

# Files that are measured, with rules of their own (tests/cli/target.sh), and the FIFO of commands.
is_target() {
	case $1 in
	--destroy-data | --log-destroy-data | --ckpt-destroy-data | --filename | --target | --log-target | --ckpt-target | \
		--control) return 0 ;;
	esac
	case "$program $command $1" in 'ssd-workloads verify argument' | 'memstor doctor argument') ;; *) return 1 ;; esac
}

test_input() {
	bad=
	if is_target "$name"; then
		[ "$name" = --control ] && return
		refused ./fifo ''
	else
		refused ./fifo 'FIFO'
		refused /dev/zero 'device'
		refused ./new ''
		[ ! -e new ] || bad="$bad; it was written: it is an output that its row does not name"
	fi
	is "$program $command $name refuses each hostile path" "$bad" ''
}

memtrace import -q -o recorded - <<END
# event : name = page-faults, , id = { 8, 9 }, type = 1, { sample_period, sample_freq } = 1, sample_type = IP|TID|TIME|ADDR, inherit = 1
  712/712     306.983000000:         page-faults:     5560cda26240 ffffffff8175336a
END
ssd-workloads run --mix=1-1 --target=sim:small --runtime=100ms --sim precondition=none --dump=dump >/dev/null
printf 'memtrace record --output\nmemtrace import --output\n' >recordings
is_root=
if [ "$(id -u)" = 0 ]; then
	mkdir foreign
	ln -s ../folder foreign/way
	# Of no device: it is never opened.
	mknod block b 240 250 && chown -h 65534:65534 foreign foreign/way && is_root=yes
fi
memtrace import -o held - <hold 2>/dev/null &
holder=$!
exec 9>hold
# More than a pipe holds: it is read when the file has been claimed.
yes '#' | head -c 200000 >&9

rows=0
for program in pmbench with-pressure iowrite-bench ssd-workloads memtrace memstor; do
	commands=$($program --completion-rows | sed -n 's/^command //p')
	for command in ${commands:-''}; do
		$program $command --completion-rows >rows
		while read -r kind name _ value rest; do
			[ "$kind" = argument ] && name=argument
			case $value in
			output | output\? | file | file\? | report | report\?) ;;
			*) continue ;;
			esac
			rows=$((rows + 1))
			if ! base $program "$command" "$name" >/dev/null; then
				check "$program $command $name is known to this test" false
				continue
			fi
			case $value in
			output*) test_output ;;
			*) test_input ;;
			esac
		done <rows
	done
done
check 'the tables have rows' test $rows -gt 50
exec 9>&-
wait $holder
tap_done

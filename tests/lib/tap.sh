# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
# TAP for shell tests: source it, call check..., end with tap_done. A temporary folder is in $tmp.
tap_count=0
tmp=$(mktemp -d)
# The locale is for the programs under test; the commands that read their output run in the C locale.
awk() { LC_ALL=C command awk "$@"; }
sort() { LC_ALL=C command sort "$@"; }
comm() { LC_ALL=C command comm "$@"; }
# A test that makes more than files sets its own trap and calls tap_cleanup there.
tap_cleanup() { rm -rf "$tmp"; }
trap tap_cleanup EXIT
trap 'exit 1' HUP INT TERM

tap_result() { # ok|not ok, description
	tap_count=$((tap_count + 1))
	echo "$1 $tap_count - $2"
}

# check DESCRIPTION COMMAND...: the command succeeds.
check() {
	tap_description=$1
	shift
	if "$@" >"$tmp/tap.out" 2>&1; then
		tap_result ok "$tap_description"
	else
		tap_result 'not ok' "$tap_description"
		echo "# failed: $*"
		sed 's/^/# /' "$tmp/tap.out"
	fi
}

is() { # is DESCRIPTION GOT WANTED
	check "$1" test "$2" = "$3"
	[ "$2" = "$3" ] || printf '%s\n' "got: $2" "wanted: $3" | sed 's/^/# /'
}

# says_in_one_line FILE TEXT: the file is one line, which has the text. By the shell itself: tables of bad input have hundreds.
says_in_one_line() {
	tap_lines=0 tap_line=
	while IFS= read -r tap_each; do
		tap_lines=$((tap_lines + 1)) tap_line=$tap_each
	done <"$1"
	echo "$tap_lines lines, the last one: $tap_line"
	[ $tap_lines = 1 ] || return
	case $tap_line in *"$2"*) ;; *) return 1 ;; esac
}

# The run warns only of other load, as it must on a busy machine,
# A coordinator that waits for a disk that others use counts as stopped, too. or that no sync is durable where the tests write.
tap_is_disturbed() {
	tap_reasons=$(reasons)
	tap_allowed='contention|busy-machine|steal|foreign-traffic'
	case $(stat -f -c %T "$tmp") in tmpfs | overlayfs) tap_allowed="$tap_allowed|not-durable|objective-undecided" ;; esac
	echo "$tap_reasons" | grep -qxE "$tap_allowed" && ! echo "$tap_reasons" | grep -qvxE "$tap_allowed|no-samples|stopped"
}
# Why the run in $tmp/out is not ok: from its text, its warnings, or its report on stdout.
reasons() {
	sed -n 's/^WARNING: \([a-z-]*\):.*/\1/p
		s/^iowrite-bench: warning: \([a-z][a-z-]*\):.*/\1/p
		s/.*<reason code="\([a-z-]*\)".*/\1/p
		/"verdict"/,$ s/.*"code": "\([a-z-]*\)".*/\1/p' "$tmp/out" "$tmp/err"
}

# check_exit STATUS DESCRIPTION COMMAND...: the command ends with this status; its output is in $tmp/out, $tmp/err.
check_exit() {
	tap_wanted=$1
	tap_description=$2
	shift 2
	tap_status=0
	"$@" >"$tmp/out" 2>"$tmp/err" || tap_status=$?
	if [ "$tap_status" = 4 ] && [ "$tap_wanted" -le 1 ] && tap_is_disturbed; then
		echo '# other programs or the hypervisor used its CPU, or its target is memory, and the run said so'
		tap_status=$tap_wanted
	fi
	if [ "$tap_status" = "$tap_wanted" ]; then
		tap_result ok "$tap_description"
	else
		tap_result 'not ok' "$tap_description"
		echo "# status $tap_status, wanted $tap_wanted: $*"
		sed 's/^/# /' "$tmp/out" "$tmp/err"
	fi
}

# skip DESCRIPTION REASON: one test that this host cannot do.
# $without_override COMMAND...: permissions of files hold for root, too.
without_override=
# shellcheck disable=SC2034 # for tests
[ "$(id -u)" != 0 ] || without_override='setpriv --inh-caps=-all --bounding-set=-dac_override,-dac_read_search'

skip() { tap_result ok "$1 # SKIP $2"; }

# skip_all REASON: the whole file.
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

tap_done() {
	echo "1..$tap_count"
	exit 0
}

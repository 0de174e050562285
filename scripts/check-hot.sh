#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Usage: check-hot.sh OBJECT     what the object of a measured loop calls, against an allow-list.
# Exit 1 and one line a symbol that is not allowed; exit 77 and a reason when an instrumented object says nothing.
set -eu
object=$1
[ -r "$object" ] || { echo "check-hot: cannot read $object" >&2; exit 2; }
symbols=$(${NM:-nm} -u "$object" | awk '{ print $NF }')
for symbol in $symbols; do
	case $symbol in
	__asan_* | __tsan_* | __ubsan_* | __sanitizer_* | __sancov_* | __gcov_* | llvm_gcov_* | __llvm_*)
		echo "built with instrumentation ($symbol)"
		exit 77
		;;
	esac
done
status=0
for symbol in $symbols; do
	case $symbol in
	# The vDSO clock of -t perfc. No memset, memcpy: the loop's state is words, a call means it grew.
	clock_gettime) ;;
	# What hardening flags of distributions and position independent code add.
	_GLOBAL_OFFSET_TABLE_ | __stack_chk_fail | __stack_chk_guard | .TOC.) ;;
	*)
		echo "$object: calls $symbol, which a measured loop may not"
		status=1
		;;
	esac
done
exit $status

#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# iowrite-bench.1: sections and options as in --help; the examples that cost nothing run, of the others the words are right.
. "$top_srcdir/tests/lib/tap.sh"
. "$top_srcdir/tests/lib/program.sh"
program_manual iowrite-bench "$top_srcdir/iowrite-bench/iowrite-bench.1"
check_exit 0 "iowrite-bench scenarios" iowrite-bench scenarios
tap_done
